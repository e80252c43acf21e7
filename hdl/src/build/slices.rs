//! Pieces of signals and signals of pieces: slices, concatenation, extension.

use super::signal::clog2;
use super::store;
use crate::ir::*;
use std::panic::Location;

/// Concatenation, the first signal in the high bits.
#[track_caller]
pub fn cat(parts: &[Signal]) -> Signal {
    let loc = Location::caller();
    let Some(first) = parts.first() else {
        store::refuse(loc, "`cat` of no signals", "give it one signal or more");
    };
    if parts.len() == 1 {
        return *first;
    }
    let width = parts.iter().map(|p| u64::from(p.width)).sum();
    let Some(width) = possible(width, "`cat`", parts) else { return Signal::poison_of(parts, 1) };
    if !store::with_any(parts, loc, |b| b.check_same(parts, loc)).unwrap_or(false) {
        return Signal::poison_of(parts, width);
    }
    first.make(Op::Cat(parts.iter().map(|p| p.id).collect()), width)
}

/// A width that a signal can have; another one is reported.
#[track_caller]
pub(super) fn possible(width: u64, what: &str, parts: &[Signal]) -> Option<u32> {
    let loc = Location::caller();
    store::with_any(parts, loc, |b| b.possible_width(width, what, loc)).flatten()
}

impl Signal {
    /// This signal above `low`.
    #[track_caller]
    pub fn cat(self, low: Signal) -> Signal {
        cat(&[self, low])
    }
    /// Bits `hi` down to `lo`, both included, as in Verilog. Of a wire or register, this can be assigned.
    #[track_caller]
    pub fn bits(self, hi: u32, lo: u32) -> Signal {
        if hi < lo || hi >= self.width {
            let what = if hi == lo { format!("bit {hi}") } else { format!("[{hi}:{lo}]") };
            match hi < lo {
                true => self.fail(
                    |b, id| format!("{what} of {}: the high bit comes first", b.describe(id)),
                    (lo < self.width).then_some(format!("`bits({lo}, {hi})`")).as_deref(),
                ),
                false => {
                    let help = format!("its bits are {} to 0", self.width - 1);
                    self.fail(|b, id| format!("{what} is outside {}", b.describe(id)), Some(&help));
                }
            }
            return self.poison(hi.saturating_sub(lo).min(1 << 20) + 1);
        }
        self.slice(lo, hi - lo + 1)
    }
    /// Bit `i`.
    #[track_caller]
    pub fn bit(self, i: u32) -> Signal {
        self.bits(i, i)
    }
    /// The highest bit.
    #[track_caller]
    pub fn msb(self) -> Signal {
        self.bit(self.width - 1)
    }
    /// The low `width` bits.
    #[track_caller]
    pub fn trunc(self, width: u32) -> Signal {
        if width == 0 || width > self.width {
            let help = format!("1 to {}; `zext` and `sext` widen", counted(self.width, "bit"));
            self.fail(|b, id| format!("cannot cut {} to {}", b.describe(id), counted(width, "bit")), Some(&help));
            return self.poison(width);
        }
        self.slice(0, width)
    }
    /// The bits above the lowest `n`.
    #[track_caller]
    pub fn drop_low(self, n: u32) -> Signal {
        if n >= self.width {
            let help = format!("0 to {}: one bit stays at least", self.width - 1);
            self.fail(|b, id| format!("cannot drop the low {} of {}", counted(n, "bit"), b.describe(id)), Some(&help));
            return self.poison(1);
        }
        self.bits(self.width - 1, n)
    }
    /// Zeros above, to `width` bits.
    #[track_caller]
    pub fn zext(self, width: u32) -> Signal {
        self.extend(width, |s, n| s.zeros(n))
    }
    /// Copies of the sign bit above, to `width` bits.
    #[track_caller]
    pub fn sext(self, width: u32) -> Signal {
        self.extend(width, |s, n| s.msb().repeat(n))
    }
    #[track_caller]
    fn extend(self, width: u32, fill: impl Fn(Signal, u32) -> Signal) -> Signal {
        match width.checked_sub(self.width) {
            None => {
                let help = "use `trunc` to cut";
                self.fail(|b, id| format!("cannot extend {} to {}", b.describe(id), counted(width, "bit")), Some(help));
                self.poison(width)
            }
            Some(0) => self,
            Some(n) => match possible(width.into(), "a signal", &[self]) {
                Some(_) => cat(&[fill(self, n), self]),
                None => self.poison(1),
            },
        }
    }
    /// `n` copies side by side.
    #[track_caller]
    pub fn repeat(self, n: u32) -> Signal {
        match n {
            0 => {
                self.fail(|b, id| format!("{} is repeated 0 times", b.describe(id)), Some("once or more"));
                self.poison(1)
            }
            1 => self,
            _ => match possible(u64::from(self.width) * u64::from(n), "`repeat`", &[self]) {
                Some(width) => self.make(Op::Repeat(self.id, n), width),
                None => self.poison(1),
            },
        }
    }
    /// The signal as elements of `width` bits, the lowest first; `width` must divide it.
    #[track_caller]
    pub fn lanes(self, width: u32) -> Vec<Signal> {
        if width == 0 || !self.width.is_multiple_of(width) {
            let help = "the lanes are equal: widen with `zext`, or cut with `bits`";
            self.fail(
                |b, id| format!("{} cannot be cut into lanes of {}", b.describe(id), counted(width, "bit")),
                Some(help),
            );
            return vec![self.poison(width); self.width.checked_div(width).unwrap_or(0) as usize + 1];
        }
        let loc = Location::caller();
        (0..self.width / width).map(|i| self.slice_at(i * width, width, loc)).collect()
    }
    /// `width` bits from bit `low` upwards. Of a wire or register, this can be assigned. `low` must be as wide as an address of
    /// this signal's bits, and must not be able to reach past the end (pad the signal where it could). A signal of 1 bit has an
    /// address of 1 bit too, of which only 0 names a bit: at 1 it reads as 0, and assigning does nothing.
    #[track_caller]
    pub fn part(self, low: Signal, width: u32) -> Signal {
        let loc = Location::caller();
        Signal::build_of(&[self, low], width, loc, |b| {
            if !b.check_same(&[self, low], loc) || b.node(self.id).op == Op::Poison || b.node(low.id).op == Op::Poison {
                return b.poison(width, loc);
            }
            if width == 0 {
                let help = format!("1 to {}", counted(self.width, "bit"));
                b.error(loc, format!("`part` takes 0 bits of {}", b.describe(self.id)), vec![], Some(help));
                return b.poison(1, loc);
            }
            if self.width == 1 && width == 1 {
                return b.choose(&[self], low, loc);
            }
            let (what, index) = (b.describe(self.id), b.describe(low.id));
            let (wanted, largest) = (clog2(self.width as usize), b.largest(low.id));
            if low.width != wanted {
                let message = format!("the index {index} into {what} must have {}", counted(wanted, "bit"));
                b.error(loc, message, vec![], Some("cut or widen it with `trunc` or `zext`".into()));
                return b.poison(width, loc);
            }
            if &largest + width > self.width.into() {
                let message = format!(
                    "{index} can be {largest}: {} from there would reach past the end of {what}",
                    counted(width, "bit")
                );
                b.error(loc, message, vec![], Some("pad the signal, or put constants into the index".into()));
                return b.poison(width, loc);
            }
            match b.constant(low.id).and_then(|v| u32::try_from(v).ok()) {
                Some(lo) => b.slice(self.id, lo, width, loc),
                None => b.make(Op::Part(self.id, low.id), width, loc),
            }
        })
    }
    #[track_caller]
    fn slice(self, lo: u32, width: u32) -> Signal {
        self.slice_at(lo, width, Location::caller())
    }
    /// A slice that lies inside, looking through slices, constants and concatenations; for closures, which know no caller.
    pub(crate) fn slice_at(self, lo: u32, width: u32, loc: Loc) -> Signal {
        if width == self.width {
            return self;
        }
        self.build(width, loc, |b| b.slice(self.id, lo, width, loc))
    }
}
