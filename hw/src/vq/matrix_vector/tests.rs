use super::*;
use ::sim::golden::reference::decibels;
use ::sim::golden::vq::attention::Head;
use ::sim::golden::vq::cache::book_words;
use ::sim::golden::vq::matrix::{self, MatrixUnit};
use ::sim::golden::vq::product::{self, Way, matrix_vector64};
use ::sim::golden::vq::{Algorithm, Scales};
use ::sim::vq_benches::matrix::{
    MatrixBench, MatrixTimes, good_matrix, keys_of, matrix_of, random_matrix, real_matrix,
};
use ::sim::vq_benches::table::real_head;
use fastrand::Rng;
use hdl::bus::{Stalls, StreamPorts, run_seed, seed, span};

const BOOKS: MatrixParams = MatrixParams {
    source: MatrixSource::Books { entries: 256, vector: 4 },
    lanes: 8,
    vectors: 1,
    tile_rows: 256,
    tile_columns: 256,
    max_columns: 1024,
    scales: MatrixScales::None,
};

const LATTICE: MatrixParams = MatrixParams {
    source: MatrixSource::Lattice,
    lanes: 4,
    vectors: 1,
    tile_rows: 65536,
    tile_columns: 4096,
    max_columns: 4096,
    scales: MatrixScales::Tensor,
};

/// CQ-4, keys of 64 numbers.
const GROUPS: MatrixParams = MatrixParams {
    source: MatrixSource::Groups { entries: 256, vector: 2 },
    tile_rows: 65536,
    tile_columns: 64,
    max_columns: 64,
    ..BOOKS
};

/// AQLM-3.
const RESIDUAL: MatrixParams = MatrixParams {
    source: MatrixSource::Residual { entries: 4096, vector: 8 },
    lanes: 4,
    vectors: 1,
    tile_rows: 65536,
    tile_columns: 1024,
    max_columns: 1024,
    scales: MatrixScales::Row,
};

fn of_books(entries: u32, vector: u32) -> MatrixSource {
    MatrixSource::Books { entries, vector }
}

fn bench(design: &Design<MatrixVectorPorts>, p: MatrixParams) -> MatrixBench {
    let io = &design.ports;
    let source = match p.source {
        MatrixSource::Books { entries, vector } => {
            matrix::MatrixSource::Books { entries: entries as usize, vector: vector as usize }
        }
        MatrixSource::Groups { entries, vector } => {
            matrix::MatrixSource::Groups { entries: entries as usize, vector: vector as usize }
        }
        MatrixSource::Residual { entries, vector } => {
            matrix::MatrixSource::Residual { entries: entries as usize, vector: vector as usize }
        }
        MatrixSource::Lattice => matrix::MatrixSource::Lattice,
    };
    let scales = match p.scales {
        MatrixScales::None => Scales::None,
        MatrixScales::Tensor => Scales::Tensor,
        MatrixScales::Row => Scales::Row,
    };
    let [vectors, tile_rows, tile_columns, max_columns] =
        [p.vectors, p.tile_rows, p.tile_columns, p.max_columns].map(|n| n as usize);
    MatrixBench {
        unit: MatrixUnit { source, vectors, tile_rows, tile_columns, max_columns, scales },
        sources: [
            StreamPorts::of(design, &io.command),
            StreamPorts::of(design, &io.vector),
            StreamPorts::of(design, &io.words),
        ],
        books: io.books.map(|books| StreamPorts::of(design, &books)),
        scale: io.scale.map(|scale| StreamPorts::of(design, &scale)),
        sinks: [StreamPorts::of(design, &io.m), StreamPorts::of(design, &io.report)],
    }
}

fn random_runs(shapes: &[MatrixParams]) {
    for (number, p) in shapes.iter().enumerate() {
        let design = matrix_vector(*p).unwrap_or_else(|e| panic!("{e}"));
        let mut sim = jit::simulator(&design);
        let bench = bench(&design, *p);
        for round in 0..3 {
            let seed = run_seed(10 * number as u64 + round);
            let stalls = match round {
                0 => [Stalls::Never; 7],
                1 => [70, 40, 30, 30, 50, 60, 30].map(Stalls::Percent),
                _ => [9, 20, 7, 7, 11, 15, 9].map(Stalls::Runs),
            };
            let mut rng = Rng::with_seed(seed);
            let commands: Vec<_> = (0..40).map(|_| random_matrix(&bench.unit, &mut rng)).collect();
            bench.run(&mut sim, &commands, stalls, seed).unwrap_or_else(|e| panic!("{p:?}, seed {seed}: {e}"));
        }
    }
}

#[test]
fn random_matrices_with_books() {
    let small = MatrixParams { tile_rows: 5, tile_columns: 64, max_columns: 256, ..BOOKS };
    random_runs(&[
        MatrixParams { source: of_books(16, 4), ..small },
        MatrixParams { source: of_books(9, 2), lanes: 4, vectors: 2, tile_rows: 1, scales: MatrixScales::Row, ..small },
        MatrixParams { source: of_books(16, 8), lanes: 1, tile_rows: 30, scales: MatrixScales::Tensor, ..small },
        MatrixParams { source: of_books(16, 4), vectors: 4, tile_rows: 2, tile_columns: 32, ..small },
        MatrixParams { source: of_books(256, 4), lanes: 2, tile_rows: 7, tile_columns: 256, ..small },
    ]);
}

/// A good book too many may be there when the last row of a command is on its way to its own.
#[test]
fn a_book_too_many_is_not_that_of_the_last_row() {
    let tiles = MatrixParams { source: of_books(16, 4), tile_rows: 5, tile_columns: 64, max_columns: 256, ..BOOKS };
    let groups = MatrixParams { source: MatrixSource::Groups { entries: 16, vector: 4 }, ..GROUPS };
    for p in [tiles, groups] {
        let design = matrix_vector(p).unwrap();
        let bench = bench(&design, p);
        let mut rng = Rng::with_seed(run_seed(1));
        let commands: Vec<_> = (0..40)
            .map(|i| {
                let columns = 32 * (1 + i % (p.max_columns as usize / 32));
                let mut command = good_matrix(&bench.unit, &mut rng, 1 + i % 12, columns, false);
                let values: Vec<u16> = (0..64).map(|_| rng.u16(0x3000..0x4000)).collect();
                let number = (command.first + command.books.len() as u32) & 0xf_ffff;
                command.books.push(book_words(number, &values, 4));
                if i % 4 == 3 && command.words.len() > 1 {
                    command.words.pop();
                }
                command
            })
            .collect();
        for slow in [30, 60, 90] {
            let stalls = [0, 0, slow, 0, 0, 0, 0].map(Stalls::Percent);
            let run = bench.run(&mut jit::simulator(&design), &commands, stalls, 1);
            run.unwrap_or_else(|e| panic!("{p:?}, words stall {slow} %: {e}"));
        }
    }
}

#[test]
fn random_matrices_with_books_of_groups() {
    let of_groups = |entries, vector| MatrixSource::Groups { entries, vector };
    random_runs(&[
        MatrixParams { source: of_groups(16, 2), ..GROUPS },
        MatrixParams { source: of_groups(7, 4), lanes: 2, vectors: 2, scales: MatrixScales::Row, ..GROUPS },
        MatrixParams { source: of_groups(16, 8), lanes: 1, ..GROUPS },
    ]);
}

#[test]
fn random_matrices_of_the_lattice() {
    let small = MatrixParams { max_columns: 128, tile_columns: 128, ..LATTICE };
    random_runs(&[
        small,
        MatrixParams { lanes: 2, vectors: 2, tile_rows: 4, tile_columns: 32, ..small },
        MatrixParams { vectors: 3, scales: MatrixScales::Row, ..small },
    ]);
}

#[test]
fn random_matrices_with_books_of_residuals() {
    let of = |entries, vector| MatrixSource::Residual { entries, vector };
    let small = MatrixParams { max_columns: 256, tile_columns: 256, ..RESIDUAL };
    random_runs(&[
        // indices of 8, 9, 10, 11 and 12 bits; beats of 16 to 64 bits
        MatrixParams { source: of(16, 8), lanes: 8, ..small },
        MatrixParams { source: of(257, 4), scales: MatrixScales::None, ..small },
        MatrixParams { source: of(600, 2), vectors: 2, ..small },
        MatrixParams { source: of(1025, 4), scales: MatrixScales::Tensor, ..small },
        MatrixParams { source: of(2049, 8), lanes: 2, ..small },
        MatrixParams { source: of(200, 8), lanes: 2, vectors: 3, ..small },
    ]);
}

/// Each place of a book, of either residual, and each word of a row.
#[test]
fn damage_of_residuals() {
    let p = MatrixParams {
        source: MatrixSource::Residual { entries: 300, vector: 4 },
        max_columns: 256,
        tile_columns: 256,
        ..RESIDUAL
    };
    let design = matrix_vector(p).unwrap();
    let bench = bench(&design, p);
    let mut rng = Rng::with_seed(seed(5));
    let good = good_matrix(&bench.unit, &mut rng, 6, 128, true);
    let mut commands = vec![];
    for book in 0..2 {
        for at in [0, 1, 150, 300] {
            let mut damaged = good.clone();
            damaged.books[book][at].data ^= 1 << rng.u32(32..64);
            commands.push(damaged);
            let mut failed = good.clone();
            failed.books[book][at].failed = true;
            commands.push(failed);
        }
    }
    for at in 0..good.words.len() {
        let mut failed = good.clone();
        failed.words[at].failed = true;
        commands.push(failed);
        let mut short = good.clone();
        short.words.truncate(at.max(1));
        commands.push(short);
        let mut beyond = good.clone();
        beyond.words[at].data = u64::MAX; // indices without an entry
        commands.push(beyond);
    }
    commands.push(good);
    bench.run(&mut jit::simulator(&design), &commands, [Stalls::Percent(10); 7], 1).unwrap();
}

fn timed(p: MatrixParams, rows: usize, columns: usize, commands: usize) -> MatrixTimes {
    let design = matrix_vector(p).unwrap();
    let bench = bench(&design, p);
    let mut rng = Rng::with_seed(seed(1));
    let commands: Vec<_> = (0..commands).map(|_| good_matrix(&bench.unit, &mut rng, rows, columns, true)).collect();
    bench.run(&mut jit::simulator(&design), &commands, [Stalls::Never; 7], 1).unwrap()
}

#[test]
fn a_word_in_every_cycle_from_tile_to_tile() {
    for (p, rows, columns) in [
        (BOOKS, 512, 576),
        (BOOKS, 300, 1024),
        (BOOKS, 257, 256),
        (LATTICE, 200, 576),
        (GROUPS, 512, 64),
        (RESIDUAL, 200, 576),
    ] {
        let times = timed(p, rows, columns, 2);
        let words = times.words.len() / 2;
        let beats = (rows * columns) as u64 / u64::from(p.beat_columns());
        for words in times.words.chunks(words) {
            // the last beats of a command take no word
            assert_eq!(span(words), beats - u64::from(p.beats_behind()), "{p:?}: no pause");
        }
        for (row, products) in times.words.chunks(p.row_words(columns as u32) as usize).zip(&times.products) {
            if p.tile_columns as usize >= columns {
                assert_eq!(products - row[row.len() - 1], u64::from(latency(p)), "{p:?}");
            }
        }
        let cycles = times.commands[1] - times.commands[0];
        println!("{p:?}: {words} words in {cycles} cycles");
        let (books, words_of_book) = match p.source {
            MatrixSource::Books { entries, vector } => (1, 1 + entries * vector / 4),
            MatrixSource::Groups { entries, vector } => (columns as u32 / vector, 1 + entries * vector / 4),
            MatrixSource::Residual { entries, vector } => (2, 1 + entries * vector / 4),
            MatrixSource::Lattice => (0, 0),
        };
        let cycles_of_word = p.cache().map_or(0, |cache| 4 / cache.piece_numbers());
        let loads = books * (words_of_book * cycles_of_word + LOAD);
        assert_eq!(cycles, beats + u64::from(overhead(p) + loads), "{p:?}");
    }
}

/// One command of each algorithm; with `KVFORGE_LONG=1` as many as make ten million lookups.
#[test]
fn a_matrix_of_a_real_model() {
    for (algorithm, p) in [(Algorithm::Gptvq2, BOOKS), (Algorithm::QuipSharp4, LATTICE), (Algorithm::Aqlm3, RESIDUAL)] {
        let file = real_matrix(algorithm, 576);
        let tensor = &file.tensors[0];
        let design = matrix_vector(p).unwrap();
        let bench = bench(&design, p);
        let mut rng = Rng::with_seed(seed(3));
        let vector: Vec<u16> = (0..tensor.cols).map(|_| half::f16::from_f32(rng.f32() - 0.5).to_bits()).collect();
        let command = matrix_of(&file, tensor, vec![vector.clone()]);
        let lookups = tensor.rows * tensor.cols / file.scheme.vector * file.scheme.residuals;
        let count = if ::sim::bus::long() { 10_000_000_usize.div_ceil(lookups) } else { 1 };
        println!("{algorithm}: {} lookups", count * lookups);
        // the model of the unit, which the hardware is compared with, gives what that of the file gives
        let found: Vec<u16> = bench.unit.run(&command).0.iter().map(|row| row.sums[0]).collect();
        assert_eq!(found, product::matrix_vector(&file.scheme, tensor, &vector, Way::Multiply), "{algorithm}");
        bench.run(&mut jit::simulator(&design), &vec![command; count], [Stalls::Percent(10); 7], 1).unwrap();
        let exact: Vec<f64> = vector.iter().map(|x| half::f16::from_bits(*x).to_f64()).collect();
        let noise = decibels(&matrix_vector64(&file.scheme, tensor, &exact), &found);
        println!("{algorithm}: {noise:.1} dB beside float64");
        assert!(noise > 55.0, "{algorithm}: {noise:.1} dB");
    }
}

#[test]
fn illegal_parameters_are_refused() {
    let cases = [
        (MatrixParams { source: of_books(257, 4), ..BOOKS }, "entries = 257"),
        (MatrixParams { source: of_books(256, 3), ..BOOKS }, "vector = 3"),
        (MatrixParams { lanes: 3, ..BOOKS }, "lanes = 3"),
        (MatrixParams { lanes: 1, ..LATTICE }, "lanes = 1"),
        (MatrixParams { source: of_books(256, 2), lanes: 1, ..BOOKS }, "lanes = 1 with 2 columns a beat"),
        (MatrixParams { vectors: 5, ..BOOKS }, "vectors = 5"),
        (MatrixParams { tile_rows: 0, ..BOOKS }, "tile_rows = 0"),
        (MatrixParams { tile_columns: 48, ..BOOKS }, "tile_columns = 48"),
        (MatrixParams { lanes: 8, ..RESIDUAL }, "lanes = 8"),
        (MatrixParams { lanes: 1, ..RESIDUAL }, "lanes = 1"),
        (MatrixParams { source: MatrixSource::Residual { entries: 4097, vector: 8 }, ..RESIDUAL }, "entries = 4097"),
        (MatrixParams { max_columns: 1056, tile_columns: 1056, ..RESIDUAL }, "tile_columns = 1056"),
        (MatrixParams { tile_columns: 512, ..RESIDUAL }, "tiles of 65536 x 512 with books of groups or residuals"),
        (MatrixParams { tile_columns: 2048, ..BOOKS }, "tile_columns = 2048 with max_columns = 1024"),
    ];
    for (p, text) in cases {
        let message = matrix_vector(p).unwrap_err().to_string();
        assert!(message.contains(text), "{message}");
    }
}

#[test]
fn keys_of_a_real_model() {
    for (algorithm, vector) in [(Algorithm::Cq4, 2), (Algorithm::Cq2, 4)] {
        let file = real_head(algorithm, 512);
        let p = MatrixParams { source: MatrixSource::Groups { entries: 256, vector }, ..GROUPS };
        let design = matrix_vector(p).unwrap();
        let bench = bench(&design, p);
        let mut rng = Rng::with_seed(seed(3));
        let query: Vec<u16> = (0..64).map(|_| half::f16::from_f32((rng.f32() - 0.5) / 8.0).to_bits()).collect();
        let command = keys_of(&file, 0, 0, query.clone());
        let found: Vec<u16> = bench.unit.run(&command).0.iter().map(|row| row.sums[0]).collect();
        let head = Head { scheme: &file.scheme, tensor: &file.tensors[0], number: 0 };
        assert_eq!(found, head.scores(&query, Way::Multiply), "{algorithm}");
        bench.run(&mut jit::simulator(&design), &[command], [Stalls::Percent(10); 7], 1).unwrap();
        let exact = head.scores64(&query.iter().map(|x| half::f16::from_bits(*x).to_f64()).collect::<Vec<_>>());
        let noise = decibels(&exact, &found);
        println!("{algorithm}: {noise:.1} dB beside float64");
        assert!(noise > 55.0, "{algorithm}: {noise:.1} dB");
    }
}
