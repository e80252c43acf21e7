//! Classifier: the group of one element (docs/oaken-format.md, section 2; the decomposer of the paper's figure 9a).
//!
//! Takes a binary16 element and the four thresholds, gives its magnitude and its group. NaN becomes +0, an infinity the largest
//! finite number of its sign; either is reported. Combinational; no parameters.

use super::types::{Thresholds, thresholds};
use hdl::*;

/// An element with its group. Neither outer nor inner: middle.
#[derive(Clone, Copy, Bundle)]
pub struct Classified {
    /// Finite binary16 magnitude, 15 bits.
    pub magnitude: Signal,
    /// Negative.
    pub sign: Signal,
    /// Beyond S of its side.
    pub outer: Signal,
    /// Within T of its side.
    pub inner: Signal,
}

/// Bits of a [`Classified`] element: 18, as wide as half a port of an ECP5 block RAM.
pub const CLASSIFIED_BITS: u32 = 18;

/// Shape of a [`Classified`] element.
pub fn classified() -> Classified {
    Classified { magnitude: bits(15), sign: bits(1), outer: bits(1), inner: bits(1) }
}

impl Classified {
    /// Outer or inner: it gets an entry in the sparse part.
    pub fn outlier(&self) -> Signal {
        self.outer | self.inner
    }
}

ports! {
    /// Ports of [`classify`].
    pub struct ClassifyPorts() {
        /// Binary16.
        input x: Signal = bits(16),
        /// Magnitudes of the thresholds.
        input thresholds: Thresholds = thresholds(),
        /// The element with its group.
        output y: Classified = classified(),
        /// It was a NaN or an infinity.
        output nonfinite: Signal = bits(1),
    }
}

/// The classifier.
#[module]
pub fn classify() -> Result<Design<ClassifyPorts>, Errors> {
    let m = Module::new("oaken_classify");
    m.doc("The group of one element.");
    m.latency(0);
    let io = ClassifyPorts::new(m);

    m.section("finite magnitude");
    let nonfinite = io.x.bits(14, 10).all();
    let nan = nonfinite & io.x.trunc(10).any();
    let finite = nonfinite.mux(m.lit(0x7bffu32, 15), io.x.trunc(15));
    let magnitude = nan.mux(m.lit(0u32, 15), finite);
    let sign = io.x.msb() & !nan;

    m.section("the thresholds of its side");
    let s = sign.mux(io.thresholds.s_low, io.thresholds.s_high);
    let t = sign.mux(io.thresholds.t_low, io.thresholds.t_high);
    let outer = magnitude.gt(s);
    let inner = magnitude.le(t) & !outer;

    io.y.set(Classified { magnitude, sign, outer, inner });
    io.nonfinite.set(nonfinite);
    m.finish(io)
}
