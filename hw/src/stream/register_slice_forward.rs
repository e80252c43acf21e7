//! A forward register slice: cuts the paths of `valid` and payload with registers, and leaves that of `ready`.
//!
//! One entry, half the registers of the [full slice](super::register_slice). Use it where `ready` has time left, or behind
//! a part whose payload comes late.
//!
//! | port | |
//! | --- | --- |
//! | `s` | stream in; `s_ready` is 1 while the entry is empty or leaves: it follows `m_ready` within the cycle |
//! | `m` | stream out; `m_valid` and `m_payload` are registers |
//!
//! - Parameters: `width`, bits of a word, from 1 to 65,536.
//! - Latency 1 cycle; 1 transfer in every cycle.
//! - Combinational path: `m_ready` to `s_ready`.
//! - After reset the slice is empty.

use super::register_slice::RegisterSlicePorts;
use hdl::{Bundle, Design, Errors, Module, Stream, bits, module};

/// A forward register slice for words of `width` bits.
#[module]
pub fn register_slice_forward(width: u32) -> Result<Design<RegisterSlicePorts>, Errors> {
    let name = format!("register_slice_forward_{width}");
    super::check_width(&name, width)?;
    let m = Module::new(name);
    m.doc("Register slice of one entry: valid and payload are registers, ready is not.");
    let io = RegisterSlicePorts::new(m, width);

    let valid = m.reg_reset(bits(1), 0);
    let payload = m.reg(bits(width));
    let moves = io.m.ready | !valid;
    io.s.ready.set(moves);
    io.m.valid.set(valid);
    io.m.payload.set(payload);
    m.when(moves, || {
        valid.set(io.s.valid);
        payload.set(io.s.payload);
    });
    m.finish(io)
}

/// Puts a forward register slice behind a stream of any payload.
#[module]
pub fn register_slice_forward_after<P: Bundle>(m: Module, s: Stream<P>) -> Result<Stream<P>, Errors> {
    let slice = m.instance(&register_slice_forward(s.payload.total_width())?);
    slice.s.set(super::packed(s));
    Ok(slice.m.with(s.payload.unpack(slice.m.payload)))
}

#[cfg(test)]
mod tests;
