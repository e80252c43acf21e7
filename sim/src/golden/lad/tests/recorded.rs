//! Queries, keys and values of a real model (data/smollm2_long.safetensors, 256 tokens of two layers).

use std::path::Path;

use super::*;
use crate::data::{Kind, Recording, read_queries};
use crate::golden::lad::real::{CacheFormat, RealHead};
use crate::golden::lad::traffic::Traffic;

const REAL_HEAD: usize = 64;
const GROUP: usize = 3;

/// Queries, keys and values of a layer, token by token.
struct Layer {
    queries: Vec<Vec<u16>>,
    keys: Vec<Vec<u16>>,
    values: Vec<Vec<u16>>,
}

impl Layer {
    fn read(layer: u32) -> Layer {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/smollm2_long.safetensors");
        let recording = Recording::read(&path).expect("the recording");
        let queries = read_queries(&path).expect("queries").into_iter().find(|q| q.layer == layer).expect("the layer");
        let rows = |kind| recording.tensor(layer, kind).expect("the layer").vectors().map(<[u16]>::to_vec).collect();
        let queries = queries.data.chunks(queries.cols).map(<[u16]>::to_vec).collect();
        Layer { queries, keys: rows(Kind::Key), values: rows(Kind::Value) }
    }

    /// The queries, the key and the value of a key head for each token.
    fn steps(&self, head: usize) -> impl Iterator<Item = (Vec<&[u16]>, &[u16], &[u16])> {
        let part = move |row: &'static str, vector: &'_ [u16], head: usize| -> std::ops::Range<usize> {
            assert!((head + 1) * REAL_HEAD <= vector.len(), "{row}");
            head * REAL_HEAD..(head + 1) * REAL_HEAD
        };
        (0..self.keys.len()).map(move |t| {
            let query = |i: usize| &self.queries[t][part("query", &self.queries[t], GROUP * head + i)];
            let (key, value) = (&self.keys[t], &self.values[t]);
            ((0..GROUP).map(query).collect(), &key[part("key", key, head)], &value[part("value", value, head)])
        })
    }
}

fn recorded_settings(lines: &Lines, threshold: f64) -> Settings {
    Settings::new(REAL_HEAD, GROUP, table(lines), threshold)
}

#[test]
fn with_exact_scores_it_is_piecewise_linear_attention() {
    let lines = Lines::new(8, Fit::Joined);
    for (layer, head) in [(0, 0), (0, 1), (10, 2)] {
        let layer = Layer::read(layer);
        let mut lad = RealHead::new(REAL_HEAD, lines.clone(), 1.0, lines.count(), CacheFormat::Float64);
        let (mut changes, mut squares, mut worst) = (0, 0.0, 0.0f64);
        for (queries, key, value) in layer.steps(head) {
            let query = to_f64(queries[0]);
            let step = lad.step(&query, &to_f64(key), &to_f64(value));
            let expected = piecewise_attention(&lines, &query, lad.keys(), lad.values());
            let error = relative_error(&step.output, &expected);
            (squares, worst) = (squares + error * error, worst.max(error));
            changes += step.changes;
        }
        let rms = (squares / layer.keys.len() as f64).sqrt();
        assert!(rms < 3e-13 && worst < 3e-12 && changes > 50, "{rms:e} {worst:e} {changes}");
    }
}

/// The errors of the sums, before they become binary16, and of the outputs.
#[test]
fn fixed_point_is_near_piecewise_linear_attention_at_every_step() {
    let lines = Lines::new(8, Fit::Joined);
    let (mut squares, mut worst, mut worst_output, mut count) = (0.0, 0.0f64, 0.0f64, 0);
    for layer in [0, 10] {
        let layer = Layer::read(layer);
        for head in 0..3 {
            let mut group = Group::new(recorded_settings(&lines, 1.0)).unwrap();
            let (mut keys, mut values) = (vec![], vec![]);
            for (t, (queries, key, value)) in layer.steps(head).enumerate() {
                let step = group.step(&queries, key, value).unwrap();
                keys.push(to_f64(key));
                values.push(to_f64(value));
                for (query, step) in queries.iter().zip(&step.heads) {
                    let expected = piecewise_attention(&lines, &to_f64(query), &keys, &values);
                    let exact: Vec<f64> = step.numerator.iter().map(|n| *n as f64 / step.denominator as f64).collect();
                    let error = relative_error(&exact, &expected);
                    squares += error * error;
                    count += 1;
                    worst = worst.max(error);
                    worst_output = worst_output.max(relative_error(&to_f64(&step.output), &expected));
                    assert_eq!((step.passes.len(), step.saturated), (1, false));
                }
                if t % 16 == 0 || t == 255 {
                    check_state(&group);
                }
            }
        }
    }
    let rms = (squares / f64::from(count)).sqrt();
    assert!(rms < 2e-4 && worst < 1e-3 && worst_output < 1e-3, "rms {rms:e}, worst {worst:e}, output {worst_output:e}");
}

#[test]
fn heads_of_a_group_are_as_they_are_alone() {
    let (lines, layer) = (Lines::new(8, Fit::Joined), Layer::read(10));
    let mut together = Group::new(recorded_settings(&lines, 0.9)).unwrap();
    let alone = Settings { group: 1, ..recorded_settings(&lines, 0.9) };
    let mut alone: Vec<Group> = (0..GROUP).map(|_| Group::new(alone.clone()).unwrap()).collect();
    for (queries, key, value) in layer.steps(1) {
        let step = together.step(&queries, key, value).unwrap();
        for (i, group) in alone.iter_mut().enumerate() {
            let mut single = group.step(&queries[i..=i], key, value).unwrap();
            assert_eq!(single.heads.remove(0), step.heads[i]);
        }
        // together they move less than each for itself, and each for itself what it does alone
        let traffic = Traffic::of_last_step(&together, &step, &[0, 1, 2]).total();
        let each: Vec<u64> = (0..GROUP).map(|i| Traffic::of_last_step(&together, &step, &[i]).total()).collect();
        assert!(traffic <= each.iter().sum() && each.iter().all(|one| *one <= traffic), "{traffic} {each:?}");
    }
    for (i, group) in alone.iter().enumerate() {
        assert!(group.heads()[0] == together.heads()[i]);
    }
}

#[test]
fn a_state_that_is_loaded_goes_on_as_the_one_it_was_taken_from() {
    let (lines, layer) = (Lines::new(8, Fit::Joined), Layer::read(10));
    let settings = recorded_settings(&lines, 0.9);
    let mut group = Group::new(settings.clone()).unwrap();
    let mut positions = vec![];
    for (t, (queries, key, value)) in layer.steps(0).enumerate().take(130) {
        if t == 100 {
            let heads = group.heads().iter().map(|head| (head.modes.clone(), head.counters.clone())).collect();
            let loaded = Group::loaded(settings.clone(), &positions, heads).unwrap();
            assert!(loaded == group);
            group = loaded;
        }
        positions.push((key.to_vec(), value.to_vec()));
        group.step(&queries, key, value).unwrap();
    }
    check_state(&group);
}

/// Bytes of a step by hand.
#[test]
fn traffic_counts_every_byte() {
    let (lines, layer) = (Lines::new(8, Fit::Joined), Layer::read(0));
    let mut group = Group::new(recorded_settings(&lines, 0.9)).unwrap();
    let mut last = None;
    for (queries, key, value) in layer.steps(0).take(100) {
        last = Some(group.step(&queries, key, value).unwrap());
    }
    let step = last.expect("a step");
    let traffic = Traffic::of_last_step(&group, &step, &[1]);
    let head = &step.heads[1];
    assert_eq!((head.passes.len(), head.entries.len()), (1, 1), "a step without repeats");
    let centre = |i: usize| usize::from(group.keys().records()[i].centre) == i;
    let scored = (0..99).filter(|i| *i >= 84 || centre(*i) || head.large.contains(i)).count() as u64;
    let estimated = head.active.iter().filter(|a| !centre(a.position) && !head.large.contains(&a.position)).count();
    let entered = 84;
    let read_late = head.changes.iter().filter(|i| !head.passes[0].keys.contains(i)).count() as u64 + 1;
    assert_eq!(head.entries[0].0, entered);
    let counted = head.active.iter().filter(|a| a.mode != a.interval).count() as u64;
    let (active, changed) = (head.active.len() as u64, head.changes.len() as u64 + 1);
    let expected = Traffic {
        keys_scored: 128 * scored,
        keys_active: 128 * estimated as u64,
        keys_changed: 128 * read_late,
        values: 128 * (active + 15),
        caches_read: 5 * (64 * 64 + 3 * 64) + 12,
        caches_written: 5 * (64 * 64 + 3 * 64) + 12,
        records: 4 * 99,
        modes: 42 + changed,
        counters_read: 16 * (active + 15),
        counters_written: 16 * (counted + 16),
        new: 260,
    };
    assert_eq!(traffic, expected);
    assert_eq!(Traffic::plain(64, 100), 25_600);
}
