//! The ring in which words of the sparse part wait: what is written into it, and how bytes are read from any place on.
//!
//! The ring holds [`words`] words. A *place* is the number of a byte: the byte's number in its word in the low bits, above it the
//! number of the word, with one bit more than the ring needs, so that places up to a ring apart can be compared. Who reads bytes
//! keeps a copy of those bits that it needs in LUT RAMs of its own, one for each byte of a word: so the bytes from any place on are
//! read in one cycle, the first of them in the word of the place and the others behind it.

use super::types::*;
use hdl::*;

/// Words of the ring. An entry waits for its chunk to be complete and counted, some 16 cycles, and for the beats before it: that is
/// most bytes where many come in a cycle. At 64 lanes nothing is counted.
pub fn words(p: EngineParams) -> u32 {
    if (8..=32).contains(&p.lanes) { 32 } else { 16 }
}

/// Bits of the number of a word: one more than the ring needs.
pub fn word_bits(p: EngineParams) -> u32 {
    words(p).ilog2() + 1
}

/// Words of the ring from the walker's on: no more are taken.
pub const NEWEST: u32 = 16;

/// A word that goes into the ring.
#[derive(Clone, Copy, Bundle)]
pub struct RingWrite {
    /// There is one.
    pub valid: Signal,
    /// Its place in the ring.
    pub word: Signal,
    /// Its bytes.
    pub data: Signal,
}

/// Shape of a [`RingWrite`].
pub fn ring_write(p: EngineParams) -> RingWrite {
    RingWrite { valid: bits(1), word: bits(word_bits(p) - 1), data: bits(8 * p.sparse_bytes()) }
}

/// Bits of a place.
pub fn place_bits(p: EngineParams) -> u32 {
    word_bits(p) + byte_bits(p)
}

/// Bits of the number of a byte in its word.
pub fn byte_bits(p: EngineParams) -> u32 {
    p.sparse_bytes().ilog2()
}

/// The address of a word in a memory of so many.
pub fn address(word: Signal, words: u32) -> Signal {
    word.trunc(words.ilog2())
}

/// For each number below `n`, the lowest first: is `x` above it? The upper half follows the highest bit: less than comparators.
pub fn above(x: Signal, n: u32) -> Vec<Signal> {
    let half = 1 << (x.width() - 1);
    let top = x.msb();
    let mut all = if half == 1 { vec![top.zeros(1)] } else { above(x.trunc(x.width() - 1), half) };
    let upper: Vec<Signal> = all.iter().map(|low| top & *low).collect();
    all.iter_mut().for_each(|low| *low = top | *low);
    all.extend(upper);
    all.resize(n as usize, top.zeros(1));
    all
}

/// Levels of the network that moves bytes together between two registers.
const LEVELS: u32 = 2;

/// Of the `lanes` bytes from `at` on, the bits `range`, highest and lowest. `at` is at some stage of a pipeline, the bytes are some stages later.
#[module]
pub fn read_bytes(m: Module, write: RingWrite, at: Signal, range: [u32; 2], p: EngineParams) -> Vec<Signal> {
    let (words, [high, low]) = (words(p), range);
    let (word, first) = (at.drop_low(byte_bits(p)), at.trunc(byte_bits(p)));
    let (here, behind) = (address(word, words), address(word + 1, words));
    let before = above(first, p.sparse_bytes());
    let bytes: Vec<Signal> = (0..p.sparse_bytes())
        .map(|i| {
            m.scope(format!("byte{i}"), || {
                let ring = m.memory(bits(high + 1 - low), words as usize).style(RamStyle::Distributed);
                ring.write(address(write.word, words), write.data.bits(8 * i + high, 8 * i + low), write.valid);
                // the last byte is never before another one
                let is_last = i + 1 == p.sparse_bytes();
                let read_at = if is_last { here } else { before[i as usize].mux(behind, here) }.next();
                ring.read(read_at).next()
            })
        })
        .collect();
    rotate(bytes, first.later(2), p.lanes)
}

/// The first `lanes` of the bytes when the one at `first` is moved to the front. The largest distances first: what nobody needs any
/// more is not built.
#[module]
fn rotate(mut bytes: Vec<Signal>, mut first: Signal, lanes: u32) -> Vec<Signal> {
    for (done, level) in (0..first.width()).rev().enumerate() {
        let (distance, count) = (1usize << level, bytes.len());
        let needed = count.min(lanes as usize + distance - 1);
        let moved = |i: usize| first.bit(level).mux(bytes[(i + distance) % count], bytes[i]);
        bytes = (0..needed).map(moved).collect();
        if done as u32 % LEVELS == LEVELS - 1 || level == 0 {
            bytes = bytes.into_iter().map(|byte| byte.next()).collect();
            first = first.next();
        }
    }
    bytes
}
