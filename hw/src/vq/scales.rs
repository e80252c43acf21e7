//! Scales that come beside the rows of a command, one for each token or row of a matrix.

use hdl::*;

/// What a result is multiplied with.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Scale {
    /// The number.
    pub data: Signal,
    /// It is the last one of a command.
    pub last: Signal,
}

/// The shape of a scale.
pub fn scale() -> Scale {
    Scale { data: bits(16), last: bits(1) }
}

/// Whether the last scale of the command was there; where there are none, always. A command begins in the cycle of `begins`.
#[module]
pub(super) fn scales_over(m: Module, begins: Signal, scale: Option<Stream<Scale>>) -> Signal {
    let Some(scale) = scale else { return m.lit(1u32, 1) };
    let over = m.reg_reset(bits(1), 0).comment("the last scale of the command was there");
    m.when(scale.transfer(), || over.set(scale.payload.last));
    m.when(begins, || over.set(0));
    over
}
