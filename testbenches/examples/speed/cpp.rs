//! The loop of `load::run` in C++, compiled with the model as the Verilator engine compiles it.

use super::load::{Beat, IDLE, Load, Outcome};
use hdl::engine::PortInfo;
use sim::verilator::{Calls, ModelSpec};
use std::error::Error;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// A compiled program.
pub struct Program {
    path: PathBuf,
    /// Seconds that Verilator took, and the C++ compiler for the model and the loop (Verilator's runtime is compiled before).
    pub verilator_seconds: f64,
    pub compiler_seconds: f64,
}

/// How a program is compiled, where it differs from the engine.
#[derive(Clone, Copy, Debug)]
pub struct Variant {
    /// With `-fno-inline`, as the engine has it.
    pub no_inline: bool,
    /// The C++ compiler's optimisation.
    pub optimisation: &'static str,
}

impl Program {
    /// Compiles in the folder `dir`.
    pub fn build(
        spec: &ModelSpec,
        load: &Load,
        variant: Option<Variant>,
        dir: &Path,
    ) -> Result<Program, Box<dyn Error>> {
        let calls = Calls::of(spec)?;
        let drop_inline = variant.is_some_and(|v| !v.no_inline);
        std::fs::create_dir_all(dir)?;
        std::fs::write(dir.join("model.v"), spec.verilog)?;
        let arguments = calls.verilator.get_args().filter(|a| !(drop_inline && *a == "-fno-inline"));
        let start = Instant::now();
        run(Command::new(calls.verilator.get_program()).args(arguments).current_dir(dir))?;
        let verilator_seconds = start.elapsed().as_secs_f64();
        let mut text = String::new();
        for entry in std::fs::read_dir(dir)? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if name.ends_with(".cpp") {
                let _ = writeln!(text, "#include \"{name}\"");
            }
        }
        std::fs::write(dir.join("main.cc"), text + &main_text(spec.ports, load))?;
        let flags: Vec<&str> = calls.flags.iter().map(|f| flag(f, variant)).collect();
        let compile = |files: &[&Path], more: &[&str]| {
            let mut command = Command::new("g++");
            command.args(&flags).args(["-I", "."]).arg("-I").arg(&calls.include);
            command.arg("-I").arg(calls.include.join("vltstd")).arg("-pthread").args(files).args(more);
            run(command.current_dir(dir))
        };
        for name in ["verilated", "verilated_threads"] {
            let source = calls.include.join(name).with_extension("cpp");
            compile(&[&source], &["-c", "-o", &format!("{name}.o")])?;
        }
        let start = Instant::now();
        let files = ["main.cc", "verilated.o", "verilated_threads.o"].map(Path::new);
        compile(&files, &["-o", "bench"])?;
        let compiler_seconds = start.elapsed().as_secs_f64();
        Ok(Program { path: dir.join("bench"), verilator_seconds, compiler_seconds })
    }

    /// Runs it for so many cycles.
    pub fn run(&self, cycles: u64) -> Result<Outcome, Box<dyn Error>> {
        let output = Command::new(&self.path).arg(cycles.to_string()).output()?;
        let text = String::from_utf8(output.stdout)?;
        let (seconds, checksum) = text.trim().split_once(' ').ok_or("the C++ program printed nothing")?;
        Ok(Outcome { seconds: seconds.parse()?, checksum: checksum.parse()? })
    }
}

/// A flag of the engine, or that of the variant in its place.
fn flag(flag: &'static str, variant: Option<Variant>) -> &'static str {
    match variant {
        Some(variant) if flag.starts_with("-O") => variant.optimisation,
        _ => flag,
    }
}

fn run(command: &mut Command) -> Result<(), Box<dyn Error>> {
    let output = command.output()?;
    let log = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() { Ok(()) } else { Err(log.into()) }
}

/// The text of the program; names of ports are the same in C++ because none has two underscores together.
fn main_text(ports: &[PortInfo], load: &Load) -> String {
    let width = |name: String| ports.iter().find(|p| p.name == name).expect("a port of the engine").width;
    let mut tables = String::new();
    let (mut drive, mut advance, mut observe, mut start) = (String::new(), String::new(), String::new(), String::new());
    for source in &load.sources {
        let name = source.name;
        let (data, keep) = (width(format!("{name}_tdata")), width(format!("{name}_tkeep")));
        let beats = source.beats.len();
        tables += &table(&format!("{name}_data"), data.div_ceil(64), &source.beats, |b| b.data.clone());
        tables += &table(&format!("{name}_keep"), keep.div_ceil(64), &source.beats, |b| b.keep.clone());
        tables += &table(&format!("{name}_last"), 1, &source.beats, |b| vec![b.last.into()]);
        let _ = writeln!(tables, "static size_t {name}_at = 0;");
        for (field, width) in [("data", data), ("keep", keep), ("last", 1)] {
            let _ = writeln!(drive, "        set<{width}>(m.{name}_t{field}, {name}_{field}[{name}_at]);");
        }
        let _ =
            writeln!(advance, "        if (m.{name}_tready) {name}_at = {name}_at + 1 == {beats} ? 0 : {name}_at + 1;");
        let _ = writeln!(start, "    m.{name}_tvalid = 1;");
    }
    for name in load.sinks {
        let width = width(format!("{name}_tdata"));
        let _ = writeln!(start, "    m.{name}_tready = 1;");
        let _ = writeln!(
            observe,
            "        if (m.{name}_tvalid) {{ mix_all<{width}>(m.{name}_tdata); mix(m.{name}_tlast); }}"
        );
    }
    let writes: String = load.writes.iter().map(|(a, v)| format!("    write(m, {a}, {v});\n")).collect();
    let main = include_str!("main.cc");
    let parts = [
        ("//TABLES\n", tables),
        ("//WRITES\n", writes),
        ("//START\n", start),
        ("//DRIVE\n", drive),
        ("//ADVANCE\n", advance),
        ("//OBSERVE\n", observe),
        ("IDLE", IDLE.to_string()),
    ];
    parts.iter().fold(main.to_string(), |text, (mark, part)| text.replace(mark, part))
}

fn table(name: &str, limbs: u32, beats: &[Beat], of: impl Fn(&Beat) -> Vec<u64>) -> String {
    let mut text = format!("static const uint64_t {name}[][{limbs}] = {{\n");
    for beat in beats {
        let limbs: Vec<String> = of(beat).iter().map(|limb| format!("{limb:#x}u")).collect();
        let _ = writeln!(text, "{{{}}},", limbs.join(","));
    }
    text + "};\n"
}
