//! The handle of a signal.

use super::node::Id;

/// Key of the blanks that [`bits`](crate::bits) makes: signals that are only a shape.
pub(crate) const BLANK: u32 = 0;

/// A handle to a bit vector of one module. Whether it is an expression, a wire, a register or a port, it is used alike.
///
/// ```
/// # use hdl::*;
/// # ports! { struct P() { input a: Signal = bits(8), input b: Signal = bits(8), output y: Signal = bits(8) } }
/// # #[module]
/// # fn example() -> Result<Design<P>, Errors> {
/// # let m = Module::new("example");
/// # let io = P::new(m);
/// let (a, b) = (io.a, io.b);
/// let larger = a.gt(b).mux(a, b);
/// let high = larger.bits(7, 4).cat(b.trunc(4)); // slices, concatenation
/// io.y.set((high ^ (a << 1)) + 3);            // a number takes the width beside it
/// # m.finish(io)
/// # }
/// # example().unwrap();
/// ```
///
/// It has no value while the module is built, so Rust cannot branch on it: the choice is `mux`, `when` or `switch`, the comparison
/// the method `eq`.
///
/// ```compile_fail,E0369
/// # use hdl::*;
/// # ports! { struct P() { input a: Signal = bits(8), input b: Signal = bits(8), output y: Signal = bits(8) } }
/// # let m = Module::new("example");
/// # let io = P::new(m);
/// if io.a == io.b { io.y.set(0) } else { io.y.set(1) } // `m.when(io.a.eq(io.b), || ..).otherwise(|| ..)`
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Signal {
    pub(crate) key: u32,
    pub(crate) id: Id,
    pub(crate) width: u32,
}

/// What consists of signals: every [`Bundle`](crate::Bundle).
pub trait Signals {
    /// Them, in their order.
    fn signals(&self) -> Vec<Signal>;
}
