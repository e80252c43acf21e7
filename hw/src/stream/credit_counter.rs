//! Credit counter: how many words a sender may still send before the receiver's buffer is full.
//!
//! Where `ready` would come too late (over a long wire, a pipeline or a network), the receiver gives a credit back for each
//! word that leaves its buffer, and the sender takes one for each word that it sends.
//!
//! | port | |
//! | --- | --- |
//! | `take` | a credit is taken in this cycle, if one is `available`; otherwise nothing happens |
//! | `available` | there is a credit; a register |
//! | `give` | a credit comes back in this cycle |
//! | `level` | credits that are there, 0 to `credits`; a register |
//! | `excess` | in the cycle before, a credit came back that had not been taken: it was not counted. A register |
//!
//! - Parameters: `credits`, words of the receiver's buffer, from 1 to 2^20.
//! - A credit that comes back can be taken in the next cycle. 1 credit taken and 1 given in every cycle: a loop in which a
//!   credit is back after L cycles keeps its full rate with `credits` at least L.
//! - No combinational path from port to port.
//! - After reset all credits are there.

use hdl::{Bundle, Design, Errors, Module, Signal, Stream, bits, clog2, module, ports};

/// The most credits.
pub const MAX_CREDITS: u32 = 1 << 20;

ports! {
    /// Ports of a credit counter.
    pub struct CreditCounterPorts(credits: u32) {
        /// a credit is taken, if one is available
        input take: Signal = bits(1),
        /// there is a credit
        output available: Signal = bits(1),
        /// a credit comes back
        input give: Signal = bits(1),
        /// credits that are there
        output level: Signal = bits(clog2(credits as usize + 1)),
        /// a credit came back that had not been taken
        output excess: Signal = bits(1),
    }
}

/// A counter of `credits` credits.
#[module]
pub fn credit_counter(credits: u32) -> Result<Design<CreditCounterPorts>, Errors> {
    let name = format!("credit_counter_{credits}");
    if !(1..=MAX_CREDITS).contains(&credits) {
        let help =
            format!("from 1 (with none, nothing could be sent) to {MAX_CREDITS} (a larger buffer no device holds)");
        return Err(Errors::parameter(&name, format!("credits = {credits} is out of range"), help));
    }
    let m = Module::new(name);
    m.doc("Credit counter: how many words may still be sent.");
    let io = CreditCounterPorts::new(m, credits);

    let count = m.reg_reset(bits(clog2(credits as usize + 1)), credits);
    let available = m.reg_reset(bits(1), 1).comment("the count is not 0");
    let excess = m.reg_reset(bits(1), 0);
    let taken = io.take & available;
    let too_many = io.give & !taken & count.eq(credits);
    let given = io.give & !too_many;
    m.when(taken & !given, || {
        count.set(count - 1);
        available.set(count.ne(1));
    });
    m.when(given & !taken, || {
        count.set(count + 1);
        available.set(true);
    });
    excess.set(too_many);
    io.available.set(available);
    io.level.set(count);
    io.excess.set(excess);
    m.finish(io)
}

/// A stream that sends only while it has credits.
#[derive(Clone, Copy)]
pub struct Credited<P: Bundle> {
    /// The stream: each transfer takes a credit.
    pub stream: Stream<P>,
    /// A credit came back that had not been taken (a mistake of the receiver).
    pub excess: Signal,
}

/// Lets a word of a stream pass for each of `credits` credits; `give` is 1 in cycles in which one comes back.
#[module]
pub fn with_credits<P: Bundle>(m: Module, s: Stream<P>, credits: u32, give: Signal) -> Result<Credited<P>, Errors> {
    let counter = m.instance(&credit_counter(credits)?);
    let ready = m.wire(bits(1));
    let stream = Stream { valid: s.valid & counter.available, ready, payload: s.payload };
    s.ready.set(ready & counter.available);
    counter.take.set(stream.valid & ready);
    counter.give.set(give);
    counter.level.unused();
    Ok(Credited { stream, excess: counter.excess })
}

#[cfg(test)]
mod tests;
