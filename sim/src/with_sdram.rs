//! An engine with an SDRAM chip at its pins.

use crate::bus::sdram::Sdram;
use crate::sdram_bench::Pins;
use crate::surrounded::{Around, Surrounded};
use hdl::engine::Engine;
use hdl::{Bundle, Design};
use std::collections::VecDeque;

/// A running design with a chip behind pins that it drives. After a reset the chip is initialised anew, and what it held is not known any more.
pub type WithSdram<'e> = Surrounded<Chip<'e>>;

/// The chip, and the engine that drives its pins.
pub struct Chip<'e> {
    engine: &'e mut dyn Engine,
    pins: Pins,
    chip: Sdram,
    /// Words on their way from the chip.
    late: VecDeque<u64>,
}

/// Puts a chip behind the pins, with so many registers between its data pins and `dq_in`.
pub fn with_sdram<'e, P>(
    engine: &'e mut dyn Engine,
    design: &Design<P>,
    pins: &impl Bundle,
    (chip, delay): (Sdram, u32),
) -> WithSdram<'e> {
    let pins = Pins::of(design, pins);
    Surrounded(Chip { engine, pins, chip, late: VecDeque::from(vec![0; delay as usize]) })
}

impl Around for Chip<'_> {
    fn engine(&self) -> &dyn Engine {
        self.engine
    }
    fn engine_mut(&mut self) -> &mut dyn Engine {
        self.engine
    }
    fn edge(&mut self, clocks: u64) {
        let pins = self.pins.look(self.engine);
        let word = self.chip.clock(pins).unwrap_or_else(|e| panic!("cycle {}: {e}", self.engine.cycles()));
        self.late.push_back(word);
        let word = self.late.pop_front().unwrap_or_default();
        self.pins.give(self.engine, word);
        self.engine.edge(clocks);
    }
    fn begin_reset(&mut self) {
        self.chip.initialise_again();
        self.late.iter_mut().for_each(|word| *word = 0);
    }
}
