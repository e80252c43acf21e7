//! A step of one key head and its query heads: all of it happens, or nothing (docs/lad.md, section 7).

use std::fmt;

use thiserror::Error;

use super::counts::Counters;
use super::head::QueryHead;
use super::keys::{KeyHead, to_f64};
use super::number::{is_finite, scaled_query, score};
use super::settings::{Settings, SettingsError};

/// An active position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Active {
    /// Which.
    pub position: usize,
    /// Its mode before the step.
    pub mode: u8,
    /// The interval of its accurate score; may be the mode, if the estimate was wrong.
    pub interval: u8,
}

/// One identification of active positions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pass {
    /// The active positions, rising, without the latest ones.
    pub active: Vec<usize>,
    /// Those of them whose score was an estimate until then.
    pub keys: Vec<usize>,
}

/// What happened in one query head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeadStep {
    /// The output in binary16.
    pub output: Vec<u16>,
    /// The sums that it comes from.
    pub numerator: Vec<i64>,
    /// The same of the denominator.
    pub denominator: i64,
    /// The maximum of the accurate scores.
    pub maximum: i32,
    /// A score had to be limited.
    pub saturated: bool,
    /// Positions with large modes (the set M).
    pub large: Vec<usize>,
    /// The identifications; the last one is the one that counts. More than one are repeats.
    pub passes: Vec<Pass>,
    /// The denominator was not positive, and all positions were computed (the last pass).
    pub all_active: bool,
    /// The active positions of the last pass (the set J).
    pub active: Vec<Active>,
    /// The positions that changed their mode (the set U), without those that came in.
    pub changes: Vec<usize>,
    /// Positions that would have changed it, had there been room or been a step for changes.
    pub postponed: usize,
    /// The positions that came into the caches, and their modes.
    pub entries: Vec<(usize, u8)>,
}

/// What happened in a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupStep {
    /// The centres that were read (the set C), without the new key.
    pub centres: usize,
    /// Of each query head.
    pub heads: Vec<HeadStep>,
}

/// What a vector is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// The query of a head of the group.
    Query(usize),
    /// The key.
    Key,
    /// The value.
    Value,
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Operand::Query(head) => write!(f, "query {head}"),
            Operand::Key => f.write_str("key"),
            Operand::Value => f.write_str("value"),
        }
    }
}

/// What does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overflow {
    /// An element of this cache.
    Cache(char),
    /// An element of the numerator, or the denominator.
    Sum,
}

/// Why a step was refused; the state is then as it was before.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum Refusal {
    /// There is no room for another position.
    #[error("{0} positions are all that there is room for")]
    Full(usize),
    /// An element is NaN or infinite.
    #[error("element {element} of the {operand} is not finite")]
    NotFinite {
        /// Of what.
        operand: Operand,
        /// The element, from 0.
        element: usize,
    },
    /// A cache or a sum does not fit its bits.
    #[error("{}", match .0 { Overflow::Cache(name) => format!("cache {name} overflows"), Overflow::Sum => "a sum overflows".into() })]
    Overflow(Overflow),
    /// The denominator is not positive, even with all positions computed.
    #[error("the denominator is not positive")]
    Denominator,
}

/// A key head with its query heads.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    settings: Settings,
    keys: KeyHead,
    heads: Vec<QueryHead>,
}

impl Group {
    /// Without positions.
    pub fn new(settings: Settings) -> Result<Group, SettingsError> {
        settings.check()?;
        let heads = vec![QueryHead::new(&settings); settings.group];
        Ok(Group { keys: KeyHead::new(settings.head, settings.threshold), heads, settings })
    }

    /// With a state that was prepared: the key and value of each position, and the modes and counters of each query head. Records and
    /// caches are made anew.
    ///
    /// # Panics
    /// If there are not as many query heads, or not a row of counters for each position, or more modes than positions.
    pub fn loaded(
        settings: Settings,
        positions: &[(Vec<u16>, Vec<u16>)],
        heads: Vec<(Vec<u8>, Vec<Counters>)>,
    ) -> Result<Group, SettingsError> {
        let mut group = Group::new(settings)?;
        assert_eq!(heads.len(), group.settings.group, "modes and counters for each query head");
        positions.iter().for_each(|(key, value)| group.keys.push(key, value));
        for (head, (modes, counters)) in group.heads.iter_mut().zip(heads) {
            assert!(modes.len() <= counters.len() && counters.len() == positions.len(), "a row for each position");
            (head.modes, head.counters) = (modes, counters);
            head.caches = head.rebuild(&group.settings, &group.keys);
        }
        Ok(group)
    }

    /// What it was made with.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Keys, values and centres.
    pub fn keys(&self) -> &KeyHead {
        &self.keys
    }

    /// The query heads.
    pub fn heads(&self) -> &[QueryHead] {
        &self.heads
    }

    /// A new position: a query for each query head, without the factor `1/sqrt(d)`, one key, one value, in binary16.
    ///
    /// # Panics
    /// If there are not as many, or they do not have `head` elements.
    pub fn step<Q: AsRef<[u16]>>(&mut self, queries: &[Q], key: &[u16], value: &[u16]) -> Result<GroupStep, Refusal> {
        self.check(queries, key, value)?;
        let centres = self.keys.centres().len();
        self.keys.push(key, value);
        let step =
            |(head, query): (&QueryHead, &Q)| head.step(&self.settings, &self.keys, &scaled_query(query.as_ref()));
        match self.heads.iter().zip(queries).map(step).collect::<Result<Vec<_>, Refusal>>() {
            Ok(outcomes) => {
                let (heads, reports) = outcomes.into_iter().unzip();
                self.heads = heads;
                Ok(GroupStep { centres, heads: reports })
            }
            Err(refusal) => {
                self.keys.pop();
                Err(refusal)
            }
        }
    }

    fn check<Q: AsRef<[u16]>>(&self, queries: &[Q], key: &[u16], value: &[u16]) -> Result<(), Refusal> {
        assert_eq!(queries.len(), self.settings.group, "a query for each query head");
        if self.keys.len() == self.settings.max_positions {
            return Err(Refusal::Full(self.settings.max_positions));
        }
        let queries = queries.iter().enumerate().map(|(head, query)| (Operand::Query(head), query.as_ref()));
        for (operand, vector) in queries.chain([(Operand::Key, key), (Operand::Value, value)]) {
            assert_eq!(vector.len(), self.settings.head, "elements of the {operand}");
            if let Some(element) = vector.iter().position(|bits| !is_finite(*bits)) {
                return Err(Refusal::NotFinite { operand, element });
            }
        }
        Ok(())
    }

    /// The positions whose interval was taken wrongly in the last step of a head: inactive, although their accurate score was outside of
    /// their mode. Of interest for figures only.
    pub fn wrong(&self, step: &HeadStep, head: usize, query: &[u16]) -> Vec<usize> {
        let query = to_f64(&scaled_query(query));
        let modes = &self.heads[head].modes;
        let cached = modes.len() - step.entries.len();
        let mut active = step.active.iter().map(|active| active.position).peekable();
        let wrong = |position: &usize| {
            if active.next_if_eq(position).is_some() {
                return false;
            }
            let score = score(self.keys.dot(*position, &query)).0;
            self.settings.table.interval(score - step.maximum) != usize::from(modes[*position])
        };
        (0..cached).filter(wrong).collect()
    }
}
