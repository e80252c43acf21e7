//! The nearest entry of a book: by the largest `x.c - |c|^2/2`, in float32.

/// Entries that are looked at side by side.
const LANES: usize = 16;

/// A book, laid out so that neighbouring entries are neighbours in memory.
pub(super) struct Search {
    vector: usize,
    padded: usize,
    /// The first number of all entries, then the second of all, ...
    columns: Vec<f32>,
    /// `|c|^2 / 2`; infinite for the entries that fill up.
    half_norms: Vec<f32>,
}

impl Search {
    /// For the entries of a book, one after the other.
    pub fn new(entries: &[f32], vector: usize) -> Self {
        let count = entries.len() / vector;
        let padded = count.next_multiple_of(LANES);
        let mut columns = vec![0.0; vector * padded];
        let mut half_norms = vec![f32::INFINITY; padded];
        for (e, entry) in entries.chunks_exact(vector).enumerate() {
            entry.iter().enumerate().for_each(|(i, &x)| columns[i * padded + e] = x);
            half_norms[e] = entry.iter().map(|x| x * x).sum::<f32>() / 2.0;
        }
        Self { vector, padded, columns, half_norms }
    }

    /// The scores of a block of entries.
    fn scores(&self, x: &[f32], block: usize) -> [f32; LANES] {
        let mut scores = [0.0; LANES];
        for (i, &x) in x.iter().enumerate().take(self.vector) {
            let start = i * self.padded + block * LANES;
            let column: &[f32; LANES] = self.columns[start..start + LANES].try_into().expect("a block");
            for lane in 0..LANES {
                scores[lane] += x * column[lane];
            }
        }
        let half_norms = &self.half_norms[block * LANES..][..LANES];
        for lane in 0..LANES {
            scores[lane] -= half_norms[lane];
        }
        scores
    }

    /// The nearest entry; of several the first.
    pub fn nearest(&self, x: &[f32]) -> usize {
        let (mut best, mut at) = ([f32::NEG_INFINITY; LANES], [0u32; LANES]);
        for block in 0..self.padded / LANES {
            let scores = self.scores(x, block);
            for lane in 0..LANES {
                let better = scores[lane] > best[lane];
                best[lane] = if better { scores[lane] } else { best[lane] };
                at[lane] = if better { block as u32 } else { at[lane] };
            }
        }
        let index = |lane: usize| at[lane] as usize * LANES + lane;
        let first = |a: usize, b: usize| if (best[b], index(a)) > (best[a], index(b)) { b } else { a };
        index((1..LANES).fold(0, first))
    }

    /// The `count` nearest entries, the nearest first, of equal ones the first first.
    pub fn several(&self, x: &[f32], count: usize) -> Vec<usize> {
        let mut found: Vec<(f32, usize)> = Vec::with_capacity(count + 1);
        for block in 0..self.padded / LANES {
            for (lane, score) in self.scores(x, block).into_iter().enumerate() {
                let full = found.len() == count;
                if score == f32::NEG_INFINITY || full && found.last().is_some_and(|last| last.0 >= score) {
                    continue;
                }
                let place = found.partition_point(|other| other.0 >= score);
                found.insert(place, (score, block * LANES + lane));
                found.truncate(count);
            }
        }
        found.into_iter().map(|(_, index)| index).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_are_those_of_a_plain_search() {
        let mut rng = fastrand::Rng::with_seed(crate::bus::seed(3));
        for (vector, count) in [(1, 1), (2, 256), (4, 100), (8, 33), (16, 17)] {
            // few distinct numbers, so that there are ties; halves are exact
            let mut numbers = |n: usize| (0..n).map(|_| rng.i32(-4..=4) as f32 / 2.0).collect::<Vec<_>>();
            let entries = numbers(vector * count);
            let search = Search::new(&entries, vector);
            for _ in 0..50 {
                let x = numbers(vector);
                let distance = |e: &[f32]| e.iter().zip(&x).map(|(c, x)| (c - x) * (c - x)).sum::<f32>();
                let mut all: Vec<_> = entries.chunks(vector).map(distance).zip(0..).collect();
                all.sort_by(|a, b| a.partial_cmp(b).unwrap());
                let expected: Vec<usize> = all.iter().take(5).map(|a| a.1).collect();
                assert_eq!(search.nearest(&x), expected[0]);
                assert_eq!(search.several(&x, 5), expected);
            }
        }
    }
}
