//! Parameters of an Oaken system.

use crate::oaken::EngineParams;
use hdl::Errors;

/// Parameters of a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SystemParams {
    /// The engines; one setting.
    pub engine: EngineParams,
    /// Frequency of the clock.
    pub clock_hertz: u32,
    /// Cycles in a bit of the line.
    pub clocks_per_bit: u32,
    /// Beats of records that wait: from 2 to 65,536, each of as many bytes as a word of the sparse part.
    pub records: u32,
}

impl SystemParams {
    /// Bytes of the record memory.
    pub fn record_bytes(self) -> u32 {
        self.records * self.engine.sparse_bytes()
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
