//! The parts between clocks.

use super::block::Block;
use super::parameter::{Legal, Parameter, Preset, any, nothing};
use super::streams::{STYLE, WIDTH, style};
use crate::stream::fifo_two_clocks::fifo_two_clocks;
use crate::stream::pulse_synchronizer::pulse_synchronizer;
use crate::stream::reset_synchronizer::reset_synchronizer;
use hdl::Design;
use std::any::type_name_of_val;

const STAGES: Parameter = Parameter {
    name: "stages",
    doc: "flip-flops in a row that take a signal over to the other clock",
    unit: "flip-flops",
    default: Some(Preset::Number(2)),
    legal: any(2, 4),
    why: "one has no time to settle, and more than 4 make no failure rarer than never",
};

pub(super) const FIFO_TWO_CLOCKS: Block = Block {
    name: "fifo_two_clocks",
    summary: "first-in first-out queue between two unrelated clocks, the first word falls through",
    parameters: &[
        WIDTH,
        Parameter {
            name: "depth",
            doc: "words that it holds, a power of two",
            unit: "words",
            default: None,
            legal: Legal::OneOf(&[
                4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144, 524288,
                1048576,
            ]),
            why: "the gray code of the counts closes only at a power of two; more than 2^20 the largest device does not hold",
        },
        STYLE,
        STAGES,
    ],
    check: nothing,
    latency: |v| format!("{} cycles of m_clk, the first of which may be cut short", v.number("stages") + 1),
    throughput: |v| match (v.number("depth"), v.number("stages")) {
        (4, _) | (8, 3..) => {
            format!("less than 1 word a cycle: {} words until a place is free again", v.number("depth"))
        }
        _ => "1 word in every cycle of the slower clock".into(),
    },
    function: || type_name_of_val(&fifo_two_clocks),
    build: |_, v| {
        let depth = v.number("depth") as usize;
        fifo_two_clocks(v.number("width"), depth, style(v), v.number("stages")).map(Design::erase)
    },
};

pub(super) const PULSE_SYNCHRONIZER: Block = Block {
    name: "pulse_synchronizer",
    summary: "every pulse of one clock becomes one pulse of another, unrelated one",
    parameters: &[STAGES],
    check: nothing,
    latency: |v| format!("{} cycles of m_clk, the first of which may be cut short", v.number("stages")),
    throughput: |v| format!("1 pulse in {0} cycles of m_clk and then {0} of s_clk", v.number("stages") + 1),
    function: || type_name_of_val(&pulse_synchronizer),
    build: |_, v| pulse_synchronizer(v.number("stages")).map(Design::erase),
};

pub(super) const RESET_SYNCHRONIZER: Block = Block {
    name: "reset_synchronizer",
    summary: "a reset that begins at once and ends with the clock",
    parameters: &[STAGES],
    check: nothing,
    latency: |v| {
        format!("the reset begins at once, and ends {} clock edges after `reset` has ended", v.number("stages"))
    },
    throughput: |_| "a reset of any length; one that is shorter than the flip-flops need may be missed".into(),
    function: || type_name_of_val(&reset_synchronizer),
    build: |_, v| reset_synchronizer(v.number("stages")).map(Design::erase),
};
