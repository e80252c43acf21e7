//! Quotients, reciprocals, roots and conversions against the golden models: all numbers of the real formats, every pair of small
//! ones, stratified pairs of the real ones, every latency.

use hdl::Design;
use hdl::engine::Engine;
use hdl::sim::Simulator;
use hw::float::convert::{self, convert};
use hw::float::divide::{self, divide};
use hw::float::exponential::{self, exponential};
use hw::float::format::{BFLOAT16, BINARY16, Format, Subnormals};
use hw::float::integer::{self, Integers, from_integer, to_integer};
use hw::float::operand::UnaryPorts;
use hw::float::recip::{self, recip};
use hw::float::rsqrt::{self, rsqrt};
use hw::float::sqrt::{self, sqrt};
use sim::golden::float::Model;
use sim::golden::float::stimuli::pair;
use std::collections::VecDeque;

const BOTH: [Subnormals; 2] = [Subnormals::Keep, Subnormals::Flush];
const SMALL: [Format; 4] =
    [Format { exp: 4, frac: 3 }, Format { exp: 3, frac: 2 }, Format { exp: 2, frac: 3 }, Format { exp: 2, frac: 5 }];

fn model(f: Format, s: Subnormals) -> Model {
    Model { exp: f.exp, frac: f.frac, flush: s == Subnormals::Flush }
}

/// How many pairs a test takes: `KVFORGE_LONG=1` takes ten millions.
fn count() -> u64 {
    if std::env::var_os("KVFORGE_LONG").is_some() { 10_000_000 } else { 100_000 }
}

/// A design and the places of its ports: `in_valid`, the operands, `out_valid`, `y`.
struct Unit {
    design: Design<()>,
    operands: usize,
}

fn unit<P: hdl::Ports>(design: Result<Design<P>, hdl::Errors>) -> Unit {
    let design = design.unwrap_or_else(|errors| panic!("{errors}")).erase();
    let operands = design.port_table().filter(|port| ["a", "b"].contains(&port.name)).count();
    Unit { design, operands }
}

/// Feeds operands, one set a cycle with gaps, and compares the results as they come with their valid bits.
fn stream(unit: &Unit, tuples: impl Iterator<Item = [u32; 2]>, want: impl Fn([u32; 2]) -> u32) {
    let design = &unit.design;
    let port =
        |name: &str| design.port_table().position(|p| p.name == name).unwrap_or_else(|| panic!("no port {name}"));
    let (valid, a, out, y) = (port("in_valid"), port("a"), port("out_valid"), port("y"));
    let b = (unit.operands == 2).then(|| port("b"));
    let latency = design.latency().expect("stated") as usize;
    let mut sim = Simulator::new(design);
    let mut r = fastrand::Rng::with_seed(7);
    if latency > 0 {
        sim.reset(1);
    }
    let mut waiting = VecDeque::from(vec![None; latency]);
    let mut tuples = tuples.peekable();
    while tuples.peek().is_some() || waiting.iter().any(Option::is_some) {
        let given = if r.u32(..16) == 0 { None } else { tuples.next() };
        let x = given.unwrap_or([r.u32(..) & 1, 0]);
        sim.poke(valid, u64::from(given.is_some()));
        sim.poke(a, u64::from(x[0]));
        if let Some(b) = b {
            sim.poke(b, u64::from(x[1]));
        }
        waiting.push_back(given);
        let due = waiting.pop_front().expect("one more than the latency");
        assert_eq!(sim.peek(out), u64::from(due.is_some()), "{}", design.name());
        if let Some(x) = due {
            let (got, want) = (sim.peek(y) as u32, want(x));
            assert_eq!(got, want, "{} of {x:#x?} is {got:#x}, not {want:#x}", design.name());
        }
        if latency > 0 {
            sim.step();
        }
    }
}

/// All numbers of so many bits.
fn all(bits: u32) -> impl Iterator<Item = [u32; 2]> {
    (0..1u32 << bits).map(|a| [a, 0])
}

/// Two's complement to so many bits.
fn wrap(x: i64, bits: u32) -> u32 {
    (x & ((1 << bits) - 1)) as u32
}

/// Refuses a latency beyond the natural one.
fn refused<P: hdl::Ports>(design: Result<Design<P>, hdl::Errors>, natural: u32) {
    let Err(error) = design else { panic!("too many cycles") };
    assert!(error.to_string().contains(&format!("0 to {natural} cycles are legal")), "{error}");
}

#[test]
fn quotients_of_every_pair_of_small_formats() {
    for f in SMALL {
        for s in BOTH {
            let latency = if f == SMALL[0] { divide::natural(f) } else { 0 };
            let numbers = 0..1u32 << f.width();
            let pairs = numbers.clone().flat_map(|a| numbers.clone().map(move |b| [a, b]));
            stream(&unit(divide(f, s, latency)), pairs, |[a, b]| model(f, s).divide(a, b));
        }
    }
}

#[test]
fn quotients_of_stratified_pairs() {
    // the last one has more subnormal binades than exponents
    for f in [BINARY16, BFLOAT16, Format { exp: 2, frac: 12 }] {
        for s in BOTH {
            let pairs = (0..count()).map(|index| pair(model(f, s), index));
            stream(&unit(divide(f, s, divide::natural(f))), pairs, |[a, b]| model(f, s).divide(a, b));
        }
    }
}

#[test]
fn reciprocals_and_roots_of_all_numbers() {
    for f in [BINARY16, BFLOAT16].into_iter().chain(SMALL) {
        for s in BOTH {
            stream(&unit(recip(f, s, recip::natural(f))), all(f.width()), |[a, _]| model(f, s).recip(a));
            if u64::from(f.frac) < f.bias() {
                stream(&unit(sqrt(f, s, sqrt::natural(f))), all(f.width()), |[a, _]| model(f, s).sqrt(a));
            } else {
                let Err(error) = sqrt(f, s, 0) else { panic!("{f:?} has subnormal roots") };
                assert!(error.to_string().contains("roots of subnormal numbers would be subnormal"), "{error}");
            }
        }
    }
}

#[test]
fn conversions_between_all_formats() {
    let wide = [Format { exp: 8, frac: 10 }, Format { exp: 6, frac: 4 }, Format { exp: 5, frac: 12 }];
    let formats = [&[BINARY16, BFLOAT16][..], &SMALL, &wide].concat();
    for &from in &formats {
        for &to in &formats {
            for s in BOTH {
                let design = unit(convert(from, to, s, convert::NATURAL));
                // all numbers of the named pairs, some of each binade of the others
                let named = [BINARY16, BFLOAT16].contains(&from) && [BINARY16, BFLOAT16].contains(&to);
                let step = if named || from.width() < 10 { 1 } else { 37 };
                let want = |[a, _]: [u32; 2]| model(from, s).convert(a, model(to, s));
                stream(&design, all(from.width()).step_by(step), want);
            }
        }
    }
}

#[test]
fn integers_of_all_widths() {
    for f in [BINARY16, BFLOAT16].into_iter().chain(SMALL) {
        for bits in (2..=17).chain([24, 31, 32]) {
            for signed in [true, false] {
                let i = Integers { bits, signed };
                let thorough = bits == 8 || bits == 16;
                let step = if thorough || f.width() < 10 { 1 } else { 37 };
                for s in if thorough { &BOTH[..] } else { &BOTH[..1] } {
                    let m = model(f, *s);
                    let want = |[a, _]: [u32; 2]| wrap(m.to_integer(a, bits, signed), bits);
                    let latency = if thorough { integer::NATURAL } else { 0 };
                    stream(&unit(to_integer(f, *s, i, latency)), all(f.width()).step_by(step), want);
                }
                let mut r = fastrand::Rng::with_seed(3);
                let mask = ((1u64 << bits) - 1) as u32;
                let mut some: Vec<[u32; 2]> = (0..2000).map(|_| [(r.u32(..) >> r.u32(..32)) & mask, 0]).collect();
                some.extend([[0, 0], [mask, 0], [mask >> 1, 0], [(mask >> 1) + 1, 0]]);
                let numbers = if bits <= 16 { all(bits).collect() } else { some };
                let value =
                    |a: u32| if signed { ((a as i32) << (32 - bits) >> (32 - bits)).into() } else { i64::from(a) };
                let want = |[a, _]: [u32; 2]| model(f, Subnormals::Keep).from_integer(value(a));
                stream(&unit(from_integer(f, i, integer::NATURAL)), numbers.into_iter(), want);
            }
        }
    }
}

#[test]
fn exponentials_of_all_numbers() {
    for (f, segments) in [(BINARY16, 32), (BFLOAT16, 16), (BINARY16, 4), (SMALL[0], 8), (SMALL[2], 4), (SMALL[3], 128)]
    {
        for s in BOTH {
            let design = unit(exponential(f, s, segments, exponential::NATURAL));
            stream(&design, all(f.width()), |[a, _]| model(f, s).exp(a, segments));
        }
    }
}

#[test]
fn reciprocal_roots_of_all_numbers() {
    for (f, segments) in [(BINARY16, 64), (BFLOAT16, 16), (BINARY16, 4), (SMALL[0], 8), (SMALL[1], 4)] {
        for s in BOTH {
            let design = unit(rsqrt(f, s, segments, rsqrt::NATURAL));
            stream(&design, all(f.width()), |[a, _]| model(f, s).rsqrt(a, segments));
        }
    }
}

/// What `describe` prints, measured on the hardware, is what the models' test says of the model.
#[test]
fn the_errors_that_are_stated() {
    let keep = Subnormals::Keep;
    let near = |got: Result<f64, hdl::Errors>, want: f64| {
        let got = got.unwrap_or_else(|errors| panic!("{errors}"));
        assert!((got - want).abs() < 0.0005, "{got}");
    };
    near(exponential::largest_error(BINARY16, keep, 32), 0.742);
    near(exponential::largest_error(BFLOAT16, keep, 16), 0.647);
    near(rsqrt::largest_error(BINARY16, keep, 64), 0.612);
    near(rsqrt::largest_error(BFLOAT16, keep, 16), 0.663);
}

#[test]
fn every_latency_gives_the_same() {
    let (f, s) = (BINARY16, Subnormals::Keep);
    let i8 = Integers { bits: 8, signed: true };
    let m = model(f, s);
    let some = || all(16).step_by(23);
    for latency in 0..=divide::natural(f) {
        let design = unit(divide(f, s, latency));
        assert_eq!(design.design.latency(), Some(latency));
        let pairs = (0..3000).map(|index| pair(m, index));
        stream(&design, pairs, |[a, b]| m.divide(a, b));
    }
    for latency in 0..=recip::natural(f) {
        stream(&unit(recip(f, s, latency)), some(), |[a, _]| m.recip(a));
    }
    for latency in 0..=sqrt::natural(f) {
        stream(&unit(sqrt(f, s, latency)), some(), |[a, _]| m.sqrt(a));
    }
    for latency in 0..=exponential::NATURAL {
        stream(&unit(exponential(f, s, 16, latency)), some(), |[a, _]| m.exp(a, 16));
    }
    for latency in 0..=rsqrt::NATURAL {
        stream(&unit(rsqrt(f, s, 16, latency)), some(), |[a, _]| m.rsqrt(a, 16));
    }
    for latency in 0..=3 {
        stream(&unit(convert(f, BFLOAT16, s, latency)), some(), |[a, _]| m.convert(a, Model::BFLOAT16));
        stream(&unit(from_integer(f, i8, latency)), all(8), |[a, _]| m.from_integer(i64::from(a as i8)));
        stream(&unit(to_integer(f, s, i8, latency)), some(), |[a, _]| wrap(m.to_integer(a, 8, true), 8));
    }
    refused(divide(f, s, 17), 16);
    refused(recip(f, s, 15), 14);
    refused(sqrt(f, s, 14), 13);
    refused(exponential(f, s, 16, 8), 7);
    refused(rsqrt(f, s, 16, 6), 5);
    refused(convert(f, f, s, 4), 3);
    refused(from_integer(f, i8, 4), 3);
    refused(to_integer(f, s, i8, 4), 3);
}

#[test]
fn segments_and_fractions_must_be_legal() {
    let keep = Subnormals::Keep;
    let wrong = |design: Result<Design<UnaryPorts>, hdl::Errors>, legal: &str| {
        let Err(error) = design else { panic!("not refused: {legal}") };
        assert!(error.to_string().contains(legal), "{error}");
    };
    wrong(exponential(BINARY16, keep, 12, 0), "powers of two from 4 to 256 are legal");
    wrong(rsqrt(BFLOAT16, keep, 256, 0), "powers of two from 4 to 128 are legal");
    let long = Format { exp: 8, frac: 13 };
    wrong(exponential(long, keep, 16, 0), "2 to 12 are legal");
    wrong(rsqrt(long, keep, 16, 0), "2 to 12 are legal");
}

#[test]
fn integers_must_have_a_legal_width() {
    for bits in [1, 33] {
        let Err(error) = from_integer(BINARY16, Integers { bits, signed: true }, 0) else { panic!("{bits} bits") };
        assert!(error.to_string().contains("2 to 32 bits are legal"), "{error}");
    }
}
