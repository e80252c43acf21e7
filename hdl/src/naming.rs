//! How a `let` names its signal: `#[module]` calls [`Tag`] after each binding.

use crate::body::{self, Body};
use crate::bundle::Bundle;
use crate::ir::*;
use crate::signal::Signal;

pub(crate) fn join(prefix: &str, path: &str) -> String {
    match (prefix.is_empty(), path.is_empty()) {
        (_, true) => prefix.to_string(),
        (true, _) => path.to_string(),
        _ => format!("{prefix}_{path}"),
    }
}

/// Things that take the name of their binding.
pub trait Nameable {
    /// Takes the name, unless it has one.
    fn take_name(&self, name: &str);
}

impl<B: Bundle> Nameable for B {
    fn take_name(&self, name: &str) {
        self.each(&mut |path, _, s| body::take_name(s, &join(name, path)));
    }
}

impl<T: Nameable> Nameable for Vec<T> {
    fn take_name(&self, name: &str) {
        self.iter().enumerate().for_each(|(i, x)| x.take_name(&format!("{name}_{i}")));
    }
}

impl<T: Nameable, const N: usize> Nameable for [T; N] {
    fn take_name(&self, name: &str) {
        self.iter().enumerate().for_each(|(i, x)| x.take_name(&format!("{name}_{i}")));
    }
}

/// A bound value. With the two traits below, a value is named if its type can take a name and left alone if not.
#[doc(hidden)]
pub struct Tag<'a, T>(pub &'a T);

#[doc(hidden)]
pub trait ViaName {
    fn let_name(&self, name: &str);
}
impl<T: Nameable> ViaName for Tag<'_, T> {
    fn let_name(&self, name: &str) {
        self.0.take_name(name);
    }
}

#[doc(hidden)]
pub trait ViaNothing {
    fn let_name(&self, _: &str) {}
}
impl<T> ViaNothing for &Tag<'_, T> {}

impl Body {
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
}

impl body::Body {
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

/// Path of a field for derived bundles.
#[doc(hidden)]
pub fn path(prefix: &str, path: &str) -> String {
    join(prefix, path)
}
