//! The list of finished modules, which is one for all threads of a process, does not grow for ever: tests/errors/NAME.txt. `BLESS=1`
//! renews the files.
#![allow(missing_docs)]

mod common;

use common::mistakes::{finished, panics};

/// So many that the first is not known by its name any more.
#[test]
fn long_after_finish() {
    let (_, design) = finished();
    (0..11_000).for_each(|_| drop(finished()));
    panics("late_long_ago", || design.ports.a + 1);
}
