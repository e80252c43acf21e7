//! The mathematics of LAD in float64, from the paper's equations: nothing of the formats and orders that the hardware has.

use half::bf16;

use super::intervals::Lines;
use super::settings::LATEST;

/// Keys or values, one vector for each position.
pub type Vectors<'a> = &'a [Vec<f64>];

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

/// The scores of a query (equation 2, first line).
pub fn scores(query: &[f64], keys: Vectors<'_>) -> Vec<f64> {
    let root = (query.len() as f64).sqrt();
    keys.iter().map(|key| dot(query, key) / root).collect()
}

/// The softmax of scores.
pub fn softmax(scores: &[f64]) -> Vec<f64> {
    normalized(scores, f64::exp)
}

/// The same with lines instead of the exponential (equation 3).
pub fn piecewise_softmax(lines: &Lines, scores: &[f64]) -> Vec<f64> {
    normalized(scores, |x| lines.value(lines.interval(x), x))
}

fn normalized(scores: &[f64], exponential: impl Fn(f64) -> f64) -> Vec<f64> {
    let maximum = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = scores.iter().map(|score| exponential(score - maximum)).collect();
    let sum: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / sum).collect()
}

/// Values times weights.
pub fn weighted(weights: &[f64], values: Vectors<'_>) -> Vec<f64> {
    let mut sum = vec![0.0; values[0].len()];
    for (weight, value) in weights.iter().zip(values) {
        sum.iter_mut().zip(value).for_each(|(sum, v)| *sum += weight * v);
    }
    sum
}

/// Attention as it is (equation 2).
pub fn attention(query: &[f64], keys: Vectors<'_>, values: Vectors<'_>) -> Vec<f64> {
    weighted(&softmax(&scores(query, keys)), values)
}

/// Attention with lines instead of the exponential (equation 3).
pub fn piecewise_attention(lines: &Lines, query: &[f64], keys: Vectors<'_>, values: Vectors<'_>) -> Vec<f64> {
    weighted(&piecewise_softmax(lines, &scores(query, keys)), values)
}

/// `|a - b| / |b|`.
pub fn relative_error(a: &[f64], b: &[f64]) -> f64 {
    let difference: f64 = a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum();
    (difference / dot(b, b)).sqrt()
}

/// In what the caches are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheFormat {
    /// The mathematics.
    Float64,
    /// Rounded after every change.
    Binary32,
    /// The same.
    Binary16,
    /// The same.
    Bfloat16,
    /// With so many places; a change takes the old term, rounded, away and adds the new one, rounded.
    Fixed(u32),
}

impl CacheFormat {
    /// An element after a position's old coefficient was taken from it and its new one added.
    fn changed(self, sum: f64, old: f64, new: f64, product: f64) -> f64 {
        let added = sum + (new - old) * product;
        match self {
            CacheFormat::Float64 => added,
            CacheFormat::Binary32 => f64::from(added as f32),
            CacheFormat::Binary16 => crate::binary16::from_f64(added).to_f64(),
            CacheFormat::Bfloat16 => bf16::from_f32(added as f32).to_f64(),
            CacheFormat::Fixed(places) => {
                let one = 2f64.powi(places as i32);
                let round = |x: f64| (x * one + 0.5).floor() / one;
                sum + (round(new * product) - round(old * product))
            }
        }
    }
}

/// A query head with a key head of its own (Algorithm 1, equations 4 to 6).
#[derive(Clone, Debug)]
pub struct RealHead {
    lines: Lines,
    threshold: f64,
    large_from: usize,
    format: CacheFormat,
    keys: Vec<Vec<f64>>,
    values: Vec<Vec<f64>>,
    /// Centre and factor of each position.
    centres: Vec<(usize, f64)>,
    modes: Vec<usize>,
    counters: Vec<Vec<u32>>,
    a: Vec<f64>,
    b: Vec<f64>,
    c: Vec<f64>,
    d: Vec<f64>,
    e: f64,
    f: f64,
}

/// What a step gave.
#[derive(Clone, Debug, PartialEq)]
pub struct RealStep {
    /// The output.
    pub output: Vec<f64>,
    /// Active positions.
    pub active: Vec<usize>,
    /// Centres.
    pub centres: usize,
    /// Positions that changed their mode.
    pub changes: usize,
    /// The largest magnitude in A to D.
    pub largest: f64,
}

impl RealHead {
    /// Without positions. A key whose cosine with a centre exceeds the threshold takes it as its own; positions with modes from `large_from`
    /// on get exact scores.
    pub fn new(head: usize, lines: Lines, threshold: f64, large_from: usize, format: CacheFormat) -> RealHead {
        let zeros = || vec![0.0; head];
        RealHead {
            lines,
            threshold,
            large_from,
            format,
            keys: vec![],
            values: vec![],
            centres: vec![],
            modes: vec![],
            counters: vec![],
            a: vec![0.0; head * head],
            b: zeros(),
            c: zeros(),
            d: zeros(),
            e: 0.0,
            f: 0.0,
        }
    }

    /// Keys of all positions.
    pub fn keys(&self) -> Vectors<'_> {
        &self.keys
    }

    /// Values of all positions.
    pub fn values(&self) -> Vectors<'_> {
        &self.values
    }

    /// A new position.
    pub fn step(&mut self, query: &[f64], key: &[f64], value: &[f64]) -> RealStep {
        let centre = self.centre(key);
        self.centres.push(centre);
        self.keys.push(key.to_vec());
        self.values.push(value.to_vec());
        self.counters.push(vec![0; self.lines.count()]);
        let exact = scores(query, &self.keys);
        let cached = self.modes.len();
        let is_exact = |i: usize| i >= cached || self.centres[i].0 == i || self.modes[i] >= self.large_from;
        let estimate = |i: usize| exact[self.centres[i].0] * self.centres[i].1;
        let mut known: Vec<f64> = (0..exact.len()).map(|i| if is_exact(i) { exact[i] } else { estimate(i) }).collect();
        let of_exact = (0..exact.len()).filter(|i| is_exact(*i)).map(|i| exact[i]);
        let mut maximum = of_exact.fold(f64::NEG_INFINITY, f64::max);
        let active = loop {
            let outside = |i: &usize| self.lines.interval(known[*i] - maximum) != self.modes[*i];
            let active: Vec<usize> = (0..cached).filter(outside).collect();
            active.iter().for_each(|&j| known[j] = exact[j]);
            match active.iter().map(|j| exact[*j]).fold(maximum, f64::max) {
                raised if raised > maximum => maximum = raised,
                _ => break active,
            }
        };
        let output = self.output(query, &exact, maximum, &active);
        let changes = self.update(&exact, maximum, &active);
        let all = self.a.iter().chain(&self.b).chain(&self.c).chain(&self.d);
        let largest = all.fold(0.0, |largest: f64, x| largest.max(x.abs()));
        let centres = self.centres.iter().enumerate().filter(|(i, centre)| centre.0 == *i).count();
        RealStep { output, active, centres, changes, largest }
    }

    /// Algorithm 1.
    fn centre(&self, key: &[f64]) -> (usize, f64) {
        if self.threshold >= 1.0 {
            return (self.keys.len(), 1.0);
        }
        let (norm, mut best) = (dot(key, key).sqrt(), (0.0f64, 0));
        for i in (0..self.keys.len()).filter(|i| self.centres[*i].0 == *i) {
            let cosine = dot(key, &self.keys[i]) / (norm * dot(&self.keys[i], &self.keys[i]).sqrt());
            if cosine.abs() > best.0.abs() {
                best = (cosine, i);
            }
        }
        match best {
            (cosine, i) if cosine.abs() > self.threshold => {
                (i, cosine.signum() * norm / dot(&self.keys[i], &self.keys[i]).sqrt())
            }
            _ => (self.keys.len(), 1.0),
        }
    }

    /// Equation 4.
    fn output(&self, query: &[f64], exact: &[f64], maximum: f64, active: &[usize]) -> Vec<f64> {
        let (d, root) = (query.len(), (query.len() as f64).sqrt());
        let mut numerator: Vec<f64> = (0..d).map(|p| self.c[p] - maximum * self.b[p]).collect();
        for (row, q) in self.a.chunks_exact(d).zip(query) {
            numerator.iter_mut().zip(row).for_each(|(sum, a)| *sum += q / root * a);
        }
        let mut denominator = dot(query, &self.d) / root - maximum * self.e + self.f;
        for j in active.iter().copied().chain(self.modes.len()..exact.len()) {
            let (interval, mode) = (self.lines.interval(exact[j] - maximum), self.modes.get(j).copied().unwrap_or(0));
            let alpha = self.lines.a[interval] - self.lines.a[mode];
            let beta = self.lines.b[interval] - self.lines.b[mode];
            let factor = alpha * (exact[j] - maximum) + beta;
            numerator.iter_mut().zip(&self.values[j]).for_each(|(sum, v)| *sum += factor * v);
            denominator += factor;
        }
        numerator.iter().map(|sum| sum / denominator).collect()
    }

    /// Counters, modes, and equation 6; how many modes changed.
    fn update(&mut self, exact: &[f64], maximum: f64, active: &[usize]) -> usize {
        let (count, cached) = (exact.len(), self.modes.len());
        let mut changes = 0;
        for (i, score) in exact.iter().enumerate() {
            let outside = i >= cached || active.binary_search(&i).is_ok();
            let interval = if outside { self.lines.interval(score - maximum) } else { self.modes[i] };
            self.counters[i][interval] += 1;
            if i < cached && self.counters[i][interval] > self.counters[i][self.modes[i]] {
                self.change(i, Some(self.modes[i]), interval);
                self.modes[i] = interval;
                changes += 1;
            }
        }
        if count - cached == LATEST {
            let counters = &self.counters[cached];
            let most = counters.iter().max().expect("counters");
            let mode = counters.iter().position(|count| count == most).expect("the largest one");
            self.modes.push(mode);
            self.change(cached, None, mode);
        }
        changes
    }

    fn change(&mut self, i: usize, old: Option<usize>, new: usize) {
        let of = |part: &[f64]| (old.map_or(0.0, |old| part[old]), part[new]);
        let ((old_a, new_a), (old_b, new_b)) = (of(&self.lines.a), of(&self.lines.b));
        let (key, value, format) = (&self.keys[i], &self.values[i], self.format);
        let slope = |sum: &mut f64, product: f64| *sum = format.changed(*sum, old_a, new_a, product);
        let constant = |sum: &mut f64, product: f64| *sum = format.changed(*sum, old_b, new_b, product);
        for (row, k) in self.a.chunks_exact_mut(value.len()).zip(key) {
            row.iter_mut().zip(value).for_each(|(sum, v)| slope(sum, k * v));
        }
        self.b.iter_mut().zip(value).for_each(|(sum, v)| slope(sum, *v));
        self.c.iter_mut().zip(value).for_each(|(sum, v)| constant(sum, *v));
        self.d.iter_mut().zip(key).for_each(|(sum, k)| slope(sum, *k));
        slope(&mut self.e, 1.0);
        constant(&mut self.f, 1.0);
    }
}
