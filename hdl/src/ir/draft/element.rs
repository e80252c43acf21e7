//! One of several signals, chosen by another: to read and to assign.

use super::Draft;
use crate::ir::*;
use num_bigint::BigUint;

/// What a signal was chosen from.
#[derive(Clone, Debug)]
pub(crate) struct Chosen {
    pub index: Id,
    pub options: Vec<Id>,
    /// If there is an option for every index: the register that holds them side by side, and the bit at which the chosen one begins.
    pub file: Option<(Id, Id)>,
}

/// A signal, and the stage that it had when it was used.
pub(crate) type AtStage = (Id, Option<Stage>);

impl Draft {
    /// The option with the number that `index` gives; 0 beyond the last. It can be assigned if all options can.
    pub fn choose(&mut self, options: &[Signal], index: Signal, loc: Loc) -> Id {
        let width = options[0].width;
        let all = [options, &[index]].concat();
        if !self.check_same(&all, loc) || all.iter().any(|s| self.node(s.id).op == Op::Poison) {
            return self.poison(width, loc);
        }
        if let Some(at) = options.iter().position(|s| s.width != width) {
            let (first, other) = (self.describe(options[0].id), self.describe(options[at].id));
            let message = format!("the elements differ: {first} is element 0, {other} is element {at}");
            self.error(loc, message, vec![], Some("all elements have one shape".into()));
            return self.poison(width, loc);
        }
        let (count, options): (u32, Vec<Id>) = (options.len() as u32, options.iter().map(|s| s.id).collect());
        let wanted = address_bits(count);
        if index.width != wanted {
            let (elements, bits) = (counted(count, "element"), counted(wanted, "bit"));
            let message = format!("the index {} into {elements} must have {bits}", self.describe(index.id));
            self.error(loc, message, vec![], Some("cut or widen it with `trunc` or `zext`".into()));
            return self.poison(width, loc);
        }
        match self.constant(index.id).map(|v| u32::try_from(v).ok().filter(|i| *i < count)) {
            Some(Some(i)) => options[i as usize],
            Some(None) => {
                let message = format!("there is no element {} of {count}", self.label(index.id));
                self.error(loc, message, vec![], Some(format!("the elements are 0 to {}", count - 1)));
                self.poison(width, loc)
            }
            None => self.choose_by_signal(index.id, options, width, loc),
        }
    }
    fn choose_by_signal(&mut self, index: Id, options: Vec<Id>, width: u32, loc: Loc) -> Id {
        let count = options.len() as u32;
        let whole = self.side_by_side(&options);
        let in_range = !self.may_exceed(index, count);
        let file = whole.filter(|net| self.files.contains(net) && in_range);
        let file = file.map(|net| (net, self.first_bit(index, width, net, loc)));
        let op = match (count, whole) {
            (1, _) => Op::Mux(index, self.number(BigUint::ZERO, width, loc), options[0]),
            (2, None) => Op::Mux(index, options[1], options[0]),
            _ => {
                let table = self.gather(&options, whole, !in_range, loc);
                Op::Part(table, self.first_bit(index, width, table, loc))
            }
        };
        // what is assigned first gets its stage by that
        let place = options.iter().all(|id| self.node(*id).stage.is_none() && self.place(*id).is_some());
        let id = if place { self.push(op, width, loc) } else { self.make(op, width, loc) };
        if place {
            self.stage_of_place(id);
        }
        self.chosen.insert(id, Chosen { index, options, file });
        id
    }
    /// Can the index name an element beyond the last?
    fn may_exceed(&self, index: Id, count: u32) -> bool {
        self.largest(index) >= count.into()
    }
    fn number(&mut self, value: impl Into<BigUint>, width: u32, loc: Loc) -> Id {
        let value = value.into();
        self.share(SharedKey::Const(value.clone(), width), Op::Const(value), width, loc)
    }
    /// The net whose bits the options are, from its first to its last.
    fn side_by_side(&self, options: &[Id]) -> Option<Id> {
        let width = self.node(options[0]).width;
        let of = |(i, id): (usize, &Id)| match self.node(*id).op {
            Op::Slice(x, lo) if lo == i as u32 * width => Some(x),
            _ => None,
        };
        let net = of((0, &options[0]))?;
        let all = options.iter().enumerate().all(|option| of(option) == Some(net));
        (all && self.node(net).width == options.len() as u32 * width).then_some(net)
    }
    /// The options in one signal, the first in the low bits; with zeros for what an index can name beyond the last.
    fn gather(&mut self, options: &[Id], whole: Option<Id>, padded: bool, loc: Loc) -> Id {
        if let Some(net) = whole.filter(|_| !padded) {
            return net;
        }
        let (count, width) = (options.len() as u32, self.node(options[0]).width);
        let key = (options.iter().map(|id| (*id, self.node(*id).stage)).collect(), padded);
        if let Some(&known) = self.gathered.get(&key) {
            return known;
        }
        let mut parts: Vec<Id> = whole.map_or_else(|| options.iter().rev().copied().collect(), |net| vec![net]);
        let missing = if padded { (1 << address_bits(count)) - count } else { 0 };
        if missing > 0 {
            parts.insert(0, self.number(BigUint::ZERO, missing * width, loc));
        }
        let id = self.make(Op::Cat(parts), (count + missing) * width, loc);
        if self.node(id).name.is_none() && matches!(self.node(id).op, Op::Cat(_)) {
            let name = match whole {
                Some(net) => self.node(net).name.as_ref().map(|name| format!("{name}_padded")),
                None => self.common_name(options),
            };
            self.def.nodes[id as usize].name = name;
        }
        self.gathered.insert(key, id);
        id
    }
    /// `tags_valid` of `tags_0_valid`, `tags_1_valid` and so on.
    fn common_name(&self, options: &[Id]) -> Option<String> {
        let first = self.node(options[0]).name.as_ref()?;
        first.match_indices("_0").find_map(|(at, zero)| {
            let (start, end) = (&first[..at], &first[at + zero.len()..]);
            let numbered = |(i, id): (usize, &Id)| self.node(*id).name.as_deref() == Some(&format!("{start}_{i}{end}"));
            options.iter().enumerate().all(numbered).then(|| format!("{start}{end}"))
        })
    }
    /// The bit of `table` at which the element of `width` bits with the number `index` begins.
    fn first_bit(&mut self, index: Id, width: u32, table: Id, loc: Loc) -> Id {
        let wanted = address_bits(self.node(table).width);
        if width == 1 {
            return index;
        }
        if width.is_power_of_two() {
            let zeros = self.number(BigUint::ZERO, width.ilog2(), loc);
            return self.make(Op::Cat(vec![index, zeros]), wanted, loc);
        }
        if let Some(&known) = self.scaled.get(&(index, width)) {
            return self.slice(known, 0, wanted, loc);
        }
        let bits = width.ilog2() + 1;
        let factor = self.number(width, bits, loc);
        let full = self.node(index).width + bits;
        let product = self.make(Op::Bin(BinOp::Mul, index, factor), full, loc);
        let name = self.node(index).name.as_ref().map(|name| format!("{name}_times_{width}"));
        self.def.nodes[product as usize].name = name;
        self.scaled.insert((index, width), product);
        self.slice(product, 0, wanted, loc)
    }

    /// What `id` is chosen from, and which of its bits are meant.
    pub(super) fn chosen_bits(&self, id: Id) -> Option<(Chosen, u32)> {
        match self.node(id).op {
            _ if self.chosen.contains_key(&id) => Some((self.chosen[&id].clone(), 0)),
            Op::Slice(x, lo) => self.chosen_bits(x).map(|(chosen, base)| (chosen, base + lo)),
            _ => None,
        }
    }
    /// The first of the signals behind `id` that cannot be assigned.
    pub fn not_assignable(&self, id: Id) -> Option<Id> {
        match self.chosen_bits(id) {
            Some((chosen, _)) => chosen.options.iter().find_map(|option| self.not_assignable(*option)),
            None if self.place(id).is_none() => Some(id),
            None => None,
        }
    }
    /// Assigns what was chosen by signals: a place in a register file (if there is one for every index), or each option where the
    /// index names it. `false` for others.
    pub fn assign_chosen(&mut self, to: Signal, from: Signal, loc: Loc) -> bool {
        let Some((chosen, lo)) = self.chosen_bits(to.id) else {
            return false;
        };
        let Chosen { index, options, file } = chosen;
        let part = self.node(options[0]).width != to.width;
        if let Some((net, low)) = file.filter(|_| !part) {
            self.conds.push(index);
            self.assign_place(net, Place::AtSignal(low), from, loc);
            self.conds.pop();
            return true;
        }
        for (i, option) in options.into_iter().enumerate() {
            let option = if part { self.slice(option, lo, to.width, loc) } else { option };
            let number = self.number(i, self.node(index).width, loc);
            let here = self.make(Op::Bin(BinOp::Eq, index, number), 1, loc);
            self.index_conditions.insert(here);
            self.assign_where(here, |b| b.assign(Signal { id: option, ..to }, from, loc));
        }
        true
    }
    fn assign_where(&mut self, cond: Id, f: impl FnOnce(&mut Draft)) {
        self.open_block(cond);
        f(self);
        let then = self.close_block();
        self.block().push(Stmt::If { cond, then, otherwise: vec![] });
    }
}

/// Bits of an address of so many (at least 1).
fn address_bits(count: u32) -> u32 {
    (count.max(2) - 1).ilog2() + 1
}
