//! Colorlight i9 v7.2, a receiver card for LED walls, in the extension board by Muse Lab.

use super::Level::Low;
use super::*;
use crate::device::LFE5U_45F_CABGA381;

const fn at(ball: &'static str, bank: &'static str) -> Pin {
    pin(ball, bank, Standard::Lvcmos33)
}

pub static BOARD: Board = Board {
    name: "colorlight-i9",
    module: "colorlight_i9",
    title: "Colorlight i9 v7.2 in its extension board",
    device: &LFE5U_45F_CABGA381,
    clock: Clock { pin: at("P3", "6"), hertz: 25_000_000, system_hertz: 75_000_000 },
    line: Line {
        receive: at("H18", "2").pull_up(),
        send: at("J17", "2"),
        chip: "CMSIS-DAP of the extension board",
        baud: 115_200,
    },
    leds: Leds { pins: &[at("L2", "6")], shine_at: Low },
    buttons: &[],
    ties: &[],
    sdram: None,
    settings: &[],
    flash: Flash::CmsisDap,
    configuration_pins: &[],
    sources: &[
        "maker of the extension board: wuxx/Colorlight-FPGA-Projects 67aecc0, colorlight_i9_v7.2.md, src/i9/blink/blink.lpf, \
         src/i5/uart_tx/top.lpf",
        "beside it: litex-boards 2023.12, platforms/colorlight_i5.py (amaranth-boards 0.0.21 does not have it)",
    ],
    decisions: &[
        "all but the LED is as on the i5: colorlight_i9_v7.2.md says so; the line is therefore J17 and H18, as in litex, which has \
         E5 and F4 as another one",
        "the LED is 3.3 V: blink.lpf has 2.5 V, but the clock in the same bank 3.3 V; litex 3.3 V",
        "the LED shines at 0 by litex; the maker's examples only blink it",
        "the receiving pin is pulled up, so that an open line is idle; no source says so",
        "no source says what the CMSIS-DAP's serial line can do: 115,200 bits a second",
    ],
};
