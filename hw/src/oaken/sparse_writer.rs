//! Sparse writer: packs count bytes and entries into the words of the sparse part, each vector from a fresh word behind its header.
//!
//! The bytes of a beat are turned to their place in a word, and written into as many small RAMs as a word has bytes: each RAM takes
//! its byte at the address of the open word, or at that of the next one where the bytes go round. So the RAMs are packer and queue
//! at once. Nothing is masked: bytes that do not count go to places that are written again later. The header of a vector needs no
//! cycle and no shifter: it always is the first eight bytes of a word, and is put in on the way out. Beside each word stands whether
//! it is the last of its vector and how many bytes it has; even and odd words have RAMs of their own for that, because a beat may
//! end in two words.
//!
//! | port | |
//! | --- | --- |
//! | `s` | beats; `ready` is a register but for beats that bring a byte more than a word has: their count goes ahead for a cycle |
//! | `header` | of the vector whose number is `vector`; there before its first beat comes |
//! | `m` | words; valid and payload are registers; bytes that are not kept are 0 |
//! | `stop` | 1: no more beats, after at most two (a register may stand before it) |
//! | `sent` | the last word of a vector left the RAMs in the cycle before; a register |
//!
//! Parameters: lanes 1 to 64, and the bits of a vector's number. Throughput: a beat a cycle as long as words are taken. Latency:
//! a word can be taken 5 to 6 cycles after the beat that fills it. Combinational: `m` ready to nothing outside.

use super::types::*;
use hdl::*;

/// Words that the RAMs hold.
const WORDS: u32 = 16;
/// The most words held that let beats in: each of the beats that still come can make two.
const ENOUGH: u32 = 8;
/// Bytes of the header.
const HEADER_BYTES: u32 = 8;

/// The sparse side of a beat.
#[derive(Clone, Copy, Bundle)]
pub struct SparseBeat {
    /// Entry bytes, those that count in the low bytes.
    pub entries: Signal,
    /// How many count.
    pub found: Signal,
    /// All lanes have one and the count comes with them: one more than a word has bytes. 0 while no beat is there.
    pub too_many: Signal,
    /// First beat of a chunk.
    pub starts_chunk: Signal,
    /// Outliers of the chunk.
    pub count: Signal,
    /// First beat of the vector.
    pub first: Signal,
    /// Last beat of the vector.
    pub last: Signal,
}

/// Shape of a [`SparseBeat`].
pub fn sparse_beat(lanes: u32) -> SparseBeat {
    SparseBeat {
        entries: bits(8 * lanes),
        found: bits(clog2(lanes as usize + 1)),
        too_many: bits(1),
        starts_chunk: bits(1),
        count: bits(7),
        first: bits(1),
        last: bits(1),
    }
}

ports! {
    /// Ports of [`sparse_writer`].
    pub struct SparseWriterPorts(p: EngineParams, vector_bits: u32) {
        /// Encoded beats.
        input s: Stream<SparseBeat> = stream(sparse_beat(p.lanes)),
        /// No more beats.
        input stop: Signal = bits(1),
        /// Number of the vector that leaves.
        output vector: Signal = bits(vector_bits),
        /// Its header.
        input header: Signal = bits(64),
        /// Words.
        output m: Stream<SparseWord> = stream(sparse_word(p.sparse_bytes())),
        /// A vector left in the cycle before.
        output sent: Signal = bits(1),
    }
}

/// `bytes` moved up by `by` bytes, what leaves at the top coming back at the bottom: the levels `from` to `to` of it.
#[module]
fn rotate(bytes: Signal, by: Signal, levels: std::ops::Range<u32>) -> Signal {
    let width = bytes.width();
    levels.fold(bytes, |x, level| {
        let n = 8 << level;
        by.bit(level).mux(x.trunc(width - n).cat(x.drop_low(width - n)), x)
    })
}

/// One bit for each of `width` places: is it below `n`?
fn below(n: Signal, width: u32) -> Signal {
    let bits: Vec<Signal> = (0..width).rev().map(|i| n.gt(i)).collect();
    cat(&bits)
}

/// What stands beside a word.
#[derive(Clone, Copy, Bundle)]
struct Mark {
    /// It is the last one of its vector.
    last: Signal,
    /// The bytes of the last one.
    bytes: Signal,
}

/// The sparse writer.
#[module]
pub fn sparse_writer(p: EngineParams, vector_bits: u32) -> Result<Design<SparseWriterPorts>, Errors> {
    let width = p.sparse_bytes();
    let m = Module::new(format!("oaken_sparse_writer_p{}", p.lanes));
    m.doc("Packs count bytes and entries into the words of the sparse part.");
    let io = SparseWriterPorts::new(m, p, vector_bits);

    m.section("the bytes of a beat: the count is before the first, which is behind the last when they go round");
    let go = m.reg_reset(bits(1), 0).comment("there is room for what this and the next two beats make");
    let part = part(m, io.s, go, width);
    m.section("where they begin and end");
    let extent = extent(m, io.s, go, part, width);
    m.section("turned to their place");
    let turned = turn(m, io.s.valid, go, part, extent);
    let writes = turned.valid & go;
    m.section("the open word; those from `reading` up to it are complete");
    let word_bits = clog2(WORDS as usize);
    let open = m.reg_reset(bits(word_bits + 1), 0);
    let reading = m.reg_reset(bits(word_bits + 1), 0);
    let above = open + 1;
    let last_word = turned.overflow.mux(above, open);
    m.when(writes, || open.set(turned.ends.mux(last_word + 1, last_word)));
    let used = open - reading;
    go.set(used.le(ENOUGH) & !io.stop);
    m.section("a RAM for each byte of a word");
    let words = Words { open, above, reading, writes };
    let word = byte_rams(m, words, turned, width);
    m.section("two RAMs for the marks: of the open word and the next one, one is even");
    let mark = mark_rams(m, words, turned);
    m.section("the outgoing word");
    send(m, io, reading, open, word, mark);
    m.finish(io)
}

/// What a beat brings in a cycle.
#[derive(Clone, Copy)]
struct Part {
    /// Its bytes, but that a count is the highest one.
    bytes: Signal,
    with_count: Signal,
    /// Bytes, with the count.
    number: Signal,
    /// The first of two parts.
    first: Signal,
    /// The second of two parts.
    second: Signal,
}

/// A beat of a byte too many is two parts: its count goes ahead.
#[module]
fn part(m: Module, s: Stream<SparseBeat>, go: Signal, width: u32) -> Part {
    let (beat, level) = (s.payload, width.ilog2());
    let second_part = m.reg_reset(bits(1), 0);
    let first_part = beat.too_many & !second_part;
    let with_count = beat.starts_chunk & !second_part;
    s.ready.set(go & !first_part);
    m.when(go & s.valid, || second_part.set(first_part));
    let count_byte = beat.count.zext(8);
    let own = (beat.entries.width() == 8 * width).then(|| beat.entries.drop_low(8 * (width - 1)));
    let top = own.map_or(count_byte, |own| with_count.mux(count_byte, own));
    let below_top = beat.entries.zext(8 * width).trunc(8 * (width - 1));
    let bytes = top.cat(below_top);
    let found = beat.found.zext(level + 2);
    let number = first_part.mux(found.zeros(level + 2), found) + with_count.zext(level + 2);
    Part { bytes, with_count, number, first: first_part, second: second_part }
}

/// Where a part goes in the open word.
#[derive(Clone, Copy)]
struct Extent {
    /// Its first byte.
    begin: Signal,
    /// It ends in the next word.
    overflow: Signal,
    /// Bytes of the word in which it ends.
    filled: Signal,
    /// It is the last of its vector.
    ends: Signal,
}

/// Each part goes behind the one before it, the first of a vector behind the header.
#[module]
fn extent(m: Module, s: Stream<SparseBeat>, go: Signal, part: Part, width: u32) -> Extent {
    let level = width.ilog2();
    let fill = m.reg_reset(bits(level + 1), 0); // bytes of the open word, 0 to all
    let starts = s.payload.first & !part.second;
    let ends = s.payload.last & !part.first;
    let begin = starts.mux(m.lit(HEADER_BYTES, level + 1), fill);
    let end = begin.zext(level + 2) + part.number;
    let overflow = end.gt(width);
    let filled = overflow.mux((end - width).trunc(level + 1), end.trunc(level + 1));
    m.when(go & s.valid, || fill.set(filled));
    Extent { begin, overflow, filled, ends }
}

/// A part whose bytes are in their places of a word.
#[derive(Clone, Copy)]
struct Turned {
    valid: Signal,
    bytes: Signal,
    /// As in [`Extent`].
    begin: Signal,
    overflow: Signal,
    filled: Signal,
    ends: Signal,
}

/// Turns the bytes of a part to their place, two levels in a stage.
#[module]
fn turn(m: Module, valid: Signal, go: Signal, part: Part, extent: Extent) -> Turned {
    let level = extent.begin.width() - 1;
    let tail = m.pipeline_enabled("tail", go);
    let valid = tail.enter_valid(valid).next();
    let by = tail.enter((extent.begin + part.with_count.zext(level + 1)).trunc(level)).next();
    let bytes = tail.enter(part.bytes).next();
    let turned = (0..level).step_by(2).fold(bytes, |x, from| rotate(x, by.meet(x), from..(from + 2).min(level)).next());
    let begin = tail.enter(extent.begin).meet(turned);
    let (overflow, ends, filled) = tail.enter((extent.overflow, extent.ends, extent.filled)).meet(turned);
    let (valid, begin, turned) = tail.leave((valid.meet(turned), begin, turned));
    let (overflow, ends, filled) = tail.leave((overflow, ends, filled));
    Turned { valid, bytes: turned, begin, overflow, filled, ends }
}

/// Addresses of words, with a bit more to tell full from empty.
#[derive(Clone, Copy)]
struct Words {
    open: Signal,
    /// The one behind the open one.
    above: Signal,
    /// The oldest.
    reading: Signal,
    /// A part is written.
    writes: Signal,
}

/// Writes the bytes of a part; those that go round belong to the word behind the open one. Gives the oldest word.
#[module]
fn byte_rams(m: Module, words: Words, x: Turned, width: u32) -> Signal {
    let Words { open, above, reading, writes } = words;
    let word_bits = clog2(WORDS as usize);
    let lanes: Vec<Signal> = below(x.begin, width)
        .lanes(1)
        .into_iter()
        .zip(x.bytes.lanes(8))
        .enumerate()
        .map(|(i, (round, byte))| {
            m.scope(format!("byte{i}"), || {
                let ram = m.memory(bits(8), WORDS as usize).style(RamStyle::Distributed);
                let at = round.mux(above.trunc(word_bits), open.trunc(word_bits));
                ram.write(at, byte, writes);
                ram.read(reading.trunc(word_bits))
            })
        })
        .rev()
        .collect();
    cat(&lanes)
}

/// Writes the marks of the open word and of the one behind it. Gives that of the oldest word.
#[module]
fn mark_rams(m: Module, words: Words, x: Turned) -> Mark {
    let Words { open, above, reading, writes } = words;
    let word_bits = clog2(WORDS as usize);
    let mark = |name: &str, odd: Signal| {
        m.scope(name, || {
            let ram = m.memory(Mark { last: bits(1), bytes: bits(x.filled.width()) }, WORDS as usize / 2);
            let ram = ram.style(RamStyle::Distributed);
            let is_open = !(open.bit(0) ^ odd);
            let at = is_open.mux(open, above).bits(word_bits - 1, 1);
            ram.write(at, Mark { last: x.ends & !(is_open & x.overflow), bytes: x.filled }, writes);
            ram.read(reading.bits(word_bits - 1, 1))
        })
    };
    let (even, odd) = (mark("even", m.lit(0u32, 1)), mark("odd", m.lit(1u32, 1)));
    reading.bit(0).mux(odd, even)
}

/// Takes the oldest word if it is complete, puts the header of its vector into the first one, and sends it.
#[module]
fn send(m: Module, io: SparseWriterPorts, reading: Signal, open: Signal, word: Signal, mark: Mark) {
    let last = mark.last;
    let width = word.width() / 8;
    let vector = m.reg_reset(bits(io.vector.width()), 0);
    let first = m.reg_reset(bits(1), 1);
    let out_valid = m.reg_reset(bits(1), 0);
    let out = m.reg(sparse_word(width));
    let moves = io.m.ready | !out_valid;
    let takes = moves & reading.ne(open);
    let with_header = word.drop_low(64).cat(first.mux(io.header, word.trunc(64)));
    let keep = below(mark.bytes, width) | (!last).repeat(width);
    // a word has at least its first byte
    let zeroed = with_header.lanes(8).into_iter().zip(keep.lanes(1)).skip(1).map(|(byte, keep)| keep.mux(byte, 0));
    let kept: Vec<Signal> = std::iter::once(with_header.trunc(8)).chain(zeroed).collect();
    let data = cat(&kept.into_iter().rev().collect::<Vec<_>>());
    m.when(moves, || {
        out_valid.set(takes);
        out.set(SparseWord { data, keep, last });
    });
    m.when(takes, || {
        reading.set(reading + 1);
        first.set(last);
    });
    let sent = m.reg_reset(bits(1), 0);
    sent.set(takes & last);
    m.when(takes & last, || vector.set(vector + 1));
    io.vector.set(vector);
    io.sent.set(sent);
    io.m.valid.set(out_valid);
    io.m.payload.set(out);
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::sim::bus::{Beat, Bench, Stalls, packet_bytes, seed};
    use fastrand::Rng;
    use hdl::sim::Simulator;

    /// The beats of a vector, and its bytes behind the header.
    fn vector(rng: &mut Rng, lanes: usize) -> (Vec<Beat>, Vec<u8>) {
        let most = [0, 1, lanes / 2, lanes][rng.usize(0..4)];
        let number = rng.usize(1..12);
        let mut bytes = vec![];
        let beats = (0..number).map(|i| {
            let starts = i == 0 || rng.bool();
            let count = rng.u8(0..=64);
            let found: Vec<u8> = (0..rng.usize(0..=most)).map(|_| rng.u8(..)).collect();
            bytes.extend(starts.then_some(count));
            bytes.extend(&found);
            let too_many = lanes >= 16 && starts && found.len() == lanes;
            // what does not count is anything
            let mut all = found.clone();
            all.resize_with(lanes, || rng.u8(..));
            let flag = |x: bool| BigUint::from(u32::from(x));
            let (first, last) = (flag(i == 0), flag(i + 1 == number));
            let entries = BigUint::from_bytes_le(&all);
            Beat(vec![entries, found.len().into(), flag(too_many), flag(starts), count.into(), first, last])
        });
        (beats.collect(), bytes)
    }

    #[test]
    fn packs_every_vector_from_a_fresh_word_behind_its_header() {
        for lanes in [1, 2, 8, 16, 32, 64] {
            for stalls in [Stalls::Never, Stalls::Percent(40), Stalls::Runs(25)] {
                let p = EngineParams { lanes, max_length: 256, dense_bits: 4, settings: 1 };
                let design = sparse_writer(p, 4).unwrap_or_else(|e| panic!("{e}"));
                let port = |signal| design.port_index(signal).expect("a port");
                let io = &design.ports;
                let (stop, number, header) = (port(io.stop), port(io.vector), port(io.header));
                let mut engine = Simulator::new(&design);
                let mut bench = Bench::new(&mut engine, seed(3));
                let mut rng = Rng::with_seed(u64::from(lanes));
                let s = bench.source(&design, &io.s, stalls);
                let m = bench.sink(&design, &io.m, stalls);
                bench.reset().unwrap_or_else(|e| panic!("{e}"));
                // as many headers as numbers: the same after 16 vectors
                let headers: Vec<u64> = (0..16).map(|_| rng.u64(..)).collect();
                let mut expected = vec![];
                for i in 0..200 {
                    let (beats, bytes) = vector(&mut rng, lanes as usize);
                    bench.send(s, beats);
                    expected.push([&headers[i % 16].to_le_bytes()[..], &bytes].concat());
                }
                let words: usize = expected.iter().map(|b| b.len().div_ceil(p.sparse_bytes() as usize)).sum();
                while bench.beats(m).len() < words {
                    assert!(bench.cycle() < 100_000, "{lanes} lanes: {} of {words} words", bench.beats(m).len());
                    let vector = bench.engine.peek(number);
                    bench.engine.poke(header, headers[vector as usize]);
                    bench.engine.poke(stop, u64::from(rng.u8(0..8) == 0));
                    bench.step().unwrap_or_else(|e| panic!("{e}"));
                }
                assert_eq!(packet_bytes(bench.beats(m)), expected, "{lanes} lanes");
            }
        }
    }
}
