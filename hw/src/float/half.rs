//! Pieces of binary16 magnitudes (15 bits: 5 exponent, 10 fraction) in fixed point. Combinational.

use hdl::*;

/// A binary16 magnitude taken apart: `mantissa * 2^exponent` in units of 2^-24.
#[derive(Clone, Copy, Bundle)]
pub struct Unpacked {
    /// 11 bits, with the hidden one unless subnormal.
    pub mantissa: Signal,
    /// 5 bits, 0 to 29 for finite numbers.
    pub exponent: Signal,
}

/// Takes a finite magnitude apart. Subnormals have the exponent of the smallest normal numbers and no hidden one.
pub fn unpack(magnitude: Signal) -> Unpacked {
    let (exp, frac) = (magnitude.drop_low(10), magnitude.trunc(10));
    let normal = exp.any();
    Unpacked { mantissa: normal.cat(frac), exponent: exp - normal.zext(5) }
}

/// The magnitude in units of 2^-24: the integer X of the record format, 40 bits.
pub fn to_fixed(magnitude: Signal) -> Signal {
    let x = unpack(magnitude);
    x.mantissa.zext(40) << x.exponent
}
