//! Leading zero count: a balanced tree, `log2(width)` levels deep. Combinational.

use hdl::*;

/// The number of zeros above the highest one of `x`, `clog2` of the next power of two bits wide. For `x = 0` the result has no
/// meaning: the caller tests for it.
#[module]
pub fn leading_zeros(x: Signal) -> Signal {
    let width = x.width().next_power_of_two().max(2);
    let padded = if width == x.width() { x } else { x.cat(x.zeros(width - x.width())) };
    tree(padded)
}

fn tree(x: Signal) -> Signal {
    let half = x.width() / 2;
    if half == 1 {
        return !x.bit(1);
    }
    let (high, low) = (x.drop_low(half), x.trunc(half));
    let none = !high.any();
    none.cat(none.mux(tree(low), tree(high)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hdl::engine::Engine;

    ports! {
        struct CountPorts(width: u32) {
            input x: Signal = bits(width),
            output n: Signal = bits(clog2((width as usize).next_power_of_two().max(2))),
        }
    }

    #[test]
    fn counts_for_every_number_of_every_width() {
        for width in [1, 2, 3, 7, 8, 13] {
            let m = Module::new("leading_zeros");
            let io = CountPorts::new(m, width);
            io.n.set(leading_zeros(io.x));
            let design = m.finish(io).expect("legal");
            let mut sim = hdl::sim::Simulator::new(&design);
            for x in 1..1u64 << width {
                sim.poke(0, x);
                assert_eq!(sim.peek(1), u64::from(width - (64 - x.leading_zeros())), "{x} in {width} bits");
            }
        }
    }
}
