//! Every command to Oaken's MMU is answered once, in the order of its kind and with its tag, and reads are in bounded time.
//!
//! Sequencer and steps, for appends and for requests that are opened and released: whatever tables, page list and reads do, and however long
//! anything takes. The history reader: once, however long anything takes; and in bounded time, if the history ports are done with their jobs in a
//! few cycles, and answers are taken.

use super::oaken_tables::params;
use super::{Engine, Proof};
use crate::checkers::{Moves, Side, keeps_words_in_order, lets_wait_at_most, sends_by_the_rules, stalls_at_most};
use hdl::*;
use hw::memory::mover::{self, Command, Done};
use hw::oaken::mmu::commands::*;
use hw::oaken::mmu::entries::*;
use hw::oaken::mmu::history_reader::{HistoryReaderPorts, history_reader};
use hw::oaken::mmu::page_list::{Chain, chain};
use hw::oaken::mmu::params::*;
use hw::oaken::mmu::sequencer::sequencer;
use hw::oaken::mmu::steps::{steps, writer};

/// Cycles that the surroundings let a read wait.
const WAIT: u32 = 1;

/// Cycles in which an entry is looked up for a read, one after the other.
const LOOKS: u32 = 5;

ports! {
    struct ControlPorts(p: MmuParams) {
        input append: Stream<Append> = stream(append(p)),
        input control: Stream<Control> = stream(control(p)),
        input slice: Stream<Slice> = stream(slice_shape(p)),
        output verdict: Stream = stream(bits(1)),
        output command: Stream<Command> = stream(mover::command(writer(p))),
        input written: Stream<Done> = stream(mover::done(writer(p))),
        /// Pages that are taken and come back.
        input take: Stream = stream(bits(p.page_bits())),
        output give: Stream<Chain> = stream(chain(p)),
        /// Of reads.
        input looks: Signal = bits(1),
        input reading: Signal = bits(1),
        output appended: Stream<Answer> = stream(answer(p)),
        output controlled: Stream<Answer> = stream(answer(p)),
    }
}

/// Sequencer and steps between the harness's ports; what tables give is as the prover likes.
#[module]
fn control_alone(m: Module, io: ControlPorts, p: MmuParams) -> Result<(), Errors> {
    let sequencer = *m.instance(&sequencer(p)?);
    let steps = *m.instance(&steps(p)?);
    sequencer.append.set(io.append);
    sequencer.control.set(io.control);
    sequencer.slice.set(io.slice);
    io.verdict.set(sequencer.verdict);
    sequencer.written.set(io.written);
    io.appended.set(sequencer.appended);
    io.controlled.set(sequencer.controlled);
    sequencer.reading.set(io.reading);
    sequencer.looks.set(io.looks);
    sequencer.look.ready.set(m.anyseq(1));
    sequencer.look_word.set(group_entry(p).unpack(m.anyseq(group_entry(p).total_width())));
    sequencer.entry.ready.set(true);
    steps.base.set(0);
    steps.work.set(sequencer.work);
    steps.start.set(sequencer.start);
    sequencer.step_done.set(steps.done);
    sequencer.step_failed.set(steps.failed);
    sequencer.needed.set(steps.needed);
    steps.slice.set(sequencer.step_slice);
    steps.fetch.ready.set(m.anyseq(1));
    steps.fetch_word.set(stream_entry(p).unpack(m.anyseq(stream_entry(p).total_width())));
    steps.write.ready.set(true);
    steps.take.set(io.take);
    io.give.set(steps.give);
    io.command.set(steps.command);
    sequencer.free.set(m.anyseq(p.count_bits()));
    Ok(())
}

/// A vector has a sparse and a dense one.
#[module]
fn slices(m: Module, io: ControlPorts, p: MmuParams) {
    sends_by_the_rules(m, io.slice, Side::Surroundings);
    let dense = m.reg_reset(bits(1), 0).comment("a dense slice comes next");
    m.when(io.slice.transfer(), || dense.set(!dense));
    let slice = io.slice.payload;
    m.assume(slice.last.eq(dense), "a vector has a sparse and a dense slice");
    let legal = dense.mux(slice.bytes.eq(p.dense_bytes()[0]), slice.bytes.any() & slice.bytes.le(p.longest_sparse()));
    m.assume(legal, "a sparse slice has any length, a dense one its own");
}

/// Commands that the writer may have at a time.
const WRITES: u32 = 4;

/// The writer is done with commands in their order.
#[module]
fn writes(m: Module, io: ControlPorts) {
    let tags = m.reg(vector(bits(2), WRITES as usize));
    let level = m.reg_reset(bits(3), 0).comment("commands that it has");
    let (push, pop) = (io.command.transfer(), io.written.transfer());
    let place = level - pop.zext(3);
    for i in 0..WRITES as usize {
        if let Some(next) = tags.into_iter().nth(i + 1) {
            m.when(pop, || tags[i].set(next));
        }
        m.when(push & place.eq(i as u32), || tags[i].set(io.command.payload.tag));
    }
    level.set(place + push.zext(3));
    m.assume(!io.written.valid | level.any(), "it is done with what it has");
    m.assume(io.written.payload.tag.eq(tags[0]), "in order");
    m.assume(io.written.payload.outcome.is_legal(), "in some way");
    let full = level.eq(WRITES);
    m.assume(!(io.command.ready & full), "it has no more than it can hold");
}

/// Appends, and requests that are opened and released.
#[module]
fn control_proof(p: MmuParams) -> Result<Design<()>, Errors> {
    let m = Module::new("prove_oaken_answers");
    let io = ControlPorts::new(m, p);
    control_alone(m, io, p)?;
    sends_by_the_rules(m, io.append, Side::Surroundings);
    sends_by_the_rules(m, io.control, Side::Surroundings);
    slices(m, io, p);
    writes(m, io);

    m.section("each is answered, once, in order");
    let tags = |s: Stream<Answer>| Moves { moves: s.transfer(), word: s.payload.tag };
    let appends = Moves { moves: io.append.transfer(), word: io.append.payload.tag };
    m.scope("append", || keeps_words_in_order(m, appends, tags(io.appended), 2, false));
    let controls = Moves { moves: io.control.transfer(), word: io.control.payload.tag };
    m.scope("control", || keeps_words_in_order(m, controls, tags(io.controlled), 1, false));
    Ok(m.finish(io)?.erase())
}

/// Reads that are under way at a time: one is looked up, one is about to end, and those between.
const READS: u32 = 6;
/// Cycles from a read that is offered, unless it is held, until it is taken; and from there, or from the answer before it, to its answer.
const READ_TAKEN: u32 = 14;
const READ: u32 = 12;

/// A history reader between the harness's ports.
#[module]
fn reader_alone(m: Module, p: MmuParams) -> Result<HistoryReaderPorts, Errors> {
    let io = HistoryReaderPorts::new(m, p);
    let part = m.instance(&history_reader(p)?);
    part.command.set(io.command);
    part.open.set(io.open);
    part.hold.set(io.hold);
    io.look.set(part.look);
    part.look_word.set(io.look_word);
    io.fetch.set(part.fetch);
    part.fetch_word.set(io.fetch_word);
    io.looks.set(part.looks);
    io.history.set(part.history);
    io.done.set(part.done);
    io.reading.set(part.reading);
    [io.look.ready, io.fetch.ready].into_iter().for_each(|x| x.unused());
    sends_by_the_rules(m, io.command, Side::Surroundings);
    for i in 0..2 {
        io.job[i].set(part.job[i]);
        part.over[i].set(io.over[i]);
        sends_by_the_rules(m, io.over[i], Side::Surroundings);
    }
    Ok(io)
}

/// Reads, however long anything takes.
#[module]
fn reads_proof(p: MmuParams) -> Result<Design<()>, Errors> {
    let m = Module::new("prove_oaken_reads");
    let io = reader_alone(m, p)?;
    let came = Moves { moves: io.command.transfer(), word: io.command.payload.tag };
    let ended = Moves { moves: io.done.transfer(), word: io.done.payload.tag };
    keeps_words_in_order(m, came, ended, READS, false);
    let begins = m.past_valid() & io.reading & !m.past(io.reading);
    m.assert(!begins | !m.past(io.hold), "while reads are held none begins");
    Ok(m.finish(io)?.erase())
}

/// Reads in bounded time.
#[module]
fn reads_wait_proof(p: MmuParams) -> Result<Design<()>, Errors> {
    let m = Module::new("prove_oaken_reads_wait");
    let io = reader_alone(m, p)?;
    for i in 0..2 {
        let jobs = m.reg_reset(bits(3), 0).comment("that are not over").named(["sparse", "dense"][i]);
        jobs.set(jobs + io.job[i].transfer().zext(3) - io.over[i].transfer().zext(3));
        m.assume(!io.over[i].valid | jobs.any(), "what is over was begun");
        lets_wait_at_most(m, jobs.any() & !io.over[i].valid, WAIT, "a job is over in bounded time");
    }
    lets_wait_at_most(m, !(io.job[0].ready & io.job[1].ready), WAIT, "both ports take jobs at a time");
    lets_wait_at_most(m, io.history.valid & !io.history.ready, WAIT, "histories are taken");
    lets_wait_at_most(m, io.done.valid & !io.done.ready, WAIT, "the end of a read is taken");

    m.section("in bounded time");
    let inside = m.reg_reset(bits(3), 0).comment("reads that are not answered");
    inside.set(inside + io.command.transfer().zext(3) - io.done.transfer().zext(3));
    let waits = io.command.valid & !io.command.ready & !io.hold;
    stalls_at_most(m, waits, READ_TAKEN, "a read is taken in bounded time, if it is not held");
    stalls_at_most(m, inside.any() & !io.done.valid, READ, "the oldest read is answered in bounded time");
    stalls_at_most(m, io.looks, LOOKS, "a read is looked up in bounded time");
    m.cover(io.over[0].transfer(), "a read with data ends");
    Ok(m.finish(io)?.erase())
}

pub fn proofs() -> Result<Vec<Proof>, Errors> {
    let proof = |name: &str, part: String, design, engine, cover_depth| Proof {
        name: name.into(),
        part,
        design,
        engine,
        cover_depth,
    };
    let p = params();
    let wait = format!("history reader of Oaken's MMU, an answer within {READ} cycles");
    Ok(vec![
        proof(
            "oaken_answers",
            "sequencer and steps of Oaken's MMU, 2 requests".into(),
            control_proof(p)?,
            Engine::Pdr,
            24,
        ),
        proof("oaken_reads", "history reader of Oaken's MMU".into(), reads_proof(p)?, Engine::Pdr, 24),
        proof("oaken_reads_wait", wait, reads_wait_proof(p)?, Engine::Bounded(24), 16),
    ])
}
