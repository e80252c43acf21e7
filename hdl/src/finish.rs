//! What happens at [`Module::finish`]: names are settled and the module is checked.

use crate::body::{self, Body};
use crate::ir::*;
use crate::module::Module;
use crate::{Diagnostic, Errors};
use num_bigint::BigUint;
use std::collections::{BTreeMap, BTreeSet, HashMap};

const KEYWORDS: &str = " always and assign automatic begin buf bufif0 bufif1 case casex casez cell cmos config deassign \
default defparam design disable edge else end endcase endconfig endfunction endgenerate endmodule endprimitive endspecify \
endtable endtask event for force forever fork function generate genvar highz0 highz1 if ifnone incdir include initial inout \
input instance integer join large liblist library localparam macromodule medium module nand negedge nmos nor \
noshowcancelled not notif0 notif1 or output parameter pmos posedge primitive pull0 pull1 pulldown pullup \
pulsestyle_ondetect pulsestyle_onevent rcmos real realtime reg release repeat rnmos rpmos rtran rtranif0 rtranif1 scalared \
showcancelled signed small specify specparam strong0 strong1 supply0 supply1 table task time tran tranif0 tranif1 tri tri0 \
tri1 triand trior trireg unsigned use uwire vectored wait wand weak0 weak1 while wire wor xnor xor logic bit byte int do \
new this super class package import export assert assume cover property sequence final var type struct union enum unique \
priority return break continue inside with within checker global program ref static string virtual void accept_on alias \
always_comb always_ff always_latch before bind bins binsof chandle clocking const constraint context coverpoint covergroup \
cross dist endchecker endclass endclocking endgroup endinterface endpackage endprogram endproperty endsequence eventually \
expect extends extern final first_match foreach forkjoin iff ignore_bins illegal_bins implements implies interconnect \
intersect join_any join_none let local longint matches modport nettype nexttime null packed protected pure rand randc \
randcase randsequence reject_on restrict s_always s_eventually s_nexttime s_until s_until_with shortint shortreal soft solve \
strong sync_accept_on sync_reject_on tagged throughout timeprecision timeunit typedef unique0 until until_with untyped \
uwire wait_order weak wildcard ";

/// Words of C++ that are none of Verilog: Verilator warns of signals that are called so.
const CPP_WORDS: &str = " alignas alignof and_eq asm auto bitand bitor bool catch char char16_t char32_t char8_t co_await co_return \
co_yield compl concept const_cast consteval constexpr constinit decltype delete double dynamic_cast explicit false float friend \
goto inline long mutable namespace noexcept not_eq nullptr operator or_eq override private public register reinterpret_cast \
requires short sizeof static_assert static_cast template thread_local throw true try typeid typename using volatile wchar_t xor_eq ";

/// Is this a name that every tool takes for what we print?
pub(crate) fn usable(name: &str) -> bool {
    legal(name) && !CPP_WORDS.contains(&format!(" {name} "))
}

/// Is this a name in Verilog?
pub(crate) fn legal(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !KEYWORDS.contains(&format!(" {name} "))
}

pub(crate) fn finish(module: Module, loc: Loc) -> Result<Def, Errors> {
    let Some(mut b) = body::close(module.key) else {
        body::with(module.key, loc, |_| ());
        return Err(Errors(vec![Diagnostic {
            module: String::new(),
            message: "this module is finished already".into(),
            span: loc.into(),
            notes: vec![],
            help: None,
        }]));
    };
    if b.def.foreign.is_some() {
        return crate::foreign::finish(b);
    }
    b.def.stmts = std::mem::take(&mut b.defaults);
    b.def.stmts.extend(std::mem::take(&mut b.blocks).into_iter().next().unwrap_or_default());
    settle_names(&mut b);
    if b.errors.is_empty() {
        // checks of the whole speak of consequences; they come when the parts are right
        let drivers = drivers(&b.def);
        check_driven(&mut b, &drivers);
        check_used(&mut b, &drivers);
        check_memories(&mut b);
        check_loops(&mut b, &drivers);
        crate::foreign::check_names(&mut b);
        b.def.clocks = crate::inside::clocks(&mut b.def);
        crate::inside::check(&mut b, &drivers, loc);
        if b.errors.is_empty() {
            b.def.comb = combinational(&b.def, |id| sources(&b.def, &drivers, id));
            crate::clock_check::check(&mut b, &drivers);
            crate::constant::simplify(&mut b.def);
        }
    }
    if b.errors.is_empty() { Ok(b.def) } else { Err(b.errors.into()) }
}

/// Gives every net, and every signal that the user named, a name of its own; ports have theirs already.
fn settle_names(b: &mut Body) {
    let mut taken: BTreeMap<String, u32> = BTreeMap::new();
    for d in &b.def.domains {
        taken.insert(d.clock.clone(), 0);
        taken.insert(d.reset.clone(), 0);
        taken.insert(format!("{}_n", d.reset), 0);
    }
    taken.insert(crate::verilog::UNUSED.into(), 0);
    let ports: BTreeMap<Id, Port> = b.def.ports.iter().map(|p| (p.node, p.clone())).collect();
    for p in ports.values() {
        let loc = b.node(p.node).loc;
        let twice = ports.values().any(|q| q.name == p.name && q.node != p.node);
        // temporaries of the printer begin with an underscore
        if !usable(&p.name) || p.name.starts_with('_') || (taken.contains_key(&p.name) && !twice) {
            let help = "a letter, then letters, digits and underscores; no keyword of Verilog or C++, not the name of a clock or reset";
            b.error(loc, format!("`{}` cannot be the name of a port", p.name), vec![], Some(help.into()));
        }
        taken.insert(p.name.clone(), 0);
    }
    for (i, e) in b.def.enums.iter().enumerate() {
        for v in &e.variants {
            taken.insert(crate::verilog::localparam(&b.def.enums[i], &v.0), 0);
        }
    }
    let mut unique = |wish: String| {
        let base: String = wish.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        let base = base.trim_start_matches('_').to_string();
        let base = if usable(&base) { base } else { format!("s_{base}") };
        let mut name = base.clone();
        let mut n = taken.get(&base).copied().unwrap_or(0);
        while taken.contains_key(&name) {
            n += 1;
            name = format!("{base}_{n}");
        }
        taken.insert(base, n);
        taken.insert(name.clone(), 0);
        name
    };
    for i in 0..b.def.mems.len() {
        let m = &b.def.mems[i];
        let wish = if m.name.is_empty() { format!("memory_l{}", m.loc.line()) } else { m.name.clone() };
        b.def.mems[i].name = unique(wish);
    }
    for i in 0..b.def.insts.len() {
        let inst = &b.def.insts[i];
        let wish = if inst.name.is_empty() { format!("u_{}", inst.def.name) } else { inst.name.clone() };
        // Verilator warns of a signal or memory that is called like the instance around it
        let Def { ports, nodes, mems, .. } = &*inst.def;
        let names = ports.iter().map(|port| &port.name).chain(mems.iter().map(|mem| &mem.name));
        let hides = names.chain(nodes.iter().filter_map(|node| node.name.as_ref())).any(|name| *name == wish);
        b.def.insts[i].name = unique(if hides { format!("{wish}_unit") } else { wish });
    }
    for id in 0..b.def.nodes.len() as Id {
        if ports.contains_key(&id) {
            continue;
        }
        if let Some(wish) = wished(b, id) {
            b.def.nodes[id as usize].name = Some(unique(wish));
        }
    }
}

/// The name that a node asks for; `None` for expressions without one.
fn wished(b: &Body, id: Id) -> Option<String> {
    let n = b.node(id);
    if n.name.is_some() {
        return n.name.clone();
    }
    let pin = |i: u32| {
        let inst = &b.def.insts[i as usize];
        let port = inst.pins.iter().position(|p| *p == id).map_or("pin", |p| &inst.def.ports[p].name);
        format!("{}_{port}", inst.name)
    };
    match n.op {
        Op::Net(Net::Reg(_)) => Some(match b.named_after.get(&id) {
            Some(&of) => format!("{}_s{}", delayed_base(b, of), n.stage.map_or(0, |s| s.1)),
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
fn delayed_base(b: &Body, mut id: Id) -> String {
    loop {
        let n = b.node(id);
        match (&n.name, b.named_after.get(&id), &n.op) {
            (Some(name), None, _) => return name.clone(),
            (Some(name), Some(_), _) => {
                return name.rsplit_once("_s").map_or(name.clone(), |(a, _)| a.to_string());
            }
            (None, Some(of), _) => id = *of,
            (None, None, Op::Alias(a) | Op::Slice(a, _)) => id = *a,
            _ => return format!("l{}", n.loc.line()),
        }
    }
}

/// For each assigned net: the nodes that its value depends on (values, places and conditions).
fn drivers(def: &Def) -> HashMap<Id, Vec<Id>> {
    let mut out: HashMap<Id, Vec<Id>> = HashMap::new();
    Stmt::each_set(&def.stmts, &mut vec![], &mut |target, place, value, _, under| {
        let reads = out.entry(target).or_default();
        reads.push(value);
        reads.extend(under);
        if let Place::AtSignal(low) = place {
            reads.push(low);
        }
    });
    out
}

/// The largest number of this many bits.
fn ones(width: u32) -> BigUint {
    (BigUint::from(1u32) << width) - 1u32
}

/// The bits of `target` that every path through `block` assigns.
fn covered(def: &Def, block: &[Stmt], target: Id) -> BigUint {
    let width = def.nodes[target as usize].width;
    let mut mask = BigUint::default();
    for stmt in block.iter().filter(|s| s.touches(target)) {
        mask |= match stmt {
            Stmt::Set { place: Place::Whole, .. } => ones(width),
            Stmt::Set { place: Place::At(lo), value, .. } => ones(def.nodes[*value as usize].width) << lo,
            Stmt::Set { place: Place::AtSignal(_), .. } => BigUint::default(),
            Stmt::If { then, otherwise, .. } => covered(def, then, target) & covered(def, otherwise, target),
            Stmt::Case { selector, arms, default } => {
                let listed: usize = arms.iter().map(|(v, _)| v.len()).sum();
                let all = BigUint::from(listed) == BigUint::from(1u32) << def.nodes[*selector as usize].width;
                let rest = match default {
                    Some(block) => covered(def, block, target),
                    None if all => ones(width),
                    None => BigUint::default(),
                };
                arms.iter().fold(rest, |m, (_, block)| m & covered(def, block, target))
            }
        };
    }
    mask
}

fn check_driven(b: &mut Body, drivers: &HashMap<Id, Vec<Id>>) {
    for id in 0..b.def.nodes.len() as Id {
        let (op, loc, width) = (b.node(id).op.clone(), b.node(id).loc, b.node(id).width);
        let assigned = drivers.contains_key(&id);
        match op {
            Op::Net(Net::Reg(_)) if !assigned => {
                let message = format!("register {} is never assigned", b.describe(id));
                b.error(loc, message, vec![], Some("assign it with `set`; what never changes is a constant".into()));
            }
            Op::Net(Net::PinIn(i)) if !assigned => {
                let inst = &b.def.insts[i as usize];
                let port =
                    inst.pins.iter().position(|p| *p == id).map_or("?".into(), |p| inst.def.ports[p].name.clone());
                let message = format!("input `{port}` of instance `{}` is not connected", inst.name);
                b.error(loc, message, vec![], Some("assign it with `set`".into()));
            }
            Op::Net(Net::Wire | Net::Output) if !assigned => {
                let what = if matches!(op, Op::Net(Net::Wire)) { "wire" } else { "output" };
                let message = format!("{what} {} is never assigned", b.describe(id));
                b.error(loc, message, vec![], Some("assign it with `set`".into()));
            }
            Op::Net(Net::Wire | Net::Output | Net::PinIn(_)) => {
                let missing = ones(width) ^ covered(&b.def, &b.def.stmts, id);
                if let Some(bit) = missing.trailing_zeros() {
                    let bits = if missing == ones(width) { "".into() } else { format!("bit {bit} of ") };
                    let message =
                        format!("{bits}{} is not assigned on every path: that would be a latch", b.describe(id));
                    let help = "assign a default before the `when` or `switch`";
                    b.error(loc, message, vec![], Some(help.into()));
                }
            }
            _ => {}
        }
    }
}

/// All nodes that something reads.
pub(crate) fn read_nodes(def: &Def, drivers: &HashMap<Id, Vec<Id>>) -> BTreeSet<Id> {
    let mut read: BTreeSet<Id> = drivers.values().flatten().copied().collect();
    read.extend(def.nodes.iter().flat_map(|n| n.op.operands()));
    read.extend(def.regs.iter().flat_map(Reg::reads));
    for m in &def.mems {
        m.reads.iter().for_each(|r| read.extend(r.enable.iter().chain([&r.addr])));
        m.writes.iter().for_each(|w| read.extend([w.addr, w.data, w.mask]));
    }
    read.extend(def.inside.iter().filter_map(|i| i.reset));
    read.extend(&def.unused);
    read.extend(def.props.iter().map(|p| p.cond));
    read
}

fn check_used(b: &mut Body, drivers: &HashMap<Id, Vec<Id>>) {
    let read = read_nodes(&b.def, drivers);
    for p in b.def.ports.clone().iter().filter(|p| p.input && !read.contains(&p.node)) {
        let help = "use it, remove it, or say that it is on purpose with `unused()`";
        b.error(b.node(p.node).loc, format!("input `{}` is never used", p.name), vec![], Some(help.into()));
    }
}

fn check_memories(b: &mut Body) {
    for m in b.def.mems.clone() {
        if m.reads.is_empty() {
            b.error(m.loc, format!("memory `{}` is never read", m.name), vec![], None);
        }
        if m.writes.is_empty() && m.init.is_empty() {
            let help = "write it, or give it contents with `init`";
            b.error(m.loc, format!("memory `{}` has no contents", m.name), vec![], Some(help.into()));
        }
    }
}

/// The nodes whose value a node depends on within a cycle.
pub(crate) fn sources(def: &Def, drivers: &HashMap<Id, Vec<Id>>, id: Id) -> Vec<Id> {
    match def.nodes[id as usize].op {
        Op::Net(Net::Wire | Net::Output | Net::PinIn(_)) => drivers.get(&id).cloned().unwrap_or_default(),
        Op::Net(Net::PinOut(i)) => {
            let inst = &def.insts[i as usize];
            let port = inst.pins.iter().position(|p| *p == id).unwrap_or(0) as u32;
            let inputs = inst.def.comb.iter().find(|(p, _)| *p == port).map_or(&[][..], |(_, inputs)| inputs);
            inputs.iter().map(|p| inst.pins[*p as usize]).collect()
        }
        Op::Net(Net::Reset(d)) => def.reset_inside(d).into_iter().collect(),
        Op::Net(Net::Reg(r)) => def.regs[r as usize].at_once.iter().map(|(reset, _)| *reset).collect(),
        Op::Net(Net::MemRead(m, p)) => {
            let port = &def.mems[m as usize].reads[p as usize];
            if port.sync { vec![] } else { vec![port.addr] }
        }
        ref op => op.operands(),
    }
}

fn check_loops(b: &mut Body, drivers: &HashMap<Id, Vec<Id>>) {
    let mut done = vec![0u8; b.def.nodes.len()]; // 0 new, 1 on the path, 2 done
    for start in 0..b.def.nodes.len() as Id {
        let mut path: Vec<(Id, Vec<Id>)> = vec![];
        let mut next = (done[start as usize] == 0).then_some(start);
        loop {
            if let Some(id) = next.take() {
                done[id as usize] = 1;
                path.push((id, sources(&b.def, drivers, id)));
            }
            let Some((id, todo)) = path.last_mut() else {
                break;
            };
            match todo.pop() {
                None => {
                    done[*id as usize] = 2;
                    path.pop();
                }
                Some(to) if done[to as usize] == 0 => next = Some(to),
                Some(to) if done[to as usize] == 1 => {
                    let from = path.iter().position(|(i, _)| *i == to).unwrap_or(0);
                    let around: Vec<Id> =
                        path[from..].iter().map(|p| p.0).filter(|i| b.node(*i).name.is_some()).collect();
                    let names: Vec<String> =
                        around.iter().chain(around.first()).map(|i| format!("`{}`", b.label(*i))).collect();
                    let notes = around.iter().map(|i| (b.node(*i).loc, "through here")).collect();
                    let message = format!("a combinational loop: {}", names.join(" <- "));
                    b.error(b.node(to).loc, message, notes, Some("break it with a register".into()));
                    return;
                }
                Some(_) => {}
            }
        }
    }
}

/// For each output port, the input ports that reach it through these sources of nodes.
pub(crate) fn combinational(def: &Def, sources: impl Fn(Id) -> Vec<Id>) -> Vec<(u32, Vec<u32>)> {
    let inputs: HashMap<Id, u32> =
        def.ports.iter().enumerate().filter(|(_, p)| p.input).map(|(i, p)| (p.node, i as u32)).collect();
    let outputs = def.ports.iter().enumerate().filter(|(_, p)| !p.input);
    let reached = outputs.map(|(i, p)| {
        let (mut todo, mut seen, mut found) = (vec![p.node], vec![false; def.nodes.len()], BTreeSet::new());
        while let Some(id) = todo.pop() {
            if !std::mem::replace(&mut seen[id as usize], true) {
                found.extend(inputs.get(&id));
                todo.extend(sources(id));
            }
        }
        (i as u32, found.into_iter().collect())
    });
    reached.collect()
}
