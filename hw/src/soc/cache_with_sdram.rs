//! An [Oaken cache](mod@super::oaken_cache) whose pages lie in an SDRAM chip: the cache, and the chip's controller at its bus.
//!
//! | port | |
//! | --- | --- |
//! | `uart_rx`, `uart_tx`, `alive`, `heard`, `error` | those of the cache |
//! | `sdram` | the [chip](mod@crate::memory::sdram) |
//!
//! - Parameters: those of the cache and of the controller; the cache has the bus, the addresses and the clock of the controller.
//! - Combinational paths: none.

use super::oaken_cache::oaken_cache;
use super::oaken_cache::params::CacheParams;
use crate::memory::sdram::{SdramParams, SdramPins, sdram, sdram_pins};
use hdl::*;

/// A cache and its chip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheWithSdramParams {
    /// The cache.
    pub cache: CacheParams,
    /// The chip, at the clock of the cache; reads have IDs of one bit, writes have none.
    pub sdram: SdramParams,
}

ports! {
    /// Ports of an Oaken cache with its SDRAM.
    pub struct CacheWithSdramPorts(p: CacheWithSdramParams) {
        /// the line from the host, of any clock
        input uart_rx: Signal = bits(1),
        /// the line to the host
        output uart_tx: Signal = bits(1),
        /// the chip
        output sdram: SdramPins = sdram_pins(p.sdram),
        /// changes about every half second
        output alive: Signal = bits(1),
        /// a frame has come
        output heard: Signal = bits(1),
        /// an error is flagged
        output error: Signal = bits(1),
    }
}

/// An Oaken cache with its SDRAM; `name` is that of the Verilog module.
#[module]
pub fn cache_with_sdram(name: &str, p: CacheWithSdramParams) -> Result<Design<CacheWithSdramPorts>, Errors> {
    check(name, p)?;
    let m = Module::new(name);
    m.doc("An Oaken cache behind a serial line, with an SDRAM chip as its memory.");
    let io = CacheWithSdramPorts::new(m, p);
    m.port_domain(io.uart_rx, m.asynchronous());
    let cache = m.instance(&oaken_cache(&format!("{name}_cache"), p.cache)?);
    let controller = m.instance(&sdram(&format!("{name}_sdram"), p.sdram)?);
    cache.uart_rx.set(io.uart_rx);
    controller.s_axi.set(cache.m_axi);
    io.sdram.set(controller.sdram);
    io.uart_tx.set(cache.uart_tx);
    io.alive.set(cache.alive);
    io.heard.set(cache.heard);
    io.error.set(cache.error);
    m.finish(io)
}

/// The chip is that of the cache: the same clock, IDs and addresses, and all bytes can be written alone.
#[track_caller]
fn check(name: &str, p: CacheWithSdramParams) -> Result<(), Errors> {
    let [reads, writes] = p.sdram.axi();
    let own = p.cache.mmu.axi;
    let of_clock = |hertz| format!("a clock of {hertz} Hz");
    let of_bus = |bus| format!("a bus of {bus:?}");
    let pairs = [
        (of_clock(p.cache.clock_hertz), of_clock(p.sdram.clock_hertz)),
        (of_bus(own.of_masters(2)), of_bus(reads)),
        (of_bus(own), of_bus(writes)),
    ];
    if let Some((of_cache, of_chip)) = pairs.into_iter().find(|(of_cache, of_chip)| of_cache != of_chip) {
        let message = format!("the cache has {of_cache}, and the chip's controller {of_chip}");
        return Err(Errors::parameter(
            name,
            message,
            "both have the same clock and the same buses for reads and for writes",
        ));
    }
    if !p.sdram.mask {
        let help = "true: slices begin and end at any byte, so that beats are written in part";
        return Err(Errors::parameter(name, "mask = false", help));
    }
    Ok(())
}
