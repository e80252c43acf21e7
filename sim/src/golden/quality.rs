//! How well vectors survive: the record format beside the paper's equations and plain quantization.

use super::oaken::{DenseBits, GroupCounts, Thresholds, decode, encode};
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
    /// The same of uniform quantization to as many bits as a dense code has, with one scale for each vector.
    pub uniform_db: f64,
}

/// Sends vectors (finite binary16 bit patterns, lengths as [`encode`] wants them) through all three quantizers.
pub fn measure<'a>(
    vectors: impl IntoIterator<Item = &'a [u16]>,
    dense_bits: DenseBits,
    thresholds: &Thresholds,
) -> Quality {
    let mut counts = GroupCounts::default();
    let (mut codec, mut paper, mut uniform) = (Noise::default(), Noise::default(), Noise::default());
    let mut bytes = 0;
    for vector in vectors {
        let record = encode(vector, dense_bits, thresholds);
        let decoded = decode(&record.dense, &record.sparse, vector.len(), dense_bits, thresholds)
            .expect("the encoder gives legal records only");
        bytes += record.dense.len() + record.sparse.len();
        counts.add(GroupCounts::of(vector, thresholds));

        let original = to_f64(vector);
        codec.add(&original, &to_f64(&decoded));
        paper.add(&original, &reference::oaken(&original, dense_bits, thresholds));
        uniform.add(&original, &reference::uniform(&original, dense_bits.get() as i32));
    }
    Quality {
        counts,
        effective_bits: 8.0 * bytes as f64 / counts.total() as f64,
        codec_db: codec.sqnr_db(),
        reference_db: paper.sqnr_db(),
        uniform_db: uniform.sqnr_db(),
    }
}

/// Signal to quantization noise of the paper's equations alone, in dB.
pub fn measure_paper<'a>(
    vectors: impl IntoIterator<Item = &'a [u16]>,
    dense_bits: DenseBits,
    thresholds: &Thresholds,
) -> f64 {
    let mut noise = Noise::default();
    for vector in vectors {
        let original = to_f64(vector);
        noise.add(&original, &reference::oaken(&original, dense_bits, thresholds));
    }
    noise.sqnr_db()
}
