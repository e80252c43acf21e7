//! Vectors: several bundles of one shape, as many as a parameter says; and arrays, whose length the type says.

use super::bundle::{Bundle, renamed};
use super::naming::{COUNTED, Layout, Nameable};
use super::number::{Value, same_layouts};
use super::register_file;
use super::store;
use crate::ir::*;
use std::fmt::Debug;
use std::ops::{Deref, Index};
use std::panic::Location;
use std::slice::SliceIndex;

/// The most elements of a vector.
pub(crate) const MAX_ELEMENTS: usize = 1 << 16;

/// Several bundles of one shape, whose number is a parameter: as ports, registers, wires, words of memories, fields of bundles.
///
/// It reads as a slice of Rust: `v[2]`, `v.len()`, `v.iter()`, `for x in v`. Its signals are called `v_0`, `v_1_valid`. A signal
/// chooses an element with [`at`](super::Elements::at). Where the length is known to the Rust compiler, `[B; N]` does the same.
///
/// ```
/// # use hdl::*;
/// ports! {
///     struct P(n: usize) {
///         input s: Vector<Stream> = vector(stream(bits(8)), n), // `s_0_valid`, `s_0_ready`, `s_0_payload`, `s_1_valid` ...
///         output m: Vector<Stream> = vector(stream(bits(8)), n),
///         output busy: [Signal; 2] = [bits(1); 2],                // `busy_0`, `busy_1`
///     }
/// }
/// # #[module]
/// # fn example(n: usize) -> Result<Design<P>, Errors> {
/// # let m = Module::new("example");
/// # let io = P::new(m, n);
/// for (from, to) in io.s.into_iter().zip(io.m) {
///     to.set(from); // `io.m.set(io.s)` connects all of them
/// }
/// io.busy.set([io.s[0].valid, io.s[n - 1].valid]);
/// # m.finish(io)
/// # }
/// # [1, 2, 5].map(|n| example(n).unwrap());
/// ```
///
/// A vector is a `Copy` handle as every bundle. The list behind it is made anew by what makes new signals (`reg`, `mux`, `unpack`,
/// `next`) and is never given back: 12 bytes for each signal in it, a tenth of what the signals themselves take while their module
/// is being built.
pub struct Vector<B: 'static = Signal> {
    elements: &'static [B],
}

/// The shape of `length` bundles of one shape; from 1 to 65,536.
///
/// Another length is an error of the module under construction that was begun last, and comes back from its `finish`.
///
/// # Panics
/// With another length, where no module is under construction whose error that could be.
#[track_caller]
pub fn vector<B: Bundle>(shape: B, length: usize) -> Vector<B> {
    if let Some((message, help)) = wrong_length(length) {
        store::report_or_refuse(Location::caller(), message, help);
    }
    Vector::new(vec![shape.shape(); length.clamp(1, MAX_ELEMENTS)])
}

/// What is to be said of a length that no vector has, and what helps.
pub(super) fn wrong_length(length: usize) -> Option<(String, String)> {
    let help = format!("from 1 to {MAX_ELEMENTS} elements; a memory has more");
    (length == 0 || length > MAX_ELEMENTS).then(|| (format!("a vector cannot have {length} elements"), help))
}

impl<B: Bundle> Vector<B> {
    pub(crate) fn new(elements: Vec<B>) -> Vector<B> {
        Vector { elements: elements.leak() }
    }
    /// The elements as a vector; all have one shape.
    #[track_caller]
    pub fn of(elements: impl IntoIterator<Item = B>) -> Vector<B> {
        let (elements, loc): (Vec<B>, _) = (elements.into_iter().collect(), Location::caller());
        if let Some((message, help)) = wrong_length(elements.len()) {
            store::refuse(loc, message, help);
        }
        for (i, element) in elements.iter().enumerate().skip(1) {
            let (mut first, mut other) = (vec![], vec![]);
            elements[0].each(&mut |_, _, s| first.push(s));
            element.each(&mut |_, _, s| other.push(s));
            let wrong = first.iter().zip(&other).find(|(a, b)| a.width != b.width);
            if let Some((a, b)) = wrong {
                shapes_differ(*a, *b, i);
            } else if lengths_differ(&elements[0], element) || !same_layouts(&elements[0], element, loc) {
                break;
            }
        }
        Vector::new(elements)
    }
}

#[track_caller]
fn shapes_differ(a: Signal, b: Signal, index: usize) {
    let loc = Location::caller();
    store::with(a.key, loc, |draft| {
        if draft.check_same(&[a, b], loc) {
            let (first, other) = (draft.describe(a.id), draft.describe(b.id));
            let message =
                format!("the elements of a vector differ: {first} is in element 0, {other} in element {index}");
            draft.error(loc, message, vec![], Some("all elements of a vector have one shape".into()));
        }
    });
}

/// A field of a bundle, with its path.
pub(super) type Field = (String, Signal);

/// Do two bundles of one type have vectors of different lengths, or an optional field in one alone? That is reported.
#[track_caller]
pub(super) fn lengths_differ<B: Bundle>(a: &B, b: &B) -> bool {
    let loc = Location::caller();
    let (mine, theirs) = (paths(a), paths(b));
    let signals: Vec<Signal> = mine.iter().chain(&theirs).map(|(_, s)| *s).collect();
    if fields_differ(&mine, &theirs, &signals, loc) {
        return true;
    }
    let differ = counts(|f| a.layouts(f)) != counts(|f| b.layouts(f));
    if differ {
        same_names(&signals, loc);
    }
    differ
}

/// How many elements each vector has, and which optional fields are there. (Paths do not tell: `a_b` is also `b` of `a`.)
pub(super) fn counts(layouts: impl FnOnce(&mut dyn FnMut(&str, Layout))) -> Vec<u32> {
    let mut list = vec![];
    layouts(&mut |name, counts| list.extend(counts.iter().filter(|_| name == COUNTED).map(|(_, count)| *count)));
    list
}

/// Reports that fields of one name are not the same ones.
pub(super) fn same_names(signals: &[Signal], loc: Loc) {
    let message =
        "vectors have other lengths, or optional fields are in one alone, where other fields have their names";
    differ_in(signals, loc, message.into(), "rename fields: `a_b` is also the name of `b` in `a`");
}

/// The same of two lists of fields, each with its path; `signals` tell the module.
pub(super) fn fields_differ(mine: &[Field], theirs: &[Field], signals: &[Signal], loc: Loc) -> bool {
    if mine.len() == theirs.len() && mine.iter().zip(theirs).all(|((p, _), (q, _))| p == q) {
        return false;
    }
    let (message, help) = explain(mine, theirs);
    differ_in(signals, loc, message, help);
    true
}

/// Reports it; of shapes that are in no module yet, at once.
fn differ_in(signals: &[Signal], loc: Loc, message: String, help: &'static str) {
    if signals.iter().all(|s| s.key == BLANK) {
        store::refuse(loc, message, help);
    }
    store::with_any(signals, loc, |draft| draft.error(loc, message, vec![], Some(help.into())));
}

/// What differs, and what is legal.
fn explain(mine: &[Field], theirs: &[Field]) -> (String, &'static str) {
    let called = |field: &str| if field.is_empty() { String::new() } else { format!(" `{field}`") };
    if let Some((field, left, right)) = difference(mine, theirs) {
        let message = format!("the lengths of the vectors{} differ: {left} and {right}", called(field));
        return (message, "vectors that are connected, chosen from or put together have one length");
    }
    let missing = |from: &[Field], path: &String| from.iter().all(|(p, _)| p != path);
    let alone = mine.iter().find(|(p, _)| missing(theirs, p)).or_else(|| theirs.iter().find(|(p, _)| missing(mine, p)));
    let message = format!("one has the optional field{} and the other has not", called(alone.map_or("", |(p, _)| p)));
    (message, "bundles that are connected, chosen from or put together have the same fields")
}

fn paths(bundle: &impl Bundle) -> Vec<Field> {
    let mut list = vec![];
    bundle.each(&mut |path, _, s| list.push((path.to_string(), s)));
    list
}

/// The first vector whose length differs: its path and both lengths.
fn difference<'a>(a: &'a [Field], b: &[Field]) -> Option<(&'a str, usize, usize)> {
    let length = |list: &[Field], vector: &str| {
        let rest =
            |path: &str| path.strip_prefix(vector)?.trim_start_matches('_').split('_').next()?.parse::<usize>().ok();
        list.iter().filter_map(|(path, _)| rest(path)).max().map_or(0, |last| last + 1)
    };
    for (path, _) in a {
        let starts = std::iter::once(0).chain(path.match_indices('_').map(|(at, _)| at));
        for vector in starts.map(|at| &path[..at]) {
            let (left, right) = (length(a, vector), length(b, vector));
            if left != right {
                return Some((vector, left, right));
            }
        }
    }
    let (left, right) = (length(a, ""), length(b, ""));
    (left != right).then_some(("", left, right))
}

impl<B> Clone for Vector<B> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<B> Copy for Vector<B> {}

impl<B: std::fmt::Debug> std::fmt::Debug for Vector<B> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.elements).finish()
    }
}

impl<B> Deref for Vector<B> {
    type Target = [B];
    fn deref(&self) -> &[B] {
        self.elements
    }
}

impl<B, I: SliceIndex<[B]> + Clone + Debug> Index<I> for Vector<B> {
    type Output = I::Output;
    /// # Panics
    /// Where the vector ends before the index.
    #[track_caller]
    fn index(&self, index: I) -> &I::Output {
        let (loc, length) = (Location::caller(), self.elements.len());
        match self.elements.get(index.clone()) {
            Some(found) => found,
            None => {
                let help = format!("the elements are 0 to {}", length.saturating_sub(1));
                store::refuse(loc, format!("there is no element {index:?} of {length}"), help)
            }
        }
    }
}

impl<B: Bundle> IntoIterator for Vector<B> {
    type Item = B;
    type IntoIter = std::iter::Copied<std::slice::Iter<'static, B>>;
    fn into_iter(self) -> Self::IntoIter {
        self.elements.iter().copied()
    }
}

impl<'a, B: Bundle> IntoIterator for &'a Vector<B> {
    type Item = &'a B;
    type IntoIter = std::slice::Iter<'a, B>;
    fn into_iter(self) -> Self::IntoIter {
        self.elements.iter()
    }
}

impl<B: Bundle> Value<Vector<B>> for Vec<B> {
    fn like(self, _: &Vector<B>) -> Vector<B> {
        Vector::new(self)
    }
}

impl<B: Bundle, const N: usize> Value<Vector<B>> for [B; N] {
    fn like(self, _: &Vector<B>) -> Vector<B> {
        Vector::new(self.to_vec())
    }
}

/// Calls `f` with the fields of one element after the other, each under its number.
fn each<B: Bundle>(elements: &[B], f: &mut dyn FnMut(&str, bool, Signal)) {
    for (i, element) in elements.iter().enumerate() {
        element.each(&mut |path, flip, s| f(&names::join(&i.to_string(), path), flip, s));
    }
}

fn map<B: Bundle>(i: usize, element: &B, f: &mut dyn FnMut(&str, bool, Signal) -> Signal) -> B {
    element.map(&mut |path, flip, s| f(&names::join(&i.to_string(), path), flip, s))
}

/// The first element in the low bits, as `lanes` counts them.
fn high_first<B: Bundle>(elements: &[B], f: &mut dyn FnMut(Signal)) {
    elements.iter().rev().for_each(|element| element.high_first(f));
}

impl<B: Bundle> Bundle for Vector<B> {
    fn each(&self, f: &mut dyn FnMut(&str, bool, Signal)) {
        each(self.elements, f);
    }
    fn map(&self, f: &mut dyn FnMut(&str, bool, Signal) -> Signal) -> Self {
        Vector::new(self.elements.iter().enumerate().map(|(i, element)| map(i, element, f)).collect())
    }
    #[track_caller]
    fn named(&self, name: &str) -> Self {
        // the elements of a register file stay assignable
        if register_file::take_name(self, name) { *self } else { renamed(self, name, Location::caller()) }
    }
    fn high_first(&self, f: &mut dyn FnMut(Signal)) {
        high_first(self.elements, f);
    }
    fn layouts(&self, f: &mut dyn FnMut(&str, Layout)) {
        f(COUNTED, vec![(String::new(), self.elements.len() as u32)]);
        self.elements.iter().for_each(|element| element.layouts(f));
    }
}

impl<B: Bundle, const N: usize> Bundle for [B; N] {
    fn each(&self, f: &mut dyn FnMut(&str, bool, Signal)) {
        each(self, f);
    }
    fn map(&self, f: &mut dyn FnMut(&str, bool, Signal) -> Signal) -> Self {
        std::array::from_fn(|i| map(i, &self[i], f))
    }
    fn high_first(&self, f: &mut dyn FnMut(Signal)) {
        high_first(self, f);
    }
    fn layouts(&self, f: &mut dyn FnMut(&str, Layout)) {
        self.iter().for_each(|element| element.layouts(f));
    }
}

impl<B: Bundle> Nameable for Vector<B> {
    fn take_name(&self, name: &str) {
        if !register_file::take_name(self, name) {
            self.elements.iter().enumerate().for_each(|(i, x)| x.take_name(&format!("{name}_{i}")));
        }
    }
}
