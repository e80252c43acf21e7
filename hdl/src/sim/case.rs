//! Choices among many arms: what a `switch` becomes.

use rustc_hash::FxHashMap as HashMap;
use std::collections::BTreeMap;

/// Which arm each value of a selector takes: by value, each value once. All others take the default.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Labels(Box<[(u64, u32)]>);

/// The value of one of many arms: that of the arm which [`Labels`] give for the selector, else the default. Arms that are not
/// listed have the default's value.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Case<N> {
    /// What chooses: at most 64 bits.
    pub selector: N,
    /// Index of the table that says which arm a value takes.
    pub labels: u32,
    /// Arm and value, by arm.
    pub arms: Box<[(u32, N)]>,
    /// Where no arm is listed.
    pub default: N,
}

impl Labels {
    /// Where a value is given twice, the first arm counts.
    pub fn new(values: impl IntoIterator<Item = (u64, u32)>) -> Labels {
        let mut table = BTreeMap::new();
        values.into_iter().for_each(|(value, arm)| {
            table.entry(value).or_insert(arm);
        });
        Labels(table.into_iter().collect())
    }
    /// Value and arm, by value.
    pub fn values(&self) -> &[(u64, u32)] {
        &self.0
    }
    /// The arm of a value.
    pub fn arm(&self, value: u64) -> Option<u32> {
        let at = self.0.binary_search_by_key(&value, |(value, _)| *value).ok()?;
        Some(self.0[at].1)
    }
}

impl<N: Copy> Case<N> {
    /// Calls `f` with every operand.
    pub fn each_operand(&self, mut f: impl FnMut(N)) {
        f(self.selector);
        self.arms.iter().for_each(|(_, value)| f(*value));
        f(self.default);
    }
    /// The value that a value of the selector gives.
    pub fn value(&self, labels: &Labels, selector: u64) -> N {
        let listed = |arm: u32| self.arms.binary_search_by_key(&arm, |(arm, _)| *arm).ok();
        labels.arm(selector).and_then(listed).map_or(self.default, |at| self.arms[at].1)
    }
}

/// All tables of a design, each once.
#[derive(Debug, Default)]
pub(super) struct LabelTables {
    pub tables: Vec<Labels>,
    index: HashMap<Labels, u32>,
}

impl LabelTables {
    /// The index of a table.
    pub fn add(&mut self, labels: Labels) -> u32 {
        let next = self.tables.len() as u32;
        let index = *self.index.entry(labels.clone()).or_insert(next);
        if index == next {
            self.tables.push(labels);
        }
        index
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_arm_that_lists_a_value_counts() {
        let labels = Labels::new([(7, 0), (3, 1), (7, 2), (1 << 63, 3)]);
        assert_eq!(labels.values(), [(3, 1), (7, 0), (1 << 63, 3)]);
        assert_eq!([3, 7, 1 << 63, 0].map(|v| labels.arm(v)), [Some(1), Some(0), Some(3), None]);
    }

    #[test]
    fn what_no_arm_lists_is_the_default() {
        let labels = Labels::new([(0, 0), (1, 1), (2, 2)]);
        let case = Case { selector: 'x', labels: 0, arms: [(0, 'a'), (2, 'c')].into(), default: 'd' };
        assert_eq!([0, 1, 2, 3].map(|v| case.value(&labels, v)), ['a', 'd', 'c', 'd']);
    }

    #[test]
    fn equal_tables_are_one() {
        let mut tables = LabelTables::default();
        let all = [[(1, 0), (2, 1)], [(2, 1), (1, 0)], [(1, 1), (2, 0)]].map(|v| tables.add(Labels::new(v)));
        assert_eq!(all, [0, 0, 1]);
    }
}
