//! Configurations: a block, values for its parameters, and how its Verilog is printed.
//!
//! ```toml
//! block = "fifo"
//! description = "a FIFO of 512 words"
//!
//! [parameters]
//! width = 32
//! depth = 512
//!
//! [verilog]           # may be left out
//! reset = "sync-high" # or sync-low, async-high, async-low
//! lut_ram = true      # false for a device without LUT RAM, such as iCE40
//! ```

use crate::read::{Entry, settings, unknown_key};
use crate::report::{Failure, Place, Problem, Text};
use crate::{nearest::nearest, read::Document};
use hdl::{Design, Options, Reset};
use hw::catalogue::{Block, Legal, Mistake, Value, Values, block, blocks};
use hw::control::{LEGAL_NAME, legal_name};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// A legal configuration.
#[derive(Debug)]
pub struct Configuration {
    /// The file's name, without its extension.
    pub name: String,
    /// Where it stands.
    pub origin: String,
    /// For people: that of the file, and what was set on the command line.
    pub description: String,
    /// What was set on the command line, as it stood there.
    pub settings: Vec<String>,
    pub block: &'static Block,
    pub values: Values,
    /// The kind of reset, by its name in configurations.
    pub reset: &'static str,
    /// The device has LUT RAM.
    pub lut_ram: bool,
}

/// The kinds of reset.
const RESETS: [(&str, Reset); 4] = [
    ("sync-high", Reset { asynchronous: false, active_low: false }),
    ("sync-low", Reset { asynchronous: false, active_low: true }),
    ("async-high", Reset { asynchronous: true, active_low: false }),
    ("async-low", Reset { asynchronous: true, active_low: true }),
];
const RESET_NAMES: [&str; 4] = [RESETS[0].0, RESETS[1].0, RESETS[2].0, RESETS[3].0];
/// The choices of the printer as `--set` names them.
const RESET_SETTING: &str = "verilog.reset";
const LUT_RAM_SETTING: &str = "verilog.lut_ram";

impl Configuration {
    /// Reads the text of a configuration, then what was set on the command line. All problems come together.
    pub fn parse(name: &str, text: &Text, on_command_line: &[String]) -> Result<Configuration, Failure> {
        let mut problems = vec![];
        let document = Document::parse(text, &mut problems)?;
        let settings = settings(on_command_line, &mut problems);

        let block = read_block(&document, &mut problems);
        let settings = known_settings(settings, &mut problems);
        let reset = read_reset(&document, &settings, &mut problems);
        let lut_ram = read_lut_ram(&document, &settings, &mut problems);
        let values = block.and_then(|block| read_values(block, &document, &settings, &mut problems));
        let (Some(block), Some(values), true) = (block, values, problems.is_empty()) else {
            return Err(Failure::Input(problems));
        };
        check_name(name, document.origin())?;
        Ok(Configuration {
            name: name.into(),
            origin: text.origin.clone().unwrap_or_default(),
            description: changed(document.description.unwrap_or_default(), on_command_line),
            settings: on_command_line.to_vec(),
            block,
            values,
            reset,
            lut_ram,
        })
    }

    /// Elaborates the block. Its top module has the name of the configuration, unless the block has a name of its own.
    pub fn design(&self) -> Result<Design<()>, Failure> {
        (self.block.build)(&self.name, &self.values).map_err(Failure::Hardware)
    }

    /// Choices of the Verilog printer, with the header of every file: nothing in it depends on when or where it is made.
    pub fn verilog_options(&self) -> Options {
        let reset = RESETS.iter().find(|(name, _)| *name == self.reset).map(|(_, reset)| *reset);
        Options { reset: reset.unwrap_or_default(), header: self.header(), lut_ram: self.lut_ram, ..Options::default() }
    }

    /// The header of every file that is generated.
    pub fn header(&self) -> Vec<String> {
        let changed: String = self.settings.iter().map(|s| format!(" --set {s}")).collect();
        let values: Vec<String> = self.values.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        vec![
            format!("{GENERATED} {}", env!("CARGO_PKG_VERSION")),
            format!("configuration {}{changed}, hash {}", self.name, self.hash()),
            format!("{}: {}; {}", self.block.name, values.join(", "), self.printing()),
        ]
    }

    /// The choices of the printer, for people.
    pub fn printing(&self) -> String {
        format!("reset {}{}", self.reset, if self.lut_ram { "" } else { ", no LUT RAM" })
    }

    /// 16 hexadecimal digits that are equal where block, all parameters and the choices of the printer are.
    pub fn hash(&self) -> String {
        let mut text = format!("block = {}\n", self.block.name);
        for (name, value) in self.values.iter() {
            text += &format!("{name} = {value}\n");
        }
        text += &format!("reset = {}\n", self.reset);
        if !self.lut_ram {
            text += "lut_ram = false\n";
        }
        Sha256::digest(text).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
    }
}

/// A configuration names its top module and its registers.
fn check_name(name: &str, file: &str) -> Result<(), Problem> {
    let problem = |legal: &str| {
        Problem::new(format!("`{name}` cannot name a module: {legal}"))
            .note(format!("the configuration in {file} and its top module are named after the file"))
            .help("give the file another name")
    };
    if !legal_name(name) {
        return Err(problem(LEGAL_NAME));
    }
    hdl::legal_module_name(name).map_err(|legal| problem(&legal))
}

/// The description of a configuration: that of its file says nothing of what was set on the command line.
fn changed(description: String, on_command_line: &[String]) -> String {
    if on_command_line.is_empty() {
        return description;
    }
    let settings: Vec<String> = on_command_line.iter().map(|setting| format!("--set {setting}")).collect();
    let of_file = if description.is_empty() { String::new() } else { format!("{description}, ") };
    format!("{of_file}changed with {}", settings.join(" "))
}

/// How the header of a generated file begins.
pub const GENERATED: &str = "generated by kvforge";

fn read_block(document: &Document, problems: &mut Vec<Problem>) -> Option<&'static Block> {
    let names = || blocks().iter().map(|b| b.name);
    let legal = || format!("the blocks are {}", names().collect::<Vec<_>>().join(", "));
    let Some(entry) = &document.block else {
        problems.push(Problem::new(format!("{} does not say which block", document.origin())).help(format!(
            "begin with `block = \"{}\"`: {}",
            names().next().unwrap_or_default(),
            legal()
        )));
        return None;
    };
    let Value::Name(name) = &entry.value else {
        let problem = Problem::new(format!("block = {} has the wrong type", entry.value));
        problems.push(problem.at(&entry.value_place, "not a string").note(legal()));
        return None;
    };
    let found = block(name);
    if found.is_none() {
        let problem = Problem::new(format!("unknown block `{name}`")).at(&entry.value_place, "no block of this name");
        problems.push(with_nearest(problem.note(legal()), name, names()));
    }
    found
}

/// Leaves out those of `verilog.` that are not known, and tells of them.
fn known_settings(settings: Vec<Entry>, problems: &mut Vec<Problem>) -> Vec<Entry> {
    const KNOWN: [&str; 2] = [RESET_SETTING, LUT_RAM_SETTING];
    let known = |s: &Entry| !s.key.starts_with("verilog.") || KNOWN.contains(&s.key.as_str());
    let (known, unknown): (Vec<Entry>, Vec<Entry>) = settings.into_iter().partition(known);
    problems.extend(unknown.iter().map(|s| unknown_key(&s.key, &s.key_place, KNOWN.map(String::from))));
    known
}

fn with_nearest<'a>(problem: Problem, name: &str, known: impl IntoIterator<Item = &'a str>) -> Problem {
    match nearest(name, known) {
        Some(near) => problem.help(format!("the nearest is `{near}`")),
        None => problem,
    }
}

fn read_reset(document: &Document, settings: &[Entry], problems: &mut Vec<Problem>) -> &'static str {
    let set = settings.iter().rev().find(|s| s.key == RESET_SETTING);
    let Some(entry) = set.or(document.reset.as_ref()) else { return RESET_NAMES[0] };
    let name = match &entry.value {
        Value::Name(name) => name,
        _ => "",
    };
    match RESET_NAMES.iter().find(|legal| **legal == name) {
        Some(legal) => legal,
        None => {
            let problem = Problem::new(format!("reset = {} is not legal", entry.value));
            let legal = Legal::Choice(&RESET_NAMES);
            let problem = problem.at(&entry.value_place, "no kind of reset").note(format!("legal: {legal}"));
            problems.push(with_nearest(problem, name, RESET_NAMES));
            RESET_NAMES[0]
        }
    }
}

fn read_lut_ram(document: &Document, settings: &[Entry], problems: &mut Vec<Problem>) -> bool {
    let set = settings.iter().rev().find(|s| s.key == LUT_RAM_SETTING);
    let Some(entry) = set.or(document.lut_ram.as_ref()) else { return true };
    let Value::Flag(flag) = entry.value else {
        let problem = Problem::new(format!("lut_ram = {} is not legal", entry.value));
        let why = "false leaves out what asks for LUT RAM, for devices that have none";
        problems.push(
            problem
                .at(&entry.value_place, "neither `true` nor `false`")
                .note(format!("legal: {}", Legal::Flag))
                .note(why),
        );
        return true;
    };
    flag
}

fn read_values(block: &Block, document: &Document, settings: &[Entry], problems: &mut Vec<Problem>) -> Option<Values> {
    let settings = settings.iter().filter(|s| ![RESET_SETTING, LUT_RAM_SETTING].contains(&s.key.as_str()));
    // the command line goes before the file
    let mut entries: BTreeMap<&str, Entry> = BTreeMap::new();
    for entry in document.parameters.as_ref()? {
        entries.insert(&entry.key, entry.clone());
    }
    for entry in settings {
        // there are no quotes in a setting, so a name may look like a number
        let is_name = block.parameter(&entry.key).is_some_and(|p| matches!(p.legal, Legal::Choice(_)));
        let value = if is_name { Value::Name(entry.text.clone()) } else { entry.value.clone() };
        entries.insert(&entry.key, Entry { value, ..entry.clone() });
    }
    let mut given: Vec<&Entry> = entries.values().collect();
    given.sort_by_key(|e| (e.key_place.text.origin.is_none(), e.key_place.span.start));
    match block.resolve(given.iter().map(|e| (e.key.as_str(), e.value.clone()))) {
        Ok(values) => Some(values),
        Err(mistakes) => {
            problems.extend(mistakes.iter().map(|m| explain(m, block, &entries, document)));
            None
        }
    }
}

/// A mistake with its place.
fn explain(mistake: &Mistake, block: &Block, entries: &BTreeMap<&str, Entry>, document: &Document) -> Problem {
    use hw::catalogue::Problem as Kind;
    let mut problem = Problem::new(mistake);
    let label = match &mistake.problem {
        Kind::Unknown(name) => {
            if let Some(entry) = entries.get(name.as_str()) {
                problem = problem.at(&entry.key_place, format!("`{}` has no such parameter", block.name));
            }
            let known = block.parameters.iter().map(|p| p.name);
            let is_setting = entries.get(name.as_str()).is_some_and(|entry| entry.key_place.text.origin.is_none());
            let more =
                if is_setting { format!("; besides, {RESET_SETTING} and {LUT_RAM_SETTING}") } else { String::new() };
            return with_nearest(
                problem.note(format!("{}{more}", mistake.legal())),
                name,
                known.chain([RESET_SETTING, LUT_RAM_SETTING]),
            );
        }
        Kind::Missing => {
            let name = mistake.names.first().copied().unwrap_or_default();
            if let Some(entry) = &document.block {
                problem = problem.at(&entry.value_place, "this block needs it");
            }
            // a block that is named on the command line has no file
            let add = if document.is_a_file() { format!("{name} = ...") } else { format!("--set {name}=...") };
            return problem.note(mistake.why()).help(format!("add `{add}`: {}", mistake.legal()));
        }
        Kind::Type => "the wrong type",
        Kind::Range => "out of range",
        Kind::NotMultiple(_) => "not a multiple",
        Kind::NotOneOf => "not legal",
        Kind::Together(_) => "not together with the others",
    };
    let places: Vec<&Place> = mistake.names.iter().filter_map(|n| Some(&entries.get(n)?.value_place)).collect();
    let mut others = places.iter();
    if let Some(first) = others.next() {
        problem = problem.at(first, label);
        // a snippet shows one text: what stands in another one is named in the title
        for place in others.filter(|place| place.text.origin == first.text.origin && place.text.origin.is_some()) {
            problem = problem.at(place, "");
        }
    }
    problem.note(format!("legal: {}", mistake.legal())).note(mistake.why())
}
