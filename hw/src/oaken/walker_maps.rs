//! What the walker knows of the words of the ring: for every byte, where a chunk ends that has this byte as its count.
//!
//! It is worked out when a word goes in. A lookup is then a LUT RAM and the choice of a byte. Combinational.

use super::half_steps::{rest_is_legal, step_is_legal};
use super::header::{self, steps};
use super::sparse_ring::*;
use super::types::*;
use super::walker_words::Arrived;
use hdl::logic::{mux1h, one_hot};
use hdl::*;

/// Shape of a [`Looked`].
pub fn looked(p: EngineParams) -> Looked {
    Looked { end: bits(place_bits(p)), too_many: bits(1) }
}

/// What the walker keeps of the words of the ring.
pub struct Maps {
    /// For each byte: where a chunk ends that has it as its count, from its word on, modulo 128; and above that, whether the count is
    /// above 64.
    ends: Vec<Memory>,
    /// Byte 8 of a word, the count of a record's first chunk, or a byte before it is not there.
    pub short: Memory,
    /// The header, if the word is the first of a record.
    pub headers: Memory,
    /// Can it be that?
    pub legal: Memory,
}

/// A chunk that was looked up.
#[derive(Clone, Copy, Bundle)]
pub struct Looked {
    /// The place behind it.
    pub end: Signal,
    /// Its count is above 64.
    pub too_many: Signal,
}

/// Keeps it.
#[module]
pub fn maps(m: Module, arrived: Arrived, p: EngineParams) -> Maps {
    let Arrived { valid, word, address, .. } = arrived;
    let ends = (0..p.sparse_bytes())
        .map(|i| {
            m.scope(format!("byte{i}"), || {
                let ends = m.memory(bits(8), NEWEST as usize).style(RamStyle::Distributed);
                let byte = word.data.bits(8 * i + 7, 8 * i) & word.keep.bit(i).repeat(8);
                let most = byte.drop_low(6).any();
                let too_many = byte.msb() | (most & byte.trunc(6).any());
                let count = most.cat(byte.trunc(6) & (!most).repeat(6));
                ends.write(address, too_many.cat(count + (i + 1)), valid);
                ends
            })
        })
        .collect();
    let flag = || m.memory(bits(1), NEWEST as usize).style(RamStyle::Distributed);
    let (short, legal) = (flag(), flag());
    let headers = m.memory(bits(header::BITS), NEWEST as usize).style(RamStyle::Distributed);
    headers.write(address, word.data.trunc(header::BITS), valid);
    // of bytes that are kept behind a gap there is nothing: the packet ends at the gap
    short.write(address, !word.keep.trunc(header::BYTES + 1).all(), valid);
    legal.write(address, can_begin_record(word, p.dense_bits), valid);
    Maps { ends, short, headers, legal }
}

impl Maps {
    /// The chunk whose count is at `place`. Each part of the bytes has its own copy of the address of the word, if there are copies.
    #[module]
    pub fn look_up(&self, place: Signal, addresses: &[Signal], p: EngineParams) -> Looked {
        let (word, byte) = (place.drop_low(byte_bits(p)), place.trunc(byte_bits(p)));
        let all = if addresses.is_empty() {
            self.ends.iter().map(|ends| ends.read(address(word, NEWEST))).collect::<Vec<_>>()
        } else {
            let parts = self.ends.chunks(self.ends.len() / addresses.len());
            parts.zip(addresses).flat_map(|(part, address)| part.iter().map(|ends| ends.read(*address))).collect()
        };
        let found = select(&all, byte);
        let end = found.trunc(7);
        // the count 64 in byte 63 ends 128 bytes behind the beginning of the word
        let two_words = if byte_bits(p) == 6 { byte.all() & !end.msb() } else { byte.zeros(1) };
        // a count in the last byte, and 64 entries
        let end = behind(word, two_words.cat(end), p.sparse_bytes() + CHUNK, p);
        Looked { end, too_many: found.msb() }
    }
    /// The first chunk of the record that begins with a word.
    #[module]
    pub fn first(&self, word: Signal, p: EngineParams) -> Looked {
        let found = self.ends[header::BYTES as usize].read(address(word, NEWEST));
        // header, count, and 64 entries
        let end = behind(word, found.trunc(7).zext(8), header::BYTES + 1 + CHUNK, p);
        Looked { end, too_many: found.msb() }
    }
}

/// The place so many bytes behind the beginning of a word, up to `most`. How many is known late, and which words may follow is not.
#[module]
fn behind(word: Signal, bytes: Signal, most: u32, p: EngineParams) -> Signal {
    let low = byte_bits(p);
    let words: Vec<Signal> = (0..=most / p.sparse_bytes()).map(|i| word + i).collect();
    select_word(&words, bytes.drop_low(low)).cat(bytes.trunc(low))
}

/// The word with this number.
fn select_word(words: &[Signal], which: Signal) -> Signal {
    if words.len() == 1 {
        return words[0];
    }
    let half: Vec<Signal> = words.chunks(2).map(|pair| which.bit(0).mux(pair[pair.len() - 1], pair[0])).collect();
    if which.width() == 1 { half[0] } else { select_word(&half, which.drop_low(1)) }
}

/// One of some signals, in two steps of up to eight: which of them is known before they are.
#[module]
fn select(all: &[Signal], which: Signal) -> Signal {
    let low = one_hot(which.trunc(3), 8);
    let eights: Vec<Signal> = all.chunks(8).map(|eight| mux1h(low, eight)).collect();
    mux1h(one_hot(which.drop_low(3), eights.len()), &eights)
}

/// Can the word be the first one of a record?
#[module]
fn can_begin_record(word: SparseWord, dense_bits: u32) -> Signal {
    let header = word.data.trunc(header::BITS);
    let legal = steps(header).map(|step| step_is_legal(step, header.zeros(15), dense_bits));
    // words of zeros are padding
    let has_step = cat(&steps(header)).any();
    word.keep.trunc(header::BYTES).all() & has_step & cat(&legal).all() & rest_is_legal(header, dense_bits)
}
