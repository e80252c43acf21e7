//! Clock enables: parts of a module that advance only while a signal is 1.

use super::module::Module;
use super::store;
use crate::ir::*;
use std::panic::Location;

impl Module {
    /// Everything declared inside `f` advances only at edges at which `enable` (one bit) is 1: registers, delays of pipelines,
    /// synchronous read ports and write ports of memories. Resets act whatever it is. An instance inside must take the enable
    /// ([`Module::enabled_by`]), or have no clock.
    ///
    /// Properties inside are looked at, and [`Module::past`] looks back, only at edges at which the enable is 1. `enable` belongs to
    /// the clock of what it holds. In another `in_enabled`, both must be 1.
    ///
    /// ```
    /// # use hdl::{engine::Engine, sim::Simulator, *};
    /// # ports! { struct P() { input tick: Signal = bits(1), output count: Signal = bits(8) } }
    /// # #[module]
    /// # fn counter() -> Result<Design<P>, Errors> {
    /// # let m = Module::new("counter");
    /// # let io = P::new(m);
    /// let count = m.in_enabled(io.tick, || m.reg_reset(bits(8), 0));
    /// count.set(count + 1); // where it is declared counts, not where it is assigned
    /// io.count.set(count);
    /// # m.finish(io)
    /// # }
    /// let text = verilog(&counter()?, &Options::default()).single();
    /// assert!(text.contains("if (tick) count_1 <= count_1 + 8'h1;"));
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn in_enabled<R>(self, enable: Signal, f: impl FnOnce() -> R) -> R {
        let loc = Location::caller();
        if !enable.one_bit("the enable of `in_enabled`") {
            return f();
        }
        let before = store::with(self.key, loc, |b| match b.check_same(&[enable], loc) {
            true => b.begin_enabled(enable.id, loc),
            false => b.enabling.current,
        });
        let result = f();
        store::with(self.key, loc, |b| b.enabling.current = before.flatten());
        result
    }
    /// The whole module advances only while this input (one bit) is 1, as what stands in [`Module::in_enabled`]. To be said before
    /// anything that has a clock. Where an instance stands in `in_enabled`, or in a pipeline that stands, the input is connected to that
    /// enable.
    #[track_caller]
    pub fn enabled_by(self, enable: Signal) {
        let loc = Location::caller();
        if !enable.one_bit("the enable of a module") {
            return;
        }
        store::with(self.key, loc, |b| {
            if !b.check_same(&[enable], loc) {
                return;
            }
            let Some(port) = b.def.ports.iter().position(|p| p.input && p.node == enable.id) else {
                let message = format!("{} is not an input of this module", b.describe(enable.id));
                return b.error(loc, message, vec![], Some("the enable of a module is a port".into()));
            };
            if b.has_clocked() || b.enabling.current.is_some() || b.def.advance_is_all {
                let message = "`enabled_by` does not stand before all that has a clock".to_string();
                let help = "say it once, behind the declaration of the ports";
                return b.error(loc, message, vec![], Some(help.into()));
            }
            (b.def.advance, b.def.advance_is_all) = (Some(port as u32), true);
            b.begin_enabled(enable.id, loc);
        });
    }
}
