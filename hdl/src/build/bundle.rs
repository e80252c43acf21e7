//! Bundles: structs of signals that are assigned, registered, selected and put on ports in one piece.
//!
//! `#[derive(Clone, Copy, Bundle)] struct Float { sign: Signal, exp: Signal, frac: Signal }` is all that a user writes. The
//! shape of a bundle is the struct with blanks: `Float { sign: bits(1), exp: bits(5), frac: bits(10) }`. A field marked
//! `#[flip]` runs against the others, as `ready` does in a stream.

use super::control::check_conditions;
use super::naming::{COUNTED, Layout, Nameable};
use super::number::Value;
use super::signal::bits;
use super::slices::cat;
use super::store;
use super::vector::lengths_differ;
use crate::ir::*;
use std::panic::Location;

/// What kind of value a `switch` looks at.
#[doc(hidden)]
pub enum Selector {
    /// Any bits.
    Bits,
    /// One of some states.
    State(StateEnum),
    /// A tag and what belongs to it.
    Tagged,
}

/// A struct of signals; derive it.
///
/// ```
/// # use hdl::*;
/// #[derive(Clone, Copy, Bundle)]
/// struct Pixel { red: Signal, green: Signal }
///
/// ports! {
///     struct P() {
///         input from: Pixel = Pixel { red: bits(5), green: bits(6) }, // ports `from_red`, `from_green`
///         output to: Pixel = Pixel { red: bits(5), green: bits(6) },
///     }
/// }
/// # #[module]
/// # fn example() -> Result<Design<P>, Errors> {
/// # let m = Module::new("example");
/// # let io = P::new(m);
/// let held = m.reg(io.from.shape());
/// held.set(io.from); // all fields
/// io.to.set(held.red.eq(0).mux(io.from, held));
/// # m.finish(io)
/// # }
/// # example().unwrap();
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no signal, and no bundle of signals",
    note = "a state as a signal is `m.lit_state(..)`, a number `m.lit(..)`; a struct of signals has `#[derive(Clone, Copy, Bundle)]`"
)]
pub trait Bundle: Copy + Nameable + 'static {
    /// Calls `f` with the path (`payload_sign`), the direction (`true`: flipped) and the signal of every field.
    fn each(&self, f: &mut dyn FnMut(&str, bool, Signal));
    /// A bundle of the same type with every signal replaced.
    fn map(&self, f: &mut dyn FnMut(&str, bool, Signal) -> Signal) -> Self;

    /// What `switch` looks at.
    #[doc(hidden)]
    fn selector(&self) -> Selector {
        Selector::Bits
    }
    /// Calls `f` with the name of every tagged union inside, and what two of them must share to be alike; with [`COUNTED`] for every
    /// vector and optional field, and how many there are.
    #[doc(hidden)]
    fn layouts(&self, _: &mut dyn FnMut(&str, Layout)) {}
    /// Calls `f` with every signal in the order in which [`Bundle::pack`] puts them, the high bits first.
    fn high_first(&self, f: &mut dyn FnMut(Signal)) {
        self.each(&mut |_, _, s| f(s));
    }

    /// All fields as one signal, the first field in the high bits; of a vector, the first element is in the low bits.
    #[track_caller]
    fn pack(&self) -> Signal {
        let mut parts = vec![];
        self.high_first(&mut |s| parts.push(s));
        if parts.is_empty() {
            store::refuse(
                Location::caller(),
                "`pack` of a bundle without fields",
                "one of its optional fields must be there",
            );
        }
        cat(&parts)
    }
    /// A bundle of this shape from the bits that [`Bundle::pack`] gives.
    #[track_caller]
    fn unpack(&self, packed: Signal) -> Self {
        let (loc, width) = (Location::caller(), self.total_width());
        if packed.width != width {
            let help = "cut or widen it with `trunc` or `zext`";
            packed.fail(
                |b, id| format!("a bundle of {} cannot be unpacked from {}", counted(width, "bit"), b.describe(id)),
                Some(help),
            );
        }
        let fits = packed.width == width;
        let mut lows = lowest_bits(self).into_iter();
        self.map(&mut |_, _, s| match lows.next() {
            Some(low) if fits => packed.slice_at(low, s.width, loc),
            _ => packed.poison(s.width),
        })
    }
    /// Bits of all fields together.
    fn total_width(&self) -> u32 {
        u32::try_from(self.wide_width()).unwrap_or(u32::MAX)
    }
    /// The same where it is more than a signal can have.
    #[doc(hidden)]
    fn wide_width(&self) -> u64 {
        let mut sum = 0;
        self.each(&mut |_, _, s| sum += u64::from(s.width));
        sum
    }
    /// The same shape, as blanks.
    fn shape(&self) -> Self {
        self.map(&mut |_, _, s| bits(s.width))
    }
    /// Assigns to wires, registers, output ports and inputs of instances; the last assignment that applies wins. Flipped
    /// fields are assigned the other way round, so that one line connects two streams.
    #[track_caller]
    fn set(&self, value: impl Value<Self>) {
        let loc = Location::caller();
        let value = value.like(self);
        self.zip_each(&value, &mut |flip, mine, theirs| {
            let (to, from) = if flip { (theirs, mine) } else { (mine, theirs) };
            store::with_any(&[to, from], loc, |b| {
                check_conditions(b, "an assignment", loc);
                b.assign(to, from, loc);
            });
        });
    }
    /// Calls `f` with the direction and the two signals of every field of two bundles, whose vectors have the same lengths.
    #[track_caller]
    fn zip_each(&self, other: &Self, f: &mut dyn FnMut(bool, Signal, Signal)) {
        if lengths_differ(self, other) {
            return;
        }
        let mut theirs = vec![];
        other.each(&mut |_, _, s| theirs.push(s));
        let mut theirs = theirs.into_iter();
        self.each(&mut |_, flip, s| theirs.next().into_iter().for_each(|t| f(flip, s, t)));
    }
    /// Field by field, `f` of this and the other bundle, whose vectors have the same lengths.
    #[track_caller]
    fn zip(&self, other: &Self, f: &mut dyn FnMut(Signal, Signal) -> Signal) -> Self {
        if lengths_differ(self, other) {
            return *self;
        }
        let mut theirs = vec![];
        other.each(&mut |_, _, s| theirs.push(s));
        let mut theirs = theirs.into_iter();
        self.map(&mut |_, _, s| theirs.next().map_or(s, |t| f(s, t)))
    }
    /// Gives the fields a name in the Verilog and in waves, where the `let` does not give the right one.
    #[track_caller]
    fn named(&self, name: &str) -> Self {
        renamed(self, name, Location::caller())
    }
}

impl<B: Bundle> Signals for B {
    fn signals(&self) -> Vec<Signal> {
        let mut all = vec![];
        self.each(&mut |_, _, s| all.push(s));
        all
    }
}

/// The bundle with its fields called after `name`.
pub(super) fn renamed<B: Bundle>(bundle: &B, name: &str, loc: Loc) -> B {
    bundle.map(&mut |path, _, s| {
        let full = names::join(name, path);
        store::with(s.key, loc, |b| b.rename(s, &full, loc)).unwrap_or(s)
    })
}

/// Where each field of a shape begins in what [`Bundle::pack`] gives, in the order of [`Bundle::each`].
pub(super) fn lowest_bits(shape: &impl Bundle) -> Vec<u32> {
    let (mut top, mut count) = (shape.total_width(), 0);
    let numbered = shape.map(&mut |_, _, s| {
        count += 1;
        Signal { key: BLANK, id: count - 1, width: s.width }
    });
    let mut lows = vec![0; count as usize];
    numbered.high_first(&mut |s| {
        top -= s.width;
        lows[s.id as usize] = top;
    });
    lows
}

impl Bundle for Signal {
    fn each(&self, f: &mut dyn FnMut(&str, bool, Signal)) {
        f("", false, *self)
    }
    fn map(&self, f: &mut dyn FnMut(&str, bool, Signal) -> Signal) -> Self {
        f("", false, *self)
    }
}

/// A field or port that is there or not, by a parameter of its module: `input keep: Option<Signal> = has_keep.then(|| bits(4))`.
impl<B: Bundle> Bundle for Option<B> {
    fn layouts(&self, f: &mut dyn FnMut(&str, Layout)) {
        f(COUNTED, vec![(String::new(), u32::from(self.is_some()))]);
        self.iter().for_each(|bundle| bundle.layouts(f));
    }
    fn each(&self, f: &mut dyn FnMut(&str, bool, Signal)) {
        self.iter().for_each(|bundle| bundle.each(f));
    }
    fn map(&self, f: &mut dyn FnMut(&str, bool, Signal) -> Signal) -> Self {
        self.as_ref().map(|bundle| bundle.map(f))
    }
    fn high_first(&self, f: &mut dyn FnMut(Signal)) {
        self.iter().for_each(|bundle| bundle.high_first(f));
    }
}

macro_rules! tuple {
    ($($name:ident $index:tt),+) => {
        impl<$($name: Bundle),+> Bundle for ($($name,)+) {
            fn layouts(&self, f: &mut dyn FnMut(&str, Layout)) {
                $(self.$index.layouts(f);)+
            }
            fn each(&self, f: &mut dyn FnMut(&str, bool, Signal)) {
                $(self.$index.each(&mut |p, flip, s| f(&names::join(stringify!($index), p), flip, s));)+
            }
            fn map(&self, f: &mut dyn FnMut(&str, bool, Signal) -> Signal) -> Self {
                ($(self.$index.map(&mut |p, flip, s| f(&names::join(stringify!($index), p), flip, s)),)+)
            }
            fn high_first(&self, f: &mut dyn FnMut(Signal)) {
                $(self.$index.high_first(f);)+
            }
        }
        impl<$($name: Nameable),+> Nameable for ($($name,)+) {
            fn take_name(&self, name: &str) {
                $(self.$index.take_name(&names::join(name, stringify!($index)));)+
            }
        }
    };
}
tuple!(A 0, B 1);
tuple!(A 0, B 1, C 2);
tuple!(A 0, B 1, C 2, D 3);
tuple!(A 0, B 1, C 2, D 3, E 4);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5);
