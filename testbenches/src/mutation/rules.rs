//! Mutants that do the same as the design whatever the design is: what is seen at the cell of the mutation alone.

use super::place::Mutation;
use std::collections::HashMap;

/// The mutation and its cell.
struct At<'a> {
    mode: &'a str,
    port: &'a str,
    bit: usize,
    /// The bit of the same pin that decides, of the modes `cnot0` and `cnot1`.
    decides: usize,
    cell: Cell<'a>,
}

/// A cell in Yosys' own format: its kind, parameters and pins as they are written.
struct Cell<'a> {
    kind: &'a str,
    parameters: HashMap<&'a str, &'a str>,
    pins: HashMap<&'a str, &'a str>,
    /// Bits of each wire of the module.
    widths: HashMap<&'a str, usize>,
}

/// Why the mutation changes nothing, if a rule says so; `text` is the design as Yosys keeps it.
pub(super) fn same(text: &str, mutation: &Mutation) -> Option<&'static str> {
    let at = At::of(text, &mutation.command)?;
    at.not_specified()
        .or(at.stuck_at_its_value())
        .or(at.never_inverted())
        .or(at.not_looked_at())
        .or(at.differs_either_way())
}

impl<'a> At<'a> {
    fn of(text: &'a str, command: &'a str) -> Option<At<'a>> {
        let words: Vec<&str> = command.split_whitespace().collect();
        let option = |name: &str| words.windows(2).find(|pair| pair[0] == name).map(|pair| pair[1]);
        let plain = |name: &'a str| name.strip_prefix('\\').unwrap_or(name);
        let cell = Cell::find(text, plain(option("-module")?), plain(option("-cell")?))?;
        let number = |name: &str| option(name).and_then(|n| n.parse().ok());
        let decides = number("-ctrlbit").unwrap_or_default();
        Some(At { mode: option("-mode")?, port: plain(option("-port")?), bit: number("-portbit")?, decides, cell })
    }

    /// The value of the deciding bit with which the pin is inverted.
    fn active(&self) -> Option<char> {
        match self.mode {
            "cnot0" => Some('0'),
            "cnot1" => Some('1'),
            _ => None,
        }
    }

    fn not_specified(&self) -> Option<&'static str> {
        (self.cell.constant(self.port, self.bit)? == 'x').then_some("a bit that may be anything")
    }

    fn stuck_at_its_value(&self) -> Option<&'static str> {
        let value = self.cell.constant(self.port, self.bit)?;
        let stuck = match self.mode {
            "const0" => '0',
            "const1" => '1',
            _ => return None,
        };
        (value == stuck).then_some("a constant stuck at its value")
    }

    fn never_inverted(&self) -> Option<&'static str> {
        let value = self.cell.constant(self.port, self.decides)?;
        let never = value != self.active()? && "01".contains(value);
        never.then_some("inverted with a constant that never has that value")
    }

    fn not_looked_at(&self) -> Option<&'static str> {
        let asynchronous = self.cell.kind.starts_with("$memrd")
            && self.cell.parameters.get("CLK_ENABLE").is_some_and(|enable| !enable.ends_with('1'));
        let clocked = ["CLK", "EN"].contains(&self.port);
        (asynchronous && clocked).then_some("the clock of a read without a clock")
    }

    /// `a == 5` with a bit of `a` inverted only where another bit of it is not that of 5.
    fn differs_either_way(&self) -> Option<&'static str> {
        let other = match self.port {
            "A" => "B",
            "B" => "A",
            _ => return None,
        };
        let narrow = ["A_WIDTH", "B_WIDTH"].map(|name| self.cell.parameters.get(name).and_then(|n| n.parse().ok()));
        let [Some(a), Some(b)]: [Option<usize>; 2] = narrow else { return None };
        let compares = ["$eq", "$ne"].contains(&self.cell.kind) && self.decides < a.min(b) && self.decides != self.bit;
        let value = self.cell.constant(other, self.decides)?;
        let differs = compares && self.active()? != value && "01".contains(value);
        differs.then_some("inverted only while another bit differs from the constant that it is compared with")
    }
}

impl<'a> Cell<'a> {
    fn find(text: &'a str, module: &str, name: &str) -> Option<Cell<'a>> {
        let mut inside = false;
        let mut widths = HashMap::new();
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            if let Some(found) = line.strip_prefix("module \\") {
                inside = found == module;
                continue;
            }
            let line = line.trim_start();
            let words: Vec<&str> = line.split_whitespace().collect();
            match words[..] {
                ["wire", .., wire] if inside => {
                    let width = words.iter().position(|word| *word == "width").and_then(|at| words.get(at + 1));
                    widths.insert(wire, width.and_then(|width| width.parse().ok()).unwrap_or(1));
                }
                ["cell", kind, cell] if inside && cell.strip_prefix('\\').unwrap_or(cell) == name => {
                    let (mut parameters, mut pins) = (HashMap::new(), HashMap::new());
                    for line in lines.by_ref().map(str::trim_start).take_while(|line| *line != "end") {
                        let mut parts = line.splitn(3, ' ');
                        let (what, key, value) = (parts.next()?, parts.next()?, parts.next()?);
                        let key = key.strip_prefix('\\').unwrap_or(key);
                        if what == "parameter" {
                            parameters.insert(key, value)
                        } else {
                            pins.insert(key, value)
                        };
                    }
                    // wires stand before cells
                    return Some(Cell { kind, parameters, pins, widths });
                }
                _ => {}
            }
        }
        None
    }

    /// The value of a bit of a pin that is a constant: `4'0101`, or part of `{ \a [3:1] 2'01 \b }`.
    fn constant(&self, pin: &str, bit: usize) -> Option<char> {
        let text = self.pins.get(pin)?;
        let text = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')).unwrap_or(text);
        let words: Vec<&str> = text.split_whitespace().collect();
        let mut parts: Vec<(&str, usize)> = vec![];
        for word in words {
            if let Some(range) = word.strip_prefix('[').and_then(|word| word.strip_suffix(']')) {
                let (high, low) = range.split_once(':').unwrap_or((range, range));
                parts.last_mut()?.1 = high.parse::<usize>().ok()? - low.parse::<usize>().ok()? + 1;
            } else if let Some((width, _)) = word.split_once('\'') {
                parts.push((word, width.parse().ok()?));
            } else {
                parts.push((word, *self.widths.get(word)?));
            }
        }
        // the high part stands first
        let mut low = 0;
        for (word, width) in parts.into_iter().rev() {
            if bit < low + width {
                let (_, digits) = word.split_once('\'').filter(|(before, _)| !before.contains(['\\', '$']))?;
                return digits.chars().rev().nth(bit - low);
            }
            low += width;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "module \\other\n  cell $ne $ne$1\n    connect \\A 2'11\n  end\nend\nmodule \\m\n  wire width 4 \\count\n  wire \\valid\n  \
        cell $ne $ne$1\n    parameter \\A_WIDTH 4\n    parameter \\B_WIDTH 4\n    connect \\A \\count\n    connect \\B 4'0101\n  end\n  \
        cell $add $add$2\n    connect \\A { 3'010 \\valid }\n    connect \\B { \\count [2:1] \\valid 1'1 }\n  end\n  \
        cell $memrd $memrd$3\n    parameter \\CLK_ENABLE 0\n    connect \\CLK 1'x\n    connect \\ADDR { 2'x0 \\valid }\n  end\nend\n";

    fn same(command: &str) -> bool {
        let command = format!("mutate -ctrl mutation 8 1 -mode {command} -src m.v:3.9-3.31");
        let mutation = Mutation { number: 1, module: "m".into(), command, what: String::new(), place: None };
        super::same(TEXT, &mutation).is_some()
    }

    #[test]
    fn constants_stuck_at_their_values_are_the_same() {
        let stuck = |port: &str, bit, at| same(&format!("const{at} -module m -cell $ne$1 -port {port} -portbit {bit}"));
        assert_eq!([0, 1, 2, 3].map(|bit| stuck("B", bit, 0)), [false, true, false, true]);
        assert_eq!([0, 1, 2, 3].map(|bit| stuck("B", bit, 1)), [true, false, true, false]);
        assert!(!stuck("A", 0, 0) && !stuck("A", 0, 1));
        let part = |port, bit, at| same(&format!("const{at} -module m -cell $add$2 -port {port} -portbit {bit}"));
        assert_eq!([0, 1, 2, 3].map(|bit| part("A", bit, 0)), [false, true, false, true]);
        assert_eq!([0, 1, 2, 3].map(|bit| part("B", bit, 1)), [true, false, false, false]);
    }

    #[test]
    fn what_never_happens_and_what_nobody_looks_at_is_the_same() {
        let inverted = |mode, cell, port, bit, by| {
            same(&format!("{mode} -module m -cell {cell} -port {port} -portbit {bit} -ctrlbit {by}"))
        };
        assert!(inverted("cnot1", "$ne$1", "B", 0, 1) && !inverted("cnot0", "$ne$1", "B", 0, 1));
        // count != 5: without bit 2, or with bit 1, it differs whatever bit 0 is
        assert!(inverted("cnot0", "$ne$1", "A", 0, 2) && !inverted("cnot1", "$ne$1", "A", 0, 2));
        assert!(inverted("cnot1", "$ne$1", "A", 0, 1) && !inverted("cnot0", "$ne$1", "A", 0, 1));
        assert!(!inverted("cnot0", "$add$2", "A", 1, 0), "a sum is no comparison");
        assert!(same("inv -module m -cell $memrd$3 -port CLK -portbit 0"));
        let address = |bit| same(&format!("inv -module m -cell $memrd$3 -port ADDR -portbit {bit}"));
        assert_eq!([0, 1, 2].map(address), [false, false, true]);
    }
}
