//! Dot product: `a0 * b0 + a1 * b1 + ...`, a pair of vectors a cycle.
//!
//! Every lane has a multiplier, whose product is rounded; a balanced adder tree ([`tree()`]) adds the products in
//! its order.
//!
//! | port | |
//! | --- | --- |
//! | `a`, `b`, `in_valid` | the vectors, lane 0 in the low bits; `in_valid` only travels along |
//! | `y`, `out_valid` | the dot product, `latency` cycles later |
//!
//! - Parameters: format (2 to 8 exponent bits, 1 to 23 fraction bits), subnormals kept or flushed in every operation, lanes 2
//!   to [`MAX_LANES`](super::tree::MAX_LANES), latency 0 to [`natural`] of the lanes, spread over multipliers and tree.
//! - One dot product a cycle. With latency 0 all paths are combinational, else none from port to port.

use super::beside::product_of;
use super::format::{Format, Subnormals};
use super::multiply::{self, multiply};
use super::stages::{Stages, check_latency};
use super::tree::{self, check_lanes, sum_of_all, tree};
use hdl::*;

ports! {
    /// Ports of a dot product.
    pub struct DotPorts(f: Format, lanes: u32) {
        /// the vectors are there
        input in_valid: Signal = bits(1),
        /// first vector, lane 0 in the low bits
        input a: Signal = bits(f.width() * lanes),
        /// second vector
        input b: Signal = bits(f.width() * lanes),
        /// the dot product is there
        output out_valid: Signal = bits(1),
        /// dot product
        output y: Signal = bits(f.width()),
    }
}

/// Natural depth for so many lanes.
pub fn natural(lanes: u32) -> u32 {
    multiply::NATURAL + tree::natural(lanes)
}

/// A dot product.
#[module]
pub fn dot(f: Format, subnormals: Subnormals, lanes: u32, latency: u32) -> Result<Design<DotPorts>, Errors> {
    let name = format!("{}_x{lanes}_l{latency}", f.name("dot", subnormals));
    f.check(&name)?;
    check_lanes(&name, lanes)?;
    check_latency(&name, latency, natural(lanes))?;
    let m = Module::new(name);
    m.doc("Dot product of two vectors: products, then a balanced adder tree.");
    let io = DotPorts::new(m, f, lanes);
    let s = Stages::new(m, natural(lanes), latency);
    io.out_valid.set(s.valid(io.in_valid));
    let (a, b) = s.enter((io.a, io.b));

    m.section("products");
    let unit = multiply(f, subnormals, s.between(0, multiply::NATURAL))?;
    let mut products = vec![];
    for (a, b) in a.lanes(f.width()).into_iter().zip(b.lanes(f.width())) {
        products.push(product_of(m, &unit, a, b));
    }

    m.section("sum");
    products.reverse();
    let sum = m.instance(&tree(f, subnormals, lanes, s.between(multiply::NATURAL, natural(lanes)))?);
    io.y.set(s.leave_cut(sum_of_all(m, &sum, cat(&products))));
    m.finish(io)
}
