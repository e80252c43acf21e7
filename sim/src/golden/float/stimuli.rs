//! Operands that find mistakes in number units: all pairs of exponents, rounding boundaries, cancellations, the edges of the
//! range, special numbers, and anything.

use super::Model;
use fastrand::Rng;

/// Random bits, where exponents, rounding boundaries, near and equal magnitudes come up often.
pub fn stratified(r: &mut Rng, m: Model) -> [u32; 3] {
    let mask = ((1u64 << m.width()) - 1) as u32;
    let fraction = |r: &mut Rng| match r.u32(..6) {
        0 => 0,
        1 => (1 << m.frac) - 1,
        2 => 1 << r.u32(..m.frac),
        3 => ((1 << m.frac) - 1) << r.u32(..m.frac) & ((1 << m.frac) - 1),
        _ => r.u32(..) & ((1 << m.frac) - 1),
    };
    let exponent = |r: &mut Rng| r.u32(..1 << m.exp);
    let mut x = [0; 3].map(|_| (r.u32(..2) << m.exp | exponent(r)) << m.frac | fraction(r));
    match r.u32(..8) {
        0 => x[1] = x[0] ^ 1 << r.u32(..m.width()), // near and equal
        1 => x[1] = x[0].wrapping_add(r.u32(..64) << m.frac) & mask,
        // c near the product: exponents add up
        2 | 3 => {
            let e = |x: u32| x >> m.frac & ((1 << m.exp) - 1);
            let near = (e(x[0]) + e(x[1]) + r.u32(..5)).wrapping_sub((1 << (m.exp - 1)) + 1);
            x[2] = x[2] & !(((1 << m.exp) - 1) << m.frac) | (near & ((1 << m.exp) - 1)) << m.frac;
        }
        _ => {}
    }
    x
}

/// How many numbers one round through the strata of [`pair`] and [`triple`] takes.
pub const STRATA: u64 = 8;

/// Two operands.
pub fn pair(m: Model, index: u64) -> [u32; 2] {
    let mut rng = Rng::with_seed(index);
    let rng = &mut rng;
    let exponents = 1u64 << m.exp;
    let turn = index / STRATA;
    let a = number(m, rng);
    match index % STRATA {
        // every pair of exponents in turn
        0 => {
            let (x, y) = (turn % exponents, turn / exponents % exponents);
            [
                from_parts(m, rng.bool(), x as u32, fraction(m, rng)),
                from_parts(m, rng.bool(), y as u32, fraction(m, rng)),
            ]
        }
        // cancellation: the other sign, a few places away, or an exponent away
        1 => [a, near(m, a ^ m.zero(true), rng)],
        // where the last places of one meet the first of the other
        2 => {
            let distance = rng.u32(0..m.frac + 4);
            let exponent = exponent_of(m, a).saturating_sub(distance);
            [a, from_parts(m, rng.bool(), exponent, fraction(m, rng))]
        }
        // products around the smallest normal and the smallest subnormal number
        3 => [a, partner(m, a, -(rng.i32(0..m.frac as i32 + 4)), rng)],
        // products around the largest number
        4 => [a, partner(m, a, (1 << m.exp) - 4 + rng.i32(0..5), rng)],
        5 => [special(m, rng), if rng.bool() { special(m, rng) } else { a }],
        6 => [a, number(m, rng)],
        _ => [any(m, rng), any(m, rng)],
    }
}

/// Three operands, of `a * b + c`.
pub fn triple(m: Model, index: u64) -> [u32; 3] {
    let [a, b] = pair(m, index / 4);
    let mut rng = Rng::with_seed(!index);
    let rng = &mut rng;
    let product = m.multiply(a, b);
    let c = match index % 4 {
        // the product nearly cancels
        0 => near(m, product ^ m.zero(true), rng),
        // the product's last places meet the first ones of c, or the other way round
        1 => {
            let exponent = exponent_of(m, product) as i32 + rng.i32(-(2 * m.frac as i32 + 4)..m.frac as i32 + 4);
            let exponent = exponent.clamp(0, (1 << m.exp) - 2) as u32;
            from_parts(m, rng.bool(), exponent, fraction(m, rng))
        }
        2 => number(m, rng),
        _ => {
            if rng.u32(0..4) == 0 {
                special(m, rng)
            } else {
                any(m, rng)
            }
        }
    };
    [a, b, c]
}

fn from_parts(m: Model, negative: bool, exponent: u32, fraction: u32) -> u32 {
    m.zero(negative) | exponent << m.frac | fraction
}

fn exponent_of(m: Model, x: u32) -> u32 {
    x >> m.frac & ((1 << m.exp) - 1)
}

/// Any bit pattern.
fn any(m: Model, rng: &mut Rng) -> u32 {
    rng.u32(..) >> (32 - m.width())
}

/// Any exponent, a fraction of interest.
fn number(m: Model, rng: &mut Rng) -> u32 {
    from_parts(m, rng.bool(), rng.u32(0..1 << m.exp), fraction(m, rng))
}

/// Fractions whose sums and products lie on rounding boundaries: none, all, a run of ones, few ones, and any.
fn fraction(m: Model, rng: &mut Rng) -> u32 {
    let mask = (1u32 << m.frac) - 1;
    let run = mask >> rng.u32(0..m.frac) & mask << rng.u32(0..m.frac);
    let (bit, other) = (1 << rng.u32(0..m.frac), 1 << rng.u32(0..m.frac));
    match rng.u32(0..8) {
        0 => 0,
        1 => mask,
        2 => run,
        3 => bit,
        4 => mask ^ bit,
        5 => bit | other,
        _ => rng.u32(..) & mask,
    }
}

/// A bit pattern at most 4 away, or a power of two away.
fn near(m: Model, x: u32, rng: &mut Rng) -> u32 {
    let mask = u32::MAX >> (32 - m.width());
    let moved = match rng.u32(0..4) {
        0 => x.wrapping_add(1 << m.frac),
        1 => x.wrapping_sub(1 << m.frac),
        _ => x,
    };
    moved.wrapping_add(rng.u32(0..9)).wrapping_sub(4) & mask
}

/// A number whose product with `a` has this stored exponent, or one more, as far as there is one.
fn partner(m: Model, a: u32, exponent: i32, rng: &mut Rng) -> u32 {
    let bias = (1 << (m.exp - 1)) - 1;
    let wanted = (exponent + bias - exponent_of(m, a) as i32).clamp(0, (1 << m.exp) - 2);
    from_parts(m, rng.bool(), wanted as u32, fraction(m, rng))
}

/// Zero, the smallest and largest numbers of each kind, one, infinity, quiet and signalling NaN.
fn special(m: Model, rng: &mut Rng) -> u32 {
    let (one, least, infinity) = (((1 << (m.exp - 1)) - 1) << m.frac, 1 << m.frac, m.infinity(false));
    let all = [0, 1, least - 1, least, least + 1, one, one + 1, infinity - 1, infinity, m.nan(), infinity + 1];
    m.zero(rng.bool()) | all[rng.usize(0..all.len())]
}
