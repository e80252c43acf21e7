//! Logic that many modules need, written in the language itself: one-hot signals, the first and last 1, the number of ones, the
//! least recently used of several, counters that go up and down.
//!
//! All of it takes every length from 1 up, so that a parameter of 1 needs no case of its own; [`TreePlru`] takes powers of
//! two. The LUT4s given are those of Yosys 0.70 for ECP5.

mod first_one;
mod one_hot;
mod popcount;
mod tree_plru;
mod up_down;

pub use first_one::{Found, first_one, last_one, only_first_one};
pub use one_hot::{index_of_one_hot, mux1h, one_hot};
pub use popcount::popcount;
pub use tree_plru::TreePlru;
pub use up_down::UpDown;
