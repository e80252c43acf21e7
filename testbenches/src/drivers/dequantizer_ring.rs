//! The dequantizer with its sparse part at every word of the ring in which that waits.

use super::dequantizer_records::{elements, encoded};
use super::settings::{Converts, plain_thresholds};
use hdl::engine::Engine;
use hw::oaken::DequantizerAxiPorts;
use sim::bus::{Bench, BusError, packet, packet_bytes, seed, span};
use sim::oaken_bench::{Device, Pauses, dequantize};

/// Numbers of words that the engine tells apart: twice as many as the largest ring has.
const NUMBERS: usize = 64;

/// Words that are taken whatever the walker waits for.
const AT_ONCE: usize = 16;

/// Surplus within the last word of a record, whatever the number of that word is: it is flagged, and all vectors are right.
pub(super) fn surplus_in_every_word(d: &Device<DequantizerAxiPorts>, engine: &mut dyn Engine) -> Result<(), String> {
    let t = plain_thresholds();
    let vector: Vec<u16> =
        (0..64).map(|i| half::f16::from_f32(if i % 30 == 5 { 2.0 } else { 0.5 }).to_bits()).collect();
    let mut record = encoded(d, &vector, &t);
    let want = elements(d, &record.dense, &record.sparse, 64, &t);
    record.sparse.push(0);
    let records = vec![record; NUMBERS + 1];
    let run = dequantize(d, engine, &t, (&records, 64), Pauses::NEVER, seed(1), &mut |_| ());
    let run = run.map_err(|e| format!("surplus in every word: {e}"))?;
    let right = |got: &Vec<u16>| got.iter().flat_map(|x| x.to_le_bytes()).eq(want.iter().copied());
    if run.errors == 8 && run.results.len() == records.len() && run.results.iter().all(right) {
        Ok(())
    } else {
        Err(format!(
            "surplus in every word: {} vectors, errors {:#x}, or a wrong vector",
            run.results.len(),
            run.errors
        ))
    }
}

/// An empty engine takes as many words as the walker looks ahead, one in each cycle and without a dense part, whatever the number of the first
/// one is.
pub(super) fn words_at_once(d: &Device<DequantizerAxiPorts>, engine: &mut dyn Engine) -> Result<(), String> {
    const LENGTH: usize = 128;
    let t = plain_thresholds();
    let value = |x: f32| half::f16::from_f32(x).to_bits();
    let [long, short] = [2.0, 0.5].map(|x| encoded(d, &[value(x); LENGTH], &t));
    let words = long.sparse.len().div_ceil(d.params.sparse_bytes() as usize);
    let mut records = vec![long; AT_ONCE.div_ceil(words)];
    // an odd number of words, so that the next round begins at another one, until all had their turn
    if records.len() * words % 2 == 0 {
        records.push(short);
    }
    let mut run = || -> Result<Option<(usize, u64)>, BusError> {
        let mut bench = Bench::new(engine, seed(1));
        let (axil, sources, sinks) = d.streams(&mut bench);
        bench.reset()?;
        d.set_up(&mut bench, &axil, LENGTH, &t)?;
        for round in 1..=NUMBERS {
            let before = bench.sent_at(sources[1]).len();
            let sparse = records.iter().flat_map(|r| packet(&r.sparse, d.params.sparse_bytes() as usize));
            bench.send(sources[1], sparse);
            bench.run(60)?;
            let cycles = span(&bench.sent_at(sources[1])[before..before + AT_ONCE]);
            if cycles != AT_ONCE as u64 {
                return Ok(Some((before, cycles)));
            }
            bench.send(sources[0], records.iter().flat_map(|r| packet(&r.dense, d.params.dense_bytes() as usize)));
            let beats = round * records.len() * LENGTH / d.params.lanes as usize;
            bench.run_until_received(sinks[0], beats, 2000 + 40 * LENGTH as u64)?;
        }
        let vectors = packet_bytes(bench.beats(sinks[0]));
        let want: Vec<_> = records.iter().map(|r| elements(d, &r.dense, &r.sparse, LENGTH, &t)).collect();
        let right = vectors.chunks(want.len()).all(|vectors| vectors == want);
        Ok((!right).then_some((0, 0)))
    };
    match run().map_err(|e| format!("words at once: {e}"))? {
        None => Ok(()),
        Some((_, 0)) => Err("words at once: wrong vectors".into()),
        Some((before, cycles)) => Err(format!("{AT_ONCE} words behind {before} others are taken in {cycles} cycles")),
    }
}
