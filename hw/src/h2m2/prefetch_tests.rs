//! The MMU with prefetch of the next page, against the golden model, and what it brings.

use super::mmu_axi::mmu_axi;
use super::params::{MmuParams, Replacement, cause, counter};
use super::tests::{SMALL, at_random, ready};

const AHEAD: MmuParams = MmuParams { prefetch: true, ..SMALL };

/// A table that changes, stalls, errors and invalidations, with parameters at their ends.
#[test]
fn answers_what_is_possible() {
    let many = MmuParams { requesters: 8, walks: 16, ways: 8, data_bytes: 64, ..AHEAD };
    let one = MmuParams { requesters: 1, walks: 1, ways: 1, page_bits: 12, ..AHEAD };
    let narrow = MmuParams { virtual_bits: 48, physical_bits: 32, page_bits: 30, walks: 5, ..AHEAD };
    for (p, replacement) in [(AHEAD, Replacement::Fifo), (many, Replacement::TreePlru), (one, Replacement::Random)] {
        at_random(MmuParams { replacement, ..p }, 4000);
    }
    at_random(narrow, 4000);
}

/// The page behind a walked one is found; the page behind that one is not walked, since no miss walked in front of it.
#[test]
fn the_next_page_is_found() {
    let design = mmu_axi("mmu", AHEAD).unwrap();
    let mut sim = jit::simulator(&design);
    let mut rig = ready(&mut sim, &design, AHEAD, 30);
    for page in [7, 8, 9] {
        rig.ask(1, rig.read_of(page));
        rig.finish(1000).unwrap();
    }
    let cycles: Vec<u64> = rig.given.iter().map(|x| x.cycles.1 - x.cycles.0).collect();
    assert!(cycles[0] > 30 && cycles[1] == 5 && cycles[2] > 30, "{cycles:?}");
    (0..100).for_each(|_| rig.step().unwrap());
    assert_eq!(rig.table_reads(), [7, 8, 9, 10]);
    rig.counters_agree().unwrap();
    assert_eq!(
        [cause::NONE, counter::HITS, counter::AHEAD].map(|number| rig.counter(number.into())),
        [Ok(2), Ok(1), Ok(2)],
        "walks, hits, prefetches"
    );
}

/// A miss of a page whose prefetch is under way shares its walk: with a memory of 300 cycles both have their answers after little more.
#[test]
fn a_miss_shares_the_walk() {
    let design = mmu_axi("mmu", AHEAD).unwrap();
    let mut sim = jit::simulator(&design);
    let mut rig = ready(&mut sim, &design, AHEAD, 300);
    rig.ask(0, rig.read_of(7));
    (0..100).for_each(|_| rig.step().unwrap());
    let from = rig.bench.cycle();
    rig.ask(2, rig.read_of(8));
    rig.finish(1000).unwrap();
    assert!(rig.bench.cycle() - from < 300, "it shared");
    assert_eq!(rig.table_reads(), [7, 8]);
    assert_eq!([cause::NONE, counter::SHARED].map(|number| rig.counter(number.into())), [Ok(1), Ok(1)]);
}

/// Whenever the next page is asked for, while its prefetch is under way, while its entry is filled in or later: it is read once.
#[test]
fn the_next_page_is_read_once() {
    for (walks, latency) in [(2, 30), (4, 30), (4, 3)] {
        let p = MmuParams { walks, ..AHEAD };
        let design = mmu_axi("mmu", p).unwrap();
        let mut sim = jit::simulator(&design);
        for wait in 0..100 {
            let mut rig = ready(&mut sim, &design, p, latency);
            rig.ask(0, rig.read_of(7));
            (0..wait).for_each(|_| rig.step().unwrap());
            rig.ask(1, rig.read_of(8));
            rig.finish(1000).unwrap();
            (0..100).for_each(|_| rig.step().unwrap());
            let reads = rig.table_reads();
            assert_eq!(reads[..2], [7, 8], "{walks} walks, after {wait} cycles");
            assert_eq!(reads.iter().filter(|page| **page == 8).count(), 1, "{walks} walks, after {wait} cycles");
            rig.counters_agree().unwrap();
        }
    }
}

/// A prefetch of what is not mapped leaves nothing: no log, no counter of a fault, no entry; and what is mapped later needs no invalidation.
#[test]
fn a_fault_is_dropped() {
    let design = mmu_axi("mmu", AHEAD).unwrap();
    let mut sim = jit::simulator(&design);
    let mut rig = ready(&mut sim, &design, AHEAD, 30);
    let word = rig.geometry.entry(99, 1, true, true);
    rig.store(8, word & !1);
    rig.invalidate(8, 8);
    rig.finish(1000).unwrap();
    rig.ask(0, rig.read_of(7));
    rig.finish(1000).unwrap();
    (0..100).for_each(|_| rig.step().unwrap());
    assert_eq!(rig.table_reads(), [7, 8]);
    rig.store(8, word);
    rig.ask(0, rig.read_of(8));
    rig.finish(1000).unwrap();
    assert!(rig.given.iter().all(|x| x.translated.cause == u64::from(cause::NONE)), "{:?}", rig.given);
    assert_eq!(rig.table_reads()[..3], [7, 8, 8], "walked again");
    rig.counters_agree().unwrap();
}

/// An entry that changes while its prefetch is under way, and is invalidated, is not filled in as it was.
#[test]
fn an_invalidation_meets_a_prefetch() {
    let design = mmu_axi("mmu", AHEAD).unwrap();
    let mut sim = jit::simulator(&design);
    for wait in 0..60 {
        let mut rig = ready(&mut sim, &design, AHEAD, 30);
        rig.ask(0, rig.read_of(7));
        (0..wait).for_each(|_| rig.step().unwrap());
        let word = rig.geometry.entry(99, 1, true, true);
        rig.store(8, word);
        rig.invalidate(8, 8);
        rig.finish(1000).unwrap();
        rig.ask(0, rig.read_of(8));
        // the golden model knows that the old entry is not possible any more
        rig.finish(1000).unwrap_or_else(|e| panic!("after {wait} cycles: {e}"));
    }
}

/// Nothing is read beyond the table, nor is there a page behind the last one of the address space.
#[test]
fn the_last_page_has_none_behind_it() {
    let p = MmuParams { virtual_bits: 32, page_bits: 20, ..AHEAD };
    let design = mmu_axi("mmu", p).unwrap();
    let mut sim = jit::simulator(&design);
    let mut rig = ready(&mut sim, &design, p, 30);
    for page in [3999, 4095] {
        rig.ask(0, rig.read_of(page));
        rig.finish(1000).unwrap();
        (0..100).for_each(|_| rig.step().unwrap());
    }
    assert_eq!(rig.table_reads(), [3999], "the table has 4000 entries");
    rig.start(0x10_0000, 4096).unwrap();
    rig.ask(0, rig.read_of(4095));
    rig.finish(1000).unwrap();
    (0..100).for_each(|_| rig.step().unwrap());
    assert_eq!(rig.table_reads(), [3999, 4095]);
}
