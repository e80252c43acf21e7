//! Parameters of an Oaken cache.

use crate::oaken::EngineParams;
use crate::oaken::mmu::params::MmuParams;
use crate::oaken::slices::SliceParams;
use hdl::{Errors, clog2};

/// The most bits of the number of a setting: an engine holds 64.
const MOST_SETTING_BITS: u32 = 6;

/// Parameters of an Oaken cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheParams {
    /// Elements that each engine takes in a cycle.
    pub lanes: u32,
    /// Pages, requests, layers and heads. Keys and values have codes of the same width, since one engine serves both. A tag is the number
    /// of a setting: with 6 bits there are 64.
    pub mmu: MmuParams,
    /// Frequency of the clock.
    pub clock_hertz: u32,
    /// Cycles in a bit of the line.
    pub clocks_per_bit: u32,
}

impl CacheParams {
    /// The quantizer: a vector is all heads of a layer's keys, or values.
    pub fn quantizer(self) -> EngineParams {
        self.engine(self.mmu.heads * self.mmu.head_elements)
    }
    /// The dequantizer: a vector is one head.
    pub fn dequantizer(self) -> EngineParams {
        self.engine(self.mmu.head_elements)
    }
    fn engine(self, max_length: u32) -> EngineParams {
        let settings = 1 << self.mmu.tag_bits;
        EngineParams { lanes: self.lanes, max_length, dense_bits: self.mmu.key_bits, settings }
    }
    /// Bytes of a vector that is appended.
    pub fn vector_bytes(self) -> u32 {
        2 * self.mmu.heads * self.mmu.head_elements
    }
    /// Bits of a number of bytes below those of a vector.
    pub(super) fn byte_bits(self) -> u32 {
        clog2(self.vector_bytes() as usize)
    }
    /// Slices, as the quantizer's side has them and as the dequantizer's has.
    pub(super) fn slices(self, name: &str) -> Result<[SliceParams; 2], Errors> {
        let of = |engine| self.mmu.slice_params(name, engine);
        Ok([of(self.quantizer())?, self.framer_slices(name)?])
    }
    /// A record of the framer has one head, so that it is not asked whether all of them have room.
    fn framer_slices(self, name: &str) -> Result<SliceParams, Errors> {
        let engine = self.dequantizer();
        let (bus_bytes, tag_bits) = (self.mmu.axi.data_bytes, self.mmu.tag_bits);
        let slices = SliceParams { engine, head_elements: self.mmu.head_elements, bus_bytes, tag_bits };
        self.mmu.check_slices(name, slices)?;
        slices.check(name)
    }
    #[track_caller]
    pub(super) fn check(self, name: &str) -> Result<CacheParams, Errors> {
        let p = self.mmu.check(name)?;
        if p.key_bits != p.value_bits {
            let message = format!("key_bits = {} and value_bits = {}", p.key_bits, p.value_bits);
            return Err(Errors::parameter(name, message, "the same: one engine serves keys and values"));
        }
        if p.tag_bits > MOST_SETTING_BITS {
            let message = format!("tag_bits = {} is out of range", p.tag_bits);
            let help = format!("from 1 to {MOST_SETTING_BITS}: the number of a setting, of which an engine has 64");
            return Err(Errors::parameter(name, message, help));
        }
        self.quantizer().check(name)?;
        if !(1_000_000..=1_000_000_000).contains(&self.clock_hertz) {
            let message = format!("clock_hertz = {} is out of range", self.clock_hertz);
            return Err(Errors::parameter(name, message, "from 1000000 to 1000000000"));
        }
        Ok(self)
    }
}
