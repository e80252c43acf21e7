//! `kvforge board`: the boards and their pins.

use crate::args::{BoardCommand, BoardConstraintsOptions, BoardListOptions, BoardShowOptions};
use crate::json::json;
use crate::nearest::nearest;
use crate::report::{Failure, Problem, file_problem};
use crate::table::table;
use crate::write::write_file;
use fpga::boards::{BOARDS, Board, Flash, Level, Pin, Pull, find};
use fpga::constraints::{self, megahertz};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::Write;

/// A board for machines.
#[derive(Serialize)]
struct Described {
    name: &'static str,
    title: &'static str,
    part: &'static str,
    family: &'static str,
    clock_hertz: u32,
    system: System,
    line: &'static str,
    baud: u32,
    leds_shine_at: u8,
    flash: String,
    pins: Vec<DescribedPin>,
    sources: &'static [&'static str],
    decisions: &'static [&'static str],
}

/// The clock of a system on the board.
#[derive(Serialize)]
struct System {
    hertz: u32,
    pll: &'static str,
    pll_parameters: BTreeMap<&'static str, u32>,
    clocks_per_bit: u32,
}

#[derive(Serialize)]
struct DescribedPin {
    port: String,
    ball: &'static str,
    bank: &'static str,
    standard: &'static str,
    volts: f64,
    pull: Option<&'static str>,
    drive_milliampere: Option<u8>,
    note: String,
}

impl Described {
    fn of(board: &'static Board) -> Result<Described, Failure> {
        let internal = |error: &dyn std::error::Error| Failure::Internal(format!("{}: {error}", board.name));
        let setting = board.pll().map_err(|error| internal(&error))?;
        let system = System {
            hertz: board.clock.system_hertz,
            pll: setting.pll.name(),
            pll_parameters: setting.parameters().into(),
            clocks_per_bit: board.clocks_per_bit().map_err(|error| internal(&error))?,
        };
        Ok(Described {
            system,
            name: board.name,
            title: board.title,
            part: board.device.part,
            family: board.device.family.name(),
            clock_hertz: board.clock.hertz,
            line: board.line.chip,
            baud: board.line.baud,
            leds_shine_at: u8::from(board.leds.shine_at == Level::High),
            flash: flash(board.flash),
            pins: board.ports().into_iter().map(|(port, pin)| described_pin(board, port, pin)).collect(),
            sources: board.sources,
            decisions: board.decisions,
        })
    }
}

fn described_pin(board: &Board, port: String, pin: Pin) -> DescribedPin {
    let pull = match pin.pull {
        Pull::None => None,
        Pull::Up => Some("up"),
        Pull::Down => Some("down"),
    };
    DescribedPin {
        note: note(board, &pin),
        port,
        ball: pin.ball,
        bank: pin.bank,
        standard: pin.standard.name(),
        volts: f64::from(pin.standard.millivolts()) / 1e3,
        pull,
        drive_milliampere: pin.drive,
    }
}

/// What there is to say of a pin.
fn note(board: &Board, pin: &Pin) -> String {
    let at = |level| if level == Level::High { 1 } else { 0 };
    if let Some(button) = board.buttons.iter().find(|button| button.pin == *pin) {
        return format!("{}, {} while pressed", button.label, at(button.pressed));
    }
    match board.ties.iter().find(|tie| tie.pin == *pin) {
        Some(tie) => format!("has to be {}: {}", at(tie.level), tie.why),
        None => String::new(),
    }
}

fn flash(flash: Flash) -> String {
    match flash {
        Flash::OpenFpgaLoader { board, volatile } => {
            let place = if volatile { "until power goes, or into the flash" } else { "into the flash" };
            format!("openFPGALoader, board `{board}`, {place}")
        }
        Flash::CmsisDap => "openFPGALoader with a CMSIS-DAP probe, until power goes, or into the flash".into(),
        Flash::UsbDisk => "the file is copied to the board's USB disk, into the flash".into(),
    }
}

pub fn run(command: &BoardCommand) -> Result<(), Failure> {
    match command {
        BoardCommand::List(options) => list(options),
        BoardCommand::Show(options) => show(options),
        BoardCommand::Constraints(options) => write_constraints(options),
    }
}

fn list(options: &BoardListOptions) -> Result<(), Failure> {
    let all = BOARDS.iter().map(|board| Described::of(board)).collect::<Result<Vec<_>, _>>()?;
    let mut out = std::io::stdout().lock();
    if options.json {
        return Ok(writeln!(out, "{}", json(&all)?)?);
    }
    let rows = all.iter().map(|board| {
        let clock = format!("{} MHz", megahertz(board.clock_hertz));
        [board.name, board.part, &clock, board.line, &board.baud.to_string(), board.title].map(str::to_string)
    });
    Ok(writeln!(out, "{}", table(&["board", "FPGA", ">clock", "line", ">bits/s", "what it is"], rows))?)
}

fn show(options: &BoardShowOptions) -> Result<(), Failure> {
    let board = Described::of(named(&options.name)?)?;
    let mut out = std::io::stdout().lock();
    if options.json {
        return Ok(writeln!(out, "{}", json(&board)?)?);
    }
    writeln!(out, "{}: {}", board.name, board.title)?;
    writeln!(out, "FPGA    {} ({})", board.part, board.family)?;
    writeln!(out, "clock   {} MHz", megahertz(board.clock_hertz))?;
    let system = &board.system;
    let parameters: Vec<String> = system.pll_parameters.iter().map(|(name, value)| format!("{name} {value}")).collect();
    writeln!(out, "system  {} MHz by {}: {}", megahertz(system.hertz), system.pll, parameters.join(", "))?;
    writeln!(out, "line    {}, {} bits/s, {} cycles a bit", board.line, board.baud, system.clocks_per_bit)?;
    writeln!(out, "LEDs    shine at {}", board.leds_shine_at)?;
    writeln!(out, "loads   {}\n", board.flash)?;
    let rows = board.pins.into_iter().map(|pin| {
        let drive = pin.drive_milliampere.map(|milliampere| format!("{milliampere} mA")).unwrap_or_default();
        let pull = pin.pull.unwrap_or_default();
        [pin.port, pin.ball.into(), pin.bank.into(), pin.standard.into(), pull.into(), drive, pin.note]
    });
    writeln!(out, "{}\n", table(&["port", "pin", "bank", "levels", "pull", ">drive", "meaning"], rows))?;
    writeln!(out, "known from")?;
    board.sources.iter().try_for_each(|source| writeln!(out, "  - {source}"))?;
    writeln!(out, "decided")?;
    board.decisions.iter().try_for_each(|decision| writeln!(out, "  - {decision}"))?;
    Ok(())
}

fn write_constraints(options: &BoardConstraintsOptions) -> Result<(), Failure> {
    let boards = match &options.name {
        Some(name) => vec![named(name)?],
        None => BOARDS.to_vec(),
    };
    std::fs::create_dir_all(&options.out).map_err(|error| file_problem("make the folder", &options.out, &error))?;
    let mut out = std::io::stdout().lock();
    for board in boards {
        let file = options.out.join(constraints::file_name(board));
        write_file(&file, constraints::text(board))?;
        writeln!(out, "{}", file.display())?;
    }
    Ok(())
}

/// The board of this name.
pub fn named(name: &str) -> Result<&'static Board, Problem> {
    find(name).ok_or_else(|| {
        let names = || BOARDS.iter().map(|board| board.name);
        let legal = format!("legal: {}", names().collect::<Vec<_>>().join(", "));
        let problem = Problem::new(format!("unknown board `{name}`")).note(legal);
        match nearest(name, names()) {
            Some(near) => problem.help(format!("the nearest is `{near}`")),
            None => problem.help("`kvforge board list` says what each is"),
        }
    })
}
