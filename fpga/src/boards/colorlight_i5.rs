//! Colorlight i5 v7.0, a receiver card for LED walls, in the extension board by Muse Lab.

use super::Level::Low;
use super::*;
use crate::device::LFE5U_25F_CABGA381;

const fn at(ball: &'static str, bank: &'static str) -> Pin {
    pin(ball, bank, Standard::Lvcmos33)
}

pub static BOARD: Board = Board {
    name: "colorlight-i5",
    module: "colorlight_i5",
    title: "Colorlight i5 v7.0 in its extension board",
    device: &LFE5U_25F_CABGA381,
    clock: Clock { pin: at("P3", "6"), hertz: 25_000_000, system_hertz: 75_000_000 },
    line: Line {
        receive: at("H18", "2").pull_up(),
        send: at("J17", "2"),
        chip: "CMSIS-DAP of the extension board",
        baud: 115_200,
    },
    leds: Leds { pins: &[at("U16", "3")], shine_at: Low },
    buttons: &[],
    ties: &[],
    sdram: None,
    settings: &[],
    flash: Flash::CmsisDap,
    configuration_pins: &[],
    sources: &[
        "maker of the extension board: wuxx/Colorlight-FPGA-Projects 67aecc0, src/i5/common/io.lpf, src/i5/uart_tx/top.lpf, \
         README.md",
        "beside it: litex-boards 2023.12, platforms/colorlight_i5.py (amaranth-boards 0.0.21 does not have it)",
    ],
    decisions: &[
        "the LED is 3.3 V: io.lpf has the pin at 2.5 V as `led_o` and at 3.3 V as `P2_28`, as all others of its bank; litex 3.3 V",
        "the LED shines at 0 by litex; the maker's examples only blink it",
        "litex has a reset button at K18, of which the maker's files know nothing: left out",
        "the receiving pin is pulled up, so that an open line is idle; no source says so",
        "no source says what the CMSIS-DAP's serial line can do: 115,200 bits a second",
    ],
};
