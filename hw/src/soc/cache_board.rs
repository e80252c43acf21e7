//! Board top of an [Oaken cache](mod@super::oaken_cache): the PLL of an ECP5, its reset, the LEDs, and the SDRAM chip of the board as memory. The ports have the
//! names that the boards' constraints have.
//!
//! | port | |
//! | --- | --- |
//! | `clk` | the oscillator of the board |
//! | `uart_rx`, `uart_tx` | what the host sends, and what it receives |
//! | `led` | as those of a [board top](mod@super::board_top) |
//! | `wifi_gpio0` | with the parameter of this name: 1 |
//! | `sdram_clk` | the chip's clock, inverted |
//! | `sdram_cke`, `sdram_cs_n` | 1 and 0, where the board has them |
//! | `sdram_ras_n`, `sdram_cas_n`, `sdram_we_n`, `sdram_ba`, `sdram_a`, `sdram_dqm` | from registers |
//! | `sdram_dq` | the data pins; what comes is [taken](mod@super::falling_edge_input) at the edge at which the chip's clock rises |
//!
//! - Parameters: [`CacheBoardParams`].
//! - The cache is in reset until the PLL has locked, and whenever it loses its lock; what the chip holds is lost then.
//! - The chip has the whole of a cycle, from one falling edge to the next, for what it gives: half a cycle would be too little at 75 MHz (6.7 ns, of which
//!   slow chips need 6). For what it takes there is half a cycle. So what it reads is there a cycle later than that of a chip with the controller's own
//!   clock: `read_delay` is 1.

use super::board_top::{check_leds, leds, setting, system_clock};
use super::cache_with_sdram::{CacheWithSdramParams, cache_with_sdram};
use super::clock_output::clock_output;
use super::falling_edge_input::falling_edge_input;
use super::pll::Pll;
use crate::memory::sdram::SdramPins;
use hdl::*;

/// Cycles from a word on the pins to the controller, beside those of a chip that has the controller's clock.
pub const READ_DELAY: u32 = 1;

/// What a board has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheBoardParams {
    /// The cache and its chip; their clock is what the PLL makes, and the chip's `read_delay` is [`READ_DELAY`].
    pub system: CacheWithSdramParams,
    /// The pins `sdram_cke` and `sdram_cs_n` are there.
    pub selects: bool,
    /// Frequency of the oscillator.
    pub oscillator_hertz: u32,
    /// LEDs, 1 to 16.
    pub leds: u32,
    /// They shine at 0.
    pub leds_low: bool,
    /// There is a pin `wifi_gpio0` that has to be 1.
    pub wifi_gpio0: bool,
}

/// The pins of a chip on a board.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct ChipPins {
    /// Its clock.
    pub clk: Signal,
    /// The clock counts.
    pub cke: Option<Signal>,
    /// It is selected, at 0.
    pub cs_n: Option<Signal>,
    /// RAS#.
    pub ras_n: Signal,
    /// CAS#.
    pub cas_n: Signal,
    /// WE#.
    pub we_n: Signal,
    /// Bank.
    pub ba: Signal,
    /// Address.
    pub a: Signal,
    /// Bytes that are not written.
    pub dqm: Option<Signal>,
}

fn chip_pins(p: CacheBoardParams) -> ChipPins {
    let bit = bits(1);
    let select = p.selects.then_some(bit);
    ChipPins {
        clk: bit,
        cke: select,
        cs_n: select,
        ras_n: bit,
        cas_n: bit,
        we_n: bit,
        ba: bits(p.system.sdram.bank_bits),
        a: bits(p.system.sdram.row_bits),
        dqm: p.system.sdram.mask.then(|| bits(p.system.sdram.data_bits / 8)),
    }
}

ports! {
    /// Ports of a board top.
    pub struct CacheBoardPorts(p: CacheBoardParams) {
        /// the line from the host
        input uart_rx: Signal = bits(1),
        /// the line to the host
        output uart_tx: Signal = bits(1),
        /// the LEDs
        output led: Signal = bits(p.leds),
        /// 1
        output wifi_gpio0: Option<Signal> = p.wifi_gpio0.then(|| bits(1)),
        /// the chip
        output sdram: ChipPins = chip_pins(p),
        /// the chip's data
        inout sdram_dq: Pad = pad(p.system.sdram.data_bits),
    }
}

/// The top of a board; `name` is that of the Verilog module.
#[module]
pub fn cache_board(name: &str, p: CacheBoardParams) -> Result<Design<CacheBoardPorts>, Errors> {
    check(name, p)?;
    check_leds(name, p.leds)?;
    let setting = setting(name, (Pll::Ehxplll, p.oscillator_hertz, p.system.cache.clock_hertz))?;
    let m = Module::new(name);
    m.doc("Top of a board: its PLL, the reset, an Oaken cache behind a serial line, and an SDRAM chip as its memory.");
    let io = CacheBoardPorts::new(m, p);
    let clock = system_clock(m, setting)?;

    m.section("the cache and its memory");
    m.port_domain(io.uart_rx, m.asynchronous());
    m.port_domain((io.uart_tx, io.led), clock);
    m.port_domain((io.sdram, io.sdram_dq), clock);
    let design = cache_with_sdram(&format!("{name}_system"), p.system)?;
    let system = m.in_domain(clock, || m.instance(&design));
    system.uart_rx.set(io.uart_rx);
    io.uart_tx.set(system.uart_tx);
    io.led.set(leds([system.alive, system.heard, system.error], p.leds, p.leds_low));
    if let Some(pin) = io.wifi_gpio0 {
        pin.set(m.lit(1u32, 1));
    }
    chip(m, io, clock, system.sdram)?;
    m.finish(io)
}

/// The pins of the chip.
#[module]
fn chip(m: Module, io: CacheBoardPorts, clock: ClockDomain, controller: SdramPins) -> Result<(), Errors> {
    m.section("the pins of the chip");
    let pins = io.sdram;
    let (output, input) = (clock_output()?, falling_edge_input()?);
    pins.clk.set(m.in_domain(clock, || m.instance(&output)).out);
    pins.cke.iter().for_each(|pin| pin.set(m.lit(1u32, 1)));
    pins.cs_n.iter().for_each(|pin| pin.set(m.lit(0u32, 1)));
    pins.ras_n.set(controller.ras_n);
    pins.cas_n.set(controller.cas_n);
    pins.we_n.set(controller.we_n);
    pins.ba.set(controller.ba);
    pins.a.set(controller.a);
    if let Some((pin, dqm)) = pins.dqm.zip(controller.dqm) {
        pin.set(dqm);
    }
    let width = controller.dq_out.width();
    io.sdram_dq.out.set(controller.dq_out);
    io.sdram_dq.enable.set(controller.dq_oe.repeat(width));
    // from the highest bit down, as `cat` has them
    let taken = (0..width).rev().map(|i| {
        let of_pin = m.in_domain(clock, || m.instance(&input));
        of_pin.pin.set(io.sdram_dq.input.bit(i));
        of_pin.q
    });
    let taken: Vec<Signal> = taken.collect();
    controller.dq_in.set(cat(&taken));
    Ok(())
}

/// The controller knows how its data come.
#[track_caller]
fn check(name: &str, p: CacheBoardParams) -> Result<(), Errors> {
    let delay = p.system.sdram.read_delay;
    if delay == READ_DELAY {
        return Ok(());
    }
    let help = format!("{READ_DELAY}: the data pins are taken at the falling edge");
    Err(Errors::parameter(name, format!("read_delay = {delay}"), help))
}

#[cfg(test)]
mod tests;
