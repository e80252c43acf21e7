//! `kvforge model`: the figures of a paper, computed with a model of its system.

use crate::args::H2m2Options;
use crate::nearest::nearest;
use crate::report::{Failure, Problem, file_problem};
use crate::table::table;
use crate::write::write_file;
use serde::Serialize;
use sim::h2m2_model::choices::{Alternative, Choices, alternatives};
use sim::h2m2_model::plot::figures;
use sim::h2m2_model::report::Report;
use std::io::Write;
use std::path::{Path, PathBuf};

pub fn run(options: &H2m2Options) -> Result<(), Failure> {
    if options.choices {
        return list(options.json);
    }
    let choices = chosen(&options.choose)?;
    // a folder that cannot be made is told before the long computation
    if let Some(folder) = &options.plots {
        std::fs::create_dir_all(folder).map_err(|error| file_problem("make the folder", folder, &error))?;
    }
    let names: Vec<&str> = options.choose.iter().map(String::as_str).collect();
    let no_room = || Problem::new("with these choices no batch of a figure has room on both sides");
    let report = Report::new(&names, &choices).ok_or_else(no_room)?;
    let written = options.plots.as_deref().map_or(Ok(vec![]), |folder| write_figures(folder, &report))?;
    let mut out = std::io::stdout().lock();
    if options.json {
        serde_json::to_writer_pretty(&mut out, &report).map_err(std::io::Error::from)?;
        return Ok(writeln!(out)?);
    }
    write!(out, "{}", report.markdown())?;
    for path in written {
        writeln!(out, "\nwritten: {}", path.display())?;
    }
    Ok(())
}

/// The choices with those of these names changed.
fn chosen(names: &[String]) -> Result<Choices, Failure> {
    let changes = names.iter().map(|name| find(name)).collect::<Result<Vec<_>, _>>()?;
    let choices = changes.iter().fold(Choices::default(), |choices, change| change.of(&choices));
    // a change that would still change something was undone by a later one
    if let Some(undone) = changes.iter().find(|change| change.of(&choices) != choices) {
        let problem = Problem::new(format!("--choose {} and a later --choose are about the same choice", undone.name));
        return Err(problem.note(undone.text).into());
    }
    Ok(choices)
}

fn find(name: &str) -> Result<&'static Alternative, Problem> {
    let unknown = || {
        let problem = Problem::new(format!("unknown choice `{name}`"));
        match nearest(name, alternatives().iter().map(|alternative| alternative.name)) {
            Some(near) => problem.help(format!("the nearest is `{near}`")),
            None => problem.help("`kvforge model h2m2 --choices` shows all"),
        }
    };
    alternatives().iter().find(|alternative| alternative.name == name).ok_or_else(unknown)
}

fn write_figures(folder: &Path, report: &Report) -> Result<Vec<PathBuf>, Problem> {
    let write = |(name, svg): (&str, String)| {
        let path = folder.join(name);
        write_file(&path, svg)?;
        Ok(path)
    };
    figures(&report.results).into_iter().map(write).collect()
}

#[derive(Serialize)]
struct Choice {
    name: &'static str,
    text: &'static str,
}

fn list(json: bool) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    let all = alternatives().iter().map(|alternative| Choice { name: alternative.name, text: alternative.text });
    if json {
        serde_json::to_writer_pretty(&mut out, &all.collect::<Vec<_>>()).map_err(std::io::Error::from)?;
        return Ok(writeln!(out)?);
    }
    let rows = all.map(|choice| [choice.name.to_string(), choice.text.to_string()]);
    Ok(writeln!(out, "{}", table(&["choice", "what it takes"], rows))?)
}
