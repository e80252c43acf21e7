//! `kvforge flash`: loads a bitstream into a board, after a look at whether it is one, whole, and for this board.

use crate::args::FlashOptions;
use crate::board::named;
use crate::report::{Failure, Problem, file_problem};
use fpga::bitstream::{BitstreamError, check};
use fpga::boards::{Board, Flash};
use fpga::build;
use fpga::device::Family;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What loads bitstreams.
const LOADER: &str = "openFPGALoader";

pub fn run(options: &FlashOptions) -> Result<(), Failure> {
    let board = named(&options.board)?;
    let file = options.file.clone().unwrap_or_else(|| built(board));
    let is_file = std::fs::metadata(&file).map_err(|error| unread(options, &file, &error))?.is_file();
    if !is_file {
        return Err(Problem::new(format!("{} is no file", file.display())).help("name a bitstream").into());
    }
    let bytes = std::fs::read(&file).map_err(|error| unread(options, &file, &error))?;
    let bitstream = check(&bytes, board.device).map_err(|error| refused(board, &file, &error))?;
    let arguments = arguments(board, options.permanent, &file);
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}: {} bytes for {bitstream}, whole", file.display(), bytes.len())?;
    match arguments {
        None => Ok(writeln!(
            out,
            "copy {} to the USB disk that the board shows: it writes it into the flash",
            file.display()
        )?),
        Some(arguments) if options.dry_run => Ok(writeln!(out, "would run: {LOADER} {}", arguments.join(" "))?),
        Some(arguments) => {
            writeln!(out, "runs: {LOADER} {}", arguments.join(" "))?;
            drop(out);
            load(board, &arguments)
        }
    }
}

/// Where `kvforge build` leaves the bitstream of a board's named configuration.
fn built(board: &Board) -> PathBuf {
    Path::new("build").join(board.name).join(board.module).join(build::bitstream_of(board))
}

fn unread(options: &FlashOptions, file: &Path, error: &std::io::Error) -> Problem {
    let problem = file_problem("read", file, error);
    match options.file {
        Some(_) => problem,
        None => problem.help(format!("`kvforge build --board {}` makes it, or name a file", options.board)),
    }
}

fn refused(board: &Board, file: &Path, error: &BitstreamError) -> Problem {
    let problem = Problem::new(format!("{}: {error}", file.display()));
    match error {
        BitstreamError::OtherDevice { .. }
        | BitstreamError::OtherPackage { .. }
        | BitstreamError::UnknownDevice(_)
        | BitstreamError::NoPreamble { is: Some(_), .. } => {
            let help = format!("`kvforge build --board {}` makes one for this board", board.name);
            problem.help(help + ", with `--config` where it has no configuration yet")
        }
        _ => problem.help("build or fetch it again"),
    }
}

/// What the loader is given; `None` where a file is copied.
fn arguments(board: &Board, permanent: bool, file: &Path) -> Option<Vec<String>> {
    let (mut arguments, has_choice) = match board.flash {
        Flash::OpenFpgaLoader { board, volatile } => (vec!["-b".to_string(), board.to_string()], volatile),
        Flash::CmsisDap => (vec!["-c".to_string(), "cmsisdap".to_string()], true),
        Flash::UsbDisk => return None,
    };
    // of an iCE40 the flash is the only place; openFPGALoader has to be told so
    if permanent && has_choice || board.device.family == Family::Ice40 {
        arguments.push("-f".into());
    }
    // a name that begins with `-` is no option
    let file = if file.is_absolute() { file.to_path_buf() } else { Path::new(".").join(file) };
    arguments.push(file.display().to_string());
    Some(arguments)
}

fn load(board: &Board, arguments: &[String]) -> Result<(), Failure> {
    let status = Command::new(LOADER).args(arguments).status().map_err(|error| {
        let problem = Problem::new(format!("cannot run {LOADER}: {error}"));
        let problem = problem.help("Debian's package `openfpgaloader` has it; `--dry-run` shows what would be run");
        match board.name {
            "tang-nano-20k" => {
                problem.note("that of Debian 12 does not know this board; the Python package `openfpgaloader` does")
            }
            _ => problem,
        }
    })?;
    if status.success() {
        return Ok(());
    }
    Err(Failure::Internal(format!(
        "{LOADER} ended with {status}; what it said stands above. {} has to be plugged in, and nothing else may use it; without the right \
         to use the USB device, install openFPGALoader's udev rule, 99-openfpgaloader.rules",
        board.title
    )))
}
