//! What a system on a board is made of besides its engines: the clock that it runs with, and the line to the host.

pub mod baud;
pub mod pll;
pub mod uart;
pub mod uart_receiver;
pub mod uart_transmitter;
