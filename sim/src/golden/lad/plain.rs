//! The plain tile beside LAD (docs/lad.md, section 12): every key and value once a step, online softmax, the same scores, sums and
//! quotient. The maximum is kept as a power of two, so that sums are brought to a new one by a shift.

use super::keys::to_f64;
use super::number::{Half, SUM_BITS, SUM_FRACTION, dot, is_finite, quotient, scaled_query, score, shifted};
use super::step::{Operand, Overflow, Refusal};

/// `log2(e)` with 16 places.
const LOG2_E: i64 = 94_548;
/// Lines of `2^f`, f from 0 to below 1.
const LINES: usize = 64;
/// Places of a power and of a weight.
const POWER_FRACTION: u32 = 22;
/// Places of an exponent, of which the upper ones choose the line.
const EXPONENT_FRACTION: u32 = 16;

/// Numerator and denominator of one query, position by position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OnlineSoftmax {
    /// The sums are those of weights `2^(y - exponent)`; none before the first position.
    exponent: Option<i64>,
    numerator: Vec<i128>,
    denominator: i128,
}

/// `2^f` at the ends of the lines, nearest.
fn powers() -> Vec<i64> {
    (0..=LINES).map(|i| ((i as f64 / LINES as f64).exp2() * f64::from(1 << POWER_FRACTION)).round() as i64).collect()
}

/// `2^y` for `y <= 0` with [`EXPONENT_FRACTION`] places: a line between neighbouring powers, cut, then shifted and rounded.
fn power(powers: &[i64], y: i64) -> i64 {
    let (whole, part) = (y >> EXPONENT_FRACTION, y & ((1 << EXPONENT_FRACTION) - 1));
    let within = EXPONENT_FRACTION - LINES.ilog2();
    let (line, offset) = ((part >> within) as usize, part & ((1 << within) - 1));
    let value = powers[line] + (((powers[line + 1] - powers[line]) * offset) >> within);
    shifted(value.into(), whole.max(-64) as i32) as i64
}

impl OnlineSoftmax {
    /// Of no position.
    pub fn new(head: usize) -> OnlineSoftmax {
        OnlineSoftmax { exponent: None, numerator: vec![0; head], denominator: 0 }
    }

    /// Adds a position with its score.
    pub fn add(&mut self, score: i32, value: &[u16]) {
        let y = (i64::from(score) * LOG2_E) >> EXPONENT_FRACTION;
        let above = -((-y) >> EXPONENT_FRACTION);
        let before = self.exponent.unwrap_or(above);
        let exponent = before.max(above);
        if exponent > before {
            let shift = -((exponent - before).min(64) as i32);
            self.numerator.iter_mut().for_each(|sum| *sum = shifted(*sum, shift));
            self.denominator = shifted(self.denominator, shift);
        }
        self.exponent = Some(exponent);
        let weight = power(&powers(), y - (exponent << EXPONENT_FRACTION));
        let places = SUM_FRACTION as i32 - POWER_FRACTION as i32;
        for (sum, bits) in self.numerator.iter_mut().zip(value) {
            let v = Half::new(*bits);
            *sum += shifted(i128::from(weight) * i128::from(v.significand), v.exponent + places);
        }
        self.denominator += i128::from(weight) << places;
    }

    /// The output.
    pub fn output(&self) -> Result<Vec<u16>, Refusal> {
        let limit = 1i128 << (SUM_BITS - 1);
        if self.numerator.iter().chain([&self.denominator]).any(|sum| !(-limit..limit).contains(sum)) {
            return Err(Refusal::Overflow(Overflow::Sum));
        }
        if self.denominator == 0 {
            return Err(Refusal::Denominator);
        }
        Ok(self.numerator.iter().map(|sum| quotient(*sum as i64, self.denominator as i64)).collect())
    }
}

/// One query over all keys and values, and whether a score had to be limited.
///
/// # Panics
/// If there are not as many values as keys, or their lengths differ.
pub fn attention(query: &[u16], keys: &[Vec<u16>], values: &[Vec<u16>]) -> Result<(Vec<u16>, bool), Refusal> {
    assert_eq!(keys.len(), values.len(), "a value for each key");
    let vectors = keys.iter().map(|key| (Operand::Key, key)).chain(values.iter().map(|value| (Operand::Value, value)));
    let first = query.iter().position(|bits| !is_finite(*bits)).map(|element| (Operand::Query(0), element));
    let not_finite = |(operand, vector): (Operand, &Vec<u16>)| {
        assert_eq!(vector.len(), query.len(), "elements of the {operand}");
        vector.iter().position(|bits| !is_finite(*bits)).map(|element| (operand, element))
    };
    if let Some((operand, element)) = first.or_else(|| vectors.into_iter().find_map(not_finite)) {
        return Err(Refusal::NotFinite { operand, element });
    }
    let scaled = to_f64(&scaled_query(query));
    let (mut softmax, mut saturated) = (OnlineSoftmax::new(query.len()), false);
    for (key, value) in keys.iter().zip(values) {
        let (score, limited) = score(dot(&scaled, &to_f64(key)));
        softmax.add(score, value);
        saturated |= limited;
    }
    Ok((softmax.output()?, saturated))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::golden::lad::real;

    #[test]
    fn powers_are_within_three_parts_in_100_000() {
        let powers = powers();
        for y in (-(20 << 16)..=0).step_by(37) {
            let (found, exact) = (power(&powers, y) as f64 / f64::from(1 << 22), (y as f64 / 65536.0).exp2());
            assert!((found - exact).abs() <= 3e-5 * exact + 2f64.powi(-22), "{y}: {found}, exactly {exact}");
        }
        assert_eq!((power(&powers, 0), power(&powers, -1 << 16), power(&powers, -(100 << 16))), (1 << 22, 1 << 21, 0));
    }

    #[test]
    fn whatever_the_order_it_is_attention() {
        let mut random = fastrand::Rng::with_seed(crate::bus::seed(1));
        let mut vector = |size: f64| -> Vec<u16> {
            (0..16).map(|_| half::f16::from_f64((random.f64() - 0.5) * size).to_bits()).collect()
        };
        let mut positions: Vec<(Vec<u16>, Vec<u16>)> = (0..300).map(|_| (vector(8.0), vector(2.0))).collect();
        let query = vector(8.0);
        let score_of = |key: &[u16]| real::scores(&to_f64(&query), &[to_f64(key)])[0];
        // as they come, the maximum first, the maximum last: it moves often
        for order in 0..3 {
            match order {
                1 => positions.sort_by(|a, b| score_of(&b.0).total_cmp(&score_of(&a.0))),
                2 => positions.sort_by(|a, b| score_of(&a.0).total_cmp(&score_of(&b.0))),
                _ => {}
            }
            let (keys, values): (Vec<_>, Vec<_>) = positions.iter().cloned().unzip();
            for count in [1, 2, 17, 300] {
                let (output, saturated) = attention(&query, &keys[..count], &values[..count]).unwrap();
                let [keys, values] =
                    [&keys, &values].map(|all| all[..count].iter().map(|bits| to_f64(bits)).collect::<Vec<_>>());
                let exact = real::attention(&to_f64(&query), &keys, &values);
                let error = real::relative_error(&to_f64(&output), &exact);
                assert!(error < 5e-4 && !saturated, "order {order}, {count} positions: {error}");
            }
        }
    }

    #[test]
    fn what_is_refused() {
        let (one, nan) = (vec![0x3c00; 16], [vec![0x3c00; 15], vec![0x7e00]].concat());
        let of = |query: &[u16], key: &[u16], value: &[u16]| attention(query, &[key.to_vec()], &[value.to_vec()]);
        let not_finite = |operand| Err(Refusal::NotFinite { operand, element: 15 });
        assert_eq!(of(&nan, &nan, &one), not_finite(Operand::Query(0)));
        assert_eq!(of(&one, &nan, &nan), not_finite(Operand::Key));
        assert_eq!(of(&one, &one, &nan), not_finite(Operand::Value));
        assert_eq!(of(&one, &one, &one), Ok((one.clone(), false)));
        let large = vec![0x7bff; 16];
        assert_eq!(of(&large, &large, &one), Ok((one.clone(), true)));
        assert_eq!(attention(&one, &vec![one.clone(); 200], &vec![large; 200]), Err(Refusal::Overflow(Overflow::Sum)));
        assert_eq!(attention(&one, &[], &[]), Err(Refusal::Denominator));
    }
}
