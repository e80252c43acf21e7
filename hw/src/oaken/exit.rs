//! Exit of the quantizer: splits an encoded beat into the two parts of the record.
//!
//! The codes go to the dense stream, the count byte of a chunk and the entries to the packer, which makes the words of the
//! sparse stream. A beat that starts a chunk and is all outliers has one byte more than a word of 16 lanes or more: its count
//! byte goes a cycle ahead of its entries then.
//!
//! | port | |
//! | --- | --- |
//! | `s` | encoded beats; ready is combinational from both outputs' ready |
//! | `dense`, `sparse` | valid and payload are registers |
//! | `finished`, `nonfinite` | with the last beat of a vector, for one cycle |
//!
//! Parameters: [`EngineParams`]. Latency 1 cycle to `dense`, 2 to `sparse`. A beat a cycle but for those that go in two parts.

use super::packer::{ByteBeat, byte_packer};
use super::types::*;
use hdl::*;

/// A beat behind the pipeline.
#[derive(Clone, Copy, Bundle)]
pub struct BeatOut {
    /// 4-bit codes, the first in the low bits.
    pub codes: Signal,
    /// Entry bytes, those that count in the low bytes.
    pub entries: Signal,
    /// Entries, and one more where a chunk starts.
    pub byte_count: Signal,
    /// The bytes are one more than a beat of the packer takes.
    pub too_many: Signal,
    /// First beat of a chunk.
    pub starts_chunk: Signal,
    /// Outliers of the chunk.
    pub count: Signal,
    /// First beat of the vector.
    pub first: Signal,
    /// Last beat of the vector.
    pub last: Signal,
    /// Header bits 57:0.
    pub header: Signal,
}

/// Bytes that a beat can bring to the packer.
fn slots(p: EngineParams) -> u32 {
    (p.lanes + 1).min(p.sparse_bytes())
}

/// Shape of a [`BeatOut`].
pub fn beat_out(p: EngineParams) -> BeatOut {
    BeatOut {
        codes: bits(4 * p.lanes),
        entries: bits(8 * p.lanes),
        byte_count: bits(clog2(slots(p) as usize + 1)),
        too_many: bits(1),
        starts_chunk: bits(1),
        count: bits(7),
        first: bits(1),
        last: bits(1),
        header: bits(58),
    }
}

ports! {
    /// Ports of [`exit`].
    pub struct ExitPorts(p: EngineParams) {
        /// Encoded beats.
        input s: Stream<BeatOut> = stream(beat_out(p)),
        /// Dense part: 4-bit codes.
        output dense: Stream<Beat> = stream(beat(8 * p.dense_bytes())),
        /// Sparse part: header, counts and entries.
        output sparse: Stream<SparseWord> = stream(sparse_word(p.sparse_bytes())),
        /// A vector has left.
        output finished: Signal = bits(1),
        /// It held a NaN or an infinity.
        output nonfinite: Signal = bits(1),
    }
}

/// The exit.
#[module]
pub fn exit(p: EngineParams) -> Result<Design<ExitPorts>, Errors> {
    let m = Module::new(format!("oaken_exit_p{}", p.lanes));
    m.doc("Splits an encoded beat into the dense and the sparse part of the record.");
    let io = ExitPorts::new(m, p);
    let beat_in = io.s.payload;

    m.section("the bytes of the beat; a full one that starts a chunk goes in two parts");
    let second_part = m.reg_reset(bits(1), 0);
    let first_part = beat_in.too_many & !second_part;
    let with_count = beat_in.starts_chunk & !second_part;
    let entries = beat_in.entries.lanes(8);
    let count_byte = beat_in.count.zext(8);
    let bytes: Vec<Signal> = (0..slots(p) as usize)
        .rev()
        .map(|i| {
            let plain = entries.get(i).copied().unwrap_or(count_byte.zeros(8));
            let behind = if i == 0 { count_byte } else { entries[i - 1] };
            with_count.mux(behind, plain)
        })
        .collect();
    let all = beat_in.byte_count.lit(p.lanes, beat_in.byte_count.width());
    let byte_count = first_part.mux(all.lit(1u32, all.width()), second_part.mux(all, beat_in.byte_count));

    m.section("the packer");
    let packer = m.instance(&byte_packer(p.sparse_bytes(), slots(p))?);
    let dense_can = m.wire(bits(1));
    packer.s.valid.set(io.s.valid & (first_part | dense_can));
    packer.s.payload.set(ByteBeat {
        bytes: cat(&bytes),
        count: byte_count,
        first: beat_in.first & !second_part,
        last: beat_in.last & !first_part,
        header: beat_in.header.zext(64),
    });
    io.sparse.set(packer.m);
    let finishes = dense_can & packer.s.ready & !first_part;
    let taken = io.s.valid & finishes;
    io.s.ready.set(finishes);
    m.when(io.s.valid & packer.s.ready & first_part, || second_part.set(1)).elsewhen(taken, || second_part.set(0));

    m.section("the dense part");
    let dense_valid = m.reg_reset(bits(1), 0);
    let dense = m.reg(beat(8 * p.dense_bytes()));
    let dense_moves = io.dense.ready | !dense_valid;
    if p.lanes == 1 {
        // a byte leaves with its second element
        let low_half = m.reg_reset(bits(1), 0);
        let low = m.reg(bits(4));
        m.when(taken, || {
            low_half.set(!low_half);
            low.set(beat_in.codes);
        });
        dense_can.set(dense_moves | !low_half);
        m.when(dense_moves, || {
            dense_valid.set(taken & low_half);
            dense.set(Beat { data: beat_in.codes.cat(low), last: beat_in.last });
        });
    } else {
        dense_can.set(dense_moves);
        m.when(dense_moves, || {
            dense_valid.set(taken);
            dense.set(Beat { data: beat_in.codes, last: beat_in.last });
        });
    }
    io.dense.valid.set(dense_valid);
    io.dense.payload.set(dense);

    io.finished.set(taken & beat_in.last);
    io.nonfinite.set(taken & beat_in.last & beat_in.header.bit(57));
    m.finish(io)
}
