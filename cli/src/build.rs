//! `kvforge build`: from a configuration to a bitstream for a board.

use crate::args::{BuildOptions, Selection};
use crate::board::named;
use crate::configuration::Configuration;
use crate::describe::selected;
use crate::report::{Failure, Problem};
use crate::table::table;
use fpga::boards::{Board, Level};
use fpga::build::{BuildError, Built, Clock, CriticalPath, Request, build, programs};
use fpga::device::Family;
use hdl::{Design, verilog};
use hw::catalogue::{board_params, cache_board_params};
use hw::soc::baud::clocks_per_bit;
use hw::soc::pll::search;
use indicatif::ProgressBar;
use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

/// Block whose clock `--clock` can set.
const BOARD_TOP: &str = "oaken_board";
/// Block with a PLL, too.
const CACHE_TOP: &str = "oaken_cache_board";
/// So far may the rate of a line be off.
const OFF: f64 = 0.015;
/// Wires of a critical path that are shown at most.
const HOPS: usize = 12;

pub fn run(options: &BuildOptions) -> Result<(), Failure> {
    let board = named(&options.board)?;
    let mut configuration = configuration(options, board)?;
    if board.device.family == Family::Ice40 {
        // it has none, and Yosys ends where the Verilog demands some
        configuration.lut_ram = false;
    }
    if configuration.block.name == BOARD_TOP {
        check_top(board, &configuration)?;
    }
    let design = configuration.design()?;
    check_ports(board, &configuration, &design)?;
    let tools = tools(board)?;
    let source = verilog(&design, &configuration.verilog_options());
    let folder = options.out.join(board.name).join(&configuration.name);
    let text = source.single();
    let hertz = match configuration.block.name {
        BOARD_TOP => board_params(&configuration.values).system.clock_hertz,
        CACHE_TOP => cache_board_params(&configuration.values).system.cache.clock_hertz,
        _ => board.clock.hertz,
    };
    let request = Request {
        board,
        top: source.top(),
        verilog: &text,
        tools: &tools,
        folder: &folder,
        seeds: options.seeds,
        clock: f64::from(hertz) / 1e6,
    };
    let progress = ProgressBar::new_spinner();
    progress.enable_steady_tick(Duration::from_millis(200));
    let built = build(&request, |step| progress.set_message(step.to_string()));
    progress.finish_and_clear();
    let built = built.map_err(|error| failed(&error))?;
    print(&mut std::io::stdout().lock(), board, &configuration, &built)
}

/// The configuration that is named, or that of the board, with the clock that is asked for.
fn configuration(options: &BuildOptions, board: &Board) -> Result<Configuration, Failure> {
    let name = options.config.is_none().then(|| board.module.to_string());
    let of = |set: Vec<String>| selected(&Selection { name: name.clone(), config: options.config.clone(), set });
    let configuration = of(options.set.clone())?;
    let Some(mhz) = options.clock else { return Ok(configuration) };
    if configuration.block.name != BOARD_TOP {
        let problem = Problem::new(format!(
            "`--clock` is of a board top, and {} is a `{}`",
            configuration.name, configuration.block.name
        ));
        return Err(problem.help("leave it out, or set the block's own parameter with `--set`").into());
    }
    let clocked = clock_settings(board, mhz)?;
    let key = |setting: &str| setting.split('=').next().map(|key| key.trim().to_string());
    if let Some(set) = options.set.iter().find(|set| clocked.iter().any(|own| key(own) == key(set))) {
        let problem = Problem::new(format!("`--clock {mhz}` and `--set {set}` both say how quick the system is"));
        return Err(problem
            .note(format!("`--clock` sets {}", clocked.join(" and ")))
            .help("leave one of them out")
            .into());
    }
    of([&options.set[..], &clocked].concat())
}

/// The parameters that go with a clock of the system.
fn clock_settings(board: &Board, mhz: f64) -> Result<[String; 2], Problem> {
    let problem = |text: String| Problem::new(format!("--clock {mhz}: {text}"));
    if !(1.0..=1000.0).contains(&mhz) {
        return Err(problem("not a clock of a system".into()).note("legal: 1 to 1000 MHz"));
    }
    let hertz = (mhz * 1e6).round() as u32;
    search(board.device.pll, board.clock.hertz, hertz).map_err(|impossible| problem(impossible.to_string()))?;
    let cycles = clocks_per_bit(hertz, board.line.baud).map_err(|none| problem(none.to_string()))?;
    Ok([format!("clock_hertz={hertz}"), format!("clocks_per_bit={cycles}")])
}

/// A board top is for this board: its oscillator, PLL, LEDs and line.
fn check_top(board: &Board, configuration: &Configuration) -> Result<(), Failure> {
    let p = board_params(&configuration.values);
    let mut problems = vec![];
    let mut compare = |name: &str, is: String, legal: String| {
        if is != legal {
            let problem = Problem::new(format!("{name} = {is} of {} is not for {}", configuration.name, board.name));
            problems.push(problem.note(format!("legal: {legal}")).note("`kvforge board show` says what is on a board"));
        }
    };
    compare("pll", p.pll.name().into(), board.device.pll.name().into());
    compare("oscillator_hertz", p.oscillator_hertz.to_string(), board.clock.hertz.to_string());
    compare("leds_low", p.leds_low.to_string(), (board.leds.shine_at == Level::Low).to_string());
    match clocks_per_bit(p.system.clock_hertz, board.line.baud) {
        Ok(cycles) => {
            let rate = f64::from(p.system.clock_hertz) / f64::from(p.system.clocks_per_bit);
            if (rate / f64::from(board.line.baud) - 1.0).abs() >= OFF {
                compare("clocks_per_bit", p.system.clocks_per_bit.to_string(), cycles.to_string());
            }
        }
        Err(none) => problems.push(Problem::new(format!("clock_hertz of {}: {none}", configuration.name))),
    }
    if problems.is_empty() { Ok(()) } else { Err(Failure::Input(problems)) }
}

/// Every port of the design has a pin of the board, and what has to stand at a level is a port of the design.
fn check_ports(board: &Board, configuration: &Configuration, design: &Design<()>) -> Result<(), Problem> {
    let pins: BTreeSet<String> = board.ports().into_iter().map(|(port, _)| port).collect();
    let is_driven = |name: &str| design.port_list().iter().any(|port| !port.input && port.name == name);
    if let Some(tie) = board.ties.iter().find(|tie| !is_driven(tie.port)) {
        let level = match tie.level {
            Level::Low => 0,
            Level::High => 1,
        };
        let problem =
            Problem::new(format!("{} has no port `{}`, which {} needs", configuration.name, tie.port, board.name));
        let more = match configuration.block.parameter(tie.port) {
            Some(_) => format!("; block `{}` has it with `{} = true`", configuration.block.name, tie.port),
            None => String::new(),
        };
        return Err(problem.note(tie.why).help(format!("an output that is {level}{more}")));
    }
    for port in design.port_table() {
        // the parts of an inout are one port
        let name = port.pad.unwrap_or(port.name);
        let bits = if port.width == 1 {
            vec![name.to_string()]
        } else {
            (0..port.width).map(|i| format!("{name}[{i}]")).collect()
        };
        if let Some(missing) = bits.iter().find(|bit| !pins.contains(*bit)) {
            let problem =
                Problem::new(format!("port `{missing}` of {} has no pin on {}", configuration.name, board.name));
            let known = pins.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
            return Err(problem
                .note(format!("pins are known for {known}"))
                .help("name the ports of the top as the board's are named"));
        }
    }
    Ok(())
}

/// The folder of the pinned tools; those that the board needs have to be there.
fn tools(board: &Board) -> Result<PathBuf, Problem> {
    let programs = programs(board);
    let missing: Vec<&str> = programs.into_iter().filter(|name| sim::tools::find(name).is_none()).collect();
    let folder = sim::tools::find(programs[0]).and_then(|file| Some(file.parent()?.to_path_buf()));
    folder.filter(|_| missing.is_empty()).ok_or_else(|| {
        let problem = Problem::new(format!("not set up: {}", missing.join(", ")));
        problem.help("`cargo xtask setup` installs the pinned tools; KVFORGE_TOOLS names another folder of them")
    })
}

fn failed(error: &BuildError) -> Failure {
    let problem = Problem::new(error);
    match error {
        BuildError::TooSlow { report, .. } => {
            let problem = problem.note(format!("critical paths: {}", report.display()));
            problem.help("more placements with `--seeds`, a lower clock with `--clock`, or fewer lanes").into()
        }
        BuildError::File { .. } => problem.into(),
        BuildError::NoProgram { .. }
        | BuildError::Failed { .. }
        | BuildError::Report { .. }
        | BuildError::Bitstream { .. } => Failure::Internal(error.to_string()),
    }
}

fn print(out: &mut impl Write, board: &Board, configuration: &Configuration, built: &Built) -> Result<(), Failure> {
    writeln!(out, "{} ({}) on {}, {}", configuration.name, configuration.hash(), board.name, board.device.part)?;
    let used = built.report.used.iter().map(|cells| {
        let left = cells.available.saturating_sub(cells.used);
        [cells.kind.clone(), cells.used.to_string(), cells.available.to_string(), left.to_string()]
    });
    writeln!(out, "\n{}\n", table(&["cells", ">used", ">of", ">left"], used))?;
    let clocks = built
        .report
        .clocks
        .iter()
        .map(|clock| [clock.name.clone(), format!("{:.1}", clock.reached), format!("{:.1}", clock.demanded)]);
    writeln!(out, "{}\n", table(&["clock", ">MHz", ">demanded"], clocks))?;
    if let Some((clock, path)) = slowest(&built.report.clocks) {
        print_path(out, clock, path)?;
    }
    let runs = built.runs.iter().map(|run| {
        [run.program.to_string(), format!("{:.1}", run.time.as_secs_f64()), format!("{}", run.memory >> 20)]
    });
    writeln!(out, "{}\n", table(&["program", ">seconds", ">MiB"], runs))?;
    Ok(writeln!(out, "{}  {} bytes, seed {}", built.bitstream.display(), built.bytes, built.seed)?)
}

/// The clock that has least to spare, of those that have a path.
fn slowest(clocks: &[Clock]) -> Option<(&Clock, &CriticalPath)> {
    let with_path = clocks.iter().filter_map(|clock| Some((clock, clock.critical.as_ref()?)));
    with_path.min_by(|(a, _), (b, _)| (a.reached / a.demanded).total_cmp(&(b.reached / b.demanded)))
}

fn print_path(out: &mut impl Write, clock: &Clock, path: &CriticalPath) -> Result<(), Failure> {
    let logic = path.delay - path.wires;
    writeln!(
        out,
        "critical path of {}: {:.1} ns, of which {:.1} in wires and {logic:.1} in logic",
        clock.name, path.delay, path.wires
    )?;
    for hop in path.hops.iter().take(HOPS) {
        writeln!(out, "  {:5.1} ns  {}", hop.at, hop.net)?;
    }
    if path.hops.len() > HOPS {
        writeln!(out, "  and {} more", path.hops.len() - HOPS)?;
    }
    Ok(writeln!(out)?)
}
