//! Where signals go from clock to clock on purpose.

use super::Design;
use crate::ir::*;

/// A place where a signal goes to another clock on purpose: from [`Design::crossings`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Crossing {
    /// The instance in which it stands, such as `core.entry`; empty for the module itself.
    pub instance: String,
    /// What crosses: the register, port or expression, or the memory, by its name in that instance.
    pub signal: String,
    /// Bits that cross together, such as a number in gray code; 0 for the words of a memory, which stand still when they are read.
    pub width: u32,
    /// The clock port of the top module that it comes from; `None` where it is no matter of clocks (an input without one,
    /// a constant).
    pub from: Option<String>,
    /// The input of the top module that it comes from, if that belongs to no clock.
    pub port: Option<String>,
    /// The clock port of the top module that it goes to.
    pub to: String,
    /// Why nothing can go wrong, in the words of the module.
    pub reason: String,
}

impl<P> Design<P> {
    /// All declared crossings between clocks, of this module and of those below it.
    pub fn crossings(&self) -> Vec<Crossing> {
        let mut found = vec![];
        let clocks: Vec<String> = self.def.domains.iter().map(|d| d.clock.clone()).collect();
        // an input that no clock takes up directly
        let free = |p: &Port| (p.input && p.domain.is_none_or(|d| d == ASYNCHRONOUS)).then(|| p.name.clone());
        let inputs: Vec<Arrival> = self.def.ports.iter().map(|p| Arrival { clock: None, port: free(p) }).collect();
        collect(&self.def, "", &clocks, &inputs, &mut found);
        found
    }
}

/// Where the input of an instance comes from.
#[derive(Clone, Default)]
struct Arrival {
    /// A clock port of the top module.
    clock: Option<String>,
    /// An input of the top module that belongs to no clock.
    port: Option<String>,
}

/// The crossings of a module whose domains are driven by these clock ports of the top, and whose inputs come from those.
fn collect(def: &Def, path: &str, clocks: &[String], inputs: &[Arrival], found: &mut Vec<Crossing>) {
    let arrival = |origin: Origin| match origin {
        Origin::None => Arrival::default(),
        Origin::Domain(d) => Arrival { clock: Some(clocks[d as usize].clone()), port: None },
        Origin::Input(port) => inputs.get(port as usize).cloned().unwrap_or_default(),
    };
    for c in &def.crossings {
        let Arrival { clock: from, port } = arrival(c.from);
        found.push(Crossing {
            instance: path.trim_end_matches('.').to_string(),
            signal: match c.what {
                Crosser::Signal { from, .. } => named_source(def, from),
                Crosser::Memory(m) => def.mems[m as usize].name.clone(),
            },
            width: match c.what {
                Crosser::Signal { from, .. } => def.nodes[from as usize].width,
                Crosser::Memory(_) => 0,
            },
            from,
            port,
            to: clocks[c.to as usize].clone(),
            reason: c.reason.clone(),
        });
    }
    for inst in &def.insts {
        let inner: Vec<String> = inst.domains.iter().map(|d| clocks[*d as usize].clone()).collect();
        let arriving: Vec<Arrival> = inst.arriving.iter().map(|origin| arrival(*origin)).collect();
        collect(&inst.def, &format!("{path}{}.", inst.name), &inner, &arriving, found);
    }
}

/// The name of a signal, or of the first named one that it is computed from.
fn named_source(def: &Def, mut id: Id) -> String {
    loop {
        let node = &def.nodes[id as usize];
        match (&node.name, node.op.operands().first()) {
            (Some(name), _) => return name.clone(),
            (None, Some(first)) => id = *first,
            (None, None) => return String::new(),
        }
    }
}
