//! A few batches of the fuzzers; `cargo xtask fuzz` runs more.

use hdl::Reset;
use sim::bus::run_seed;
use testbenches::fuzz::{Others, RESETS, expressions, sequential};
use testbenches::yosys::Netlist;

fn run_expressions(own: u64, others: Others) {
    expressions::batch(run_seed(own), 50, others).unwrap_or_else(|finding| panic!("{finding}"));
}

fn run_sequential(own: u64, count: u64, reset: Reset, others: Others) {
    sequential::batch(run_seed(own), count, reset, others).unwrap_or_else(|finding| panic!("{finding}"));
}

#[test]
fn machine_code_like_the_interpreter() {
    for own in 31..37 {
        run_expressions(own, Others::None);
        run_sequential(own, 20, RESETS[0], Others::None);
    }
}

#[test]
fn expressions_on_all_engines() {
    run_expressions(1, Others::Netlist(Netlist::Words));
    run_expressions(2, Others::Netlist(Netlist::Words));
}

#[test]
fn more_expressions_without_netlist() {
    run_expressions(3, Others::Verilator);
    run_expressions(4, Others::Verilator);
}

#[test]
fn registers_and_memories_with_every_kind_of_reset() {
    for (own, reset) in (11..).zip(RESETS) {
        run_sequential(own, 16, reset, Others::Verilator);
    }
}

#[test]
fn registers_and_memories_on_all_engines() {
    run_sequential(15, 5, RESETS[1], Others::Netlist(Netlist::Words));
    run_sequential(16, 5, RESETS[2], Others::Netlist(Netlist::Words));
}

#[test]
fn registers_and_memories_as_gates() {
    run_sequential(21, 3, RESETS[0], Others::Netlist(Netlist::Gates));
    run_sequential(22, 3, RESETS[3], Others::Netlist(Netlist::Gates));
}
