//! Lookups a cycle of the codebook cache with a memory tier on real indices, in simulation, beside the model of the ladder:
//! `cargo run --release -p kvforge-testbenches --example tiered_rates -- FILES`, with files of `kvforge vq pack`.

use hw::vq::cache_types::CacheParams;
use hw::vq::tiered_cache::{TieredParams, tiered_cache};
use sim::bus::Stalls;
use sim::bus::axi4_memory::MemoryModel;
use sim::golden::vq::cache::book_words;
use sim::golden::vq::{Tensor, VqFile};
use sim::vq::figures::{BURST_WORDS, Tile};
use sim::vq::plan::MEMORY;
use sim::vq_benches::cache::Episode;
use sim::vq_benches::tiered::{Around, TieredBench, TieredEpisode};
use std::error::Error;

/// Lookups of each book that are simulated.
const LOOKUPS: usize = 8_000;
/// Cycles for which a lookup's place is taken besides.
const OVERHEAD: usize = 4;
/// Lookups in memory at once.
const OUTSTANDING: u32 = 16;

fn main() -> Result<(), Box<dyn Error>> {
    println!("{OUTSTANDING} lookups in memory at once, {MEMORY} cycles; lookups a cycle");
    println!("tensor                  lanes  book  shared  in memory  simulated  places  ladder's model");
    for path in std::env::args().skip(1) {
        let file = VqFile::from_bytes(&std::fs::read(&path)?).map_err(|e| format!("{path}: {e}"))?;
        // the lanes look up consecutive tokens in the book of a group of channels, or consecutive vectors of a row
        let (lanes, all_shared): (usize, &[usize]) =
            if file.scheme.bits > 8 { (4, &[0, 512, 1024, 2048]) } else { (8, &[0, 32, 64, 128, 192]) };
        for tensor in &file.tensors {
            look_up(&file, tensor, 0, lanes, all_shared)?;
            look_up(&file, tensor, tensor.books.len() / 2, lanes, all_shared)?;
        }
    }
    Ok(())
}

/// The rows of the table of one book.
fn look_up(
    file: &VqFile,
    tensor: &Tensor,
    book: usize,
    lanes: usize,
    all_shared: &[usize],
) -> Result<(), Box<dyn Error>> {
    let values = &tensor.books[book].values;
    let lookups = lookups(file, tensor, book);
    let beats: Vec<Vec<u16>> = lookups.chunks_exact(lanes).map(<[u16]>::to_vec).collect();
    let number = (beats.len() * lanes) as f64;
    for &shared in all_shared {
        let simulated = simulate(file, shared, lanes, values, &beats)?;
        let tile = Tile {
            beats: beats.iter().map(|beat| beat.iter().map(|index| (0, usize::from(*index))).collect()).collect(),
            words: 0,
            books: 1,
        };
        let misses = tile.misses(shared);
        let bound = number / bound(file, shared, &beats) as f64;
        let model = number / (misses * BURST_WORDS + tile.bank_cycles(0, shared)) as f64;
        println!(
            "{:<22}  {lanes:>5}  {book:>4}  {shared:>6}  {:>8.1} %  {:>9.3}  {bound:>6.3}  {model:>14.3}",
            tensor.name,
            100.0 * misses as f64 / number,
            simulated / beats.len() as f64 * number
        );
    }
    Ok(())
}

/// Cycles by requests and places alone: one for each word of each beat, and a lookup of each place at a time; without how a run begins and ends.
fn bound(file: &VqFile, shared: usize, beats: &[Vec<u16>]) -> usize {
    let words = file.scheme.vector.div_ceil(4);
    let cold = |beat: &Vec<u16>| beat.iter().filter(|index| usize::from(**index) >= shared).count();
    let requests: usize = beats.iter().map(|beat| (words * cold(beat)).max(1)).sum();
    let misses: usize = beats.iter().map(cold).sum();
    requests.max(misses * (MEMORY as usize + OVERHEAD + words - 1) / OUTSTANDING as usize)
}

/// The indices of one book, row by row.
fn lookups(file: &VqFile, tensor: &Tensor, book: usize) -> Vec<u16> {
    let mut all = vec![];
    for (number, part) in tensor.parts(&file.scheme).enumerate() {
        for row in 0..part.rows.len() {
            let indices = tensor.row_indices(&file.scheme, number, &part, row);
            let of_book = |position: usize| part.book_of(&file.scheme, position) == Some(book);
            all.extend(
                indices.into_iter().enumerate().filter(|(position, _)| of_book(*position)).map(|(_, index)| index),
            );
        }
    }
    all.truncate(LOOKUPS);
    all
}

/// Beats a cycle of the hardware, all of whose answers are checked.
fn simulate(
    file: &VqFile,
    shared: usize,
    lanes: usize,
    values: &[u16],
    beats: &[Vec<u16>],
) -> Result<f64, Box<dyn Error>> {
    let (entries, vector) = (1 << file.scheme.bits, file.scheme.vector);
    let cache = CacheParams { entries: entries as u32, lanes: lanes as u32, vector: vector as u32 };
    let p = TieredParams { cache, registers: 0, shared: shared as u32, outstanding: OUTSTANDING, address_bits: 32 };
    let design = tiered_cache(p)?;
    let bench = TieredBench::of(&design, p);
    let cache = Episode { loads: vec![(0, book_words(0, values, vector))], beats: beats.to_vec() };
    let episode = TieredEpisode { cache, addresses: vec![0x1000], values: values.to_vec() };
    let memory = MemoryModel { latency: MEMORY, outstanding: p.reads() as usize, ..MemoryModel::default() };
    let around = Around { stalls: [Stalls::Never; 6], memory, seed: 1, stop: None };
    let mut engine = jit::simulator(&design);
    let (times, _) =
        bench.run(&mut engine, (&design, &design.ports.m_axi), &[episode], &around)?.ok_or("it was stopped")?;
    Ok(beats.len() as f64 / (times.answered[beats.len() - 1] - times.answered[0] + 1) as f64)
}
