//! What LAD's number formats, intervals and centres are worth on real queries, keys and values.
//!
//! The short form takes the recording in `data/`: two layers, 256 tokens. Where `KVFORGE_RECORDINGS` names the folder of the whole
//! recordings, `KVFORGE_LONG=1` takes these: six layers, 512 and 2,048 tokens.

use std::ops::Range;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use sim::golden::lad::real::{
    CacheFormat, RealHead, attention, piecewise_attention, piecewise_softmax, relative_error, scores, softmax,
};
use sim::golden::lad::{Fit, Group, Lines, Settings, Table, to_f64};
use sim::lad::{LayerData, Recorded, Setup, measure};

fn folder() -> Option<PathBuf> {
    let long = std::env::var("KVFORGE_LONG").is_ok_and(|value| value == "1");
    std::env::var_os("KVFORGE_RECORDINGS").filter(|_| long).map(PathBuf::from)
}

/// The recording of this name, or in the short form the one in `data/`.
fn recorded(name: &str) -> Recorded {
    let path = match folder() {
        Some(folder) => folder.join(name),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/smollm2_long"),
    };
    Recorded::read(&path.with_extension("safetensors"), 64, &[], None).expect("a recording with queries")
}

/// Each layer with the number of each query head.
fn heads(recorded: &Recorded) -> Vec<(&LayerData, usize)> {
    recorded.layers.iter().flat_map(|layer| (0..layer.key_heads * layer.group).map(move |head| (layer, head))).collect()
}

/// Query, key and value of a query head at a token, in float64.
fn numbers(layer: &LayerData, head: usize, token: usize) -> [Vec<f64>; 3] {
    let key_head = head / layer.group;
    [layer.query(token, head), layer.key(token, key_head), layer.value(token, key_head)].map(to_f64)
}

/// Root of the mean square of the error against piecewise linear attention, the largest error, and the largest magnitude
/// in A to D.
fn error_of(recorded: &Recorded, layer: &LayerData, head: usize, format: CacheFormat) -> (f64, f64, f64) {
    let lines = Lines::new(8, Fit::Joined);
    let mut lad = RealHead::new(recorded.head, lines.clone(), 1.0, lines.count(), format);
    let (mut squares, mut worst, mut largest) = (0.0, 0.0f64, 0.0f64);
    for token in 0..recorded.tokens {
        let [query, key, value] = numbers(layer, head, token);
        let step = lad.step(&query, &key, &value);
        let error = relative_error(&step.output, &piecewise_attention(&lines, &query, lad.keys(), lad.values()));
        squares += error * error;
        worst = worst.max(error);
        largest = largest.max(step.largest);
    }
    ((squares / recorded.tokens as f64).sqrt(), worst, largest)
}

/// The worst and the middle one of the query heads, by root mean square; and the largest error and magnitude of all.
fn errors_of(recorded: &Recorded, format: CacheFormat) -> (f64, f64, f64, f64) {
    let heads = heads(recorded);
    // every third one in the short form
    let heads = heads.into_iter().step_by(if folder().is_some() { 1 } else { 3 }).collect::<Vec<_>>();
    let mut errors: Vec<_> = heads.par_iter().map(|(layer, head)| error_of(recorded, layer, *head, format)).collect();
    errors.sort_by(|a, b| a.0.total_cmp(&b.0));
    let largest = |part: fn(&(f64, f64, f64)) -> f64| errors.iter().map(part).fold(0.0, f64::max);
    let (worst, middle) = (errors[errors.len() - 1].0, errors[errors.len() / 2].0);
    (worst, middle, largest(|error| error.1), largest(|error| error.2))
}

#[test]
fn caches_need_fixed_point() {
    let recorded = recorded("smollm2_long");
    let of = |format| {
        let (worst, middle, largest, magnitude) = errors_of(&recorded, format);
        println!(
            "{format:?}: worst head {worst:.1e}, middle {middle:.1e}, largest {largest:.1e}, up to {magnitude:.0}"
        );
        (worst, middle, largest, magnitude)
    };
    let [exact, single, fixed] = [CacheFormat::Float64, CacheFormat::Binary32, CacheFormat::Fixed(26)].map(of);
    assert!(exact.2 < 1e-10 && fixed.0 < 2e-4 && fixed.2 < 1e-3 && fixed.3 < 8192.0, "{exact:?} {fixed:?}");
    assert!(single.0 > 5.0 * fixed.0, "binary32 drifts: {single:?}, {fixed:?}");
    // two bytes are not enough, whatever they are
    for format in [CacheFormat::Binary16, CacheFormat::Bfloat16] {
        let (worst, ..) = of(format);
        assert!(worst > 0.02, "{format:?}: {worst}");
    }
}

#[test]
fn more_intervals_make_smaller_errors() {
    let recorded = recorded("smollm2_run");
    // the figures are of 512 tokens: squared error of softmax, error of outputs
    let expected = [(5, 4e-6, 0.074), (6, 1e-6, 0.037), (8, 3e-7, 0.018), (16, 1e-8, 0.004)];
    for (intervals, squared, output) in expected {
        let near = |found: f64, expected: f64, factor: f64| found > expected / factor && found < expected * factor;
        for fit in [Fit::Joined, Fit::Free] {
            let lines = if intervals == 5 { Lines::of_the_paper(fit) } else { Lines::new(intervals, fit) };
            let (softmax_error, output_error) = errors_of_lines(&recorded, &lines);
            println!("{intervals} intervals, {fit:?}: {softmax_error:.1e}, {:.2} %", 100.0 * output_error);
            let factor = if folder().is_some() { 1.6 } else { 4.0 };
            assert!(near(softmax_error, squared, factor * factor), "{intervals}, {fit:?}: {softmax_error:e}");
            assert!(near(output_error, output, factor), "{intervals}, {fit:?}: {output_error}");
        }
    }
}

/// Mean squared error of the softmax, and root mean square of the relative error of the output.
fn errors_of_lines(recorded: &Recorded, lines: &Lines) -> (f64, f64) {
    let of_head = |(layer, head): &(&LayerData, usize)| {
        let (mut keys, mut values): (Vec<Vec<f64>>, Vec<Vec<f64>>) = (vec![], vec![]);
        let (mut squared, mut weights, mut output) = (0.0, 0, 0.0);
        for token in 0..recorded.tokens {
            let [query, key, value] = numbers(layer, *head, token);
            keys.push(key);
            values.push(value);
            let scores = scores(&query, &keys);
            let (exact, near) = (softmax(&scores), piecewise_softmax(lines, &scores));
            squared += exact.iter().zip(&near).map(|(x, y)| (x - y).powi(2)).sum::<f64>();
            weights += exact.len();
            let near = piecewise_attention(lines, &query, &keys, &values);
            output += relative_error(&near, &attention(&query, &keys, &values)).powi(2);
        }
        (squared, weights, output)
    };
    let heads = heads(recorded).into_iter().step_by(if folder().is_some() { 1 } else { 2 }).collect::<Vec<_>>();
    let all: Vec<(f64, usize, f64)> = heads.par_iter().map(of_head).collect();
    let (squared, weights, output) = all.iter().fold((0.0, 0, 0.0), |s, x| (s.0 + x.0, s.1 + x.1, s.2 + x.2));
    (squared / weights as f64, (output / (recorded.tokens * all.len()) as f64).sqrt())
}

#[test]
fn centres_save_keys_and_cost_accuracy() {
    let recorded = recorded("smollm2_long");
    // threshold; centres, wrong intervals, error, bytes with one query head to a key head
    let short: [(f64, Range<f64>, f64, f64); 3] =
        [(1.0, 1.0..1.01, 0.0, 0.04), (0.98, 0.9..1.0, 0.005, 0.05), (0.9, 0.3..0.9, 0.05, 0.2)];
    let mut before = 0.0;
    for (threshold, centres, wrong, error) in short {
        let figures = measure(&recorded, Setup { threshold, intervals: 8, period: 1 }, &|| ()).expect("figures");
        let at = figures.last();
        let share = |part: u64, whole: u64| part as f64 / whole as f64;
        let found = [share(at.centres, at.positions), share(at.wrong, at.cached), figures.error_rms, at.single.ratio()];
        println!("{threshold}: centres, wrong, error, bytes {found:.4?}, as recorded {:.3}", at.grouped.ratio());
        assert!(centres.contains(&found[0]) && found[1] <= wrong && found[2] < error, "{threshold}: {found:?}");
        assert!(found[2] > before, "{threshold}: {found:?}");
        before = found[2] * 0.999;
        // grouped query heads share keys and values, but plain attention gains more from that
        assert!(at.grouped.ratio() > at.single.ratio());
    }
}

/// Every head of the recording, all state compared with what is made anew every 256 steps (every 64 in the short form).
#[test]
fn caches_equal_those_made_anew() {
    let recorded = recorded("smollm2_long");
    let every = if folder().is_some() { 256 } else { 64 };
    let key_heads = recorded.layers.iter().flat_map(|layer| (0..layer.key_heads).map(move |head| (layer, head)));
    key_heads.collect::<Vec<_>>().into_par_iter().for_each(|(layer, head)| {
        let table = Table::new(&Lines::new(8, Fit::Joined)).expect("lines");
        let mut group = Group::new(Settings::new(64, layer.group, table, 0.9)).expect("settings");
        for token in 0..recorded.tokens {
            let queries: Vec<&[u16]> = (0..layer.group).map(|i| layer.query(token, head * layer.group + i)).collect();
            group.step(&queries, layer.key(token, head), layer.value(token, head)).expect("a step");
            if (token + 1) % every == 0 {
                for query_head in group.heads() {
                    assert!(query_head.caches == query_head.rebuild(group.settings(), group.keys()), "token {token}");
                }
            }
        }
    });
}
