//! Product of two finite binary16 numbers in fixed point: `cut(x * y, 24)` of docs/lad.md, section 3, ready to be added up.
//!
//! | port | |
//! | --- | --- |
//! | `advance` | 0: all of it stands |
//! | `x`, `y` | the numbers; of an infinity or a NaN the product is anything |
//! | `product` | 24 places behind the point; of a negative one the ones' complement of its magnitude. Registers |
//!
//! - Latency: [`LATENCY`] cycles. One product a cycle. No combinational paths.
//! - A negative product is by one too small: who adds it up adds its highest bit, too, which a carry that is free anyway does.
//!
//! A product is moved by 0 to 58 places to the left of its lowest one. The three low bits of that move an operand, which the multiplier has room for; only
//! multiples of eight are left for the product, of which each place has at most four.

use crate::float::format::{BINARY16, Parts, Subnormals};
use crate::float::logic::moved;
use hdl::logic::one_hot;
use hdl::*;

/// Cycles.
pub const LATENCY: u32 = 4;
/// Bits of the magnitude: that of the largest product, 65504 * 65504, with 24 places behind the point.
const MAGNITUDE: u32 = 56;
/// Bits of a product.
pub const PRODUCT_BITS: u32 = MAGNITUDE + 1;
/// Bits of an operand's significand behind its first move.
const MOVED: u32 = 18;
/// Stored exponents of 26 together make a product whose last place is the 24th behind the point.
const POINT: i32 = 26;

ports! {
    /// Ports of an aligned product.
    pub struct AlignedProductPorts() {
        /// It does not stand.
        input advance: Signal = bits(1),
        /// A number.
        input x: Signal = bits(16),
        /// Another one.
        input y: Signal = bits(16),
        /// Their product.
        output product: Signal = bits(PRODUCT_BITS),
    }
}

/// An aligned product.
#[module]
pub fn aligned_product() -> Result<Design<AlignedProductPorts>, Errors> {
    let m = Module::new("aligned_product");
    m.doc("Product of two binary16 numbers, exact but for what is cut behind 24 places.");
    m.latency(LATENCY);
    let io = AlignedProductPorts::new(m);
    let pipeline = m.pipeline_enabled("product", io.advance);
    let (x, y) = pipeline.enter((io.x, io.y)).next();

    m.section("the sum of the exponents; its low bits move one operand");
    let (x, y) = (Parts::of(x, BINARY16), Parts::of(y, BINARY16));
    let negative = (x.sign ^ y.sign).next();
    let exponent = x.effective_exp().zext(6) + y.effective_exp().zext(6);
    let moved_x = (x.significand(Subnormals::Keep).zext(MOVED) << exponent.trunc(3)).next();
    let significand = y.significand(Subnormals::Keep).next();
    let eights = exponent.drop_low(3).next();

    m.section("the product; the high bits of the exponent as one of eight");
    let product = (moved_x * significand).next();
    let chosen = one_hot(eights, 8).next();

    m.section("the product at its place");
    let place = |k: u32| moved(product & chosen.bit(k).repeat(product.width()), 8 * k as i32 - POINT, MAGNITUDE);
    let places = (0..8).map(place).reduce(|sum, next| sum | next).expect("eight places");
    let sign = negative.meet(places);
    let aligned = (sign.zeros(1).cat(places) ^ sign.repeat(PRODUCT_BITS)).next();
    io.product.set(pipeline.leave(aligned));
    m.finish(io)
}
