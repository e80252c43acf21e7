//! Numbers beside signals: which fit, and what is said of those that do not: tests/errors/NAME.txt. `BLESS=1` renews the files.
#![allow(missing_docs)]

use crate::common;

use common::mistakes::{Io, reports};
use hdl::*;

/// A number that the kind of the comparison, or of the product, cannot hold.
#[test]
#[module]
fn number_of_the_other_kind() {
    reports("number_signed", |m, io| {
        let least = io.a.lt_signed(200) | io.a.le_signed(128u8);
        let most = io.a.gt_signed(-129) | io.a.ge_signed(num_bigint::BigUint::from(255u32));
        m.when(least | most, || io.y.set(0)).otherwise(|| io.y.set(io.a.mul_signed(128).trunc(8)));
    });
    reports("number_unsigned", |m, io| {
        let least = io.a.lt(-1) | io.a.le(256);
        let most = io.a.gt(-128) | io.a.ge(-1i64);
        m.when(least | most, || io.y.set(0)).otherwise(|| io.y.set((io.a * -1).trunc(8)));
    });
    reports("number_wide", |_, io| {
        let wide = io.a.zext(100);
        io.y.set((wide.lt(-1) | wide.lt_signed(num_bigint::BigUint::from(1u32) << 99u32)).zext(8));
    });
}

/// The last numbers that fit, and those that mean the same in both readings.
#[test]
#[module]
fn numbers_that_fit() {
    let m = Module::new("example");
    let io = Io::new(m);
    let signed = io.a.lt_signed(-128) | io.a.gt_signed(127) | io.c.lt_signed(-1) | io.c.gt_signed(0);
    let unsigned = io.a.lt(0) | io.a.gt(255) | io.c.le(true) | io.b.ge(15u64);
    let either = io.a.eq(-128) | io.a.ne(255) | io.a.eq(-1) | (io.a + -1).any() | (io.a & -4).any();
    let held = m.reg_reset(bits(8), -1);
    held.set(io.a.mul_signed(-128).trunc(8) ^ (io.b * 15));
    io.y.set((signed | unsigned | either).mux(held, -128));
    m.finish(io).unwrap();
}

/// Text of 4 GB is not printed for it.
#[test]
fn far_too_wide() {
    common::mistakes::reports("numbers_too_wide", |m, io| {
        io.y.set(m.lit(1u32, u32::MAX).trunc(8) + io.a.zext(u32::MAX).trunc(8));
    });
}
