//! How a command of a burst engine ended: its first answer with an error, or else what was known before.

use super::mover::{Done, MoverParams, Outcome, done};
use crate::stream::fifo::{Style, fifo_after};
use hdl::*;

/// What the bus answers in a cycle, about the oldest command.
pub struct Answer {
    /// An answer with an error.
    pub error: Signal,
    /// Its code, 2 or 3.
    pub code: Signal,
    /// What it is about.
    pub address: Signal,
    /// The command ends in this cycle.
    pub ends: Signal,
    /// The code of its [`Outcome`], if the bus made no error.
    pub otherwise: Signal,
    /// That of the command.
    pub tag: Signal,
}

/// The first answer with an error to a command.
pub struct Failure {
    /// There was one before this cycle.
    pub before: Signal,
    /// Or there is one now.
    pub now: Signal,
    /// How the command ends, if it ends now.
    pub done: Done,
}

/// Keeps the first error of the oldest command.
#[module]
pub fn first_failure(m: Module, x: Answer, p: MoverParams) -> Failure {
    let failed = m.reg_reset(bits(1), 0).comment("the command has failed");
    let cause = m.reg(bits(2));
    let place = m.reg(bits(p.axi.address_bits)).comment("where");
    m.when(!failed, || {
        cause.set(x.code);
        place.set(x.address);
    });
    m.when(x.error, || failed.set(true));
    m.when(x.ends, || failed.set(false));
    let code = failed.mux(cause, x.code).zext(3);
    let now = failed | x.error;
    let outcome = state::<Outcome>().unpack(now.mux(code, x.otherwise));
    let done = Done { tag: x.tag, outcome, address: failed.mux(place, x.address) };
    Failure { before: failed, now, done }
}

/// Sends how commands ended. The user of this counts them: no more than `outstanding` are under way.
#[module]
pub fn send_done(m: Module, ends: Signal, how: Done, p: MoverParams) -> Result<Stream<Done>, Errors> {
    let valid = m.reg_reset(bits(1), 0);
    let ended = m.reg(done(p));
    valid.set(ends);
    ended.set(how);
    let queue = m.wire(stream(done(p)));
    queue.valid.set(valid);
    queue.payload.set(ended);
    m.assert(!valid | queue.ready, "no more commands are under way than fit");
    fifo_after(m, queue, p.outstanding.max(2) as usize, Style::Distributed)
}
