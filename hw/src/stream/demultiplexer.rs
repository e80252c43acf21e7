//! Demultiplexer: one stream to several; the number of the output travels with the word.
//!
//! | port | |
//! | --- | --- |
//! | `s` | words in, `s_select` is the number of the output; `s_ready` is that of the output |
//! | `m` | streams out side by side: bit `i` of `m_valid` and `m_ready` is that of output `i`; `m_payload` is of all |
//! | `illegal` | the word names no output: it is taken and dropped in this cycle. 0 if the outputs are a power of two |
//!
//! - Parameters: `width`, bits of a word, from 1 to 65,536; `outputs`, from 2 to 64.
//! - Latency 0 cycles; 1 transfer in every cycle.
//! - Words to one output keep their order. A word whose output stalls holds up those behind it: put a FIFO behind an
//!   output that may stall for long.
//! - Combinational paths: `s_valid` and `s_select` to `m_valid` and `illegal`, `s_payload` to `m_payload`; `m_ready` and
//!   `s_select` to `s_ready`.

use super::several::{Streams, check_streams, streams};
use hdl::{Bundle, Design, Errors, Module, Signal, Stream, bits, cat, clog2, module, ports, stream};

/// A word and where it goes.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Routed {
    /// Number of the output.
    pub select: Signal,
    /// The word.
    pub payload: Signal,
}

/// The shape of a word of `width` bits for one of `outputs`.
pub fn routed(width: u32, outputs: u32) -> Routed {
    Routed { select: bits(clog2(outputs as usize)), payload: bits(width) }
}

ports! {
    /// Ports of a demultiplexer.
    pub struct DemultiplexerPorts(width: u32, outputs: u32) {
        /// words, each with the number of its output
        input s: Stream<Routed> = stream(routed(width, outputs)),
        /// the outputs side by side; the payload is that of all
        output m: Streams = streams(outputs, width),
        /// the word names no output and is dropped
        output illegal: Signal = bits(1),
    }
}

/// A demultiplexer for words of `width` bits.
#[module]
pub fn demultiplexer(width: u32, outputs: u32) -> Result<Design<DemultiplexerPorts>, Errors> {
    let name = format!("demultiplexer_{outputs}x{width}");
    super::check_width(&name, width)?;
    check_streams(&name, "outputs", outputs)?;
    let m = Module::new(name);
    m.doc("Demultiplexer: one stream to several, the number of the output travels with the word.");
    let io = DemultiplexerPorts::new(m, width, outputs);

    let select = io.s.payload.select;
    let selected: Vec<Signal> = (0..outputs).rev().map(|i| select.eq(i)).collect();
    let chosen = cat(&selected);
    let no_output = if outputs.is_power_of_two() { m.lit(0u32, 1) } else { select.ge(outputs) };
    io.m.valid.set(chosen & io.s.valid.repeat(outputs));
    io.m.payload.set(io.s.payload.payload);
    io.s.ready.set((chosen & io.m.ready).any() | no_output);
    io.illegal.set(io.s.valid & no_output);
    m.finish(io)
}

/// The outputs of a demultiplexer that was put behind a stream.
pub struct Demultiplexed<P: Bundle> {
    /// The streams; connect each with `consumer.set(output)`.
    pub outputs: Vec<Stream<P>>,
    /// The word names no output and is dropped in this cycle.
    pub illegal: Signal,
}

/// Sends each word of a stream to the output that `select` names while the word is there.
#[module]
pub fn demultiplex<P: Bundle>(
    m: Module,
    s: Stream<P>,
    select: Signal,
    outputs: u32,
) -> Result<Demultiplexed<P>, Errors> {
    let demultiplexer = m.instance(&demultiplexer(s.payload.total_width(), outputs)?);
    demultiplexer.s.set(s.with(Routed { select, payload: s.payload.pack() }));
    let payload = s.payload.unpack(demultiplexer.m.payload);
    let outputs = (0..outputs).map(|i| demultiplexer.m.at(i, payload)).collect();
    Ok(Demultiplexed { outputs, illegal: demultiplexer.illegal })
}

#[cfg(test)]
mod tests;
