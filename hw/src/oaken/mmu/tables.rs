//! The tables of the MMU with all that reads and changes them: [sequencer](mod@super::sequencer), [steps](mod@super::steps),
//! [history reader](mod@super::history_reader) and [page list](mod@super::page_list). What is missing are the engines that move bytes.
//!
//! | port | |
//! | --- | --- |
//! | `append`, `control`, `read` | commands |
//! | `slice`, `verdict` | what is known of the packets of a vector, and whether their words are written |
//! | `command`, `written` | the burst writer's; it is done with a slice |
//! | `job_*`, `over_*`, `follow_*`, `next_*` | the history ports' |
//! | `history` | tokens of each history that comes, and the tag of its read |
//! | `appended`, `controlled`, `done` | how commands ended |
//! | `free` | free pages |
//!
//! - Parameters: those of [`MmuParams`]. Rates and paths: those of the parts, named at each.

use super::commands::*;
use super::entries::*;
use super::history_port::{Job, job};
use super::history_reader::{HistoryReaderPorts, history_reader};
use super::page_list::{Next, PageListPorts, next, page_list};
use super::params::*;
use super::sequencer::{SequencerPorts, sequencer};
use super::shared_table::shared_table;
use super::steps::{StepsPorts, steps, writer};
use crate::memory::mover::{self, Command, Done};
use crate::stream::fifo::{Style, fifo_after};
use crate::stream::register_slice_forward::register_slice_forward_after;
use hdl::*;

ports! {
    /// Ports of the tables.
    pub struct TablesPorts(p: MmuParams) {
        /// Number of the first page in memory; stands still while a request is open.
        input base: Signal = bits(p.base_bits()),
        /// Vectors that come.
        input append: Stream<Append> = stream(append(p)),
        /// Requests that begin and end.
        input control: Stream<Control> = stream(control(p)),
        /// Histories that are to be read.
        input read: Stream<Read> = stream(read(p)),
        /// Packets of the vectors.
        input slice: Stream<Slice> = stream(slice_shape(p)),
        /// For each packet: its words are written (1), or dropped.
        output verdict: Stream = stream(bits(1)),
        /// To the writer.
        output command: Stream<Command> = stream(mover::command(writer(p))),
        /// What it did.
        input written: Stream<Done> = stream(mover::done(writer(p))),
        /// To the history ports, sparse and dense part.
        output job: [Stream<Job>; 2] = [stream(job(p)), stream(job(p))],
        /// The bus is done with a job.
        input over: [Stream; 2] = [stream(bits(1)), stream(bits(1))],
        /// A page, of which the next one is asked.
        input follow: [Stream; 2] = [stream(bits(p.page_bits())), stream(bits(p.page_bits()))],
        /// The page behind it.
        output next: [Next; 2] = [next(p), next(p)],
        /// The history that comes.
        output history: Stream<History> = stream(history(p)),
        /// How appends ended.
        output appended: Stream<Answer> = stream(answer(p)),
        /// How requests began and ended.
        output controlled: Stream<Answer> = stream(answer(p)),
        /// How reads ended.
        output done: Stream<ReadAnswer> = stream(read_answer(p)),
        /// Free pages.
        output free: Signal = bits(p.count_bits()),
    }
}

/// Verdicts that may wait for their packets.
const VERDICTS: usize = 8;

/// The tables.
#[module]
pub fn tables(p: MmuParams) -> Result<Design<TablesPorts>, Errors> {
    let m = Module::new(p.name("oaken_mmu_tables"));
    m.doc("Which pages belong to whom, and what is in them.");
    let io = TablesPorts::new(m, p);
    connect(m, io, p)?;
    m.finish(io)
}

/// The parts, for whoever looks at what they say to each other.
#[derive(Clone, Copy)]
pub struct Parts {
    /// Takes commands.
    pub sequencer: SequencerPorts,
    /// Goes through the streams of a group.
    pub steps: StepsPorts,
    /// Looks up what is read.
    pub reader: HistoryReaderPorts,
    /// The pages.
    pub pages: PageListPorts,
}

/// Puts the parts between the ports: what [`tables`] is.
#[module]
pub fn connect(m: Module, io: TablesPorts, p: MmuParams) -> Result<Parts, Errors> {
    let sequencer = m.instance(&sequencer(p)?);
    let steps = m.instance(&steps(p)?);
    let reader = m.instance(&history_reader(p)?);
    let pages = m.instance(&page_list(p)?);
    let (group, stream) = (group_entry(p), stream_entry(p));
    let groups = m.instance(&shared_table(group.total_width(), p.group_bits())?);
    let streams = p.group_bits() + p.step_bits() + 1;
    let streams = m.instance(&shared_table(stream.total_width(), streams)?);

    m.section("commands");
    sequencer.append.set(io.append);
    sequencer.control.set(io.control);
    reader.command.set(io.read);
    io.appended.set(sequencer.appended);
    io.controlled.set(sequencer.controlled);
    io.done.set(reader.done);
    reader.open.set(sequencer.open);
    reader.hold.set(sequencer.hold);
    sequencer.reading.set(reader.reading);
    sequencer.looks.set(reader.looks);

    m.section("tables");
    groups.first.set(reader.look);
    groups.second.set(sequencer.look);
    groups.write.set(sequencer.entry);
    sequencer.look_word.set(group.unpack(groups.word));
    reader.look_word.set(group.unpack(groups.word));
    streams.first.set(reader.fetch);
    streams.second.set(steps.fetch);
    streams.write.set(steps.write);
    steps.fetch_word.set(stream.unpack(streams.word));
    reader.fetch_word.set(stream.unpack(streams.word));

    m.section("steps");
    steps.base.set(io.base);
    steps.work.set(sequencer.work);
    steps.start.set(sequencer.start);
    sequencer.step_done.set(steps.done);
    sequencer.step_failed.set(steps.failed);
    sequencer.needed.set(steps.needed);
    sequencer.slice.set(io.slice);
    steps.slice.set(sequencer.step_slice);
    io.verdict.set(fifo_after(m, sequencer.verdict, VERDICTS, Style::Distributed)?);
    io.command.set(register_slice_forward_after(m, steps.command)?);
    sequencer.written.set(io.written);

    m.section("pages");
    steps.take.set(pages.take);
    pages.link.set(steps.link);
    pages.give.set(steps.give);
    sequencer.free.set(pages.free);
    io.free.set(pages.free);
    for i in 0..2 {
        pages.follow[i].set(io.follow[i]);
        io.next[i].set(pages.next[i]);
        io.job[i].set(reader.job[i]);
        reader.over[i].set(io.over[i]);
    }
    io.history.set(reader.history);
    Ok(Parts { sequencer: *sequencer, steps: *steps, reader: *reader, pages: *pages })
}
