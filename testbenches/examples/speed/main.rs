//! How fast the simulators run the Oaken engines: `cargo run --release -p kvforge-testbenches --example speed`.
//!
//! The Verilator engine against the same loop in C++, and the built-in simulator beside it, with 16 lanes and vectors of 4096
//! elements; all must give the same outputs. With `--flags` it also compares ways to compile the model. Needs
//! `cargo xtask setup`. Seconds of runs are those of the processor, seconds of compiling are those of the clock.

mod cpp;
mod load;

use cpp::{Program, Variant};
use hdl::engine::Engine;
use hdl::sim::Simulator;
use hdl::{Design, Reset};
use hw::oaken::{EngineParams, dequantizer_axi, quantizer_axi};
use load::{Load, Outcome};
use sim::verilator::{Domain, ModelSpec};
use std::error::Error;
use std::path::Path;

const ENGINE: EngineParams = EngineParams { lanes: 16, max_length: 4096 };
/// Cycles of a run: under Verilator, and on the built-in simulator.
const CYCLES: u64 = 100_000;
const BUILT_IN_CYCLES: u64 = 8_000;
/// Runs, of which the median counts.
const RUNS: usize = 7;

fn main() -> Result<(), Box<dyn Error>> {
    let quantizer = quantizer_axi("oaken_quantizer", ENGINE)?;
    let dequantizer = dequantizer_axi("oaken_dequantizer", ENGINE)?;
    let vectors = load::quantizer(&hw::oaken::quantizer_axi::registers("oaken_quantizer", ENGINE), ENGINE);
    let records = load::dequantizer(&hw::oaken::dequantizer_axi::registers("oaken_dequantizer", ENGINE), ENGINE);
    let folder = std::env::temp_dir().join(format!("kvforge-speed-{}", std::process::id()));
    against_cpp(&quantizer, &vectors, &folder)?;
    built_in(&quantizer, &vectors)?;
    built_in(&dequantizer, &records)?;
    if std::env::args().any(|argument| argument == "--flags") {
        flags(&quantizer, &vectors, &folder)?;
    }
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

/// The Verilator engine against C++.
fn against_cpp<P>(design: &Design<P>, load: &Load, folder: &Path) -> Result<(), Box<dyn Error>> {
    let program = with_spec(design, |spec| Program::build(spec, load, None, &folder.join("engine")))?;
    let (verilator, compiler) = (program.verilator_seconds, program.compiler_seconds);
    println!(
        "{}: compiled in {:.1} s: Verilator {verilator:.1} s, C++ {compiler:.1} s",
        design.name(),
        verilator + compiler
    );
    let mut model = testbenches::verilated(design, Reset::default())?;
    let (mut rust, mut cpp, mut ratios) = (vec![], vec![], vec![]);
    for _ in 0..RUNS {
        let (ours, theirs) = (load::run(&mut model, load, CYCLES), program.run(CYCLES)?);
        same(ours, theirs);
        rust.push(CYCLES as f64 / ours.seconds);
        cpp.push(CYCLES as f64 / theirs.seconds);
        ratios.push(theirs.seconds / ours.seconds);
    }
    let (rust, cpp, ratio) = (median(rust), median(cpp), median(ratios));
    println!("  Verilator from Rust {rust:.0} cycles/s, from C++ {cpp:.0}, ratio {ratio:.2}");
    Ok(())
}

/// The built-in simulator beside Verilator.
fn built_in<P>(design: &Design<P>, load: &Load) -> Result<(), Box<dyn Error>> {
    let mut model = testbenches::verilated(design, Reset::default())?;
    let mut simulator = Simulator::new(design);
    let t = std::time::Instant::now();
    let mut compiled = jit::compiled(design);
    let mut code = vec![];
    compiled.reset(1);
    println!("jit compile {:?}", t.elapsed());
    let (mut ours, mut theirs) = (vec![], vec![]);
    for _ in 0..RUNS {
        let (a, b) = (load::run(&mut simulator, load, BUILT_IN_CYCLES), load::run(&mut model, load, BUILT_IN_CYCLES));
        same(a, b);
        let c = load::run(&mut compiled, load, BUILT_IN_CYCLES);
        same(b, c);
        code.push(BUILT_IN_CYCLES as f64 / c.seconds);
        ours.push(BUILT_IN_CYCLES as f64 / a.seconds);
        theirs.push(BUILT_IN_CYCLES as f64 / b.seconds);
    }
    let (ours, theirs) = (median(ours), median(theirs));
    println!("machine code {:.0}", median(code));
    println!("{}: built-in simulator {ours:.0} cycles/s, Verilator {theirs:.0}", design.name());
    Ok(())
}

/// Other ways to compile the model.
fn flags<P>(design: &Design<P>, load: &Load, folder: &Path) -> Result<(), Box<dyn Error>> {
    println!("{}, from C++:", design.name());
    for no_inline in [true, false] {
        for optimisation in ["-O1", "-O2"] {
            let variant = Variant { no_inline, optimisation };
            let dir = folder.join(format!("{no_inline}{optimisation}"));
            let program = with_spec(design, |spec| Program::build(spec, load, Some(variant), &dir))?;
            let seconds = program.verilator_seconds + program.compiler_seconds;
            let runs: Result<Vec<Outcome>, _> = (0..RUNS).map(|_| program.run(CYCLES)).collect();
            let speed = median(runs?.iter().map(|outcome| CYCLES as f64 / outcome.seconds).collect());
            let inline = if no_inline { "-fno-inline" } else { "inlining" };
            println!("  {inline:11} {optimisation}: compiled in {seconds:.1} s, {speed:.0} cycles/s");
        }
    }
    Ok(())
}

/// Calls `f` with what the engine builds its model of the design from.
fn with_spec<P, R>(design: &Design<P>, f: impl FnOnce(&ModelSpec) -> R) -> R {
    let (verilog, ports) = (testbenches::text(design, Reset::default()), design.port_list());
    let reset = |name: &str| sim::verilator::Reset { port: name.to_string(), active_high: true };
    let domains: Vec<Domain> =
        design.clocks().map(|(clock, name)| Domain { clock: clock.to_string(), reset: name.map(reset) }).collect();
    let (trace, coverage) = (false, false);
    f(&ModelSpec { verilog: &verilog, top: design.name(), ports: &ports, domains: &domains, trace, coverage })
}

fn same(a: Outcome, b: Outcome) {
    assert!(a.checksum == b.checksum && a.checksum != 0, "outputs differ: {:#x}, {:#x}", a.checksum, b.checksum);
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
