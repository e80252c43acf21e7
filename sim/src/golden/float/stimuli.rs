//! Operands for tests of number units.

use super::Model;

/// Random bits, where exponents, rounding boundaries, near and equal magnitudes come up often.
pub fn stratified(r: &mut fastrand::Rng, m: Model) -> [u32; 3] {
    let mask = ((1u64 << m.width()) - 1) as u32;
    let fraction = |r: &mut fastrand::Rng| match r.u32(..6) {
        0 => 0,
        1 => (1 << m.frac) - 1,
        2 => 1 << r.u32(..m.frac),
        3 => ((1 << m.frac) - 1) << r.u32(..m.frac) & ((1 << m.frac) - 1),
        _ => r.u32(..) & ((1 << m.frac) - 1),
    };
    let exponent = |r: &mut fastrand::Rng| r.u32(..1 << m.exp);
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
