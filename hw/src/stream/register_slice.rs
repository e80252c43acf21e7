//! A register slice: cuts every path of a stream with registers.
//!
//! Two entries, because the sender learns one cycle late that the receiver stalls: the word that then arrives is kept
//! beside the one that waits. Use it where a stream is too slow, or where the paths of `ready` through several modules
//! add up.
//!
//! | port | |
//! | --- | --- |
//! | `s` | stream in; `s_ready` is a register: there is room for a word |
//! | `m` | stream out; `m_valid` and `m_payload` are registers |
//!
//! - Parameters: `width`, bits of a word, from 1 to 65,536.
//! - Latency 1 cycle; 1 transfer in every cycle; no combinational path from port to port.
//! - After reset the slice is empty.

use hdl::{Bundle, Design, Errors, Module, Stream, bits, module, ports, stream};

ports! {
    /// Ports of a register slice.
    pub struct RegisterSlicePorts(width: u32) {
        /// words in
        input s: Stream = stream(bits(width)),
        /// the same words
        output m: Stream = stream(bits(width)),
    }
}

/// A register slice for words of `width` bits.
#[module]
pub fn register_slice(width: u32) -> Result<Design<RegisterSlicePorts>, Errors> {
    let name = format!("register_slice_{width}");
    super::check_width(&name, width)?;
    let m = Module::new(name);
    m.doc("Register slice: no combinational path between its two streams.");
    let io = RegisterSlicePorts::new(m, width);

    m.section("two entries: the word at the output, and the one that came when it could not move");
    let valid = m.reg_reset(bits(1), 0);
    let payload = m.reg(bits(width));
    let ready = m.reg_reset(bits(1), 1).comment("the spare entry is empty");
    let spare = m.reg(bits(width));
    io.s.ready.set(ready);
    io.m.valid.set(valid);
    io.m.payload.set(payload);

    m.section("movement");
    let output_moves = io.m.ready | !valid;
    m.when(output_moves, || {
        valid.set(io.s.valid | !ready);
        payload.set(ready.mux(io.s.payload, spare));
        ready.set(true);
    })
    .otherwise(|| ready.set(ready & !io.s.valid));
    m.when(ready, || spare.set(io.s.payload));
    m.finish(io)
}

/// Puts a register slice behind a stream of any payload.
#[module]
pub fn register_slice_after<P: Bundle>(m: Module, s: Stream<P>) -> Result<Stream<P>, Errors> {
    let slice = m.instance(&register_slice(s.payload.total_width())?);
    slice.s.set(super::packed(s));
    Ok(slice.m.with(s.payload.unpack(slice.m.payload)))
}

#[cfg(test)]
mod tests;
