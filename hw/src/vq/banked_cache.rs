//! Banked codebook cache: [`codebook_cache`](mod@super::codebook_cache) for deep books, with one copy of one book for all lanes.
//!
//! The ports are those of the cache with a copy for each lane. Entry `e` is in bank `e mod banks`; a bank has two ports, each of them serves two lanes.
//! Where both lanes of a pair want the same bank, one takes its next lookup in another bank: it looks up out of order, and gives entries in order.
//!
//! - There is one place for a book. An announcement (`load`) is taken when all beats that were taken before are answered, and nothing waits to be switched to; the
//!   book that was read is gone from then on, also for beats that are taken in the same cycle.
//! - Parameters: those of [`BankedParams`]. Latency: [`LATENCY`] cycles where no lane waits. Throughput: with random indices, 4 banks and 4 lanes, 0.98 beats a
//!   cycle and more.
//! - Combinational paths: from `s_switch` to `s_ready`, from `words_valid` to `words_ready`.
//! - After a reset there is no book. What brings the words is reset, too.

use super::banked_types::*;
use super::book_loader::{BookLoaderPorts, EntryWrite, book_loader};
use super::cache_types::*;
use super::codebook_cache::CodebookCachePorts;
use super::lane_window::{LaneWindowPorts, lane_window};
use super::reorder_buffer::reorder_buffer;
use super::tell_fault::{Faulty, tell_fault};
use crate::stream::fifo::{Style, fifo_after};
use hdl::logic::UpDown;
use hdl::*;

/// Cycles from an index to its entry, where no lane waits.
pub const LATENCY: u32 = 8;

/// A banked codebook cache.
#[module]
pub fn banked_cache(p: BankedParams) -> Result<Design<CodebookCachePorts>, Errors> {
    let CacheParams { entries, lanes, vector } = p.cache;
    let name = format!("banked_cache_{entries}x{vector}_{lanes}_{}", p.banks);
    p.check(&name)?;
    let m = Module::new(name);
    m.doc("Looks up indices in the banks of one codebook; lanes that wait for a bank look up later ones first.");
    let io = CodebookCachePorts::new(m, p.cache);

    m.section("Load");
    let loader = m.instance(&book_loader(p.cache)?);
    loader.load.set(io.load);
    loader.words.set(io.words);
    io.loaded.set(loader.loaded);

    let Switched { under_way, taken, book } = switch(m, &io, &loader);

    m.section("Access: what is to be done for a beat");
    let begins = m.reg_reset(bits(1), 0);
    begins.set(taken);
    let beat = take(m, io.s.payload, taken, (book, loader.last_index), p);
    let slot = m.reg_reset(bits(SLOT_BITS), 0).comment("the number of the beat");
    m.when(begins, || slot.set(slot + 1));
    let number = m.reg_reset(bits(BEAT_BITS), 0).comment("beats since the reset");
    m.when(begins, || number.set(number + 1));
    let Flags { wanted, wrong, .. } = beat.flags;
    tell_fault(m, Faulty { comes: begins & wrong.any(), wrong, no_book: beat.no_book, beat: number }, io.fault);

    m.section("lookups");
    let starts = Starts { begins, slot, wanted, index: beat.index };
    let windows = windows(m, starts, p)?;
    let words = banks(m, &windows, loader.write, p);

    let head = m.reg_reset(bits(SLOT_BITS), 0).comment("the oldest beat");
    let oldest = reorder(m, &windows, &words, (starts, head), p)?;
    let flags = m.memory(flags(p), DEPTH as usize).style(RamStyle::Distributed);
    flags.write(slot, beat.flags, begins);
    let begun = UpDown::new(m, DEPTH);
    let leaves = answer(m, !begun.is_empty() & oldest.done, (flags.read(head), oldest.entry), io.m, p);
    begun.count(begins, leaves);
    under_way.count(taken, leaves);
    m.when(leaves, || head.set(head + 1));
    m.finish(io)
}

/// What is known of the book for the beats.
struct Switched {
    /// Beats that were taken and are not answered.
    under_way: UpDown,
    /// A beat is taken.
    taken: Signal,
    /// There is a book for it.
    book: Signal,
}

/// Keeps the place for a book: takes beats, and knows whether there is a book for them.
#[module]
fn switch(m: Module, io: &CodebookCachePorts, loader: &Instance<BookLoaderPorts>) -> Switched {
    m.section("Switch");
    let waits = m.reg_reset(bits(1), 0).comment("there is a book that is not read yet");
    let read = m.reg_reset(bits(1), 0).comment("there is a book that is read");
    let under_way = UpDown::new(m, DEPTH);
    loader.free.set(!waits & under_way.is_empty());
    let switch = io.s.payload.switch;
    let takes = !under_way.is_full() & !(switch & loader.busy);
    io.s.ready.set(takes);
    let taken = io.s.transfer();
    // a book is announced while nothing is under way: what was read is overwritten from now on
    let announced = io.load.transfer();
    let book = switch.mux(waits, read & !announced);
    m.when(announced, || read.set(0));
    m.when(taken & switch, || {
        read.set(waits);
        waits.set(0);
    });
    m.when(loader.good, || waits.set(true));
    Switched { under_way, taken, book }
}

/// Finds out which indices of a beat have an entry in a book with these entries, less 1.
#[module]
fn take(m: Module, access: Access, taken: Signal, (book, last_index): (Signal, Signal), p: BankedParams) -> Begun {
    let beat = m.reg(begun(p));
    let Access { index, count, row_end, last, switch: _ } = access;
    let used = access.lanes_used(m);
    let found = Vector::of(index.into_iter().map(|index| book & index.le(last_index))).pack();
    let (wanted, wrong) = (used & found, used & !found);
    m.when(taken, || beat.set(Begun { index, no_book: !book, flags: Flags { wanted, wrong, count, row_end, last } }));
    beat
}

/// What the lanes have for the oldest beat.
struct Oldest {
    /// All that it wants.
    done: Signal,
    entry: Vector<Signal>,
}

/// Brings the words of the banks into the order of the beats.
#[module]
fn reorder(
    m: Module,
    windows: &[Instance<LaneWindowPorts>],
    words: &[Vector<Signal>],
    (starts, head): (Starts, Signal),
    p: BankedParams,
) -> Result<Oldest, Errors> {
    m.section("answers");
    let design = reorder_buffer(p.cache.entry_bits())?;
    let (mut done, mut oldest) = (vec![], vec![]);
    for (lane, window) in windows.iter().enumerate() {
        let buffer = m.instance(&design);
        let request = window.request;
        let (comes, wanted) = (after_bank(m, request.valid), after_bank(m, request.wanted));
        buffer.comes.set(comes);
        buffer.of.set(wanted.slot);
        buffer.entry.set(words[lane / 2].at(wanted.bank));
        buffer.begins.set(starts.begins);
        buffer.slot.set(starts.slot);
        buffer.none.set(!starts.wanted.bit(lane as u32));
        buffer.head.set(head);
        done.push(buffer.done);
        oldest.push(buffer.oldest);
    }
    Ok(Oldest { done: Vector::of(done).pack().all(), entry: Vector::of(oldest) })
}

/// Sends the oldest beat as soon as it is complete; tells when it leaves.
#[module]
fn answer(
    m: Module,
    complete: Signal,
    (flags, entry): (Flags, Vector<Signal>),
    to: Stream<Entries>,
    p: BankedParams,
) -> Signal {
    let valid = m.reg_reset(bits(1), 0);
    let leaves = complete & (!valid | to.ready);
    valid.set(leaves | (valid & !to.ready));
    let Flags { wanted, wrong, count, row_end, last } = flags;
    let answer = m.reg(entries(p.cache));
    m.when(leaves, || {
        answer.set(Entries { entry, wrong, count, row_end, last });
        for (lane, entry) in answer.entry.into_iter().enumerate() {
            m.when(!wanted.bit(lane as u32), || entry.set(0)); // a reset of its flip-flops
        }
    });
    to.valid.set(valid);
    to.payload.set(answer);
    leaves
}

/// A beat that was taken.
#[derive(Clone, Copy, Bundle)]
struct Begun {
    index: Vector<Signal>,
    no_book: Signal,
    flags: Flags,
}

/// What is kept of it until it is answered.
#[derive(Clone, Copy, Bundle)]
struct Flags {
    /// A bit for each lane: an entry is looked up.
    wanted: Signal,
    wrong: Signal,
    count: Signal,
    row_end: Signal,
    last: Signal,
}

fn flags(p: BankedParams) -> Flags {
    let lanes = bits(p.cache.lanes);
    Flags { wanted: lanes, wrong: lanes, count: bits(p.cache.lane_bits()), row_end: bits(1), last: bits(1) }
}

fn begun(p: BankedParams) -> Begun {
    let index = vector(bits(p.cache.index_bits()), p.cache.lanes as usize);
    Begun { index, no_book: bits(1), flags: flags(p) }
}

/// A beat whose lookups begin.
#[derive(Clone, Copy)]
struct Starts {
    begins: Signal,
    slot: Signal,
    wanted: Signal,
    index: Vector<Signal>,
}

/// The windows of the lanes; those of a pair know of each other, and take turns.
#[module]
fn windows(m: Module, s: Starts, p: BankedParams) -> Result<Vec<Instance<LaneWindowPorts>>, Errors> {
    let turn = m.reg_reset(bits(1), 0).comment("which lane of a pair goes first");
    turn.set(!turn);
    let design = lane_window(p)?;
    let mut windows = vec![];
    for (lane, index) in s.index.into_iter().enumerate() {
        let lookups = m.wire(stream(wanted(p)));
        lookups.valid.set(s.begins & s.wanted.bit(lane as u32));
        let (bank, row) = (index.trunc(p.bank_bits()), index.drop_low(p.bank_bits()));
        lookups.payload.set(Wanted { bank, row, slot: s.slot });
        m.assert(!lookups.valid | lookups.ready, "no more beats are under way than fit");
        let window = m.instance(&design);
        window.s.set(fifo_after(m, lookups, DEPTH as usize, Style::Distributed)?);
        window.turn.set(if lane % 2 == 0 { turn } else { !turn });
        windows.push(window);
    }
    for pair in windows.chunks(2) {
        pair[0].other.set(pair[1].oldest);
        pair[1].other.set(pair[0].oldest);
    }
    Ok(windows)
}

/// The banks: what each gives over each of its ports, behind a register. Over the first port it is loaded, too.
#[module]
fn banks(m: Module, windows: &[Instance<LaneWindowPorts>], write: EntryWrite, p: BankedParams) -> Vec<Vector<Signal>> {
    let (of_write, row_of_write) = (write.index.trunc(p.bank_bits()), write.index.drop_low(p.bank_bits()));
    let mut words = vec![vec![]; windows.len() / 2];
    for number in 0..p.banks {
        let bank = m.memory(bits(p.cache.entry_bits()), p.rows() as usize).style(RamStyle::Block);
        bank.attribute("no_rw_check", ""); // nothing is looked up while it is loaded
        for (port, pair) in windows.chunks(2).enumerate() {
            let [first, second] = [pair[0].request, pair[1].request];
            let wanted = (first.valid & first.wanted.bank.eq(number)).mux(first.wanted.row, second.wanted.row);
            let row = if port == 0 { write.enable.mux(row_of_write, wanted) } else { wanted };
            if port == 0 {
                bank.write(row, write.entry, write.enable & of_write.eq(number));
            }
            let word = m.reg(bits(p.cache.entry_bits()));
            word.set(bank.read_sync(row)); // block RAM is slow
            words[port].push(word);
        }
    }
    words.into_iter().map(Vector::of).collect()
}

/// What belongs to a request, when its word has come.
#[module]
fn after_bank<B: Bundle>(m: Module, x: B) -> B {
    let reading = m.reg(x.shape());
    reading.set(x);
    let here = m.reg(x.shape());
    here.set(reading);
    here
}

#[cfg(test)]
mod tests;
