//! The Oaken engines with AXI edges against the golden model, there and back: on real data, and on random data with random stalls.
//! Mistakes and settings are in their drivers.
//! Everything runs on the built-in simulator; where Verilator is set up, on the generated Verilog too.

use fastrand::Rng;
use hdl::engine::Engine;
use hdl::{Design, Reset};
use hw::oaken::{DequantizerAxiPorts, EngineParams, QuantizerAxiPorts};
use sim::bus::seed;
use sim::data::Recording;
use sim::golden::oaken::{Thresholds, decode, encode};
use sim::oaken_bench::{Device, Parts, Pauses, dequantize, dequantizer, quantize, quantizer};
use sim::profile::{Method, Profile, Widths};
use std::path::{Path, PathBuf};
use testbenches::drivers::{random_thresholds, random_vector};

fn params(lanes: u32, max_length: u32) -> EngineParams {
    EngineParams { lanes, max_length, dense_bits: 4, settings: 1 }
}

/// The engines of simulation that this machine has.
fn engines<P>(design: &Design<P>) -> Vec<(&'static str, Box<dyn Engine>)> {
    let mut list: Vec<(&'static str, Box<dyn Engine>)> = vec![("built-in", Box::new(jit::simulator(design)))];
    if testbenches::have(&["verilator"]) {
        let model = sim::verilator::Model::of(design, Reset::default()).unwrap_or_else(|e| panic!("{e}"));
        list.push(("Verilator", Box::new(model)));
    }
    list
}

fn pair(p: EngineParams) -> (Device<QuantizerAxiPorts>, Device<DequantizerAxiPorts>) {
    let q = quantizer("quantizer", p).unwrap_or_else(|e| panic!("{e}"));
    (q, dequantizer("dequantizer", p).unwrap_or_else(|e| panic!("{e}")))
}

/// There and back again on one engine of simulation; everything must equal the golden model. The cycles of both ways.
fn there_and_back(
    (q, d): (&Device<QuantizerAxiPorts>, &Device<DequantizerAxiPorts>),
    (q_engine, d_engine): (&mut dyn Engine, &mut dyn Engine),
    t: &Thresholds,
    vectors: &[&[u16]],
    pauses: Pauses,
    seed: u64,
) -> (u64, u64) {
    let n = vectors[0].len();
    let there = quantize(q, q_engine, t, vectors, pauses, seed, &mut |_| ()).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(there.results.len(), vectors.len());
    assert_eq!(there.vectors, vectors.len() as u64, "the counter of vectors");
    for (i, (got, v)) in there.results.iter().zip(vectors).enumerate() {
        let want = encode(v, q.dense_bits(), t);
        assert_eq!(*got, Parts::from(want), "record {i}");
    }
    let back = dequantize(d, d_engine, t, (&there.results, n), pauses, seed, &mut |_| ());
    let back = back.unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(back.results.len(), vectors.len());
    assert_eq!((back.errors, back.vectors), (0, vectors.len() as u64), "errors and vectors of the dequantizer");
    for (i, (got, record)) in back.results.iter().zip(&there.results).enumerate() {
        let want = decode(&record.dense, &record.sparse, n, q.dense_bits(), t).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(*got, want, "vector {i}");
    }
    (there.cycles, back.cycles)
}

#[test]
fn a_million_random_elements_with_random_stalls() {
    let p = params(16, 1024);
    let (q, d) = pair(p);
    for ((name, mut q_engine), (_, mut d_engine)) in engines(&q.design).into_iter().zip(engines(&d.design)) {
        let mut rng = Rng::with_seed(seed(2024));
        let mut elements = 0;
        while elements < 1 << 20 {
            let n = 64 * rng.usize(1..=16);
            let t = random_thresholds(&mut rng);
            let vectors: Vec<Vec<u16>> = (0..(1 << 15) / n).map(|_| random_vector(&mut rng, n, &t)).collect();
            let vectors: Vec<&[u16]> = vectors.iter().map(|v| &v[..]).collect();
            elements += n * vectors.len();
            let pauses = [Pauses::OFTEN, Pauses::NEVER][usize::from(rng.u8(0..4) == 0)];
            there_and_back((&q, &d), (&mut *q_engine, &mut *d_engine), &t, &vectors, pauses, rng.u64(..));
        }
        println!("{name}: {elements} elements equal the golden model");
    }
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The recordings: those of the repository, and the whole ones in the folder that `KVFORGE_RECORDINGS` names.
fn recordings() -> Vec<(Recording, Profile)> {
    let mut folders = vec![(repository().join("data"), "minilm.safetensors")];
    folders.extend(std::env::var_os("KVFORGE_RECORDINGS").map(|folder| (folder.into(), "minilm_kv.safetensors")));
    let mut list = vec![];
    for (folder, minilm) in folders {
        let read = |file: &str| Recording::read(folder.join(file)).unwrap_or_else(|e| panic!("{e}"));
        let profile = |r: &Recording| {
            let all = std::slice::from_ref(r);
            Profile::from_recordings(all, Method::default(), Widths::default()).unwrap_or_else(|e| panic!("{e}"))
        };
        let smollm2 = profile(&read("smollm2_profile.safetensors"));
        list.push((read("smollm2_run.safetensors"), smollm2));
        let minilm = read(minilm);
        let own = profile(&minilm);
        list.push((minilm, own));
    }
    list
}

#[test]
fn real_data_at_full_rate() {
    let p = params(16, 512);
    let (q, d) = pair(p);
    for ((name, mut q_engine), (_, mut d_engine)) in engines(&q.design).into_iter().zip(engines(&d.design)) {
        let mut total = 0;
        for (i, (recording, profile)) in recordings().into_iter().enumerate() {
            // the whole recordings are for the faster engine
            if i >= 2 && name != "Verilator" {
                continue;
            }
            for tensor in &recording.tensors {
                let t = profile.layer(tensor.layer, tensor.kind).expect("profiled").thresholds;
                let vectors: Vec<&[u16]> = tensor.vectors().collect();
                let run = there_and_back((&q, &d), (&mut *q_engine, &mut *d_engine), &t, &vectors, Pauses::NEVER, 1);
                total += vectors.len();
                let beats = (vectors.len() * tensor.cols / 16) as u64;
                let most = beats + beats / 100;
                assert!(run.0 <= most && run.1 <= most, "{name}: {run:?} cycles for {beats} beats");
            }
        }
        println!("{name}: {total} real vectors equal the golden model");
    }
}

/// A case of docs/oaken-vectors.json.
struct Case {
    name: String,
    dense_bits: u32,
    thresholds: Thresholds,
    input: Option<Vec<u16>>,
    parts: Parts,
    decoded: Vec<u16>,
}

/// The cases that have a result: to be encoded and decoded, or only decoded.
fn cases() -> Vec<Case> {
    let file = repository().join("docs/oaken-vectors.json");
    let text = std::fs::read_to_string(file).expect("docs/oaken-vectors.json");
    let all: serde_json::Value = serde_json::from_str(&text).expect("JSON of test vectors");
    let bytes = |hex: &serde_json::Value| -> Vec<u8> {
        let hex = hex.as_str().expect("hexadecimal");
        (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).expect("hexadecimal")).collect()
    };
    let words = |hex: &serde_json::Value| bytes(hex).chunks(2).map(|b| u16::from_le_bytes([b[0], b[1]])).collect();
    let case = |case: &serde_json::Value| {
        let threshold = |i: usize| u16::from_be_bytes(bytes(&case["thresholds"][i]).try_into().expect("two bytes"));
        Case {
            name: case["name"].to_string(),
            dense_bits: case["dense_bits"].as_u64().unwrap_or(4) as u32,
            thresholds: Thresholds::from_bits(threshold(0), threshold(1), threshold(2), threshold(3)).expect("legal"),
            input: case["input"].is_string().then(|| words(&case["input"])),
            parts: Parts { dense: bytes(&case["dense"]), sparse: bytes(&case["sparse"]) },
            decoded: words(&case["decoded"]),
        }
    };
    let lists = ["cases", "decode_only"].map(|list| all[list].as_array().expect("a list"));
    lists.into_iter().flatten().map(case).collect()
}

/// The vectors of the format's page, at all widths, with 16 lanes and with a bus that a dense part does not fill (64 lanes).
#[test]
fn the_vectors_of_the_page() {
    let cases = cases();
    for (lanes, dense_bits) in [(16, 3), (16, 4), (16, 5), (16, 6), (64, 3), (64, 5)] {
        let (q, d) = pair(EngineParams { lanes, max_length: 8192, dense_bits, settings: 1 });
        let (mut q_engine, mut d_engine) = (jit::simulator(&q.design), jit::simulator(&d.design));
        let of_the_width: Vec<_> = cases.iter().filter(|case| case.dense_bits == dense_bits).collect();
        assert!(of_the_width.len() >= 17, "{dense_bits} bits: {} cases", of_the_width.len());
        for Case { name, thresholds, input, parts, decoded, .. } in of_the_width {
            if let Some(input) = input {
                let run = quantize(&q, &mut q_engine, thresholds, &[input], Pauses::NEVER, 1, &mut |_| ());
                assert_eq!(run.unwrap_or_else(|e| panic!("{e}")).results[0], *parts, "{name}, {lanes} lanes");
            }
            let records = (std::slice::from_ref(parts), decoded.len());
            let run = dequantize(&d, &mut d_engine, thresholds, records, Pauses::NEVER, 1, &mut |_| ());
            let run = run.unwrap_or_else(|e| panic!("{e}"));
            assert_eq!((&run.results[0], run.errors), (decoded, 0), "{name}, {lanes} lanes");
        }
    }
}
