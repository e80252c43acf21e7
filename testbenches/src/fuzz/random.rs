//! What the fuzzers share.

use hdl::{BigUint, Ports, Signal};

/// For modules whose ports are declared one by one.
#[derive(Clone, Copy)]
pub struct NoPorts;

impl Ports for NoPorts {
    fn map_ports(&self, _: &mut dyn FnMut(Signal) -> Signal) -> Self {
        NoPorts
    }
}

/// The number 1.
pub fn one() -> BigUint {
    BigUint::from(1u32)
}

/// The largest number of this many bits.
pub fn mask(width: u32) -> BigUint {
    (one() << width) - 1u32
}

/// Random numbers of a seed.
pub struct Random(fastrand::Rng);

impl Random {
    /// The same numbers for the same seed.
    pub fn new(seed: u64) -> Random {
        Random(fastrand::Rng::with_seed(seed))
    }
    /// A number from 0 to `n - 1`.
    pub fn below(&mut self, n: u32) -> u32 {
        self.0.u32(0..n)
    }
    /// True once in `n` times.
    pub fn once_in(&mut self, n: u32) -> bool {
        self.below(n) == 0
    }
    /// One of these.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.0.usize(0..from.len())]
    }
    /// A number of this many bits; often 0, the largest, the sign bit alone, or small.
    pub fn bits(&mut self, width: u32) -> BigUint {
        let any = (0..width.div_ceil(32)).fold(BigUint::ZERO, |v, _| (v << 32) | BigUint::from(self.0.u32(..)));
        match self.below(8) {
            0 => BigUint::ZERO,
            1 => mask(width),
            2 => one() << (width - 1),
            3 => any & mask(width.min(4)),
            _ => any & mask(width),
        }
    }
}

/// The text of one module.
pub fn module_text<'a>(verilog: &'a str, name: &str) -> &'a str {
    let start = verilog.find(&format!("\nmodule {name} ")).map_or(0, |at| at + 1);
    let end = verilog[start..].find("\nendmodule").map_or(verilog.len(), |at| start + at + 10);
    &verilog[start..end]
}
