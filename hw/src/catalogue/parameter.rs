//! Parameters of blocks: what is legal, values, and what can be wrong with them.

use std::fmt;

/// The value of a parameter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// A whole number.
    Number(i128),
    /// Yes or no.
    Flag(bool),
    /// One of several names.
    Name(String),
    /// Something that no parameter is, as it was written: a fraction, a list.
    Other(String),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Number(number) => number.fmt(f),
            Value::Flag(flag) => flag.fmt(f),
            Value::Name(name) => write!(f, "\"{name}\""),
            Value::Other(text) => f.write_str(text),
        }
    }
}

impl From<Preset> for Value {
    fn from(default: Preset) -> Value {
        match default {
            Preset::Number(number) => Value::Number(number),
            Preset::Flag(flag) => Value::Flag(flag),
            Preset::Name(name) => Value::Name(name.to_string()),
        }
    }
}

/// A value as it stands in the catalogue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Preset {
    /// A whole number.
    Number(i128),
    /// Yes or no.
    Flag(bool),
    /// One of several names.
    Name(&'static str),
}

/// What a parameter may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Legal {
    /// One of these numbers.
    OneOf(&'static [i128]),
    /// A multiple of `multiple_of` from `min` to `max`.
    Range {
        /// The least.
        min: i128,
        /// The greatest.
        max: i128,
        /// 1 where every number in the range is legal.
        multiple_of: i128,
    },
    /// `true` or `false`.
    Flag,
    /// One of these names.
    Choice(&'static [&'static str]),
}

impl fmt::Display for Legal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Legal::OneOf(numbers) => or(f, numbers.iter().map(i128::to_string)),
            Legal::Range { min, max, multiple_of: 1 } => write!(f, "a whole number from {min} to {max}"),
            Legal::Range { min, max, multiple_of } => write!(f, "a multiple of {multiple_of} from {min} to {max}"),
            Legal::Flag => f.write_str("true or false"),
            Legal::Choice(names) => or(f, names.iter().map(|name| format!("\"{name}\""))),
        }
    }
}

/// `a, b or c`.
fn or(f: &mut fmt::Formatter<'_>, items: impl ExactSizeIterator<Item = String>) -> fmt::Result {
    let count = items.len();
    for (i, item) in items.enumerate() {
        let before = match i {
            0 => "",
            i if i + 1 == count => " or ",
            _ => ", ",
        };
        write!(f, "{before}{item}")?;
    }
    Ok(())
}

/// A parameter of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Parameter {
    /// Key in configurations.
    pub name: &'static str,
    /// What it is.
    pub doc: &'static str,
    /// Unit of the number; empty for names and flags.
    pub unit: &'static str,
    /// Its value where none is given; `None`: it must be given.
    pub default: Option<Preset>,
    /// What it may be.
    pub legal: Legal,
    /// Why nothing else is legal.
    pub why: &'static str,
}

impl Parameter {
    /// What is legal, with its unit.
    pub fn legal_text(&self) -> String {
        if self.unit.is_empty() { self.legal.to_string() } else { format!("{} ({})", self.legal, self.unit) }
    }

    /// Is this value legal?
    pub fn check(&self, value: &Value) -> Result<(), Box<Mistake>> {
        let problem = match (self.legal, value) {
            (Legal::OneOf(numbers), Value::Number(number)) if !numbers.contains(number) => Problem::NotOneOf,
            (Legal::Range { min, max, .. }, Value::Number(number)) if !(min..=max).contains(number) => Problem::Range,
            (Legal::Range { multiple_of, .. }, Value::Number(number)) if number % multiple_of != 0 => {
                Problem::NotMultiple(multiple_of)
            }
            (Legal::OneOf(_) | Legal::Range { .. }, Value::Number(_)) | (Legal::Flag, Value::Flag(_)) => return Ok(()),
            (Legal::Choice(names), Value::Name(name)) if names.contains(&name.as_str()) => return Ok(()),
            (Legal::Choice(_), Value::Name(_)) => Problem::NotOneOf,
            _ => Problem::Type,
        };
        let (names, legal, why) = (vec![self.name], self.legal_text(), self.why.to_string());
        Err(Box::new(Mistake { names, value: Some(value.clone()), problem, legal, why }))
    }
}

/// What is wrong with a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Problem {
    /// The block has no such parameter; this was given.
    Unknown(String),
    /// It must be given and is not.
    Missing,
    /// A number where a name is expected, or the like.
    Type,
    /// Too small or too large.
    Range,
    /// No multiple of this.
    NotMultiple(i128),
    /// Not among the legal values.
    NotOneOf,
    /// Several parameters do not go together; how, in words.
    Together(String),
}

/// Something wrong with the parameters of a block. Its text says what is wrong, [`Mistake::legal`] what would be right.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mistake {
    /// The parameters that it is about; none if the parameter is unknown.
    pub names: Vec<&'static str>,
    /// What is wrong.
    pub problem: Problem,
    value: Option<Value>,
    legal: String,
    why: String,
}

impl Mistake {
    /// The block of this name has other parameters.
    pub(super) fn unknown(name: &str, block: &str, parameters: &[Parameter]) -> Mistake {
        let known: Vec<&str> = parameters.iter().map(|p| p.name).collect();
        let legal = format!("the parameters of `{block}` are {}", known.join(", "));
        Mistake { names: vec![], problem: Problem::Unknown(name.into()), value: None, legal, why: String::new() }
    }

    /// The block of this name needs it.
    pub(super) fn missing(parameter: &Parameter, block: &str) -> Mistake {
        let why = format!("`{block}` has no default for it: {}", parameter.doc);
        let (names, legal) = (vec![parameter.name], parameter.legal_text());
        Mistake { names, problem: Problem::Missing, value: None, legal, why }
    }

    /// Several parameters do not go together: what they are together, what is legal, and why.
    pub fn together(names: &[&'static str], what: String, legal: String, why: &str) -> Box<Mistake> {
        let (names, problem, why) = (names.to_vec(), Problem::Together(what), why.to_string());
        Box::new(Mistake { names, problem, value: None, legal, why })
    }

    /// What would be right.
    pub fn legal(&self) -> &str {
        &self.legal
    }

    /// Why only that; may be empty.
    pub fn why(&self) -> &str {
        &self.why
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.names.first().copied().unwrap_or_default();
        let value = self.value.as_ref().map(Value::to_string).unwrap_or_default();
        match &self.problem {
            Problem::Unknown(name) => write!(f, "unknown parameter `{name}`"),
            Problem::Missing => write!(f, "parameter `{name}` is missing"),
            Problem::Type => write!(f, "{name} = {value} has the wrong type"),
            Problem::Range => write!(f, "{name} = {value} is out of range"),
            Problem::NotMultiple(of) => write!(f, "{name} = {value} is not a multiple of {of}"),
            Problem::NotOneOf => write!(f, "{name} = {value} is not legal"),
            Problem::Together(what) => f.write_str(what),
        }
    }
}

/// Legal values for all parameters of a block, in the order of the catalogue.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Values(pub(super) Vec<(&'static str, Value)>);

impl Values {
    /// All of them.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&'static str, &Value)> {
        self.0.iter().map(|(name, value)| (*name, value))
    }

    /// The value of a parameter.
    ///
    /// # Panics
    /// If the block has no such parameter.
    pub fn get(&self, name: &str) -> &Value {
        let found = self.0.iter().find(|(n, _)| *n == name);
        found.map(|(_, value)| value).unwrap_or_else(|| panic!("the catalogue declares no parameter `{name}`"))
    }

    /// The value of a parameter that is a number.
    ///
    /// # Panics
    /// If the block has no such parameter, or it is no number from 0 to 2^32 - 1.
    pub fn number(&self, name: &str) -> u32 {
        match self.get(name) {
            Value::Number(number) => u32::try_from(*number).unwrap_or_else(|_| panic!("`{name}` = {number}")),
            other => panic!("`{name}` is {other}, not a number"),
        }
    }

    /// The value of a parameter that is a name.
    ///
    /// # Panics
    /// If the block has no such parameter, or it is no name.
    pub fn choice(&self, name: &str) -> &str {
        match self.get(name) {
            Value::Name(choice) => choice,
            other => panic!("`{name}` is {other}, not a name"),
        }
    }

    /// The value of a parameter that is yes or no.
    ///
    /// # Panics
    /// If the block has no such parameter, or it is neither.
    pub fn flag(&self, name: &str) -> bool {
        match self.get(name) {
            Value::Flag(flag) => *flag,
            other => panic!("`{name}` is {other}, neither true nor false"),
        }
    }
}

/// Every whole number between two, both included.
pub(super) const fn any(min: i128, max: i128) -> Legal {
    Legal::Range { min, max, multiple_of: 1 }
}

/// Nothing holds between several parameters of a block.
pub(super) fn nothing(_: &Values) -> Result<(), Box<Mistake>> {
    Ok(())
}
