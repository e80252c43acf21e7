//! Verilog attributes of registers, by which tools are told what a register is for.

use super::store;
use crate::ir::*;
use std::panic::Location;

impl Signal {
    /// A Verilog attribute of a register, such as `ASYNC_REG`; without a value if that is empty.
    #[track_caller]
    pub fn attribute(self, name: &str, value: &str) -> Signal {
        let loc = Location::caller();
        store::with(self.key, loc, |b| match b.node(self.id).op {
            Op::Net(Net::Reg(_)) => b.def.attributes.push((self.id, name.into(), value.into())),
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
