//! Matrix times vector, by dequantizing and multiplying (docs/vq-format.md, section 7): indices are looked up, and their values multiplied with
//! up to four vectors, in the cycle in which they come.
//!
//! | port | |
//! | --- | --- |
//! | `command` | a matrix comes: taken when its vectors are there, and the command before has ended and its report was taken; from registers |
//! | `vector` | the vectors of a command, one after the other, each with `last`; those of the next command are taken while this one's are used; from registers |
//! | `books` | where there are books: those of the tiles in their order, as they stand in a file, each with `last`, the last one with `end`; `books_ready` follows `books_valid` within the cycle |
//! | `words` | the rows of indices, tile by tile, with `last` at the last word of all; `words_ready` is made of registers |
//! | `scale` | where rows have scales: one for each row, with `last`; one is taken before the last word of its row. `scale_ready` follows `words_valid` within the cycle |
//! | `m` | the products of each row; from registers |
//! | `report` | how a command ended, when its last products were taken; registers |
//!
//! - Parameters: those of [`MatrixParams`].
//! - Throughput: a beat of `lanes` indices in every cycle, from row to row and from tile to tile: the book of the next tile is loaded while this one's is read.
//!   A command takes [`overhead`] cycles and the load of its first book besides. A tile with fewer rows than are on their way waits for those of the tile before.
//! - Latency: [`latency`] cycles from the last word of a row to its products. Combinational paths: within `books`; with scales of rows, from `words_valid` to `scale_ready`.
//! - A command that fails is read to the ends of words, books and scales: each command brings all of them, one that is refused too. The products of the rows that were whole before come,
//!   then the report.

mod books;
mod entries;
mod front;
mod gearbox;
mod params;
mod prepared;
mod quarters;
mod report;
mod sums;
mod types;
mod vectors;
mod walk;

pub use self::params::*;
pub use self::types::*;

use self::books::{Cache, load_books};
use self::entries::look_up;
use self::front::{Flow, take_words};
use self::gearbox::beats_of_words;
use self::report::{Ends, follow};
use self::sums::{Settings, add_up};
use self::vectors::Vectors;
use self::walk::Walk;
use crate::stream::fifo::{Style, fifo_after};
use crate::stream::register_slice_forward::register_slice_forward_after;
use hdl::*;

/// A matrix-vector unit.
#[module]
pub fn matrix_vector(p: MatrixParams) -> Result<Design<MatrixVectorPorts>, Errors> {
    let name = name(p);
    p.check(&name)?;
    let m = Module::new(name);
    m.doc("Matrix times vector: indices are looked up, and their values multiplied and added up.");
    let io = MatrixVectorPorts::new(m, p);

    m.section("a command");
    let phase = m.state(Phase::Idle);
    let vectors = Vectors::take(m, &io, io.report.transfer(), p);
    io.command.ready.set(phase.is(Phase::Idle) & vectors.there);
    let begins = io.command.transfer();
    let kept = |number: Option<Signal>| {
        number.map(|number| {
            let kept = m.reg(bits(16));
            m.when(begins, || kept.set(number));
            kept
        })
    };
    let settings = Settings { ratio: kept(io.command.payload.ratio), scale: kept(io.command.payload.scale) };

    let cache = Cache::new(m, p)?;
    let switched = m.wire(bits(1));
    let flow = Flow::new(m, p);
    let books = load_books(m, &io, (phase, flow.is_empty()), cache, switched, p);
    let steps = m.wire(bits(1));
    let walk = Walk::new(m, &io, begins, steps, p);
    let words = beats_of_words(m, io.words, p);
    let scale = io.scale.map(|scale| register_slice_forward_after(m, scale)).transpose()?;
    let front = take_words(m, &io, (words, scale), (phase, walk, books), flow, p);
    steps.set(front.steps);
    switched.set(front.comes & walk.begins);

    let beat = m.reg(front.beat.shape());
    let comes = m.reg_reset(bits(1), 0).comment("a beat is there");
    beat.set(front.beat);
    comes.set(front.comes);
    let found = look_up(m, (comes, beat), &vectors, cache.zip(books), p)?;
    let added = add_up(m, found, settings, p)?;

    m.section("products wait");
    let into = m.wire(stream(products_shape(p)));
    into.valid.set(added.found);
    into.payload.set(added.products);
    m.assert(!into.valid | into.ready, "the FIFO has room for the rows that are under way");
    io.m.set(fifo_after(m, into, p.depth() as usize, Style::Block)?);
    flow.count(front, walk, added.comes, io.m.transfer());
    follow(m, &io, Ends { phase, words, walk, books, front, flow, added, fit: vectors.fit }, p);
    m.finish(io)
}

fn name(p: MatrixParams) -> String {
    let MatrixParams { source, lanes, vectors, tile_rows, tile_columns, max_columns, scales } = p;
    let source = match source {
        MatrixSource::Books { entries, vector } => format!("{entries}x{vector}"),
        MatrixSource::Groups { entries, vector } => format!("groups_{entries}x{vector}"),
        MatrixSource::Residual { entries, vector } => format!("residual_{entries}x{vector}"),
        MatrixSource::Lattice => "e8p".to_string(),
    };
    let scales = match scales {
        MatrixScales::None => "",
        MatrixScales::Tensor => "_scaled",
        MatrixScales::Row => "_scaled_rows",
    };
    format!("matrix_vector_{source}_{lanes}_{vectors}_{tile_rows}x{tile_columns}_{max_columns}{scales}")
}

#[cfg(test)]
mod tests;
