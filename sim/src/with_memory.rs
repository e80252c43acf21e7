//! An engine with a memory at one of its buses.

use crate::bus::Bench;
use crate::bus::axi4_memory::{Axi4Memory, MemoryModel};
use crate::surrounded::{Around, Surrounded};
use hdl::engine::Engine;
use hdl::{Bundle, Design};

/// A running design with a memory behind a bus that it is the master of. It is reset before anything is on the bus, or not at all: the memory
/// would answer what the design forgot.
pub type WithMemory<'e> = Surrounded<Memory<'e>>;

/// The memory, and the bench that drives the bus.
pub struct Memory<'e> {
    bench: Bench<'e>,
    memory: Axi4Memory,
}

/// Puts a memory behind a port of both directions.
pub fn with_memory<'e, P, B: Bundle>(
    engine: &'e mut dyn Engine,
    design: &Design<P>,
    bus: &B,
    (model, seed): (MemoryModel, u64),
) -> WithMemory<'e> {
    let mut bench = Bench::new(engine, seed);
    let mut memory = Axi4Memory::new(model, seed);
    memory.read_port(&mut bench, design, bus);
    memory.write_port(&mut bench, design, bus);
    Surrounded(Memory { bench, memory })
}

impl Around for Memory<'_> {
    fn engine(&self) -> &dyn Engine {
        self.bench.engine
    }
    fn engine_mut(&mut self) -> &mut dyn Engine {
        self.bench.engine
    }
    fn edge(&mut self, clocks: u64) {
        self.memory.step(&mut self.bench).unwrap_or_else(|e| panic!("{e}"));
        self.bench.edge(clocks).unwrap_or_else(|e| panic!("{e}"));
    }
}
