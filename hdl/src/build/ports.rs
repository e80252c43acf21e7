//! Ports: a struct whose fields are the ports of a module, declared with widths and docs in one place.

/// Declares the ports of a module.
///
/// ```
/// use hdl::*;
/// ports! {
///     /// Ports of an adder with a registered sum.
///     pub struct AdderPorts(width: u32) {
///         /// First summand.
///         input a: Signal = bits(width),
///         /// Second summand.
///         input b: Signal = bits(width),
///         /// Sum of the cycle before, with its carry.
///         output sum: Signal = bits(width + 1),
///     }
/// }
/// ```
///
/// The struct gets `new(module, width)`, which declares the ports in this order. Errors about a port point to its field. A field `inout`
/// is a [`Pad`](crate::Pad).
///
/// What is missing or wrong in a field is an error of the compiler that names the port:
///
/// ```compile_fail
/// # use hdl::*;
/// ports! {
///     struct P() {
///         in a: Signal = bits(1), // port `a`: its direction is `input`, `output` or `inout`, not `in`
///     }
/// }
/// ```
pub use hdl_macros::ports;
