//! The line between host and board, as docs/link.md has it: the host's side.
//!
//! - [`frame`]: content to the bytes of a line and back
//! - [`mod@line`]: what carries bytes: a serial port, or whatever else a program has
//! - [`host`]: requests and answers
//! - [`system`]: an Oaken system behind them
//! - [`cache`]: an Oaken cache behind them

pub mod cache;
pub mod frame;
pub mod host;
pub mod line;
pub mod system;
