//! The reciprocal of a step's mantissa: a table of 128 entries. Combinational.
//!
//! The paper's engine (section 5.2) divides by the range once a vector. Here a step has only seven fraction bits, so its
//! reciprocal is a table: 128 x 10 bits, some 90 LUT4, against 230 for a pipelined divider of that quotient.

use hdl::*;

/// `floor(2^16 / (128 + fraction))` for the 7 bits of `fraction`: 257 to 512, 10 bits.
#[module]
pub fn reciprocal(m: Module, fraction: Signal) -> Signal {
    let table = m.memory(bits(10), 128).style(RamStyle::Registers).init((0..128u32).map(|f| (1 << 16) / (128 + f)));
    table.read(fraction)
}

#[cfg(test)]
mod tests {
    use super::*;

    ports! {
        struct ReciprocalPorts() {
            input fraction: Signal = bits(7),
            output r: Signal = bits(10),
        }
    }

    #[test]
    fn every_fraction() {
        let m = Module::new("reciprocal");
        let io = ReciprocalPorts::new(m);
        io.r.set(reciprocal(m, io.fraction));
        let design = m.finish(io).expect("legal");
        let mut sim = jit::simulator(&design);
        for f in 0..128 {
            sim.poke(0, f);
            let r = sim.peek(1);
            let m = 128 + f;
            assert!(r * m <= 1 << 16 && (r + 1) * m > 1 << 16, "r = {r} for m = {m}");
        }
    }
}
