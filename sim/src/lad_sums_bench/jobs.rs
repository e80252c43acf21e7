//! Jobs for sums: random ones of each kind, and those of a recording.

use super::{SumJob, SumsBench};
use crate::golden::lad::number::{self, Half};
use crate::golden::lad::{Fit, Group, Lines, Settings, Table, to_f64};
use crate::lad::Recorded;
use crate::lad_score_bench::random_vector;
use fastrand::Rng;

/// What is special in a random job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Weights and values as they are as a rule, from zeros.
    Plain,
    /// Corrections of any sign, from a start.
    Start,
    /// Coefficients and values of any size, which often do not fit or have no positive denominator.
    Any,
    /// The largest coefficients and values, which cancel: sums under way need all of their bits.
    Cancel,
    /// Sums at the ends of 48 bits, or by one beyond.
    Limit,
    /// Quotients of any size: infinite, subnormal, zero.
    Quotient,
    /// An element that is none.
    NotFinite,
    /// More positions than there may be.
    Many,
}

/// All kinds but [`Kind::Many`], whose jobs are long.
const KINDS: [Kind; 7] =
    [Kind::Plain, Kind::Start, Kind::Any, Kind::Cancel, Kind::Limit, Kind::Quotient, Kind::NotFinite];
/// Coefficients.
const LOWEST: i64 = -(1 << 35);
/// The end of what a sum holds.
const END: i64 = 1 << 47;

impl Kind {
    /// Any but [`Kind::Many`].
    pub fn random(rng: &mut Rng) -> Kind {
        KINDS[rng.usize(0..KINDS.len())]
    }
}

/// A number of any size, of either sign.
fn any_size(rng: &mut Rng, bits: u32) -> i64 {
    let magnitude = rng.i64(0..=i64::MAX) >> (63 - rng.u32(0..bits));
    match rng.u8(0..16) {
        0 => 0,
        1 => -(1 << (bits - 1)),
        2 => (1 << (bits - 1)) - 1,
        3 => 1 << rng.u32(0..bits - 1),
        _ if rng.bool() => -magnitude,
        _ => magnitude,
    }
}

/// A value as a model has it: none of its elements is infinite or NaN.
fn plain_value(rng: &mut Rng, head: usize) -> Vec<u16> {
    (0..head).map(|_| rng.u16(..) & 0x8000 | rng.u16(9..17) << 10 | rng.u16(0..0x400)).collect()
}

fn finite_value(rng: &mut Rng, head: usize) -> Vec<u16> {
    let mut value = random_vector(rng, head);
    value.iter_mut().filter(|bits| !number::is_finite(**bits)).for_each(|bits| *bits &= 0x83ff);
    value
}

impl SumsBench {
    /// A job of a kind with about so many positions.
    pub fn random(&self, rng: &mut Rng, kind: Kind, count: usize) -> SumJob {
        let head = self.head;
        let count = count.min(self.max_positions);
        let weight = |rng: &mut Rng| rng.i64(0..=1 << 22) >> rng.u32(0..20);
        let mut job = SumJob::default();
        match kind {
            Kind::Plain | Kind::NotFinite => {
                job.positions = (0..count).map(|_| (weight(rng), Some(plain_value(rng, head)))).collect();
            }
            Kind::Start => {
                let numerator = (0..head).map(|_| any_size(rng, 34)).collect();
                job.start = Some((numerator, any_size(rng, 34).abs()));
                let correction = |rng: &mut Rng| weight(rng) - weight(rng);
                job.positions = (0..count).map(|_| (correction(rng), Some(plain_value(rng, head)))).collect();
            }
            Kind::Any => {
                job.start = rng.bool().then(|| ((0..head).map(|_| any_size(rng, 48)).collect(), any_size(rng, 48)));
                job.positions = (0..count).map(|_| (any_size(rng, 36), Some(finite_value(rng, head)))).collect();
            }
            Kind::Cancel => self.cancel(rng, &mut job, count),
            Kind::Limit => self.limit(rng, &mut job, count),
            Kind::Quotient => {
                let numerator = (0..head).map(|_| any_size(rng, 48)).collect();
                job.start = Some((numerator, any_size(rng, 48).clamp(1 - END, END - 1).abs().max(1)));
            }
            Kind::Many => {
                let more = self.max_positions + 1 + rng.usize(0..3);
                job.positions = (0..more).map(|_| (weight(rng), Some(plain_value(rng, head)))).collect();
            }
        }
        if kind == Kind::NotFinite || (kind == Kind::Many && rng.bool()) {
            for _ in 0..rng.usize(1..4).min(job.positions.len()) {
                let at = rng.usize(0..job.positions.len());
                let value = job.positions[at].1.as_mut().expect("a position with a value");
                value[rng.usize(0..head)] = rng.u16(..) | 0x7c00;
            }
        }
        // the end alone, or anything else that adds nothing
        if job.positions.is_empty() || rng.u8(0..4) == 0 {
            job.positions.push((any_size(rng, 36), None));
        }
        if rng.u8(0..8) == 0 {
            job.positions.insert(rng.usize(0..job.positions.len()), (any_size(rng, 36), None));
        }
        job
    }

    /// All terms are the largest there are, half of them are negative, and they come sorted.
    fn cancel(&self, rng: &mut Rng, job: &mut SumJob, count: usize) {
        let value = |sign: u16| vec![0x7bff | sign; self.head];
        let pairs = count / 2;
        // two terms of either sign make what is left the start, in both the numerator and the denominator
        let (up, down) = ((-(LOWEST + 1), 0u16), (LOWEST + 1, 0u16));
        let order = if rng.bool() { [up, down] } else { [down, up] };
        for (coefficient, sign) in order {
            job.positions.extend((0..pairs).map(|_| (coefficient, Some(value(sign)))));
        }
        let numerator = (0..self.head).map(|_| any_size(rng, 40)).collect();
        job.start = Some((numerator, any_size(rng, 40).abs()));
    }

    /// A start that makes elements end where 48 bits do.
    fn limit(&self, rng: &mut Rng, job: &mut SumJob, count: usize) {
        let correction = |rng: &mut Rng| rng.i64(-(1 << 24)..1 << 24);
        job.positions = (0..count).map(|_| (correction(rng), Some(plain_value(rng, self.head)))).collect();
        let (numerator, denominator) = job.sums(self.head);
        // what fits, seldom what does not
        let beyond = if rng.u8(0..3) == 0 { 1 } else { 0 };
        let ends = [END - 1 + beyond, -END - beyond];
        let reach = |rng: &mut Rng, sum: i128, end: i64| {
            let start = i64::try_from(i128::from(end) - sum).ok().filter(|start| (-END..END).contains(start));
            start.unwrap_or_else(|| rng.i64(0..1 << 20))
        };
        let starts = numerator.iter().map(|sum| {
            let end = if rng.u8(0..8) == 0 { ends[rng.usize(0..2)] } else { rng.i64(-END..END) };
            reach(rng, *sum, end)
        });
        let starts = starts.collect();
        let end = [END - 1, END - 1, 1, 0, END][rng.usize(0..5)];
        job.start = Some((starts, reach(rng, denominator, end)));
    }

    /// Jobs of random kinds, each with up to so many positions.
    pub fn random_jobs(&self, rng: &mut Rng, count: usize, most: usize) -> Vec<SumJob> {
        let job = |i: usize, rng: &mut Rng| {
            let positions = rng.usize(0..=most.min(2 * i));
            let kind = Kind::random(rng);
            self.random(rng, kind, positions)
        };
        (0..count).map(|i| job(i, rng)).collect()
    }
}

/// The jobs of a query head of a recording, of every so many steps: eight intervals, centres by this cosine.
///
/// # Panics
/// If the model of jobs does not say what the model of steps did.
pub fn recorded_jobs(recorded: &Recorded, layer: usize, threshold: f64, every: usize) -> Vec<SumJob> {
    let data = &recorded.layers[layer];
    let table = Table::new(&Lines::new(8, Fit::Joined)).expect("coefficients that can be stored");
    let settings = Settings::new(recorded.head, 1, table.clone(), threshold);
    let mut group = Group::new(settings).expect("legal settings");
    let mut jobs = vec![];
    for token in 0..recorded.tokens {
        let before = group.heads()[0].clone();
        let step = group.step(&[data.query(token, 0)], data.key(token, 0), data.value(token, 0)).expect("a step");
        let head = &step.heads[0];
        if token % every != 0 && !head.all_active {
            continue;
        }
        let query = number::scaled_query(data.query(token, 0));
        let halves: Vec<Half> = query.iter().map(|bits| Half::new(*bits)).collect();
        let query = to_f64(&query);
        let position = |position: usize, mode: usize| {
            let x = number::score(group.keys().dot(position, &query)).0 - head.maximum;
            let coefficient = table.weight(table.interval(x), x) - table.weight(mode, x);
            (coefficient, Some(data.value(position, 0).to_vec()))
        };
        let of_mode = |at: usize| if head.all_active { 0 } else { usize::from(before.modes[at]) };
        let active = head.active.iter().map(|active| position(active.position, of_mode(active.position)));
        let latest = (before.modes.len()..=token).map(|at| position(at, 0));
        let mut job = SumJob { start: None, positions: active.chain(latest).collect() };
        if !head.all_active {
            let narrow = |sum: i128| i64::try_from(sum).expect("a sum that fits");
            let (numerator, denominator) = before.caches.sums(&halves, head.maximum);
            job.start = Some((numerator.into_iter().map(narrow).collect(), narrow(denominator)));
        }
        assert_eq!(job.outcome(recorded.head, usize::MAX).output, head.output, "token {token}");
        jobs.push(job);
    }
    jobs
}
