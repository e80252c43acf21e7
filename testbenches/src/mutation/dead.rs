//! Mutants that change nothing but bits that nothing reads: what of a sum is cut off, and what is only gathered for lint tools.
//!
//! A bit is read if it is one of an output port of the whole design, of a memory, or decides on a register; if a gate or a register makes a bit of it
//! that is read; or if it goes into an instance, or out of all of a module, and is read there.

use super::cells::{Bit, Cell, Design, Module, Target};
use super::place::Mutation;
use std::collections::{HashMap, HashSet};

/// Who reads a bit of a module.
struct Readers<'t> {
    /// Wires that a bit goes on to.
    wires: HashMap<Bit<'t>, Vec<Bit<'t>>>,
    /// Pins that look at a bit: cell, pin, and the bit's place in it.
    readers: HashMap<Bit<'t>, Vec<(&'t str, &'t str, usize)>>,
}

/// All modules, and the bits that were looked at, each in its module.
struct Search<'d, 't> {
    design: &'d Design<'t>,
    modules: HashMap<&'t str, Readers<'t>>,
    seen: HashSet<(&'t str, Bit<'t>)>,
}

/// Does the mutation change only bits that nothing reads?
pub(super) fn same(design: &Design, mutation: &Mutation) -> Option<&'static str> {
    let target = Target::of(mutation)?;
    let (name, module) = design.named(target.module)?;
    let cell = module.cells.get(target.cell)?;
    let mut search = Search { design, modules: HashMap::new(), seen: HashSet::new() };
    let gives =
        is_output(target.pin) || design.child(cell).is_some_and(|(_, child)| child.output(target.pin).is_some());
    let is_read = match gives {
        true => wires(cell.pins.get(target.pin)?.get(target.bit..=target.bit)?)
            .into_iter()
            .any(|bit| search.is_read(name, bit)),
        false => search.looks(name, cell, target.pin, target.bit),
    };
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

impl<'d, 't> Search<'d, 't> {
    /// Does anything that is read depend on this bit of a cell's pin?
    fn looks(&mut self, module: &'t str, cell: &Cell<'t>, pin: &str, place: usize) -> bool {
        if let Some((child, inside)) = self.design.child(cell) {
            // what an instance gives is not looked at by it
            return inside.input(pin).is_some_and(|wire| self.is_read(child, Bit::Wire(wire, place)));
        }
        made_of(cell, pin, place).is_none_or(|made| made.into_iter().any(|bit| self.is_read(module, bit)))
    }

    fn is_read(&mut self, module: &'t str, bit: Bit<'t>) -> bool {
        if !self.seen.insert((module, bit)) {
            return false;
        }
        let Some(inside) = self.design.module(module) else { return true };
        let design = self.design;
        let of = self.modules.entry(module).or_insert_with(|| Readers::of(inside));
        let on = of.wires.get(&bit).cloned().unwrap_or_default();
        let readers = of.readers.get(&bit).cloned().unwrap_or_default();
        let Bit::Wire(wire, place) = bit else { return false };
        let leaves = inside.outputs.contains(wire) && self.is_read_outside(module, wire, place);
        leaves
            || on.into_iter().any(|wire| self.is_read(module, wire))
            || readers.into_iter().any(|(cell, pin, place)| {
                design
                    .module(module)
                    .and_then(|m| m.cells.get(cell))
                    .is_none_or(|cell| self.looks(module, cell, pin, place))
            })
    }

    /// A bit of an output port: is it read where the module is used? What leaves the whole design is.
    fn is_read_outside(&mut self, module: &'t str, wire: &'t str, place: usize) -> bool {
        let instances = self.design.instances(module);
        instances.is_empty()
            || instances.into_iter().any(|(parent, cell)| {
                let pin = wire.strip_prefix('\\').unwrap_or(wire);
                let bit = cell.pins.get(pin).and_then(|bits| bits.get(place).copied());
                bit.is_some_and(|bit| self.is_read(parent, bit))
            })
    }
}

impl<'t> Readers<'t> {
    fn of(module: &Module<'t>) -> Readers<'t> {
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
        Readers { wires, readers }
    }
}

/// The bits that a gate makes of one at its pin, or a register of one of its data; `None` if it is neither.
fn made_of<'t>(cell: &Cell<'t>, pin: &str, place: usize) -> Option<Vec<Bit<'t>>> {
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

    /// Of the child, `q` is read by the parent, `r` by nobody, and of its inputs `a` goes to `q` and `b` to `r`.
    #[test]
    fn bits_are_followed_into_instances_and_out_of_them() {
        let text = "module \\child\n  wire input 1 \\a\n  wire input 2 \\b\n  wire output 3 \\q\n  wire output 4 \\r\n  wire \\s\n  \
            cell $not $not$1\n    connect \\A \\a\n    connect \\Y \\q\n  end\n  cell $not $not$2\n    connect \\A \\b\n    \
            connect \\Y \\s\n  end\n  connect \\r \\s\nend\nmodule \\m\n  wire input 1 \\x\n  wire output 2 \\y\n  wire \\z\n  \
            cell \\child \\part\n    connect \\a \\x\n    connect \\b \\x\n    connect \\q \\y\n    connect \\r \\z\n  end\nend\n";
        let of = |pin: &str| unread(text, "part", pin, 0);
        assert_eq!(["a", "b", "q", "r"].map(of), [false, true, false, true]);
        let of = |cell: &str, pin: &str| {
            let command = format!(
                "mutate -ctrl mutation 8 1 -mode inv -module child -cell {cell} -port {pin} -portbit 0 -src m.v:3.9"
            );
            let (what, module) = (String::new(), "child".to_string());
            same(&Design::read(text).unwrap(), &Mutation { number: 1, module, command, what, place: None }).is_some()
        };
        assert_eq!([of("$not$1", "A"), of("$not$2", "A"), of("$not$2", "Y")], [false, true, true]);
    }
}
