//! Mutants that do the same as the design for a reason that no proof finds: `testbenches/mutants/NAME.toml`.
//!
//! ```toml
//! count = 200 # the run that they are from
//! seed = 1
//!
//! [[mutant]]
//! mutation = "module: pin A[3] of and stuck at 1" # as the command prints it
//! line = "wire both = a & b;"                     # the line of the Verilog, without numbers that change with others
//! reason = "what makes the difference invisible"
//! ```

use super::Mutation;
use std::path::Path;

/// A mutant with the reason why it does the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// What happens to which pin, as [`Mutation::what`].
    pub mutation: String,
    /// The line of the Verilog; empty if none is known.
    pub line: String,
    /// What makes the difference invisible.
    pub reason: String,
}

/// The explained mutants of a configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explanations {
    /// Mutants and seed of the run in which each of them lives.
    pub run: (usize, u64),
    /// The mutants.
    pub all: Vec<Explanation>,
}

impl Explanations {
    /// Those of a configuration; none if it has no file.
    ///
    /// # Errors
    /// If the file is not as described above; the message says where.
    pub fn of(name: &str) -> Result<Explanations, String> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("mutants/{name}.toml"));
        match std::fs::read_to_string(path) {
            Ok(text) => Explanations::parse(&text).map_err(|e| format!("testbenches/mutants/{name}.toml: {e}")),
            Err(_) => Ok(Explanations::default()),
        }
    }

    fn parse(text: &str) -> Result<Explanations, String> {
        let table: toml::Table = text.parse().map_err(|e| format!("{e}"))?;
        let number = |key: &str| {
            let found = table.get(key).and_then(toml::Value::as_integer).and_then(|x| u64::try_from(x).ok());
            found.ok_or(format!("there is no number `{key}`"))
        };
        let run = (number("count")? as usize, number("seed")?);
        let mutants = table.get("mutant").and_then(toml::Value::as_array).ok_or("there is no [[mutant]]")?;
        let explanation = |(i, mutant): (usize, &toml::Value)| {
            let text = |key: &str| {
                let found = mutant.get(key).and_then(toml::Value::as_str).filter(|text| !text.is_empty());
                found.map(String::from).ok_or(format!("mutant {} has no text `{key}`", i + 1))
            };
            Ok(Explanation { mutation: text("mutation")?, line: text("line")?, reason: text("reason")? })
        };
        let all = mutants.iter().enumerate().map(explanation).collect::<Result<_, String>>()?;
        Ok(Explanations { run, all })
    }

    /// The explanation of a mutation.
    pub fn find(&self, mutation: &Mutation) -> Option<&Explanation> {
        let line = mutation.place.as_ref().map_or("", |place| &place.text);
        self.all.iter().find(|explanation| explanation.mutation == mutation.what && explanation.line == line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mutation::Place;

    #[test]
    fn explanations_are_read_and_found_by_mutation_and_line() {
        let text = "count = 200\nseed = 1\n[[mutant]]\nmutation = 'm: pin A[0] of add inverted'\nline = 'wire x = a + b;'\n\
            reason = 'nobody reads x'\n";
        let explanations = Explanations::parse(text).unwrap();
        assert_eq!(explanations.run, (200, 1));
        let mutation = |text: &str| {
            let place = Place { verilog: "m.v:7".into(), text: text.into(), rust: None };
            let (command, what) = (String::new(), "m: pin A[0] of add inverted".into());
            Mutation { number: 7, module: "m".into(), command, what, place: Some(place) }
        };
        let found = explanations.find(&mutation("wire x = a + b;")).unwrap();
        assert_eq!(found.reason, "nobody reads x");
        assert_eq!(explanations.find(&mutation("wire y = a + b;")), None);
        let error = Explanations::parse(&text.replace("reason", "because")).unwrap_err();
        assert_eq!(error, "mutant 1 has no text `reason`");
        assert_eq!(Explanations::parse("count = 1\nseed = -1").unwrap_err(), "there is no number `seed`");
    }
}
