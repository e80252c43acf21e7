//! A design as Yosys keeps it: its modules, their ports and cells; and which pin a mutation is at.

use super::place::Mutation;
use hdl::engine::PortInfo;
use std::collections::{BTreeMap, HashMap, HashSet};

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
    /// Its ports.
    pub ports: Vec<PortInfo>,
    /// The wires of its output ports.
    pub outputs: HashSet<&'t str>,
    /// Those of its input ports.
    inputs: HashSet<&'t str>,
    /// Each bit that is connected to another one, and that one: a `connect` outside of all cells.
    pub joined: Vec<(Bit<'t>, Bit<'t>)>,
    /// Bits of each wire.
    widths: HashMap<&'t str, usize>,
}

/// A design.
#[derive(Debug, Default)]
pub(super) struct Design<'t> {
    modules: BTreeMap<&'t str, Module<'t>>,
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

impl<'t> Design<'t> {
    /// Takes the text apart.
    ///
    /// # Errors
    /// The first line that cannot be read.
    pub fn read(text: &'t str) -> Result<Design<'t>, String> {
        let mut design = Design::default();
        let mut rest = text;
        while let Some((_, from)) = rest.split_once("module \\") {
            let (name, from) = from.split_once('\n').unwrap_or((from, ""));
            let (body, behind) = from.split_once("\nend\n").unwrap_or((from, ""));
            design.modules.insert(name, Module::read(body).map_err(|line| format!("cannot read `{line}` of {name}"))?);
            rest = behind;
        }
        Ok(design)
    }

    /// A module.
    pub fn module(&self, name: &str) -> Option<&Module<'t>> {
        self.modules.get(name)
    }

    /// A module, with its name.
    pub fn named(&self, name: &str) -> Option<(&'t str, &Module<'t>)> {
        self.modules.get_key_value(name).map(|(name, module)| (*name, module))
    }

    /// The module that a cell is an instance of.
    pub fn child(&self, cell: &Cell<'t>) -> Option<(&'t str, &Module<'t>)> {
        self.named(cell.kind.strip_prefix('\\')?)
    }

    /// All instances of a module: the modules that they are in, and their cells.
    pub fn instances(&self, module: &str) -> Vec<(&'t str, &Cell<'t>)> {
        let is = |cell: &&Cell| cell.kind.strip_prefix('\\') == Some(module);
        self.modules.iter().flat_map(|(name, m)| m.cells.values().filter(is).map(|cell| (*name, cell))).collect()
    }

    /// The constant that a bit of a pin is, also behind registers without reset and enable: whatever they begin with, they have it after as many
    /// cycles as there are registers; also through the outputs of instances.
    pub fn constant(&self, module: &Module<'t>, cell: &Cell<'t>, pin: &str, bit: usize) -> Option<char> {
        match self.child(cell).and_then(|(_, child)| Some((child, child.output(pin)?))) {
            Some((child, wire)) => self.value(child, Bit::Wire(wire, bit)),
            None => self.value(module, *cell.pins.get(pin)?.get(bit)?),
        }
    }

    fn value<'a>(&'a self, mut module: &'a Module<'t>, mut source: Bit<'t>) -> Option<char> {
        // registers that only shift in a circle are no constant
        let steps: usize = self.modules.values().map(|module| module.cells.len() + module.joined.len() + 1).sum();
        for _ in 0..=steps {
            match source {
                Bit::Constant(value) => return Some(value),
                wire => match module.taken(wire) {
                    Some(bit) => source = bit,
                    None => (module, source) = self.given(module, wire)?,
                },
            }
        }
        None
    }

    /// The bit inside of an instance that is given as this one.
    fn given<'a>(&'a self, module: &'a Module<'t>, bit: Bit<'t>) -> Option<(&'a Module<'t>, Bit<'t>)> {
        module.cells.values().find_map(|cell| {
            let (_, child) = self.child(cell)?;
            child.outputs.iter().find_map(|wire| {
                let place = cell.pins.get(plain(wire))?.iter().position(|outside| *outside == bit)?;
                Some((child, Bit::Wire(wire, place)))
            })
        })
    }

    /// The modules that have instances of a module.
    pub fn parents(&self, module: &str) -> Vec<&'t str> {
        let mut parents: Vec<&str> = self.instances(module).into_iter().map(|(parent, _)| parent).collect();
        parents.dedup();
        parents
    }
}

impl<'t> Module<'t> {
    /// The lines between its name and its `end`; or the first one that cannot be read.
    fn read(body: &'t str) -> Result<Module<'t>, &'t str> {
        let mut module = Module::default();
        // wires may stand behind what is connected to them
        for (line, wire) in body.lines().filter_map(|line| Some((line, line.trim_start().strip_prefix("wire ")?))) {
            module.declare(wire).ok_or(line)?;
        }
        let mut open = None;
        for line in body.lines() {
            module.take(line, &mut open).ok_or(line)?;
        }
        Ok(module)
    }

    /// A line of a cell, whose name is `open`, or outside of all.
    fn take(&mut self, line: &'t str, open: &mut Option<&'t str>) -> Option<()> {
        let inside = line.starts_with("    ");
        let (what, rest) = line.trim_start().split_once(' ').unwrap_or((line, ""));
        match what {
            "cell" => {
                let (kind, cell) = rest.split_once(' ')?;
                self.cells.insert(plain(cell), Cell { kind, ..Cell::default() });
                *open = Some(plain(cell));
            }
            "parameter" if inside => {
                let (key, value) = rest.rsplit_once(' ')?;
                self.cells.get_mut((*open)?)?.parameters.insert(plain(key), value);
            }
            "connect" if inside => {
                let (pin, value) = rest.split_once(' ')?;
                let of = self.bits(value)?;
                self.cells.get_mut((*open)?)?.pins.insert(plain(pin), of);
            }
            "connect" => self.join(rest)?,
            _ => {}
        }
        Some(())
    }

    /// `width 4 input 1 \a`
    fn declare(&mut self, line: &'t str) -> Option<()> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let wire = *words.last()?;
        let width = words.iter().position(|word| *word == "width").and_then(|at| words.get(at + 1));
        let width = width.map_or(Some(1), |width| width.parse().ok())?;
        self.widths.insert(wire, width);
        let is = |word| words.contains(&word);
        if is("output") {
            self.outputs.insert(wire);
        }
        if is("input") {
            self.inputs.insert(wire);
        }
        if is("input") || is("output") {
            self.ports.push(PortInfo::new(plain(wire), width as u32, is("input")));
        }
        Some(())
    }

    /// `\y \a [3:0]`, `{ \y \z } \a`
    fn join(&mut self, text: &'t str) -> Option<()> {
        let end = match text.starts_with('{') {
            true => text.find('}')? + 1,
            // a range belongs to the wire before it, whose own name may end with one: `$0\zeros[5:0] [5]`
            false => {
                let name = text.find(' ')?;
                let range = text[name + 1..].starts_with('[').then(|| text[name..].find(']')).flatten();
                range.map_or(name, |range| name + range + 1)
            }
        };
        let (to, from) = (self.bits(&text[..end])?, self.bits(&text[end..])?);
        self.joined.extend(to.into_iter().zip(from));
        Some(())
    }

    /// The bits of a pin as it is written: `4'0101`, `6`, `{ \a [3:1] 2'01 \b }`; the high part stands first there.
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
            } else if let Ok(number) = word.parse::<i32>() {
                // a number without a width has 32 bits
                parts.push((0..32).map(|i| Bit::Constant(if number >> i & 1 == 1 { '1' } else { '0' })).collect());
            } else {
                // fewer digits than bits: an x stands for those above it, too, `32'x`; above others there are zeros
                let (width, digits) = word.split_once('\'')?;
                let first = digits.chars().next()?;
                let fill = Bit::Constant(if first == 'x' || first == 'z' { first } else { '0' });
                let mut bits: Vec<Bit> = digits.chars().rev().map(Bit::Constant).collect();
                bits.resize(bits.len().max(width.parse().ok()?), fill);
                parts.push(bits);
            }
        }
        parts.reverse();
        Some(parts.concat())
    }

    /// The wire of an output port.
    pub fn output(&self, port: &str) -> Option<&'t str> {
        self.outputs.iter().copied().find(|wire| plain(wire) == port)
    }

    /// The wire of an input port.
    pub fn input(&self, port: &str) -> Option<&'t str> {
        self.inputs.iter().copied().find(|wire| plain(wire) == port)
    }

    /// What a bit is connected to, or what its register takes in every cycle, without reset and enable.
    fn taken(&self, bit: Bit<'t>) -> Option<Bit<'t>> {
        if let Some((_, from)) = self.joined.iter().find(|(to, _)| *to == bit) {
            return Some(*from);
        }
        self.cells.values().filter(|cell| cell.kind == "$dff").find_map(|cell| {
            let place = cell.pins.get("Q")?.iter().position(|out| *out == bit)?;
            cell.pins.get("D")?.get(place).copied()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_and_parents_are_read() {
        let text = "# made by Yosys\nmodule \\child\n  attribute \\src \"child.v:3\"\n  wire width 8 input 1 \\data\n  wire output 2 \\valid\n  \
            wire width 8 \\held\n  cell $add $1\n  end\nend\nmodule \\top\n  wire input 1 \\clk\n  cell \\child \\first\n  end\nend\n";
        let design = Design::read(text).unwrap();
        let port = |name: &str, width, input| PortInfo::new(name, width, input);
        assert_eq!(design.module("child").unwrap().ports, [port("data", 8, true), port("valid", 1, false)]);
        assert_eq!((design.parents("child"), design.parents("top")), (vec!["top"], vec![]));
        assert!(design.module("grandchild").is_none());
    }

    #[test]
    fn a_line_that_cannot_be_read_is_named() {
        let text = "module \\m\n  wire width 2 \\a\n  connect \\a \\gone\nend\n";
        assert_eq!(Design::read(text).unwrap_err(), "cannot read `  connect \\a \\gone` of m");
    }

    #[test]
    fn a_name_may_end_like_a_range() {
        let text = "module \\m\n  wire width 6 $0\\a[5:0]\n  wire \\b\n  connect $0\\a[5:0] [5] \\b\nend\n";
        let design = Design::read(text).unwrap();
        assert_eq!(design.module("m").unwrap().joined, [(Bit::Wire("$0\\a[5:0]", 5), Bit::Wire("\\b", 0))]);
    }

    #[test]
    fn numbers_without_a_width_have_32_bits() {
        let text = "module \\m\n  cell $shr $1\n    connect \\B 6\n  end\nend\n";
        let design = Design::read(text).unwrap();
        let pin = &design.module("m").unwrap().cells["$1"].pins["B"];
        let ones: Vec<usize> = (0..32).filter(|i| pin[*i] == Bit::Constant('1')).collect();
        assert_eq!((pin.len(), ones), (32, vec![1, 2]));
    }
}
