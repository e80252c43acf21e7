//! The cells of a module as Yosys keeps it, and which pin a mutation is at.

use super::place::Mutation;
use std::collections::{HashMap, HashSet};

/// A bit of a pin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Bit<'t> {
    /// `0`, `1`, or `x`: anything.
    Constant(char),
    /// A bit of a wire.
    Wire(&'t str, usize),
}

/// A cell: its kind, its parameters as they are written, and the bits of each pin, the lowest first.
#[derive(Debug, Default)]
pub(super) struct Cell<'t> {
    pub kind: &'t str,
    pub parameters: HashMap<&'t str, &'t str>,
    pub pins: HashMap<&'t str, Vec<Bit<'t>>>,
}

/// A module.
#[derive(Debug, Default)]
pub(super) struct Module<'t> {
    pub cells: HashMap<&'t str, Cell<'t>>,
    /// Wires that are ports.
    pub outputs: HashSet<&'t str>,
    /// The first goes on from the second.
    pub joined: Vec<(Bit<'t>, Bit<'t>)>,
    /// Bits of each wire.
    widths: HashMap<&'t str, usize>,
}

/// Where a mutation is: what it does, and at which bit of which pin.
pub(super) struct Target<'t> {
    pub mode: &'t str,
    pub module: &'t str,
    pub cell: &'t str,
    pub pin: &'t str,
    pub bit: usize,
    /// The bit of the same pin that decides, of the modes `cnot0` and `cnot1`.
    pub decides: usize,
}

/// Without the mark of a name that a user gave.
fn plain(name: &str) -> &str {
    name.strip_prefix('\\').unwrap_or(name)
}

impl<'t> Target<'t> {
    pub fn of(mutation: &'t Mutation) -> Option<Target<'t>> {
        let words: Vec<&str> = mutation.command.split_whitespace().collect();
        let option = |name: &str| words.windows(2).find(|pair| pair[0] == name).map(|pair| plain(pair[1]));
        let number = |name: &str| option(name).and_then(|n| n.parse().ok());
        Some(Target {
            mode: option("-mode")?,
            module: option("-module")?,
            cell: option("-cell")?,
            pin: option("-port")?,
            bit: number("-portbit")?,
            decides: number("-ctrlbit").unwrap_or_default(),
        })
    }
}

impl<'t> Module<'t> {
    /// A module of a design.
    pub fn find(text: &'t str, name: &str) -> Option<Module<'t>> {
        let is_it = |line: &&str| line.strip_prefix("module \\") == Some(name);
        let lines: Vec<&str> = text.lines().skip_while(|line| !is_it(line)).take_while(|line| *line != "end").collect();
        lines.first()?;
        let mut module = Module::default();
        for line in lines.iter().filter_map(|line| line.trim_start().strip_prefix("wire ")) {
            module.declare(line)?;
        }
        let mut open = None;
        for line in lines {
            let inside = line.starts_with("    ");
            let (what, rest) = line.trim_start().split_once(' ').unwrap_or((line, ""));
            match what {
                "cell" => {
                    let (kind, cell) = rest.split_once(' ')?;
                    module.cells.insert(plain(cell), Cell { kind, ..Cell::default() });
                    open = Some(plain(cell));
                }
                "parameter" if inside => {
                    let (key, value) = rest.rsplit_once(' ')?;
                    module.cells.get_mut(open?)?.parameters.insert(plain(key), value);
                }
                "connect" if inside => {
                    let (pin, value) = rest.split_once(' ')?;
                    let of = module.bits(value)?;
                    module.cells.get_mut(open?)?.pins.insert(plain(pin), of);
                }
                "connect" => module.join(rest)?,
                _ => {}
            }
        }
        Some(module)
    }

    /// `width 4 input 1 \a`
    fn declare(&mut self, line: &'t str) -> Option<()> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let wire = *words.last()?;
        let width = words.iter().position(|word| *word == "width").and_then(|at| words.get(at + 1));
        self.widths.insert(wire, width.map_or(Some(1), |width| width.parse().ok())?);
        if words.contains(&"output") {
            self.outputs.insert(wire);
        }
        Some(())
    }

    /// `\y \a [3:0]`, `{ \y \z } \a`
    fn join(&mut self, text: &'t str) -> Option<()> {
        let end = match text.starts_with('{') {
            true => text.find('}')? + 1,
            // a range belongs to the wire before it
            false => text
                .find(' ')
                .map(|at| if text[at + 1..].starts_with('[') { text.find(']').unwrap_or(at) + 1 } else { at })?,
        };
        let (to, from) = (self.bits(&text[..end])?, self.bits(&text[end..])?);
        self.joined.extend(to.into_iter().zip(from));
        Some(())
    }

    /// The bits of a pin as it is written: `4'0101`, `{ \a [3:1] 2'01 \b }`; the high part stands first there.
    fn bits(&self, text: &'t str) -> Option<Vec<Bit<'t>>> {
        let text = text.trim();
        let text = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')).unwrap_or(text);
        let mut parts: Vec<Vec<Bit>> = vec![];
        for word in text.split_whitespace() {
            if let Some(range) = word.strip_prefix('[').and_then(|word| word.strip_suffix(']')) {
                let (high, low) = range.split_once(':').unwrap_or((range, range));
                let range = low.parse::<usize>().ok()?..=high.parse().ok()?;
                let wire = parts.pop()?;
                parts.push(wire.get(range)?.to_vec());
            } else if let Some(width) = self.widths.get(word) {
                parts.push((0..*width).map(|i| Bit::Wire(word, i)).collect());
            } else {
                let digits = word.split_once('\'')?.1;
                parts.push(digits.chars().rev().map(Bit::Constant).collect());
            }
        }
        parts.reverse();
        Some(parts.concat())
    }

    /// What a bit of a pin is; of registers that take nothing but a constant that constant: so many cycles later as there are, they have it,
    /// whatever they begin with.
    pub fn constant(&self, cell: &Cell<'t>, pin: &str, bit: usize) -> Option<char> {
        let mut source = *cell.pins.get(pin)?.get(bit)?;
        for _ in 0..=self.cells.len() {
            match source {
                Bit::Constant(value) => return Some(value),
                wire => source = self.taken(wire)?,
            }
        }
        None
    }

    /// What the register of a bit takes in every cycle, without reset and enable.
    fn taken(&self, bit: Bit<'t>) -> Option<Bit<'t>> {
        self.cells.values().filter(|cell| cell.kind == "$dff").find_map(|cell| {
            let place = cell.pins.get("Q")?.iter().position(|out| *out == bit)?;
            cell.pins.get("D")?.get(place).copied()
        })
    }
}
