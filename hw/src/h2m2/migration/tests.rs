mod faults;
mod mmus;
mod rates;

use super::*;
use crate::stream::testing::{build, message};
use ::sim::bus::axi4::Response;
use ::sim::bus::axi4_memory::MemoryModel;
use ::sim::h2m2_migration_bench::{EnginePorts, MigrationBench, Mmus, Move, Planned, Shape, World, outcome};
use fastrand::Rng;
use hdl::bus::{Stalls, run_seed};
use hdl::sim::Simulator;

pub(super) fn params(data_bytes: u32, page_bits: u32) -> MigrationParams {
    MigrationParams { data_bytes, virtual_bits: 40, physical_bits: 40, page_bits }
}

/// An engine with models of MMUs.
fn rig<'e>(
    engine: &'e mut Simulator,
    design: &Design<MigrationPorts>,
    world: World,
    settings: ([MemoryModel; 2], u64),
) -> MigrationBench<'e> {
    let io = &design.ports;
    let ports = EnginePorts {
        command: &io.command,
        done: &io.done,
        reads: &io.m_axi_read,
        writes: &io.m_axi_write,
        table_reads: &io.m_axi_table_read,
        table_writes: &io.m_axi_table_write,
        walks: &[],
    };
    let mmus = Mmus::models(design, &io.invalidate);
    MigrationBench::new(engine, design, ports, mmus, world, settings).unwrap()
}

pub(super) fn models(stalls: Stalls) -> [MemoryModel; 2] {
    let model = |latency| MemoryModel { latency, jitter: 10, taking: stalls, giving: stalls, ..Default::default() };
    [model(5), model(30)]
}

fn world(page_bits: u32, rng: &mut Rng) -> World {
    World::new(Shape { page_bits, pages: 8, places: 12 }, rng)
}

/// Lists of pages, with all that may go wrong at any time.
#[test]
fn pages_move_while_they_are_used() {
    for (width, page_bits, stalls) in [
        (8, 12, Stalls::Never),
        (8, 13, Stalls::Percent(30)),
        (16, 14, Stalls::Runs(20)),
        (32, 12, Stalls::Percent(60)),
        (64, 12, Stalls::Percent(20)),
    ] {
        let design = build(migration("migration", params(width, page_bits)));
        let mut engine = jit::simulator(&design);
        let seed = run_seed(u64::from(width + page_bits));
        let mut rng = Rng::with_seed(seed);
        let mut world = world(page_bits, &mut rng);
        let (mut ends, mut used) = ([0; 6], (0, 0));
        for round in 0..4 {
            let mut rig = rig(&mut engine, &design, world, (models(stalls), seed + round));
            let cycles = 40_000;
            let result = rig.random(&mut rng, cycles, round == 0);
            assert!(result.is_ok(), "{width} bytes, 2^{page_bits}, seed {seed}, round {round}: {result:?}");
            rig.ended.iter().for_each(|x| ends[x.outcome as usize] += 1);
            used = (used.0 + rig.used().0, used.1 + rig.used().1);
            world = rig.reset().unwrap_or_else(|error| panic!("seed {seed}, round {round}: {error}"));
        }
        println!("{width} bytes, 2^{page_bits}: ends {ends:?}, {used:?} pieces and waits");
        assert!(ends[0] > 8 && ends[1] > 4 && ends[2] + ends[3] > 0 && used.0 > 1000, "{ends:?}, {used:?}");
    }
}

/// What is to go wrong with one page.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Trouble {
    Source,
    Target,
    Look,
    /// Of the writes of its entry, these.
    Writes(&'static [usize]),
}

/// Each access fails once: what is left is what the page says.
#[test]
fn an_error_leaves_the_old_mapping() {
    use Trouble::*;
    let all = [Source, Target, Look, Writes(&[0]), Writes(&[1]), Writes(&[2]), Writes(&[0, 1]), Writes(&[1, 2])];
    let p = params(8, 13);
    let design = build(migration("migration", p));
    let mut engine = jit::simulator(&design);
    let mut rng = Rng::with_seed(run_seed(5));
    let mut world = world(13, &mut rng);
    for (round, trouble) in all.into_iter().flat_map(|x| [x; 6]).enumerate() {
        let seed = run_seed(round as u64);
        let mut rig = rig(&mut engine, &design, world, (models(Stalls::Percent(20)), seed));
        (0..100).for_each(|_| rig.step().unwrap());
        let command = loop {
            let command = Planned::new(&rig).any(&rig, &mut rng);
            if rig.world.is_as_told(command) && command.tables == rig.world.tables[command.page as usize] {
                break command;
            }
        };
        let table = usize::from(command.tables == 2);
        let error = |at: u64| vec![(at..at + 64, Response::Decode)];
        let piece = rng.u64(0..1 << 7) * 64;
        match trouble {
            Source => rig.set_errors(command.from.0, error((command.from.1 << 13) + piece)),
            Target => rig.set_errors(command.to.0, error((command.to.1 << 13) + piece)),
            Look => rig.set_errors(table, error(rig.world.entry_at(table, command.page))),
            Writes(numbers) => rig.fail_writes(table, numbers.to_vec()),
        }
        rig.give(command);
        rig.finish(100_000).unwrap();
        let writable = rig.world.writable[command.page as usize] != 0;
        let right = match (trouble, writable) {
            (Source | Target | Look, _) => 3,
            (Writes([0] | [1]), true) | (Writes([0]), false) => 2,
            (Writes([2] | [0, 1] | [1, 2]), true) | (Writes([0, 1]), false) => outcome::TABLE,
            (Writes(_), false) => outcome::OKAY,
            _ => unreachable!("{trouble:?}"),
        };
        assert_eq!(rig.ended[0].outcome, right, "{trouble:?}, writable: {writable}");
        // and the next one is made as if nothing had been
        (0..2).for_each(|side| rig.fail_writes(side, vec![]));
        (0..2).for_each(|side| rig.set_errors(side, vec![]));
        let page = (command.page + 1) % 8;
        let from = rig.world.places[page as usize];
        rig.give(Move { page, from, to: rig.world.free(&[], &mut rng), tables: rig.world.tables[page as usize] });
        rig.finish(100_000).unwrap();
        assert_eq!(rig.ended[1].outcome, outcome::OKAY);
        world = rig.reset().unwrap();
    }
}

/// Two commands, cut off in each cycle, in the short form in each third one: each entry is one of those that it may be, and each page is whole where it leads to.
#[test]
fn a_reset_at_any_time_leaves_whole_pages() {
    let design = build(migration("migration", params(64, 12)));
    let mut engine = jit::simulator(&design);
    let mut rng = Rng::with_seed(run_seed(6));
    let mut world = world(12, &mut rng);
    let every = if ::sim::bus::long() { 1 } else { 3 };
    for cycles in (run_seed(6) % every..900).step_by(every as usize) {
        let mut rig = rig(&mut engine, &design, world, (models(Stalls::Never), cycles));
        let mut planned = Planned::new(&rig);
        (0..2).for_each(|_| {
            let command = planned.any(&rig, &mut rng);
            rig.give(command);
        });
        (0..cycles).for_each(|_| rig.step().unwrap_or_else(|error| panic!("{cycles} cycles: {error}")));
        world = rig.reset().unwrap_or_else(|error| panic!("{cycles} cycles: {error}"));
    }
}

/// `stop` alone ends what was taken; `stop_now` sends back what is not all asked for, in whatever cycle it comes, even for one.
#[test]
fn stops() {
    let design = build(migration("migration", params(8, 14)));
    let mut engine = jit::simulator(&design);
    let mut rng = Rng::with_seed(run_seed(7));
    let mut world = world(14, &mut rng);
    let mut outcomes = [0; 6];
    let every = if ::sim::bus::long() { 1 } else { 2 };
    for at in (0..120).step_by(every) {
        let mut rig = rig(&mut engine, &design, world, (models(Stalls::Never), at));
        let mut taken = vec![];
        for page in 0..3 {
            let to = rig.world.free(&taken, &mut rng);
            taken.push(to);
            let (from, tables) = (rig.world.places[page], rig.world.tables[page]);
            rig.give(Move { page: page as u64, from, to, tables });
        }
        (0..at * 60).for_each(|_| rig.step().unwrap());
        let now = at % 3 > 0;
        rig.stop([true, now]);
        rig.step().unwrap();
        rig.stop([true, false]);
        let mut quiet = 0;
        while quiet < 20 {
            rig.step().unwrap();
            quiet = if rig.is_idle() { quiet + 1 } else { 0 };
        }
        let ended = rig.ended.len();
        rig.ended.iter().for_each(|x| outcomes[x.outcome as usize] += 1);
        assert!(now || rig.ended.iter().all(|x| x.outcome == outcome::OKAY), "{:?}", rig.ended);
        rig.stop([false; 2]);
        rig.finish(100_000).unwrap();
        assert_eq!(rig.ended.len(), 3);
        assert!(rig.ended[ended..].iter().all(|x| x.outcome == outcome::OKAY), "{ended}: {:?}", rig.ended);
        world = rig.reset().unwrap();
    }
    println!("{outcomes:?}");
    assert!(outcomes[0] > 10 && outcomes[4] > 10, "{outcomes:?}");
}

/// The second one begins where the first one has ended; of two from one place, the second one finds another entry.
#[test]
fn two_commands_for_one_page() {
    let design = build(migration("migration", params(16, 12)));
    let mut engine = jit::simulator(&design);
    let mut rng = Rng::with_seed(run_seed(8));
    let mut rig = rig(&mut engine, &design, world(12, &mut rng), (models(Stalls::Percent(10)), 8));
    for page in 0..8 {
        let (from, tables) = (rig.world.places[page], rig.world.tables[page]);
        let to = rig.world.free(&[], &mut rng);
        let further = rig.world.free(&[to], &mut rng);
        let page = page as u64;
        rig.give(Move { page, from, to, tables });
        rig.give(Move { page, from: to, to: further, tables });
        rig.give(Move { page, from: to, to: rig.world.free(&[to, further], &mut rng), tables });
        rig.finish(20_000).unwrap();
        let outcomes: Vec<u64> = rig.ended.iter().rev().take(3).rev().map(|x| x.outcome).collect();
        assert_eq!(outcomes, [outcome::OKAY, outcome::OKAY, outcome::MAPPING]);
    }
}

#[test]
fn refuses_parameters_out_of_range() {
    let p = params(8, 21);
    assert_eq!(message(migration("m", MigrationParams { data_bytes: 4, ..p })), "data_bytes = 4");
    assert_eq!(message(migration("m", MigrationParams { page_bits: 11, ..p })), "page_bits = 11 is out of range");
    assert_eq!(message(migration("m", MigrationParams { page_bits: 31, ..p })), "page_bits = 31 is out of range");
    assert_eq!(message(migration("m", MigrationParams { virtual_bits: 48, page_bits: 12, ..p })), "2^36 pages");
    for (virtual_bits, physical_bits, page_bits) in [(32, 48, 30), (43, 32, 12), (48, 48, 17), (32, 32, 30)] {
        build(migration("m", MigrationParams { data_bytes: 64, virtual_bits, physical_bits, page_bits }));
    }
}
