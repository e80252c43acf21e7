//! OrangeCrab r0.2.1 with the smaller of its FPGAs.

use super::Level::Low;
use super::*;
use crate::device::LFE5U_25F_CSFBGA285;

const fn at(ball: &'static str, bank: &'static str) -> Pin {
    pin(ball, bank, Standard::Lvcmos33)
}

pub static BOARD: Board = Board {
    name: "orangecrab-25f",
    module: "orangecrab_25f",
    title: "OrangeCrab 25F r0.2 and r0.2.1",
    device: &LFE5U_25F_CSFBGA285,
    clock: Clock { pin: at("A9", "1"), hertz: 48_000_000, system_hertz: 72_000_000 },
    line: Line {
        receive: at("N17", "8").pull_up(),
        send: at("M18", "8"),
        chip: "none on the board: an adapter of 3.3 V at GPIO 0 (in) and GPIO 1 (out)",
        baud: 115_200,
    },
    leds: Leds { pins: &[at("K4", "3"), at("M3", "3"), at("J3", "3")], shine_at: Low },
    buttons: &[Button { pin: pin("J17", "6", Standard::Sstl135), pressed: Low, label: "user button" }],
    ties: &[],
    sdram: None,
    settings: &[],
    flash: Flash::OpenFpgaLoader { board: "orangeCrab", volatile: false },
    configuration_pins: &[
        ("N17", "of the parallel port, which the board does not use: the maker's GPIO 0"),
        ("M18", "of the parallel port, which the board does not use: the maker's GPIO 1"),
    ],
    sources: &[
        "maker: orangecrab-fpga/orangecrab-examples eefbafa, verilog/orangecrab_r0.2.1.pcf (r0.2.pcf is the same for these pins), \
         verilog/blink/blink.v, verilog/blink_reset_module/blink_reset_module.v",
        "beside it: amaranth-boards 0.0.21, orangecrab_r0_2.py",
        "beside it: litex-boards 2023.12, platforms/gsd_orangecrab.py",
    ],
    decisions: &[
        "the LED of three colours shines at 0: the maker's examples and amaranth invert it; litex does not",
        "GPIO 0 receives and GPIO 1 sends, as on all boards of this form and in litex; amaranth has no line",
        "the receiving pin is pulled up, so that an open line is idle; the maker's file pulls all GPIOs down",
        "the button is at a pin of the memory's bank and has its levels, 1.35 V; all three sources say so",
        "amaranth has N3, M3 and P5 as bank pins of the memory, of which M3 is the green LED: not needed here, and wrong",
        "no adapter is known: 115,200 bits a second",
    ],
};
