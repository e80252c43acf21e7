//! A finished module, as the user holds it.

mod constraints;
mod crossings;
mod outline;
mod ports;

pub use constraints::{constraints, vivado_constraints};
pub use crossings::Crossing;
pub use ports::{PortInfo, PortRow, Ports};

use crate::ir::*;
use rustc_hash::FxHashSet as HashSet;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A finished module: checked, immutable, instantiated any number of times. `P` is the struct of its ports.
///
/// ```
/// # use hdl::*;
/// # ports! { struct P() { input a: Signal = bits(8), output y: Signal = bits(8) } }
/// #[module]
/// fn invert() -> Result<Design<P>, Errors> {
///     let m = Module::new("invert");
///     let io = P::new(m);
///     io.y.set(!io.a);
///     m.finish(io)
/// }
///
/// let design = invert()?;
/// assert_eq!((design.name(), design.port_list().len()), ("invert", 2));
/// assert_eq!(design.combinational_paths(), [("a", "y")]);
/// # Ok::<(), Errors>(())
/// ```
#[derive(Clone)]
pub struct Design<P> {
    pub(crate) def: Arc<Def>,
    /// The ports: to connect in a parent through [`Module::instance`](crate::Module::instance), to drive in a test through an engine.
    pub ports: P,
}

impl<P> std::fmt::Debug for Design<P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Design({})", self.def.name)
    }
}

impl<P> Design<P> {
    /// Name of the module.
    pub fn name(&self) -> &str {
        &self.def.name
    }
    /// Cycles from inputs to outputs, if stated with [`Module::latency`](crate::Module::latency).
    pub fn latency(&self) -> Option<u32> {
        self.def.latency
    }
    /// Where a signal of [`Design::ports`] stands among the ports: the index that an [`Engine`](crate::engine::Engine)
    /// knows it by. `None` for a signal that is no port of this module.
    pub fn port_index(&self, port: Signal) -> Option<usize> {
        self.def.ports.iter().position(|p| port.key == self.def.key && p.node == port.id)
    }
    /// Name of the port with this index.
    ///
    /// # Panics
    /// If there is no such port.
    pub fn port_name(&self, index: usize) -> &str {
        &self.def.ports[index].name
    }
    /// The ports for people: a table with their docs. Clocks and resets are apart, in [`Design::clocks`].
    pub fn port_table(&self) -> impl ExactSizeIterator<Item = PortRow<'_>> {
        self.def.ports.iter().map(|p| {
            let Port { name, doc, width, input, .. } = p;
            PortRow { name, width: *width, input: *input, pad: self.pad_of(p), doc }
        })
    }
    /// The port of both directions that a port is a part of.
    fn pad_of(&self, port: &Port) -> Option<&str> {
        let of = |pad: &&PadDef| [pad.out, pad.enable, pad.input].contains(&port.node);
        self.def.pads.iter().find(of).map(|pad| pad.name.as_str())
    }
    /// Names of the clocks, each with the reset that belongs to it if some register needs one.
    pub fn clocks(&self) -> impl Iterator<Item = (&str, Option<&str>)> {
        self.def.clocks.iter().map(|(d, reset)| (d.clock.as_str(), reset.then_some(d.reset.as_str())))
    }
    /// What was said with [`Module::doc`](crate::Module::doc).
    pub fn doc(&self) -> &str {
        &self.def.doc
    }
    /// The design without the type of its ports: for lists of different designs.
    pub fn erase(self) -> Design<()> {
        Design { def: self.def, ports: () }
    }
    /// All ports but clocks and resets.
    pub fn port_list(&self) -> Vec<PortInfo> {
        PortInfo::of(&self.def)
    }
    /// The paths from an input port to an output port without a register between them, as pairs of names.
    pub fn combinational_paths(&self) -> Vec<(&str, &str)> {
        let name = |index: &u32| self.port_name(*index as usize);
        self.def.comb.iter().flat_map(|(to, from)| from.iter().map(move |f| (name(f), name(to)))).collect()
    }
    /// Registers without reset of which an enable or a condition depends on what they hold, at once or through others without reset;
    /// within one module, here and in all modules below; as pairs of module and register. (Ways through other modules and through
    /// memories are not followed.) Most such registers are harmless: while they mean nothing, something that has a reset says so. One
    /// of which nothing says so can hang for ever after some power-ups, whatever the reset does. So look at each, or reset it.
    pub fn loops_without_reset(&self) -> Vec<(String, String)> {
        let (mut todo, mut seen, mut found) = (vec![&self.def], HashSet::default(), BTreeSet::new());
        while let Some(def) = todo.pop() {
            if seen.insert(Arc::as_ptr(def)) {
                let name = |id: &Id| def.nodes[*id as usize].name.clone().unwrap_or_default();
                found.extend(def.loops.iter().map(|id| (def.name.clone(), name(id))));
                todo.extend(def.insts.iter().map(|inst| &inst.def));
            }
        }
        found.into_iter().collect()
    }
    /// The same design without properties, also in all modules below: for a proof that asks something else of it.
    #[must_use]
    pub fn without_properties(self) -> Design<P> {
        Design { def: silent(&self.def), ports: self.ports }
    }
    /// The properties of this module, without those of its instances.
    pub fn properties(&self) -> Vec<Property> {
        self.def.props.iter().map(Prop::public).collect()
    }
}

/// A module without properties, and those below it.
fn silent(def: &Arc<Def>) -> Arc<Def> {
    let mut def = Def::clone(def);
    def.props.clear();
    def.insts.iter_mut().for_each(|inst| inst.def = silent(&inst.def));
    Arc::new(def)
}
