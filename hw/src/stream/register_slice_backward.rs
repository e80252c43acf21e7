//! A backward register slice (a skid buffer): cuts the path of `ready` with a register, and leaves those of `valid` and
//! payload.
//!
//! The sender learns one cycle late that the receiver stalls; the word that it sends in that cycle waits in the spare
//! entry. While nothing stalls, words pass straight through. Use it where the paths of `ready` through several parts add
//! up and a cycle of latency is too much.
//!
//! | port | |
//! | --- | --- |
//! | `s` | stream in; `s_ready` is a register: the spare entry is empty |
//! | `m` | stream out; `m_valid` and `m_payload` follow `s`, or come from the spare entry |
//!
//! - Parameters: `width`, bits of a word, from 1 to 65,536.
//! - Latency 0 cycles, for a word that waits in the spare entry until it leaves; 1 transfer in every cycle.
//! - Combinational paths: `s_valid` to `m_valid`, `s_payload` to `m_payload`.
//! - After reset the slice is empty.

use super::register_slice::RegisterSlicePorts;
use hdl::{Bundle, Design, Errors, Module, Stream, bits, module};

/// A backward register slice for words of `width` bits.
#[module]
pub fn register_slice_backward(width: u32) -> Result<Design<RegisterSlicePorts>, Errors> {
    let name = format!("register_slice_backward_{width}");
    super::check_width(&name, width)?;
    let m = Module::new(name);
    m.doc("Register slice of one spare entry: ready is a register, valid and payload are not.");
    let io = RegisterSlicePorts::new(m, width);

    let ready = m.reg_reset(bits(1), 1).comment("the spare entry is empty");
    let spare = m.reg(bits(width));
    let valid = io.s.valid | !ready;
    io.s.ready.set(ready);
    io.m.valid.set(valid);
    io.m.payload.set(ready.mux(io.s.payload, spare));
    ready.set(io.m.ready | !valid);
    m.when(ready, || spare.set(io.s.payload)); // counts only if it cannot leave
    m.finish(io)
}

/// Puts a backward register slice behind a stream of any payload.
#[module]
pub fn register_slice_backward_after<P: Bundle>(m: Module, s: Stream<P>) -> Result<Stream<P>, Errors> {
    let slice = m.instance(&register_slice_backward(s.payload.total_width())?);
    slice.s.set(super::packed(s));
    Ok(slice.m.with(s.payload.unpack(slice.m.payload)))
}

#[cfg(test)]
mod tests;
