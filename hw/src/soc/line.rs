//! What every system has at its two ends: the line to the host, and signs for people.

use super::uart::uart;
use hdl::*;

/// A line, as a system has it: bytes that come, and what was wrong with some.
pub(super) struct Line {
    pub bytes: Stream,
    pub framing: Signal,
    pub overrun: Signal,
}

/// What a system gives.
pub(super) struct Given {
    /// Bytes for the line.
    pub bytes: Stream,
    /// Changes about every half second.
    pub alive: Signal,
    /// A frame has come since reset.
    pub heard: Signal,
    /// An error is flagged.
    pub error: Signal,
}

/// A UART at the pins, and the system `behind` it. Gives what stands at `uart_tx`, and the rest of what the system gives.
#[module]
pub(super) fn with_uart(
    m: Module,
    uart_rx: Signal,
    clocks_per_bit: u32,
    behind: impl FnOnce(Line) -> Result<Given, Errors>,
) -> Result<(Signal, Given), Errors> {
    m.section("the line");
    m.port_domain(uart_rx, m.asynchronous());
    let uart = m.instance(&uart(clocks_per_bit)?);
    uart.rx.set(uart_rx);
    let given = behind(Line { bytes: uart.m, framing: uart.framing, overrun: uart.overrun })?;
    uart.s.set(given.bytes);
    Ok((uart.tx, given))
}

/// A line that is bytes already, each of which takes a cycle.
#[module]
pub(super) fn of_bytes(m: Module, bytes: Stream) -> Line {
    let none = m.lit(0u32, 1);
    Line { bytes, framing: none, overrun: none }
}

/// What people see: `alive` and `heard`.
#[module]
pub(super) fn signs(m: Module, clock_hertz: u32, frame: Signal) -> [Signal; 2] {
    m.section("for people");
    let clock =
        m.reg_reset(bits(clog2(clock_hertz as usize)), 0).comment("its highest bit changes about every half second");
    clock.set(clock + 1);
    let heard = m.reg_reset(bits(1), 0);
    m.when(frame, || heard.set(1));
    [clock.msb(), heard]
}
