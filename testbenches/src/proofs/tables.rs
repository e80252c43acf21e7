//! The product pipeline: each command has one report, and behind a good one every place of every table was written once, in order.

use super::{Engine, Proof};
use crate::checkers::{Side, sends_by_the_rules};
use hdl::{Bundle, Design, Errors, Module, bits, module};
use hw::vq::products::{ProductsPorts, products};
use hw::vq::table_types::{TableOutcome, TableParams};

/// Eight books of up to eight entries of a word.
const SMALL: TableParams = TableParams { entries: 8, vector: 4, positions: 8, residuals: 1, queries: 1 };
/// Bits of the number of a place: of the position, of the entry.
const PLACE_BITS: u32 = 6;

/// The pipeline against a count of what is written. What the numbers are is not said.
#[module]
fn products_proof() -> Result<Design<()>, Errors> {
    let m = Module::new("prove_products");
    let io = ProductsPorts::new(m, SMALL);
    let part = m.instance(&products(SMALL, false)?);
    part.command.set(io.command);
    part.query.set(io.query);
    part.words.set(io.words);
    io.write.set(part.write);
    io.done.set(part.done);
    sends_by_the_rules(m, io.command, Side::Surroundings);
    sends_by_the_rules(m, io.query, Side::Surroundings);
    sends_by_the_rules(m, io.words, Side::Surroundings);
    sends_by_the_rules(m, io.done, Side::Part);

    m.section("commands");
    let under_way = m.reg_reset(bits(1), 0);
    let (begins, ends) = (io.command.transfer(), io.done.transfer());
    m.when(begins, || under_way.set(1)).elsewhen(ends, || under_way.set(0));
    m.assert(!begins | !under_way, "one command at a time");
    m.assert(!io.done.valid | under_way, "no report is invented");
    m.assert(!io.words.transfer() | (under_way & !io.done.valid), "words are taken for a command only");
    m.assert(!io.query.transfer() | !under_way, "a query is taken between commands");
    let over = m.reg_reset(bits(1), 0);
    m.when(begins, || over.set(0)).elsewhen(io.words.transfer() & io.words.payload.last, || over.set(1));
    m.assert(!io.words.transfer() | !over, "no word is taken behind the last one");
    m.assert(!io.done.valid | over, "a report comes behind the last word");

    m.section("places of the tables");
    let next = m.reg_reset(bits(PLACE_BITS + 1), 0).comment("places that were written");
    let write = io.write;
    m.when(write.valid, || next.set(next + 1));
    m.when(begins, || next.set(0));
    let place = write.position.cat(write.row);
    m.assert(!write.valid | next.eq(place.zext(PLACE_BITS + 1)), "places are written in their order, once each");
    m.assert(!write.valid | (under_way & !io.done.valid), "nothing is written outside of a command");
    let good = io.done.payload.outcome.is(TableOutcome::Okay);
    m.assert(!(io.done.valid & good) | next.eq(1u32 << PLACE_BITS), "behind a good report all were written");
    m.cover(write.valid & place.eq(9), "the second book is written");
    m.cover(io.done.valid & !good & next.ne(0), "a book is damaged");
    Ok(m.finish(io)?.erase())
}

/// The proof of this file.
pub fn proofs() -> Result<Vec<Proof>, Errors> {
    let (name, part) = ("products".into(), "products, 8 books of 8 entries of 4 numbers".into());
    Ok(vec![Proof { name, part, design: products_proof()?, engine: Engine::Pdr, cover_depth: 60 }])
}
