//! What the parts of the event controller have in common: registrations, their answers, and completions.

use hdl::*;

/// A kernel to be launched.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Registration {
    /// Its number.
    pub slot: Signal,
    /// Where it runs.
    pub side: Signal,
    /// A bit for each kernel that must be over first.
    pub after: Signal,
}

/// How a registration ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, State)]
#[state(width = 2)]
pub enum RegistrationOutcome {
    /// It is registered.
    Okay = 0,
    /// There is no such number.
    Range = 1,
    /// The kernel of this number has not finished.
    Busy = 2,
    /// It waits for a kernel that was not registered, or for itself.
    Unknown = 3,
}

/// The answer to a registration.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Answer {
    /// Of which kernel.
    pub slot: Signal,
    /// How it ended.
    pub outcome: StateSignal<RegistrationOutcome>,
}

/// A completion of a kernel that does not run on that side.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Stray {
    /// There was one, in the cycle before.
    pub any: Signal,
    /// Its number.
    pub slot: Signal,
    /// The side that it came from.
    pub side: Signal,
}

/// Bits of the number of a kernel.
pub fn slot_bits(kernels: u32) -> u32 {
    clog2(kernels as usize)
}

/// A completion.
#[derive(Clone, Copy)]
pub(super) struct Completion {
    /// There is one.
    pub taken: Signal,
    /// It is of a kernel that runs on this side.
    pub counts: Signal,
    /// Of which.
    pub slot: Signal,
}
