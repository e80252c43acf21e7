//! Files that were damaged at random: every one is refused, and none makes the reader panic.

use super::super::*;
use super::file;
use fastrand::Rng;

/// Damaged files; with `KVFORGE_LONG=1`, a million.
fn rounds() -> usize {
    if crate::bus::long() { 1_000_000 } else { 5_000 }
}

/// Changes some bytes, takes some out, puts some in, or cuts the end off.
fn damage(rng: &mut Rng, bytes: &mut Vec<u8>) {
    for _ in 0..rng.usize(1..=3) {
        if bytes.is_empty() {
            return;
        }
        let at = rng.usize(0..bytes.len());
        let end = bytes.len().min(at + rng.usize(1..=8));
        match rng.u8(0..7) {
            0 => bytes[at] ^= 1 << rng.u8(0..8),
            1 => bytes[at] = [0, 1, 0x7f, 0xff][rng.usize(0..4)],
            2 => bytes[at..end].fill_with(|| rng.u8(..)),
            3 => bytes.truncate(at),
            4 => drop(bytes.drain(at..end)),
            5 => {
                let copy = bytes[at..end].to_vec();
                bytes.splice(at..at, copy);
            }
            // most fields that steer the reader are here
            _ => {
                let at = rng.usize(8..128.min(bytes.len()).max(9)).min(bytes.len() - 1);
                bytes[at] = if rng.bool() { rng.u8(..) } else { bytes[at].wrapping_add(1) };
            }
        }
    }
}

/// Makes every CRC right that the reader finds wrong, and says whether it reads the file then.
fn mend(bytes: &mut [u8]) -> Result<VqFile, FormatError> {
    for _ in 0..50 {
        match VqFile::from_bytes(bytes) {
            Err(FormatError { offset, fault: Fault::Crc { what, computed, .. } }) => {
                let at = offset as usize + if what.starts_with("book ") { 4 } else { 0 };
                bytes[at..at + 4].copy_from_slice(&computed.to_le_bytes());
            }
            Err(FormatError { fault: Fault::Length { .. }, .. }) => {
                let length = bytes.len() as u64;
                bytes[24..32].copy_from_slice(&length.to_le_bytes());
            }
            other => return other,
        }
    }
    VqFile::from_bytes(bytes)
}

#[test]
fn no_damaged_file_is_taken_for_a_good_one() {
    let mut rng = Rng::with_seed(crate::bus::seed(11));
    let files: Vec<Vec<u8>> = (0..200).map(|_| file(&mut rng).to_bytes()).collect();
    let (mut refused, mut mended) = (0, 0);
    for _ in 0..rounds() {
        let good = &files[rng.usize(0..files.len())];
        let mut bad = good.clone();
        damage(&mut rng, &mut bad);
        if bad == *good {
            continue;
        }
        let error = VqFile::from_bytes(&bad).expect_err("a damaged file");
        assert!(error.offset <= bad.len() as u64, "{error}");
        refused += 1;
        // with its CRCs made right it may be legal again: then it is another file, and all of it was read
        match mend(&mut bad) {
            Ok(file) => {
                assert_eq!(file.to_bytes(), bad);
                mended += 1;
            }
            Err(error) => assert!(error.offset <= bad.len() as u64, "{error}"),
        }
    }
    assert!(refused > rounds() * 9 / 10 && mended > rounds() / 100, "{refused} refused, {mended} mended");
}
