use super::{BurstWriterPorts, burst_writer};
use crate::memory::mover::MoverParams;
use crate::memory::testing::*;
use fastrand::Rng;
use hdl::Design;
use hdl::bus::{Stalls, seed, span};
use hdl::engine::Engine;
use hdl::sim::Simulator;
use sim::burst_bench::{BurstBench, EngineStalls, Outcome, Piece, asked, random_bytes};
use sim::bus::axi4::Response;
use sim::bus::axi4_memory::{MemoryModel, SparseBytes};

fn rig<'e>(
    design: &Design<BurstWriterPorts>,
    engine: &'e mut Simulator,
    settings: (MemoryModel, EngineStalls, u64),
) -> BurstBench<'e> {
    let io = &design.ports;
    let mut rig = BurstBench::writer(engine, design, (&io.command, &io.s_axis, &io.done, &io.m_axi), settings);
    rig.bench.reset().unwrap();
    rig
}

/// Any address, any length, with stalls everywhere: the bytes of the packets and no other, in the fewest bursts. Packets that are
/// shorter than their commands, or longer, are flagged.
#[test]
fn writes_any_bytes() {
    for (width, outstanding) in [(4, 1), (4, 16), (8, 3), (16, 2), (32, 5), (64, 16)] {
        let p = params(width, outstanding);
        let design = burst_writer("writer", p).unwrap();
        let mut engine = jit::simulator(&design);
        for round in 0..6 {
            let stalls = [Stalls::Never, Stalls::Percent(40), Stalls::Runs(30)][round % 3];
            let seed = seed(u64::from(width) * 100 + u64::from(outstanding) * 10 + round as u64);
            let mut rng = Rng::with_seed(seed);
            let (latency, jitter, outstanding) = (rng.u64(1..40), rng.u64(0..30), outstanding as usize);
            let model =
                MemoryModel { latency, jitter, taking: stalls, giving: stalls, outstanding, ..MemoryModel::default() };
            let mut rig = rig(&design, &mut engine, (model.clone(), [stalls; 3], seed));
            let pieces: Vec<Piece> = (0..40).map(|_| bus(p).random_piece(&mut rng, 1500)).collect();
            let mut right = SparseBytes::default();
            for piece in &pieces {
                let (from, around) = (piece.address.saturating_sub(100), random_bytes(&mut rng, piece.bytes + 200));
                right.write(from, &around);
                rig.memory.bytes.write(from, &around);
            }
            let mut outcomes = vec![];
            for piece in &pieces {
                let given = match rng.u32(0..4) {
                    0 if round > 2 => rng.u64(0..=piece.bytes),
                    1 if round > 2 => piece.bytes + rng.u64(0..200),
                    2 if round > 2 => (piece.bytes + 1).saturating_sub(rng.u64(0..3)),
                    _ => piece.bytes,
                };
                let data = random_bytes(&mut rng, given);
                right.write(piece.address, &data[..given.min(piece.bytes) as usize]);
                rig.write(*piece, &data, width.into());
                outcomes.push(bus(p).write(*piece, given, &model));
            }
            rig.finish().unwrap();
            assert_eq!(rig.outcomes().unwrap(), outcomes, "seed {seed}");
            assert_eq!(rig.memory.bytes.pages(), right.pages(), "seed {seed}");
            let fewest: Vec<(u64, u64)> = pieces.iter().flat_map(|piece| bus(p).bursts(*piece)).collect();
            assert_eq!(asked(&rig.memory.requests), fewest);
        }
    }
}

/// An error ends its command, and the next ones are right; so it is with a command that reaches beyond the last address.
#[test]
fn a_command_that_fails() {
    let mut behind_errors = 0;
    for (width, outstanding) in [(4, 16), (8, 1), (8, 4), (64, 7)] {
        let p = params(width, outstanding);
        let design = burst_writer("writer", p).unwrap();
        let mut engine = jit::simulator(&design);
        for round in 0..15 {
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
            let data: Vec<Vec<u8>> = pieces.iter().map(|piece| random_bytes(&mut rng, piece.bytes)).collect();
            pieces.iter().zip(&data).for_each(|(piece, data)| rig.write(*piece, data, width.into()));
            rig.finish().unwrap();
            let right: Vec<Outcome> = pieces.iter().map(|piece| bus(p).write(*piece, piece.bytes, &model)).collect();
            assert_eq!(rig.outcomes().unwrap(), right, "seed {seed}: bad {:x?}, {pieces:x?}", model.errors);
            behind_errors = behind_errors.max(bursts_behind_errors(&rig, p, &pieces, &right));
            // where the last one that wrote did not fail, its bytes are there
            for at in 0..1u64 << 15 {
                let covers = |i: &usize| (pieces[*i].address..pieces[*i].address + pieces[*i].bytes).contains(&at);
                if let Some(i) = (0..pieces.len()).rev().find(covers).filter(|i| right[*i].code == 0) {
                    let byte = data[i][(at - pieces[i].address) as usize];
                    assert_eq!(rig.memory.bytes.read(at, 1), [byte], "seed {seed}: at {at:#x}");
                }
            }
        }
    }
    assert_eq!(behind_errors, 2, "bursts that were asked for behind a response with an error");
}

/// The most bursts of a command that were asked for behind its response with an error.
fn bursts_behind_errors(rig: &BurstBench, p: MoverParams, pieces: &[Piece], outcomes: &[Outcome]) -> usize {
    let asked = asked(&rig.memory.requests);
    let [asked_at, answered_at] = rig.memory.writes_asked_at(&rig.bench, 0);
    let of_each = asked_of_each(p, pieces, &asked).into_iter().zip(outcomes);
    let behind = of_each.filter_map(|(bursts, outcome)| {
        let failed = bursts.clone().find(|burst| Some(asked[*burst].0) == outcome.address)?;
        Some(bursts.filter(|burst| asked_at[*burst] > answered_at[failed]).count())
    });
    behind.max().unwrap_or(0)
}

/// A reset of one cycle, whatever was under way: the next command is done as if nothing had been.
#[test]
fn a_reset_of_one_cycle() {
    let design = burst_writer("writer", params(8, 2)).unwrap();
    let settings = || (MemoryModel::default(), [Stalls::Never; 3], 1);
    for cycles in 0..30 {
        let mut engine = jit::simulator(&design);
        let mut before = rig(&design, &mut engine, settings());
        // packets that lack bytes all the time
        for i in 0..9 {
            before.write(Piece { address: 64 * i, bytes: 40 }, &[1, 2, 3], 8);
        }
        (0..cycles).for_each(|_| before.bench.step().unwrap());
        engine.set_reset(0, true);
        engine.step();
        engine.set_reset(0, false);
        let io = &design.ports;
        let ports = (&io.command, &io.s_axis, &io.done, &io.m_axi);
        let mut after = BurstBench::writer(&mut engine, &design, ports, settings());
        after.write(Piece { address: 8, bytes: 8 }, &[1; 8], 8);
        after.finish().unwrap();
        assert_eq!(after.outcomes().unwrap(), [Outcome { code: 0, address: None }], "after {cycles} cycles");
    }
}

/// With a memory of 40 cycles: nearly every cycle has data, in one piece and in many; and how soon a burst leaves.
#[test]
fn full_rate() {
    for width in WIDTHS {
        for (scattered, outstanding) in [(false, 2), (true, fewest_outstanding(width))] {
            let p = params(width, outstanding);
            let design = burst_writer("writer", p).unwrap();
            let mut engine = jit::simulator(&design);
            let model = MemoryModel { latency: 40, ..MemoryModel::default() };
            let mut rig = rig(&design, &mut engine, (model, [Stalls::Never; 3], 1));
            let mut rng = Rng::with_seed(seed(5));
            let scattered_pieces = (0..64).map(|_| Piece { address: rng.u64(0..1 << 20) * 1024, bytes: 1024 });
            let whole = Piece { address: 0x10_0000, bytes: 65536 };
            let pieces: Vec<Piece> = if scattered { scattered_pieces.collect() } else { vec![whole] };
            for piece in &pieces {
                rig.write(*piece, &random_bytes(&mut rng, piece.bytes), width.into());
            }
            rig.finish().unwrap();
            let beats = rig.beats_at();
            let cycles = span(beats);
            // the first burst leaves when its last word is there
            let behind = beats[0] - rig.words_at(bus(p).bursts(pieces[0])[0].1 as usize);
            println!(
                "{width} bytes, scattered {scattered}, {outstanding} outstanding: {} beats in {cycles} cycles, {behind} cycles behind",
                beats.len()
            );
            assert_eq!(beats.len() as u64, cycles, "{width} bytes, scattered {scattered}");
            assert_eq!(behind, 4, "{width}");
        }
    }
}

/// The same with pieces at any address, of which every fourth crosses a page and is two bursts: two more are under way.
#[test]
fn full_rate_at_any_address() {
    for width in WIDTHS {
        let p = params(width, fewest_outstanding(width) + 2);
        let design = burst_writer("writer", p).unwrap();
        let mut engine = jit::simulator(&design);
        let model = MemoryModel { latency: 40, ..MemoryModel::default() };
        let mut rig = rig(&design, &mut engine, (model, [Stalls::Never; 3], 1));
        let rate = rig.rate_at_any_address(&mut Rng::with_seed(seed(5)), width.into()).unwrap();
        println!("{width} bytes, any address: {rate:.4}");
        assert!(rate >= 0.98, "{width} bytes: {rate:.4}");
    }
}
