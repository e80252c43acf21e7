//! Bitstreams that an encoder here writes, and what is wrong with damaged ones.

use super::*;
use crate::bitstream::check;
use crate::boards::find;

pub const OF_9C: u32 = 0x1100_481b;

/// The check over these bytes by long division, each byte's lowest bit first, as it stands in the file.
fn check_of(bytes: &[u8]) -> [u8; 2] {
    let mut bits: Vec<u8> = bytes.iter().flat_map(|byte| (0..8).map(move |i| byte >> i & 1)).collect();
    bits.extend([0; 16]);
    for at in 0..bits.len() - 16 {
        if bits[at] == 1 {
            // 1 1000 0000 0000 0101
            [0, 1, 14, 16].into_iter().for_each(|i| bits[at + i] ^= 1);
        }
    }
    let byte = |bits: &[u8]| bits.iter().rev().fold(0, |byte, bit| byte << 1 | bit);
    let rest = &bits[bits.len() - 16..];
    [byte(&rest[..8]), byte(&rest[8..])]
}

fn line(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:08b}")).collect::<String>() + "\n"
}

/// A bitstream of three frames.
pub fn bitstream(idcode: u32) -> Vec<u8> {
    let mut text = "//made here\n".to_string() + &line(&[0xff; 20]) + &line(&[0xff, 0xff]) + &line(&[0xa5, 0xc3]);
    let id = [&[6, 0, 0, 0][..], &idcode.to_be_bytes()].concat();
    let commands: [&[u8]; 7] = [
        &id,
        &[0x10, 0, 0, 0, 0, 0xae, 0, 0],
        &[0x51, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
        &[0x0b, 0, 0, 0],
        &[0xd2, 0, 0xff, 0xff, 0, 0, 0, 0],
        &[0x12, 0, 0, 0],
        &[0x3b, 0x80, 0, 3],
    ];
    text += &commands.map(line).concat();
    // that of the flash is under no check
    let mut since = [&commands[..4], &commands[5..]].concat().concat();
    for frame in 0..3 {
        let bytes = [0xf0, frame, 0, 0x60 << frame, 0x81, 0];
        since.extend(bytes);
        text += &line(&[&bytes[..], &check_of(&since), &[0xff; 6]].concat());
        since = vec![0xff; 6];
    }
    text += &line(&[[0xff; 18].as_slice(), &[0x34, 0x73]].concat());
    text +=
        &[&[0x0a, 0, 0, 0, 0, 0, 0xb7, 0x15][..], &[0xff; 8], &[8, 0, 0, 0], &[0xff; 8], &[0xff; 2]].map(line).concat();
    text.into_bytes()
}

fn device() -> &'static Device {
    find("tang-nano-9k").expect("a board").device
}

#[test]
fn whole_ones_are_read() {
    assert_eq!(check(&bitstream(OF_9C), device()).as_deref(), Ok("GW1NR-9C, id 1100481B, 3 frames"));
    let text = String::from_utf8(bitstream(OF_9C)).unwrap();
    assert!(check(text.replace('\n', "\r\n").as_bytes(), device()).is_ok(), "lines as Windows ends them");
}

#[test]
fn another_device_is_refused_by_name() {
    let error = check(&bitstream(0x0000_081b), device()).unwrap_err().to_string();
    assert_eq!(error, "the bitstream is for GW2AR-18C (id 0000081B), and the board has GW1NR-9C");
    let error = check(&bitstream(0x0123_4567), device()).unwrap_err();
    assert_eq!(error, BitstreamError::UnknownDevice("id 01234567".into()));
    let of_ice40 = crate::bitstream::tests::of_ice40(692, [336, 176, 336, 176]);
    let error = check(&of_ice40, device()).unwrap_err().to_string();
    let expected =
        "this is no bitstream of a Gowin: it has no preamble A5C3 as a text of 0 and 1, but that of an iCE40";
    assert_eq!(error, expected);
}

/// A frame or command that ends at a byte is no longer one, else it is plain that something is missing.
#[test]
fn every_cut_is_seen() {
    let whole = bitstream(OF_9C);
    let last = whole.len() - 8 * 14 - 4;
    for length in 0..last {
        let error = read(&whole[..length]).expect_err("cut");
        let told = matches!(
            error,
            BitstreamError::NoPreamble { .. }
                | BitstreamError::Cut { .. }
                | BitstreamError::NoCommand { .. }
                | BitstreamError::Damaged { .. }
        );
        assert!(told, "{length}: {error}");
    }
}

/// From the id of the device to the last frame, but for the place in a flash, every bit is under a check.
#[test]
fn every_flipped_bit_is_seen() {
    let whole = bitstream(OF_9C);
    let lines: Vec<&[u8]> = whole.split_inclusive(|byte| *byte == b'\n').collect();
    let offset = |line: usize| lines[..line].iter().map(|line| line.len()).sum::<usize>();
    for line in (4..14).filter(|line| *line != 8) {
        for bit in 0..lines[line].len() - 1 {
            let mut damaged = whole.clone();
            damaged[offset(line) + bit] ^= 1;
            read(&damaged).expect_err(&format!("line {line}, bit {bit}"));
        }
    }
    let mut damaged = whole.clone();
    damaged[offset(12) + 3] = b'x';
    assert_eq!(read(&damaged), Err(BitstreamError::NoBits(13)));
    let without = [&whole[..offset(12)], &whole[offset(13)..]].concat();
    let at = Place::Line(14);
    assert_eq!(read(&without), Err(BitstreamError::Damaged { of: "frame 2".into(), at }));
}

#[test]
fn more_behind_the_end_is_told() {
    let more = [bitstream(OF_9C), line(&[1, 2]).into_bytes()].concat();
    assert_eq!(read(&more), Err(BitstreamError::GoesOn { at: Place::Line(21) }));
}
