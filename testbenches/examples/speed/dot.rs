//! The dot product of 16 binary16 numbers, with new ones in every cycle.

use super::load::{Outcome, Stopwatch};
use hdl::engine::Engine;
use hdl::{Design, Errors};
use hw::float::dot::{self, DotPorts};
use hw::float::format::{BINARY16, Subnormals};

/// The design: subnormals as zero, a register at every place.
pub fn design() -> Result<Design<DotPorts>, Errors> {
    dot::dot(BINARY16, Subnormals::Flush, 16, dot::natural(16))
}

/// Numbers of moderate size, four in a limb.
fn vectors() -> Vec<Vec<u64>> {
    let mut rng = fastrand::Rng::with_seed(9);
    let mut number = || u64::from(rng.u16(..) & 0x83ff | rng.u16(8..22) << 10);
    (0..64).map(|_| (0..4).map(|_| (0..4).fold(0, |limb, _| limb << 16 | number())).collect()).collect()
}

/// Drives it for so many cycles.
pub fn run(engine: &mut dyn Engine, cycles: u64) -> Outcome {
    let port = |name: &str| engine.port(name).expect("a port of the dot product");
    let [valid, a, b, sum] = ["in_valid", "a", "b", "y"].map(port);
    let vectors = vectors();
    engine.reset(2);
    engine.poke(valid, 1);
    engine.poke_wide(a, &vectors[0]);
    engine.poke_wide(b, &vectors[0]);
    // what an earlier run left has gone
    (0..100).for_each(|_| engine.step());
    let (start, mut checksum) = (Stopwatch::start(), 0u64);
    for i in 0..cycles as usize {
        engine.poke_wide(a, &vectors[i % 64]);
        engine.poke_wide(b, &vectors[(i * 7 + 3) % 64]);
        engine.step();
        checksum = checksum.wrapping_mul(31).wrapping_add(engine.peek(sum));
    }
    Outcome { seconds: start.seconds(), checksum }
}
