//! The codebook cache: each index has one answer, in order; none of a book before its load has ended, none of the old one behind a switch. Of its
//! loader: a load whose words come ends in bounded time.

use super::{Engine, Proof};
use crate::checkers::{Side, sends_by_the_rules, stalls_at_most};
use hdl::{Bundle, Design, Errors, Module, Signal, Stream, bits, module};
use hw::stream::register_slice_forward::register_slice_forward_after;
use hw::vq::book_loader::{BookLoaderPorts, book_loader};
use hw::vq::cache_types::{Access, CacheParams, Entries, LoadOutcome};
use hw::vq::codebook_cache::{CodebookCachePorts, codebook_cache};

/// Books of up to two numbers: the first word of a load says how many, the second one has them.
pub(super) const SMALL: CacheParams = CacheParams { entries: 2, vector: 1, lanes: 1 };
/// Cycles of a word of a load: as many as it has pieces, here numbers.
const PIECES: u32 = 4;
/// Beats between the ports.
const INSIDE: u32 = 2;

/// A book: how many entries it has, less 1, and the low bits of both.
#[derive(Clone, Copy, Bundle)]
struct Book {
    there: Signal,
    last_index: Signal,
    entry: Signal,
}

/// The answer that a beat must have.
#[derive(Clone, Copy, Bundle)]
struct Due {
    flags: Signal,
    wrong: Signal,
    index: Signal,
    low: Signal,
}

fn due() -> Due {
    Due { flags: bits(2), wrong: bits(1), index: bits(1), low: bits(1) }
}

/// The cache against a book that is read and one that is loaded, as what goes over the ports says.
#[module]
fn codebook_cache_proof() -> Result<Design<()>, Errors> {
    let m = Module::new("prove_codebook_cache");
    let io = CodebookCachePorts::new(m, SMALL);
    let part = m.instance(&codebook_cache(SMALL)?);
    part.load.set(io.load);
    // whatever `io.words` does, what leaves a register slice follows the rules: easier for the prover than an assumption
    let words = register_slice_forward_after(m, io.words)?;
    part.words.set(words);
    part.s.set(io.s);
    io.loaded.set(part.loaded);
    io.m.set(part.m);
    io.fault.set(part.fault);
    sends_by_the_rules(m, io.load, Side::Surroundings);
    sends_by_the_rules(m, io.s, Side::Surroundings);
    sends_by_the_rules(m, io.loaded, Side::Part);
    sends_by_the_rules(m, io.m, Side::Part);
    sends_by_the_rules(m, io.fault, Side::Part);

    m.section("the book that is loaded");
    let under_way = m.reg_reset(bits(1), 0);
    let ends = under_way & io.loaded.valid;
    m.when(io.load.transfer(), || under_way.set(true)).elsewhen(ends, || under_way.set(false));
    m.assert(!io.load.transfer() | !under_way, "one load at a time");
    m.assert(!words.transfer() | (under_way & !ends), "words are taken for a load only");
    let word = m.reg_reset(bits(2), 0).comment("of the load, up to the third one");
    let last_index = m.reg(bits(1));
    let entry = m.reg(bits(2));
    m.when(words.transfer() & word.ne(2), || word.set(word + 1));
    m.when(io.load.transfer(), || word.set(0));
    let data = words.payload.data;
    m.when(words.transfer() & word.eq(0), || last_index.set(data.bit(0)));
    m.when(words.transfer() & word.eq(1), || entry.set(data.bit(16).cat(data.bit(0))));
    let good = io.loaded.payload.outcome.is(LoadOutcome::Okay);
    m.assert(!(ends & good) | word.eq(2), "a book has both of its words, and not more");
    let waits = m.reg_reset(bits(1), 0).comment("it was loaded, and is not read yet");
    let there = waits | (ends & good);

    m.section("the book that is read");
    let read = m.reg(Book { there: bits(1), last_index: bits(1), entry: bits(2) });
    let known = m.reg_reset(bits(1), 0).comment("there was a switch since the reset");
    let Access { index, count, row_end, last, switch } = io.s.payload;
    count.unused();
    let switches = io.s.transfer() & switch;
    waits.set(there & !switches);
    m.assert(!switches | !under_way | ends, "a switch waits for the end of the load");
    let next = Book { there, last_index, entry };
    let before = Book { there: read.there & known, ..read };
    m.when(switches, || {
        read.set(next);
        known.set(true);
    });
    let book = switch.mux(next, before);

    m.section("answers");
    let found = book.there & index[0].le(book.last_index);
    let expected = Due {
        flags: row_end.cat(last),
        wrong: !found,
        index: index[0],
        low: found & index[0].mux(book.entry.bit(1), book.entry.bit(0)),
    };
    answers_in_order(m, (io.s.transfer(), expected), io.m);
    let held = switch & under_way;
    stalls_at_most(m, io.s.valid & !held & (io.m.ready | !io.m.valid) & !io.s.ready, 0, "only a switch waits");
    m.cover(io.m.transfer() & !io.m.payload.wrong & io.m.payload.entry[0].bit(0), "an entry comes");
    m.cover(switches & known & !there & read.there, "a switch to no book");
    m.cover(io.fault.transfer(), "a fault is told");
    Ok(m.finish(io)?.erase())
}

/// Each beat has one answer, in order, and the right one.
#[module]
fn answers_in_order(m: Module, (push, expected): (Signal, Due), out: Stream<Entries>) {
    let inside = m.reg_reset(bits(2), 0).comment("beats without an answer");
    let oldest = m.reg(due());
    let newer = m.reg(due());
    let pop = out.transfer();
    m.when(push & !pop, || inside.set(inside + 1)).elsewhen(pop & !push, || inside.set(inside - 1));
    m.assert(!pop | inside.ne(0), "no answer is invented");
    m.assert(inside.le(INSIDE), "no more beats are inside than there is room for");
    m.when(pop, || oldest.set(newer));
    let becomes_oldest = inside.eq(0) | (pop & inside.eq(1));
    m.when(push & becomes_oldest, || oldest.set(expected));
    m.when(push & !becomes_oldest, || newer.set(expected));
    let Entries { entry, wrong, count, row_end, last } = out.payload;
    count.unused();
    m.assert(!out.valid | row_end.cat(last).eq(oldest.flags), "answers come in the order of the indices");
    m.assert(!out.valid | wrong.eq(oldest.wrong), "an index is wrong if there is no such entry, or no book");
    // one after the other: easier for the prover
    let right = entry[0].bit(0).eq(oldest.low);
    m.assert(!out.valid | oldest.index | right, "the first entry is that of the book that is read, or zero");
    m.assert(!out.valid | !oldest.index | right, "the second entry is that of the book that is read, or zero");
    m.assert(!(out.valid & wrong.any()) | !entry[0].any(), "where there is none it is zero in all bits");
}

/// What waits in a loader waits for its surroundings, or for some cycles only.
#[module]
fn book_loader_proof() -> Result<Design<()>, Errors> {
    let m = Module::new("prove_book_loader");
    let io = BookLoaderPorts::new(m, SMALL);
    let part = m.instance(&book_loader(SMALL)?);
    part.load.set(io.load);
    part.free.set(io.free);
    part.words.set(io.words);
    io.loaded.set(part.loaded);
    io.write.set(part.write);
    io.busy.set(part.busy);
    io.good.set(part.good);
    io.last_index.set(part.last_index);
    sends_by_the_rules(m, io.load, Side::Surroundings);
    sends_by_the_rules(m, io.words, Side::Surroundings);

    let under_way = m.reg_reset(bits(1), 0).comment("a load was taken and is not reported");
    let ends = under_way & io.loaded.valid;
    m.when(io.load.transfer(), || under_way.set(true)).elsewhen(ends, || under_way.set(false));
    let all_words = m.reg_reset(bits(1), 0).comment("its last word was taken");
    let last_word = io.words.transfer() & io.words.payload.last;
    m.when(last_word, || all_words.set(true)).elsewhen(io.load.transfer(), || all_words.set(false));
    let may_begin = io.free & !under_way & !io.loaded.valid;
    stalls_at_most(
        m,
        io.load.valid & may_begin & !io.load.ready,
        0,
        "a load waits for the one before it and for a place only",
    );
    let open = under_way & !ends & !all_words;
    stalls_at_most(
        m,
        open & io.words.valid & !io.words.ready,
        PIECES - 1,
        "a word is taken within the cycles of its pieces",
    );
    stalls_at_most(m, under_way & all_words & !ends, 1, "a load ends within two cycles of its last word");
    m.cover(ends & io.loaded.payload.outcome.is(LoadOutcome::Okay), "a load ends well");
    Ok(m.finish(io)?.erase())
}

/// The proofs of this file.
pub fn proofs() -> Result<Vec<Proof>, Errors> {
    let proof = |name: &str, part: &str, design, cover_depth| Proof {
        name: name.into(),
        part: part.into(),
        design,
        engine: Engine::Pdr,
        cover_depth,
    };
    Ok(vec![
        proof("codebook_cache", "codebook_cache, 2 entries of a number, 1 lane", codebook_cache_proof()?, 24),
        proof("book_loader", "book_loader, 2 entries of a number", book_loader_proof()?, 24),
    ])
}
