use super::*;
use ::sim::golden::lad::Counters;
use ::sim::golden::lad::discrepancy::{Candidate, Candidates};
use ::sim::lad::Recorded;
use ::sim::lad_md_bench::{Kind, MdBench, MdPass, recorded_passes};
use fastrand::Rng;
use hdl::bus::{Stalls, StreamPorts, run_seed, seed, span};

fn params(intervals: u32, max_positions: u32, max_changes: u32, outstanding: u32) -> MdParams {
    MdParams { intervals, max_positions, max_changes, outstanding }
}

fn bench(design: &Design<MdPorts>, p: MdParams) -> MdBench {
    let io = &design.ports;
    let sources = [
        StreamPorts::of(design, &io.bound),
        StreamPorts::of(design, &io.command),
        StreamPorts::of(design, &io.s),
        StreamPorts::of(design, &io.known),
        StreamPorts::of(design, &io.score),
        StreamPorts::of(design, &io.row),
    ];
    let sinks = [
        StreamPorts::of(design, &io.look_up),
        StreamPorts::of(design, &io.fetch),
        StreamPorts::of(design, &io.found),
        StreamPorts::of(design, &io.row_read),
        StreamPorts::of(design, &io.row_write),
        StreamPorts::of(design, &io.m),
        StreamPorts::of(design, &io.report),
    ];
    let [intervals, max_positions, max_changes] = [p.intervals, p.max_positions, p.max_changes].map(|n| n as usize);
    MdBench { intervals, max_positions, max_changes, sources, sinks }
}

const NEVER: [Stalls; 13] = [Stalls::Never; 13];

/// Each stream with stalls of its own, of which some are long.
fn random_stalls(rng: &mut Rng) -> [Stalls; 13] {
    let stalls = [Stalls::Never, Stalls::Percent(30), Stalls::Percent(80), Stalls::Runs(12)];
    NEVER.map(|_| stalls[rng.usize(0..4)])
}

/// Passes of each kind, from no position on to as many as there are.
fn random_passes(bench: &MdBench, rng: &mut Rng, count: usize) -> Vec<MdPass> {
    let most = bench.max_positions.min(150);
    let passes: Vec<_> = (0..count).map(|i| (rng.usize(0..=most.min(3 * i)), Kind::random(rng))).collect();
    bench.random(rng, &passes)
}

#[test]
fn passes_are_those_of_the_model() {
    let shapes = [(8, 64, 64, 16), (4, 16, 1, 2), (5, 77, 3, 4), (16, 1000, 10, 64), (8, 65_535, 64, 16)];
    for (number, (intervals, max, changes, outstanding)) in shapes.into_iter().enumerate() {
        let p = params(intervals, max, changes, outstanding);
        let design = md(p).unwrap_or_else(|e| panic!("{e}"));
        let (mut sim, bench) = (jit::simulator(&design), bench(&design, p));
        for round in 0..8 {
            let seed = run_seed(10 * number as u64 + round);
            let mut rng = Rng::with_seed(seed);
            let stalls = if round == 0 { NEVER } else { random_stalls(&mut rng) };
            let passes = random_passes(&bench, &mut rng, 60);
            bench.run(&mut sim, &passes, stalls, seed).unwrap_or_else(|e| panic!("{p:?}, seed {seed}: {e}"));
        }
    }
}

#[test]
fn lists_as_long_as_the_ring() {
    let p = params(8, 64, 64, 16);
    let design = md(p).unwrap();
    let (mut sim, bench) = (jit::simulator(&design), bench(&design, p));
    for round in 0..4 {
        let seed = run_seed(round);
        let mut rng = Rng::with_seed(seed);
        let passes: Vec<_> = (0..30).map(|_| (rng.usize(60..=64), Kind::random(&mut rng))).collect();
        let passes = bench.random(&mut rng, &passes);
        let stalls = if round == 0 { NEVER } else { random_stalls(&mut rng) };
        bench.run(&mut sim, &passes, stalls, seed).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
    }
}

/// Whatever stands anywhere at a reset, the passes behind it are right.
#[test]
fn a_reset_in_any_cycle_forgets_all() {
    let p = params(8, 64, 4, 4);
    let design = md(p).unwrap();
    let (mut sim, bench) = (jit::simulator(&design), bench(&design, p));
    for round in 0..60 {
        let seed = run_seed(round);
        let mut rng = Rng::with_seed(seed);
        let stalls = random_stalls(&mut rng);
        let before = random_passes(&bench, &mut rng, 30);
        bench.run_for(&mut sim, &before, stalls, (seed, rng.u64(1..900))).unwrap_or_else(|e| panic!("{e}"));
        let after = random_passes(&bench, &mut rng, 12);
        bench.run(&mut sim, &after, stalls, seed).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
    }
}

/// Queries and keys of a model, with centres: what the model of steps did, repeats and changes among it.
#[test]
fn passes_of_recorded_keys() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../data/smollm2_long.safetensors");
    let recorded = Recorded::read(path.as_ref(), 64, &[], None).expect("a recording with queries");
    let p = params(8, 256, 64, 16);
    let design = md(p).unwrap();
    let (mut sim, bench) = (jit::simulator(&design), bench(&design, p));
    let mut active = 0;
    for (layer, period) in [(0, 1), (1, 1), (1, 4)] {
        let passes = recorded_passes(&recorded, layer, (0.8, period), 8);
        active += passes.iter().map(|pass| pass.candidates.list.len()).sum::<usize>();
        bench.run(&mut sim, &passes, NEVER, 1).unwrap_or_else(|e| panic!("layer {layer}: {e}"));
    }
    assert!(active >= 1000, "{active} active positions");
}

/// Bounds -4 to -1, in whole numbers.
const BOUNDS: [i32; 3] = [-4 << 16, -2 << 16, -1 << 16];

/// A position with two counters, the mode's being without meaning.
fn candidate(position: usize, score: i32, mode: u8, counters: [u16; 4]) -> Candidate {
    let mut row: Counters = Default::default();
    row[..4].copy_from_slice(&counters);
    Candidate { position, mode, accurate: position.is_multiple_of(2), score, row, ..Candidate::default() }
}

fn pass(positions: usize, maximum: i32, period: usize, list: Vec<Candidate>) -> MdPass {
    let candidates = Candidates { positions, maximum, period, list };
    MdPass { bounds: BOUNDS.to_vec(), candidates, end_alone: false }
}

/// The passes, and what the reports say: cause, maximum, active, outside, changed, postponed.
fn reports(p: MdParams, passes: &[MdPass]) -> Vec<[u64; 6]> {
    let design = md(p).unwrap();
    let bench = bench(&design, p);
    let times = bench.run(&mut jit::simulator(&design), passes, NEVER, 1).unwrap_or_else(|e| panic!("{e}"));
    times.told.iter().map(|report| [0, 1, 3, 5, 6, 7].map(|i| report[i])).collect()
}

#[test]
fn a_score_on_a_bound_belongs_below_it() {
    let p = params(4, 64, 64, 16);
    // intervals 0, 1 and 2 end at these bounds, which are their own; one step more is another interval
    let on = BOUNDS.iter().zip(0..).map(|(bound, i)| candidate(usize::from(i), *bound, i, [0; 4])).collect();
    let above = BOUNDS.iter().zip(0..).map(|(bound, i)| candidate(usize::from(i), bound + 1, i, [0; 4])).collect();
    let reports = reports(p, &[pass(60, 0, 1, on), pass(60, 0, 1, above)]);
    assert_eq!(reports, [[0, 0, 3, 0, 0, 0], [0, 0, 3, 3, 0, 0]]);
}

#[test]
fn a_mode_changes_when_another_interval_is_more_frequent() {
    let p = params(4, 65_535, 64, 16);
    // of 10 steps, interval 3 has 4 and one more, interval 1 has none, mode 2 the other 5: a tie, which is no change; of 9 steps it has 4
    let tie = |age: usize| pass(100, 0, 1, vec![candidate(100 - age, 0, 2, [0, 0, 77, 4])]);
    // the oldest position there can be: 32,767 and one more of 65,535, which is more than the other half
    let oldest = pass(65_535, 0, 1, vec![candidate(0, 0, 1, [0, 9, 0, 32_767])]);
    // all of its steps were elsewhere
    let never = pass(65_535, 0, 1, vec![candidate(0, 0, 1, [0, u16::MAX, 0, 65_534])]);
    let too_many =
        pass(65_535, 0, 1, vec![candidate(0, 0, 1, [0, 0, 0, 65_535]), candidate(1, 0, 1, [0, 0, 1, 65_534])]);
    let reports = reports(p, &[tie(10), tie(9), oldest, never, too_many]);
    let counted = |changed| [0, 0, 1, 1, changed, 0];
    assert_eq!(reports, [counted(0), counted(1), counted(1), counted(1), [4, 0, 2, 0, 0, 0]]);
}

#[test]
fn changes_have_their_steps_and_their_room() {
    let p = params(4, 64, 5, 16);
    let wants = |count: usize| (0..count).map(|at| candidate(at, 0, 1, [0, 0, 0, 40])).collect::<Vec<_>>();
    let passes = [(60, 1, 7), (60, 4, 5), (61, 4, 3), (62, 2, 1), (63, 2, 1), (48, 16, 6), (56, 16, 1)];
    let passes = passes.map(|(positions, period, count)| pass(positions, 0, period, wants(count)));
    let reports = reports(p, &passes).into_iter().map(|report| [report[4], report[5]]).collect::<Vec<_>>();
    assert_eq!(reports, [[5, 2], [5, 0], [0, 3], [1, 0], [0, 1], [5, 1], [0, 1]]);
}

#[test]
fn the_largest_of_several_scores_is_the_new_maximum() {
    let p = params(4, 64, 64, 16);
    let scores = |scores: &[i32]| scores.iter().zip(1..).map(|(x, at)| candidate(at, *x, 3, [0; 4])).collect();
    let passes = [&[5, 9, 7, -9][..], &[-9, -9, 10], &[5, 5, 5], &[4, 4]].map(|x| pass(60, 4, 1, scores(x)));
    let told: Vec<_> = reports(p, &passes).into_iter().map(|report| [report[0], report[1], report[2]]).collect();
    assert_eq!(told, [[1, 9, 4], [1, 10, 3], [1, 5, 3], [0, 4, 2]]);
}

#[test]
fn a_position_in_every_cycle_and_the_stated_overhead() {
    let p = params(8, 480, 64, 16);
    let design = md(p).unwrap();
    let bench = bench(&design, p);
    let mut rng = Rng::with_seed(seed(1));
    let kinds = [Kind::Some, Kind::Outside, Kind::Inside, Kind::Some];
    let mut passes = bench.random(&mut rng, &kinds.map(|kind| (400, kind)));
    for pass in &mut passes[1..] {
        pass.bounds = vec![];
        pass.candidates
            .list
            .iter_mut()
            .for_each(|x| (x.score, x.accurate) = (pass.candidates.maximum, x.position % 3 == 0));
    }
    passes.iter_mut().for_each(|pass| pass.end_alone = false);
    let times = bench.run(&mut jit::simulator(&design), &passes, NEVER, 1).unwrap();
    let apart: Vec<u64> = times.commands.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let last: Vec<u64> = times.commands.iter().zip(&times.reports).map(|(command, report)| report - command).collect();
    let spans: Vec<u64> = times.positions.chunks(400).map(span).collect();
    assert_eq!(spans, [400; 4]);
    // the second command need not wait for the first pass to be counted
    assert_eq!(apart[1..], [u64::from(OVERHEAD) + 400; 2]);
    assert_eq!(last[0], u64::from(LATENCY) + 800);
}

#[test]
fn illegal_parameters_are_refused() {
    for (p, text) in [
        (params(3, 64, 64, 16), "intervals = 3 is out of range"),
        (params(17, 64, 64, 16), "intervals = 17 is out of range"),
        (params(8, 15, 64, 16), "max_positions = 15 is out of range"),
        (params(8, 65_536, 64, 16), "max_positions = 65536 is out of range"),
        (params(8, 64, 0, 16), "max_changes = 0 is out of range"),
        (params(8, 64, 65, 16), "max_changes = 65 is out of range"),
        (params(8, 64, 64, 1), "outstanding = 1 is out of range"),
        (params(8, 64, 64, 65), "outstanding = 65 is out of range"),
    ] {
        let message = md(p).unwrap_err().to_string();
        assert!(message.contains(text), "{message}");
    }
}
