//! A RAM with a port to write and a stream to read: addresses in, words out, as fast as the receiver takes them.
//!
//! What [`hdl::Module::memory`] leaves to its user is here: the read of a block RAM takes a cycle and must stand still
//! while the receiver stalls.
//!
//! | port | |
//! | --- | --- |
//! | `write_enable` | bit `i`: lane `i` of the word is written in this cycle (a byte enable, with lanes of 8 bits) |
//! | `write_address`, `write_data` | where, and what |
//! | `s` | addresses to read; `s_ready` follows `m_ready` within the cycle |
//! | `m` | the words, one for each address and in their order; `m_valid` is a register, `m_payload` the output of the block RAM or a register |
//!
//! - Parameters: `width`, bits of a word, from 1 to 65,536; `depth`, words, from 2 to 2^20; `lanes`, parts of a word that
//!   are written each by themselves, a divisor of `width`; `style`, where the words lie; `collision`, see below.
//! - Latency 1 cycle; 1 word read and 1 written in every cycle.
//! - Combinational path: `m_ready` to `s_ready`.
//! - A read in the cycle of a write to its address gives the word from before with [`Collision::Old`], which costs logic
//!   where the block RAM of a device cannot do it by itself; with [`Collision::Any`] it gives anything, for users whose
//!   reads and writes never meet. Later writes do not change a word that was read and waits.
//! - An address behind the last word (where `depth` is no power of two) reads anything; a write there does nothing.
//! - Reset does not change the words; what they are at power-up is not said. After reset no word waits.

use crate::stream::MAX_WIDTH;
use crate::stream::fifo::{MAX_DEPTH, Style};
use hdl::{Bundle, Design, Errors, Module, RamStyle, Signal, Stream, bits, clog2, module, ports, stream};

/// What a read gives in the cycle in which its word is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Collision {
    /// The word from before.
    Old,
    /// Anything.
    Any,
}

/// The shape of a RAM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RamParams {
    /// Bits of a word.
    pub width: u32,
    /// Words.
    pub depth: usize,
    /// Parts of a word that are written each by themselves.
    pub lanes: u32,
    /// Where the words lie.
    pub style: Style,
    /// What a read gives in the cycle of a write to its address.
    pub collision: Collision,
}

ports! {
    /// Ports of a RAM.
    pub struct RamPorts(p: RamParams) {
        /// lanes of the word that are written
        input write_enable: Signal = bits(p.lanes),
        /// where they are written
        input write_address: Signal = bits(clog2(p.depth)),
        /// the word of which lanes are written
        input write_data: Signal = bits(p.width),
        /// addresses to read
        input s: Stream = stream(bits(clog2(p.depth))),
        /// the words
        output m: Stream = stream(bits(p.width)),
    }
}

/// A RAM.
#[module]
pub fn ram(p: RamParams) -> Result<Design<RamPorts>, Errors> {
    let name = name(p);
    check(&name, p)?;
    let m = Module::new(name);
    m.doc("RAM with a port to write and a stream to read.");
    let io = RamPorts::new(m, p);

    let words = m.memory(bits(p.width), p.depth);
    words.write_lanes(io.write_address, io.write_data, io.write_enable);
    let valid = m.reg_reset(bits(1), 0).comment("a word stands at the output");
    let moves = io.m.ready | !valid;
    io.s.ready.set(moves);
    io.m.valid.set(valid);
    m.when(moves, || valid.set(io.s.valid));
    let read = io.s.transfer();
    match p.style {
        Style::Block => {
            words.style(RamStyle::Block);
            if p.collision == Collision::Any {
                words.attribute("no_rw_check", "");
            }
            io.m.payload.set(words.read_sync_enabled(io.s.payload, read));
        }
        Style::Distributed => {
            words.style(RamStyle::Distributed);
            let word = m.reg(bits(p.width));
            m.when(read, || word.set(words.read(io.s.payload)));
            io.m.payload.set(word);
        }
    }
    m.finish(io)
}

/// A name that tells all parameters.
fn name(p: RamParams) -> String {
    let place = if p.style == Style::Block { "block" } else { "distributed" };
    let lanes = if p.lanes > 1 { format!("_{}_lanes", p.lanes) } else { String::new() };
    let any = if p.collision == Collision::Any { "_any" } else { "" };
    format!("ram_{}x{}_{place}{lanes}{any}", p.width, p.depth)
}

#[track_caller]
fn check(name: &str, p: RamParams) -> Result<(), Errors> {
    let RamParams { width, depth, lanes, .. } = p;
    let (message, help) = if !(1..=MAX_WIDTH).contains(&width) {
        let help = format!("from 1 to {MAX_WIDTH}: a word needs a bit, and wider ones no device has the wires for");
        (format!("width = {width} is out of range"), help)
    } else if !(2..=MAX_DEPTH).contains(&depth) {
        let help = format!("from 2 (for 1, use a register) to {MAX_DEPTH} (more than the largest device holds)");
        (format!("depth = {depth} is out of range"), help)
    } else if lanes == 0 || !width.is_multiple_of(lanes) {
        (format!("lanes = {lanes} with width = {width}"), "lanes divide the word into equal parts".to_string())
    } else {
        return Ok(());
    };
    Err(Errors::parameter(name, message, help))
}

#[cfg(test)]
mod tests;
