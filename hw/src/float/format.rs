//! Floating point formats, and how a number of one is taken apart.

use hdl::*;

/// A binary floating point format: a sign bit, `exp` bits of exponent, `frac` bits of fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Format {
    /// Bits of the exponent, 2 to 8.
    pub exp: u32,
    /// Bits of the fraction, 2 to 23.
    pub frac: u32,
}

/// IEEE 754 binary16.
pub const BINARY16: Format = Format { exp: 5, frac: 10 };
/// bfloat16: the upper half of a binary32.
pub const BFLOAT16: Format = Format { exp: 8, frac: 7 };

/// What becomes of subnormal numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Subnormals {
    /// As IEEE 754 has it.
    Keep,
    /// They are read as zeros. A result is rounded as if exponents had no lower end; one that is then below the smallest
    /// normal number becomes a zero of its sign.
    Flush,
}

impl Format {
    /// Bits of a number.
    pub const fn width(self) -> u32 {
        1 + self.exp + self.frac
    }
    /// Bits of a significand with the hidden one.
    pub const fn sig(self) -> u32 {
        self.frac + 1
    }
    /// What is added to an exponent to store it.
    pub const fn bias(self) -> u64 {
        (1 << (self.exp - 1)) - 1
    }
    /// The stored exponent of infinity and NaN.
    pub const fn top(self) -> u64 {
        (1 << self.exp) - 1
    }
    /// `add_e5f10`, or `add_e5f10_flush`.
    pub(super) fn name(self, unit: &str, subnormals: Subnormals) -> String {
        let flush = if subnormals == Subnormals::Flush { "_flush" } else { "" };
        format!("{unit}_e{}f{}{flush}", self.exp, self.frac)
    }
    /// Legal formats; `at` names the unit.
    pub(super) fn check(self, at: &str) -> Result<(), Errors> {
        if (2..=8).contains(&self.exp) && (2..=23).contains(&self.frac) {
            return Ok(());
        }
        let message = format!("a format of {} exponent and {} fraction bits", self.exp, self.frac);
        Err(Errors::parameter(at, message, "2 to 8 exponent bits and 2 to 23 fraction bits are legal"))
    }
}

/// A number taken apart.
#[derive(Clone, Copy, Bundle)]
pub struct Parts {
    /// 1 for negative numbers.
    pub sign: Signal,
    /// The stored exponent.
    pub exp: Signal,
    /// The stored fraction.
    pub frac: Signal,
    /// Neither zero nor subnormal: there is a hidden one.
    pub normal: Signal,
    /// The exponent is that of infinity and NaN.
    pub top: Signal,
}

impl Parts {
    /// Takes `x` apart.
    pub fn of(x: Signal, f: Format) -> Parts {
        let exp = x.bits(f.width() - 2, f.frac);
        Parts { sign: x.msb(), exp, frac: x.trunc(f.frac), normal: exp.any(), top: exp.all() }
    }
    /// The significand, `frac + 1` bits; subnormals lose theirs when they are flushed.
    pub fn significand(self, subnormals: Subnormals) -> Signal {
        match subnormals {
            Subnormals::Keep => self.normal.cat(self.frac),
            Subnormals::Flush => self.normal.cat(self.frac & self.normal.repeat(self.frac.width())),
        }
    }
    /// The exponent that the significand counts with: that of the smallest normal numbers for subnormal ones.
    pub fn effective_exp(self) -> Signal {
        let width = self.exp.width();
        self.exp.bits(width - 1, 1).cat(self.exp.bit(0) | !self.normal)
    }
}

/// The quiet NaN that all units give: positive, only the highest fraction bit set.
pub fn quiet_nan(f: Format) -> u32 {
    (f.top() as u32) << f.frac | 1 << (f.frac - 1)
}
