//! Classifier: the group of one element (docs/oaken-format.md, section 2; the decomposer of the paper's figure 9a).
//!
//! Takes a binary16 element and the four thresholds, gives its magnitude and its group. NaN becomes +0, an infinity the largest
//! finite number of its sign; either is reported. Latency 1, an element a cycle. The thresholds stand still. No parameters.

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
        /// The element with its group, a cycle later.
        output y: Classified = classified(),
        /// It was a NaN or an infinity; a cycle later.
        output nonfinite: Signal = bits(1),
    }
}

/// The classifier.
#[module]
pub fn classify() -> Result<Design<ClassifyPorts>, Errors> {
    let m = Module::new("oaken_classify");
    m.doc("The group of one element.");
    m.latency(1);
    let io = ClassifyPorts::new(m);
    let p = m.pipeline("classify");
    let x = p.enter(io.x);

    let (y, nonfinite) = classify_element(m, x, p.constant(io.thresholds), false);
    io.y.set(p.leave(y));
    io.nonfinite.set(p.leave(nonfinite));
    m.finish(io)
}

/// The element with its group, and whether it was a NaN or an infinity: a stage behind `x`, at that of the thresholds. With a register
/// behind the comparisons (`fast`) the element is a stage later.
#[module]
pub fn classify_element(m: Module, x: Signal, t: Thresholds, fast: bool) -> (Classified, Signal) {
    m.section("finite magnitude");
    let nonfinite = x.bits(14, 10).all();
    let nan = nonfinite & x.trunc(10).any();
    let finite = nonfinite.mux(m.lit(0x7bffu32, 15), x.trunc(15));
    let magnitude = nan.mux(m.lit(0u32, 15), finite).next();
    let sign = (x.msb() & !nan).next();

    m.section("the thresholds of its side");
    let beyond = (magnitude.gt(t.s_low), magnitude.gt(t.s_high));
    let within = (magnitude.le(t.t_low), magnitude.le(t.t_high));
    let compared = (magnitude, sign, beyond, within);
    let (magnitude, sign, beyond, within) = if fast { compared.next() } else { compared };
    let outer = sign.mux(beyond.0, beyond.1);
    let inner = sign.mux(within.0, within.1) & !outer;
    (Classified { magnitude, sign, outer, inner }, nonfinite.next())
}
