//! The rate of the quantizer, vector after vector, however the outliers are spread.

use super::*;

/// How outliers are spread over a vector.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Spread {
    None,
    All,
    /// The first beat of every chunk is full.
    ChunkStarts,
    /// The first beat of every fourth chunk is full.
    FourthChunkStarts,
    /// Every other beat is full.
    EveryOtherBeat,
    FirstHalf,
    SecondHalf,
    /// Full from the beginning on, until the sparse part has as many beats as the vector.
    AsManyBeats,
    /// Any number in each chunk, anywhere in it.
    Random,
    /// Full for a while, then empty for a while.
    Bursts,
    /// Full and empty vectors by turns.
    FullAndEmpty,
    /// Vectors whose second half is full and such whose first half is, by turns.
    HalvesMeet,
    /// All but one element of each beat, which is never the same.
    AllButOne,
}

const SPREADS: [Spread; 13] = [
    Spread::None,
    Spread::All,
    Spread::ChunkStarts,
    Spread::FourthChunkStarts,
    Spread::EveryOtherBeat,
    Spread::FirstHalf,
    Spread::SecondHalf,
    Spread::AsManyBeats,
    Spread::Random,
    Spread::Bursts,
    Spread::FullAndEmpty,
    Spread::HalvesMeet,
    Spread::AllButOne,
];

/// Which elements of vector number `vector` are outliers.
fn outliers(spread: Spread, p: EngineParams, length: usize, vector: usize, rng: &mut Rng) -> Vec<bool> {
    let lanes = p.lanes as usize;
    let all = |f: &dyn Fn(usize) -> bool| (0..length).map(f).collect();
    match spread {
        Spread::None => all(&|_| false),
        Spread::All => all(&|_| true),
        Spread::ChunkStarts => all(&|i| i % 64 < lanes),
        Spread::FourthChunkStarts => all(&|i| i % 256 < lanes),
        Spread::EveryOtherBeat => all(&|i| (i / lanes).is_multiple_of(2)),
        Spread::FirstHalf => all(&|i| i < length / 2),
        Spread::SecondHalf => all(&|i| i >= length / 2),
        Spread::AsManyBeats => {
            let room = length / lanes * p.sparse_bytes() as usize - 8 - length / 64;
            all(&|i| i < room)
        }
        Spread::Random => (0..length / 64).flat_map(|_| random_chunk(rng)).collect(),
        Spread::Bursts => {
            let mut bursts = vec![];
            while bursts.len() < length {
                bursts.extend(std::iter::repeat_n(rng.bool(), rng.usize(1..300)));
            }
            bursts.truncate(length);
            bursts
        }
        Spread::FullAndEmpty => all(&|_| vector.is_multiple_of(2)),
        Spread::HalvesMeet => all(&|i| (i < length / 2) == (vector % 2 == 1)),
        Spread::AllButOne => all(&|i| i % lanes != i / lanes % lanes),
    }
}

fn random_chunk(rng: &mut Rng) -> Vec<bool> {
    let number = rng.usize(0..=64);
    let mut chunk: Vec<bool> = (0..64).map(|i| i < number).collect();
    rng.shuffle(&mut chunk);
    chunk
}

/// Elements of the middle group, and outer ones where outliers are.
fn elements(outliers: &[bool], rng: &mut Rng) -> Vec<u16> {
    let element = |outlier: &bool| half::f16::from_f32(if *outlier { 2.0 } else { 0.3 } + 0.5 * rng.f32()).to_bits();
    outliers.iter().map(element).collect()
}

/// The cycles of the vectors behind the first one, and the most that they may be: for each its beats, or those of its sparse part.
fn cycles(built: &Built<QuantizerPorts>, spread: Spread, length: usize, number: usize) -> (u64, f64) {
    let p = built.p;
    let t = oaken::Thresholds::from_f32(-1.0, -0.1, 0.1, 1.0).expect("legal");
    let mut rng = Rng::with_seed(sim::bus::seed(5));
    let spreads: Vec<Vec<bool>> = (0..number).map(|i| outliers(spread, p, length, i, &mut rng)).collect();
    let vectors: Vec<Vec<u16>> = spreads.iter().map(|outliers| elements(outliers, &mut rng)).collect();
    let run = run(built, &t, &vectors, NEVER, 1);
    compare(p, &run.records, &vectors, &t);
    let sparse_beats = |outliers: &Vec<bool>| {
        let bytes = 8 + length / 64 + outliers.iter().filter(|outlier| **outlier).count();
        bytes.div_ceil(p.sparse_bytes() as usize)
    };
    let beats = length / p.lanes as usize;
    let least: usize = spreads[1..].iter().map(|outliers| sparse_beats(outliers).max(beats)).sum();
    (run.ends[number - 1] - run.ends[0], 1.01 * least as f64)
}

/// Measures all spreads of an engine; `number` of vectors is odd, so that as many full as empty ones follow the first.
fn check_spreads(lanes: u32, length: usize, number: usize) {
    let built = Built::quantizer(params(lanes, length as u32));
    let slow: Vec<String> = SPREADS
        .iter()
        .filter_map(|spread| {
            let (cycles, most) = cycles(&built, *spread, length, number);
            let message = format!("{spread:?}: {cycles} cycles, {most:.1} at most");
            println!("{lanes} lanes, {} vectors of {length} elements, {message}", number - 1);
            (cycles as f64 > most).then_some(message)
        })
        .collect();
    assert!(slow.is_empty(), "{lanes} lanes, {} vectors of {length} elements:\n{}", number - 1, slow.join("\n"));
}

#[test]
fn one_lane_keeps_the_rate() {
    check_spreads(1, 1024, 5);
}

#[test]
fn four_lanes_keep_the_rate() {
    check_spreads(4, 1024, 11);
}

#[test]
fn sixteen_lanes_keep_the_rate() {
    check_spreads(16, 1024, 31);
    check_spreads(16, 8192, 5);
}

#[test]
fn sixty_four_lanes_keep_the_rate() {
    check_spreads(64, 1024, 101);
    check_spreads(64, 8192, 15);
}

#[test]
fn the_other_numbers_of_lanes_keep_the_rate() {
    check_spreads(2, 1024, 7);
    check_spreads(8, 1024, 15);
    check_spreads(32, 1024, 51);
}
