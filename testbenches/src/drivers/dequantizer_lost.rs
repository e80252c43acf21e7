//! The dequantizer when lasts of sparse parts get lost (what it takes for the header of the next record), or last words have holes.

use super::Effort;
use super::dequantizer_records::{elements, encoded, with_step};
use super::settings::{self, Converts, plain_thresholds};
use fastrand::Rng;
use hdl::engine::Engine;
use hw::oaken::DequantizerAxiPorts;
use sim::bus::{Bench, BusError, Stalls, packet, packet_bytes};
use sim::golden::oaken::Thresholds;
use sim::oaken_bench::{Device, Parts};

/// Elements of the vectors.
pub(super) const HOLED: usize = 128;

/// Sparse parts whose last got lost, three in a row, and one of outliers only among them: all vectors are right. Then surplus that looks
/// like a record, and surplus that does not: the records around are right.
pub(super) fn lost_sparse_lasts(
    d: &Device<DequantizerAxiPorts>,
    engine: &mut dyn Engine,
    stalls: Stalls,
    seed: u64,
) -> Result<(), String> {
    let (t, width) = (plain_thresholds(), d.params.sparse_bytes() as usize);
    let vectors: Vec<Vec<u16>> = (0..6).map(|i| settings::vector(seed.wrapping_add(i), HOLED)).collect();
    let mut records: Vec<Parts> = vectors.iter().map(|v| encoded(d, v, &t)).collect();
    records[1] = encoded(d, &[half::f16::from_f32(2.0).to_bits(); HOLED], &t);
    let of = |r: &Parts| elements(d, &r.dense, &r.sparse, HOLED, &t);
    let whole_words = |bytes: &[u8]| [bytes, &vec![0; bytes.len().next_multiple_of(width) - bytes.len()]].concat();
    // a header of this width with a middle step, and counts that do not fit
    let mut record_like = [&[0, 15, 0, 0, 0, 0, 0, ((d.params.dense_bits ^ 4) << 4) as u8][..], &[200; 200]].concat();
    record_like.truncate(width + 3);
    let surplus = |tail: &[u8]| [&whole_words(&records[0].sparse), tail].concat();
    let lost: Vec<Vec<u8>> = vec![
        [records[..3].iter().flat_map(|r| whole_words(&r.sparse)).collect(), records[3].sparse.clone()].concat(),
        records[4].sparse.clone(),
        records[5].sparse.clone(),
    ];
    let kept = |first: Vec<u8>| {
        let rest = records[1..].iter().map(|r| r.sparse.clone());
        std::iter::once(first).chain(rest).collect::<Vec<_>>()
    };
    let (record_like, noise) = (kept(surplus(&record_like)), kept(surplus(&vec![0xff; 2 * width])));
    for (name, sparse, wrong) in
        [("lasts lost", lost, None), ("like a record", record_like, Some(1)), ("noise", noise, None)]
    {
        let (got, errors) = parts_apart(d, engine, (&t, stalls, seed), &records, &sparse)
            .map_err(|e| format!("{name}, {stalls:?}: {e}"))?;
        let right = |i: usize| Some(i) == wrong || got.get(i) == Some(&of(&records[i]));
        if !(0..records.len()).all(right) || errors & 8 == 0 {
            return Err(format!("{name}: {} vectors, errors {errors:#x}, or wrong elements", got.len()));
        }
    }
    Ok(())
}

/// The dense parts of records of [`HOLED`] elements, with packets of sparse parts: the elements of all vectors, and the errors.
fn parts_apart(
    d: &Device<DequantizerAxiPorts>,
    engine: &mut dyn Engine,
    (t, stalls, seed): (&Thresholds, Stalls, u64),
    records: &[Parts],
    sparse: &[Vec<u8>],
) -> Result<(Vec<Vec<u8>>, u64), BusError> {
    let mut bench = Bench::new(engine, seed);
    let (axil, sources, sinks) = d.streams(&mut bench);
    bench.reset()?;
    d.set_up(&mut bench, &axil, HOLED, t)?;
    bench.stall_source(sources[1], stalls);
    records.iter().for_each(|r| bench.send(sources[0], packet(&r.dense, d.params.dense_bytes() as usize)));
    sparse.iter().for_each(|part| bench.send(sources[1], packet(part, d.params.sparse_bytes() as usize)));
    let beats = records.len() * HOLED / d.params.lanes as usize;
    bench.run_until_received(sinks[0], beats, 800 + 4 * (records.len() * HOLED) as u64)?;
    bench.run(40)?;
    let errors = axil.read(&mut bench, d.address("errors"))?.1;
    Ok((packet_bytes(bench.beats(sinks[0])), errors))
}

/// Behind a sparse part that does not end, a word is a header if it can be one: every exponent of every step is, and what no header has is
/// not. Nothing else says so: the record before is right either way.
pub(super) fn headers_behind_lost_lasts(
    d: &Device<DequantizerAxiPorts>,
    engine: &mut dyn Engine,
    seed: u64,
) -> Result<(), String> {
    let t = Thresholds::from_bits(0x8000, 0x8000, 0, 0).expect("legal");
    let width = d.params.sparse_bytes() as usize;
    let right = encoded(d, &settings::vector(seed.wrapping_add(3), HOLED), &t);
    let whole = |r: &Parts| [&r.sparse[..], &vec![0; r.sparse.len().next_multiple_of(width) - r.sparse.len()]].concat();
    let of = |r: &Parts| elements(d, &r.dense, &r.sparse, HOLED, &t);
    let most = u64::from(d.dense_bits().max_step_exponent());
    for place in 0..4 {
        // in pairs: the last of the first one is lost
        let pairs: Vec<[Parts; 2]> = (1..=most).map(|e| [right.clone(), with_step(&right, place, e << 7)]).collect();
        let records = pairs.concat();
        let sparse: Vec<Vec<u8>> = pairs.iter().map(|[a, b]| [whole(a), b.sparse.clone()].concat()).collect();
        let (got, errors) = parts_apart(d, engine, (&t, Stalls::Never, seed), &records, &sparse)
            .map_err(|e| format!("place {place}: {e}"))?;
        if let Some(i) = (0..records.len()).find(|i| got.get(*i) != Some(&of(&records[*i]))) {
            return Err(format!("step {place}, exponent {}, behind a lost last: wrong elements", i / 2 + 1));
        }
        if errors != 8 {
            return Err(format!("step {place} behind a lost last: errors {errors:#x}"));
        }
        // what is dropped, and a record behind it
        let above = (most + 1..64).map(|e| e << 7).chain((0..7).map(|bit| 1 << bit));
        let none: Vec<Vec<u8>> = above
            .flat_map(|step| {
                let surplus = [whole(&right), with_step(&right, place, step).sparse[..8].to_vec()].concat();
                [surplus, right.sparse.clone()]
            })
            .collect();
        let records = vec![right.clone(); none.len()];
        let (got, errors) = parts_apart(d, engine, (&t, Stalls::Never, seed), &records, &none)
            .map_err(|e| format!("place {place}: {e}"))?;
        if errors != 8 || got.len() != records.len() || got.iter().any(|got| *got != of(&right)) {
            return Err(format!(
                "step {place}, none that a header has, in surplus: errors {errors:#x}, or wrong elements"
            ));
        }
    }
    Ok(())
}

/// Records of [`HOLED`] elements, one of them with this in the place of its last sparse word's keep: the elements of all, and the errors.
fn with_last_keep(
    d: &Device<DequantizerAxiPorts>,
    engine: &mut dyn Engine,
    record: &Parts,
    (keep, seed): (u64, u64),
) -> Result<(Vec<Vec<u8>>, u64), BusError> {
    let mut bench = Bench::new(engine, seed);
    let (axil, sources, sinks) = d.streams(&mut bench);
    bench.reset()?;
    d.set_up(&mut bench, &axil, HOLED, &plain_thresholds())?;
    for place in 0..3 {
        let mut sparse = packet(&record.sparse, d.params.sparse_bytes() as usize);
        if let (1, Some(last)) = (place, sparse.last_mut()) {
            last.0[1] = keep.into();
        }
        bench.send(sources[0], packet(&record.dense, d.params.dense_bytes() as usize));
        bench.send(sources[1], sparse);
    }
    let beats = 3 * HOLED / d.params.lanes as usize;
    bench.run_until_received(sinks[0], beats, 400 + 2 * beats as u64)?;
    bench.run(40)?;
    let errors = axil.read(&mut bench, d.address("errors"))?.1;
    Ok((packet_bytes(bench.beats(sinks[0])), errors))
}

/// Bytes that are kept behind one that is not: flagged, and the vectors around are right.
pub(super) fn holes_in_the_last_word(
    d: &Device<DequantizerAxiPorts>,
    engine: &mut dyn Engine,
    effort: Effort,
) -> Result<(), String> {
    let width = d.params.sparse_bytes() as usize;
    let mut rng = Rng::with_seed(effort.seed.wrapping_add(8));
    // so many outliers that the last word has six bytes at least
    let (record, vector) = loop {
        let vector: Vec<u16> = (0..HOLED).map(|_| half::f16::from_f32(rng.f32() * 1.2).to_bits()).collect();
        let record = encoded(d, &vector, &plain_thresholds());
        if (6..width).contains(&(record.sparse.len() % width)) {
            break (record, vector);
        }
    };
    let full = (1u64 << (record.sparse.len() % width)) - 1;
    let right = d.results(&vector, &plain_thresholds())[0].clone();
    for keep in [full, full & !1, full & !2, full & !(full >> 1), full | 1 << (width - 1), full & 0b10_1011] {
        let (vectors, errors) = with_last_keep(d, engine, &record, (keep, effort.seed))
            .map_err(|e| format!("a last keep of {keep:#x}: {e}"))?;
        let flag = if keep == full { 0 } else { 32 };
        let around = vectors.len() == 3 && [&vectors[0], &vectors[2]].iter().all(|v| **v == right);
        if errors & 32 != flag || (flag == 0 && errors != 0) || !around {
            return Err(format!("a last keep of {keep:#x}: errors {errors:#x}, or a vector beside it is wrong"));
        }
    }
    Ok(())
}

/// A sparse part of one full word of which a byte is not kept, between records without outliers and records of outliers only, which wait for
/// their dense parts: flagged, and all vectors but its own are right.
pub(super) fn holes_in_the_only_word(
    d: &Device<DequantizerAxiPorts>,
    engine: &mut dyn Engine,
    seed: u64,
) -> Result<(), String> {
    let (t, width) = (plain_thresholds(), d.params.sparse_bytes() as usize);
    // header and two counts, and as many outliers as the word has room for
    let first = |outliers: usize| {
        let value = |i: usize| half::f16::from_f32(if i < outliers { 2.0 } else { 0.5 }).to_bits();
        encoded(d, &(0..HOLED).map(value).collect::<Vec<u16>>(), &t)
    };
    let mut records = [vec![first(0); 2], vec![first(width - 10)], vec![first(HOLED); 6]].concat();
    records[2].sparse.truncate(width);
    let right: Vec<Vec<u8>> = records.iter().map(|r| elements(d, &r.dense, &r.sparse, HOLED, &t)).collect();
    for hole in 0..width - 1 {
        let (got, errors) = waiting_for_dense(d, engine, (&records, hole), seed).map_err(|e| format!("{hole}: {e}"))?;
        let around = (0..records.len()).all(|i| i == 2 || got.get(i) == Some(&right[i]));
        if errors & 32 == 0 || !around {
            return Err(format!("byte {hole} of the only word: errors {errors:#x}, or a vector beside it is wrong"));
        }
    }
    Ok(())
}

/// The elements of all records when their dense parts come as soon as no more sparse words are taken, and the errors; of the third one's
/// only word, byte `hole` is not kept.
fn waiting_for_dense(
    d: &Device<DequantizerAxiPorts>,
    engine: &mut dyn Engine,
    (records, hole): (&[Parts], usize),
    seed: u64,
) -> Result<(Vec<Vec<u8>>, u64), BusError> {
    let mut bench = Bench::new(engine, seed);
    let (axil, sources, sinks) = d.streams(&mut bench);
    bench.reset()?;
    d.set_up(&mut bench, &axil, HOLED, &plain_thresholds())?;
    for (i, record) in records.iter().enumerate() {
        let mut sparse = packet(&record.sparse, d.params.sparse_bytes() as usize);
        if i == 2 {
            sparse[0].0[1].set_bit(hole as u64, false);
        }
        bench.send(sources[1], sparse);
    }
    bench.run(150)?;
    records.iter().for_each(|r| bench.send(sources[0], packet(&r.dense, d.params.dense_bytes() as usize)));
    let beats = records.len() * HOLED / d.params.lanes as usize;
    bench.run_until_received(sinks[0], beats, 400 + 2 * beats as u64)?;
    bench.run(40)?;
    let errors = axil.read(&mut bench, d.address("errors"))?.1;
    Ok((packet_bytes(bench.beats(sinks[0])), errors))
}

/// A sparse part whose last beat comes some cycles behind the others and is empty: it ends late, whenever that beat comes. The vectors are
/// right; where the last before it got lost too, those behind are the same ones for each of the delays.
pub(super) fn empty_last_beats(
    d: &Device<DequantizerAxiPorts>,
    engine: &mut dyn Engine,
    seed: u64,
) -> Result<(), String> {
    let (t, width) = (plain_thresholds(), d.params.sparse_bytes() as usize);
    // header, two counts and outliers: a full word
    let value = |i: usize| half::f16::from_f32(if i < width - 10 { 2.0 } else { 0.5 }).to_bits();
    let records = vec![encoded(d, &(0..HOLED).map(value).collect::<Vec<u16>>(), &t); 6];
    let right: Vec<Vec<u8>> = records.iter().map(|r| elements(d, &r.dense, &r.sparse, HOLED, &t)).collect();
    let mut behind_lost = None;
    for delay in 0..12 {
        let (got, errors) =
            empty_behind(d, engine, (&records, false, delay), seed).map_err(|e| format!("{delay}: {e}"))?;
        if errors != 8 || got != right {
            return Err(format!("an empty last beat {delay} cycles later: errors {errors:#x}, or a wrong vector"));
        }
        let lost = empty_behind(d, engine, (&records, true, delay), seed).map_err(|e| format!("lost, {delay}: {e}"))?;
        let first = behind_lost.get_or_insert(lost.clone());
        if *first != lost || lost.1 != 8 {
            return Err(format!("behind a lost last, {delay} cycles later: errors {:#x}, or other vectors", lost.1));
        }
    }
    Ok(())
}

/// The vectors of records whose second one has an empty last beat, `delay` cycles behind the others, and the errors; the last of the first
/// one may be lost, too.
fn empty_behind(
    d: &Device<DequantizerAxiPorts>,
    engine: &mut dyn Engine,
    (records, lost, delay): (&[Parts], bool, u64),
    seed: u64,
) -> Result<(Vec<Vec<u8>>, u64), BusError> {
    let (width, last) = (d.params.sparse_bytes() as usize, 2);
    let mut bench = Bench::new(engine, seed);
    let (axil, sources, sinks) = d.streams(&mut bench);
    bench.reset()?;
    d.set_up(&mut bench, &axil, HOLED, &plain_thresholds())?;
    records.iter().for_each(|r| bench.send(sources[0], packet(&r.dense, d.params.dense_bytes() as usize)));
    for (i, record) in records.iter().enumerate() {
        let mut beats = packet(&record.sparse, width);
        if i == 1 || (i == 0 && lost) {
            beats[0].0[last].set_bit(0, false);
        }
        bench.send(sources[1], beats);
        if i == 1 {
            bench.run(2 + delay)?;
            let mut empty = packet(&[0], width);
            empty[0].0[1].set_bit(0, false);
            bench.send(sources[1], empty);
        }
    }
    bench.run(400 + 4 * (records.len() * HOLED) as u64)?;
    let errors = axil.read(&mut bench, d.address("errors"))?.1;
    Ok((packet_bytes(bench.beats(sinks[0])), errors))
}
