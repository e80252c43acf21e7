//! An Oaken system behind the link (docs/blocks/oaken_system.md): what it says of itself, and vectors through both of its engines.

use super::host::{Host, HostError};
use super::line::Line;
use hw::oaken::EngineParams;
use hw::soc::system_addresses::SystemAddresses;
use hw::soc::system_params::SystemParams;
use thiserror::Error;

/// What the register `id` of every Oaken system holds.
const ID: u32 = 0x4b56_464f;
/// How often a packet is asked for while none comes, and put while there is no room.
const TIMES: u32 = 50;
/// So often nothing comes of a system that is empty.
const DRAINED: u32 = 5;

/// Why a system has no result.
#[derive(Debug, Error)]
pub enum SystemError {
    /// The host has none.
    #[error(transparent)]
    Host(#[from] HostError),
    /// Another bitstream.
    #[error("the board answers, and is no Oaken system: its id is {0:#010x}")]
    OtherSystem(u32),
    /// A vector that it does not take.
    #[error("vectors of {length} elements are not legal here: a multiple of 64 up to {longest}")]
    Length {
        /// Its elements.
        length: usize,
        /// Those of the longest.
        longest: u32,
    },
    /// A packet does not come.
    #[error("a vector of {0} elements does not come back")]
    Lost(usize),
    /// One of another length comes.
    #[error("a vector of {sent} elements came back as {came} bytes")]
    OtherLength {
        /// Its elements.
        sent: usize,
        /// The bytes of what came.
        came: usize,
    },
}

/// What a system says of itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Info {
    /// Version of the hardware: first, second and third number.
    pub version: [u8; 3],
    /// Equal where all parameters are.
    pub configuration: u32,
    /// Elements a cycle.
    pub lanes: u32,
    /// Bits of a dense code.
    pub dense_bits: u32,
    /// Elements of the longest vector.
    pub max_length: u32,
    /// Frequency of its clock.
    pub clock_hertz: u32,
    /// Cycles of a bit of the line.
    pub clocks_per_bit: u32,
    /// Bytes of its record memory.
    pub record_bytes: u32,
}

/// What it has counted since its reset, modulo 2^32.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counters {
    /// Cycles.
    pub cycles: u32,
    /// Frames that were dropped.
    pub dropped: u32,
    /// Requests that came again.
    pub repeated: u32,
    /// Beats of elements that the quantizer took.
    pub taken: u32,
    /// Cycles in which it took one, or was in the midst of a vector.
    pub busy: u32,
}

/// A system at the other end of a line.
#[derive(Debug)]
pub struct System<L> {
    host: Host<L>,
    info: Info,
    addresses: SystemAddresses,
}

impl<L: Line> System<L> {
    /// Opens the link, and asks the system what it is.
    ///
    /// # Errors
    /// If nothing answers, or something that is no Oaken system.
    pub fn connect(mut host: Host<L>) -> Result<System<L>, SystemError> {
        // these stand at the same addresses whatever the parameters are
        let addresses = SystemAddresses::new(params(1, 64, 4));
        host.open()?;
        let id = host.read(addresses.own("id"))?;
        if id != ID {
            return Err(SystemError::OtherSystem(id));
        }
        let mut read = |register: &str| host.read(addresses.own(register));
        let (version, parameters) = (read("version")?, read("parameters")?);
        let info = Info {
            version: [16, 8, 0].map(|low| (version >> low) as u8),
            configuration: read("configuration")?,
            lanes: parameters & 0x7f,
            dense_bits: parameters >> 8 & 7 ^ 4,
            max_length: parameters >> 16 & 0x3fff,
            clock_hertz: read("clock")?,
            clocks_per_bit: read("clocks_per_bit")?,
            record_bytes: read("record_bytes")?,
        };
        let addresses = SystemAddresses::new(params(info.lanes, info.max_length, info.dense_bits));
        Ok(System { host, info, addresses })
    }
    /// What it says of itself.
    pub fn info(&self) -> Info {
        self.info
    }
    /// The line.
    pub fn line(&mut self) -> &mut L {
        self.host.line()
    }
    /// Sets both engines: elements of a vector, and its thresholds, bits of binary16 from the lowest to the highest.
    ///
    /// # Errors
    /// If it has no such vectors, or does not answer.
    pub fn set_up(&mut self, length: usize, thresholds: [u16; 4]) -> Result<(), SystemError> {
        let longest = self.info.max_length;
        if length == 0 || !length.is_multiple_of(64) || length > longest as usize {
            return Err(SystemError::Length { length, longest });
        }
        let [s_low, t_low, t_high, s_high] = thresholds.map(u32::from);
        let values =
            [("length", length as u32), ("s_low", s_low), ("t_low", t_low), ("t_high", t_high), ("s_high", s_high)];
        for (register, value) in values.into_iter().chain([("enable", 1)]) {
            for address in self.addresses.both(register) {
                self.host.write(address, value)?;
            }
        }
        Ok(())
    }
    /// Empties the system of what a host left in it that was stopped.
    ///
    /// # Errors
    /// If it does not answer.
    pub fn drain(&mut self) -> Result<(), SystemError> {
        // what was begun is ended, and comes out as some vectors of 64 elements
        self.set_up(64, [0x8000, 0x8000, 0, 0])?;
        Ok(self.host.drain(DRAINED)?)
    }
    /// A vector, bits of binary16, through quantizer and dequantizer.
    ///
    /// # Errors
    /// If it does not come back, or with another length.
    pub fn roundtrip(&mut self, vector: &[u16]) -> Result<Vec<u16>, SystemError> {
        let bytes: Vec<u8> = vector.iter().flat_map(|x| x.to_le_bytes()).collect();
        self.host.put(&bytes, TIMES)?;
        let back = self.host.take_packet(TIMES)?.ok_or(SystemError::Lost(vector.len()))?;
        if back.len() != bytes.len() {
            return Err(SystemError::OtherLength { sent: vector.len(), came: back.len() });
        }
        Ok(back.chunks(2).map(|two| u16::from_le_bytes([two[0], two[1]])).collect())
    }
    /// Its counters.
    ///
    /// # Errors
    /// If it does not answer.
    pub fn counters(&mut self) -> Result<Counters, SystemError> {
        let mut read = |register: &str| self.host.read(self.addresses.own(register));
        Ok(Counters {
            cycles: read("cycles")?,
            dropped: read("dropped")?,
            repeated: read("repeated")?,
            taken: read("taken")?,
            busy: read("busy")?,
        })
    }
}

/// Parameters of a system, as far as addresses depend on them.
fn params(lanes: u32, max_length: u32, dense_bits: u32) -> SystemParams {
    let engine = EngineParams { lanes, max_length, dense_bits, settings: 1 };
    SystemParams { engine, clock_hertz: 1_000_000, clocks_per_bit: 16, records: 2 }
}
