//! The hierarchy as one netlist: every instance's nodes are copied, pins become aliases, statements become
//! expressions, and what a register or a memory holds becomes a source.

use super::netlist::{AsyncReset, Flat, FlatMem, FlatNode, FlatProp, Netlist, Next, Node, State, Write};
use super::stmts;
use crate::engine::PortInfo;
use crate::ir::{BinOp, Def, Domain, Id, Net, Op, PropertyKind, UnOp};
use num_bigint::BigUint;
use std::sync::Arc;

/// An instance to be copied: its nodes are `base..`.
struct Todo<'a> {
    def: &'a Def,
    base: Node,
    prefix: String,
    /// For each domain of `def`, that of the netlist (if anything uses it).
    domains: Vec<u32>,
    /// For each domain of `def`, what resets it, if that is no port of the top.
    resets: Vec<Option<Node>>,
}

/// Flattens the design below `top`. Node `i` of the result is node `i` of `top` for all of its nodes.
pub(super) fn flatten(top: &Arc<Def>) -> Netlist {
    let mut net = Netlist::default();
    let base = reserve(&mut net, top);
    for port in &top.ports {
        let source = net.source(port.width);
        if port.input {
            net.nodes[port.node as usize].op = Flat::Source(source);
        }
    }
    for (domain, _) in &top.clocks {
        net.domain(domain);
    }
    let index = |d: &Domain| net.domains.iter().position(|x| x == d).map_or(u32::MAX, |i| i as u32);
    let domains: Vec<u32> = top.domains.iter().map(index).collect();
    let resets = vec![None; domains.len()];
    let mut todo = vec![Todo { def: top, base, prefix: String::new(), domains, resets }];
    while let Some(item) = todo.pop() {
        copy_instance(&mut net, item, &mut todo);
    }
    // an edge is said with a bit for each clock
    if !net.async_reset.is_empty() {
        net.between = Some(net.domain(&Domain { clock: String::new(), reset: String::new() }));
    }
    for register in std::mem::take(&mut net.async_reset) {
        reset_asynchronously(&mut net, register);
    }
    net
}

/// A register shows its reset value while its reset is 1, and from then on to the next edge of its own clock, also if only other
/// clocks have edges meanwhile: at such an edge, a mark of that clock becomes different from its copy in the register's clock.
fn reset_asynchronously(net: &mut Netlist, r: AsyncReset) {
    let mut resets = r.reset;
    for other in (0..net.domains.len() as u32).filter(|domain| *domain != r.domain) {
        let [mark, copy] = [other, r.domain].map(|domain| {
            let at = net.push(Flat::Const(BigUint::ZERO), 1);
            let source = add_state(net, 1, domain, None, Next::Node(at));
            net.nodes[at as usize].op = Flat::Source(source);
            let state = net.states.len() - 1;
            net.states[state].begins_as_0 = true;
            (at, state)
        });
        let differ = net.push(Flat::Bin(BinOp::Xor, mark.0, copy.0), 1);
        let inverted = net.push(Flat::Un(UnOp::Not, copy.0), 1);
        let next = net.push(Flat::Mux(r.reset, inverted, mark.0), 1);
        net.states[mark.1].next = Next::Node(next);
        net.states[copy.1].next = Next::Node(mark.0);
        resets = net.push(Flat::Bin(BinOp::Or, resets, differ), 1);
    }
    net.nodes[r.shown as usize].op = Flat::Mux(resets, r.value, r.held);
}

/// Makes room for the nodes of an instance. Undriven nets stay at 0.
fn reserve(net: &mut Netlist, def: &Def) -> Node {
    let base = net.nodes.len() as Node;
    net.nodes.extend(def.nodes.iter().map(|n| FlatNode { op: Flat::Const(BigUint::ZERO), width: n.width }));
    base
}

fn copy_instance<'a>(net: &mut Netlist, mut item: Todo<'a>, todo: &mut Vec<Todo<'a>>) {
    clocks_from_inside(net, &mut item);
    copy_nodes(net, &item);
    copy_children(net, &item, todo);
    copy_properties(net, &item);
    let Todo { def, base, prefix, domains, resets } = item;
    copy_mems(net, def, base, &domains, &prefix);
    copy_stmts(net, def, base, &domains, &resets);
}

/// Clocks and resets that the module makes itself.
fn clocks_from_inside(net: &mut Netlist, item: &mut Todo) {
    let Todo { def, base, prefix, domains, resets } = item;
    for inside in &def.inside {
        let domain = inside.domain as usize;
        if inside.clock.is_some_and(|_| inside.needed.0) {
            let Domain { clock, reset } = &def.domains[domain];
            domains[domain] =
                net.domain(&Domain { clock: format!("{prefix}{clock}"), reset: format!("{prefix}{reset}") });
        }
        resets[domain] = inside.reset.map(|reset| *base + reset).or(resets[domain]);
    }
}

fn copy_nodes(net: &mut Netlist, item: &Todo) {
    let Todo { def, base, prefix, domains, resets } = item;
    for (i, node) in def.nodes.iter().enumerate() {
        let at = *base as usize + i;
        if let Some(op) = copy_op(def, &node.op, *base) {
            net.nodes[at].op = op;
        }
        if let Op::Net(Net::Reset(d)) = node.op {
            net.nodes[at].op = match resets[d as usize] {
                Some(reset) => Flat::Alias(reset),
                None => Flat::Source(net.resets[domains[d as usize] as usize]),
            };
        }
        if let (Op::Net(Net::Any(_)), Some(name)) = (&node.op, &node.name) {
            net.free.push(PortInfo::new(format!("{prefix}{name}"), node.width, true));
            net.nodes[at].op = Flat::Source(net.source(node.width));
        }
        if let Some(name) = &node.name
            && !matches!(node.op, Op::Const(_) | Op::Variant(..) | Op::Poison)
        {
            net.names.push((format!("{prefix}{name}"), at as Node));
        }
    }
}

fn copy_children<'a>(net: &mut Netlist, item: &Todo<'a>, todo: &mut Vec<Todo<'a>>) {
    for inst in &item.def.insts {
        let (def, inner_domains) = inst.simulated();
        let child = reserve(net, def);
        for (port, pin) in def.ports.iter().zip(&inst.pins) {
            let (inner, outer) = (child + port.node, item.base + pin);
            let (to, from) = if port.input { (inner, outer) } else { (outer, inner) };
            net.nodes[to as usize].op = Flat::Alias(from);
        }
        let prefix = format!("{}{}.", item.prefix, inst.name);
        let resets = inner_domains.iter().map(|outer| outer.and_then(|o| item.resets[o as usize])).collect();
        let domain = |outer: Option<u32>| outer.map_or(u32::MAX, |o| item.domains[o as usize]);
        let domains = inner_domains.into_iter().map(domain).collect();
        todo.push(Todo { def, base: child, prefix, domains, resets });
    }
}

fn copy_properties(net: &mut Netlist, item: &Todo) {
    for p in &item.def.props {
        let (domain, instance) = (item.domains[p.domain as usize], item.prefix.trim_end_matches('.').to_string());
        let reset = item.resets[p.domain as usize];
        let cond = match reset {
            Some(reset) => out_of_reset(net, item.base + p.cond, reset, p.kind),
            None => item.base + p.cond,
        };
        let by_reset_port = reset.is_none();
        net.props.push(FlatProp { cond, domain, by_reset_port, property: p.public(), instance });
    }
}

/// A property is not looked at while a signal resets its domain.
fn out_of_reset(net: &mut Netlist, cond: Node, reset: Node, kind: PropertyKind) -> Node {
    let quiet = net.push(Flat::Const(u32::from(kind != PropertyKind::Cover).into()), 1);
    net.push(Flat::Mux(reset, quiet, cond), 1)
}

/// `None` for nets: they get their value from elsewhere.
fn copy_op(def: &Def, op: &Op, base: Node) -> Option<Flat> {
    Some(match op {
        Op::Net(_) => return None,
        Op::Const(value) => Flat::Const(value.clone()),
        Op::Variant(e, v) => Flat::Const(def.enums[*e as usize].variants[*v as usize].code.clone()),
        Op::Poison => Flat::Const(BigUint::ZERO),
        Op::Alias(a) => Flat::Alias(base + a),
        Op::Un(op, a) => Flat::Un(*op, base + a),
        Op::Bin(op, a, b) => Flat::Bin(*op, base + a, base + b),
        Op::Mux(c, a, b) => Flat::Mux(base + c, base + a, base + b),
        Op::Slice(a, lo) => Flat::Slice(base + a, *lo),
        Op::Part(a, at) => Flat::Part(base + a, base + at),
        Op::Cat(parts) => Flat::Cat(parts.iter().map(|p| base + p).collect()),
        Op::Repeat(a, n) => Flat::Repeat(base + a, *n),
    })
}

fn copy_mems(net: &mut Netlist, def: &Def, base: Node, domains: &[u32], prefix: &str) {
    for mem in &def.mems {
        let index = net.mems.len() as u32;
        let name = format!("{prefix}{}", mem.name);
        net.mems.push(FlatMem { name, width: mem.width, depth: mem.depth, init: mem.init.clone() });
        for port in &mem.reads {
            let (addr, data) = (base + port.addr, (base + port.data) as usize);
            net.nodes[data].op = if port.sync {
                let next = Next::Read { mem: index, addr, enable: port.enable.map(|e| base + e) };
                Flat::Source(add_state(net, mem.width, domains[port.domain as usize], None, next))
            } else {
                Flat::Read(index, addr)
            };
        }
        for port in &mem.writes {
            let (addr, data, mask) = (base + port.addr, base + port.data, base + port.mask);
            net.writes.push(Write { mem: index, addr, data, mask, domain: domains[port.domain as usize] });
        }
    }
}

fn copy_stmts(net: &mut Netlist, def: &Def, base: Node, domains: &[u32], resets: &[Option<Node>]) {
    // Registers become sources before the statements are read: they hold their value where nothing is assigned.
    let mut states = Vec::with_capacity(def.regs.len());
    for reg in &def.regs {
        let at = base + reg.node;
        let width = net.nodes[at as usize].width;
        let (domain, inside) = (domains[reg.domain as usize], resets[reg.domain as usize]);
        let source = add_state(net, width, domain, reg.reset.clone().filter(|_| inside.is_none()), Next::Node(at));
        net.nodes[at as usize].op = Flat::Source(source);
        states.push(net.states.len() - 1);
        if let Some((reset, value)) = &reg.async_reset {
            let (held, value) = (net.push(Flat::Source(source), width), net.push(Flat::Const(value.clone()), width));
            net.async_reset.push(AsyncReset { shown: at, held, value, reset: base + reset, domain });
        }
    }
    for (target, value) in stmts::execute(net, def, base) {
        match def.nodes[target as usize].op {
            Op::Net(Net::Reg(r)) => net.states[states[r as usize]].next = Next::Node(value),
            _ => net.nodes[(base + target) as usize].op = Flat::Alias(value),
        }
    }
    for (reg, state) in def.regs.iter().zip(states) {
        let Next::Node(next) = net.states[state].next else {
            continue;
        };
        let (hold, width) = (base + reg.node, net.states[state].width);
        let next = reg.enable.map_or(next, |enable| net.push(Flat::Mux(base + enable, next, hold), width));
        // while the reset is 1, what it shows is the reset value
        let reset = reg.async_reset.as_ref().map(|(reset, _)| base + reset);
        let next = reset.map_or(next, |reset| net.push(Flat::Mux(reset, hold, next), width));
        let next = match (&reg.reset, resets[reg.domain as usize]) {
            (Some(value), Some(reset)) => {
                let value = net.push(Flat::Const(value.clone()), width);
                net.push(Flat::Mux(reset, value, next), width)
            }
            _ => next,
        };
        net.states[state].next = Next::Node(next);
    }
}

fn add_state(net: &mut Netlist, width: u32, domain: u32, reset: Option<BigUint>, next: Next) -> u32 {
    let source = net.source(width);
    net.states.push(State { source, width, domain, reset, next, begins_as_0: false });
    source
}

/// Is this a net that statements assign?
pub(super) fn holds(def: &Def, target: Id) -> bool {
    matches!(def.nodes[target as usize].op, Op::Net(Net::Reg(_)))
}
