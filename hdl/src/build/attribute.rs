//! Verilog attributes of registers, by which tools are told what a register is for.

use super::store;
use crate::ir::*;
use std::panic::Location;

/// The name and the value stand in the Verilog as they are, and once.
pub(super) fn check_attribute(b: &mut Draft, given: &[(String, String)], name: &str, value: &str, loc: Loc) {
    if !names::legal(name) {
        let help = "letters, digits and underscores, not a digit first, not a keyword of Verilog";
        b.error(loc, format!("{name:?} cannot be the name of an attribute"), vec![], Some(help.into()));
    }
    if !names::quotable(value) {
        let help = "printable ASCII without quotes and backslashes";
        b.error(loc, format!("{value:?} cannot be the value of an attribute"), vec![], Some(help.into()));
    }
    if let Some((_, first)) = given.iter().find(|(known, _)| known == name) {
        b.error(loc, format!("the attribute `{name}` is \"{first}\" already"), vec![], Some("give it once".into()));
    }
}

impl Signal {
    /// A Verilog attribute of a register, such as `ASYNC_REG`; without a value if that is empty.
    #[track_caller]
    pub fn attribute(self, name: &str, value: &str) -> Signal {
        let loc = Location::caller();
        store::with(self.key, loc, |b| match b.node(self.id).op {
            Op::Net(Net::Reg(_)) => {
                let given = b.def.attributes.iter().filter(|(node, ..)| *node == self.id);
                let given: Vec<_> = given.map(|(_, name, value)| (name.clone(), value.clone())).collect();
                check_attribute(b, &given, name, value, loc);
                b.def.attributes.push((self.id, name.into(), value.into()));
            }
            Op::Poison => {}
            _ => {
                let message = format!("{} is not a register", b.describe(self.id));
                let help = b.register_help(self.id, "only registers and memories have attributes");
                b.error(loc, message, vec![], Some(help));
            }
        });
        self
    }
}
