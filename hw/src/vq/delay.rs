//! Registers one after the other.

use hdl::*;

/// A signal so many cycles later.
#[module]
pub(super) fn delayed<B: Bundle>(m: Module, x: B, cycles: u32) -> B {
    (0..cycles).fold(x, |x, _| {
        let later = m.reg(x.shape());
        later.set(x);
        later
    })
}

/// A valid bit so many cycles later, 0 from a reset on.
#[module]
pub(super) fn delayed_valid(m: Module, valid: Signal, cycles: u32) -> Signal {
    (0..cycles).fold(valid, |valid, _| {
        let later = m.reg_reset(bits(1), 0);
        later.set(valid);
        later
    })
}
