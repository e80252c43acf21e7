//! What `#[module]` calls: [`Tag`] after each `let`, which names its signal, and what a function needs that gives a module.

#[doc(hidden)]
pub use super::asked::asked_for;
use super::bundle::Bundle;
use super::store;
#[doc(hidden)]
pub use super::store::Building;
use crate::ir::Signal;
use crate::ir::names::join;

/// The fields of a tagged union: of each its variant and path, and its width.
#[doc(hidden)]
pub type Layout = Vec<(String, u32)>;

/// In the place of a union's name: how many elements a vector has, or whether an optional field is there.
#[doc(hidden)]
pub const COUNTED: &str = "";

/// Things that take the name of their binding.
pub trait Nameable {
    /// Takes the name, unless it has one.
    fn take_name(&self, name: &str);
}

impl Nameable for Signal {
    fn take_name(&self, name: &str) {
        store::take_name(*self, name);
    }
}

impl<T: Nameable> Nameable for Vec<T> {
    fn take_name(&self, name: &str) {
        self.iter().enumerate().for_each(|(i, x)| x.take_name(&format!("{name}_{i}")));
    }
}

impl<T: Nameable> Nameable for Option<T> {
    fn take_name(&self, name: &str) {
        self.iter().for_each(|x| x.take_name(name));
    }
}

impl<T: Nameable, const N: usize> Nameable for [T; N] {
    fn take_name(&self, name: &str) {
        self.iter().enumerate().for_each(|(i, x)| x.take_name(&format!("{name}_{i}")));
    }
}

/// Names the fields of a bundle after their paths.
pub(crate) fn name_fields(bundle: &impl Bundle, name: &str) {
    bundle.each(&mut |path, _, s| store::take_name(s, &join(name, path)));
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

/// Path of a field for derived bundles.
#[doc(hidden)]
pub fn path(prefix: &str, path: &str) -> String {
    join(prefix, path)
}

/// For derived states.
#[doc(hidden)]
pub use super::state::code_width;
