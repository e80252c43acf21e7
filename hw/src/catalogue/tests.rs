//! The catalogue is consistent, and its blocks build over all of their ranges.

use super::*;
use rayon::prelude::*;
use std::collections::BTreeSet;

/// Values at the ends of the legal ranges; the greatest ones small enough to elaborate in a test.
fn ends(parameter: &Parameter) -> Vec<Value> {
    match parameter.legal {
        // clocks that every PLL makes of each other
        Legal::Range { .. } if parameter.unit == "Hz" => vec![Value::Number(48_000_000), Value::Number(72_000_000)],
        Legal::OneOf(numbers) => numbers.iter().map(|n| Value::Number(*n)).collect(),
        Legal::Range { min, max, .. } => vec![Value::Number(min), Value::Number(max)],
        Legal::Flag => vec![Value::Flag(false), Value::Flag(true)],
        Legal::Choice(names) => names.iter().map(|n| Value::Name(n.to_string())).collect(),
    }
}

/// More combinations than these take too long to build.
const MANY: usize = 64;

/// The ends of all ranges in all combinations that are legal; where these are many, each end of each range with all others at their
/// first or all at their last.
fn corners(block: &Block) -> Vec<Values> {
    let ends: Vec<(&'static str, Vec<Value>)> = block.parameters.iter().map(|p| (p.name, ends(p))).collect();
    let many = ends.iter().map(|(_, list)| list.len()).product::<usize>() > MANY;
    let all = if many { one_apart(&ends) } else { combinations(&ends) };
    let legal = all.into_iter().filter_map(|given| block.resolve(given).ok());
    // the engines are built at their own corners; those of a system are small
    let small = |v: &Values| match block.name {
        "oaken_system" | "oaken_board" => v.number("lanes") <= 2 && v.number("max_length") == 64,
        "oaken_cache" | "oaken_cache_board" => v.number("lanes") <= 2,
        _ => true,
    };
    legal.filter(small).collect()
}

type Given = Vec<(&'static str, Value)>;

fn combinations(ends: &[(&'static str, Vec<Value>)]) -> Vec<Given> {
    let mut all: Vec<Given> = vec![vec![]];
    for (name, ends) in ends {
        let longer = |have: &Given| {
            let have = have.clone();
            ends.iter().map(move |end| [have.clone(), vec![(*name, end.clone())]].concat()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

fn one_apart(ends: &[(&'static str, Vec<Value>)]) -> Vec<Given> {
    let first: Given = ends.iter().map(|(name, list)| (*name, list[0].clone())).collect();
    let last: Given = ends.iter().map(|(name, list)| (*name, list[list.len() - 1].clone())).collect();
    let other = |base: &Given, at: usize, value: &Value| {
        let mut given = base.clone();
        given[at].1 = value.clone();
        given
    };
    let apart = |base: Given| {
        let of_parameter = |(at, (_, list)): (usize, &(&str, Vec<Value>))| {
            list.iter().map(|value| other(&base, at, value)).collect::<Vec<_>>()
        };
        ends.iter().enumerate().flat_map(of_parameter).collect::<Vec<_>>()
    };
    [first, last].into_iter().flat_map(apart).collect()
}

#[test]
fn names_are_unique_and_defaults_legal() {
    let names: BTreeSet<&str> = blocks().iter().map(|b| b.name).collect();
    assert_eq!(names.len(), blocks().len());
    for block in blocks() {
        let names: BTreeSet<&str> = block.parameters.iter().map(|p| p.name).collect();
        assert_eq!(names.len(), block.parameters.len(), "{}", block.name);
        for parameter in block.parameters {
            let default = parameter.default.map(Value::from);
            assert_eq!(default.map(|value| parameter.check(&value)), parameter.default.map(|_| Ok(())));
            assert!(!parameter.doc.is_empty() && !parameter.why.is_empty(), "{} {}", block.name, parameter.name);
        }
    }
}

#[test]
fn every_block_builds_at_the_corners_of_what_is_legal() {
    let mut all: Vec<(&Block, Values)> = vec![];
    for block in blocks() {
        let corners = corners(block);
        assert!(corners.len() > 1 || block.parameters.is_empty(), "{}: at least two corners", block.name);
        all.extend(corners.into_iter().map(|values| (block, values)));
    }
    // on all cores: some corners are a hundred times as large as others
    all.par_iter().with_max_len(1).for_each(|(block, values)| {
        let design = (block.build)("top", values).unwrap_or_else(|errors| panic!("{values:?}: {errors}"));
        assert!(design.port_table().len() > 0);
        assert!(!(block.latency)(values).is_empty() && !(block.throughput)(values).is_empty());
        check_registers(block, values, &design);
    });
}

/// What has a bus for registers says which these are, and each is at an address of that bus; a system has them behind its line.
fn check_registers(block: &Block, values: &Values, design: &hdl::Design<()>) {
    let windows = block.registers("top", values);
    let address = design.port_table().find(|port| port.name == "s_axil_awaddr").map(|port| port.width);
    let behind_a_line = ["oaken_system", "oaken_board", "oaken_cache", "oaken_cache_board"].contains(&block.name);
    assert_eq!(address.is_some() || behind_a_line, !windows.is_empty(), "{}", block.name);
    let ends = windows.iter().map(|window| window.base + (1 << window.map.address_width()));
    let next = windows.iter().skip(1).map(|window| window.base).chain([1 << address.unwrap_or(16)]);
    assert!(ends.zip(next).all(|(end, next)| end <= next), "{}: {windows:?}", block.name);
    let names: BTreeSet<&str> = windows.iter().map(|window| window.map.name.as_str()).collect();
    assert!(names.len() == windows.len() && names.iter().all(|name| name.starts_with("top")), "{names:?}");
    windows.iter().for_each(|window| window.map.check().unwrap_or_else(|errors| panic!("{errors}")));
}

#[test]
fn all_mistakes_are_found_together() {
    let fifo = block("fifo").unwrap();
    let given = [("width", Value::Flag(true)), ("style", Value::Name("lut".into())), ("deep", Value::Number(4))];
    let texts: Vec<String> = fifo.resolve(given).unwrap_err().iter().map(Mistake::to_string).collect();
    let expected = [
        "width = true has the wrong type",
        "style = \"lut\" is not legal",
        "unknown parameter `deep`",
        "parameter `depth` is missing",
    ];
    assert_eq!(texts, expected);
}

#[test]
fn parameters_that_do_not_go_together_are_named() {
    let given = [("words", Value::Number(128)), ("ratio", Value::Number(1024))];
    let mistakes = block("widen").unwrap().resolve(given).unwrap_err();
    assert_eq!(mistakes[0].to_string(), "word_width * words * ratio = 1048576 bits is too wide a beat");
    assert_eq!(mistakes[0].names, ["word_width", "words", "ratio"]);
    assert_eq!(mistakes[0].legal(), "a product of at most 65536");
}

#[test]
fn legal_values_read_as_a_sentence() {
    assert_eq!(Legal::OneOf(&[1, 2, 4]).to_string(), "1, 2 or 4");
    assert_eq!(Legal::Range { min: 64, max: 8192, multiple_of: 64 }.to_string(), "a multiple of 64 from 64 to 8192");
    assert_eq!(Legal::Choice(&["a", "b"]).to_string(), "\"a\" or \"b\"");
}

/// The engine of a block, reset and set up for vectors of 128 elements.
fn engine(name: &str, lanes: u32, dense_bits: u32, settings: u32) -> hdl::sim::Simulator {
    use hdl::engine::Engine;
    let block = block(name).unwrap();
    let values = block
        .resolve([
            ("lanes", Value::Number(lanes.into())),
            ("max_length", Value::Number(256)),
            ("dense_bits", Value::Number(dense_bits.into())),
            ("settings", Value::Number(settings.into())),
        ])
        .unwrap();
    let mut engine = jit::simulator(&(block.build)("engine", &values).unwrap_or_else(|e| panic!("{e}")));
    engine.reset(2);
    let p = crate::oaken::EngineParams { lanes, max_length: 256, dense_bits, settings };
    let map = crate::oaken::quantizer_axi::registers("engine", p);
    // S_low, T_low, T_high, S_high: -2, -1/8, 1/8, 2
    let values = [("length", 128), ("s_low", 0xc000), ("t_low", 0xb000), ("t_high", 0x3000), ("s_high", 0x4000)];
    let offset = |name| map.offset(name);
    let mut writes = values.map(|(name, value)| (offset(name), value)).to_vec();
    if settings > 1 {
        // stored as number 0
        writes.extend([0, 1 << 8].map(|value| (offset("setting"), value)));
    }
    writes.push((offset("enable"), 1));
    sim::oaken_run::write_registers(&mut engine, &writes).unwrap();
    engine
}

#[test]
fn engines_have_the_latency_that_they_state() {
    use super::oaken_engines::{DEQUANTIZER_LATENCY, quantizer_latency};
    use sim::oaken_run::{run_dequantizer, run_quantizer};
    let vectors: Vec<Vec<u16>> = (0..3).map(|v| (0..128).map(|i| 0x3000 + 37 * i + v).collect()).collect();
    // in the long form all numbers of lanes, whose least and greatest latency are the stated ones; in the short form two, which are within
    let long = sim::bus::long();
    let lanes = if long { &[1, 2, 4, 8, 16, 32, 64][..] } else { &[4, 32] };
    let narrow = lanes.iter().filter(|lanes| **lanes <= 16).count();
    let range = |all: &[u64]| (*all.iter().min().unwrap(), *all.iter().max().unwrap());
    let is = |found: &[u64], (least, most): (u64, u64)| match range(found) {
        found if long => found == (least, most),
        found => least <= found.0 && found.1 <= most,
    };
    let mut wrong = vec![];
    for (dense_bits, settings) in [(3, 1), (4, 1), (4, 2), (5, 1), (6, 1), (6, 4)] {
        let latencies = lanes.par_iter().with_max_len(1).map(|&lanes| {
            let engine = |name| engine(name, lanes, dense_bits, settings);
            let vectors = vectors.iter().map(Vec::as_slice);
            let records = run_quantizer(&mut engine("oaken_quantizer"), vectors, &mut || ()).unwrap();
            let back = run_dequantizer(&mut engine("oaken_dequantizer"), 128, &records.results, &mut || ()).unwrap();
            (records.latency, back.latency)
        });
        let (quantizer, dequantizer): (Vec<u64>, Vec<u64>) = latencies.unzip();
        let (few, many) = quantizer.split_at(narrow);
        // two stages of the table in which it is looked up
        let more = if settings > 1 { 2 } else { 0 };
        let stated = |(least, greatest)| (least + more, greatest + more);
        let [of_few, of_many] = [false, true].map(|wide| stated(quantizer_latency(dense_bits, wide)));
        if !(is(few, of_few) && is(many, of_many) && is(&dequantizer, stated(DEQUANTIZER_LATENCY))) {
            wrong.push(format!("{dense_bits} bits, {settings} settings: {quantizer:?}, {dequantizer:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
