//! History reader of the MMU: takes commands to read, looks up the streams of the head, and sends them to the history ports.
//!
//! | port | |
//! | --- | --- |
//! | `command` | the reads; `command_ready` is made of registers |
//! | `open`, `hold` | the requests that are open; while `hold` no read begins |
//! | `look`, `look_word` | table of groups: an address, and a cycle later its entry |
//! | `fetch`, `fetch_word` | table of streams, likewise |
//! | `looks` | between `look` and the last `fetch`: no append may end here |
//! | `job_0`, `job_1` | sparse and dense part, to the history ports |
//! | `over_0`, `over_1` | the bus is done with a part |
//! | `history` | tokens and tag of each history that comes, for the slice framer |
//! | `done` | how each read ended, in their order |
//! | `reading` | a read is under way |
//!
//! - Both parts are of the same tokens: those of which an append is over when the read begins.
//! - A read of a request without tokens ends at once, without data. Parameters: those of [`MmuParams`]. Throughput: a read in 7 cycles.
//!   Latency: 6 cycles from a command to its jobs.
//! - Combinational paths: `hold` to `command_ready`; both `job_ready` to both `job_valid`, since both parts start together (the ports' ready
//!   does not wait for valid); `over` to `done`; `done_ready` and both `over_valid` to `over_ready`.

use super::commands::*;
use super::entries::*;
use super::history_port::{Job, job};
use super::params::*;
use crate::stream::fifo::{Style, fifo_after};
use crate::stream::register_slice_forward::register_slice_forward_after;
use hdl::logic::UpDown;
use hdl::*;

ports! {
    /// Ports of a history reader.
    pub struct HistoryReaderPorts(p: MmuParams) {
        /// What is to be read.
        input command: Stream<Read> = stream(read(p)),
        /// A bit for each request: it is open.
        input open: Vector<Signal> = vector(bits(1), p.requests as usize),
        /// No read may begin.
        input hold: Signal = bits(1),
        /// Number of a group.
        output look: Stream = stream(bits(p.group_bits())),
        /// Its entry, a cycle later.
        input look_word: GroupEntry = group_entry(p),
        /// Number of a stream, and of the copy of its entry.
        output fetch: Stream = stream(bits(p.group_bits() + p.step_bits() + 1)),
        /// The entry, a cycle later.
        input fetch_word: StreamEntry = stream_entry(p),
        /// Entries of a group are being read.
        output looks: Signal = bits(1),
        /// What the history ports read: sparse and dense part.
        output job: [Stream<Job>; 2] = [stream(job(p)), stream(job(p))],
        /// A part is over; 1: it failed.
        input over: [Stream; 2] = [stream(bits(1)), stream(bits(1))],
        /// The history that comes.
        output history: Stream<History> = stream(history(p)),
        /// How reads ended.
        output done: Stream<ReadAnswer> = stream(read_answer(p)),
        /// A read is under way.
        output reading: Signal = bits(1),
    }
}

/// Reads that may be under way.
const READS: usize = 4;

#[derive(Clone, Copy, State)]
enum Phase {
    Idle,
    Look,
    Looked,
    Sparse,
    Dense,
    Came,
    Send,
}

/// What is known of the read that is looked up.
#[derive(Clone, Copy, Bundle)]
struct Lookup {
    read: Read,
    outcome: StateSignal<Outcome>,
    entry: GroupEntry,
    /// Those that are read.
    tokens: Signal,
    sparse: Job,
    dense_first: Signal,
}

fn lookup(p: MmuParams) -> Lookup {
    Lookup {
        read: read(p),
        outcome: state(),
        entry: group_entry(p),
        tokens: bits(p.token_bits()),
        sparse: job(p),
        dense_first: bits(p.page_bits()),
    }
}

/// A history reader.
#[module]
pub fn history_reader(p: MmuParams) -> Result<Design<HistoryReaderPorts>, Errors> {
    let m = Module::new(p.name("oaken_mmu_history_reader"));
    m.doc("Looks up the streams of the heads that are to be read.");
    let io = HistoryReaderPorts::new(m, p);

    m.section("the entries of both parts, in one piece");
    let phase = m.state(Phase::Idle);
    let x = m.reg(lookup(p));
    let begun = m.wire(stream(begun(p)));
    let goes = look_up(m, io, phase, x, p);
    let sent = send(m, io, x, phase.is(Phase::Send), begun, p)?;
    m.when(goes, || phase.set(Phase::Look));
    m.when(sent, || phase.set(Phase::Idle));

    m.section("how reads end");
    let reads = register_slice_forward_after(m, fifo_after(m, begun, READS, Style::Distributed)?)?;
    answer(m, io, reads);
    let under_way = UpDown::new(m, READS as u32 + 1);
    under_way.count(begun.transfer(), reads.transfer());
    io.reading.set(!phase.is(Phase::Idle) | !under_way.is_empty());
    m.finish(io)
}

/// Takes a read, and gets what is to be known of it.
#[module]
fn look_up(m: Module, io: HistoryReaderPorts, phase: StateSignal<Phase>, x: Lookup, p: MmuParams) -> Signal {
    let number = x.read.group.pack();
    io.look.valid.set(phase.is(Phase::Look));
    io.look.payload.set(number);
    let dense = phase.is(Phase::Dense);
    io.fetch.valid.set(phase.is(Phase::Sparse) | dense);
    io.fetch.payload.set(cat(&[number, x.read.head, dense, x.entry.copy]));
    io.looks.set(!phase.is(Phase::Idle) & !phase.is(Phase::Send));
    io.command.ready.set(phase.is(Phase::Idle) & !io.hold);
    let asked = io.command.payload;
    let legal = asked.group.is_legal(p) & below(asked.head, p.heads);
    let allowed = io.open.at(asked.group.request).mux(m.lit_state(Outcome::Okay), m.lit_state(Outcome::Closed));
    let outcome = legal.mux(allowed, m.lit_state(Outcome::Address));
    [io.look.ready, io.fetch.ready, io.fetch_word.tail, io.fetch_word.grew].iter().for_each(|x| x.unused()); // first in line
    let has = x.entry.tokens;
    let all = !x.read.tokens.any() | x.read.tokens.ge(has);
    m.switch(phase, |s| {
        s.case(Phase::Idle, || {
            x.read.set(asked);
            x.outcome.set(outcome);
            x.tokens.set(0);
            m.when(io.command.transfer() & !outcome.is(Outcome::Okay), || phase.set(Phase::Send));
        });
        s.case(Phase::Look, || phase.set(Phase::Looked));
        s.case(Phase::Looked, || {
            x.entry.set(io.look_word);
            phase.set(Phase::Sparse);
        });
        s.case(Phase::Sparse, || {
            x.tokens.set(all.mux(has, x.read.tokens));
            phase.set(Phase::Dense);
        });
        s.case(Phase::Dense, || {
            x.sparse.set(Job { first: io.fetch_word.first, bytes: io.fetch_word.bytes });
            phase.set(Phase::Came);
        });
        s.case(Phase::Came, || {
            x.dense_first.set(io.fetch_word.first);
            phase.set(Phase::Send);
        });
        s.case(Phase::Send, || ());
    });
    io.command.transfer() & outcome.is(Outcome::Okay)
}

/// A read that has begun.
#[derive(Clone, Copy, Bundle)]
struct Begun {
    tag: Signal,
    outcome: StateSignal<Outcome>,
    tokens: Signal,
    /// It has data.
    any: Signal,
}

fn begun(p: MmuParams) -> Begun {
    Begun { tag: bits(p.tag_bits), outcome: state(), tokens: bits(p.token_bits()), any: bits(1) }
}

/// Gives the history ports their jobs, when all have room.
#[module]
fn send(
    m: Module,
    io: HistoryReaderPorts,
    x: Lookup,
    now: Signal,
    begun: Stream<Begun>,
    p: MmuParams,
) -> Result<Signal, Errors> {
    let tokens = x.tokens;
    let any = tokens.any();
    let history = m.wire(stream(history(p)));
    let room = io.job[0].ready & io.job[1].ready & history.ready;
    let sent = now & begun.ready & (room | !any);
    let jobs = sent & any;
    begun.valid.set(sent);
    begun.payload.set(Begun { tag: x.read.tag, outcome: x.outcome, tokens, any });
    history.valid.set(jobs);
    history.payload.set(History { tokens, tag: Some(x.read.tag) });
    io.history.set(fifo_after(m, history, READS, Style::Distributed)?);
    let [key, value] = p.dense_bytes().map(|bytes| fit(tokens * m.lit(bytes, p.slice_bits()), p.bytes_bits()));
    let dense = Job { first: x.dense_first, bytes: x.read.group.value.mux(value, key) };
    for (port, job) in io.job.into_iter().zip([x.sparse, dense]) {
        port.valid.set(jobs);
        port.payload.set(job);
    }
    Ok(sent)
}

/// A read is over when both of its parts are; one that was refused or found nothing has none.
fn answer(m: Module, io: HistoryReaderPorts, reads: Stream<Begun>) {
    let Begun { tag, outcome, tokens, any } = reads.payload;
    let none = !any;
    let over = none | (io.over[0].valid & io.over[1].valid);
    let failed = !none & (io.over[0].payload | io.over[1].payload);
    io.done.valid.set(reads.valid & over);
    let outcome = failed.mux(m.lit_state(Outcome::Bus), outcome);
    io.done.payload.set(ReadAnswer { tag, outcome, tokens });
    reads.ready.set(io.done.ready & over);
    let takes = reads.valid & io.done.ready & over & !none;
    io.over.into_iter().for_each(|x| x.ready.set(takes));
}
