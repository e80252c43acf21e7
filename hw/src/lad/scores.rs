//! Scores: dot products of keys with queries, exact but for products cut behind 24 places, rounded once (docs/lad.md, section 3). The dot product of a
//! vector processing unit.
//!
//! | port | |
//! | --- | --- |
//! | `query` | queries, a beat of [`lanes`](ScoresParams::lanes) elements in a cycle. `query_ready` is 0 while a key is taken that is multiplied with the one of this number: it follows registers, the number and `key_query` |
//! | `key` | keys, a beat in a cycle, each with the number of its query. The first beat waits until that query is there whole; `key_ready` follows `m_ready`, registers and the number |
//! | `m` | a score for each key, in order; registers |
//!
//! - Parameters: those of [`ScoresParams`].
//! - Throughput: a beat of a key in every cycle, key after key, whatever their queries are; a beat of a query beside it.
//! - Latency: [`latency`](ScoresParams::latency) cycles from the last beat of a key. Combinational paths: from `m_ready` and `key_query` to `key_ready`, from `key_query` and
//!   `query_number` to `query_ready`.
//! - A key is multiplied with the query that was whole last when its first beat is taken. From the first beat of a new one on the old one is no longer there.
//! - Infinity and NaN do not come through: `m_fault` says whether an element of the query or, if none is, of the key is one, and `m_element` which is the
//!   first; the next score is not touched by it.

use super::aligned_product::aligned_product;
pub use super::score_types::*;
use crate::float::logic::add_carry;
use hdl::logic::first_one;
use hdl::*;

/// Scores.
#[module]
pub fn scores(p: ScoresParams) -> Result<Design<ScoresPorts>, Errors> {
    let ScoresParams { head, lanes, queries, exact } = p;
    let name = format!("lad_scores_{head}x{lanes}_{queries}{}", if exact { "_exact" } else { "" });
    p.check(&name)?;
    let m = Module::new(name);
    m.doc("Scores: dot products of keys with queries, exact, rounded once.");
    let io = ScoresPorts::new(m, p);

    m.section("a key, and the query beside it");
    let pairs = m.wire(stream(pair(p)));
    let place = Place::new(m, pairs.transfer(), p);
    let number = held_number(m, place.first, io.key.payload.query);
    let queries = Queries::take(m, io.query, (!place.first, number), p);
    let whole = !place.first | queries.there.part(number, 1);
    pairs.valid.set(io.key.valid & whole);
    io.key.ready.set(pairs.ready & whole);
    let query = queries.numbers.read(place.address(number));
    pairs.payload.set(Pair {
        key: io.key.payload.data,
        query,
        ends: place.ends,
        base: place.base,
        query_fault: queries.faults.read(number),
    });

    m.section("products, and their sum");
    let elastic = Elastic { collapse: false, flush: None };
    let (pipeline, pair) = m.pipeline_stream("scores", pairs, elastic);
    let unit = aligned_product()?;
    let mut products = vec![];
    for (x, y) in pair.key.lanes(16).into_iter().zip(pair.query.lanes(16)) {
        let product = m.instance(&unit);
        product.x.set(x);
        product.y.set(y);
        products.push(product.product);
    }
    let (sum, carry) = tree(products);
    let ends = pair.ends.meet(sum);
    let total = accumulate(m, pipeline, (sum, carry), ends, p).next();

    m.section("the score, and what is wrong with it");
    let fault = fault(m, pipeline, pair);
    let score = Score { dot: exact.then_some(total), ..rounded(total, fault.meet(total), exact) }.next();
    let sums = m.wire(stream((score_shape(p), bits(1))));
    let ends = ends.meet(score.score);
    pipeline.leave_stream((score, ends), sums);
    let (score, ends) = sums.payload;
    sums.ready.set(io.m.ready | !ends);
    io.m.valid.set(sums.valid & ends);
    io.m.payload.set(score);
    m.finish(io)
}

/// Elements of a key beside those of its query.
#[derive(Clone, Copy, Bundle)]
struct Pair {
    key: Signal,
    query: Signal,
    /// They are the last ones.
    ends: Signal,
    /// The number of the first of them.
    base: Signal,
    query_fault: BadElement,
}

/// Whether an element is infinite or NaN, and the first one that is.
#[derive(Clone, Copy, Bundle)]
struct BadElement {
    there: Signal,
    element: Signal,
}

fn bad_element() -> BadElement {
    BadElement { there: bits(1), element: bits(ELEMENT_BITS) }
}

fn pair(p: ScoresParams) -> Pair {
    let data = bits(16 * p.lanes);
    Pair { key: data, query: data, ends: bits(1), base: bits(ELEMENT_BITS), query_fault: bad_element() }
}

/// Where in its vector a beat is.
#[derive(Clone, Copy)]
struct Place {
    /// Its number; none if it is the only one.
    beat: Option<Signal>,
    first: Signal,
    ends: Signal,
    /// The number of its first element.
    base: Signal,
}

impl Place {
    /// Counts the beats that are taken.
    #[module]
    fn new(m: Module, taken: Signal, p: ScoresParams) -> Place {
        let beats = p.beats();
        if beats == 1 {
            let one = m.lit(1u32, 1);
            return Place { beat: None, first: one, ends: one, base: m.lit(0u32, ELEMENT_BITS) };
        }
        let beat = m.reg_reset(bits(clog2(beats as usize)), 0);
        let ends = beat.eq(beats - 1);
        m.when(taken, || beat.set(ends.mux(beat.zeros(beat.width()), beat + 1)));
        let base = Vector::of((0..beats).map(|beat| m.lit(beat * p.lanes, ELEMENT_BITS))).at(beat);
        Place { beat: Some(beat), first: !beat.any(), ends, base }
    }
    /// Where a query's beat lies.
    fn address(self, number: Signal) -> Signal {
        self.beat.map_or(number, |beat| number.cat(beat))
    }
}

/// The number that came with the first beat.
#[module]
fn held_number(m: Module, first: Signal, number: Signal) -> Signal {
    let held = m.reg(bits(number.width()));
    let current = first.mux(number, held);
    held.set(current);
    current
}

/// The queries that are held.
struct Queries {
    numbers: Memory,
    faults: Memory<BadElement>,
    /// For each number, whether it is there whole.
    there: Signal,
}

impl Queries {
    /// Takes queries. `used`: a key is under way, and the number of its query.
    #[module]
    fn take(m: Module, query: Stream<QueryBeat>, used: (Signal, Signal), p: ScoresParams) -> Queries {
        m.section("queries");
        let (under_way, of_key) = used;
        let taken = query.transfer();
        let place = Place::new(m, taken, p);
        let number = held_number(m, place.first, query.payload.number);
        query.ready.set(!(under_way & number.eq(of_key)));
        let depth = p.queries << place.beat.map_or(0, |beat| beat.width());
        let numbers = m.memory(bits(16 * p.lanes), depth as usize).style(RamStyle::Distributed);
        numbers.write(place.address(number), query.payload.data, taken);
        let there = m.reg_reset(bits(p.queries), 0).comment("queries that are whole");
        m.when(taken, || there.part(number, 1).set(place.ends));

        let fault = m.reg_reset(bad_element(), 0);
        let so_far = fault.there.mux(fault, first_bad(query.payload.data, place.base));
        m.when(taken, || {
            fault.set(so_far);
            m.when(place.ends, || fault.there.set(0));
        });
        let faults = m.memory(bad_element(), p.queries as usize).style(RamStyle::Distributed);
        faults.write(number, so_far, taken & place.ends);
        Queries { numbers, faults, there }
    }
}

/// The first element that is infinite or NaN; `base` is the number of the first one.
#[module]
fn first_bad(data: Signal, base: Signal) -> BadElement {
    let bad = Vector::of(data.lanes(16).into_iter().map(|x| x.bits(14, 10).all()));
    let first = first_one(bad.pack());
    BadElement { there: first.any, element: base + first.index.zext(ELEMENT_BITS) }
}

/// Adds up products, and the highest bits of all but one, which is what is left. A stage for each level.
#[module]
fn tree(products: Vec<Signal>) -> (Signal, Signal) {
    let mut carries: Vec<Signal> = products.iter().map(|product| product.msb()).collect();
    let mut level = products;
    while level.len() > 1 {
        let width = level[0].width() + 1;
        let mut sums = vec![];
        for pair in level.chunks(2) {
            let sum = match (pair, carries.last().copied()) {
                ([left, right], Some(carry)) => {
                    carries.pop();
                    add_carry(left.sext(width), right.sext(width), carry)
                }
                _ => pair[0].sext(width),
            };
            sums.push(sum.next());
        }
        carries.iter_mut().for_each(|carry| *carry = carry.next());
        level = sums;
    }
    (level[0], carries[0])
}

/// Half a step of a score.
const HALF: u32 = 1 << (PLACES_CUT - 1);
/// Places of a dot product behind those of a score.
const PLACES_CUT: u32 = 8;

/// The sum of all beats of a key, as it is with the last one. Where it is not asked for by itself it has half a step of a score more, which costs nothing here.
#[module]
fn accumulate(m: Module, pipeline: Pipeline, x: (Signal, Signal), ends: Signal, p: ScoresParams) -> Signal {
    let (sum, carry) = x;
    let sum = sum.sext(DOT_BITS);
    let begin = if p.exact { 0 } else { HALF };
    if p.beats() == 1 {
        return add_carry(sum, sum.lit(begin, DOT_BITS), carry);
    }
    let before = pipeline.state(m.reg_reset(bits(DOT_BITS), begin).comment("the beats before"), sum);
    let total = add_carry(before, sum, carry);
    before.set(total);
    m.when(ends, || before.set(begin));
    total
}

/// The first fault of a key's beats, and before it that of its query, as they are with the last beat.
#[module]
fn fault(m: Module, pipeline: Pipeline, pair: Pair) -> (StateSignal<ScoreFault>, Signal) {
    let of_beat = first_bad(pair.key, pair.base).next();
    let (ends, query) = (pair.ends.next(), pair.query_fault.next());
    let before = pipeline.state(m.reg_reset(bad_element(), 0), of_beat);
    let key = before.there.mux(before, of_beat);
    before.set(key);
    m.when(ends, || before.there.set(0));
    let of_key = key.there.mux(m.lit_state(ScoreFault::Key), m.lit_state(ScoreFault::None));
    let fault = query.there.mux(m.lit_state(ScoreFault::Query), of_key);
    (fault, query.there.mux(query.element, key.element))
}

/// A dot product with 16 places, halves upwards, limited to the bits of a score. One that is not exact has its half already.
#[module]
fn rounded(total: Signal, fault: (StateSignal<ScoreFault>, Signal), exact: bool) -> Score {
    let sign = total.msb();
    // a bit more than a score has, and its sign
    let kept = SCORE_BITS + 1;
    let high = total.drop_low(PLACES_CUT + kept - 1);
    let fits = high.all() | !high.any();
    let body = total.bits(PLACES_CUT + kept - 1, PLACES_CUT);
    let score = if exact { add_carry(body, body.zeros(kept), total.bit(PLACES_CUT - 1)) } else { body };
    let saturated = !fits | (score.msb() ^ score.bit(SCORE_BITS - 1));
    let limit = sign.cat((!sign).repeat(SCORE_BITS - 1));
    let score = saturated.mux(limit, score.trunc(SCORE_BITS));
    Score { score, saturated, fault: fault.0, element: fault.1, dot: None }
}

#[cfg(test)]
mod tests;
