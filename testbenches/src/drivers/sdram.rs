//! The SDRAM controller, between a master of AXI4 and a chip that fails where one of its times is violated.

use super::built::build;
use super::{Driver, Effort};
use fastrand::Rng;
use hdl::Design;
use hdl::engine::Engine;
use hw::memory::sdram::{SdramParams, SdramPorts, sdram};
use sim::bus::Stalls;
use sim::bus::sdram::{Sdram, SdramShape, SdramTimes};
use sim::sdram_bench::{Burst, SdramBench};

/// A controller of SDRAM: bursts of all kinds, refused ones among them, with stalls; every other round is cut off by a reset in any cycle, of the
/// initialisation too.
pub fn sdram_driver(name: &str, p: SdramParams) -> Driver {
    let design = build(sdram(name, p));
    let held = design.clone();
    Driver::new(name, design, move |engine: &mut dyn Engine, effort| {
        let mut kept = chip(p, effort.seed);
        for round in 0..if effort.long { 60 } else { 6 } {
            let effort = Effort { seed: effort.seed * 1000 + round, ..effort };
            kept = run(&held, p, engine, kept, effort).map_err(|error| format!("seed {}: {error}", effort.seed))?;
        }
        Ok(())
    })
}

/// A round. Gives the chip back as it was left.
fn run(
    design: &Design<SdramPorts>,
    p: SdramParams,
    engine: &mut dyn Engine,
    chip: Sdram,
    Effort { seed, long }: Effort,
) -> Result<Sdram, String> {
    let mut rng = Rng::with_seed(seed);
    // the last one holds data and answers back for longer than a refresh may wait
    let kinds = [Stalls::Never, Stalls::Percent(50), Stalls::Runs(30), Stalls::Runs(1500)];
    let stalls = [(); 3].map(|()| kinds[rng.usize(0..4)]);
    let settings = (stalls, rng.usize(1..9), seed);
    let io = &design.ports;
    let mut bench = SdramBench::new(engine, design, (&io.s_axi, &io.sdram), (chip, p.read_delay), settings);
    bench.reset()?;
    let bits = p.address_bits();
    let whole = seed.is_multiple_of(2);
    (0..if long { 300 } else { 80 }).for_each(|_| bench.send(Burst::random(&mut rng, bits)));
    if whole {
        bench.finish()?;
        return Ok(bench.into_chip());
    }
    // in the initialisation, or behind it
    let cycles = if rng.bool() { rng.u64(1..30) + pause(p) } else { rng.u64(1..4000) + pause(p) };
    (0..cycles).try_for_each(|_| bench.step())?;
    Ok(bench.into_chip())
}

/// So many cycles are not less than `count` of `unit` (in parts of a second).
fn at_least(p: SdramParams, count: u32, unit: u64) -> u64 {
    (1..).find(|cycles| cycles * unit >= u64::from(count) * u64::from(p.clock_hertz)).unwrap_or_default()
}

fn pause(p: SdramParams) -> u64 {
    at_least(p, p.times.pause, 1_000_000)
}

/// The chip that these parameters describe: its times in cycles, as the data sheet has them.
pub(super) fn chip(p: SdramParams, seed: u64) -> Sdram {
    let shape = SdramShape {
        word_bytes: p.data_bits / 8,
        row_bits: p.row_bits,
        column_bits: p.column_bits,
        bank_bits: p.bank_bits,
    };
    let t = p.times;
    let ns = |count| at_least(p, count, 1_000_000_000);
    let within = |count: u32| u64::from(count) * u64::from(p.clock_hertz) / 1_000_000_000;
    let times = SdramTimes {
        cas_latency: p.cas_latency.into(),
        t_rcd: ns(t.t_rcd),
        t_rp: ns(t.t_rp),
        t_ras: ns(t.t_ras),
        t_rc: ns(t.t_rc),
        t_rrd: ns(t.t_rrd),
        t_wr: t.t_wr.into(),
        t_mrd: t.t_mrd.into(),
        refresh_interval: within(t.t_refi),
        init_pause: pause(p),
        init_refreshes: 8,
    };
    Sdram::new(shape, times, seed)
}
