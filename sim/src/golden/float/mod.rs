//! Bit-exact models of the number units, for every format, written from IEEE 754: numbers as integers times powers of two,
//! computed exactly, rounded once.

pub mod approximate;
pub mod arithmetic;
pub mod functions;
pub mod stimuli;

/// A format: exponent and fraction bits, and whether subnormal numbers are kept or flushed to zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Model {
    /// Bits of the exponent.
    pub exp: u32,
    /// Bits of the fraction.
    pub frac: u32,
    /// Subnormal operands are zeros, and so are results that are below the smallest normal number after rounding to
    /// `frac` bits.
    pub flush: bool,
}

/// A number: `magnitude * 2^exponent`, negative or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// Not a number.
    Nan,
    /// Infinity; true for the negative one.
    Infinity(bool),
    /// Negative, magnitude, exponent.
    Finite(bool, u128, i32),
}

impl Model {
    /// Binary16 with subnormals.
    pub const BINARY16: Model = Model { exp: 5, frac: 10, flush: false };
    /// bfloat16 with subnormals.
    pub const BFLOAT16: Model = Model { exp: 8, frac: 7, flush: false };

    /// Bits of a number.
    pub fn width(self) -> u32 {
        1 + self.exp + self.frac
    }
    /// Exponent of the last place of the smallest normal number and of all subnormal ones.
    fn last_place(self) -> i32 {
        2 - (1 << (self.exp - 1)) - self.frac as i32
    }
    /// The NaN that all units give.
    pub fn nan(self) -> u32 {
        self.infinity(false) | 1 << (self.frac - 1)
    }
    /// An infinity.
    pub fn infinity(self, negative: bool) -> u32 {
        self.zero(negative) | ((1 << self.exp) - 1) << self.frac
    }
    /// A zero.
    pub fn zero(self, negative: bool) -> u32 {
        u32::from(negative) << (self.exp + self.frac)
    }
    /// What these bits mean.
    pub fn number(self, bits: u32) -> Number {
        let negative = bits >> (self.exp + self.frac) & 1 == 1;
        let stored = bits >> self.frac & ((1 << self.exp) - 1);
        let fraction = u128::from(bits & ((1 << self.frac) - 1));
        match stored {
            0 if self.flush => Number::Finite(negative, 0, 0),
            0 => Number::Finite(negative, fraction, self.last_place()),
            s if s == (1 << self.exp) - 1 && fraction == 0 => Number::Infinity(negative),
            s if s == (1 << self.exp) - 1 => Number::Nan,
            s => Number::Finite(negative, fraction | 1 << self.frac, self.last_place() + s as i32 - 1),
        }
    }
    /// The bits of a number, rounded to nearest, ties to even. A magnitude below 2^120.
    pub fn bits(self, x: Number) -> u32 {
        let (negative, magnitude, exponent) = match x {
            Number::Nan => return self.nan(),
            Number::Infinity(negative) => return self.infinity(negative),
            Number::Finite(negative, 0, _) => return self.zero(negative),
            Number::Finite(negative, magnitude, exponent) => (negative, magnitude, exponent),
        };
        let leading = 127 - magnitude.leading_zeros() as i32 + exponent;
        // the last place that is kept: `frac` below the leading one, but none below the smallest subnormal number
        let place = match self.flush {
            true => leading - self.frac as i32,
            false => (leading - self.frac as i32).max(self.last_place()),
        };
        let kept = round_shift(magnitude, place - exponent);
        // a carry out of the fraction changes nothing: it is then 2^(frac + 1), one place higher
        let (kept, place) = if kept >> (self.frac + 1) == 1 { (kept >> 1, place + 1) } else { (kept, place) };
        if kept >> self.frac == 0 {
            return self.zero(negative) | kept as u32; // subnormal, or nothing left
        }
        let stored = place - self.last_place() + 1;
        match stored {
            s if s < 1 => self.zero(negative), // flushed
            s if s >= (1 << self.exp) - 1 => self.infinity(negative),
            s => self.zero(negative) | (s as u32) << self.frac | (kept as u32 & ((1 << self.frac) - 1)),
        }
    }
}

/// `x / 2^places` to the nearest integer, ties to even.
fn round_shift(x: u128, places: i32) -> u128 {
    if places <= 0 {
        return x << -places;
    }
    if places > 127 {
        return 0;
    }
    let (whole, part, half) = (x >> places, x & ((1 << places) - 1), 1u128 << (places - 1));
    whole + u128::from(part > half || (part == half && whole & 1 == 1))
}

#[cfg(test)]
mod tests;
