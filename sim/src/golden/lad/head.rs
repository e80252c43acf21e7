//! One query head: modes, counters and caches, and what a step does with them (docs/lad.md, sections 7 and 8).

use std::ops::Range;

use super::caches::Caches;
use super::counts::{Counters, count, mode_count};
use super::intervals::MAX_INTERVALS;
use super::keys::{KeyHead, to_f64};
use super::number::{Half, SUM_BITS, SUM_FRACTION, WEIGHT_FRACTION, estimate, quotient, score, shifted};
use super::settings::{LATEST, Settings};
use super::step::{Active, HeadStep, Overflow, Pass, Refusal};

/// What belongs to one query head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryHead {
    /// Of the positions in the caches.
    pub modes: Vec<u8>,
    /// Of all positions.
    pub counters: Vec<Counters>,
    /// A to F.
    pub caches: Caches,
}

impl QueryHead {
    /// Without positions.
    pub fn new(settings: &Settings) -> QueryHead {
        let caches = Caches::new(settings.head, settings.cache_fraction);
        QueryHead { modes: vec![], counters: vec![], caches }
    }

    /// The step of the latest position of `keys`: the state after it, and what happened.
    pub fn step(&self, settings: &Settings, keys: &KeyHead, query: &[u16]) -> Result<(QueryHead, HeadStep), Refusal> {
        let mut scores = Scores::new(self, settings, keys, query);
        let halves: Vec<Half> = query.iter().map(|bits| Half::new(*bits)).collect();
        let mut passes = vec![scores.identify(self)];
        while scores.raise(&passes[passes.len() - 1].active) {
            passes.push(scores.identify(self));
        }
        let start = self.caches.sums(&halves, scores.maximum);
        let mut sums = scores.sums(start, &passes[passes.len() - 1].active, &self.modes);
        let all_active = sums.1 <= 0;
        if all_active {
            passes.push(scores.all(self.modes.len()));
            let start = (vec![0; settings.head], 0);
            sums = scores.sums(start, &passes[passes.len() - 1].active, &vec![0; self.modes.len()]);
        }
        let (numerator, denominator) = check_sums(sums)?;
        let active = passes[passes.len() - 1].active.clone();
        let mut report = HeadStep {
            output: numerator.iter().map(|n| quotient(*n, denominator)).collect(),
            numerator,
            denominator,
            maximum: scores.maximum,
            saturated: scores.saturated,
            large: scores.large.clone(),
            passes,
            all_active,
            active: active.iter().map(|&j| scores.active(self, j)).collect(),
            changes: vec![],
            postponed: 0,
            entries: vec![],
        };
        let after = self.updated(settings, keys, &scores, &mut report)?;
        Ok((after, report))
    }

    /// Counts, changes modes, lets a position in, and brings the caches up to date.
    fn updated(
        &self,
        settings: &Settings,
        keys: &KeyHead,
        scores: &Scores,
        report: &mut HeadStep,
    ) -> Result<QueryHead, Refusal> {
        let mut after = self.clone();
        after.counters.push([0; MAX_INTERVALS]);
        let table = &settings.table;
        let is_update = keys.len().is_multiple_of(settings.period);
        for Active { position, mode, interval } in report.active.clone() {
            let (counters, age) = (&mut after.counters[position], keys.len() - position);
            if interval == mode || !count(counters, mode, interval, age).expect(AS_STEPPED) {
                continue;
            }
            if !is_update || report.changes.len() == settings.max_changes {
                report.postponed += 1;
                continue;
            }
            counters[usize::from(mode)] = mode_count(counters, mode, age).expect(AS_STEPPED);
            after.modes[position] = interval;
            report.changes.push(position);
            let (key, value) = (keys.key(position), keys.value(position));
            after.caches.add(table, interval.into(), key, value, false);
            after.caches.add(table, mode.into(), key, value, true);
        }
        for position in scores.latest.clone() {
            after.counters[position][scores.interval(position)] += 1;
        }
        let entering = if is_update { scores.latest.start..(keys.len() + 1).saturating_sub(LATEST) } else { 0..0 };
        for position in entering {
            let counters = &after.counters[position];
            let most = counters.iter().max().copied().unwrap_or(0);
            let mode = counters.iter().position(|count| *count == most).unwrap_or(0) as u8;
            after.modes.push(mode);
            after.caches.add(table, mode.into(), keys.key(position), keys.value(position), false);
            report.entries.push((position, mode));
        }
        match after.caches.overflow(settings.cache_bits) {
            Some(cache) => Err(Refusal::Overflow(Overflow::Cache(cache))),
            None => Ok(after),
        }
    }

    /// The caches made anew from modes, keys and values.
    pub fn rebuild(&self, settings: &Settings, keys: &KeyHead) -> Caches {
        let mut caches = Caches::new(settings.head, settings.cache_fraction);
        for (position, mode) in self.modes.iter().enumerate() {
            caches.add(&settings.table, usize::from(*mode), keys.key(position), keys.value(position), false);
        }
        caches
    }
}

/// What is said where counters are not those of the position's steps: they were loaded.
const AS_STEPPED: &str = "counters that are no more than the position's age";

/// Numerator and denominator, if they fit and the denominator is positive.
fn check_sums((numerator, denominator): (Vec<i128>, i128)) -> Result<(Vec<i64>, i64), Refusal> {
    let limit = 1i128 << (SUM_BITS - 1);
    if numerator.iter().chain([&denominator]).any(|sum| !(-limit..limit).contains(sum)) {
        return Err(Refusal::Overflow(Overflow::Sum));
    }
    match denominator > 0 {
        true => Ok((numerator.into_iter().map(|sum| sum as i64).collect(), denominator as i64)),
        false => Err(Refusal::Denominator),
    }
}

/// The scores of a step.
struct Scores<'a> {
    settings: &'a Settings,
    keys: &'a KeyHead,
    query: Vec<f64>,
    scores: Vec<i32>,
    accurate: Vec<bool>,
    saturated: bool,
    maximum: i32,
    large: Vec<usize>,
    latest: Range<usize>,
}

impl<'a> Scores<'a> {
    /// Accurate scores of centres, of positions with large modes and of the latest ones, their maximum, and estimates of the others.
    fn new(head: &QueryHead, settings: &'a Settings, keys: &'a KeyHead, query: &[u16]) -> Scores<'a> {
        let (count, cached) = (keys.len(), head.modes.len());
        let is_large = |position: &usize| usize::from(head.modes[*position]) >= settings.large_from;
        let large: Vec<usize> = (0..cached).filter(is_large).collect();
        let (scores, accurate) = (vec![0; count], vec![false; count]);
        let latest = cached..count;
        let query = to_f64(query);
        let saturated = false;
        let mut all = Scores { settings, keys, query, scores, accurate, saturated, maximum: i32::MIN, large, latest };
        let exact = keys.centres().iter().chain(&all.large).copied().chain(all.latest.clone()).collect::<Vec<_>>();
        for position in exact {
            all.make_accurate(position);
        }
        for position in (0..cached).filter(|position| !all.accurate[*position]).collect::<Vec<_>>() {
            let record = keys.records()[position];
            let (score, limited) = estimate(all.scores[usize::from(record.centre)], record.factor);
            all.scores[position] = score;
            all.saturated |= limited;
        }
        all
    }

    fn make_accurate(&mut self, position: usize) {
        let (score, limited) = score(self.keys.dot(position, &self.query));
        self.scores[position] = score;
        self.accurate[position] = true;
        self.saturated |= limited;
        self.maximum = self.maximum.max(score);
    }

    /// The score less the maximum; fits 29 bits.
    fn relative(&self, position: usize) -> i32 {
        self.scores[position] - self.maximum
    }

    fn interval(&self, position: usize) -> usize {
        self.settings.table.interval(self.relative(position))
    }

    /// The positions in the caches that are outside of their mode, and which of them have no accurate score yet.
    fn identify(&self, head: &QueryHead) -> Pass {
        let outside = |position: &usize| self.interval(*position) != usize::from(head.modes[*position]);
        self.pass((0..head.modes.len()).filter(outside).collect())
    }

    fn pass(&self, active: Vec<usize>) -> Pass {
        let keys = active.iter().copied().filter(|position| !self.accurate[*position]).collect();
        Pass { active, keys }
    }

    /// Makes the scores of these positions accurate; was one above the maximum?
    fn raise(&mut self, active: &[usize]) -> bool {
        let before = self.maximum;
        for &position in active {
            if !self.accurate[position] {
                self.make_accurate(position);
            }
        }
        self.maximum > before
    }

    /// All positions in the caches, with accurate scores.
    fn all(&mut self, cached: usize) -> Pass {
        let pass = self.pass((0..cached).collect());
        self.raise(&pass.active);
        pass
    }

    fn active(&self, head: &QueryHead, position: usize) -> Active {
        Active { position, mode: head.modes[position], interval: self.interval(position) as u8 }
    }

    /// Adds the corrections of active positions and the latest ones to numerator and denominator.
    fn sums(&self, start: (Vec<i128>, i128), active: &[usize], modes: &[u8]) -> (Vec<i128>, i128) {
        let (mut numerator, mut denominator) = start;
        let table = &self.settings.table;
        for position in active.iter().copied().chain(self.latest.clone()) {
            let x = self.relative(position);
            let mode = modes.get(position).map_or(0, |mode| usize::from(*mode));
            let weight = table.weight(table.interval(x), x) - table.weight(mode, x);
            for (sum, v) in numerator.iter_mut().zip(self.keys.value(position)) {
                let product = i128::from(weight) * i128::from(v.significand);
                *sum += shifted(product, v.exponent + SUM_FRACTION as i32 - WEIGHT_FRACTION as i32);
            }
            denominator += i128::from(weight) << (SUM_FRACTION - WEIGHT_FRACTION);
        }
        (numerator, denominator)
    }
}
