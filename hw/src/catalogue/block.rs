//! What a block of the catalogue is, and how its parameters are checked.

use super::parameter::{Mistake, Parameter, Value, Values};
use hdl::{Design, Errors};

/// A block that can be configured by name.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    /// Name in configurations.
    pub name: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
    /// Its parameters.
    pub parameters: &'static [Parameter],
    /// What holds between several parameters; it sees values of which each by itself is legal.
    pub check: fn(&Values) -> Result<(), Box<Mistake>>,
    /// Cycles from input to output, in words.
    pub latency: fn(&Values) -> String,
    /// What it moves in a cycle, in words.
    pub throughput: fn(&Values) -> String,
    /// Path of the Rust function that elaborates it.
    pub function: fn() -> &'static str,
    /// Elaborates it. The name is that of the top module, for blocks that leave it to the user; parts of the library such as
    /// the FIFO make a name of their parameters.
    pub build: fn(&str, &Values) -> Result<Design<()>, Errors>,
}

impl Block {
    /// The parameter of this name.
    pub fn parameter(&self, name: &str) -> Option<&'static Parameter> {
        self.parameters.iter().find(|p| p.name == name)
    }

    /// Takes what was given, sets defaults for the rest and checks everything. All mistakes come together; of a
    /// parameter that is given twice, the last value counts.
    pub fn resolve<'a>(&self, given: impl IntoIterator<Item = (&'a str, Value)>) -> Result<Values, Vec<Mistake>> {
        let mut values: Vec<Option<Value>> = self.parameters.iter().map(|p| p.default.map(Value::from)).collect();
        let mut mistakes = vec![];
        for (name, value) in given {
            match self.parameters.iter().position(|p| p.name == name) {
                None => mistakes.push(Mistake::unknown(name, self.name, self.parameters)),
                Some(index) => match self.parameters[index].check(&value) {
                    Err(mistake) => mistakes.push(*mistake),
                    Ok(()) => values[index] = Some(value),
                },
            }
        }
        let wrong = |mistakes: &[Mistake], name| mistakes.iter().any(|m| m.names.contains(&name));
        let mut resolved = vec![];
        for (parameter, value) in self.parameters.iter().zip(values) {
            match value {
                Some(value) => resolved.push((parameter.name, value)),
                None if wrong(&mistakes, parameter.name) => {}
                None => mistakes.push(Mistake::missing(parameter, self.name)),
            }
        }
        if !mistakes.is_empty() {
            return Err(mistakes);
        }
        let values = Values(resolved);
        (self.check)(&values).map_err(|mistake| vec![*mistake])?;
        Ok(values)
    }
}
