//! Steps of the MMU: goes through the streams of a group, one after the other, and does with each what a pass is for.
//!
//! | pass | with each stream |
//! | --- | --- |
//! | `Append` | takes its slice, and a page where it needs one; a command to the writer; the new entry to the copy that does not count yet |
//! | `Count` | counts the pages that the longest slices would need |
//! | `Undo` | the pages that an append took come back |
//! | `Release` | all its pages come back |
//!
//! An entry is fetched while the one before is dealt with: 2 cycles for each stream.
//!
//! Parameters: those of [`MmuParams`]. Combinational paths: `slice_valid`, `command_ready`, `take_valid` and `give_ready` to `fetch_valid`;
//! the last three to `slice_ready` and `done`; `take_valid` to `command_valid`; `take_valid` and `command_ready` to `take_ready`, `link_valid`
//! and `write_valid`; the page of `take` to `command`, `link` and `write`; `base` to `command`; `work` to all but `needed` and `failed`.

use super::entries::*;
use super::page_list::{Chain, Link, chain, link};
use super::params::*;
use super::shared_table::Write;
use crate::memory::mover::{Command, command};
use hdl::*;

/// What is done with each stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, State)]
pub enum Pass {
    /// A slice is appended.
    Append,
    /// Pages are counted that an append may need.
    Count,
    /// Pages that an append took come back.
    Undo,
    /// All pages come back.
    Release,
}

/// What a pass is about.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Work {
    /// What is done.
    pub pass: StateSignal<Pass>,
    /// Whose streams.
    pub group: Group,
    /// Which copy of their entries is read; an append writes the other one.
    pub copy: Signal,
    /// The streams have no bytes, whatever their entries say.
    pub empty: Signal,
    /// Goes with the commands of an append.
    pub turn: Signal,
}

/// The shape of what a pass is about.
pub fn work(p: MmuParams) -> Work {
    Work { pass: state(), group: group(p), copy: bits(1), empty: bits(1), turn: bits(1) }
}

ports! {
    /// Ports of the steps.
    pub struct StepsPorts(p: MmuParams) {
        /// Number of the first page in memory.
        input base: Signal = bits(p.base_bits()),
        /// What is done; stands still from `start` to `done`.
        input work: Work = work(p),
        /// A pass begins.
        input start: Signal = bits(1),
        /// The last step of the pass is taken.
        output done: Signal = bits(1),
        /// With `done` of an append: the record was malformed.
        output failed: Signal = bits(1),
        /// Pages that were counted.
        output needed: Signal = bits(p.step_bits() + 1),
        /// Number of a stream, and of the copy of its entry.
        output fetch: Stream = stream(bits(p.group_bits() + p.step_bits() + 1)),
        /// The entry, a cycle later.
        input fetch_word: StreamEntry = stream_entry(p),
        /// A new entry.
        output write: Stream<Write> = stream(Write {
            address: bits(p.group_bits() + p.step_bits() + 1),
            word: bits(stream_entry(p).total_width()),
        }),
        /// Slices of the vector.
        input slice: Stream<Slice> = stream(slice_shape(p)),
        /// Free pages.
        input take: Stream = stream(bits(p.page_bits())),
        /// A stream grows by a page.
        output link: Link = link(p),
        /// Pages come back.
        output give: Stream<Chain> = stream(chain(p)),
        /// To the writer.
        output command: Stream<Command> = stream(command(writer(p))),
    }
}

/// The parameters of the writer: tags say whose turn it is, and that it is the last one.
pub fn writer(p: MmuParams) -> crate::memory::mover::MoverParams {
    crate::memory::mover::MoverParams { tag_bits: 2, ..p.mover(true) }
}

/// A stream whose entry is there, and what its slice makes of it.
#[derive(Clone, Copy, Bundle)]
struct Step {
    number: Signal,
    entry: StreamEntry,
    /// There were no bytes.
    empty: Signal,
    /// Pages that hold them.
    pages: Signal,
    /// The bytes begin at the begin of a page.
    at_page: Signal,
    /// The slice needs a new page.
    takes: Signal,
    slice: Slice,
}

fn step(p: MmuParams) -> Step {
    Step {
        number: bits(p.step_bits()),
        entry: stream_entry(p),
        empty: bits(1),
        pages: bits(p.count_bits()),
        at_page: bits(1),
        takes: bits(1),
        slice: slice_shape(p),
    }
}

/// The steps.
#[module]
pub fn steps(p: MmuParams) -> Result<Design<StepsPorts>, Errors> {
    let m = Module::new(p.name("oaken_mmu_steps"));
    m.doc("Goes through the streams of a group.");
    let io = StepsPorts::new(m, p);

    m.section("entries, each fetched while the one before is dealt with");
    let held = m.reg(stream_entry(p));
    let held_valid = m.reg_reset(bits(1), 0);
    let takes_held = m.wire(bits(1));
    fetch(m, io, (held, held_valid, takes_held), p);

    m.section("with its slice");
    let step = m.reg(step(p));
    let step_valid = m.reg_reset(bits(1), 0);
    let goes = m.wire(bits(1));
    let number = m.reg(bits(p.step_bits())).comment("of the stream whose entry is held");
    let appends = io.work.pass.is(Pass::Append);
    let slice_ready = held_valid & appends & (!step_valid | goes);
    io.slice.ready.set(slice_ready);
    takes_held.set(held_valid & (!step_valid | goes) & (!appends | io.slice.valid));
    m.when(goes, || step_valid.set(false));
    m.when(takes_held, || {
        step.set(begin(m, io, held, number, p));
        step_valid.set(true);
        number.set(number + 1);
    });
    m.when(io.start, || number.set(0));

    m.section("what is done");
    goes.set(act(m, io, step, step_valid, p));
    let last = step.number.eq(p.streams() - 1);
    io.done.set(goes & last);
    io.failed.set(step.slice.failed);
    m.assert(!(goes & appends) | step.slice.last.eq(last), "a vector has a slice for each stream of its group");
    m.finish(io)
}

/// Fetches the entries of a pass: the next one when the one held leaves.
#[module]
fn fetch(m: Module, io: StepsPorts, (held, held_valid, takes_held): (StreamEntry, Signal, Signal), p: MmuParams) {
    let more = m.reg_reset(bits(1), 0).comment("there are entries to fetch");
    let next = m.reg(bits(p.step_bits()));
    let comes = m.reg_reset(bits(1), 0).comment("an entry comes");
    io.fetch.valid.set(more & !comes & (!held_valid | takes_held));
    io.fetch.payload.set(cat(&[io.work.group.pack(), next, io.work.copy]));
    let goes = io.fetch.transfer();
    comes.set(goes);
    m.when(takes_held, || held_valid.set(false));
    m.when(comes, || {
        held.set(io.fetch_word);
        held_valid.set(true);
    });
    m.when(goes, || {
        next.set(next + 1);
        more.set(next.ne(p.streams() - 1));
    });
    m.when(io.start, || {
        next.set(0);
        more.set(true);
    });
}

/// The step of an entry with the slice that comes.
#[module]
fn begin(m: Module, io: StepsPorts, held: StreamEntry, number: Signal, p: MmuParams) -> Step {
    let dense = number.bit(0);
    let [key, value] = p.dense_bytes().map(|bytes| m.lit(bytes, p.slice_bits()));
    let longest = dense.mux(io.work.group.value.mux(value, key), m.lit(p.longest_sparse(), p.slice_bits()));
    let slice = io.slice.payload;
    let bytes = io.work.pass.is(Pass::Append).mux(slice.bytes, longest);
    let before = held.bytes & (!io.work.empty).repeat(p.bytes_bits());
    let offset = before.trunc(p.offset_bits());
    let end = offset.zext(p.offset_bits() + 1) + fit(bytes, p.offset_bits() + 1);
    let at_page = !offset.any();
    let takes = at_page | (end.msb() & end.trunc(p.offset_bits()).any());
    let pages = fit(before.drop_low(p.offset_bits()), p.count_bits()) + (!at_page).zext(p.count_bits());
    let entry = StreamEntry { bytes: before, ..held };
    Step { number, entry, empty: !before.any(), pages, at_page, takes, slice: Slice { bytes, ..slice } }
}

/// Does what the pass is for. Gives whether it is done.
#[module]
fn act(m: Module, io: StepsPorts, x: Step, valid: Signal, p: MmuParams) -> Signal {
    let is = |pass: Pass| io.work.pass.is(pass);
    let takes = x.takes;
    let page = io.take.payload;

    m.section("append");
    let may = io.command.ready & (!takes | io.take.valid);
    let appends = valid & is(Pass::Append) & may;
    io.command.valid.set(valid & is(Pass::Append) & (!takes | io.take.valid));
    let to = x.at_page.mux(page, x.entry.tail).zext(p.base_bits());
    let place = (io.base + to).cat(x.entry.bytes.trunc(p.offset_bits()));
    let bytes = fit(x.slice.bytes, LENGTH_BITS);
    let next = Some(io.base + page.zext(p.base_bits()));
    io.command.payload.set(Command { address: place, bytes, next, tag: io.work.turn.cat(x.slice.last) });
    io.take.ready.set(appends & takes);
    io.link.set(Link { valid: appends & takes & !x.empty, from: x.entry.tail, to: page });
    let total = x.entry.bytes + fit(x.slice.bytes, p.bytes_bits());
    let (first, tail) = (x.empty.mux(page, x.entry.first), takes.mux(page, x.entry.tail));
    io.write.valid.set(appends);
    m.assert(io.write.ready | !appends, "the table takes every entry");
    let address = cat(&[io.work.group.pack(), x.number, !io.work.copy]);
    let word = StreamEntry { first, tail, bytes: total, grew: takes }.pack();
    io.write.payload.set(Write { address, word });

    m.section("pages come back");
    let undoes = is(Pass::Undo) & x.entry.grew;
    let releases = is(Pass::Release) & !x.empty;
    io.give.valid.set(valid & (undoes | releases));
    let undone = m.lit(1u32, p.count_bits());
    let first = is(Pass::Undo).mux(x.entry.tail, x.entry.first);
    io.give.payload.set(Chain { first, last: x.entry.tail, pages: is(Pass::Undo).mux(undone, x.pages) });

    m.section("pages are counted");
    let counted = m.reg(bits(p.step_bits() + 1));
    let counts = valid & is(Pass::Count);
    m.when(counts & takes, || counted.set(counted + 1));
    m.when(io.start, || counted.set(0));
    io.needed.set(counted);

    let back = valid & (is(Pass::Undo) | is(Pass::Release)) & (io.give.ready | !(undoes | releases));
    appends | counts | back
}
