//! The engine with two real MMUs, through which accelerators read and write pages while they move.

use super::*;
use crate::h2m2::mmu::mmu;
use crate::h2m2::params::{MmuParams, Replacement};
use crate::h2m2::types::{Release, Request, Translation, release, request, translation};
use crate::h2m2::write_wait::through_write_waits;
use ::sim::h2m2_migration_bench::RequesterPorts;
use hdl::bus::StreamPorts;

/// Requesters of each MMU.
const REQUESTERS: usize = 2;

fn mmu_params(p: MigrationParams, writes_wait: bool) -> MmuParams {
    MmuParams {
        virtual_bits: p.virtual_bits,
        physical_bits: p.physical_bits,
        page_bits: p.page_bits,
        entries: 64,
        ways: 4,
        requesters: REQUESTERS as u32,
        walks: 4,
        tag_bits: 1,
        data_bytes: 8,
        replacement: Replacement::Fifo,
        prefetch: false,
        writes_wait,
    }
}

ports! {
    struct SystemPorts(p: MigrationParams, mmu: MmuParams) {
        input command: Stream<Migration> = stream(migration_shape(p)),
        output done: Stream<Migrated> = stream(migrated(p)),
        input base: Vector<Signal> = vector(bits(p.physical_bits - TABLE_BITS), 2),
        input stop: Signal = bits(1),
        input stop_now: Signal = bits(1),
        output idle: Signal = bits(1),
        output m_axi_read: Vector<AxiRead> = vector(axi_read(p.axi()), 2),
        output m_axi_write: Vector<AxiWrite> = vector(axi_write(p.axi()), 2),
        output m_axi_table_read: Vector<AxiRead> = vector(axi_read(bus(p)), 2),
        output m_axi_table_write: Vector<AxiWrite> = vector(axi_write(bus(p)), 2),
        output walk: Vector<AxiRead> = vector(axi_read(bus(p)), 2),
        input request: Vector<Stream<Request>> = vector(stream(request(mmu)), 2 * REQUESTERS),
        output response: Vector<Stream<Translation>> = vector(stream(translation(mmu)), 2 * REQUESTERS),
        input release: Vector<Release> = vector(release(), 2 * REQUESTERS),
    }
}

#[module]
fn system(p: MigrationParams, writes_wait: bool) -> Result<Design<SystemPorts>, Errors> {
    let m = Module::new("system");
    let params = mmu_params(p, writes_wait);
    let io = SystemPorts::new(m, p, params);
    let engine = m.instance(&migration("engine", p)?);
    engine.command.set(io.command);
    io.done.set(engine.done);
    engine.stop.set(io.stop);
    engine.stop_now.set(io.stop_now);
    io.idle.set(engine.idle);
    for side in 0..2 {
        engine.base[side].set(io.base[side]);
        io.m_axi_read[side].set(engine.m_axi_read[side]);
        io.m_axi_write[side].set(engine.m_axi_write[side]);
        io.m_axi_table_read[side].set(engine.m_axi_table_read[side]);
        io.m_axi_table_write[side].set(engine.m_axi_table_write[side]);
        let mmu = m.instance(&mmu(params)?);
        mmu.invalidate.set(engine.invalidate[side]);
        engine.invalidated[side].set(mmu.done);
        engine.drained[side].set(mmu.drained);
        mmu.base.set(io.base[side]);
        mmu.pages.set(8);
        io.walk[side].set(mmu.m_axi);
        let outer = REQUESTERS * side..REQUESTERS * (side + 1);
        let requesters: Vec<_> = outer.map(|i| (io.request[i], io.response[i], io.release[i])).collect();
        if writes_wait {
            through_write_waits(m, &requesters, *mmu, m.lit(1u32, 1), params)?;
            continue;
        }
        mmu.enable.set(1);
        for (i, (request, response, release)) in requesters.into_iter().enumerate() {
            mmu.request[i].set(request);
            response.set(mmu.response[i]);
            mmu.release[i].set(release);
        }
    }
    m.finish(io)
}

/// Every byte that is read through either MMU is that which was written last through any.
#[test]
fn pages_move_behind_real_mmus() {
    behind_mmus(None);
}

/// The same where writes to pages on the move wait, with reads and writes behind them: no answer is the fault, and all moves end.
#[test]
fn writes_wait_for_pages_that_move() {
    behind_mmus(Some(1));
    behind_mmus(Some(20));
}

/// With writes that wait, requesters have so many requests at a time.
fn behind_mmus(waiting: Option<usize>) {
    for (width, page_bits, stalls) in
        [(8, 13, Stalls::Never), (16, 12, Stalls::Percent(30)), (64, 14, Stalls::Runs(20))]
    {
        let p = MigrationParams { virtual_bits: 32, ..params(width, page_bits) };
        let design = build(system(p, waiting.is_some()));
        let mut engine = jit::simulator(&design);
        let seed = run_seed(u64::from(width + page_bits));
        let mut rng = Rng::with_seed(seed);
        let mut world = world(page_bits, &mut rng);
        let (mut ends, mut used) = ([0; 6], (0, 0));
        let rounds = if ::sim::bus::long() { 3 } else { 1 };
        for round in 0..rounds {
            let io = &design.ports;
            let ports = EnginePorts {
                command: &io.command,
                done: &io.done,
                reads: &io.m_axi_read,
                writes: &io.m_axi_write,
                table_reads: &io.m_axi_table_read,
                table_writes: &io.m_axi_table_write,
                walks: &io.walk,
            };
            let requesters = (0..2 * REQUESTERS).map(|i| RequesterPorts {
                request: StreamPorts::of(&design, &io.request[i]),
                response: StreamPorts::of(&design, &io.response[i]),
                release: format!("release_{i}"),
            });
            let mmus = Mmus::Design(requesters.collect());
            let mut rig =
                MigrationBench::new(&mut engine, &design, ports, mmus, world, (models(stalls), seed + round)).unwrap();
            if let Some(queue) = waiting {
                rig.with_waiting_writes(queue);
            }
            let mut planned = Planned::new(&rig);
            for cycle in 0..40_000 {
                if planned.has_room(&rig) {
                    let command = planned.any(&rig, &mut rng);
                    rig.give(command);
                }
                if rng.u32(0..3000) == 0 {
                    rig.use_pages([0, 3, 8][rng.usize(0..3)]);
                }
                rig.step().unwrap_or_else(|error| panic!("seed {seed}, round {round}, cycle {cycle}: {error}"));
            }
            rig.ended.iter().for_each(|x| ends[x.outcome as usize] += 1);
            used = (used.0 + rig.used().0, used.1 + rig.used().1);
            world = rig.reset().unwrap();
        }
        println!("{width} bytes, 2^{page_bits}, {waiting:?}: ends {ends:?}, {used:?} pieces and waits");
        assert!(ends[0] > 16 && used.0 > 1600 && used.1 > 1, "{ends:?}, {used:?}");
    }
}
