//! Random numbers that are the same in every version and on every machine: SplitMix64.

/// A generator.
#[derive(Clone, Debug)]
pub(super) struct Random(u64);

impl Random {
    /// A generator of its own for each of these numbers, whatever order they come in.
    pub fn new(seed: u64, numbers: &[u64]) -> Self {
        let mut random = Random(seed);
        for number in numbers {
            random = Random(random.next() ^ number);
        }
        random
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    }

    /// From 0 up to, but without, 1.
    pub fn fraction(&mut self) -> f64 {
        (self.next() >> 11) as f64 / 2f64.powi(53)
    }

    pub fn bit(&mut self) -> bool {
        self.next() >> 63 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_numbers_of_the_generator() {
        let mut random = Random(1234567);
        assert_eq!([random.next(), random.next()], [6457827717110365317, 3203168211198807973]);
    }
}
