//! Board top: an [Oaken system](mod@super::oaken_system) with the PLL of a board's device, its reset and its LEDs. The ports have the names
//! that the boards' constraints have.
//!
//! | port | |
//! | --- | --- |
//! | `clk` | the oscillator of the board |
//! | `uart_rx`, `uart_tx` | what the host sends, and what it receives |
//! | `led` | the LEDs: 0 blinks about once a second while the clock runs; 1 shines when a frame has come; 2 shines when an error is flagged; others do not |
//! | `wifi_gpio0` | with the parameter of this name: 1, which leaves the radio beside the FPGA alone |
//!
//! - Parameters: [`BoardParams`].
//! - The system is in reset until the PLL has locked, and whenever it loses its lock.
//! - Buttons and other pins of a board are not used.

use super::oaken_system::oaken_system;
use super::pll::{Pll, Setting, search};
use super::pll_cell::pll_cell;
use super::system_params::SystemParams;
use crate::stream::reset_synchronizer::reset_synchronizer;
use hdl::*;

/// What a board has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoardParams {
    /// The system; its clock is what the PLL makes.
    pub system: SystemParams,
    /// The PLL of the device.
    pub pll: Pll,
    /// Frequency of the oscillator.
    pub oscillator_hertz: u32,
    /// LEDs, 1 to 16.
    pub leds: u32,
    /// They shine at 0.
    pub leds_low: bool,
    /// There is a pin `wifi_gpio0` that has to be 1, as on the ULX3S: at 0 the ESP32 beside the FPGA begins with its loader.
    pub wifi_gpio0: bool,
}

ports! {
    /// Ports of a board top.
    pub struct BoardPorts(p: BoardParams) {
        /// the line from the host
        input uart_rx: Signal = bits(1),
        /// the line to the host
        output uart_tx: Signal = bits(1),
        /// the LEDs
        output led: Signal = bits(p.leds),
        /// 1
        output wifi_gpio0: Option<Signal> = p.wifi_gpio0.then(|| bits(1)),
    }
}

/// The top of a board; `name` is that of the Verilog module.
#[module]
pub fn board_top(name: &str, p: BoardParams) -> Result<Design<BoardPorts>, Errors> {
    check_leds(name, p.leds)?;
    let setting = setting(name, (p.pll, p.oscillator_hertz, p.system.clock_hertz))?;
    let m = Module::new(name);
    m.doc("Top of a board: its PLL, the reset, and an Oaken system behind a serial line.");
    let io = BoardPorts::new(m, p);

    let clock = system_clock(m, setting)?;

    m.section("the system");
    let design = oaken_system(&format!("{name}_system"), p.system)?;
    let system = m.in_domain(clock, || m.instance(&design));
    m.port_domain(io.uart_rx, m.asynchronous());
    m.port_domain((io.uart_tx, io.led), clock);
    system.uart_rx.set(io.uart_rx);
    io.uart_tx.set(system.uart_tx);
    io.led.set(leds([system.alive, system.heard, system.error], p.leds, p.leds_low));
    if let Some(pin) = io.wifi_gpio0 {
        pin.set(m.lit(1u32, 1));
    }
    m.finish(io)
}

/// Has a board so many LEDs?
#[track_caller]
pub(super) fn check_leds(name: &str, leds: u32) -> Result<(), Errors> {
    if (1..=16).contains(&leds) {
        return Ok(());
    }
    Err(Errors::parameter(name, format!("leds = {leds} is out of range"), "from 1 to 16: as boards have them"))
}

/// The setting of a PLL that makes a clock of an oscillator.
#[track_caller]
pub(super) fn setting(name: &str, (pll, oscillator, clock): (Pll, u32, u32)) -> Result<Setting, Errors> {
    search(pll, oscillator, clock).map_err(|impossible| {
        let help = "give a frequency that the PLL makes: `hw::soc::pll` searches its dividers";
        Errors::parameter(name, impossible.to_string(), help)
    })
}

/// The clock of the system, in reset until the PLL has locked.
#[module]
pub(super) fn system_clock(m: Module, setting: Setting) -> Result<ClockDomain, Errors> {
    m.section("the clock of the system, and its reset");
    let pll = m.instance(&pll_cell(setting)?);
    let clock = m.clock_from("system_clk", pll.clock);
    let synchronizer = reset_synchronizer(2)?;
    let reset = m.in_domain(clock, || m.instance(&synchronizer));
    reset.reset.set(m.cross(!pll.locked, clock, "a reset synchronizer takes it up"));
    m.reset_from(clock, reset.clk_reset);
    Ok(clock)
}

/// So many LEDs, of which the first three show these.
#[module]
pub(super) fn leds([first, second, third]: [Signal; 3], leds: u32, low: bool) -> Signal {
    let lamps = third.cat(second).cat(first);
    let shine = if leds > 3 { lamps.zext(leds) } else { lamps.trunc(leds) };
    if low { !shine } else { shine }
}

#[cfg(test)]
mod tests;
