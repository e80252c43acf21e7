//! Compiles Verilog to a shared library: Verilator, then one call of the C++ compiler.

use super::cache::cached;
use super::error::VerilatorError;
use super::spec::ModelSpec;
use super::{header, shim};
use crate::tools;
use hdl::engine::PortInfo;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

/// Flags of the C++ compiler, for models and for Verilator's runtime.
///
/// Everything is hidden but the shim's functions, and no symbol is unique in the process, so that many models with
/// the same class names live side by side.
const FLAGS: &[&str] = &[
    "-std=gnu++17",
    // Half the compile time of -O2 at about the same speed of the model; a quick model's -O0 comes behind it.
    "-O1",
    "-fPIC",
    "-fvisibility=hidden",
    "-fno-gnu-unique",
    "-w",
    "-DVL_USER_FINISH",
    "-DVL_USER_STOP",
    "-DVL_USER_FATAL",
];

/// What [`Model::build`](super::Model::build) calls: for benches that compile the same model with a `main` of their own.
pub struct Calls {
    /// Verilator; it reads `model.v` in its working folder and writes there.
    pub verilator: Command,
    /// The folder with Verilator's own C++ files.
    pub include: PathBuf,
    /// Flags of the C++ compiler.
    pub flags: &'static [&'static str],
}

impl Calls {
    /// The calls for a model.
    pub fn of(spec: &ModelSpec) -> Result<Calls, VerilatorError> {
        let tools = Tools::find()?;
        Ok(Calls { verilator: verilator(tools, spec), include: tools.include.clone(), flags: FLAGS })
    }
}

/// The files of Verilator's runtime that a model is linked with.
fn runtime_files(spec: &ModelSpec) -> Vec<&'static str> {
    let mut names = vec!["verilated", "verilated_threads"];
    names.extend(spec.trace.then_some("verilated_vcd_c"));
    names.extend(spec.coverage.then_some("verilated_cov"));
    names
}

/// The runtime prints with a function of the shim, which so knows the last words before a failure.
const PRINT: &str = "int kv_print(const char* format, ...);\n#define VL_PRINTF kv_print\n";

/// What the shim is made of: a change of it makes all models anew.
const SHIM: &str = concat!(include_str!("shim.rs"), include_str!("shim.cpp"));

/// The programs, found once for this process.
struct Tools {
    verilator: PathBuf,
    /// Verilator's own C++ files.
    include: PathBuf,
    /// Which Verilator and which compiler, for the cache.
    versions: String,
}

impl Tools {
    fn find() -> Result<&'static Tools, VerilatorError> {
        static TOOLS: OnceLock<Option<Tools>> = OnceLock::new();
        TOOLS.get_or_init(Tools::look).as_ref().ok_or(VerilatorError::NotSetUp("verilator"))
    }

    fn look() -> Option<Tools> {
        let verilator = tools::find("verilator")?;
        let ask = |program: &Path, option: &[&str]| {
            let output = Command::new(program).args(option).output().ok()?;
            output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_string())
        };
        let root = ask(&verilator, &["--getenv", "VERILATOR_ROOT"])?;
        let versions = [ask(&verilator, &["--version"])?, root.clone(), ask(Path::new("g++"), &["--version"])?];
        Some(Tools { include: Path::new(&root).join("include"), versions: versions.join("\n"), verilator })
    }
}

/// The path of the compiled model, which is built now unless an earlier run has.
///
/// `ports` are all ports, clocks and resets among them.
pub(super) fn library(spec: &ModelSpec, ports: &[PortInfo]) -> Result<PathBuf, VerilatorError> {
    let tools = Tools::find()?;
    // Everything that decides about the result.
    let (flags, verilator) = (FLAGS.join(" "), verilator(tools, spec));
    let key = format!("{flags}\n{verilator:?}\n{}\n{spec:?}\n{ports:?}", tools.versions);
    cached("model", &[&key, SHIM], "model.so", |dir| model(tools, spec, ports, dir))
}

/// The path of an object file of Verilator's runtime (`verilated` and others), compiled once for all models.
fn cached_runtime(tools: &Tools, name: &str) -> Result<PathBuf, VerilatorError> {
    let key = format!("{}\n{}\n{name}", FLAGS.join(" "), tools.versions);
    cached(name, &[&key, PRINT], "runtime.o", |dir| runtime(tools, name, dir))
}

/// The path of the compiled headers of all models; the text is beside it, without the last extension.
fn cached_headers(tools: &Tools, quick: bool) -> Result<PathBuf, VerilatorError> {
    let flags = [FLAGS, optimisation(quick)].concat().join(" ");
    let key = [&flags, &tools.versions, HEADERS];
    cached("headers", &key, "headers.h.gch", |dir| headers(tools, quick, dir))
}

/// Compiles a model to `model.so` in the folder `dir`.
fn model(tools: &Tools, spec: &ModelSpec, ports: &[PortInfo], dir: &Path) -> Result<(), VerilatorError> {
    write(&dir.join("model.v"), spec.verilog)?;
    let mut output = run(verilator(tools, spec).current_dir(dir))?;
    if log(&output).contains("Internal Error") {
        // The gate optimiser of the pinned version trips over some parts of registers.
        output = run(verilator(tools, spec).arg("-fno-gate").current_dir(dir))?;
    }
    if !output.status.success() {
        return Err(VerilatorError::Verilog { top: spec.top.to_string(), log: log(&output) });
    }
    let header_path = dir.join("Vm.h");
    let header = fs::read_to_string(&header_path).map_err(VerilatorError::file(&header_path))?;
    let ports_problem = |problem| VerilatorError::Ports { top: spec.top.to_string(), problem };
    let members = header::members(&header, ports).map_err(ports_problem)?;
    write(&dir.join("model.cc"), &shim::text(spec, &members, &generated(dir)?))?;
    let runtime = runtime_files(spec).into_iter().map(|name| cached_runtime(tools, name));
    let objects: Vec<PathBuf> = runtime.collect::<Result<_, _>>()?;
    let mut command = Command::new("g++");
    command.arg("-include").arg(cached_headers(tools, spec.quick)?.with_extension(""));
    command.args(["-shared", "-I.", "model.cc", "-o", "model.so"]).args(objects);
    compile(tools, &mut command, optimisation(spec.quick), dir)
}

/// Flags behind the common ones: a quick model is compiled for a few cycles only.
fn optimisation(quick: bool) -> &'static [&'static str] {
    if quick { &["-O0"] } else { &[] }
}

/// What every model includes: read once, which is more than half the time that a small model takes.
const HEADERS: &str = "#include \"verilated.h\"\n#include \"verilated_sym_props.h\"\n#include \"verilated_syms.h\"\n";

/// Compiles [`HEADERS`] to `headers.h.gch` in the folder `dir`, beside the text.
fn headers(tools: &Tools, quick: bool, dir: &Path) -> Result<(), VerilatorError> {
    write(&dir.join("headers.h"), HEADERS)?;
    let mut command = Command::new("g++");
    command.args(["-x", "c++-header", "headers.h", "-o", "headers.h.gch"]);
    compile(tools, &mut command, optimisation(quick), dir)
}

/// Compiles a file of Verilator's runtime to `runtime.o` in the folder `dir`.
fn runtime(tools: &Tools, name: &str, dir: &Path) -> Result<(), VerilatorError> {
    let source = tools.include.join(name).with_extension("cpp");
    write(&dir.join("print.h"), PRINT)?;
    let mut command = Command::new("g++");
    command.args(["-include", "print.h", "-c"]).arg(source).args(["-o", "runtime.o"]);
    compile(tools, &mut command, &[], dir)
}

/// The call of Verilator for `model.v` in its working folder.
fn verilator(tools: &Tools, spec: &ModelSpec) -> Command {
    let mut command = Command::new(&tools.verilator);
    command.args(["--cc", "--prefix", "Vm", "--Mdir", ".", "--top-module", spec.top, "-O3", "--assert"]);
    // What is unknown is 0, as in the built-in simulator; how registers and memories begin is said when the model is started.
    command.args(["--x-assign", "0", "--x-initial", "unique"]);
    // One file: the compiler runs once. Warnings are for the lint, not for every test.
    command.args(["--output-split", "0", "-Wno-fatal", "-Wno-lint", "-Wno-style"]);
    // Instances of a module share their code: a 128-lane dot product compiles in a quarter of the time, and runs
    // faster than with everything inlined because it stays in the instruction cache.
    command.arg("-fno-inline");
    // The data-flow graph optimiser of the pinned version miscomputes some narrow negations and slices, and refuses
    // others; models are as quick without it.
    command.arg("-fno-dfg");
    if spec.trace {
        command.arg("--trace-vcd");
    }
    if spec.coverage {
        // not `--coverage`: the pinned version breaks off at memory writes when it counts expressions
        command.args(["--coverage-line", "--coverage-toggle"]);
    }
    command.arg("model.v");
    command
}

/// The names of the C++ files that Verilator wrote, sorted.
fn generated(dir: &Path) -> Result<Vec<String>, VerilatorError> {
    let mut names = Vec::new();
    for entry in fs::read_dir(dir).map_err(VerilatorError::file(dir))? {
        let name = entry.map_err(VerilatorError::file(dir))?.file_name().to_string_lossy().into_owned();
        if name.ends_with(".cpp") {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

/// Adds the common flags, and `more` behind them, to a call of the C++ compiler and runs it in `dir`.
fn compile(tools: &Tools, command: &mut Command, more: &[&str], dir: &Path) -> Result<(), VerilatorError> {
    command.args(FLAGS).args(more).arg("-I").arg(&tools.include).arg("-I").arg(tools.include.join("vltstd"));
    let output = run(command.arg("-pthread").current_dir(dir))?;
    if output.status.success() { Ok(()) } else { Err(VerilatorError::Compiler(log(&output))) }
}

fn run(command: &mut Command) -> Result<Output, VerilatorError> {
    command.output().map_err(VerilatorError::file(Path::new(command.get_program())))
}

/// What a program said, without Verilator's closing report.
fn log(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr) + String::from_utf8_lossy(&output.stdout);
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with("- ")).collect();
    lines.join("\n")
}

fn write(path: &Path, text: &str) -> Result<(), VerilatorError> {
    fs::write(path, text).map_err(VerilatorError::file(path))
}
