//! Errors at the accesses that switch a page, while it is in use.

use super::*;

/// The switch fails in one table when both lead to the new place already, or one does: readers that were led there meanwhile
/// read what was written last, as do those that were not.
#[test]
fn a_failed_switch_lets_nobody_write_while_the_new_place_is_read() {
    let design = build(migration("migration", params(64, 12)));
    let mut engine = jit::simulator(&design);
    let model = |latency| MemoryModel { latency, jitter: 100, ..Default::default() };
    let mut ends = [0; 6];
    for round in 0..150 {
        let seed = run_seed(round);
        let mut rng = Rng::with_seed(seed);
        let world = World::new(Shape { page_bits: 12, pages: 2, places: 4 }, &mut rng);
        let mut rig = rig(&mut engine, &design, world, ([model(60), model(100)], seed));
        rig.use_pages(8);
        let command = loop {
            let command = Planned::new(&rig).any(&rig, &mut rng);
            if rig.world.is_as_told(command) && command.tables == rig.world.tables[command.page as usize] {
                break command;
            }
        };
        // the second write of an entry switches it; with the third one, the way back fails, too
        let writes = if round % 3 == 0 { vec![1, 2] } else { vec![1] };
        rig.fail_writes(
            if command.tables == 3 { round as usize % 2 } else { usize::from(command.tables == 2) },
            writes,
        );
        rig.give(command);
        rig.finish(100_000).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        ends[rig.ended[0].outcome as usize] += 1;
        for _ in 0..3000 {
            rig.step().unwrap_or_else(|error| panic!("seed {seed}, behind it: {error}"));
        }
    }
    assert!(ends[2] + ends[3] > 50 && ends[outcome::TABLE as usize] > 10, "{ends:?}");
}
