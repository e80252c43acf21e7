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
    /// The register behind an element of a register file.
    pub fn file_of(&self, id: Id) -> Option<Id> {
        match self.node(id).op {
            Op::Slice(x, _) if self.files.contains(&x) => Some(x),
            _ => self.files.contains(&id).then_some(id),
        }
    }
    /// What to do about a signal that had to be a register.
    pub fn register_help(&self, id: Id, help: &str) -> String {
        match self.file_of(id) {
            Some(_) => "it is a part of one in a register file: make it with `reg(vector(..))`".into(),
            None => help.into(),
        }
    }
    /// Names the register behind an element of a register file; `false` if it is none.
    pub fn name_file(&mut self, id: Id, name: &str) -> bool {
        let file = self.file_of(id);
        if let Some(file) = file {
            self.take_name(file, name);
        }
        file.is_some()
    }
    pub(crate) fn take_name(&mut self, id: Id, name: &str) {
        let name = self.scoped(name);
        if let Op::Alias(of) = self.node(id).op
            && self.node(of).name.is_some()
        {
            // what enters or leaves a pipeline keeps its name in the hardware
            self.variables.entry(id).or_insert_with(|| name.clone());
            return;
        }
        let node = &mut self.def.nodes[id as usize];
        if node.name.is_none() && !matches!(node.op, Op::Const(_) | Op::Variant(..) | Op::Poison) {
            node.name = Some(name.trim_start_matches('_').to_string());
        }
    }
}
