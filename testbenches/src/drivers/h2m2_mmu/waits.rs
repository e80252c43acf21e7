//! Writes to pages on the move, in either epoch.

use hw::h2m2::params::{MmuParams, SLOTS, counter};
use sim::h2m2_mmu_bench::MmuBench;

// a page that is mapped, one that moves, and one that is not mapped
const GOOD: u64 = 5;
const MOVES: u64 = 7;
const UNMAPPED: u64 = 9;

/// On an MMU that is idle.
pub fn test(rig: &mut MmuBench, p: MmuParams) -> Result<(), String> {
    for page in [GOOD, MOVES] {
        rig.store(page, rig.geometry.entry(1, 1, true, true));
    }
    rig.store(UNMAPPED, 0);
    for (requester, round) in (0..p.requesters as usize).flat_map(|requester| [(requester, 0), (requester, 1)]) {
        let failed = |what: &str, e: String| format!("requester {requester}, round {round}{what}: {e}");
        one_waits(rig, requester).map_err(|e| failed("", e))?;
        one_waits_and_one_is_in_use(rig, requester).map_err(|e| failed(", one of before in use", e))?;
        (0..5)
            .try_for_each(|_| beside_a_surplus(rig, requester))
            .map_err(|e| failed(", a surplus is handed back", e))?;
        // an odd number of invalidations, so that the next round begins in the other epoch
        arrives(rig)?;
    }
    with_any_number_behind_it(rig)?;
    asks_alone(rig)?;
    if p.requesters > 1 { others_go_on(rig) } else { Ok(()) }
}

/// The page has arrived, and all that waited for it is answered.
fn arrives(rig: &mut MmuBench) -> Result<(), String> {
    rig.end_move(MOVES);
    rig.finish(500)
}

fn run(rig: &mut MmuBench) -> Result<(), String> {
    (0..200).try_for_each(|_| rig.step())
}

/// Of a write to the page on the move, and reads behind it, none is answered.
fn ask_for_what_waits(rig: &mut MmuBench, requester: usize) -> Result<(), String> {
    rig.ask(requester, rig.write_of(MOVES));
    for page in [GOOD, UNMAPPED, MOVES] {
        rig.ask(requester, rig.read_of(page));
    }
    run(rig)?;
    let left = rig.unanswered();
    if left != 4 {
        return Err(format!("{left} requests have no answer, not 4"));
    }
    // in each of the six cycles between two tries
    for _ in 0..12 {
        match rig.read("enable")? {
            1 => rig.step()?,
            read => return Err(format!("`enable` reads {read} while a write waits, not 1")),
        }
    }
    Ok(())
}

/// In the next cycles a translation of before the last invalidation is in use.
fn is_not_drained(rig: &mut MmuBench) -> Result<(), String> {
    for _ in 0..50 {
        rig.step()?;
        if rig.drained() {
            return Err("drained, and a translation of before is in use".into());
        }
    }
    Ok(())
}

/// A write waits until its page has arrived, and what is asked behind it; what is thrown away meanwhile is handed back once: beside it, one
/// translation of the same epoch is in use.
fn one_waits(rig: &mut MmuBench, requester: usize) -> Result<(), String> {
    rig.begin_move(MOVES);
    rig.finish(300)?;
    rig.keeps = true;
    rig.ask(requester, rig.read_of(GOOD));
    run(rig)?;
    ask_for_what_waits(rig, requester)?;
    rig.end_move(MOVES);
    run(rig)?;
    if rig.unanswered() + rig.not_done() > 0 {
        return Err(format!("the page has arrived, and {} requests have no answer", rig.unanswered()));
    }
    is_not_drained(rig)?;
    rig.keeps = false;
    rig.finish(300)
}

/// What is thrown away is not handed back for the epoch of before.
fn one_waits_and_one_is_in_use(rig: &mut MmuBench, requester: usize) -> Result<(), String> {
    rig.keeps = true;
    rig.ask(requester, rig.read_of(GOOD));
    run(rig)?;
    rig.begin_move(MOVES);
    run(rig)?;
    ask_for_what_waits(rig, requester)?;
    is_not_drained(rig)?;
    rig.keeps = false;
    arrives(rig)
}

/// The requester hands back what it never had, while what waits behind a write is thrown away: that frees nothing that is in use later.
fn beside_a_surplus(rig: &mut MmuBench, requester: usize) -> Result<(), String> {
    rig.begin_move(MOVES);
    rig.finish(300)?;
    rig.keeps = true;
    rig.ask(requester, rig.read_of(GOOD));
    run(rig)?;
    let epoch = rig.epochs_in_use()[0];
    rig.keeps = false;
    rig.finish(300)?;
    (rig.surplus, rig.use_for) = (true, 600);
    rig.ask(requester, rig.write_of(MOVES));
    (0..5).for_each(|_| rig.ask(requester, rig.read_of(GOOD)));
    run(rig)?;
    rig.end_move(MOVES);
    // what is answered before the epoch flips is of before this invalidation
    for cycle in 0..800 {
        rig.step()?;
        if rig.not_done() == 0 && rig.drained() && rig.epochs_in_use().contains(&epoch) {
            return Err(format!("cycle {cycle}: drained, and a translation of before is in use"));
        }
    }
    (rig.surplus, rig.use_for) = (false, 0);
    rig.finish(300)
}

/// Any number of reads is thrown away at once, and asked for again.
fn with_any_number_behind_it(rig: &mut MmuBench) -> Result<(), String> {
    for behind in 0..=u64::from(SLOTS) {
        rig.begin_move(MOVES);
        rig.finish(300)?;
        rig.ask(0, rig.write_of(MOVES));
        (0..behind).for_each(|_| rig.ask(0, rig.read_of(GOOD)));
        (0..50).try_for_each(|_| rig.step())?;
        rig.end_move(MOVES);
        rig.finish(500).map_err(|e| format!("{behind} reads behind a write that waited: {e}"))?;
    }
    Ok(())
}

/// What stands behind a write that waits is looked up once, and not each time the write is asked for again.
fn asks_alone(rig: &mut MmuBench) -> Result<(), String> {
    rig.begin_move(MOVES);
    rig.finish(300)?;
    rig.ask(0, rig.read_of(GOOD));
    rig.finish(300)?;
    let before = rig.counter(counter::HITS.into())?;
    rig.ask(0, rig.write_of(MOVES));
    (0..3).for_each(|_| rig.ask(0, rig.read_of(GOOD)));
    run(rig)?;
    let hits = rig.counter(counter::HITS.into())? - before;
    // the write itself in every sixth cycle of 200
    if hits > 200 / 6 + 3 {
        return Err(format!("three reads wait behind a write, and the MMU counted {hits} hits in 200 cycles"));
    }
    arrives(rig)
}

/// Another requester is answered meanwhile.
fn others_go_on(rig: &mut MmuBench) -> Result<(), String> {
    rig.begin_move(MOVES);
    rig.finish(300)?;
    ask_for_what_waits(rig, 0)?;
    rig.ask(1, rig.read_of(GOOD));
    run(rig)?;
    if rig.unanswered() != 4 {
        return Err("a write that waits holds another requester".into());
    }
    arrives(rig)
}
