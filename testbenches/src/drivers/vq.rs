//! Decoders of vector-quantized data.

use super::built::build;
use super::regroup::one_to_one;
use super::stream::Streams;
use super::{Driver, Effort};
use fastrand::Rng;
use hdl::engine::Engine;
use hdl::{BigUint, Design};
use hw::vq::banked_cache::banked_cache;
use hw::vq::banked_types::BankedParams;
use hw::vq::cache_types::CacheParams;
use hw::vq::codebook_cache::{CodebookCachePorts, codebook_cache};
use hw::vq::e8p::{LATENCY, NUMBER_BITS, e8p_decoder};
use hw::vq::index_unpacker::{IndexUnpackerPorts, UnpackerParams, index_unpacker};
use hw::vq::tiered_cache::{TieredParams, tiered_cache};
use sim::bus::axi4_memory::MemoryModel;
use sim::bus::{Beat, Bench, Stalls, StreamPorts};
use sim::golden::vq::e8p::point;
use sim::golden::vq::pack_row;
use sim::vq_benches::cache::CacheBench;
use sim::vq_benches::command_feed;
use sim::vq_benches::tiered::{Around, TieredBench};

/// A decoder of QuiP#'s lattice, for so many lanes.
pub fn e8p_decoder_driver(name: impl Into<String>, lanes: u32) -> Driver {
    let design = build(e8p_decoder(lanes as usize));
    let plain = one_to_one(&design, (&design.ports.s, &design.ports.m));
    let vectors = |codes: &Beat| {
        let numbers = (0..codes.0.len()).flat_map(|lane| point(codes.field(lane) as u16));
        Beat(numbers.map(|k| ((k & ((1 << NUMBER_BITS) - 1)) as u32).into()).collect())
    };
    let model = Box::new(move |sent: &Vec<Vec<Beat>>| vec![sent[0].iter().map(vectors).collect()]);
    let streams =
        Streams { model, latency: Some(LATENCY.into()), full_rate: Some(0), capacity: Some(LATENCY as usize), ..plain };
    Driver::new(name, design, move |engine, effort| streams.test(engine, effort))
}

/// A codebook cache with a copy for each lane.
pub fn codebook_cache_driver(name: impl Into<String>, p: CacheParams) -> Driver {
    cache_driver(name, build(codebook_cache(p)), p, 2)
}

/// A codebook cache with banks.
pub fn banked_cache_driver(name: impl Into<String>, p: BankedParams) -> Driver {
    cache_driver(name, build(banked_cache(p)), p.cache, 1)
}

/// A codebook cache with so many places for books. But for the first round, each has resets somewhere in other loads and lookups, and some behind these.
fn cache_driver(name: impl Into<String>, design: Design<CodebookCachePorts>, p: CacheParams, places: usize) -> Driver {
    let bench = CacheBench::of(&design, p, places);
    // deep books take long to load
    let rounds = if p.entries > 1024 { 4 } else { 12 };
    Driver::new(name, design, move |engine: &mut dyn Engine, effort: Effort| {
        let stalls = [Stalls::Never, Stalls::Percent(30), Stalls::Percent(70), Stalls::Runs(15)];
        let mut cycles = 0;
        for round in 0..if effort.long { 30 * rounds } else { rounds } {
            let seed = 1000 * effort.seed + round;
            let mut rng = Rng::with_seed(seed);
            let of_port = [(); 6].map(|()| if round == 1 { Stalls::Never } else { stalls[rng.usize(0..4)] });
            let wrong = |e: String| format!("{of_port:?}, seed {seed}: {e}");
            for stop in command_feed::stops(&mut rng, cycles) {
                let [stopped, next] = [20, 2].map(|number| bench.random_episodes(&mut rng, number));
                bench.stop(engine, &stopped, of_port, seed, stop).map_err(wrong)?;
                bench.run(engine, &next, of_port, seed).map_err(wrong)?;
            }
            let episodes = bench.random_episodes(&mut rng, 20);
            let times = bench.run(engine, &episodes, of_port, seed).map_err(wrong)?;
            cycles = times.answered.last().copied().unwrap_or(0);
        }
        Ok(())
    })
}

/// A codebook cache with a memory tier. Every second round memory makes errors; each round is stopped somewhere by the reset of the next one.
pub fn tiered_cache_driver(name: impl Into<String>, p: TieredParams) -> Driver {
    let design = build(tiered_cache(p));
    let held = design.clone();
    let bench = TieredBench::of(&design, p);
    // deep books take long to load
    let (rounds, number) = if p.cache.entries > 1024 { (4, 8) } else { (12, 20) };
    Driver::new(name, design, move |engine: &mut dyn Engine, effort: Effort| {
        let kinds = [Stalls::Never, Stalls::Percent(30), Stalls::Percent(70), Stalls::Runs(15)];
        for round in 0..if effort.long { 30 * rounds } else { rounds } {
            let seed = 1000 * effort.seed + round;
            let mut rng = Rng::with_seed(seed);
            let mut any = || if round == 1 { Stalls::Never } else { kinds[rng.usize(0..4)] };
            let (stalls, taking, giving) = ([(); 6].map(|()| any()), any(), any());
            let (latency, jitter) = ([1, 5, 40][rng.usize(0..3)], [0, 9][rng.usize(0..2)]);
            let episodes = bench.random_episodes(&mut rng, number);
            let errors = if round % 2 == 1 { bench.errors(&mut rng, &episodes) } else { vec![] };
            let outstanding = p.reads() as usize;
            let memory = MemoryModel { latency, jitter, taking, giving, errors, outstanding, ..MemoryModel::default() };
            let mut around = Around { stalls, memory, seed, stop: None };
            let mut run = |around: &Around| {
                let ran = bench.run(&mut *engine, (&held, &held.ports.m_axi), &episodes, around);
                ran.map_err(|e| format!("seed {seed}, {around:?}: {e}"))
            };
            let cycles = run(&around)?.and_then(|(times, _)| times.answered.last().copied()).unwrap_or(1);
            around.stop = Some(rng.u64(1..=cycles.max(1)));
            run(&around)?;
        }
        Ok(())
    })
}

/// An index unpacker.
pub fn index_unpacker_driver(name: impl Into<String>, p: UnpackerParams) -> Driver {
    let design = build(index_unpacker(p));
    let IndexUnpackerPorts { command, s, m, .. } = &design.ports;
    let ports = [StreamPorts::of(&design, command), StreamPorts::of(&design, s), StreamPorts::of(&design, m)];
    Driver::new(name, design, move |engine: &mut dyn Engine, effort: Effort| {
        let stalls = [Stalls::Never, Stalls::Percent(30), Stalls::Percent(70), Stalls::Runs(15)];
        for round in 0..if effort.long { 200 } else { 16 } {
            let seed = 1000 * effort.seed + round;
            // in 16 rounds any two ports stall in any two ways
            let of_port = [round, round / 4, round + round / 4].map(|which| stalls[which as usize % 4]);
            let mut rng = Rng::with_seed(seed);
            let mut sizes =
                || -> Vec<_> { (0..20).map(|_| (rng.usize(1..=5 * p.lanes as usize), rng.usize(1..=6))).collect() };
            let (stopped, sizes) = (sizes(), sizes());
            // most of them take longer
            let stop = Some(rng.u64(1..=600));
            unpack(&mut *engine, &ports, p, &stopped, (of_port, stop), seed)
                .and_then(|()| unpack(&mut *engine, &ports, p, &sizes, (of_port, None), seed))
                .map_err(|e| format!("{of_port:?}, seed {seed}: {e}"))?;
        }
        if !effort.long {
            return Ok(()); // on a netlist what follows takes minutes
        }
        // every bit of both counters is 1 at some time
        let long = 0x8001 + p.lanes as usize;
        unpack(engine, &ports, p, &[(long, 1), (1, 0x8002), (1, 1)], ([Stalls::Never; 3], None), effort.seed)
            .map_err(|e| format!("a long row and many short ones: {e}"))
    })
}

/// Rows of random indices, of so many indices and so many of each length: bytes before and behind them are anything. What came out before the
/// reset is forgotten. After so many cycles, if it is said, the run ends without a check, whatever is under way.
fn unpack(
    engine: &mut dyn Engine,
    ports: &[StreamPorts; 3],
    p: UnpackerParams,
    sizes: &[(usize, usize)],
    (stalls, stop): ([Stalls; 3], Option<u64>),
    seed: u64,
) -> Result<(), String> {
    let mut rng = Rng::with_seed(seed);
    let mut bench = Bench::new(engine, seed);
    let [command, s] = [0, 1].map(|i| bench.source_at(ports[i].clone(), stalls[i]));
    let m = bench.sink_at(ports[2].clone(), stalls[2]);
    command_feed::reset(&mut bench, &ports[..2], &ports[2..], seed)?;
    let (mut expected, mut words) = (vec![], 0);
    for &(length, rows) in sizes {
        let start = rng.u32(0..p.bus_bytes);
        let mut bytes: Vec<u8> = (0..start).map(|_| rng.u8(..)).collect();
        for row in 0..rows {
            let row_of: Vec<u16> = (0..length).map(|_| rng.u16(..) >> (16 - p.index_bits)).collect();
            bytes.extend(pack_row(&row_of, p.index_bits));
            let beats: Vec<&[u16]> = row_of.chunks(p.lanes as usize).collect();
            let ends = |i: usize| i + 1 == beats.len();
            expected.extend(beats.iter().enumerate().map(|(i, x)| (x.to_vec(), ends(i), ends(i) && row + 1 == rows)));
        }
        bytes.resize_with(bytes.len().next_multiple_of(p.bus_bytes as usize), || rng.u8(..));
        bench.send(command, [[u64::from(start), length as u64 - 1, rows as u64 - 1]]);
        let beats: Vec<Beat> =
            bytes.chunks(p.bus_bytes as usize).map(|word| Beat(vec![BigUint::from_bytes_le(word)])).collect();
        words += beats.len();
        bench.send(s, beats);
    }
    if let Some(cycles) = stop {
        return bench.run(cycles).map_err(|e| e.to_string());
    }
    let limit = 200 + 40 * (words + expected.len()) as u64;
    bench.run_until_received(m, expected.len(), limit).map_err(|e| e.to_string())?;
    bench.run(200).map_err(|e| e.to_string())?;
    if bench.unsent(command) + bench.unsent(s) > 0 {
        return Err("not everything was taken".into());
    }
    let got = bench.beats(m).iter().map(|beat| indices_of(beat, p));
    match got.clone().zip(&expected).find(|(got, expected)| got != *expected) {
        Some((got, expected)) => Err(format!("{got:x?} came, not {expected:x?}")),
        None if got.len() != expected.len() => Err(format!("{} beats came, not {}", got.len(), expected.len())),
        None => Ok(()),
    }
}

/// The indices of a beat, whether it is the last one of a row, and of a command.
fn indices_of(beat: &Beat, p: UnpackerParams) -> (Vec<u16>, bool, bool) {
    let [count, row_end, last] = [0, 1, 2].map(|i| beat.field(p.lanes as usize + i));
    ((0..=count as usize).map(|i| beat.field(i) as u16).collect(), row_end == 1, last == 1)
}
