//! A counter that only steps, through all numbers of its width, for as few LUTs as that takes: a shift register with feedback.
//!
//! The feedback is that of a linear one of full length, and one more gate that takes it through 0, too (a de Bruijn sequence). So it is
//! 0 again after `2^width` steps and never before. A binary counter needs a gate for each bit.
//!
//! Combinational; `width` from 1 to 6 bits.

use hdl::Signal;

/// The place whose bit is added to the last one, for each width from 2 on: x^2+x+1, x^3+x^2+1, x^4+x^3+1, x^5+x^3+1, x^6+x^5+1.
const TAPS: [u32; 5] = [0, 1, 2, 2, 4];

/// The widest counter.
pub const MAX_WIDTH: u32 = TAPS.len() as u32 + 1;

/// The number behind this one.
pub fn stepped(x: Signal) -> Signal {
    let width = x.width();
    if width == 1 {
        return !x;
    }
    let low = x.trunc(width - 1);
    low.cat(x.msb() ^ x.bit(TAPS[width as usize - 2]) ^ !low.any())
}

#[cfg(test)]
mod tests {
    use super::*;
    use hdl::engine::Engine;
    use hdl::*;

    ports! {
        struct CounterPorts(width: u32) {
            output count: Signal = bits(width),
        }
    }

    #[module]
    fn counter(width: u32) -> Result<Design<CounterPorts>, Errors> {
        let m = Module::new("counter");
        let io = CounterPorts::new(m, width);
        let count = m.reg_reset(bits(width), 0);
        count.set(stepped(count));
        io.count.set(count);
        m.finish(io)
    }

    #[test]
    fn every_width_goes_through_all_numbers() {
        for width in 1..=MAX_WIDTH {
            let mut sim = jit::simulator(&counter(width).unwrap());
            sim.reset(1);
            let mut seen = std::collections::BTreeSet::new();
            for _ in 0..1 << width {
                assert!(seen.insert(sim.peek("count")), "width {width}");
                sim.step();
            }
            assert_eq!(sim.peek("count"), 0, "width {width}");
        }
    }
}
