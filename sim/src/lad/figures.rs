//! Runs all heads of a recording, and adds up what happened.

use std::ops::AddAssign;

use rayon::prelude::*;
use serde::Serialize;

use super::error::LadError;
use super::recorded::{LayerData, Recorded};
use crate::golden::lad::real::{attention, relative_error};
use crate::golden::lad::traffic::Traffic;
use crate::golden::lad::{Fit, Group, GroupStep, Lines, Settings, Table, to_f64};

/// What a tile is loaded with.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Setup {
    /// Cosine above which a key takes another as its centre; 1: none does.
    pub threshold: f64,
    /// Intervals; 5 are the paper's, others equal steps of `e^(x/4)`.
    pub intervals: usize,
    /// Modes change and positions come into the caches in every so many steps.
    pub period: usize,
}

impl Setup {
    /// Intervals and lines.
    pub fn lines(&self) -> Lines {
        if self.intervals == 5 { Lines::of_the_paper(Fit::Joined) } else { Lines::new(self.intervals, Fit::Joined) }
    }

    fn settings(&self, head: usize, group: usize) -> Settings {
        let table = Table::new(&self.lines()).expect("lines of the exponential have coefficients below 2");
        Settings { period: self.period, ..Settings::new(head, group, table, self.threshold) }
    }
}

/// Bytes of the steps around a length, with so many query heads to a key head.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Shared {
    /// Key heads times steps.
    pub steps: u64,
    /// Bytes of all of them.
    pub traffic: Traffic,
    /// Bytes of a plain tile.
    pub plain: u64,
    /// Different positions whose keys are read before the identification.
    pub scored: u64,
    /// Different active positions.
    pub active: u64,
}

impl Shared {
    fn add(&mut self, group: &Group, step: &GroupStep, heads: &[usize]) {
        let head = group.settings().head;
        let traffic = Traffic::of_last_step(group, step, heads);
        let vector = 2 * head as u64;
        self.steps += 1;
        self.traffic += traffic;
        self.plain += Traffic::plain(head, group.keys().len());
        self.scored += traffic.keys_scored / vector;
        let mut active: Vec<usize> =
            heads.iter().flat_map(|h| step.heads[*h].active.iter().map(|a| a.position)).collect();
        active.sort_unstable();
        active.dedup();
        self.active += active.len() as u64;
    }

    /// LAD's bytes over plain attention's.
    pub fn ratio(&self) -> f64 {
        self.traffic.total() as f64 / self.plain as f64
    }
}

impl AddAssign for Shared {
    fn add_assign(&mut self, other: Shared) {
        self.steps += other.steps;
        self.traffic += other.traffic;
        self.plain += other.plain;
        self.scored += other.scored;
        self.active += other.active;
    }
}

/// Sums over the steps around a length: the last eighth before it.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct AtLength {
    /// Positions at the end of them.
    pub length: usize,
    /// Query heads times steps.
    pub steps: u64,
    /// Positions in the caches.
    pub cached: u64,
    /// All positions but the new one.
    pub positions: u64,
    /// Centres.
    pub centres: u64,
    /// Positions with large modes.
    pub large: u64,
    /// Active positions.
    pub active: u64,
    /// Of these, those that were active in the step before.
    pub hits: u64,
    /// Changed modes.
    pub changes: u64,
    /// Identifications that were repeated.
    pub repeats: u64,
    /// Inactive positions outside of their mode.
    pub wrong: u64,
    /// With one query head to a key head.
    pub single: Shared,
    /// With as many as recorded.
    pub grouped: Shared,
}

impl AddAssign for AtLength {
    fn add_assign(&mut self, other: AtLength) {
        self.steps += other.steps;
        self.cached += other.cached;
        self.positions += other.positions;
        self.centres += other.centres;
        self.large += other.large;
        self.active += other.active;
        self.hits += other.hits;
        self.changes += other.changes;
        self.repeats += other.repeats;
        self.wrong += other.wrong;
        self.single += other.single;
        self.grouped += other.grouped;
    }
}

/// What came out with one setup.
#[derive(Clone, Debug, Serialize)]
pub struct Figures {
    /// With what.
    pub setup: Setup,
    /// Root of the mean square of the outputs' relative error against attention in float64, over all steps and query heads.
    pub error_rms: f64,
    /// The largest.
    pub error_max: f64,
    /// Steps whose denominator was not positive.
    pub all_active: u64,
    /// Changes that found no room, or came in a step without changes.
    pub postponed: u64,
    /// Query heads times steps.
    pub steps: u64,
    /// By length; the last one is the whole recording.
    pub lengths: Vec<AtLength>,
    #[serde(skip)]
    squares: f64,
}

/// Lengths that figures are given for: doubling from 256, and all tokens.
fn lengths(tokens: usize) -> Vec<usize> {
    let doubling = std::iter::successors(Some(256), |length| Some(length * 2)).take_while(|length| *length < tokens);
    doubling.chain([tokens]).collect()
}

impl Figures {
    fn new(setup: Setup, tokens: usize) -> Figures {
        let lengths = lengths(tokens).into_iter().map(|length| AtLength { length, ..AtLength::default() }).collect();
        let (error_rms, error_max, squares) = (0.0, 0.0, 0.0);
        Figures { setup, error_rms, error_max, all_active: 0, postponed: 0, steps: 0, lengths, squares }
    }

    /// At the end of the recording.
    pub fn last(&self) -> &AtLength {
        self.lengths.last().expect("a length")
    }

    fn merged(mut self, other: Figures) -> Figures {
        self.squares += other.squares;
        self.steps += other.steps;
        self.all_active += other.all_active;
        self.postponed += other.postponed;
        self.error_max = self.error_max.max(other.error_max);
        self.error_rms = (self.squares / self.steps as f64).sqrt();
        self.lengths.iter_mut().zip(other.lengths).for_each(|(sum, length)| *sum += length);
        self
    }
}

/// Runs every head of a recording; `done` is called after each key head of a layer.
pub fn measure(recorded: &Recorded, setup: Setup, done: &(dyn Fn() + Sync)) -> Result<Figures, LadError> {
    let heads = recorded.layers.iter().flat_map(|layer| (0..layer.key_heads).map(move |head| (layer, head)));
    let run = |(layer, head): (&LayerData, usize)| {
        let figures = Run::new(recorded, setup, layer, head).figures();
        done();
        figures
    };
    let all: Vec<Figures> = heads.collect::<Vec<_>>().into_par_iter().map(run).collect::<Result<_, _>>()?;
    let none = Figures::new(setup, recorded.tokens);
    Ok(all.into_iter().fold(none, Figures::merged))
}

/// One key head with its query heads.
struct Run<'a> {
    layer: &'a LayerData,
    head: usize,
    tokens: usize,
    group: Group,
    keys: Vec<Vec<f64>>,
    values: Vec<Vec<f64>>,
    /// Active positions of the step before, of each query head.
    before: Vec<Vec<usize>>,
    figures: Figures,
}

impl<'a> Run<'a> {
    fn new(recorded: &Recorded, setup: Setup, layer: &'a LayerData, head: usize) -> Run<'a> {
        let settings = setup.settings(recorded.head, layer.group);
        let group = Group::new(settings).expect("a head and a group that the recording was checked for");
        let (tokens, before) = (recorded.tokens, vec![vec![]; layer.group]);
        let figures = Figures::new(setup, tokens);
        Run { layer, head, tokens, group, keys: vec![], values: vec![], before, figures }
    }

    fn figures(mut self) -> Result<Figures, LadError> {
        for token in 0..self.tokens {
            let queries: Vec<&[u16]> =
                (0..self.layer.group).map(|i| self.layer.query(token, self.head * self.layer.group + i)).collect();
            let (key, value) = (self.layer.key(token, self.head), self.layer.value(token, self.head));
            let step = self.group.step(&queries, key, value).map_err(|refusal| {
                let (layer, head) = (self.layer.layer, self.head);
                LadError::Refused { layer, head, token, refusal }
            })?;
            self.keys.push(to_f64(key));
            self.values.push(to_f64(value));
            self.add(&queries, &step);
        }
        Ok(self.figures)
    }

    fn add(&mut self, queries: &[&[u16]], step: &GroupStep) {
        let count = self.keys.len();
        for (query, head) in queries.iter().zip(&step.heads) {
            let expected = attention(&to_f64(query), &self.keys, &self.values);
            let error = relative_error(&to_f64(&head.output), &expected);
            self.figures.squares += error * error;
            self.figures.error_max = self.figures.error_max.max(error);
            self.figures.all_active += u64::from(head.all_active);
            self.figures.postponed += head.postponed as u64;
            self.figures.steps += 1;
        }
        let lengths = std::mem::take(&mut self.figures.lengths);
        self.figures.lengths = lengths.into_iter().map(|length| self.around(length, count, queries, step)).collect();
        let active = |head: &crate::golden::lad::HeadStep| head.active.iter().map(|a| a.position).collect();
        self.before = step.heads.iter().map(active).collect();
    }

    /// Adds a step to the figures of a length, if it is in the last eighth before it.
    fn around(&self, mut at: AtLength, count: usize, queries: &[&[u16]], step: &GroupStep) -> AtLength {
        if count > at.length || count <= at.length - at.length / 8 {
            return at;
        }
        for (i, head) in step.heads.iter().enumerate() {
            let before = &self.before[i];
            at.steps += 1;
            let heads = self.group.heads();
            at.cached += (heads[i].modes.len() - head.entries.len()) as u64;
            at.positions += count as u64 - 1;
            at.centres += step.centres as u64;
            at.large += head.large.len() as u64;
            at.active += head.active.len() as u64;
            at.hits += head.active.iter().filter(|a| before.binary_search(&a.position).is_ok()).count() as u64;
            at.changes += head.changes.len() as u64;
            at.repeats += (head.passes.len() - 1 - usize::from(head.all_active)) as u64;
            at.wrong += self.group.wrong(head, i, queries[i]).len() as u64;
            at.single.add(&self.group, step, &[i]);
        }
        at.grouped.add(&self.group, step, &(0..step.heads.len()).collect::<Vec<_>>());
        at
    }
}
