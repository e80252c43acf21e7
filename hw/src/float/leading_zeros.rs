//! Leading zero count: a balanced tree, `log2(width)` levels deep. Combinational.

use hdl::*;

/// The number of zeros above the highest one of `x`, `clog2` of the next power of two bits wide. For `x = 0` the result has no
/// meaning: the caller tests for it.
#[module]
pub fn leading_zeros(x: Signal) -> Signal {
    let width = x.width().next_power_of_two().max(2);
    let padded = if width == x.width() { x } else { x.cat(x.zeros(width - x.width())) };
    tree(padded)
}

fn tree(x: Signal) -> Signal {
    let half = x.width() / 2;
    if half == 1 {
        return !x.bit(1);
    }
    let (high, low) = (x.drop_low(half), x.trunc(half));
    let none = !high.any();
    none.cat(none.mux(tree(low), tree(high)))
}
