//! The header and the steps in it (section 3).

use super::dense::DenseBits;
use super::error::{FormatError, StepName};
use super::number::Side;
use super::thresholds::Thresholds;

/// A 13-bit step: 0, or `(128 + fraction) * 2^(exponent - 32)`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// `E`, 0 to [`DenseBits::max_step_exponent`]; 0 only for the step 0.
    pub exponent: u32,
    /// `F`, 0 to 127.
    pub fraction: u32,
}

impl Step {
    /// The step 0.
    pub const ZERO: Step = Step { exponent: 0, fraction: 0 };

    /// `m = 128 + F`; 0 for the step 0.
    pub fn mantissa(self) -> u64 {
        if self.exponent == 0 { 0 } else { 128 + u64::from(self.fraction) }
    }

    /// The step as a number.
    pub fn to_f64(self) -> f64 {
        self.mantissa() as f64 * 2f64.powi(self.exponent as i32 - 32)
    }

    fn to_bits(self) -> u64 {
        u64::from(self.exponent << 7 | self.fraction)
    }

    fn from_bits(bits: u64) -> Self {
        Self { exponent: (bits >> 7) as u32 & 63, fraction: bits as u32 & 127 }
    }

    /// Checks a step against section 3; `added` are the thresholds (magnitude integers) that its group adds.
    fn check(self, name: StepName, dense_bits: DenseBits, added: &[u64]) -> Result<(), FormatError> {
        let Step { exponent, fraction } = self;
        if exponent == 0 && fraction != 0 {
            return Err(FormatError::ZeroStepWithFraction { name, fraction });
        }
        if exponent > dense_bits.max_step_exponent() {
            return Err(FormatError::StepExponent { name, exponent, dense_bits });
        }
        let least = least_exponent(added);
        if exponent != 0 && exponent < least {
            return Err(FormatError::StepTooFine { name, exponent, least, dense_bits });
        }
        Ok(())
    }
}

/// The least `E` of a step that is not 0 in a group that adds the thresholds given (magnitude integers).
pub(super) fn least_exponent(added: &[u64]) -> u32 {
    let finest_beside = |&t: &u64| t.ilog2().saturating_sub(6);
    added.iter().filter(|&&t| t != 0).map(finest_beside).fold(1, u32::max)
}

/// The thresholds that the values of each step's group have added.
pub(super) fn added_thresholds(name: StepName, thresholds: &Thresholds) -> Vec<u64> {
    match name {
        StepName::Middle => vec![thresholds.t(Side::Positive), thresholds.t(Side::Negative)],
        StepName::OuterPositive => vec![thresholds.s(Side::Positive)],
        StepName::OuterNegative => vec![thresholds.s(Side::Negative)],
        StepName::Inner => vec![],
    }
}

/// The fields of the header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// Step of the middle group.
    pub middle: Step,
    /// Step of the outer group, positive side.
    pub outer_positive: Step,
    /// Step of the outer group, negative side.
    pub outer_negative: Step,
    /// Step of the inner group.
    pub inner: Step,
    /// The number of middle codes that belong to the negative side, 0 to [`DenseBits::codes`].
    pub split: u32,
    /// The vector held a NaN or an infinity.
    pub nonfinite: bool,
    /// The width of the codes.
    pub dense_bits: DenseBits,
}

impl Header {
    /// The 64 bits.
    pub fn to_bits(&self) -> u64 {
        self.middle.to_bits()
            | self.outer_positive.to_bits() << 13
            | self.outer_negative.to_bits() << 26
            | self.inner.to_bits() << 39
            | u64::from(self.split & 31) << 52
            | u64::from(self.nonfinite) << 57
            | u64::from(self.split >> 5) << 58
            | self.dense_bits.to_header_field() << 60
    }

    /// Reads the 64 bits; they must obey section 3 for this width and these thresholds.
    pub fn from_bits(bits: u64, dense_bits: DenseBits, thresholds: &Thresholds) -> Result<Self, FormatError> {
        let header = Self {
            middle: Step::from_bits(bits),
            outer_positive: Step::from_bits(bits >> 13),
            outer_negative: Step::from_bits(bits >> 26),
            inner: Step::from_bits(bits >> 39),
            split: (bits >> 52) as u32 & 31 | ((bits >> 58) as u32 & 3) << 5,
            nonfinite: bits >> 57 & 1 == 1,
            dense_bits,
        };
        if bits >> 63 != 0 {
            return Err(FormatError::ReservedBit);
        }
        let found = DenseBits::in_header(bits);
        if found != dense_bits.get() {
            return Err(FormatError::Width { found, dense_bits });
        }
        for name in StepName::ALL {
            header.step(name).check(name, dense_bits, &added_thresholds(name, thresholds))?;
        }
        if header.split > dense_bits.codes() {
            return Err(FormatError::Split { found: header.split, dense_bits });
        }
        Ok(header)
    }

    /// The step with a name.
    pub fn step(&self, name: StepName) -> Step {
        match name {
            StepName::Middle => self.middle,
            StepName::OuterPositive => self.outer_positive,
            StepName::OuterNegative => self.outer_negative,
            StepName::Inner => self.inner,
        }
    }

    /// The step of the outer group on a side.
    pub fn outer(&self, side: Side) -> Step {
        match side {
            Side::Positive => self.outer_positive,
            Side::Negative => self.outer_negative,
        }
    }
}
