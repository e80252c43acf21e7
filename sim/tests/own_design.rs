//! A design of a user of the library: what it is told, and where. (That of docs/own-design.md is a test of that page.)
#![allow(missing_docs)]

use hdl::{Bundle, Design, Errors, Module, Signal, bits, module, ports};
use hw::memory::axi::AxiParams;
use hw::memory::burst_reader::burst_reader;
use hw::memory::mover::MoverParams;
use hw::oaken::mmu::params::MmuParams;
use hw::oaken::mmu::unit::unit;
use hw::oaken::mmu::unit_axi::unit_axi;
use hw::oaken::quantizer_axi::quantizer_axi;
use hw::oaken::slice_splitter::slice_splitter;
use hw::oaken::slices::SliceParams;
use hw::oaken::{EngineParams, dequantizer_axi};
use hw::stream::fifo::{Style, fifo};

const AXI: AxiParams = AxiParams { data_bytes: 8, address_bits: 32, id_bits: 0 };
const ENGINE: EngineParams = EngineParams { lanes: 3, max_length: 256, dense_bits: 4, settings: 1 };
const MMU: MmuParams = MmuParams {
    axi: AXI,
    page_bytes: 1000,
    pages: 256,
    requests: 2,
    layers: 2,
    heads: 2,
    head_elements: 128,
    key_bits: 4,
    value_bits: 4,
    tokens: 100,
    tag_bits: 4,
    outstanding: 2,
};

/// The error has a note with this file and the line.
#[track_caller]
fn names_line(errors: Errors, line: u32) {
    let told = errors.to_string();
    let note = format!("  note: it was asked for here\n    --> {}:{line}:", file!());
    assert_eq!(told.matches("it was asked for here").count(), 1, "{told}");
    assert!(told.contains(&note), "{told} names line {line}");
    assert!(told.contains("  --> hw/src/"), "{told} names the library's line, too");
}

#[test]
fn illegal_parameters_name_the_line_of_the_user() {
    let slices = SliceParams { engine: ENGINE, head_elements: 128, bus_bytes: 8, tag_bits: 0 };
    let (length_bits, tag_bits, scatter_bits) = (16, 1, None);
    let mover =
        MoverParams { axi: AXI, length_bits, tag_bits, outstanding: 1, buffer: 100, scatter_bits, aligned: false };
    names_line(quantizer_axi("q", ENGINE).map(drop).unwrap_err(), line!());
    names_line(dequantizer_axi::dequantizer_axi("d", ENGINE).map(drop).unwrap_err(), line!());
    names_line(unit("mmu", MMU).map(drop).unwrap_err(), line!());
    names_line(unit_axi("mmu", MMU).map(drop).unwrap_err(), line!());
    names_line(slice_splitter("splitter", 2, slices).map(drop).unwrap_err(), line!());
    names_line(burst_reader("reader", mover).map(drop).unwrap_err(), line!());
    names_line(fifo(8, 0, Style::Distributed).map(drop).unwrap_err(), line!());
}

ports! {
    struct MinePorts() {
        output busy: Signal = bits(1),
    }
}

/// The line in it that asks for the MMU.
const ASKS: u32 = line!() + 6;

#[module]
fn mine() -> Result<Design<MinePorts>, Errors> {
    let m = Module::new("mine");
    let io = MinePorts::new(m);
    let mmu = m.instance(&unit("mmu", MMU)?);
    io.busy.set(mmu.free.any());
    m.finish(io)
}

#[test]
fn a_module_of_the_user_is_named_where_it_asks() {
    let errors = mine().map(drop).unwrap_err();
    assert_eq!(errors.0[0].message, "page_bytes = 1000");
    names_line(errors, ASKS);
}

#[test]
fn what_is_told_is_as_recorded() {
    let told = mine().map(drop).unwrap_err().to_string();
    let told: Vec<&str> = told.lines().collect();
    let [message, place, note, asked, help] = told[..] else { panic!("{told:?}") };
    assert_eq!(message, "error: page_bytes = 1000");
    assert!(place.starts_with("  --> hw/src/oaken/mmu/") && place.ends_with(" (module `mmu`)"), "{place}");
    assert_eq!(note, "  note: it was asked for here");
    assert!(asked.starts_with(&format!("    --> {}:{ASKS}:", file!())), "{asked}");
    assert_eq!(help, "  help: a power of two from 1024 to 65536");
}

/// A mistake in a module of the same package has its own line, and no other.
#[test]
fn who_asks_within_a_package_is_not_named() {
    #[module]
    fn open() -> Result<Design<MinePorts>, Errors> {
        let m = Module::new("open");
        let io = MinePorts::new(m);
        m.finish(io)
    }
    let told = open().map(drop).unwrap_err().to_string();
    assert!(!told.contains("asked for"), "{told}");
}
