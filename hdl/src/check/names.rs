//! Every net, and every signal that the user named, gets a name of its own.

use crate::ir::*;
use std::collections::{BTreeMap, BTreeSet};

/// Gives every net, and every signal that the user named, a name of its own; ports have theirs already.
pub(super) fn settle(b: &mut Draft) {
    let mut taken = Taken::default();
    for d in &b.def.domains {
        taken.insert(d.clock.clone());
        taken.insert(d.reset.clone());
        taken.insert(format!("{}_n", d.reset));
    }
    taken.insert(names::UNUSED.into());
    // Verilator stops where something in a module is called like it
    taken.insert(b.def.name.clone());
    check_ports(b, &mut taken);
    check_pads(b, &mut taken);
    check_pad_cells(b, &mut taken);
    name_states(b, &mut taken);
    name_memories(b, &mut taken);
    name_instances(b, &mut taken);
    name_nodes(b, &mut taken);
}

/// Names that are given, each with the last number that was put behind it.
#[derive(Default)]
struct Taken(BTreeMap<String, u32>);

impl Taken {
    fn contains(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }
    /// False if it was taken before.
    fn insert(&mut self, name: String) -> bool {
        self.0.insert(name, 0).is_none()
    }
    /// The name, with a number if it is taken.
    fn unique(&mut self, wish: &str) -> String {
        let base = names::near(wish);
        let mut name = base.clone();
        let mut n = self.0.get(&base).copied().unwrap_or(0);
        while self.contains(&name) {
            n += 1;
            name = format!("{base}_{n}");
        }
        self.0.insert(base, n);
        self.0.insert(name.clone(), 0);
        name
    }
}

const OWN_NAME: &str =
    "the module itself is called so, and Verilator takes one name for one thing; give one of the two another name";

fn check_ports(b: &mut Draft, taken: &mut Taken) {
    let ports: BTreeMap<Id, Port> = b.def.ports.iter().map(|p| (p.node, p.clone())).collect();
    for p in ports.values() {
        let loc = b.node(p.node).loc;
        let twice = ports.values().any(|q| q.name == p.name && q.node != p.node);
        let of_the_model = names::of_the_model(&p.name) || p.name == names::model_of(&b.def.name);
        if !names::usable_for_port(&p.name) || of_the_model || (taken.contains(&p.name) && !twice) {
            let low = p.name.strip_suffix("_n").filter(|reset| b.def.domains.iter().any(|d| d.reset == *reset));
            let help = match low {
                Some(reset) => format!("the reset `{reset}` is `{}` where resets are active at 0; rename the port, or the reset", p.name),
                None if p.name == b.def.name => OWN_NAME.into(),
                None if of_the_model => model_help(&p.name),
                None => "a letter, then letters, digits and underscores; no keyword of Verilog, SystemVerilog or C++, not the name of a clock or reset".into(),
            };
            b.error(loc, format!("`{}` cannot be the name of a port", p.name), vec![], Some(help));
        }
        taken.insert(p.name.clone());
    }
}

fn model_help(name: &str) -> String {
    format!("Verilator's C++ of a design has `{name}` itself; give the port another name")
}

fn check_pads(b: &mut Draft, taken: &mut Taken) {
    for pad in b.def.pads.clone() {
        let of_the_model = names::of_the_model(&pad.name) || pad.name == names::model_of(&b.def.name);
        if !names::usable_for_port(&pad.name) || of_the_model || taken.contains(&pad.name) {
            let help = "a letter, then letters, digits and underscores; no keyword of Verilog, SystemVerilog or C++, not the name of another port, a clock or a reset";
            let message = format!("`{}` cannot be the name of a port", pad.name);
            let help = match () {
                () if pad.name == b.def.name => OWN_NAME.into(),
                () if of_the_model => model_help(&pad.name),
                () => help.into(),
            };
            b.error(b.node(pad.out).loc, message, vec![], Some(help));
        }
        taken.insert(pad.name);
    }
}

/// The cells of pads have names too.
fn check_pad_cells(b: &mut Draft, taken: &mut Taken) {
    for pad in b.def.pads.clone() {
        let cell = names::pad_cell(&pad.name);
        if !taken.insert(cell.clone()) {
            let message = format!(
                "`{cell}` cannot be the name of a port: the cell of the `inout` port `{}` is called so",
                pad.name
            );
            let port = b.def.ports.iter().find(|p| p.name == cell).map(|p| p.node);
            let other = b.def.pads.iter().find(|p| p.name == cell).map(|p| p.out);
            let loc = b.node(port.or(other).unwrap_or(pad.out)).loc;
            b.error(loc, message, vec![], Some("give one of the two another name".into()));
        }
    }
}

fn name_states(b: &mut Draft, taken: &mut Taken) {
    for (e, prefix) in prefixes(&b.def.enums).into_iter().enumerate() {
        for v in &mut b.def.enums[e].variants {
            v.localparam = taken.unique(&format!("{prefix}_{}", names::shouting(&v.name)));
        }
    }
}

fn name_memories(b: &mut Draft, taken: &mut Taken) {
    for m in &mut b.def.mems {
        let wish = if m.name.is_empty() { format!("memory_l{}", m.loc.line()) } else { m.name.clone() };
        m.name = taken.unique(&wish);
    }
}

fn name_instances(b: &mut Draft, taken: &mut Taken) {
    for inst in &mut b.def.insts {
        let wish = if inst.name.is_empty() { format!("u_{}", inst.def.name) } else { inst.name.clone() };
        // Verilator warns of a signal or memory that is called like the instance around it
        let Def { ports, nodes, mems, .. } = &*inst.def;
        let names = ports.iter().map(|port| &port.name).chain(mems.iter().map(|mem| &mem.name));
        let hides = names.chain(nodes.iter().filter_map(|node| node.name.as_ref())).any(|name| *name == wish);
        inst.name = taken.unique(&if hides { format!("{wish}_unit") } else { wish });
    }
}

fn name_nodes(b: &mut Draft, taken: &mut Taken) {
    let ports: BTreeSet<Id> = b.def.ports.iter().map(|p| p.node).collect();
    for id in (0..b.def.nodes.len() as Id).filter(|id| !ports.contains(id)) {
        if let Some(wish) = wished(b, id) {
            b.def.nodes[id as usize].name = Some(taken.unique(&wish));
        }
    }
}

/// The name that a node asks for; `None` for expressions without one.
fn wished(b: &Draft, id: Id) -> Option<String> {
    let n = b.node(id);
    if n.name.is_some() {
        return n.name.clone();
    }
    let pin = |i: u32| {
        let inst = &b.def.insts[i as usize];
        let port = inst.port_of(id).map_or("pin", |p| &inst.def.ports[p].name);
        format!("{}_{port}", inst.name)
    };
    match n.op {
        Op::Net(Net::Reg(_)) => Some(match b.named_after.get(&id) {
            Some(&of) => format!("{}_s{}", delayed_base(b, of), n.stage.and_then(|s| s.at).unwrap_or(0)),
            None => format!("reg_l{}", n.loc.line()),
        }),
        Op::Net(Net::Wire) => Some(format!("wire_l{}", n.loc.line())),
        Op::Net(Net::Any(_)) => Some(format!("any_l{}", n.loc.line())),
        Op::Net(Net::PinIn(i) | Net::PinOut(i)) => Some(pin(i)),
        Op::Net(Net::MemRead(m, p)) => Some(format!("{}_q{p}", b.def.mems[m as usize].name)),
        _ => None,
    }
}

/// What a chain of delays starts from.
fn delayed_base(b: &Draft, mut id: Id) -> String {
    loop {
        let n = b.node(id);
        match (&n.name, b.named_after.get(&id), &n.op) {
            (Some(name), None, _) => return name.clone(),
            (Some(name), Some(_), _) => {
                let stage = |text: &str| !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit());
                return name
                    .rsplit_once("_s")
                    .filter(|(_, rest)| stage(rest))
                    .map_or(name.clone(), |(a, _)| a.to_string());
            }
            (None, Some(of), _) => id = *of,
            (None, None, Op::Alias(a) | Op::Slice(a, _)) => id = *a,
            _ => return format!("l{}", n.loc.line()),
        }
    }
}
