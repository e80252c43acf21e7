//! An Oaken system behind the link (docs/blocks/oaken_system.md): what it says of itself, and vectors and records through its engines.

use super::host::{Host, HostError};
use super::line::Line;
use hw::control::RegisterMap;
use hw::oaken::{EngineParams, dequantizer_axi, quantizer_axi};
use hw::soc::oaken_system::BUFFER;
use hw::soc::system_addresses::SystemAddresses;
use hw::soc::system_params::{Engines, SystemParams};
use hw::soc::system_registers;
pub use hw::soc::system_registers::Path;
use thiserror::Error;

/// What the register `id` of every Oaken system holds.
pub const ID: u32 = 0x4b56_464f;
/// How often a packet is asked for while none comes, and put while there is no room.
const TIMES: u32 = 50;
/// So often nothing comes of a system that is empty.
const DRAINED: u32 = 3;

/// A record: its two parts (docs/oaken-format.md).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RecordParts {
    /// Header, counts and entries.
    pub sparse: Vec<u8>,
    /// Codes.
    pub dense: Vec<u8>,
}

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
    /// An engine that the system does not have.
    #[error("the board has no {0}")]
    NoEngine(&'static str),
    /// A packet does not come.
    #[error("a vector of {0} elements does not come back")]
    Lost(usize),
    /// An engine stays busy.
    #[error("the board does not become empty: an engine stays busy, or records wait")]
    Busy,
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
    /// The engines that are there.
    pub engines: Engines,
}

impl Info {
    /// Is this path there?
    pub fn has(&self, path: Path) -> bool {
        path.is_in(self.engines)
    }
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
    /// Of these, cycles in which no beat was there.
    pub starved: u32,
    /// Beats of elements that left the dequantizer.
    pub given: u32,
    /// Cycles in which one could have left, and was not taken.
    pub waited: u32,
}

impl Counters {
    /// What was counted since.
    pub fn since(self, before: Counters) -> Counters {
        Counters {
            cycles: self.cycles.wrapping_sub(before.cycles),
            dropped: self.dropped.wrapping_sub(before.dropped),
            repeated: self.repeated.wrapping_sub(before.repeated),
            taken: self.taken.wrapping_sub(before.taken),
            busy: self.busy.wrapping_sub(before.busy),
            starved: self.starved.wrapping_sub(before.starved),
            given: self.given.wrapping_sub(before.given),
            waited: self.waited.wrapping_sub(before.waited),
        }
    }
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
        let addresses = SystemAddresses::new(params(1, 64, 4, Engines::Both));
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
            engines: match parameters >> 30 {
                1 => Engines::Quantizer,
                2 => Engines::Dequantizer,
                _ => Engines::Both,
            },
        };
        let addresses = SystemAddresses::new(params(info.lanes, info.max_length, info.dense_bits, info.engines));
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
    /// Sets the engines, elements of a vector and its thresholds (bits of binary16 from the lowest to the highest), and the path.
    ///
    /// # Errors
    /// If it has no such vectors or no such path, or does not answer.
    pub fn set_up(&mut self, path: Path, length: usize, thresholds: [u16; 4]) -> Result<(), SystemError> {
        let longest = self.info.max_length;
        if length == 0 || !length.is_multiple_of(64) || length > longest as usize {
            return Err(SystemError::Length { length, longest });
        }
        self.choose(path)?;
        let [s_low, t_low, t_high, s_high] = thresholds.map(u32::from);
        let values =
            [("length", length as u32), ("s_low", s_low), ("t_low", t_low), ("t_high", t_high), ("s_high", s_high)];
        values.into_iter().chain([("enable", 1)]).try_for_each(|(register, value)| self.write_each(register, value))
    }
    /// The way that what is put goes.
    fn choose(&mut self, path: Path) -> Result<(), SystemError> {
        if !self.info.has(path) {
            let missing = if self.info.engines.quantizes() { "dequantizer" } else { "quantizer" };
            return Err(SystemError::NoEngine(missing));
        }
        if self.info.engines == Engines::Both {
            self.host.write(self.addresses.own("path"), path as u32)?;
        }
        Ok(())
    }
    /// Writes a register of each engine.
    fn write_each(&mut self, register: &str, value: u32) -> Result<(), SystemError> {
        for address in self.addresses.engines(register) {
            self.host.write(address, value)?;
        }
        Ok(())
    }
    /// Empties the system of what a host left in it that was stopped, as the page of the system has it.
    ///
    /// # Errors
    /// If it does not answer, or never is empty.
    pub fn drain(&mut self) -> Result<(), SystemError> {
        self.write_each("flush", 1)?;
        for path in [Path::Dequantize, Path::Quantize, Path::ThereAndBack, Path::Dequantize] {
            if self.info.has(path) {
                self.choose(path)?;
                self.empty()?;
            }
        }
        if self.host.read(self.addresses.own("path"))? & Path::DENSE_NEXT != 0 {
            self.empty()?; // the dense part of a record that was begun
        }
        self.write_each("flush", 0)?;
        self.write_each("errors", u32::MAX)?;
        Ok(self.host.write(self.addresses.own("errors"), u32::MAX)?)
    }
    /// Ends what was begun on this path, and takes until the system is empty.
    fn empty(&mut self) -> Result<(), SystemError> {
        self.host.drain(DRAINED)?;
        for _ in 0..TIMES {
            // a byte of the link's buffer, or 16 of the records that wait, moves on in a cycle, and no engine is busy meanwhile
            self.rest(BUFFER as u32 + self.info.record_bytes / 16)?;
            // the status before the takes: what an engine gave until it was idle is there by then
            let busy = self.busy()?;
            if !self.host.take_all(1)? && !busy {
                return Ok(());
            }
        }
        Err(SystemError::Busy)
    }
    /// Is an engine in the midst of a vector or record?
    fn busy(&mut self) -> Result<bool, SystemError> {
        let mut busy = 0;
        for address in self.addresses.engines("status") {
            busy |= self.host.read(address)? & 1;
        }
        Ok(busy != 0)
    }
    /// Waits until so many cycles have passed on the board, whatever the line's rate is.
    fn rest(&mut self, cycles: u32) -> Result<(), SystemError> {
        let start = self.host.read(self.addresses.own("cycles"))?;
        // a request takes a cycle at least
        for _ in 0..cycles {
            if self.host.read(self.addresses.own("cycles"))?.wrapping_sub(start) >= cycles {
                break;
            }
        }
        Ok(())
    }
    /// What the error registers hold: of the system, and of each engine that is there. Names of the flags that are set.
    ///
    /// # Errors
    /// If it does not answer.
    pub fn flags(&mut self) -> Result<Vec<String>, SystemError> {
        let p = params(self.info.lanes, self.info.max_length, self.info.dense_bits, self.info.engines);
        let own = Some(self.addresses.own("errors"));
        let mut set = self.flags_at(own, &system_registers::registers(p), "system")?;
        let quantizer = self.addresses.quantizer("errors");
        set.extend(self.flags_at(quantizer, &quantizer_axi::registers("quantizer", p.engine), "quantizer")?);
        let dequantizer = self.addresses.dequantizer("errors");
        set.extend(self.flags_at(dequantizer, &dequantizer_axi::registers("dequantizer", p.engine), "dequantizer")?);
        Ok(set)
    }
    /// The flags of the register `errors` of a map that are set; none where it is not there.
    fn flags_at(&mut self, address: Option<u16>, map: &RegisterMap, of: &str) -> Result<Vec<String>, SystemError> {
        let Some(address) = address else { return Ok(vec![]) };
        let found = self.host.read(address)?;
        let fields = map.registers.iter().filter(|r| r.name == "errors").flat_map(|r| &r.fields);
        Ok(fields.filter(|field| found >> field.lsb & 1 == 1).map(|field| format!("{of}: {}", field.name)).collect())
    }
    /// A vector, bits of binary16, through quantizer and dequantizer: path [`Path::ThereAndBack`].
    ///
    /// # Errors
    /// If it does not come back, or with another length.
    pub fn roundtrip(&mut self, vector: &[u16]) -> Result<Vec<u16>, SystemError> {
        self.host.put(&to_bytes(vector), TIMES)?;
        self.vector(vector.len())
    }
    /// The record of a vector: path [`Path::Quantize`].
    ///
    /// # Errors
    /// If it does not come.
    pub fn quantize(&mut self, vector: &[u16]) -> Result<RecordParts, SystemError> {
        self.host.put(&to_bytes(vector), TIMES)?;
        let mut part = || self.host.take_packet(TIMES)?.ok_or(SystemError::Lost(vector.len()));
        Ok(RecordParts { sparse: part()?, dense: part()? })
    }
    /// The vector of so many elements that a record is of: path [`Path::Dequantize`].
    ///
    /// # Errors
    /// If it does not come, or with another length.
    pub fn dequantize(&mut self, record: &RecordParts, length: usize) -> Result<Vec<u16>, SystemError> {
        self.host.put(&record.sparse, TIMES)?;
        self.host.put(&record.dense, TIMES)?;
        self.vector(length)
    }
    /// The vector that comes.
    fn vector(&mut self, length: usize) -> Result<Vec<u16>, SystemError> {
        let back = self.host.take_packet(TIMES)?.ok_or(SystemError::Lost(length))?;
        if back.len() != 2 * length {
            return Err(SystemError::OtherLength { sent: length, came: back.len() });
        }
        Ok(back.chunks_exact(2).map(|two| u16::from_le_bytes([two[0], two[1]])).collect())
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
            starved: read("starved")?,
            given: read("given")?,
            waited: read("waited")?,
        })
    }
}

fn to_bytes(vector: &[u16]) -> Vec<u8> {
    vector.iter().flat_map(|x| x.to_le_bytes()).collect()
}

/// Parameters of a system, as far as addresses depend on them.
fn params(lanes: u32, max_length: u32, dense_bits: u32, engines: Engines) -> SystemParams {
    let engine = EngineParams { lanes, max_length, dense_bits, settings: 1 };
    SystemParams { engine, engines, clock_hertz: 1_000_000, clocks_per_bit: 16, records: 2 }
}
