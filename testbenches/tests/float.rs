//! The number units against the golden models: every pair of small formats, stratified pairs of the real ones, every
//! latency.

use hdl::Design;
use hdl::engine::Engine;
use hdl::sim::Simulator;
use hw::float::add::{self, BinaryPorts, add};
use hw::float::compare::{self, compare};
use hw::float::dot::{self, dot};
use hw::float::format::{BFLOAT16, BINARY16, Format, Subnormals};
use hw::float::multiply::{self, multiply};
use hw::float::multiply_add::{self, TernaryPorts, multiply_add};
use hw::float::tree::{self, tree};
use sim::golden::float::Model;
use sim::golden::float::stimuli::{pair, triple};

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
const BOTH: [Subnormals; 2] = [Subnormals::Keep, Subnormals::Flush];

fn model(f: Format, s: Subnormals) -> Model {
    Model { exp: f.exp, frac: f.frac, flush: s == Subnormals::Flush }
}

/// How many tuples a test takes: `KVFORGE_LONG=1` takes ten millions.
fn count() -> u64 {
    if std::env::var_os("KVFORGE_LONG").is_some() { 10_000_000 } else { 100_000 }
}

type Unit = fn(Format, Subnormals, u32) -> Result<Design<BinaryPorts>, hdl::Errors>;
type Want = fn(Model, u32, u32) -> u32;
/// Units with two operands: name, natural latency, unit, model.
const UNITS: [(&str, u32, Unit, Want); 2] =
    [("add", add::NATURAL, add, Model::add), ("multiply", multiply::NATURAL, multiply, Model::multiply)];

/// Feeds pairs, one a cycle with gaps, and compares the results as they come with their valid bits.
fn stream(design: &Design<BinaryPorts>, pairs: impl Iterator<Item = (u32, u32)>, want: impl Fn(u32, u32) -> u32) {
    let port = |s| design.port_index(s).expect("a port");
    let p = design.ports;
    let (valid, a, b, out, y) = (port(p.in_valid), port(p.a), port(p.b), port(p.out_valid), port(p.y));
    let latency = design.latency().expect("stated") as usize;
    let mut sim = Simulator::new(design);
    let mut r = fastrand::Rng::with_seed(7);
    if latency > 0 {
        sim.reset(1);
    }
    let mut waiting = std::collections::VecDeque::from(vec![None; latency]);
    let mut pairs = pairs.peekable();
    while pairs.peek().is_some() || waiting.iter().any(Option::is_some) {
        let given = if r.u32(..16) == 0 { None } else { pairs.next() };
        let (x, z) = given.unwrap_or((r.u32(..) & 1, 0));
        sim.poke(valid, u64::from(given.is_some()));
        sim.poke(a, u64::from(x));
        sim.poke(b, u64::from(z));
        waiting.push_back(given);
        let due = waiting.pop_front().expect("one more than the latency");
        assert_eq!(sim.peek(out), u64::from(due.is_some()));
        if let Some((x, z)) = due {
            let (got, want) = (sim.peek(y) as u32, want(x, z));
            assert_eq!(got, want, "{} of {x:#x} and {z:#x} is {got:#x}, not {want:#x}", design.name());
        }
        if latency > 0 {
            sim.step();
        }
    }
}

#[test]
fn every_pair_of_small_formats() {
    for (name, natural, unit, want) in UNITS {
        for f in SMALL {
            for s in BOTH {
                let design =
                    unit(f, s, if f == SMALL[0] { natural } else { 0 }).unwrap_or_else(|e| panic!("{name}: {e}"));
                let all = 0..1u32 << f.width();
                let pairs = all.clone().flat_map(|a| all.clone().map(move |b| (a, b)));
                stream(&design, pairs, |a, b| want(model(f, s), a, b));
            }
        }
    }
}

#[test]
fn stratified_pairs_of_the_real_formats() {
    for (name, natural, unit, want) in UNITS {
        for f in [BINARY16, BFLOAT16] {
            for s in BOTH {
                let design = unit(f, s, natural).unwrap_or_else(|e| panic!("{name}: {e}"));
                let pairs = (0..count()).map(|index| pair(model(f, s), index)).map(|[a, b]| (a, b));
                stream(&design, pairs, |a, b| want(model(f, s), a, b));
            }
        }
    }
}

#[test]
fn stratified_pairs_of_odd_formats() {
    for (name, _, unit, want) in UNITS {
        for f in ODD {
            for s in BOTH {
                let design = unit(f, s, 0).unwrap_or_else(|e| panic!("{name}: {e}"));
                let pairs = (0..10_000).map(|index| pair(model(f, s), index)).map(|[a, b]| (a, b));
                stream(&design, pairs, |a, b| want(model(f, s), a, b));
            }
        }
    }
}

#[test]
fn every_latency_gives_the_same() {
    for (name, natural, unit, want) in UNITS {
        for latency in 0..=natural {
            let (f, s) = (BINARY16, Subnormals::Keep);
            let design = unit(f, s, latency).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(design.latency(), Some(latency));
            let pairs = (0..5_000).map(|index| pair(model(f, s), index)).map(|[a, b]| (a, b));
            stream(&design, pairs, |a, b| want(model(f, s), a, b));
        }
        let Err(error) = unit(BINARY16, Subnormals::Keep, natural + 1) else { panic!("{name} takes too many cycles") };
        let error = error.to_string();
        assert!(error.contains(&format!("0 to {natural} cycles are legal")), "{error}");
    }
}

/// The fused unit fed with triples, one a cycle with gaps.
fn fused(design: &Design<TernaryPorts>, triples: impl Iterator<Item = [u32; 3]>, m: Model) {
    let port = |s| design.port_index(s).expect("a port");
    let p = design.ports;
    let (valid, inputs, out, y) = (port(p.in_valid), [p.a, p.b, p.c].map(port), port(p.out_valid), port(p.y));
    let latency = design.latency().expect("stated") as usize;
    let mut sim = Simulator::new(design);
    let mut r = fastrand::Rng::with_seed(7);
    sim.reset(1);
    let mut waiting = std::collections::VecDeque::from(vec![None; latency]);
    let mut triples = triples.peekable();
    while triples.peek().is_some() || waiting.iter().any(Option::is_some) {
        let given = if r.u32(..16) == 0 { None } else { triples.next() };
        sim.poke(valid, u64::from(given.is_some()));
        inputs.iter().zip(given.unwrap_or_default()).for_each(|(port, x)| sim.poke(*port, x.into()));
        waiting.push_back(given);
        let due = waiting.pop_front().expect("one more than the latency");
        assert_eq!(sim.peek(out), u64::from(due.is_some()));
        if let Some([a, b, c]) = due {
            let (got, want) = (sim.peek(y) as u32, m.multiply_add(a, b, c));
            assert_eq!(got, want, "{}: {a:#x} * {b:#x} + {c:#x} is {got:#x}, not {want:#x}", design.name());
        }
        sim.step();
    }
}

fn multiply_add_unit(f: Format, s: Subnormals, latency: u32) -> Design<TernaryPorts> {
    multiply_add(f, s, latency).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn every_triple_of_tiny_formats_fused() {
    for f in [Format { exp: 3, frac: 2 }, Format { exp: 2, frac: 1 }, Format { exp: 2, frac: 3 }] {
        for s in BOTH {
            let (w, mask) = (f.width(), (1 << f.width()) - 1);
            let triples = (0..1u32 << (3 * w)).map(|i| [i >> (2 * w), i >> w & mask, i & mask]);
            fused(&multiply_add_unit(f, s, 0), triples, model(f, s));
        }
    }
}

#[test]
fn stratified_triples_fused() {
    for (f, count) in [(BINARY16, count()), (BFLOAT16, count())].into_iter().chain(ODD.map(|f| (f, 10_000))) {
        for s in BOTH {
            let triples = (0..count).map(|index| triple(model(f, s), index));
            fused(&multiply_add_unit(f, s, 0), triples, model(f, s));
        }
    }
}

#[test]
fn every_latency_gives_the_same_fused() {
    for f in [BINARY16, BFLOAT16] {
        for s in BOTH {
            for latency in 0..=multiply_add::NATURAL {
                let triples = (0..3_000).map(|index| triple(model(f, s), index));
                fused(&multiply_add_unit(f, s, latency), triples, model(f, s));
            }
        }
    }
}

/// Pairs through a comparison, one in every cycle.
fn compared(f: Format, s: Subnormals, latency: u32, pairs: impl Iterator<Item = [u32; 2]>) {
    let design = compare(f, s, latency).unwrap_or_else(|e| panic!("{e}"));
    let port = |s| design.port_index(s).expect("a port");
    let p = design.ports;
    let (inputs, valids) = ([p.a, p.b].map(port), [p.in_valid, p.out_valid].map(port));
    let outputs = [p.lt, p.le, p.eq, p.unordered, p.min, p.max].map(port);
    let mut sim = Simulator::new(&design);
    sim.reset(1);
    let mut waiting = std::collections::VecDeque::from(vec![None; latency as usize]);
    for pair in pairs.map(Some).chain(vec![None; latency as usize]) {
        sim.poke(valids[0], pair.is_some().into());
        inputs.iter().zip(pair.unwrap_or_default()).for_each(|(port, x)| sim.poke(*port, x.into()));
        waiting.push_back(pair);
        let due = waiting.pop_front().expect("one more than the latency");
        assert_eq!(sim.peek(valids[1]), u64::from(due.is_some()));
        if let Some([a, b]) = due {
            let want = model(f, s).compare(a, b);
            let flags = [want.lt, want.le, want.eq, want.unordered].map(u64::from);
            let got = outputs.map(|port| sim.peek(port));
            assert_eq!((&got[..4], got[4], got[5]), (&flags[..], want.min.into(), want.max.into()), "{a:#x} {b:#x}");
        }
        sim.step();
    }
}

#[test]
fn comparisons() {
    for s in BOTH {
        for f in SMALL {
            let (w, mask) = (f.width(), (1 << f.width()) - 1);
            compared(f, s, 0, (0..1u32 << (2 * w)).map(|i| [i >> w, i & mask]));
        }
        for f in [BINARY16, BFLOAT16] {
            for latency in 0..=compare::NATURAL {
                let count = if latency == 0 { count() } else { 5_000 };
                compared(f, s, latency, (0..count).map(|index| pair(model(f, s), index)));
            }
        }
        ODD.iter().for_each(|f| compared(*f, s, 0, (0..10_000).map(|index| pair(model(*f, s), index))));
    }
}

/// Vectors through a unit whose vectors come in at `inputs`, with gaps: the results are what `want` says, in their cycles.
fn vectors<P>(
    design: &Design<P>,
    (in_valid, inputs, out_valid, y): (usize, &[usize], usize, usize),
    f: Format,
    lanes: usize,
    want: impl Fn(&[Vec<u32>]) -> u32,
) {
    let m = model(f, Subnormals::Keep);
    let latency = design.latency().expect("stated") as usize;
    let mut sim = Simulator::new(design);
    let mut r = fastrand::Rng::with_seed(11);
    sim.reset(1);
    let mut waiting = std::collections::VecDeque::from(vec![None; latency]);
    for cycle in 0..400 {
        // magnitudes near one, so that sums neither overflow nor lose all but one summand; now and then anything
        let number = |r: &mut fastrand::Rng| match r.u32(0..40) {
            0 => r.u32(..) >> (32 - f.width()),
            _ => m.zero(r.bool()) | ((1 << (f.exp - 1)) - 4 + r.u32(0..5)) << f.frac | r.u32(..) & ((1 << f.frac) - 1),
        };
        let given: Vec<Vec<u32>> = inputs.iter().map(|_| (0..lanes).map(|_| number(&mut r)).collect()).collect();
        let valid = r.u32(0..8) > 0;
        for (port, vector) in inputs.iter().zip(&given) {
            let packed = vector
                .iter()
                .rev()
                .fold(hdl::BigUint::default(), |bits, x| (bits << f.width()) | hdl::BigUint::from(*x));
            sim.poke_big(*port, &packed);
        }
        sim.poke(in_valid, valid.into());
        waiting.push_back(valid.then_some(given));
        let due = waiting.pop_front().expect("one more than the latency");
        assert_eq!(sim.peek(out_valid), u64::from(due.is_some()), "{} in cycle {cycle}", design.name());
        if let Some(due) = due {
            assert_eq!(sim.peek(y) as u32, want(&due), "{} of {due:x?}", design.name());
        }
        sim.step();
    }
}

#[test]
fn adder_trees_of_every_latency_and_odd_lanes() {
    for (lanes, s) in [(2, BOTH[0]), (3, BOTH[1]), (7, BOTH[0]), (16, BOTH[1])] {
        for latency in 0..=tree::natural(lanes) {
            let f = if latency % 2 == 0 { BINARY16 } else { BFLOAT16 };
            let design = tree(f, s, lanes, latency).unwrap_or_else(|e| panic!("{e}"));
            let port = |signal| design.port_index(signal).expect("a port");
            let p = design.ports;
            let ports = (port(p.in_valid), &[port(p.x)][..], port(p.out_valid), port(p.y));
            vectors(&design, ports, f, lanes as usize, |x| model(f, s).tree(&x[0]));
        }
    }
}

#[test]
fn dot_products_of_every_latency() {
    for (lanes, s) in [(2, BOTH[1]), (5, BOTH[0]), (16, BOTH[0])] {
        for latency in 0..=dot::natural(lanes) {
            let f = if latency % 2 == 0 { BINARY16 } else { BFLOAT16 };
            let design = dot(f, s, lanes, latency).unwrap_or_else(|e| panic!("{e}"));
            let port = |signal| design.port_index(signal).expect("a port");
            let p = design.ports;
            let ports = (port(p.in_valid), &[port(p.a), port(p.b)][..], port(p.out_valid), port(p.y));
            vectors(&design, ports, f, lanes as usize, |x| model(f, s).dot(&x[0], &x[1]));
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
