//! Texts by which messages speak of signals.

use crate::ir::*;

impl Draft {
    /// The name of a signal, or a short expression.
    pub fn label(&self, id: Id) -> String {
        self.label_to(id, 2)
    }
    /// The expression of a signal, also where it has a name.
    pub fn expression_label(&self, id: Id) -> String {
        self.operator_label(id, 2)
    }
    /// Where something was first assigned to a net, else where the net was made.
    pub fn first_assigned_at(&self, net: Id) -> Loc {
        let assigned = self.set_at.iter().filter(|((target, _), _)| *target == net).map(|(_, loc)| *loc);
        assigned.min().unwrap_or(self.node(net).loc)
    }
    /// The label and the width.
    pub fn describe(&self, id: Id) -> String {
        let w = self.node(id).width;
        let bits = format!("({w} bit{})", if w == 1 { "" } else { "s" });
        match (self.node(id).op.clone(), &self.node(id).name, self.named_after.get(&id)) {
            (Op::Net(Net::Wire), None, _) => format!("an unnamed wire {bits}"),
            (Op::Net(Net::Reg(_)), None, None) => format!("an unnamed register {bits}"),
            _ => format!("`{}` {bits}", self.label(id)),
        }
    }
    /// The label, with operators at most `depth` levels deep.
    fn label_to(&self, id: Id, depth: u32) -> String {
        let n = self.node(id);
        if let Some(name) = &n.name {
            return name.clone();
        }
        if let Some(mut of) = self.named_after.get(&id) {
            // a chain of delays is called after what it starts from
            while let (None, Some(before)) = (&self.node(*of).name, self.named_after.get(of)) {
                of = before;
            }
            return format!("{}_s{}", self.label_to(*of, depth), n.stage.and_then(|s| s.at).unwrap_or(0));
        }
        self.operator_label(id, depth)
    }
    /// The same, whatever name the signal has.
    fn operator_label(&self, id: Id, depth: u32) -> String {
        let n = self.node(id);
        if depth == 0 && !matches!(n.op, Op::Const(_) | Op::Variant(..) | Op::Alias(_) | Op::Net(_)) {
            return "..".into();
        }
        let part = |x: &Id| self.label_to(*x, depth.saturating_sub(1));
        let operand = |x: &Id| {
            let text = part(x);
            if text.contains(' ') && !text.starts_with('{') { format!("({text})") } else { text }
        };
        match &n.op {
            Op::Const(v) => v.to_string(),
            Op::Variant(e, v) => self.def.enums[*e as usize].variants[*v as usize].name.clone(),
            Op::Net(Net::PinIn(i) | Net::PinOut(i)) => self.pin_label(*i, id),
            Op::Net(Net::Clock(d)) => self.def.domains[*d as usize].clock.clone(),
            Op::Net(Net::Reset(d)) => self.def.domains[*d as usize].reset.clone(),
            Op::Net(Net::MemRead(m, _)) => format!("a word of {}", self.memory_label(*m).replace('`', "")),
            Op::Net(_) | Op::Poison => "..".into(),
            Op::Alias(a) => self.label_to(*a, depth),
            Op::Un(op, a) => format!("{}{}", op.symbol(), operand(a)),
            Op::Bin(op, a, b) => format!("{} {} {}", operand(a), op.symbol(), operand(b)),
            Op::Mux(c, a, b) => format!("{} ? {} : {}", operand(c), operand(a), operand(b)),
            Op::Slice(a, lo) if n.width == 1 => format!("{}[{lo}]", operand(a)),
            Op::Slice(a, lo) => format!("{}[{}:{lo}]", operand(a), lo + n.width - 1),
            Op::Part(a, i) => format!("{}[{} +: {}]", operand(a), part(i), n.width),
            Op::Cat(v) if v.len() > 4 => format!("{{{}, .., {}}}", part(&v[0]), part(&v[v.len() - 1])),
            Op::Cat(v) => format!("{{{}}}", v.iter().map(part).collect::<Vec<_>>().join(", ")),
            Op::Repeat(a, k) => format!("{{{k}{{{}}}}}", part(a)),
        }
    }
    /// `instance.port`.
    fn pin_label(&self, inst: u32, pin: Id) -> String {
        let inst = &self.def.insts[inst as usize];
        let name = if inst.name.is_empty() { &inst.def.name } else { &inst.name };
        let port = inst.port_of(pin).map_or("?", |p| &inst.def.ports[p].name);
        format!("{name}.{port}")
    }
    /// The name of a memory in quotes, as far as it has one yet.
    pub fn memory_label(&self, mem: u32) -> String {
        match self.def.mems[mem as usize].name.as_str() {
            "" => "an unnamed memory".into(),
            name => format!("`{name}`"),
        }
    }
}
