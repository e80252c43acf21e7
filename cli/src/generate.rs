//! `kvforge generate`: writes the Verilog of configurations, and beside it what other tools and software want to know.

use crate::args::GenerateOptions;
use crate::configuration::Configuration;
use crate::describe::{nothing_selected, selected};
use crate::named;
use crate::package::{ClockSetting, EXTENSIONS, Sources, is_generated, package};
use crate::report::{Failure, file_problem};
use crate::table::table;
use crate::write::write_file;
use hdl::verilog;
use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

pub fn run(options: &GenerateOptions) -> Result<(), Failure> {
    let selection = &options.selection;
    let configurations = if options.all {
        all()?
    } else if selection.name.is_none() && selection.config.is_none() {
        return Err(nothing_selected().help("--all takes all named configurations").into());
    } else {
        vec![selected(selection)?]
    };
    let mut out = std::io::stdout().lock();
    for configuration in &configurations {
        let written = write(configuration, &options.out, options.single_file, &options.clock)?;
        print(&mut out, configuration, &written)?;
    }
    Ok(())
}

/// All named configurations; one that is not usable ends it.
pub fn all() -> Result<Vec<Configuration>, Failure> {
    named::all()?.iter().map(|(name, text)| Configuration::parse(name, text, &[])).collect()
}

/// What was done for one configuration.
pub struct Written {
    pub folder: PathBuf,
    /// The top module.
    pub top: String,
    pub files: Vec<WrittenFile>,
    pub elaborated: Duration,
    pub printed: Duration,
}

/// A file, and what happened to it.
pub struct WrittenFile {
    pub name: String,
    pub bytes: usize,
    pub change: Change,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    New,
    Changed,
    Unchanged,
    /// Generated once, no longer part of it.
    Removed,
}

/// Elaborates a configuration and writes its Verilog, and what goes with it, to a folder of its name. Files that it generated there before and
/// that no longer belong to it are removed; files that it did not generate are left alone.
pub fn write(
    configuration: &Configuration,
    out: &Path,
    single_file: bool,
    clocks: &[ClockSetting],
) -> Result<Written, Failure> {
    let start = Instant::now();
    let design = configuration.design()?;
    let elaborated = start.elapsed();
    let source = verilog(&design, &configuration.verilog_options());
    let mut texts: Vec<(String, String)> =
        if single_file { vec![(format!("{}.v", source.top()), source.single())] } else { source.files().collect() };
    let sources = Sources { top: source.top(), files: texts.iter().map(|(name, _)| name.as_str()).collect() };
    let beside = package(configuration, &design, &sources, clocks)?;
    texts.extend(beside);
    let printed = start.elapsed() - elaborated;

    let folder = out.join(&configuration.name);
    std::fs::create_dir_all(&folder).map_err(|error| file_problem("make the folder", &folder, &error))?;
    let mut files = vec![];
    for (name, text) in &texts {
        let change = update(&folder.join(name), text)?;
        files.push(WrittenFile { name: name.clone(), bytes: text.len(), change });
    }
    let current: BTreeSet<&str> = texts.iter().map(|(name, _)| name.as_str()).collect();
    for name in stale(&folder, &current)? {
        let path = folder.join(&name);
        std::fs::remove_file(&path).map_err(|error| file_problem("remove", &path, &error))?;
        files.push(WrittenFile { name, bytes: 0, change: Change::Removed });
    }
    Ok(Written { folder, top: source.top().into(), files, elaborated, printed })
}

/// Writes a file unless it has this text already.
fn update(path: &Path, text: &str) -> Result<Change, Failure> {
    let change = match std::fs::read(path) {
        Ok(before) if before == text.as_bytes() => return Ok(Change::Unchanged),
        Ok(_) => Change::Changed,
        Err(_) => Change::New,
    };
    write_file(path, text)?;
    Ok(change)
}

/// Generated files of the folder that are not current.
fn stale(folder: &Path, current: &BTreeSet<&str>) -> Result<Vec<String>, Failure> {
    let read = |error: std::io::Error| file_problem("read", folder, &error);
    let mut names = vec![];
    for entry in std::fs::read_dir(folder).map_err(read)? {
        let path = entry.map_err(read)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        if !EXTENSIONS.contains(&extension) {
            continue;
        }
        let is_ours = || std::fs::read(&path).is_ok_and(|text| is_generated(&text));
        if !current.contains(name.as_str()) && is_ours() {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

fn print(out: &mut impl Write, configuration: &Configuration, written: &Written) -> Result<(), Failure> {
    let rows = written.files.iter().map(|file| {
        let path = written.folder.join(&file.name).display().to_string();
        let state = match file.change {
            Change::New => "new",
            Change::Changed => "changed",
            Change::Unchanged => "unchanged",
            Change::Removed => "removed",
        };
        [path, file.bytes.to_string(), state.to_string()]
    });
    let there = || written.files.iter().filter(|f| f.change != Change::Removed);
    let bytes: usize = there().map(|f| f.bytes).sum();
    let ms = |duration: Duration| duration.as_secs_f64() * 1000.0;
    writeln!(out, "{} ({}), top module {}", configuration.name, configuration.hash(), written.top)?;
    writeln!(out, "{}", table(&["file", ">bytes", "state"], rows))?;
    writeln!(
        out,
        "  {}, {:.1} kB; elaborated in {:.1} ms, printed in {:.1} ms",
        counted(there().count(), "file"),
        bytes as f64 / 1000.0,
        ms(written.elaborated),
        ms(written.printed)
    )?;
    Ok(())
}

/// A number of things: `1 file`, `2 files`.
fn counted(count: usize, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}
