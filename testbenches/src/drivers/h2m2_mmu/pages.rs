//! Pages and tables at any address: every bit of their numbers counts, in the TLB, the walks, invalidations and the log of faults.

use hw::h2m2::params::{MmuParams, Replacement};
use sim::h2m2_mmu_bench::MmuBench;

/// On an MMU that is idle.
pub fn test(rig: &mut MmuBench, p: MmuParams) -> Result<(), String> {
    anywhere(rig)?;
    every_page(rig, p)?;
    a_set_is_filled_in_turn(rig, p)?;
    are_told_apart(rig, p)?;
    faults_beside_an_invalidation(rig, p)?;
    every_set_is_emptied(rig, p)?;
    every_length_of_a_range(rig, p)?;
    every_bit_of_an_entry(rig)
}

/// Cycles that a hit takes.
pub fn hit(p: MmuParams) -> u64 {
    5 + u64::from(p.writes_wait)
}

/// Asks for a page when all is quiet; cycles to the answer.
pub fn takes(rig: &mut MmuBench, requester: usize, page: u64) -> Result<u64, String> {
    rig.ask(requester, rig.read_of(page));
    rig.finish(300)?;
    Ok(rig.given.last().map_or(0, |x| x.cycles.1 - x.cycles.0))
}

/// Gives a page this entry, and has the MMU forget the one of before.
fn change(rig: &mut MmuBench, page: u64, word: u64) -> Result<(), String> {
    rig.store(page, word);
    rig.invalidate(page, page);
    rig.finish(300)
}

/// Has the MMU forget all entries.
fn forget_all(rig: &mut MmuBench) -> Result<(), String> {
    rig.invalidate(0, rig.geometry.pages() - 1);
    rig.finish(3000)
}

/// The table may begin at any multiple of 4 KiB: every bit of its address is 0 and 1 once.
fn anywhere(rig: &mut MmuBench) -> Result<(), String> {
    let physical = (1u64 << rig.geometry.physical_bits) - 1;
    for base in [0x5555_5555_5000, 0xaaaa_aaaa_a000] {
        rig.write("enable", 0)?;
        rig.finish(100)?;
        rig.start(base & physical, 64)?;
        let word = rig.geometry.entry(1 + (base >> 20) % 2, 1, true, false);
        (0..64).for_each(|page| rig.store(page, word));
        forget_all(rig)?;
        takes(rig, 0, 42)?;
    }
    Ok(())
}

/// For each bit of the number of a page: an invalidation of a page, by the port or by registers, takes its new entry and leaves those of other
/// sets, and the log has its fault.
fn every_page(rig: &mut MmuBench, p: MmuParams) -> Result<(), String> {
    const OTHER: u64 = 3;
    rig.write("enable", 0)?;
    rig.finish(100)?;
    rig.start(0, rig.geometry.pages())?;
    // nothing of the tables of before lies at this address
    (0..=u64::from(p.entries)).for_each(|page| rig.store(page, 0));
    forget_all(rig)?;
    rig.store(OTHER, rig.geometry.entry(1, 0, true, false));
    for (bit, by_port) in (0..p.number_bits()).flat_map(|bit| [(bit, true), (bit, false)]) {
        let page = 1 << bit;
        rig.store(page, rig.geometry.entry(2, 1, true, false));
        takes(rig, 0, page)?;
        takes(rig, 0, OTHER)?;
        rig.store(page, rig.geometry.entry(1, 2, true, false));
        match by_port {
            true => rig.invalidate(page, page),
            false => rig.invalidate_by_software(page, page),
        }
        rig.finish(200)?;
        let took = takes(rig, 0, OTHER)?;
        if took != hit(p) {
            return Err(format!("page {page:#x} was invalidated, and {OTHER:#x} took {took} cycles, not {}", hit(p)));
        }
        takes(rig, 0, page)?;
        change(rig, page, 0)?;
        takes(rig, 0, page)?;
        logged(rig, page)?;
    }
    Ok(())
}

/// The log has a fault of this page, and nothing else. It comes some cycles behind the answer.
fn logged(rig: &mut MmuBench, page: u64) -> Result<(), String> {
    for _ in 0..10 {
        rig.step()?;
    }
    let (logged, at) = (rig.read("fault")? & 1, rig.read("fault_page")?);
    if (logged, at) != (1, page) {
        return Err(format!("a fault of page {page:#x}, and the log has {at:#x}, flag {logged}"));
    }
    rig.clear(1)
}

/// Pages that differ in one bit: four are missed together, so that each is compared with the walks of others; then they are hits, or missed anew.
fn are_told_apart(rig: &mut MmuBench, p: MmuParams) -> Result<(), String> {
    let pages = rig.geometry.pages();
    let frames = 1 << (p.physical_bits - p.page_bits).min(16);
    for (bit, page) in
        (0..p.number_bits()).flat_map(|bit| [0, pages - 1, pages / 3, 2 * (pages / 3)].map(|page| (bit, page)))
    {
        let other = page ^ 1 << ((bit + 1) % p.number_bits());
        let four = [page, other, page ^ 1 << bit, other ^ 1 << bit];
        for (i, page) in four.into_iter().enumerate() {
            let word = rig.geometry.entry((4 * u64::from(bit) + i as u64) % frames, i as u64 % 3, true, true);
            rig.store(page, word);
            rig.invalidate(page, page);
        }
        rig.finish(500)?;
        for round in 0..3 {
            for i in 0..4 {
                rig.ask(0, rig.read_of(four[(i + round) % 4]));
            }
            rig.finish(500)?;
        }
    }
    Ok(())
}

/// Ranges of each power of two of pages behind the first one: what is in them has its new entry.
fn every_length_of_a_range(rig: &mut MmuBench, p: MmuParams) -> Result<(), String> {
    const PAGE: u64 = 5;
    for bit in 3..p.number_bits() {
        takes(rig, 0, PAGE)?;
        rig.store(PAGE, rig.geometry.entry(2 + u64::from(bit), 1, true, true));
        rig.invalidate(0, 1 << bit);
        rig.finish(3000)?;
        takes(rig, 0, PAGE)?;
    }
    Ok(())
}

/// An entry with any one bit inverted: of its rights, its address, or one that must be 0.
fn every_bit_of_an_entry(rig: &mut MmuBench) -> Result<(), String> {
    const PAGE: u64 = 3;
    for bit in 0..64 {
        change(rig, PAGE, rig.geometry.entry(1, 1, true, true) ^ 1 << bit)?;
        takes(rig, 0, PAGE)?;
    }
    Ok(())
}

/// Pages of one set that are missed together and alone: the last ones are hits, as many as there are ways.
fn a_set_is_filled_in_turn(rig: &mut MmuBench, p: MmuParams) -> Result<(), String> {
    let (sets, ways) = (u64::from(p.sets()), u64::from(p.ways));
    if p.replacement != Replacement::Fifo || sets * (3 * ways + 2) > rig.geometry.pages() {
        return Ok(());
    }
    for page in (0..3 * ways + 1).map(|i| i * sets + 1) {
        rig.store(page, rig.geometry.entry(2, 1, true, false));
    }
    for together in 1..=ways + 1 {
        fill_in_turn(rig, p, together, 2 * ways).map_err(|e| format!("{together} missed together: {e}"))?;
    }
    // from every place in the ring of misses
    (0..16).try_for_each(|_| fill_in_turn(rig, p, ways, 1))
}

fn fill_in_turn(rig: &mut MmuBench, p: MmuParams, together: u64, alone: u64) -> Result<(), String> {
    let ways = p.ways as usize;
    forget_all(rig)?;
    let pages: Vec<u64> = (0..together + alone).map(|i| i * u64::from(p.sets()) + 1).collect();
    let (first, alone) = pages.split_at(together as usize);
    first.iter().for_each(|page| rig.ask(0, rig.read_of(*page)));
    rig.finish(500)?;
    for (i, page) in alone.iter().enumerate() {
        takes(rig, 0, *page)?;
        // hits change nothing in what is replaced next
        let now = first.len() + i + 1;
        for page in &pages[now.saturating_sub(ways)..now] {
            let took = takes(rig, 0, *page)?;
            if took != hit(p) {
                return Err(format!("page {page:#x}, behind {} alone, took {took} cycles, not {}", i + 1, hit(p)));
            }
        }
    }
    Ok(())
}

/// A miss that ends in a fault while sets are emptied, and waits for that: the log has its page.
fn faults_beside_an_invalidation(rig: &mut MmuBench, p: MmuParams) -> Result<(), String> {
    let pages = rig.geometry.pages();
    for bit in 0..p.number_bits() {
        for delay in 0..4 {
            let page = 1 << bit;
            change(rig, page, 0)?;
            rig.ask(0, rig.read_of(page));
            for _ in 0..delay {
                rig.step()?;
            }
            rig.invalidate(0, pages - 1);
            // hits of all sets, so that a set to be emptied is often looked up
            (0..60).for_each(|_| rig.ask(p.requesters as usize - 1, rig.read_of(0)));
            rig.finish(3000)?;
            logged(rig, page)?;
        }
    }
    Ok(())
}

/// All sets are emptied, also if one of them is looked up all the time.
fn every_set_is_emptied(rig: &mut MmuBench, p: MmuParams) -> Result<(), String> {
    let (sets, last) = (u64::from(p.sets()), rig.geometry.pages() - 1);
    let near = |set: u64| [set % sets, (set + 1) % sets, (set + 2) % sets];
    for (round, set) in (0..p.sets().ilog2()).map(|bit| 1 << bit).chain([0, sets - 2, sets - 1]).enumerate() {
        for page in near(set) {
            takes(rig, 0, page)?;
            rig.store(page, rig.geometry.entry(10 + round as u64, 1, true, true));
        }
        rig.invalidate(0, last);
        (0..300).for_each(|_| rig.ask(0, rig.read_of(set)));
        rig.finish(3000)?;
        for page in near(set) {
            takes(rig, 0, page)?;
        }
    }
    Ok(())
}
