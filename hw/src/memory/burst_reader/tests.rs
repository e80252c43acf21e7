use super::{BurstReaderPorts, burst_reader};
use crate::memory::mover::MoverParams;
use crate::memory::testing::*;
use fastrand::Rng;
use hdl::Design;
use hdl::bus::{Stalls, run_seed, seed, span};
use hdl::sim::Simulator;
use sim::burst_bench::{BurstBench, EngineStalls, Outcome, Piece, asked, random_bytes};
use sim::bus::axi4::Response;
use sim::bus::axi4_memory::MemoryModel;

fn rig<'e>(
    design: &Design<BurstReaderPorts>,
    engine: &'e mut Simulator,
    settings: (MemoryModel, EngineStalls, u64),
) -> BurstBench<'e> {
    let io = &design.ports;
    let mut rig = BurstBench::reader(engine, design, (&io.command, &io.m_axis, &io.done, &io.m_axi), settings);
    rig.bench.reset().unwrap();
    rig
}

/// Fills the memory, so that what is read is known.
fn fill(rig: &mut BurstBench, rng: &mut Rng, pieces: &[Piece]) {
    for piece in pieces {
        rig.memory.bytes.write(piece.address, &random_bytes(rng, piece.bytes));
    }
}

/// Any address, any length, with stalls everywhere and bursts that come late: the bytes of memory, in the fewest bursts.
#[test]
fn reads_any_bytes() {
    for (width, outstanding) in [(4, 1), (4, 16), (8, 3), (16, 2), (32, 5), (64, 16)] {
        let p = params(width, outstanding);
        let design = burst_reader("reader", p).unwrap();
        let mut engine = jit::simulator(&design);
        for (round, stalls) in [Stalls::Never, Stalls::Percent(40), Stalls::Runs(30)].into_iter().enumerate() {
            let seed = seed(u64::from(width) * 100 + u64::from(outstanding) * 10 + round as u64);
            let mut rng = Rng::with_seed(seed);
            let (latency, jitter, outstanding) = (rng.u64(1..40), rng.u64(0..30), outstanding as usize);
            let model =
                MemoryModel { latency, jitter, taking: stalls, giving: stalls, outstanding, ..MemoryModel::default() };
            let mut rig = rig(&design, &mut engine, (model, [stalls; 3], seed));
            let pieces: Vec<Piece> = (0..40).map(|_| bus(p).random_piece(&mut rng, 1500)).collect();
            fill(&mut rig, &mut rng, &pieces);
            pieces.iter().for_each(|piece| rig.read(*piece));
            rig.finish().unwrap();
            for piece in &pieces {
                let right = rig.memory.bytes.read(piece.address, piece.bytes as usize);
                assert_eq!(rig.packet().unwrap(), (right, false), "{width} bytes a beat, {piece:x?}");
            }
            assert!(rig.outcomes().unwrap().iter().all(|outcome| outcome.code == 0));
            let fewest: Vec<(u64, u64)> = pieces.iter().flat_map(|piece| bus(p).bursts(*piece)).collect();
            assert_eq!(asked(&rig.memory.requests), fewest);
        }
    }
}

/// A bus error ends its command, and the next one is right; so it is with a command that reaches beyond the last address.
#[test]
fn a_command_that_fails() {
    let mut behind_errors = 0;
    for (width, outstanding) in [(4, 16), (8, 1), (8, 4), (64, 7)] {
        let p = params(width, outstanding);
        let design = burst_reader("reader", p).unwrap();
        let mut engine = jit::simulator(&design);
        for round in 0..20 {
            let seed = seed(u64::from(width) * 1000 + round);
            let mut rng = Rng::with_seed(seed);
            let stalls = [Stalls::Never, Stalls::Percent(50), Stalls::Runs(40)][round as usize % 3];
            let bad = rng.u64(0..1 << 14);
            let errors = vec![(bad..bad + rng.u64(1..300), [Response::Slave, Response::Decode][rng.usize(0..2)])];
            let model =
                MemoryModel { latency: rng.u64(1..40), jitter: 9, errors, giving: stalls, ..MemoryModel::default() };
            let mut rig = rig(&design, &mut engine, (model.clone(), [stalls; 3], seed));
            let mut pieces: Vec<Piece> =
                (0..20).map(|_| Piece { address: rng.u64(0..1 << 14), bytes: rng.u64(0..9000) }).collect();
            pieces[7] = Piece { address: (1 << 32) - rng.u64(1..5000), bytes: 6000 };
            fill(&mut rig, &mut rng, &pieces);
            pieces.iter().for_each(|piece| rig.read(*piece));
            rig.finish().unwrap();
            let outcomes = rig.outcomes().unwrap();
            for (piece, outcome) in pieces.iter().zip(outcomes) {
                let what = format!("seed {seed}: {width} bytes a beat, {piece:x?}, bad {:x?}", model.errors);
                assert_eq!(outcome, bus(p).read(*piece, &model), "{what}");
                let (got, failed) = rig.packet().unwrap();
                assert_eq!(failed, outcome.code != 0, "{what}");
                assert_eq!(got, rig.memory.bytes.read(piece.address, got.len()), "{what}");
                assert!(bus(p).read_bytes(*piece, outcome).contains(&(got.len() as u64)), "{what}");
            }
            behind_errors = behind_errors.max(bursts_behind_errors(&rig, p, &pieces, &rig.outcomes().unwrap()));
        }
    }
    assert_eq!(behind_errors, 1, "bursts that were asked for behind an error");
}

/// The most bursts of a command that were asked for behind its beat with an error.
fn bursts_behind_errors(rig: &BurstBench, p: MoverParams, pieces: &[Piece], outcomes: &[Outcome]) -> usize {
    let (asked, asked_at) = (asked(&rig.memory.requests), rig.memory.reads_asked_at(&rig.bench, 0));
    let beats_at = rig.memory.read_at(&rig.bench, 0);
    let (mut beats, mut most) = (0, 0);
    for (bursts, outcome) in asked_of_each(p, pieces, &asked).into_iter().zip(outcomes) {
        for burst in bursts.clone() {
            let (from, count) = asked[burst];
            if let Some(at) =
                outcome.address.filter(|at| (from..from + count * u64::from(p.axi.data_bytes)).contains(at))
            {
                let error = beats_at[(beats + (at - from) / u64::from(p.axi.data_bytes)) as usize];
                most = most.max(bursts.clone().filter(|burst| asked_at[*burst] > error).count());
            }
            beats += count;
        }
    }
    most
}

/// While nobody takes packets, all that was asked for is taken from the bus, and no more is asked for than fits; then all is right.
#[test]
fn packets_that_nobody_takes() {
    for (width, outstanding) in [(4, 16), (8, 4), (64, 16)] {
        let p = params(width, outstanding);
        let design = burst_reader("reader", p).unwrap();
        let mut engine = jit::simulator(&design);
        for round in 0..4 {
            let seed = run_seed(round);
            let mut rng = Rng::with_seed(seed);
            let (latency, outstanding) = (rng.u64(1..20), outstanding as usize);
            let model = MemoryModel { latency, outstanding, ..MemoryModel::default() };
            let mut rig = rig(&design, &mut engine, (model, [Stalls::Never; 3], seed));
            let pieces: Vec<Piece> =
                (0..30).map(|_| Piece { address: rng.u64(0..1 << 20), bytes: rng.u64(0..9000) }).collect();
            fill(&mut rig, &mut rng, &pieces);
            pieces.iter().for_each(|piece| rig.read(*piece));
            rig.block_packets(4000, Stalls::Percent(rng.u8(0..60))).unwrap();
            assert!(rig.memory.is_idle(), "what was asked for is taken");
            let beats = rig.memory.read_at(&rig.bench, 0).len() as u32;
            assert!((p.axi.longest_burst()..=p.buffer).contains(&beats), "{beats} beats of {}", p.buffer);
            rig.finish().unwrap();
            for piece in &pieces {
                let right = rig.memory.bytes.read(piece.address, piece.bytes as usize);
                assert_eq!(rig.packet().unwrap(), (right, false), "{piece:x?}");
            }
        }
    }
}

/// With a memory of 40 cycles: every cycle has data, in one piece and in many; and how long the first word takes.
#[test]
fn full_rate() {
    for width in WIDTHS {
        for (scattered, outstanding) in [(false, 2), (true, fewest_outstanding(width))] {
            let p = params(width, outstanding);
            let design = burst_reader("reader", p).unwrap();
            let mut engine = jit::simulator(&design);
            let model = MemoryModel { latency: 40, ..MemoryModel::default() };
            let mut rig = rig(&design, &mut engine, (model, [Stalls::Never; 3], 1));
            let mut rng = Rng::with_seed(seed(5));
            let scattered_pieces = (0..64).map(|_| Piece { address: rng.u64(0..1 << 20) * 1024, bytes: 1024 });
            let whole = Piece { address: 0x10_0000, bytes: 65536 };
            let pieces: Vec<Piece> = if scattered { scattered_pieces.collect() } else { vec![whole] };
            pieces.iter().for_each(|piece| rig.read(*piece));
            rig.finish().unwrap();
            let beats = rig.beats_at();
            let cycles = span(beats);
            let (command, first) = rig.first_word();
            let behind = first - command - 40;
            println!(
                "{width} bytes, scattered {scattered}, {outstanding} outstanding: {} beats in {cycles} cycles, {behind} cycles behind",
                beats.len()
            );
            assert_eq!(beats.len() as u64, cycles, "{width} bytes, scattered {scattered}");
            assert_eq!(behind, 8, "{width}");
        }
    }
}

/// The same with pieces at any address, of which every fourth crosses a page and is two bursts: two more are under way.
#[test]
fn full_rate_at_any_address() {
    for width in WIDTHS {
        let p = params(width, fewest_outstanding(width) + 2);
        let design = burst_reader("reader", p).unwrap();
        let mut engine = jit::simulator(&design);
        let model = MemoryModel { latency: 40, ..MemoryModel::default() };
        let mut rig = rig(&design, &mut engine, (model, [Stalls::Never; 3], 1));
        let rate = rig.rate_at_any_address(&mut Rng::with_seed(seed(5)), width.into()).unwrap();
        println!("{width} bytes, any address: {rate:.4}");
        assert!(rate >= 0.98, "{width} bytes: {rate:.4}");
    }
}
