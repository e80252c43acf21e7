//! Lookups a cycle and lane of the banked codebook cache on real indices, in simulation, beside the model that it was chosen from:
//! `cargo run --release -p kvforge-testbenches --example cache_rates -- FOLDER`, with the folder of the whole recordings.

use hw::vq::banked_cache::banked_cache;
use hw::vq::banked_types::{BankedParams, DEPTH, WINDOW};
use hw::vq::cache_types::CacheParams;
use sim::bus::Stalls;
use sim::golden::vq::cache::book_words;
use sim::golden::vq::{Algorithm, Tensor, VqFile};
use sim::vq::{Sharing, TrainOptions, pack, rate, train, weight_sources};
use sim::vq_benches::cache::{CacheBench, Episode};
use std::error::Error;
use std::path::Path;

/// Lanes that share a book.
const LANES: usize = 4;
/// Lookups of each tensor that are simulated.
const LOOKUPS: usize = 40_000;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("the folder of the whole recordings is missing")?;
    let sources = weight_sources(&Path::new(&folder).join("smollm2_vq.safetensors"), &[])?;
    let algorithm = Algorithm::ALL.into_iter().find(|a| a.to_string() == "aqlm-3").ok_or("no AQLM-3")?;
    let options = TrainOptions { rounds: 2, ..TrainOptions::of(algorithm) };
    let file = pack(&train(&algorithm.scheme(), &sources, &options, &|| ())?, &sources, options.beam, &|| ())?;
    println!("AQLM-3, {LANES} lanes, lookups a cycle and lane");
    println!(
        "tensor                  residual  banks  simulated  model: window {WINDOW}  window 8  slip 4  ports shared"
    );
    for tensor in &file.tensors {
        for residual in 0..2 {
            let lookups = lookups(&file, tensor, residual);
            for banks in [4, 8] {
                let window = |beats| Sharing::Window { beats, broadcast: false };
                let slip = |ports| Sharing::Slip { ahead: 4, broadcast: false, ports };
                let cells = [window(WINDOW as usize), window(8), slip(1)].map(|sharing| {
                    // two ports of a bank: each pair of lanes has banks of its own
                    let pairs = [0, 2].map(|from| {
                        let lane = |lane| lookups.chunks_exact(LANES).map(|beat| beat[lane]).collect();
                        rate(&[lane(from), lane(from + 1)], banks as usize, 0, sharing)
                    });
                    pairs[0].min(pairs[1])
                });
                let all = |lane: usize| lookups.chunks_exact(LANES).map(|beat| beat[lane]).collect::<Vec<u16>>();
                let shared = rate(&[0, 1, 2, 3].map(all), banks as usize, 0, slip(2));
                let simulated = simulate(banks, tensor.books[residual].values.as_slice(), &lookups)?;
                let [window, eight, slip] = cells;
                println!(
                    "{:<22}  {residual:>8}  {banks:>5}  {simulated:>9.4}  {window:>15.4}  {eight:>8.4}  {slip:>6.4}  {shared:>12.4}",
                    tensor.name
                );
            }
        }
    }
    println!("at most {DEPTH} beats are under way");
    Ok(())
}

/// The indices of one residual, row by row.
fn lookups(file: &VqFile, tensor: &Tensor, residual: usize) -> Vec<u16> {
    let mut all = vec![];
    for (number, part) in tensor.parts(&file.scheme).enumerate() {
        for row in 0..part.rows.len() {
            let indices = tensor.row_indices(&file.scheme, number, &part, row);
            all.extend(indices.into_iter().skip(residual).step_by(file.scheme.residuals));
        }
    }
    all.truncate(all.len().min(LOOKUPS) / LANES * LANES);
    all
}

/// Beats a cycle of the hardware, all of whose answers are checked.
fn simulate(banks: u32, values: &[u16], lookups: &[u16]) -> Result<f64, Box<dyn Error>> {
    let cache = CacheParams { entries: 4096, lanes: LANES as u32, vector: 8 };
    let design = banked_cache(BankedParams { cache, banks })?;
    let bench = CacheBench::of(&design, cache, 1);
    let beats: Vec<Vec<u16>> = lookups.chunks_exact(LANES).map(<[u16]>::to_vec).collect();
    let number = beats.len();
    let episode = Episode { loads: vec![(0, book_words(0, values, 8))], beats };
    let mut engine = jit::simulator(&design);
    let times = bench.run(&mut engine, &[episode], [Stalls::Never; 6], 1)?;
    Ok(number as f64 / (times.answered[number - 1] - times.answered[0] + 1) as f64)
}
