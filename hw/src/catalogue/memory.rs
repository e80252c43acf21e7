//! What moves bytes to and from memory over AXI4.

use super::block::Block;
use super::parameter::{Legal, Mistake, Parameter, Preset, Values, any, nothing};
use crate::memory::axi::{self, AxiParams, ID_BITS, MASTERS};
use crate::memory::axi_read_arbiter::axi_read_arbiter;
use crate::memory::axi_write_arbiter::axi_write_arbiter;
use crate::memory::burst_reader::burst_reader;
use crate::memory::burst_writer::burst_writer;
use crate::memory::mover::MoverParams;
use hdl::Design;
use std::any::type_name_of_val;

pub(super) const DATA_BITS: Parameter = Parameter {
    name: "data_bits",
    doc: "width of the bus",
    unit: "bits",
    default: Some(Preset::Number(64)),
    legal: Legal::OneOf(&axi::DATA_BITS),
    why: "these are tested",
};

pub(super) const ADDRESS_BITS: Parameter = Parameter {
    name: "address_bits",
    doc: "bits of a byte address",
    unit: "bits",
    default: Some(Preset::Number(32)),
    legal: any(axi::ADDRESS_BITS.0 as i128, axi::ADDRESS_BITS.1 as i128),
    why: "a memory has more than a page of 4 KiB, and AXI4 has addresses of up to 64 bits",
};

const MOVER: [Parameter; 6] = [
    DATA_BITS,
    ADDRESS_BITS,
    Parameter {
        name: "length_bits",
        doc: "bits of the number of bytes of a command",
        unit: "bits",
        default: Some(Preset::Number(24)),
        legal: any(13, 32),
        why: "a command may have a page of 4 KiB at least",
    },
    Parameter {
        name: "tag_bits",
        doc: "bits of a command's tag, which comes back when it is done",
        unit: "bits",
        default: Some(Preset::Number(8)),
        legal: any(1, 32),
        why: "a tag has a bit, and more nobody needs",
    },
    Parameter {
        name: "outstanding",
        doc: "bursts that may be under way",
        unit: "bursts",
        default: Some(Preset::Number(8)),
        legal: any(1, 16),
        why: "one is needed; 16 hide the latency of every memory that was tried",
    },
    Parameter {
        name: "buffer",
        doc: "beats that it holds: two of the longest bursts (256 beats, or 4 KiB) at least",
        unit: "beats",
        default: Some(Preset::Number(512)),
        legal: Legal::OneOf(&[128, 256, 512, 1024, 2048, 4096]),
        why: "a burst is asked for when all of it has room, while another one comes",
    },
];

/// The parameters of a burst reader or writer.
pub fn mover(v: &Values) -> MoverParams {
    let axi = AxiParams { data_bytes: v.number("data_bits") / 8, address_bits: v.number("address_bits"), id_bits: 0 };
    let (length_bits, tag_bits) = (v.number("length_bits"), v.number("tag_bits"));
    let (outstanding, buffer) = (v.number("outstanding"), v.number("buffer"));
    MoverParams { axi, length_bits, tag_bits, outstanding, buffer, scatter_bits: None, aligned: false }
}

fn buffer_fits(v: &Values) -> Result<(), Box<Mistake>> {
    let p = mover(v);
    let least = 2 * p.axi.longest_burst();
    if p.buffer >= least {
        return Ok(());
    }
    let what = format!("buffer = {} holds less than two bursts of {} beats", p.buffer, p.axi.longest_burst());
    let why = "a burst is asked for when all of it has room, while another one comes";
    Err(Mistake::together(&["buffer", "data_bits"], what, format!("buffer of at least {least}"), why))
}

pub(super) const BURST_READER: Block = Block {
    name: "burst_reader",
    summary: "reads any bytes of memory over AXI4: commands in, packets out",
    parameters: &MOVER,
    check: buffer_fits,
    latency: |_| "8 cycles and that of the memory from a command to its first word, if one or two beats have it".into(),
    throughput: |_| "1 beat of the bus a cycle, command after command".into(),
    function: || type_name_of_val(&burst_reader),
    build: |name, v| burst_reader(name, mover(v)).map(Design::erase),
};

pub(super) const BURST_WRITER: Block = Block {
    name: "burst_writer",
    summary: "writes any bytes of memory over AXI4: commands and packets in",
    parameters: &MOVER,
    check: buffer_fits,
    latency: |_| "2 cycles from a burst's last word to its request, 4 cycles to its first data".into(),
    throughput: |_| "1 beat of the bus a cycle, command after command".into(),
    function: || type_name_of_val(&burst_writer),
    build: |name, v| burst_writer(name, mover(v)).map(Design::erase),
};

const ARBITER: [Parameter; 4] = [
    Parameter {
        name: "masters",
        doc: "masters that share the bus",
        unit: "masters",
        default: None,
        legal: any(2, MASTERS as i128),
        why: "one would be a wire; for more, use two levels",
    },
    DATA_BITS,
    ADDRESS_BITS,
    Parameter {
        name: "id_bits",
        doc: "bits of the IDs of the masters; 0 for those that have none",
        unit: "bits",
        default: Some(Preset::Number(0)),
        legal: any(0, ID_BITS as i128),
        why: "no master that is known has more",
    },
];

/// The widths of the masters' ports.
pub fn arbiter_axi(v: &Values) -> AxiParams {
    let (address_bits, id_bits) = (v.number("address_bits"), v.number("id_bits"));
    AxiParams { data_bytes: v.number("data_bits") / 8, address_bits, id_bits }
}

pub(super) const AXI_READ_ARBITER: Block = Block {
    name: "axi_read_arbiter",
    summary: "several AXI4 masters that read, on one bus, burst by burst in turn",
    parameters: &ARBITER,
    check: nothing,
    latency: |_| "requests 1 cycle, data 0 cycles".into(),
    throughput: |_| "1 request and 1 beat a cycle".into(),
    function: || type_name_of_val(&axi_read_arbiter),
    build: |name, v| axi_read_arbiter(name, v.number("masters"), arbiter_axi(v)).map(Design::erase),
};

pub(super) const AXI_WRITE_ARBITER: Block = Block {
    name: "axi_write_arbiter",
    summary: "several AXI4 masters that write, on one bus, burst by burst in turn",
    parameters: &ARBITER,
    check: nothing,
    latency: |_| "requests 2 cycles, data 0 cycles, responses 0 cycles".into(),
    throughput: |_| "1 request and 1 beat a cycle, from burst to burst too".into(),
    function: || type_name_of_val(&axi_write_arbiter),
    build: |name, v| axi_write_arbiter(name, v.number("masters"), arbiter_axi(v)).map(Design::erase),
};
