//! The blocks of H2M2 under Verilator, with the tests of their drivers.

use sim::verilator::Model;
use testbenches::drivers::{Driver, Effort, Kind, configuration, names};

/// The Verilog, as it is printed.
fn model(driver: &Driver) -> Model {
    let text: String = driver.files().into_iter().map(|(_, text)| text).collect();
    driver.model(&text, &[], Kind::Fast).unwrap_or_else(|e| panic!("{}: {e}", driver.name))
}

#[test]
fn the_mmu_passes_under_verilator() {
    if !testbenches::have(&["verilator"]) {
        return;
    }
    let found: Vec<String> = names().into_iter().filter(|name| name.starts_with("h2m2_mmu")).collect();
    assert!(!found.is_empty(), "there are named configurations");
    for name in found {
        let driver = configuration(&name).unwrap_or_else(|e| panic!("{e}"));
        let result = driver.run(&mut model(&driver), Effort::from_environment());
        assert!(result.is_ok(), "{name}: {result:?}");
    }
}

#[test]
fn the_migration_engine_passes_under_verilator() {
    if !testbenches::have(&["verilator"]) {
        return;
    }
    let driver = configuration("h2m2_migration").unwrap_or_else(|e| panic!("{e}"));
    let result = driver.run(&mut model(&driver), Effort::from_environment());
    assert!(result.is_ok(), "{result:?}");
}

#[test]
fn the_event_controller_passes_under_verilator() {
    let driver = configuration("h2m2_events").unwrap_or_else(|e| panic!("{e}"));
    let result = driver.run(&mut model(&driver), Effort::from_environment());
    assert!(result.is_ok(), "{result:?}");
}
