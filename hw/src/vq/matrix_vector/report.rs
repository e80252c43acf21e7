//! From the command to its report.

use super::super::cache_types::{BookWord, ID_BITS};
use super::books::Books;
use super::front::{Flow, Front};
use super::params::MatrixParams;
use super::sums::Added;
use super::types::*;
use super::walk::Walk;
use hdl::*;

/// What ends a command, and how.
#[derive(Clone, Copy)]
pub(super) struct Ends {
    pub phase: StateSignal<Phase>,
    /// Indices, beat by beat or word by word.
    pub words: Stream<BookWord>,
    pub walk: Walk,
    pub books: Option<Books>,
    pub front: Front,
    pub flow: Flow,
    pub added: Added,
    /// The vectors are as long as the matrix of the command has columns.
    pub fit: Signal,
}

/// Goes from words to the report.
#[module]
pub(super) fn follow(m: Module, io: &MatrixVectorPorts, ends: Ends, p: MatrixParams) {
    m.section("how it ended");
    let Ends { phase, words, walk, books, front, flow, added, fit } = ends;
    let ended = m.reg(report_shape(p));
    let begins = io.command.transfer();
    let refused = refused(m, io, fit, p);
    let wrong = first_wrong(m, added, begins, p);
    let last = words.payload.last;
    m.when(begins, || {
        let (in_book, tile, position) = (m.lit(0u32, 1), m.lit(0u32, ID_BITS), m.lit(0u32, p.position_bits()));
        ended.set(MatrixReport { outcome: refused, in_book, tile, position });
    });
    let goes_on = refused.is(MatrixOutcome::Okay).mux(m.lit_state(Phase::Run), m.lit_state(Phase::Drain));
    let fetched = books.map_or(m.lit(1u32, 1), |books| books.over & books.idle & !books.waits);
    m.switch(phase, |s| {
        s.case(Phase::Idle, || m.when(begins, || phase.set(goes_on)));
        s.case(Phase::Run, || {
            m.when(front.taken, || word_taken(m, ended, ends, p));
            if let Some(books) = books {
                m.when(walk.begins & books.missing, || {
                    ended.set(missing_book(m, walk, books, p));
                    phase.set(m.lit_state(Phase::Drain));
                });
            }
        });
        s.case(Phase::Drain, || m.when(words.valid & last, || phase.set(Phase::Finish)));
        s.case(Phase::Finish, || {
            m.when(flow.is_empty() & front.scales_over & fetched, || {
                phase.set(Phase::Report);
                if let Some(wrong) = wrong {
                    m.when(wrong.there, || ended.set(wrong.report));
                }
            })
        });
        s.case(Phase::Report, || m.when(io.report.ready, || phase.set(Phase::Idle)));
    });
    io.report.valid.set(phase.is(Phase::Report));
    io.report.payload.set(ended);
}

/// A word was taken: it may be the last one, or one too few, or there may be another book.
#[module]
fn word_taken(m: Module, ended: MatrixReport, ends: Ends, p: MatrixParams) {
    let Ends { phase, words, walk, books, front, .. } = ends;
    let last = words.payload.last;
    let here = |outcome: StateSignal<MatrixOutcome>| MatrixReport {
        outcome,
        in_book: m.lit(0u32, 1),
        tile: walk.tile,
        position: walk.row.zext(p.position_bits()),
    };
    let fails = !front.finds.is(MatrixOutcome::Okay);
    // a book came, or is to come, besides that of the last tile, which may begin in this cycle
    let too_many = books.map(|books| !(books.over & books.idle) | books.damaged | (books.waits & !walk.begins));
    if let Some(too_many) = too_many {
        m.when(last & too_many, || {
            let at = here(m.lit_state(MatrixOutcome::Books));
            ended.set(MatrixReport { position: m.lit(0u32, p.position_bits()), ..at });
        });
    }
    m.when(fails, || {
        ended.set(here(front.finds));
        phase.set(m.lit_state(Phase::Drain));
    });
    m.when(last, || phase.set(Phase::Finish));
}

/// The book of the tile that begins is damaged, or there is none.
#[module]
fn missing_book(m: Module, walk: Walk, books: Books, p: MatrixParams) -> MatrixReport {
    let width = p.position_bits();
    let position = books.damaged.mux(books.position.zext(width), m.lit(0u32, width));
    let tile = books.damaged.mux(books.number, walk.tile);
    MatrixReport { outcome: books.outcome, in_book: books.damaged, tile, position }
}

/// Whether a command is refused, and why.
#[module]
fn refused(m: Module, io: &MatrixVectorPorts, fit: Signal, p: MatrixParams) -> StateSignal<MatrixOutcome> {
    let MatrixCommandWord { rows, columns, .. } = io.command.payload;
    let cut = columns.trunc(p.word_columns().ilog2()).any();
    let refused = m.wire(state::<MatrixOutcome>());
    refused.set(m.lit_state(MatrixOutcome::Okay));
    m.when(!fit, || refused.set(m.lit_state(MatrixOutcome::Vector)));
    m.when(cut | !columns.any() | columns.gt(p.max_columns), || refused.set(m.lit_state(MatrixOutcome::Columns)));
    m.when(!rows.any(), || refused.set(m.lit_state(MatrixOutcome::NoRows)));
    refused
}

/// A row with an index without an entry.
struct Wrong {
    there: Signal,
    report: MatrixReport,
}

/// The first row of a command with an index without an entry.
#[module]
fn first_wrong(m: Module, added: Added, begins: Signal, p: MatrixParams) -> Option<Wrong> {
    let wrong = added.wrong?;
    let there = m.reg_reset(bits(1), 0).comment("an index has no entry");
    let tile = m.reg_reset(bits(ID_BITS), 0).comment("the tile of the row that was added up last");
    let row = m.reg_reset(bits(p.row_bits()), 0).comment("its number in the tile");
    let (first_tile, first_row) = (m.reg(bits(ID_BITS)), m.reg(bits(p.row_bits())));
    let row_now = added.first_row.mux(row.zeros(p.row_bits()), row + 1);
    let tile_now = tile + added.first_row.zext(ID_BITS);
    m.when(added.comes, || {
        row.set(row_now);
        tile.set(tile_now);
        m.when(wrong & !there, || {
            there.set(1);
            first_tile.set(tile_now);
            first_row.set(row_now);
        });
    });
    m.when(begins, || {
        there.set(0);
        tile.set((1 << ID_BITS) - 1);
    });
    let outcome = m.lit_state(MatrixOutcome::Index);
    let position = first_row.zext(p.position_bits());
    Some(Wrong { there, report: MatrixReport { outcome, in_book: m.lit(0u32, 1), tile: first_tile, position } })
}
