//! Engines of several settings while vectors may not begin: no beat of one is taken, also behind a flush in the middle of a packet, and
//! what waits is right afterwards.

use super::back::{device as dequantizer, random_records};
use super::faults::Rig;
use super::{device, random_settings, random_vectors};
use fastrand::Rng;
use sim::bus::{AxiLiteMaster, Beat, Bench, Stalls, packet, packet_bytes, seed};
use sim::golden::oaken::encode;
use sim::oaken_bench::{Pauses, numbered, to_bytes};

#[test]
fn a_disabled_quantizer_takes_nothing() {
    for lanes in [1, 16, 64] {
        let q = device(lanes, 4, 2);
        let (design, io) = (&q.design, &q.design.ports);
        let mut engine = jit::simulator(design);
        let seed = seed(u64::from(lanes) + 90);
        let mut rng = Rng::with_seed(seed);
        let mut bench = Bench::new(&mut engine, seed);
        let axil = AxiLiteMaster::new(&mut bench, design, &io.s_axil, Stalls::Never);
        let elements = bench.source(design, &io.s_axis, Stalls::Never);
        let sparse = bench.sink(design, &io.m_axis_sparse, Stalls::Never);
        bench.sink(design, &io.m_axis_dense, Stalls::Never);
        bench.reset().unwrap_or_else(|e| panic!("{e}"));
        let table = random_settings(&mut rng, 2);
        q.store(&mut bench, &axil, &table).expect("answers");
        let write = |bench: &mut Bench, register: &str, value: u64| {
            axil.write(bench, q.address(register), value).expect("answers");
        };
        let beats = |number: usize, v: &[u16]| -> Vec<Beat> {
            let bytes = to_bytes(v);
            numbered(packet(&bytes, 2 * lanes as usize), Some(number))
        };
        for round in 0..4 {
            let what = format!("round {round}, {lanes} lanes, seed {seed}");
            if round > 1 {
                // a vector of which a beat came, and that a flush ends
                write(&mut bench, "enable", 1);
                let mut first = beats(0, &vec![0; table[0].0]);
                first.truncate(1);
                first[0].0[2] = 0u32.into();
                bench.send(elements, first);
                bench.run(200).unwrap_or_else(|e| panic!("{e}"));
            }
            write(&mut bench, "enable", 0);
            if round > 1 {
                write(&mut bench, "flush", 1);
                bench.run(2000).unwrap_or_else(|e| panic!("{e}"));
                write(&mut bench, "flush", 0);
            }
            let before = packet_bytes(bench.beats(sparse)).len();
            let vectors = random_vectors(&mut rng, &table, 3);
            vectors.iter().for_each(|(number, v)| bench.send(elements, beats(*number, v)));
            let all = bench.unsent(elements);
            bench.run(300).unwrap_or_else(|e| panic!("{e}"));
            let status = axil.read(&mut bench, q.address("status")).expect("answers").1;
            assert_eq!((bench.unsent(elements), status), (all, 2), "{what}");
            write(&mut bench, "enable", 1);
            bench.run(3000 + 4 * 3 * 512 / u64::from(lanes)).unwrap_or_else(|e| panic!("{e}"));
            let want: Vec<Vec<u8>> =
                vectors.iter().map(|(i, v)| encode(v, q.dense_bits(), &table[*i].1).sparse).collect();
            assert_eq!(packet_bytes(bench.beats(sparse))[before..], want, "{what}");
        }
    }
}

#[test]
fn a_disabled_dequantizer_takes_nothing_behind_a_flush() {
    for lanes in [1, 16, 64] {
        let d = dequantizer(lanes, 4, 2);
        let mut engine = jit::simulator(&d.design);
        let mut rng = Rng::with_seed(seed(u64::from(lanes) + 91));
        let table = random_settings(&mut rng, 2);
        let mut rig = Rig::new(&d, &mut engine, &table, Pauses::NEVER, 1);
        // a word of a packet that does not end
        let open = random_records(&d, &mut rng, &table, 1);
        let mut word = rig.sparse_beats(&open[0], false);
        word.truncate(1);
        word[0].0[2] = 0u32.into();
        rig.bench.send(rig.sparse, word);
        rig.bench.run(100).unwrap_or_else(|e| panic!("{e}"));
        rig.write("enable", 0);
        rig.write("flush", 1);
        rig.bench.run(2000).unwrap_or_else(|e| panic!("{e}"));
        rig.write("flush", 0);
        let records = random_records(&d, &mut rng, &table, 3);
        records.iter().for_each(|record| rig.send(record));
        let unsent = |rig: &Rig| rig.bench.unsent(rig.dense) + rig.bench.unsent(rig.sparse);
        let all = unsent(&rig);
        rig.bench.run(100).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!((unsent(&rig), rig.read("status")), (all, 2), "{lanes} lanes");
    }
}
