//! Oaken system: a UART, the [link](mod@super::link) to a host, and a quantizer and a dequantizer with a record memory between them. Vectors
//! of binary16 elements that the host puts are quantized, their records wait in the memory, and what becomes of them can be taken.
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
//!   dequantizer at 0x2000. The elements are 2 bytes each, the lower one first; a packet is a vector.
//! - It cannot hang, whatever the host puts and takes: the [join](crate::oaken::record_join()) holds the dense part of the longest vector, the
//!   [split](crate::oaken::record_split()) the longest sparse part, which their proofs show to be enough. The record memory between them
//!   only lets the host put more before it takes.
//! - Throughput: the line's. The engines take `lanes` elements a cycle.
//! - No combinational path from port to port.

use super::link::link;
use super::link_responder::ADDRESS_BITS;
use super::system_params::SystemParams;
use super::system_registers::{COUNTERS, ERRORS, SystemMap, system_map};
use super::uart::uart;
use crate::control::{AxiLite, Window, axil_router, slave};
use crate::oaken::{dequantizer_axi, quantizer_axi, record_join, record_split};
use crate::stream::axi_stream::AxiStream;
use crate::stream::convert::convert_after;
use crate::stream::fifo::{Style, fifo_after};
use hdl::*;

/// Bytes of each stream that wait at the link.
const BUFFER: usize = 2048;
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

/// What happens in a cycle, as the registers have it.
struct Happens {
    /// In the order of [`ERRORS`].
    errors: [Signal; ERRORS.len()],
    /// In the order of [`COUNTERS`].
    counted: [Signal; COUNTERS.len()],
}

/// A system; `name` is that of the Verilog module.
#[module]
pub fn oaken_system(name: &str, p: SystemParams) -> Result<Design<SystemPorts>, Errors> {
    let p = p.check(name)?;
    let m = Module::new(name);
    m.doc(&format!("Oaken quantizer and dequantizer behind a UART, {} elements a cycle.", p.engine.lanes));
    let io = SystemPorts::new(m);
    m.port_domain(io.uart_rx, m.asynchronous());

    m.section("the line and the link");
    let line = m.instance(&uart(p.clocks_per_bit)?);
    line.rx.set(io.uart_rx);
    io.uart_tx.set(line.tx);
    let link = m.instance(&link(BUFFER)?);
    link.s.set(line.m);
    line.s.set(link.m);

    m.section("elements in, records, elements out");
    let quantizer = m.instance(&quantizer_axi(&format!("{name}_quantizer"), p.engine)?);
    let dequantizer = m.instance(&dequantizer_axi(&format!("{name}_dequantizer"), p.engine)?);
    let join = m.instance(&record_join(&format!("{name}_join"), p.engine)?);
    let split = m.instance(&record_split(&format!("{name}_split"), p.engine)?);
    let arriving = convert_after(m, link.m_axis.stream(), 2 * p.engine.lanes)?;
    quantizer.s_axis.set(AxiStream::from(arriving));
    join.s_axis_dense.set(quantizer.m_axis_dense);
    join.s_axis_sparse.set(quantizer.m_axis_sparse);
    let style = if p.records > 64 { Style::Block } else { Style::Distributed };
    let records = fifo_after(m, join.m_axis.stream(), p.records as usize, style)?;
    split.s_axis.set(AxiStream::from(records));
    dequantizer.s_axis_dense.set(split.m_axis_dense);
    dequantizer.s_axis_sparse.set(split.m_axis_sparse);
    let leaving = dequantizer.m_axis.stream();
    link.s_axis.set(AxiStream::from(convert_after(m, leaving, 1)?));

    m.section("what happens");
    let events = link.events;
    let within = m.reg_reset(bits(1), 0).comment("in the midst of a vector");
    let takes = arriving.transfer();
    m.when(takes, || within.set(!arriving.payload.last));
    let happens = Happens {
        errors: [events.damaged, events.too_long, events.no_room, events.refused, line.framing, line.overrun],
        counted: [
            m.lit(1u32, 1),
            events.frame,
            events.damaged | events.too_long | events.no_room,
            events.repeated,
            takes,
            takes | within,
            within & !arriving.valid,
            arriving.valid & !arriving.ready,
            leaving.transfer(),
            leaving.valid & !leaving.ready,
        ],
    };

    m.section("the registers");
    let map = system_map(p);
    let windows = [
        Window { base: 0, bits: map.map.address_width() },
        Window { base: QUANTIZER, bits: quantizer.s_axil.awaddr.width() },
        Window { base: DEQUANTIZER, bits: dequantizer.s_axil.awaddr.width() },
    ];
    let router = m.instance(&axil_router(ADDRESS_BITS, &windows)?);
    router.s_axil.set(link.m_axil);
    let [own, first, second] = [0, 1, 2].map(|i| router.m_axil[i]);
    quantizer.s_axil.set(first.narrowed(windows[1].bits));
    dequantizer.s_axil.set(second.narrowed(windows[2].bits));
    let any_error = own_registers(m, &map, own, &happens)?;

    m.section("for people");
    let clock =
        m.reg_reset(bits(clog2(p.clock_hertz as usize)), 0).comment("its highest bit changes about every half second");
    clock.set(clock + 1);
    let heard = m.reg_reset(bits(1), 0);
    m.when(events.frame, || heard.set(1));
    io.alive.set(clock.msb());
    io.heard.set(heard);
    io.error.set(any_error);
    m.finish(io)
}

/// The registers of the system itself. Gives whether an error is flagged.
#[module]
fn own_registers(m: Module, map: &SystemMap, bus: AxiLite, happens: &Happens) -> Result<Signal, Errors> {
    let regs = slave(m, &map.map, bus)?;
    for (error, happens) in map.errors.iter().zip(happens.errors) {
        regs[*error].set.set(happens);
    }
    for ((counter, happens), (name, ..)) in map.counters.iter().zip(happens.counted).zip(COUNTERS) {
        let count = m.reg_reset(bits(32), 0).named(&format!("{name}_count"));
        m.when(happens, || count.set(count + 1));
        regs[*counter].set(count);
    }
    let flags: Vec<Signal> = map.errors.iter().map(|error| regs[*error].value).collect();
    Ok(cat(&flags).any())
}

#[cfg(test)]
mod tests;
