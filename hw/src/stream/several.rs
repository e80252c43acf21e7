//! Several streams side by side, as the ports of a module whose number of streams is a parameter.

use hdl::{Bundle, Errors, Signal, Stream, bits};

/// Streams side by side: bit `i` of `valid` and of `ready` is that of stream `i`.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Streams {
    /// A word is there, one bit for each stream.
    pub valid: Signal,
    /// The receiver takes it, one bit for each stream (runs against the streams).
    #[flip]
    pub ready: Signal,
    /// One word for each stream, that of stream 0 in the low bits; or one word for all of them, where a module says so.
    pub payload: Signal,
}

/// The shape of `count` streams with a payload of `width` bits in all.
pub fn streams(count: u32, width: u32) -> Streams {
    Streams { valid: bits(count), ready: bits(count), payload: bits(width) }
}

impl Streams {
    /// Stream `index` with the given payload.
    #[track_caller]
    pub fn at<P: Bundle>(&self, index: u32, payload: P) -> Stream<P> {
        Stream { valid: self.valid.bit(index), ready: self.ready.bit(index), payload }
    }
}

/// The most streams of a demultiplexer or an arbiter.
pub const MAX_STREAMS: u32 = 64;

/// A number of streams that a demultiplexer or an arbiter can have.
#[track_caller]
pub(super) fn check_streams(module: &str, what: &str, count: u32) -> Result<(), Errors> {
    if (2..=MAX_STREAMS).contains(&count) {
        return Ok(());
    }
    let help = format!("from 2 (1 would be a wire) to {MAX_STREAMS} (more are quicker in two levels)");
    Err(Errors::parameter(module, format!("{what} = {count} is out of range"), help))
}

/// Lane `index` of several signals; any of them where there are no more.
#[track_caller]
pub(super) fn choose(index: Signal, lanes: &[Signal]) -> Signal {
    if lanes.len() == 1 {
        return lanes[0];
    }
    let half = lanes.len().next_power_of_two() / 2;
    let bit = half.trailing_zeros();
    let (low, high) = lanes.split_at(half);
    index.bit(bit).mux(choose(index, high), choose(index, low))
}
