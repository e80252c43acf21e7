mod edges;
mod numbers;
mod recorded;
mod refusals;

use half::f16;

use super::real::{piecewise_attention, relative_error};
use super::*;

/// Elements of a head in made-up data; the factor of queries is then 1/4.
const HEAD: usize = 16;

fn bits(values: &[f64]) -> Vec<u16> {
    values.iter().map(|x| f16::from_f64(*x).to_bits()).collect()
}

/// A vector with one element that is not 0.
fn along(x: f64) -> Vec<u16> {
    bits(&[&[x][..], &[0.0; HEAD - 1]].concat())
}

fn table(lines: &Lines) -> Table {
    Table::new(lines).expect("lines that can be stored")
}

fn settings(lines: &Lines, threshold: f64) -> Settings {
    Settings::new(HEAD, 1, table(lines), threshold)
}

fn group(lines: &Lines, threshold: f64) -> Group {
    Group::new(settings(lines, threshold)).expect("legal settings")
}

/// A group of one query head beside the mathematics of piecewise linear attention.
struct Beside {
    group: Group,
    lines: Lines,
    keys: Vec<Vec<f64>>,
    values: Vec<Vec<f64>>,
}

impl Beside {
    fn new(group: Group, lines: &Lines) -> Beside {
        Beside { group, lines: lines.clone(), keys: vec![], values: vec![] }
    }

    /// A step, and how far its output is from the mathematics.
    fn step(&mut self, query: &[u16], key: &[u16], value: &[u16]) -> (HeadStep, f64) {
        let step = self.group.step(&[query], key, value).expect("a step").heads.remove(0);
        self.keys.push(to_f64(key));
        self.values.push(to_f64(value));
        let expected = piecewise_attention(&self.lines, &to_f64(query), &self.keys, &self.values);
        check_state(&self.group);
        let error = relative_error(&to_f64(&step.output), &expected);
        (step, error)
    }
}

/// What holds in every state: the caches are those made anew, counters of the latest positions sum up to their age, and no
/// counter exceeds it.
#[track_caller]
fn check_state(group: &Group) {
    for head in group.heads() {
        assert_eq!(head.caches, head.rebuild(group.settings(), group.keys()));
        let count = group.keys().len();
        assert_eq!(head.counters.len(), count);
        let steps = count - count % group.settings().period;
        assert_eq!(head.modes.len(), (steps + 1).saturating_sub(LATEST));
        for (position, counters) in head.counters.iter().enumerate() {
            let mode = head.modes.get(position).map(|mode| usize::from(*mode));
            let others = counters.iter().enumerate().filter(|(interval, _)| Some(*interval) != mode);
            let sum: usize = others.map(|(_, count)| usize::from(*count)).sum();
            let age = count - position;
            assert!(if mode.is_none() { sum == age } else { sum < age }, "position {position}: {sum} of {age}");
        }
    }
}
