//! Division of a narrow number by 7, 15, 31 or 63, without a divider. Combinational.
//!
//! With `d = 2^b - 1` and `n = 2^b * h + l` is `n = d*h + (h + l)`, so `n / d = h + (h + l) / d`: base-2^b digits are summed as one
//! sums decimal digits to divide by 9. Two rounds, three for 7, leave a number whose quotient one to three comparisons give.
//!
//! Parameter: `b`, the ones of the divisor, 3 to 6.

use hdl::*;

/// First half: `n` of `10 + b` bits, at most `2^(9+b) + 2^b - 2`, as `(2^b - 1) * high + sum`; both have 10 bits.
#[module]
pub fn digit_sum(n: Signal, b: u32) -> (Signal, Signal) {
    assert!((3..=6).contains(&b) && n.width() == 10 + b, "{} bits to be divided by {b} ones", n.width());
    let (high, low) = (n.drop_low(b), n.trunc(b)); // high <= 512
    (high, high + low.zext(10)) // the sum is <= 575
}

/// Second half: the quotient, 10 bits. A register may stand between the halves.
#[module]
pub fn quotient((high, sum): (Signal, Signal), b: u32) -> Signal {
    let (high2, low2) = (sum.drop_low(b), sum.trunc(b));
    let rest = high2.zext(7) + low2.zext(7); // <= 71, 47, 47, 71
    if b == 3 {
        let (high3, low3) = (rest.drop_low(3), rest.trunc(3)); // high3 <= 8
        let last = small(high3.zext(7) + low3.zext(7), 7, 15);
        return high + high2.zext(10) + high3.zext(10) + last.zext(10);
    }
    let last = small(rest, (1 << b) - 1, if b == 6 { 71 } else { 47 });
    high + high2.zext(10) + last.zext(10)
}

/// The quotient by `d` of a number that is at most `most`, 2 bits: one comparison for each multiple.
fn small(rest: Signal, d: u32, most: u32) -> Signal {
    (1..=most / d).map(|i| rest.ge(i * d).zext(2)).reduce(|sum, ge| sum + ge).unwrap_or(rest.zeros(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    ports! {
        struct DividePorts(b: u32) {
            input n: Signal = bits(10 + b),
            output q: Signal = bits(10),
        }
    }

    #[test]
    fn equals_division_for_every_number() {
        for b in 3..=6 {
            let m = Module::new("divide_by_ones");
            let io = DividePorts::new(m, b);
            io.q.set(quotient(digit_sum(io.n, b), b));
            let design = m.finish(io).expect("legal");
            let mut sim = jit::simulator(&design);
            let d = (1 << b) - 1;
            for n in 0..=(1 << (9 + b)) + d - 1 {
                sim.poke(0, n);
                assert_eq!(sim.peek(1), n / d, "{n} / {d}");
            }
        }
    }
}
