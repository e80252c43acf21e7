//! An engine with something at its ports that goes with it: whoever steps the engine steps that, too.

use hdl::engine::{Engine, PortInfo, PowerUp};

/// What is around an engine, with the engine in it.
pub trait Around {
    /// The engine.
    fn engine(&self) -> &dyn Engine;
    /// The engine.
    fn engine_mut(&mut self) -> &mut dyn Engine;
    /// An edge of these clocks, of the engine and of what is around it.
    ///
    /// # Panics
    /// If what is around it sees a mistake, with what it is.
    fn edge(&mut self, clocks: u64);
    /// Before the engine is reset.
    fn begin_reset(&mut self) {}
}

/// An engine like any other: all is its own but for its edges.
pub struct Surrounded<A>(pub A);

impl<A: Around> Engine for Surrounded<A> {
    fn ports(&self) -> &[PortInfo] {
        self.0.engine().ports()
    }
    fn poke_u64(&mut self, port: usize, value: u64) {
        self.0.engine_mut().poke_u64(port, value);
    }
    fn peek_u64(&mut self, port: usize) -> u64 {
        self.0.engine_mut().peek_u64(port)
    }
    fn poke_wide(&mut self, port: usize, limbs: &[u64]) {
        self.0.engine_mut().poke_wide(port, limbs);
    }
    fn peek_wide(&mut self, port: usize, limbs: &mut [u64]) {
        self.0.engine_mut().peek_wide(port, limbs);
    }
    fn set_reset(&mut self, domain: usize, active: bool) {
        self.0.engine_mut().set_reset(domain, active);
    }
    fn clocks(&self) -> &[String] {
        self.0.engine().clocks()
    }
    fn edge(&mut self, clocks: u64) {
        self.0.edge(clocks);
    }
    /// Of the engine alone: what stands at its ports meanwhile means nothing.
    fn reset(&mut self, cycles: u32) {
        self.0.begin_reset();
        self.0.engine_mut().reset(cycles);
    }
    fn power_up(&mut self, contents: PowerUp) {
        self.0.engine_mut().power_up(contents);
    }
    fn cycles(&self) -> u64 {
        self.0.engine().cycles()
    }
}
