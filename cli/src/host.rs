//! `kvforge host`: a program at the other end of a board's line, or of one in simulation.

mod cache;
mod check;
mod files;
mod halves;
mod roundtrip;
mod simulated;

use crate::args::{HostCommand, HostOptions};
use crate::board::named;
use crate::report::{Failure, Problem};
use fpga::boards::Board;
use fpga::constraints::megahertz;
use fpga::link::cache::{Cache, CacheError, ID as CACHE};
use fpga::link::host::{Host, HostError};
use fpga::link::line::{Line, Serial};
use fpga::link::system::{ID as SYSTEM, Info, System, SystemError};
use hw::soc::system_params::Engines;
use simulated::LineKind;
use std::io::{ErrorKind, Write};
use std::time::Duration;

/// How long an answer may take: the longest two frames at 115,200 bits a second, and what an adapter adds.
const PATIENCE: Duration = Duration::from_millis(200);

pub fn run(options: &HostOptions) -> Result<(), Failure> {
    let board = named(&options.board)?;
    let line: Box<dyn Line> = match simulated_port(&options.port)? {
        Some((None, kind)) => Box::new(simulated::of_board(board, kind)?),
        Some((Some(name), kind)) => Box::new(simulated::named(name, kind)?),
        None => Box::new(
            Serial::open(&options.port, board.line.baud).map_err(|error| no_port(&options.port, board, &error))?,
        ),
    };
    let host = Host::new(line, PATIENCE);
    if let HostCommand::Cache(command) = &options.command {
        let mut cache = Cache::connect(host).map_err(|error| cache_failed(options, &error))?;
        return cache::run(command, &mut cache, |error| cache_failed(options, error));
    }
    let mut system = System::connect(host).map_err(|error| failed(options, &error))?;
    let (system, failed) = (&mut system, |error: &SystemError| failed(options, error));
    match &options.command {
        HostCommand::Info => print_info(&mut std::io::stdout().lock(), system.info()),
        HostCommand::Roundtrip(roundtrip) => roundtrip::run(roundtrip, system, failed),
        HostCommand::Quantize(quantize) => files::quantize(quantize, system, failed),
        HostCommand::Dequantize(dequantize) => files::dequantize(dequantize, system, failed),
        HostCommand::Selftest => check::selftest(system, failed),
        HostCommand::Bench(bench) => check::bench(bench, system, failed),
        HostCommand::Cache(_) => Err(Failure::Internal("a cache is connected before".into())),
    }
}

/// `sim[:NAME][,line=bits|bytes]`: the name, and the line.
fn simulated_port(port: &str) -> Result<Option<(Option<&str>, LineKind)>, Problem> {
    let (place, line) = port.split_once(',').map_or((port, None), |(place, line)| (place, Some(line)));
    let name = match place.split_once(':') {
        None if place == "sim" => None,
        Some(("sim", name)) => Some(name),
        _ => return Ok(None),
    };
    let kind = match line {
        None | Some("line=bits") => LineKind::Bits,
        Some("line=bytes") => LineKind::Bytes,
        Some(other) => {
            let problem = Problem::new(format!("`{other}` is no line of a simulated board"));
            return Err(problem.note("legal: line=bits, at the pins, or line=bytes, which is quicker"));
        }
    };
    Ok(Some((name, kind)))
}

fn no_port(path: &str, board: &Board, error: &std::io::Error) -> Problem {
    if error.kind() == ErrorKind::ResourceBusy {
        let problem = Problem::new(format!("cannot open {path}: {error}"));
        return problem.help(format!("a terminal program, or another kvforge? `fuser {path}` says which it is"));
    }
    let problem = Problem::new(format!("cannot open {path} at {} bits a second: {error}", board.line.baud));
    let problem = problem.note(format!("the line of {}: {}", board.name, board.line.chip));
    problem.help("is it plugged in, free, and may you use it (group `dialout`)? `--port sim` needs no board")
}

fn failed(options: &HostOptions, error: &SystemError) -> Failure {
    let problem = Problem::new(format!("{}: {error}", options.port));
    match error {
        SystemError::Host(error) => host_failed(options, problem, error).into(),
        SystemError::OtherSystem(id) => problem.help(other(options, *id)).into(),
        SystemError::Length { .. } => problem.help("give a file with such vectors").into(),
        _ => problem.into(),
    }
}

fn cache_failed(options: &HostOptions, error: &CacheError) -> Failure {
    let problem = Problem::new(format!("{}: {error}", options.port));
    match error {
        CacheError::Host(error) => host_failed(options, problem, error).into(),
        CacheError::OtherSettings => problem
            .help("give `--thresholds` with those that it has (`kvforge profile` makes the file of the first recording), or end all requests with `cache release`")
            .into(),
        CacheError::OtherSystem(id) => problem.help(other(options, *id)).into(),
        _ => problem.into(),
    }
}

/// What helps where the link fails.
fn host_failed(options: &HostOptions, problem: Problem, error: &HostError) -> Problem {
    match error {
        HostError::NoAnswer { .. } => problem
            .note("another rate, another bitstream or none, or sending and receiving lines swapped look like this")
            .help(format!("`--board` says which rate; `kvforge flash --board {}` loads a bitstream", options.board)),
        HostError::Line(_) => problem
            .note("a board that is unplugged looks like this; no file was written")
            .help("plug it in and start again: a new run opens the link"),
        HostError::OtherBoard(_) => problem.help(load(options)),
        HostError::Closed => problem.help("start again: a new run opens the link"),
        _ => problem,
    }
}

/// What helps where the board is something else.
fn other(options: &HostOptions, id: u32) -> String {
    match id {
        CACHE => "it is an Oaken cache: `kvforge host cache` has its commands".into(),
        SYSTEM => "it is an Oaken system: `kvforge host --help` shows its commands".into(),
        _ => load(options),
    }
}

fn load(options: &HostOptions) -> String {
    format!("`kvforge flash --board {}` loads a bitstream", options.board)
}

fn print_info(out: &mut impl Write, info: Info) -> Result<(), Failure> {
    let [first, second, third] = info.version;
    writeln!(out, "Oaken system {first}.{second}.{third}, configuration {:08x}", info.configuration)?;
    let engines = match info.engines {
        Engines::Both => "quantizer and dequantizer",
        one => one.name(),
    };
    writeln!(
        out,
        "engines  {engines} of {} elements a cycle, vectors of up to {}, codes of {} bits",
        info.lanes, info.max_length, info.dense_bits
    )?;
    writeln!(out, "clock    {} MHz", megahertz(info.clock_hertz))?;
    let baud = f64::from(info.clock_hertz) / f64::from(info.clocks_per_bit);
    writeln!(out, "line     {} cycles a bit, {baud:.0} bits a second", info.clocks_per_bit)?;
    if info.engines == Engines::Both {
        writeln!(out, "records  {} bytes wait", info.record_bytes)?;
    }
    Ok(())
}
