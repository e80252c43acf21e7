//! Division by 15 of a narrow number, without a divider. Combinational.
//!
//! With `n = 16h + l` is `n = 15h + (h + l)`, so `n / 15 = h + (h + l) / 15`: base-16 digits are summed as one sums decimal
//! digits to divide by 9. Two rounds leave a number below 48, whose quotient three comparisons give.

use hdl::*;

/// First half: `n` of 14 bits, at most 8206, as `15 * high + sum`; both have 10 bits.
#[module]
pub fn digit_sum(n: Signal) -> (Signal, Signal) {
    assert!(n.width() == 14, "divide15 takes 14 bits, not {}", n.width());
    let (high, low) = (n.drop_low(4), n.trunc(4)); // high <= 512
    (high, high + low.zext(10)) // the sum is <= 527
}

/// Second half: the quotient, 10 bits. A register may stand between the halves.
#[module]
pub fn quotient((high, sum): (Signal, Signal)) -> Signal {
    let (high2, low2) = (sum.drop_low(4), sum.trunc(4)); // high2 <= 32
    let rest = high2.zext(7) + low2.zext(7); // <= 47
    let last = rest.ge(15).zext(2) + rest.ge(30).zext(2) + rest.ge(45).zext(2);
    high + high2.zext(10) + last.zext(10)
}

#[cfg(test)]
mod tests {
    use super::*;

    ports! {
        struct DividePorts() {
            input n: Signal = bits(14),
            output q: Signal = bits(10),
        }
    }

    #[test]
    fn equals_division_for_every_number() {
        let m = Module::new("divide15");
        let io = DividePorts::new(m);
        io.q.set(quotient(digit_sum(io.n)));
        let design = m.finish(io).expect("legal");
        let mut sim = hdl::sim::Simulator::new(&design);
        for n in 0..=8206 {
            sim.poke(0, n);
            assert_eq!(sim.peek(1), n / 15, "{n}");
        }
    }
}
