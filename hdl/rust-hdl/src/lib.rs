//! Blocks of [rust-hdl](https://crates.io/crates/rust-hdl) (0.46, MIT) as foreign modules: their own generator writes the
//! Verilog, which is then used and checked as any other text. Behind the cargo feature `rust-hdl`.
//!
//! ```
//! use hdl::*;
//! use rust_hdl_core::prelude::Bits;
//! use rust_hdl_widgets::prelude::Strobe;
//!
//! ports! {
//!     struct StrobePorts() {
//!         input enable: Signal = bits(1),
//!         output strobe: Signal = bits(1),
//!     }
//! }
//!
//! /// High for one cycle in 100.
//! fn strobe() -> Result<Design<StrobePorts>, Errors> {
//!     let f = from_rust_hdl::foreign("strobe", Strobe::<32>::new(1000, 10.0))?;
//!     f.clock("clock");
//!     let io = StrobePorts::new(f);
//!     f.finish(io)
//! }
//!
//! #[module]
//! fn blinker() -> Result<Design<StrobePorts>, Errors> {
//!     let m = Module::new("blinker");
//!     let io = StrobePorts::new(m);
//!     let strobe = m.instance(&strobe()?);
//!     strobe.enable.set(io.enable);
//!     let light = m.reg_reset(bits(1), 0);
//!     light.set(light ^ strobe.strobe);
//!     io.strobe.set(light);
//!     m.finish(io)
//! }
//! # let text = verilog(&blinker()?, &Options::default()).single();
//! # assert!(text.contains("module strobe$counter("), "{text}");
//! # Ok::<(), Errors>(())
//! ```
//!
//! Fields of nested interfaces are called `outer$inner` in that Verilog: rename them with [`Foreign::pin`](hdl::Foreign::pin). Its
//! resets are ordinary inputs. The built-in simulator needs a model, as for all foreign modules.
#![cfg(feature = "rust-hdl")]

use hdl::{Errors, Foreign};
use rust_hdl_core::prelude::{Block, ModuleDefines, check_all};

/// A block as the foreign module `name`, whose helper modules are called `name$..`. Clocks, names of pins and what else the
/// Verilog does not say is declared at the [`Foreign`], then its ports.
///
/// # Errors
/// What rust-hdl's own check finds: open signals, loops, inputs that are written.
#[track_caller]
pub fn foreign(name: &str, mut block: impl Block) -> Result<Foreign, Errors> {
    block.connect_all();
    if let Err(problem) = check_all(&block) {
        let message = format!("rust-hdl's check of `{name}` fails: {problem:?}");
        return Err(Errors::parameter(name, message, "mend the block, or connect what is open in its `update`"));
    }
    let mut modules = ModuleDefines::default();
    block.accept(name, &mut modules);
    Ok(Foreign::text(name, modules.defines()))
}
