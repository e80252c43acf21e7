//! Sipeed Tang Nano 9K.

use super::Level::Low;
use super::*;
use crate::device::GW1NR_9C_QFN88P;

/// Bank 3, with the LEDs and buttons, is supplied with 1.8 V.
const fn led(ball: &'static str) -> Pin {
    pin(ball, "3", Standard::Lvcmos18).drive(8)
}

pub static BOARD: Board = Board {
    name: "tang-nano-9k",
    module: "tang_nano_9k",
    title: "Sipeed Tang Nano 9K",
    device: &GW1NR_9C_QFN88P,
    clock: Clock { pin: pin("52", "1", Standard::Lvcmos33), hertz: 27_000_000, system_hertz: 48_000_000 },
    line: Line {
        receive: pin("18", "2", Standard::Lvcmos33).pull_up(),
        send: pin("17", "2", Standard::Lvcmos33).pull_up(),
        chip: "BL702",
        baud: 3_000_000,
    },
    leds: Leds { pins: &[led("10"), led("11"), led("13"), led("14"), led("15"), led("16")], shine_at: Low },
    buttons: &[Button { pin: pin("3", "3", Standard::Lvcmos18).pull_up(), pressed: Low, label: "at pin 3" }],
    ties: &[],
    sdram: None,
    settings: &[],
    flash: Flash::OpenFpgaLoader { board: "tangnano9k", volatile: true },
    configuration_pins: &[],
    sources: &[
        "maker: sipeed/TangNano-9K-example c3b7957, uart/src/top.cst, led/src/9K_LED_project.cst, led/src/LED.v",
        "beside it: amaranth-boards 0.0.21, tang_nano_9k.py",
        "beside it: litex-boards 2023.12, platforms/sipeed_tang_nano_9k.py",
        "for the voltage of bank 3: hackaday.io, project 204961, which measured and used it",
    ],
    decisions: &[
        "LEDs and buttons are 1.8 V, as litex has them: their bank 3 is supplied with that, and an owner reports 1.8 V at its pins; \
         amaranth has 3.3 V, the maker's files none",
        "the LEDs shine at 0, as amaranth has it; litex does not invert them",
        "the button at 4 is left out: its pin chooses whether JTAG works (JTAGSEL_N), and with it lost the board is hard to load",
    ],
};
