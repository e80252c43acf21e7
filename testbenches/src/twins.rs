//! Any power-up, by simulation: two copies of a design whose registers and memories begin with other contents, with the same inputs and
//! resets. From the first reset on, handshakes and statuses must be the same, and payloads while they are valid.
//!
//! This is what the proofs `power_up_...` say of parts, for whole designs and whatever a driver does; not for all inputs.

use crate::outputs::{Kind, kinds};
use hdl::BigUint;
use hdl::engine::{Engine, MemoryInfo, PortInfo, PowerUp, big_from_limbs};

/// The two copies as one engine: what comes out is that of the first one.
pub struct Twins<'e> {
    one: &'e mut dyn Engine,
    other: &'e mut dyn Engine,
    kinds: Vec<Kind>,
    in_reset: bool,
    /// There was a reset since power came on.
    reset: bool,
    /// Values of outputs that had to be the same.
    pub compared: u64,
}

/// Another seed than the one that a copy begins with.
const OTHER: u64 = 0x0ddba11;

impl<'e> Twins<'e> {
    /// Copies of one design; the other one begins with random contents of its own.
    pub fn new(one: &'e mut dyn Engine, other: &'e mut dyn Engine) -> Twins<'e> {
        other.power_up(PowerUp::Random(OTHER));
        let kinds = kinds(one.ports());
        Twins { one, other, kinds, in_reset: false, reset: false, compared: 0 }
    }

    /// # Panics
    /// If outputs differ that must not.
    fn compare(&mut self) {
        for port in (0..self.kinds.len()).filter(|port| !self.one.ports()[*port].input).collect::<Vec<_>>() {
            if let Kind::While(valid) = self.kinds[port]
                && self.one.peek_u64(valid) == 0
            {
                continue;
            }
            let values = [value(self.one, port), value(self.other, port)];
            let (name, edge) = (&self.one.ports()[port].name, self.one.cycles());
            assert_eq!(values[0], values[1], "edge {edge}: `{name}` depends on what there was before the reset");
            self.compared += 1;
        }
    }
}

fn value(engine: &mut dyn Engine, port: usize) -> BigUint {
    let mut limbs = vec![0; engine.ports()[port].limbs()];
    engine.peek_wide(port, &mut limbs);
    big_from_limbs(&limbs)
}

impl Engine for Twins<'_> {
    fn edge(&mut self, clocks: u64) {
        if self.reset && !self.in_reset {
            self.compare();
        }
        self.one.edge(clocks);
        self.other.edge(clocks);
    }
    fn set_reset(&mut self, domain: usize, active: bool) {
        self.in_reset = active;
        self.reset |= active;
        self.one.set_reset(domain, active);
        self.other.set_reset(domain, active);
    }
    fn power_up(&mut self, contents: PowerUp) {
        (self.in_reset, self.reset) = (false, false);
        self.one.power_up(contents);
        self.other.power_up(PowerUp::Random(OTHER));
    }
    fn ports(&self) -> &[PortInfo] {
        self.one.ports()
    }
    fn poke_u64(&mut self, port: usize, value: u64) {
        self.one.poke_u64(port, value);
        self.other.poke_u64(port, value);
    }
    fn peek_u64(&mut self, port: usize) -> u64 {
        self.one.peek_u64(port)
    }
    fn poke_wide(&mut self, port: usize, limbs: &[u64]) {
        self.one.poke_wide(port, limbs);
        self.other.poke_wide(port, limbs);
    }
    fn peek_wide(&mut self, port: usize, limbs: &mut [u64]) {
        self.one.peek_wide(port, limbs);
    }
    fn clocks(&self) -> &[String] {
        self.one.clocks()
    }
    fn cycles(&self) -> u64 {
        self.one.cycles()
    }
    fn memories(&self) -> &[MemoryInfo] {
        self.one.memories()
    }
}
