//! Radiona ULX3S with the largest of its FPGAs, from revision 2.0 of the board on.

use super::Level::{High, Low};
use super::*;
use crate::device::LFE5U_85F_CABGA381;

const fn at(ball: &'static str, bank: &'static str) -> Pin {
    pin(ball, bank, Standard::Lvcmos33)
}

const fn led(ball: &'static str) -> Pin {
    at(ball, "7").drive(4)
}

/// A pin of the SDRAM chip.
const fn of_chip(ball: &'static str, bank: &'static str) -> Pin {
    at(ball, bank).drive(4).fast()
}

const fn button(ball: &'static str, bank: &'static str, label: &'static str) -> Button {
    Button { pin: at(ball, bank).pull_down(), pressed: High, label }
}

pub static BOARD: Board = Board {
    name: "ulx3s-85f",
    module: "ulx3s_85f",
    title: "Radiona ULX3S 85F v2.0 and later",
    device: &LFE5U_85F_CABGA381,
    clock: Clock { pin: at("G2", "6"), hertz: 25_000_000, system_hertz: 75_000_000 },
    line: Line {
        receive: at("M1", "6").pull_up(),
        send: at("L4", "6").pull_up().drive(4),
        chip: "FT231X",
        baud: 3_000_000,
    },
    leds: Leds {
        pins: &[led("B2"), led("C2"), led("C1"), led("D2"), led("D1"), led("E2"), led("E1"), led("H3")],
        shine_at: High,
    },
    buttons: &[
        Button { pin: at("D6", "0").pull_up(), pressed: Low, label: "PWR" },
        button("R1", "8", "FIRE1"),
        button("T1", "8", "FIRE2"),
        button("R18", "3", "UP"),
        button("V1", "8", "DOWN"),
        button("U1", "8", "LEFT"),
        button("H16", "2", "RIGHT"),
    ],
    ties: &[Tie {
        port: "wifi_gpio0",
        pin: at("L2", "6").pull_up().drive(4),
        level: High,
        why: "at 0 the ESP32 on the board begins with its loader instead of its program",
    }],
    sdram: Some(Sdram {
        chip: "32 MB, 16 bits: IS42S16160G, W9825G6KH or AS4C16M16SA",
        clk: at("F19", "2").drive(4),
        cke: Some(of_chip("F20", "2")),
        cs_n: Some(of_chip("P20", "3")),
        ras_n: of_chip("R20", "3"),
        cas_n: of_chip("T19", "3"),
        we_n: of_chip("T20", "3"),
        ba: &[of_chip("P19", "3"), of_chip("N20", "3")],
        a: &[
            of_chip("M20", "3"),
            of_chip("M19", "3"),
            of_chip("L20", "3"),
            of_chip("L19", "3"),
            of_chip("K20", "2"),
            of_chip("K19", "2"),
            of_chip("K18", "2"),
            of_chip("J20", "2"),
            of_chip("J19", "2"),
            of_chip("H20", "2"),
            of_chip("N19", "3"),
            of_chip("G20", "2"),
            of_chip("G19", "2"),
        ],
        dqm: &[of_chip("U19", "3"), of_chip("E20", "2")],
        dq: &[
            of_chip("J16", "2"),
            of_chip("L18", "3"),
            of_chip("M18", "3"),
            of_chip("N18", "3"),
            of_chip("P18", "3"),
            of_chip("T18", "3"),
            of_chip("T17", "3"),
            of_chip("U20", "3"),
            of_chip("E19", "2"),
            of_chip("D20", "2"),
            of_chip("D19", "2"),
            of_chip("C20", "2"),
            of_chip("E18", "2"),
            of_chip("F18", "2"),
            of_chip("J18", "2"),
            of_chip("J17", "2"),
        ],
    }),
    settings: &[
        "SYSCONFIG CONFIG_IOVOLTAGE=3.3 COMPRESS_CONFIG=ON MCCLK_FREQ=62 SLAVE_SPI_PORT=DISABLE MASTER_SPI_PORT=ENABLE \
         SLAVE_PARALLEL_PORT=DISABLE",
    ],
    flash: Flash::OpenFpgaLoader { board: "ulx3s", volatile: true },
    configuration_pins: &[
        ("R1", "of the parallel port, which the maker's settings switch off"),
        ("T1", "of the parallel port, which the maker's settings switch off"),
        ("V1", "of the parallel port, which the maker's settings switch off"),
        ("U1", "of the parallel port, which the maker's settings switch off"),
    ],
    sources: &[
        "maker: emard/ulx3s 6a92cec6, doc/constraints/ulx3s_v20.lpf",
        "beside it: amaranth-boards 0.0.21, ulx3s.py",
        "beside it: litex-boards 2023.12, platforms/radiona_ulx3s.py",
    ],
    decisions: &[
        "PWR is low while it is pressed and needs a pull-up, as the maker and amaranth have it; litex pulls it down",
        "litex has R1 as a reset and as FIRE1: it is FIRE1",
        "wifi_gpio0 is L2, as the maker and amaranth have it; litex has F1 for this revision, which is the ESP32's enable",
        "litex leaves out the strength of the outputs; 4 mA, as the maker and amaranth have it",
    ],
};
