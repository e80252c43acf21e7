//! An engine that keeps what is done to it and what it answers.

use hdl::engine::{Engine, MemoryInfo, PortInfo, PowerUp, big_from_limbs};
use hdl::{BigUint, Failure, Property};

/// What stands at the ports at one edge.
#[derive(Clone)]
pub struct Step {
    /// A bit for each clock that rises.
    pub clocks: u64,
    /// For each domain: in reset.
    pub resets: Vec<bool>,
    /// All ports: what was poked, and what came out just before the edge.
    pub ports: Vec<BigUint>,
}

/// Forwards to an engine and keeps the first edges.
pub struct Recorder<'e> {
    engine: &'e mut dyn Engine,
    resets: Vec<bool>,
    most: usize,
    pub steps: Vec<Step>,
}

impl<'e> Recorder<'e> {
    /// Keeps at most so many edges.
    pub fn new(engine: &'e mut dyn Engine, most: usize) -> Recorder<'e> {
        let resets = vec![false; engine.clocks().len()];
        Recorder { engine, resets, most, steps: vec![] }
    }
    fn value(&mut self, port: usize) -> BigUint {
        let mut limbs = vec![0; self.engine.ports()[port].limbs()];
        self.engine.peek_wide(port, &mut limbs);
        big_from_limbs(&limbs)
    }
}

impl Engine for Recorder<'_> {
    fn edge(&mut self, clocks: u64) {
        if self.steps.len() < self.most {
            let ports = (0..self.engine.ports().len()).map(|port| self.value(port)).collect();
            self.steps.push(Step { clocks, resets: self.resets.clone(), ports });
        }
        self.engine.edge(clocks);
    }
    fn set_reset(&mut self, domain: usize, active: bool) {
        self.resets[domain] = active;
        self.engine.set_reset(domain, active);
    }
    /// What was before does not count.
    fn power_up(&mut self, contents: PowerUp) {
        self.steps.clear();
        self.resets.fill(false);
        self.engine.power_up(contents);
    }
    fn ports(&self) -> &[PortInfo] {
        self.engine.ports()
    }
    fn poke_u64(&mut self, port: usize, value: u64) {
        self.engine.poke_u64(port, value);
    }
    fn peek_u64(&mut self, port: usize) -> u64 {
        self.engine.peek_u64(port)
    }
    fn poke_wide(&mut self, port: usize, limbs: &[u64]) {
        self.engine.poke_wide(port, limbs);
    }
    fn peek_wide(&mut self, port: usize, limbs: &mut [u64]) {
        self.engine.peek_wide(port, limbs);
    }
    fn clocks(&self) -> &[String] {
        self.engine.clocks()
    }
    fn failures(&self) -> &[Failure] {
        self.engine.failures()
    }
    fn keep_failures(&mut self, keep: bool) {
        self.engine.keep_failures(keep);
    }
    fn covers(&self) -> Vec<(&Property, &str, u64)> {
        self.engine.covers()
    }
    fn choose(&mut self, name: &str, value: BigUint) {
        self.engine.choose(name, value);
    }
    fn memories(&self) -> &[MemoryInfo] {
        self.engine.memories()
    }
    fn read_memory(&mut self, memory: usize, address: u64, limbs: &mut [u64]) {
        self.engine.read_memory(memory, address, limbs);
    }
    fn write_memory(&mut self, memory: usize, address: u64, limbs: &[u64]) {
        self.engine.write_memory(memory, address, limbs);
    }
    fn look_inside(&mut self, name: &str) -> Option<(u32, BigUint)> {
        self.engine.look_inside(name)
    }
    fn cycles(&self) -> u64 {
        self.engine.cycles()
    }
}
