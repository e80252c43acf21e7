//! The Oaken engines with AXI edges against the golden model, there and back: on real data, and on random data with random stalls.
//! Mistakes and settings are in their drivers.
//! Everything runs on the built-in simulator; where Verilator is set up, on the generated Verilog too.

use fastrand::Rng;
use hdl::engine::Engine;
use hdl::{Design, Reset};
use hw::oaken::{DequantizerAxiPorts, EngineParams, QuantizerAxiPorts};
use sim::bus::seed;
use sim::data::{Kind, Recording};
use sim::golden::oaken::{DenseBits, Thresholds, decode, encode};
use sim::oaken_bench::{Device, Parts, Pauses, dequantize, dequantizer, quantize, quantizer};
use sim::profile::{Method, Profile, Widths};
use std::path::{Path, PathBuf};
use testbenches::drivers::{random_thresholds, random_vector};

fn params(lanes: u32, max_length: u32) -> EngineParams {
    EngineParams { lanes, max_length }
}

/// The engines of simulation that this machine has.
fn engines<P>(design: &Design<P>) -> Vec<(&'static str, Box<dyn Engine>)> {
    let mut list: Vec<(&'static str, Box<dyn Engine>)> = vec![("built-in", Box::new(jit::simulator(design)))];
    if testbenches::have(&["verilator"]) {
        let model = testbenches::verilated(design, Reset::default()).unwrap_or_else(|e| panic!("{e}"));
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
        let want = encode(v, DenseBits::PAPER, t);
        assert_eq!(*got, Parts { dense: want.dense, sparse: want.sparse }, "record {i}");
    }
    let back = dequantize(d, d_engine, t, (&there.results, n), pauses, seed, &mut |_| ());
    let back = back.unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(back.results.len(), vectors.len());
    assert_eq!((back.errors, back.vectors), (0, vectors.len() as u64), "errors and vectors of the dequantizer");
    for (i, (got, record)) in back.results.iter().zip(&there.results).enumerate() {
        let want = decode(&record.dense, &record.sparse, n, DenseBits::PAPER, t).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(*got, want, "vector {i}");
    }
    (there.cycles, back.cycles)
}

#[test]
fn a_million_random_elements_with_random_stalls() {
    let p = params(16, 1024);
    let (q, d) = pair(p);
    let mut elements = 0;
    let start = seed(2024);
    for ((name, mut q_engine), (_, mut d_engine)) in engines(&q.design).into_iter().zip(engines(&d.design)) {
        let mut rng = Rng::with_seed(start);
        elements = 0;
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
    assert!(elements >= 1 << 20);
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
                if tensor.kind == Kind::Key && tensor.layer == 0 {
                    let ideal = (vectors.len() * tensor.cols / 16) as u64;
                    println!("{name}: {} vectors of {}: cycles {run:?}, ideal {ideal}", vectors.len(), tensor.cols);
                }
            }
        }
        println!("{name}: {total} real vectors equal the golden model");
    }
}
