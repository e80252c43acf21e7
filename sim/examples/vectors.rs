//! Makes `docs/oaken-vectors.json`, by which other implementations of the Oaken record format check themselves:
//! `cargo run -p kvforge-sim --example vectors`.

use std::error::Error;
use std::path::{Path, PathBuf};

use half::f16;
use serde::{Deserialize, Serialize};
use sim::data::{Kind, Recording};
use sim::golden::oaken::{DenseBits, Header, Step, Thresholds, decode, encode};
use sim::profile::{Method, Profile, Widths};

/// The file.
#[derive(Serialize, Deserialize)]
pub struct Vectors {
    /// What the fields mean.
    pub about: String,
    /// Vectors, their records, and what comes back.
    pub cases: Vec<Case>,
    /// Legal records that the reference encoder does not give.
    pub decode_only: Vec<Case>,
    /// Records that a decoder must refuse.
    pub illegal: Vec<Case>,
}

/// A vector and its record; everything but the two lengths is hexadecimal.
#[derive(Clone, Serialize, Deserialize)]
pub struct Case {
    /// What it tests.
    pub name: String,
    /// Elements.
    pub n: usize,
    /// Bits of a dense code; left out where they are 4.
    #[serde(default, skip_serializing_if = "is_papers")]
    pub dense_bits: DenseBits,
    /// S_low, T_low, T_high, S_high: binary16 bit patterns.
    pub thresholds: [String; 4],
    /// The vector: binary16, little-endian bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// The header as a number.
    pub header: String,
    /// The dense part's bytes.
    pub dense: String,
    /// The sparse part's bytes; the header is the first eight.
    pub sparse: String,
    /// What comes back: binary16, little-endian bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decoded: Option<String>,
}

const ABOUT: &str = "Test vectors of docs/oaken-format.md, version 1. n: elements; dense_bits: bits of a dense code, 4 if \
     it is not there. Everything else is hexadecimal. thresholds: S_low, T_low, \
     T_high, S_high as binary16 bit patterns; input and decoded: binary16, little-endian; header: the number; dense and \
     sparse: bytes, sparse begins with the header, little-endian. cases: encode input to dense and sparse, decode these \
     to decoded. decode_only: legal records that the reference encoder does not give. illegal: a decoder refuses them.";

fn is_papers(dense_bits: &DenseBits) -> bool {
    *dense_bits == DenseBits::PAPER
}

/// The widths other than the paper's.
fn other_widths() -> impl Iterator<Item = DenseBits> {
    DenseBits::ALL.into_iter().filter(|dense_bits| !is_papers(dense_bits))
}

/// Where the file is kept.
pub fn vectors_path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/oaken-vectors.json")
}

#[allow(dead_code)] // The test includes this file for the functions.
fn main() -> Result<(), Box<dyn Error>> {
    let text = make_text()?;
    std::fs::write(vectors_path(), &text)?;
    println!("docs/oaken-vectors.json: {} bytes", text.len());
    Ok(())
}

/// The file's text.
pub fn make_text() -> Result<String, Box<dyn Error>> {
    let mut cases = real_cases()?;
    cases.extend(made_cases()?);
    // The paper's width first; what was there before the others keeps its place.
    cases.sort_by_key(|case| (!is_papers(&case.dense_bits), case.dense_bits));
    let vectors = Vectors { about: ABOUT.into(), cases, decode_only: decode_only_cases()?, illegal: illegal_cases()? };
    Ok(serde_json::to_string_pretty(&vectors)? + "\n")
}

/// Rows of the recordings in `data/`.
fn real_cases() -> Result<Vec<Case>, Box<dyn Error>> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data");
    let mut cases = Vec::new();
    let of_the_paper = [
        ("smollm2_profile", "smollm2_run", 0, 17),
        ("smollm2_profile", "smollm2_run", 15, 100),
        ("minilm", "minilm", 5, 3),
    ];
    let others = other_widths().map(|dense_bits| (of_the_paper[0], dense_bits));
    for ((profiled, run, layer, row), dense_bits) in
        of_the_paper.into_iter().map(|row| (row, DenseBits::PAPER)).chain(others)
    {
        let profiled = Recording::read(data.join(profiled).with_extension("safetensors"))?;
        let recording = Recording::read(data.join(run).with_extension("safetensors"))?;
        let profile = Profile::from_recordings(&[profiled], Method::default(), Widths::default())?;
        for kind in [Kind::Key, Kind::Value] {
            let thresholds = profile.layer(layer, kind)?.thresholds;
            let tensor = recording.tensor(layer, kind).ok_or("the recording has no such layer")?;
            let vector = tensor.vectors().nth(row).ok_or("the recording has no such row")?;
            let name = format!("{run}: layer {layer} {kind}, token {row}");
            cases.push(encoded(&named(&name, dense_bits), vector, dense_bits, &thresholds)?);
        }
    }
    Ok(cases)
}

/// Made vectors at the paper's width, and some of them at the others.
fn made_cases() -> Result<Vec<Case>, Box<dyn Error>> {
    let made = made_vectors()?;
    let of = |dense_bits: DenseBits| {
        let chosen =
            made.iter().filter(move |(name, ..)| is_papers(&dense_bits) || AT_ALL_WIDTHS.contains(&name.as_str()));
        chosen.map(move |(name, vector, t)| encoded(&named(name, dense_bits), vector, dense_bits, t))
    };
    of(DenseBits::PAPER).chain(other_widths().flat_map(of)).collect()
}

/// Names of the made vectors that are there at all widths: where the width decides, and where it must not.
const AT_ALL_WIDTHS: [&str; 10] = [
    "all equal, middle, negative: split 16",
    "all outliers, both groups and sides",
    "zeros of both signs",
    "subnormals, thresholds zero",
    "the widest range, all middle",
    "the widest range, all outer",
    "the widest range, all inner",
    "one positive element: split at most 15",
    "a step that is coarser than the range needs",
    "bit patterns all over",
];

/// A case's name at a width. What it says of `split` is so at the paper's width only.
fn named(name: &str, dense_bits: DenseBits) -> String {
    let without_split = name.split(": split").next().unwrap_or(name);
    if is_papers(&dense_bits) { name.into() } else { format!("{without_split}, {dense_bits} bits") }
}

/// A name, a vector, and its thresholds.
type Made = (String, Vec<u16>, Thresholds);

/// Made vectors: the corners of the format.
fn made_vectors() -> Result<Vec<Made>, Box<dyn Error>> {
    let usual = Thresholds::from_f32(-2.0, -0.125, 0.25, 3.0)?;
    let zero = Thresholds::from_f32(0.0, 0.0, 0.0, 0.0)?;
    let tiny = Thresholds::from_bits(0x8010, 0x8001, 0x0002, 0x0020)?;
    let widest = Thresholds::from_f32(-65504.0, -65504.0, 65504.0, 65504.0)?;
    let all_middle = Thresholds::from_f32(-65504.0, 0.0, 0.0, 65504.0)?;
    let ramp = |n: usize, from: f32, to: f32| -> Vec<u16> {
        (0..n).map(|i| f16::from_f32(from + (to - from) * i as f32 / (n - 1) as f32).to_bits()).collect()
    };
    let with = |mut vector: Vec<u16>, changes: &[(usize, u16)]| {
        changes.iter().for_each(|&(i, bits)| vector[i] = bits);
        vector
    };
    let spread: Vec<u16> = (0..128_u16).map(|i| i.wrapping_mul(40503) & 0xfbff).collect();
    let cases: Vec<(&str, Vec<u16>, Thresholds)> = vec![
        ("all equal, middle", vec![0x3c00; 64], usual),
        ("all equal, middle, negative: split 16", vec![0xbc00; 64], usual),
        ("all equal, outer", vec![0x4900; 64], usual),
        ("all equal, inner", vec![0x2c00; 64], usual),
        (
            "all outliers, both groups and sides",
            ramp(64, -0.125, 0.25)
                .iter()
                .zip(ramp(64, -9.0, 40.0))
                .enumerate()
                .map(|(i, (&inner, outer))| if i % 2 == 0 { inner } else { outer | 0x4200 })
                .collect(),
            usual,
        ),
        ("no outlier, both sides", ramp(64, -2.0, -0.1875).into_iter().chain(ramp(64, 0.3125, 3.0)).collect(), usual),
        ("zeros", vec![0; 64], usual),
        ("zeros of both signs", (0..64).map(|i| (i & 1) << 15).collect(), usual),
        ("subnormals, subnormal thresholds", (0..64).map(|i| i | (i & 1) << 15).collect(), tiny),
        ("subnormals, thresholds zero", (0..64).map(|i| i | (i & 2) << 14).collect(), zero),
        ("thresholds zero", ramp(64, -7.0, 5.0), zero),
        (
            "equal to the thresholds and beside them",
            [0xc000, 0xc001, 0xb000, 0xb001, 0x3400, 0x3401, 0x4200, 0x4201].repeat(8),
            usual,
        ),
        (
            "infinities and NaN",
            with(ramp(64, -1.0, 1.0), &[(3, 0x7c00), (20, 0xfc00), (33, 0x7e00), (63, 0xfd01)]),
            usual,
        ),
        ("the widest range, all middle", ramp(64, -65504.0, 65504.0), all_middle),
        ("the widest range, all outer", ramp(64, -65504.0, 65504.0), zero),
        ("the widest range, all inner", ramp(64, -65504.0, 65504.0), widest),
        ("a single outlier", with(vec![0x3c00; 128], &[(127, 0xd640)]), usual),
        ("one negative element: split at least 1", with(ramp(64, 0.3125, 3.0), &[(9, 0xb040)]), usual),
        ("one positive element: split at most 15", with(ramp(64, -2.0, -0.1875), &[(9, 0x3401)]), usual),
        ("a step that is coarser than the range needs", with(vec![0x4201; 64], &[(1, 0x4202), (2, 0xc001)]), usual),
        ("bit patterns all over", spread, usual),
        ("512 elements", ramp(512, -3.5, 3.5), usual),
    ];
    Ok(cases.into_iter().map(|(name, vector, thresholds)| (name.into(), vector, thresholds)).collect())
}

/// Legal records at the ends of the fields, at every width.
fn decode_only_cases() -> Result<Vec<Case>, Box<dyn Error>> {
    let cases = std::iter::once(DenseBits::PAPER).chain(other_widths()).map(decode_only_at);
    Ok(cases.collect::<Result<Vec<_>, _>>()?.concat())
}

fn decode_only_at(dense_bits: DenseBits) -> Result<Vec<Case>, Box<dyn Error>> {
    let usual = Thresholds::from_f32(-2.0, -0.125, 0.25, 3.0)?;
    let zero = Thresholds::from_f32(0.0, 0.0, 0.0, 0.0)?;
    let codes = all_codes(dense_bits);
    let coarsest = Step { exponent: dense_bits.max_step_exponent(), fraction: 127 };
    let finest = Step { exponent: 1, fraction: 0 };
    let all = |step, split| Header {
        middle: step,
        outer_positive: step,
        outer_negative: step,
        inner: step,
        split,
        nonfinite: false,
        dense_bits,
    };
    let (most, half) = (dense_bits.codes(), dense_bits.codes() / 2);
    // Positions 0 to 31: inner and outer, positive and negative in turn.
    let entries: Vec<u8> = (0..32).map(|i| i | (i & 3) << 6).collect();
    let records = [
        ("the coarsest steps: not beyond 65504".into(), all(coarsest, half), usual),
        ("steps zero, all codes".into(), all(Step::ZERO, half), usual),
        ("the finest steps, thresholds zero".into(), all(finest, 5), zero),
        ("split 0: all middle codes positive".into(), all(Step { exponent: 25, fraction: 85 }, 0), usual),
        (format!("split {most}: all middle codes negative"), all(Step { exponent: 25, fraction: 85 }, most), usual),
    ];
    let cases = records.into_iter().map(|(name, header, thresholds)| {
        let mut sparse = header.to_bits().to_le_bytes().to_vec();
        sparse.push(32);
        sparse.extend(&entries);
        let decoded = decode(&codes, &sparse, 64, dense_bits, &thresholds)?;
        let name = if is_papers(&dense_bits) { name } else { format!("{name}, {dense_bits} bits") };
        let record = record_case(&name, (64, dense_bits), &thresholds, &codes, &sparse);
        Ok(Case { decoded: Some(hex_words(&decoded)), ..record })
    });
    cases.collect()
}

/// The dense part of 64 elements whose codes count up, again and again.
fn all_codes(dense_bits: DenseBits) -> Vec<u8> {
    let width = dense_bits.get() as usize;
    let mut dense = vec![0; 8 * width];
    for bit in 0..64 * width {
        let code = bit / width % dense_bits.codes() as usize;
        dense[bit / 8] |= ((code >> (bit % width) & 1) as u8) << (bit % 8);
    }
    dense
}

/// One record for every way to break section 3.
fn illegal_cases() -> Result<Vec<Case>, Box<dyn Error>> {
    let usual = Thresholds::from_f32(-2.0, -0.125, 0.25, 3.0)?;
    let none = vec![0; 32];
    let with_header = |bits: u64, rest: &[u8]| [&bits.to_le_bytes()[..], rest].concat();
    let mut records: Vec<(String, DenseBits, Vec<u8>, Vec<u8>)> = [
        ("the dense part is cut short", vec![0; 31], with_header(0, &[0])),
        ("the header is cut short", none.clone(), vec![0; 7]),
        ("no count byte", none.clone(), with_header(0, &[])),
        ("a count above 64", none.clone(), with_header(0, &[65])),
        ("fewer entries than the count", none.clone(), with_header(0, &[3, 0, 1])),
        ("a byte too many", none.clone(), with_header(0, &[0, 0])),
        ("the same position twice", none.clone(), with_header(0, &[2, 5, 0x45])),
        ("positions descend", none.clone(), with_header(0, &[2, 5, 4])),
        ("header bit 58 set", none.clone(), with_header(1 << 58, &[0])),
        ("E = 0 and F = 1", none.clone(), with_header(1, &[0])),
        ("E = 39", none.clone(), with_header(39 << 46, &[0])),
        // 0.25 is 2^22 in units of 2^-24, so E must be 16 or more.
        ("the middle step is too fine beside T_high", none.clone(), with_header(15 << 7, &[0])),
        ("split 17", none.clone(), with_header(17 << 52, &[0])),
        ("header bit 63 set", none.clone(), with_header(1 << 63, &[0])),
        ("header of 5 bits", none, with_header(1 << 60, &[0])),
    ]
    .map(|(name, dense, sparse)| (name.into(), DenseBits::PAPER, dense, sparse))
    .into();
    for dense_bits in other_widths() {
        let (b, none) = (dense_bits.get(), vec![0; dense_bits.dense_bytes(64)]);
        let (width, split, exponent) = (u64::from(b ^ 4) << 60, u64::from(dense_bits.codes() + 1), u64::from(43 - b));
        let mut add = |name: String, dense: &[u8], header: u64| {
            records.push((format!("{name}, {b} bits"), dense_bits, dense.into(), with_header(header, &[0])));
        };
        add("the dense part has a byte too many".into(), &[&none[..], &[0]].concat(), width);
        add("header of 4 bits".into(), &none, 0);
        add(format!("E = {exponent}"), &none, width | exponent << 46);
        add(format!("split {split}"), &none, width | (split & 31) << 52 | split >> 5 << 58);
    }
    let refused = |(name, dense_bits, dense, sparse): (String, DenseBits, Vec<u8>, Vec<u8>)| {
        if decode(&dense, &sparse, 64, dense_bits, &usual).is_ok() {
            return Err(format!("{name}: the model takes it").into());
        }
        Ok(record_case(&name, (64, dense_bits), &usual, &dense, &sparse))
    };
    records.into_iter().map(refused).collect()
}

fn encoded(name: &str, vector: &[u16], dense_bits: DenseBits, thresholds: &Thresholds) -> Result<Case, Box<dyn Error>> {
    let record = encode(vector, dense_bits, thresholds);
    let decoded = decode(&record.dense, &record.sparse, vector.len(), dense_bits, thresholds)?;
    let (input, decoded) = (Some(hex_words(vector)), Some(hex_words(&decoded)));
    Ok(Case {
        input,
        decoded,
        ..record_case(name, (vector.len(), dense_bits), thresholds, &record.dense, &record.sparse)
    })
}

fn record_case(
    name: &str,
    (n, dense_bits): (usize, DenseBits),
    thresholds: &Thresholds,
    dense: &[u8],
    sparse: &[u8],
) -> Case {
    let header: String = sparse.iter().take(8).rev().map(|byte| format!("{byte:02x}")).collect();
    Case {
        name: name.into(),
        n,
        dense_bits,
        thresholds: thresholds.bits().map(|bits| format!("{bits:04x}")),
        input: None,
        header,
        dense: hex(dense),
        sparse: hex(sparse),
        decoded: None,
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn hex_words(words: &[u16]) -> String {
    hex(&words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>())
}
