//! What the VQ algorithms are worth on real keys, values and weights (docs/vq.md):
//! `cargo run --release -p kvforge-sim --example vq_quality -- FOLDER`, with the folder of the whole recordings.
//!
//! Books of keys and values are trained on one recording and measured on another, layer 10 of SmolLM2-135M; books of
//! weights are trained on the matrix itself.

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use sim::data::Recording;
use sim::golden::vq::Algorithm;
use sim::vq::{Source, TrainOptions, kv_sources, measure, pack, train, weight_sources};

const LAYER: u32 = 10;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("the folder of the whole recordings is missing")?;
    let path = |name: &str| Path::new(&folder).join(name).with_extension("safetensors");
    let kv = |name: &str| Ok::<_, Box<dyn Error>>(kv_sources(&[Recording::read(path(name))?], &[LAYER])?);
    let run = kv("smollm2_run")?;
    println!(
        "algorithm  tensor                  trained on        bits  dB, binary16  float64  bits with books  seconds"
    );
    for trained in ["smollm2_vq", "smollm2_profile"] {
        let sources = kv(trained)?;
        for algorithm in [Algorithm::Cq4, Algorithm::Cq2] {
            show(algorithm, &sources, &run, trained)?;
        }
    }
    let weights = weight_sources(&path("smollm2_vq"), &[])?;
    for algorithm in [Algorithm::Gptvq2, Algorithm::Aqlm3, Algorithm::QuipSharp4] {
        for matrix in weights.chunks(1) {
            show(algorithm, matrix, matrix, "itself")?;
        }
    }
    Ok(())
}

fn show(algorithm: Algorithm, training: &[Source], packed: &[Source], trained: &str) -> Result<(), Box<dyn Error>> {
    let start = Instant::now();
    let options = TrainOptions::of(algorithm);
    let books = train(&algorithm.scheme(), training, &options, &|| ())?;
    let file = pack(&books, packed, options.beam, &|| ())?;
    let seconds = start.elapsed().as_secs_f64();
    for tensor in &file.tensors {
        let measured = measure(&file, tensor, packed)?;
        let bits = (tensor.index_bits() + tensor.book_bits()) as f64 / (tensor.rows * tensor.cols) as f64;
        println!(
            "{algorithm:<9}  {:<22}  {trained:<16}  {:4.2}  {:12.2}  {:7.2}  {bits:15.3}  {seconds:7.1}",
            tensor.name,
            file.scheme.bits_per_value(),
            measured.binary16_db,
            measured.float64_db,
        );
    }
    Ok(())
}
