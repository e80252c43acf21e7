//! The units that work by table with everything around them: books, rows and queries, good ones and damaged ones, and a check of all that comes out.

use crate::bus::{Beat, Bench, Sink, Stalls, StreamPorts};
use crate::data::Recording;
use crate::golden::vq::cache::{LoadWord, book_words};
use crate::golden::vq::tables::{LANES, Score, TableCommand, TableFault, TableUnit, Tables};
use crate::golden::vq::{Algorithm, VqFile};
use crate::vq::{Source, TrainOptions, kv_sources, pack, train};
use fastrand::Rng;
use hdl::BigUint;
use hdl::engine::Engine;

/// What a command brings besides its books.
#[derive(Clone, Debug)]
pub struct Job {
    /// The command.
    pub command: TableCommand,
    /// A scale for each token.
    pub scales: Vec<u16>,
}

/// A unit that makes scores.
#[derive(Clone, Debug)]
pub struct ScoresBench {
    /// Its parameters.
    pub unit: TableUnit,
    /// `command`, `query`, `words`, and `scale` if tokens have scales.
    pub sources: Vec<StreamPorts>,
    /// `m` and `report`.
    pub sinks: [StreamPorts; 2],
}

/// A unit that makes products.
#[derive(Clone, Debug)]
pub struct ProductsBench {
    /// Its parameters.
    pub unit: TableUnit,
    /// `command`, `query` and `words`.
    pub sources: [StreamPorts; 3],
    /// `done`.
    pub done: StreamPorts,
    /// The ports of `write`: enable, position, row, there, and the products.
    pub write: Vec<usize>,
}

/// When things happened.
#[derive(Clone, Debug)]
pub struct TableTimes {
    /// The cycle in which each word was taken.
    pub words: Vec<u64>,
    /// The cycle in which each command was taken.
    pub commands: Vec<u64>,
    /// The cycle in which each score was there.
    pub scores: Vec<u64>,
    /// The cycle in which each report was there.
    pub reports: Vec<u64>,
}

impl ScoresBench {
    /// Runs commands one after the other. All streams stall, in the order of `sources` and `sinks`.
    ///
    /// # Errors
    /// What came out wrong, or did not come.
    pub fn run(
        &self,
        engine: &mut dyn Engine,
        jobs: &[Job],
        stalls: &[Stalls],
        seed: u64,
    ) -> Result<TableTimes, String> {
        let mut bench = Bench::new(engine, seed);
        let sources: Vec<_> =
            self.sources.iter().zip(stalls).map(|(s, stalls)| bench.source_at(s.clone(), *stalls)).collect();
        let [m, report] = [0, 1].map(|i| bench.sink_at(self.sinks[i].clone(), stalls[self.sources.len() + i]));
        bench.reset().map_err(|e| e.to_string())?;
        let scaled = sources.get(3);
        let (mut expected, mut ends, mut work) = (vec![], vec![], 1000);
        for job in jobs {
            let TableCommand { first, tokens, query, words } = &job.command;
            bench.send(sources[0], [[u64::from(*first), *tokens as u64]]);
            bench.send(sources[1], query_beats(query));
            bench.send(sources[2], word_beats(words));
            let (scores, end) = self.unit.scores(&job.command, scaled.map(|_| &job.scales[..]));
            if let Some(scale) = scaled {
                // a row without a score may have taken one: those of the command that are left are for nobody
                bench.send(*scale, job.scales.iter().take(scales_taken(&self.unit, job, end)).map(|s| u64::from(*s)));
            }
            work += words.len() as u64 + 2 * scores.len() as u64 + 500;
            expected.extend(scores.iter().map(beat_of));
            ends.push((expected.len(), report_of(end)));
        }
        let limit = bench.cycle() + 60 * work;
        while bench.beats(report).len() < jobs.len() {
            if bench.cycle() > limit {
                return Err(format!("it hangs: {} reports of {}", bench.beats(report).len(), jobs.len()));
            }
            bench.step().map_err(|e| e.to_string())?;
        }
        (0..60).try_for_each(|_| bench.step().map_err(|e| e.to_string()))?;
        compare_scores(bench.beats(m), &expected, self.unit.queries)?;
        compare_reports(bench.beats(report), &ends)?;
        let [scores, reports] = [m, report].map(|sink: Sink| bench.received_at(sink).to_vec());
        for (i, ((end, _), at)) in ends.iter().zip(&reports).enumerate() {
            if scores[..*end].last().is_some_and(|last| last >= at) || scores.get(*end).is_some_and(|next| next <= at) {
                return Err(format!("report {i} does not stand between its scores and the next ones"));
            }
        }
        let [commands, words] = [0, 2].map(|i| bench.sent_at(sources[i]).to_vec());
        Ok(TableTimes { words, commands, scores, reports })
    }
}

/// Scales that a command takes: one for each row whose last word came.
fn scales_taken(unit: &TableUnit, job: &Job, end: Result<(), TableFault>) -> usize {
    if end.is_err_and(|fault| !fault.in_rows) {
        return 0;
    }
    let words = &job.command.words;
    let books: usize = book_starts(unit, words).1;
    let rows = &words[books..];
    let failed = rows.iter().position(|word| word.failed).map_or(rows.len(), |at| at + 1);
    (failed.min(rows.len()) / unit.beats()).min(job.command.tokens)
}

/// Where the books of good words begin, and where the rows do.
fn book_starts(unit: &TableUnit, words: &[LoadWord]) -> (Vec<usize>, usize) {
    let mut at = 0;
    let starts = (0..unit.positions).map(|_| {
        let count = (words[at].data as usize & 0xfff) + 1;
        at += 1 + (count * unit.vector).div_ceil(4);
        at
    });
    let ends: Vec<usize> = starts.collect();
    let starts = std::iter::once(0).chain(ends.iter().copied()).take(unit.positions).collect();
    (starts, ends[unit.positions - 1])
}

fn compare_scores(got: &[Beat], expected: &[Beat], queries: usize) -> Result<(), String> {
    for (i, (got, expected)) in got.iter().zip(expected).enumerate() {
        // of a row with a wrong index the scores mean nothing
        let from = if expected.field(queries) == 1 { queries } else { 0 };
        if got.0[from..] != expected.0[from..] {
            return Err(format!("score {i}: {got:x?}, not {expected:x?}"));
        }
    }
    match got.len() == expected.len() {
        true => Ok(()),
        false => Err(format!("{} scores, not {}", got.len(), expected.len())),
    }
}

fn compare_reports(got: &[Beat], expected: &[(usize, [u64; 3])]) -> Result<(), String> {
    for (i, (got, (_, expected))) in got.iter().zip(expected).enumerate() {
        let got = [0, 1, 2].map(|field| got.field(field));
        // of a command that is well, the rest means nothing
        if got[0] != expected[0] || (expected[0] != 0 && got != *expected) {
            return Err(format!("command {i} ended with {got:?} (outcome, in rows, position), not {expected:?}"));
        }
    }
    Ok(())
}

impl ProductsBench {
    /// Runs commands one after the other; all streams stall.
    ///
    /// # Errors
    /// What came out wrong, or did not come.
    pub fn run(
        &self,
        engine: &mut dyn Engine,
        commands: &[TableCommand],
        stalls: [Stalls; 4],
        seed: u64,
    ) -> Result<TableTimes, String> {
        let mut bench = Bench::new(engine, seed);
        let sources = [0, 1, 2].map(|i| bench.source_at(self.sources[i].clone(), stalls[i]));
        let done = bench.sink_at(self.done.clone(), stalls[3]);
        bench.reset().map_err(|e| e.to_string())?;
        let mut work = 1000;
        for TableCommand { first, query, words, .. } in commands {
            bench.send(sources[0], [[u64::from(*first), 0]]);
            bench.send(sources[1], query_beats(query));
            bench.send(sources[2], word_beats(words));
            work += words.len() as u64 + 40 * self.unit.positions as u64 + self.unit.entries as u64 * 100;
        }
        let limit = bench.cycle() + 60 * work;
        let mut written = vec![];
        for (i, command) in commands.iter().enumerate() {
            written.clear();
            while bench.beats(done).len() <= i {
                if bench.cycle() > limit {
                    return Err(format!("it hangs in command {i} of {}", commands.len()));
                }
                bench.step().map_err(|e| e.to_string())?;
                if bench.engine.peek(self.write[0]) == 1 {
                    written.push(self.write[1..].iter().map(|port| bench.engine.peek(*port)).collect::<Vec<u64>>());
                }
            }
            let products = self.unit.products(command);
            let end = report_of(products.as_ref().map(|_| ()).map_err(|fault| *fault));
            compare_reports(&bench.beats(done)[i..], &[(0, end)]).map_err(|e| format!("{e} ({i})"))?;
            if let Ok(tables) = products {
                self.compare(&written, &tables).map_err(|e| format!("command {i}: {e}"))?;
            }
        }
        let reports = bench.received_at(done).to_vec();
        let [commands, words] = [0, 2].map(|i| bench.sent_at(sources[i]).to_vec());
        Ok(TableTimes { words, commands, scores: vec![], reports })
    }

    /// Every place of every table is written once, in order.
    fn compare(&self, written: &[Vec<u64>], tables: &Tables) -> Result<(), String> {
        let of_word = (4 / self.unit.vector).max(1);
        let rows = self.unit.entries / of_word;
        if written.len() != self.unit.positions * rows {
            return Err(format!("{} rows of tables written, not {}", written.len(), self.unit.positions * rows));
        }
        for (n, row) in written.iter().enumerate() {
            let (position, at) = (n / rows, n % rows);
            if row[..2] != [position as u64, at as u64] {
                return Err(format!("position {} row {} written, not {position} {at}", row[0], row[1]));
            }
            for i in 0..of_word {
                let entry = at * of_word + i;
                let there = entry < tables[0][position].len();
                if there != (row[2] >> i & 1 == 1) {
                    return Err(format!("position {position}, entry {entry}: there is {}", !there));
                }
                for (query, table) in tables.iter().enumerate().filter(|_| there) {
                    let (got, expected) = (row[3 + query * of_word + i], u64::from(table[position][entry]));
                    if got != expected {
                        return Err(format!(
                            "query {query}, position {position}, entry {entry}: {got:x}, not {expected:x}"
                        ));
                    }
                }
            }
        }
        Ok(())
    }
}

/// A command that is well, of random numbers: full books, or of any length.
pub fn good_job(unit: &TableUnit, rng: &mut Rng, tokens: usize, full: bool) -> Job {
    let first = rng.u32(0..1 << 20);
    let counts: Vec<usize> =
        (0..unit.positions).map(|_| if full { unit.entries } else { rng.usize(1..=unit.entries) }).collect();
    let mut words = vec![];
    for (position, count) in counts.iter().enumerate() {
        let values: Vec<u16> = (0..count * unit.vector).map(|_| finite(rng)).collect();
        words.extend(book_words((first + position as u32) & 0xf_ffff, &values, unit.vector));
    }
    for _ in 0..tokens {
        for lanes in counts.chunks(LANES) {
            let bytes = lanes.iter().rev().fold(0, |word, count| word << 8 | rng.u64(0..*count as u64));
            words.push(LoadWord { data: bytes, failed: false });
        }
    }
    // now and then anything, infinities and NaN too
    let wild = rng.u8(0..8) == 0;
    let number = |rng: &mut Rng| if wild { rng.u16(..) } else { finite(rng) };
    let query = (0..unit.queries * unit.query_numbers()).map(|_| number(rng)).collect();
    let scales = (0..tokens).map(|_| finite(rng)).collect();
    Job { command: TableCommand { first, tokens, query, words }, scales }
}

/// Finite numbers of about the same size, some of any.
fn finite(rng: &mut Rng) -> u16 {
    let exponent = if rng.u8(0..8) == 0 { rng.u16(0..31) } else { rng.u16(12..18) };
    rng.u16(..) & 0x83ff | exponent << 10
}

/// A command in which something may be wrong. `rows`: it has rows of tokens.
pub fn random_job(unit: &TableUnit, rng: &mut Rng, rows: bool) -> Job {
    let tokens = if rows { rng.usize(1..=20) } else { 0 };
    let full = rng.bool();
    let mut job = good_job(unit, rng, tokens, full);
    damage(unit, rng, &mut job.command, rows);
    job
}

/// Damages a command that begins with books, or does not.
fn damage(unit: &TableUnit, rng: &mut Rng, command: &mut TableCommand, rows: bool) {
    let TableCommand { first, tokens, query, words } = command;
    let (starts, books) = book_starts(unit, words);
    let in_books = rng.usize(0..books);
    let start = starts[rng.usize(0..starts.len())];
    match rng.u8(0..if rows { 22 } else { 16 }) {
        0 => words[in_books].failed = true,
        1 => words.truncate(in_books.max(1)),
        2 => words.extend((0..rng.usize(1..5)).map(|_| LoadWord { data: rng.u64(..), failed: rng.bool() })),
        3 => words[in_books].data ^= 1 << rng.u32(0..64),
        4 => words[start].data |= 0xf00,
        5 => *first ^= 1 << rng.u32(0..20),
        6 => {
            // a number that is none, under a CRC that fits
            let count = (words[start].data as usize & 0xfff) + 1;
            let mut values: Vec<u16> = (0..count * unit.vector).map(|_| finite(rng)).collect();
            (0..2).for_each(|_| values[rng.usize(0..count * unit.vector)] |= 0x7c00);
            let book = book_words(words[start].data as u32 >> 12, &values, unit.vector);
            words[start..start + book.len()].copy_from_slice(&book);
        }
        7 => query.truncate(query.len() / 4 / 2 * 4),
        8 => query.extend([0; 4]),
        // rows
        16 => words[rng.usize(books..books + *tokens * unit.beats())].failed = true,
        17 => words.truncate(rng.usize(books..books + *tokens * unit.beats())),
        18 => *tokens = 0,
        19 => *tokens = unit.max_tokens + 1,
        20 | 21 => {
            let at = rng.usize(books..books + *tokens * unit.beats());
            words[at].data ^= 0x8180_4020_1008_0402 & rng.u64(..);
        }
        _ => {}
    }
}

fn query_beats(query: &[u16]) -> Vec<Beat> {
    let words = query.len() / 4;
    let word = |(i, numbers): (usize, &[u16])| {
        let data = numbers.iter().rev().fold(0, |word, x| word << 16 | u64::from(*x));
        Beat::from([data, u64::from(i + 1 == words)])
    };
    query.chunks(4).enumerate().map(word).collect()
}

fn word_beats(words: &[LoadWord]) -> Vec<Beat> {
    let last = |i: usize| u64::from(i + 1 == words.len());
    words.iter().enumerate().map(|(i, word)| Beat::from([word.data, last(i), u64::from(word.failed)])).collect()
}

fn beat_of(score: &Score) -> Beat {
    let numbers = score.scores.iter().map(|x| BigUint::from(*x));
    Beat(numbers.chain([score.wrong, score.last].map(|flag| BigUint::from(u32::from(flag)))).collect())
}

fn report_of(end: Result<(), TableFault>) -> [u64; 3] {
    match end {
        Ok(()) => [0; 3],
        Err(fault) => [fault.cause as u64, u64::from(fault.in_rows), u64::from(fault.position)],
    }
}

/// The books and rows of a head of a file as the words of a bus: books first, or rows.
pub fn head_words(file: &VqFile, tensor: usize, head: usize) -> (Vec<LoadWord>, Vec<LoadWord>) {
    let tensor = &file.tensors[tensor];
    let before: usize = file.tensors.iter().take_while(|t| !std::ptr::eq(*t, tensor)).map(|t| t.books.len()).sum();
    let part = tensor.parts(&file.scheme).nth(head).expect("a head of the tensor");
    let books = part.first_book..part.first_book + part.books;
    let words = books
        .flat_map(|book| book_words((before + book) as u32, &tensor.books[book].values, file.scheme.vector))
        .collect();
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
    let rows = tensor.indices[head].chunks(8).map(|bytes| LoadWord { data: word(bytes), failed: false }).collect();
    (words, rows)
}

/// A recorded head, quantized: keys and values of layer 10 of a real model. Few rounds of training, for tests.
///
/// # Panics
/// Without the recording `smollm2_vq` in the folder `data` of the repository.
pub fn real_head(algorithm: Algorithm, tokens: usize) -> VqFile {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/smollm2_vq.safetensors");
    let recording = Recording::read(path).expect("the recording is in the repository");
    let sources = kv_sources(&[recording], &[10]).expect("layer 10");
    let first = |source: Source| Source { rows: tokens, data: source.data[..tokens * source.cols].to_vec(), ..source };
    let sources: Vec<Source> = sources.into_iter().map(first).collect();
    let options = TrainOptions { iterations: 3, rounds: 0, beam: 1, ..TrainOptions::of(algorithm) };
    let books = train(&algorithm.scheme(), &sources, &options, &|| ()).expect("books");
    pack(&books, &sources, 1, &|| ()).expect("indices")
}

/// Signal to noise of binary16 numbers beside exact ones, in dB.
pub fn decibels(exact: &[f64], found: &[u16]) -> f64 {
    let error = |(x, &bits): (&f64, &u16)| (x - half::f16::from_bits(bits).to_f64()).powi(2);
    let signal: f64 = exact.iter().map(|x| x * x).sum();
    10.0 * (signal / exact.iter().zip(found).map(error).sum::<f64>()).log10()
}

/// A unit that makes weighted sums of values.
#[derive(Clone, Debug)]
pub struct ValuesBench {
    /// Its parameters.
    pub unit: TableUnit,
    /// Copies of the sums of weights.
    pub copies: usize,
    /// Tokens have scales.
    pub scaled: bool,
    /// `command`, `weight` and `words`.
    pub sources: [StreamPorts; 3],
    /// `m` and `report`.
    pub sinks: [StreamPorts; 2],
}

impl ValuesBench {
    /// Runs commands one after the other. All streams stall, in the order of `sources` and `sinks`.
    ///
    /// # Errors
    /// What came out wrong, or did not come.
    pub fn run(
        &self,
        engine: &mut dyn Engine,
        jobs: &[Job],
        stalls: [Stalls; 5],
        seed: u64,
    ) -> Result<TableTimes, String> {
        let mut bench = Bench::new(engine, seed);
        let sources = [0, 1, 2].map(|i| bench.source_at(self.sources[i].clone(), stalls[i]));
        let [m, report] = [0, 1].map(|i| bench.sink_at(self.sinks[i].clone(), stalls[3 + i]));
        bench.reset().map_err(|e| e.to_string())?;
        let (mut ends, mut results, mut work) = (vec![], vec![], 1000);
        for job in jobs {
            let TableCommand { first, tokens, query, words } = &job.command;
            bench.send(sources[0], [[u64::from(*first), *tokens as u64]]);
            bench.send(sources[2], word_beats(words));
            let result = self.unit.values(&job.command, self.scaled.then_some(&job.scales[..]), self.copies);
            let weight = |token: usize| {
                let scale = self.scaled.then(|| job.scales[token]);
                Beat(std::iter::once(query[token]).chain(scale).map(BigUint::from).collect())
            };
            bench.send(sources[1], (0..weights_taken(&self.unit, job)).map(weight));
            work += 2 * words.len() as u64 + 40 * self.unit.entries as u64 * self.unit.positions as u64;
            ends.push((0, report_of(result.as_ref().map(|_| ()).map_err(|fault| *fault))));
            results.push(result.ok());
        }
        let limit = bench.cycle() + 60 * work;
        while bench.beats(report).len() < jobs.len() {
            if bench.cycle() > limit {
                return Err(format!("it hangs: {} reports of {}", bench.beats(report).len(), jobs.len()));
            }
            bench.step().map_err(|e| e.to_string())?;
        }
        (0..60).try_for_each(|_| bench.step().map_err(|e| e.to_string()))?;
        compare_reports(bench.beats(report), &ends)?;
        let [values, reports] = [m, report].map(|sink: Sink| bench.received_at(sink).to_vec());
        let mut from = 0;
        for (i, (result, at)) in results.iter().zip(&reports).enumerate() {
            let to = values.partition_point(|cycle| cycle < at);
            let got = &bench.beats(m)[from..to];
            from = to;
            // of a command that failed, the numbers are worth nothing
            let Some(expected) = result else { continue };
            let beat = |(group, numbers): (usize, &Vec<u16>)| {
                let last = u32::from(group + 1 == expected.len());
                Beat(numbers.iter().map(|x| BigUint::from(*x)).chain([BigUint::from(last)]).collect())
            };
            let expected: Vec<Beat> = expected.iter().enumerate().map(beat).collect();
            if got != expected {
                let differs = got.iter().zip(&expected).position(|(got, expected)| got != expected);
                let what = differs.map(|at| format!("group {at}: {:x?}, not {:x?}", got[at], expected[at]));
                let what = what.unwrap_or(format!("{} groups, not {}", got.len(), expected.len()));
                return Err(format!("command {i}: {what}"));
            }
        }
        let [commands, words] = [0, 2].map(|i| bench.sent_at(sources[i]).to_vec());
        Ok(TableTimes { words, commands, scores: values, reports })
    }
}

/// Weights that a command takes: one for each row whose last word came.
fn weights_taken(unit: &TableUnit, job: &Job) -> usize {
    let TableCommand { tokens, words, .. } = &job.command;
    if *tokens == 0 || *tokens > unit.max_tokens {
        return 0;
    }
    let rows = &words[..words.len().min(tokens * unit.beats())];
    let came = rows.iter().position(|word| word.failed).map_or(rows.len(), |at| at + 1);
    came / unit.beats()
}

/// A command for values that is well: rows, then books.
pub fn good_values_job(unit: &TableUnit, rng: &mut Rng, tokens: usize, full: bool) -> Job {
    let mut job = good_job(unit, rng, tokens, full);
    let (_, books) = book_starts(unit, &job.command.words);
    job.command.words.rotate_left(books);
    // few entries now and then, so that the same come again
    if rng.bool() {
        job.command.words[..tokens * unit.beats()].iter_mut().for_each(|word| {
            word.data = u64::from_le_bytes(word.data.to_le_bytes().map(|index| index.min(1)));
        });
    }
    job.command.query = (0..tokens).map(|_| finite(rng) & 0x7fff).collect();
    job
}

/// A command for values in which something may be wrong.
pub fn random_values_job(unit: &TableUnit, rng: &mut Rng) -> Job {
    let tokens = rng.usize(1..=40);
    let mut job = random_job_of(unit, rng, tokens);
    let TableCommand { words, query, tokens: asked, .. } = &mut job.command;
    let of_rows = (tokens * unit.beats()).min(words.len());
    *query =
        (0..tokens.max(*asked)).map(|_| if rng.u8(0..50) == 0 { rng.u16(..) } else { finite(rng) & 0x7fff }).collect();
    match rng.u8(0..16) {
        0 => words[rng.usize(0..of_rows)].failed = true,
        1 => words.truncate(rng.usize(1..=of_rows)),
        2 => *asked = 0,
        3 => *asked = unit.max_tokens + 1,
        4 => words[rng.usize(0..of_rows)].data ^= 0x8180_4020_1008_0402 & rng.u64(..),
        _ => {}
    }
    job
}

/// Rows that are well, and books in which something may be wrong.
fn random_job_of(unit: &TableUnit, rng: &mut Rng, tokens: usize) -> Job {
    let full = rng.bool();
    let mut job = good_values_job(unit, rng, tokens, full);
    let of_rows = tokens * unit.beats();
    let rows = job.command.words[..of_rows].to_vec();
    let mut books = job.clone();
    books.command.words.drain(..of_rows);
    let query = job.command.query.clone();
    damage(unit, rng, &mut books.command, false);
    job.command = TableCommand { query, ..books.command };
    job.command.words.splice(0..0, rows);
    job
}
