//! Records for the tests of the dequantizer: what the golden model makes of vectors and of records, and whether the dequantizer does so.

use hdl::engine::Engine;
use hw::oaken::DequantizerAxiPorts;
use sim::golden::oaken::{Thresholds, decode, encode};
use sim::oaken_bench::{Device, Parts, Pauses, dequantize, to_bytes};

/// The bytes of the `n` elements of a record, as the output gives them.
pub(super) fn elements(
    d: &Device<DequantizerAxiPorts>,
    dense: &[u8],
    sparse: &[u8],
    n: usize,
    t: &Thresholds,
) -> Vec<u8> {
    to_bytes(&decode(dense, sparse, n, d.dense_bits(), t).expect("a legal record"))
}

/// The record of a vector.
pub(super) fn encoded(d: &Device<DequantizerAxiPorts>, vector: &[u16], t: &Thresholds) -> Parts {
    encode(vector, d.dense_bits(), t).into()
}

/// A header with `step` (exponent and 7 bits of fraction) in one of its four places.
pub(super) fn with_step(record: &Parts, place: usize, step: u64) -> Parts {
    let mut record = record.clone();
    let header = u64::from_le_bytes(record.sparse[..8].try_into().expect("eight bytes"));
    let header = header & !(0x1fff << (13 * place)) | step << (13 * place);
    record.sparse[..8].copy_from_slice(&header.to_le_bytes());
    record
}

/// Records of `n` elements without a mistake come out as the model says; the cycles that they took.
pub(super) fn decodes(
    d: &Device<DequantizerAxiPorts>,
    engine: &mut dyn Engine,
    t: &Thresholds,
    (records, n): (&[Parts], usize),
    pauses: Pauses,
    seed: u64,
) -> Result<u64, String> {
    let run = dequantize(d, engine, t, (records, n), pauses, seed, &mut |_| ()).map_err(|e| e.to_string())?;
    let count = records.len();
    if (run.errors, run.vectors, run.status) != (0, count as u64, 2) || run.results.len() != count {
        let (errors, vectors, status) = (run.errors, run.vectors, run.status);
        return Err(format!(
            "{} vectors, errors {errors:#x}, a count of {vectors}, status {status}",
            run.results.len()
        ));
    }
    for (i, (got, record)) in run.results.iter().zip(records).enumerate() {
        let want = decode(&record.dense, &record.sparse, n, d.dense_bits(), t).map_err(|e| e.to_string())?;
        if let Some(at) = (0..n).find(|&at| got.get(at) != want.get(at)) {
            return Err(format!("element {at} of vector {i} differs"));
        }
    }
    Ok(run.cycles)
}
