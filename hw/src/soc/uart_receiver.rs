//! UART receiver: bytes from a serial line of 8 data bits, without parity, lowest bit first.
//!
//! | port | |
//! | --- | --- |
//! | `line` | the line, of any clock; 1 while it is idle |
//! | `m` | the bytes; `m_valid` and `m_payload` are registers |
//! | `framing` | for a cycle: the stop bit was 0, and its byte was dropped. A register |
//! | `overrun` | for a cycle: a byte came while the one before was not taken yet, and was dropped. A register |
//!
//! - Parameters: `clocks_per_bit`, from [`MIN_CLOCKS_PER_BIT`](super::baud::MIN_CLOCKS_PER_BIT) (fewer find the middle of a bit too badly) to [`MAX_CLOCKS_PER_BIT`](super::baud::MAX_CLOCKS_PER_BIT).
//! - Each bit is taken in its middle, counted from the edge of the start bit. A start bit that is over by its middle was a glitch, and
//!   nothing is told. The sender's clock may be 3 % off: tests show that at 16 clocks a bit, where it counts most.
//! - Latency: the byte stands at `m` half a bit and up to 5 cycles after its last data bit has ended. 1 byte in 10 bits, and the next start
//!   bit may follow half a bit early.
//! - A line cannot wait: `m_ready` may stay 0 for the time of a byte, and then `overrun` tells.
//! - While the line stays at 0 (a break, a cable that came off) one framing error is told; nothing begins before it was 1 again.
//! - No combinational path from port to port. After reset the receiver waits for an idle line.

use super::baud::check_clocks_per_bit;
use crate::stream::synchronizer::synchronized;
use hdl::*;

ports! {
    /// Ports of a UART receiver.
    pub struct UartReceiverPorts() {
        /// the line, of any clock
        input line: Signal = bits(1),
        /// bytes
        output m: Stream = stream(bits(8)),
        /// a stop bit was 0
        output framing: Signal = bits(1),
        /// a byte was not taken in time
        output overrun: Signal = bits(1),
    }
}

/// What the receiver waits for.
#[derive(Clone, Copy, State)]
enum Phase {
    /// An idle line.
    Idle,
    /// The edge of a start bit.
    Edge,
    /// The middle of the start bit.
    Start,
    /// The middles of the data bits and of the stop bit.
    Bits,
}

/// A receiver of `clocks_per_bit` cycles a bit.
#[module]
pub fn uart_receiver(clocks_per_bit: u32) -> Result<Design<UartReceiverPorts>, Errors> {
    let name = format!("uart_receiver_{clocks_per_bit}");
    check_clocks_per_bit(&name, clocks_per_bit)?;
    let m = Module::new(name);
    m.doc("UART receiver: 8 data bits, no parity.");
    let io = UartReceiverPorts::new(m);
    m.port_domain(io.line, m.asynchronous());
    let line = synchronized(m, io.line, m.current_domain(), 2)?;

    m.section("the middles of the bits");
    let phase = m.state(Phase::Idle);
    let timer = m.reg(bits(clog2(clocks_per_bit as usize))).comment("cycles to the next middle, less 1");
    let middle = timer.eq(0);
    let received = m.reg(bits(9)).comment("bits so far; the first 1 from above counts them");
    let last = received.bit(0);
    let complete = phase.is(Phase::Bits) & middle & last;
    m.switch(phase, |s| {
        s.case(Phase::Idle, || m.when(line, || phase.set(Phase::Edge)));
        s.case(Phase::Edge, || m.when(!line, || phase.set(Phase::Start)));
        s.case(Phase::Start, || m.when(middle, || phase.set(line.mux(m.lit_state(Phase::Edge), Phase::Bits))));
        s.case(Phase::Bits, || m.when(complete, || phase.set(line.mux(m.lit_state(Phase::Edge), Phase::Idle))));
    });
    timer.set(middle.mux(m.lit(clocks_per_bit - 1, timer.width()), timer - 1));
    m.when(phase.is(Phase::Edge), || timer.set(clocks_per_bit / 2 - 1));
    m.when(middle, || received.set(line.cat(received.bits(8, 1))));
    m.when(phase.is(Phase::Start), || received.set(0x100));

    m.section("the byte");
    let valid = m.reg_reset(bits(1), 0);
    let byte = m.reg(bits(8));
    let (framing, overrun) = (m.reg_reset(bits(1), 0), m.reg_reset(bits(1), 0));
    let good = complete & line;
    let room = !valid | io.m.ready;
    m.when(room, || {
        valid.set(good);
        byte.set(received.bits(8, 1));
    });
    framing.set(complete & !line);
    overrun.set(good & !room);
    io.m.valid.set(valid);
    io.m.payload.set(byte);
    io.framing.set(framing);
    io.overrun.set(overrun);
    m.finish(io)
}

#[cfg(test)]
mod tests;
