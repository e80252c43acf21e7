//! Byte packer: packs the bytes of beats into full words, each vector starting a fresh word with its header.
//!
//! A beat brings up to `width` bytes (its entries, before them a count byte where a chunk starts), the first in the low bits.
//! The header of a vector comes with its first beat and needs no cycle and no shifter: it always is the first eight bytes of a
//! word. A word leaves when a byte for the next one comes, or at the end of the vector, with `keep` and `last`; bytes that are
//! not kept hold anything.
//!
//! | port | |
//! | --- | --- |
//! | `s` | beats; ready depends on what the beat holds and on the state, not on `m` ready of the same cycle |
//! | `m` | words; valid and payload are registers |
//!
//! Parameters: width in bytes, a power of two from 16 to 64, and the slots of a beat, 1 to width. Latency 1 cycle. A beat a cycle
//! as long as the words find room: one word a cycle leaves, and only the last beat of a vector can make two, which one spare
//! word takes up. Combinational: `m` ready to `s` ready, and `s` payload to `s` ready.

use super::types::{SparseWord, sparse_word};
use hdl::*;

/// Bytes of the header.
pub const HEADER_BYTES: u32 = 8;

/// The bytes that a beat brings.
#[derive(Clone, Copy, Bundle)]
pub struct ByteBeat {
    /// The bytes, the first in the low bits.
    pub bytes: Signal,
    /// How many of them count.
    pub count: Signal,
    /// First beat of a vector: the header goes before its bytes.
    pub first: Signal,
    /// Last beat of a vector.
    pub last: Signal,
    /// The header, with the first beat.
    pub header: Signal,
}

/// Shape of a beat of `slots` bytes.
pub fn byte_beat(slots: u32) -> ByteBeat {
    let count = bits(clog2(slots as usize + 1));
    ByteBeat { bytes: bits(8 * slots), count, first: bits(1), last: bits(1), header: bits(8 * HEADER_BYTES) }
}

ports! {
    /// Ports of [`byte_packer`].
    pub struct PackerPorts(width: u32, slots: u32) {
        /// Beats of bytes.
        input s: Stream<ByteBeat> = stream(byte_beat(slots)),
        /// Packed words.
        output m: Stream<SparseWord> = stream(sparse_word(width)),
    }
}

/// `bytes` moved up by `by` bytes, what leaves at the top coming back at the bottom.
#[module]
fn rotate(bytes: Signal, by: Signal) -> Signal {
    let width = bytes.width();
    (0..by.width()).fold(bytes, |x, level| {
        let n = 8 << level;
        let turned = x.trunc(width - n).cat(x.drop_low(width - n));
        by.bit(level).mux(turned, x).named(&format!("rotated_{}", 1 << level))
    })
}

/// One bit for each of `width` bytes: is its place below `n`?
fn below(n: Signal, width: u32) -> Signal {
    let bits: Vec<Signal> = (0..width).rev().map(|i| n.gt(i)).collect();
    cat(&bits)
}

/// Each bit of `mask` eight times.
fn byte_mask(mask: Signal) -> Signal {
    let bits: Vec<Signal> = mask.lanes(1).into_iter().rev().map(|b| b.repeat(8)).collect();
    cat(&bits)
}

/// A packer of words of `width` bytes from beats of up to `slots` bytes.
#[module]
pub fn byte_packer(width: u32, slots: u32) -> Result<Design<PackerPorts>, Errors> {
    if !width.is_power_of_two() || !(16..=64).contains(&width) || slots == 0 || slots > width {
        let message = format!("a packer of {slots} bytes into words of {width} is not legal");
        return Err(Errors::parameter(
            "byte_packer",
            message,
            "words of 16, 32 or 64 bytes, beats of 1 byte to a word",
        ));
    }
    let m = Module::new(format!("byte_packer_{slots}x{width}"));
    m.doc("Packs the bytes of beats into words; each vector starts a fresh word with its header.");
    let io = PackerPorts::new(m, width, slots);
    let beat = io.s.payload;
    let level = clog2(width as usize);

    m.section("the open word; a vector starts with its header in place");
    let open = m.reg(bits(8 * width));
    let fill = m.reg(bits(level + 1)); // 0 to width bytes
    let header = beat.header.zext(8 * width);
    let held = beat.first.mux(header, open);
    let held_fill = beat.first.mux(m.lit(HEADER_BYTES, level + 1), fill);

    m.section("the new bytes, turned to their place");
    let padded = beat.bytes.zext(8 * width);
    let turned = rotate(padded, held_fill.trunc(level));
    let total = held_fill.zext(level + 2) + beat.count.zext(level + 2);
    let held_places = below(held_fill, width);
    let low = (held & byte_mask(held_places)) | (turned & byte_mask(!held_places));
    let high = turned;
    let overflow = total.gt(width);
    let rest = (total - width).trunc(level + 1);

    m.section("what this beat makes: a full word, the last word, or both");
    let one = io.s.valid & (overflow | beat.last);
    let two = io.s.valid & overflow & beat.last;
    let ends_in_low = beat.last & !overflow;
    let low_keep = below(total, width);
    let low_word = SparseWord { data: low, keep: low_keep, last: ends_in_low };
    let high_keep = below(rest, width);
    let high_word = SparseWord { data: high, keep: high_keep, last: m.lit(1u32, 1) };

    m.section("the outgoing word and a spare one behind it");
    let out_valid = m.reg_reset(bits(1), 0);
    let out = m.reg(sparse_word(width));
    let spare_valid = m.reg_reset(bits(1), 0);
    let spare = m.reg(sparse_word(width));
    let moves = io.m.ready | !out_valid;
    let ready = moves & !(spare_valid & overflow & beat.last);
    io.s.ready.set(ready);
    io.m.valid.set(out_valid);
    io.m.payload.set(out);
    m.when(moves, || {
        out_valid.set(spare_valid | (one & ready));
        out.set(spare_valid.mux(spare, low_word));
        spare.set(spare_valid.mux(low_word, high_word));
        spare_valid.set(ready & spare_valid.mux(one, two));
    });

    m.section("update of the open word");
    m.when(ready & io.s.valid, || {
        open.set(overflow.mux(high, low));
        fill.set(overflow.mux(rest, total.trunc(level + 1)));
    });
    m.finish(io)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::sim::bus::{Beat, Bench, Stalls, packet_bytes, seed};
    use fastrand::Rng;
    use hdl::sim::Simulator;

    /// A vector of beats, each with up to `slots` bytes, and the bytes that the packer must make of it.
    fn vector(rng: &mut Rng, slots: usize) -> (Vec<Beat>, Vec<u8>) {
        let header: u64 = rng.u64(..);
        let mut bytes = header.to_le_bytes().to_vec();
        let count = rng.usize(1..20);
        let most = [0, 1, slots / 2, slots][rng.usize(0..4)];
        let beats = (0..count).map(|i| {
            let new: Vec<u8> = (0..rng.usize(0..=most)).map(|_| rng.u8(..)).collect();
            bytes.extend(&new);
            let (first, last) = (u32::from(i == 0), u32::from(i + 1 == count));
            // what does not count is anything
            let mut all = new.clone();
            all.resize_with(slots, || rng.u8(..));
            let fields = [BigUint::from_bytes_le(&all), new.len().into(), first.into(), last.into(), header.into()];
            Beat(fields.to_vec())
        });
        (beats.collect(), bytes)
    }

    #[test]
    fn packs_every_vector_from_a_fresh_word() {
        for (width, slots) in [(16, 2), (16, 9), (16, 16), (32, 32), (64, 64)] {
            for stalls in [Stalls::Never, Stalls::Percent(40), Stalls::Runs(5)] {
                let design = byte_packer(width, slots).unwrap_or_else(|e| panic!("{e}"));
                let mut engine = Simulator::new(&design);
                let mut bench = Bench::new(&mut engine, seed(3));
                let mut rng = Rng::with_seed(u64::from(width + slots));
                let s = bench.source(&design, &design.ports.s, stalls);
                let m = bench.sink(&design, &design.ports.m, stalls);
                bench.reset().unwrap_or_else(|e| panic!("{e}"));
                let mut wanted = vec![];
                for _ in 0..200 {
                    let (beats, bytes) = vector(&mut rng, slots as usize);
                    bench.send(s, beats);
                    wanted.push(bytes);
                }
                let words = wanted.iter().map(|b| b.len().div_ceil(width as usize)).sum();
                bench.run_until_received(m, words, 100_000).unwrap_or_else(|e| panic!("{e}"));
                assert_eq!(packet_bytes(bench.beats(m)), wanted, "{slots} into {width}");
            }
        }
    }

    #[test]
    fn illegal_parameters_are_refused() {
        for (width, slots) in [(8, 1), (24, 3), (128, 16), (16, 0), (16, 17)] {
            let error = byte_packer(width, slots).expect_err("illegal").to_string();
            assert!(error.contains("words of 16, 32 or 64 bytes"), "{error}");
        }
    }
}
