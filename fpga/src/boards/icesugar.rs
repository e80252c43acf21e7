//! Muse Lab iCESugar.

use super::Level::Low;
use super::*;
use crate::device::ICE40UP5K_SG48;

const fn at(ball: &'static str, edge: &'static str) -> Pin {
    pin(ball, edge, Standard::Lvcmos33)
}

pub static BOARD: Board = Board {
    name: "icesugar",
    module: "icesugar",
    title: "Muse Lab iCESugar",
    device: &ICE40UP5K_SG48,
    clock: Clock { pin: at("35", "top"), hertz: 12_000_000, system_hertz: 24_000_000 },
    line: Line { receive: at("4", "bottom"), send: at("6", "bottom"), chip: "iCELink", baud: 115_200 },
    leds: Leds { pins: &[at("40", "top"), at("41", "top"), at("39", "top")], shine_at: Low },
    buttons: &[],
    ties: &[],
    sdram: None,
    settings: &[],
    flash: Flash::UsbDisk,
    configuration_pins: &[],
    sources: &[
        "maker: wuxx/icesugar 1a19176, src/common/io.pcf, src/basic/verilog/bram/top.v",
        "beside it: amaranth-boards 0.0.21, icesugar.py",
        "beside it: litex-boards 2023.12, platforms/muselab_icesugar.py",
    ],
    decisions: &[
        "the LEDs are red 40, green 41, blue 39, as the maker and amaranth have them; litex has green 39 and, in one of two places, \
         blue 31",
        "the switches at 18 to 21 are no buttons, and are left out; litex has them at 1.8 V on an edge whose other pins it has at 3.3 V",
        "amaranth pulls up both pins of the line, litex the one that sends, the maker none: none, since the iCELink drives the line",
        "no source says what the iCELink's serial line can do: 115,200 bits a second",
    ],
};
