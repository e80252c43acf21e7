//! Where configurations come from: a folder `configs` where the command runs, and those that are built in.

use crate::configuration::Configuration;
use crate::nearest::nearest;
use crate::report::{Failure, Problem, Text, file_problem};
use hw::catalogue::{block, blocks};
use std::collections::BTreeMap;
use std::path::Path;

/// The configurations of the repository that the command was built from: names and texts.
const BUILT_IN: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/configurations.rs"));

/// The user's own.
const FOLDER: &str = "configs";

/// The texts of all named configurations, by name. A file in `configs` goes before a built-in one of the same name.
pub fn all() -> Result<BTreeMap<String, Text>, Failure> {
    let built_in = BUILT_IN.iter().map(|(name, text)| {
        let origin = Some(format!("{FOLDER}/{name}.toml (built in)"));
        (name.to_string(), Text { origin, text: (*text).into() })
    });
    let mut all: BTreeMap<String, Text> = built_in.collect();
    // no folder, no configurations of the user's own
    let Ok(entries) = std::fs::read_dir(FOLDER) else { return Ok(all) };
    for entry in entries {
        let path = entry.map_err(|error| file_problem("read", Path::new(FOLDER), &error))?.path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            let text = read_text(&path)?;
            all.insert(name_of(&path), text);
        }
    }
    Ok(all)
}

/// The named configuration.
pub fn find(name: &str, settings: &[String]) -> Result<Configuration, Failure> {
    let all = all()?;
    match all.get(name) {
        Some(text) => Configuration::parse(name, text, settings),
        None if block(name).is_some() => of_block(name, settings),
        None => Err(unknown(name, &all).into()),
    }
}

/// A block by itself: what is not set has its default.
fn of_block(name: &str, settings: &[String]) -> Result<Configuration, Failure> {
    let text = Text { origin: None, text: format!("block = \"{name}\"").into() };
    let configuration = Configuration::parse(name, &text, settings)?;
    Ok(Configuration { origin: "the command line".into(), ..configuration })
}

/// The configuration in a file.
pub fn read(path: &Path, settings: &[String]) -> Result<Configuration, Failure> {
    Configuration::parse(&name_of(path), &read_text(path)?, settings)
}

fn unknown(name: &str, all: &BTreeMap<String, Text>) -> Problem {
    let problem = Problem::new(format!("unknown configuration `{name}`"));
    match nearest(name, all.keys().map(String::as_str).chain(blocks().iter().map(|block| block.name))) {
        Some(near) => problem.help(format!("the nearest is `{near}`")),
        None => problem.help("`kvforge list` shows all, and all blocks; --config takes a file of your own"),
    }
}

fn name_of(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

fn read_text(path: &Path) -> Result<Text, Failure> {
    let bytes = std::fs::read(path).map_err(|error| file_problem("read", path, &error))?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Problem::new(format!("{} is not a text: byte {at} is not UTF-8", path.display()))
    })?;
    Ok(Text { origin: Some(path.display().to_string()), text: text.into() })
}
