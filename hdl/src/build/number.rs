//! Numbers beside signals: the rule of which numbers fit.

use super::bundle::Bundle;
use super::naming::{COUNTED, Layout};
use super::store;
use crate::ir::*;
use num_bigint::{BigInt, BigUint};
use std::panic::Location;

/// A value that can stand beside a `B`: a `B` itself, or for signals also a number, which takes the signal's width.
///
/// A number that does not fit is an error. Which numbers fit beside a signal of w bits depends on what the place takes the bits for:
///
/// | place | numbers | of 8 bits |
/// | --- | --- | --- |
/// | `lt`, `le`, `gt`, `ge`, `*` | unsigned: 0 to 2^w - 1 | 0 to 255 |
/// | `lt_signed`, `le_signed`, `gt_signed`, `ge_signed`, `mul_signed` | two's complement: -2^(w-1) to 2^(w-1) - 1 | -128 to 127 |
/// | all others: `+ - & \| ^`, `eq`, `ne`, `mux`, `set`, `case`, values of resets | either: -2^(w-1) to 2^w - 1 | -128 to 255 |
///
/// The others do not depend on the reading: -1 and 255 are the same 8 bits there. A shift by a negative number is an error.
///
/// ```
/// # use hdl::*;
/// # ports! { struct P() { input a: Signal = bits(8), output y: Signal = bits(8) } }
/// let m = Module::new("example");
/// let io = P::new(m);
/// io.y.set(io.a.lt_signed(200).mux(io.a, 0)); // 200 would be -56
/// let errors = m.finish(io).unwrap_err();
/// assert_eq!(errors.0[0].message, "the number 200 does not fit in `a` (8 bits), which `lt_signed` takes as two's complement");
/// assert_eq!(errors.0[0].help.as_deref(), Some("-128 to 127 fit; `lt` takes it as unsigned"));
/// ```
pub trait Value<B> {
    /// This value in the shape of `like`.
    fn like(self, like: &B) -> B;
    /// The number, if it is one.
    fn number(&self) -> Option<BigInt> {
        None
    }
}

impl<B: Bundle> Value<B> for B {
    #[track_caller]
    fn like(self, like: &B) -> B {
        same_layouts(&self, like, Location::caller());
        self
    }
}

/// Have the tagged unions in two bundles fields of the same widths? Else bits would be taken for others, which is reported.
pub(super) fn same_layouts<B: Bundle>(a: &B, b: &B, loc: Loc) -> bool {
    same_unions(|f| a.layouts(f), |f| b.layouts(f), &[a.signals(), b.signals()].concat(), loc)
}

/// The same of two that give their layouts (see [`Bundle::layouts`]); `signals` tell the module.
pub(super) fn same_unions(
    a: impl FnOnce(&mut dyn FnMut(&str, Layout)),
    b: impl FnOnce(&mut dyn FnMut(&str, Layout)),
    signals: &[Signal],
    loc: Loc,
) -> bool {
    let mut layouts = vec![];
    a(&mut |name, fields| layouts.extend((name != COUNTED).then_some(fields)));
    let (mut layouts, mut differ) = (layouts.into_iter(), None);
    b(&mut |name, fields| {
        if name == COUNTED {
            return;
        }
        let Some(other) = layouts.next().filter(|other| *other != fields && differ.is_none()) else { return };
        let alike = other.len() == fields.len() && other.iter().zip(&fields).all(|(a, b)| a.0 == b.0);
        let what = if alike { "widths" } else { "lengths" };
        differ = Some(format!("two shapes of `{name}` meet: their fields have other {what}"));
    });
    let Some(message) = differ else { return true };
    let help = "give both the same shape";
    if signals.iter().all(|s| s.key == BLANK) {
        store::refuse(loc, message, help);
    }
    store::with_any(signals, loc, |b| b.error(loc, message, vec![], Some(help.into())));
    false
}

impl Value<Signal> for BigUint {
    #[track_caller]
    fn like(self, like: &Signal) -> Signal {
        like.literal(self)
    }
    fn number(&self) -> Option<BigInt> {
        Some(self.clone().into())
    }
}

macro_rules! int_value {
    ($($t:ty),*) => {$(impl Value<Signal> for $t {
        #[track_caller]
        fn like(self, like: &Signal) -> Signal { like.integer(self as i128) }
        fn number(&self) -> Option<BigInt> { Some((*self as i128).into()) }
    })*};
}
int_value!(i32, u32, i64, u64, usize, bool, u8, u16, i128);

/// What the bits of a signal are taken for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    Unsigned,
    Signed,
    Either,
}

impl Reading {
    /// Does a number fit in so many bits?
    fn holds(self, value: &BigInt, width: u32) -> bool {
        let (half, all) = (BigInt::from(1) << width.saturating_sub(1), BigInt::from(1) << width);
        match self {
            _ if width == 0 => false,
            Reading::Unsigned => *value >= BigInt::ZERO && *value < all,
            Reading::Signed => *value >= -&half && *value < half,
            Reading::Either => *value >= -half && *value < all,
        }
    }
    fn name(self) -> &'static str {
        match self {
            Reading::Unsigned => "unsigned",
            Reading::Signed => "two's complement",
            Reading::Either => "either",
        }
    }
    /// `-128 to 127 fit`.
    fn range(self, width: u32) -> String {
        let power = |n: u32| if n < 64 { (1u64 << n).to_string() } else { format!("2^{n}") };
        let below = |n: u32| if n < 64 { ((1u64 << n) - 1).to_string() } else { format!("2^{n} - 1") };
        let half = width.saturating_sub(1);
        match self {
            _ if width == 0 => "no number fits in no bits".into(),
            Reading::Unsigned => format!("0 to {} fit", below(width)),
            Reading::Signed => format!("-{} to {} fit", power(half), below(half)),
            Reading::Either => format!("-{} to {} fit", power(half), below(width)),
        }
    }
}

impl Signal {
    /// The value in this signal's width; an error if it is a number that does not fit the reading of the method `by`. `other` is the
    /// method with the other reading.
    #[track_caller]
    pub(super) fn beside(self, value: impl Value<Signal>, reading: Reading, [by, other]: [&str; 2]) -> Signal {
        let Some(number) = value.number().filter(|n| !reading.holds(n, self.width)) else { return value.like(&self) };
        let opposite = match reading {
            Reading::Unsigned => Reading::Signed,
            Reading::Signed => Reading::Unsigned,
            Reading::Either => return value.like(&self),
        };
        let mut help = reading.range(self.width);
        if opposite.holds(&number, self.width) {
            help += &format!("; `{other}` takes it as {}", opposite.name());
        }
        let message = |b: &Draft, id| {
            format!("the number {number} does not fit in {}, which `{by}` takes as {}", b.describe(id), reading.name())
        };
        self.fail(message, Some(&help));
        self.poison(self.width)
    }
    /// A constant as wide as this signal.
    #[track_caller]
    pub fn literal(self, value: impl Into<BigUint>) -> Signal {
        literal_beside(self.key, value.into(), self.width, Some(self.id))
    }
    /// A constant as wide as this signal, two's complement if negative.
    #[track_caller]
    pub(crate) fn integer(self, value: i128) -> Signal {
        let magnitude = BigUint::from(value.unsigned_abs());
        if value >= 0 {
            return self.literal(magnitude);
        }
        if !Reading::Either.holds(&value.into(), self.width) {
            let help = Reading::Either.range(self.width);
            self.fail(|b, id| format!("the number {value} does not fit in {}", b.describe(id)), Some(&help));
            return self.poison(self.width);
        }
        self.literal((BigUint::from(1u32) << self.width) - magnitude)
    }
    /// A constant of `width` bits, in this signal's module.
    #[track_caller]
    pub fn lit(self, value: impl Into<BigUint>, width: u32) -> Signal {
        literal(self.key, value.into(), width)
    }
    /// `n` zero bits in this signal's module.
    #[track_caller]
    pub fn zeros(self, n: u32) -> Signal {
        literal(self.key, BigUint::default(), n)
    }
}

#[track_caller]
pub(crate) fn literal(key: u32, value: BigUint, width: u32) -> Signal {
    literal_beside(key, value, width, None)
}

/// A constant that takes its width from the signal `beside` it, if there is one.
#[track_caller]
fn literal_beside(key: u32, value: BigUint, width: u32, beside: Option<Id>) -> Signal {
    let loc = Location::caller();
    let mut impossible = false;
    let id = store::with(key, loc, |b| {
        let Some(width) = b.possible_width(width.into(), "a constant", loc) else {
            impossible = true;
            return b.poison(1, loc);
        };
        if width == 0 || value.bits() > u64::from(width) {
            let room = beside.map_or(counted(width, "bit"), |x| b.describe(x));
            if beside.is_none_or(|x| b.node(x).op != Op::Poison) {
                let reading = if beside.is_some() { Reading::Either } else { Reading::Unsigned };
                let message = format!("the number {value} does not fit in {room}");
                b.error(loc, message, vec![], Some(reading.range(width)));
            }
            return b.poison(width, loc);
        }
        b.share(SharedKey::Const(value.clone(), width), Op::Const(value), width, loc)
    });
    Signal { key, id: id.unwrap_or(0), width: if impossible { 1 } else { width } }
}
