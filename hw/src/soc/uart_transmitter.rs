//! UART transmitter: bytes to a serial line of 8 data bits, without parity, lowest bit first, 1 stop bit.
//!
//! | port | |
//! | --- | --- |
//! | `s` | the bytes; `s_ready` is a register |
//! | `line` | the line, 1 while it is idle; a register |
//!
//! - Parameters: `clocks_per_bit`, as of the [receiver](mod@super::uart_receiver).
//! - Latency: the start bit begins in the cycle after the byte was taken. 1 byte in 10 bits and 1 cycle, back to back.
//! - No combinational path from port to port. After reset the line is idle.

use super::baud::check_clocks_per_bit;
use hdl::*;

ports! {
    /// Ports of a UART transmitter.
    pub struct UartTransmitterPorts() {
        /// bytes
        input s: Stream = stream(bits(8)),
        /// the line
        output line: Signal = bits(1),
    }
}

/// A transmitter of `clocks_per_bit` cycles a bit.
#[module]
pub fn uart_transmitter(clocks_per_bit: u32) -> Result<Design<UartTransmitterPorts>, Errors> {
    let name = format!("uart_transmitter_{clocks_per_bit}");
    check_clocks_per_bit(&name, clocks_per_bit)?;
    let m = Module::new(name);
    m.doc("UART transmitter: 8 data bits, no parity, 1 stop bit.");
    let io = UartTransmitterPorts::new(m);

    let ready = m.reg_reset(bits(1), 1).comment("nothing is sent");
    let timer = m.reg(bits(clog2(clocks_per_bit as usize))).comment("cycles to the end of the bit, less 1");
    let line = m.reg_reset(bits(1), 1);
    let rest = m.reg(bits(9)).comment("data bits to come, then the stop bit");
    let left = m.reg(bits(4)).comment("bits to come");
    m.when(ready, || {
        m.when(io.s.valid, || {
            ready.set(0);
            line.set(0);
        });
        rest.set(m.lit(1u32, 1).cat(io.s.payload));
        left.set(9);
        timer.set(clocks_per_bit - 1);
    })
    .otherwise(|| {
        timer.set(timer - 1);
        m.when(timer.eq(0), || {
            timer.set(clocks_per_bit - 1);
            ready.set(left.eq(0));
            left.set(left - 1);
            m.when(left.ne(0), || line.set(rest.bit(0)));
            rest.set(m.lit(1u32, 1).cat(rest.bits(8, 1)));
        });
    });
    io.s.ready.set(ready);
    io.line.set(line);
    m.finish(io)
}

#[cfg(test)]
mod tests;
