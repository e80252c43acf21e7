//! Sipeed Tang Nano 20K.

use super::Level::{High, Low};
use super::*;
use crate::device::GW2AR_18C_QFN88;

const fn at(ball: &'static str, bank: &'static str) -> Pin {
    pin(ball, bank, Standard::Lvcmos33)
}

const fn led(ball: &'static str) -> Pin {
    at(ball, "6").drive(8)
}

pub static BOARD: Board = Board {
    name: "tang-nano-20k",
    module: "tang_nano_20k",
    title: "Sipeed Tang Nano 20K",
    device: &GW2AR_18C_QFN88,
    clock: Clock { pin: at("4", "7"), hertz: 27_000_000, system_hertz: 48_000_000 },
    line: Line { receive: at("70", "1").pull_up(), send: at("69", "1"), chip: "BL616", baud: 3_000_000 },
    leds: Leds { pins: &[led("15"), led("16"), led("17"), led("18"), led("19"), led("20")], shine_at: Low },
    buttons: &[
        Button { pin: at("88", "3"), pressed: High, label: "S1" },
        Button { pin: at("87", "3"), pressed: High, label: "S2" },
    ],
    ties: &[],
    sdram: None,
    settings: &[],
    flash: Flash::OpenFpgaLoader { board: "tangnano20k", volatile: true },
    configuration_pins: &[
        ("88", "chooses where the device is configured from while it is; free afterwards, and the maker's button"),
        (
            "87",
            "chooses where the device is configured from while it is; free afterwards, and the board's second button",
        ),
    ],
    sources: &[
        "maker: sipeed/TangNano-20K-example 6326934, uart/src/top.cst, uart/src/uart_top.v, led/blink_leds/src/blink_leds.cst, \
         nestang/src/nestang.cst",
        "beside it: litex-boards 2023.12, platforms/sipeed_tang_nano_20k.py (amaranth-boards 0.0.21 does not have it)",
    ],
    decisions: &[
        "clock and LEDs are 3.3 V, as uart/src/top.cst, nestang.cst and litex have them; blink_leds.cst has 1.8 V for both",
        "S1 is high while it is pressed: the maker's uart_top.v resets with it so; S2 is at the pin beside it, in litex alone",
        "the LEDs shine at 0, by litex; the maker's examples only blink them",
        "the receiving pin is pulled up, so that an open line is idle; no source says so",
    ],
};
