//! The numbers of LAD (docs/lad.md, section 3): binary16 outside, fixed point inside. Everything is an exact integer until it is
//! rounded or cut where the page says so.

use half::f16;

use crate::golden::float::{Model, Number};

/// Places behind the point of a dot product before it becomes a score.
pub const DOT_FRACTION: u32 = 24;
/// Places behind the point of a score.
pub const SCORE_FRACTION: u32 = 16;
/// Bits of a score.
pub const SCORE_BITS: u32 = 28;
/// Places behind the point of a weight.
pub const WEIGHT_FRACTION: u32 = 22;
/// Places behind the point of the sums of numerator and denominator.
pub const SUM_FRACTION: u32 = 24;
/// Bits of these sums.
pub const SUM_BITS: u32 = 48;
/// Bits of the leading part of numerator, denominator and reciprocal.
const LEADING: u32 = 18;
/// Bits of the leading part of a dot product of two keys.
const SHORT: u32 = 16;

/// A finite binary16 number: `significand * 2^exponent`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Half {
    /// With its sign, at most 11 bits.
    pub significand: i64,
    /// That of the last place.
    pub exponent: i32,
}

impl Half {
    /// What these bits mean; they are not those of an infinity or a NaN.
    pub fn new(bits: u16) -> Half {
        let (stored, fraction) = (i32::from(bits >> 10 & 31), i64::from(bits & 0x3ff));
        let magnitude = if stored == 0 { fraction } else { fraction | 0x400 };
        Half { significand: if bits >> 15 == 1 { -magnitude } else { magnitude }, exponent: stored.max(1) - 25 }
    }
}

/// Neither an infinity nor a NaN.
pub fn is_finite(bits: u16) -> bool {
    bits & 0x7c00 != 0x7c00
}

/// `x * 2^shift`, rounded to an integer, halves upwards.
pub fn shifted(x: i128, shift: i32) -> i128 {
    match shift {
        0.. => x << shift,
        -120.. => (x + (1 << (-shift - 1))) >> -shift,
        _ => 0,
    }
}

/// A query with the factor `1/sqrt(d)`: the factor is rounded to binary16, and so is each product.
pub fn scaled_query(query: &[u16]) -> Vec<u16> {
    let factor = Half::new(f16::from_f64(1.0 / (query.len() as f64).sqrt()).to_bits());
    let product = |&bits: &u16| {
        let q = Half::new(bits);
        nearest(
            q.significand < 0 || bits >> 15 == 1,
            q.significand.unsigned_abs() as u128 * factor.significand as u128,
            q.exponent + factor.exponent,
        )
    };
    query.iter().map(product).collect()
}

/// The binary16 number nearest to `magnitude * 2^exponent`, ties to even.
fn nearest(negative: bool, magnitude: u128, exponent: i32) -> u16 {
    Model::BINARY16.bits(Number::Finite(negative, magnitude, exponent)) as u16
}

/// The sum of the products, each cut towards zero to [`DOT_FRACTION`] places. The elements are binary16 numbers: a product
/// has 22 bits, so it and its multiple by a power of two are exact in float64, and the sum has less than 63 bits.
pub fn dot(x: &[f64], y: &[f64]) -> i64 {
    const ONE: f64 = (1 << DOT_FRACTION) as f64;
    x.iter().zip(y).map(|(x, y)| (x * y * ONE) as i64).sum()
}

/// A score from a dot product: rounded to [`SCORE_FRACTION`] places, halves upwards, and whether it had to be limited.
pub fn score(dot: i64) -> (i32, bool) {
    limited(shifted(dot.into(), SCORE_FRACTION as i32 - DOT_FRACTION as i32))
}

/// The score of a key from that of its centre, and whether it had to be limited.
pub fn estimate(score: i32, factor: u16) -> (i32, bool) {
    let factor = Half::new(factor);
    limited(shifted(i128::from(score) * i128::from(factor.significand), factor.exponent))
}

fn limited(x: i128) -> (i32, bool) {
    let limit = 1 << (SCORE_BITS - 1);
    let within = x.clamp(-limit, limit - 1);
    (within as i32, within != x)
}

/// The length of a key from its dot product with itself, as the nearest binary16 number; may be infinite.
pub fn norm(square: i64) -> u16 {
    let wide = (square as u128) << 64;
    let root = wide.isqrt();
    // the root of 2^-24 is 2^-12, that of the 64 places is 2^-32; one bit says whether anything is left
    nearest(false, root << 1 | u128::from(root * root != wide), -12 - 32 - 1)
}

/// The binary16 number nearest to `1/x`, of a positive finite x; may be infinite.
pub fn reciprocal(x: u16) -> u16 {
    let x = Half::new(x);
    let (one, divisor) = (1u128 << 80, x.significand as u128);
    nearest(false, (one / divisor) << 1 | u128::from(one % divisor != 0), -81 - x.exponent)
}

/// The product of two numbers that are not negative, as the nearest binary16 number; may be infinite.
pub fn product(x: u16, y: u16) -> u16 {
    let (x, y) = (Half::new(x), Half::new(y));
    nearest(false, (x.significand * y.significand) as u128, x.exponent + y.exponent)
}

/// How far a key reaches in a centre's direction, with 16 places: the leading 16 bits of their dot product times
/// the reciprocal of the centre's length, cut.
pub fn projection(dot: i64, reciprocal: u16) -> u32 {
    let (leading, shift) = leading(dot.unsigned_abs(), SHORT);
    let factor = Half::new(reciprocal);
    let product = u128::from(leading) * factor.significand as u128;
    let shift = shift + factor.exponent - DOT_FRACTION as i32 + 16;
    let cut = if shift >= 0 { product << shift } else { product.checked_shr(-shift as u32).unwrap_or(0) };
    u32::try_from(cut).unwrap_or(u32::MAX)
}

/// Is a projection longer than `threshold / 2^16` of a length?
pub fn exceeds(projection: u32, threshold: u32, length: u16) -> bool {
    let length = Half::new(length);
    let limit = u128::from(threshold) * length.significand as u128;
    match length.exponent {
        0.. => u128::from(projection) > limit << length.exponent,
        e => u128::from(projection) << -e > limit,
    }
}

/// The leading bits of a number, cut, and by how many places it was shifted.
fn leading(x: u64, bits: u32) -> (u64, i32) {
    let length = 64 - x.leading_zeros() as i32;
    let shift = length - bits as i32;
    (if shift >= 0 { x >> shift } else { x << -shift }, shift)
}

/// One element of the output: the leading bits of the numerator times the reciprocal of the leading bits of the denominator,
/// rounded to binary16. The denominator is positive.
pub fn quotient(numerator: i64, denominator: i64) -> u16 {
    let (n, n_shift) = leading(numerator.unsigned_abs(), LEADING);
    let (d, d_shift) = leading(denominator.unsigned_abs(), LEADING);
    let reciprocal = ((1u64 << 35) - 1) / d;
    nearest(numerator < 0, u128::from(n * reciprocal), n_shift - d_shift - 35)
}
