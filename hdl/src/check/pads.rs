//! Ports of both directions of instances: their three signals go on to a pad of this module, or are used here.

use crate::ir::walk::Drivers;
use crate::ir::*;

/// The pad of an instance whose signal `pin` is, picked by `part`.
fn pad_of(def: &Def, inst: u32, pin: Id, part: impl Fn(&PadDef) -> Id) -> Option<&PadDef> {
    let inst = &def.insts[inst as usize];
    let at = inst.port_of(pin)?;
    inst.def.pads.iter().find(|pad| part(pad) == inst.def.ports[at].node)
}

fn help(inst: &str, pad: &str) -> String {
    format!(
        "give this module an `inout` port too, and connect all of it: `io.{pad}.set({inst}.{pad})`; or use `out` and `enable` here, and set `input`"
    )
}

/// Reports an input of an instance that is not connected, if it is what a pad sees.
pub(super) fn report_unconnected(b: &mut Draft, inst: u32, pin: Id) -> bool {
    let Some(pad) = pad_of(&b.def, inst, pin, |pad| pad.input).map(|pad| pad.name.clone()) else {
        return false;
    };
    let name = b.def.insts[inst as usize].name.clone();
    let message = format!("the `inout` port `{pad}` of instance `{name}` is not connected");
    b.error(b.node(pin).loc, message, vec![], Some(help(&name, &pad)));
    true
}

/// Reports instances that would drive a wire of both directions which nothing of their enable reaches.
pub(super) fn check_used(b: &mut Draft, drivers: &Drivers) {
    let read = walk::read_nodes(&b.def, drivers);
    let mut found = vec![];
    for inst in &b.def.insts {
        let pin = |node: Id| inst.def.ports.iter().position(|p| p.node == node).map(|at| inst.pins[at]);
        for pad in &inst.def.pads {
            let (Some(enable), Some(input)) = (pin(pad.enable), pin(pad.input)) else { continue };
            if !read.contains(&enable) && drivers.contains_key(&input) {
                found.push((b.node(enable).loc, inst.name.clone(), pad.name.clone()));
            }
        }
    }
    for (loc, inst, pad) in found {
        let message = format!("instance `{inst}` drives its `inout` port `{pad}`, but its `enable` is never used");
        b.error(loc, message, vec![], Some(help(&inst, &pad)));
    }
}
