//! One pass of MD by itself (docs/lad.md, section 7, steps 5 and 9): accurate scores of a list, and either a higher maximum or what is counted.

use super::counts::{Counters, count, mode_count};
use super::intervals::Table;

/// A position of the list, and all that is known of it elsewhere.
#[derive(Clone, Copy, Debug, Default)]
pub struct Candidate {
    /// Which.
    pub position: usize,
    /// Its mode.
    pub mode: u8,
    /// Its score is there already; else its key is asked for.
    pub accurate: bool,
    /// Its accurate score.
    pub score: i32,
    /// That had to be limited.
    pub saturated: bool,
    /// There is no score: the key is not finite.
    pub faulty: bool,
    /// Its counters.
    pub row: Counters,
}

/// A list, and what it is looked at with.
#[derive(Clone, Debug, Default)]
pub struct Candidates {
    /// Positions with the new one.
    pub positions: usize,
    /// The maximum of the accurate scores so far.
    pub maximum: i32,
    /// Modes change if `positions` is a multiple of it.
    pub period: usize,
    /// The list.
    pub list: Vec<Candidate>,
}

/// How a pass ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Intervals were counted.
    Done,
    /// A score is above the maximum.
    Repeat,
    /// Positions did not rise.
    Order,
    /// A score was none.
    NotFinite,
    /// A row is not one of its position's age, or the mode is no interval; the others were counted.
    Inconsistent,
}

/// A position of the last pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Which.
    pub position: usize,
    /// Its mode before the step.
    pub mode: u8,
    /// The interval of its score.
    pub interval: u8,
    /// Its score less the maximum.
    pub x: i32,
    /// The interval is its mode now.
    pub changed: bool,
    /// Its counters, if they were counted in.
    pub row: Option<Counters>,
}

/// What a pass does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// How it ended.
    pub cause: Cause,
    /// The maximum after it; without meaning if a score was none.
    pub maximum: i32,
    /// A score that was asked for was limited.
    pub saturated: bool,
    /// Positions of the list, each with whether its key was asked for.
    pub asked: Vec<(usize, bool)>,
    /// Scores that were asked for.
    pub found: Vec<(usize, i32)>,
    /// Positions whose row was asked for.
    pub outside: Vec<usize>,
    /// The positions, if intervals were counted.
    pub listed: Vec<Listed>,
    /// Those whose mode would have changed, had there been room or been a step for changes.
    pub postponed: usize,
}

/// A pass with bounds of intervals, and at most so many changes.
pub fn discrepancy(table: &Table, max_changes: usize, pass: &Candidates) -> Outcome {
    let mut lowest = 0;
    let mut rises = |candidate: &&Candidate| {
        let rises = candidate.position >= lowest;
        lowest = if rises { candidate.position + 1 } else { lowest };
        rises
    };
    let list: Vec<&Candidate> = pass.list.iter().filter(&mut rises).collect();
    let asked: Vec<&Candidate> = list.iter().copied().filter(|candidate| !candidate.accurate).collect();
    let maximum = list.iter().map(|candidate| candidate.score).fold(pass.maximum, i32::max);
    let cause = if list.len() < pass.list.len() {
        Cause::Order
    } else if asked.iter().any(|candidate| candidate.faulty) {
        Cause::NotFinite
    } else if maximum > pass.maximum {
        Cause::Repeat
    } else {
        Cause::Done
    };
    let mut outcome = Outcome {
        cause,
        maximum,
        saturated: asked.iter().any(|candidate| candidate.saturated),
        asked: list.iter().map(|candidate| (candidate.position, !candidate.accurate)).collect(),
        found: asked.iter().map(|candidate| (candidate.position, candidate.score)).collect(),
        outside: vec![],
        listed: vec![],
        postponed: 0,
    };
    if cause == Cause::Done {
        let mut room = if pass.positions.is_multiple_of(pass.period) { max_changes } else { 0 };
        list.iter().for_each(|candidate| outcome.list(table, pass, candidate, &mut room));
    }
    outcome
}

impl Outcome {
    /// Counts the interval of a position, and changes its mode if there is room.
    fn list(&mut self, table: &Table, pass: &Candidates, candidate: &Candidate, room: &mut usize) {
        let Candidate { position, mode, mut row, .. } = *candidate;
        let x = candidate.score - pass.maximum;
        let interval = table.interval(x) as u8;
        let mut listed = Listed { position, mode, interval, x, changed: false, row: None };
        if interval != mode {
            self.outside.push(position);
            let age = pass.positions.saturating_sub(position);
            match count(&mut row, mode, interval, age).filter(|_| usize::from(mode) < table.count()) {
                None => self.cause = Cause::Inconsistent,
                Some(more) => {
                    listed.changed = more && *room > 0;
                    self.postponed += usize::from(more && *room == 0);
                    *room -= usize::from(listed.changed);
                    if listed.changed {
                        row[usize::from(mode)] = mode_count(&row, mode, age).expect("a row that was counted in");
                    }
                    listed.row = Some(row);
                }
            }
        }
        self.listed.push(listed);
    }
}
