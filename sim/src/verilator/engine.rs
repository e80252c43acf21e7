//! [`Model`] as an [`Engine`].

use super::{Binding, Model, seed};
use hdl::engine::{Engine, MemoryInfo, PortInfo, PowerUp, check_choice, check_poke};
use hdl::{BigUint, Failure, Property};

hdl::port_access!(Model);

impl Engine for Model {
    fn ports(&self) -> &[PortInfo] {
        &self.ports
    }

    #[inline]
    fn poke_u64(&mut self, port: usize, value: u64) {
        let info = &self.ports[port];
        if info.width > 64 {
            return self.poke_wide(port, &[value]);
        }
        if !info.input || (info.width < 64 && value >> info.width != 0) {
            check_poke(info, &[value]);
        }
        self.binding.write(port, value);
        self.stale = true;
    }

    #[inline]
    fn peek_u64(&mut self, port: usize) -> u64 {
        let info = &self.ports[port];
        assert!(info.width <= 64, "cannot peek `{}` as 64 bits: it has {}", info.name, info.width);
        self.settle();
        self.binding.read(port)
    }

    fn poke_wide(&mut self, port: usize, limbs: &[u64]) {
        let info = &self.ports[port];
        check_poke(info, limbs);
        self.write(port, info.width, limbs);
    }

    fn peek_wide(&mut self, port: usize, limbs: &mut [u64]) {
        let info = &self.ports[port];
        let (needed, given) = (info.limbs(), limbs.len());
        assert!(given >= needed, "cannot peek `{}` into {given} limbs: it needs {needed}", info.name);
        self.settle();
        if self.ports[port].width <= 64 {
            limbs.fill(0);
            if let Some(first) = limbs.first_mut() {
                *first = self.binding.read(port);
            }
        } else {
            self.binding.read_limbs(port, limbs);
        }
    }

    fn set_reset(&mut self, domain: usize, active: bool) {
        let domains = self.resets.len();
        assert!(domain < domains, "there is no clock domain {domain}: the design has {domains}");
        self.write_reset(domain, active);
    }

    fn clocks(&self) -> &[String] {
        &self.clocks
    }

    #[inline]
    fn edge(&mut self, clocks: u64) {
        let settled = self.low && !self.stale;
        let failed = self.binding.edge(clocks, settled);
        self.stale = false;
        self.low = false;
        self.cycles += 1;
        if failed {
            self.take_failures(self.cycles - 1);
        }
    }

    /// Coverage is counted anew, and a wave ends.
    fn power_up(&mut self, contents: PowerUp) {
        let started = Binding::open(&self.library, &self.all_ports, seed(contents));
        (self.binding, _) = started.expect("it was loaded before");
        self.began.0 = contents;
        (self.stale, self.low, self.cycles) = (true, false, 0);
        self.failures.clear();
        self.release();
    }

    fn cycles(&self) -> u64 {
        self.cycles
    }

    fn memories(&self) -> &[MemoryInfo] {
        &self.inner.memories
    }

    fn read_memory(&mut self, memory: usize, address: u64, limbs: &mut [u64]) {
        self.settle();
        self.binding.read_word(self.inner.memories_at[memory], address, limbs);
    }

    fn write_memory(&mut self, memory: usize, address: u64, limbs: &[u64]) {
        // the first evaluation sets the initial contents
        self.settle();
        self.binding.write_word(self.inner.memories_at[memory], address, limbs);
        self.stale = true;
    }

    fn failures(&self) -> &[Failure] {
        &self.failures
    }

    fn keep_failures(&mut self, keep: bool) {
        self.keep_failures = keep;
    }
    fn covers(&self) -> Vec<(&Property, &str, u64)> {
        let covers = self.inner.covers.iter();
        covers.map(|c| (&c.property, c.instance.as_str(), self.binding.read(c.at))).collect()
    }

    fn choose(&mut self, name: &str, value: BigUint) {
        let index = check_choice(&self.inner.free, name, &value);
        // the first evaluation sets it to 0
        self.settle();
        self.write(self.inner.free_at[index], self.inner.free[index].width, &value.to_u64_digits());
    }
}
