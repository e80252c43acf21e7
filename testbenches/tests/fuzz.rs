//! A few batches of the fuzzers; `cargo xtask fuzz` runs more.

use hdl::Reset;
use testbenches::fuzz::{RESETS, expressions, sequential};
use testbenches::yosys::Netlist;

/// The seed of a test: its own, moved by `KVFORGE_SEED` where that is set.
fn seed(own: u64) -> u64 {
    let moved: u64 = std::env::var("KVFORGE_SEED").map_or(0, |s| s.parse().expect("KVFORGE_SEED is a number"));
    println!("seed {}", own + 1_000_000 * moved);
    own + 1_000_000 * moved
}

fn run_expressions(own: u64, netlist: bool) {
    expressions::batch(seed(own), 50, netlist).unwrap_or_else(|finding| panic!("{finding}"));
}

fn run_sequential(own: u64, count: u64, reset: Reset, netlist: Option<Netlist>) {
    sequential::batch(seed(own), count, reset, netlist).unwrap_or_else(|finding| panic!("{finding}"));
}

#[test]
fn expressions_on_all_engines() {
    run_expressions(1, true);
    run_expressions(2, true);
}

#[test]
fn more_expressions_without_netlist() {
    run_expressions(3, false);
    run_expressions(4, false);
}

#[test]
fn registers_and_memories_with_every_kind_of_reset() {
    for (own, reset) in (11..).zip(RESETS) {
        run_sequential(own, 25, reset, None);
    }
}

#[test]
fn registers_and_memories_on_all_engines() {
    run_sequential(15, 6, RESETS[1], Some(Netlist::Words));
    run_sequential(16, 6, RESETS[2], Some(Netlist::Words));
}

#[test]
fn registers_and_memories_as_gates() {
    run_sequential(21, 3, RESETS[0], Some(Netlist::Gates));
    run_sequential(22, 3, RESETS[3], Some(Netlist::Gates));
}
