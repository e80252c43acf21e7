//! Slices: some chunks of a record as a record of their own (section 6).

use std::ops::Range;

use super::dense::DenseBits;
use super::error::FormatError;
use super::sparse::entry_places;
use super::{CHUNK, HEADER_BYTES, Record};

impl Record {
    /// Cuts out some chunks. The slice has the same header, and is a legal record if this one is.
    ///
    /// # Panics
    /// If there are no such chunks, or none at all in the range.
    pub fn slice(&self, dense_bits: DenseBits, chunks: Range<usize>) -> Result<Record, FormatError> {
        let bytes = dense_bits.chunk_bytes();
        let count = self.dense.len() / bytes;
        assert!(!chunks.is_empty() && chunks.end <= count, "chunks {chunks:?} of a record that has {count}");
        let places = entry_places(&self.sparse, count * CHUNK)?;

        let dense = self.dense[bytes * chunks.start..bytes * chunks.end].to_vec();
        // From the first count byte to the last entry.
        let first = places[chunks.start].start - 1;
        let last = places[chunks.end - 1].end;
        let sparse = [&self.sparse[..HEADER_BYTES], &self.sparse[first..last]].concat();
        Ok(Record { header: self.header, dense, sparse })
    }
}
