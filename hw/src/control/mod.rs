//! Control and status registers: one description in Rust gives the hardware, a C header, a Rust module, CMSIS-SVD,
//! SystemRDL, JSON and a Markdown table.
//!
//! ```
//! use hdl::*;
//! use hw::control::{AxiLite, RegisterMap, axi_lite, slave};
//!
//! let mut map = RegisterMap::new("quantizer", "Control of the quantizer.");
//! map.constant("id", 32, 0x4b56_0001, "identification");
//! let length = map.rw("length", 14, 4096, "elements of a vector, a multiple of 64");
//! map.units(length, "elements");
//! let vectors = map.ro("vectors", 32, "vectors so far");
//! let mut errors = map.register("errors", "what went wrong; write 1 to clear");
//! let bad_length = errors.sticky("bad_length", "a vector was not as long as `length` says");
//!
//! ports! {
//!     struct QuantizerPorts(address_width: u32) {
//!         input s_axil: AxiLite = axi_lite(address_width),
//!         input beat: Signal = bits(1),
//!         input last: Signal = bits(1),
//!     }
//! }
//!
//! let m = Module::new("quantizer");
//! let io = QuantizerPorts::new(m, map.address_width());
//! let regs = slave(m, &map, io.s_axil)?;
//! let count = m.reg_reset(bits(32), 0);
//! let position = m.reg_reset(bits(14), 1);
//! m.when(io.beat & !io.last, || position.set(position + 1)).elsewhen(io.beat, || {
//!     position.set(1);
//!     count.set(count + 1);
//! });
//! regs[vectors].set(count);
//! regs[bad_length].set.set(io.beat & io.last & position.ne(regs[length]));
//! let design = m.finish(io)?;
//! assert!(map.c_header().contains("QUANTIZER_ERRORS_BAD_LENGTH_MASK 0x00000001u"));
//! # Ok::<(), Errors>(())
//! ```

mod address;
mod axi_lite;
mod describe;
mod export;
mod registers;
mod router;
mod slave;
#[cfg(test)]
mod tests;
mod values;

pub use address::{AddressRo, AddressRw};
pub use axi_lite::{AxiLite, axi_lite};
pub use registers::{Access, Field, LEGAL_NAME, Register, RegisterBuilder, RegisterMap, Ro, Rw, Sticky, legal_name};
pub use router::{AxilRouterPorts, Window, axil_router};
pub use slave::{Flag, Registers, becomes_one, slave};
pub use values::NotWritable;
