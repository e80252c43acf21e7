//! The number units against the golden models: every pair of small formats, stratified pairs of the real ones, every
//! latency.

use hdl::Design;
use hdl::engine::Engine;
use hdl::sim::Simulator;
use hw::float::add::{self, BinaryPorts, add};
use hw::float::format::{BFLOAT16, BINARY16, Format, Subnormals};
use hw::float::multiply::{self, multiply};
use sim::golden::float::Model;
use sim::golden::float::stimuli::pair;

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
