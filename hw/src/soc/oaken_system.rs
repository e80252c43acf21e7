//! Oaken system: a UART, the [link](mod@super::link) to a host, and a quantizer and a dequantizer with a record memory between them. Vectors
//! of binary16 elements that the host puts are quantized, their records wait in the memory, and what becomes of them can be taken. Or each
//! engine is used by itself, and a small device has one alone.
//!
//! | port | |
//! | --- | --- |
//! | `uart_rx` | the line from the host, of any clock; 1 while it is idle |
//! | `uart_tx` | the line to the host; a register |
//! | `alive` | changes about every half second; a register |
//! | `heard` | a frame has come since reset; a register |
//! | `error` | an error is flagged. From registers |
//!
//! - Parameters: [`SystemParams`].
//! - Registers, over the link: [those of the system](super::system_registers::registers()) at 0x0000, of the quantizer at 0x1000, of the
//!   dequantizer at 0x2000; at those of an engine that is not there is nothing. The elements are 2 bytes each, the lower one first; a packet
//!   is a vector. Records are two packets each, as the [join](crate::oaken::record_join()) gives them: the sparse part, then the dense one.
//! - The register `path` says what is put and taken. It acts at once, and is meant to be written while nothing is under way: else
//!   vectors and records are cut, and what is left of them goes the new way. No order of writes, puts and takes stops the link, and
//!   [draining](../blocks/oaken_system.md) makes the engines right again from any state.
//! - It cannot hang, whatever elements the host puts and takes: the join holds the dense part of the longest vector, the
//!   [split](crate::oaken::record_split()) the longest sparse part, which their proofs show to be enough. The record memory between them
//!   only lets the host put more before it takes. Records that are not legal may stop the dequantizer until it is flushed.
//! - Throughput: the line's. The engines take `lanes` elements a cycle.
//! - No combinational path from port to port.

use super::line::{Given, Line, of_bytes, signs, with_uart};
use super::link::link;
use super::link_responder::ADDRESS_BITS;
use super::system_params::{Engines, SystemParams};
use super::system_path::{Choice, DataPath, path};
use super::system_registers::{COUNTERS, ERRORS, SystemMap, system_map};
use crate::control::{AxiLite, Window, axil_router, slave};
use crate::stream::axi_stream::AxiStream;
use hdl::*;

/// Bytes of each stream that wait at the link.
pub const BUFFER: usize = 2048;
/// Where the registers of the engines begin.
pub const QUANTIZER: u32 = 0x1000;
/// Where the registers of the dequantizer begin.
pub const DEQUANTIZER: u32 = 0x2000;

ports! {
    /// Ports of an Oaken system.
    pub struct SystemPorts() {
        /// the line from the host, of any clock
        input uart_rx: Signal = bits(1),
        /// the line to the host
        output uart_tx: Signal = bits(1),
        /// changes about every half second
        output alive: Signal = bits(1),
        /// a frame has come
        output heard: Signal = bits(1),
        /// an error is flagged
        output error: Signal = bits(1),
    }
}

ports! {
    /// Ports of an Oaken system without its UART.
    pub struct BytesPorts() {
        /// bytes of the line from the host
        input from_host: Stream = stream(bits(8)),
        /// bytes of the line to the host
        output to_host: Stream = stream(bits(8)),
        /// changes about every half second
        output alive: Signal = bits(1),
        /// a frame has come
        output heard: Signal = bits(1),
        /// an error is flagged
        output error: Signal = bits(1),
    }
}

/// What happens in a cycle, as the registers have it.
struct Happens {
    /// In the order of [`ERRORS`].
    errors: [Signal; ERRORS.len()],
    /// In the order of [`COUNTERS`]; nothing where the engine is not there.
    counted: [Option<Signal>; COUNTERS.len()],
    /// The next packet of records is a dense part.
    dense_next: Option<Signal>,
}

/// A system; `name` is that of the Verilog module.
#[module]
pub fn oaken_system(name: &str, p: SystemParams) -> Result<Design<SystemPorts>, Errors> {
    let p = p.check(name)?;
    let m = Module::new(name);
    let engines = match p.engines {
        Engines::Both => "quantizer and dequantizer",
        one => one.name(),
    };
    m.doc(&format!("Oaken {engines} behind a UART, {} elements a cycle.", p.engine.lanes));
    let io = SystemPorts::new(m);
    let (uart_tx, given) = with_uart(m, io.uart_rx, p.clocks_per_bit, |line| behind_the_line(m, name, p, line))?;
    io.uart_tx.set(uart_tx);
    io.alive.set(given.alive);
    io.heard.set(given.heard);
    io.error.set(given.error);
    m.finish(io)
}

/// A system without its UART, for simulation: a byte of the line takes a cycle, and not 160 and more. Its registers say `clocks_per_bit`
/// all the same.
#[module]
pub fn oaken_system_of_bytes(name: &str, p: SystemParams) -> Result<Design<BytesPorts>, Errors> {
    let p = p.check(name)?;
    let m = Module::new(name);
    let io = BytesPorts::new(m);
    let given = behind_the_line(m, name, p, of_bytes(m, io.from_host))?;
    io.to_host.set(given.bytes);
    io.alive.set(given.alive);
    io.heard.set(given.heard);
    io.error.set(given.error);
    m.finish(io)
}

/// All of a system but its UART.
#[module]
fn behind_the_line(m: Module, name: &str, p: SystemParams, line: Line) -> Result<Given, Errors> {
    m.section("the link");
    let link = m.instance(&link(BUFFER)?);
    link.s.set(line.bytes);

    let choice = (p.engines == Engines::Both).then(|| Choice::wires(m));
    let path = path(m, name, p, link.m_axis.stream(), choice)?;
    link.s_axis.set(AxiStream::from(path.to_host));

    m.section("what happens");
    let events = link.events;
    let [taken, busy, starved, stalled] = quantizer_counts(m, &path);
    let leaving = path.dequantizing.as_ref().map(|part| part.elements);
    let happens = Happens {
        errors: [events.damaged, events.too_long, events.no_room, events.refused, line.framing, line.overrun],
        counted: [
            Some(m.lit(1u32, 1)),
            Some(events.frame),
            Some(events.damaged | events.too_long | events.no_room),
            Some(events.repeated),
            taken,
            busy,
            starved,
            stalled,
            leaving.map(|s| s.transfer()),
            leaving.map(|s| s.valid & !s.ready),
        ],
        dense_next: path.dequantizing.as_ref().map(|part| part.dense_next),
    };

    m.section("the registers");
    let map = system_map(p);
    let quantizer = path.quantizing.as_ref().map(|part| (QUANTIZER, part.registers));
    let dequantizer = path.dequantizing.as_ref().map(|part| (DEQUANTIZER, part.registers));
    let engines: Vec<(u32, AxiLite)> = quantizer.into_iter().chain(dequantizer).collect();
    let mut windows = vec![Window { base: 0, bits: map.map.address_width() }];
    windows.extend(engines.iter().map(|(base, bus)| Window { base: *base, bits: bus.awaddr.width() }));
    let router = m.instance(&axil_router(ADDRESS_BITS, &windows)?);
    router.s_axil.set(link.m_axil);
    for (i, (_, bus)) in engines.into_iter().enumerate() {
        bus.set(router.m_axil[i + 1].narrowed(bus.awaddr.width()));
    }
    let any_error = own_registers(m, &map, router.m_axil[0], &happens, choice)?;

    let [alive, heard] = signs(m, p.clock_hertz, events.frame);
    Ok(Given { bytes: link.m, alive, heard, error: any_error })
}

/// What the quantizer does: a beat is taken, it is busy, starved, stalled.
#[module]
fn quantizer_counts(m: Module, path: &DataPath) -> [Option<Signal>; 4] {
    let Some(quantizing) = &path.quantizing else { return [None; 4] };
    let arriving = quantizing.elements;
    let within = m.reg_reset(bits(1), 0).comment("in the midst of a vector");
    let takes = arriving.transfer();
    m.when(takes, || within.set(!arriving.payload.last));
    [takes, takes | within, within & !arriving.valid, arriving.valid & !arriving.ready].map(Some)
}

/// The registers of the system itself. Gives whether an error is flagged.
#[module]
fn own_registers(
    m: Module,
    map: &SystemMap,
    bus: AxiLite,
    happens: &Happens,
    choice: Option<Choice>,
) -> Result<Signal, Errors> {
    let regs = slave(m, &map.map, bus)?;
    for (error, happens) in map.errors.iter().zip(happens.errors) {
        regs[*error].set.set(happens);
    }
    for ((counter, happens), (name, ..)) in map.counters.iter().zip(happens.counted).zip(COUNTERS) {
        let Some(happens) = happens else {
            regs[*counter].set(0);
            continue;
        };
        let count = m.reg_reset(bits(32), 0).named(&format!("{name}_count"));
        m.when(happens, || count.set(count + 1));
        regs[*counter].set(count);
    }
    if let (Some([records_out, records_in]), Some(choice)) = (map.path, choice) {
        choice.records_out.set(regs[records_out]);
        choice.records_in.set(regs[records_in]);
    }
    match happens.dense_next {
        Some(dense_next) => regs[map.dense_next].set(dense_next),
        None => regs[map.dense_next].set(0),
    }
    let flags: Vec<Signal> = map.errors.iter().map(|error| regs[*error].value).collect();
    Ok(cat(&flags).any())
}

#[cfg(test)]
mod tests;
