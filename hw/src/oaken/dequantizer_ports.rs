//! What the parts of the dequantizer share: its ports, which [`mod@super::dequantizer`] explains, and how many vectors may be in it.

use super::types::*;
use hdl::*;

/// Vectors that may be under way: no more fit between the walker and the output.
pub const IN_FLIGHT: u32 = 31;

ports! {
    /// Ports of [`dequantizer`](super::dequantizer()).
    pub struct DequantizerPorts(p: EngineParams) {
        /// Dense part: codes.
        input dense: Stream<DenseBeat> = stream(dense_beat(p)),
        /// Sparse part: header, counts and entries.
        input sparse: Stream<SparseWord> = stream(sparse_word(p.sparse_bytes())),
        /// Elements of a vector.
        input length: Option<Signal> = (!p.setting_of_each()).then(|| bits(LENGTH_BITS)),
        /// Chunks of the vector whose word is at `sparse`, less one.
        input chunks_minus_1: Option<Signal> = p.setting_of_each().then(|| bits(7)),
        /// Thresholds.
        input thresholds: Thresholds = thresholds(),
        /// Vectors may begin.
        input enable: Signal = bits(1),
        /// What comes is dropped, and the vectors under way are completed with zeros.
        input flush: Signal = bits(1),
        /// Elements, `lanes` a beat.
        output m: Stream<Beat> = stream(beat(p.element_bits())),
        /// A header that the format does not allow.
        output header_error: Signal = bits(1),
        /// A count byte above 64.
        output count_error: Signal = bits(1),
        /// Positions that do not ascend.
        output order_error: Signal = bits(1),
        /// A sparse part that is shorter or longer than its packet.
        output sparse_length_error: Signal = bits(1),
        /// A dense part that is shorter or longer than its packet.
        output dense_length_error: Signal = bits(1),
        /// The last beat of a vector was taken in the cycle before.
        output finished: Signal = bits(1),
        /// Vectors are under way: words of them have come, and they were not taken to their end.
        output busy: Signal = bits(1),
    }
}
