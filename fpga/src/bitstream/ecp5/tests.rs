//! Bitstreams that an encoder here writes, of few frames, and what is wrong with damaged ones.

use super::*;
use crate::bitstream::check;
use crate::boards::find;

/// The remainder of the bytes and sixteen zeros, bit by bit: the check that stands behind them.
fn remainder(bytes: &[u8]) -> [u8; 2] {
    let bits = bytes.iter().chain(&[0, 0]).flat_map(|byte| (0..8).rev().map(move |i| u32::from(byte >> i & 1)));
    let crc = bits.fold(0u32, |crc, bit| {
        let shifted = crc << 1 | bit;
        if shifted >> 16 == 1 { (shifted ^ 0x1_8005) & 0xffff } else { shifted }
    });
    [(crc >> 8) as u8, crc as u8]
}

/// The codes of a frame.
fn compressed(frame: &[u8], dictionary: [u8; 8]) -> Vec<u8> {
    let mut bits = String::new();
    for byte in frame {
        match (byte, dictionary.iter().position(|known| known == byte)) {
            (0, _) => bits += "0",
            (_, Some(index)) => bits += &format!("101{index:03b}"),
            (byte, _) if byte.count_ones() == 1 => bits += &format!("100{:03b}", byte.trailing_zeros()),
            (byte, _) => bits += &format!("11{byte:08b}"),
        }
    }
    bits += &"0".repeat(bits.len().next_multiple_of(8) - bits.len());
    bits.as_bytes().chunks(8).map(|eight| eight.iter().fold(0, |byte, bit| byte << 1 | (bit - b'0'))).collect()
}

/// Writes the bytes since the last check, and theirs; the next one begins with `between`.
fn close(out: &mut Vec<u8>, since: &mut Vec<u8>, between: &[u8]) {
    let check = remainder(since);
    out.extend(std::mem::replace(since, between.to_vec()));
    out.extend(check);
}

/// A bitstream of three frames, each of the bytes that a 25F has.
pub fn bitstream(idcode: u32, with_compression: bool) -> Vec<u8> {
    let dictionary = [0x0a, 0x05, 0x14, 0xa0, 0x50, 0x18, 0x60, 0x06];
    let mut out =
        b"\xff\x00Part: LFE5U-25F-8CSFBGA285\x00\xff\xff\xff\xbd\xb3\xff\xff\xff\xff\x3b\x00\x00\x00".to_vec();
    // what the next check is over
    let mut since =
        [&[0xe2, 0, 0, 0][..], &idcode.to_be_bytes(), &[0x22, 0, 0, 0, 0x40, 0, 0, 0, 0x46, 0, 0, 0]].concat();
    if with_compression {
        since.extend([&[2, 0, 0, 0][..], &dictionary].concat());
    }
    since.extend([if with_compression { 0xb8 } else { 0x82 }, 0x91, 0, 3]);
    for frame in 0..3u8 {
        let mut bytes = vec![0; 74];
        (bytes[3], bytes[9], bytes[40]) = (0x60, 1 << frame, 0x77 + frame);
        match with_compression {
            true => since.extend(compressed(&[&bytes[..], &[0; 6]].concat(), dictionary)),
            false => since.extend(bytes),
        }
        close(&mut out, &mut since, &[0xff]);
    }
    // filler, which no check is over
    out.extend([0xff; 3]);
    since.extend([0xc2, 0x80, 0, 0, 0, 0, 0, 0]);
    close(&mut out, &mut since, &[]);
    since.extend([&[0xf6, 0, 0, 0, 0, 0, 0, 4, 0xb2, 0xd0, 0, 2][..], &[7; 18]].concat());
    close(&mut out, &mut since, &[]);
    out.extend([0x5e, 0, 0, 0, 0xff, 0xff]);
    out
}

pub const OF_25F: u32 = 0x4111_1043;

#[test]
fn whole_ones_are_read() {
    for with_compression in [false, true] {
        let found = read(&bitstream(OF_25F, with_compression)).unwrap();
        let part = Some("LFE5U-25F-8CSFBGA285".to_string());
        assert_eq!(found, Bitstream { idcode: OF_25F, part, frames: 3 });
    }
}

#[test]
fn another_device_is_refused_by_name() {
    let device = find("ulx3s-85f").expect("a board").device;
    let error = check(&bitstream(OF_25F, true), device).unwrap_err().to_string();
    assert_eq!(error, "the bitstream is for LFE5U-25F (id 41111043), and the board has LFE5U-85F");
    let error = check(&bitstream(0x0123_4567, true), device).unwrap_err();
    assert_eq!(error, BitstreamError::UnknownDevice("id 01234567".into()));
    let error =
        check(&bitstream(OF_25F, true), find("colorlight-i5").expect("a board").device).unwrap_err().to_string();
    assert_eq!(error, "the bitstream is for LFE5U-25F-8CSFBGA285, and the board has LFE5U-25F in CABGA381");
    assert!(check(&bitstream(OF_25F, true), find("orangecrab-25f").expect("a board").device).is_ok());
}

#[test]
fn what_stands_behind_the_end_and_a_missing_part_are_told() {
    let device = find("orangecrab-25f").expect("a board").device;
    let whole = bitstream(OF_25F, true);
    let end = whole.len() - 2;
    assert_eq!(read(&[&whole[..], b"x"].concat()), Err(BitstreamError::GoesOn { at: Place::Byte(end) }));
    let begin = whole.windows(4).position(|four| four == [0xff, 0xff, 0xbd, 0xb3]).expect("a preamble");
    assert_eq!(check(&whole[begin..], device), Err(BitstreamError::NoPart));
    let mut other = whole.clone();
    other[14] = b'3'; // LFE5U-35F
    assert!(matches!(check(&other, device), Err(BitstreamError::OtherPackage { .. })));
}

#[test]
fn every_cut_is_seen() {
    for with_compression in [false, true] {
        let whole = bitstream(OF_25F, with_compression);
        // what is behind the last command is filler
        for length in 0..whole.len() - 2 {
            let error = read(&whole[..length]).expect_err("cut");
            assert!(
                matches!(error, BitstreamError::NoPreamble { .. } | BitstreamError::Cut { .. }),
                "{length}: {error}"
            );
        }
    }
}

/// From the id of the device to the last check, every bit of the configuration is under one.
#[test]
fn every_flipped_bit_is_seen() {
    for with_compression in [false, true] {
        let whole = bitstream(OF_25F, with_compression);
        let begin = whole.windows(4).position(|four| four == [0x46, 0, 0, 0]).expect("an address") + 4;
        for bit in 8 * begin..8 * (whole.len() - 6) {
            let mut damaged = whole.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            read(&damaged).expect_err(&format!("bit {bit}"));
        }
    }
}

#[test]
fn what_is_no_bitstream_is_told() {
    assert_eq!(read(b"#!/bin/sh\n"), Err(BitstreamError::NoPreamble { family: Family::Ecp5, is: None }));
    let mut odd = bitstream(OF_25F, true);
    let at = odd.len() - 6;
    odd[at] = 0x77;
    assert_eq!(read(&odd), Err(BitstreamError::NoCommand { command: 0x77, at: Place::Byte(at) }));
}
