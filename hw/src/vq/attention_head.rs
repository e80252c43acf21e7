//! Attention of a key-value head over AXI: new keys and values are encoded and appended, and one query attends to all tokens, everything in the
//! format of docs/vq-format.md. What it promises stands in `docs/blocks/vq_attention_head.md`.
//!
//! | port | |
//! | --- | --- |
//! | `s_axil` | registers: where things lie, jobs, and how they ended |
//! | `m_axi_read` | AXI4 of 64 bits without IDs: vectors, books and rows; outputs are made of registers |
//! | `m_axi_write` | AXI4 of 64 bits without IDs: rows that are appended, and the result; outputs are made of registers |
//!
//! - A job appends, attends, or does both, stage by stage: each reads what its unit takes, one word in each cycle, and ends with the unit's report.
//!   The units are those that work by table: [`encoder`](super::encoder), [`scores`](super::scores), [`values`](super::values), with a
//!   [`softmax`](crate::attention::softmax) between the last two.
//! - A stage that fails ends the job, with cause and place in `status` and `position`. What it wrote before stays. The next job is not touched by it.
//! - Parameters: those of [`HeadParams`]. Throughput: a word of the bus in each cycle, but for one cycle a book and, between scores and values, one a token.
//! - Latency: a job that attends takes these and at most [`overhead`] cycles, and three accesses of the memory.
//! - Combinational paths: none.
//! - After reset no job is under way; reset the memory with it.

mod reading;
mod registers;
mod stages;
mod types;
mod writing;

pub use self::registers::registers;
pub use self::types::{HeadParams, overhead};

use self::reading::{Read, read};
use self::registers::map;
use self::stages::{Ends, Job, faults, follow, job};
use self::types::*;
use self::writing::{ToWrite, write};
use super::cache_types::book_word;
use super::encoder::{EncodeCommand, encoder};
use super::scores::{Scores, scores};
use super::table_types::{TOKEN_BITS, TokensCommand};
use super::values::{Weight, values};
use crate::attention::softmax::{SoftmaxPorts, SoftmaxScore, SoftmaxWeight, softmax, softmax_statistics};
use crate::control::{AxiLite, axi_lite, slave};
use crate::memory::axi::{AxiRead, AxiWrite, axi_read, axi_write};
use crate::stream::register_slice::register_slice_after;
use crate::stream::register_slice_backward::register_slice_backward_after;
use crate::stream::register_slice_forward::register_slice_forward_after;
use hdl::*;

ports! {
    /// Ports of an attention head.
    pub struct AttentionHeadPorts(p: HeadParams, address_width: u32) {
        /// Registers.
        input s_axil: AxiLite = axi_lite(address_width),
        /// Vectors, books and rows.
        output m_axi_read: AxiRead = axi_read(p.axi()),
        /// Rows and results.
        output m_axi_write: AxiWrite = axi_write(p.axi()),
    }
}

/// An attention head; `name` is that of the Verilog module.
#[module]
pub fn attention_head(name: &str, p: HeadParams) -> Result<Design<AttentionHeadPorts>, Errors> {
    p.check(name)?;
    let map = map(name, p);
    let m = Module::new(name);
    m.doc("Attention of a key-value head whose keys and values are quantized with codebooks, from memory to memory.");
    let io = AttentionHeadPorts::new(m, p, map.map.address_width());
    let regs = slave(m, &map.map, io.s_axil)?;
    let job = job(m, &map, &regs);
    let Job { stage, tokens, total, .. } = job;
    let places = map.places(&regs);
    let ends = m.wire(bits(1)).named("stage_ends");

    m.section("rows, in words: all that are read, and where the new ones lie");
    let beats = p.table().beats();
    let [all_rows, before] = [total, tokens].map(|rows| words_of(m, rows, beats));
    let is_key = stage.is(Stage::Key);
    let row_at = m.reg(bits(p.word_bits() + 1));
    let rows = is_key.mux(places.key_rows, places.value_rows).zext(p.word_bits() + 1);
    row_at.set(rows + before.zext(p.word_bits() + 1));

    let read = read(m, io.m_axi_read, (stage, ends), (places, all_rows), p)?;

    m.section("units");
    let units = Units {
        encoder: m.instance(&encoder(p.table())?),
        scores: m.instance(&scores(p.scores())?),
        softmax: m.instance(&softmax(p.softmax())?),
        values: m.instance(&values(p.values())?),
    };
    let first = [regs[map.first_key_book], regs[map.first_value_book]];
    units.connect(m, &read, job, first, ends)?;
    let flushed = units.pass_scores(m, stage)?;

    // a vector that could not be read has fewer words than a whole one, and its unit refuses it
    m.assert(!(units.encoder.m.valid & read.vector_failed), "no row is encoded of a vector that could not be read");
    let statistics = units.softmax.statistics.map(|statistics| {
        let kept = m.reg(softmax_statistics()); // of the job's scores
        m.when(units.softmax.weights.valid, || kept.set(statistics));
        kept
    });
    let to_write = ToWrite { row: units.encoder.m, sum: units.values.m, statistics, row_at, result_at: places.result };
    let written = write(m, io.m_axi_write, (stage, ends), to_write, p)?;
    faults(m, (&map, &regs), job, [read.done, written.done]);
    let nonfinite = m.reg(bits(1)).comment("a score of the job is NaN or +infinity, or all are -infinity");
    m.when(units.softmax.weights.valid, || nonfinite.set(units.softmax.nonfinite));
    let how = Ends {
        encoded: units.encoder.done,
        scored: units.scores.report,
        summed: units.values.report,
        vector_failed: read.vector_failed,
        written: written.all,
        write_failed: written.failed,
        nonfinite,
        flushed,
    };
    follow(m, (&map, &regs), job, how, ends, p);
    m.finish(io)
}

/// Words of so many rows; a register.
#[module]
fn words_of(m: Module, rows: Signal, beats: u32) -> Signal {
    let words = m.reg(bits(LENGTH_BITS - WORD_SHIFT));
    words.set((rows * m.lit(beats, clog2(beats as usize + 1))).zext(2 * LENGTH_BITS).trunc(words.width()));
    words
}

/// The units that work by table, and the softmax.
struct Units {
    encoder: Instance<super::encoder::EncoderPorts>,
    scores: Instance<super::scores::ScoresPorts>,
    softmax: Instance<SoftmaxPorts>,
    values: Instance<super::values::ValuesPorts>,
}

impl Units {
    /// Hands out what was read, and tells each unit to begin when its stage has begun and its vector is there.
    #[module]
    fn connect(&self, m: Module, read: &Read, job: Job, first: [Signal; 2], ends: Signal) -> Result<(), Errors> {
        let Job { stage, total, .. } = job;
        let Units { encoder, scores, values, .. } = self;
        let [encodes, attends, sums] =
            [stage.is(Stage::Key) | stage.is(Stage::Value), stage.is(Stage::Scores), stage.is(Stage::Values)];
        let Read { words, vector, vector_there, .. } = *read;
        for (port, here) in [(encoder.query, encodes), (scores.query, attends)] {
            port.valid.set(vector.valid & here);
            port.payload.set(vector.payload);
        }
        vector.ready.set(encodes.mux(encoder.query.ready, scores.query.ready));
        // The wires from the reader to all three units are long: each has a register of its own, beside its checks of a word, and what one of them
        // takes goes to the reader through a register.
        let words = register_slice_backward_after(m, words)?;
        m.assert(!(ends & words.valid), "a stage has taken all its words");
        let mut takes = m.lit(0u32, 1);
        for (port, here) in [(encoder.words, encodes), (scores.words, attends), (values.words, sums)] {
            let own = m.wire(stream(book_word()));
            own.valid.set(words.valid & here);
            own.payload.set(words.payload);
            port.set(register_slice_forward_after(m, own)?);
            takes = takes | (own.ready & here);
        }
        words.ready.set(takes);

        let told = m.reg_reset(bits(1), 0).comment("the stage's unit was told");
        m.when(encoder.command.transfer() | scores.command.transfer() | values.command.transfer(), || told.set(1));
        m.when(ends, || told.set(0));
        let [key, value] = first;
        encoder.command.valid.set(encodes & vector_there & !told);
        encoder.command.payload.set(EncodeCommand { first: stage.is(Stage::Key).mux(key, value) });
        let tokens = total.trunc(TOKEN_BITS);
        scores.command.valid.set(attends & vector_there & !told);
        scores.command.payload.set(TokensCommand { first: key, tokens });
        values.command.valid.set(sums & !told);
        values.command.payload.set(TokensCommand { first: value, tokens });
        Ok(())
    }

    /// Scores become weights. In a job that failed they are forgotten or, if all were there already, their weights are dropped; gives whether
    /// that is over.
    #[module]
    fn pass_scores(&self, m: Module, stage: StateSignal<Stage>) -> Result<Signal, Errors> {
        let Units { scores, softmax, values, .. } = self;
        let flushes = stage.is(Stage::Flush);
        let complete = m.reg_reset(bits(1), 0).comment("the last score went into the softmax");
        let Scores { score, wrong, last } = scores.m.payload;
        wrong.unused(); // the report tells of it
        softmax.scores.set(scores.m.with(SoftmaxScore { score: score[0], last }));
        softmax.forget.set(flushes & !complete);
        let sums = stage.is(Stage::Values);
        // Without a slice one combinational path would go from what values take through the softmax and back with the weight. Weights are dropped behind
        // it: one that stayed in it would be the next job's.
        let weights = register_slice_after(m, softmax.weights)?;
        m.assert(!(stage.is(Stage::Idle) & weights.valid), "no weight of a job is left behind it");
        values.weight.valid.set(weights.valid & sums);
        let SoftmaxWeight { weight, last: last_weight } = weights.payload;
        values.weight.payload.set(Weight { weight, scale: None, last: last_weight });
        weights.ready.set((values.weight.ready & sums) | flushes);
        let over = weights.transfer() & last_weight;
        m.when(softmax.scores.transfer() & last, || complete.set(1)).elsewhen(over, || complete.set(0));
        Ok(flushes & (over | !complete))
    }
}

#[cfg(test)]
mod parts_tests;
#[cfg(test)]
mod tests;
