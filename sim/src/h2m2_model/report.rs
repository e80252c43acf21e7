//! The results in words and tables (Markdown, which reads on a terminal too).

use super::choices::{Choices, alternatives};
use super::numbers::{Number, Results, results};
use serde::Serialize;
use std::fmt::Write;

/// The results with one set of choices, and with each open choice changed alone.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Names of the choices that were changed for all of it.
    pub chosen: Vec<String>,
    /// The results.
    #[serde(flatten)]
    pub results: Results,
    /// For each open choice, the numbers that change with it.
    pub alternatives: Vec<Changed>,
}

/// The numbers with one choice changed.
#[derive(Clone, Debug, Serialize)]
pub struct Changed {
    /// The alternative's name.
    pub name: &'static str,
    /// What it takes instead.
    pub text: &'static str,
    /// All numbers; `None` if a figure has no room then.
    pub numbers: Option<Vec<Number>>,
}

impl Report {
    /// Computes everything; `None` if nothing of a figure has room with these choices.
    pub fn new(chosen: &[&str], choices: &Choices) -> Option<Report> {
        let changed = alternatives().iter().map(|alternative| Changed {
            name: alternative.name,
            text: alternative.text,
            numbers: results(&alternative.of(choices)).map(|results| results.numbers),
        });
        let (chosen, alternatives) = (chosen.iter().map(|name| name.to_string()).collect(), changed.collect());
        Some(Report { chosen, results: results(choices)?, alternatives })
    }

    /// All of it as Markdown.
    pub fn markdown(&self) -> String {
        let mut text = String::new();
        let sections =
            [self.numbers(), self.points(), self.variants(), self.changes(), self.verdicts(), self.come_and_go()];
        for (heading, section) in HEADINGS.iter().zip(sections) {
            writeln!(text, "## {heading}\n\n{section}").expect("a string takes everything");
        }
        text.trim_end().to_string() + "\n"
    }

    fn numbers(&self) -> String {
        let row = |n: &Number| {
            let verdict = if n.put_in {
                "put in"
            } else if n.agrees() {
                "yes"
            } else {
                "no"
            };
            format!("| {} | {} | {} | {:.3} | {:.2} | {verdict} |", n.name, n.source, n.paper, n.model, n.ratio())
        };
        let agree = self.results.numbers.iter().filter(|n| n.agrees()).count();
        let found = self.results.numbers.iter().filter(|n| !n.put_in).count();
        let count =
            format!("\n{agree} of {found} are within 10 %; the number that is put in is an open choice itself.\n");
        table("number | in the paper | paper | model | ratio | within 10 %", 2..5, self.results.numbers.iter().map(row))
            + &count
    }

    fn points(&self) -> String {
        let rows = self.results.models.iter().flat_map(|model| {
            model.points.iter().map(move |p| {
                let over = |time: Option<u64>| {
                    time.map_or("-".into(), |time| format!("{:.2}", p.baseline as f64 / time as f64))
                };
                let always = [p.hierarchical, p.h2m2, p.oracle, p.sublayer, p.flexgen].map(Some);
                let majors = [p.majors[1], p.majors[0], p.majors[2], Some(p.eight_hbm)];
                let cells: Vec<String> = always.into_iter().chain(majors).map(over).collect();
                let (base, mapping) = (p.baseline as f64 / 1e9, p.mapping);
                format!(
                    "| {}, {} | {} | {base:.1} | {} | {} {} {} |",
                    model.name,
                    model.requests,
                    p.length,
                    cells.join(" | "),
                    mapping[0],
                    mapping[1],
                    mapping[2]
                )
            })
        });
        let headings = "model, batch | length | LPDDR only, ms | hierarchical | H2M2 | oracle | sublayer | FlexGen | Q-major | A-major \
                        | F-major | 8-HBM | parts on HBM";
        let note = "`-`: as much of the sublayer as HBM has room for leaves no room for the rest. The means above leave such lengths out.\n\n";
        note.to_string() + &table(headings, 1..12, rows)
    }

    fn variants(&self) -> String {
        let original = self.results.variants.first().map_or(1.0, |v| v.mean);
        let row = |v: &super::numbers::Variant| format!("| {} | {:.3} | {:.3} |", v.name, v.mean, v.mean / original);
        table("configuration | H2M2 over LPDDR only | over Original", 1..3, self.results.variants.iter().map(row))
    }

    fn changes(&self) -> String {
        let names = ["H2M2 over LPDDR only", "hierarchical over LPDDR only"];
        let shown = |numbers: &[Number]| -> Vec<String> {
            let of =
                |name: &str| numbers.iter().filter(|n| n.name.ends_with(name)).map(|n| n.model).collect::<Vec<_>>();
            // the three models; the dynamic scenario stands behind them
            names.iter().flat_map(|name| of(name).into_iter().take(3)).map(|x| format!("{x:.2}")).collect()
        };
        let row = |name: &str, text: &str, numbers: &[Number]| {
            let agree = numbers.iter().filter(|n| n.agrees()).count();
            format!("| {name} | {text} | {} | {agree} |", shown(numbers).join(" | "))
        };
        let first = row("(none)", "as chosen", &self.results.numbers);
        let rest = self.alternatives.iter().map(|a| match &a.numbers {
            Some(numbers) => row(a.name, a.text, numbers),
            None => format!("| {} | {} | no room |  |  |  |  |  |  |", a.name, a.text),
        });
        let papers = shown_papers(&self.results.numbers, &names);
        let headings = format!(
            "changed alone | what it takes | H2M2 {} | {} | {} | hierarchical {} | {} | {} | within 10 %",
            papers[0], papers[1], papers[2], papers[3], papers[4], papers[5]
        );
        let note = "In the headings the paper's numbers, for GPT3-175B, Chinchilla-70B and Llama2-70B. Last column: how many of all numbers.\n\n";
        note.to_string() + &table(&headings, 2..9, [first].into_iter().chain(rest))
    }

    fn verdicts(&self) -> String {
        let mut text = String::new();
        for (i, number) in self.results.numbers.iter().enumerate().filter(|(_, n)| !n.agrees()) {
            let bring = self.alternatives.iter().filter_map(|a| {
                let number = &a.numbers.as_ref()?[i];
                number.agrees().then(|| format!("`{}` ({:.3})", a.name, number.model))
            });
            let bring: Vec<String> = bring.collect();
            let verdict = if number.put_in {
                "put in, not found: it is the choice of energy itself".into()
            } else if bring.is_empty() {
                "no choice changed alone brings it there".into()
            } else {
                bring.join(", ")
            };
            writeln!(text, "- {}: paper {}, model {:.3}: {verdict}", number.name, number.paper, number.model)
                .expect("a string takes everything");
        }
        text
    }

    /// What each change does to all numbers.
    fn come_and_go(&self) -> String {
        let row = |a: &Changed| {
            let pairs = || self.results.numbers.iter().zip(a.numbers.iter().flatten());
            let come = pairs().filter(|(before, after)| !before.agrees() && after.agrees());
            let go = pairs().filter(|(before, after)| before.agrees() && !after.agrees());
            let [come, go] = [names(come), names(go)];
            (come.len() + go.len() > 0).then(|| format!("| {} | {come} | {go} |", a.name))
        };
        let note = "Choices that are not listed bring none there and take none away.\n\n";
        note.to_string()
            + &table("changed alone | come within 10 % | leave", 0..0, self.alternatives.iter().filter_map(row))
    }
}

/// Short names of numbers, model by model.
fn names<'a>(pairs: impl Iterator<Item = (&'a Number, &'a Number)>) -> String {
    pairs.map(|(number, _)| number.short()).collect::<Vec<_>>().join("; ")
}

const HEADINGS: [&str; 6] = [
    "The paper's numbers",
    "Each model and length",
    "Memory configurations of Table 4",
    "Each open choice changed alone",
    "Numbers that differ by more than 10 %, and which choice alone brings them there",
    "Which numbers each choice alone brings there, and which it takes away",
];

/// The paper's numbers for the three models.
fn shown_papers(numbers: &[Number], names: &[&str]) -> Vec<String> {
    let of = |name: &&str| {
        let name = name.to_string();
        numbers.iter().filter(move |n| n.name.ends_with(&name)).take(3).map(|n| n.paper.to_string()).collect::<Vec<_>>()
    };
    names.iter().flat_map(of).collect()
}

/// A Markdown table; the columns of a range hold numbers, which stand to the right.
fn table(headings: &str, right: std::ops::Range<usize>, rows: impl Iterator<Item = String>) -> String {
    let columns = headings.split('|').count();
    let rule = (0..columns).map(|i| if right.contains(&i) { "---:" } else { "---" });
    let mut text = format!("| {headings} |\n| {} |\n", rule.collect::<Vec<_>>().join(" | "));
    for row in rows {
        text += &row;
        text.push('\n');
    }
    text
}
