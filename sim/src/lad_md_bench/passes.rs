//! Passes for MD: random ones of each kind, and those of a recording.

use super::{MdBench, MdPass, table_of};
use crate::golden::lad::discrepancy::{Candidate, Candidates, Cause, discrepancy};
use crate::golden::lad::{Counters, Fit, Group, Lines, MAX_INTERVALS, Settings, Table, number, to_f64};
use crate::lad::Recorded;
use fastrand::Rng;

/// Scores are limited to these.
const SCORES: std::ops::RangeInclusive<i32> = -(1 << 27)..=(1 << 27) - 1;

/// What is special in a random pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Some positions are outside of their mode.
    Some,
    /// All are, and most want another mode.
    Outside,
    /// None is: all estimates were wrong.
    Inside,
    /// Some scores are above the maximum.
    Repeat,
    /// Some positions do not rise.
    Order,
    /// A score is none.
    Faulty,
    /// Some rows are none of their position.
    Rows,
}

/// All kinds.
const KINDS: [Kind; 7] = [Kind::Some, Kind::Outside, Kind::Inside, Kind::Repeat, Kind::Order, Kind::Faulty, Kind::Rows];

impl Kind {
    /// Any.
    pub fn random(rng: &mut Rng) -> Kind {
        KINDS[rng.usize(0..KINDS.len())]
    }
}

/// A row of that age, as steps could have made it, whose interval is about as frequent as the mode; or, seldom, one that is too much for it.
pub fn random_row(rng: &mut Rng, intervals: usize, (mode, interval): (u8, u8), age: usize) -> Counters {
    let (mode, interval) = (usize::from(mode), usize::from(interval));
    let mut row = [0; MAX_INTERVALS];
    let mut left = age.saturating_sub(1);
    for i in (0..intervals).filter(|i| *i != mode && *i != interval) {
        let count = if rng.bool() { rng.usize(0..=left / 2) } else { 0 };
        row[i] = count as u16;
        left -= count;
    }
    // with one more, the interval's counter and the mode's share what is left
    let tie = left.div_ceil(2);
    let count = match rng.u8(0..10) {
        0..5 => (tie + rng.usize(0..3)).saturating_sub(2),
        5 => left,
        6 => 0,
        _ => rng.usize(0..=left),
    };
    row[interval] = count.min(left) as u16;
    row[mode] = [0, u16::MAX, rng.u16(..)][rng.usize(0..3)];
    row
}

/// Makes a row one that no steps make: its other counters are by one more than the age, or much more.
fn spoil(rng: &mut Rng, row: &mut Counters, (mode, interval): (u8, u8), age: usize) {
    let others = |row: &Counters| {
        (0..MAX_INTERVALS).filter(|i| *i != usize::from(mode)).map(|i| usize::from(row[i])).sum::<usize>()
    };
    let more = age - others(row).min(age);
    let counter = &mut row[usize::from(interval)];
    *counter = if rng.bool() { counter.saturating_add(more as u16) } else { u16::MAX };
}

/// Rising bounds, as many as there are.
fn random_bounds(rng: &mut Rng, count: usize) -> Vec<i32> {
    let lowest = if rng.u8(0..4) == 0 { 1 << 27 } else { 10 << 16 };
    let mut bounds = vec![];
    while bounds.len() < count {
        let bound = if bounds.is_empty() && rng.bool() { -1 } else { -rng.i32(1..=lowest) };
        bounds.extend((!bounds.contains(&bound)).then_some(bound));
    }
    bounds.sort_unstable();
    bounds
}

impl MdBench {
    /// Passes of so many positions each; the first one brings bounds. Scores lie on bounds and beside them more often than by chance.
    pub fn random(&self, rng: &mut Rng, passes: &[(usize, Kind)]) -> Vec<MdPass> {
        let mut table = table_of(&[]);
        let mut out = vec![];
        for (i, (count, kind)) in passes.iter().enumerate() {
            let bounds = if i == 0 || rng.u8(0..6) == 0 { random_bounds(rng, self.intervals - 1) } else { vec![] };
            table = if bounds.is_empty() { table } else { table_of(&bounds) };
            let candidates = self.random_list(rng, &table, *count, *kind);
            out.push(MdPass { bounds, candidates, end_alone: rng.u8(0..3) == 0 });
        }
        out
    }

    fn random_list(&self, rng: &mut Rng, table: &Table, count: usize, kind: Kind) -> Candidates {
        let positions =
            if rng.u8(0..3) == 0 { self.max_positions } else { rng.usize(count.max(1)..=self.max_positions) };
        let maximum = match rng.u8(0..4) {
            0 => [*SCORES.start(), *SCORES.end()][rng.usize(0..2)],
            _ => rng.i32(-(1 << 20)..1 << 20),
        };
        let mut chosen: Vec<usize> = rng.choose_multiple(0..positions, count);
        chosen.sort_unstable();
        let accurate = [0, 50, 100][rng.usize(0..3)];
        let mut list: Vec<Candidate> = vec![];
        for position in chosen {
            let age = positions - position;
            let mut candidate = self.random_candidate(rng, (table, maximum), (position, age), kind);
            candidate.accurate = rng.u8(0..100) < accurate;
            list.push(candidate);
        }
        if kind == Kind::Order && list.len() > 1 {
            let at = rng.usize(1..list.len());
            list[at].position = rng.usize(0..=list[at - 1].position);
        }
        if kind == Kind::Faulty && !list.is_empty() {
            let at = rng.usize(0..list.len());
            list[at].accurate = false;
            list[at].faulty = true;
        }
        Candidates { positions, maximum, period: [1, 1, 2, 4, 8, 16][rng.usize(0..6)], list }
    }

    fn random_candidate(
        &self,
        rng: &mut Rng,
        (table, maximum): (&Table, i32),
        (position, age): (usize, usize),
        kind: Kind,
    ) -> Candidate {
        let bound = table.bounds[rng.usize(0..table.bounds.len())];
        let x = match rng.u8(0..3) {
            0 => (bound + rng.i32(-1..=1)).min(0),
            1 => -rng.i32(0..12 << 16),
            _ => [0, 0, -1, -(1 << 16), *SCORES.start(), 1 - (1 << 28)][rng.usize(0..6)],
        };
        let above = kind == Kind::Repeat && rng.u8(0..4) == 0;
        let x = if above { [1, rng.i32(1..1 << 20)][rng.usize(0..2)] } else { x };
        let score = maximum.saturating_add(x).clamp(*SCORES.start(), *SCORES.end());
        let interval = table.interval((score - maximum).min(0)) as u8;
        let inside = match kind {
            Kind::Inside => true,
            Kind::Outside => false,
            _ => rng.u8(0..4) == 0,
        };
        let others = self.intervals as u8;
        let mode = if inside { interval } else { (interval + rng.u8(1..others)) % others };
        let mut row = random_row(rng, self.intervals, (mode, interval), age);
        if kind == Kind::Rows && !inside && rng.u8(0..3) == 0 {
            spoil(rng, &mut row, (mode, interval), age);
        }
        let saturated = rng.u8(0..200) == 0;
        Candidate { position, mode, accurate: false, score, saturated, faulty: false, row }
    }
}

/// The passes of a query head of a recording, of every so many steps and of all steps with a repeat: eight intervals, centres by this cosine.
///
/// # Panics
/// If what the model of MD says of these passes is not what the model of steps did.
pub fn recorded_passes(
    recorded: &Recorded,
    layer: usize,
    (threshold, period): (f64, usize),
    every: usize,
) -> Vec<MdPass> {
    let data = &recorded.layers[layer];
    let table = Table::new(&Lines::new(8, Fit::Joined)).expect("coefficients that can be stored");
    let settings = Settings { period, ..Settings::new(recorded.head, 1, table.clone(), threshold) };
    let mut group = Group::new(settings.clone()).expect("legal settings");
    let mut passes: Vec<MdPass> = vec![];
    for token in 0..recorded.tokens {
        let before = group.heads()[0].clone();
        let query = data.query(token, 0);
        let step = group.step(&[query], data.key(token, 0), data.value(token, 0)).expect("a step that is not refused");
        let (head, after) = (&step.heads[0], &group.heads()[0]);
        if head.all_active {
            continue;
        }
        let query = to_f64(&number::scaled_query(query));
        let score = |position: usize| number::score(group.keys().dot(position, &query)).0;
        let of_pass = |maximum: i32, found: &crate::golden::lad::Pass| Candidates {
            positions: token + 1,
            maximum,
            period,
            list: found
                .active
                .iter()
                .map(|position| Candidate {
                    position: *position,
                    mode: before.modes[*position],
                    accurate: !found.keys.contains(position),
                    score: score(*position),
                    row: before.counters[*position],
                    ..Candidate::default()
                })
                .collect(),
        };
        // from the last pass back: its maximum is that of the step, those before had a lower one
        let mut maximum = (0..before.modes.len())
            .filter(|at| !head.passes.iter().any(|pass| pass.keys.contains(at)))
            .filter(|at| {
                usize::from(group.keys().records()[*at].centre) == *at
                    || usize::from(before.modes[*at]) >= settings.large_from
            })
            .chain(before.modes.len()..=token)
            .map(score)
            .max()
            .expect("the new position");
        for (number, found) in head.passes.iter().enumerate() {
            let candidates = of_pass(maximum, found);
            let outcome = discrepancy(&table, settings.max_changes, &candidates);
            maximum = outcome.maximum;
            if number + 1 < head.passes.len() {
                assert_eq!(outcome.cause, Cause::Repeat, "token {token}, pass {number}");
            } else {
                assert_eq!(outcome.cause, Cause::Done, "token {token}");
                let active = outcome.listed.iter().map(|x| (x.position, x.mode, x.interval));
                assert!(active.eq(head.active.iter().map(|x| (x.position, x.mode, x.interval))), "token {token}");
                let changes = outcome.listed.iter().filter(|x| x.changed).map(|x| x.position);
                assert!(changes.eq(head.changes.iter().copied()), "token {token}");
                assert_eq!((outcome.maximum, outcome.postponed), (head.maximum, head.postponed), "token {token}");
                for listed in &outcome.listed {
                    let row = listed.row.unwrap_or(before.counters[listed.position]);
                    assert_eq!(row, after.counters[listed.position], "token {token}, position {}", listed.position);
                }
            }
            if token % every == 0 || head.passes.len() > 1 {
                let bounds = if passes.is_empty() { table.bounds.clone() } else { vec![] };
                passes.push(MdPass { bounds, candidates, end_alone: token % 2 == 0 });
            }
        }
    }
    passes
}
