//! The Oaken quantizer with AXI edges against the golden model, and the vectors for both engines.

use super::built::build;
use super::settings::{self, Converting, Converts, LENGTH, plain_thresholds};
use super::{Driver, Effort, registers};
use fastrand::Rng;
use hdl::engine::Engine;
use hw::oaken::{EngineParams, QuantizerAxiPorts};
use sim::bus::{AxiLiteMaster, Beat, Bench, Sink, Source, Stalls, seed};
use sim::golden::oaken::{DenseBits, Thresholds, decode, encode};
use sim::oaken_bench::{Device, Parts, Pauses, misfit, quantize, quantizer};

/// The quantizer.
pub fn quantizer_driver(p: EngineParams) -> Driver {
    let name = format!("oaken_quantizer_p{}{}", p.lanes, p.suffix());
    let device = build(quantizer(&name, p));
    let design = device.design.clone();
    Driver::new(name, design, move |engine, effort| quantizer_test(&device, engine, effort))
}

fn quantizer_test(q: &Device<QuantizerAxiPorts>, engine: &mut dyn Engine, effort: Effort) -> Result<(), String> {
    random_vectors(q, engine, effort)?;
    registers::test(engine, &q.design, &q.design.ports.s_axil, &q.map, effort.seed)?;
    settings::test(q, engine, effort.seed)?;
    whole_chunks_at_every_byte(q, engine)?;
    let mut run = Converting::new(q, engine, effort.seed)?;
    mistakes(&mut run)?;
    a_short_flush(&mut run)
}

/// Chunks of outliers only, whose counts are at every byte of a word: a word of the sparse part may carry a byte to any place of the next.
fn whole_chunks_at_every_byte(q: &Device<QuantizerAxiPorts>, engine: &mut dyn Engine) -> Result<(), String> {
    let t = plain_thresholds();
    let vectors = with_whole_chunks(q.params);
    let slices: Vec<&[u16]> = vectors.iter().map(|v| &v[..]).collect();
    let run = quantize(q, engine, &t, &slices, Pauses::NEVER, 1, &mut |_| ()).map_err(|e| e.to_string())?;
    let right = |(got, v): (&Parts, &Vec<u16>)| {
        let want = encode(v, q.dense_bits(), &t);
        *got == want.into()
    };
    let all = run.results.len() == vectors.len() && run.results.iter().zip(&vectors).all(right);
    if all { Ok(()) } else { Err("whole chunks at every byte: wrong records".into()) }
}

/// Vectors for [`plain_thresholds`], each with so many outliers in its first chunk, and nothing else in those behind it: a third one, where
/// the engine takes as much, so that words follow.
pub(super) fn with_whole_chunks(p: EngineParams) -> Vec<Vec<u16>> {
    let length = p.max_length.min(192) as usize;
    let outlier = |i: usize, before: usize| i < before || i >= 64;
    let value = |outlier: bool| half::f16::from_f32(if outlier { 2.0 } else { 0.5 }).to_bits();
    (0..64).map(|before| (0..length).map(|i| value(outlier(i, before))).collect()).collect()
}

/// Random thresholds, sorted, on either side of 0; sometimes zeros and the largest numbers, sometimes subnormals or any numbers.
pub fn random_thresholds(rng: &mut Rng) -> Thresholds {
    match rng.u8(0..8) {
        0 => {
            let bits = [0, 0x3c00, 0x7bff][rng.usize(0..3)];
            return Thresholds::from_bits(0x8000 | bits, 0x8000, 0, bits).expect("legal");
        }
        kind @ 1..=3 => {
            // below 0x100 a step may be as fine as the numbers: the lowest bits of the scaled magnitudes count
            let most = [0x100, 0x500, 0x7c00][kind as usize - 1];
            let mut side = || {
                let (a, b) = (rng.u16(0..most), rng.u16(0..most));
                (a.min(b), a.max(b))
            };
            let ((t_low, s_low), (t_high, s_high)) = (side(), side());
            return Thresholds::from_bits(0x8000 | s_low, 0x8000 | t_low, t_high, s_high).expect("legal");
        }
        _ => (),
    }
    let mut side = || (rng.f32() * 0.2, rng.f32() * 2.0 + 0.2);
    let ((t_low, s_low), (t_high, s_high)) = (side(), side());
    Thresholds::from_f32(-s_low, -t_low, t_high, s_high).expect("legal")
}

/// Vectors of several kinds: any bits, few special values, subnormals, large ones, some next to the thresholds (where the ranges
/// are small and every bit of a maximum counts), of any size up to a limit, such with few bits, and bell-shaped ones.
pub fn random_vector(rng: &mut Rng, n: usize, t: &Thresholds) -> Vec<u16> {
    let kind = rng.u32(0..14);
    let near = 1 << rng.u32(1..8);
    let scale = [0.02f32, 0.3, 1.0, 3.0][rng.usize(0..4)];
    let most = rng.u16(1..0x7c00);
    // powers of two, and numbers with few bits: ranges of few bits are not rounded, and each bit that is added shows
    let coarse = [0x7c00, 0x7e00, 0x7f00][rng.usize(0..3)];
    let element = |rng: &mut Rng| match kind {
        0 => rng.u16(..),
        1 => [0, 0x8000, 1, 0x8001, 0x7c00, 0xfc00, 0x7e00, 0x03ff][rng.usize(0..8)],
        2 => rng.u16(0..64) | (rng.u16(0..2) << 15),
        3 => half::f16::from_f32(9.0 + rng.f32()).to_bits(),
        4 | 5 => {
            // at the inner ones alone, the middle group is small as well
            let threshold = t.bits()[if kind == 4 { rng.usize(0..4) } else { rng.usize(1..3) }];
            let magnitude = i32::from(threshold & 0x7fff) + rng.i32(-near / 2..=near);
            (threshold & 0x8000) | magnitude.clamp(0, 0x7bff) as u16
        }
        6 | 7 => (rng.u16(0..2) << 15) | rng.u16(0..=most),
        12 | 13 => (rng.u16(0..2) << 15) | (rng.u16(0..=most) & coarse),
        _ => half::f16::from_f32((rng.f32() + rng.f32() + rng.f32() - 1.5) * scale).to_bits(),
    };
    (0..n).map(|_| element(rng)).collect()
}

/// What a vector becomes on its way through both engines.
pub fn there_and_back(v: &[u16], bits: DenseBits, t: &Thresholds) -> Vec<u16> {
    let record = encode(v, bits, t);
    decode(&record.dense, &record.sparse, v.len(), bits, t).unwrap_or_else(|e| panic!("{e}"))
}

/// Vectors without outliers: they pass at full rate.
fn plain_vector(rng: &mut Rng, n: usize) -> Vec<u16> {
    (0..n).map(|i| half::f16::from_f32(if i % 2 == 0 { 0.3 } else { -0.3 } * (1.0 + rng.f32())).to_bits()).collect()
}

/// Lengths, thresholds, vectors and pauses of one run after the other.
pub(super) fn runs(
    p: EngineParams,
    effort: Effort,
    mut run: impl FnMut(&Thresholds, &[Vec<u16>], Pauses, u64) -> Result<u64, String>,
) -> Result<(), String> {
    let mut rng = Rng::with_seed(effort.seed);
    let most = p.max_length as usize / 64;
    let count = if effort.long { 400 } else { 40 };
    for i in 0..count {
        let n = 64 * [1, most, rng.usize(1..=most)][rng.usize(0..3)];
        let t = random_thresholds(&mut rng);
        // more than 32 short ones: the counter of vectors is looked at
        let number = (2560 / n).clamp(3, 40);
        let vectors: Vec<Vec<u16>> = (0..number).map(|_| random_vector(&mut rng, n, &t)).collect();
        let pauses = [Pauses::OFTEN, Pauses::NEVER][usize::from(rng.u8(0..3) == 0)];
        let pauses = if i % 10 == 9 { Pauses::MOSTLY } else { pauses };
        run(&t, &vectors, pauses, rng.u64(..)).map_err(|e| format!("run {i}: {e}"))?;
    }
    let n = p.max_length as usize;
    let t = plain_thresholds();
    let vectors: Vec<Vec<u16>> = (0..4).map(|_| plain_vector(&mut rng, n)).collect();
    let cycles = run(&t, &vectors, Pauses::NEVER, rng.u64(..)).map_err(|e| format!("full rate: {e}"))?;
    let ideal = (vectors.len() * n) as u64 / u64::from(p.lanes);
    if cycles == ideal { Ok(()) } else { Err(format!("full rate: {cycles} cycles, not {ideal}")) }
}

fn random_vectors(q: &Device<QuantizerAxiPorts>, engine: &mut dyn Engine, effort: Effort) -> Result<(), String> {
    let mut compare = |t: &Thresholds, vectors: &[Vec<u16>], pauses, seed| {
        let slices: Vec<&[u16]> = vectors.iter().map(|v| &v[..]).collect();
        let run = quantize(q, engine, t, &slices, pauses, seed, &mut |_| ()).map_err(|e| e.to_string())?;
        if (run.results.len(), run.vectors, run.status) != (vectors.len(), vectors.len() as u64, 2) {
            return Err(format!("{} records, a count of {}, status {}", run.results.len(), run.vectors, run.status));
        }
        let nonfinite = vectors.iter().flatten().any(|x| x & 0x7c00 == 0x7c00);
        if run.errors != if nonfinite { 4 } else { 0 } {
            return Err(format!("errors {:#x}", run.errors));
        }
        for (i, (got, vector)) in run.results.iter().zip(vectors).enumerate() {
            let want = encode(vector, q.dense_bits(), t);
            if *got != want.into() {
                return Err(format!("record {i} differs"));
            }
        }
        Ok(run.cycles)
    };
    runs(q.params, effort, &mut compare)?;
    fine_steps(effort, &mut compare).map_err(|e| format!("fine steps: {e}"))?;
    exact_ranges(&mut compare).map_err(|e| format!("exact ranges: {e}"))
}

/// Ranges with few bits: one side's largest magnitude has one or two, the other's is any power of two. A bit too many or too few anywhere
/// in between moves the step, which is rounded up.
fn exact_ranges(
    mut run: impl FnMut(&Thresholds, &[Vec<u16>], Pauses, u64) -> Result<u64, String>,
) -> Result<(), String> {
    let t = Thresholds::from_bits(0xfbff, 0x8000, 0, 0x7bff).expect("legal");
    let powers = (0..10).map(|bit| 1 << bit).chain((1..31).map(|exponent| exponent << 10));
    let pairs = powers.flat_map(|power| [0, 0x3c00, 0x5800, 0x7800, 0x7a00].map(|few| [few, power]));
    let vector = |[positive, negative]: [u16; 2]| {
        let mut vector = vec![0; 64];
        (vector[5], vector[42]) = (positive, 0x8000 | negative);
        vector
    };
    let vectors: Vec<Vec<u16>> = pairs.flat_map(|[a, b]| [vector([a, b]), vector([b, a])]).collect();
    run(&t, &vectors, Pauses::NEVER, seed(2)).map(drop)
}

/// Small ranges beside small thresholds: the steps are as fine as the numbers, and the lowest bits of the scaled magnitudes decide.
fn fine_steps(
    effort: Effort,
    mut run: impl FnMut(&Thresholds, &[Vec<u16>], Pauses, u64) -> Result<u64, String>,
) -> Result<(), String> {
    let mut rng = Rng::with_seed(effort.seed);
    (0..10).try_for_each(|i| {
        let [low, high, more_low, more_high] = [0x100, 0x100, 64, 64].map(|most| rng.u16(1..most));
        let (s_low, s_high) = (low + more_low, high + more_high);
        let t = Thresholds::from_bits(0x8000 | s_low, 0x8000 | low, high, s_high).expect("legal");
        let vector = |_| {
            let range = rng.u16(1..32);
            (0..64).map(|_| if rng.bool() { 0x8000 | low } else { high } + rng.u16(0..=range)).collect()
        };
        let vectors: Vec<Vec<u16>> = (0..20).map(vector).collect();
        // what stands still in the lanes may not change either
        let pauses = [Pauses::NEVER, Pauses::MOSTLY, Pauses::OFTEN][i % 3];
        run(&t, &vectors, pauses, rng.u64(..)).map(drop)
    })
}

impl Converts for Device<QuantizerAxiPorts> {
    fn streams(&self, bench: &mut Bench) -> (AxiLiteMaster, Vec<Source>, Vec<Sink>) {
        let (design, io) = (&self.design, &self.design.ports);
        let axil = AxiLiteMaster::new(bench, design, &io.s_axil, Stalls::Never);
        let elements = bench.source(design, &io.s_axis, Stalls::Never);
        let parts = [&io.m_axis_dense, &io.m_axis_sparse].map(|part| bench.sink(design, part, Stalls::Never));
        (axil, vec![elements], parts.to_vec())
    }

    fn beats(&self, vector: &[u16], _: &Thresholds) -> Vec<Vec<Beat>> {
        vec![misfit(vector, self.params.lanes)]
    }

    fn results(&self, vector: &[u16], t: &Thresholds) -> Vec<Vec<u8>> {
        let record = encode(vector, self.dense_bits(), t);
        vec![record.dense, record.sparse]
    }

    fn output_bytes(&self) -> Vec<u32> {
        vec![self.params.dense_bytes(), self.params.sparse_bytes()]
    }

    fn results_without(&self, vector: &[u16], t: &Thresholds) -> Vec<Vec<u8>> {
        self.results(&vec![0; vector.len()], t)
    }
}

/// Vectors that are too short, too long, or hold what is no number: flagged, and the next one is right.
fn mistakes(run: &mut Converting<Device<QuantizerAxiPorts>>) -> Result<(), String> {
    let good = run.vector(5, LENGTH);
    let mut nonfinite = good.clone();
    (nonfinite[3], nonfinite[77]) = (0x7e00, 0xfc00);
    let lanes = run.device.params.lanes;
    // whole beats, and no whole chunks where a beat is shorter than one
    let [few, more] = [48, 32].map(|n: usize| n.next_multiple_of(lanes as usize));
    let short: Vec<u16> = good[..few].to_vec();
    let long: Vec<u16> = good.iter().chain(&good[..more]).copied().collect();
    let padded: Vec<u16> = short.iter().copied().chain(std::iter::repeat_n(0, LENGTH - few)).collect();
    // beside numbers as small as these, what a short vector is filled with shows in every bit
    let tiny: Vec<u16> = (0..few as u16).collect();
    let filled: Vec<u16> = tiny.iter().copied().chain(std::iter::repeat_n(0, LENGTH - few)).collect();
    let mut partial = misfit(&good, lanes);
    partial[1].0[1] -= 1u32;
    let cases = [
        ("short", misfit(&short, lanes), &padded, 1),
        ("short and tiny", misfit(&tiny, lanes), &filled, 1),
        ("long", misfit(&long, lanes), &good, 2),
        ("nonfinite", misfit(&nonfinite, lanes), &nonfinite, 4),
        ("partial", partial, &good, 8),
        ("good", misfit(&good, lanes), &good, 0),
    ];
    for (name, mut beats, taken, flag) in cases {
        beats.extend(misfit(&good, lanes));
        run.exchange(vec![beats], &[taken, &good]).map_err(|e| format!("{name}: {e}"))?;
        let errors = run.read("errors")?;
        run.write("errors", 0)?;
        let again = run.read("errors")?;
        run.write("errors", flag)?;
        let cleared = run.read("errors")?;
        if (errors, again, cleared) != (flag, flag, 0) {
            return Err(format!("{name}: errors {errors:#x}, {again:#x}, {cleared:#x}, not {flag:#x}"));
        }
    }
    Ok(())
}

/// A flush that is over before the open vector is filled: it is filled all the same, and the next one is right.
fn a_short_flush(run: &mut Converting<Device<QuantizerAxiPorts>>) -> Result<(), String> {
    let good = run.vector(6, LENGTH);
    let lanes = run.device.params.lanes;
    let begun = (LENGTH / 2).next_multiple_of(lanes as usize);
    let filled: Vec<u16> = good[..begun].iter().copied().chain(std::iter::repeat_n(0, LENGTH - begun)).collect();
    let mut beats = misfit(&good, lanes);
    beats.truncate(begun / lanes as usize);
    let error = |e: String| format!("a short flush: {e}");
    // what is begun may come out in part, and is compared when all of it has
    run.exchange(vec![beats], &[]).map_err(error)?;
    run.write("flush", 1)?;
    run.write("flush", 0)?;
    run.exchange(vec![misfit(&good, lanes)], &[&filled, &good]).map_err(error)
}
