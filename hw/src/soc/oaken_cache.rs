//! Oaken cache: a key-value cache behind a serial line. The host opens requests, appends the keys and values of tokens, reads the
//! history of a head, and releases requests; vectors are quantized on their way to memory and dequantized on their way back.
//!
//! | port | |
//! | --- | --- |
//! | `uart_rx` | the line from the host, of any clock; 1 while it is idle |
//! | `uart_tx` | the line to the host; a register |
//! | `m_axi` | AXI4 to the memory that the pages lie in, from address 0 on; IDs of reads have one bit, writes have none |
//! | `alive` | changes about every half second; a register |
//! | `heard` | a frame has come since reset; a register |
//! | `error` | an error is flagged. From registers |
//!
//! - Parameters: [`CacheParams`].
//! - What the host puts and takes over the [link](mod@super::link) are packets: a [command](commands) and, behind an append, its vector; vectors
//!   and answers. One command after the other is done. Registers: [own ones](registers::windows()) at 0x0000, the quantizer's at 0x1000, the
//!   dequantizer's at 0x2000; see the [page](../../../docs/blocks/oaken_cache.md).
//! - It cannot hang, whatever the host puts, as long as the engines are enabled and what it gives is taken: a vector that is cut is filled up, and
//!   each packet makes one record; a command that is not understood is answered.
//! - Throughput: the line's. The engines take `lanes` elements a cycle.
//! - Combinational paths: `m_axi_rid` to `m_axi_rready`.

pub mod command_reader;
pub mod commands;
pub mod executor;
pub mod params;
mod path;
pub mod registers;

use self::params::CacheParams;
use self::path::{CacheEvents, path};
use self::registers::{CacheMap, cache_map};
use super::line::{Given, Line, of_bytes, signs, with_uart};
use super::link::{LinkEvents, link};
use super::link_responder::ADDRESS_BITS;
use super::oaken_system::{BUFFER, DEQUANTIZER, QUANTIZER};
use crate::control::{AxiLite, Window, axil_router, slave};
use crate::memory::axi::{Axi, axi};
use crate::stream::axi_stream::AxiStream;
use hdl::*;

ports! {
    /// Ports of an Oaken cache.
    pub struct CachePorts(p: CacheParams) {
        /// the line from the host, of any clock
        input uart_rx: Signal = bits(1),
        /// the line to the host
        output uart_tx: Signal = bits(1),
        /// the memory; IDs of reads have one bit
        output m_axi: Axi = axi(p.mmu.axi.of_masters(2), p.mmu.axi),
        /// changes about every half second
        output alive: Signal = bits(1),
        /// a frame has come
        output heard: Signal = bits(1),
        /// an error is flagged
        output error: Signal = bits(1),
    }
}

ports! {
    /// Ports of an Oaken cache without its UART.
    pub struct CacheBytesPorts(p: CacheParams) {
        /// bytes of the line from the host
        input from_host: Stream = stream(bits(8)),
        /// bytes of the line to the host
        output to_host: Stream = stream(bits(8)),
        /// the memory; IDs of reads have one bit
        output m_axi: Axi = axi(p.mmu.axi.of_masters(2), p.mmu.axi),
        /// changes about every half second
        output alive: Signal = bits(1),
        /// a frame has come
        output heard: Signal = bits(1),
        /// an error is flagged
        output error: Signal = bits(1),
    }
}

/// An Oaken cache; `name` is that of the Verilog module.
#[module]
pub fn oaken_cache(name: &str, p: CacheParams) -> Result<Design<CachePorts>, Errors> {
    let p = p.check(name)?;
    let m = Module::new(name);
    m.doc("Key-value cache behind a UART: quantizes what the host appends, keeps it in pages, and reads it back.");
    let io = CachePorts::new(m, p);
    let (uart_tx, given) =
        with_uart(m, io.uart_rx, p.clocks_per_bit, |line| behind_the_line(m, name, p, line, io.m_axi))?;
    io.uart_tx.set(uart_tx);
    io.alive.set(given.alive);
    io.heard.set(given.heard);
    io.error.set(given.error);
    m.finish(io)
}

/// An Oaken cache without its UART, for simulation: a byte of the line takes a cycle, and not 160 and more. Its registers say
/// `clocks_per_bit` all the same.
#[module]
pub fn oaken_cache_of_bytes(name: &str, p: CacheParams) -> Result<Design<CacheBytesPorts>, Errors> {
    let p = p.check(name)?;
    let m = Module::new(name);
    let io = CacheBytesPorts::new(m, p);
    let given = behind_the_line(m, name, p, of_bytes(m, io.from_host), io.m_axi)?;
    io.to_host.set(given.bytes);
    io.alive.set(given.alive);
    io.heard.set(given.heard);
    io.error.set(given.error);
    m.finish(io)
}

/// All of a cache but its UART.
#[module]
fn behind_the_line(m: Module, name: &str, p: CacheParams, line: Line, m_axi: Axi) -> Result<Given, Errors> {
    m.section("the link");
    let link = m.instance(&link(BUFFER)?);
    link.s.set(line.bytes);
    let path = path(m, name, p, link.m_axis.stream(), m_axi)?;
    link.s_axis.set(AxiStream::from(path.to_host));

    m.section("the registers");
    let map = cache_map(p);
    let engines = [(QUANTIZER, path.quantizer), (DEQUANTIZER, path.dequantizer)];
    let mut windows = vec![Window { base: 0, bits: map.map.address_width() }];
    windows.extend(engines.map(|(base, bus)| Window { base, bits: bus.awaddr.width() }));
    let router = m.instance(&axil_router(ADDRESS_BITS, &windows)?);
    router.s_axil.set(link.m_axil);
    for (i, (_, bus)) in engines.into_iter().enumerate() {
        bus.set(router.m_axil[i + 1].narrowed(bus.awaddr.width()));
    }
    let happens =
        Happens { line: [line.framing, line.overrun], link: link.events, cache: path.events, free: path.free };
    let error = own_registers(m, &map, router.m_axil[0], &happens)?;

    let [alive, heard] = signs(m, p.clock_hertz, link.events.frame);
    Ok(Given { bytes: link.m, alive, heard, error })
}

/// What happens in a cycle, as the registers have it.
struct Happens {
    line: [Signal; 2],
    link: LinkEvents,
    cache: CacheEvents,
    free: Signal,
}

/// The registers of the cache itself. Gives whether an error is flagged.
#[module]
fn own_registers(m: Module, map: &CacheMap, bus: AxiLite, happens: &Happens) -> Result<Signal, Errors> {
    let regs = slave(m, &map.map, bus)?;
    let Happens { line: [framing, overrun], link, cache, free } = happens;
    let dropped = link.damaged | link.too_long | link.no_room;
    let errors =
        [link.damaged, link.too_long, link.no_room, link.refused, *framing, *overrun, cache.refused, cache.damaged];
    for (flag, error) in map.errors.iter().zip(errors) {
        regs[*flag].set.set(error);
    }
    let counted = [m.lit(1u32, 1), link.frame, dropped, link.repeated, cache.appended, cache.given];
    for ((counter, happens), (name, ..)) in map.counters.iter().zip(counted).zip(registers::COUNTERS) {
        let count = m.reg_reset(bits(32), 0).named(&format!("{name}_count"));
        m.when(happens, || count.set(count + 1));
        regs[*counter].set(count);
    }
    regs[map.free].set(free.zext(32));
    let flags: Vec<Signal> = map.errors.iter().map(|error| regs[*error].value).collect();
    Ok(cat(&flags).any())
}

#[cfg(test)]
mod tests;
