//! The burst reader and writer: with a memory behind them that stalls, comes late and fails, against what their commands must do.

use super::built::build;
use super::{Driver, Effort};
use fastrand::Rng;
use hdl::engine::Engine;
use hw::memory::burst_reader::burst_reader;
use hw::memory::burst_writer::burst_writer;
use hw::memory::mover::MoverParams;
use sim::burst_bench::{BurstBench, Bus, EngineStalls, Piece, asked, random_bytes};
use sim::bus::Stalls;
use sim::bus::axi4::Response;
use sim::bus::axi4_memory::{MemoryModel, SparseBytes};

/// What a round sends, and where.
struct Round {
    bus: Bus,
    pieces: Vec<Piece>,
    model: MemoryModel,
    stalls: EngineStalls,
    seed: u64,
    rng: Rng,
}

fn rounds(effort: Effort, p: MoverParams) -> impl Iterator<Item = Round> {
    let rounds = if effort.long { 40 } else { 5 };
    (0..rounds).map(move |i| {
        let seed = effort.seed * 1000 + i;
        let mut rng = Rng::with_seed(seed);
        let bus = Bus { beat: p.axi.data_bytes.into(), address_bits: p.axi.address_bits };
        let stalls = [Stalls::Percent(40), Stalls::Never, Stalls::Runs(30)][i as usize % 3];
        // the last round without errors
        let bad = rng.u64(0..1 << 15);
        let range = bad..bad + rng.u64(1..300);
        let errors =
            if i % 5 < 4 { vec![(range, [Response::Slave, Response::Decode][i as usize % 2])] } else { vec![] };
        let (latency, jitter, outstanding) = (rng.u64(1..40), rng.u64(0..30), p.outstanding as usize);
        let model = MemoryModel {
            latency,
            jitter,
            taking: stalls,
            giving: stalls,
            errors,
            outstanding,
            ..MemoryModel::default()
        };
        let near = |rng: &mut Rng| Piece { address: rng.u64(0..1 << 15), bytes: rng.u64(0..6000) };
        let mut pieces: Vec<Piece> =
            (0..30).map(|_| if rng.bool() { near(&mut rng) } else { bus.random_piece(&mut rng, 1500) }).collect();
        let end = u64::MAX >> (64 - bus.address_bits);
        pieces[11] = Piece { address: end - rng.u64(0..5000), bytes: 6000 };
        Round { bus, pieces, model, stalls: [stalls; 3], seed, rng }
    })
}

/// A burst reader.
pub fn reader_driver(name: &str, p: MoverParams) -> Driver {
    let design = build(burst_reader(name, p));
    let held = design.clone();
    Driver::new(name, design, move |engine: &mut dyn Engine, effort| {
        for mut round in rounds(effort, p) {
            let io = &held.ports;
            let settings = (round.model.clone(), round.stalls, round.seed);
            let mut rig =
                BurstBench::reader(&mut *engine, &held, (&io.command, &io.m_axis, &io.done, &io.m_axi), settings);
            rig.bench.reset().map_err(|e| e.to_string())?;
            for piece in &round.pieces {
                rig.memory.bytes.write(piece.address, &random_bytes(&mut round.rng, piece.bytes.min(6000)));
                rig.read(*piece);
            }
            rig.finish()?;
            for (piece, outcome) in round.pieces.iter().zip(rig.outcomes()?) {
                let right = round.bus.read(*piece, &round.model);
                let (got, failed) = rig.packet()?;
                let there = rig.memory.bytes.read(piece.address, got.len());
                let legal = round.bus.read_bytes(*piece, right);
                let long = !legal.contains(&(got.len() as u64));
                if outcome != right || failed != (right.code != 0) || got != there || long {
                    return Err(format!(
                        "seed {}: {piece:x?} gave {} bytes and {outcome:x?}, not {right:x?}",
                        round.seed,
                        got.len()
                    ));
                }
            }
            if round.model.errors.is_empty() && asked(&rig.memory.requests) != bursts(&round) {
                return Err(format!("seed {}: the bursts are not the fewest", round.seed));
            }
        }
        Ok(())
    })
}

/// The bursts of all commands.
fn bursts(round: &Round) -> Vec<(u64, u64)> {
    round.pieces.iter().flat_map(|piece| round.bus.bursts(*piece)).collect()
}

/// A burst writer; some packets are shorter than their commands or longer.
pub fn writer_driver(name: &str, p: MoverParams) -> Driver {
    let design = build(burst_writer(name, p));
    let held = design.clone();
    Driver::new(name, design, move |engine: &mut dyn Engine, effort| {
        for mut round in rounds(effort, p) {
            let io = &held.ports;
            let settings = (round.model.clone(), round.stalls, round.seed);
            let mut rig =
                BurstBench::writer(&mut *engine, &held, (&io.command, &io.s_axis, &io.done, &io.m_axi), settings);
            rig.bench.reset().map_err(|e| e.to_string())?;
            let (mut right, mut outcomes) = (SparseBytes::default(), vec![]);
            for piece in &round.pieces {
                let given = match round.rng.u32(0..6) {
                    0 => round.rng.u64(0..=piece.bytes),
                    1 => piece.bytes + round.rng.u64(0..200),
                    _ => piece.bytes,
                };
                let data = random_bytes(&mut round.rng, given);
                right.write(piece.address, &data[..given.min(piece.bytes) as usize]);
                rig.write(*piece, &data, round.bus.beat);
                outcomes.push(round.bus.write(*piece, given, &round.model));
            }
            rig.finish()?;
            let got = rig.outcomes()?;
            if let Some(i) = (0..got.len()).find(|i| got[*i] != outcomes[*i]) {
                return Err(format!(
                    "seed {}: {:x?} gave {:x?}, not {:x?}",
                    round.seed, round.pieces[i], got[i], outcomes[i]
                ));
            }
            if round.model.errors.is_empty() {
                // what lies beyond the last address is not written
                let end = u64::MAX >> (64 - round.bus.address_bits);
                let inside = |pages: std::collections::BTreeMap<u64, &[u8]>| {
                    pages
                        .into_iter()
                        .filter(|(page, _)| *page <= end / 4096)
                        .map(|(n, page)| (n, page.to_vec()))
                        .collect::<Vec<_>>()
                };
                if inside(rig.memory.bytes.pages()) != inside(right.pages())
                    || asked(&rig.memory.requests) != bursts(&round)
                {
                    return Err(format!("seed {}: other bytes were written, or in more bursts", round.seed));
                }
            }
        }
        Ok(())
    })
}
