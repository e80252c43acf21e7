//! The paper's own equations in float64, to measure the record format against.
//!
//! Nothing is rounded to binary16 here, and nothing is shared with the bit-exact model but the thresholds.

use half::f16;

use super::oaken::{DenseBits, Thresholds};

/// Numbers of binary16 bit patterns.
pub fn to_f64(vector: &[u16]) -> Vec<f64> {
    vector.iter().map(|&bits| f16::from_bits(bits).to_f64()).collect()
}

/// Quantizes one token's vector with Oaken's equations (sections 4.3 and 4.4) and gives what comes back.
///
/// Groups by equation 1; outer and middle values lose the threshold of their side; each group has one scale per token,
/// `(2^B - 1) / (max - min)` with `dense_bits` (4 in the paper) for the middle and one more for the other groups, whose
/// codes have a bit in the sparse part as well (equation 2), and codes
/// `round((x - min) * scale)` (equation 3). The inverse adds the threshold of the side that the value really had. A
/// group with `max == min` comes back as it was. Elements must be finite.
pub fn oaken(vector: &[f64], dense_bits: DenseBits, thresholds: &Thresholds) -> Vec<f64> {
    let bits = dense_bits.get() as i32;
    let [s_low, t_low, t_high, s_high] = thresholds.values().map(f64::from);
    let is_outer = |x: f64| x < s_low || x > s_high;
    let is_inner = |x: f64| t_low <= x && x <= t_high && !is_outer(x);
    let is_middle = |x: f64| !is_outer(x) && !is_inner(x);

    let mut result = vector.to_vec();
    quantize_group(&mut result, vector, is_outer, |x| if x > 0.0 { s_high } else { s_low }, bits + 1);
    quantize_group(&mut result, vector, is_middle, |x| if x > 0.0 { t_high } else { t_low }, bits);
    quantize_group(&mut result, vector, is_inner, |_| 0.0, bits + 1);
    result
}

/// Quantizes one token's vector uniformly between its least and its greatest element, and gives what comes back.
pub fn uniform(vector: &[f64], bits: i32) -> Vec<f64> {
    let mut result = vector.to_vec();
    quantize_group(&mut result, vector, |_| true, |_| 0.0, bits);
    result
}

fn quantize_group(
    result: &mut [f64],
    vector: &[f64],
    is_in_group: impl Fn(f64) -> bool,
    shift: impl Fn(f64) -> f64,
    bits: i32,
) {
    let shifted: Vec<f64> = vector.iter().filter(|&&x| is_in_group(x)).map(|&x| x - shift(x)).collect();
    let min = shifted.iter().copied().fold(f64::INFINITY, f64::min);
    let max = shifted.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if shifted.is_empty() || min == max {
        return;
    }
    let scale = (2f64.powi(bits) - 1.0) / (max - min);
    for (out, &x) in result.iter_mut().zip(vector).filter(|&(_, &x)| is_in_group(x)) {
        let code = ((x - shift(x) - min) * scale).round();
        *out = code / scale + min + shift(x);
    }
}

/// Signal and noise energy, added up over vectors.
#[derive(Clone, Copy, Debug, Default)]
pub struct Noise {
    signal: f64,
    noise: f64,
}

impl Noise {
    /// Adds one vector and what came back for it, of the same length.
    pub fn add(&mut self, original: &[f64], result: &[f64]) {
        assert_eq!(original.len(), result.len(), "a vector and its result differ in length");
        self.signal += original.iter().map(|x| x * x).sum::<f64>();
        self.noise += original.iter().zip(result).map(|(x, y)| (x - y) * (x - y)).sum::<f64>();
    }

    /// Signal to quantization noise in dB; infinite if nothing was lost.
    pub fn sqnr_db(&self) -> f64 {
        if self.noise == 0.0 { f64::INFINITY } else { 10.0 * (self.signal / self.noise).log10() }
    }
}

/// Signal to quantization noise of one vector, or of several in a row, in dB.
pub fn sqnr_db(original: &[f64], result: &[f64]) -> f64 {
    let mut noise = Noise::default();
    noise.add(original, result);
    noise.sqnr_db()
}

/// The same of binary16 numbers beside exact ones.
pub fn decibels(exact: &[f64], found: &[u16]) -> f64 {
    sqnr_db(exact, &to_f64(found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uniform_gives_the_equations_levels() {
        // 0 to 15 in 4 bits: levels at the integers.
        let vector = [0.0, 15.0, 3.4, 3.6, 7.5];
        assert_eq!(uniform(&vector, 4), [0.0, 15.0, 3.0, 4.0, 8.0]);
        assert_eq!(uniform(&[2.5; 4], 4), [2.5; 4]);
    }

    #[test]
    fn oaken_shifts_each_group_and_scales_it_by_itself() {
        let thresholds = Thresholds::from_f32(-8.0, -1.0, 1.0, 8.0).unwrap();
        // Middle, shifted: -3, 4.5 and 0.2; scale 15 / 7.5 = 2, so 0.2 becomes code 6.4 -> 6 -> 0.0.
        // Outer, shifted: 31, 0.6 and 0 would not be outer: min 0.6 - with -8 off, -9 is -1, so -1 to 31, scale 31/32.
        let vector = [-4.0, 5.5, 1.2, 39.0, -9.0, 0.5, 0.5, 8.6];
        let result = oaken(&vector, DenseBits::PAPER, &thresholds);
        let expected = [-4.0, 5.5, 1.0, 39.0, -9.0, 0.5, 0.5, 2.0 * 32.0 / 31.0 - 1.0 + 8.0];
        for (result, expected) in result.iter().zip(expected) {
            assert!((result - expected).abs() < 1e-12, "{result} for {expected}");
        }
    }

    #[test]
    fn sqnr_of_a_tenth_of_the_amplitude_is_20_db() {
        assert!((sqnr_db(&[10.0, -10.0], &[9.0, -11.0]) - 20.0).abs() < 1e-12);
        assert_eq!(sqnr_db(&[1.0], &[1.0]), f64::INFINITY);
    }
}
