//! Model of an Oaken cache (docs/blocks/oaken_cache.md): packets in, packets out. Written from the page.

use super::oaken::{DenseBits, Thresholds, decode, encode};
use std::collections::HashMap;

/// What a cache has.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Requests that may be open.
    pub requests: u8,
    /// Layers of the model.
    pub layers: u8,
    /// Heads of a layer's keys, and of its values.
    pub heads: u8,
    /// Elements of a head.
    pub head_elements: usize,
    /// The most tokens of a request.
    pub tokens: usize,
    /// Width of the dense codes.
    pub bits: DenseBits,
    /// Thresholds of each setting.
    pub settings: Vec<Thresholds>,
}

/// A cache.
#[derive(Clone, Debug)]
pub struct OakenCache {
    shape: Shape,
    open: Vec<bool>,
    /// Vectors as they come back: by request, layer, and key (0) or value (1).
    histories: HashMap<(u8, u8, u8), Vec<Vec<u16>>>,
}

/// Bytes of a command.
const COMMAND: usize = 9;

/// Outcomes of the page's table.
mod outcome {
    pub const OKAY: u8 = 0;
    pub const ADDRESS: u8 = 1;
    pub const CLOSED: u8 = 2;
    pub const OPEN: u8 = 3;
    pub const TOKENS: u8 = 4;
    pub const NOT_UNDERSTOOD: u8 = 8;
    pub const LENGTH: u8 = 9;
}

impl OakenCache {
    /// A cache in which no request is open.
    pub fn new(shape: Shape) -> OakenCache {
        let open = vec![false; shape.requests.into()];
        OakenCache { shape, open, histories: HashMap::new() }
    }
    /// What is answered to a packet: vectors, and the answer behind them.
    pub fn answers(&mut self, packet: &[u8]) -> Vec<Vec<u8>> {
        let Some((command, vector)) = packet.split_at_checked(COMMAND) else {
            return vec![answer(255, 255, outcome::NOT_UNDERSTOOD, 0)];
        };
        let mut vectors = vec![];
        let outcome = self.outcome(command, vector, &mut vectors);
        let count = vectors.len();
        vectors.push(answer(command[0], command[1], outcome, count));
        vectors
    }
    fn outcome(&mut self, command: &[u8], vector: &[u8], given: &mut Vec<Vec<u8>>) -> u8 {
        let &[operation, _, request, layer, value, head, low, high, setting] = command else { unreachable!("split") };
        let appends = operation == 3;
        if operation > 4 || value > 1 || (!appends && !vector.is_empty()) {
            return outcome::NOT_UNDERSTOOD;
        }
        let Shape { requests, layers, heads, head_elements, tokens, bits, ref settings } = self.shape;
        let there = request < requests && layer < layers && head < heads;
        let Some(t) = settings.get(usize::from(setting)).filter(|_| there) else { return outcome::ADDRESS };
        if appends && vector.is_empty() {
            return outcome::LENGTH;
        }
        let open = self.open[usize::from(request)];
        let history = self.histories.entry((request, layer, value)).or_default();
        match operation {
            1 if open => return outcome::OPEN,
            2..=4 if !open => return outcome::CLOSED,
            1 | 2 => {
                self.open[usize::from(request)] = operation == 1;
                self.histories.retain(|group, _| group.0 != request);
            }
            3 => {
                if history.len() == tokens {
                    return outcome::TOKENS;
                }
                if vector.len() != 2 * usize::from(heads) * head_elements {
                    return outcome::LENGTH;
                }
                let vector: Vec<u16> = vector.as_chunks().0.iter().map(|pair| u16::from_le_bytes(*pair)).collect();
                let record = encode(&vector, bits, t);
                let back = decode(&record.dense, &record.sparse, vector.len(), bits, t);
                history.push(back.unwrap_or_else(|e| panic!("a record of the model's own: {e}")));
            }
            4 => {
                let asked = usize::from(u16::from_le_bytes([low, high]));
                let count = if asked == 0 { history.len() } else { asked.min(history.len()) };
                let at = usize::from(head) * head_elements;
                let bytes = |v: &Vec<u16>| v[at..at + head_elements].iter().flat_map(|x| x.to_le_bytes()).collect();
                given.extend(history[..count].iter().map(bytes));
            }
            _ => {}
        }
        outcome::OKAY
    }
}

fn answer(operation: u8, tag: u8, outcome: u8, tokens: usize) -> Vec<u8> {
    let [low, high] = (tokens as u16).to_le_bytes();
    vec![operation, tag, outcome, low, high]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_begins_grows_is_read_and_ends() {
        let t = Thresholds::from_f32(-1.0, -0.1, 0.1, 1.0).expect("legal");
        let bits = DenseBits::PAPER;
        let shape =
            Shape { requests: 2, layers: 1, heads: 2, head_elements: 64, tokens: 2, bits, settings: vec![t; 2] };
        let mut cache = OakenCache::new(shape);
        let command = |operation, request| vec![operation, 7, request, 0, 0, 1, 0, 0, 1];
        let mut append = command(3, 0);
        append.extend(std::iter::repeat_n(1.0f32, 128).flat_map(|x| half::f16::from_f32(x).to_le_bytes()));
        assert_eq!(cache.answers(&append), [[3, 7, 2, 0, 0]], "it is not open");
        assert_eq!(cache.answers(&command(1, 0)), [[1, 7, 0, 0, 0]]);
        assert_eq!(cache.answers(&command(1, 0)), [[1, 7, 3, 0, 0]]);
        assert_eq!(cache.answers(&command(1, 2)), [[1, 7, 1, 0, 0]]);
        assert_eq!(cache.answers(&append), [[3, 7, 0, 0, 0]]);
        assert_eq!(cache.answers(&append[..80]), [[3, 7, 9, 0, 0]]);
        let read = cache.answers(&command(4, 0));
        assert_eq!((read.len(), read[0].len(), &read[1][..]), (2, 128, &[4, 7, 0, 1, 0][..]));
        assert_eq!(cache.answers(&append), [[3, 7, 0, 0, 0]]);
        assert_eq!(cache.answers(&append), [[3, 7, 4, 0, 0]]);
        assert_eq!(cache.answers(&command(5, 0)), [[5, 7, 8, 0, 0]]);
        assert_eq!(cache.answers(&[1, 2]), [[255, 255, 8, 0, 0]]);
        assert_eq!(cache.answers(&command(2, 0)), [[2, 7, 0, 0, 0]]);
        assert_eq!(cache.answers(&command(4, 0)), [[4, 7, 2, 0, 0]]);
    }
}
