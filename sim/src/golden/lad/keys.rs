//! Keys, values and centres of one key head (Algorithm 1; docs/lad.md, section 5).

use super::number::{Half, dot, exceeds, norm, product, projection, reciprocal};
use super::settings::NO_CENTRES;

/// What is stored of a key beside its elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyRecord {
    /// The position of its centre; its own if it is one.
    pub centre: u16,
    /// Of a centre the reciprocal of its length, 0 if nothing can be compared with it; of another key its length
    /// over its centre's, negative if it points the other way. A binary16 number.
    pub factor: u16,
}

/// The keys and values of one key head.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyHead {
    head: usize,
    threshold: u32,
    keys: Vec<Half>,
    /// The same keys in float64, which holds them exactly.
    numbers: Vec<f64>,
    values: Vec<Half>,
    records: Vec<KeyRecord>,
    centres: Vec<usize>,
}

impl KeyHead {
    /// Without positions.
    pub fn new(head: usize, threshold: u32) -> KeyHead {
        let (keys, numbers, values, records, centres) = (vec![], vec![], vec![], vec![], vec![]);
        KeyHead { head, threshold, keys, numbers, values, records, centres }
    }

    /// Positions.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// The positions of the centres, rising.
    pub fn centres(&self) -> &[usize] {
        &self.centres
    }

    /// The record of each position.
    pub fn records(&self) -> &[KeyRecord] {
        &self.records
    }

    /// A key.
    pub fn key(&self, position: usize) -> &[Half] {
        &self.keys[position * self.head..][..self.head]
    }

    /// A value.
    pub fn value(&self, position: usize) -> &[Half] {
        &self.values[position * self.head..][..self.head]
    }

    /// The dot product of a key with a vector of binary16 numbers.
    pub fn dot(&self, position: usize, vector: &[f64]) -> i64 {
        dot(&self.numbers[position * self.head..][..self.head], vector)
    }

    /// Adds a position.
    pub fn push(&mut self, key: &[u16], value: &[u16]) {
        let halves = |bits: &[u16]| bits.iter().map(|bits| Half::new(*bits)).collect::<Vec<_>>();
        let numbers = to_f64(key);
        let record = self.record(&numbers);
        if usize::from(record.centre) == self.len() {
            self.centres.push(self.len());
        }
        self.keys.extend(halves(key));
        self.numbers.extend(numbers);
        self.values.extend(halves(value));
        self.records.push(record);
    }

    /// Takes the last position away again.
    pub fn pop(&mut self) {
        let rest = (self.len() - 1) * self.head;
        self.keys.truncate(rest);
        self.numbers.truncate(rest);
        self.values.truncate(rest);
        self.records.pop();
        self.centres.retain(|centre| *centre < self.records.len());
    }

    /// Finds the centre of a new key.
    fn record(&self, key: &[f64]) -> KeyRecord {
        let position = self.len() as u16;
        let length = norm(dot(key, key));
        let own = |factor| KeyRecord { centre: position, factor };
        let usable = |x: u16| (1..0x7c00).contains(&x);
        if !usable(length) || !usable(reciprocal(length)) {
            return own(0);
        }
        if self.threshold >= NO_CENTRES {
            return own(reciprocal(length));
        }
        // the largest projection, of equal ones that on the oldest centre
        let mut best: Option<(u32, usize, bool)> = None;
        for &centre in &self.centres {
            let dot = self.dot(centre, key);
            let projection = projection(dot, self.records[centre].factor);
            if projection > best.map_or(0, |best| best.0) {
                best = Some((projection, centre, dot < 0));
            }
        }
        match best {
            Some((projection, centre, opposite)) if exceeds(projection, self.threshold, length) => {
                let factor = product(length, self.records[centre].factor);
                // so much longer than its centre that the factor cannot be stored
                if !usable(factor) {
                    return own(reciprocal(length));
                }
                KeyRecord { centre: centre as u16, factor: factor | u16::from(opposite) << 15 }
            }
            _ => own(reciprocal(length)),
        }
    }
}

/// Finite binary16 numbers in float64, which holds them exactly.
pub fn to_f64(bits: &[u16]) -> Vec<f64> {
    bits.iter().map(|bits| half::f16::from_bits(*bits).to_f64()).collect()
}
