//! Mutants that change nothing but bits that nothing reads: what of a sum is cut off, and what is only gathered for lint tools.
//!
//! A bit is read if it is one of an output port, of a memory or an instance, or decides on a register; or if a gate or a register makes a
//! bit of it that is read.

use super::cells::{Bit, Cell, Design, Module, Target};
use super::place::Mutation;
use std::collections::{HashMap, HashSet};

/// A module, and who reads a bit.
struct Readers<'d, 't> {
    module: &'d Module<'t>,
    /// Wires that a bit goes on to.
    wires: HashMap<Bit<'t>, Vec<Bit<'t>>>,
    /// Pins that look at a bit: cell, pin, and the bit's place in it.
    readers: HashMap<Bit<'t>, Vec<(&'t str, &'t str, usize)>>,
}

/// Does the mutation change only bits that nothing reads?
pub(super) fn same(design: &Design, mutation: &Mutation) -> Option<&'static str> {
    let target = Target::of(mutation)?;
    let readers = Readers::of(design.module(target.module)?);
    let cell = readers.module.cells.get(target.cell)?;
    let changed = match is_output(target.pin) {
        true => wires(cell.pins.get(target.pin)?.get(target.bit..=target.bit)?),
        false => readers.made_of(cell, target.pin, target.bit)?,
    };
    let mut seen = HashSet::new();
    let is_read = changed.into_iter().any(|bit| readers.is_read(bit, &mut seen));
    (!is_read).then_some("a bit that nothing reads")
}

/// Those that are no constants.
fn wires<'t>(bits: &[Bit<'t>]) -> Vec<Bit<'t>> {
    bits.iter().copied().filter(|bit| matches!(bit, Bit::Wire(..))).collect()
}

/// The output of a gate or register.
fn is_output(pin: &str) -> bool {
    ["Y", "Q"].contains(&pin)
}

impl<'d, 't> Readers<'d, 't> {
    fn of(module: &'d Module<'t>) -> Readers<'d, 't> {
        let (mut wires, mut readers) = (HashMap::<_, Vec<_>>::new(), HashMap::<_, Vec<_>>::new());
        for (to, from) in &module.joined {
            wires.entry(*from).or_default().push(*to);
        }
        for (name, cell) in &module.cells {
            for (pin, bits) in cell.pins.iter().filter(|(pin, _)| !is_output(pin)) {
                bits.iter()
                    .enumerate()
                    .for_each(|(place, bit)| readers.entry(*bit).or_default().push((*name, *pin, place)));
            }
        }
        Readers { module, wires, readers }
    }

    /// The bits that a gate makes of one at its pin, or a register of one of its data; `None` if it is neither.
    fn made_of(&self, cell: &Cell<'t>, pin: &str, place: usize) -> Option<Vec<Bit<'t>>> {
        if let (Some(out), "D") = (cell.pins.get("Q"), pin) {
            return Some(wires(out.get(place..=place).unwrap_or_default()));
        }
        let out = cell.pins.get("Y").filter(|_| cell.kind.starts_with('$') && !cell.pins.contains_key("CLK"))?;
        let data = ["A", "B"].contains(&pin);
        let by_bit = ["$and", "$or", "$xor", "$xnor", "$not", "$pos", "$mux", "$pmux"].contains(&cell.kind)
            && cell.pins.get("A").is_some_and(|a| a.len() == out.len());
        let upward = ["$add", "$sub"].contains(&cell.kind);
        let bits = match data {
            true if by_bit => out.get(place % out.len()..=place % out.len()),
            // beyond the sum's width nothing is made
            true if upward => Some(out.get(place..).unwrap_or_default()),
            _ => Some(&out[..]),
        };
        Some(wires(bits?))
    }

    fn is_read(&self, bit: Bit<'t>, seen: &mut HashSet<Bit<'t>>) -> bool {
        if !seen.insert(bit) {
            return false;
        }
        matches!(bit, Bit::Wire(wire, _) if self.module.outputs.contains(wire))
            || self.wires.get(&bit).into_iter().flatten().any(|wire| self.is_read(*wire, seen))
            || self.readers.get(&bit).into_iter().flatten().any(|(cell, pin, place)| {
                let made = self.module.cells.get(cell).and_then(|cell| self.made_of(cell, pin, *place));
                made.is_none_or(|made| made.into_iter().any(|bit| self.is_read(bit, seen)))
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// y = (a - b)[3:2] in a register; bits 1:0 are gathered.
    const TEXT: &str = "module \\m\n  wire width 4 input 1 \\a\n  wire width 4 input 2 \\b\n  wire width 2 output 3 \\y\n  \
        wire width 4 \\rest\n  wire width 2 \\high\n  wire \\more\n  wire \\unused_ok\n  wire input 4 \\clk\n  cell $sub $sub$1\n    connect \\A \\a\n    \
        connect \\B \\b\n    connect \\Y \\rest\n  end\n  cell $reduce_and $and$2\n    connect \\A { 1'0 \\rest [1:0] }\n    \
        connect \\Y \\unused_ok\n  end\n  cell $dff $dff$3\n    connect \\CLK \\clk\n    connect \\D \\high\n    connect \\Q \\y\n  end\n  \
        cell $not $not$4\n    connect \\A \\b\n    connect \\Y { \\more \\rest [0] \\more \\more }\n  end\n  \
        connect \\high \\rest [3:2]\nend\n";

    fn unread(text: &str, cell: &str, pin: &str, bit: usize) -> bool {
        let command = format!(
            "mutate -ctrl mutation 8 1 -mode inv -module m -cell {cell} -port {pin} -portbit {bit} -src m.v:3.9"
        );
        let (what, module) = (String::new(), "m".to_string());
        same(&Design::read(text).unwrap(), &Mutation { number: 1, module, command, what, place: None }).is_some()
    }

    #[test]
    fn bits_that_are_only_gathered_are_not_read() {
        let of = |cell: &str, pin: &str| [0, 1, 2, 3].map(|bit| unread(TEXT, cell, pin, bit));
        assert_eq!(of("$sub$1", "Y"), [true, true, false, false]);
        // the lowest bits borrow from those that are read
        assert_eq!(of("$sub$1", "A"), [false; 4]);
        assert_eq!(of("$and$2", "A"), [true; 4]);
        assert_eq!(of("$dff$3", "D")[..2], [false; 2]);
        assert_eq!(of("$not$4", "A"), [true; 4], "bit by bit, and none of its bits goes on");
        assert!(!unread(TEXT, "$gone$1", "A", 0) && !unread(TEXT, "$dff$3", "CLK", 0));
        let hidden = TEXT.replace("wire width 2 output 3 \\y", "wire width 2 \\y");
        assert!(
            unread(&hidden, "$dff$3", "D", 1) && !unread(&hidden, "$dff$3", "CLK", 0),
            "a register that nobody reads"
        );
        // with the gathered bits at a port they are read
        let seen = TEXT.replace("wire \\unused_ok", "wire output 5 \\unused_ok");
        assert!(!unread(&seen, "$sub$1", "Y", 0) && !unread(&seen, "$and$2", "A", 1));
    }
}
