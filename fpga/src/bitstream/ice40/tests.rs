//! Bitstreams that an encoder here writes, and what is wrong with damaged ones.

use super::*;
use crate::bitstream::check;
use crate::boards::find;

/// The check over these bytes, by long division: their bits and 16 zeros, the first 16 bits inverted.
fn check_of(bytes: &[u8]) -> [u8; 2] {
    let mut bits: Vec<u8> = bytes.iter().flat_map(|byte| (0..8).rev().map(move |i| byte >> i & 1)).collect();
    bits[..16].iter_mut().for_each(|bit| *bit ^= 1);
    bits.extend([0; 16]);
    for at in 0..bits.len() - 16 {
        if bits[at] == 1 {
            // 1 0001 0000 0010 0001
            [0, 4, 11, 16].into_iter().for_each(|i| bits[at + i] ^= 1);
        }
    }
    let rest = bits[bits.len() - 16..].iter().fold(0u16, |rest, bit| rest << 1 | u16::from(*bit));
    rest.to_be_bytes()
}

/// A bitstream with banks of this shape, and two rows of block RAM.
pub fn bitstream(width: u16, heights: [u16; 4]) -> Vec<u8> {
    let two = |command: u8, value: u16| [&[command][..], &value.to_be_bytes()].concat();
    let mut data = [&[0x92, 0, 0x20][..], &two(0x62, width - 1)].concat();
    for (bank, height) in (0..).zip(heights) {
        data.extend([&two(0x72, height)[..], &two(0x82, 0), &[0x11, bank, 0x01, 0x01]].concat());
        data.extend((0..usize::from(width) * usize::from(height) / 8).map(|i| ((i * 7) >> 4) as u8));
        data.extend([0, 0]);
    }
    data.extend([&two(0x72, 2)[..], &two(0x62, 159), &[0x11, 0, 0x01, 0x03], &[0x5a; 40], &[0, 0, 0x22]].concat());
    let check = check_of(&data);
    [&b"\xff\0made here\0\0\xff\x7e\xaa\x99\x7e\x51\0\x01\x05"[..], &data, &check, &[0x01, 0x06, 0]].concat()
}

pub fn of_up5k() -> Vec<u8> {
    bitstream(692, [336, 176, 336, 176])
}

fn device() -> &'static Device {
    find("icebreaker").expect("a board").device
}

#[test]
fn whole_ones_are_read() {
    let expected = "iCE40UP5K, banks of 692 by 336, 176, 336, 176 bits, 320 bits of block RAM";
    assert_eq!(check(&of_up5k(), device()).as_deref(), Ok(expected));
}

#[test]
fn another_device_is_refused_by_name() {
    let error = check(&bitstream(872, [272; 4]), device()).unwrap_err().to_string();
    let expected =
        "the bitstream is for iCE40HX8K (banks of 872 by 272, 272, 272, 272 bits), and the board has iCE40UP5K";
    assert_eq!(error, expected);
    let error = check(&bitstream(700, [8; 4]), device()).unwrap_err();
    assert_eq!(error, BitstreamError::UnknownDevice("banks of 700 by 8, 8, 8, 8 bits".into()));
    let error = check(&crate::bitstream::tests::of_ecp5(0x4111_1043, true), device()).unwrap_err().to_string();
    assert_eq!(error, "this is no bitstream of an iCE40: it has no preamble 7EAA997E, but that of an ECP5");
}

#[test]
fn every_cut_is_seen() {
    let whole = bitstream(32, [4; 4]);
    // the last byte is filler
    for length in 0..whole.len() - 1 {
        let error = read(&whole[..length]).expect_err("cut");
        assert!(matches!(error, BitstreamError::NoPreamble { .. } | BitstreamError::Cut { .. }), "{length}: {error}");
    }
}

/// From behind the preamble to the end, but for the rate of the oscillator: what is flipped is seen.
#[test]
fn every_flipped_bit_is_seen() {
    let whole = bitstream(32, [4; 4]);
    let begin = begin(&whole).expect("a preamble") + 6;
    for bit in 8 * begin..8 * (whole.len() - 1) {
        let mut damaged = whole.clone();
        damaged[bit / 8] ^= 0x80 >> (bit % 8);
        read(&damaged).expect_err(&format!("bit {bit}"));
    }
}

#[test]
fn a_missing_check_missing_rows_and_more_behind_the_end_are_told() {
    let whole = of_up5k();
    let check_at = whole.len() - 6;
    let without = [&whole[..check_at], &whole[check_at + 3..]].concat();
    assert_eq!(read(&without), Err(BitstreamError::Missing("check behind its data".into())));
    let at = Place::Byte(whole.len() - 1);
    assert_eq!(read(&[&whole[..], b"x"].concat()), Err(BitstreamError::GoesOn { at }));
    let mut offset = bitstream(32, [4; 4]);
    let first = offset.windows(3).position(|three| three == [0x82, 0, 0]).expect("an offset");
    offset[first + 2] = 1;
    assert_eq!(read(&offset), Err(BitstreamError::Missing("rows 0 and on of bank 0".into())));
}
