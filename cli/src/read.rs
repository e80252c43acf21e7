//! Reads the TOML text of a configuration, and settings on the command line, keeping the place of everything.

use crate::nearest::nearest;
use crate::report::{Failure, Place, Problem, Text};
use hw::catalogue::Value;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A key with its value.
#[derive(Clone, Debug)]
pub struct Entry {
    pub key: String,
    pub value: Value,
    /// The value as it was written.
    pub text: String,
    pub key_place: Place,
    pub value_place: Place,
}

/// What a configuration file says; whether it is legal for the block is not known here.
pub struct Document {
    text: Text,
    pub block: Option<Entry>,
    pub description: Option<String>,
    /// `None` if it is no table.
    pub parameters: Option<Vec<Entry>>,
    pub reset: Option<Entry>,
    pub lut_ram: Option<Entry>,
}

/// What `[verilog]` may say.
pub const VERILOG_KEYS: [&str; 2] = ["reset", "lut_ram"];
const KEYS: [&str; 4] = ["block", "description", "parameters", "verilog"];

impl Document {
    /// Reads a text. Unknown keys and the like become problems; text that is no TOML ends it.
    pub fn parse(text: &Text, problems: &mut Vec<Problem>) -> Result<Document, Failure> {
        let table = DeTable::parse(&text.text).map_err(|error| not_toml(text, &error))?;
        let (block, description, parameters, reset, lut_ram) = (None, None, Some(vec![]), None, None);
        let mut document = Document { text: text.clone(), block, description, parameters, reset, lut_ram };
        for entry in table.get_ref().iter() {
            let key = entry.0.get_ref().as_ref();
            match key {
                "block" => document.block = Some(document.entry(entry)),
                "description" => match entry.1.get_ref().as_str() {
                    Some(description) => document.description = Some(description.into()),
                    None => problems.push(document.wrong_type(entry, "a string")),
                },
                "parameters" => match entry.1.get_ref().as_table() {
                    Some(table) => document.parameters = Some(table.iter().map(|e| document.entry(e)).collect()),
                    None => {
                        document.parameters = None;
                        problems.push(document.wrong_type(entry, "a table"));
                    }
                },
                "verilog" => match entry.1.get_ref().as_table() {
                    Some(table) => document.read_verilog(table, problems),
                    None => problems.push(document.wrong_type(entry, "a table")),
                },
                _ => problems.push(document.unknown(entry, "", &KEYS)),
            }
        }
        Ok(document)
    }

    /// The file as the user knows it.
    pub fn origin(&self) -> &str {
        self.text.origin.as_deref().unwrap_or_default()
    }

    /// Does it stand in a file, or was a block named on the command line?
    pub fn is_a_file(&self) -> bool {
        self.text.origin.is_some()
    }

    fn read_verilog(&mut self, table: &DeTable<'_>, problems: &mut Vec<Problem>) {
        for entry in table.iter() {
            match entry.0.get_ref().as_ref() {
                "reset" => self.reset = Some(self.entry(entry)),
                "lut_ram" => self.lut_ram = Some(self.entry(entry)),
                _ => problems.push(self.unknown(entry, "verilog.", &VERILOG_KEYS)),
            }
        }
    }

    fn entry(&self, (key, value): (&Spanned<std::borrow::Cow<'_, str>>, &Spanned<DeValue<'_>>)) -> Entry {
        let text = self.text.text.get(value.span()).unwrap_or_default().lines().next().unwrap_or_default();
        let typed = match value.get_ref() {
            DeValue::String(name) => Value::Name(name.to_string()),
            DeValue::Boolean(flag) => Value::Flag(*flag),
            DeValue::Integer(number) => match i128::from_str_radix(number.as_str(), number.radix()) {
                Ok(number) => Value::Number(number),
                Err(_) => Value::Other(text.into()),
            },
            // of `key.other = 1` the text would be the key
            DeValue::Table(_) => Value::Other("{ ... }".into()),
            _ => Value::Other(text.into()),
        };
        let (key_place, value_place) = (self.place(key.span()), self.place(value.span()));
        Entry { key: key.get_ref().to_string(), value: typed, text: text.into(), key_place, value_place }
    }

    fn place(&self, span: Range<usize>) -> Place {
        Place { text: self.text.clone(), span }
    }

    fn wrong_type(&self, entry: (&Spanned<std::borrow::Cow<'_, str>>, &Spanned<DeValue<'_>>), legal: &str) -> Problem {
        let entry = self.entry(entry);
        Problem::new(format!("{} = {} has the wrong type", entry.key, entry.value))
            .at(&entry.value_place, "the wrong type")
            .note(format!("legal: {legal}"))
    }

    /// A key that is not known in its table, which is `""` or has a dot behind its name.
    fn unknown(
        &self,
        entry: (&Spanned<std::borrow::Cow<'_, str>>, &Spanned<DeValue<'_>>),
        table: &str,
        known: &[&str],
    ) -> Problem {
        let entry = self.entry(entry);
        unknown_key(&format!("{table}{}", entry.key), &entry.key_place, known.iter().map(|key| format!("{table}{key}")))
    }
}

/// A key that is not known, and those that are.
pub fn unknown_key(key: &str, place: &Place, known: impl IntoIterator<Item = String>) -> Problem {
    let known: Vec<String> = known.into_iter().collect();
    let problem = Problem::new(format!("unknown key `{key}`")).at(place, "not known here");
    let problem = problem.note(format!("legal: {}", known.join(", ")));
    match nearest(key, known.iter().map(String::as_str)) {
        Some(near) => problem.help(format!("the nearest is `{near}`")),
        None => problem,
    }
}

fn not_toml(text: &Text, error: &toml::de::Error) -> Problem {
    let origin = text.origin.as_deref().unwrap_or_default();
    let problem = Problem::new(format!("{origin} is not TOML: {}", error.message()));
    match error.span() {
        Some(span) => problem.at(&Place { text: text.clone(), span }, "here"),
        None => problem,
    }
}

/// Reads what was given with `--set`.
pub fn settings(texts: &[String], problems: &mut Vec<Problem>) -> Vec<Entry> {
    let mut entries: Vec<Entry> = vec![];
    for text in texts {
        let shown = Text { origin: None, text: format!("--set {text}").into() };
        let place = |span| Place { text: shown.clone(), span };
        let start = "--set ".len();
        let Some((key, value)) = text.split_once('=') else {
            let problem = Problem::new(format!("--set {text} has no `=`"));
            problems.push(problem.at(&place(start..start + text.len()), "no value").note("legal: KEY=VALUE"));
            continue;
        };
        let key_place = place(start..start + key.len());
        let value_place = place(start + key.len() + 1..start + text.len());
        let typed = match (value.parse::<i128>(), value) {
            (Ok(number), _) => Value::Number(number),
            (_, "true" | "false") => Value::Flag(value == "true"),
            _ => Value::Name(value.into()),
        };
        let entry = Entry { key: key.trim().into(), value: typed, text: value.into(), key_place, value_place };
        match entries.iter().find(|before| before.key == entry.key) {
            Some(before) => problems.push(set_twice(before, &entry)),
            None => entries.push(entry),
        }
    }
    entries
}

/// Two settings of the same key: both are shown.
fn set_twice(before: &Entry, after: &Entry) -> Problem {
    let [first, second] = [before, after].map(|entry| entry.value_place.text.text.clone());
    let shown = Text { origin: None, text: format!("{first} {second}").into() };
    let place = |span| Place { text: shown.clone(), span };
    Problem::new(format!("`{}` is set twice: to {} and to {}", after.key, before.text, after.text))
        .at(&place(first.len() + 1..shown.text.len()), "and here")
        .at(&place(0..first.len()), "here")
        .help("leave one of them out")
}
