//! Records for the tests of the dequantizer: what the golden model makes of vectors and of records.

use hw::oaken::DequantizerAxiPorts;
use sim::golden::oaken::{Thresholds, decode, encode};
use sim::oaken_bench::{Device, Parts, to_bytes};

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
