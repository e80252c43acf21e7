//! The number units against the golden models: every pair of small formats, stratified pairs of the real ones, every
//! latency.

use hdl::Design;
use hw::float::add::{self, BinaryPorts, add};
use hw::float::compare::{self, compare};
use hw::float::dot::{self, dot};
use hw::float::format::{BFLOAT16, BINARY16, Format, Subnormals};
use hw::float::multiply::{self, multiply};
use hw::float::multiply_add::{self, multiply_add};
use hw::float::tree::{self, tree};
use sim::golden::float::Model;
use sim::golden::float::stimuli::{pair, triple, vector};
use testbenches::drivers::float_stream::{check, check_vectors, many, model};

const SMALL: [Format; 4] =
    [Format { exp: 4, frac: 3 }, Format { exp: 3, frac: 2 }, Format { exp: 2, frac: 3 }, Format { exp: 2, frac: 1 }];
/// Formats that units treat differently: narrow and wide, more and less exponent than fraction.
const ODD: [Format; 5] = [
    Format { exp: 4, frac: 8 },
    Format { exp: 3, frac: 9 },
    Format { exp: 8, frac: 23 },
    Format { exp: 2, frac: 13 },
    Format { exp: 7, frac: 1 },
];
const REAL: [Format; 2] = [BINARY16, BFLOAT16];
const BOTH: [Subnormals; 2] = [Subnormals::Keep, Subnormals::Flush];

/// Every format with subnormals kept and flushed.
fn each(formats: &[Format]) -> impl Iterator<Item = (Format, Subnormals)> {
    formats.iter().flat_map(|f| BOTH.map(|s| (*f, s)))
}

/// Stratified pairs.
fn pairs(m: Model, count: u64) -> impl Iterator<Item = [u32; 2]> {
    (0..count).map(move |index| pair(m, index))
}

/// Every pair.
fn all_pairs(f: Format) -> impl Iterator<Item = [u32; 2]> {
    let w = f.width();
    (0..1u32 << (2 * w)).map(move |i| [i >> w, i & ((1 << w) - 1)])
}

type Unit = fn(Format, Subnormals, u32) -> Result<Design<BinaryPorts>, hdl::Errors>;
type Want = fn(Model, u32, u32) -> u32;
/// Units with two operands: name, natural latency, unit, model.
const UNITS: [(&str, u32, Unit, Want); 2] =
    [("add", add::NATURAL, add, Model::add), ("multiply", multiply::NATURAL, multiply, Model::multiply)];

#[test]
fn every_pair_of_small_formats() {
    for (_, natural, unit, want) in UNITS {
        for (f, s) in each(&SMALL) {
            let latency = if f == SMALL[0] { natural } else { 0 };
            check(unit(f, s, latency), all_pairs(f), |x| [want(model(f, s), x[0], x[1])]);
        }
    }
}

/// With all registers and without any: between registers lies another structure.
#[test]
fn stratified_pairs_of_the_real_formats() {
    for (_, natural, unit, want) in UNITS {
        for (f, s) in each(&REAL) {
            for latency in [0, natural] {
                check(unit(f, s, latency), pairs(model(f, s), many()), |x| [want(model(f, s), x[0], x[1])]);
            }
        }
    }
}

#[test]
fn stratified_pairs_of_odd_formats() {
    for (_, _, unit, want) in UNITS {
        for (f, s) in each(&ODD) {
            check(unit(f, s, 0), pairs(model(f, s), 10_000), |x| [want(model(f, s), x[0], x[1])]);
        }
    }
}

#[test]
fn every_latency_gives_the_same() {
    for (name, natural, unit, want) in UNITS {
        for latency in 0..=natural {
            for (f, s) in each(&REAL) {
                let design = unit(f, s, latency);
                assert_eq!(design.as_ref().map(Design::latency).ok().flatten(), Some(latency), "{name}");
                check(design, pairs(model(f, s), 5_000), |x| [want(model(f, s), x[0], x[1])]);
            }
        }
        let Err(error) = unit(BINARY16, Subnormals::Keep, natural + 1) else { panic!("{name} takes too many cycles") };
        let error = error.to_string();
        assert!(error.contains(&format!("0 to {natural} cycles are legal")), "{error}");
    }
}

/// The adder without its last register is the adder, a cycle earlier.
#[test]
fn the_adder_without_its_last_register() {
    for (f, s) in each(&REAL) {
        let design = add::add_but_last(f, s);
        assert_eq!(design.as_ref().map(Design::latency).ok().flatten(), Some(add::NATURAL - 1));
        check(design, pairs(model(f, s), 20_000), |x| [model(f, s).add(x[0], x[1])]);
    }
}

/// Triples through the fused unit.
fn fused(f: Format, s: Subnormals, latency: u32, triples: impl Iterator<Item = [u32; 3]>) {
    check(multiply_add(f, s, latency), triples, |x| [model(f, s).multiply_add(x[0], x[1], x[2])]);
}

/// Stratified triples through the fused unit.
fn fused_stratified(f: Format, s: Subnormals, latency: u32, count: u64) {
    fused(f, s, latency, (0..count).map(|index| triple(model(f, s), index)));
}

#[test]
fn every_triple_of_tiny_formats_fused() {
    for (f, s) in each(&[Format { exp: 3, frac: 2 }, Format { exp: 2, frac: 1 }, Format { exp: 2, frac: 3 }]) {
        let (w, mask) = (f.width(), (1 << f.width()) - 1);
        fused(f, s, 0, (0..1u32 << (3 * w)).map(|i| [i >> (2 * w), i >> w & mask, i & mask]));
    }
}

/// With all registers and without any: between registers lies another structure.
#[test]
fn stratified_triples_fused() {
    // each pair comes with four third operands
    let count = many().max(32 << 16);
    for (f, s) in each(&REAL) {
        [0, multiply_add::NATURAL].iter().for_each(|latency| fused_stratified(f, s, *latency, count));
    }
    each(&ODD).for_each(|(f, s)| fused_stratified(f, s, 0, 10_000));
}

#[test]
fn every_latency_gives_the_same_fused() {
    for (f, s) in each(&REAL) {
        (0..=multiply_add::NATURAL).for_each(|latency| fused_stratified(f, s, latency, 3_000));
    }
}

/// Pairs through a comparison.
fn compared(f: Format, s: Subnormals, latency: u32, pairs: impl Iterator<Item = [u32; 2]>) {
    check(compare(f, s, latency), pairs, |x| model(f, s).compare(x[0], x[1]).results());
}

#[test]
fn comparisons() {
    each(&SMALL).for_each(|(f, s)| compared(f, s, 0, all_pairs(f)));
    for (f, s) in each(&REAL) {
        for latency in 0..=compare::NATURAL {
            let count = if [0, compare::NATURAL].contains(&latency) { many() } else { 5_000 };
            compared(f, s, latency, pairs(model(f, s), count));
        }
    }
    each(&ODD).for_each(|(f, s)| compared(f, s, 0, pairs(model(f, s), 10_000)));
}

/// How many vectors each unit of vectors gets.
fn vectors() -> u64 {
    many() / 1000
}

#[test]
fn adder_trees_of_every_latency_and_odd_lanes() {
    for (lanes, s) in [(2, BOTH[0]), (3, BOTH[1]), (7, BOTH[0]), (16, BOTH[1])] {
        for (latency, f) in (0..=tree::natural(lanes)).flat_map(|latency| REAL.map(|f| (latency, f))) {
            let m = model(f, s);
            let vectors = (0..vectors()).map(|index| vector(m, lanes, index));
            check_vectors(tree(f, s, lanes, latency), lanes, vectors, |x| [m.tree(x)]);
        }
    }
}

#[test]
fn dot_products_of_every_latency() {
    for (lanes, s) in [(2, BOTH[1]), (5, BOTH[0]), (16, BOTH[0])] {
        for (latency, f) in (0..=dot::natural(lanes)).flat_map(|latency| REAL.map(|f| (latency, f))) {
            let m = model(f, s);
            let vectors = (0..vectors()).map(|index| vector(m, 2 * lanes, index));
            check_vectors(dot(f, s, lanes, latency), lanes, vectors, |x| {
                let (a, b) = x.split_at(lanes as usize);
                [m.dot(a, b)]
            });
        }
    }
}

#[test]
fn impossible_lanes_are_errors() {
    for lanes in [1, 257] {
        let Err(error) = tree(BINARY16, Subnormals::Keep, lanes, 0) else { panic!("{lanes} lanes") };
        assert!(error.to_string().contains(&format!("error: {lanes} lanes")), "{error}");
        let Err(error) = dot(BINARY16, Subnormals::Keep, lanes, 0) else { panic!("{lanes} lanes") };
        assert!(error.to_string().contains("help: 2 to 256"), "{error}");
    }
}
