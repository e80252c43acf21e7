//! The simulator as every engine is: ports, edges, memories, properties.

use super::Simulator;
use crate::engine::{Engine, MemoryInfo, PortInfo, PowerUp, check_poke, fill};
use crate::ir::{Failure, Property};
use crate::sim::check::Checks;
use crate::sim::program::Slot;
use crate::sim::wide::limbs;
use num_bigint::BigUint;

hdl::port_access!(Simulator);

impl Engine for Simulator {
    fn ports(&self) -> &[PortInfo] {
        &self.design.ports
    }

    fn poke_u64(&mut self, port: usize, value: u64) {
        let info = &self.design.ports[port];
        if !info.input || info.width < 64 && value >> info.width != 0 {
            check_poke(info, &[value]);
        }
        assert!(info.width <= 64, "`{}` has {} bits: use poke_wide", info.name, info.width);
        self.set(self.design.program.ports[port], value);
    }

    fn peek_u64(&mut self, port: usize) -> u64 {
        let info = &self.design.ports[port];
        assert!(info.width <= 64, "`{}` has {} bits: use peek_wide", info.name, info.width);
        self.settle();
        self.slots[self.design.program.ports[port] as usize]
    }

    fn poke_wide(&mut self, port: usize, limbs: &[u64]) {
        check_poke(&self.design.ports[port], limbs);
        let (slot, n) = self.port_at(port);
        (0..n).for_each(|i| self.set((slot + i) as Slot, limbs.get(i).copied().unwrap_or(0)));
    }

    fn peek_wide(&mut self, port: usize, limbs: &mut [u64]) {
        self.settle();
        let (slot, n) = self.port_at(port);
        let info = &self.design.ports[port];
        assert!(limbs.len() >= n, "`{}` has {} bits, {} limbs are too few", info.name, info.width, limbs.len());
        limbs[..n].copy_from_slice(&self.slots[slot..slot + n]);
        limbs[n..].fill(0);
    }

    fn look_inside(&mut self, name: &str) -> Option<(u32, BigUint)> {
        let probe = self.find(name)?;
        Some((self.info(probe).width, self.value_big(probe)))
    }

    fn memories(&self) -> &[MemoryInfo] {
        &self.design.memories
    }

    fn read_memory(&mut self, memory: usize, address: u64, limbs: &mut [u64]) {
        let word = self.mems.word(memory as u32, address).expect("an address of the memory");
        limbs.copy_from_slice(word);
    }

    fn write_memory(&mut self, memory: usize, address: u64, limbs: &[u64]) {
        self.keep_resets();
        let word = self.mems.word_mut(memory as u32, address).expect("an address of the memory");
        word.copy_from_slice(limbs);
        (self.dirty, self.inner_dirty) = (true, true);
    }

    fn set_reset(&mut self, domain: usize, active: bool) {
        let domains = self.design.clocks.len();
        assert!(domain < domains, "no domain {domain}: the design has {domains}");
        self.set(self.design.program.resets[domain], u64::from(active));
    }

    fn clocks(&self) -> &[String] {
        &self.design.clocks
    }

    fn edge(&mut self, clocks: u64) {
        let count = self.design.clocks.len();
        assert!(
            clocks == u64::MAX || count >= 64 || clocks >> count == 0,
            "edges {clocks:#b}: the design has {count} clocks"
        );
        self.settle();
        self.check_properties(clocks);
        self.update(clocks);
        self.cycles += 1;
        self.last_edge = clocks;
    }

    fn power_up(&mut self, contents: PowerUp) {
        let program = &self.design.program;
        self.slots.clone_from(&program.slots);
        self.mems.clone_from(&program.mems);
        if let Some(mut rng) = contents.random() {
            for &(slot, width) in &program.states {
                fill(&mut self.slots[slot as usize..][..limbs(width)], width, &mut rng);
            }
            self.mems.power_up(&mut rng);
        }
        if let Some(code) = self.design.code().filter(|_| self.native) {
            self.slots.resize(code.slots(), 0);
        }
        (self.dirty, self.inner_dirty, self.late_dirty) = (true, true, true);
        (self.cycles, self.last_edge, self.looked_at) = (0, 0, false);
        self.checks = Checks::keeping(self.checks.keep);
        self.began.0 = contents;
    }

    fn cycles(&self) -> u64 {
        self.cycles
    }

    fn failures(&self) -> &[Failure] {
        &self.checks.failures
    }

    fn keep_failures(&mut self, keep: bool) {
        self.checks.keep = keep;
    }

    fn covers(&self) -> Vec<(&Property, &str, u64)> {
        self.cover_counts()
    }

    fn choose(&mut self, name: &str, value: BigUint) {
        self.choose_value(name, &value);
    }
}
