//! How well vectors survive: the record format beside the paper's equations and plain 4-bit quantization.

use super::oaken::{GroupCounts, Thresholds, decode, encode};
use super::reference::{self, Noise, to_f64};

/// Figures of some vectors under one set of thresholds.
#[derive(Clone, Copy, Debug)]
pub struct Quality {
    /// How many elements each group really has.
    pub counts: GroupCounts,
    /// Stored bits for each element, every bit counted.
    pub effective_bits: f64,
    /// Signal to quantization noise of the bit-exact model, in dB.
    pub codec_db: f64,
    /// The same of the paper's equations in float64.
    pub reference_db: f64,
    /// The same of uniform quantization to 4 bits, with one scale for each vector.
    pub uniform4_db: f64,
}

/// Sends vectors (finite binary16 bit patterns, lengths as [`encode`] wants them) through all three quantizers.
pub fn measure<'a>(vectors: impl IntoIterator<Item = &'a [u16]>, thresholds: &Thresholds) -> Quality {
    let mut counts = GroupCounts::default();
    let (mut codec, mut paper, mut uniform) = (Noise::default(), Noise::default(), Noise::default());
    let mut bytes = 0;
    for vector in vectors {
        let record = encode(vector, thresholds);
        let decoded = decode(&record.dense, &record.sparse, vector.len(), thresholds)
            .expect("the encoder gives legal records only");
        bytes += record.dense.len() + record.sparse.len();
        counts.add(GroupCounts::of(vector, thresholds));

        let original = to_f64(vector);
        codec.add(&original, &to_f64(&decoded));
        paper.add(&original, &reference::oaken(&original, thresholds));
        uniform.add(&original, &reference::uniform(&original, 4));
    }
    Quality {
        counts,
        effective_bits: 8.0 * bytes as f64 / counts.total() as f64,
        codec_db: codec.sqnr_db(),
        reference_db: paper.sqnr_db(),
        uniform4_db: uniform.sqnr_db(),
    }
}
