//! Parts that pass words from one stream to another: register slice, FIFO.

use super::{Engine, Proof};
use crate::checkers::{Moves, Side, keeps_words_in_order, sends_by_the_rules, stalls_at_most};
use hdl::{Bundle, Design, Errors, Module, Signal, Stream, bits, module, ports, stream};
use hw::stream::fifo::{self, Style};
use hw::stream::fifo_with_room::fifo_with_room;
use hw::stream::register_slice::register_slice;
use hw::stream::register_slice_backward::register_slice_backward;
use hw::stream::register_slice_forward::register_slice_forward;

ports! {
    /// A part with one stream in and one out.
    pub struct WordPorts(width: u32) {
        input s: Stream = stream(bits(width)),
        output m: Stream = stream(bits(width)),
    }
}

/// What holds for every such part: `room` words; a word stands at the output `latency` cycles after it came (0: in the same
/// cycle); with a receiver that is ready, the part is ready again after at most `busy` cycles.
#[module]
pub fn harness(m: Module, io: WordPorts, room: u32, latency: u32, busy: u32) -> Signal {
    sends_by_the_rules(m, io.s, Side::Surroundings);
    sends_by_the_rules(m, io.m, Side::Part);
    let inside = keeps_words_in_order(m, Moves::of(io.s), Moves::of(io.m), room, latency == 0);
    stalls_at_most(m, inside.ne(0) & !io.m.valid, latency.saturating_sub(1), "a word inside comes to the output");
    stalls_at_most(m, io.m.ready & !io.s.ready, busy, "a part that is emptied is ready again");
    stalls_at_most(m, inside.eq(0) & !io.s.ready, busy, "an empty part is ready, also if nobody takes its words");
    inside
}

/// Which register slice.
#[derive(Clone, Copy)]
enum Slice {
    Full,
    Forward,
    Backward,
}

/// A register slice.
#[module]
fn slice_proof(width: u32, slice: Slice) -> Result<Design<()>, Errors> {
    let (name, room, latency, busy) = match slice {
        Slice::Full => ("full", 2, 1, 1),
        Slice::Forward => ("forward", 1, 1, 0),
        Slice::Backward => ("backward", 1, 0, 1),
    };
    let m = Module::new(format!("prove_register_slice_{name}_{width}"));
    let io = WordPorts::new(m, width);
    let part = m.instance(&match slice {
        Slice::Full => register_slice(width)?,
        Slice::Forward => register_slice_forward(width)?,
        Slice::Backward => register_slice_backward(width)?,
    });
    part.s.set(io.s);
    io.m.set(part.m);
    let inside = harness(m, io, room, latency, busy);
    let moves = if let Slice::Forward = slice { io.m.ready } else { m.lit(0u32, 1) };
    m.assert(io.s.ready.eq(inside.lt(room) | moves), "it takes a word in every cycle in which there is a place for it");
    Ok(m.finish(io)?.erase())
}

/// A FIFO.
#[module]
fn fifo_proof(width: u32, depth: usize, style: Style) -> Result<Design<()>, Errors> {
    let (place, latency) = match style {
        Style::Block => ("block", 2),
        Style::Distributed => ("lut", 1),
    };
    let m = Module::new(format!("prove_fifo_{place}_{width}x{depth}"));
    let io = WordPorts::new(m, width);
    let part = m.instance(&fifo::fifo(width, depth, style)?);
    part.s.set(io.s);
    io.m.set(part.m);
    holds_as_a_fifo(m, io, part.level, depth, latency);
    Ok(m.finish(io)?.erase())
}

/// A FIFO that gets words while its level says that there is room.
#[module]
fn with_room_proof(width: u32, depth: usize) -> Result<Design<()>, Errors> {
    let m = Module::new(format!("prove_fifo_with_room_{width}x{depth}"));
    let io = WordPorts::new(m, width);
    let part = m.instance(&fifo_with_room(width, depth)?);
    io.s.ready.set(part.level.ne(depth));
    part.push.set(io.s.transfer());
    part.word.set(io.s.payload);
    io.m.set(part.m);
    holds_as_a_fifo(m, io, part.level, depth, 1);
    Ok(m.finish(io)?.erase())
}

/// What holds for every FIFO.
#[module]
fn holds_as_a_fifo(m: Module, io: WordPorts, level: Signal, depth: usize, latency: u32) {
    let inside = harness(m, io, depth as u32, latency, latency);
    let level = level.zext(inside.width().max(level.width()));
    m.assert(level.eq(inside.zext(level.width())), "the level is how many words are inside");
    m.assert(io.s.ready.eq(inside.ne(depth)), "it takes words unless it is full");
    let stayed = m.past(inside.ne(io.m.transfer().zext(inside.width()))) & m.past_valid();
    m.assert(!stayed | io.m.valid, "a word leaves in every cycle, of those that are inside for more than one");
}

/// The proofs of this file: register slices and FIFOs.
pub fn proofs() -> Result<Vec<Proof>, Errors> {
    let mut list = vec![];
    let slices = [
        (Slice::Full, "register_slice"),
        (Slice::Forward, "register_slice_forward"),
        (Slice::Backward, "register_slice_backward"),
    ];
    for (slice, name) in slices {
        for width in [1, 4] {
            let (name, part) = (format!("{name}_{width}"), format!("{name}, width {width}"));
            list.push(Proof { name, part, design: slice_proof(width, slice)?, engine: Engine::Pdr, cover_depth: 12 });
        }
    }
    for (style, place) in [(Style::Distributed, "lut"), (Style::Block, "block")] {
        for depth in [2, 3, 4, 5, 8] {
            let part = format!("fifo, {place} RAM, width 2, depth {depth}");
            let (name, design) = (format!("fifo_{place}_{depth}"), fifo_proof(2, depth, style)?);
            list.push(Proof { name, part, design, engine: Engine::Pdr, cover_depth: 8 + 2 * depth as u32 });
        }
    }
    for depth in [2, 8] {
        let part = format!("fifo with room, width 2, depth {depth}");
        let (name, design) = (format!("fifo_with_room_{depth}"), with_room_proof(2, depth)?);
        list.push(Proof { name, part, design, engine: Engine::Pdr, cover_depth: 8 + 2 * depth as u32 });
    }
    Ok(list)
}
