//! Parameters of an Oaken system.

use crate::oaken::EngineParams;
use hdl::Errors;

/// The engines that a system has: a small device has room for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engines {
    /// Quantizer and dequantizer.
    Both,
    /// The quantizer alone: records go to the host.
    Quantizer,
    /// The dequantizer alone: records come from the host.
    Dequantizer,
}

impl Engines {
    /// All of them, in the order of their names.
    pub const NAMES: [&str; 3] = ["both", "quantizer", "dequantizer"];

    /// As configurations name them.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }
    /// Those of this name.
    pub fn named(name: &str) -> Option<Engines> {
        [Engines::Both, Engines::Quantizer, Engines::Dequantizer].into_iter().find(|engines| engines.name() == name)
    }
    /// Is the quantizer there?
    pub fn quantizes(self) -> bool {
        self != Engines::Dequantizer
    }
    /// Is the dequantizer there?
    pub fn dequantizes(self) -> bool {
        self != Engines::Quantizer
    }
}

/// Parameters of a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SystemParams {
    /// Each engine; one setting.
    pub engine: EngineParams,
    /// Which are there.
    pub engines: Engines,
    /// Frequency of the clock.
    pub clock_hertz: u32,
    /// Cycles in a bit of the line.
    pub clocks_per_bit: u32,
    /// Beats of records that wait: from 2 to 65,536, each of as many bytes as a word of the sparse part. With one engine
    /// there is no such memory.
    pub records: u32,
}

impl SystemParams {
    /// Bytes of the record memory; 0 where there is none.
    pub fn record_bytes(self) -> u32 {
        if self.engines == Engines::Both { self.records * self.engine.sparse_bytes() } else { 0 }
    }
    #[track_caller]
    pub(super) fn check(self, name: &str) -> Result<SystemParams, Errors> {
        self.engine.check(name)?;
        if self.engine.settings != 1 {
            let message = format!("settings = {} is not legal", self.engine.settings);
            return Err(Errors::parameter(name, message, "1: a put does not name a setting"));
        }
        if !(2..=65_536).contains(&self.records) {
            let message = format!("records = {} is out of range", self.records);
            return Err(Errors::parameter(name, message, "from 2 to 65536 beats: more no device holds"));
        }
        if !(1_000_000..=1_000_000_000).contains(&self.clock_hertz) {
            let message = format!("clock_hertz = {} is out of range", self.clock_hertz);
            return Err(Errors::parameter(name, message, "from 1000000 to 1000000000"));
        }
        Ok(self)
    }
}
