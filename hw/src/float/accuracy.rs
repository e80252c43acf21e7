//! How accurate a unit is: it is run over all its operands in the built-in simulator and compared with 64-bit floats.

use super::format::{Format, Subnormals};
use super::operand::UnaryPorts;
use hdl::Design;
use hdl::sim::Simulator;

/// `2^n` for n from -1022 to 1023; 0 below, infinity above.
pub(super) fn power_of_two(n: i32) -> f64 {
    match n {
        ..-1022 => 0.0,
        -1022..=1023 => f64::from_bits(((n + 1023) as u64) << 52),
        _ => f64::INFINITY,
    }
}

/// The value of a number; infinity counts as the power of two after the largest number. `None` for NaN.
fn value(bits: u32, f: Format, subnormals: Subnormals) -> Option<f64> {
    let (exp, frac) = (bits >> f.frac & f.top() as u32, bits & ((1 << f.frac) - 1));
    let sign = if bits >> (f.width() - 1) == 1 { -1.0 } else { 1.0 };
    let scale = |exp: u32| power_of_two(exp as i32 - f.bias() as i32 - f.frac as i32);
    let hidden = 1 << f.frac;
    Some(
        sign * match exp {
            0 if subnormals == Subnormals::Flush => 0.0,
            0 => f64::from(frac) * scale(1),
            e if u64::from(e) < f.top() => f64::from(frac | hidden) * scale(e),
            e if frac == 0 => f64::from(hidden) * scale(e),
            _ => return None,
        },
    )
}

/// The largest error of a combinational unit in units of the last place of the exact result, over all finite operands for which
/// that exists (every 2^n-th of formats wider than 16 bits). Results that are flushed to zero do not count.
pub(super) fn largest_error(
    design: &Design<UnaryPorts>,
    f: Format,
    subnormals: Subnormals,
    exact: impl Fn(f64) -> f64,
) -> f64 {
    let port = |signal| design.port_index(signal).expect("a port of the design");
    let (a, y) = (port(design.ports.a), port(design.ports.y));
    let mut sim = Simulator::new(design);
    let largest = f64::from(2 << f.frac) * power_of_two(f.top() as i32 - 1 - f.bias() as i32 - f.frac as i32);
    let least = power_of_two(1 - f.bias() as i32);
    let step = 1 << f.width().saturating_sub(16);
    let mut worst = 0.0f64;
    for bits in (0..1u32 << f.width()).step_by(step) {
        let Some(x) = value(bits, f, subnormals).filter(|_| bits >> f.frac & f.top() as u32 != f.top() as u32) else {
            continue;
        };
        let want = exact(x);
        if want.is_nan() || (subnormals == Subnormals::Flush && want < least) {
            continue;
        }
        sim.poke(a, u64::from(bits));
        let got = value(sim.peek(y) as u32, f, subnormals).unwrap_or(f64::INFINITY);
        let want = want.min(largest);
        // the exponent of a 64-bit float is in its bits
        let binade = (want.max(least).min(largest / 2.0).to_bits() >> 52) as i32 - 1023;
        worst = worst.max((got - want).abs() / power_of_two(binade - f.frac as i32));
    }
    worst
}
