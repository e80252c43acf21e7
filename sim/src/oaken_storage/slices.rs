//! Stored bits for each element, every bit counted, of whole records and of slices whose sparse parts begin at multiples of so many bytes;
//! codes of 4 bits, on the recordings in `data/` with the paper's shares.

use super::{CASES, recording};
use crate::golden::oaken::{CHUNK, DenseBits, Record, encode};
use crate::profile::{Method, Profile, Widths};
use std::error::Error;

/// Multiples of bytes at which a slice's sparse part may begin.
const ALIGNMENTS: [usize; 4] = [1, 8, 16, 32];

/// The table.
pub fn table() -> Result<String, Box<dyn Error>> {
    let mut text =
        "| recording | elements of a head | record | slices | at multiples of 8 bytes | 16 | 32 |\n".to_string();
    text += "| --- | --- | --- | --- | --- | --- | --- |\n";
    for (profiled, run, head) in CASES {
        let records = records(profiled, run)?;
        let elements: usize = records.iter().map(|record| 2 * record.dense.len()).sum();
        let bits = |bytes: usize| format!("{:.3}", 8.0 * bytes as f64 / elements as f64);
        let whole = bits(records.iter().map(|record| record.dense.len() + record.sparse.len()).sum());
        let mut slices = vec![];
        for record in &records {
            slices.extend(cut(record, head / CHUNK)?);
        }
        let stored = |alignment: usize| {
            let slice = |s: &Record| s.dense.len() + s.sparse.len().next_multiple_of(alignment);
            bits(slices.iter().map(slice).sum())
        };
        let (length, stored) = (elements / records.len(), ALIGNMENTS.map(stored).join(" | "));
        text += &format!("| {run}, N = {length} | {head} | {whole} | {stored} |\n");
    }
    Ok(text)
}

/// The records of all tokens, keys and values of a recording.
fn records(profiled: &str, run: &str) -> Result<Vec<Record>, Box<dyn Error>> {
    let profile = Profile::from_recordings(&[recording(profiled)?], Method::default(), Widths::default())?;
    let mut records = vec![];
    for tensor in &recording(run)?.tensors {
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
