//! What controls the engines: when a vector begins, which setting it has, and when it has left. The quantizer's with the guard of its
//! vectors; the dequantizer's with the gate of its sparse part. What is between is left to the prover: a vector may take as long as it likes.

use super::{Engine, Proof};
use crate::checkers::{Side, sends_by_the_rules, stalls_at_most};
use hdl::logic::UpDown;
use hdl::*;
use hw::oaken::both_taken::both_taken;
use hw::oaken::guard::{GuardPorts, length_guard};
use hw::oaken::packet_gate::begin_while;
use hw::oaken::promises::stays_while;
use hw::oaken::types::{Beat, Setting, beat, setting};
use hw::oaken::{
    DequantizerPorts, EngineParams, dequantizer_ports, dequantizer_settings, quantizer_front, quantizer_settings,
};

/// Of the quantizer: vectors of one beat or of two, and as few under way as an engine may have.
const QUANTIZER: EngineParams = EngineParams { lanes: 1, max_length: 128, dense_bits: 4, settings: 1 };

ports! {
    pub(super) struct QuantizerControlPorts() {
        /// Beats of vectors.
        input s: Stream<Beat> = stream(beat(1)),
        input setting: Setting = setting(),
        input enable: Signal = bits(1),
        input flush: Signal = bits(1),
        /// The ring has room.
        input room: Signal = bits(1),
        /// The last beat of a part is taken at its port.
        input dense_ends: Signal = bits(1),
        input sparse_ends: Signal = bits(1),
        output busy: Signal = bits(1),
        output finished: Signal = bits(1),
    }
}

/// The setting that a vector of beats has in the guard: chunks of 64 elements, here of one beat each.
pub(super) fn beats_minus_1(setting: Setting) -> Signal {
    setting.chunks_minus_1.bit(0)
}

/// Vectors come in through their guard, as those of the engine do. Gives whether a beat of one is accepted, too.
#[module]
pub(super) fn enter(
    m: Module,
    io: QuantizerControlPorts,
    settings: &quantizer_settings::Settings,
) -> Result<(Instance<GuardPorts>, Signal), Errors> {
    let guard = m.instance(&length_guard(1, 2)?);
    guard.s.set(io.s);
    guard.beats_minus_1.set(beats_minus_1(settings.entering()));
    guard.start.set(settings.may_begin & !settings.in_flight.level.msb() & !io.flush);
    guard.flush.set(io.flush);
    guard.m.ready.set(io.room);
    let accepted = guard.m.transfer();
    settings.take(m, &guard, io.setting, accepted);
    Ok((guard, accepted))
}

/// The controller of the quantizer with one setting for all vectors.
#[module]
fn quantizer() -> Result<Design<()>, Errors> {
    let m = Module::new("prove_quantizer_control");
    let io = QuantizerControlPorts::new(m);
    sends_by_the_rules(m, io.s, Side::Surroundings);
    let settings = quantizer_settings::Settings::new(m, io.setting, io.enable, QUANTIZER);
    let (guard, accepted) = enter(m, io, &settings)?;
    let begins = accepted & guard.m.payload.first;
    let most = quantizer_front::vectors_in_flight(QUANTIZER);
    let left = both_taken(m, io.dense_ends, io.sparse_ends, most);
    settings.in_flight.count(begins, left);
    io.busy.set(settings.in_flight.level.any());
    io.finished.set(left);

    m.section("parts leave of vectors that came whole");
    let whole = accepted & guard.m.payload.last;
    for (ends, name) in [(io.dense_ends, "dense"), (io.sparse_ends, "sparse")] {
        let waiting = m.scope(name, || UpDown::new(m, most));
        waiting.count(whole, ends);
        m.assume(!ends | waiting.level.any(), "a part leaves of a vector that is there");
    }
    m.section("what is seen from outside");
    let inside = m.reg_reset(bits(clog2(most as usize + 2)), 0).comment("vectors that have begun and not left");
    inside.set(inside + begins.zext(inside.width()) - left.zext(inside.width()));
    let known = m.past_valid();
    let before = m.past((io.setting, io.enable));
    let same = settings.entering().pack().eq(before.0.pack());
    m.assert(!begins | (known & before.1), "a vector begins only while vectors may");
    m.assert(!begins | (known & same), "with the setting that was given in the cycle before");
    m.assert(io.busy.eq(inside.any()), "busy, from the first beat of a vector until it has left, and no longer");
    m.assert(inside.le(most), "no more vectors are under way than there is room for");
    let given = io.setting.pack().eq(m.past(io.setting.pack())) & known;
    let may = io.s.valid & io.room & io.enable & given & !io.flush;
    stalls_at_most(m, may & !inside.any() & !io.s.ready, 3, "a beat that comes to an idle engine is taken");
    m.cover(inside.eq(most), "as many vectors are under way as may be");
    m.cover(begins & io.busy, "a vector follows another");
    [guard.early, guard.late].into_iter().for_each(|flag| flag.unused());
    Ok(m.finish(io)?.erase())
}

/// The controller of the dequantizer with one setting for all vectors, behind the gate of its sparse part. Its walker may begin a record
/// when it holds words, and holds those that it was given.
#[module]
fn dequantizer() -> Result<Design<()>, Errors> {
    let p = EngineParams { lanes: 1, max_length: 64, dense_bits: 4, settings: 1 };
    let m = Module::new("prove_dequantizer_control");
    let io = DequantizerPorts::new(m, p);
    sends_by_the_rules(m, io.sparse, Side::Surroundings);
    let settings = dequantizer_settings::Settings::new(m, io);
    // the levels are made ready for the thresholds, in as many cycles as it takes
    let prepared = m.reg_reset(bits(1), 0);
    let change = settings.change().expect("one setting");
    prepared.set(!change & (prepared | m.anyseq(1)));
    settings.enable(io.enable, prepared & !change);
    let sparse = begin_while(m, io.sparse, settings.may_begin, io.flush);
    let [takes, begins, holds, left] = [0, 1, 2, 3].map(|_| m.anyseq(1));
    sparse.ready.set(takes);
    settings.words_wait.set(holds);
    let given = m.past(sparse.transfer() & !io.flush) & m.past_valid();
    m.assume(!given | holds, "the walker holds the words that it was given");
    m.assume(!begins | holds, "a record begins with words that are there");
    m.assume(!(m.past(begins) & m.past_valid()) | holds, "and is open then");
    let had = m.past(holds) & m.past_valid();
    m.assume(!holds | had | given, "words do not come from nowhere");
    let begun = m.reg_reset(bits(1), 0);
    begun.set(begins);
    let under_way = settings.in_flight.level;
    let most = dequantizer_ports::IN_FLIGHT;
    m.assume(!begins | under_way.lt(most - 1), "no more vectors begin than there is room for");
    m.assume(!left | under_way.any(), "a vector leaves that is under way");
    settings.in_flight.count(begun, left);
    settings.promise(m, begun);
    io.finished.set(left);

    m.section("what is seen from outside");
    let known = m.past_valid();
    let first = m.reg_reset(bits(1), 1);
    m.when(io.sparse.transfer(), || first.set(io.sparse.payload.last));
    m.when(io.flush, || first.set(true));
    let opens = sparse.transfer() & first & !io.flush;
    let before = m.past((io.thresholds, io.length.expect("one setting"), io.enable));
    let in_use = (settings.thresholds(), settings.length());
    m.assert(!opens | (known & before.2), "a packet begins only while vectors may");
    let same = in_use.0.pack().eq(before.0.pack()) & in_use.1.eq(before.1);
    m.assert(!opens | (known & same), "with the setting that was given in the cycle before");
    m.assert(io.busy | !begun, "busy from the beginning of a vector on");
    m.assert(io.busy.eq(under_way.any() | holds), "busy while a vector is under way or words wait, and no longer");
    m.cover(opens & in_use.0.s_high.any(), "a packet begins with a setting that was changed");
    m.cover(opens & under_way.any(), "a packet follows another");
    idle_outputs(io);
    Ok(m.finish(io)?.erase())
}

/// The ports of the engine that this does not speak of.
fn idle_outputs(io: DequantizerPorts) {
    io.dense.ready.set(0);
    io.m.valid.set(0);
    io.dense.valid.unused();
    io.dense.payload.map(&mut |_, _, x| {
        x.unused();
        x
    });
    io.m.ready.unused();
    io.m.payload.data.set(0);
    io.m.payload.last.set(0);
    let errors = [io.header_error, io.count_error, io.order_error, io.sparse_length_error, io.dense_length_error];
    errors.into_iter().for_each(|error| error.set(0));
}

fn proof(name: &str, part: &str, design: Design<()>) -> Proof {
    Proof { name: name.into(), part: part.into(), design, engine: Engine::Pdr, cover_depth: 16 }
}

/// The proofs of this file: the controllers of both engines.
pub fn proofs() -> Result<Vec<Proof>, Errors> {
    Ok(vec![
        proof("quantizer_control", "controller of the quantizer", quantizer()?),
        proof("dequantizer_control", "controller of the dequantizer", dequantizer()?),
    ])
}

ports! {
    struct HastyPorts() {
        input given: Setting = setting(),
        input begins: Signal = bits(1),
        input left: Signal = bits(1),
        output used: Setting = setting(),
    }
}

/// Settings that follow those given at once, also while a vector is under way.
#[module]
fn hasty() -> Result<Design<()>, Errors> {
    let m = Module::new("prove_broken_setting");
    let io = HastyPorts::new(m);
    let under_way = UpDown::new(m, 3);
    m.assume(!io.begins | io.left | under_way.level.lt(3), "no more vectors begin than there is room for");
    m.assume(!io.left | under_way.level.any(), "a vector leaves that is under way");
    under_way.count(io.begins, io.left);
    let used = m.reg_reset(setting(), 0);
    used.set(io.given);
    stays_while(m, used.pack(), under_way.level.any() | io.begins);
    io.used.set(used);
    Ok(m.finish(io)?.erase())
}

/// A promise that is not kept.
pub fn broken() -> Result<Vec<Proof>, Errors> {
    Ok(vec![proof("broken_setting", "a setting that changes while a vector is under way", hasty()?)])
}
