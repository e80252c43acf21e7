//! 1BitSquared iCEBreaker.

use super::Level::Low;
use super::*;
use crate::device::ICE40UP5K_SG48;

const fn at(ball: &'static str, edge: &'static str) -> Pin {
    pin(ball, edge, Standard::Lvcmos33)
}

pub static BOARD: Board = Board {
    name: "icebreaker",
    module: "icebreaker",
    title: "1BitSquared iCEBreaker V1.0 and later",
    device: &ICE40UP5K_SG48,
    clock: Clock { pin: at("35", "top"), hertz: 12_000_000, system_hertz: 24_000_000 },
    line: Line { receive: at("6", "bottom"), send: at("9", "bottom"), chip: "FT2232H", baud: 1_000_000 },
    leds: Leds { pins: &[at("11", "bottom"), at("37", "top")], shine_at: Low },
    buttons: &[Button { pin: at("10", "bottom"), pressed: Low, label: "user button" }],
    ties: &[],
    sdram: None,
    settings: &[],
    flash: Flash::OpenFpgaLoader { board: "ice40_generic", volatile: false },
    configuration_pins: &[],
    sources: &[
        "maker: icebreaker-fpga/icebreaker-verilog-examples 8d0892b, icebreaker/icebreaker.pcf",
        "beside it: amaranth-boards 0.0.21, icebreaker.py",
        "beside it: litex-boards 2023.12, platforms/icebreaker.py",
    ],
    decisions: &[
        "amaranth pulls up both pins of the line, litex the one that sends, the maker none: none, since the FT2232H drives the line",
    ],
};
