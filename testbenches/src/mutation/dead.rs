//! Mutants that change nothing but bits that nothing reads: what of a sum is cut off, and what is only gathered for lint tools.
//!
//! A bit is read if it is one of an output port, of a memory or an instance, or decides on a register; or if a gate or a register makes a
//! bit of it that is read.

use super::place::Mutation;
use std::collections::{HashMap, HashSet};

/// A bit of a wire.
type Bit<'t> = (&'t str, usize);

/// A cell: its kind, and the bits of each pin, the lowest first; `None` is a constant.
#[derive(Default)]
struct Cell<'t> {
    kind: &'t str,
    pins: HashMap<&'t str, Vec<Option<Bit<'t>>>>,
}

/// The cells of a module, by name, and who reads a bit.
#[derive(Default)]
struct Module<'t> {
    widths: HashMap<&'t str, usize>,
    outputs: HashSet<&'t str>,
    cells: HashMap<&'t str, Cell<'t>>,
    /// Wires that a bit goes on to.
    wires: HashMap<Bit<'t>, Vec<Bit<'t>>>,
    /// Pins that look at a bit: cell, pin, and the bit's place in it.
    readers: HashMap<Bit<'t>, Vec<(&'t str, &'t str, usize)>>,
}

/// Does the mutation change bits only that nothing reads? `text` is the design as Yosys keeps it.
pub(super) fn same(text: &str, mutation: &Mutation) -> Option<&'static str> {
    let words: Vec<&str> = mutation.command.split_whitespace().collect();
    let option = |name: &str| words.windows(2).find(|pair| pair[0] == name).map(|pair| pair[1]);
    let plain = |name| str::strip_prefix(name, "\\").unwrap_or(name);
    let module = Module::new(text, plain(option("-module")?))?;
    let cell = module.cells.get(plain(option("-cell")?))?;
    let (pin, place) = (plain(option("-port")?), option("-portbit")?.parse().ok()?);
    let changed = match is_output(pin) {
        true => vec![(*cell.pins.get(pin)?.get(place)?)?],
        false => module.made_of(cell, pin, place)?,
    };
    let mut seen = HashSet::new();
    let read = changed.into_iter().any(|bit| module.is_read(bit, &mut seen));
    (!read).then_some("a bit that nothing reads")
}

/// The output of a gate or register.
fn is_output(pin: &str) -> bool {
    ["Y", "Q"].contains(&pin)
}

/// The bits of a pin as it is written, `{ \a [3:1] 2'01 \b }`.
fn bits<'t>(text: &'t str, widths: &HashMap<&'t str, usize>) -> Option<Vec<Option<Bit<'t>>>> {
    let text = text.trim();
    let text = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')).unwrap_or(text);
    let mut parts: Vec<Vec<Option<Bit>>> = vec![];
    for word in text.split_whitespace() {
        if let Some(range) = word.strip_prefix('[').and_then(|word| word.strip_suffix(']')) {
            let (high, low) = range.split_once(':').unwrap_or((range, range));
            let range = low.parse::<usize>().ok()?..=high.parse().ok()?;
            let wire = parts.pop()?;
            parts.push(range.map(|i| wire.get(i).copied().flatten()).collect());
        } else if let Some(width) = widths.get(word) {
            parts.push((0..*width).map(|i| Some((word, i))).collect());
        } else {
            parts.push(vec![None; word.split_once('\'')?.0.parse().ok()?]);
        }
    }
    parts.reverse();
    Some(parts.concat())
}

impl<'t> Module<'t> {
    fn new(text: &'t str, name: &str) -> Option<Module<'t>> {
        let is_it = |line: &&str| line.strip_prefix("module \\") == Some(name);
        let lines: Vec<&str> = text.lines().skip_while(|line| !is_it(line)).take_while(|line| *line != "end").collect();
        let mut module = Module::default();
        for line in lines.iter().filter_map(|line| line.trim_start().strip_prefix("wire ")) {
            let words: Vec<&str> = line.split_whitespace().collect();
            let wire = *words.last()?;
            let width = words.iter().position(|word| *word == "width").and_then(|at| words.get(at + 1));
            module.widths.insert(wire, width.map_or(Some(1), |width| width.parse().ok())?);
            if words.contains(&"output") {
                module.outputs.insert(wire);
            }
        }
        let mut open = None;
        for line in &lines {
            let inside = line.starts_with("    ");
            let words: Vec<&str> = line.trim_start().splitn(3, ' ').collect();
            match words[..] {
                ["cell", kind, cell] => {
                    let cell = cell.strip_prefix('\\').unwrap_or(cell);
                    module.cells.insert(cell, Cell { kind, pins: HashMap::new() });
                    open = Some(cell);
                }
                ["connect", pin, value] if inside => {
                    let of = bits(value, &module.widths)?;
                    module.cells.get_mut(open?)?.pins.insert(pin.strip_prefix('\\').unwrap_or(pin), of);
                }
                ["connect", ..] => module.join(line.trim_start().strip_prefix("connect ")?)?,
                _ => {}
            }
        }
        for (name, cell) in &module.cells {
            for (pin, bits) in cell.pins.iter().filter(|(pin, _)| !is_output(pin)) {
                let places = bits.iter().enumerate().filter_map(|(place, bit)| Some((place, (*bit)?)));
                places.for_each(|(place, bit)| module.readers.entry(bit).or_default().push((name, pin, place)));
            }
        }
        Some(module)
    }

    /// `\y \a [3:0]`, `{ \y \z } \a`: the first goes on from the second.
    fn join(&mut self, text: &'t str) -> Option<()> {
        let end = match text.starts_with('{') {
            true => text.find('}')? + 1,
            // a range belongs to the wire before it
            false => text
                .find(' ')
                .map(|at| if text[at + 1..].starts_with('[') { text.find(']').unwrap_or(at) + 1 } else { at })?,
        };
        let (to, from) = (bits(&text[..end], &self.widths)?, bits(&text[end..], &self.widths)?);
        for (to, from) in to.into_iter().zip(from) {
            if let (Some(to), Some(from)) = (to, from) {
                self.wires.entry(from).or_default().push(to);
            }
        }
        Some(())
    }

    /// The bits that a gate makes of one at its pin, or a register of one of its data; `None` if it is neither.
    fn made_of(&self, cell: &Cell<'t>, pin: &str, place: usize) -> Option<Vec<Bit<'t>>> {
        if let (Some(out), "D") = (cell.pins.get("Q"), pin) {
            return Some(out.get(place).copied().flatten().into_iter().collect());
        }
        let out = cell.pins.get("Y").filter(|_| cell.kind.starts_with('$') && !cell.pins.contains_key("CLK"))?;
        let data = ["A", "B"].contains(&pin);
        let by_bit = ["$and", "$or", "$xor", "$xnor", "$not", "$pos", "$mux", "$pmux"].contains(&cell.kind)
            && cell.pins.get("A").is_some_and(|a| a.len() == out.len());
        let upward = ["$add", "$sub"].contains(&cell.kind);
        let some = match data {
            true if by_bit => out.get(place % out.len()..=place % out.len()),
            // beyond the sum's width nothing is made
            true if upward => Some(out.get(place..).unwrap_or_default()),
            _ => Some(&out[..]),
        };
        Some(some?.iter().flatten().copied().collect())
    }

    fn is_read(&self, bit: Bit<'t>, seen: &mut HashSet<Bit<'t>>) -> bool {
        if !seen.insert(bit) {
            return false;
        }
        let goes_on = |module: &Self, seen: &mut _| {
            module.wires.get(&bit).is_some_and(|wires| wires.iter().any(|wire| module.is_read(*wire, seen)))
        };
        self.outputs.contains(bit.0)
            || goes_on(self, seen)
            || self.readers.get(&bit).into_iter().flatten().any(|(cell, pin, place)| {
                let made = self.cells.get(cell).and_then(|cell| self.made_of(cell, pin, *place));
                made.is_none_or(|made| made.into_iter().any(|bit| self.is_read(bit, seen)))
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// y = (a - b)[3:2] in a register; bits 1:0 are gathered.
    const TEXT: &str = "module \\m\n  wire width 4 input 1 \\a\n  wire width 4 input 2 \\b\n  wire width 2 output 3 \\y\n  \
        wire width 4 \\rest\n  wire width 2 \\high\n  wire \\unused_ok\n  wire input 4 \\clk\n  cell $sub $sub$1\n    connect \\A \\a\n    \
        connect \\B \\b\n    connect \\Y \\rest\n  end\n  cell $reduce_and $and$2\n    connect \\A { 1'0 \\rest [1:0] }\n    \
        connect \\Y \\unused_ok\n  end\n  cell $dff $dff$3\n    connect \\CLK \\clk\n    connect \\D \\high\n    connect \\Q \\y\n  end\n  \
        cell $not $not$4\n    connect \\A \\b\n    connect \\Y { \\more \\rest [0] \\more \\more }\n  end\n  \
        connect \\high \\rest [3:2]\nend\n";

    fn unread(text: &str, cell: &str, pin: &str, bit: usize) -> bool {
        let command = format!(
            "mutate -ctrl mutation 8 1 -mode inv -module m -cell {cell} -port {pin} -portbit {bit} -src m.v:3.9"
        );
        let (what, module) = (String::new(), "m".to_string());
        same(text, &Mutation { number: 1, module, command, what, place: None }).is_some()
    }

    #[test]
    fn bits_that_are_only_gathered_are_not_read() {
        let text = TEXT.replace("  wire \\unused_ok", "  wire \\more\n  wire \\unused_ok");
        let of = |cell: &str, pin: &str| [0, 1, 2, 3].map(|bit| unread(&text, cell, pin, bit));
        assert_eq!(of("$sub$1", "Y"), [true, true, false, false]);
        // the lowest bits borrow from those that are read
        assert_eq!(of("$sub$1", "A"), [false; 4]);
        assert_eq!(of("$and$2", "A"), [true; 4]);
        assert_eq!(of("$dff$3", "D")[..2], [false; 2]);
        assert_eq!(of("$not$4", "A"), [true; 4], "bit by bit, and none of its bits goes on");
        assert!(!unread(&text, "$gone$1", "A", 0) && !unread(&text, "$dff$3", "CLK", 0));
        let hidden = text.replace("wire width 2 output 3 \\y", "wire width 2 \\y");
        assert!(
            unread(&hidden, "$dff$3", "D", 1) && !unread(&hidden, "$dff$3", "CLK", 0),
            "a register that nobody reads"
        );
        // with the gathered bits at a port they are read
        let seen = text.replace("wire \\unused_ok", "wire output 5 \\unused_ok");
        assert!(!unread(&seen, "$sub$1", "Y", 0) && !unread(&seen, "$and$2", "A", 1));
    }
}
