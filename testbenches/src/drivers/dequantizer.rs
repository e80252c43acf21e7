//! The Oaken dequantizer with AXI edges against the golden model.

use super::built::build;
use super::dequantizer_counts::{a_waiting_word_flags_nothing, exact_counts};
use super::dequantizer_levels::{finest_steps, lost_bits};
use super::dequantizer_lost::{
    empty_last_beats, headers_behind_lost_lasts, holes_in_the_last_word, holes_in_the_only_word, lost_sparse_lasts,
};
use super::dequantizer_records::{decodes, elements, encoded, with_step};
use super::dequantizer_ring::{surplus_in_every_word, words_at_once};
use super::oaken::runs;
use super::settings::{self, Converts, plain_thresholds};
use super::{Driver, Effort, registers};
use fastrand::Rng;
use hdl::engine::Engine;
use hw::oaken::{DequantizerAxiPorts, EngineParams};
use sim::bus::{AxiLiteMaster, Beat, Bench, BusError, Sink, Source, Stalls, packet, packet_bytes, seed};
use sim::golden::oaken::{Thresholds, decode, encode};
use sim::oaken_bench::{Device, Parts, Pauses, dequantize, dequantizer};

/// The dequantizer.
pub fn dequantizer_driver(p: EngineParams) -> Driver {
    let name = format!("oaken_dequantizer_p{}{}", p.lanes, p.suffix());
    let device = build(dequantizer(&name, p));
    let design = device.design.clone();
    Driver::new(name, design, move |engine, effort| {
        random_records(&device, engine, effort)?;
        whole_chunks_at_every_byte(&device, engine)?;
        early_outliers(&device, engine, effort)?;
        every_exponent(&device, engine, effort)?;
        finest_steps(&device, engine)?;
        lost_bits(&device, engine)?;
        registers::test(engine, &device.design, &device.design.ports.s_axil, &device.map, effort.seed)?;
        settings::test(&device, engine, effort.seed)?;
        faulty_records(&device, engine, effort)?;
        counts_above_64(&device, engine)?;
        surplus_in_every_word(&device, engine)?;
        words_at_once(&device, engine)?;
        missing_bytes(&device, engine, effort)?;
        holes_in_the_last_word(&device, engine, effort)?;
        empty_last_beats(&device, engine, effort.seed)?;
        holes_in_the_only_word(&device, engine, effort.seed)?;
        [Stalls::Never, Stalls::Percent(60), Stalls::Percent(90)]
            .into_iter()
            .try_for_each(|stalls| lost_sparse_lasts(&device, engine, stalls, effort.seed))?;
        headers_behind_lost_lasts(&device, engine, effort.seed)?;
        a_waiting_beat_flags_nothing(&device, engine, effort.seed)?;
        a_waiting_word_flags_nothing(&device, engine, effort.seed)?;
        exact_counts(&device, engine, effort)
    })
}

impl Converts for Device<DequantizerAxiPorts> {
    fn streams(&self, bench: &mut Bench) -> (AxiLiteMaster, Vec<Source>, Vec<Sink>) {
        let (design, io) = (&self.design, &self.design.ports);
        let axil = AxiLiteMaster::new(bench, design, &io.s_axil, Stalls::Never);
        let parts = [&io.s_axis_dense, &io.s_axis_sparse].map(|part| bench.source(design, part, Stalls::Never));
        let elements = bench.sink(design, &io.m_axis, Stalls::Never);
        (axil, parts.to_vec(), vec![elements])
    }

    fn beats(&self, vector: &[u16], t: &Thresholds) -> Vec<Vec<Beat>> {
        let (record, p) = (encode(vector, self.dense_bits(), t), self.params);
        let parts = [(record.dense, p.dense_bytes()), (record.sparse, p.sparse_bytes())];
        parts.map(|(part, width)| packet(&part, width as usize)).to_vec()
    }

    fn results(&self, vector: &[u16], t: &Thresholds) -> Vec<Vec<u8>> {
        let record = encode(vector, self.dense_bits(), t);
        vec![elements(self, &record.dense, &record.sparse, vector.len(), t)]
    }

    fn output_bytes(&self) -> Vec<u32> {
        vec![2 * self.params.lanes]
    }

    fn results_without(&self, vector: &[u16], t: &Thresholds) -> Vec<Vec<u8>> {
        let record = encode(vector, self.dense_bits(), t);
        vec![elements(self, &vec![0; record.dense.len()], &record.sparse, vector.len(), t)]
    }
}

fn random_records(d: &Device<DequantizerAxiPorts>, engine: &mut dyn Engine, effort: Effort) -> Result<(), String> {
    runs(d.params, effort, |t, vectors, pauses, seed| {
        let n = vectors[0].len();
        let mut records: Vec<Parts> = vectors.iter().map(|v| encoded(d, v, t)).collect();
        // the encoder makes none with middle elements but without a middle step, and the format allows it: they are the threshold
        for record in records.iter_mut().skip(1).step_by(5) {
            record.sparse[0] = 0;
            record.sparse[1] &= 0xe0;
        }
        decodes(d, engine, t, (&records, n), pauses, seed)
    })
}

/// Chunks of outliers only whose counts are at every byte of a word, as many as the longest vector has room for.
fn whole_chunks_at_every_byte(d: &Device<DequantizerAxiPorts>, engine: &mut dyn Engine) -> Result<(), String> {
    let (t, value) = (plain_thresholds(), |x: f32| half::f16::from_f32(x).to_bits());
    // behind the header and a first chunk with so many outliers
    let record = |before: usize| {
        let vector: Vec<u16> = (0..128).map(|i| value(if i < before || i >= 64 { 2.0 } else { 0.5 })).collect();
        encoded(d, &vector, &t)
    };
    let bytes = d.params.sparse_bytes().min(64) as usize;
    let records: Vec<Parts> = (0..bytes).map(record).collect();
    decodes(d, engine, &t, (&records, 128), Pauses::NEVER, seed(1)).map(|_| ())
}

/// A vector that meets an empty engine and has a few outliers at its very beginning: its first chunk is there before the last of its
/// levels, and has to wait for them.
fn early_outliers(d: &Device<DequantizerAxiPorts>, engine: &mut dyn Engine, effort: Effort) -> Result<(), String> {
    let mut rng = Rng::with_seed(effort.seed);
    let t = plain_thresholds();
    (0..40).try_for_each(|i| {
        let sign = |rng: &mut Rng| if rng.bool() { 1.0 } else { -1.0 };
        let mut vector: Vec<f32> = (0..64).map(|_| sign(&mut rng) * (0.2 + 0.7 * rng.f32())).collect();
        for _ in 0..=i % 3 {
            let outlier = if rng.bool() { 0.05 } else { 2.0 + rng.f32() };
            vector[rng.usize(0..(d.params.lanes as usize).min(4))] = sign(&mut rng) * outlier;
        }
        let vector: Vec<u16> = vector.into_iter().map(|x| half::f16::from_f32(x).to_bits()).collect();
        let records = [encoded(d, &vector, &t)];
        let decoded = decodes(d, engine, &t, (&records, 64), Pauses::NEVER, rng.u64(2..));
        decoded.map(|_| ()).map_err(|e| format!("early outliers {i}: {e}"))
    })
}

/// Steps of every exponent, in every place of a header, where the thresholds allow all of them.
fn every_exponent(d: &Device<DequantizerAxiPorts>, engine: &mut dyn Engine, effort: Effort) -> Result<(), String> {
    let t = Thresholds::from_bits(0x8000, 0x8000, 0, 0).expect("legal");
    let mut rng = Rng::with_seed(effort.seed.wrapping_add(6));
    let vector: Vec<u16> = (0..64).map(|_| if rng.bool() { 0 } else { rng.u16(..0x7c00) }).collect();
    let record = encoded(d, &vector, &t);
    let most = u64::from(d.dense_bits().max_step_exponent());
    let steps = (1..=most).flat_map(|exponent| [0, 1, 0x7f].map(|fraction| exponent << 7 | fraction));
    let records: Vec<Parts> =
        steps.flat_map(|step| [0, 1, 2, 3].map(|place| with_step(&record, place, step))).collect();
    decodes(d, engine, &t, (&records, 64), Pauses::NEVER, seed(2))
        .map(|_| ())
        .map_err(|e| format!("every exponent: {e}"))
}

/// A count above 64 is flagged and taken as 64, at whatever byte of a word it stands: nothing else is wrong with a record whose chunk is
/// full of outliers.
fn counts_above_64(d: &Device<DequantizerAxiPorts>, engine: &mut dyn Engine) -> Result<(), String> {
    let t = plain_thresholds();
    // the count of the first chunk, or that of the second one behind so many entries
    let places = [(0, true)].into_iter().chain((0..d.params.sparse_bytes().min(64) as usize).map(|n| (n, false)));
    for (i, (before, first)) in places.enumerate() {
        let outlier = |i: usize| if first { i < 64 } else { i < before || i >= 64 };
        let vector: Vec<u16> =
            (0..128).map(|i| half::f16::from_f32(if outlier(i) { 2.0 } else { 0.5 }).to_bits()).collect();
        let right = encoded(d, &vector, &t);
        let want = decode(&right.dense, &right.sparse, 128, d.dense_bits(), &t).map_err(|e| e.to_string())?;
        let at = if first { 8 } else { 9 + before };
        // in each byte of a short word, 64 and any one bit more
        let one = [65, 127, 128, 192, 255][i % 5];
        let counts = match (first, d.params.sparse_bytes()) {
            (true, _) => vec![65, 127, 128, 192, 255],
            (false, ..=16) => vec![one, 65, 66, 68, 72, 80, 96],
            _ => vec![one],
        };
        for count in counts {
            let mut wrong = right.clone();
            wrong.sparse[at] = count;
            let records = [right.clone(), wrong, right.clone()];
            let run = dequantize(d, engine, &t, (&records, 128), Pauses::NEVER, seed(1), &mut |_| ());
            let run = run.map_err(|e| format!("a count of {count} at byte {at}: {e}"))?;
            if run.errors != 2 || run.results.len() != 3 || run.results.iter().any(|got| *got != want) {
                return Err(format!("a count of {count} at byte {at}: errors {:#x}, or wrong elements", run.errors));
            }
        }
    }
    Ok(())
}

/// Each flag is cleared by writing it, and by nothing else.
fn flags_are_cleared(
    d: &Device<DequantizerAxiPorts>,
    engine: &mut dyn Engine,
    (flags, seed): (u64, u64),
) -> Result<(), String> {
    let mut bench = Bench::new(engine, seed);
    let axil = AxiLiteMaster::new(&mut bench, &d.design, &d.design.ports.s_axil, Stalls::Never);
    let mut left = flags;
    for flag in (0..6).map(|bit| 1 << bit) {
        let written = axil.write(&mut bench, d.address("errors"), flag).map(|_| ());
        let read = written.and_then(|()| axil.read(&mut bench, d.address("errors"))).map_err(|e| e.to_string())?;
        left &= !flag;
        if read.1 != left {
            return Err(format!("errors {flags:#x}, {flag:#x} written: {:#x} is left", read.1));
        }
    }
    Ok(())
}

/// Faulty records are flagged, and the records around them come out right.
fn faulty_records(d: &Device<DequantizerAxiPorts>, engine: &mut dyn Engine, effort: Effort) -> Result<(), String> {
    let t = plain_thresholds();
    let mut rng = Rng::with_seed(effort.seed.wrapping_add(5));
    let n = 128;
    let good: Vec<u16> = (0..n).map(|_| half::f16::from_f32(rng.f32() * 4.0 - 2.0).to_bits()).collect();
    let record = encode(&good, d.dense_bits(), &t);
    let want = decode(&record.dense, &record.sparse, n, d.dense_bits(), &t).map_err(|e| e.to_string())?;
    let right = encoded(d, &good, &t);
    let change = |f: &dyn Fn(&mut Parts)| {
        let mut parts = right.clone();
        f(&mut parts);
        parts
    };
    // what is wrong, and the flags of which at least one and no other is set: header, count, order, sparse, dense
    let entries = usize::from(right.sparse[8]);
    // all of a split: at 5 and 6 bits there are more
    let above_31 = if d.params.dense_bits < 5 { 1 } else { 0x0d };
    // to the byte, where a part may end within a beat
    let dense_beat = if d.params.dense_ends_within() { 1 } else { d.params.dense_bytes() as usize };
    // steps without an exponent but with a fraction, and beyond the largest exponent
    let too_large = u64::from(d.dense_bits().max_step_exponent()) + 1;
    let step = |place: usize, step: u64| with_step(&right, place, step);
    let fractions = (0..28).map(|i| ("fraction alone", step(i / 7, 1 << (i % 7)), 1));
    let steps = fractions.chain((0..4).map(|place| ("exponent", step(place, too_large << 7), 1)));
    let cases = [
        ("split", change(&|r| (r.sparse[6], r.sparse[7]) = (r.sparse[6] | 0xf0, r.sparse[7] | above_31)), 1),
        ("step too fine", change(&|r| r.sparse[1] &= 0xe0), 1),
        ("count", change(&|r| r.sparse[8] = 65), 2 | 4 | 8),
        ("large count", change(&|r| r.sparse[8] = 192), 2 | 4 | 8),
        ("order", change(&|r| r.sparse.swap(9, 10)), 4),
        ("twice the same", change(&|r| r.sparse[10] = r.sparse[9]), 4),
        ("short", change(&|r| r.sparse.truncate(20)), 8),
        ("header alone", change(&|r| r.sparse.truncate(8)), 8),
        ("cut in a count", change(&|r| r.sparse.truncate(8 + 1 + entries)), 8),
        ("long", change(&|r| r.sparse.extend([0; 40])), 8),
        ("one byte more", change(&|r| r.sparse.push(0)), 8),
        ("dense short", change(&|r| r.dense.truncate(32)), 16),
        ("dense long", change(&|r| r.dense.extend([7; 32])), 16),
        ("dense just short", change(&|r| r.dense.truncate(r.dense.len() - dense_beat)), 16),
        ("dense just long", change(&|r| r.dense.extend(vec![7; dense_beat])), 16),
    ];
    // of a narrow split, what is above it; the width, and the bit above that
    let reserved =
        (if above_31 == 1 { 2 } else { 4 }..8).map(|bit| ("reserved bit", change(&|r| r.sparse[7] ^= 1 << bit), 1));
    for (name, bad, flags) in cases.iter().cloned().chain(steps).chain(reserved) {
        let records = [right.clone(), bad.clone(), right.clone(), right.clone()];
        let run = dequantize(d, engine, &t, (&records, n), Pauses::NEVER, seed(1), &mut |_| ());
        let run = run.map_err(|e| format!("{name}: {e}"))?;
        if run.results.len() != 4 || [0, 2, 3].iter().any(|i| run.results[*i] != want) || run.results[1].len() != n {
            return Err(format!("{name}: the records around it are not right"));
        }
        if run.errors & flags == 0 || run.errors & !flags != 0 {
            return Err(format!("{name}: errors {:#x}", run.errors));
        }
        flags_are_cleared(d, engine, (run.errors, effort.seed)).map_err(|e| format!("{name}: {e}"))?;
    }
    Ok(())
}

/// Bytes that are not kept are flagged and taken as they are, but for those behind the end of the sparse part; the flag stays
/// until it is written.
fn missing_bytes(d: &Device<DequantizerAxiPorts>, engine: &mut dyn Engine, effort: Effort) -> Result<(), String> {
    let t = plain_thresholds();
    let mut rng = Rng::with_seed(effort.seed.wrapping_add(7));
    let n = d.params.max_length.min(256) as usize;
    let elements: Vec<u16> = (0..n).map(|_| half::f16::from_f32(rng.f32() * 4.0 - 2.0).to_bits()).collect();
    let record = encode(&elements, d.dense_bits(), &t);
    let want = decode(&record.dense, &record.sparse, n, d.dense_bits(), &t).map_err(|e| e.to_string())?;
    let width = d.params.sparse_bytes() as usize;
    // a byte missing in the first dense beat, or in the second sparse word
    let gaps = (0..width).map(|byte| (None, Some(byte))).chain([(None, None), (Some(0), None)]);
    for (dense_gap, sparse_gap) in gaps {
        let gap = |e: BusError| format!("gaps {dense_gap:?} and {sparse_gap:?}: {e}");
        let mut bench = Bench::new(engine, effort.seed);
        let ports = &d.design.ports;
        let axil = AxiLiteMaster::new(&mut bench, &d.design, &ports.s_axil, Stalls::Never);
        let dense = bench.source(&d.design, &ports.s_axis_dense, Stalls::Never);
        let sparse = bench.source(&d.design, &ports.s_axis_sparse, Stalls::Never);
        let m = bench.sink(&d.design, &ports.m_axis, Stalls::Never);
        bench.reset().map_err(gap)?;
        d.set_up(&mut bench, &axil, n, &t).map_err(gap)?;
        let dense_width = d.params.dense_bytes() as usize;
        let parts = [(dense, &record.dense, dense_width, 0, dense_gap), (sparse, &record.sparse, width, 1, sparse_gap)];
        for (source, bytes, width, beat, gap) in parts {
            let mut beats = packet(bytes, width);
            if let Some(byte) = gap {
                beats[beat].0[1].set_bit(byte as u64, false);
            }
            bench.send(source, beats);
        }
        bench.run_until_received(m, n / d.params.lanes as usize, 400 + 2 * n as u64).map_err(gap)?;
        let got = packet_bytes(bench.beats(m)).concat();
        let got: Vec<u16> = got.chunks(2).map(|b| u16::from_le_bytes([b[0], b[1]])).collect();
        let flag = if dense_gap.is_some() || sparse_gap.is_some() { 32 } else { 0 };
        let mut errors = vec![];
        // 31: all other flags; 32: this one
        for clear in [0, 31, 32] {
            axil.write(&mut bench, d.address("errors"), clear).map_err(gap)?;
            errors.push(axil.read(&mut bench, d.address("errors")).map_err(gap)?.1);
        }
        if got != want || errors != [flag, flag, 0] {
            return Err(format!("gaps {dense_gap:?} and {sparse_gap:?}: errors {errors:?}, or wrong elements"));
        }
    }
    Ok(())
}

/// A dense beat with missing bytes is flagged when it is taken, once, and not while it waits.
fn a_waiting_beat_flags_nothing(
    d: &Device<DequantizerAxiPorts>,
    engine: &mut dyn Engine,
    seed: u64,
) -> Result<(), String> {
    let vector: Vec<u16> = vec![half::f16::from_f32(0.5).to_bits(); 64];
    let record = encoded(d, &vector, &plain_thresholds());
    let run = |engine: &mut dyn Engine| -> Result<[u64; 4], BusError> {
        let mut bench = Bench::new(engine, seed);
        let (axil, sources, _) = d.streams(&mut bench);
        bench.reset()?;
        d.set_up(&mut bench, &axil, 64, &plain_thresholds())?;
        let mut dense = packet(&record.dense, d.params.dense_bytes() as usize);
        dense[0].0[1].set_bit(0, false);
        bench.send(sources[0], dense);
        bench.run(30)?;
        let waiting = axil.read(&mut bench, d.address("errors"))?.1;
        bench.send(sources[1], packet(&record.sparse, d.params.sparse_bytes() as usize));
        bench.run(200)?;
        let taken = axil.read(&mut bench, d.address("errors"))?.1;
        axil.write(&mut bench, d.address("errors"), 0x3f)?;
        let cleared = axil.read(&mut bench, d.address("errors"))?.1;
        Ok([waiting, taken, cleared, axil.read(&mut bench, d.address("vectors"))?.1])
    };
    let seen = run(engine).map_err(|e| e.to_string())?;
    // if it is the last beat, and may be short, it is
    let short = d.params.dense_ends_within() && d.params.dense_beats(64) == 1;
    let flags = if short { 32 | 16 } else { 32 };
    if seen == [0, flags, 0, 1] {
        Ok(())
    } else {
        Err(format!("errors while it waits, then, cleared; vectors: {seen:?}"))
    }
}
