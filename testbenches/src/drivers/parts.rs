//! The stream parts with small parameters, one driver each.

use super::built::build;
use super::regroup::one_to_one;
use super::stream::Streams;
use super::{Driver, clocks, dequantizer, many, memory, oaken, regroup, routing, several};
use hw::memory::ram::{Collision, RamParams};
use hw::oaken::EngineParams;
use hw::stream::fifo::{Style, fifo};
use hw::stream::pack::Beats;
use hw::stream::register_slice::register_slice;

/// A FIFO.
pub fn fifo_driver(name: impl Into<String>, width: u32, depth: usize, style: Style) -> Driver {
    let design = build(fifo(width, depth, style));
    let level = design.port_index(design.ports.level);
    let latency = if style == Style::Block { 2 } else { 1 };
    let full_rate = if style == Style::Block && depth == 2 { None } else { Some(0) };
    let plain = one_to_one(&design, (&design.ports.s, &design.ports.m));
    let streams = Streams { latency: Some(latency), full_rate, capacity: Some(depth), level, ..plain };
    Driver::new(name, design, move |engine, effort| streams.test(engine, effort))
}

/// A register slice.
pub fn register_slice_driver(name: impl Into<String>, width: u32) -> Driver {
    let design = build(register_slice(width));
    let plain = one_to_one(&design, (&design.ports.s, &design.ports.m));
    let streams = Streams { latency: Some(1), full_rate: Some(0), capacity: Some(2), ..plain };
    Driver::new(name, design, move |engine, effort| streams.test(engine, effort))
}

/// Parts that are no configuration by themselves, by name.
pub fn parts() -> Vec<Driver> {
    vec![
        many::fork_driver("fork", 9, 3),
        many::join_driver("join", 9, 3),
        routing::demultiplexer_driver("demultiplexer_3x16", 16, 3),
        routing::arbiter_driver("arbiter_3x16", 16, 3),
        routing::packet_arbiter_driver("packet_arbiter_3x16", 16, 3),
    ]
}

/// Parts at the ends of what is legal, and at odd sizes between.
pub fn sizes() -> Vec<Driver> {
    let mut all = vec![];
    for n in [5, 8, 16, 33, 64] {
        all.push(routing::arbiter_driver(format!("arbiter_{n}x7"), 7, n));
        all.push(routing::packet_arbiter_driver(format!("packet_arbiter_{n}x7"), 7, n));
        all.push(routing::demultiplexer_driver(format!("demultiplexer_{n}x7"), 7, n));
        all.push(many::fork_driver(format!("fork_{n}x7"), 7, n));
        all.push(many::join_driver(format!("join_{n}x7"), 7, n));
        all.push(register_slice_driver(format!("register_slice_{n}"), n));
        all.push(regroup::forward_driver(format!("register_slice_forward_{n}"), n));
        all.push(regroup::backward_driver(format!("register_slice_backward_{n}"), n));
        all.push(regroup::widen_driver(format!("widen_{n}x3"), 3, 1, n));
        all.push(regroup::narrow_driver(format!("narrow_{n}x3"), 3, 1, n));
        all.push(regroup::pack_driver(format!("pack_any_{n}_to_{n}"), 3, n, n, Beats::Any));
    }
    // of several words, and in odd ratios
    for (from, to) in [(2, 14), (5, 15), (3, 99), (15, 5), (99, 33), (64, 2)] {
        all.push(regroup::convert_driver(format!("convert_{from}_to_{to}"), 5, from, to));
    }
    for (from, to) in [(2, 5), (5, 8), (16, 33), (33, 64), (63, 64), (64, 63), (64, 33), (33, 16), (8, 5), (33, 2)] {
        all.push(regroup::convert_driver(format!("convert_{from}_to_{to}"), 3, from, to));
    }
    for (from, to) in [(1, 5), (5, 8), (3, 33), (33, 64)] {
        all.push(regroup::pack_driver(format!("pack_any_{from}_to_{to}"), 3, from, to, Beats::Any));
    }
    for style in [Style::Distributed, Style::Block] {
        for depth in [2, 7, 17, 33, 1000] {
            all.push(fifo_driver(format!("fifo_9x{depth}_{style:?}"), 9, depth, style));
        }
        for (width, lanes) in [(16, 8), (6, 3), (9, 9)] {
            let p = RamParams { width, depth: 23, lanes, style, collision: Collision::Old };
            all.push(memory::ram_driver(format!("ram_{width}x23_{lanes}_{style:?}"), p));
        }
    }
    for (width, stages) in [(1, 2), (5, 3), (33, 4), (64, 3)] {
        all.push(clocks::synchronizer_driver(format!("synchronizer_{width}x{stages}"), width, stages));
    }
    for stages in [3, 4] {
        all.push(clocks::pulse_synchronizer_driver(format!("pulse_synchronizer_{stages}"), stages));
        all.push(clocks::reset_synchronizer_driver(format!("reset_synchronizer_{stages}"), stages));
        all.push(memory::fifo_two_clocks_driver(
            format!("fifo_two_clocks_{stages}"),
            5,
            32,
            Style::Distributed,
            stages,
        ));
    }
    for credits in [1, 3, 64, 1000] {
        all.push(memory::credit_counter_driver(format!("credit_counter_{credits}"), credits));
    }
    all
}

/// Everything with small parameters: what is quick to synthesize. `long` adds larger engines.
pub fn small(long: bool) -> Vec<Driver> {
    let mut all = vec![
        register_slice_driver("register_slice_7", 7),
        fifo_driver("fifo_8x6_block", 8, 6, Style::Block),
        fifo_driver("fifo_8x2_block", 8, 2, Style::Block),
        fifo_driver("fifo_18x600_block", 18, 600, Style::Block),
        fifo_driver("fifo_8x5_lut", 8, 5, Style::Distributed),
        fifo_driver("fifo_12x40_lut", 12, 40, Style::Distributed),
        regroup::widen_driver("widen_4x3", 8, 1, 4),
        regroup::narrow_driver("narrow_4x3", 8, 1, 4),
        regroup::forward_driver("register_slice_forward_7", 7),
        regroup::backward_driver("register_slice_backward_7", 7),
        regroup::pack_driver("pack_3_to_5", 4, 3, 5, Beats::Full),
        regroup::pack_driver("pack_any_4_to_4", 4, 4, 4, Beats::Any),
        regroup::gearbox_driver("gearbox_5_to_3", 4, 5, 3),
        memory::fifo_two_clocks_driver("fifo_two_clocks_8x16_lut", 8, 16, Style::Distributed, 2),
        memory::fifo_two_clocks_driver("fifo_two_clocks_8x16_block", 8, 16, Style::Block, 3),
        clocks::pulse_synchronizer_driver("pulse_synchronizer_3", 3),
        clocks::reset_synchronizer_driver("reset_synchronizer_3", 3),
        memory::credit_counter_driver("credit_counter_5", 5),
    ];
    let shape = RamParams { width: 16, depth: 24, lanes: 1, style: Style::Distributed, collision: Collision::Old };
    all.extend([
        memory::ram_driver("ram_16x24_lut", shape),
        memory::ram_driver("ram_16x24_block", RamParams { lanes: 2, style: Style::Block, ..shape }),
    ]);
    all.extend(parts());
    let lanes: &[u32] = if long { &[1, 4, 16] } else { &[1] };
    for &lanes in lanes {
        let p = EngineParams { lanes, max_length: if lanes == 1 { 128 } else { 1024 }, dense_bits: 4, settings: 1 };
        all.extend([oaken::quantizer_driver(p), dequantizer::dequantizer_driver(p)]);
    }
    all
}

/// The engines with other widths of dense codes than the paper's: dense parts that end within beats and with them, up to 16 lanes
/// and more.
pub fn widths() -> Vec<Driver> {
    let engines = |(lanes, dense_bits)| {
        let p = EngineParams { lanes, max_length: 512, dense_bits, settings: 1 };
        [oaken::quantizer_driver(p), dequantizer::dequantizer_driver(p)]
    };
    [(4, 3), (16, 5), (64, 6)].into_iter().flat_map(engines).collect()
}

/// The engines with several settings, among them those with the most lanes.
pub fn engines_of_settings() -> Vec<Driver> {
    let engines = |(lanes, dense_bits, settings)| {
        let p = EngineParams { lanes, max_length: 512, dense_bits, settings };
        let name = |engine: &str| format!("oaken_{engine}_p{lanes}{}_s{settings}", p.suffix());
        [several::quantizer_driver(&name("quantizer"), p), several::dequantizer_driver(&name("dequantizer"), p)]
    };
    [(4, 4, 4), (16, 5, 2), (64, 4, 2)].into_iter().flat_map(engines).collect()
}
