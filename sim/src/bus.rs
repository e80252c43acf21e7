//! The bus models and checkers of [`hdl::bus`], those of AXI4, and how long tests are.
//!
//! - [`axi4`]: beats of the five channels
//! - [`axi4_checker`]: the rules of AXI4, for both sides of a port
//! - [`axi4_memory`]: a memory behind AXI4 ports, with latency, jitter, bandwidth, stalls, reordering and errors
//! - [`sdram`]: a single-data-rate SDRAM chip, which fails where its times are violated

pub mod axi4;
pub mod axi4_checker;
pub mod axi4_memory;
pub mod sdram;

pub use hdl::bus::*;

/// Are the long forms of tests requested: is the environment variable `KVFORGE_LONG` 1?
pub fn long() -> bool {
    std::env::var("KVFORGE_LONG").is_ok_and(|value| value == "1")
}
