//! Registers after their declaration: enable, and what resets them.

use super::number::Value;
use super::store;
use crate::ir::*;
use std::panic::Location;

impl Signal {
    /// A register holds unless `enable` is 1 (its reset still applies). A delay of a pipeline, such as
    /// [`next`](crate::Staged::next) gives, has no enable of its own: it stands as its pipeline does.
    #[track_caller]
    pub fn enable(self, enable: Signal) -> Signal {
        let loc = Location::caller();
        if self.same_module(enable) && enable.one_bit("the enable of a register") {
            store::with(self.key, loc, |b| match b.node(self.id).op {
                Op::Net(Net::Reg(_)) => b.set_enable(self.id, enable.id, loc),
                _ => {
                    let message = format!("{} is not a register", b.describe(self.id));
                    b.error(loc, message, vec![], Some(b.register_help(self.id, "only registers have an enable")));
                }
            });
        }
        self
    }
    /// A register takes `value` as soon as `reset` is 1, whatever its clock does and whatever [`Options::reset`](crate::Options)
    /// says, and keeps it until the first clock edge at which `reset` is 0. The register has no other reset.
    ///
    /// For what resets itself when a clock may stand still, such as a reset synchronizer. `reset` belongs to the clock of the
    /// register, or is brought to it with [`cross`](crate::Module::cross). It is a port or a register, the complement or a bit of one,
    /// or an OR of these; other logic is an error, since every glitch counts.
    /// The built-in simulator looks at it at clock edges and when something is peeked; one that came and went between
    /// leaves no trace.
    #[track_caller]
    pub fn asynchronous_reset(self, reset: Signal, value: impl Value<Signal>) -> Signal {
        let loc = Location::caller();
        let value = value.like(&self);
        if !self.same_module(reset) || !reset.one_bit("the reset of a register") {
            return self;
        }
        store::with(self.key, loc, |b| {
            let Op::Net(Net::Reg(r)) = b.node(self.id).op else {
                let message = format!("{} is not a register", b.describe(self.id));
                return b.error(loc, message, vec![], Some(b.register_help(self.id, "only registers have a reset")));
            };
            let method = format!(".asynchronous_reset({}, 0)", b.rust(reset.id, "reset"));
            if b.is_delay(self.id, "has no reset of its own", &method, loc) {
                return;
            }
            b.check_outside(reset.id, "an asynchronous reset", loc);
            let reg = &b.def.regs[r as usize];
            if reg.reset.is_some() || reg.async_reset.is_some() {
                let message = format!("{} has a reset already", b.describe(self.id));
                let help = if reg.reset.is_some() {
                    "make it with `reg`, not with `reg_reset`"
                } else {
                    "join the two with `|`"
                };
                return b.error(loc, message, vec![], Some(help.into()));
            }
            let value = b.reset_value(value.id, loc);
            if let (Some(of), Some(code)) = (b.state_registers.get(&self.id).map(Enum::new), &value)
                && of.with_code(code).is_none()
            {
                let message = format!("{} is reset to {code}, which is no state of `{}`", b.describe(self.id), of.name);
                let help = format!("the code of a state: `m.lit_state({}::{}).code()`", of.name, of.variants[0].name);
                return b.error(loc, message, vec![], Some(help));
            }
            b.def.regs[r as usize].async_reset = value.map(|value| (reset.id, value));
        });
        self
    }
}
