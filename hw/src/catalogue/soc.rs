//! What a system on a board has besides its engines, and a system.

use super::block::Block;
use super::oaken_engines::{ENGINE, engine_params};
use super::parameter::{Legal, Mistake, Parameter, Preset, Values, any, nothing};
use crate::soc::baud::{MAX_CLOCKS_PER_BIT, MIN_CLOCKS_PER_BIT};
use crate::soc::board_top::{BoardParams, board_top};
use crate::soc::frame_receiver::{HELD, frame_receiver};
use crate::soc::frame_transmitter::frame_transmitter;
use crate::soc::link::link;
use crate::soc::oaken_system::oaken_system;
use crate::soc::pll::{Pll, search};
use crate::soc::system_params::{Engines, SystemParams};
use crate::soc::uart::uart;
use hdl::Design;
use std::any::type_name_of_val;

pub(super) const CLOCKS_PER_BIT: Parameter = Parameter {
    name: "clocks_per_bit",
    doc: "cycles of a bit of the line",
    unit: "cycles",
    default: None,
    legal: any(MIN_CLOCKS_PER_BIT as i128, MAX_CLOCKS_PER_BIT as i128),
    why: "with fewer the middle of a bit is found too badly, and slower lines nobody has",
};

pub(super) const UART: Block = Block {
    name: "uart",
    summary: "receiver and transmitter of a serial line: 8 data bits, no parity, 1 stop bit",
    parameters: &[CLOCKS_PER_BIT],
    check: nothing,
    latency: |v| {
        let half = v.number("clocks_per_bit") / 2;
        format!(
            "a byte out {half} to {} cycles after its stop bit has begun; the start bit of a byte in 1 cycle",
            half + 4
        )
    },
    throughput: |v| {
        let clocks = v.number("clocks_per_bit");
        format!("1 byte in {} cycles in, 1 byte in {} cycles out", 10 * clocks, 10 * clocks + 1)
    },
    function: || type_name_of_val(&uart),
    build: |_, v| uart(v.number("clocks_per_bit")).map(Design::erase),
};

pub(super) const FRAME_RECEIVER: Block = Block {
    name: "frame_receiver",
    summary: "the contents of frames of the line to the host that are whole and right",
    parameters: &[],
    check: nothing,
    latency: |_| "a content out 2 cycles after the zero that ends its frame".into(),
    throughput: |_| "1 byte in every cycle".into(),
    function: || type_name_of_val(&frame_receiver),
    build: |_, _| frame_receiver(HELD).map(Design::erase),
};

pub(super) const FRAME_TRANSMITTER: Block = Block {
    name: "frame_transmitter",
    summary: "contents to frames of the line to the host, the last of which can be sent again",
    parameters: &[],
    check: nothing,
    latency: |_| {
        "9 cycles from the last byte of a content to the first one of its frame, 2 to one that is sent again".into()
    },
    throughput: |_| "1 byte in every cycle; the next content is taken when the frame has been sent".into(),
    function: || type_name_of_val(&frame_transmitter),
    build: |_, _| frame_transmitter().map(Design::erase),
};

pub(super) const LINK: Block = Block {
    name: "link",
    summary: "requests of a host on a line: registers behind AXI4-Lite, and a stream of packets each way",
    parameters: &[Parameter {
        name: "buffer",
        doc: "bytes of each stream that wait",
        unit: "bytes",
        default: Some(Preset::Number(2048)),
        legal: Legal::OneOf(&[512, 1024, 2048, 4096, 8192, 16_384, 32_768, 65_536]),
        why: "a request puts up to 240 and needs room for all, a block RAM has no fewer than 512, and hosts wait for no more",
    }],
    check: nothing,
    latency: |_| "an answer begins some 20 cycles after its request, and with a register those of the bus".into(),
    throughput: |_| "1 byte of the line in every cycle; one request at a time".into(),
    function: || type_name_of_val(&link),
    build: |_, v| link(v.number("buffer") as usize).map(Design::erase),
};

pub(super) const CLOCK_HERTZ: Parameter = Parameter {
    name: "clock_hertz",
    doc: "frequency of the clock",
    unit: "Hz",
    default: None,
    legal: any(1_000_000, 1_000_000_000),
    why: "a host reads it to make seconds of cycles",
};

const SYSTEM: [Parameter; 7] = [
    ENGINE[0],
    ENGINE[1],
    ENGINE[2],
    CLOCK_HERTZ,
    CLOCKS_PER_BIT,
    Parameter {
        name: "records",
        doc: "beats of records that wait between the engines, each as wide as a word of the sparse part",
        unit: "beats",
        default: Some(Preset::Number(512)),
        legal: any(2, 65_536),
        why: "a FIFO has 2, and more no device holds",
    },
    Parameter {
        name: "engines",
        doc: "which engines are there; with one, there is no record memory",
        unit: "",
        default: Some(Preset::Name("both")),
        legal: Legal::Choice(&Engines::NAMES),
        why: "a device that is too small for both has room for one",
    },
];

/// The parameters of a system.
pub fn system_params(v: &Values) -> SystemParams {
    SystemParams {
        engine: engine_params(v),
        engines: Engines::named(v.choice("engines")).unwrap_or(Engines::Both),
        clock_hertz: v.number("clock_hertz"),
        clocks_per_bit: v.number("clocks_per_bit"),
        records: v.number("records"),
    }
}

pub(super) const OAKEN_SYSTEM: Block = Block {
    name: "oaken_system",
    summary: "a quantizer and a dequantizer with a record memory between them, or one of them, behind a serial line to a host",
    parameters: &SYSTEM,
    check: nothing,
    latency: |_| "that of the line".into(),
    throughput: |v| format!("that of the line; the engines take {} elements a cycle", v.number("lanes")),
    function: || type_name_of_val(&oaken_system),
    build: |name, v| oaken_system(name, system_params(v)).map(Design::erase),
};

pub(super) const OSCILLATOR_HERTZ: Parameter = Parameter {
    name: "oscillator_hertz",
    doc: "frequency of the board's oscillator",
    unit: "Hz",
    default: None,
    legal: any(1_000_000, 1_000_000_000),
    why: "no PLL takes less",
};

pub(super) const LEDS: Parameter = Parameter {
    name: "leds",
    doc: "LEDs of the board",
    unit: "LEDs",
    default: Some(Preset::Number(3)),
    legal: any(1, 16),
    why: "boards have no more",
};

pub(super) const LEDS_LOW: Parameter = Parameter {
    name: "leds_low",
    doc: "the LEDs shine at 0",
    unit: "",
    default: Some(Preset::Flag(false)),
    legal: Legal::Flag,
    why: "they shine at 0 or at 1",
};

pub(super) const WIFI_GPIO0: Parameter = Parameter {
    name: "wifi_gpio0",
    doc: "a port of this name that is 1, as the ULX3S needs it",
    unit: "",
    default: Some(Preset::Flag(false)),
    legal: Legal::Flag,
    why: "the port is there or not",
};

const BOARD: [Parameter; 12] = [
    SYSTEM[0],
    SYSTEM[1],
    SYSTEM[2],
    SYSTEM[3],
    SYSTEM[4],
    SYSTEM[5],
    SYSTEM[6],
    Parameter {
        name: "pll",
        doc: "the PLL of the device",
        unit: "",
        default: Some(Preset::Name("ehxplll")),
        legal: Legal::Choice(&["ehxplll", "sb_pll40_pad", "rpll_little_bee", "rpll_arora"]),
        why: "ECP5, iCE40, GW1NR-9C and GW2AR-18C have these",
    },
    OSCILLATOR_HERTZ,
    LEDS,
    LEDS_LOW,
    WIFI_GPIO0,
];

/// The parameters of a board top.
pub fn board_params(v: &Values) -> BoardParams {
    let pll = match v.choice("pll") {
        "ehxplll" => Pll::Ehxplll,
        "sb_pll40_pad" => Pll::SbPll40Pad,
        "rpll_little_bee" => Pll::RpllLittleBee,
        _ => Pll::RpllArora,
    };
    BoardParams {
        system: system_params(v),
        pll,
        oscillator_hertz: v.number("oscillator_hertz"),
        leds: v.number("leds"),
        leds_low: v.flag("leds_low"),
        wifi_gpio0: v.flag("wifi_gpio0"),
    }
}

fn clock_can_be_made(v: &Values) -> Result<(), Box<Mistake>> {
    let p = board_params(v);
    let names = &["pll", "oscillator_hertz", "clock_hertz"];
    clock_is_made(p.pll, p.oscillator_hertz, p.system.clock_hertz, names)
}

/// Does a PLL make this clock of the oscillator's?
pub(super) fn clock_is_made(pll: Pll, oscillator: u32, clock: u32, names: &[&'static str]) -> Result<(), Box<Mistake>> {
    let Err(impossible) = search(pll, oscillator, clock) else { return Ok(()) };
    let legal = "a clock that the PLL makes of the oscillator's".to_string();
    Err(Mistake::together(names, impossible.to_string(), legal, "its dividers are whole numbers"))
}

pub(super) const OAKEN_BOARD: Block = Block {
    name: "oaken_board",
    summary: "the top of a board: an Oaken system with the PLL of the device, its reset and LEDs",
    parameters: &BOARD,
    check: clock_can_be_made,
    latency: |_| "that of the line".into(),
    throughput: |v| format!("that of the line; the engines take {} elements a cycle", v.number("lanes")),
    function: || type_name_of_val(&board_top),
    build: |name, v| board_top(name, board_params(v)).map(Design::erase),
};
