//! How fast the simulators run a 16-lane dot product and the Oaken engines:
//! `cargo run --release -p kvforge-testbenches --example speed`.
//!
//! The Verilator engine against the same loop in C++, and the interpreter and machine code beside it, with 16 lanes and
//! vectors of 4096 elements; all must give the same outputs. With `--flags` it also compares ways to compile the model. Needs
//! `cargo xtask setup`. Seconds of runs are those of the processor, seconds of compiling are those of the clock.

mod controller;
mod cpp;
mod dot;
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
use std::time::Instant;

/// Sizes of the controllers.
const STATES: [u32; 3] = [64, 512, 2048];
const ENGINE: EngineParams = EngineParams { lanes: 16, max_length: 4096, dense_bits: 4, settings: 1 };
/// Cycles of a run, and of one that is compared with a fresh interpreter.
const CYCLES: u64 = 100_000;
const CHECKED: u64 = 2_000;
/// Cycles of a controller's run: processor time is counted in hundredths of a second.
const MORE_CYCLES: u64 = 1_000_000;
/// Runs, of which the median counts.
const RUNS: usize = 7;

fn main() -> Result<(), Box<dyn Error>> {
    let quantizer = quantizer_axi("oaken_quantizer", ENGINE)?;
    let dequantizer = dequantizer_axi("oaken_dequantizer", ENGINE)?;
    let vectors = load::quantizer(&hw::oaken::quantizer_axi::registers("oaken_quantizer", ENGINE), ENGINE);
    let records = load::dequantizer(&hw::oaken::dequantizer_axi::registers("oaken_dequantizer", ENGINE), ENGINE);
    let folder = std::env::temp_dir().join(format!("kvforge-speed-{}", std::process::id()));
    let only = std::env::args().any(|argument| argument == "--controllers");
    for states in STATES {
        let start = Instant::now();
        let design = controller::controller(states)?;
        println!("controller_{states}: elaborated in {:.0} ms", 1e3 * start.elapsed().as_secs_f64());
        let start = Instant::now();
        let text = sim::verilator::verilog_with_models(&design, Reset::default());
        println!("controller_{states}: {} bytes printed in {:.0} ms", text.len(), 1e3 * start.elapsed().as_secs_f64());
        compare(&design, MORE_CYCLES, controller::run)?;
    }
    if only {
        return Ok(());
    }
    against_cpp(&quantizer, &vectors, &folder)?;
    compare(&dot::design()?, CYCLES, dot::run)?;
    compare(&quantizer, CYCLES, |engine, cycles| load::run(engine, &vectors, cycles))?;
    compare(&dequantizer, CYCLES, |engine, cycles| load::run(engine, &records, cycles))?;
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
    let mut model = sim::verilator::Model::of(design, Reset::default())?;
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

/// The interpreter, machine code and Verilator: cycles per second, and seconds from the design to the end of a run.
fn compare<P>(
    design: &Design<P>,
    cycles: u64,
    mut run: impl FnMut(&mut dyn Engine, u64) -> Outcome,
) -> Result<(), Box<dyn Error>> {
    // not what an earlier run of this program compiled
    let text = format!(
        "{}\n// process {}\n",
        sim::verilator::verilog_with_models(design, Reset::default()),
        std::process::id()
    );
    type Make<'a> = Box<dyn Fn() -> Result<Box<dyn Engine>, Box<dyn Error>> + 'a>;
    let verilator: Make = Box::new(|| Ok(Box::new(sim::verilator::Model::of_text(&text, design, Reset::default())?)));
    let code: Make = Box::new(|| Ok(Box::new(jit::compiled(design))));
    let interpreter: Make = Box::new(|| Ok(Box::new(Simulator::new(design))));
    let tiered: Make = Box::new(|| Ok(Box::new(jit::simulator(design))));
    println!("{}:", design.name());
    let mut engines = vec![];
    for (name, make) in [("Verilator", verilator), ("interpreter", interpreter), ("machine code", code)] {
        let start = Instant::now();
        let mut engine = make()?;
        // machine code is made at the first look
        engine.peek_big(0);
        engines.push((name, start.elapsed().as_secs_f64(), engine, vec![]));
    }
    for _ in 0..RUNS {
        let mut seen = vec![];
        for (name, _, engine, speeds) in &mut engines {
            let cycles = if *name == "interpreter" { cycles / 10 } else { cycles };
            let outcome = run(engine.as_mut(), cycles);
            speeds.push(cycles as f64 / outcome.seconds);
            seen.extend((*name != "interpreter").then_some(outcome));
            same(run(engine.as_mut(), CHECKED), run(&mut Simulator::new(design), CHECKED));
        }
        same(seen[0], seen[1]);
    }
    for (name, ready, _, speeds) in engines {
        let (speed, ready) = (median(speeds), ready * 1e3);
        println!("  {name:12} {speed:9.0} cycles/s, ready after {ready:6.0} ms: {}", totals(ready, speed));
    }
    let mut timed = |cycles| -> Result<f64, Box<dyn Error>> {
        let start = Instant::now();
        run(tiered()?.as_mut(), cycles);
        Ok(1e3 * start.elapsed().as_secs_f64())
    };
    let [few, some, many] = [timed(1_000)?, timed(10_000)?, timed(100_000)?];
    println!("  the interpreter, then machine code: 1k, 10k, 100k cycles in {few:.0}, {some:.0}, {many:.0} ms");
    Ok(())
}

/// Milliseconds until so many cycles are done.
fn totals(ready: f64, speed: f64) -> String {
    let [few, some, many] = [1e3, 1e4, 1e5].map(|cycles| ready + 1e3 * cycles / speed);
    format!("1k, 10k, 100k cycles in {few:.0}, {some:.0}, {many:.0} ms")
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
    let (verilog, ports) = (sim::verilator::verilog_with_models(design, Reset::default()), design.port_list());
    let reset = |name: &str| sim::verilator::Reset { port: name.to_string(), active_high: true };
    let domains: Vec<Domain> =
        design.clocks().map(|(clock, name)| Domain { clock: clock.to_string(), reset: name.map(reset) }).collect();
    let (trace, coverage) = (false, false);
    f(&ModelSpec {
        verilog: &verilog,
        top: design.name(),
        ports: &ports,
        domains: &domains,
        trace,
        coverage,
        quick: false,
    })
}

fn same(a: Outcome, b: Outcome) {
    assert!(a.checksum == b.checksum && a.checksum != 0, "outputs differ: {:#x}, {:#x}", a.checksum, b.checksum);
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
