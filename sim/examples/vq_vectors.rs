//! Makes `docs/vq-vectors.json`, by which other implementations of the VQ format check themselves:
//! `cargo run -p kvforge-sim --example vq_vectors`.

use std::error::Error;
use std::path::{Path, PathBuf};

use half::f16;
use serde::{Deserialize, Serialize};
use sim::data::Recording;
use sim::golden::vq::attention::Head;
use sim::golden::vq::product::{Way, matrix_vector};
use sim::golden::vq::{Algorithm, Books, Scales, Scheme, Tensor, TensorKind, VqFile, decode, encode};
use sim::vq::{Source, TrainOptions, kv_sources, pack, train};

/// The file.
#[derive(Serialize, Deserialize)]
pub struct Vectors {
    /// What the fields mean.
    pub about: String,
    /// Legal files, and what comes of them.
    pub cases: Vec<Case>,
    /// Files that a reader must refuse.
    pub illegal: Vec<Illegal>,
}

/// A file and what is computed from its first tensor.
#[derive(Serialize, Deserialize)]
pub struct Case {
    /// What it tests.
    pub name: String,
    /// Its bytes.
    pub file: String,
    /// All values, row after row.
    pub decoded: String,
    /// Of keys: a query for each head, one after the other.
    pub query: Option<String>,
    /// Of values: the weight of each token.
    pub weights: Option<String>,
    /// Of keys and values: a token's vector to encode.
    pub token: Option<String>,
    /// The bytes of its indices, head after head.
    pub encoded: Option<String>,
    /// Of weights: the vector.
    pub vector: Option<String>,
    /// Scores of all heads, sums of values of all heads, or the product: by multiplication.
    pub by_multiplication: String,
    /// The same by table; of values with one copy.
    pub by_table: Option<String>,
    /// Of values, by table with four copies.
    pub by_table_of_four: Option<String>,
}

/// A file that is not legal.
#[derive(Serialize, Deserialize)]
pub struct Illegal {
    /// Its bytes.
    pub file: String,
    /// Where the fault begins.
    pub offset: u64,
    /// What kvforge says.
    pub message: String,
}

const ABOUT: &str = "Test vectors of docs/vq-format.md, version 1. All strings but names and messages are hexadecimal: bytes, and \
     binary16 numbers as little-endian bytes. cases: a legal file, and what is computed from its first tensor. decoded: all \
     values, row after row. Keys: query holds one for each head; by_multiplication and by_table are the scores of all tokens, \
     head after head. Values: weights of the tokens; by_multiplication, by_table (one copy) and by_table_of_four (four copies) \
     are the sums, head after head. token: a vector of all heads to encode; encoded: its rows of indices, head after head. \
     Weights: by_multiplication and by_table are the matrix times vector. illegal: files that a reader refuses, with the byte \
     at which the fault begins.";

/// Where the file is kept.
pub fn vectors_path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/vq-vectors.json")
}

#[allow(dead_code)] // The test includes this file for the functions.
fn main() -> Result<(), Box<dyn Error>> {
    let text = make_text()?;
    std::fs::write(vectors_path(), &text)?;
    println!("docs/vq-vectors.json: {} bytes", text.len());
    Ok(())
}

/// The file's text.
pub fn make_text() -> Result<String, Box<dyn Error>> {
    let kv = real_kv()?;
    let mut cases = vec![];
    for algorithm in [Algorithm::Cq4, Algorithm::Cq2] {
        for source in &kv {
            cases.push(case(&format!("{algorithm}, {}", source.name), &algorithm.scheme(), source, 64, None)?);
        }
    }
    for (name, scheme) in other_kv_schemes() {
        cases.push(case(name, &scheme, &kv[0], 32, None)?);
        cases.push(case(name, &scheme, &kv[1], 64, None)?);
    }
    for algorithm in [Algorithm::Gptvq2, Algorithm::Aqlm3, Algorithm::QuipSharp4] {
        let tile = (algorithm == Algorithm::Gptvq2).then_some((16, 16));
        cases.push(case(algorithm.name(), &algorithm.scheme(), &weights(&kv[0]), 64, tile)?);
    }
    let illegal = illegal(&cases)?;
    Ok(serde_json::to_string_pretty(&Vectors { about: ABOUT.into(), cases, illegal })? + "\n")
}

/// The first tokens of layer 10 of a recording in `data/`, and of these the first 128 elements.
fn real_kv() -> Result<Vec<Source>, Box<dyn Error>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/smollm2_run.safetensors");
    let sources = kv_sources(&[Recording::read(path)?], &[10])?;
    let (rows, cols) = (12, 128);
    let cut = |source: Source| {
        let data = source.data.chunks(source.cols).take(rows).flat_map(|row| &row[..cols]).copied().collect();
        Source { rows, cols, data, ..source }
    };
    Ok(sources.into_iter().map(cut).collect())
}

/// Numbers of a recording as a matrix of weights, smaller than they were.
fn weights(source: &Source) -> Source {
    let (rows, cols) = (24, 40);
    let smaller = |&bits: &u16| f16::from_f32(f16::from_bits(bits).to_f32() / 64.0).to_bits();
    let data = source.data.iter().take(rows * cols).map(smaller).collect();
    Source { kind: TensorKind::Weight, layer: 0, name: "weight.test".into(), rows, cols, data }
}

/// Widths that fill no bytes, several residuals, scales.
fn other_kv_schemes() -> [(&'static str, Scheme); 2] {
    let scheme = |vector, bits, residuals, books| Scheme {
        vector,
        bits,
        residuals,
        books,
        scales: Scales::None,
        inverse_ratio: 0,
    };
    [
        ("VQ<4,3,3>, books for each group", scheme(4, 3, 3, Books::Group)),
        ("VQ<16,5,2>, books for each head", scheme(16, 5, 2, Books::Tile)),
    ]
}

fn case(
    name: &str,
    scheme: &Scheme,
    source: &Source,
    head: usize,
    tile: Option<(usize, usize)>,
) -> Result<Case, Box<dyn Error>> {
    let rotation = (scheme.books == Books::Lattice).then_some(8);
    let options = TrainOptions { iterations: 10, rounds: 2, head, tile, rotation, ..TrainOptions::default() };
    let sources = std::slice::from_ref(source);
    let file = pack(&train(scheme, sources, &options, &|| ())?, sources, 2, &|| ())?;
    Ok(computed(name, &file))
}

/// A case of a file: everything that can be computed from it.
pub fn computed(name: &str, file: &VqFile) -> Case {
    let (scheme, tensor) = (&file.scheme, &file.tensors[0]);
    let mut case = Case {
        name: name.into(),
        file: hex(&file.to_bytes()),
        decoded: words(&decode::tensor16(scheme, tensor)),
        query: None,
        weights: None,
        token: None,
        encoded: None,
        vector: None,
        by_multiplication: String::new(),
        by_table: None,
        by_table_of_four: None,
    };
    match tensor.kind {
        TensorKind::Key => with_scores(&mut case, scheme, tensor),
        TensorKind::Value => with_values(&mut case, scheme, tensor),
        TensorKind::Weight => with_product(&mut case, scheme, tensor),
    }
    if tensor.kind != TensorKind::Weight {
        with_token(&mut case, scheme, tensor);
    }
    case
}

fn heads<'a>(scheme: &'a Scheme, tensor: &'a Tensor) -> impl Iterator<Item = Head<'a>> {
    (0..tensor.part_count()).map(move |number| Head { scheme, tensor, number })
}

fn with_scores(case: &mut Case, scheme: &Scheme, tensor: &Tensor) {
    let query = numbers(tensor.cols, 1, 0.5);
    let scores = |way| {
        let of_head = |(head, query): (Head, &[u16])| head.scores(query, way);
        words(&heads(scheme, tensor).zip(query.chunks(tensor.tile_cols)).flat_map(of_head).collect::<Vec<_>>())
    };
    (case.by_multiplication, case.by_table) = (scores(Way::Multiply), Some(scores(Way::Table)));
    case.query = Some(words(&query));
}

fn with_values(case: &mut Case, scheme: &Scheme, tensor: &Tensor) {
    let weights: Vec<u16> = numbers(tensor.rows, 2, 0.2).into_iter().map(|bits| bits & 0x7fff).collect();
    let table = |copies| {
        Some(words(&heads(scheme, tensor).flat_map(|head| head.values_by_table(&weights, copies)).collect::<Vec<_>>()))
    };
    let sums = heads(scheme, tensor).flat_map(|head| head.values_by_multiplication(&weights));
    case.by_multiplication = words(&sums.collect::<Vec<_>>());
    (case.by_table, case.by_table_of_four) = (table(1), table(4));
    case.weights = Some(words(&weights));
}

fn with_product(case: &mut Case, scheme: &Scheme, tensor: &Tensor) {
    let vector = numbers(tensor.cols, 3, 1.0);
    let product = |way| words(&matrix_vector(scheme, tensor, &vector, way));
    case.by_multiplication = product(Way::Multiply);
    case.by_table = (scheme.books != Books::Lattice).then(|| product(Way::Table));
    case.vector = Some(words(&vector));
}

fn with_token(case: &mut Case, scheme: &Scheme, tensor: &Tensor) {
    let token = numbers(tensor.cols, 4, 2.0);
    let row = |part: sim::golden::vq::Part| {
        let indices = encode::row(scheme, tensor, &part, &token[part.cols.clone()], encode::Rule::Product);
        sim::golden::vq::pack_row(&indices, scheme.bits)
    };
    case.encoded = Some(hex(&tensor.parts(scheme).flat_map(row).collect::<Vec<_>>()));
    case.token = Some(words(&token));
}

/// Made numbers of both signs up to a magnitude.
fn numbers(count: usize, seed: u64, magnitude: f64) -> Vec<u16> {
    let mut rng = fastrand::Rng::with_seed(seed);
    let number = |_| f16::from_f32(((2.0 * rng.f64() - 1.0) * magnitude) as f32).to_bits();
    (0..count).map(number).collect()
}

/// A file that is damaged in some ways, without and with a CRC that fits.
fn illegal(cases: &[Case]) -> Result<Vec<Illegal>, Box<dyn Error>> {
    let smallest = cases.iter().min_by_key(|case| case.file.len()).ok_or("no cases")?;
    let good = bytes(&smallest.file);
    let header_end = good.len().min(128);
    let changed = |changes: &[(usize, u8)]| {
        let mut bytes = good.clone();
        changes.iter().for_each(|&(at, byte)| bytes[at] = byte);
        let crc = sim::golden::vq::crc::crc32(&bytes[..header_end]).to_le_bytes();
        bytes[header_end..header_end + 4].copy_from_slice(&crc);
        bytes
    };
    let mut last = good.clone();
    *last.last_mut().ok_or("an empty file")? ^= 1;
    let cut = good[..good.len() - 8].to_vec();
    let mut flipped = good.clone();
    flipped[header_end + 16] ^= 4;
    let files = [
        changed(&[(0, b'k')]),
        changed(&[(8, 2)]),
        changed(&[(11, 13)]),
        changed(&[(12, 0)]),
        changed(&[(40, 0)]),
        cut,
        last,
        flipped,
    ];
    let refused = |file: Vec<u8>| {
        let error = VqFile::from_bytes(&file).err().ok_or("a damaged file is legal")?;
        Ok(Illegal { file: hex(&file), offset: error.offset, message: error.fault.to_string() })
    };
    files.into_iter().map(refused).collect()
}

/// Bytes as text.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Text as bytes.
pub fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).expect("hexadecimal")).collect()
}

fn words(words: &[u16]) -> String {
    hex(&words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>())
}
