use super::*;
use ::sim::golden::reference::decibels;
use ::sim::golden::vq::Algorithm;
use ::sim::golden::vq::attention::Head;
use ::sim::golden::vq::tables::{TableCommand, TableUnit};
use ::sim::vq_benches::table::{
    Job, TableTimes, ValuesBench, good_values_job, head_words, random_values_job, real_head,
};
use fastrand::Rng;
use hdl::bus::{Stalls, StreamPorts, run_seed, seed};

fn params(entries: u32, vector: u32, positions: u32, scaled: bool) -> ValuesParams {
    ValuesParams { table: TableParams { entries, vector, positions, residuals: 1, queries: 1 }, scaled }
}

fn bench(design: &Design<ValuesPorts>, p: ValuesParams) -> ValuesBench {
    let io = &design.ports;
    let sources =
        [StreamPorts::of(design, &io.command), StreamPorts::of(design, &io.weight), StreamPorts::of(design, &io.words)];
    let sinks = [StreamPorts::of(design, &io.m), StreamPorts::of(design, &io.report)];
    let [entries, vector, positions] = [p.table.entries, p.table.vector, p.table.positions].map(|n| n as usize);
    let max_tokens = MAX_TOKENS as usize;
    let unit = TableUnit { entries, vector, positions, residuals: 1, queries: 1, max_tokens };
    ValuesBench { unit, copies: p.copies() as usize, scaled: p.scaled, sources, sinks }
}

/// The bits of a result depend on how many copies of the sums there are, so the format's page says it.
#[test]
fn copies_are_those_of_the_page() {
    for positions in (8..=128).step_by(8) {
        let copies = match positions {
            8 | 24 => 4,
            16 | 40 | 48 => 2,
            _ => 1,
        };
        assert_eq!(params(256, 2, positions, false).copies(), copies, "{positions} positions");
    }
}

#[test]
fn random_rows_books_and_weights() {
    let shapes = [
        (16, 2, 32, false),
        (16, 4, 16, false),
        (8, 4, 8, true),
        (8, 1, 24, false),
        (8, 2, 56, true),
        (256, 4, 40, false),
    ];
    for (number, (entries, vector, positions, scaled)) in shapes.into_iter().enumerate() {
        let p = params(entries, vector, positions, scaled);
        let design = values(p).unwrap_or_else(|e| panic!("{e}"));
        let mut sim = jit::simulator(&design);
        let bench = bench(&design, p);
        for round in 0..4 {
            let seed = run_seed(10 * number as u64 + round);
            let stalls = match round {
                0 => [Stalls::Never; 5],
                1 => [70, 40, 30, 50, 60].map(Stalls::Percent),
                2 => [10, 5, 5, 10, 10].map(Stalls::Percent),
                _ => [9, 20, 7, 11, 15].map(Stalls::Runs),
            };
            let mut rng = Rng::with_seed(seed);
            let jobs: Vec<Job> = (0..30).map(|_| random_values_job(&bench.unit, &mut rng)).collect();
            bench.run(&mut sim, &jobs, stalls, seed).unwrap_or_else(|e| panic!("{p:?}, seed {seed}: {e}"));
        }
    }
}

fn timed(p: ValuesParams, tokens: usize, commands: usize) -> TableTimes {
    let design = values(p).unwrap();
    let bench = bench(&design, p);
    let mut rng = Rng::with_seed(seed(1));
    let jobs: Vec<Job> = (0..commands).map(|_| good_values_job(&bench.unit, &mut rng, tokens, true)).collect();
    bench.run(&mut jit::simulator(&design), &jobs, [Stalls::Never; 5], 1).unwrap()
}

#[test]
fn the_bus_is_busy_in_nearly_every_cycle() {
    // CQ-4 and CQ-2 with 64 numbers a value
    for (p, tokens) in [(params(256, 2, 32, false), 1024), (params(256, 4, 16, false), 1024)] {
        let times = timed(p, tokens, 2);
        let cycles = times.commands[1] - times.commands[0];
        let words = times.words.len() as u64 / 2;
        println!("{p:?}: {words} words in {cycles} cycles");
        assert!(cycles <= words + u64::from(p.table.positions) + u64::from(overhead(p)), "{cycles}");
        assert!(words as f64 / cycles as f64 > 0.97, "{words} words in {cycles} cycles");
    }
}

#[test]
fn rows_pass_without_a_pause() {
    for p in [params(8, 2, 32, false), params(8, 4, 8, true), params(8, 2, 56, false)] {
        let (tokens, beats) = (40, p.table.beats() as usize);
        let times = timed(p, tokens, 1);
        assert_eq!(times.words[tokens * beats - 1] - times.words[0] + 1, (tokens * beats) as u64, "{p:?}");
    }
}

#[test]
fn values_of_a_real_model() {
    for (algorithm, vector, positions) in [(Algorithm::Cq4, 2, 32), (Algorithm::Cq2, 4, 16)] {
        let file = real_head(algorithm, 512);
        let p = params(256, vector, positions, false);
        let design = values(p).unwrap();
        let bench = bench(&design, p);
        let mut rng = Rng::with_seed(seed(3));
        // weights as a softmax gives them
        let scores: Vec<f64> = (0..512).map(|_| (4.0 * (rng.f64() - 0.5)).exp()).collect();
        let sum: f64 = scores.iter().sum();
        let weights: Vec<u16> = scores.iter().map(|x| half::f16::from_f64(x / sum).to_bits()).collect();
        let head = Head { scheme: &file.scheme, tensor: &file.tensors[1], number: 0 };
        let (books, mut words) = head_words(&file, 1, 0);
        words.extend(&books);
        let first = books[0].data as u32 >> 12;
        let job = Job { command: TableCommand { first, tokens: 512, query: weights.clone(), words }, scales: vec![] };
        // the model of the unit, which the hardware is compared with, gives what that of the file gives
        let found = bench.unit.values(&job.command, None, bench.copies).expect("all is well").concat();
        assert_eq!(found, head.values_by_table(&weights, bench.copies), "{algorithm}");
        bench.run(&mut jit::simulator(&design), &[job], [Stalls::Percent(10); 5], 1).unwrap();
        let exact = head.values64(&weights.iter().map(|x| half::f16::from_bits(*x).to_f64()).collect::<Vec<_>>());
        let noise = decibels(&exact, &found);
        println!("{algorithm}: {noise:.1} dB");
        assert!(noise > 60.0, "{algorithm}: {noise:.1} dB");
    }
}

#[test]
fn illegal_parameters_are_refused() {
    let with = |vector, residuals, queries| ValuesParams {
        table: TableParams { entries: 16, vector, positions: 16, residuals, queries },
        scaled: false,
    };
    for (p, text) in [
        (with(8, 1, 1), "vector = 8"),
        (with(2, 2, 1), "residuals = 2"),
        (with(2, 1, 2), "queries = 2"),
        (params(9, 2, 16, false), "entries = 9"),
    ] {
        let message = values(p).unwrap_err().to_string();
        assert!(message.contains(text), "{message}");
    }
}
