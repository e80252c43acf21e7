//! Vectors that end early or late, or lose their last, where each names its setting: what stands for them, the statuses, and that those
//! behind are right.

use super::{device, random_settings};
use fastrand::Rng;
use hw::oaken::QuantizerAxiPorts;
use sim::bus::{AxiLiteMaster, Bench, Stalls, packet_bytes, seed};
use sim::golden::oaken::{Thresholds, encode};
use sim::oaken_bench::{Device, Parts, Pauses, misfit, numbered};
use testbenches::drivers::random_vector;

const EARLY: u64 = 1;
const LATE: u64 = 2;
const NONFINITE: u64 = 4;

/// What is sent as one packet: the elements of one vector or of several that hang together, and the number that it names.
struct Packet {
    number: usize,
    elements: Vec<u16>,
}

/// The vectors that the engine makes of a packet, and what it flags: it is cut or filled to the length of its setting, and for each such
/// length of surplus a vector of zeros comes.
fn vectors_of(packet: &Packet, table: &[(usize, Thresholds)]) -> (Vec<Vec<u16>>, u64) {
    let n = table[packet.number].0;
    let mut vector = packet.elements.clone();
    vector.resize(n, 0);
    let surplus = packet.elements.len().saturating_sub(n);
    let flag = match packet.elements.len() {
        length if length < n => EARLY,
        length if length > n => LATE,
        _ => 0,
    };
    let mut vectors = vec![vector];
    vectors.resize(1 + surplus / n, vec![0; n]);
    (vectors, flag)
}

/// A packet of random length, or of some vectors without their lasts.
fn random_packet(rng: &mut Rng, table: &[(usize, Thresholds)], lanes: usize) -> Packet {
    let number = rng.usize(0..table.len());
    let (n, t) = &table[number];
    let beats = n / lanes;
    let length = lanes
        * match rng.u32(0..6) {
            0 => rng.usize(1..=beats),
            1 => beats + 1,
            2 => beats + rng.usize(1..=2 * beats + 1),
            3 => return hung_together(rng, table, number),
            _ => beats,
        };
    Packet { number, elements: random_vector(rng, length, t) }
}

/// Vectors of several settings that lost their lasts, behind one that names `number`.
fn hung_together(rng: &mut Rng, table: &[(usize, Thresholds)], number: usize) -> Packet {
    let mut elements = random_vector(rng, table[number].0, &table[number].1);
    for _ in 0..rng.usize(1..=2) {
        let (n, t) = &table[rng.usize(0..table.len())];
        elements.extend(random_vector(rng, *n, t));
    }
    Packet { number, elements }
}

/// Sends the packets; the records, the errors, the count of vectors and the status.
fn quantized(
    q: &Device<QuantizerAxiPorts>,
    table: &[(usize, Thresholds)],
    packets: &[Packet],
    pauses: Pauses,
    seed: u64,
    records: usize,
) -> (Vec<Parts>, [u64; 3]) {
    let (design, io) = (&q.design, &q.design.ports);
    let mut engine = jit::simulator(design);
    let mut bench = Bench::new(&mut engine, seed);
    let axil = AxiLiteMaster::new(&mut bench, design, &io.s_axil, Stalls::Never);
    let elements = bench.source(design, &io.s_axis, pauses.elements);
    let dense = bench.sink(design, &io.m_axis_dense, pauses.dense);
    let sparse = bench.sink(design, &io.m_axis_sparse, pauses.sparse);
    bench.reset().unwrap_or_else(|e| panic!("{e}"));
    q.store(&mut bench, &axil, table).expect("answers");
    for packet in packets {
        bench.send(elements, numbered(misfit(&packet.elements, q.params.lanes), Some(packet.number)));
    }
    for _ in 0..4000 {
        bench.run(50).unwrap_or_else(|e| panic!("{e}"));
        if [dense, sparse].iter().all(|sink| packet_bytes(bench.beats(*sink)).len() >= records) {
            break;
        }
    }
    bench.run(200).unwrap_or_else(|e| panic!("{e}"));
    let says = ["errors", "vectors", "status"].map(|at| axil.read(&mut bench, q.address(at)).expect("answers").1);
    let parts = packet_bytes(bench.beats(dense)).into_iter().zip(packet_bytes(bench.beats(sparse)));
    (parts.map(|(dense, sparse)| Parts { dense, sparse }).collect(), says)
}

#[test]
fn vectors_that_do_not_end_where_their_setting_says() {
    let cases = [(1, 4, 2), (4, 4, 4), (8, 6, 2), (16, 4, 64), (16, 5, 2), (32, 4, 8), (64, 4, 16), (64, 3, 2)];
    for ((lanes, dense_bits, settings), pauses) in
        cases.into_iter().flat_map(|case| [Pauses::NEVER, Pauses::OFTEN].map(|pauses| (case, pauses)))
    {
        let q = device(lanes, dense_bits, settings);
        let seed = seed(u64::from(lanes) + 70);
        let mut rng = Rng::with_seed(seed);
        let table = random_settings(&mut rng, settings);
        let packets: Vec<Packet> = (0..40).map(|_| random_packet(&mut rng, &table, lanes as usize)).collect();
        let made: Vec<_> = packets.iter().map(|packet| (packet.number, vectors_of(packet, &table))).collect();
        let want: Vec<(usize, &Vec<u16>)> =
            made.iter().flat_map(|(number, (vectors, _))| vectors.iter().map(|v| (*number, v))).collect();
        let flags = made.iter().fold(0, |flags, (_, (_, flag))| flags | flag);
        let nonfinite = want.iter().any(|(_, v)| v.iter().any(|x| x & 0x7c00 == 0x7c00));
        let (got, says) = quantized(&q, &table, &packets, pauses, seed, want.len());
        let what = format!("{:?}, {pauses:?}, seed {seed}", q.params);
        let flags = flags | if nonfinite { NONFINITE } else { 0 };
        assert_eq!((got.len(), says), (want.len(), [flags, want.len() as u64, 2]), "{what}");
        for (i, (got, (number, v))) in got.iter().zip(want).enumerate() {
            let want = encode(v, q.dense_bits(), &table[number].1);
            assert_eq!(*got, Parts::from(want), "record {i} of {what}");
        }
    }
}

/// One mistake alone raises one flag, in whichever setting it is.
#[test]
fn each_mistake_raises_its_own_flag() {
    let t = Thresholds::from_f32(-1.0, -0.1, 0.1, 1.0).expect("legal");
    let table = [(512, t), (128, t)];
    let right = |number: usize| Packet { number, elements: vec![0x3800; table[number].0] };
    let q = device(16, 4, 2);
    for (number, length, flag) in [(0, 512, 0), (0, 496, EARLY), (0, 528, LATE), (1, 112, EARLY), (1, 256, LATE)] {
        let packets = [right(0), right(1), Packet { number, elements: vec![0x3800; length] }, right(1), right(0)];
        let vectors: usize = packets.iter().map(|packet| vectors_of(packet, &table).0.len()).sum();
        let (got, says) = quantized(&q, &table, &packets, Pauses::NEVER, 1, vectors);
        assert_eq!((got.len(), says), (vectors, [flag, vectors as u64, 2]), "{length} elements under {number}");
    }
}
