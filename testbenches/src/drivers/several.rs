//! The Oaken engines that hold several settings, against the golden model: every vector with the setting that it names.

use super::built::build;
use super::oaken::{random_thresholds, random_vector, with_whole_chunks};
use super::settings::{Converts, plain_thresholds};
use super::{Driver, Effort, registers, several_mistakes};
use fastrand::Rng;
use hdl::engine::Engine;
use hw::oaken::{DequantizerAxiPorts, EngineParams, QuantizerAxiPorts};
use sim::bus::{AxiLiteMaster, Bench, BusError, seed};
use sim::golden::oaken::{Thresholds, decode, encode};
use sim::oaken_bench::{Device, Parts, Pauses, Run, dequantize_each, dequantizer, quantize_each, quantizer};

/// Length and thresholds of each number.
type Table = [(usize, Thresholds)];
/// A vector with the number of its setting.
type Named = (usize, Vec<u16>);

/// The quantizer.
pub fn quantizer_driver(name: &str, p: EngineParams) -> Driver {
    let device = build(quantizer(name, p));
    let design = device.design.clone();
    Driver::new(name, design, move |engine, effort| {
        runs(p, effort, |table, vectors, pauses, seed| quantizes(&device, engine, table, vectors, pauses, seed))?;
        keys_and_values(p, |table, vectors| quantizes(&device, engine, table, vectors, Pauses::NEVER, seed(1)))?;
        subnormals(p, effort.seed, |table, vectors| {
            quantizes(&device, engine, table, vectors, Pauses::NEVER, seed(1))
        })?;
        whole_chunks(p, |table, vectors| quantizes(&device, engine, table, vectors, Pauses::NEVER, seed(1)))?;
        refusals(&device, engine, effort.seed)?;
        several_mistakes::quantizer(&device, engine, effort.seed)?;
        registers::test(engine, &device.design, &device.design.ports.s_axil, &device.map, effort.seed)
    })
}

/// The dequantizer.
pub fn dequantizer_driver(name: &str, p: EngineParams) -> Driver {
    let device = build(dequantizer(name, p));
    let design = device.design.clone();
    Driver::new(name, design, move |engine, effort| {
        runs(p, effort, |table, vectors, pauses, seed| dequantizes(&device, engine, table, vectors, pauses, seed))?;
        keys_and_values(p, |table, vectors| dequantizes(&device, engine, table, vectors, Pauses::NEVER, seed(1)))?;
        subnormals(p, effort.seed, |table, vectors| {
            dequantizes(&device, engine, table, vectors, Pauses::NEVER, seed(1))
        })?;
        whole_chunks(p, |table, vectors| dequantizes(&device, engine, table, vectors, Pauses::NEVER, seed(1)))?;
        refusals(&device, engine, effort.seed)?;
        several_mistakes::dequantizer(&device, engine, effort.seed)?;
        registers::test(engine, &device.design, &device.design.ports.s_axil, &device.map, effort.seed)
    })
}

/// Random tables, each with vectors that name its settings in any order.
fn runs(
    p: EngineParams,
    effort: Effort,
    mut run: impl FnMut(&Table, &[Named], Pauses, u64) -> Result<u64, String>,
) -> Result<(), String> {
    let mut rng = Rng::with_seed(effort.seed);
    let most = p.max_length as usize / 64;
    for i in 0..if effort.long { 100 } else { 10 } {
        // many short vectors, or some of any length
        let (longest, count) = if i % 2 == 0 { (most, 12) } else { (most.min(4), 60) };
        let table: Vec<_> =
            (0..p.settings).map(|_| (64 * rng.usize(1..=longest), random_thresholds(&mut rng))).collect();
        let vector = |rng: &mut Rng| {
            let number = rng.usize(0..table.len());
            (number, random_vector(rng, table[number].0, &table[number].1))
        };
        let vectors: Vec<Named> = (0..count).map(|_| vector(&mut rng)).collect();
        // now and then nearly always at the outputs
        let pauses = [Pauses::OFTEN, Pauses::NEVER, Pauses::MOSTLY, Pauses::NEVER][i / 2 % 4];
        run(&table, &vectors, pauses, rng.u64(..)).map_err(|e| format!("run {i}: {e}"))?;
    }
    Ok(())
}

/// Long and short vectors in turn, without outliers: no cycle more than they have beats.
fn keys_and_values(p: EngineParams, run: impl FnOnce(&Table, &[Named]) -> Result<u64, String>) -> Result<(), String> {
    let most = p.max_length as usize;
    let lengths = [most, (most / 2).next_multiple_of(64)];
    let table: Vec<_> = (0..p.settings as usize).map(|i| (lengths[i % 2], plain_thresholds())).collect();
    let value = |i: usize| half::f16::from_f32(if i.is_multiple_of(3) { 0.5 } else { -0.3 }).to_bits();
    let vectors: Vec<Named> = (0..8).map(|i| (i % 2, (0..lengths[i % 2]).map(value).collect())).collect();
    let cycles = run(&table, &vectors).map_err(|e| format!("in turn: {e}"))?;
    let ideal = 4 * (lengths[0] + lengths[1]) as u64 / u64::from(p.lanes);
    if cycles == ideal { Ok(()) } else { Err(format!("in turn: {cycles} cycles, not {ideal}")) }
}

/// Subnormal thresholds of every size, and vectors around them.
fn subnormals(
    p: EngineParams,
    seed: u64,
    mut run: impl FnMut(&Table, &[Named]) -> Result<u64, String>,
) -> Result<(), String> {
    let mut rng = Rng::with_seed(seed.wrapping_add(3));
    for bits in 0..10 {
        let (t, s) = (1u16 << bits, 3u16 << bits >> 1);
        let (t, s) = (t, s.max(t));
        let thresholds = Thresholds::from_bits(0x8000 | s, 0x8000 | t, t, s).expect("legal");
        let table: Vec<_> = (0..p.settings).map(|_| (64, thresholds)).collect();
        let value = |rng: &mut Rng| (rng.u16(0..2) << 15) | rng.u16(0..2 * s + 2);
        let vectors: Vec<Named> = (0..4).map(|i| (i % 2, (0..64).map(|_| value(&mut rng)).collect())).collect();
        run(&table, &vectors).map_err(|e| format!("subnormal thresholds of {bits} bits: {e}"))?;
    }
    Ok(())
}

/// Chunks of outliers only, whose counts are at every byte of a word.
fn whole_chunks(p: EngineParams, run: impl FnOnce(&Table, &[Named]) -> Result<u64, String>) -> Result<(), String> {
    let vectors: Vec<Named> = with_whole_chunks(p).into_iter().enumerate().map(|(i, v)| (i % 2, v)).collect();
    let table: Vec<_> = (0..p.settings).map(|_| (vectors[0].1.len(), plain_thresholds())).collect();
    run(&table, &vectors).map(|_| ()).map_err(|e| format!("whole chunks at every byte: {e}"))
}

/// What every run ends with.
fn ended<T>(run: &Run<T>, count: usize, errors: u64) -> Result<(), String> {
    let says = (run.results.len(), run.vectors, run.errors, run.status);
    let right = says == (count, count as u64, errors, 2);
    if right { Ok(()) } else { Err(format!("results, vectors, errors and status are {says:x?}, not of {count}")) }
}

fn quantizes(
    q: &Device<QuantizerAxiPorts>,
    engine: &mut dyn Engine,
    table: &Table,
    vectors: &[Named],
    pauses: Pauses,
    seed: u64,
) -> Result<u64, String> {
    let named: Vec<(usize, &[u16])> = vectors.iter().map(|(number, v)| (*number, &v[..])).collect();
    let run = quantize_each(q, engine, table, &named, pauses, seed).map_err(|e| e.to_string())?;
    let nonfinite = vectors.iter().any(|(_, v)| v.iter().any(|x| x & 0x7c00 == 0x7c00));
    ended(&run, vectors.len(), u64::from(nonfinite) << 2)?;
    for (i, (got, (number, v))) in run.results.iter().zip(vectors).enumerate() {
        let want = encode(v, q.dense_bits(), &table[*number].1);
        if *got != want.into() {
            return Err(format!("record {i}, of setting {number}, differs"));
        }
    }
    Ok(run.cycles)
}

fn dequantizes(
    d: &Device<DequantizerAxiPorts>,
    engine: &mut dyn Engine,
    table: &Table,
    vectors: &[Named],
    pauses: Pauses,
    seed: u64,
) -> Result<u64, String> {
    let encoded = |(number, v): &Named| {
        let record = encode(v, d.dense_bits(), &table[*number].1);
        (*number, Parts::from(record))
    };
    let records: Vec<(usize, Parts)> = vectors.iter().map(encoded).collect();
    let run = dequantize_each(d, engine, table, &records, pauses, seed).map_err(|e| e.to_string())?;
    ended(&run, vectors.len(), 0)?;
    for (i, (got, (number, record))) in run.results.iter().zip(&records).enumerate() {
        let (n, t) = &table[*number];
        let want = decode(&record.dense, &record.sparse, *n, d.dense_bits(), t).map_err(|e| e.to_string())?;
        if *got != want {
            return Err(format!("vector {i}, of setting {number}, differs"));
        }
    }
    Ok(run.cycles)
}

/// Settings that are not legal and numbers that the table does not have are refused; legal ones are not.
fn refusals<P>(device: &Device<P>, engine: &mut dyn Engine, seed: u64) -> Result<(), String>
where
    Device<P>: Converts,
{
    let refused = refusals_seen(device, engine, seed).map_err(|e| e.to_string())?;
    // numbers of 8 bits: a table of any size lacks some
    if refused == [false, true, false, true] { Ok(()) } else { Err(format!("refused: {refused:?}")) }
}

fn refusals_seen<P>(device: &Device<P>, engine: &mut dyn Engine, seed: u64) -> Result<Vec<bool>, BusError>
where
    Device<P>: Converts,
{
    let mut bench = Bench::new(engine, seed);
    let axil: AxiLiteMaster = Converts::streams(device, &mut bench).0;
    bench.reset()?;
    let last = u64::from(device.params.settings - 1);
    let cases = [(64, last), (65, last), (u64::from(device.params.max_length), 0), (64, last + 1)];
    let mut refused = vec![];
    for (length, number) in cases {
        axil.write(&mut bench, device.address("length"), length)?;
        for store in [0, 0x100] {
            axil.write(&mut bench, device.address("setting"), store | number)?;
        }
        refused.push(axil.read(&mut bench, device.address("errors"))?.1 != 0);
        axil.write(&mut bench, device.address("errors"), 0xff)?;
    }
    Ok(refused)
}
