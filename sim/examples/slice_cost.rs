//! What it costs to store records by head, as slices: `cargo run -p kvforge-sim --example slice_cost`.
//!
//! Prints stored bits for each element, every bit counted, of whole records and of slices whose sparse parts begin at
//! multiples of so many bytes; codes of 4 bits, on the recordings in `data/` with the paper's shares.

use std::error::Error;
use std::path::Path;

use sim::data::Recording;
use sim::golden::oaken::{CHUNK, DenseBits, Record, encode};
use sim::profile::{Method, Profile, Widths};

/// Recording for the thresholds, recording to store, elements of a head.
const CASES: [(&str, &str, usize); 3] =
    [("smollm2_profile", "smollm2_run", 64), ("minilm", "minilm", 64), ("minilm", "minilm", 128)];
/// Multiples of bytes at which a slice's sparse part may begin.
const ALIGNMENTS: [usize; 4] = [1, 8, 16, 32];

fn main() -> Result<(), Box<dyn Error>> {
    println!("recording    head  record  slices at multiples of {ALIGNMENTS:?} bytes");
    for (profiled, run, head) in CASES {
        let records = records(profiled, run)?;
        let elements: usize = records.iter().map(|record| 2 * record.dense.len()).sum();
        let bits = |bytes: usize| 8.0 * bytes as f64 / elements as f64;
        let whole = bits(records.iter().map(|record| record.dense.len() + record.sparse.len()).sum());
        let mut slices = vec![];
        for record in &records {
            slices.extend(cut(record, head / CHUNK)?);
        }
        let stored = |alignment: usize| {
            let slice = |s: &Record| s.dense.len() + s.sparse.len().next_multiple_of(alignment);
            format!("{:6.3}", bits(slices.iter().map(slice).sum()))
        };
        println!("{run:<12} {head:>4}  {whole:6.3}  {}", ALIGNMENTS.map(stored).join("  "));
    }
    Ok(())
}

/// The records of all tokens, keys and values of a recording.
fn records(profiled: &str, run: &str) -> Result<Vec<Record>, Box<dyn Error>> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data");
    let read = |name: &str| Recording::read(data.join(name).with_extension("safetensors"));
    let profile = Profile::from_recordings(&[read(profiled)?], Method::default(), Widths::default())?;
    let mut records = vec![];
    for tensor in &read(run)?.tensors {
        let thresholds = profile.layer(tensor.layer, tensor.kind)?.thresholds;
        records.extend(tensor.vectors().map(|vector| encode(vector, DenseBits::PAPER, &thresholds)));
    }
    Ok(records)
}

/// A record as slices of so many chunks.
fn cut(record: &Record, chunks: usize) -> Result<Vec<Record>, Box<dyn Error>> {
    let count = 2 * record.dense.len() / CHUNK / chunks;
    let slice = |i: usize| Ok(record.slice(DenseBits::PAPER, i * chunks..(i + 1) * chunks)?);
    (0..count).map(slice).collect()
}
