//! The drivers on the plain designs: what they ask for, the designs do.

use hdl::engine::Engine;
use hdl::sim::Simulator;
use hdl::verilog;
use rayon::prelude::*;
use testbenches::drivers::{Driver, Effort, Kind, configuration, engines_of_settings, names, sizes, small, widths};

#[test]
fn the_designs_pass_on_the_built_in_simulator() {
    small(false).iter().for_each(passes);
}

/// A part that is wrong from some size on, as an arbiter at its fifth input, passes where it is small.
#[test]
fn parts_pass_at_the_ends_of_what_is_legal() {
    for driver in sizes() {
        passes_on(&mut jit::simulator(&driver.design), &driver);
    }
}

fn passes(driver: &Driver) {
    passes_on(&mut Simulator::new(&driver.design), driver);
}

fn passes_on(engine: &mut dyn Engine, driver: &Driver) {
    let start = std::time::Instant::now();
    let outcome = driver.run(engine, Effort::from_environment());
    outcome.unwrap_or_else(|error| panic!("{}: {error}", driver.name));
    println!("{} passes in {:.1} s", driver.name, start.elapsed().as_secs_f64());
}

/// So `cargo xtask mutate` takes any of them. Number units and engines come below; stream parts are interpreted above.
#[test]
fn every_configuration_has_a_driver_and_passes_as_machine_code() {
    let names = names();
    assert!(names.len() > 50, "{} configurations", names.len());
    for name in names {
        let driver = configuration(&name).unwrap_or_else(|error| panic!("{error}"));
        if !["f16_", "bf16_", "oaken_"].iter().any(|prefix| name.starts_with(prefix)) {
            passes_on(&mut jit::simulator(&driver.design), &driver);
        }
    }
}

/// All of them, each once as it is named: with its latency, its lanes, its segments.
#[test]
fn the_number_units_of_binary16_pass_as_machine_code() {
    number_units("f16_");
}

#[test]
fn the_number_units_of_bfloat16_pass_as_machine_code() {
    number_units("bf16_");
}

fn number_units(prefix: &str) {
    let units: Vec<String> = names().into_iter().filter(|name| name.starts_with(prefix)).collect();
    assert!(units.len() >= 16, "{units:?}");
    for name in units {
        let driver = configuration(&name).unwrap_or_else(|error| panic!("{error}"));
        passes_on(&mut jit::simulator(&driver.design), &driver);
    }
}

#[test]
fn wrong_names_say_what_there_is() {
    let error = configuration("f16_ad").err().expect("there is no f16_ad");
    assert!(error.starts_with("there is no f16_ad; there are ") && error.contains(" f16_add, "), "{error}");
}

/// The engines with their random vectors, mistakes and settings; with the vectors of recorded data in tests/oaken.rs.
#[test]
fn the_engines_pass_as_machine_code() {
    for name in names().iter().filter(|name| name.starts_with("oaken_")) {
        let driver = configuration(name).unwrap_or_else(|error| panic!("{error}"));
        passes_on(&mut jit::simulator(&driver.design), &driver);
    }
}

#[test]
fn the_engines_of_other_widths_pass_as_machine_code() {
    widths().iter().for_each(|driver| passes_on(&mut jit::simulator(&driver.design), driver));
}

#[test]
fn the_engines_of_several_settings_pass_as_machine_code() {
    engines_of_settings().iter().for_each(|driver| passes_on(&mut jit::simulator(&driver.design), driver));
}

/// What no other test runs there: several settings, and 64 lanes.
#[test]
fn several_settings_and_64_lanes_pass_under_verilator() {
    if !testbenches::have(&["verilator"]) {
        return;
    }
    let wide = widths().into_iter().filter(|driver| driver.name.contains("_p64"));
    let drivers: Vec<Driver> = engines_of_settings().into_iter().chain(wide).collect();
    assert_eq!(drivers.len(), 8);
    drivers.par_iter().with_max_len(1).for_each(|driver| {
        let text = verilog(&driver.design, &hdl::Options::default()).single();
        let model = driver.model(&text, &[], Kind::Quick);
        passes_on(&mut model.unwrap_or_else(|error| panic!("{}: {error}", driver.name)), driver);
    });
}

/// The caches of codebooks; with `KVFORGE_LONG=1` all units of vector quantization and attention.
#[test]
fn units_of_vector_quantization_pass_under_verilator() {
    if !testbenches::have(&["verilator"]) {
        return;
    }
    let short = ["vq_codebook_cache_cq4_8", "vq_banked_cache_aqlm3", "vq_tiered_cache_cq4"];
    let long = |name: &str| ["vq_", "attention_", "softmax_"].iter().any(|prefix| name.starts_with(prefix));
    let chosen =
        names().into_iter().filter(|name| if sim::bus::long() { long(name) } else { short.contains(&&**name) });
    let drivers: Vec<Driver> =
        chosen.map(|name| configuration(&name).unwrap_or_else(|error| panic!("{error}"))).collect();
    assert!(drivers.len() >= short.len(), "{} configurations", drivers.len());
    drivers.par_iter().with_max_len(1).for_each(|driver| {
        let text = verilog(&driver.design, &hdl::Options::default()).single();
        let model = driver.model(&text, &[], Kind::Quick);
        passes_on(&mut model.unwrap_or_else(|error| panic!("{}: {error}", driver.name)), driver);
    });
}
