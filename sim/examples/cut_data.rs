//! Cuts the recordings in `data/` from the full ones: `cargo run -p kvforge-sim --example cut_data -- FROM TO`.
//!
//! FROM is a folder with the full smollm2_profile, smollm2_run, smollm2_long, smollm2_vq and minilm_kv recordings (safetensors,
//! F16), TO the folder to write into. See data/README.md.

use std::collections::HashMap;
use std::error::Error;
use std::path::Path;

use safetensors::{Dtype, tensor::TensorView};
use sim::data::{Kind, KvTensor, Recording, read_matrices, read_queries};

/// Full recording, cut recording, layers (all if empty), tokens.
const CUTS: [(&str, &str, &[u32], usize); 3] = [
    ("smollm2_profile", "smollm2_profile", &[], 224),
    ("smollm2_run", "smollm2_run", &[], 224),
    ("minilm_kv", "minilm", &[0, 5], 128),
];
/// What is kept with queries: the recording, layers, tokens.
const WITH_QUERIES: (&str, [u32; 2], usize) = ("smollm2_long", [0, 10], 256);
/// What is kept for codebooks: the layer, the elements of its first head, the matrix, rows and columns of its corner.
const VQ_LAYER: u32 = 10;
const VQ_HEAD: usize = 64;
const VQ_WEIGHT: &str = "weight.blk.10.ffn_down";
const VQ_TILE: usize = 256;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [from, to] = arguments.as_slice() else {
        return Err("two folders are needed: FROM TO".into());
    };
    for (full, cut, layers, tokens) in CUTS {
        let recording = Recording::read(Path::new(from).join(full).with_extension("safetensors"))?;
        let path = Path::new(to).join(cut).with_extension("safetensors");
        let bytes = cut_recording(&recording, layers, tokens)?;
        std::fs::write(&path, &bytes)?;
        println!("{}: {} bytes", path.display(), bytes.len());
    }
    let path = |folder: &str| Path::new(folder).join("smollm2_vq.safetensors");
    let bytes = cut_for_codebooks(&path(from))?;
    std::fs::write(path(to), &bytes)?;
    println!("{}: {} bytes", path(to).display(), bytes.len());
    let path = |folder: &str| Path::new(folder).join(WITH_QUERIES.0).with_extension("safetensors");
    let bytes = cut_with_queries(&path(from))?;
    std::fs::write(path(to), &bytes)?;
    println!("{}: {} bytes", path(to).display(), bytes.len());
    Ok(())
}

/// Queries, keys and values of some layers.
fn cut_with_queries(path: &Path) -> Result<Vec<u8>, Box<dyn Error>> {
    let (_, layers, tokens) = WITH_QUERIES;
    let recording = Recording::read(path)?;
    let kept = recording.tensors.iter().filter(|tensor| layers.contains(&tensor.layer));
    let mut cut: Vec<(String, Vec<u8>, [usize; 2])> = kept.map(|tensor| cut_tensor(tensor, tokens)).collect();
    for queries in read_queries(path)?.iter().filter(|queries| layers.contains(&queries.layer)) {
        let rows = queries.data.chunks(queries.cols).take(tokens);
        let bytes = rows.flatten().flat_map(|bits| bits.to_le_bytes()).collect();
        cut.push((format!("layer{}.q", queries.layer), bytes, [tokens, queries.cols]));
    }
    serialize(&cut, &recording)
}

/// What codebooks are trained from: of one layer the first head, all tokens, and the corner of a matrix of weights.
fn cut_for_codebooks(path: &Path) -> Result<Vec<u8>, Box<dyn Error>> {
    let recording = Recording::read(path)?;
    let tensors = recording.tensors.iter().filter(|tensor| tensor.layer == VQ_LAYER);
    let mut cut: Vec<(String, Vec<u8>, [usize; 2])> = tensors.map(|tensor| cut_head(tensor, VQ_HEAD)).collect();
    for matrix in read_matrices(path, &[VQ_WEIGHT.to_string()])? {
        let rows = matrix.data.chunks(matrix.cols).take(VQ_TILE);
        let bytes = rows.flat_map(|row| &row[..VQ_TILE]).flat_map(|bits| bits.to_le_bytes()).collect();
        cut.push((matrix.name, bytes, [VQ_TILE, VQ_TILE]));
    }
    serialize(&cut, &recording)
}

fn cut_head(tensor: &KvTensor, head: usize) -> (String, Vec<u8>, [usize; 2]) {
    let (name, _, [rows, _]) = cut_tensor(tensor, tensor.rows);
    let bytes = tensor.vectors().flat_map(|row| &row[..head]).flat_map(|bits| bits.to_le_bytes()).collect();
    (name, bytes, [rows, head])
}

/// The first tokens of the keys and values of some layers, as the bytes of a safetensors file.
fn cut_recording(recording: &Recording, layers: &[u32], tokens: usize) -> Result<Vec<u8>, Box<dyn Error>> {
    let kept = recording.tensors.iter().filter(|t| layers.is_empty() || layers.contains(&t.layer));
    let cut: Vec<(String, Vec<u8>, [usize; 2])> = kept.map(|tensor| cut_tensor(tensor, tokens)).collect();
    serialize(&cut, recording)
}

/// Tensors as the bytes of a safetensors file.
fn serialize(cut: &[(String, Vec<u8>, [usize; 2])], recording: &Recording) -> Result<Vec<u8>, Box<dyn Error>> {
    let views = cut.iter().map(|(name, bytes, shape)| Ok((name, TensorView::new(Dtype::F16, shape.to_vec(), bytes)?)));
    let views = views.collect::<Result<Vec<_>, safetensors::SafeTensorError>>()?;
    // One entry only: several would be written in an order that changes from run to run.
    let model = recording.model.clone().unwrap_or_default();
    let metadata = HashMap::from([("model".to_string(), model)]);
    Ok(safetensors::serialize(views, Some(metadata))?)
}

fn cut_tensor(tensor: &KvTensor, tokens: usize) -> (String, Vec<u8>, [usize; 2]) {
    let kind = match tensor.kind {
        Kind::Key => "k",
        Kind::Value => "v",
    };
    let rows = tokens.min(tensor.rows);
    let bytes = tensor.vectors().take(rows).flatten().flat_map(|bits| bits.to_le_bytes()).collect();
    (format!("layer{}.{kind}", tensor.layer), bytes, [rows, tensor.cols])
}
