//! FPGA boards: what is on them, and the constraints of their pins.
//!
//! - [`boards`]: a file for each board
//! - [`device`]: the FPGAs, and the pins of their packages
//! - [`constraints`]: the pins as nextpnr reads them
//! - [`bitstream`]: whether a bitstream is whole, and for which device
//! - [`build`]: from Verilog to a bitstream
//! - [`link`]: the line to the host: frames
//!
//! A board is added in one file: docs/boards.md says how.
//!
//! ```
//! use fpga::{boards, constraints};
//!
//! let board = boards::find("icebreaker").expect("a board of the list");
//! assert_eq!(board.device.name, "iCE40UP5K");
//! assert!(constraints::text(board).contains("set_io clk 35\n"));
//! ```

pub mod bitstream;
pub mod boards;
pub mod build;
pub mod constraints;
pub mod device;
pub mod link;
