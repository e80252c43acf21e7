//! The line between host and board, as docs/link.md has it: the host's side.

pub mod frame;
