//! k-means with a seeded k-means++ start, the same with any number of threads.

use rayon::prelude::*;

use super::random::Random;
use super::search::Search;

/// Vectors that are summed up by themselves, before their sums are added in order.
const PIECE: usize = 4096;

/// Clusters vectors of `vector` numbers, one after the other, into at most `count` centres: fewer if there are fewer
/// distinct vectors. Ends when no vector changes its centre, at the latest after `iterations`.
pub(super) fn kmeans(data: &[f32], vector: usize, count: usize, iterations: usize, random: &mut Random) -> Vec<f32> {
    let mut centres = start(data, vector, count, random);
    let mut before = vec![];
    for _ in 0..iterations {
        let assigned = assign(data, vector, &centres);
        if assigned == before {
            break;
        }
        centres = means(data, vector, &assigned, &centres);
        before = assigned;
    }
    centres
}

/// The nearest centre of every vector.
pub(super) fn assign(data: &[f32], vector: usize, centres: &[f32]) -> Vec<u32> {
    let search = Search::new(centres, vector);
    let piece = |piece: &[f32]| piece.chunks_exact(vector).map(|x| search.nearest(x) as u32).collect::<Vec<_>>();
    data.par_chunks(PIECE / 4 * vector).flat_map_iter(piece).collect()
}

/// k-means++: every further centre is a vector, with a chance in proportion to its square distance from the centres so far.
fn start(data: &[f32], vector: usize, count: usize, random: &mut Random) -> Vec<f32> {
    let first = (random.fraction() * (data.len() / vector) as f64) as usize;
    let mut centres = data[first * vector..(first + 1) * vector].to_vec();
    let mut distances = vec![f32::INFINITY; data.len() / vector];
    for _ in 1..count {
        let newest = &centres[centres.len() - vector..];
        let nearer = |(distances, data): (&mut [f32], &[f32])| {
            for (distance, x) in distances.iter_mut().zip(data.chunks_exact(vector)) {
                *distance = distance.min(square_distance(x, newest));
            }
            distances.iter().map(|&distance| f64::from(distance)).sum::<f64>()
        };
        let sums: Vec<f64> = distances.par_chunks_mut(PIECE).zip(data.par_chunks(PIECE * vector)).map(nearer).collect();
        let target = random.fraction() * sums.iter().sum::<f64>();
        // nothing is left but copies of centres
        let Some(chosen) = pick(&distances, &sums, target) else { break };
        centres.extend_from_slice(&data[chosen * vector..(chosen + 1) * vector]);
    }
    centres
}

/// The vector at which the running sum of distances passes the target; `None` if all distances are 0.
fn pick(distances: &[f32], sums: &[f64], target: f64) -> Option<usize> {
    let mut passed = 0.0;
    for (piece, sum) in sums.iter().enumerate() {
        if passed + sum <= target {
            passed += sum;
            continue;
        }
        for (i, &distance) in distances[piece * PIECE..].iter().take(PIECE).enumerate() {
            passed += f64::from(distance);
            if passed > target {
                return Some(piece * PIECE + i);
            }
        }
    }
    // rounding can leave the target a little behind the end
    distances.iter().rposition(|&distance| distance > 0.0)
}

pub(super) fn square_distance(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

/// The means of the vectors of each centre; a centre without any moves to the vector that is farthest from its own, the
/// next such one to the next farthest.
pub(super) fn means(data: &[f32], vector: usize, assigned: &[u32], centres: &[f32]) -> Vec<f32> {
    let count = centres.len() / vector;
    let piece = |(data, assigned): (&[f32], &[u32])| {
        let mut sums = vec![0.0; count * (vector + 1)];
        for (x, &centre) in data.chunks_exact(vector).zip(assigned) {
            let sums = &mut sums[centre as usize * (vector + 1)..][..vector + 1];
            sums.iter_mut().zip(x).for_each(|(sum, &x)| *sum += f64::from(x));
            sums[vector] += 1.0;
        }
        sums
    };
    let size = PIECE.max(assigned.len() / 16);
    let pieces: Vec<Vec<f64>> = data.par_chunks(size * vector).zip(assigned.par_chunks(size)).map(piece).collect();
    let add = |mut all: Vec<f64>, piece: Vec<f64>| {
        all.iter_mut().zip(piece).for_each(|(all, piece)| *all += piece);
        all
    };
    let sums = pieces.into_iter().reduce(add).unwrap_or_default();
    let mut means = centres.to_vec();
    for (mean, sums) in
        means.chunks_exact_mut(vector).zip(sums.chunks_exact(vector + 1)).filter(|(_, s)| s[vector] > 0.0)
    {
        mean.iter_mut().zip(sums).for_each(|(mean, sum)| *mean = (sum / sums[vector]) as f32);
    }
    let empty: Vec<usize> = (0..count).filter(|c| sums[c * (vector + 1) + vector] == 0.0).collect();
    fill_empty(&mut means, data, vector, assigned, &empty);
    means
}

fn fill_empty(means: &mut [f32], data: &[f32], vector: usize, assigned: &[u32], empty: &[usize]) {
    if empty.is_empty() {
        return;
    }
    let centre = |c: u32| &means[c as usize * vector..(c as usize + 1) * vector];
    let distance = |(x, &c): (&[f32], &u32)| square_distance(x, centre(c));
    let mut far: Vec<(f32, usize)> = data.chunks_exact(vector).zip(assigned).map(distance).zip(0..).collect();
    far.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    for (&centre, &(_, i)) in empty.iter().zip(&far) {
        means[centre * vector..(centre + 1) * vector].copy_from_slice(&data[i * vector..(i + 1) * vector]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(data: &[f32], vector: usize, centres: &[f32]) -> f32 {
        let assigned = assign(data, vector, centres);
        let distance = |(x, c): (&[f32], u32)| square_distance(x, &centres[c as usize * vector..][..vector]);
        data.chunks(vector).zip(assigned).map(distance).sum()
    }

    #[test]
    fn separate_heaps_are_found() {
        let mut rng = fastrand::Rng::with_seed(crate::bus::seed(5));
        let heaps = 20;
        let data: Vec<f32> =
            (0..2000).flat_map(|i| [(i % heaps) as f32 * 10.0 + rng.f32(), (i % 7) as f32 * 0.01]).collect();
        let centres = kmeans(&data, 2, heaps, 30, &mut Random::new(1, &[]));
        let mut places: Vec<i32> = centres.chunks(2).map(|c| (c[0] / 10.0) as i32).collect();
        places.sort();
        assert_eq!(places, (0..heaps as i32).collect::<Vec<_>>());
        assert!(error(&data, 2, &centres) < 2000.0 * 0.1);
    }

    #[test]
    fn there_are_no_more_centres_than_distinct_vectors() {
        let data = [1.0, 2.0, 1.0, 3.0, 2.0, 1.0];
        let mut centres = kmeans(&data, 1, 8, 10, &mut Random::new(1, &[]));
        centres.sort_by(f32::total_cmp);
        assert_eq!(centres, [1.0, 2.0, 3.0]);
    }

    #[test]
    fn a_centre_without_vectors_moves_to_the_farthest_one() {
        let data = [0.0, 1.0, 9.0];
        assert_eq!(means(&data, 1, &[0, 0, 0], &[3.0, 100.0]), [10.0 / 3.0, 9.0]);
    }

    #[test]
    fn the_number_of_threads_changes_nothing() {
        let mut rng = fastrand::Rng::with_seed(crate::bus::seed(6));
        let data: Vec<f32> = (0..40_000).map(|_| rng.f32() - 0.5).collect();
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| kmeans(&data, 4, 64, 10, &mut Random::new(7, &[])))
        };
        let one = with(1);
        assert_eq!(one, with(2));
        assert_eq!(one, with(7));
        assert_ne!(one, kmeans(&data, 4, 64, 10, &mut Random::new(8, &[])));
    }
}
