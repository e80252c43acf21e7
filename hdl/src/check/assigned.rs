//! What is assigned to nets, by net.

use crate::ir::*;
use rustc_hash::FxHashMap as HashMap;

/// The statements of a module by what they assign to.
pub(super) struct Assigned<'a> {
    def: &'a Def,
    /// Indices of the outermost statements, each once.
    statements: HashMap<Id, Vec<usize>>,
    /// Of what is assigned once, as a whole and without condition: the value.
    names: HashMap<Id, Option<Id>>,
}

impl<'a> Assigned<'a> {
    pub fn new(def: &'a Def) -> Assigned<'a> {
        let mut assigned = Assigned { def, statements: HashMap::default(), names: HashMap::default() };
        for (at, stmt) in def.stmts.iter().enumerate() {
            Stmt::each_set(std::slice::from_ref(stmt), &mut vec![], &mut |target, place, value, _, under| {
                let only = (under.is_empty() && place == Place::Whole).then_some(value);
                assigned.names.entry(target).and_modify(|name| *name = None).or_insert(only);
                let all = assigned.statements.entry(target).or_default();
                if all.last() != Some(&at) {
                    all.push(at);
                }
            });
        }
        assigned
    }
    /// The outermost statements that assign to a net, in their order.
    pub fn to(&self, net: Id) -> impl Iterator<Item = &'a [Stmt]> {
        let def = self.def;
        self.statements.get(&net).into_iter().flatten().map(move |at| std::slice::from_ref(&def.stmts[*at]))
    }
    /// What a signal is another name of.
    pub fn name(&self, id: Id) -> Option<Id> {
        match self.def.nodes[id as usize].op {
            Op::Alias(of) => Some(of),
            Op::Net(Net::Wire | Net::Output | Net::PinIn(_)) => self.names.get(&id).copied().flatten(),
            _ => None,
        }
    }
    /// What decides about the value of a net: the conditions and selectors, places and values of its assignments.
    pub fn behind(&self, net: Id) -> Vec<Id> {
        let mut out = vec![];
        for block in self.to(net) {
            Stmt::each_set(block, &mut vec![], &mut |target, place, value, _, under| {
                if target == net {
                    out.extend(under);
                    out.push(value);
                    out.extend(if let Place::AtSignal(at) = place { Some(at) } else { None });
                }
            });
        }
        out
    }
}

/// An assignment to a net.
pub(super) struct Given {
    pub place: Place,
    pub value: Id,
    /// The conditions and selectors it stands under.
    pub under: Vec<Id>,
}

/// The assignments to each net, in their order.
pub(super) fn given(def: &Def) -> HashMap<Id, Vec<Given>> {
    let mut given = HashMap::<Id, Vec<Given>>::default();
    Stmt::each_set(&def.stmts, &mut vec![], &mut |target, place, value, _, under| {
        given.entry(target).or_default().push(Given { place, value, under: under.to_vec() });
    });
    given
}
