//! Every kind of fault is found, with its cause and its place.

use super::super::crc::{crc32, crc32_of_two};
use super::super::*;
use super::round_trip::example;
use crate::golden::vq::Fault::*;

/// The example with bytes changed and the header's CRC made right.
fn with(changes: &[(usize, u8)]) -> Vec<u8> {
    let mut bytes = example().to_bytes();
    changes.iter().for_each(|&(at, byte)| bytes[at] = byte);
    let crc = crc32(&bytes[..128]);
    bytes[128..132].copy_from_slice(&crc.to_le_bytes());
    bytes
}

/// The same with the CRC of a book made right.
fn with_book(start: usize, entry_bytes: usize, changes: &[(usize, u8)]) -> Vec<u8> {
    let mut bytes = with(changes);
    let crc = crc32_of_two(&bytes[start..start + 4], &bytes[start + 8..start + 8 + entry_bytes]);
    bytes[start + 4..start + 8].copy_from_slice(&crc.to_le_bytes());
    bytes
}

/// The same with the CRC of the indices made right.
fn with_indices(indices: [u8; 2]) -> Vec<u8> {
    let mut bytes = example().to_bytes();
    bytes[176..178].copy_from_slice(&indices);
    bytes[178..182].copy_from_slice(&crc32(&indices).to_le_bytes());
    bytes
}

#[track_caller]
fn refused(bytes: &[u8], offset: u64, message: &str) -> Fault {
    let error = VqFile::from_bytes(bytes).unwrap_err();
    assert_eq!((error.offset, error.to_string()), (offset, format!("byte {offset}: {message}")));
    error.fault
}

#[test]
fn the_header() {
    assert_eq!(refused(b"safetensors", 0, "no VQ file: it does not begin with `KVFORGVQ`"), Magic);
    refused(&with(&[])[..20], 0, "cut short: the header needs 32 bytes, and 20 are left");
    refused(&with(&[])[..100], 32, "cut short: the table of tensors needs 96 bytes, and 68 are left");
    assert_eq!(refused(&with(&[(8, 2)]), 8, "version 2: legal is 1"), Version(2));
    refused(&with(&[(24, 0)]), 24, "the header says 0 bytes, the file has 184");
    refused(&with(&[(9, 2)]), 9, "the content is 2: legal is 0 to 1");
    refused(&with(&[(10, 17)]), 10, "vectors of 17 values: legal is 1 to 16, and 8 with the lattice E8P");
    refused(&with(&[(11, 0)]), 10, "indices of 0 bits: legal is 1 to 12, and 16 with the lattice E8P");
    refused(&with(&[(13, 3)]), 13, "the sharing of books is 3: legal is 0 to 2");
    refused(&with(&[(14, 9)]), 14, "the sharing of scales is 9: legal is 0 to 2");
    refused(&with(&[(15, 1)]), 15, "byte 15 of the header: must be zero");
    refused(&with(&[(20, 3)]), 20, "the number of books is 3: legal is 2, as many as the tensors have");
    let mut bytes = with(&[]);
    bytes[40] ^= 1;
    assert!(matches!(VqFile::from_bytes(&bytes).unwrap_err(), FormatError { offset: 128, fault: Crc { .. } }));
}

#[test]
fn a_tensors_record() {
    refused(&with(&[(32, 3)]), 32, "the kind of tensor is 3: legal is 0 to 2");
    refused(&with(&[(33, 1)]), 33, "log2 of a rotation's block is 1: legal is 0 for keys and values");
    refused(&with(&[(34, 1)]), 34, "bytes 2 and 3 of the record of tensor 0: must be zero");
    refused(&with(&[(40, 0)]), 40, "rows is 0: legal is 1 to 16777216");
    refused(&with(&[(44, 3)]), 44, "columns is 3: legal is a multiple of 2 from 2 to 16777216");
    refused(&with(&[(48, 1)]), 48, "rows of a tile is 1: legal is 0 for keys and values");
    refused(&with(&[(52, 0)]), 52, "columns of a tile is 0: legal is a multiple of 2 from 2 to 16777216");
    refused(&with(&[(56, 0x90)]), 56, "the offset of a tensor is 144: legal is 136, right behind what comes before");
    let name = "the name of tensor 0: legal is printable UTF-8, at least one byte, filled with zeros to 64";
    refused(&with(&[(64, 0xff)]), 64, name);
    refused(&with(&[(64, 0)]), 64, name);
    refused(&with(&[(64, b'\n')]), 64, name);
    // weights: a block of four rows does not fit into two
    let weights = [(32, 2), (36, 0), (33, 2)];
    refused(
        &with(&weights),
        33,
        "log2 of a rotation's block is 2: legal is what divides rows and columns into whole blocks",
    );
    refused(&with(&[(32, 2)]), 36, "the layer of weights is 7: legal is 0");
    refused(&with(&[(32, 2), (36, 0), (33, 9)]), 33, "log2 of a rotation's block is 9: legal is 0 to 8");
}

#[test]
fn a_book() {
    refused(&with_book(136, 12, &[(136, 8)]), 136, "the number of entries of book 0 is 9: legal is 1 to 8");
    refused(&with_book(136, 12, &[(137, 0x10)]), 136, "the number of a book is 1: legal is 0, its place in the file");
    let infinite = "value 1 of entry 1 in book 0 has the bits 7c00: legal are finite numbers";
    refused(&with_book(136, 12, &[(150, 0x00), (151, 0x7c)]), 150, infinite);
    refused(&with_book(136, 12, &[(157, 1)]), 157, "the padding behind book 0: must be zero");
    let error = VqFile::from_bytes(&with(&[(144, 1)])).unwrap_err();
    assert!(matches!(error, FormatError { offset: 136, fault: Crc { .. } }), "{error}");
}

#[test]
fn indices() {
    refused(&with_indices([3, 1]), 176, "row 0, index 0 of part 0 of layer7.v is 3: legal in its book is 0 to 2");
    refused(&with_indices([2, 0x09]), 177, "row 1, index 1 of part 0 of layer7.v is 1: legal in its book is 0 to 0");
    refused(&with_indices([2, 0x41]), 177, "the bits behind row 1 of part 0 of layer7.v: must be zero");
    let mut long = example().to_bytes();
    long.extend([0; 8]);
    long[24] = 192;
    let crc = crc32(&long[..128]);
    long[128..132].copy_from_slice(&crc.to_le_bytes());
    assert_eq!(refused(&long, 184, "8 bytes too many after the last tensor"), Trailing(8));
}

#[test]
fn scales_and_signs() {
    let mut file = example();
    file.scheme.scales = Scales::Row;
    file.tensors[0].scales = vec![0x3c00, 0x8001];
    let message = "scale 1 of layer7.v has the bits 8001: legal are positive finite numbers";
    refused(&file.to_bytes(), 178, message);
    file.tensors[0].scales = vec![0x3c00, 0x0000];
    assert!(VqFile::from_bytes(&file.to_bytes()).is_err());
    file.tensors[0].scales = vec![0x3c00, 0x0001];
    assert_eq!(VqFile::from_bytes(&file.to_bytes()), Ok(file));
}
