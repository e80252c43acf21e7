//! The dequantizer's flags counted: under stalls on all ports a fault raises its own flag, once, and none of the others. (What is not in
//! order raises its flag with every beat of the chunk that is not, and never more often than that.)
//!
//! A flag is cleared as soon as it is seen, as software that counts would do it. What holds one through a stall, or raises it again, is
//! counted more than once; two raises between two looks, some twenty cycles apart, count as one.

use super::Effort;
use super::dequantizer_records::{elements, encoded};
use super::settings::{self, Converts, plain_thresholds};
use hdl::engine::Engine;
use hw::oaken::DequantizerAxiPorts;
use sim::bus::{AxiLiteMaster, Beat, Bench, BusError, Sink, Source, Stalls, packet, packet_bytes};
use sim::golden::oaken::Thresholds;
use sim::oaken_bench::{Device, Parts};

/// Elements of the vectors.
const LENGTH: usize = 128;

/// Flags of the register `errors`, by bit.
const FLAGS: [&str; 6] = ["header", "count", "order", "sparse_length", "dense_length", "partial"];

/// How dense part, sparse part and elements stall.
const STALLS: [[Stalls; 3]; 3] = [
    [Stalls::Percent(40), Stalls::Percent(40), Stalls::Percent(40)],
    [Stalls::Never, Stalls::Never, Stalls::Runs(70)],
    [Stalls::Runs(60), Stalls::Runs(60), Stalls::Never],
];

/// A record as it is sent.
type Sent = [Vec<Beat>; 2];

/// A record with a fault, and the flag that it raises.
type Fault = (&'static str, Sent, usize);

fn beats(d: &Device<DequantizerAxiPorts>, record: &Parts) -> Sent {
    [packet(&record.dense, d.params.dense_bytes() as usize), packet(&record.sparse, d.params.sparse_bytes() as usize)]
}

/// Faults of every kind, each with its flag, made of a record whose first chunk has outliers only, and whose second has some
/// and ends with two.
fn faults(d: &Device<DequantizerAxiPorts>, seed: u64, t: &Thresholds) -> Vec<Fault> {
    let mut vector = settings::vector(seed, LENGTH);
    let outlier = half::f16::from_f32(2.0).to_bits();
    vector[..64].fill(outlier);
    vector[LENGTH - 2..].fill(outlier);
    let good = encoded(d, &vector, t);
    let (word, beat) = (d.params.sparse_bytes() as usize, d.params.dense_bytes() as usize);
    let change = |f: &dyn Fn(&mut Parts)| {
        let mut parts = good.clone();
        f(&mut parts);
        beats(d, &parts)
    };
    // in words of its own, which no record begins with
    let surplus = |r: &mut Parts, bytes: usize| {
        r.sparse.resize(r.sparse.len().next_multiple_of(word), 0);
        r.sparse.extend(vec![0xff; bytes]);
    };
    let last = good.sparse.len() - 1;
    let hole = |part: usize, at: usize| {
        let mut sent = beats(d, &good);
        sent[part][at].0[1].set_bit(0, false);
        sent
    };
    vec![
        ("highest bit of the header", change(&|r| r.sparse[7] ^= 0x80), 0),
        ("another width", change(&|r| r.sparse[7] ^= 0x10), 0),
        ("a count of 65", change(&|r| r.sparse[8] = 65), 1),
        ("a count of 192", change(&|r| r.sparse[8] = 192), 1),
        ("two entries changed", change(&|r| r.sparse.swap(8 + 20, 8 + 21)), 2),
        ("the last entry twice", change(&|r| r.sparse[8 + 64] = r.sparse[8 + 63]), 2),
        ("the record's last two entries changed", change(&|r| r.sparse.swap(last - 1, last)), 2),
        ("the record's last entry twice", change(&|r| r.sparse[last - 1] = r.sparse[last]), 2),
        ("sparse part cut in the first chunk", change(&|r| r.sparse.truncate(9 + 30)), 3),
        ("sparse part cut by a byte", change(&|r| r.sparse.truncate(r.sparse.len() - 1)), 3),
        ("three sparse words more", change(&|r| surplus(r, 3 * word)), 3),
        ("a sparse byte more", change(&|r| surplus(r, 1)), 3),
        ("dense part of a beat", change(&|r| r.dense.truncate(beat)), 4),
        ("a dense beat more", change(&|r| r.dense.resize(r.dense.len().next_multiple_of(beat) + beat, 0x5a)), 4),
        ("a hole in a dense beat", hole(0, 0), 5),
        ("a hole in a sparse word", hole(1, 1), 5),
    ]
}

/// An engine whose flags are counted.
struct Counter<'e> {
    d: &'e Device<DequantizerAxiPorts>,
    bench: Bench<'e>,
    axil: AxiLiteMaster,
    sources: Vec<Source>,
    elements: Sink,
    /// How often each flag was seen.
    seen: [u32; FLAGS.len()],
}

impl Counter<'_> {
    fn read(&mut self, register: &str) -> Result<u64, BusError> {
        Ok(self.axil.read(&mut self.bench, self.d.address(register))?.1)
    }

    fn send(&mut self, record: Sent) {
        record.into_iter().zip(&self.sources).for_each(|(beats, source)| self.bench.send(*source, beats));
    }

    /// Looks at the flags, counts those that are set, and clears them.
    fn look(&mut self) -> Result<(), BusError> {
        let flags = self.read("errors")?;
        if flags != 0 {
            (0..FLAGS.len()).filter(|bit| flags >> bit & 1 == 1).for_each(|bit| self.seen[bit] += 1);
            self.axil.write(&mut self.bench, self.d.address("errors"), flags)?;
        }
        Ok(())
    }

    /// Until so many vectors are out and nothing moves any more; counts all the time.
    fn count(&mut self, vectors: usize) -> Result<(), BusError> {
        let beats = vectors * LENGTH / self.d.params.lanes as usize;
        let limit = self.bench.cycle() + 2000 + 40 * beats as u64;
        while self.bench.beats(self.elements).len() < beats && self.bench.cycle() < limit {
            self.look()?;
        }
        self.bench.run_until_received(self.elements, beats, 1)?;
        while (self.sources.iter().any(|source| self.bench.unsent(*source) > 0) || self.read("status")? != 2)
            && self.bench.cycle() < limit
        {
            self.look()?;
        }
        (0..4).try_for_each(|_| self.look())
    }
}

/// Each fault between good records, counted.
pub(super) fn exact_counts(
    d: &Device<DequantizerAxiPorts>,
    engine: &mut dyn Engine,
    effort: Effort,
) -> Result<(), String> {
    STALLS.into_iter().try_for_each(|stalls| {
        counted(d, engine, effort.seed, stalls).map_err(|e| format!("counted with {stalls:?}: {e}"))
    })
}

fn counted(
    d: &Device<DequantizerAxiPorts>,
    engine: &mut dyn Engine,
    seed: u64,
    stalls: [Stalls; 3],
) -> Result<(), String> {
    let t = plain_thresholds();
    let text = |e: BusError| e.to_string();
    let mut bench = Bench::new(engine, seed);
    let (axil, sources, sinks) = d.streams(&mut bench);
    bench.reset().map_err(text)?;
    d.set_up(&mut bench, &axil, LENGTH, &t).map_err(text)?;
    sources.iter().zip(stalls).for_each(|(source, stalls)| bench.stall_source(*source, stalls));
    bench.stall_sink(sinks[0], stalls[2]);
    let mut run = Counter { d, bench, axil, sources, elements: sinks[0], seen: [0; FLAGS.len()] };
    let good = encoded(d, &settings::vector(seed.wrapping_add(1), LENGTH), &t);
    let right = elements(d, &good.dense, &good.sparse, LENGTH, &t);
    for (i, (name, bad, flag)) in faults(d, seed, &t).into_iter().enumerate() {
        run.seen = [0; FLAGS.len()];
        run.send(bad);
        run.send(beats(d, &good));
        run.count(2 * (i + 1)).map_err(|e| format!("{name}: {e}"))?;
        // as many beats as a chunk has may not be in order
        let most = if FLAGS[flag] == "order" { d.params.chunk_beats() } else { 1 };
        let right_flags = (0..FLAGS.len())
            .all(|bit| if bit == flag { (1..=most).contains(&run.seen[bit]) } else { run.seen[bit] == 0 });
        let says = (run.read("vectors").map_err(text)?, run.read("status").map_err(text)?);
        if !right_flags || says != (2 * (i as u64 + 1), 2) {
            let seen: Vec<_> = FLAGS.iter().zip(run.seen).filter(|(_, times)| *times > 0).collect();
            return Err(format!("{name}: not {} alone and once: {seen:?}; vectors and status {says:?}", FLAGS[flag]));
        }
        let got = packet_bytes(run.bench.beats(run.elements));
        if got.len() != 2 * (i + 1) || got[2 * i].len() != 2 * LENGTH || got[2 * i + 1] != right {
            return Err(format!("{name}: the record behind it is not right"));
        }
    }
    Ok(())
}

/// A sparse word with a hole is flagged when it is taken, once: not while it waits, and not again while the word behind it does.
pub(super) fn a_waiting_word_flags_nothing(
    d: &Device<DequantizerAxiPorts>,
    engine: &mut dyn Engine,
    seed: u64,
) -> Result<(), String> {
    let text = |e: BusError| e.to_string();
    let (taken, _) = flags_of_a_hole(d, engine, seed, None).map_err(text)?;
    if taken < 16 {
        return Err(format!("{taken} sparse words are taken before the dense part, not 16"));
    }
    for (place, expected) in [(taken, [0, 0, PARTIAL, 0]), (taken - 1, [PARTIAL, 0, 0, 0])] {
        let (again, seen) = flags_of_a_hole(d, engine, seed, Some(place)).map_err(text)?;
        if again != taken || seen != expected {
            return Err(format!("a hole in sparse word {place}, {taken} taken: flags {seen:x?}, not {expected:x?}"));
        }
    }
    Ok(())
}

const PARTIAL: u64 = 32;

/// Sparse parts alone, until no more are taken, and then the dense parts: how many words were taken first, and the flag `partial` then, when
/// it was cleared, at the end, and when it was cleared again. `hole`: the number of a word with a byte that is not kept.
fn flags_of_a_hole(
    d: &Device<DequantizerAxiPorts>,
    engine: &mut dyn Engine,
    seed: u64,
    hole: Option<usize>,
) -> Result<(usize, [u64; 4]), BusError> {
    let outliers = encoded(d, &[half::f16::from_f32(2.0).to_bits(); LENGTH], &plain_thresholds());
    let [dense, sparse] = beats(d, &outliers);
    let records = 1 + 100 / sparse.len();
    let mut bench = Bench::new(engine, seed);
    let (axil, sources, sinks) = d.streams(&mut bench);
    bench.reset()?;
    d.set_up(&mut bench, &axil, LENGTH, &plain_thresholds())?;
    let mut words = vec![sparse; records].concat();
    if let Some(place) = hole {
        words[place].0[1].set_bit(0, false);
    }
    bench.send(sources[1], words);
    bench.run(300)?;
    let taken = bench.sent_at(sources[1]).len();
    let flag = |bench: &mut Bench| -> Result<u64, BusError> {
        let flags = axil.read(bench, d.address("errors"))?.1;
        axil.write(bench, d.address("errors"), PARTIAL)?;
        bench.run(60)?;
        Ok(flags & PARTIAL)
    };
    let waiting = [flag(&mut bench)?, flag(&mut bench)?];
    bench.send(sources[0], vec![dense; records].concat());
    bench.run_until_received(sinks[0], records * LENGTH / d.params.lanes as usize, 4000 + 400 * records as u64)?;
    let [first, again] = waiting;
    Ok((taken, [first, again, flag(&mut bench)?, flag(&mut bench)?]))
}
