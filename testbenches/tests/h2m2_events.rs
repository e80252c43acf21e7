//! H2M2's event controller under Verilator: the driver of its named configuration.
#![allow(missing_docs)]

use hdl::Reset;
use testbenches::drivers::{Effort, configuration};

#[test]
fn the_event_controller_passes_under_verilator() {
    if !testbenches::have(&["verilator"]) {
        return;
    }
    let driver = configuration("h2m2_events").unwrap_or_else(|error| panic!("{error}"));
    let mut model = testbenches::verilated(&driver.design, Reset::default()).unwrap_or_else(|e| panic!("{e}"));
    driver.run(&mut model, Effort::from_environment()).unwrap_or_else(|e| panic!("{e}"));
}
