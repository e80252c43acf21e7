//! Fork: one stream to several, each of which gets every word and takes it when it likes.
//!
//! A word is taken from the input in the cycle in which the last output takes it; one bit for each output remembers that
//! it has it already, so no output waits for another to be ready before it gets its word.
//!
//! - Outputs: any number (with none, all words are dropped), of any payload. They are built into the module that calls; connect each with
//!   `consumer.set(output)`.
//! - Latency 0; 1 transfer in every cycle while all outputs are ready.
//! - Combinational paths: `valid` and payload of the input to all outputs; `ready` of all outputs to the input.

use hdl::{Bundle, Module, Stream, bits};

/// One stream to `N`: `let [left, right] = fork(m, stream);`
#[track_caller]
pub fn fork<P: Bundle, const N: usize>(m: Module, s: Stream<P>) -> [Stream<P>; N] {
    let outputs = fork_many(m, s, N);
    std::array::from_fn(|i| outputs[i])
}

/// One stream to `outputs`.
#[track_caller]
pub fn fork_many<P: Bundle>(m: Module, s: Stream<P>, outputs: usize) -> Vec<Stream<P>> {
    let taken: Vec<_> = (0..outputs).map(|i| m.reg_reset(bits(1), 0).named(&format!("taken_{i}"))).collect();
    let ready: Vec<_> = (0..outputs).map(|_| m.wire(bits(1))).collect();
    let done: Vec<_> = taken.iter().zip(&ready).map(|(taken, ready)| *taken | *ready).collect();
    let all_done = done.iter().copied().reduce(|all, one| all & one).unwrap_or(m.lit(1u32, 1));
    s.ready.set(all_done);
    m.when(s.valid, || taken.iter().zip(&done).for_each(|(taken, done)| taken.set(*done & !all_done)));
    let output = |i: usize| Stream { valid: s.valid & !taken[i], ready: ready[i], payload: s.payload };
    (0..outputs).map(output).collect()
}

#[cfg(test)]
mod tests;
