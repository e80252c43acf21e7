//! E8P decoder: codes of QuiP#'s lattice become vectors of 8 numbers (vq-llm.txt, section II; docs/vq-format.md). Of 65,536 vectors 256 are
//! stored; the others differ from them by signs and a shift, which are logic.
//!
//! | port | |
//! | --- | --- |
//! | `s` | a code for each lane: the number of a stored vector above, its signs below; `ready` follows that of `m` within the cycle |
//! | `m` | a vector for each lane, in units of 1/4: odd numbers from -11 to 11, from registers |
//!
//! - Parameters: 1 to [`MAX_LANES`] lanes. Latency: 3 cycles. Throughput: a code a cycle and lane.
//! - Combinational paths: from `m_ready` to `s_ready`.
//! - Two lanes share a block RAM, each with a port of its own.

use super::e8p_points::{is_odd, points};
use hdl::*;

/// The most lanes.
pub const MAX_LANES: usize = 32;
/// Numbers of a vector.
pub const SIZE: usize = 8;
/// Bits of a number, which has a sign.
pub const NUMBER_BITS: u32 = 5;
/// Cycles from a code to its vector.
pub const LATENCY: u32 = 3;
/// Bits of a code.
pub const CODE_BITS: u32 = 16;

ports! {
    /// Ports of an E8P decoder.
    pub struct E8pPorts(lanes: usize) {
        /// Codes.
        input s: Stream<Vector<Signal>> = stream(vector(bits(CODE_BITS), lanes)),
        /// Vectors.
        output m: Stream<Vector<[Signal; SIZE]>> = stream(vector([bits(NUMBER_BITS); SIZE], lanes)),
    }
}

/// A stored vector: 1/2, 3/2 or 5/2 eight times.
#[derive(Clone, Copy, Bundle)]
struct Stored {
    /// Their numbers add up to an odd one.
    odd: Signal,
    /// 0, 1 or 2 for each, the first one low.
    halves: Signal,
}

/// What a code says beside the number of its stored vector.
#[derive(Clone, Copy, Bundle)]
struct Signs {
    /// A bit for each number that is negated, in the order of [`BIT_OF`].
    negated: Signal,
    /// 1/4 is subtracted from all numbers; else it is added.
    lowered: Signal,
}

/// Which bit of the signs is that of each number.
const BIT_OF: [u32; SIZE] = [0, 4, 1, 5, 2, 6, 3, 7];

/// An E8P decoder.
#[module]
pub fn e8p_decoder(lanes: usize) -> Result<Design<E8pPorts>, Errors> {
    let name = format!("e8p_decoder_{lanes}");
    if !(1..=MAX_LANES).contains(&lanes) {
        let help = format!("from 1 to {MAX_LANES}: more are several decoders");
        return Err(Errors::parameter(&name, format!("lanes = {lanes} is out of range"), help));
    }
    let m = Module::new(name);
    m.doc("Makes vectors of 8 numbers out of codes of QuiP#'s lattice.");
    let io = E8pPorts::new(m, lanes);
    let (p, codes) = m.pipeline_stream("decode", io.s, Elastic { collapse: false, flush: None });
    let pairs: Vec<Memory<Stored>> = (0..lanes.div_ceil(2)).map(|_| stored(m)).collect();
    let vectors = codes.into_iter().enumerate().map(|(lane, code)| {
        let word = pairs[lane / 2].read_sync(code.bits(15, 8)).next(); // block RAM is slow
        numbers(word, signs(code.trunc(8)).meet(word))
    });
    p.leave_stream(Vector::of(vectors), io.m);
    m.finish(io)
}

/// The stored vectors.
fn stored(m: Module) -> Memory<Stored> {
    let words = points().into_iter().map(|point| {
        let halves = point.iter().enumerate().map(|(i, n)| n << (2 * i)).sum::<u32>();
        u32::from(is_odd(&point)) << (2 * SIZE) | halves
    });
    m.memory(Stored { odd: bits(1), halves: bits(2 * SIZE as u32) }, 256).style(RamStyle::Block).init(words)
}

/// The signs of a code. With the parity of its byte, its lowest bit changes, so that the number of negations is even.
#[module]
fn signs(byte: Signal) -> Signs {
    let lowered = byte.parity();
    let negated = byte.bits(7, 1).cat(byte.bit(0) ^ lowered);
    Signs { negated, lowered }
}

/// The numbers of a vector, in units of 1/4: a stored n + 1/2 is 4n + 2, and 1 is added or subtracted. So it is
/// 4n + 3 or 4n + 1, and with a sign -4n - 1 or -4n - 3, which is 4 (-n - 1) + 3 or 1.
#[module]
fn numbers(word: Stored, signs: Signs) -> [Signal; SIZE] {
    std::array::from_fn(|i| {
        let half = word.halves.bits(2 * i as u32 + 1, 2 * i as u32);
        let sign = signs.negated.bit(BIT_OF[i]);
        let negated = if i == SIZE - 1 { sign ^ word.odd } else { sign };
        let fours = half.zext(3) ^ negated.repeat(3);
        let number = fours.cat(!signs.lowered).cat(half.lit(1u32, 1)).next();
        number
    })
}

#[cfg(test)]
mod tests;
