//! Mutants that do the same as the design for a reason that no proof finds: `testbenches/mutants/NAME.toml`. Each holds in all runs,
//! whatever their seeds are.
//!
//! ```toml
//! [[mutant]]
//! mutation = "module: pin A[3] of and stuck at 1" # as the command prints it; `*` stands for any text, `[8..15]` for any of these
//! line = "wire both = a & *;"                     # the line of the Verilog; `*` here, too
//! reason = "what makes the difference invisible"
//! ```

use super::place::Mutation;
use std::collections::HashSet;
use std::path::Path;

/// A mutant with the reason why it does the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// What happens to which pin, as [`Mutation::what`]; `*` stands for any text.
    pub mutation: String,
    /// The line of the Verilog; empty if none is known; `*` stands for any text, such as numbers that change with others.
    pub line: String,
    /// What makes the difference invisible.
    pub reason: String,
}

/// The explained mutants of a configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explanations {
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
        let mutants = table.get("mutant").and_then(toml::Value::as_array).ok_or("there is no [[mutant]]")?;
        let explanation = |(i, mutant): (usize, &toml::Value)| {
            let text = |key: &str| {
                let found = mutant.get(key).and_then(toml::Value::as_str).filter(|text| !text.is_empty());
                found.map(String::from).ok_or(format!("mutant {} has no text `{key}`", i + 1))
            };
            Ok(Explanation { mutation: text("mutation")?, line: text("line")?, reason: text("reason")? })
        };
        let all = mutants.iter().enumerate().map(explanation).collect::<Result<_, String>>()?;
        Ok(Explanations { all })
    }

    /// The explanation of a mutation.
    pub fn find(&self, mutation: &Mutation) -> Option<&Explanation> {
        let line = mutation.place.as_ref().map_or("", |place| &place.text);
        self.all.iter().find(|explanation| fits(&explanation.mutation, &mutation.what) && fits(&explanation.line, line))
    }

    /// Those whose line is in none of these modules (name and text) any more.
    pub fn stale(&self, files: &[(String, String)]) -> Vec<&Explanation> {
        let code = |line: &str| line.split("//").next().unwrap_or_default().trim().to_string();
        let lines: HashSet<String> = files.iter().flat_map(|(_, text)| text.lines().map(code)).collect();
        self.all.iter().filter(|explanation| !lines.iter().any(|line| fits(&explanation.line, line))).collect()
    }
}

/// Does a text fit a pattern, in which `*` stands for any text, and `[8..15]` for `[8]` to `[15]` or 8 to 15?
fn fits(pattern: &str, text: &str) -> bool {
    let special = pattern.char_indices().find(|(at, c)| *c == '*' || (*c == '[' && range(&pattern[*at..]).is_some()));
    let Some((at, c)) = special else { return pattern == text };
    let Some(text) = text.strip_prefix(&pattern[..at]) else { return false };
    if c == '*' {
        let rest = &pattern[at + 1..];
        return (0..=text.len()).any(|at| text.is_char_boundary(at) && fits(rest, &text[at..]));
    }
    let (Some((numbers, rest)), Some((n, behind))) = (range(&pattern[at..]), number(text)) else { return false };
    numbers.contains(&n) && fits(rest, behind)
}

/// `[12] of add` or, of a bit that decides, `12 of the pin`: the number, and what is behind it.
fn number(text: &str) -> Option<(u32, &str)> {
    let (inside, close) = text.strip_prefix('[').map_or((text, ""), |inside| (inside, "]"));
    let digits = inside.find(|c: char| !c.is_ascii_digit()).unwrap_or(inside.len());
    Some((inside[..digits].parse().ok()?, inside[digits..].strip_prefix(close)?))
}

/// `[8..15] of add`: the numbers, and what is behind them.
fn range(pattern: &str) -> Option<(std::ops::RangeInclusive<u32>, &str)> {
    let (numbers, rest) = pattern.strip_prefix('[')?.split_once(']')?;
    let (low, high) = numbers.split_once("..")?;
    Some((low.parse().ok()?..=high.parse().ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mutation::Place;

    #[test]
    fn a_star_stands_for_any_text() {
        assert!(fits("pin A[*] of add stuck at *", "pin A[12] of add stuck at 0"));
        assert!(fits("*", "") && fits("a*", "a") && fits("*a*", "bab"));
        assert!(fits("pin A[8..15] of * at 1", "pin A[12] of add stuck at 1") && fits("A[0..3]", "A[3]"));
        let decides = "inverted while bit [8..15] of the pin is 1";
        let bit = |n| format!("inverted while bit {n} of the pin is 1");
        assert_eq!([7, 8, 15, 16].map(|n| fits(decides, &bit(n))), [false, true, true, false]);
        assert!(
            !fits("A[8..15]", "A[7]")
                && !fits("A[8..15]", "A[16]")
                && !fits("A[8..15]", "A")
                && fits("x[7:0]", "x[7:0]")
        );
        assert!(!fits("pin A[*] of add", "pin B[1] of add") && !fits("a*b", "abc") && !fits("a", "ab"));
    }

    #[test]
    fn explanations_are_read_and_found_by_mutation_and_line() {
        let text = "[[mutant]]\nmutation = 'm: pin A[0] of add inverted'\nline = 'wire x = a + b;'\n\
            reason = 'nobody reads x'\n";
        let explanations = Explanations::parse(text).unwrap();
        let mutation = |text: &str| {
            let place = Place { verilog: "m.v:7".into(), text: text.into(), rust: None };
            let (command, what) = (String::new(), "m: pin A[0] of add inverted".into());
            Mutation { number: 7, module: "m".into(), command, what, place: Some(place) }
        };
        let found = explanations.find(&mutation("wire x = a + b;")).unwrap();
        assert_eq!(found.reason, "nobody reads x");
        assert_eq!(explanations.find(&mutation("wire y = a + b;")), None);
        let loose = Explanations::parse(&text.replace("a + b", "a + *")).unwrap();
        assert!(
            loose.find(&mutation("wire x = a + _t17;")).is_some() && loose.find(&mutation("wire x = b;")).is_none()
        );
        let error = Explanations::parse(&text.replace("reason", "because")).unwrap_err();
        assert_eq!(error, "mutant 1 has no text `reason`");
        assert_eq!(Explanations::parse("count = 1").unwrap_err(), "there is no [[mutant]]");
        let files = [("m.v".to_string(), "    wire x = a + b; // m.rs:3\n".to_string())];
        assert!(explanations.stale(&files).is_empty());
        assert_eq!(explanations.stale(&[]).len(), 1);
    }
}
