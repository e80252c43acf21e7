//! Leading zero count: a balanced tree, `log2(width)` levels deep. Combinational.

use hdl::*;

/// The number of zeros above the highest one of `x`, which has at least 2 bits; `clog2` of its width wide. For `x = 0` the result
/// has no meaning: the caller tests for it.
#[module]
pub fn leading_zeros(x: Signal) -> Signal {
    let half = x.width().next_power_of_two() / 2;
    if half == 1 {
        return !x.bit(1);
    }
    // the high half is full, the low one may lack places
    let (high, low) = (x.drop_low(x.width() - half), x.trunc(x.width() - half));
    let none = !high.any();
    let of_low = if low.width() == 1 { low.zeros(half.ilog2()) } else { leading_zeros(low).zext(half.ilog2()) };
    none.cat(none.mux(of_low, leading_zeros(high)))
}

#[cfg(test)]
mod tests {
    use super::*;

    ports! {
        struct CountPorts(width: u32) {
            input x: Signal = bits(width),
            output n: Signal = bits(clog2(width as usize)),
        }
    }

    #[test]
    fn counts_for_every_number_of_every_width() {
        for width in [2, 3, 5, 6, 7, 8, 9, 13] {
            let m = Module::new("leading_zeros");
            let io = CountPorts::new(m, width);
            io.n.set(leading_zeros(io.x));
            let design = m.finish(io).expect("legal");
            let mut sim = jit::simulator(&design);
            for x in 1..1u64 << width {
                sim.poke(0, x);
                assert_eq!(sim.peek(1), u64::from(width - (64 - x.leading_zeros())), "{x} in {width} bits");
            }
        }
    }
}
