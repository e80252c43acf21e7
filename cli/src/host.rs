//! `kvforge host`: a program at the other end of a board's line, or of one in simulation.

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
use fpga::link::host::{Host, HostError};
use fpga::link::line::{Line, Serial};
use fpga::link::system::{Info, System, SystemError};
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
    let mut system = System::connect(Host::new(line, PATIENCE)).map_err(|error| failed(options, &error))?;
    let (system, failed) = (&mut system, |error: &SystemError| failed(options, error));
    match &options.command {
        HostCommand::Info => print_info(&mut std::io::stdout().lock(), system.info()),
        HostCommand::Roundtrip(roundtrip) => roundtrip::run(roundtrip, system, failed),
        HostCommand::Quantize(quantize) => files::quantize(quantize, system, failed),
        HostCommand::Dequantize(dequantize) => files::dequantize(dequantize, system, failed),
        HostCommand::Selftest => check::selftest(system, failed),
        HostCommand::Bench(bench) => check::bench(bench, system, failed),
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
        SystemError::Host(HostError::NoAnswer { .. }) => problem
            .note("another rate, another bitstream or none, or sending and receiving lines swapped look like this")
            .help(format!("`--board` says which rate; `kvforge flash --board {}` loads a bitstream", options.board))
            .into(),
        SystemError::Host(HostError::Line(_)) => {
            let problem = problem.note("a board that is unplugged looks like this; no file was written");
            problem.help("plug it in and start again: a new run opens the link").into()
        }
        SystemError::OtherSystem(_) | SystemError::Host(HostError::OtherBoard(_)) => {
            problem.help(format!("`kvforge flash --board {}` loads a bitstream", options.board)).into()
        }
        SystemError::Length { .. } => problem.help("give a file with such vectors").into(),
        SystemError::Host(HostError::Closed) => problem.help("start again: a new run opens the link").into(),
        _ => problem.into(),
    }
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
