//! The figures of docs/vq-figures.md: `cargo run --release -p kvforge-sim --example vq_figures -- FOLDER`, with the folder of the whole recordings.

use std::error::Error;
use std::path::Path;

use hw::vq::matrix_vector::LOAD;
use sim::data::Recording;
use sim::golden::vq::{Algorithm, Scheme, TensorKind, VqFile};
use sim::vq::figures::{
    Ladder, Shape, TILE, Tile, crossover, head_bytes, hot_entries, ladder, matrix_bytes, score_split, tiles,
};
use sim::vq::plan::{
    Attention, DEVICES, Free, Machine, Matrix, Store, Task, Way, attention_by_multiplication, cost, load, machines,
    plan,
};
use sim::vq::{Source, TrainOptions, access, kv_sources, pack, train, weight_sources};

const HEAD: usize = 64;
const KV: [Algorithm; 2] = [Algorithm::Cq4, Algorithm::Cq2];
const WEIGHTS: [Algorithm; 3] = [Algorithm::Gptvq2, Algorithm::Aqlm3, Algorithm::QuipSharp4];
const MATRICES: [(usize, usize); 3] = [(576, 576), (576, 1536), (4096, 4096)];
/// Tokens and batches of the paper's figures of attention.
const CASES: [(usize, usize); 4] = [(1024, 1), (1024, 8), (4096, 1), (4096, 8)];
const TOKENS: [usize; 7] = [128, 256, 512, 1024, 2048, 4096, 8192];

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("the folder of the whole recordings is missing")?;
    let path = |name: &str| Path::new(&folder).join(name).with_extension("safetensors");
    let kv = |name: &str| Ok::<_, Box<dyn Error>>(kv_sources(&[Recording::read(path(name))?], &[10])?);
    bytes();
    ways();
    let (training, long) = (kv("smollm2_vq")?, kv("smollm2_long")?);
    let weights = weight_sources(&path("smollm2_vq"), &[])?;
    let kv_files = KV.map(|algorithm| (algorithm, packed(algorithm, &training, &long)));
    let weight_files = WEIGHTS.map(|algorithm| (algorithm, packed(algorithm, &weights, &weights)));
    splits();
    println!("\nladder, cycles\n{}", LADDER);
    let mut reductions = vec![];
    for (algorithm, file) in &kv_files {
        let file = file.as_ref().map_err(ToString::to_string)?;
        for (tokens, batch) in CASES {
            let (rungs, by_table) = attention(*algorithm, file, tokens, batch);
            let name = format!("{algorithm} {tokens} tokens, batch {batch}");
            let numbers = 2 * tokens * HEAD * batch;
            reductions.push(show(&name, numbers, rungs, Some(by_table)));
        }
    }
    for (algorithm, file) in &weight_files {
        let file = file.as_ref().map_err(ToString::to_string)?;
        for number in 0..file.tensors.len() {
            let tensor = &file.tensors[number];
            let m = Matrix { algorithm: *algorithm, rows: tensor.rows, cols: tensor.cols, batch: 1 };
            let name = format!("{algorithm} {} x {}", tensor.rows, tensor.cols);
            reductions.push(show(&name, tensor.rows * tensor.cols, matrix(file, number), table_of(m)));
        }
    }
    let mean = |of: fn(&[f64; 2]) -> f64| reductions.iter().map(of).sum::<f64>() / reductions.len() as f64;
    let best = |of: fn(&[f64; 2]) -> f64| reductions.iter().map(of).fold(0.0, f64::max);
    println!("O4 against GC: {:.1} % less on average, {:.1} % at best", mean(|r| r[0]), best(|r| r[0]));
    println!("O4 against SC: {:.1} % less on average, {:.1} % at best", mean(|r| r[1]), best(|r| r[1]));
    println!("\nfactors\ntensor                          books, bytes  hot entries: least  mean  most  output, bytes");
    for (algorithm, file) in kv_files.iter().chain(&weight_files) {
        factors(*algorithm, file.as_ref().map_err(ToString::to_string)?);
    }
    Ok(())
}

fn packed(algorithm: Algorithm, training: &[Source], sources: &[Source]) -> Result<VqFile, Box<dyn Error>> {
    let options = TrainOptions { rounds: 2, ..TrainOptions::of(algorithm) };
    Ok(pack(&train(&algorithm.scheme(), training, &options, &|| ())?, sources, options.beam, &|| ())?)
}

fn head(algorithm: Algorithm, tokens: usize, batch: usize) -> Attention {
    Attention { algorithm, tokens, head: HEAD, heads: 1, queries: 1, batch }
}

fn percent(share: f64) -> String {
    format!("{:.2} %", 100.0 * share)
}

fn bytes() {
    println!(
        "bytes of a step against binary16\ntensor                    without books   batch 1   batch 16   (books once)"
    );
    for algorithm in KV {
        for tokens in TOKENS {
            let [one, many] = [1, 16].map(|batch| head_bytes(head(algorithm, tokens, batch)));
            let shares = [one.without_books(), one.with_books(), many.with_books()].map(percent).join("   ");
            println!("{algorithm:<9} {tokens:>5} tokens   {shares}");
        }
        let nominal = algorithm.scheme().bits_per_value() / 16.0;
        for (what, share) in [("binary16", 1.0), ("twice Table II", 2.0 * nominal), ("1.1 x Table II", 1.1 * nominal)] {
            let tokens = [1, 16].map(|batch| {
                crossover(algorithm, HEAD, batch, share).map_or("no number of".into(), |tokens| tokens.to_string())
            });
            println!("{algorithm:<9} less than {what}: from {} tokens on, {} with batch 16", tokens[0], tokens[1]);
        }
    }
    for algorithm in WEIGHTS {
        for (rows, cols) in MATRICES {
            let bytes = matrix_bytes(Matrix { algorithm, rows, cols, batch: 1 });
            let shares = [bytes.without_books(), bytes.with_books()].map(percent).join("   ");
            println!("{algorithm:<9} {rows} x {cols}   {shares}");
        }
    }
}

/// By table and by multiplication, on a bus of 64 bits.
fn ways() {
    println!(
        "\ntable against multiplication, 64 bits of bus, a head\nalgorithm tokens batch    table   multiply, books with each sequence   books once"
    );
    let free = Free { area: DEVICES[2].1, bus_bits: 64 };
    for algorithm in KV {
        for batch in [1, 16] {
            for tokens in TOKENS {
                let a = head(algorithm, tokens, batch);
                let machine = plan(&Task::Attention(a), &free).expect("the largest device has room");
                let table = cost(&Task::Attention(a), &machine).cycles;
                let multiply = Machine { way: Way::Multiply, store: Store::Copies, ..machine };
                let [streamed, resident] = [false, true].map(|kept| attention_by_multiplication(a, &multiply, kept));
                println!("{algorithm:<9} {tokens:>6} {batch:>5} {table:>8} {streamed:>8} {resident:>8}");
            }
        }
        let a = head(algorithm, 1024, 1);
        let table = plan(&Task::Attention(a), &free).expect("the largest device has room");
        let multiply = Machine { way: Way::Multiply, store: Store::Copies, ..table };
        for machine in [table, multiply] {
            println!("{algorithm:<9} {:?}: {}", machine.way, cost(&Task::Attention(a), &machine).area);
        }
    }
    for algorithm in WEIGHTS {
        let m = Matrix { algorithm, rows: 576, cols: 1536, batch: 1 };
        let machine = plan(&Task::Matrix(m), &free).expect("the largest device has room");
        let multiply = cost(&Task::Matrix(m), &machine);
        let table = table_of(m).map_or("-".into(), |cycles| cycles.to_string());
        println!(
            "{algorithm:<9} 576 x 1536: {} by multiplication, {table} by table; {}",
            multiply.cycles, multiply.area
        );
    }
}

/// Cycles of a matrix by the unit by table; none if there is no such unit for it.
fn table_of(m: Matrix) -> Option<usize> {
    let free = Free { area: DEVICES[2].1, bus_bits: 64 };
    let task = Task::Matrix(m);
    let by_table = machines(&task, &free).into_iter().find(|machine| machine.way == Way::Table)?;
    Some(cost(&task, &by_table).cycles as usize)
}

/// The split factor of the scores of all tiles that share books: the best divisor, and the paper's square root.
fn splits() {
    println!("\nsplit factor of scores\ntask                          tiles   best   paper");
    for algorithm in KV {
        for (tokens, batch) in CASES {
            let a = head(algorithm, tokens, batch);
            let (tiles, split) = score_split(a);
            println!(
                "{algorithm} {tokens} tokens, batch {batch}   {tiles:>5} {:>5} {:>8.2}",
                split.factor, split.paper
            );
        }
    }
}

/// Keys and values of a head of this many tokens, from the mean of all tiles of all recorded heads; and by table.
fn attention(algorithm: Algorithm, file: &VqFile, tokens: usize, batch: usize) -> (Ladder, usize) {
    let a = head(algorithm, tokens, batch);
    let mut rungs = Ladder::default();
    for tensor in &file.tensors {
        let values = tensor.kind == TensorKind::Value;
        let shape = Shape {
            book_words: a.algorithm.scheme().book_bytes() / 8,
            copy_cycles: copy_cycles(&a.algorithm.scheme()),
            entry_bytes: 2 * a.vector(),
            entries: a.entries(),
            output: if values { 0 } else { 2 * tokens * batch },
            buffered: values,
            sequences: batch,
        };
        let parts: Vec<_> = tensor.parts(&file.scheme).collect();
        for (number, part) in parts.iter().enumerate() {
            let recorded = tiles(file, tensor, number, part);
            // longer contexts have the recorded tiles again
            let all: Vec<Tile> = recorded.iter().cycle().take(tokens / TILE).cloned().collect();
            rungs = rungs.and(ladder(&all, shape).times(1.0 / parts.len() as f64));
        }
    }
    let free = Free { area: DEVICES[2].1, bus_bits: 64 };
    let machine = plan(&Task::Attention(a), &free).expect("the largest device has room");
    (rungs, cost(&Task::Attention(a), &machine).cycles as usize)
}

/// Cycles in which a book comes into copies.
fn copy_cycles(scheme: &Scheme) -> usize {
    load(scheme.book_bytes() as u64 / 8, scheme.vector, u64::from(LOAD)) as usize
}

fn matrix(file: &VqFile, number: usize) -> Ladder {
    let (scheme, tensor) = (&file.scheme, &file.tensors[number]);
    let entry_bytes = if tensor.books.is_empty() { 8 } else { 2 * scheme.vector };
    let entries = scheme.max_entries().min(if tensor.books.is_empty() { 256 } else { 4096 });
    let table = entry_bytes * entries / 8;
    let (book_words, copy_cycles) =
        if tensor.books.is_empty() { (table, table) } else { (scheme.book_bytes() / 8, copy_cycles(scheme)) };
    let parts = tensor.parts(scheme).enumerate();
    parts.fold(Ladder::default(), |rungs, (number, part)| {
        let output = 2 * part.rows.len();
        let shape = Shape { book_words, copy_cycles, entry_bytes, entries, output, buffered: true, sequences: 1 };
        rungs.and(ladder(&tiles(file, tensor, number, &part), shape))
    })
}

const LADDER: &str = "task                              FP16         GC         SC         O1         O2         O3         O4   a copy a lane    table   O4-GC  O4-SC";

/// Prints a row, and gives how much less O4 takes than GC and SC.
fn show(name: &str, numbers: usize, rungs: Ladder, table: Option<usize>) -> [f64; 2] {
    let Ladder { gc, sc, o1, o2, o3, o4, copies } = rungs;
    let cells = [numbers / 4, gc, sc, o1, o2, o3, o4, copies].map(|cycles| format!("{cycles:>10}")).join(" ");
    let table = table.map_or("-".into(), |cycles| cycles.to_string());
    let less = [gc, sc].map(|from| 100.0 * (1.0 - o4 as f64 / from as f64));
    println!("{name:<28} {cells} {table:>10}  {:5.1} %  {:5.1} %", less[0], less[1]);
    less
}

fn factors(algorithm: Algorithm, file: &VqFile) {
    for tensor in &file.tensors {
        let (least, mean, most) = hot_entries(&access(&file.scheme, tensor));
        let part = tensor.parts(&file.scheme).next().expect("a tensor has a part");
        let books: usize = match tensor.books.len() {
            0 => 2048,
            _ => part.books * file.scheme.book_bytes(),
        };
        let output = if tensor.kind == TensorKind::Weight { 2 * part.rows.len() } else { 2 * HEAD };
        println!("{algorithm:<9} {:<22} {books:>10} {least:>8} {mean:>8.1} {most:>6} {output:>10}", tensor.name);
    }
}
