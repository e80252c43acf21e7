//! H2M2's software: what decides where a model's weights and KV cache live in a fast and a large memory, and tells the hardware.
//!
//! - [`entry`]: the page-table entry, bit by bit; [`table`]: the flat page table; [`page`]: page sizes
//! - [`space`]: free pages of a memory
//! - [`shape`]: decoders; [`hardware`]: the two sides (Tables 1 and 2); [`footprint`]: bytes of a ragged batch
//! - [`solver`]: Algorithm 1, how many heads of each sublayer are mapped to the fast side; [`solver::exhaustive`]: the best of all mappings,
//!   and [`solver::gap`]: how far the algorithm is from it
//! - [`layout`]: where in the virtual address space weights and KV cache are
//! - [`migration`]: from one mapping to the next with the fewest bytes moved
//! - [`manager`]: all of it together, one call an iteration
//!
//! Names, sections, tables and equations are those of H2M2 (Hwang et al.). Times are in picoseconds, sizes in bytes, everywhere. `docs/driver.md` shows it on a
//! screen; its example is a test here.

pub mod entry;
pub mod footprint;
pub mod hardware;
pub mod layout;
pub mod manager;
pub mod migration;
pub mod page;
pub mod shape;
pub mod solver;
pub mod space;
pub mod table;

#[cfg(doctest)]
#[doc = include_str!("../../docs/driver.md")]
struct Page;
