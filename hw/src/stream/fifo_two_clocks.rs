//! A FIFO between two clocks that have nothing to do with each other; the first word falls through.
//!
//! Each side counts its own words, and sees the count of the other side in gray code through a synchronizer: late, but
//! never wrong. So the writer may believe that the FIFO is fuller than it is, and the reader that it is emptier.
//!
//! | port | |
//! | --- | --- |
//! | `s_clk`, `s_rst` | clock and reset of the side where words come in |
//! | `s` | stream in, of `s_clk`; `s_ready` is a register: there is room |
//! | `m_clk`, `m_rst` | clock and reset of the side where words go out |
//! | `m` | stream out, of `m_clk`; `m_valid` is a register, `m_payload` is read from the memory |
//!
//! - Parameters: `width`, bits of a word, from 1 to 65,536; `depth`, words, a power of two (only then does the gray code of the
//!   counts close) from 4 to 2^20; `style`, where the words lie; `stages` of the synchronizers, 2 to 4.
//! - [`Style::Distributed`]: LUT RAM; `m_payload` follows a registered address through it. [`Style::Block`]: block RAM;
//!   `m_payload` is its output, `m_ready` reaches its address.
//! - Latency: a word stands at the output after `stages` + 1 edges of `m_clk` behind the edge of `s_clk` with which it
//!   came in; the edge counts that falls on the same instant or just after does not always catch it.
//! - 1 word for every cycle of the slower clock, if `depth` is at least 8 (with 2 stages; 16 with more): a place that is
//!   freed takes `stages` + 1 edges of each clock until it is seen to be free and filled again. With `depth` 4: 4 words in
//!   that time.
//! - No combinational path from port to port.
//! - Both sides must be in reset at the same time for at least `stages` edges of each clock, so that no count is seen that
//!   the other side has forgotten; then the FIFO is empty. In reset it takes no word.
//! - The paths between the clocks are bounded for timing tools: see [`hdl::constraints`].

use super::fifo::{MAX_DEPTH, Style};
use super::synchronizer::{gray, synchronized};
use hdl::{Bundle, Design, Errors, Memory, Module, RamStyle, Signal, Stream, bits, clog2, module, ports, stream};

ports! {
    /// Ports of a FIFO of two clocks.
    pub struct FifoTwoClocksPorts(width: u32) {
        /// words to store, of clock s_clk
        input s: Stream = stream(bits(width)),
        /// the oldest word, of clock m_clk
        output m: Stream = stream(bits(width)),
    }
}

/// A FIFO of `depth` words of `width` bits from the clock `s_clk` to the clock `m_clk`.
#[module]
pub fn fifo_two_clocks(
    width: u32,
    depth: usize,
    style: Style,
    stages: u32,
) -> Result<Design<FifoTwoClocksPorts>, Errors> {
    let (place, ram_style) = match style {
        Style::Block => ("block", RamStyle::Block),
        Style::Distributed => ("distributed", RamStyle::Distributed),
    };
    let name = format!("fifo_two_clocks_{width}x{depth}_{place}_{stages}");
    super::check_width(&name, width)?;
    check_depth(&name, depth)?;
    let m = Module::new(name);
    m.doc("First-in first-out queue between two clocks; the first word falls through.");
    let io = FifoTwoClocksPorts::new(m, width);
    let writer = m.clock_domain("s_clk", "s_rst");
    let reader = m.clock_domain("m_clk", "m_rst");
    m.port_domain(io.s, writer);
    m.port_domain(io.m, reader);

    m.section("the words, and how many went in and out: one bit more than an address, so that full is not empty");
    let address = clog2(depth);
    let reason = "a word is valid after the gray-coded count of words in has passed it, and stays until the other has";
    let ram = m.memory(bits(width), depth).style(ram_style).crossing(reason);
    let tail_gray = m.in_domain(writer, || m.reg_reset(bits(address + 1), 0));
    let head_gray = m.in_domain(reader, || m.reg_reset(bits(address + 1), 0));

    m.section("the writer: full when its next count is a whole round before the reader's");
    let head_seen = synchronized(m, head_gray, writer, stages)?;
    m.in_domain(writer, || write_side(m, io.s, ram, tail_gray, head_seen));
    m.section("the reader: a word is there unless its next count is the writer's");
    let tail_seen = synchronized(m, tail_gray, reader, stages)?;
    m.in_domain(reader, || read_side(m, io.m, ram, style, head_gray, tail_seen));
    m.finish(io)
}

/// Takes words while there is room, as far as is known of the reader's count.
#[module]
fn write_side(m: Module, s: Stream, ram: Memory, tail_gray: Signal, head_seen: Signal) {
    let address = tail_gray.width() - 1;
    let tail = m.reg_reset(bits(address + 1), 0);
    let room = m.reg_reset(bits(1), 0);
    let push = s.valid & room;
    let tail_next = tail + push.zext(address + 1);
    let tail_next_gray = gray(tail_next);
    tail.set(tail_next);
    tail_gray.set(tail_next_gray);
    // a round further, the gray code has the two high bits inverted
    room.set(tail_next_gray.ne(head_seen ^ (3u64 << (address - 1))));
    ram.write(tail.trunc(address), s.payload, push);
    s.ready.set(room);
}

/// Shows the oldest word, as far as is known of the writer's count.
#[module]
fn read_side(m: Module, out: Stream, ram: Memory, style: Style, head_gray: Signal, tail_seen: Signal) {
    let address = head_gray.width() - 1;
    let head = m.reg_reset(bits(address + 1), 0);
    let valid = m.reg_reset(bits(1), 0);
    let pop = valid & out.ready;
    let head_next = head + pop.zext(address + 1);
    let head_next_gray = gray(head_next);
    head.set(head_next);
    head_gray.set(head_next_gray);
    valid.set(head_next_gray.ne(tail_seen));
    let word = match style {
        Style::Distributed => ram.read(head.trunc(address)),
        // the output follows the count: what is read while it is written is not valid yet, and is read again
        Style::Block => ram.read_sync(head_next.trunc(address)),
    };
    out.valid.set(valid);
    out.payload.set(word);
}

fn check_depth(module: &str, depth: usize) -> Result<(), Errors> {
    if depth.is_power_of_two() && (4..=MAX_DEPTH).contains(&depth) {
        return Ok(());
    }
    let help = format!("a power of two, so that the gray-coded counts close, from 4 to {MAX_DEPTH}");
    Err(Errors::parameter(module, format!("depth = {depth} is not legal"), help))
}

#[cfg(test)]
mod tests;
