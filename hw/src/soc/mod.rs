//! What a system on a board is made of besides its engines: the clock that it runs with, and the line to the host.

pub mod baud;
pub mod board_top;
pub mod cache_board;
pub mod cache_with_sdram;
pub mod clock_output;
pub mod falling_edge_input;
pub mod frame;
pub mod frame_receiver;
pub mod frame_transmitter;
mod line;
pub mod link;
pub mod link_responder;
pub mod oaken_cache;
pub mod oaken_system;
pub mod pll;
pub mod pll_cell;
pub mod system_addresses;
pub mod system_params;
mod system_path;
pub mod system_registers;
pub mod uart;
pub mod uart_receiver;
pub mod uart_transmitter;
