//! The Oaken engines with AXI edges against the golden model: on real data, on random data with random stalls, with mistakes.
//! Everything runs on the built-in simulator; where Verilator is set up, on the generated Verilog too.

use fastrand::Rng;
use hdl::engine::Engine;
use hdl::{Design, Reset};
use hw::oaken::{DequantizerAxiPorts, EngineParams, QuantizerAxiPorts};
use sim::bus::{AxiLiteMaster, Bench, Response, Stalls, packet_bytes, seed};
use sim::data::{Kind, Recording};
use sim::golden::oaken::{Thresholds, decode, encode};
use sim::oaken_bench::{Device, Parts, Pauses, dequantize, dequantizer, misfit, quantize, quantizer};
use sim::profile::{Fractions, Profile, Tails};
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
        let want = encode(v, t);
        assert_eq!(*got, Parts { dense: want.dense, sparse: want.sparse }, "record {i}");
    }
    let back = dequantize(d, d_engine, t, (&there.results, n), pauses, seed, &mut |_| ());
    let back = back.unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(back.results.len(), vectors.len());
    assert_eq!((back.errors, back.vectors), (0, vectors.len() as u64), "errors and vectors of the dequantizer");
    for (i, (got, record)) in back.results.iter().zip(&there.results).enumerate() {
        let want = decode(&record.dense, &record.sparse, n, t).unwrap_or_else(|e| panic!("{e}"));
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

/// The recordings: those of the repository, and the whole ones where they lie beside it.
fn recordings() -> Vec<(Recording, Profile)> {
    let mut folders = vec![("data", "minilm.safetensors")];
    if repository().join("../shared/data").is_dir() {
        folders.push(("../shared/data", "minilm_kv.safetensors"));
    } else {
        println!("skipped: the whole recordings are not beside the repository; its own part is used");
    }
    let mut list = vec![];
    for (folder, minilm) in folders {
        let read = |file: &str| Recording::read(repository().join(folder).join(file)).unwrap_or_else(|e| panic!("{e}"));
        let profile = |r: &Recording| {
            let all = std::slice::from_ref(r);
            Profile::from_recordings(all, Fractions::PAPER, Tails::Magnitude).unwrap_or_else(|e| panic!("{e}"))
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

#[test]
fn mistakes_are_flagged_and_the_next_vector_is_right() {
    let p = params(4, 256);
    let (q, _) = pair(p);
    let t = Thresholds::from_f32(-1.0, -0.1, 0.1, 1.0).expect("legal");
    let mut rng = Rng::with_seed(5);
    let good: Vec<u16> = (0..128).map(|_| half::f16::from_f32(rng.f32() * 3.0 - 1.5).to_bits()).collect();
    let mut engine = jit::simulator(&q.design);
    let mut bench = Bench::new(&mut engine, 1);
    let ports = &q.design.ports;
    let axil = AxiLiteMaster::new(&mut bench, &q.design, &ports.s_axil, Stalls::Never);
    let s = bench.source(&q.design, &ports.s_axis, Stalls::Never);
    let dense = bench.sink(&q.design, &ports.m_axis_dense, Stalls::Never);
    let sparse = bench.sink(&q.design, &ports.m_axis_sparse, Stalls::Never);
    bench.reset().unwrap_or_else(|e| panic!("{e}"));
    let write = |bench: &mut Bench, register: &str, value: u64| {
        assert_eq!(axil.write(bench, q.address(register), value).unwrap_or_else(|e| panic!("{e}")), Response::Okay);
    };
    let [s_low, t_low, t_high, s_high] = t.bits().map(u64::from);
    for (register, value) in [("s_low", s_low), ("t_low", t_low), ("t_high", t_high), ("s_high", s_high), ("enable", 1)]
    {
        write(&mut bench, register, value);
    }
    let read =
        |bench: &mut Bench, register: &str| axil.read(bench, q.address(register)).unwrap_or_else(|e| panic!("{e}")).1;

    // illegal settings: nothing is accepted, and the status says so
    for (register, bad, fine) in
        [("length", 96, 128), ("length", 0, 128), ("length", 320, 128), ("t_high", s_high + 1, t_high)]
    {
        write(&mut bench, register, bad);
        assert_eq!(read(&mut bench, "status") & 2, 0, "{register} = {bad} is illegal");
        let before = bench.beats(dense).len();
        bench.send(s, misfit(&good, 4));
        bench.run(200).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(bench.beats(dense).len(), before, "no vector begins");
        write(&mut bench, register, fine);
        write(&mut bench, "length", 128);
        assert_eq!(read(&mut bench, "status") & 2, 2);
        bench.run(400).unwrap_or_else(|e| panic!("{e}"));
    }

    // too short, too long, and strange values
    let mut strange = good.clone();
    (strange[3], strange[77]) = (0x7e00, 0xfc00);
    let short: Vec<u16> = good[..60].to_vec();
    let long: Vec<u16> = good.iter().chain(&good[..24]).copied().collect();
    let padded: Vec<u16> = short.iter().copied().chain(std::iter::repeat_n(0, 68)).collect();
    for (sent, taken, flag) in [(&short, &padded, 1), (&long, &good, 2), (&strange, &strange, 4), (&good, &good, 0)] {
        let already = packet_bytes(bench.beats(dense)).len();
        bench.send(s, misfit(sent, 4));
        bench.send(s, misfit(&good, 4));
        bench.run(600).unwrap_or_else(|e| panic!("{e}"));
        let records: Vec<Vec<u8>> = packet_bytes(bench.beats(dense)).split_off(already);
        let sparse_records: Vec<Vec<u8>> = packet_bytes(bench.beats(sparse)).split_off(already);
        for (i, v) in [taken, &good].into_iter().enumerate() {
            let want = encode(v, &t);
            assert_eq!((&records[i], &sparse_records[i]), (&want.dense, &want.sparse), "flag {flag}, vector {i}");
        }
        assert_eq!(read(&mut bench, "errors"), flag);
        write(&mut bench, "errors", flag);
        assert_eq!(read(&mut bench, "errors"), 0, "cleared");
    }
}

#[test]
fn faulty_records_are_flagged_and_the_next_vector_is_right() {
    let t = Thresholds::from_f32(-1.0, -0.1, 0.1, 1.0).expect("legal");
    let mut rng = Rng::with_seed(6);
    let n = 192;
    let good: Vec<u16> = (0..n).map(|_| half::f16::from_f32(rng.f32() * 4.0 - 2.0).to_bits()).collect();
    let record = encode(&good, &t);
    let want = decode(&record.dense, &record.sparse, n, &t).unwrap_or_else(|e| panic!("{e}"));
    let right = Parts { dense: record.dense, sparse: record.sparse };
    let change = |f: &dyn Fn(&mut Parts)| {
        let mut parts = right.clone();
        f(&mut parts);
        parts
    };
    let entries = usize::from(right.sparse[8]);
    assert!(entries > 3, "the test needs outliers");
    let cases = [
        ("reserved bit", change(&|r| r.sparse[7] |= 0x80), 1),
        ("split", change(&|r| (r.sparse[6], r.sparse[7]) = (r.sparse[6] | 0xf0, r.sparse[7] | 1)), 1),
        ("step too fine", change(&|r| r.sparse[1] &= 0xe0), 1),
        ("count", change(&|r| r.sparse[8] = 65), 2 | 4 | 8),
        ("order", change(&|r| r.sparse.swap(9, 10)), 4),
        ("short", change(&|r| r.sparse.truncate(20)), 8),
        ("cut in a count", change(&|r| r.sparse.truncate(8 + 1 + entries)), 8),
        ("long", change(&|r| r.sparse.extend([0; 40])), 8),
        ("one byte more", change(&|r| r.sparse.push(0)), 8),
        ("dense short", change(&|r| r.dense.truncate(64)), 16),
        ("dense long", change(&|r| r.dense.extend([7; 24])), 16),
    ];
    for lanes in [1, 4, 16, 64] {
        let p = params(lanes, 256);
        let (_, d) = pair(p);
        let mut engine = jit::simulator(&d.design);
        for (name, bad, flags) in &cases {
            if lanes == 64 && bad.dense.len() % 32 != 0 {
                continue; // not a whole number of beats: no such packet can come
            }
            let records = [right.clone(), bad.clone(), right.clone(), right.clone()];
            let run = dequantize(&d, &mut engine, &t, (&records, n), Pauses::NEVER, 1, &mut |_| ());
            let run = run.unwrap_or_else(|e| panic!("{name}, {lanes} lanes: {e}"));
            assert_eq!(run.results.len(), 4, "{name}: vectors out");
            for i in [0, 2, 3] {
                assert_eq!(run.results[i], want, "{name}, {lanes} lanes: vector {i} is right");
            }
            assert_eq!(run.results[1].len(), n, "{name}: length of the faulty one");
            assert!(
                run.errors & flags != 0 && run.errors & !flags == 0,
                "{name}, {lanes} lanes: errors {:#x}",
                run.errors
            );
        }
    }
}
