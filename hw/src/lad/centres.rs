//! Centres of keys: the record of a new key, which is its own centre, or takes that one in whose direction it reaches farthest (docs/lad.md, section 5; lad.txt,
//! Algorithm 1 and section III-C: EAS without its vector processing units).
//!
//! | port | |
//! | --- | --- |
//! | `s` | the new key, with its dot product with itself, then the centres, the oldest first, each with its dot product with the new key. The end is marked, at the new key if there is no centre. `s_ready` is a register |
//! | `m` | the record of the new key, behind its list; registers |
//!
//! - Parameters: those of [`CentresParams`].
//! - Throughput: a centre in every cycle. The record comes [`LAST`] cycles behind the last beat of a list, one earlier if the key is its own centre, and one later for each place by which the
//!   factor's product is moved: 11 at most. It comes no sooner than [`OWN`] cycles behind the first beat, nor than [`FIRST`] and these places. The next list is taken in the cycle behind the record.
//! - No combinational paths. `m` alone holds anything: a list is taken to its end, whatever it says.
//! - A list that is none, as far as that is seen, has a record with a cause all the same, and the next one is not touched by it.
//!
//! The length is taken while centres go by, since a projection does not need it. The largest projection that would not do, `threshold * length`, then goes the way of a centre behind the last
//! one: what is not farther than that is its own centre.

mod length;
mod list;
mod product;
mod projection;

pub use super::centre_types::*;

use self::length::Length;
use self::list::{List, Listed};
use self::product::Product;
use self::projection::{PROJECTION_BITS, SHORT, Short, Window, other, projection, short, window};
use crate::float::logic::add_carry;
use hdl::*;

/// Cycles from the last beat of a list to its record, besides those in which the factor's product is moved.
pub const LAST: u32 = 10;
/// Cycles from the first beat to the record, at least: those of length and reciprocal.
pub const OWN: u32 = 29;
/// Cycles from the first beat to the record, at least, besides those in which the factor's product is moved.
pub const FIRST: u32 = 23;

/// Where a key is.
#[derive(Clone, Copy, State)]
enum Phase {
    /// Its list is taken.
    List,
    /// The length is awaited.
    Length,
    /// What a projection has to exceed is on its way.
    Limit,
    /// The factor is moved to its place.
    Product,
    /// The reciprocal is awaited.
    Round,
    /// The record waits.
    Record,
}

/// `threshold * 2^-16` is `threshold * 2^(LIMIT_SHIFT - 15)` steps of 2^-24.
const LIMIT_SHIFT: u32 = 8 + 15;

/// A beat beside the leading bits of its dot product.
#[derive(Clone, Copy, Bundle)]
struct Beside {
    position: Signal,
    factor: Signal,
    first: Signal,
    last: Signal,
}

/// A centre, or the limit.
#[derive(Clone, Copy, Bundle)]
struct Candidate {
    position: Signal,
    factor: Signal,
    negative: Signal,
    is_limit: Signal,
}

/// The centre with the largest projection.
#[derive(Clone, Copy, Bundle)]
struct Best {
    projection: Signal,
    position: Signal,
    factor: Signal,
    negative: Signal,
}

/// Centres of keys.
#[module]
pub fn centres(p: CentresParams) -> Result<Design<CentresPorts>, Errors> {
    let name = format!("lad_centres_{}", p.max_positions);
    p.check(&name)?;
    let m = Module::new(name);
    m.doc("Records of new keys: their centres, and the factors of these.");
    let io = CentresPorts::new(m, p);
    let phase = m.state(Phase::List);
    let (list, taken, beat) = List::take(m, io.s, p);
    let begins = taken & beat.first;
    let (there, beat, window) = leading(m, taken, beat);
    let ends = there & beat.last;
    let length = Length::of(m, there & beat.first, window);

    m.section("a centre, or the limit behind the last one");
    let is_limit = phase.is(Phase::Length) & length.is_known();
    let limit = other(list.threshold.trunc(SHORT), LIMIT_SHIFT);
    let operand = short(window, (is_limit, limit));
    let multiplied = is_limit.mux(length.length.zext(FACTOR_BITS), beat.factor);
    let Beside { position, factor, .. } = beat;
    let candidate = Candidate { position, factor, negative: window.negative, is_limit };
    let (there, reach, candidate) = projected(m, (there & !beat.first) | is_limit, (operand, multiplied), candidate);
    let decides = there & candidate.is_limit;
    let (best, stays) = largest(m, begins, (there, reach), candidate, p);
    let product = Product::of(m, decides, (length.length, best.factor), phase.is(Phase::Product));

    m.section("the record");
    let alone = m.reg(bits(1)).comment("no centre is near enough");
    let none = !stays | !length.usable | list.threshold.msb();
    m.when(decides, || alone.set(none));
    let (factor, can_be_stored) = product.rounded();
    let own = alone | !can_be_stored;
    let record = m.reg(record(p));
    let of_own = length.reciprocal() & length.usable.repeat(FACTOR_BITS - 1);
    let factor = own.mux(of_own.zext(FACTOR_BITS), best.negative.cat(factor));
    let centre = own.mux(list.position, best.position);
    let ready = phase.is(Phase::Round) & length.is_done();
    m.when(ready, || {
        record.set(CentreRecord { position: list.position, centre, factor, own, cause: list.cause(m) });
    });
    io.m.valid.set(phase.is(Phase::Record));
    io.m.payload.set(record);
    list.end(m, io.m.transfer());

    m.section("where the key is");
    m.switch(phase, |s| {
        s.case(Phase::List, || m.when(ends, || phase.set(Phase::Length)));
        s.case(Phase::Length, || m.when(is_limit, || phase.set(Phase::Limit)));
        s.case(Phase::Limit, || m.when(decides, || phase.set(none.mux(m.lit_state(Phase::Round), Phase::Product))));
        s.case(Phase::Product, || m.when(product.is_placed, || phase.set(Phase::Round)));
        s.case(Phase::Round, || m.when(ready, || phase.set(Phase::Record)));
        s.case(Phase::Record, || m.when(io.m.ready, || phase.set(Phase::List)));
    });
    m.finish(io)
}

/// The leading bits of each dot product, and its beat beside them.
#[module]
fn leading(m: Module, taken: Signal, beat: Listed) -> (Signal, Beside, Window) {
    m.section("the leading bits of a dot product");
    let pipeline = m.pipeline("leading");
    let there = pipeline.enter_valid(taken);
    let Listed { position, factor, dot, first, last } = pipeline.enter(beat);
    let found = window(dot);
    let beside = Beside { position, factor, first, last }.meet(found.rest);
    (pipeline.leave(there.meet(found.rest)), pipeline.leave(beside), pipeline.leave(found))
}

/// Projections, with what they are of.
#[module]
fn projected(
    m: Module,
    there: Signal,
    (operand, factor): (Short, Signal),
    candidate: Candidate,
) -> (Signal, Signal, Candidate) {
    let pipeline = m.pipeline("projection");
    let there = pipeline.enter_valid(there).next();
    let (operand, factor, candidate) = pipeline.enter((operand, factor, candidate)).next();
    let reach = projection(operand, factor);
    let (there, candidate) = (there.meet(reach), candidate.meet(reach));
    (pipeline.leave(there), pipeline.leave(reach), pipeline.leave(candidate))
}

/// The centre with the largest projection so far, and whether it stays that beside what has come: a centre has to be above it, the limit only not below.
#[module]
fn largest(
    m: Module,
    begins: Signal,
    (there, reach): (Signal, Signal),
    candidate: Candidate,
    p: CentresParams,
) -> (Best, Signal) {
    m.section("the largest projection, of equal ones the oldest");
    let best = m.reg(best(p));
    let wide = PROJECTION_BITS + 1;
    let stays = add_carry(best.projection.zext(wide), (!reach).zext(wide), !candidate.is_limit).msb();
    let Candidate { position, factor, negative, is_limit } = candidate;
    m.when(begins, || best.projection.set(0));
    m.when(there & !is_limit & !stays, || best.set(Best { projection: reach, position, factor, negative }));
    (best, stays)
}

fn best(p: CentresParams) -> Best {
    let position = bits(p.position_bits());
    Best { projection: bits(PROJECTION_BITS), position, factor: bits(FACTOR_BITS), negative: bits(1) }
}

#[cfg(test)]
mod tests;
