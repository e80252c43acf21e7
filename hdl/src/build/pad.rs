//! Ports of both directions.

use super::bundle::Bundle;
use super::module::Module;
use super::naming::{Nameable, name_fields};
use super::signal::bits;
use super::store;
use crate::ir::*;
use std::panic::Location;

/// A port of both directions, as the logic of a module sees it: what it drives, whether it does, and what it sees. Declared as
/// `inout` in [`ports!`](crate::ports!).
///
/// The Verilog of the top module has one `inout` port, with a pad cell for each bit: which, says
/// [`Options::pads`](crate::Options). Everything else has three ports, called `sda_out`, `sda_enable` and `sda_in` for an `sda`: an
/// instance passes them on to an `inout` port of the module around it (`io.sda.set(unit.sda)`), or that module uses them itself; a
/// test drives and reads them, and plays the wire. So a wire inside a design has never more than one driver.
///
/// ```
/// # use hdl::{engine::Engine, sim::Simulator, *};
/// ports! {
///     struct P() {
///         input pull: Signal = bits(1),
///         output seen: Signal = bits(1),
///         /// data of the bus
///         inout sda: Pad = pad(1),
///     }
/// }
/// # #[module]
/// # fn example() -> Result<Design<P>, Errors> {
/// # let m = Module::new("example");
/// # let io = P::new(m);
/// io.sda.open_drain(io.pull); // or `out` and `enable` on their own
/// io.seen.set(io.sda.input);
/// # m.finish(io)
/// # }
/// let design = example()?;
/// let text = verilog(&design, &Options::default()).single();
/// assert!(text.contains("inout  wire sda") && text.contains("assign sda = sda_enable ? sda_out : 1'bz;"));
/// let mut sim = Simulator::new(&design);
/// let [pull, enable, seen] = ["pull", "sda_enable", "sda_in"].map(|name| sim.port(name).unwrap());
/// sim.poke(pull, 1);
/// assert_eq!(sim.peek(enable), 1);
/// sim.poke(seen, 0); // what the wire is then
/// # Ok::<(), Errors>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Pad {
    /// What the module drives, where `enable` is 1.
    pub out: Signal,
    /// As wide as `out`: for each bit, the module drives it.
    pub enable: Signal,
    /// What the wire is, whoever drives it.
    pub input: Signal,
}

/// The shape of a port of both directions, with so many bits.
pub fn pad(width: u32) -> Pad {
    Pad { out: bits(width), enable: bits(width), input: bits(width) }
}

impl Bundle for Pad {
    fn each(&self, f: &mut dyn FnMut(&str, bool, Signal)) {
        f("out", false, self.out);
        f("enable", false, self.enable);
        f("in", true, self.input);
    }
    fn map(&self, f: &mut dyn FnMut(&str, bool, Signal) -> Signal) -> Self {
        Pad {
            out: f("out", false, self.out),
            enable: f("enable", false, self.enable),
            input: f("in", true, self.input),
        }
    }
}

impl Nameable for Pad {
    fn take_name(&self, name: &str) {
        name_fields(self, name);
    }
}

impl Pad {
    /// Pulls the bits down that are 1 in `low`, and leaves the others to the resistor and to whoever pulls them down too.
    #[track_caller]
    pub fn open_drain(&self, low: Signal) {
        self.out.set(0);
        self.enable.set(low);
    }
}

impl Module {
    /// Declares a port of both directions, for [`ports!`](crate::ports!).
    #[track_caller]
    pub fn inout(self, name: &str, doc: &str, shape: Pad) -> Pad {
        let pad = self.port(name, doc, false, shape);
        store::with(self.key, Location::caller(), |b| {
            let name = name.to_string();
            let (out, enable, input) = (pad.out.id, pad.enable.id, pad.input.id);
            b.def.pads.push(PadDef { name, width: pad.out.width, out, enable, input });
        });
        pad
    }
}
