use super::*;
use ::sim::golden::vq::tables::{TableCommand, TableUnit};
use ::sim::vq_benches::table::{ProductsBench, good_job, random_job};
use fastrand::Rng;
use hdl::bus::{Stalls, StreamPorts, run_seed, seed, span};
use hdl::engine::Signals;

fn params(entries: u32, vector: u32, positions: u32, residuals: u32, queries: u32) -> TableParams {
    TableParams { entries, vector, positions, residuals, queries }
}

fn bench(design: &Design<ProductsPorts>, p: TableParams) -> ProductsBench {
    let io = &design.ports;
    let sources =
        [StreamPorts::of(design, &io.command), StreamPorts::of(design, &io.query), StreamPorts::of(design, &io.words)];
    let write = io.write.signals().into_iter().map(|port| design.port_index(port).expect("a port")).collect();
    ProductsBench { unit: p.unit(), sources, done: StreamPorts::of(design, &io.done), write }
}

impl TableParams {
    fn unit(self) -> TableUnit {
        let [entries, vector, positions, residuals, queries] =
            [self.entries, self.vector, self.positions, self.residuals, self.queries].map(|n| n as usize);
        TableUnit { entries, vector, positions, residuals, queries, max_tokens: MAX_TOKENS as usize }
    }
}

#[test]
fn random_books_and_queries() {
    let shapes =
        [(16, 2, 16, 1, 1), (8, 4, 8, 1, 2), (16, 1, 32, 2, 1), (8, 8, 8, 4, 3), (8, 16, 8, 1, 1), (32, 4, 24, 1, 4)];
    for (number, (entries, vector, positions, residuals, queries)) in shapes.into_iter().enumerate() {
        let p = params(entries, vector, positions, residuals, queries);
        let design = products(p, false).unwrap_or_else(|e| panic!("{e}"));
        let mut sim = jit::simulator(&design);
        let bench = bench(&design, p);
        for round in 0..3 {
            let seed = run_seed(10 * number as u64 + round);
            let stalls = match round {
                0 => [Stalls::Never; 4],
                1 => [70, 40, 30, 50].map(Stalls::Percent),
                _ => [9, 20, 7, 11].map(Stalls::Runs),
            };
            let mut rng = Rng::with_seed(seed);
            let commands: Vec<TableCommand> =
                (0..30).map(|_| random_job(&bench.unit, &mut rng, false).command).collect();
            bench.run(&mut sim, &commands, stalls, seed).unwrap_or_else(|e| panic!("{p:?}, seed {seed}: {e}"));
        }
    }
}

#[test]
fn a_word_in_every_cycle_but_one_a_book() {
    for (entries, vector) in [(64, 2), (32, 4), (16, 8)] {
        let p = params(entries, vector, 16, 1, 1);
        let design = products(p, false).unwrap();
        let bench = bench(&design, p);
        let mut rng = Rng::with_seed(seed(1));
        let commands = [(); 3].map(|()| good_job(&bench.unit, &mut rng, 0, true).command);
        let times = bench.run(&mut jit::simulator(&design), &commands, [Stalls::Never; 4], 1).unwrap();
        let book = u64::from(1 + entries * vector / 4);
        for (words, report) in times.words.chunks(16 * book as usize).zip(&times.reports) {
            assert_eq!(span(words), 16 * (book + 1) - 1, "{p:?}");
            assert_eq!(report - words[words.len() - 1], u64::from(latency(p)) + 3, "{p:?}");
        }
    }
}

#[test]
fn illegal_parameters_are_refused() {
    for (p, text) in [
        (params(12, 2, 8, 1, 1), "entries = 12"),
        (params(512, 2, 8, 1, 1), "entries = 512"),
        (params(16, 3, 8, 1, 1), "vector = 3"),
        (params(16, 2, 12, 1, 1), "positions = 12"),
        (params(16, 2, 136, 1, 1), "positions = 136"),
        (params(16, 2, 8, 3, 1), "residuals = 3"),
        (params(16, 1, 8, 4, 1), "a query of 2 numbers"),
        (params(16, 2, 8, 1, 5), "queries = 5 is out of range"),
    ] {
        let message = products(p, false).unwrap_err().to_string();
        assert!(message.contains(text), "{message}");
    }
}
