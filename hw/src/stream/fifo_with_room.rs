//! A FIFO of one clock for a sender that knows from `level` that there is room: nothing asks whether it is full. The first word falls
//! through.
//!
//! In a wide FIFO what decides on a write goes to many places. Here that is `push` alone, which may be a register.
//!
//! | port | |
//! | --- | --- |
//! | `push`, `word` | a word goes in; there must be room, `level` below `depth` |
//! | `m` | stream out; `m_valid` is a register, `m_payload` is read from the memory |
//! | `level` | words held, 0 to `depth`; a register. A word counts from the cycle after it went in to the cycle in which it leaves |
//!
//! - Parameters: `width`, bits of a word, from 1 to 65,536; `depth`, words, a power of two from 2 to 64. They lie in LUT RAM with
//!   asynchronous read.
//! - Latency 1 cycle; 1 word in and 1 word out in every cycle.
//! - No combinational path from port to port.
//! - After reset the FIFO is empty.

use hdl::{Bundle, Design, Errors, Module, RamStyle, Signal, Stream, bits, clog2, module, ports, stream};

/// The most words.
pub const MAX_DEPTH: usize = 64;

ports! {
    /// Ports of [`fifo_with_room`].
    pub struct FifoWithRoomPorts(width: u32, depth: usize) {
        /// a word goes in
        input push: Signal = bits(1),
        /// that word
        input word: Signal = bits(width),
        /// the oldest word
        output m: Stream = stream(bits(width)),
        /// words held
        output level: Signal = bits(clog2(depth + 1)),
    }
}

/// A FIFO of `depth` words of `width` bits to which words come only while it holds less than `depth`.
#[module]
pub fn fifo_with_room(width: u32, depth: usize) -> Result<Design<FifoWithRoomPorts>, Errors> {
    let name = format!("fifo_with_room_{width}x{depth}");
    super::check_width(&name, width)?;
    if !depth.is_power_of_two() || !(2..=MAX_DEPTH).contains(&depth) {
        let help = format!("a power of two from 2 to {MAX_DEPTH}: the words lie in LUT RAM");
        return Err(Errors::parameter(&name, format!("depth = {depth} is not legal"), help));
    }
    let m = Module::new(name);
    m.doc("First-in first-out queue for a sender that knows whether there is room; the first word falls through.");
    let io = FifoWithRoomPorts::new(m, width, depth);
    let pop = io.m.transfer();

    m.section("how many words there are");
    let count = m.reg_reset(bits(clog2(depth + 1)), 0);
    let not_empty = m.reg_reset(bits(1), 0);
    let change = pop.repeat(count.width() - 1).cat(m.lit(1u32, 1)); // 1, or -1
    m.when(io.push ^ pop, || {
        count.set(count + change);
        not_empty.set(io.push | count.ne(1));
    });
    m.assert(!io.push | count.ne(depth), "there is room for every word that comes");
    io.level.set(count);

    m.section("the words: a ring from head (the oldest) to tail (the next free place)");
    let head = m.reg_reset(bits(clog2(depth)), 0);
    let tail = m.reg_reset(bits(clog2(depth)), 0);
    let ram = m.memory(bits(width), depth).style(RamStyle::Distributed);
    ram.write(tail, io.word, io.push);
    m.when(io.push, || tail.set(tail + 1));
    m.when(pop, || head.set(head + 1));
    io.m.valid.set(not_empty);
    io.m.payload.set(ram.read(head));
    m.finish(io)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::fifo::{Style, fifo};
    use fastrand::Rng;
    use hdl::engine::Engine;
    use hdl::sim::Simulator;

    /// Cycle by cycle the same as the FIFO that says whether it is full, also when it is.
    #[test]
    fn it_does_what_a_fifo_does_that_is_asked_first() {
        for (width, depth) in [(1, 2), (8, 4), (64, 16)] {
            let (one, other) = (fifo_with_room(width, depth), fifo(width, depth, Style::Distributed));
            let (one, other) = (one.unwrap_or_else(|e| panic!("{e}")), other.unwrap_or_else(|e| panic!("{e}")));
            let [mut a, mut b] = [Simulator::new(&one), Simulator::new(&other)];
            let (x, y) = (one.ports, other.ports);
            let of_one = |port| one.port_index(port).expect("a port");
            let of_other = |port| other.port_index(port).expect("a port");
            let mut rng = Rng::with_seed(sim::bus::seed(width.into()));
            [&mut a, &mut b].into_iter().for_each(|engine| engine.reset(2));
            let (mut full, mut empty) = (0, 0);
            for cycle in 0..2000 {
                let (often, room) = (cycle / 40 % 2 == 0, b.peek(of_other(y.s.ready)));
                let push = u64::from(rng.u8(0..4) > if often { 0 } else { 2 }) & room;
                let (word, ready) = (rng.u64(..) & (u64::MAX >> (64 - width)), rng.bool());
                for (port, value) in [(x.push, push), (x.word, word), (x.m.ready, ready.into())] {
                    a.poke(of_one(port), value);
                }
                for (port, value) in [(y.s.valid, push), (y.s.payload, word), (y.m.ready, ready.into())] {
                    b.poke(of_other(port), value);
                }
                let valid = a.peek(of_one(x.m.valid));
                assert_eq!(valid, b.peek(of_other(y.m.valid)), "{width}x{depth}, cycle {cycle}");
                assert_eq!(a.peek(of_one(x.level)), b.peek(of_other(y.level)), "{width}x{depth}, cycle {cycle}");
                if valid == 1 {
                    let words = [a.peek(of_one(x.m.payload)), b.peek(of_other(y.m.payload))];
                    assert_eq!(words[0], words[1], "{width}x{depth}, cycle {cycle}");
                }
                (full, empty) = (full + 1 - room, empty + 1 - valid);
                [&mut a, &mut b].into_iter().for_each(|engine| engine.step());
            }
            assert!(full > 50 && empty > 50, "{full} cycles full and {empty} empty");
        }
    }

    #[test]
    fn other_depths_are_refused() {
        for depth in [0, 1, 3, 12, 128] {
            let error = fifo_with_room(8, depth).unwrap_err().0.remove(0);
            assert_eq!(error.message, format!("depth = {depth} is not legal"));
            assert_eq!(error.help.unwrap(), "a power of two from 2 to 64: the words lie in LUT RAM");
        }
    }
}
