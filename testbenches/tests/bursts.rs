//! The burst engines and the arbiters of AXI4 under Verilator: the drivers of their named configurations.
#![allow(missing_docs)]

use hdl::Reset;
use rayon::prelude::*;
use testbenches::drivers::{Effort, configuration};

#[test]
fn the_burst_engines_pass_under_verilator() {
    if !testbenches::have(&["verilator"]) {
        return;
    }
    let names = ["burst_reader_64", "burst_writer_64", "axi_read_arbiter_4x64", "axi_write_arbiter_4x64"];
    let wrong: Vec<String> = names
        .par_iter()
        .filter_map(|name| {
            let driver = configuration(name).unwrap_or_else(|error| panic!("{error}"));
            let mut model =
                sim::verilator::Model::of(&driver.design, Reset::default()).unwrap_or_else(|e| panic!("{e}"));
            driver.run(&mut model, Effort::from_environment()).err().map(|error| format!("{name}: {error}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
