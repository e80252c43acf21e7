//! The four thresholds of a layer's keys or values.

use half::f16;
use thiserror::Error;

use super::number::{Side, magnitude};

/// Four finite binary16 numbers with `S_low <= T_low <= 0 <= T_high <= S_high`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thresholds {
    s_low: u16,
    t_low: u16,
    t_high: u16,
    s_high: u16,
}

/// Why four numbers are no thresholds.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ThresholdError {
    /// A threshold is NaN or infinite, perhaps only as a binary16.
    #[error("threshold {name} is {value}: it must be a finite binary16 number, from -65504 to 65504")]
    NotFinite {
        /// Which of the four.
        name: &'static str,
        /// The number given.
        value: f32,
    },
    /// Two neighbours are in the wrong order.
    #[error(
        "threshold {lower} is {lower_value}, above {upper} with {upper_value}: \
         legal is S_low <= T_low <= 0 <= T_high <= S_high"
    )]
    Order {
        /// The one that must not be greater.
        lower: &'static str,
        /// Its value.
        lower_value: f32,
        /// The one that must not be smaller: a threshold, or zero.
        upper: &'static str,
        /// Its value.
        upper_value: f32,
    },
}

impl Thresholds {
    /// Thresholds from their binary16 bit patterns, in ascending order.
    pub fn from_bits(s_low: u16, t_low: u16, t_high: u16, s_high: u16) -> Result<Self, ThresholdError> {
        let thresholds = Self { s_low, t_low, t_high, s_high };
        let [s_low, t_low, t_high, s_high] = thresholds.values();
        let named = [("S_low", s_low), ("T_low", t_low), ("zero", 0.0), ("T_high", t_high), ("S_high", s_high)];
        if let Some(&(name, value)) = named.iter().find(|(_, value)| !value.is_finite()) {
            return Err(ThresholdError::NotFinite { name, value });
        }
        for pair in named.windows(2) {
            let ((lower, lower_value), (upper, upper_value)) = (pair[0], pair[1]);
            if lower_value > upper_value {
                return Err(ThresholdError::Order { lower, lower_value, upper, upper_value });
            }
        }
        Ok(thresholds)
    }

    /// Thresholds from numbers, in ascending order, each rounded to binary16 (to nearest, ties to even).
    pub fn from_f32(s_low: f32, t_low: f32, t_high: f32, s_high: f32) -> Result<Self, ThresholdError> {
        for (name, value) in [("S_low", s_low), ("T_low", t_low), ("T_high", t_high), ("S_high", s_high)] {
            if !f16::from_f32(value).is_finite() {
                return Err(ThresholdError::NotFinite { name, value });
            }
        }
        let bits = |value| f16::from_f32(value).to_bits();
        Self::from_bits(bits(s_low), bits(t_low), bits(t_high), bits(s_high))
    }

    /// The bit patterns: S_low, T_low, T_high, S_high.
    pub fn bits(&self) -> [u16; 4] {
        [self.s_low, self.t_low, self.t_high, self.s_high]
    }

    /// The numbers: S_low, T_low, T_high, S_high.
    pub fn values(&self) -> [f32; 4] {
        self.bits().map(|bits| f16::from_bits(bits).to_f32())
    }

    /// The magnitude integer of S on a side.
    pub fn s(&self, side: Side) -> u64 {
        match side {
            Side::Positive => magnitude(self.s_high),
            Side::Negative => magnitude(self.s_low),
        }
    }

    /// The magnitude integer of T on a side.
    pub fn t(&self, side: Side) -> u64 {
        match side {
            Side::Positive => magnitude(self.t_high),
            Side::Negative => magnitude(self.t_low),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_violation_of_the_order_is_named() {
        let message = |a, b, c, d| Thresholds::from_f32(a, b, c, d).unwrap_err().to_string();
        let legal = "legal is S_low <= T_low <= 0 <= T_high <= S_high";
        assert_eq!(message(-1.0, -2.0, 1.0, 2.0), format!("threshold S_low is -1, above T_low with -2: {legal}"));
        assert_eq!(message(-1.0, 0.5, 1.0, 2.0), format!("threshold T_low is 0.5, above zero with 0: {legal}"));
        assert_eq!(message(-1.0, -0.5, -0.25, 2.0), format!("threshold zero is 0, above T_high with -0.25: {legal}"));
        assert_eq!(message(-1.0, -0.5, 3.0, 2.0), format!("threshold T_high is 3, above S_high with 2: {legal}"));
    }

    #[test]
    fn numbers_beyond_binary16_are_refused() {
        let message = |value| Thresholds::from_f32(-1.0, -0.5, 0.5, value).unwrap_err().to_string();
        let legal = "it must be a finite binary16 number, from -65504 to 65504";
        assert_eq!(message(70000.0), format!("threshold S_high is 70000: {legal}"));
        assert_eq!(message(f32::NAN), format!("threshold S_high is NaN: {legal}"));
        let bits = Thresholds::from_bits(0xfc00, 0, 0, 0).unwrap_err().to_string();
        assert_eq!(bits, format!("threshold S_low is -inf: {legal}"));
    }

    #[test]
    fn zeros_of_either_sign_and_equal_neighbours_are_legal() {
        assert!(Thresholds::from_bits(0, 0, 0, 0).is_ok());
        assert!(Thresholds::from_bits(0x8000, 0, 0x8000, 0x8000).is_ok());
        assert!(Thresholds::from_f32(-1.0, -1.0, 1.0, 1.0).is_ok());
    }
}
