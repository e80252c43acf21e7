//! Resets of one cycle in the midst of everything.

use super::*;
use hdl::engine::Engine;

/// Opens requests, appends and reads; then all is as it should be.
fn round_trip(x: &mut MmuBench, rng: &mut Rng) -> Result<(), String> {
    for request in 0..2 {
        assert_eq!(x.finish_control(false, request)?, 0);
    }
    for _ in 0..8 {
        let group = [rng.u64(0..2), rng.u64(0..2), rng.u64(0..2)];
        let slices = x.shape.random_slices(rng, group, 7);
        x.append(group, slices, false);
    }
    assert_eq!(x.finish_appends()?, [0; 8]);
    assert_eq!(x.free(), x.shape.pages - x.used_pages());
    for group in [[0, 0, 0], [0, 1, 1], [1, 0, 1]] {
        x.ask(group, rng.u64(0..3), 0);
    }
    assert_eq!(x.finish_reads()?, [0; 3]);
    Ok(())
}

/// Appends and reads of both requests, and the release of one; so many cycles of it. Gives what was answered: appends, reads, releases.
fn traffic(x: &mut MmuBench, rng: &mut Rng, cycles: u64) -> Result<[bool; 3], String> {
    let before = x.controlled();
    for request in [0, 1, 0, 1, 0] {
        let group = [request, rng.u64(0..2), rng.u64(0..2)];
        let slices = x.shape.random_slices(rng, group, 7);
        x.append(group, slices, false);
        x.ask(group, rng.u64(0..3), 0);
    }
    x.control(true, 1);
    (0..cycles).try_for_each(|_| x.step())?;
    let [appends, reads] = x.unanswered();
    Ok([appends == 0, reads == 0, x.controlled() > before])
}

/// Whatever was under way, all pages are free behind a reset of one cycle, no request is open, and what is appended then is read.
#[test]
fn a_reset_in_the_midst_of_everything() {
    let p = params(8);
    let design = unit("mmu", p).unwrap();
    let mut engine = jit::simulator(&design);
    engine.poke(design.ports.base, BASE);
    engine.poke(design.ports.enough, 0);
    let mut ended = [0; 3];
    for round in 0..ROUNDS {
        let seed = run_seed(round);
        let mut rng = Rng::with_seed(seed);
        engine.set_reset(0, true);
        engine.step();
        engine.set_reset(0, false);
        let ports = (&design, streams(&design), &design.ports.m_axi);
        let mut x = MmuBench::new(&mut engine, ports, shape(p), (slow(), some(), seed));
        let here = format!("round {round}, seed {seed}");
        assert_eq!(x.free(), u64::from(p.pages), "{here}: all pages are free");
        for request in 0..3 {
            assert_eq!(x.finish_control(true, request), Ok(2), "{here}: request {request} is not open");
        }
        round_trip(&mut x, &mut rng).unwrap_or_else(|e| panic!("{here}: {e}"));
        let cycles = rng.u64(0..MOST);
        let done = traffic(&mut x, &mut rng, cycles).unwrap_or_else(|e| panic!("{here}: {e}"));
        (0..3).for_each(|i| ended[i] += u64::from(done[i]));
    }
    println!("of {ROUNDS} resets, appends, reads and releases were over in {ended:?}");
    assert!(ended.iter().all(|n| (ROUNDS / 10..ROUNDS * 9 / 10).contains(n)), "{ended:?}");
}

const ROUNDS: u64 = 200;

/// Cycles before the next reset, at most: about as long as what is under way takes.
const MOST: u64 = 600;
