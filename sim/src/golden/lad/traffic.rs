//! Bytes that a step moves between tile and memory (docs/lad.md, section 9). Whole bytes of what is needed, without what
//! a bus adds to fill its words.

use std::ops::AddAssign;

use serde::Serialize;

use super::step::{Group, GroupStep, HeadStep};

/// Bytes of one step by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Traffic {
    /// Keys for scores before the identification: centres, large modes, the latest positions.
    pub keys_scored: u64,
    /// Keys of active positions without an accurate score.
    pub keys_active: u64,
    /// Keys of positions that change their mode or come into the caches, read once more.
    pub keys_changed: u64,
    /// Values of active positions and of the latest ones.
    pub values: u64,
    /// Caches A to F, read.
    pub caches_read: u64,
    /// Caches A to F, written back.
    pub caches_written: u64,
    /// Records of keys (centre and factor), read.
    pub records: u64,
    /// Modes, read and written.
    pub modes: u64,
    /// Rows of counters, read.
    pub counters_read: u64,
    /// Rows of counters, written.
    pub counters_written: u64,
    /// The new key and value and its record, written.
    pub new: u64,
}

impl Traffic {
    /// Of a plain tile of the same step: every key and value read once, the new ones written. `count` positions with the new one.
    pub fn plain(head: usize, count: usize) -> u64 {
        (4 * head * count) as u64
    }

    /// Of the step that a group has just done, as if it had these query heads only.
    pub fn of_last_step(group: &Group, step: &GroupStep, heads: &[usize]) -> Traffic {
        let chosen: Vec<&HeadStep> = heads.iter().map(|head| &step.heads[*head]).collect();
        let count = group.keys().len();
        let settings = group.settings();
        let vector = 2 * settings.head as u64;
        // those that came in with this step were not in the caches during it
        let entries = chosen.first().map_or(0, |head| head.entries.len());
        let sets = Sets { count, cached: group.heads()[0].modes.len() - entries };
        let scored = || chosen.iter().flat_map(|head| head.large.iter().copied());
        let centres = group.keys().centres().iter().copied();
        let mut traffic = Traffic {
            keys_scored: vector * sets.union(centres.chain(scored()).chain(sets.latest_read())),
            records: 4 * (count as u64 - 1),
            new: 2 * vector + 4,
            ..Traffic::default()
        };
        let passes = chosen.iter().map(|head| head.passes.len()).max().unwrap_or(0);
        for pass in 0..passes {
            let of_pass = || chosen.iter().filter_map(|head| head.passes.get(pass));
            traffic.keys_active += vector * sets.union(of_pass().flat_map(|pass| pass.keys.iter().copied()));
            let active = of_pass().flat_map(|pass| pass.active.iter().copied());
            traffic.values += vector * sets.union(active.chain(sets.latest_read()));
        }
        let last_keys = chosen.iter().filter_map(|head| head.passes.last()).flat_map(|pass| pass.keys.iter().copied());
        let changes = chosen.iter().flat_map(|head| head.changes.iter().copied());
        let changed = changes.chain(chosen.iter().flat_map(|head| head.entries.iter().map(|entry| entry.0)));
        traffic.keys_changed = vector * sets.union_without(changed, last_keys);
        for head in chosen {
            traffic.add_head(group, head, &sets);
        }
        traffic
    }

    /// What belongs to a query head alone.
    fn add_head(&mut self, group: &Group, head: &HeadStep, sets: &Sets) {
        let settings = group.settings();
        let d = settings.head as u64;
        let caches = (d * d + 3 * d) * u64::from(settings.cache_bits / 8) + 12;
        let row = 2 * settings.table.count() as u64;
        let changed = (head.changes.len() + head.entries.len()) as u64;
        self.caches_read += if sets.cached > 0 { caches } else { 0 };
        self.caches_written += if changed > 0 { caches } else { 0 };
        self.modes += (sets.cached as u64).div_ceil(2) + changed;
        let counted = head.active.iter().filter(|active| active.interval != active.mode).count() as u64;
        let latest = (sets.count - sets.cached) as u64;
        self.counters_read += row * (head.active.len() as u64 + latest - 1);
        self.counters_written += row * (counted + latest);
    }

    /// All bytes.
    pub fn total(&self) -> u64 {
        let keys = self.keys_scored + self.keys_active + self.keys_changed;
        let caches = self.caches_read + self.caches_written;
        let counters = self.counters_read + self.counters_written;
        keys + self.values + caches + self.records + self.modes + counters + self.new
    }
}

impl AddAssign for Traffic {
    fn add_assign(&mut self, other: Traffic) {
        self.keys_scored += other.keys_scored;
        self.keys_active += other.keys_active;
        self.keys_changed += other.keys_changed;
        self.values += other.values;
        self.caches_read += other.caches_read;
        self.caches_written += other.caches_written;
        self.records += other.records;
        self.modes += other.modes;
        self.counters_read += other.counters_read;
        self.counters_written += other.counters_written;
        self.new += other.new;
    }
}

/// Positions of a step.
struct Sets {
    count: usize,
    cached: usize,
}

impl Sets {
    /// The latest positions without the new one, which comes with the step and is not read.
    fn latest_read(&self) -> std::ops::Range<usize> {
        self.cached..self.count - 1
    }

    /// How many different positions there are, without the new one.
    fn union(&self, positions: impl Iterator<Item = usize>) -> u64 {
        self.union_without(positions, std::iter::empty())
    }

    fn union_without(&self, positions: impl Iterator<Item = usize>, without: impl Iterator<Item = usize>) -> u64 {
        let mut members = vec![false; self.count - 1];
        let mut set = |position: usize, member: bool| {
            if let Some(slot) = members.get_mut(position) {
                *slot = member;
            }
        };
        positions.for_each(|position| set(position, true));
        without.for_each(|position| set(position, false));
        members.iter().filter(|member| **member).count() as u64
    }
}
