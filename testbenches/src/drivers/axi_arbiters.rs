//! The arbiters of AXI4: masters that read or write at random, and a memory that answers late and in any order.

use super::built::build;
use super::{Driver, Effort};
use fastrand::Rng;
use hdl::engine::Engine;
use hw::memory::axi::AxiParams;
use hw::memory::axi_read_arbiter::axi_read_arbiter;
use hw::memory::axi_write_arbiter::axi_write_arbiter;
use sim::burst_bench::random_bytes;
use sim::bus::axi4::{BurstKind, Channel, Request};
use sim::bus::axi4_memory::{Axi4Memory, MemoryModel, SparseBytes};
use sim::bus::{Beat, Bench, Sink, Source, Stalls};
use std::collections::HashMap;

const STALLS: [Stalls; 3] = [Stalls::Percent(40), Stalls::Never, Stalls::Runs(20)];
const REQUESTS: usize = 20;

/// The rounds of a test: seeds.
fn rounds(effort: Effort) -> impl Iterator<Item = u64> {
    (0..if effort.long { 40 } else { 4 }).map(move |i| effort.seed * 1000 + i)
}

fn memory(seed: u64) -> Axi4Memory {
    let (taking, giving) = (STALLS[seed as usize % 3], STALLS[(seed as usize + 1) % 3]);
    let model = MemoryModel {
        latency: 5,
        jitter: 30,
        reorders: true,
        outstanding: 1000,
        taking,
        giving,
        ..MemoryModel::default()
    };
    Axi4Memory::new(model, seed)
}

/// A burst within a page, of whole beats, by the master with this number.
fn request(rng: &mut Rng, p: AxiParams, master: usize) -> Request {
    let beat = u64::from(p.data_bytes);
    let (page, first) = (rng.u64(0..4), rng.u64(0..4096 / beat));
    let len = rng.u64(0..(4096 / beat - first).min(24));
    let address = (master as u64 * 4 + page) * 4096 + first * beat;
    let (id, size) = (rng.u64(0..1 << p.id_bits), u64::from(p.data_bytes.ilog2()));
    Request { id, address, len, size, burst: BurstKind::Incrementing, cache: 3 }
}

/// Runs until every sink has so many beats.
fn finish(bench: &mut Bench, memory: &mut Axi4Memory, sinks: &[(Sink, usize)]) -> Result<(), String> {
    while sinks.iter().any(|(sink, beats)| bench.beats(*sink).len() < *beats) {
        memory.step(bench).map_err(|e| e.to_string())?;
        bench.step().map_err(|e| e.to_string())?;
        if bench.cycle() > 100_000 {
            return Err("requests are not answered".into());
        }
    }
    memory.step(bench).map_err(|e| e.to_string())?;
    if memory.is_idle() { Ok(()) } else { Err("more was asked than the masters did".into()) }
}

/// A channel of a master that gives, and one that takes.
fn source(bench: &mut Bench, channel: &Channel, seed: u64) -> Source {
    bench.source_at(channel.ports.clone(), STALLS[seed as usize % 3])
}

fn sink(bench: &mut Bench, channel: &Channel, seed: u64) -> Sink {
    bench.sink_at(channel.ports.clone(), STALLS[(seed as usize + 2) % 3])
}

/// A read arbiter.
pub fn read_driver(name: &str, masters: u32, p: AxiParams) -> Driver {
    let design = build(axi_read_arbiter(name, masters, p));
    let held = design.clone();
    Driver::new(name, design, move |engine: &mut dyn Engine, effort| {
        rounds(effort).try_for_each(|seed| {
            let mut rng = Rng::with_seed(seed);
            let (mut bench, mut memory) = (Bench::new(&mut *engine, seed), memory(seed));
            memory.bytes.write(0, &random_bytes(&mut rng, u64::from(masters) << 14));
            memory.read_port(&mut bench, &held, &held.ports.m_axi);
            let (mut sinks, mut sent) = (vec![], vec![]);
            for (i, bus) in held.ports.s_axi.iter().enumerate() {
                let [ar, r] = ["ar", "r"].map(|prefix| Channel::of(&held, bus, prefix));
                let requests: Vec<Request> = (0..REQUESTS).map(|_| request(&mut rng, p, i)).collect();
                let (asks, gets) = (source(&mut bench, &ar, seed + i as u64), sink(&mut bench, &r, seed));
                bench.send(asks, requests.iter().map(|x| ar.request_beat(x)));
                sinks.push((gets, requests.iter().map(|x| x.beats() as usize).sum()));
                sent.push((requests, r));
            }
            bench.reset().map_err(|e| e.to_string())?;
            finish(&mut bench, &mut memory, &sinks)?;
            for (i, ((requests, r), (gets, _))) in sent.iter().zip(&sinks).enumerate() {
                read_right(requests, r, bench.beats(*gets), &memory.bytes, p)
                    .map_err(|e| format!("seed {seed}, master {i}: {e}"))?;
            }
            Ok(())
        })
    })
}

/// The data of each ID in the order of its requests.
fn read_right(
    requests: &[Request],
    r: &Channel,
    beats: &[Beat],
    memory: &SparseBytes,
    p: AxiParams,
) -> Result<(), String> {
    let mut due: HashMap<u64, Vec<(u64, bool)>> = HashMap::new();
    for x in requests {
        due.entry(x.id).or_default().extend((0..x.beats()).map(|i| (x.bytes_of(i).0, i == x.len)));
    }
    due.values_mut().for_each(|list| list.reverse());
    for beat in beats {
        let got = r.read_beat(beat);
        let (address, last) = due.get_mut(&got.id).and_then(Vec::pop).ok_or(format!("data with the ID {}", got.id))?;
        let right = hdl::BigUint::from_bytes_le(&memory.read(address, p.data_bytes as usize));
        if got.data != right || got.last != last {
            return Err(format!("data of {address:#x}: {got:x?}"));
        }
    }
    Ok(())
}

/// A write arbiter.
pub fn write_driver(name: &str, masters: u32, p: AxiParams) -> Driver {
    let design = build(axi_write_arbiter(name, masters, p));
    let held = design.clone();
    Driver::new(name, design, move |engine: &mut dyn Engine, effort| {
        rounds(effort).try_for_each(|seed| {
            let mut rng = Rng::with_seed(seed);
            let (mut bench, mut memory) = (Bench::new(&mut *engine, seed), memory(seed));
            memory.write_port(&mut bench, &held, &held.ports.m_axi);
            let (mut sinks, mut right, mut ids) = (vec![], SparseBytes::default(), vec![]);
            for (i, bus) in held.ports.s_axi.iter().enumerate() {
                let [aw, w, b] = ["aw", "w", "b"].map(|prefix| Channel::of(&held, bus, prefix));
                let requests: Vec<Request> = (0..REQUESTS).map(|_| request(&mut rng, p, i)).collect();
                let (asks, gives) = (source(&mut bench, &aw, seed + i as u64), source(&mut bench, &w, seed + 1));
                bench.send(asks, requests.iter().map(|x| aw.request_beat(x)));
                for x in &requests {
                    let bytes = random_bytes(&mut rng, x.beats() * u64::from(p.data_bytes));
                    right.write(x.address, &bytes);
                    let words = bytes.chunks(p.data_bytes as usize).enumerate();
                    bench.send(gives, words.map(|(i, word)| w.write_data(word, i as u64 == x.len)));
                }
                sinks.push((sink(&mut bench, &b, seed), REQUESTS));
                let mut own: Vec<u64> = requests.iter().map(|x| x.id).collect();
                own.sort();
                ids.push((own, b));
            }
            bench.reset().map_err(|e| e.to_string())?;
            finish(&mut bench, &mut memory, &sinks)?;
            for (i, ((own, b), (sink, _))) in ids.iter().zip(&sinks).enumerate() {
                let mut got: Vec<u64> = bench.beats(*sink).iter().map(|beat| b.write_response(beat).id).collect();
                got.sort();
                if got != *own {
                    return Err(format!("seed {seed}, master {i}: responses with the IDs {got:?}, not {own:?}"));
                }
            }
            if memory.bytes.pages() != right.pages() {
                return Err(format!("seed {seed}: other bytes were written"));
            }
            Ok(())
        })
    })
}
