//! The controller of an SDRAM chip.

use super::block::Block;
use super::parameter::{Legal, Mistake, Parameter, Preset, Values, any};
use crate::memory::axi::ID_BITS;
use crate::memory::sdram::{CAS_2_HERTZ, SdramParams, SdramTimes, sdram};
use hdl::Design;
use std::any::type_name_of_val;

/// The parameters of an SDRAM controller.
pub fn sdram_params(v: &Values) -> SdramParams {
    let [t_rcd, t_rp, t_ras, t_rc, t_rrd] = ["t_rcd", "t_rp", "t_ras", "t_rc", "t_rrd"].map(|name| v.number(name));
    let [t_wr, t_mrd, t_refi, pause] = ["t_wr", "t_mrd", "t_refi", "pause"].map(|name| v.number(name));
    SdramParams {
        clock_hertz: v.number("clock_hertz"),
        data_bits: v.number("data_bits"),
        row_bits: v.number("row_bits"),
        column_bits: v.number("column_bits"),
        bank_bits: v.number("bank_bits"),
        mask: v.flag("mask"),
        cas_latency: v.number("cas_latency"),
        read_delay: v.number("read_delay"),
        read_id_bits: v.number("read_id_bits"),
        write_id_bits: v.number("write_id_bits"),
        times: SdramTimes { t_rcd, t_rp, t_ras, t_rc, t_rrd, t_wr, t_mrd, t_refi, pause },
    }
}

/// What the chip and the clock allow together.
fn the_chip_keeps_up(v: &Values) -> Result<(), Box<Mistake>> {
    chip_keeps_up(sdram_params(v))
}

/// The same, of a chip with these parameters.
pub(super) fn chip_keeps_up(p: SdramParams) -> Result<(), Box<Mistake>> {
    if !p.has_cas_latency() {
        let what = format!("cas_latency = {} with clock_hertz = {}", p.cas_latency, p.clock_hertz);
        let legal = format!("3, or a clock of at most {CAS_2_HERTZ} Hz");
        return Err(Mistake::together(&["cas_latency", "clock_hertz"], what, legal, "no chip gives its words so soon"));
    }
    let (interval, least) = (p.interval(), p.least_interval());
    if interval < least {
        let what = format!("t_refi = {} with clock_hertz = {} is {interval} cycles", p.times.t_refi, p.clock_hertz);
        let legal = format!("at least {least} cycles");
        return Err(Mistake::together(
            &["t_refi", "clock_hertz"],
            what,
            legal,
            "refreshes would take more than a quarter of fewer",
        ));
    }
    Ok(())
}

/// A time of the chip's data sheet, in ns.
const fn nanoseconds(name: &'static str, doc: &'static str, default: i128, most: i128) -> Parameter {
    let why = "data sheets have nothing longer";
    Parameter { name, doc, unit: "ns", default: Some(Preset::Number(default)), legal: any(1, most), why }
}

/// A time of the chip's data sheet, in cycles: chips want these to be 2 at every clock that they have.
const fn cycles(name: &'static str, doc: &'static str) -> Parameter {
    let why = "data sheets have 1 or 2, or a time that is not more";
    Parameter { name, doc, unit: "cycles", default: Some(Preset::Number(2)), legal: any(1, 4), why }
}

/// Bits of IDs.
const fn ids(name: &'static str, doc: &'static str) -> Parameter {
    let why = "no master that is known has more";
    Parameter { name, doc, unit: "bits", default: Some(Preset::Number(0)), legal: any(0, ID_BITS as i128), why }
}

pub(super) const SHAPE: [Parameter; 10] = [
    Parameter {
        name: "clock_hertz",
        doc: "clock of controller and chip",
        unit: "Hz",
        default: None,
        legal: any(1_000_000, 200_000_000),
        why: "no chip is quicker, and slower ones would do nothing but refresh",
    },
    Parameter {
        name: "data_bits",
        doc: "data pins of the chip",
        unit: "bits",
        default: Some(Preset::Number(16)),
        legal: Legal::OneOf(&[16, 32]),
        why: "a beat of the bus is 4 or 2 words",
    },
    Parameter {
        name: "row_bits",
        doc: "bits of the number of a row: address pins",
        unit: "bits",
        default: Some(Preset::Number(13)),
        legal: any(11, 13),
        why: "A10 says what is precharged, and no chip has more than 13 address pins",
    },
    Parameter {
        name: "column_bits",
        doc: "bits of the number of a word in its row",
        unit: "bits",
        default: Some(Preset::Number(9)),
        legal: any(8, 10),
        why: "A10 is none of them",
    },
    Parameter {
        name: "bank_bits",
        doc: "bits of the number of a bank",
        unit: "bits",
        default: Some(Preset::Number(2)),
        legal: any(1, 2),
        why: "chips have 2 or 4 banks",
    },
    Parameter {
        name: "mask",
        doc: "whether the chip's mask pins (DQM) are connected",
        unit: "",
        default: Some(Preset::Flag(true)),
        legal: Legal::Flag,
        why: "they are, or on the board they are tied to 0",
    },
    Parameter {
        name: "cas_latency",
        doc: "CAS latency; 3 is legal at every clock, 2 up to what the chip's data sheet says, often 100 MHz",
        unit: "cycles",
        default: Some(Preset::Number(3)),
        legal: any(2, 3),
        why: "chips have these",
    },
    Parameter {
        name: "read_delay",
        doc: "registers between the data pins and `sdram_dq_in`",
        unit: "registers",
        default: Some(Preset::Number(0)),
        legal: any(0, 3),
        why: "one in the pins and two on the way are enough",
    },
    ids("read_id_bits", "bits of the IDs of reads: those of a read arbiter; 0 for a single master"),
    ids("write_id_bits", "bits of the IDs of writes: those of a write arbiter; 0 for a single master"),
];

const TIMES: [Parameter; 9] = [
    nanoseconds("t_rcd", "from activating a row to reading or writing it", 21, 100),
    nanoseconds("t_rp", "from precharging a bank to activating a row of it", 21, 100),
    nanoseconds("t_ras", "from activating a row to precharging its bank", 45, 200),
    nanoseconds(
        "t_rc",
        "from activating a row to activating another one of its bank, and from a refresh on (tRFC): the longer of both",
        66,
        200,
    ),
    nanoseconds("t_rrd", "from activating a row to activating one of another bank", 15, 100),
    cycles("t_wr", "from the last word that is written to precharging its bank (tDPL, tRDL)"),
    cycles("t_mrd", "from setting the mode to the next command (tRSC)"),
    Parameter {
        name: "t_refi",
        doc: "the most from one refresh to the next: the refresh period by its number of refreshes",
        unit: "ns",
        default: Some(Preset::Number(7812)),
        legal: any(1000, 1_000_000),
        why: "data sheets have 1.9 to 15.6 us",
    },
    Parameter {
        name: "pause",
        doc: "from the end of the reset to the first command, while the chip's supply and clock are stable",
        unit: "us",
        default: Some(Preset::Number(200)),
        legal: any(1, 1000),
        why: "chips want 100 or 200 us; fewer are for simulations",
    },
];

const PARAMETERS: [Parameter; 19] = {
    let mut all = [SHAPE[0]; 19];
    let mut i = 0;
    while i < all.len() {
        all[i] = if i < SHAPE.len() { SHAPE[i] } else { TIMES[i - SHAPE.len()] };
        i += 1;
    }
    all
};

fn latency(v: &Values) -> String {
    let p = sdram_params(v);
    let (open, closed, other) = (p.latency(), p.latency_of_a_closed_row(), p.latency_of_another_row());
    format!(
        "{open} cycles from a read to its first data, if its row is open; {closed} if none of its bank is, {other} if another one is"
    )
}

fn throughput(v: &Values) -> String {
    let p = sdram_params(v);
    let (burst, row) = (p.burst(), 1 << p.beat_bits());
    format!("1 beat in {burst} cycles, within rows of {row} beats and from row to row, but for refreshes")
}

pub(super) const SDRAM: Block = Block {
    name: "sdram",
    summary: "an SDRAM chip (single data rate) as a slave of AXI4, with a row open in each bank",
    parameters: &PARAMETERS,
    check: the_chip_keeps_up,
    latency,
    throughput,
    function: || type_name_of_val(&sdram),
    build: |name, v| sdram(name, sdram_params(v)).map(Design::erase),
};
