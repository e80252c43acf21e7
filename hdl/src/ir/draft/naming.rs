//! Names that the user gives.

use super::Draft;
use crate::ir::names::join;
use crate::ir::*;

impl Draft {
    fn scoped(&self, name: &str) -> String {
        self.scopes.iter().rev().fold(name.to_string(), |n, scope| join(scope, &n))
    }
    /// A name that the user gave explicitly: an alias if the signal has one already.
    pub fn rename(&mut self, s: Signal, name: &str, loc: Loc) -> Signal {
        let node = self.node(s.id);
        let plain = node.name.is_none() && !matches!(node.op, Op::Const(_) | Op::Variant(..) | Op::Slice(..));
        let id = if plain { s.id } else { self.make(Op::Alias(s.id), s.width, loc) };
        self.def.nodes[id as usize].name = Some(self.scoped(name));
        Signal { id, ..s }
    }
    pub(crate) fn take_name(&mut self, id: Id, name: &str) {
        let name = self.scoped(name);
        if let Op::Alias(of) = self.node(id).op
            && self.node(of).name.is_some()
        {
            return; // what enters or leaves a pipeline keeps its name
        }
        let node = &mut self.def.nodes[id as usize];
        if node.name.is_none() && !matches!(node.op, Op::Const(_) | Op::Variant(..) | Op::Poison) {
            node.name = Some(name.trim_start_matches('_').to_string());
        }
    }
}
