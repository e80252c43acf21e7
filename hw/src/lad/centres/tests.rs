use super::*;
use ::sim::lad::Recorded;
use ::sim::lad_centres_bench::{CentreDot, CentresBench, Kind, NewKey, made_keys, random_key, recorded_keys};
use fastrand::Rng;
use hdl::bus::{Stalls, StreamPorts, run_seed, seed, span};

/// A length of 1.
const ONE: i64 = 1 << 24;

fn params(max_positions: u32) -> CentresParams {
    CentresParams { max_positions }
}

fn bench(design: &Design<CentresPorts>, p: CentresParams) -> CentresBench {
    let io = &design.ports;
    let [source, sink] = [StreamPorts::of(design, &io.s), StreamPorts::of(design, &io.m)];
    CentresBench { max_positions: p.max_positions as usize, source, sink }
}

const NEVER: [Stalls; 2] = [Stalls::Never; 2];

fn random_stalls(rng: &mut Rng) -> [Stalls; 2] {
    let stalls = [Stalls::Never, Stalls::Percent(30), Stalls::Percent(80), Stalls::Runs(40)];
    NEVER.map(|_| stalls[rng.usize(0..4)])
}

fn random_keys(bench: &CentresBench, rng: &mut Rng, count: usize) -> Vec<NewKey> {
    let key = |rng: &mut Rng| {
        let most = [0, 1, 2, rng.usize(0..60)][rng.usize(0..4)];
        let kind = Kind::random(rng);
        random_key(rng, bench.max_positions, most, kind)
    };
    (0..count).map(|_| key(rng)).collect()
}

#[test]
fn records_are_those_of_the_model() {
    for (number, max) in [16, 100, 2048, 65_535].into_iter().enumerate() {
        let p = params(max);
        let design = centres(p).unwrap_or_else(|e| panic!("{e}"));
        let (mut sim, bench) = (jit::simulator(&design), bench(&design, p));
        for round in 0..6 {
            let seed = run_seed(10 * number as u64 + round);
            let mut rng = Rng::with_seed(seed);
            let stalls = if round == 0 { NEVER } else { random_stalls(&mut rng) };
            let keys = random_keys(&bench, &mut rng, 600);
            bench.run(&mut sim, &keys, stalls, seed).unwrap_or_else(|e| panic!("{p:?}, seed {seed}: {e}"));
        }
    }
}

/// Keys of all sizes, and of equal and opposite directions.
#[test]
fn records_of_made_up_keys() {
    let p = params(2048);
    let design = centres(p).unwrap();
    let (mut sim, bench) = (jit::simulator(&design), bench(&design, p));
    let mut others = 0;
    for (round, threshold) in [0, 655, 58_982, 64_225, 0xffff, 0x1_0000].into_iter().enumerate() {
        let seed = run_seed(round as u64);
        let keys = made_keys(&mut Rng::with_seed(seed), 150, threshold);
        let times = bench.run(&mut sim, &keys, NEVER, seed).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        others += times.told.iter().filter(|told| told[3] == 0).count();
    }
    assert!(others > 300, "{others} keys with a centre");
}

/// Keys of a model: what the model of keys says of them.
#[test]
fn records_of_recorded_keys() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../data/smollm2_long.safetensors");
    let recorded = Recorded::read(path.as_ref(), 64, &[], None).expect("a recording with queries");
    let p = params(256);
    let design = centres(p).unwrap();
    let (mut sim, bench) = (jit::simulator(&design), bench(&design, p));
    let (mut keys, mut others) = (0, 0);
    for layer in 0..recorded.layers.len() {
        for cosine in [0.0, 0.01, 0.8, 0.9, 0.98, 1.0] {
            let lists = recorded_keys(&recorded, layer, (0, (cosine * 65_536.0) as u32), 1);
            let times = bench.run(&mut sim, &lists, NEVER, 1).unwrap_or_else(|e| panic!("layer {layer}: {e}"));
            keys += lists.len();
            others += times.told.iter().filter(|told| told[3] == 0).count();
        }
    }
    assert!(others > keys / 4 && others < keys, "{others} of {keys} keys have a centre");
}

#[test]
fn a_reset_in_any_cycle_forgets_all() {
    let p = params(64);
    let design = centres(p).unwrap();
    let (mut sim, bench) = (jit::simulator(&design), bench(&design, p));
    for round in 0..120 {
        let seed = run_seed(round);
        let mut rng = Rng::with_seed(seed);
        let stalls = random_stalls(&mut rng);
        let before = random_keys(&bench, &mut rng, 30);
        bench.run_for(&mut sim, &before, stalls, (seed, rng.u64(1..200))).unwrap_or_else(|e| panic!("{e}"));
        let after = random_keys(&bench, &mut rng, 10);
        bench.run(&mut sim, &after, stalls, seed).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
    }
}

fn centre(position: usize, factor: u16, dot: i64) -> CentreDot {
    CentreDot { position, factor, dot, faulty: false }
}

/// What is said of keys of length 1, or of another square, at position 50: centre, factor, whether it is its own centre, cause.
fn records(keys: &[(u32, i64, &[CentreDot])]) -> Vec<[u64; 4]> {
    let p = params(64);
    let design = centres(p).unwrap();
    let bench = bench(&design, p);
    let keys: Vec<NewKey> = keys
        .iter()
        .map(|(threshold, square, centres)| NewKey {
            position: 50,
            threshold: *threshold,
            square: *square,
            faulty: false,
            centres: centres.to_vec(),
        })
        .collect();
    let times = bench.run(&mut jit::simulator(&design), &keys, NEVER, 1).unwrap_or_else(|e| panic!("{e}"));
    times.told.iter().map(|told| [1, 2, 3, 4].map(|i| told[i])).collect()
}

#[test]
fn of_equal_projections_the_oldest_counts() {
    let same = [centre(1, 0x3c00, ONE / 4), centre(7, 0x3c00, -ONE / 2), centre(9, 0x3c00, ONE / 2)];
    let told = records(&[(0, ONE, &same), (0, ONE, &same[..1]), (0, ONE, &[])]);
    assert_eq!(told, [[7, 0xbc00, 0, 0], [1, 0x3c00, 0, 0], [50, 0x3c00, 1, 0]]);
}

#[test]
fn a_projection_has_to_exceed_the_threshold() {
    // half of the length, and a step of 2^-16 more: 15 bits hold it exactly
    let (half, more) = ([centre(3, 0x3c00, ONE / 2)], [centre(3, 0x3c00, ONE / 2 + 256)]);
    let keys: [(u32, i64, &[CentreDot]); 5] = [
        (0x8000, ONE, &half),
        (0x7fff, ONE, &half),
        (0x8000, ONE, &more),
        (0xffff, ONE, &[centre(3, 0x3c00, ONE)]),
        (0x1_0000, ONE, &[centre(3, 0x3c00, 100 * ONE)]),
    ];
    let (own, other) = ([50, 0x3c00, 1, 0], [3, 0x3c00, 0, 0]);
    assert_eq!(records(&keys), [own, other, other, other, own]);
}

#[test]
fn lengths_and_factors_at_the_ends() {
    let near = |factor| [centre(3, factor, ONE)];
    let (zero, largest) = (near(0), near(0x7bff));
    // 2^-12, the least; 65504 and what rounds to it, infinite; reciprocals that are subnormal
    let square = |length: i64| (length << 12) * (length << 12);
    let keys: [(u32, i64, &[CentreDot]); 10] = [
        (0, 0, &[]),
        (0, 1, &[]),
        (0, square(65_504), &[]),
        (0, square(65_520) - 1, &[]),
        (0, square(65_520), &[]),
        (0, square(1 << 14), &[]),
        (0, square(3 << 13), &[]),
        (0, ONE, &zero),
        (0, 4 * ONE, &largest),
        (0, i64::MAX, &largest),
    ];
    let told = records(&keys).into_iter().map(|told| [told[1], told[2], told[3]]).collect::<Vec<_>>();
    let own = |factor| [factor, 1, 0];
    // 1/65504 is 256.125 steps of 2^-24, 1/24576 is 682.7
    let expected = [0, 0x6c00, 256, 256, 0, 0x400, 683, 0x3c00, 0x3800, 0].map(own);
    assert_eq!(told, expected);
}

/// What is moved out of a product still tells a tie from more than half.
#[test]
fn factors_about_half_of_the_least() {
    // 1366 * 2^-13 times 3 * 2^-24 is 2049/4096 steps; a quarter of two steps is a tie, which is 0
    let keys: [(u32, i64, &[CentreDot]); 2] =
        [(0, 683 * 683, &[centre(3, 3, ONE << 16)]), (0, ONE / 16, &[centre(3, 2, ONE << 16)])];
    assert_eq!(records(&keys), [[3, 1, 0, 0], [50, 0x4400, 1, 0]]);
}

#[test]
fn what_is_no_list_says_why() {
    let good = centre(3, 0x3c00, ONE);
    let at = |position| CentreDot { position, ..good };
    let with = |factor| CentreDot { factor, ..good };
    let faulty = CentreDot { faulty: true, ..good };
    let lists: [(&[CentreDot], u64); 9] = [
        (&[good, at(3)], 1),
        (&[good, at(2)], 1),
        (&[good, at(50)], 1),
        (&[good, at(51), faulty], 1),
        (&[good, CentreDot { position: 4, ..faulty }], 2),
        (&[with(0x7c00), CentreDot { position: 4, ..faulty }], 2),
        (&[with(0x7c00)], 3),
        (&[with(0x8000)], 3),
        (&[good, at(4), at(49)], 0),
    ];
    let keys = lists.map(|(list, _)| (0, ONE, list));
    let told: Vec<u64> = records(&keys).into_iter().map(|told| told[3]).collect();
    assert_eq!(told, lists.map(|(_, cause)| cause));
    assert_eq!(records(&[(0, -1, &[])])[0][3], 3);
}

#[test]
fn a_centre_in_every_cycle_and_the_stated_latencies() {
    let p = params(2048);
    let design = centres(p).unwrap();
    let bench = bench(&design, p);
    let mut rng = Rng::with_seed(seed(1));
    let mut key = |count: usize, (square, threshold): (i64, u32), factor: u16| {
        let mut key = random_key(&mut rng, 2048, 0, Kind::Any);
        (key.position, key.square, key.threshold) = (2000, square, threshold);
        key.centres = (0..count).map(|position| centre(position, factor, ONE << 16)).collect();
        key
    };
    // its own centre; another one's, without a move, by one place, and by as many as there are, to the right and to the left
    let none = 1 << 16;
    let keys = [
        key(500, (ONE, none), 0x3c00),
        key(0, (ONE, none), 0x3c00),
        key(500, (9 * ONE / 4, 0), 0x3e00),
        key(500, (ONE, 0), 0x3c00),
        key(500, (1, 0), 1),
        key(500, (ONE << 20, 0), 1),
        key(1, (9 * ONE / 4, 0), 0x3e00),
        key(1, (ONE, 0), 0x3c00),
        key(1, (1, 0), 1),
        key(0, (ONE, 0), 0x3c00),
    ];
    let times = bench.run(&mut jit::simulator(&design), &keys, NEVER, 1).unwrap();
    let (mut begin, mut from_last, mut from_first) = (0, vec![], vec![]);
    for (i, (key, record)) in keys.iter().zip(&times.records).enumerate() {
        let beats = &times.beats[begin..][..=key.centres.len()];
        assert_eq!(span(beats), beats.len() as u64, "key {i}");
        from_first.push(record - beats[0]);
        from_last.push(record - beats[beats.len() - 1]);
        begin += beats.len();
        if let Some(next) = times.beats.get(begin) {
            assert_eq!(*next, record + 1, "the list behind key {i}");
        }
    }
    let [last, own, first] = [LAST, OWN, FIRST].map(u64::from);
    assert_eq!(from_last[..6], [last - 1, own, last, last + 1, last + 11, last + 11]);
    assert_eq!(from_first[6..], [own, own, first + 11, own]);
}

#[test]
fn illegal_parameters_are_refused() {
    for max in [15, 65_536] {
        let message = centres(params(max)).unwrap_err().to_string();
        assert!(message.contains(&format!("max_positions = {max} is out of range")), "{message}");
    }
}
