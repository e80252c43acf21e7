//! Mutants that do the same as the design whatever the design is: what is seen at the cell of the mutation alone.

use super::cells::{Cell, Design, Module, Target};
use super::place::Mutation;

/// The mutation, and the module of its cell.
struct At<'a> {
    design: &'a Design<'a>,
    target: Target<'a>,
    module: &'a Module<'a>,
}

/// Why the mutation changes nothing, if a rule says so.
pub(super) fn same<'a>(design: &'a Design<'a>, mutation: &'a Mutation) -> Option<&'static str> {
    let target = Target::of(mutation)?;
    let module = design.module(target.module)?;
    module.cells.get(target.cell)?;
    let at = At { design, target, module };
    at.not_specified()
        .or(at.stuck_at_its_value())
        .or(at.never_inverted())
        .or(at.not_looked_at())
        .or(at.differs_either_way())
        .or(at.decided_by_another_bit())
}

impl<'a> At<'a> {
    fn cell(&self) -> &Cell<'a> {
        &self.module.cells[self.target.cell]
    }

    /// The value of a bit of a pin that is a constant.
    fn constant(&self, pin: &str, bit: usize) -> Option<char> {
        self.design.constant(self.module, self.cell(), pin, bit)
    }

    /// The value of the deciding bit with which the pin is inverted.
    fn active(&self) -> Option<char> {
        match self.target.mode {
            "cnot0" => Some('0'),
            "cnot1" => Some('1'),
            _ => None,
        }
    }

    fn not_specified(&self) -> Option<&'static str> {
        (self.constant(self.target.pin, self.target.bit)? == 'x').then_some("a bit that may be anything")
    }

    fn stuck_at_its_value(&self) -> Option<&'static str> {
        let value = self.constant(self.target.pin, self.target.bit)?;
        let stuck = match self.target.mode {
            "const0" => '0',
            "const1" => '1',
            _ => return None,
        };
        (value == stuck).then_some("a constant stuck at its value")
    }

    fn never_inverted(&self) -> Option<&'static str> {
        let value = self.constant(self.target.pin, self.target.decides)?;
        let never = value != self.active()? && "01".contains(value);
        never.then_some("inverted with a constant that never has that value")
    }

    fn not_looked_at(&self) -> Option<&'static str> {
        let asynchronous = self.cell().kind.starts_with("$memrd")
            && self.cell().parameters.get("CLK_ENABLE").is_some_and(|enable| !enable.ends_with('1'));
        let clocked = ["CLK", "EN"].contains(&self.target.pin);
        (asynchronous && clocked).then_some("the clock of a read without a clock")
    }

    /// `a == 5` with a bit of `a` inverted only where another bit of it is not that of 5.
    fn differs_either_way(&self) -> Option<&'static str> {
        let other = match self.target.pin {
            "A" => "B",
            "B" => "A",
            _ => return None,
        };
        let narrow = ["A_WIDTH", "B_WIDTH"].map(|name| self.cell().parameters.get(name).and_then(|n| n.parse().ok()));
        let [Some(a), Some(b)]: [Option<usize>; 2] = narrow else { return None };
        let compares = ["$eq", "$ne"].contains(&self.cell().kind)
            && self.target.decides < a.min(b)
            && self.target.decides != self.target.bit;
        let value = self.constant(other, self.target.decides)?;
        let differs = compares && self.active()? != value && "01".contains(value);
        differs.then_some("inverted only while another bit differs from the constant that it is compared with")
    }

    /// `|a` with a bit of `a` inverted only where another bit of it is 1, `&a` where another one is 0.
    fn decided_by_another_bit(&self) -> Option<&'static str> {
        let decides = match self.cell().kind {
            "$reduce_or" | "$reduce_bool" | "$logic_not" | "$logic_and" | "$logic_or" => '1',
            "$reduce_and" => '0',
            _ => return None,
        };
        let of_input = ["A", "B"].contains(&self.target.pin) && self.target.decides != self.target.bit;
        (of_input && self.active()? == decides).then_some("inverted only while another bit decides")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "module \\other\n  cell $ne $ne$1\n    connect \\A 2'11\n  end\nend\nmodule \\m\n  wire width 4 \\count\n  wire \\valid\n  \
        cell $ne $ne$1\n    parameter \\A_WIDTH 4\n    parameter \\B_WIDTH 4\n    connect \\A \\count\n    connect \\B 4'0101\n  end\n  \
        cell $add $add$2\n    connect \\A { 3'010 \\valid }\n    connect \\B { \\count [2:1] \\valid 1'1 }\n  end\n  \
        cell $memrd $memrd$3\n    parameter \\CLK_ENABLE 0\n    connect \\CLK 1'x\n    connect \\ADDR { 2'x0 \\valid }\n  end\n  \
        wire width 2 \\one\n  wire width 3 \\two\n  cell $dff $dff$4\n    parameter \\WIDTH 2\n    connect \\D { 1'1 \\valid }\n    \
        connect \\Q \\one\n  end\n  cell $dff $dff$5\n    parameter \\WIDTH 3\n    connect \\D { \\one [1:0] \\valid }\n    \
        connect \\Q \\two\n  end\n  cell $dffe $dffe$6\n    connect \\D \\two\n    connect \\Q \\count\n  end\nend\n";

    fn same(command: &str) -> bool {
        let command = format!("mutate -ctrl mutation 8 1 -mode {command} -src m.v:3.9-3.31");
        let mutation = Mutation { number: 1, module: "m".into(), command, what: String::new(), place: None };
        super::same(&Design::read(TEXT).unwrap(), &mutation).is_some()
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
    fn registers_that_take_nothing_but_a_constant_are_one() {
        let inverted = |mode: &str, cell: &str, by| {
            same(&format!("{mode} -module m -cell {cell} -port D -portbit 0 -ctrlbit {by}"))
        };
        assert!(inverted("cnot0", "$dff$5", 2) && !inverted("cnot1", "$dff$5", 2) && !inverted("cnot0", "$dff$5", 1));
        assert!(inverted("cnot0", "$dffe$6", 2), "through two registers");
        // with an enable it may still have what it began with
        let text = TEXT.replace("cell $dff $dff$4", "cell $dffe $dff$4");
        let design = Design::read(&text).unwrap();
        let module = design.module("m").unwrap();
        assert_eq!(design.constant(module, &module.cells["$dffe$6"], "D", 2), None);
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

    #[test]
    fn a_bit_beside_one_that_decides_is_not_looked_at() {
        for (kind, mode) in [("$reduce_or", "cnot1"), ("$logic_not", "cnot1"), ("$reduce_and", "cnot0")] {
            let text = format!("module \\m\n  wire width 3 \\a\n  cell {kind} $1\n    connect \\A \\a\n  end\nend\n");
            let design = Design::read(&text).unwrap();
            let same = |mode: &str, pin: &str, bit, by| {
                let command =
                    format!("mutate -mode {mode} -module m -cell $1 -port {pin} -portbit {bit} -ctrlbit {by}");
                let mutation = Mutation { number: 1, module: "m".into(), command, what: String::new(), place: None };
                super::same(&design, &mutation).is_some()
            };
            let other = if mode == "cnot1" { "cnot0" } else { "cnot1" };
            assert!(same(mode, "A", 0, 2) && !same(other, "A", 0, 2), "{kind}");
            assert!(!same(mode, "A", 1, 1) && !same(mode, "Y", 0, 1) && !same("inv", "A", 0, 2), "{kind}");
        }
    }

    #[test]
    fn what_an_instance_gives_may_be_a_constant() {
        let text = "module \\child\n  wire width 3 output 1 \\size\n  wire \\a\n  connect \\size { 2'01 \\a }\nend\nmodule \\middle\n  \
            wire width 3 output 1 \\size\n  cell \\child \\part\n    connect \\size \\size\n  end\nend\nmodule \\m\n  \
            wire width 3 \\size\n  cell \\middle \\part\n    connect \\size \\size\n  end\n  cell $mux $mux$1\n    \
            connect \\A 32'x\n  end\nend\n";
        let same = |command: &str| {
            let command = format!("mutate -ctrl mutation 8 1 -mode {command} -src m.v:3.9-3.31");
            let mutation = Mutation { number: 1, module: "m".into(), command, what: String::new(), place: None };
            super::same(&Design::read(text).unwrap(), &mutation).is_some()
        };
        let given = |mode: &str, bit| same(&format!("{mode} -module m -cell part -port size -portbit {bit}"));
        assert_eq!(
            [given("const0", 2), given("const1", 1), given("const0", 1), given("const0", 0)],
            [true, true, false, false]
        );
        assert!(same("cnot0 -module m -cell part -port size -portbit 2 -ctrlbit 1"));
        assert!(same("inv -module m -cell $mux$1 -port A -portbit 31"), "one digit for all bits");
    }
}
