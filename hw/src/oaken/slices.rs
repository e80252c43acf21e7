//! What the blocks share that cut records into slices and make records of slices (docs/oaken-format.md, section 6): parameters,
//! lengths, and how a packet ended.

use super::header;
use super::types::{CHUNK, EngineParams};
use hdl::*;

/// What a slice is, and the bus that brings it to memory and back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SliceParams {
    /// Those of the engine beside; of its settings nothing is used.
    pub engine: EngineParams,
    /// Elements of a head, a multiple of 64: a slice is whole chunks.
    pub head_elements: u32,
    /// Bytes of a beat of the memory side: 8, 16, 32 or 64.
    pub bus_bytes: u32,
    /// Framer: bits of the tag that goes from a history to `tuser` of its records, for the number of a setting; 0 to 16.
    pub tag_bits: u32,
}

/// The most heads of a record.
pub const MAX_HEADS: u32 = 64;
/// Width of the number of slices of a history.
pub const TOKEN_BITS: u32 = 16;
/// The most bits of the tag of a history.
pub const MAX_TAG: u32 = 16;
/// The widest word in which sparse bytes are walked over: a chunk of the paper's shares fits in one.
const WIDEST_WORD: u32 = 16;

impl SliceParams {
    /// Checks the ranges; `module` is named in the message.
    #[track_caller]
    pub fn check(self, module: &str) -> Result<Self, Errors> {
        self.engine.check(module)?;
        let (head, longest) = (self.head_elements, self.engine.max_length);
        if head == 0 || !head.is_multiple_of(CHUNK) || head > longest {
            let message = format!("head_elements = {head} is not legal");
            let help = format!("a multiple of 64 (a slice is whole chunks) from 64 to max_length = {longest}");
            return Err(Errors::parameter(module, message, help));
        }
        if self.tag_bits > MAX_TAG {
            let message = format!("tag_bits = {} is not legal", self.tag_bits);
            let help = format!("0 to {MAX_TAG}, the tags of the MMU; a setting has a number of 6 bits");
            return Err(Errors::parameter(module, message, help));
        }
        if ![8, 16, 32, 64].contains(&self.bus_bytes) {
            let message = format!("bus_bytes = {} is not legal", self.bus_bytes);
            return Err(Errors::parameter(module, message, "8, 16, 32 or 64: the header fits in a beat of each"));
        }
        Ok(self)
    }
    /// As [`SliceParams::check`], and a record has so many heads.
    #[track_caller]
    pub fn check_heads(self, module: &str, heads: u32) -> Result<Self, Errors> {
        self.check(module)?;
        let (head, longest) = (self.head_elements, self.engine.max_length);
        let most = MAX_HEADS.min(longest / head);
        if (1..=most).contains(&heads) {
            return Ok(self);
        }
        let message = format!("heads = {heads} is not legal");
        let help = format!("from 1 to {most}: at most {MAX_HEADS}, and {head} elements each in max_length = {longest}");
        Err(Errors::parameter(module, message, help))
    }
    /// Chunks of a slice.
    pub fn chunks(self) -> u32 {
        self.head_elements / CHUNK
    }
    /// Bytes of a dense slice.
    pub fn dense_slice(self) -> u32 {
        dense_slice(self.head_elements, self.engine.dense_bits)
    }
    /// Bytes of the longest sparse slice: every element is an outlier.
    pub fn longest_sparse_slice(self) -> u32 {
        longest_sparse_slice(self.head_elements)
    }
    /// Bytes of the words in which sparse slices are walked over.
    pub fn sparse_word(self) -> u32 {
        self.bus_bytes.min(WIDEST_WORD)
    }
    /// Bytes of the words in which dense slices are cut: the most of which a beat of the bus and a slice are multiples.
    pub fn dense_word(self) -> u32 {
        self.bus_bytes.min(1 << self.dense_slice().trailing_zeros())
    }
    /// The header of a slice of which nothing came: all steps 0, and the width of the codes.
    pub fn empty_header(self) -> u64 {
        header::empty(self.engine.dense_bits)
    }
}

/// Bytes of a dense slice of a head of `elements` elements, with codes of `dense_bits` bits.
pub fn dense_slice(elements: u32, dense_bits: u32) -> u32 {
    elements * dense_bits / 8
}

/// Bytes of the longest sparse slice of a head of `elements` elements: header, counts, and an entry for every element.
pub fn longest_sparse_slice(elements: u32) -> u32 {
    header::BYTES + elements / CHUNK + elements
}

/// The history of a head, which comes from memory.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct History {
    /// Its tokens: the slices of either part that are wanted of it; with 0, all of it is dropped.
    pub tokens: Signal,
    /// Goes with it; from the MMU that of its read.
    pub tag: Option<Signal>,
}

/// Shape of a [`History`] with these widths; without a tag where `tag_bits` is 0.
pub fn history(token_bits: u32, tag_bits: u32) -> History {
    History { tokens: bits(token_bits), tag: (tag_bits > 0).then(|| bits(tag_bits)) }
}

/// How a packet of slices ended.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Ended {
    /// Bytes were missing, or not kept in the midst of the packet.
    pub missing: Signal,
    /// It had more bytes than was asked for.
    pub late: Signal,
    /// A count was above 64.
    pub count: Signal,
}

/// Shape of [`Ended`].
pub fn ended() -> Ended {
    Ended { missing: bits(1), late: bits(1), count: bits(1) }
}
