//! Arbiter: several streams to one, word by word in turn (round robin).
//!
//! | port | |
//! | --- | --- |
//! | `s` | streams in side by side: bit `i` of `s_valid` and `s_ready` is that of input `i`, its word begins at bit `i * width`. `s_ready` is 1 for the one that is granted, while the output moves |
//! | `m` | the words, `m_source` is the number of the input; `m_valid`, `m_payload` and `m_source` are registers |
//!
//! - Parameters: `width`, bits of a word, from 1 to 65,536; `inputs`, from 2 to 64; all words together at most 65,536 bits.
//! - Fair: a word that is offered waits for at most `inputs - 1` words of others, one of each, and then goes.
//! - Latency 1 cycle; 1 transfer in every cycle, also of one input alone. The words of an input keep their order.
//! - Combinational paths: `m_ready` and `s_valid` of all inputs to `s_ready`.
//! - After reset the output is empty, and input 0 comes first.
//!
//! Where packets must not be mixed: [`packet_arbiter`](super::packet_arbiter::packet_arbiter()).

use super::round_robin::round_robin;
use super::several::{Streams, check_streams, choose, streams};
use hdl::{Bundle, Design, Errors, Module, Signal, Stream, bits, cat, clog2, module, ports, stream};

/// A word and where it came from.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Granted {
    /// The word.
    pub payload: Signal,
    /// Number of the input.
    pub source: Signal,
}

/// The shape of a word of `width` bits from one of `inputs`.
pub fn granted(width: u32, inputs: u32) -> Granted {
    Granted { payload: bits(width), source: bits(clog2(inputs as usize)) }
}

ports! {
    /// Ports of an arbiter.
    pub struct ArbiterPorts(width: u32, inputs: u32) {
        /// the inputs side by side, each with its word
        input s: Streams = streams(inputs, width * inputs),
        /// the words in turn
        output m: Stream<Granted> = stream(granted(width, inputs)),
    }
}

/// An arbiter between `inputs` streams of words of `width` bits.
#[module]
pub fn arbiter(width: u32, inputs: u32) -> Result<Design<ArbiterPorts>, Errors> {
    let name = format!("arbiter_{inputs}x{width}");
    check(&name, width, inputs)?;
    let m = Module::new(name);
    m.doc("Arbiter: several streams to one, word by word in turn.");
    let io = ArbiterPorts::new(m, width, inputs);

    let valid = m.reg_reset(bits(1), 0);
    let word = m.reg(granted(width, inputs));
    let moves = io.m.ready | !valid;
    let grant = round_robin(m, io.s.valid, moves & io.s.valid.any());
    io.s.ready.set(grant.one_hot & moves.repeat(inputs));
    io.m.valid.set(valid);
    io.m.payload.set(word);
    m.when(moves, || {
        valid.set(grant.any);
        word.set(Granted { payload: choose(grant.index, &io.s.payload.lanes(width)), source: grant.index });
    });
    m.finish(io)
}

/// The parameters of an arbiter.
#[track_caller]
pub(super) fn check(name: &str, width: u32, inputs: u32) -> Result<(), Errors> {
    super::check_width(name, width)?;
    check_streams(name, "inputs", inputs)?;
    if width * inputs <= super::MAX_WIDTH {
        return Ok(());
    }
    let help = format!("width * inputs must be at most {}: no device has the wires for more", super::MAX_WIDTH);
    Err(Errors::parameter(name, format!("the words of all inputs have {} bits", width * inputs), help))
}

/// Several streams of one payload to one stream of words and the numbers of their inputs.
///
/// # Errors
/// If there are less than 2 or more than 64 streams, or their payloads are too wide.
#[module]
pub fn arbitrate<P: Bundle>(m: Module, inputs: &[Stream<P>]) -> Result<Stream<(P, Signal)>, Errors> {
    let Some(first) = inputs.first() else {
        return Err(Errors::parameter("arbiter", "inputs = 0 is out of range", "from 2 (1 would be a wire) to 64"));
    };
    let arbiter = m.instance(&arbiter(first.payload.total_width(), inputs.len() as u32)?);
    let words: Vec<Signal> = inputs.iter().rev().map(|s| s.payload.pack()).collect();
    let valid: Vec<Signal> = inputs.iter().rev().map(|s| s.valid).collect();
    arbiter.s.payload.set(cat(&words));
    arbiter.s.valid.set(cat(&valid));
    inputs.iter().enumerate().for_each(|(i, s)| s.ready.set(arbiter.s.ready.bit(i as u32)));
    Ok(arbiter.m.with((first.payload.unpack(arbiter.m.payload.payload), arbiter.m.payload.source)))
}

#[cfg(test)]
mod tests;
