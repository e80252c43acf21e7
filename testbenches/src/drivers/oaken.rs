//! The Oaken quantizer with AXI edges against the golden model, and the vectors for both engines.

use super::parts::build;
use super::{Driver, Effort, registers};
use fastrand::Rng;
use hdl::Design;
use hdl::engine::Engine;
use hw::oaken::{EngineParams, QuantizerAxiPorts};
use sim::bus::{AxiLiteMaster, Beat, Bench, BusError, Sink, Source, Stalls, packet_bytes};
use sim::golden::oaken::{Thresholds, encode};
use sim::oaken_bench::{Device, Parts, Pauses, misfit, quantize, quantizer};

/// The quantizer.
pub fn quantizer_driver(p: EngineParams) -> Driver {
    let name = format!("oaken_quantizer_p{}", p.lanes);
    let device = build(quantizer(&name, p));
    let design = device.design.clone();
    Driver::new(name, design, move |engine, effort| quantizer_test(&device, engine, effort))
}

fn quantizer_test(q: &Device<QuantizerAxiPorts>, engine: &mut dyn Engine, effort: Effort) -> Result<(), String> {
    random_vectors(q, engine, effort)?;
    registers::test(engine, &q.design, &q.design.ports.s_axil, &q.map, effort.seed)?;
    Quantizing::new(q, engine).and_then(|mut run| {
        run.mistakes()?;
        run.legality(effort.seed)?;
        run.settings_wait()
    })
}

/// Random thresholds, sorted, on either side of 0; sometimes zeros and the largest numbers, sometimes subnormals.
fn random_thresholds(rng: &mut Rng) -> Thresholds {
    match rng.u8(0..8) {
        0 => {
            let bits = [0, 0x3c00, 0x7bff][rng.usize(0..3)];
            return Thresholds::from_bits(0x8000 | bits, 0x8000, 0, bits).expect("legal");
        }
        1 => {
            let mut side = || {
                let (a, b) = (rng.u16(0..0x500), rng.u16(0..0x500));
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
/// are small and every bit of a maximum counts), and bell-shaped ones.
fn random_vector(rng: &mut Rng, n: usize, t: &Thresholds) -> Vec<u16> {
    let kind = rng.u32(0..12);
    let near = 1 << rng.u32(1..8);
    let scale = [0.02f32, 0.3, 1.0, 3.0][rng.usize(0..4)];
    let element = |rng: &mut Rng| match kind {
        0 => rng.u16(..),
        1 => [0, 0x8000, 1, 0x8001, 0x7c00, 0xfc00, 0x7e00, 0x03ff][rng.usize(0..8)],
        2 => rng.u16(0..64) | (rng.u16(0..2) << 15),
        3 => half::f16::from_f32(9.0 + rng.f32()).to_bits(),
        4 | 5 => {
            let threshold = t.bits()[rng.usize(0..4)];
            let magnitude = i32::from(threshold & 0x7fff) + rng.i32(-near / 2..=near);
            (threshold & 0x8000) | magnitude.clamp(0, 0x7bff) as u16
        }
        _ => half::f16::from_f32((rng.f32() + rng.f32() + rng.f32() - 1.5) * scale).to_bits(),
    };
    (0..n).map(|_| element(rng)).collect()
}

/// Vectors without outliers: they pass at full rate.
fn plain_vector(rng: &mut Rng, n: usize) -> Vec<u16> {
    (0..n).map(|i| half::f16::from_f32(if i % 2 == 0 { 0.3 } else { -0.3 } * (1.0 + rng.f32())).to_bits()).collect()
}

/// Lengths, thresholds, vectors and pauses of one run after the other.
pub(super) fn runs(
    p: EngineParams,
    effort: Effort,
    mut run: impl FnMut(&Thresholds, &[Vec<u16>], Pauses, u64) -> Result<(), String>,
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
        run(&t, &vectors, pauses, rng.u64(..)).map_err(|e| format!("run {i}: {e}"))?;
    }
    let n = p.max_length as usize;
    let t = Thresholds::from_f32(-1.0, -0.1, 0.1, 1.0).expect("legal");
    let vectors: Vec<Vec<u16>> = (0..4).map(|_| plain_vector(&mut rng, n)).collect();
    run(&t, &vectors, Pauses::NEVER, 1).map_err(|e| format!("full rate: {e}"))
}

fn random_vectors(q: &Device<QuantizerAxiPorts>, engine: &mut dyn Engine, effort: Effort) -> Result<(), String> {
    runs(q.params, effort, |t, vectors, pauses, seed| {
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
            let want = encode(vector, t);
            if *got != (Parts { dense: want.dense, sparse: want.sparse }) {
                return Err(format!("record {i} differs"));
            }
        }
        // the last run has no outliers and no pauses
        let ideal = (vectors.len() * vectors[0].len()) as u64 / u64::from(q.params.lanes);
        let full_rate = seed != 1 || run.cycles == ideal;
        if full_rate { Ok(()) } else { Err(format!("{} cycles, not {ideal}", run.cycles)) }
    })
}

/// A quantizer under way whose vectors are not all as they should be.
struct Quantizing<'e> {
    q: &'e Device<QuantizerAxiPorts>,
    bench: Bench<'e>,
    axil: AxiLiteMaster,
    elements: Source,
    dense: Sink,
    sparse: Sink,
    t: Thresholds,
}

/// Elements of its vectors.
const LENGTH: usize = 128;

impl<'e> Quantizing<'e> {
    fn new(q: &'e Device<QuantizerAxiPorts>, engine: &'e mut dyn Engine) -> Result<Quantizing<'e>, String> {
        let design: &Design<QuantizerAxiPorts> = &q.design;
        let mut bench = Bench::new(engine, 1);
        let axil = AxiLiteMaster::new(&mut bench, design, &design.ports.s_axil, Stalls::Never);
        let elements = bench.source(design, &design.ports.s_axis, Stalls::Never);
        let dense = bench.sink(design, &design.ports.m_axis_dense, Stalls::Never);
        let sparse = bench.sink(design, &design.ports.m_axis_sparse, Stalls::Never);
        bench.reset().map_err(|e| e.to_string())?;
        let t = Thresholds::from_f32(-1.0, -0.1, 0.1, 1.0).expect("legal");
        let mut run = Quantizing { q, bench, axil, elements, dense, sparse, t };
        run.set(LENGTH as u64, t.bits())?;
        run.write("enable", 1)?;
        Ok(run)
    }

    fn write(&mut self, register: &str, value: u64) -> Result<(), String> {
        self.axil.write(&mut self.bench, self.q.address(register), value).map(|_| ()).map_err(|e| e.to_string())
    }

    fn read(&mut self, register: &str) -> Result<u64, String> {
        Ok(self.axil.read(&mut self.bench, self.q.address(register)).map_err(|e| e.to_string())?.1)
    }

    fn set(&mut self, length: u64, [s_low, t_low, t_high, s_high]: [u16; 4]) -> Result<(), String> {
        let thresholds = [("s_low", s_low), ("t_low", t_low), ("t_high", t_high), ("s_high", s_high)];
        self.write("length", length)?;
        thresholds.into_iter().try_for_each(|(register, value)| self.write(register, value.into()))
    }

    fn run(&mut self, cycles: u64) -> Result<(), String> {
        self.bench.run(cycles).map_err(|e: BusError| e.to_string())
    }

    /// Cycles in which two vectors surely pass.
    fn long_enough(&self) -> u64 {
        200 + 4 * LENGTH as u64 / u64::from(self.q.params.lanes)
    }

    fn vector(&self, seed: u64) -> Vec<u16> {
        let mut rng = Rng::with_seed(seed);
        (0..LENGTH).map(|_| half::f16::from_f32(rng.f32() * 3.0 - 1.5).to_bits()).collect()
    }

    /// Sends beats, and compares the records that come out since with those of the vectors.
    fn exchange(&mut self, beats: Vec<Beat>, vectors: &[&[u16]]) -> Result<(), String> {
        let before = [self.dense, self.sparse].map(|sink| packet_bytes(self.bench.beats(sink)).len());
        self.bench.send(self.elements, beats);
        self.run(self.long_enough())?;
        let [dense, sparse] = [self.dense, self.sparse].map(|sink| packet_bytes(self.bench.beats(sink)));
        let want: Vec<_> = vectors.iter().map(|v| encode(v, &self.t)).collect();
        let equal = dense[before[0]..].iter().eq(want.iter().map(|record| &record.dense))
            && sparse[before[1]..].iter().eq(want.iter().map(|record| &record.sparse));
        if equal { Ok(()) } else { Err("wrong records".into()) }
    }

    /// Vectors that are too short, too long, or hold what is no number: flagged, and the next one is right.
    fn mistakes(&mut self) -> Result<(), String> {
        let good = self.vector(5);
        let mut strange = good.clone();
        (strange[3], strange[77]) = (0x7e00, 0xfc00);
        let short: Vec<u16> = good[..48].to_vec();
        let long: Vec<u16> = good.iter().chain(&good[..32]).copied().collect();
        let padded: Vec<u16> = short.iter().copied().chain(std::iter::repeat_n(0, LENGTH - 48)).collect();
        let lanes = self.q.params.lanes;
        let mut partial = misfit(&good, lanes);
        partial[1].0[1] -= 1u32;
        let cases = [
            ("short", misfit(&short, lanes), &padded, 1),
            ("long", misfit(&long, lanes), &good, 2),
            ("strange", misfit(&strange, lanes), &strange, 4),
            ("partial", partial, &good, 8),
            ("good", misfit(&good, lanes), &good, 0),
        ];
        for (name, mut beats, taken, flag) in cases {
            beats.extend(misfit(&good, lanes));
            self.exchange(beats, &[taken, &good]).map_err(|e| format!("{name}: {e}"))?;
            let errors = self.read("errors")?;
            self.write("errors", 0)?;
            let again = self.read("errors")?;
            self.write("errors", flag)?;
            let cleared = self.read("errors")?;
            if (errors, again, cleared) != (flag, flag, 0) {
                return Err(format!("{name}: errors {errors:#x}, {again:#x}, {cleared:#x}, not {flag:#x}"));
            }
        }
        Ok(())
    }

    /// The status says whether settings are legal, as the description of the registers does.
    fn legality(&mut self, seed: u64) -> Result<(), String> {
        let mut rng = Rng::with_seed(seed);
        let max = u64::from(self.q.params.max_length);
        let edges = [0, 0x8000, 1, 0x8001, 0x3c00, 0xbc00, 0x7bff, 0xfbff, 0x7c00, 0xfc00];
        for i in 0..600 {
            let bit = 1 << rng.u32(0..14);
            let length =
                if i % 2 == 0 { [0, 64, max, max + 64, 64 | bit, bit][rng.usize(0..6)] } else { LENGTH as u64 };
            let (low, high) = (rng.u16(0..0x7c00), rng.u16(0..0x7c00));
            // t and s next to each other: every bit of the comparison decides
            let (near_low, near_high) = (low ^ 1 << rng.u32(0..15), high ^ 1 << rng.u32(0..15));
            let mut bits = [0x8000 | low, 0x8000 | near_low, near_high, high];
            match i % 3 {
                0 => bits[rng.usize(0..4)] = edges[rng.usize(0..edges.len())],
                // the smallest mistake: one bit, on the wrong side of 0
                1 => bits[i / 3 % 4] = [0, 0, 0x8000, 0x8000][i / 3 % 4] | 1 << (i / 12 % 15),
                _ => (),
            }
            self.set(length, bits)?;
            let magnitudes = bits.map(|x| x & 0x7fff);
            let side = |x: u16, negative: bool| x & 0x7fff == 0 || (x >> 15 == 1) == negative;
            let legal = length.is_multiple_of(64)
                && (1..=max).contains(&length)
                && side(bits[0], true)
                && side(bits[1], true)
                && side(bits[2], false)
                && side(bits[3], false)
                && magnitudes[1] <= magnitudes[0]
                && magnitudes[2] <= magnitudes[3]
                && magnitudes[0] < 0x7c00
                && magnitudes[3] < 0x7c00;
            if self.read("status")? != if legal { 2 } else { 0 } {
                return Err(format!("length {length}, thresholds {bits:x?}: legal is not {legal}"));
            }
        }
        Ok(())
    }

    /// New settings wait for the vectors under way; while settings are illegal or `enable` is 0, no vector begins.
    fn settings_wait(&mut self) -> Result<(), String> {
        self.set(LENGTH as u64, self.t.bits())?;
        let (vector, lanes) = (self.vector(8), self.q.params.lanes);
        let beats = misfit(&vector, lanes);
        let (first, rest) = beats.split_at(beats.len() / 2);
        self.exchange(first.to_vec(), &[])?;
        let busy = self.read("status")?;
        self.set(64, [0xbc00, 0xb000, 0x3000, 0x3c00])?;
        self.exchange(rest.to_vec(), &[&vector]).map_err(|e| format!("settings changed during a vector: {e}"))?;
        let idle = self.read("status")?;
        if (busy, idle) != (3, 2) {
            return Err(format!("status {busy} during a vector, {idle} afterwards"));
        }
        self.write("length", LENGTH as u64 + 1)?;
        self.t = Thresholds::from_bits(0xbc00, 0xb000, 0x3000, 0x3c00).expect("legal");
        self.exchange(beats.clone(), &[]).map_err(|e| format!("illegal length: {e}"))?;
        self.write("enable", 0)?;
        self.write("length", LENGTH as u64)?;
        self.exchange(vec![], &[]).map_err(|e| format!("not enabled: {e}"))?;
        self.write("enable", 1)?;
        self.exchange(vec![], &[&vector]).map_err(|e| format!("enabled again: {e}"))
    }
}
