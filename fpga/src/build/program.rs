//! Programs that run with a log of their own.

use crate::bitstream::BitstreamError;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use thiserror::Error;

/// Why there is no bitstream.
#[derive(Debug, Error)]
pub enum BuildError {
    /// A program is not there.
    #[error("cannot run {}: {cause}", program.display())]
    NoProgram {
        /// Where it should be.
        program: PathBuf,
        /// What the system says.
        cause: std::io::Error,
    },
    /// A program ended with an error.
    #[error("{program} failed, {ended}; the end of {}:\n{end}", log.display())]
    Failed {
        /// Its name.
        program: &'static str,
        /// How it ended.
        ended: String,
        /// All that it said.
        log: PathBuf,
        /// The last lines of that.
        end: String,
    },
    /// No placement reaches a clock.
    #[error("{clock} reaches {reached:.1} MHz of {demanded:.1} ({})", match seeds { 1 => "one seed".into(), n => format!("the best of {n} seeds") })]
    TooSlow {
        /// The clock.
        clock: String,
        /// What it reaches, in MHz.
        reached: f64,
        /// What it has to, in MHz.
        demanded: f64,
        /// Placements that were tried.
        seeds: u32,
        /// Where its critical paths are.
        report: PathBuf,
    },
    /// What the packer has left is no bitstream for the board.
    #[error("{}: {cause}", file.display())]
    Bitstream {
        /// The file.
        file: PathBuf,
        /// What is wrong.
        cause: BitstreamError,
    },
    /// A report is not as expected.
    #[error("the report of place and route in {}: {what}", file.display())]
    Report {
        /// The file.
        file: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// The file system refuses.
    #[error("cannot {verb} {}: {cause}", file.display())]
    File {
        /// What was to be done.
        verb: &'static str,
        /// The file or folder.
        file: PathBuf,
        /// What the system says.
        cause: std::io::Error,
    },
}

impl BuildError {
    pub(super) fn file(verb: &'static str, file: &Path, cause: std::io::Error) -> BuildError {
        BuildError::File { verb, file: file.into(), cause }
    }
    pub(super) fn report(file: &Path, what: impl ToString) -> BuildError {
        BuildError::Report { file: file.into(), what: what.to_string() }
    }
}

/// A program that ran.
#[derive(Debug)]
pub struct Run {
    /// Its name.
    pub program: &'static str,
    /// How long it took.
    pub time: Duration,
    /// The most memory that its process had, in bytes, as far as it was seen: it is asked ten times a second.
    pub memory: u64,
}

/// Writes a file.
pub(super) fn write(file: &Path, text: &str) -> Result<(), BuildError> {
    std::fs::write(file, text).map_err(|error| BuildError::file("write", file, error))
}

/// A program of the tools.
pub(super) struct Tool<'a> {
    pub name: &'static str,
    /// Where it lies.
    pub folder: &'a Path,
}

impl Tool<'_> {
    /// Runs it in `folder`; what it says goes into the file `log` there.
    pub fn run(&self, folder: &Path, log: &str, arguments: &[String]) -> Result<Run, BuildError> {
        let start = Instant::now();
        let log = folder.join(log);
        let file = File::create(&log).map_err(|error| BuildError::file("write", &log, error))?;
        let errors = file.try_clone().map_err(|error| BuildError::file("write", &log, error))?;
        let program = self.folder.join(self.name);
        let mut command = Command::new(&program);
        command.args(arguments).current_dir(folder).stdin(Stdio::null()).stdout(file).stderr(errors);
        let not_run = |cause| BuildError::NoProgram { program: program.clone(), cause };
        let mut child = command.spawn().map_err(not_run)?;
        let mut memory = 0;
        let status = loop {
            memory = memory.max(memory_of(&child));
            match child.try_wait().map_err(not_run)? {
                Some(status) => break status,
                None => std::thread::sleep(Duration::from_millis(100)),
            }
        };
        if !status.success() {
            let end = last_lines(&std::fs::read(&log).unwrap_or_default(), 12);
            return Err(BuildError::Failed { program: self.name, ended: status.to_string(), log, end });
        }
        Ok(Run { program: self.name, time: start.elapsed(), memory })
    }
}

/// The most memory that a process had so far, in bytes: `VmHWM` of Linux; 0 where that is not known.
fn memory_of(child: &Child) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}

fn last_lines(text: &[u8], count: usize) -> String {
    let text = String::from_utf8_lossy(text);
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(count)..].join("\n")
}
