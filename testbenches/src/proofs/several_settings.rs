//! The controller of a quantizer whose vectors name their settings: when a vector begins, and that each is quantized with the setting that
//! came with it, at all three places where that is asked. What is between is left to the prover, as where all have the same (`controllers`).

use super::controllers::{QuantizerControlPorts, beats_minus_1, enter};
use super::{Engine, Proof};
use crate::checkers::{Moves, Side, keeps_words_in_order, sends_by_the_rules, stalls_at_most};
use hdl::logic::UpDown;
use hdl::*;
use hw::oaken::EngineParams;
use hw::oaken::both_taken::both_taken;
use hw::oaken::guard::GuardPorts;
use hw::oaken::quantizer_front::vectors_in_flight;
use hw::oaken::quantizer_settings::Settings;
use hw::oaken::types::setting;

/// Vectors of one beat or of two, and as few under way as an engine may have.
const EACH: EngineParams = EngineParams { lanes: 1, max_length: 128, dense_bits: 4, settings: 2 };

/// The controller of the quantizer.
#[module]
fn quantizer() -> Result<Design<()>, Errors> {
    let m = Module::new("prove_quantizer_settings");
    let io = QuantizerControlPorts::new(m);
    sends_by_the_rules(m, io.s, Side::Surroundings);
    let settings = Settings::new(m, io.setting, io.enable, EACH);
    let (guard, accepted) = enter(m, io, &settings)?;
    let begins = accepted & guard.m.payload.first;
    let [found, leaves] = [0, 1].map(|_| m.anyseq(1));
    let measured = settings.measured(m, found);
    let leaving = settings.leaving(m, leaves);
    let most = vectors_in_flight(EACH);
    let left = both_taken(m, io.dense_ends, io.sparse_ends, most);
    settings.in_flight.count(begins, left);
    io.busy.set(settings.in_flight.level.any());
    io.finished.set(left);

    m.section("a vector goes on only where it was before");
    let whole = accepted & guard.m.payload.last;
    let stages = [("found", whole, found), ("read", found, leaves), ("dense", leaves, io.dense_ends)];
    let [_, _, dense, sparse] = [stages[0], stages[1], stages[2], ("sparse", leaves, io.sparse_ends)].map(|stage| {
        let (name, comes, goes) = stage;
        let waiting = m.scope(name, || UpDown::new(m, most));
        waiting.count(comes, goes);
        m.assume(!goes | waiting.level.any(), "a vector goes on that came whole to where it is");
        waiting.level
    });
    m.section("each has the setting that came with it");
    came_with_it(m, io, &guard, accepted, &settings);
    let entering = Moves { moves: begins, word: settings.entering().thresholds.pack() };
    let found = Moves { moves: found, word: measured.pack() };
    m.scope("measured", || keeps_words_in_order(m, entering, found, most, false));
    let entering = Moves { moves: begins, word: settings.entering().beats_minus_1(EACH) };
    let leaves = Moves { moves: leaves, word: leaving };
    m.scope("leaving", || keeps_words_in_order(m, entering, leaves, most, false));

    m.section("what is seen from outside");
    // the later one of its two parts is taken: that of which more wait, or both if as many do
    let (dense_is_behind, sparse_is_behind) = (dense.gt(sparse), sparse.gt(dense));
    let ends = dense_is_behind.mux(io.dense_ends, sparse_is_behind.mux(io.sparse_ends, io.dense_ends & io.sparse_ends));
    let gone = m.reg_reset(bits(1), 0).comment("both parts of a vector are taken since the cycle before");
    gone.set(ends);
    m.assert(io.finished.eq(gone), "a vector has left when both its parts were taken, and at no other time");
    let inside = m.reg_reset(bits(clog2(most as usize + 2)), 0).comment("vectors that have begun and not left");
    inside.set(inside + begins.zext(inside.width()) - gone.zext(inside.width()));
    m.assert(!begins | (m.past_valid() & m.past(io.enable)), "a vector begins only while vectors may");
    m.assert(io.busy.eq(inside.any()), "busy, from the first beat of a vector until it has left, and no longer");
    m.assert(inside.le(most), "no more vectors are under way than there is room for");
    let counted = settings.in_flight.level.eq(inside);
    m.assert(counted, "a place is taken from the first beat of a vector until it has left, and no longer");
    let may = io.s.valid & io.room & io.enable & !io.flush & inside.lt(most);
    stalls_at_most(m, may & !io.s.ready, 3, "a beat is taken while a vector may begin");
    m.cover(inside.eq(most), "as many vectors are under way as may be");
    [guard.early, guard.late].into_iter().for_each(|flag| flag.unused());
    Ok(m.finish(io)?.erase())
}

/// All beats of a vector have the setting that stood beside the first one of its packet; those of a vector that stands in for another
/// one have that of the vector before.
#[module]
fn came_with_it(m: Module, io: QuantizerControlPorts, guard: &GuardPorts, accepted: Signal, settings: &Settings) {
    let opens = m.reg_reset(bits(1), 1).comment("the next beat at the port is the first one of its packet");
    m.when(io.s.transfer(), || opens.set(io.s.payload.last));
    m.when(io.flush, || opens.set(true));
    let first = guard.m.payload.first;
    let comes = accepted & first & guard.passing;
    m.assert(
        !comes | (io.s.transfer() & opens),
        "a vector begins with the first beat of a packet, or stands in for one",
    );
    let known = m.reg_reset(bits(1), 0).comment("a vector has begun");
    let own = m.reg(setting()); // what came with it
    let now = comes.mux(io.setting, own);
    m.when(comes, || {
        known.set(true);
        own.set(io.setting);
    });
    m.assert(!accepted | known | comes, "the first vector comes with its setting");
    let second = m.reg_reset(bits(1), 0).comment("the beat that comes is the second one of its vector");
    let last = second.eq(beats_minus_1(now));
    m.when(accepted, || second.set(!last & !second));
    m.assert(!accepted | first.eq(!second), "a vector begins when the one before has come whole");
    m.assert(!accepted | guard.m.payload.last.eq(last), "a vector has as many beats as its setting says");
    let same = settings.entering().pack().eq(now.pack());
    m.assert(!accepted | same, "a vector is classified with the setting that came with it");
    m.cover(accepted & first & !guard.passing, "a vector stands in for another one");
    m.cover(comes & known & io.setting.pack().ne(own.pack()), "a vector has another setting than the one before");
}

/// The proof of this file.
pub fn proofs() -> Result<Vec<Proof>, Errors> {
    let (name, part) =
        ("quantizer_settings".into(), "controller of the quantizer where vectors name their settings".into());
    Ok(vec![Proof { name, part, design: quantizer()?, engine: Engine::Pdr, cover_depth: 13 }])
}
