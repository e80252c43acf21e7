//! The indices of a row, kept until all are there and right. Built into the module that calls.

use super::super::table_types::{INDEX_BITS, IndexWord, LANES, TableOutcome, TableParams, TableReport};
use hdl::*;

/// An index of a position.
#[derive(Clone, Copy)]
pub(super) struct Found {
    pub(super) comes: Signal,
    pub(super) position: Signal,
    pub(super) index: Signal,
}

/// Keeps the indices; when the books have ended well, they go out, then the report.
#[module]
pub(super) fn row(
    m: Module,
    found: Found,
    books: Stream<TableReport>,
    to: Stream<IndexWord>,
    done: Stream<TableReport>,
    p: TableParams,
) {
    m.section("the indices of a row, eight in a word");
    let beats = p.beats();
    let words = m.memory(bits(LANES * INDEX_BITS), beats.max(2) as usize).style(RamStyle::Distributed);
    let lane = found.position.trunc(LANES.ilog2());
    let lanes = (0..LANES).map(|i| found.comes & lane.eq(i));
    let of_word = |position: Signal| if beats == 1 { m.lit(0u32, 1) } else { position.drop_low(LANES.ilog2()) };
    let index = found.index.zext(INDEX_BITS).repeat(LANES);
    words.write_lanes(of_word(found.position), index, Vector::of(lanes).pack());

    m.section("they go out, then the report");
    let number = m.reg_reset(bits(clog2(beats.max(2) as usize)), 0).comment("the word that goes out");
    let sent = m.reg_reset(bits(1), 0).comment("all are out");
    let okay = books.payload.outcome.is(TableOutcome::Okay);
    let last = number.eq(beats - 1);
    to.valid.set(books.valid & okay & !sent);
    to.payload.set(IndexWord { data: words.read(number), last });
    m.when(to.transfer(), || {
        number.set(last.mux(number.zeros(number.width()), number + 1));
        sent.set(last);
    });
    let ends = sent | !okay;
    done.valid.set(books.valid & ends);
    done.payload.set(books.payload);
    books.ready.set(done.ready & ends);
    m.when(done.transfer(), || sent.set(0));
}
