//! A FIFO of one clock in which the first word falls through: the oldest word stands at the output without being asked
//! for.
//!
//! | port | |
//! | --- | --- |
//! | `s` | stream in; `s_ready` is a register: the FIFO is not full |
//! | `m` | stream out; `m_valid` is a register, `m_payload` is read from the memory |
//! | `level` | words held, 0 to `depth`; a register. A word counts from the cycle after it went in to the cycle in which it leaves |
//!
//! - Parameters: `width`, bits of a word, from 1 to 65,536; `depth`, words, from 2 (one word could not go in while one goes
//!   out, use a register slice) to 2^20 (more than the largest supported device holds); `style`, where the words lie.
//! - [`Style::Distributed`]: LUT RAM with asynchronous read. Latency 1 cycle; `m_payload` follows a registered address
//!   through the RAM within the cycle. For up to some 64 words.
//! - [`Style::Block`]: block RAM with synchronous read. Latency 2 cycles; `m_payload` is the output of the block RAM,
//!   which holds the oldest word. Put a register slice behind it where the block RAM's clock-to-output is too slow.
//! - 1 word in and 1 word out in every cycle, however many it holds. Only a block RAM FIFO of 2 words moves 2 words in 3
//!   cycles: a word takes 2 cycles through it. A full FIFO takes no word in the cycle in which one leaves.
//! - No combinational path from port to port.
//! - After reset the FIFO is empty.

use hdl::{Bundle, Design, Errors, Memory, Module, RamStyle, Signal, Stream, bits, clog2, module, ports, stream};

/// Where the words lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Block RAM.
    Block,
    /// LUT RAM.
    Distributed,
}

/// The most words.
pub const MAX_DEPTH: usize = 1 << 20;

ports! {
    /// Ports of a FIFO.
    pub struct FifoPorts(width: u32, depth: usize) {
        /// words to store
        input s: Stream = stream(bits(width)),
        /// the oldest word
        output m: Stream = stream(bits(width)),
        /// words held
        output level: Signal = bits(clog2(depth + 1)),
    }
}

/// A FIFO of `depth` words of `width` bits.
#[module]
pub fn fifo(width: u32, depth: usize, style: Style) -> Result<Design<FifoPorts>, Errors> {
    let place = match style {
        Style::Block => "block",
        Style::Distributed => "distributed",
    };
    let name = format!("fifo_{width}x{depth}_{place}");
    super::check_width(&name, width)?;
    check_depth(&name, depth)?;
    let m = Module::new(name);
    m.doc("First-in first-out queue; the first word falls through.");
    let io = FifoPorts::new(m, width, depth);
    let push = io.s.transfer();
    let pop = io.m.transfer();

    m.section("how many words there are");
    let count = m.reg_reset(bits(clog2(depth + 1)), 0);
    let not_full = m.reg_reset(bits(1), 1);
    io.s.ready.set(not_full);
    io.level.set(count);
    let changes = push ^ pop;
    let change = pop.repeat(count.width() - 1).cat(m.lit(1u32, 1)); // 1, or -1
    m.when(changes, || {
        count.set(count + change);
        not_full.set(pop | count.ne(depth - 1));
    });

    m.section("the words: a ring from head (the oldest) to tail (the next free place)");
    let head = m.reg_reset(bits(clog2(depth)), 0);
    let tail = m.reg_reset(bits(clog2(depth)), 0);
    let ram = m.memory(bits(width), depth);
    ram.write(tail, io.s.payload, push);
    m.when(push, || tail.set(after(tail, depth)));

    let queue = Queue { depth, count, changes, pop, head, ram };
    match style {
        Style::Distributed => show_distributed(m, io, queue, push),
        Style::Block => show_block(m, io, queue),
    }
    m.finish(io)
}

/// The words that are held.
#[derive(Clone, Copy)]
struct Queue {
    depth: usize,
    /// How many there are.
    count: Signal,
    /// There are more or less in the next cycle.
    changes: Signal,
    /// The oldest leaves.
    pop: Signal,
    /// Where the oldest lies.
    head: Signal,
    ram: Memory,
}

/// The oldest word is read within the cycle.
#[module]
fn show_distributed(m: Module, io: FifoPorts, x: Queue, push: Signal) {
    x.ram.style(RamStyle::Distributed);
    let not_empty = m.reg_reset(bits(1), 0);
    m.when(x.changes, || not_empty.set(push | x.count.ne(1)));
    m.when(x.pop, || x.head.set(after(x.head, x.depth)));
    io.m.valid.set(not_empty);
    io.m.payload.set(x.ram.read(x.head));
}

/// The output of the block RAM holds the oldest word.
///
/// A word is fetched as soon as the output is free, and its place is free then. The place that is read never is the one that is
/// written in the same cycle: `fetch` needs a word that lies in the RAM since an earlier cycle, so head equals tail only if all
/// places are taken, and then there is no push. Without the attribute, synthesis builds logic for a collision that cannot happen.
#[module]
fn show_block(m: Module, io: FifoPorts, x: Queue) {
    x.ram.style(RamStyle::Block).attribute("no_rw_check", "");
    let valid = m.reg_reset(bits(1), 0).comment("the output of the RAM is a word");
    let in_ram = x.count.ne(valid.zext(x.count.width()));
    let fetch = in_ram & (!valid | io.m.ready);
    m.when(fetch, || {
        valid.set(true);
        x.head.set(after(x.head, x.depth));
    })
    .elsewhen(io.m.ready, || valid.set(false));
    io.m.valid.set(valid);
    io.m.payload.set(x.ram.read_sync_enabled(x.head, fetch));
}

/// The place after `place` in a ring of `depth`.
fn after(place: Signal, depth: usize) -> Signal {
    if depth.is_power_of_two() { place + 1 } else { place.eq(depth - 1).mux(place.zeros(place.width()), place + 1) }
}

fn check_depth(module: &str, depth: usize) -> Result<(), Errors> {
    if (2..=MAX_DEPTH).contains(&depth) {
        return Ok(());
    }
    let help = format!("from 2 (for 1, use a register slice) to {MAX_DEPTH} (more than the largest device holds)");
    Err(Errors::parameter(module, format!("depth = {depth} is out of range"), help))
}

/// Puts a FIFO behind a stream of any payload.
#[module]
pub fn fifo_after<P: Bundle>(m: Module, s: Stream<P>, depth: usize, style: Style) -> Result<Stream<P>, Errors> {
    let fifo = m.instance(&fifo(s.payload.total_width(), depth, style)?);
    fifo.s.set(super::packed(s));
    fifo.level.unused();
    Ok(fifo.m.with(s.payload.unpack(fifo.m.payload)))
}

#[cfg(test)]
mod tests;
