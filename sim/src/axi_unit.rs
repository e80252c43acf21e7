//! A unit with registers and with buses to memory, and what is around it.

use crate::bus::axi4::Response as Answer;
use crate::bus::axi4_memory::{Axi4Memory, MemoryModel, SparseBytes};
use crate::bus::{AxiLiteMaster, Bench, Response, Stalls};
use crate::golden::faulty_memory::{BEYOND, FaultyMemory};
use hdl::engine::Engine;
use hdl::{Bundle, Design};
use std::ops::Range;

/// The ports of a unit.
pub struct UnitPorts<'p, A, R, W> {
    /// Registers.
    pub axil: &'p A,
    /// The buses that read.
    pub reads: &'p [R],
    /// The buses that write.
    pub writes: &'p [W],
    /// Bits of a byte address of the memory.
    pub address_bits: u32,
}

/// A unit with everything around it.
pub struct AxiUnit<'e> {
    /// Everything that moves.
    pub bench: Bench<'e>,
    /// What is behind all buses.
    pub memory: Axi4Memory,
    /// Added to the addresses of registers.
    pub base: u64,
    /// Bits of a byte address of the memory.
    pub address_bits: u32,
    model: MemoryModel,
    master: AxiLiteMaster,
}

/// What should be in memory, and how a unit should end.
pub struct Expected<E> {
    /// What is in memory.
    pub bytes: SparseBytes,
    /// How it ends.
    pub end: E,
    /// Where any byte may have been written.
    pub undefined: Vec<Range<u128>>,
}

impl<'e> AxiUnit<'e> {
    /// A unit after a reset of one cycle, the shortest.
    pub fn new<P, A: Bundle, R: Bundle, W: Bundle>(
        engine: &'e mut dyn Engine,
        design: &Design<P>,
        ports: UnitPorts<A, R, W>,
        (model, seed): (MemoryModel, u64),
    ) -> AxiUnit<'e> {
        let mut bench = Bench::new(engine, seed);
        let mut memory = Axi4Memory::new(model.clone(), seed);
        ports.reads.iter().for_each(|bus| memory.read_port(&mut bench, design, bus));
        ports.writes.iter().for_each(|bus| memory.write_port(&mut bench, design, bus));
        let master = AxiLiteMaster::new(&mut bench, design, ports.axil, Stalls::Never);
        bench.engine.set_reset(0, true);
        bench.engine.step();
        bench.engine.set_reset(0, false);
        AxiUnit { bench, memory, base: 0, address_bits: ports.address_bits, model, master }
    }

    /// The memory answers with errors at these addresses from now on.
    pub fn set_errors(&mut self, errors: Vec<(Range<u64>, Answer)>) {
        self.model.errors = errors;
        self.memory.set_model(self.model.clone());
    }

    /// Writes a register.
    ///
    /// # Errors
    /// What the bus did wrong.
    pub fn write(&mut self, register: u64, value: u64) -> Result<(), String> {
        let before = self.master.answered(&self.bench).0;
        self.master.queue_write(&mut self.bench, self.base + register, value, 15);
        self.step_until(|this| this.master.answered(&this.bench).0 > before, register)
    }

    /// Writes the two registers of an address, which follow each other.
    ///
    /// # Errors
    /// What the bus did wrong.
    pub fn write_address(&mut self, low: u64, address: u64) -> Result<(), String> {
        self.write(low, address & 0xffff_ffff)?;
        match self.address_bits {
            ..=32 => Ok(()), // the other register cannot be written
            _ => self.write(low + 4, address >> 32),
        }
    }

    /// The value of a register.
    ///
    /// # Errors
    /// What the bus did wrong.
    pub fn read(&mut self, register: u64) -> Result<u64, String> {
        let before = self.master.answered(&self.bench).1;
        self.master.queue_read(&mut self.bench, self.base + register);
        self.step_until(|this| this.master.answered(&this.bench).1 > before, register)?;
        match self.master.last_read(&self.bench).map_err(|e| e.to_string())? {
            Some((Response::Okay, value)) => Ok(value),
            other => Err(format!("register {register:#x} gives {other:?}")),
        }
    }

    /// The address in two registers, which follow each other.
    ///
    /// # Errors
    /// What the bus did wrong.
    pub fn read_address(&mut self, low: u64) -> Result<u64, String> {
        Ok(self.read(low + 4)? << 32 | self.read(low)?)
    }

    /// A register's value when its bits 1:0 are 2: done, and not busy.
    ///
    /// # Errors
    /// What the bus did wrong; or it hangs.
    pub fn wait(&mut self, status: u64) -> Result<u64, String> {
        for _ in 0..20_000 {
            let found = self.read(status)?;
            if found & 2 == 2 {
                return if found & 1 == 0 { Ok(found) } else { Err("done, and busy".into()) };
            }
            self.steps(50)?;
        }
        Err("it hangs".into())
    }

    /// So many cycles.
    ///
    /// # Errors
    /// What the bus did wrong.
    pub fn steps(&mut self, cycles: u64) -> Result<(), String> {
        (0..cycles).try_for_each(|_| self.step())
    }

    fn step(&mut self) -> Result<(), String> {
        self.memory.step(&mut self.bench).map_err(|e| format!("{e:?}"))?;
        self.bench.step().map_err(|e| e.to_string())
    }

    fn step_until(&mut self, over: impl Fn(&Self) -> bool, register: u64) -> Result<(), String> {
        for _ in 0..1000 {
            if over(self) {
                return Ok(());
            }
            self.step()?;
        }
        Err(format!("no answer of register {register:#x}"))
    }

    /// What a model makes of the memory as it is.
    pub fn expected<E>(&self, model: impl FnOnce(&mut FaultyMemory) -> E) -> Expected<E> {
        let mut bytes = self.memory.bytes.clone();
        let (of_memory, address_bits) = (&self.model, self.address_bits);
        let mut memory =
            FaultyMemory { bytes: &mut bytes, model: of_memory, address_bits, undefined: vec![], fault: None };
        let end = model(&mut memory);
        let undefined = memory.undefined;
        Expected { bytes, end, undefined }
    }

    /// Compares all of the memory with what was expected.
    ///
    /// # Errors
    /// It has other bytes.
    pub fn compare<E>(&self, expected: Expected<E>) -> Result<(), String> {
        let mut bytes = expected.bytes;
        let addresses = expected.undefined.into_iter().flatten().map_while(|at| u64::try_from(at).ok());
        for at in addresses {
            let found = self.memory.bytes.read(at, 1);
            bytes.write(at, &found);
        }
        match self.memory.bytes.pages() == bytes.pages() {
            true => Ok(()),
            false => Err("other bytes in memory than those of the model".into()),
        }
    }
}

/// Where an error was, as far as the model knows it.
pub fn known_fault(found: Option<u64>, expected: Option<u64>) -> Option<u64> {
    match expected {
        Some(BEYOND) => found.and(expected),
        _ => found,
    }
}
