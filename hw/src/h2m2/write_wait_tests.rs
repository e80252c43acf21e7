//! The MMU where writes to pages on the move wait, against the golden model and in its details. With the migration engine it is tested beside
//! that (`migration/tests/mmus.rs`).

use super::mmu_axi::mmu_axi;
use super::params::{MmuParams, Replacement, cause, counter};
use super::tests::{SMALL, at_random, hits_of, misses_of, ready};
use sim::bus::Stalls;
use sim::h2m2_mmu_bench::MmuBench;

const WAITS: MmuParams = MmuParams { writes_wait: true, ..SMALL };

/// A table that changes, pages that move, stalls, errors and invalidations, with parameters at their ends.
#[test]
fn answers_what_is_possible() {
    let many = MmuParams { requesters: 8, walks: 16, ways: 8, data_bytes: 64, ..WAITS };
    let one = MmuParams { requesters: 1, walks: 1, ways: 1, page_bits: 12, tag_bits: 32, ..WAITS };
    let ahead = MmuParams { virtual_bits: 48, page_bits: 30, walks: 5, prefetch: true, ..WAITS };
    let policies = [Replacement::Fifo, Replacement::Random, Replacement::TreePlru];
    for (i, p) in [WAITS, many, one, ahead].into_iter().enumerate() {
        at_random(MmuParams { replacement: policies[i % 3], ..p }, 4000);
    }
}

/// A cycle more than without, and one translation a cycle.
#[test]
fn hits_and_misses() {
    hits_of(WAITS, 6);
    misses_of(WAITS, 18);
}

fn steps(rig: &mut MmuBench, cycles: u64) {
    (0..cycles).for_each(|_| rig.step().unwrap());
}

/// While a write waits, invalidations are done and drained though good translations behind it were thrown away, others have their
/// translations, and what stands behind it keeps its order. Nothing is logged.
#[test]
fn a_write_waits_and_holds_nothing() {
    let design = mmu_axi("mmu", WAITS).unwrap();
    let mut sim = jit::simulator(&design);
    let mut rig = ready(&mut sim, &design, WAITS, 20);
    rig.begin_move(7);
    rig.finish(1000).unwrap();
    rig.ask(0, rig.write_of(7));
    (0..40).for_each(|page| rig.ask(0, if page % 3 == 0 { rig.write_of(page % 10) } else { rig.read_of(page % 10) }));
    steps(&mut rig, 1);
    for round in 0..20 {
        let before = rig.drained_at.len();
        rig.invalidate(round, round);
        (0..10).for_each(|page| rig.ask(1, rig.read_of(page)));
        steps(&mut rig, 200);
        assert_eq!(rig.drained_at.len(), before + 1, "round {round}: drained");
        assert_eq!(rig.unanswered(), 41, "only requester 0 waits");
        assert_eq!(rig.read("enable"), Ok(1), "and is not idle");
    }
    rig.end_move(7);
    rig.finish(1000).unwrap();
    let given: Vec<_> = rig.given.iter().filter(|x| x.requester == 0).map(|x| x.translated.cause).collect();
    assert_eq!(given, [0; 41]);
    assert_eq!(rig.read("enable"), Ok(3), "idle");
    assert_eq!(rig.read("fault"), Ok(0), "nothing is logged");
    let of_walks = [cause::NOT_MAPPED, cause::PERMISSION, cause::MALFORMED, cause::BUS];
    let shared = of_walks.map(|cause| cause + counter::SHARED);
    let others = [cause::BEYOND, cause::LEAVES, counter::REFUSED_HITS];
    let faults = of_walks.iter().chain(&shared).chain(&others);
    let counted: u64 = faults.map(|number| rig.counter((*number).into()).unwrap()).sum();
    assert_eq!(counted, 0, "no fault is counted");
}

/// A waiting write is asked for alone, in every sixth cycle: beside it, others have all other lookups.
#[test]
fn who_waits_delays_nobody() {
    let design = mmu_axi("mmu", WAITS).unwrap();
    let mut sim = jit::simulator(&design);
    let mut rig = ready(&mut sim, &design, WAITS, 20);
    rig.begin_move(7);
    rig.ask(1, rig.read_of(5));
    rig.finish(1000).unwrap();
    rig.given.clear();
    (0..20).for_each(|_| rig.ask(0, rig.write_of(7)));
    steps(&mut rig, 100);
    (0..1000).for_each(|_| rig.ask(1, rig.read_of(5)));
    steps(&mut rig, 1500);
    let cycles: Vec<_> = rig.given.iter().map(|x| x.cycles).collect();
    assert_eq!(cycles.len(), 1000);
    let took = cycles[999].0 - cycles[0].0 + 1;
    println!("1000 hits beside a write that waits: {took} cycles");
    assert!(took <= 1000 * 6 / 5 + 2, "{took} cycles");
    rig.end_move(7);
    rig.finish(1000).unwrap();
}

/// Translations that were given before a write that waits are handed back or not; those behind it wait for as many as may be in use.
#[test]
fn earlier_translations_are_still_in_use() {
    let design = mmu_axi("mmu", WAITS).unwrap();
    let mut sim = jit::simulator(&design);
    let mut rig = ready(&mut sim, &design, WAITS, 20);
    rig.begin_move(7);
    rig.finish(1000).unwrap();
    rig.use_for = 3000;
    for _ in 0..3 {
        (0..60).for_each(|page| rig.ask(0, rig.read_of(page % 6)));
        rig.ask(0, rig.write_of(7));
    }
    steps(&mut rig, 4000);
    rig.end_move(7);
    rig.finish(30_000).unwrap();
    assert_eq!(rig.given.len(), 183);
}

/// Not enabled, it takes nothing, but what waits is answered when the page has arrived; only then it is idle.
#[test]
fn what_waits_is_answered_though_it_is_not_enabled() {
    let design = mmu_axi("mmu", WAITS).unwrap();
    let mut sim = jit::simulator(&design);
    let mut rig = ready(&mut sim, &design, WAITS, 20);
    rig.begin_move(7);
    rig.finish(1000).unwrap();
    (0..30).for_each(|page| rig.ask(2, rig.write_of(7 + page % 2)));
    steps(&mut rig, 50);
    rig.write("enable", 0).unwrap();
    steps(&mut rig, 500);
    assert_eq!(rig.read("enable"), Ok(0), "one waits");
    assert_eq!(rig.unanswered(), 30);
    rig.end_move(7);
    steps(&mut rig, 500);
    assert_eq!(rig.unanswered(), 14, "16 were taken");
    assert_eq!(rig.read("enable"), Ok(2), "idle");
    rig.write("enable", 1).unwrap();
    rig.finish(1000).unwrap();
}

/// A requester that leaves its answers holds nobody, nor does the write that waits behind them.
#[test]
fn answers_are_left() {
    let design = mmu_axi("mmu", WAITS).unwrap();
    for wait in 0..40 {
        let mut sim = jit::simulator(&design);
        let mut rig = ready(&mut sim, &design, WAITS, 5);
        rig.begin_move(7);
        rig.finish(1000).unwrap();
        rig.stall(0, Stalls::Always);
        (0..20).for_each(|page| rig.ask(0, if page == 3 { rig.write_of(7) } else { rig.read_of(page % 6) }));
        steps(&mut rig, wait);
        rig.ask(1, rig.write_of(6));
        rig.stall(0, Stalls::Percent(50));
        steps(&mut rig, 100);
        assert_eq!(rig.unanswered(), 17, "three in front of it are answered");
        rig.end_move(7);
        rig.finish(1000).unwrap();
    }
}
