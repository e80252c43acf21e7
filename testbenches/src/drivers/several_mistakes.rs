//! The Oaken engines that hold several settings, with mistakes in what comes: what is made of it is right, or at least what comes behind it.

use super::oaken::{random_thresholds, random_vector};
use super::settings::Converts;
use fastrand::Rng;
use hdl::engine::Engine;
use hw::oaken::{DequantizerAxiPorts, EngineParams, QuantizerAxiPorts};
use sim::bus::{AxiLiteMaster, Beat, Bench, BusError, Sink, Source, Stalls, packet, packet_bytes};
use sim::golden::oaken::{Thresholds, decode, encode};
use sim::oaken_bench::{Device, Parts, misfit, numbered, to_bytes};

/// Length and thresholds of each number.
type Table = Vec<(usize, Thresholds)>;
/// A vector with the number of its setting.
type Named = (usize, Vec<u16>);

fn random_table(rng: &mut Rng, p: EngineParams) -> Table {
    let most = p.max_length as usize / 64;
    (0..p.settings).map(|_| (64 * rng.usize(1..=most), random_thresholds(rng))).collect()
}

fn random_vectors(rng: &mut Rng, table: &Table, count: usize) -> Vec<Named> {
    let vector = |rng: &mut Rng| {
        let number = rng.usize(0..table.len());
        (number, random_vector(rng, table[number].0, &table[number].1))
    };
    (0..count).map(|_| vector(rng)).collect()
}

/// An engine with its settings stored.
struct Run<'e, D> {
    device: &'e D,
    bench: Bench<'e>,
    axil: AxiLiteMaster,
    sources: Vec<Source>,
    sinks: Vec<Sink>,
}

impl<'e, P> Run<'e, Device<P>>
where
    Device<P>: Converts,
{
    fn new(
        device: &'e Device<P>,
        engine: &'e mut dyn Engine,
        table: &Table,
        (stalls, seed): (Stalls, u64),
    ) -> Result<Self, BusError> {
        let mut bench = Bench::new(engine, seed);
        let (axil, sources, sinks) = device.streams(&mut bench);
        bench.reset()?;
        device.store(&mut bench, &axil, table)?;
        sources.iter().for_each(|source| bench.stall_source(*source, stalls));
        Ok(Run { device, bench, axil, sources, sinks })
    }
    fn write(&mut self, register: &str, value: u64) -> Result<(), BusError> {
        self.axil.write(&mut self.bench, self.device.address(register), value).map(|_| ())
    }
    fn read(&mut self, register: &str) -> Result<u64, BusError> {
        Ok(self.axil.read(&mut self.bench, self.device.address(register))?.1)
    }
    /// The packets of each output.
    fn packets(&self) -> Vec<Vec<Vec<u8>>> {
        self.sinks.iter().map(|sink| packet_bytes(self.bench.beats(*sink))).collect()
    }
    fn count(&self) -> usize {
        self.packets().iter().map(Vec::len).min().unwrap_or(0)
    }
    /// Runs until so many packets have come at each output, and then until everything stands still.
    fn until(&mut self, count: usize) -> Result<(), String> {
        for _ in 0..1000 {
            self.bench.run(50).map_err(|e| e.to_string())?;
            if self.count() >= count {
                break;
            }
        }
        self.bench.run(200).map_err(|e| e.to_string())?;
        let (got, status) = (self.count(), self.read("status").map_err(|e| e.to_string())?);
        if (got, status) == (count, 2) { Ok(()) } else { Err(format!("{got} of {count} vectors, status {status}")) }
    }
    /// Everything is dropped, and what is under way leaves; the outputs, which may have stood still, take it.
    fn flush(&mut self) -> Result<(), String> {
        let words = |e: BusError| e.to_string();
        self.write("flush", 1).map_err(words)?;
        self.bench.run(20).map_err(words)?;
        self.sinks.iter().for_each(|sink| self.bench.stall_sink(*sink, Stalls::Never));
        self.bench.run(3000).map_err(words)?;
        let left: usize = self.sources.iter().map(|source| self.bench.unsent(*source)).sum();
        let status = self.read("status").map_err(words)?;
        self.write("flush", 0).map_err(words)?;
        if (left, status) == (0, 2) { Ok(()) } else { Err(format!("flushed, {left} beats are left, status {status}")) }
    }
}

/// Vectors that are too short, too long, or hang together, then whole ones: each becomes what its setting says. Then vectors in whose
/// middle the engine is flushed.
pub(super) fn quantizer(q: &Device<QuantizerAxiPorts>, engine: &mut dyn Engine, seed: u64) -> Result<(), String> {
    for stalls in [Stalls::Never, Stalls::Percent(60)] {
        misfits(q, engine, seed, stalls).map_err(|e| format!("vectors of other lengths, {stalls:?}: {e}"))?;
        for round in 0..9 {
            quantizer_flushed(q, engine, seed, stalls, round).map_err(|e| format!("flush {round}, {stalls:?}: {e}"))?;
        }
    }
    Ok(())
}

/// The beats of what is sent as one packet.
fn beats_of(q: &Device<QuantizerAxiPorts>, number: usize, elements: &[u16]) -> Vec<Beat> {
    numbered(misfit(elements, q.params.lanes), Some(number))
}

fn misfits(q: &Device<QuantizerAxiPorts>, engine: &mut dyn Engine, seed: u64, stalls: Stalls) -> Result<(), String> {
    let mut rng = Rng::with_seed(seed);
    let (table, lanes) = (random_table(&mut rng, q.params), q.params.lanes as usize);
    let mut run = Run::new(q, engine, &table, (stalls, seed)).map_err(|e| e.to_string())?;
    let (mut want, mut flags) = (vec![], 0);
    for i in 0..40 {
        let number = rng.usize(0..table.len());
        let (n, t) = &table[number];
        let length =
            [*n, lanes, n + lanes, 2 * n, 3 * n + lanes, *n, n - lanes.min(n - 1)][i % 7].next_multiple_of(lanes);
        let mut vector = random_vector(&mut rng, length, t);
        run.bench.send(run.sources[0], beats_of(q, number, &vector));
        flags |= u64::from(length < *n) | u64::from(length > *n) << 1;
        vector.resize(*n, 0);
        let zeros = (length.max(*n) - n) / n;
        flags |= u64::from(vector.iter().any(|x| x & 0x7c00 == 0x7c00)) << 2;
        want.extend(std::iter::once(vector).chain(vec![vec![0; *n]; zeros]).map(|v| encode(&v, q.dense_bits(), t)));
    }
    run.until(want.len())?;
    let errors = run.read("errors").map_err(|e| e.to_string())?;
    let got = run.packets();
    let differs = (0..want.len()).find(|&i| (&got[0][i], &got[1][i]) != (&want[i].dense, &want[i].sparse));
    match differs {
        Some(i) => Err(format!("record {i} differs")),
        None if errors != flags => Err(format!("errors {errors:#x}, not {flags:#x}")),
        None => Ok(()),
    }
}

fn quantizer_flushed(
    q: &Device<QuantizerAxiPorts>,
    engine: &mut dyn Engine,
    seed: u64,
    stalls: Stalls,
    round: u64,
) -> Result<(), String> {
    let mut rng = Rng::with_seed(seed + round);
    let (table, lanes) = (random_table(&mut rng, q.params), q.params.lanes as usize);
    let mut run = Run::new(q, engine, &table, (stalls, seed)).map_err(|e| e.to_string())?;
    // an open vector, surplus that goes on, or short ones, for whose zeros there is no room
    let (n, _) = table[0];
    let kinds = [rng.usize(0..n / lanes).max(1), 1 + rng.usize(n / lanes..2 * n / lanes), 1];
    let elements = vec![0x3800; lanes * kinds[round as usize % 3]];
    for _ in 0..if round % 3 == 2 { 60 } else { 1 } {
        let mut beats = beats_of(q, 0, &elements);
        if let Some(last) = beats.last_mut().filter(|_| round % 3 < 2) {
            last.0[2] = 0u32.into();
        }
        run.bench.send(run.sources[0], beats);
    }
    if round % 3 == 2 {
        run.sinks.iter().for_each(|sink| run.bench.stall_sink(*sink, Stalls::Always));
    }
    run.bench.run(rng.u64(0..400)).map_err(|e| e.to_string())?;
    run.flush()?;
    let before = run.count();
    let vectors = random_vectors(&mut rng, &table, 2);
    vectors.iter().for_each(|(number, v)| run.bench.send(run.sources[0], beats_of(q, *number, v)));
    run.until(before + 2)?;
    let right = |i: usize, (number, v): &Named| {
        let want = encode(v, q.dense_bits(), &table[*number].1);
        let got = run.packets();
        (&got[0][before + i], &got[1][before + i]) == (&want.dense, &want.sparse)
    };
    let right = vectors.iter().enumerate().all(|(i, vector)| right(i, vector));
    if right { Ok(()) } else { Err("a record behind it differs".into()) }
}

/// What can be wrong with a record.
#[derive(Clone, Copy, Debug)]
enum Mistake {
    DenseLastLost,
    SparseLastLost,
    SparseCut,
    /// What no header begins with.
    SparseSurplus,
    /// What looks like a header, and no record behind it.
    HeaderLike,
    DenseCut,
    DenseSurplus,
    Count,
    Header,
}

const MISTAKES: [Mistake; 9] = [
    Mistake::DenseLastLost,
    Mistake::SparseLastLost,
    Mistake::SparseCut,
    Mistake::SparseSurplus,
    Mistake::HeaderLike,
    Mistake::DenseCut,
    Mistake::DenseSurplus,
    Mistake::Count,
    Mistake::Header,
];

/// Bits of the dequantizer's register `errors`.
const HEADER: u64 = 1;
const COUNT: u64 = 2;
const ORDER: u64 = 4;
const SPARSE_LENGTH: u64 = 8;
const DENSE_LENGTH: u64 = 16;
const PARTIAL: u64 = 32;

impl Mistake {
    /// The error that it raises, and those that may come with it.
    fn errors(self, p: EngineParams) -> (u64, u64) {
        // the bytes that the last word or beat lacks are missing in the middle of what hangs together
        let partial_dense = if p.dense_ends_within() { PARTIAL } else { 0 };
        match self {
            Mistake::DenseLastLost => (DENSE_LENGTH, partial_dense),
            Mistake::SparseLastLost => (SPARSE_LENGTH, PARTIAL),
            Mistake::SparseCut | Mistake::SparseSurplus => (SPARSE_LENGTH, 0),
            // what looks like a record has any counts and positions, and the next dense part may have another length than its setting
            Mistake::HeaderLike => (SPARSE_LENGTH, HEADER | COUNT | ORDER | DENSE_LENGTH),
            Mistake::DenseCut | Mistake::DenseSurplus => (DENSE_LENGTH, 0),
            // 64 entries are read, and what is behind them is no count
            Mistake::Count => (COUNT, HEADER | ORDER | SPARSE_LENGTH),
            Mistake::Header => (HEADER, 0),
        }
    }
}

/// Mistakes of each kind in some of eight records: every vector comes, what is wrong is flagged and nothing else, and the last ones are
/// right. Then records in whose middle the engine is flushed.
pub(super) fn dequantizer(d: &Device<DequantizerAxiPorts>, engine: &mut dyn Engine, seed: u64) -> Result<(), String> {
    for stalls in [Stalls::Never, Stalls::Percent(60)] {
        for (i, mistake) in MISTAKES.iter().flat_map(|m| [m; 3]).enumerate() {
            wrong_records(d, engine, seed + i as u64, stalls, *mistake)
                .map_err(|e| format!("{mistake:?}, {stalls:?}: {e}"))?;
        }
        for round in 0..12 {
            dequantizer_flushed(d, engine, seed + round, stalls)
                .map_err(|e| format!("flush {round}, {stalls:?}: {e}"))?;
        }
    }
    Ok(())
}

/// The beats of both parts of a record.
fn parts_of(d: &Device<DequantizerAxiPorts>, (number, record): &(usize, Parts)) -> [Vec<Beat>; 2] {
    let [dense, sparse] = [(&record.dense, d.params.dense_bytes()), (&record.sparse, d.params.sparse_bytes())]
        .map(|(part, width)| packet(part, width as usize));
    [dense, numbered(sparse, Some(*number))]
}

/// Makes the mistake in the bytes of a record; those that only a last shows are made in its beats.
fn spoil(d: &Device<DequantizerAxiPorts>, rng: &mut Rng, record: &mut Parts, mistake: Mistake) {
    let (word, beat) = (d.params.sparse_bytes() as usize, d.params.dense_bytes() as usize);
    match mistake {
        Mistake::DenseLastLost | Mistake::SparseLastLost => (),
        Mistake::SparseCut => record.sparse.truncate(rng.usize(8..record.sparse.len())),
        Mistake::SparseSurplus | Mistake::HeaderLike => {
            record.sparse.resize(record.sparse.len().next_multiple_of(word), 0);
            let header = [0, 15, 0, 0, 0, 0, 0, ((d.params.dense_bits ^ 4) << 4) as u8];
            match mistake {
                Mistake::HeaderLike => record.sparse.extend(header.into_iter().chain(vec![200; rng.usize(1..word)])),
                _ => record.sparse.extend(vec![0xff; rng.usize(1..3 * word)]),
            }
        }
        Mistake::DenseCut => record.dense.truncate(beat * rng.usize(1..=record.dense.len().div_ceil(beat))),
        Mistake::DenseSurplus => record.dense.resize(record.dense.len().next_multiple_of(beat) + beat, 0x5a),
        Mistake::Count => record.sparse[8] = rng.u8(65..),
        Mistake::Header => record.sparse[7] ^= 0x80,
    }
}

fn wrong_records(
    d: &Device<DequantizerAxiPorts>,
    engine: &mut dyn Engine,
    seed: u64,
    stalls: Stalls,
    mistake: Mistake,
) -> Result<(), String> {
    let mut rng = Rng::with_seed(seed);
    let mut table = random_table(&mut rng, d.params);
    if matches!(mistake, Mistake::DenseSurplus) {
        // a beat may be as long as the shortest vector, and would stand for the next one
        table.iter_mut().for_each(|(n, _)| *n = (*n).max(128));
    }
    let mut run = Run::new(d, engine, &table, (stalls, seed)).map_err(|e| e.to_string())?;
    let records = random_records(d, &mut rng, &table, 8);
    let mut spoilt = matches!(mistake, Mistake::DenseLastLost | Mistake::SparseLastLost);
    for (i, (number, right)) in records.iter().enumerate() {
        let (wrong, mut sent) = (i < 5 && i % 3 != 1, (*number, right.clone()));
        if wrong {
            spoil(d, &mut rng, &mut sent.1, mistake);
            // a dense part that is cut at its very end is whole
            spoilt |= sent.1 != *right;
        }
        let mut parts = parts_of(d, &sent);
        let lost = match mistake {
            Mistake::DenseLastLost => Some(0),
            Mistake::SparseLastLost => Some(1),
            _ => None,
        };
        if let Some(last) = lost.filter(|_| wrong).and_then(|part: usize| parts[part].last_mut()) {
            last.0[2] = 0u32.into();
        }
        parts.into_iter().zip(&run.sources).for_each(|(beats, source)| run.bench.send(*source, beats));
    }
    run.until(records.len())?;
    let errors = run.read("errors").map_err(|e| e.to_string())?;
    let (raised, allowed) = mistake.errors(d.params);
    let required = if spoilt { raised } else { 0 };
    if errors & !allowed != required {
        return Err(format!("errors {errors:#x}, not {required:#x} with some of {allowed:#x}"));
    }
    last_are_right(d, &run.packets()[0], &records[6..], &table)
}

fn random_records(d: &Device<DequantizerAxiPorts>, rng: &mut Rng, table: &Table, count: usize) -> Vec<(usize, Parts)> {
    let record = |(number, v): Named| {
        let record = encode(&v, d.dense_bits(), &table[number].1);
        let mut parts = Parts::from(record);
        // a header without steps is taken for padding
        if parts.sparse[..7].iter().all(|x| *x == 0) {
            parts.sparse[1] = 15;
        }
        (number, parts)
    };
    random_vectors(rng, table, count).into_iter().map(record).collect()
}

/// The last vectors are those of these records.
fn last_are_right(
    d: &Device<DequantizerAxiPorts>,
    got: &[Vec<u8>],
    records: &[(usize, Parts)],
    table: &Table,
) -> Result<(), String> {
    for (i, (got, (number, record))) in got[got.len() - records.len()..].iter().zip(records).enumerate() {
        let (n, t) = &table[*number];
        let want = decode(&record.dense, &record.sparse, *n, d.dense_bits(), t).map_err(|e| e.to_string())?;
        if *got != to_bytes(&want) {
            return Err(format!("vector {i} of the last {} differs", records.len()));
        }
    }
    Ok(())
}

fn dequantizer_flushed(
    d: &Device<DequantizerAxiPorts>,
    engine: &mut dyn Engine,
    seed: u64,
    stalls: Stalls,
) -> Result<(), String> {
    let mut rng = Rng::with_seed(seed);
    let table = random_table(&mut rng, d.params);
    let mut run = Run::new(d, engine, &table, (stalls, seed)).map_err(|e| e.to_string())?;
    for record in random_records(d, &mut rng, &table, 3) {
        for (mut beats, source) in parts_of(d, &record).into_iter().zip(run.sources.clone()) {
            if let Some(last) = beats.last_mut().filter(|_| rng.bool()) {
                last.0[2] = 0u32.into();
            }
            beats.truncate(rng.usize(0..=beats.len()));
            run.bench.send(source, beats);
        }
    }
    run.bench.run(rng.u64(0..150)).map_err(|e| e.to_string())?;
    run.flush()?;
    let before = run.count();
    let records = random_records(d, &mut rng, &table, 3);
    for record in &records {
        parts_of(d, record).into_iter().zip(&run.sources).for_each(|(beats, source)| run.bench.send(*source, beats));
    }
    run.until(before + records.len())?;
    last_are_right(d, &run.packets()[0], &records, &table)
}
