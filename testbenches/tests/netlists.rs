//! The designs as the FPGA gets them: after synthesis for iCE40 and ECP5 they pass the same tests as before.

use hdl::verilog;
use rayon::prelude::*;
use testbenches::drivers::{Driver, Effort, Kind, configuration, dot_of_two, names, small};
use testbenches::have;
use testbenches::netlist::{Family, synthesize};

/// Runs the driver's test on the netlist.
fn check(driver: &Driver, family: Family, effort: Effort) -> Result<(), String> {
    let start = std::time::Instant::now();
    let what = |error: String| format!("{} for {family:?}: {error}", driver.name);
    let verilog = verilog(&driver.design, &family.options()).single();
    let netlist = synthesize(&verilog, driver.design.name(), family).map_err(|e| what(e.to_string()))?;
    let synthesized = start.elapsed().as_secs_f64();
    let kind = if effort.long { Kind::Fast } else { Kind::Quick };
    let mut model = driver.model(&netlist.verilog, &[], kind).map_err(|e| what(e.to_string()))?;
    let built = start.elapsed().as_secs_f64();
    driver.run(&mut model, effort).map_err(what)?;
    let seconds = start.elapsed().as_secs_f64();
    let cells = netlist.count("cells");
    println!(
        "{} for {family:?}: {cells} cells, synthesized after {synthesized:.1} s, compiled after {built:.1} s, passes after {seconds:.1} s",
        driver.name
    );
    Ok(())
}

/// Number units whose iCE40 cells are of every kind: carry chains, a multiplier, comparisons.
const FOR_ICE40: [&str; 6] = ["bf16_add", "bf16_mul", "bf16_div", "bf16_cmp", "bf16_from_i8", "bf16_to_i8"];

/// The number units among the configurations: those of binary16 for ECP5, and some of bfloat16 for iCE40, that keep subnormal numbers; all for both, also
/// the wide ones, in the long run.
fn units(family: Family, long: bool) -> Vec<Driver> {
    let all = |name: &str| name.starts_with("f16_") || name.starts_with("bf16_");
    let some = |name: &str| match family {
        Family::Ecp5 => name.starts_with("f16_") && !name.ends_with("dot16") && !name.ends_with("_flush"),
        Family::Ice40 => FOR_ICE40.contains(&name),
    };
    let units = names().into_iter().filter(|name| if long { all(name) } else { some(name) });
    units.map(|name| configuration(&name).unwrap_or_else(|error| panic!("{error}"))).chain([dot_of_two()]).collect()
}

/// Units of vector quantization and attention, for ECP5: two that hold what only its block RAM has, and in the long run ten larger ones.
fn vector_quantization(family: Family, long: bool) -> Vec<Driver> {
    if family != Family::Ecp5 {
        return vec![]; // they are made for its block RAM
    }
    let small = ["vq_codebook_cache_cq4_8", "vq_e8p_decoder_4"];
    let large = [
        "vq_index_unpacker_4x12",
        "vq_tiered_cache_cq4",
        "vq_products_cq4",
        "vq_scores_cq4",
        "vq_values_cq4",
        "vq_encoder_cq4",
        "vq_matrix_vector_cq4",
        "vq_matrix_vector_gptvq2",
        "attention_merge_2x64",
        "softmax_8192",
    ];
    let names = small.iter().chain(if long { &large[..] } else { &[] });
    names.map(|name| configuration(name).unwrap_or_else(|error| panic!("{error}"))).collect()
}

/// Is this one asked for?
fn requested(name: &str) -> bool {
    let names = std::env::var("KVFORGE_NETLISTS").unwrap_or_default();
    names.split(',').any(|beginning| name.starts_with(beginning))
}

/// Stream parts, number units and, for ECP5, engines and units of vector quantization. `KVFORGE_LONG=1` takes longer stimuli, larger engines, all number units
/// and engines for both families, and larger units of vector quantization for ECP5;
/// `KVFORGE_NETLISTS=oaken` only those whose names begin so (several with commas between), also of those that else the long run alone has.
#[test]
fn netlists_pass_the_tests_of_their_designs() {
    if !have(&["verilator", "yosys"]) {
        return;
    }
    let effort = Effort::from_environment();
    let all = effort.long || std::env::var_os("KVFORGE_NETLISTS").is_some();
    let mut jobs: Vec<(Driver, Family)> = vec![];
    for family in Family::ALL {
        // no iCE40 holds engines of 16 lanes, and Verilator's text of their netlists is too large for a compiler; those of one lane
        // cost more time than all else together, so that the short run has one of them for one family
        let large = |name: &str| name.ends_with("_p16") || (!all && name.starts_with("oaken_"));
        let left_out = |name: &str| !all && name.starts_with("oaken_quantizer");
        let fits = |driver: &Driver| (family != Family::Ice40 || !large(&driver.name)) && !left_out(&driver.name);
        // the large ones, which come last, begin first
        let parts = small(all).into_iter().rev().filter(fits).chain(units(family, all));
        let parts = parts.chain(vector_quantization(family, all));
        jobs.extend(parts.filter(|driver| requested(&driver.name)).map(|driver| (driver, family)));
    }
    assert!(!jobs.is_empty(), "no name begins as KVFORGE_NETLISTS says");
    let run = |(driver, family): &(Driver, Family)| check(driver, *family, effort);
    let wrong: Vec<String> = jobs.par_iter().with_max_len(1).map(run).filter_map(Result::err).collect();
    assert!(wrong.is_empty(), "{} of {} netlists are wrong:\n{}", wrong.len(), jobs.len(), wrong.join("\n"));
}

/// A netlist with a fault in it must not pass: one LUT of a FIFO has another function.
#[test]
fn a_wrong_netlist_fails() {
    if !have(&["verilator", "yosys"]) {
        return;
    }
    let driver = small(false).into_iter().find(|driver| driver.name == "fifo_8x5_lut").expect("a FIFO");
    let verilog = verilog(&driver.design, &Family::Ice40.options()).single();
    let good = synthesize(&verilog, driver.design.name(), Family::Ice40).unwrap_or_else(|error| panic!("{error}"));
    // the upper half of a LUT that depends on its last input
    let half = |line: &&str| line.contains(".s3 ") && line.contains("? 8'h") && !line.contains("8'h00 :");
    let line = good.verilog.lines().find(half).expect("a LUT");
    let at = line.find("? 8'h").expect("it has two halves") + "? 8'h".len();
    let bad = good.verilog.replacen(line, &format!("{}00{}", &line[..at], &line[at + 2..]), 1);
    let mut model = driver.model(&bad, &[], Kind::Quick).unwrap_or_else(|error| panic!("{error}"));
    let outcome = driver.run(&mut model, Effort::from_environment());
    outcome.expect_err("half of a LUT is 0");
}
