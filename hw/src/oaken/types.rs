//! What the two engines share: parameters, bundles, and the lengths that vectors may have.

use hdl::*;

/// Parameters of an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EngineParams {
    /// Elements per cycle: 1, 2, 4, 8, 16, 32 or 64 (a chunk of 64 elements is then a whole number of beats).
    pub lanes: u32,
    /// The longest vector, in elements: a multiple of 64 from 64 to 8192. The length register chooses up to this.
    pub max_length: u32,
    /// Bits of a code in the dense part: 3 to 6, [`PAPER_BITS`] as published.
    pub dense_bits: u32,
    /// Settings that the engine holds: 1, 2, 4, 8, 16, 32 or 64. Of more than one, each vector names its own.
    pub settings: u32,
}

/// Bits of a code in the paper.
pub const PAPER_BITS: u32 = 4;

/// Tells the modules of different widths apart by their names: nothing for [`PAPER_BITS`], else for example `_b5`.
pub fn width_suffix(dense_bits: u32) -> String {
    if dense_bits == PAPER_BITS { String::new() } else { format!("_b{dense_bits}") }
}

/// Elements of a chunk: the unit of the sparse part.
pub const CHUNK: u32 = 64;
/// Lanes that are near each other.
pub const GROUP: u32 = 16;
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
        if !(3..=6).contains(&self.dense_bits) {
            let message = format!("dense_bits = {} is not legal", self.dense_bits);
            let help = "3, 4, 5 or 6: the widths of codes that the record format has";
            return Err(Errors::parameter(module, message, help));
        }
        if !self.settings.is_power_of_two() || self.settings > 64 {
            let message = format!("settings = {} is not legal", self.settings);
            let help =
                "1, 2, 4, 8, 16, 32 or 64: their numbers are whole bits, and keys and values of 32 layers have room";
            return Err(Errors::parameter(module, message, help));
        }
        Ok(self)
    }
    /// Does each vector name its setting? Else all have the same until it is changed.
    pub fn setting_of_each(self) -> bool {
        self.settings > 1
    }
    /// Shape of a vector's [`Setting`], where vectors name theirs.
    pub fn named_setting(self) -> Option<Setting> {
        self.setting_of_each().then(setting)
    }
    /// Bits of the number of a setting, where vectors name it.
    pub fn number_bits(self) -> Option<u32> {
        self.setting_of_each().then(|| self.settings.ilog2())
    }
    /// Are there so many lanes that a signal for all of them takes most of a cycle to get there? Then the quantizer has more stages,
    /// and such signals come in copies, one for each group of lanes.
    pub fn wide(self) -> bool {
        self.lanes > GROUP
    }
    /// Groups of lanes, each with copies of its own.
    pub fn groups(self) -> usize {
        self.lanes.div_ceil(GROUP) as usize
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
    /// Bits of the codes of a beat of elements.
    pub fn codes_bits(self) -> u32 {
        self.lanes * self.dense_bits
    }
    /// Bytes of a beat of the dense stream: a power of two, and enough for the codes of a beat of elements. At 4 bits, half a
    /// byte for each lane, and one byte at least.
    pub fn dense_bytes(self) -> u32 {
        self.codes_bits().div_ceil(8).next_power_of_two()
    }
    /// Beats of the dense part of a vector.
    pub fn dense_beats(self, length: u32) -> u32 {
        (length * self.dense_bits / 8).div_ceil(self.dense_bytes())
    }
    /// May the dense part of a vector end within a beat? A chunk is `8 * dense_bits` bytes.
    pub fn dense_ends_within(self) -> bool {
        !(8 * self.dense_bits).is_multiple_of(self.dense_bytes())
    }
    /// Bits of the words in which the dense part is regrouped between its bus and the codes of a beat: the most that divide both.
    pub fn regrouped_bits(self) -> u32 {
        1 << self.codes_bits().trailing_zeros()
    }
    /// [`width_suffix`] of these parameters.
    pub fn suffix(self) -> String {
        width_suffix(self.dense_bits)
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

/// What a vector is quantized with, and how long it is.
#[derive(Clone, Copy, Bundle)]
pub struct Setting {
    /// Chunks of the vector, less one.
    pub chunks_minus_1: Signal,
    /// The thresholds.
    pub thresholds: Thresholds,
}

/// Shape of a [`Setting`].
pub fn setting() -> Setting {
    Setting { chunks_minus_1: bits(7), thresholds: thresholds() }
}

impl Setting {
    /// Beats of elements of the vector, less one.
    pub fn beats_minus_1(self, p: EngineParams) -> Signal {
        let in_chunk = p.chunk_beats().ilog2();
        let beats_minus_1 = if in_chunk == 0 {
            self.chunks_minus_1
        } else {
            self.chunks_minus_1.cat(!self.chunks_minus_1.zeros(in_chunk))
        };
        beats_minus_1.zext(LENGTH_BITS).trunc(clog2(p.max_beats() as usize))
    }
}

/// A beat of elements (binary16, the first in the low bits) or of their codes (the first in the low bits).
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

/// A beat of the dense part on its bus: bytes, and which of them are kept where the part may end within a beat
/// ([`EngineParams::dense_ends_within`]). Everywhere else all are.
#[derive(Clone, Copy, Bundle)]
pub struct DenseBeat {
    /// The bytes, the first in the low bits.
    pub data: Signal,
    /// One bit for each byte: all ones except in the last beat, where they are ones from below.
    pub keep: Option<Signal>,
    /// The last beat of the vector.
    pub last: Signal,
}

/// Shape of a beat of the dense part.
pub fn dense_beat(p: EngineParams) -> DenseBeat {
    let keep = p.dense_ends_within().then(|| bits(p.dense_bytes()));
    DenseBeat { data: bits(8 * p.dense_bytes()), keep, last: bits(1) }
}

impl DenseBeat {
    /// As a beat of AXI4-Stream.
    pub fn axi(self) -> crate::stream::Beat {
        let DenseBeat { data, keep, last } = self;
        let keep = keep.unwrap_or_else(|| !data.zeros(data.width() / 8));
        crate::stream::Beat { data, keep, last }
    }
}

/// Every bit so often, side by side.
pub fn each_repeated(x: Signal, times: u32) -> Signal {
    cat(&x.lanes(1).into_iter().rev().map(|bit| bit.repeat(times)).collect::<Vec<_>>())
}

/// A word of the sparse part: bytes, `keep` all ones except in the last word, where they are ones from below.
pub use crate::stream::Beat as SparseWord;

/// Shape of a word of `bytes` bytes.
pub fn sparse_word(bytes: u32) -> SparseWord {
    crate::stream::beat(8, bytes)
}

impl EngineParams {
    /// What a module's name ends with whose vectors name their settings: it has other ports.
    pub fn each(self) -> &'static str {
        if self.setting_of_each() { "_each" } else { "" }
    }
}
