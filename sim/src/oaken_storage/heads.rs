//! Two ways to store keys and values by head.
//!
//! Either the whole vector of a token is quantized with one scale for each group, as the paper has it, and its record is cut into slices; or
//! each head is quantized by itself, with scales of its own: with the thresholds of the layer first, then with thresholds of its own. Stored
//! bits for each element, every bit counted, and the signal to quantization noise, in dB, the mean over keys and values of all layers; codes
//! of 4 bits, on the recordings in `data/`.

use super::{CASES, recording};
use crate::data::KvTensor;
use crate::golden::oaken::{DenseBits, HEADER_BYTES, Thresholds, decode, encode};
use crate::golden::reference::{Noise, to_f64};
use crate::profile::Method;
use std::error::Error;

/// The table.
pub fn table() -> Result<String, Box<dyn Error>> {
    let mut text = "| recording | elements of a head | slices: bits, dB | heads alone, thresholds of the layer | heads alone, thresholds of \
                    their own |\n| --- | --- | --- | --- | --- |\n"
        .to_string();
    for (profiled, run, head) in CASES {
        let (profiled, run_data) = (recording(profiled)?, recording(run)?);
        let mut rows = vec![];
        for tensor in &run_data.tensors {
            let same = profiled.tensor(tensor.layer, tensor.kind).ok_or("the recordings have other layers")?;
            rows.push(row(same, tensor, head));
        }
        let mean = |column: usize| {
            let sum = rows.iter().fold((0.0, 0.0), |(b, d), r| (b + r[column].0, d + r[column].1));
            format!("{:.3}, {:.2}", sum.0 / rows.len() as f64, sum.1 / rows.len() as f64)
        };
        let length = run_data.tensors[0].cols;
        text += &format!("| {run}, N = {length} | {head} | {} |\n", [0, 1, 2].map(mean).join(" | "));
    }
    Ok(text)
}

/// Bits for each element and dB of slices, of heads alone, and of heads with thresholds of their own.
fn row(profiled: &KvTensor, run: &KvTensor, head: usize) -> [(f64, f64); 3] {
    let layer = Method::default().thresholds(&[profiled]);
    let own = |i| Method::default().thresholds(&[&of_head(profiled, head, i)]);
    let own: Vec<Thresholds> = (0..run.cols / head).map(own).collect();
    let (bits, db) = store(run.vectors().map(|vector| (vector, &layer)));
    // a slice is a part of the record behind a header of its own: the same values
    let headers = 8.0 * HEADER_BYTES as f64 * (1.0 / head as f64 - 1.0 / run.cols as f64);
    let heads = || run.vectors().flat_map(|vector| vector.chunks_exact(head).enumerate());
    [(bits + headers, db), store(heads().map(|(_, x)| (x, &layer))), store(heads().map(|(i, x)| (x, &own[i])))]
}

/// One head of each vector.
fn of_head(tensor: &KvTensor, head: usize, i: usize) -> KvTensor {
    let data = tensor.vectors().flat_map(|vector| vector[i * head..][..head].to_vec()).collect();
    KvTensor { cols: head, data, ..tensor.clone() }
}

/// Bits for each element, and dB, of records of vectors.
fn store<'a>(vectors: impl Iterator<Item = (&'a [u16], &'a Thresholds)>) -> (f64, f64) {
    let (mut noise, mut bytes, mut elements) = (Noise::default(), 0, 0);
    for (vector, thresholds) in vectors {
        let record = encode(vector, DenseBits::PAPER, thresholds);
        let decoded = decode(&record.dense, &record.sparse, vector.len(), DenseBits::PAPER, thresholds)
            .expect("the encoder gives legal records only");
        noise.add(&to_f64(vector), &to_f64(&decoded));
        bytes += record.dense.len() + record.sparse.len();
        elements += vector.len();
    }
    (8.0 * bytes as f64 / elements as f64, noise.sqnr_db())
}
