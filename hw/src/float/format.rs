//! Floating point formats, and how a number of one is taken apart.

use hdl::*;
use std::ops::RangeInclusive;

/// A binary floating point format as IEEE 754 lays it out: a sign bit, `exp` bits of exponent, `frac` bits of fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Format {
    /// Bits of the exponent, 2 to 8.
    pub exp: u32,
    /// Bits of the fraction, 1 to 23.
    pub frac: u32,
}

/// IEEE 754 binary16.
pub const BINARY16: Format = Format { exp: 5, frac: 10 };
/// bfloat16: the upper half of a binary32.
pub const BFLOAT16: Format = Format { exp: 8, frac: 7 };

/// Legal numbers of exponent bits: one could not tell numbers from infinity, and more no unit is tested with.
pub const EXP_BITS: RangeInclusive<u32> = 2..=8;
/// Legal numbers of fraction bits: NaN needs one, and 23 (binary32) is the most that units are tested with.
pub const FRAC_BITS: RangeInclusive<u32> = 1..=23;

/// What becomes of subnormal numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Subnormals {
    /// As IEEE 754 has it.
    Keep,
    /// They are read as zeros of their sign. A result is rounded as if exponents had no lower end; one that is then below
    /// the smallest normal number becomes a zero of its sign (IEEE 754-2019 section 7.5: tiny after rounding).
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
    /// `add_e5f10`, or `add_e5f10_flush`: the name of a unit.
    pub fn name(self, unit: &str, subnormals: Subnormals) -> String {
        let flush = if subnormals == Subnormals::Flush { "_flush" } else { "" };
        format!("{unit}_e{}f{}{flush}", self.exp, self.frac)
    }
    /// An error if the format is not legal; `at` names the unit.
    pub fn check(self, at: &str) -> Result<(), Errors> {
        if EXP_BITS.contains(&self.exp) && FRAC_BITS.contains(&self.frac) {
            return Ok(());
        }
        let message = format!("a format of {} exponent and {} fraction bits", self.exp, self.frac);
        let help =
            "2 to 8 exponent bits (one could not tell numbers from infinity) and 1 to 23 fraction bits (NaN needs one)";
        Err(Errors::parameter(at, message, help))
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
    /// The stored exponent is not 0: there is a hidden one.
    pub normal: Signal,
    /// The stored exponent is that of infinity and NaN.
    pub top: Signal,
}

impl Parts {
    /// Takes `x` apart.
    pub fn of(x: Signal, f: Format) -> Parts {
        let exp = x.bits(f.width() - 2, f.frac);
        Parts { sign: x.msb(), exp, frac: x.trunc(f.frac), normal: exp.any(), top: exp.all() }
    }
    /// One bit: a zero, or what counts as one.
    pub fn is_zero(self, subnormals: Subnormals) -> Signal {
        match subnormals {
            Subnormals::Keep => !self.normal & !self.frac.any(),
            Subnormals::Flush => !self.normal,
        }
    }
    /// One bit: subnormal and not zero.
    pub fn is_subnormal(self) -> Signal {
        !self.normal & self.frac.any()
    }
    /// One bit: plus or minus infinity.
    pub fn is_inf(self) -> Signal {
        self.top & !self.frac.any()
    }
    /// One bit: not a number.
    pub fn is_nan(self) -> Signal {
        self.top & self.frac.any()
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

/// The quiet NaN that all units give: positive, of the fraction only the highest bit set.
pub fn quiet_nan(f: Format) -> u32 {
    (f.top() as u32) << f.frac | 1 << (f.frac - 1)
}

/// A fraction with its highest bit set where `nan` is 1, else zero: ORed into a fraction of zeros it makes the quiet NaN.
pub fn quiet_bit(nan: Signal, f: Format) -> Signal {
    if f.frac == 1 { nan } else { nan.cat(nan.zeros(f.frac - 1)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn illegal_formats_are_errors_that_say_what_is_legal() {
        for (exp, frac) in [(1, 10), (9, 10), (5, 0), (5, 24)] {
            let errors = Format { exp, frac }.check("add").unwrap_err().to_string();
            let message = format!("error: a format of {exp} exponent and {frac} fraction bits\n");
            assert!(errors.contains(&message) && errors.contains("2 to 8 exponent bits"), "{errors}");
            assert!(errors.contains("(module `add`)"), "{errors}");
        }
        assert!(BINARY16.check("add").is_ok() && BFLOAT16.check("add").is_ok());
        assert_eq!((quiet_nan(BINARY16), quiet_nan(BFLOAT16)), (0x7e00, 0x7fc0));
    }
}
