//! `kvforge list`.

use crate::args::ListOptions;
use crate::configuration::Configuration;
use crate::describe::{Described, ParameterDescription};
use crate::json::json;
use crate::named;
use crate::report::Failure;
use crate::table::table;
use hw::catalogue::blocks;
use serde::Serialize;
use std::io::Write;

#[derive(Serialize)]
struct Listing {
    configurations: Vec<Line>,
    blocks: Vec<BlockLine>,
}

/// A configuration, or why it is none.
#[derive(Serialize)]
#[serde(untagged)]
enum Line {
    Usable(Described),
    Broken { name: String, error: String },
}

#[derive(Serialize)]
struct BlockLine {
    name: &'static str,
    summary: &'static str,
    parameters: Vec<ParameterDescription>,
}

pub fn run(options: &ListOptions) -> Result<(), Failure> {
    let texts = named::all()?;
    let configurations = texts.iter().map(|(name, text)| match Configuration::parse(name, text, &[]) {
        Ok(configuration) => Line::Usable(Described::of(&configuration)),
        Err(failure) => Line::Broken { name: name.clone(), error: first_title(&failure) },
    });
    let blocks = blocks().iter().map(|b| BlockLine {
        name: b.name,
        summary: b.summary,
        parameters: b.parameters.iter().map(|p| ParameterDescription::of(p, None)).collect(),
    });
    let listing = Listing { configurations: configurations.collect(), blocks: blocks.collect() };
    let mut out = std::io::stdout().lock();
    if options.json {
        return Ok(writeln!(out, "{}", json(&listing)?)?);
    }
    let rows = listing.configurations.iter().map(|line| match line {
        Line::Usable(d) => [d.name.clone(), d.values(), d.description.clone()],
        Line::Broken { name, error } => [name.clone(), String::new(), format!("not usable: {error}")],
    });
    writeln!(out, "{}\n", table(&["configuration", "parameters", "description"], rows))?;
    let rows = listing.blocks.iter().map(|b| {
        let names: Vec<&str> = b.parameters.iter().map(|p| p.name).collect();
        [b.name.to_string(), names.join(", "), b.summary.to_string()]
    });
    writeln!(out, "{}", table(&["block", "parameters", "description"], rows))?;
    Ok(())
}

fn first_title(failure: &Failure) -> String {
    match failure {
        Failure::Input(problems) => problems.first().map(|p| p.title().to_string()).unwrap_or_default(),
        _ => String::new(),
    }
}
