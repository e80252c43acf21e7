//! What the two engines share: parameters, bundles, and the lengths that vectors may have.

use hdl::*;

/// Parameters of an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EngineParams {
    /// Elements per cycle: 1, 2, 4, 8, 16, 32 or 64 (a chunk of 64 elements is then a whole number of beats).
    pub lanes: u32,
    /// The longest vector, in elements: a multiple of 64 from 64 to 8192. The length register chooses up to this.
    pub max_length: u32,
}

/// Elements of a chunk: the unit of the sparse part.
pub const CHUNK: u32 = 64;
/// Width of the length setting, in elements (8192 is `14'h2000`).
pub const LENGTH_BITS: u32 = 14;

impl EngineParams {
    /// Checks the ranges; `module` is named in the message.
    #[track_caller]
    pub fn check(self, module: &str) -> Result<Self, Errors> {
        if !self.lanes.is_power_of_two() || self.lanes > CHUNK {
            let message = format!("lanes = {} is not legal", self.lanes);
            let help = "1, 2, 4, 8, 16, 32 or 64: a chunk of 64 elements must be a whole number of beats";
            return Err(Errors::parameter(module, message, help));
        }
        if self.max_length == 0 || !self.max_length.is_multiple_of(CHUNK) || self.max_length > 8192 {
            let message = format!("max_length = {} is not legal", self.max_length);
            let help = "a multiple of 64 (whole chunks) from 64 to 8192 (the length register has 14 bits)";
            return Err(Errors::parameter(module, message, help));
        }
        Ok(self)
    }
    /// Beats of a chunk.
    pub fn chunk_beats(self) -> u32 {
        CHUNK / self.lanes
    }
    /// Beats of the longest vector.
    pub fn max_beats(self) -> u32 {
        self.max_length / self.lanes
    }
    /// Width of a beat of elements, in bits.
    pub fn element_bits(self) -> u32 {
        16 * self.lanes
    }
    /// Bytes of a beat of the dense stream: half a byte for each lane, one byte at least.
    pub fn dense_bytes(self) -> u32 {
        (self.lanes / 2).max(1)
    }
    /// Bytes of a word of the sparse stream: one for each lane, 16 at least, so that the header and the first entries of a
    /// vector never make more than one word in a cycle.
    pub fn sparse_bytes(self) -> u32 {
        self.lanes.max(16)
    }
}

/// The magnitudes (binary16 without the sign, 15 bits) of the four thresholds. Legal: `t <= s` on either side, all finite.
#[derive(Clone, Copy, Bundle)]
pub struct Thresholds {
    /// `|S_low|`.
    pub s_low: Signal,
    /// `|T_low|`.
    pub t_low: Signal,
    /// `T_high`.
    pub t_high: Signal,
    /// `S_high`.
    pub s_high: Signal,
}

/// Shape of [`Thresholds`].
pub fn thresholds() -> Thresholds {
    Thresholds { s_low: bits(15), t_low: bits(15), t_high: bits(15), s_high: bits(15) }
}

/// A beat of elements (binary16, the first in the low bits) or of the dense part (4-bit codes, the first in the low bits).
#[derive(Clone, Copy, Bundle)]
pub struct Beat {
    /// The elements or codes.
    pub data: Signal,
    /// The last beat of the vector.
    pub last: Signal,
}

/// Shape of a beat of `width` bits.
pub fn beat(width: u32) -> Beat {
    Beat { data: bits(width), last: bits(1) }
}

/// A word of the sparse part: bytes, `keep` all ones except in the last word, where they are ones from below.
pub use crate::stream::Beat as SparseWord;

/// Shape of a word of `bytes` bytes.
pub fn sparse_word(bytes: u32) -> SparseWord {
    crate::stream::beat(8, bytes)
}
