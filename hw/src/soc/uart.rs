//! UART: a [receiver](uart_receiver()) and a [transmitter](uart_transmitter()) of one rate, which do not know of each other.
//!
//! | port | |
//! | --- | --- |
//! | `rx` | the line in, of any clock; 1 while it is idle |
//! | `tx` | the line out; a register |
//! | `m` | bytes that came in; registers |
//! | `s` | bytes to send; `s_ready` is a register |
//! | `framing`, `overrun` | for a cycle: a byte was dropped, since its stop bit was 0, or since the one before was not taken. Registers |
//!
//! - Parameters: `clocks_per_bit`. [`clocks_per_bit`](super::baud::clocks_per_bit) gives it for a clock and a rate.
//! - 1 byte in 10 bits in, 1 byte in 10 bits and 1 cycle out.
//! - No combinational path from port to port.

use super::baud::check_clocks_per_bit;
use super::uart_receiver::uart_receiver;
use super::uart_transmitter::uart_transmitter;
use hdl::*;

ports! {
    /// Ports of a UART.
    pub struct UartPorts() {
        /// the line in, of any clock
        input rx: Signal = bits(1),
        /// the line out
        output tx: Signal = bits(1),
        /// bytes to send
        input s: Stream = stream(bits(8)),
        /// bytes that came in
        output m: Stream = stream(bits(8)),
        /// a byte was dropped, since its stop bit was 0
        output framing: Signal = bits(1),
        /// a byte was dropped, since the one before was not taken
        output overrun: Signal = bits(1),
    }
}

/// A UART of `clocks_per_bit` cycles a bit.
#[module]
pub fn uart(clocks_per_bit: u32) -> Result<Design<UartPorts>, Errors> {
    let name = format!("uart_{clocks_per_bit}");
    check_clocks_per_bit(&name, clocks_per_bit)?;
    let m = Module::new(name);
    m.doc("UART: receiver and transmitter of one rate.");
    let io = UartPorts::new(m);
    m.port_domain(io.rx, m.asynchronous());

    let receiver = m.instance(&uart_receiver(clocks_per_bit)?);
    receiver.line.set(io.rx);
    io.m.set(receiver.m);
    io.framing.set(receiver.framing);
    io.overrun.set(receiver.overrun);

    let transmitter = m.instance(&uart_transmitter(clocks_per_bit)?);
    transmitter.s.set(io.s);
    io.tx.set(transmitter.line);
    m.finish(io)
}

#[cfg(test)]
mod tests;
