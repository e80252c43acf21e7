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
pub fn to_fixed(x: Unpacked) -> Signal {
    x.mantissa.zext(40) << x.exponent
}

#[cfg(test)]
mod tests {
    use super::*;

    ports! {
        struct FixedPorts() {
            input x: Signal = bits(15),
            output fixed: Signal = bits(40),
        }
    }

    #[test]
    fn every_finite_magnitude_in_fixed_point() {
        let m = Module::new("to_fixed");
        let io = FixedPorts::new(m);
        io.fixed.set(to_fixed(unpack(io.x)));
        let design = m.finish(io).expect("legal");
        let mut sim = jit::simulator(&design);
        for x in 0..0x7c00u16 {
            sim.poke(0, u64::from(x));
            // exact: a binary16 is a whole number of 2^-24
            let want = half::f16::from_bits(x).to_f64() * f64::from(1 << 24);
            assert_eq!(sim.peek(1) as f64, want, "{x:#06x}");
        }
    }
}
