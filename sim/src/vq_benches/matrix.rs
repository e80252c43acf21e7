//! A matrix-vector unit with everything around it: matrices, good ones and damaged ones, and a check of all that comes out.

mod of_hardware;

use crate::bus::{Beat, Bench, Stalls, StreamPorts};
use crate::data::Recording;
use crate::golden::vq::cache::{LoadWord, book_words};
use crate::golden::vq::matrix::{MatrixCommand, MatrixFault, MatrixSource, MatrixUnit, RowProducts};
use crate::golden::vq::{Algorithm, Books, Scales, Tensor, TensorKind, VqFile, pack_row};
use crate::vq::{Source, TrainOptions, kv_sources, pack, train};
use crate::vq_benches::command_feed::{self, Until};
use fastrand::Rng;
use hdl::BigUint;
use hdl::engine::Engine;
use std::borrow::Borrow;

/// The unit and its streams.
#[derive(Clone, Debug)]
pub struct MatrixBench {
    /// Its parameters.
    pub unit: MatrixUnit,
    /// `command`, `vector`, `words`.
    pub sources: [StreamPorts; 3],
    /// `books`, where there are some.
    pub books: Option<StreamPorts>,
    /// `scale`, where rows have some.
    pub scale: Option<StreamPorts>,
    /// `m` and `report`.
    pub sinks: [StreamPorts; 2],
}

/// When things happened.
#[derive(Clone, Debug)]
pub struct MatrixTimes {
    /// The cycle in which each command was taken.
    pub commands: Vec<u64>,
    /// The cycle in which each word of indices was taken.
    pub words: Vec<u64>,
    /// The cycle in which each word of a book was taken.
    pub books: Vec<u64>,
    /// The cycle in which the products of each row were there.
    pub products: Vec<u64>,
    /// The cycle in which each report was there.
    pub reports: Vec<u64>,
}

/// What came out of the unit, and when.
#[derive(Clone, Debug)]
pub struct MatrixPlayed {
    /// When.
    pub times: MatrixTimes,
    /// The products of the rows.
    pub products: Vec<Beat>,
    /// How each command ended: outcome, in book, tile, position.
    pub reports: Vec<Beat>,
}

impl MatrixTimes {
    /// The cycle of the last report.
    pub fn end(&self) -> u64 {
        self.reports.last().copied().unwrap_or(0)
    }
}

impl MatrixBench {
    /// Runs commands one after the other. All streams stall: `command`, `vector`, `words`, `books`, `scale`, `m`, `report`.
    ///
    /// # Errors
    /// What came out wrong, or did not come.
    pub fn run(
        &self,
        engine: &mut dyn Engine,
        commands: &[MatrixCommand],
        stalls: [Stalls; 7],
        seed: u64,
    ) -> Result<MatrixTimes, String> {
        let played = self.play(engine, commands, stalls, seed, Until::Reports(&mut || ()))?;
        self.check(commands, &played)?;
        Ok(played.times)
    }

    /// The same without a check.
    ///
    /// # Errors
    /// What did not come.
    pub fn play<C: Borrow<MatrixCommand>>(
        &self,
        engine: &mut dyn Engine,
        commands: impl IntoIterator<Item = C>,
        stalls: [Stalls; 7],
        seed: u64,
        until: Until,
    ) -> Result<MatrixPlayed, String> {
        let mut bench = Bench::new(engine, seed);
        let [command, vector, words] = [0, 1, 2].map(|i| bench.source_at(self.sources[i].clone(), stalls[i]));
        let books = self.books.clone().map(|books| bench.source_at(books, stalls[3]));
        let scale = self.scale.clone().map(|scale| bench.source_at(scale, stalls[4]));
        let [m, report] = [0, 1].map(|i| bench.sink_at(self.sinks[i].clone(), stalls[5 + i]));
        let sources = self.sources.iter().chain(&self.books).chain(&self.scale);
        command_feed::reset(&mut bench, sources, &self.sinks, seed)?;
        let send = |bench: &mut Bench, c: C| {
            let c: &MatrixCommand = c.borrow();
            bench.send(command, [self.command_beat(c)]);
            c.vectors.iter().for_each(|numbers| bench.send(vector, vector_beats(numbers)));
            bench.send(words, word_beats(&c.words));
            if let Some(books) = books {
                bench.send(books, book_beats(&c.books));
            }
            if let Some(scale) = scale {
                let last = |i: usize| u64::from(i + 1 == c.scales.len());
                bench.send(scale, c.scales.iter().enumerate().map(|(i, scale)| [u64::from(*scale), last(i)]));
            }
            let loads: usize = c.books.iter().map(Vec::len).sum();
            2 * c.words.len() + 2 * c.rows + 2 * loads + c.scales.len() + 500
        };
        command_feed::play(&mut bench, report, commands, send, until)?;
        let [products, reports] = [m, report].map(|sink| bench.received_at(sink).to_vec());
        let [commands, words] = [command, words].map(|source| bench.sent_at(source).to_vec());
        let books = books.map_or(vec![], |books| bench.sent_at(books).to_vec());
        let times = MatrixTimes { commands, words, books, products, reports };
        Ok(MatrixPlayed { times, products: bench.beats(m).to_vec(), reports: bench.beats(report).to_vec() })
    }

    fn check(&self, commands: &[MatrixCommand], played: &MatrixPlayed) -> Result<(), String> {
        let (mut expected, mut ends) = (vec![], vec![]);
        for c in commands {
            let (products, end) = self.unit.run(c);
            expected.extend(products.iter().map(|row| self.row_beat(row)));
            ends.push((expected.len(), report_of(end)));
        }
        self.compare_products(&played.products, &expected)?;
        let fields = "outcome, in book, tile, position";
        command_feed::compare_reports(&played.reports, ends.iter().map(|(_, end)| *end), fields)?;
        let MatrixTimes { products, reports, .. } = &played.times;
        for (i, ((end, _), at)) in ends.iter().zip(reports).enumerate() {
            let (before, behind) = (products[..*end].last(), products.get(*end));
            if before.is_some_and(|last| last >= at) || behind.is_some_and(|next| next <= at) {
                return Err(format!("report {i} does not stand between its products and the next ones"));
            }
        }
        Ok(())
    }

    fn command_beat(&self, c: &MatrixCommand) -> Beat {
        let mut fields = vec![c.rows as u64, c.columns as u64];
        match self.unit.source {
            MatrixSource::Lattice => fields.push(u64::from(c.ratio)),
            _ => fields.insert(0, u64::from(c.first)),
        }
        if self.unit.scales == Scales::Tensor {
            fields.push(u64::from(c.scale));
        }
        Beat(fields.into_iter().map(BigUint::from).collect())
    }

    fn row_beat(&self, row: &RowProducts) -> Beat {
        let mut fields: Vec<u32> = row.sums.iter().map(|x| u32::from(*x)).collect();
        if self.unit.source != MatrixSource::Lattice {
            fields.push(u32::from(row.wrong));
        }
        fields.push(u32::from(row.last));
        Beat(fields.into_iter().map(BigUint::from).collect())
    }

    fn compare_products(&self, got: &[Beat], expected: &[Beat]) -> Result<(), String> {
        let vectors = self.unit.vectors;
        for (i, (got, expected)) in got.iter().zip(expected).enumerate() {
            // of a row with a wrong index the products mean nothing
            let wrong = expected.0.len() > vectors + 1 && expected.field(vectors) == 1;
            let from = if wrong { vectors } else { 0 };
            if got.0[from..] != expected.0[from..] {
                return Err(format!("products {i}: {got:x?}, not {expected:x?}"));
            }
        }
        match got.len() == expected.len() {
            true => Ok(()),
            false => Err(format!("products of {} rows, not {}", got.len(), expected.len())),
        }
    }
}

fn vector_beats(numbers: &[u16]) -> Vec<Beat> {
    let words = numbers.len() / 4;
    let word = |(i, numbers): (usize, &[u16])| {
        let data = numbers.iter().rev().fold(0, |word, x| word << 16 | u64::from(*x));
        Beat::from([data, u64::from(i + 1 == words)])
    };
    numbers.chunks(4).enumerate().map(word).collect()
}

fn word_beats(words: &[LoadWord]) -> Vec<Beat> {
    let last = |i: usize| u64::from(i + 1 == words.len());
    words.iter().enumerate().map(|(i, word)| Beat::from([word.data, last(i), u64::from(word.failed)])).collect()
}

fn book_beats(books: &[Vec<LoadWord>]) -> Vec<Beat> {
    let book = |(number, words): (usize, &Vec<LoadWord>)| {
        let last = |i: usize| u64::from(i + 1 == words.len());
        let end = |i: usize| last(i) & u64::from(number + 1 == books.len());
        let word = |(i, word): (usize, &LoadWord)| Beat::from([word.data, last(i), u64::from(word.failed), end(i)]);
        words.iter().enumerate().map(word).collect::<Vec<_>>()
    };
    books.iter().enumerate().flat_map(book).collect()
}

fn report_of(end: Result<(), MatrixFault>) -> [u64; 4] {
    match end {
        Ok(()) => [0; 4],
        Err(fault) => [fault.cause as u64, u64::from(fault.in_book), u64::from(fault.tile), u64::from(fault.position)],
    }
}

/// Finite numbers of about the same size, some of any.
fn finite(rng: &mut Rng) -> u16 {
    let exponent = if rng.u8(0..8) == 0 { rng.u16(0..31) } else { rng.u16(12..18) };
    rng.u16(..) & 0x83ff | exponent << 10
}

/// A matrix of random numbers with which all is well.
pub fn good_matrix(unit: &MatrixUnit, rng: &mut Rng, rows: usize, columns: usize, full: bool) -> MatrixCommand {
    // half of them where numbers begin again with 0
    let first = if rng.bool() { rng.u32(0..1 << 20) } else { rng.u32(0xf_fff0..=0xf_ffff) };
    // now and then anything, infinities and NaN too
    let wild = rng.u8(0..8) == 0;
    let number = |rng: &mut Rng| if wild { rng.u16(..) } else { finite(rng) };
    let vectors = (0..unit.vectors).map(|_| (0..columns).map(|_| number(rng)).collect()).collect();
    let (mut books, mut words) = (vec![], vec![]);
    for first_row in (0..rows).step_by(unit.tile_rows) {
        for first_column in (0..columns).step_by(unit.tile_columns) {
            let tile_columns = unit.tile_columns.min(columns - first_column);
            let counts: Vec<usize> = (0..unit.books_of_tile(tile_columns))
                .map(|_| {
                    let (count, values) = random_book(unit, rng, full);
                    let id = (first + books.len() as u32) & 0xf_ffff;
                    books.push(book_words(id, &values, values.len() / count));
                    count
                })
                .collect();
            for _ in 0..unit.tile_rows.min(rows - first_row) {
                let of_position =
                    |position: usize| counts.get(position % counts.len().max(1)).map_or(65535, |n| *n as u16 - 1);
                let indices: Vec<u16> =
                    (0..unit.row_indices(tile_columns)).map(|i| rng.u16(0..=of_position(i))).collect();
                words.extend(words_of(&pack_row(&indices, unit.index_bits() as u32)));
            }
        }
    }
    let scales = (0..rows).map(|_| finite(rng)).collect();
    MatrixCommand { first, rows, columns, ratio: 0x34a3, scale: finite(rng), vectors, books, words, scales }
}

/// The words of rows of indices.
fn words_of(bytes: &[u8]) -> Vec<LoadWord> {
    assert!(bytes.len().is_multiple_of(8), "rows are whole words");
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
    bytes.chunks(8).map(|bytes| LoadWord { data: word(bytes), failed: false }).collect()
}

/// A book: how many entries, and its numbers.
fn random_book(unit: &MatrixUnit, rng: &mut Rng, full: bool) -> (usize, Vec<u16>) {
    let Some((entries, vector)) = unit.book_size() else { return (0, vec![]) };
    let count = if full { entries } else { rng.usize(1..=entries) };
    (count, (0..count * vector).map(|_| finite(rng)).collect())
}

/// A matrix in which something may be wrong, of few tiles.
pub fn random_matrix(unit: &MatrixUnit, rng: &mut Rng) -> MatrixCommand {
    let most = (unit.max_columns / unit.word_columns()).min(1 + 3 * unit.tile_columns / unit.word_columns());
    let columns = rng.usize(1..=most) * unit.word_columns();
    let rows = rng.usize(1..=(2 * unit.tile_rows).clamp(3, 40));
    let full = rng.bool();
    let mut command = good_matrix(unit, rng, rows, columns, full);
    if matches!(unit.source, MatrixSource::Lattice) && rng.bool() {
        command.ratio = finite(rng);
    }
    damage(unit, rng, &mut command);
    command
}

fn damage(unit: &MatrixUnit, rng: &mut Rng, command: &mut MatrixCommand) {
    let MatrixCommand { first, rows, columns, vectors, books, words, scales, .. } = command;
    let at = rng.usize(0..words.len());
    let vector = rng.usize(0..vectors.len());
    let vector = &mut vectors[vector];
    match rng.u8(0..28) {
        0 | 1 => words[at].failed = true,
        2 => words.truncate(at.max(1)),
        3 => words.extend((0..rng.usize(1..5)).map(|_| LoadWord { data: rng.u64(..), failed: rng.bool() })),
        4..=6 => words[at].data ^= 0x8180_4020_1008_0402 & rng.u64(..),
        7 => *rows = 0,
        8 => *columns = [0, *columns + 4, unit.max_columns + unit.word_columns(), 65535][rng.usize(0..4)],
        9 => vector.truncate(4 * rng.usize(1..=vector.len() / 4)),
        10 => vector.extend(vec![0; 4 * rng.usize(1..=unit.max_columns / 4)]),
        11 => scales.truncate(rng.usize(1..=scales.len())),
        12 => scales.extend((0..rng.usize(1..5)).map(|_| finite(rng))),
        13..=20 if !books.is_empty() => damage_books(unit, rng, first, books),
        _ => {}
    }
}

fn damage_books(unit: &MatrixUnit, rng: &mut Rng, first: &mut u32, books: &mut Vec<Vec<LoadWord>>) {
    let Some((entries, vector)) = unit.book_size() else { return };
    let number = rng.usize(0..books.len());
    let book = &mut books[number];
    let at = rng.usize(0..book.len());
    match rng.u8(0..10) {
        0 => book[at].failed = true,
        1 => book.truncate(at.max(1)),
        2 => book.extend((0..rng.usize(1..5)).map(|_| LoadWord { data: rng.u64(..), failed: rng.bool() })),
        3 => book[at].data ^= 1 << rng.u32(0..64),
        4 => book[0].data |= 0xf00,
        5 => *first ^= 1 << rng.u32(0..20),
        6 => {
            // an infinite number or a NaN, under a CRC that fits
            let mut values: Vec<u16> = (0..rng.usize(1..=entries) * vector).map(|_| finite(rng)).collect();
            let at = rng.usize(0..values.len());
            values[at] |= 0x7c00;
            *book = book_words(book[0].data as u32 >> 12, &values, vector);
        }
        7 => books.truncate(number.max(1)),
        8 => (0..rng.usize(1..4)).for_each(|_| books.push(books[number].clone())),
        _ => drop(books.remove(number.min(books.len().saturating_sub(2)))),
    }
    if books.is_empty() {
        books.push(vec![LoadWord { data: 0, failed: true }]);
    }
}

/// A matrix of a file as a command.
///
/// # Panics
/// If rows of its tiles are no whole words.
pub fn matrix_of(file: &VqFile, tensor: &Tensor, vectors: Vec<Vec<u16>>) -> MatrixCommand {
    let before: usize = file.tensors.iter().take_while(|t| !std::ptr::eq(*t, tensor)).map(|t| t.books.len()).sum();
    let book = |number: usize| book_words((before + number) as u32, &tensor.books[number].values, file.scheme.vector);
    let books = if file.scheme.books == Books::Lattice { 0 } else { tensor.books.len() };
    MatrixCommand {
        first: before as u32,
        rows: tensor.rows,
        columns: tensor.cols,
        ratio: file.scheme.inverse_ratio,
        scale: tensor.scales.first().copied().unwrap_or(0),
        vectors,
        books: (0..books).map(book).collect(),
        words: tensor.indices.iter().flat_map(|bytes| words_of(bytes)).collect(),
        scales: tensor.scales.clone(),
    }
}

/// A recorded matrix, quantized as weights are: the values of layer 10 of a real model, a channel in each row. Few rounds of training, for tests.
///
/// # Panics
/// Without the recording `smollm2_vq` in the folder `data` of the repository.
pub fn real_matrix(algorithm: Algorithm, tokens: usize) -> VqFile {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/smollm2_vq.safetensors");
    let recording = Recording::read(path).expect("the recording is in the repository");
    let sources = kv_sources(&[recording], &[10]).expect("layer 10");
    let values = sources.iter().find(|source| source.kind == TensorKind::Value).expect("values");
    let data =
        (0..values.cols).flat_map(|i| (0..tokens).map(move |t| (t, i))).map(|(t, i)| values.data[t * values.cols + i]);
    let source = Source {
        kind: TensorKind::Weight,
        layer: 0,
        name: "layer10.v".into(),
        rows: values.cols,
        cols: tokens,
        data: data.collect(),
    };
    let options = TrainOptions { iterations: 3, rounds: 0, beam: 1, ..TrainOptions::of(algorithm) };
    let sources = [source];
    let books = train(&algorithm.scheme(), &sources, &options, &|| ()).expect("books");
    pack(&books, &sources, 1, &|| ()).expect("indices")
}

/// The keys of a head of a file as a matrix, a token in each row.
pub fn keys_of(file: &VqFile, tensor: usize, head: usize, query: Vec<u16>) -> MatrixCommand {
    let keys = &file.tensors[tensor];
    let part = keys.parts(&file.scheme).nth(head).expect("a head of the tensor");
    let own = Tensor {
        cols: part.cols.len(),
        books: keys.books[part.first_book..part.first_book + part.books].to_vec(),
        indices: vec![keys.indices[head].clone()],
        ..keys.clone()
    };
    matrix_of(file, &own, vec![query])
}
