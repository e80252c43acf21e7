//! The width converters: beats of words with `keep` and `last`.

use super::{Engine, Proof};
use crate::checkers::{Side, sends_by_the_rules, stalls_at_most};
use hdl::{Bundle, Design, Errors, Module, Signal, Stream, bits, clog2, module, ports, stream};
use hw::stream::narrow::narrow;
use hw::stream::widen::widen;
use hw::stream::{Beat, beat};

ports! {
    /// A width converter.
    struct BeatPorts(word_width: u32, words_in: u32, words_out: u32) {
        input s: Stream<Beat> = stream(beat(word_width, words_in)),
        output m: Stream<Beat> = stream(beat(word_width, words_out)),
    }
}

/// What stands at any one place of the wide beat (a prover chooses which) is what was put there, and nothing if nothing was.
#[module]
fn widen_proof(word_width: u32, words: u32, ratio: u32) -> Result<Design<()>, Errors> {
    let m = Module::new(format!("prove_widen_{word_width}x{words}x{ratio}"));
    let io = BeatPorts::new(m, word_width, words, words * ratio);
    let part = m.instance(&widen(word_width, words, ratio)?);
    part.s.set(io.s);
    io.m.set(part.m);
    sends_by_the_rules(m, io.s, Side::Surroundings);
    sends_by_the_rules(m, io.m, Side::Part);
    let (push, pop, sent, got) = (io.s.transfer(), io.m.transfer(), io.s.payload, io.m.payload);

    m.section("where the next beat goes, and whether a wide beat is complete");
    let place = m.reg_reset(bits(clog2(ratio as usize)), 0);
    let completes = place.eq(ratio - 1) | sent.last;
    m.when(push, || place.set(completes.mux(place.zeros(place.width()), place + 1)));
    let whole = m.reg_reset(bits(1), 0);
    m.when(push, || whole.set(completes)).elsewhen(pop, || whole.set(false));
    m.assert(io.m.valid.eq(whole), "a wide beat stands at the output as soon as it is complete, and no other");
    let moves = io.m.ready | !whole;
    stalls_at_most(m, moves & !io.s.ready, 0, "it takes a beat whenever the output is empty or leaves");

    m.section("any one place");
    let chosen = m.anyconst(place.width());
    let filled = m.reg(bits(1));
    let there = m.reg(beat(word_width, words));
    let here = place.eq(chosen);
    m.when(push & place.eq(0), || filled.set(false));
    m.when(push & here, || {
        filled.set(true);
        there.set(sent);
    });
    let last = m.reg(bits(1));
    m.when(push, || last.set(sent.last));
    for (i, (data, keep)) in got.data.lanes(word_width * words).into_iter().zip(got.keep.lanes(words)).enumerate() {
        m.when(whole & chosen.eq(i), || {
            m.when(filled, || {
                m.assert(data.eq(there.data), "words come out at their place, unchanged");
                m.assert(keep.eq(there.keep), "keep is passed on");
                m.cover(there.keep.any(), "a chosen word comes out");
            })
            .otherwise(|| m.assert(!keep.any(), "a place without a word is marked so"));
        });
    }
    m.when(whole, || m.assert(got.last.eq(last), "last comes with the last word"));
    m.cover(whole & got.last & !filled & pop, "a packet ends within a wide beat");
    Ok(m.finish(io)?.erase())
}

/// Each narrow beat is compared with the part of the wide one that it must be.
#[module]
fn narrow_proof(word_width: u32, words: u32, ratio: u32) -> Result<Design<()>, Errors> {
    let m = Module::new(format!("prove_narrow_{word_width}x{words}x{ratio}"));
    let io = BeatPorts::new(m, word_width, words * ratio, words);
    let part = m.instance(&narrow(word_width, words, ratio)?);
    part.s.set(io.s);
    io.m.set(part.m);
    sends_by_the_rules(m, io.s, Side::Surroundings);
    sends_by_the_rules(m, io.m, Side::Part);
    let (push, pop, got) = (io.s.transfer(), io.m.transfer(), io.m.payload);

    m.section("the wide beat, and which part of it is sent");
    let held = m.reg_reset(bits(1), 0);
    let wide = m.reg(beat(word_width, words * ratio));
    let index = m.reg_reset(bits(clog2(ratio as usize)), 0);
    let parts: Vec<Signal> = wide.keep.lanes(words).into_iter().map(Signal::any).collect();
    let later = |i: usize| parts[i + 1..].iter().copied().reduce(|a, b| a | b).unwrap_or(m.lit(0u32, 1));
    let more = (0..parts.len()).map(|i| index.eq(i) & later(i)).reduce(|a, b| a | b).unwrap_or(m.lit(0u32, 1));
    m.when(pop, || {
        held.set(more);
        index.set(more.mux(index + 1, index.zeros(index.width())));
    });
    m.when(push, || {
        held.set(true);
        wide.set(io.s.payload);
    });

    m.section("what is claimed");
    m.assert(io.m.valid.eq(held), "a narrow beat stands at the output while something is left, and only then");
    m.assert(!push | !held | (pop & !more), "no wide beat is taken before the one before it is sent");
    let moves = (io.m.ready & !more) | !held;
    stalls_at_most(m, moves & !io.s.ready, 0, "it takes a beat when it is empty, or the last part leaves");
    let lanes = wide.data.lanes(word_width * words).into_iter().zip(wide.keep.lanes(words));
    for (i, (data, keep)) in lanes.enumerate() {
        m.when(held & index.eq(i), || {
            m.assert(got.data.eq(data), "the parts come out in their order, unchanged");
            m.assert(got.keep.eq(keep), "keep is passed on");
        });
    }
    m.when(held, || m.assert(got.last.eq(wide.last & !more), "last comes with the last part, and none is lost"));
    m.cover(pop & got.last & index.eq(ratio - 1), "a whole wide beat is sent");
    m.cover(pop & !more & index.eq(0) & !got.keep.any(), "a beat without a word is passed on");
    Ok(m.finish(io)?.erase())
}

/// The proofs of this file: width converters.
pub fn proofs() -> Result<Vec<Proof>, Errors> {
    let mut list = vec![];
    for (words, ratio) in [(1, 2), (2, 2), (1, 3), (2, 4)] {
        let size = format!("word width 2, words {words}, ratio {ratio}");
        let (engine, cover_depth) = (Engine::Pdr, 14);
        let (name, part) = (format!("widen_{words}x{ratio}"), format!("widen, {size}"));
        list.push(Proof { name, part, design: widen_proof(2, words, ratio)?, engine, cover_depth });
        let (name, part) = (format!("narrow_{words}x{ratio}"), format!("narrow, {size}"));
        list.push(Proof { name, part, design: narrow_proof(2, words, ratio)?, engine, cover_depth });
    }
    Ok(list)
}
