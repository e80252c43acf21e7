//! How long a kernel takes on one side: memory and arithmetic overlap by double buffering, except for the first chunk.

use super::choices::{Choices, HIT_CYCLES, MISS_CYCLES, PAGE, WALK, Walks};
use driver::hardware::{Core, SideHardware, duration};

/// What a kernel does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Bytes read from memory.
    pub read: u64,
    /// Bytes written to memory.
    pub written: u64,
    /// Vectors that the bytes read are multiplied with in the matrix-matrix units; 0 if these have nothing to do.
    pub batch: u64,
    /// Multiply-accumulates of the matrix-vector units.
    pub dot: u64,
    /// Element operations of the vector units.
    pub vector: u64,
    /// Pages that translations are needed for.
    pub pages: u64,
}

/// A memory with its cores, as kernels see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Machine {
    /// Memory and number of cores.
    pub side: SideHardware,
    /// The cores.
    pub core: Core,
    /// Percent of the bandwidth that is reached.
    pub reached: u64,
    /// Bytes that a core loads before it computes.
    pub chunk: u64,
    /// Whether a matrix kernel's weights are loaded before it may start.
    pub weights_ahead: bool,
    /// Picoseconds that a core waits for each page longer than for a hit; `None` without translation.
    pub miss: Option<u64>,
}

impl Machine {
    /// The fast side.
    pub fn fast(choices: &Choices, translation: bool) -> Machine {
        Machine::of(choices, choices.hardware.fast, choices.reached.0, translation)
    }
    /// The large side.
    pub fn large(choices: &Choices, translation: bool) -> Machine {
        Machine::of(choices, choices.hardware.large, choices.reached.1, translation)
    }
    /// Any side.
    pub fn of(choices: &Choices, side: SideHardware, reached: u64, translation: bool) -> Machine {
        let core = choices.hardware.core;
        let miss = WALK + core.cycles(MISS_CYCLES - HIT_CYCLES);
        let miss = match choices.walks {
            Walks::Serial => miss,
            Walks::Four => miss / 4,
            Walks::Ahead => 0,
        };
        Machine {
            side,
            core,
            reached,
            chunk: choices.chunk,
            weights_ahead: choices.weights_ahead,
            miss: translation.then_some(miss),
        }
    }
    /// Time of a kernel, in picoseconds; none if there is nothing to do.
    pub fn time(&self, work: &Work) -> u64 {
        if *work == Work::default() {
            return 0;
        }
        let (memory, arithmetic) = (self.memory_time(work), self.arithmetic_time(work));
        let ahead = self.weights_ahead && work.batch > 0;
        let hit = if self.miss.is_some() { self.core.cycles(HIT_CYCLES) } else { 0 };
        let latency = if work.read == 0 || ahead { 0 } else { self.side.latency + hit };
        // the first chunk's loading and the last chunk's arithmetic have nothing to overlap with
        let bytes = u128::from((work.read + work.written).max(1));
        let chunk = u128::from(self.chunk * self.side.cores).min(bytes);
        let alone = u128::from(memory.min(arithmetic)) * chunk / bytes;
        let alone = if ahead { 0 } else { alone as u64 };
        let drain = if work.batch > 0 { self.core.cycles(self.core.rows + self.core.columns) } else { 0 };
        latency + memory.max(arithmetic) + alone + drain
    }
    /// Time that the memory needs for a kernel, with what its cores wait for translations.
    pub fn memory_time(&self, work: &Work) -> u64 {
        let bytes = u128::from(work.read + work.written);
        duration(bytes, reached(self.side.bandwidth, self.reached).into())
            + self.miss.unwrap_or(0) * work.pages.div_ceil(self.side.cores)
    }
    /// Time that the busiest unit needs for a kernel.
    pub fn arithmetic_time(&self, work: &Work) -> u64 {
        let matrix = if work.batch > 0 { self.side.matrix_time(&self.core, work.read, work.batch) } else { 0 };
        let lanes = u128::from(self.core.vector_lanes * self.side.cores) * u128::from(self.core.frequency);
        matrix.max(self.side.dot_time(&self.core, work.dot)).max(duration(work.vector.into(), lanes))
    }
}

/// The bytes a second that are reached of a bandwidth, if so many percent are.
pub fn reached(bandwidth: u64, percent: u64) -> u64 {
    (u128::from(bandwidth) * u128::from(percent) / 100) as u64
}

impl Work {
    /// Pages of contiguous bytes.
    pub fn pages_of(bytes: u64) -> u64 {
        PAGE.pages(bytes)
    }
}

/// Time of a copy over the link, from the first byte's reading on; none if there is nothing to copy.
pub fn copy_time(bytes: u64, from: &SideHardware, link_bandwidth: u64) -> u64 {
    if bytes == 0 { 0 } else { from.latency + duration(bytes.into(), link_bandwidth.into()) }
}
