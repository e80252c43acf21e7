use super::*;
use ::sim::golden::reference::decibels;
use ::sim::golden::vq::Algorithm;
use ::sim::golden::vq::attention::Head;
use ::sim::golden::vq::product::Way;
use ::sim::golden::vq::tables::{TableCommand, TableUnit};
use ::sim::vq_benches::table::{Job, ScoresBench, TableTimes, good_job, head_words, random_job, real_head};
use fastrand::Rng;
use hdl::bus::{Stalls, StreamPorts, run_seed, seed, span};

fn params(entries: u32, vector: u32, positions: u32, residuals: u32, queries: u32, scaled: bool) -> ScoresParams {
    ScoresParams { table: TableParams { entries, vector, positions, residuals, queries }, scaled }
}

fn bench(design: &Design<ScoresPorts>, p: ScoresParams) -> ScoresBench {
    let io = &design.ports;
    let mut sources = vec![
        StreamPorts::of(design, &io.command),
        StreamPorts::of(design, &io.query),
        StreamPorts::of(design, &io.words),
    ];
    sources.extend(io.scale.map(|scale| StreamPorts::of(design, &scale)));
    let sinks = [StreamPorts::of(design, &io.m), StreamPorts::of(design, &io.report)];
    let t = p.table;
    let [entries, vector, positions, residuals, queries] =
        [t.entries, t.vector, t.positions, t.residuals, t.queries].map(|n| n as usize);
    let unit = TableUnit { entries, vector, positions, residuals, queries, max_tokens: MAX_TOKENS as usize };
    ScoresBench { unit, sources, sinks }
}

#[test]
fn random_books_rows_and_queries() {
    let shapes = [
        (16, 2, 32, 1, 1, false),
        (16, 4, 16, 1, 2, false),
        (8, 4, 8, 1, 1, true),
        (8, 2, 24, 2, 3, true),
        (256, 2, 16, 1, 1, false),
        (8, 8, 40, 4, 1, false),
    ];
    for (number, (entries, vector, positions, residuals, queries, scaled)) in shapes.into_iter().enumerate() {
        let p = params(entries, vector, positions, residuals, queries, scaled);
        let design = scores(p).unwrap_or_else(|e| panic!("{e}"));
        let mut sim = jit::simulator(&design);
        let bench = bench(&design, p);
        for round in 0..3 {
            let seed = run_seed(10 * number as u64 + round);
            let stalls = match round {
                0 => [Stalls::Never; 6],
                1 => [70, 40, 30, 50, 60, 30].map(Stalls::Percent),
                _ => [9, 20, 7, 11, 15, 9].map(Stalls::Runs),
            };
            let mut rng = Rng::with_seed(seed);
            let jobs: Vec<Job> = (0..30).map(|_| random_job(&bench.unit, &mut rng, true)).collect();
            bench.run(&mut sim, &jobs, &stalls, seed).unwrap_or_else(|e| panic!("{p:?}, seed {seed}: {e}"));
        }
    }
}

fn timed(p: ScoresParams, tokens: usize, commands: usize) -> TableTimes {
    let design = scores(p).unwrap();
    let bench = bench(&design, p);
    let mut rng = Rng::with_seed(seed(1));
    let jobs: Vec<Job> = (0..commands).map(|_| good_job(&bench.unit, &mut rng, tokens, true)).collect();
    bench.run(&mut jit::simulator(&design), &jobs, &[Stalls::Never; 6], 1).unwrap()
}

#[test]
fn the_bus_is_busy_in_nearly_every_cycle() {
    // CQ-4 and CQ-2 with 64 numbers a key
    for (p, tokens) in [(params(256, 2, 32, 1, 1, false), 1024), (params(256, 4, 16, 1, 1, false), 1024)] {
        let times = timed(p, tokens, 2);
        let cycles = times.commands[1] - times.commands[0];
        let words = times.words.len() as u64 / 2;
        println!("{p:?}: {words} words in {cycles} cycles");
        assert_eq!(cycles, words + u64::from(p.table.positions) + u64::from(overhead(p)));
        assert!(words as f64 / cycles as f64 > 0.97, "{words} words in {cycles} cycles");
    }
}

#[test]
fn a_score_comes_so_long_behind_its_row() {
    for p in [params(8, 4, 8, 1, 1, true), params(8, 2, 24, 1, 1, false)] {
        let times = timed(p, 9, 1);
        let rows = &times.words[times.words.len() - 9 * p.table.beats() as usize..];
        for (row, score) in rows.chunks(p.table.beats() as usize).zip(&times.scores) {
            assert_eq!(score - row[row.len() - 1], u64::from(latency(p)), "{p:?}");
        }
        assert_eq!(span(rows), rows.len() as u64, "{p:?}: no pause");
    }
}

#[test]
fn illegal_parameters_are_refused() {
    for (p, text) in [(params(16, 1, 16, 1, 1, false), "vector = 1"), (params(9, 2, 16, 1, 1, false), "entries = 9")] {
        let message = scores(p).unwrap_err().to_string();
        assert!(message.contains(text), "{message}");
    }
}

#[test]
fn keys_of_a_real_model() {
    for (algorithm, vector, positions) in [(Algorithm::Cq4, 2, 32), (Algorithm::Cq2, 4, 16)] {
        let file = real_head(algorithm, 512);
        let p = params(256, vector, positions, 1, 1, false);
        let design = scores(p).unwrap();
        let bench = bench(&design, p);
        let mut rng = Rng::with_seed(seed(3));
        let query: Vec<u16> = (0..64).map(|_| half::f16::from_f32((rng.f32() - 0.5) / 8.0).to_bits()).collect();
        let head = Head { scheme: &file.scheme, tensor: &file.tensors[0], number: 0 };
        let (mut words, rows) = head_words(&file, 0, 0);
        words.extend(rows);
        let job = Job { command: TableCommand { first: 0, tokens: 512, query: query.clone(), words }, scales: vec![] };
        // the model of the unit, which the hardware is compared with, gives what that of the file gives
        let found: Vec<u16> = bench.unit.scores(&job.command, None).0.iter().map(|score| score.scores[0]).collect();
        assert_eq!(found, head.scores(&query, Way::Table), "{algorithm}");
        bench.run(&mut jit::simulator(&design), &[job], &[Stalls::Percent(10); 5], 1).unwrap();
        let exact = head.scores64(&query.iter().map(|x| half::f16::from_bits(*x).to_f64()).collect::<Vec<_>>());
        let noise = decibels(&exact, &found);
        println!("{algorithm}: {noise:.1} dB");
        assert!(noise > 62.0, "{algorithm}: {noise:.1} dB");
    }
}
