//! A file's bytes (sections 3 and 4).

use super::crc::{crc32, crc32_of_two};
use super::file::{Book, Rotation, Tensor, TensorKind, VqFile};
use super::scheme::{Books, Scales};
use super::{MAGIC, VERSION};

/// Bytes of the fixed part of the header.
pub(super) const HEADER_BYTES: usize = 32;
/// Bytes of a tensor's record in the header.
pub(super) const RECORD_BYTES: usize = 96;
/// Bytes for a tensor's name.
pub(super) const NAME_BYTES: usize = 64;
/// Everything begins at a multiple of so many bytes.
pub(super) const ALIGNMENT: usize = 8;

impl VqFile {
    /// The file's bytes. What it holds must fit together, as [`VqFile::from_bytes`] and the trainer give it.
    pub fn to_bytes(&self) -> Vec<u8> {
        let header_end = HEADER_BYTES + RECORD_BYTES * self.tensors.len() + ALIGNMENT;
        let (mut data, mut records, mut book) = (vec![], vec![], 0);
        for tensor in &self.tensors {
            record(&mut records, tensor, header_end + data.len());
            write_data(&mut data, tensor, &mut book);
        }
        let mut bytes = self.header(book, header_end + data.len());
        bytes.extend(records);
        let crc = crc32(&bytes);
        bytes.extend(crc.to_le_bytes());
        align(&mut bytes);
        bytes.extend(data);
        bytes
    }

    fn header(&self, books: u32, length: usize) -> Vec<u8> {
        let scheme = &self.scheme;
        let sharing = match scheme.books {
            Books::Lattice => 0,
            Books::Tile => 1,
            Books::Group => 2,
        };
        let scales = match scheme.scales {
            Scales::None => 0,
            Scales::Tensor => 1,
            Scales::Row => 2,
        };
        let mut bytes = MAGIC.to_vec();
        bytes.extend([VERSION, self.packed.into(), scheme.vector as u8, scheme.bits as u8]);
        bytes.extend([scheme.residuals as u8, sharing, scales, 0]);
        bytes.extend(scheme.inverse_ratio.to_le_bytes());
        bytes.extend((self.tensors.len() as u16).to_le_bytes());
        bytes.extend(books.to_le_bytes());
        bytes.extend((length as u64).to_le_bytes());
        bytes
    }
}

fn record(bytes: &mut Vec<u8>, tensor: &Tensor, offset: usize) {
    let kind = match tensor.kind {
        TensorKind::Key => 0,
        TensorKind::Value => 1,
        TensorKind::Weight => 2,
    };
    let block = tensor.rotation.as_ref().map_or(0, |rotation| rotation.block_log2 as u8);
    bytes.extend([kind, block, 0, 0]);
    for field in [tensor.layer as usize, tensor.rows, tensor.cols, tensor.tile_rows, tensor.tile_cols] {
        bytes.extend((field as u32).to_le_bytes());
    }
    bytes.extend((offset as u64).to_le_bytes());
    let mut name = [0; NAME_BYTES];
    name[..tensor.name.len()].copy_from_slice(tensor.name.as_bytes());
    bytes.extend(name);
}

fn write_data(bytes: &mut Vec<u8>, tensor: &Tensor, number: &mut u32) {
    for book in &tensor.books {
        bytes.extend(book.to_bytes(*number));
        *number += 1;
    }
    if !tensor.scales.is_empty() {
        block(bytes, &little_endian(&tensor.scales));
    }
    if let Some(rotation) = &tensor.rotation {
        block(bytes, &rotation.to_bytes());
    }
    for part in &tensor.indices {
        block(bytes, part);
    }
}

impl Book {
    /// The book as it lies in a file and in memory: header, entries, zeros up to a multiple of 8 bytes.
    pub fn to_bytes(&self, id: u32) -> Vec<u8> {
        let first = (id << 12 | (self.count() as u32 - 1)).to_le_bytes();
        let entries = little_endian(&self.values);
        let crc = crc32_of_two(&first, &entries);
        let mut bytes = [&first[..], &crc.to_le_bytes(), &entries].concat();
        align(&mut bytes);
        bytes
    }
}

impl Rotation {
    /// One bit for each row, low bits first, then, from a new byte on, one for each column.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let pack = |signs: &[bool]| super::pack_row(&signs.iter().map(|&s| u16::from(s)).collect::<Vec<_>>(), 1);
        [pack(&self.rows), pack(&self.cols)].concat()
    }
}

/// Some bytes, their CRC-32, and zeros up to a multiple of 8 bytes.
fn block(bytes: &mut Vec<u8>, content: &[u8]) {
    bytes.extend(content);
    bytes.extend(crc32(content).to_le_bytes());
    align(bytes);
}

fn align(bytes: &mut Vec<u8>) {
    bytes.resize(bytes.len().next_multiple_of(ALIGNMENT), 0);
}

fn little_endian(words: &[u16]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}
