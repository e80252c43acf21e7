//! The migration engine of H2M2: pages move between two memories while accelerators use them through models of two MMUs, with stops, errors, wrong
//! commands, and resets in the middle.

use super::built::build;
use super::{Driver, Effort};
use fastrand::Rng;
use hdl::engine::Engine;
use hw::h2m2::migration::migration;
use hw::h2m2::migration_params::MigrationParams;
use sim::bus::Stalls;
use sim::bus::axi4_memory::MemoryModel;
use sim::h2m2_migration_bench::{EnginePorts, MigrationBench, Mmus, Shape, World, outcome};

/// A migration engine.
pub fn migration_driver(name: &str, p: MigrationParams) -> Driver {
    let design = build(migration(name, p));
    let held = design.clone();
    Driver::new(name, design, move |engine: &mut dyn Engine, effort: Effort| {
        let io = &held.ports;
        let mut rng = Rng::with_seed(effort.seed);
        let mut world = World::new(Shape { page_bits: p.page_bits, pages: 3, places: 4 }, &mut rng);
        for round in 0..if effort.long { 12 } else { 4 } {
            let seed = effort.seed * 1000 + round;
            let stalls = [Stalls::Percent(30), Stalls::Never, Stalls::Runs(20)][round as usize % 3];
            let model =
                |latency| MemoryModel { latency, jitter: 10, taking: stalls, giving: stalls, ..Default::default() };
            let ports = EnginePorts {
                command: &io.command,
                done: &io.done,
                reads: &io.m_axi_read,
                writes: &io.m_axi_write,
                table_reads: &io.m_axi_table_read,
                table_writes: &io.m_axi_table_write,
                walks: &[],
            };
            let mmus = Mmus::models(&held, &io.invalidate);
            let models = ([model(5), model(30)], seed);
            let mut rig = MigrationBench::new(&mut *engine, &held, ports, mmus, world, models)?;
            // in every other round all is waited for, also pages that take long
            let whole = round % 2 == 1;
            rig.random(&mut rng, 20_000, whole).map_err(|e| format!("seed {seed}: {e}"))?;
            if whole && !rig.ended.iter().any(|x| x.outcome == outcome::OKAY) {
                return Err(format!("seed {seed}: nothing was moved"));
            }
            world = rig.reset().map_err(|e| format!("seed {seed}: {e}"))?;
        }
        Ok(())
    })
}
