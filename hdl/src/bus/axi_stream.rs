//! Bytes to AXI4-Stream beats and back: payloads of the fields data, keep and last.

use super::stream::Beat;
use num_bigint::BigUint;

/// A packet as beats of `width` bytes (data, keep, last); all beats but the last are full.
///
/// # Panics
/// If there are no bytes: such a packet has no beat to carry its end.
pub fn packet(bytes: &[u8], width: usize) -> Vec<Beat> {
    assert!(!bytes.is_empty(), "a packet has at least one byte");
    let beats = bytes.len().div_ceil(width);
    let beat = |(i, chunk): (usize, &[u8])| {
        let keep = (BigUint::from(1u32) << chunk.len()) - 1u32;
        Beat(vec![BigUint::from_bytes_le(chunk), keep, u32::from(i + 1 == beats).into()])
    };
    bytes.chunks(width).enumerate().map(beat).collect()
}

/// The kept bytes of beats (data, keep, last), one vector for each packet. Beats after the last `last` are left out.
pub fn packet_bytes(beats: &[Beat]) -> Vec<Vec<u8>> {
    let (mut packets, mut bytes) = (vec![], vec![]);
    for beat in beats {
        let [data, keep, last] = &beat.0[..] else { panic!("a beat of a packet is data, keep and last") };
        let data = data.to_bytes_le();
        bytes.extend((0..keep.bits()).filter(|i| keep.bit(*i)).map(|i| data.get(i as usize).copied().unwrap_or(0)));
        if last.bit(0) {
            packets.push(std::mem::take(&mut bytes));
        }
    }
    packets
}
