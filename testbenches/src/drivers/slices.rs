//! Slice splitter and slice framer: every byte, every length and every flag, of records and histories that are right or wrong.

use super::built::build;
use super::{Driver, Effort};
use fastrand::Rng;
use hdl::Design;
use hdl::engine::Engine;
use hw::oaken::{SliceFramerPorts, SliceParams, SliceSplitterPorts, slice_framer, slice_splitter};
use sim::bus::{Beat, Bench, Sink, Source, Stalls, packet, packet_bytes};
use sim::golden::slices::{Parts, Shape, any_count, damage, history, tenth};

/// Stalls of dense and sparse side where they come in, and of both outputs.
const STALLS: [[Stalls; 4]; 4] = [
    [Stalls::Never; 4],
    [Stalls::Percent(20), Stalls::Percent(50), Stalls::Percent(30), Stalls::Percent(50)],
    [Stalls::Never, Stalls::Runs(40), Stalls::Runs(30), Stalls::Never],
    [Stalls::Runs(30), Stalls::Never, Stalls::Never, Stalls::Runs(20)],
];

/// Runs a test under all stalls, each time from a reset in the midst of what was before.
fn rounds(effort: Effort, mut round: impl FnMut(u64, [Stalls; 4]) -> Result<(), String>) -> Result<(), String> {
    let rounds = if effort.long { 40 } else { 4 };
    (0..rounds).try_for_each(|i| {
        let (seed, stalls) = (effort.seed * 1000 + i, STALLS[i as usize % STALLS.len()]);
        round(seed, stalls).map_err(|e| format!("{stalls:?}, seed {seed}: {e}"))
    })
}

fn shape(p: SliceParams, heads: u32) -> Shape {
    Shape { heads: heads as usize, chunks: p.chunks() as usize, bits: p.engine.dense_bits as usize }
}

/// So many of the paper's shares and of all others, each third one wrong.
fn records(rng: &mut Rng, shape: Shape) -> Vec<Parts> {
    let record = |i: u32| {
        let mut record = shape.record(rng, if i < 2 { tenth } else { any_count });
        match i {
            3 => damage(rng, &mut record.sparse),
            5 => damage(rng, &mut record.dense),
            _ => (),
        }
        record
    };
    (0..7).map(record).collect()
}

/// A slice splitter.
pub fn splitter_driver(name: &str, heads: u32, p: SliceParams) -> Driver {
    let design = build(slice_splitter(name, heads, p));
    let held = design.clone();
    Driver::new(name, design, move |engine, effort| {
        rounds(effort, |seed, stalls| split(engine, &held, (heads, p), stalls, seed))
    })
}

fn split(
    engine: &mut dyn Engine,
    design: &Design<SliceSplitterPorts>,
    (heads, p): (u32, SliceParams),
    stalls: [Stalls; 4],
    seed: u64,
) -> Result<(), String> {
    let (io, mut bench) = (&design.ports, Bench::new(engine, seed));
    let dense = bench.source(design, &io.s_axis_dense, stalls[0]);
    let sparse = bench.source(design, &io.s_axis_sparse, stalls[1]);
    let data = bench.sink(design, &io.m_axis, stalls[2]);
    let items = bench.sink(design, &io.slice, stalls[3]);
    bench.reset().map_err(|e| e.to_string())?;
    let (mut beats, mut lengths) = (vec![], vec![]);
    for record in records(&mut Rng::with_seed(seed), shape(p, heads)) {
        bench.send(dense, packet(&record.dense, p.engine.dense_bytes() as usize));
        bench.send(sparse, packet(&record.sparse, p.engine.sparse_bytes() as usize));
        let (slices, wrong) = shape(p, heads).cut(&record);
        for (i, slice) in slices.iter().enumerate() {
            let last = i + 1 == slices.len();
            for (part, last) in [(&slice.sparse, false), (&slice.dense, last)] {
                beats.extend(packet(part, p.bus_bytes as usize));
                lengths.push(Beat::from([part.len() as u64, last.into(), (last && wrong).into()]));
            }
        }
    }
    let limit = 1000 + 20 * beats.len() as u64;
    bench.run_until_received(data, beats.len(), limit).map_err(|e| e.to_string())?;
    bench.run(60).map_err(|e| e.to_string())?;
    same("packets", bench.beats(data), &beats)?;
    same("lengths", bench.beats(items), &lengths)?;
    let early = stalls[3] == Stalls::Never && begins_before_its_item(&bench, data, items);
    if early { Err("a packet begins before its length is told".into()) } else { Ok(()) }
}

fn begins_before_its_item(bench: &Bench, data: Sink, items: Sink) -> bool {
    let (beats, cycles) = (bench.beats(data), bench.received_at(data));
    let begins = (0..beats.len()).filter(|i| *i == 0 || beats[i - 1].field(2) == 1).map(|i| cycles[i]);
    begins.zip(bench.received_at(items)).any(|(packet, item)| packet < *item)
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, got: &[T], expected: &[T]) -> Result<(), String> {
    let different = got.iter().zip(expected).position(|(got, expected)| got != expected);
    match different {
        Some(i) => Err(format!("{what}, {i}: {:?}, not {:?}", got[i], expected[i])),
        None if got.len() != expected.len() => Err(format!("{what}: {}, not {}", got.len(), expected.len())),
        None => Ok(()),
    }
}

/// A slice framer.
pub fn framer_driver(name: &str, p: SliceParams) -> Driver {
    let design = build(slice_framer(name, p));
    let held = design.clone();
    Driver::new(name, design, move |engine, effort| {
        rounds(effort, |seed, stalls| frame(engine, &held, p, stalls, seed))
    })
}

/// A framer with its surroundings.
struct Framing<'e> {
    bench: Bench<'e>,
    inputs: [Source; 2],
    histories: Source,
    outputs: [Sink; 2],
    /// `ended_early`, `count_error`, `enough_dense`, `enough_sparse`.
    flags: [usize; 4],
    /// Cycles of each.
    seen: [u64; 4],
    /// The parts of records that must have come.
    expected: [Vec<Vec<u8>>; 2],
    /// What goes with each of them.
    users: Vec<u64>,
    p: SliceParams,
}

fn frame(
    engine: &mut dyn Engine,
    design: &Design<SliceFramerPorts>,
    p: SliceParams,
    stalls: [Stalls; 4],
    seed: u64,
) -> Result<(), String> {
    let (io, mut bench) = (&design.ports, Bench::new(engine, seed));
    let inputs =
        [bench.source(design, &io.s_axis_dense, stalls[0]), bench.source(design, &io.s_axis_sparse, stalls[1])];
    let outputs = [bench.sink(design, &io.m_axis_dense, stalls[2]), bench.sink(design, &io.m_axis_sparse, stalls[3])];
    let histories = bench.source(design, &io.history, Stalls::Never);
    let flags = [io.ended_early, io.count_error, io.enough_dense, io.enough_sparse];
    let flags = flags.map(|flag| design.port_index(flag).expect("a port"));
    bench.reset().map_err(|e| e.to_string())?;
    let mut framing = Framing {
        bench,
        inputs,
        histories,
        outputs,
        flags,
        seen: [0; 4],
        expected: [vec![], vec![]],
        users: vec![],
        p,
    };
    let mut rng = Rng::with_seed(seed);
    (0..12).try_for_each(|kind| framing.history(&mut rng, kind))
}

impl Framing<'_> {
    /// Sends a history: right, longer than is wanted, cut short, without a slice, or with a wrong count.
    fn history(&mut self, rng: &mut Rng, kind: u32) -> Result<(), String> {
        let of_slice = shape(self.p, 1);
        let count = if kind == 0 { tenth } else { any_count };
        let slices: Vec<Parts> = (0..[12, 5, 0][kind as usize % 3]).map(|_| of_slice.record(rng, count)).collect();
        let mut parts = history(&slices);
        let tokens = if kind < 3 { slices.len() } else { rng.usize(0..=slices.len() + 1) };
        match kind {
            4 | 7 => parts.dense.truncate(rng.usize(0..=parts.dense.len())),
            6 | 9 => parts.sparse.truncate(rng.usize(0..=parts.sparse.len())),
            10 => parts.sparse[8] = rng.u8(65..),
            _ => (),
        }
        let failed = [[false; 2], [kind == 7, kind == 9]][usize::from(kind > 6)];
        let (records, missing, wrong_count) = of_slice.frame(&parts, tokens);
        let user = rng.u64(0..1 << self.p.tag_bits);
        self.users.extend(vec![user; tokens]);
        match self.p.tag_bits {
            0 => self.bench.send(self.histories, [[tokens as u64]]),
            _ => self.bench.send(self.histories, [[tokens as u64, user]]),
        }
        for (i, part) in [&parts.dense, &parts.sparse].into_iter().enumerate() {
            self.bench.send(self.inputs[i], with_user(part, self.p.bus_bytes as usize, failed[i]));
        }
        self.expected[0].extend(records.iter().map(|record| record.dense.clone()));
        self.expected[1].extend(records.iter().map(|record| record.sparse.clone()));
        let before = self.seen;
        self.all_comes()?;
        // of a packet that ends without bytes, that may be what is dropped
        let [early, count, dense, sparse] = [0, 1, 2, 3].map(|i| self.seen[i] > before[i]);
        let surplus =
            [(dense, parts.dense.len(), 0), (sparse, parts.sparse.len(), 1)].into_iter().all(|(told, bytes, i)| {
                let used: usize = records.iter().map(|record| [record.dense.len(), record.sparse.len()][i]).sum();
                told == (bytes > used) || failed[i] || (tokens == 0 && bytes == 0)
            });
        // where reading failed in what is not wanted any more, it may be told or not
        let right = count == wrong_count && surplus && (early == missing || (early && failed != [false; 2]));
        let told = (early, count, dense, sparse);
        if right {
            Ok(())
        } else {
            Err(format!("history {kind}: flags {told:?}; missing {missing}, count {wrong_count}"))
        }
    }

    /// Until all is there; and nothing else comes.
    fn all_comes(&mut self) -> Result<(), String> {
        let width = [self.p.engine.dense_bytes() as usize, self.p.engine.sparse_bytes() as usize];
        let beats = [0, 1].map(|i| self.expected[i].iter().map(|part| part.len().div_ceil(width[i])).sum::<usize>());
        let limit = self.bench.cycle() + 1000 + 40 * beats.iter().sum::<usize>() as u64;
        let mut rest = 60;
        while rest > 0 {
            let there = (0..2).all(|i| self.bench.beats(self.outputs[i]).len() >= beats[i]);
            let taken = self.inputs.iter().all(|input| self.bench.unsent(*input) == 0);
            rest -= u64::from(there && taken);
            if self.bench.cycle() > limit {
                return Err("not everything comes".into());
            }
            self.bench.step().map_err(|e| e.to_string())?;
            for (flag, seen) in self.flags.iter().zip(&mut self.seen) {
                *seen += self.bench.engine.peek(*flag);
            }
        }
        for (i, name) in ["dense", "sparse"].into_iter().enumerate() {
            let mut got = self.bench.beats(self.outputs[i]).to_vec();
            let ends = got.iter().filter(|beat| beat.0.len() > 3 && beat.field(2) == 1);
            let users: Vec<u64> = ends.map(|beat| beat.field(3)).collect();
            got.iter_mut().for_each(|beat| beat.0.truncate(3));
            same(name, &packet_bytes(&got), &self.expected[i])?;
            same("beats", &[got.len()], &[beats[i]])?;
            if i == 1 && self.p.tag_bits > 0 {
                same("tuser", &users, &self.users)?;
            }
        }
        Ok(())
    }
}

/// A packet whose last beat says whether reading failed.
fn with_user(bytes: &[u8], beat: usize, failed: bool) -> Vec<Beat> {
    let mut beats = if bytes.is_empty() { vec![Beat::from([0, 0, 1])] } else { packet(bytes, beat) };
    if failed && !bytes.is_empty() && bytes.len().is_multiple_of(beat) {
        // the packet ends without bytes, as that of the burst reader does
        beats.last_mut().expect("a beat").0[2] = 0u32.into();
        beats.push(Beat::from([0, 0, 1]));
    }
    let count = beats.len();
    beats.iter_mut().enumerate().for_each(|(i, beat)| beat.0.push(u32::from(failed && i + 1 == count).into()));
    beats
}
