//! Thresholds of every size beside steps of every size: which steps the dequantizer takes for illegal, and how it rounds where a threshold
//! is little beside its step.

use super::dequantizer_records::{decodes, encoded, with_step};
use fastrand::Rng;
use hdl::engine::Engine;
use hw::oaken::DequantizerAxiPorts;
use sim::bus::seed;
use sim::golden::oaken::Thresholds;
use sim::oaken_bench::{Device, Parts, Pauses, dequantize};

/// Beside thresholds with a single bit, and so of every size: the finest step that is legal there, and the one that is finer and is flagged.
/// One threshold has this size, each in its turn, and those that may not be less.
pub(super) fn finest_steps(d: &Device<DequantizerAxiPorts>, engine: &mut dyn Engine) -> Result<(), String> {
    let vector = [0; 64];
    let sizes = (0..10).map(|bit| 1u16 << bit).chain((1..31).map(|exponent| exponent << 10));
    for (i, size) in sizes.enumerate() {
        // the thresholds, and the place of the step in the header
        let ([s_low, t_low, t_high, s_high], place) =
            [([0, 0, size, size], 0), ([size, size, 0, 0], 0), ([0, 0, 0, size], 1), ([size, 0, 0, 0], 2)][i % 4];
        let t = Thresholds::from_bits(0x8000 | s_low, 0x8000 | t_low, t_high, s_high).expect("legal");
        // the position of the highest bit less 6 (docs/oaken-format.md, section 3)
        let least = if size < 1 << 10 { u64::from(size.ilog2()).saturating_sub(6) } else { u64::from(size >> 10) + 3 };
        let record = encoded(d, &vector, &t);
        let legal = with_step(&record, place, least.max(1) << 7);
        let error = |e: String| format!("the finest step beside {size:#x}: {e}");
        decodes(d, engine, &t, (&[record.clone(), legal], 64), Pauses::NEVER, seed(3)).map_err(error)?;
        if least < 2 {
            continue;
        }
        let finer = with_step(&record, place, (least - 1) << 7 | 0x7f);
        let run = dequantize(d, engine, &t, (&[finer, record], 64), Pauses::NEVER, seed(3), &mut |_| ());
        let run = run.map_err(|e| error(e.to_string()))?;
        if (run.errors, run.vectors) != (1, 2) {
            return Err(format!("a step too fine beside {size:#x}: errors {:#x}, {} vectors", run.errors, run.vectors));
        }
    }
    Ok(())
}

/// Thresholds with one bit or two, and steps beside which nothing is left of one of these but that it is there: it decides where else a number
/// would be half way between two others.
pub(super) fn lost_bits(d: &Device<DequantizerAxiPorts>, engine: &mut dyn Engine) -> Result<(), String> {
    let mut rng = Rng::with_seed(seed(4));
    let most = u64::from(d.dense_bits().max_step_exponent());
    // bits of the fraction; without, the leading one is what is lost
    for bit in (0..=10u16).rev() {
        let fraction = if bit < 10 { 1 << bit } else { 0 };
        let exponent = rng.u16(1..=most as u16 - 24);
        let inner = exponent << 10 | fraction;
        let t = Thresholds::from_bits(0x8000 | (inner + 0x400), 0x8000 | inner, inner, inner + 0x400).expect("legal");
        let element = |rng: &mut Rng| [0, inner + 1, inner + 0x401][rng.usize(0..3)] | rng.u16(0..2) << 15;
        let records: Vec<Parts> = (0..8)
            .map(|_| {
                let vector: Vec<u16> = (0..64).map(|_| element(&mut rng)).collect();
                let mut record = encoded(d, &vector, &t);
                // any codes
                record.dense.iter_mut().for_each(|byte| *byte = rng.u8(..));
                (0..4).fold(record, |record, place| {
                    // the bit is the highest one that is lost, or not far below it
                    let e = u64::from(exponent + bit) + 13 + rng.u64(0..3);
                    with_step(&record, place, e.min(most) << 7 | rng.u64(0..128))
                })
            })
            .collect();
        decodes(d, engine, &t, (&records, 64), Pauses::NEVER, seed(5))
            .map_err(|e| format!("thresholds {inner:#x} and above, bit {bit} lost: {e}"))?;
    }
    Ok(())
}
