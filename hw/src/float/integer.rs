//! Conversions between floating point and integers of 2 to 32 bits, rounded to nearest even.
//!
//! From an integer: its magnitude is shifted to the front, counted and rounded; where all integers fit into the fraction,
//! nothing is rounded and nothing is spent on it. To an integer: the significand is shifted to the right from the
//! integer's highest place, rounded and negated in one adder.
//!
//! | port | |
//! | --- | --- |
//! | `a`, `in_valid` | operand; `in_valid` only travels along |
//! | `y`, `out_valid` | the same value in the other form, `latency` cycles later |
//!
//! - Parameters: format (2 to 8 exponent bits, 1 to 23 fraction bits), subnormals kept or flushed, integers of 2 to 32 bits,
//!   two's complement or unsigned, latency 0 to [`NATURAL`].
//! - One conversion a cycle. With latency 0 all paths are combinational, else none from port to port.
//! - An integer that is too large for the format gives infinity. What is outside the integers gives the nearest of them, infinity
//!   too; NaN gives 0.

use super::format::{Format, Parts, Subnormals};
use super::logic::add_carry;
use super::operand::{UnaryPorts, constant, signed_bits, to_front};
use super::round::{Exact, pack, place};
use super::stages::{Stages, check_latency};
use hdl::*;

/// Natural depth: ready, shifted, rounded.
pub const NATURAL: u32 = 3;

/// The integers on the other side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Integers {
    /// 2 to 32.
    pub bits: u32,
    /// Two's complement?
    pub signed: bool,
}

impl Integers {
    /// `i8`, `u32`
    fn name(self) -> String {
        format!("{}{}", if self.signed { 'i' } else { 'u' }, self.bits)
    }
    fn check(self, at: &str) -> Result<(), Errors> {
        if (2..=32).contains(&self.bits) {
            return Ok(());
        }
        Err(Errors::parameter(at, format!("integers of {} bits", self.bits), "2 to 32 bits are legal"))
    }
}

/// Integer to floating point. Subnormal results do not occur.
#[module]
pub fn from_integer(f: Format, i: Integers, latency: u32) -> Result<Design<UnaryPorts>, Errors> {
    let name = format!("{}_l{latency}", f.name(&format!("from_{}", i.name()), Subnormals::Keep));
    f.check(&name)?;
    i.check(&name)?;
    check_latency(&name, latency, NATURAL)?;
    let m = Module::new(name);
    m.doc("Integer to floating point, round to nearest even.");
    let io = UnaryPorts::new(m, i.bits, f.width());
    let s = Stages::new(m, NATURAL, latency);
    io.out_valid.set(s.valid(io.in_valid));
    let a = s.enter(io.a);

    let sign = if i.signed { a.msb() } else { a.zeros(1) };
    let magnitude = if i.signed { (a ^ sign.repeat(i.bits)) + sign.zext(i.bits) } else { a };
    let (sign, magnitude) = s.cut(1, (sign, magnitude));

    let (sig, zeros) = to_front(magnitude, 1);
    let (least, greatest) = (f.bias() as i32, (f.bias() + u64::from(i.bits)) as i32 - 1);
    let width = signed_bits(0, greatest).max(zeros.width());
    let exp = constant(sig, greatest, width) - zeros.zext(width);
    let zero = !sig.msb();
    let sig = if i.bits < f.sig() { sig.cat(sig.zeros(f.sig() - i.bits)) } else { sig };
    let no = sign.zeros(1);
    let exact = Exact { sign, exp, sig, sticky: no, zero, infinite: no, nan: no };
    let placed = s.cut(2, place(exact, least..=greatest, f, Subnormals::Keep));
    io.y.set(s.leave(pack(placed)));
    m.finish(io)
}

/// A number on its way to an integer.
#[derive(Clone, Copy, Bundle)]
struct Scaled {
    sign: Signal,
    nan: Signal,
    /// Too large.
    over: Signal,
    /// The significand from the highest place of the integer on.
    value: Signal,
    /// Places to the right.
    by: Signal,
    /// Less than a half.
    far: Signal,
}

/// Floating point to integer.
#[module]
pub fn to_integer(f: Format, subnormals: Subnormals, i: Integers, latency: u32) -> Result<Design<UnaryPorts>, Errors> {
    let name = format!("{}_l{latency}", f.name(&format!("to_{}", i.name()), subnormals));
    f.check(&name)?;
    i.check(&name)?;
    check_latency(&name, latency, NATURAL)?;
    let m = Module::new(name);
    m.doc("Floating point to integer, round to nearest even, saturating.");
    let io = UnaryPorts::new(m, f.width(), i.bits);
    let s = Stages::new(m, NATURAL, latency);
    io.out_valid.set(s.valid(io.in_valid));
    let a = s.enter(io.a);

    let scaled = s.cut(1, scale(a, f, subnormals, i));
    let Scaled { sign, nan, over, value, by, far } = scaled;
    let (mut shifted, mut sticky) = (value, value.zeros(1));
    for level in (0..by.width()).rev() {
        let (places, chosen) = ((1u32 << level).min(value.width()), by.bit(level));
        sticky = sticky | (chosen & shifted.trunc(places).any());
        shifted = chosen.mux(shifted >> places, shifted);
    }
    let behind = value.width() - i.bits;
    let whole = shifted.drop_low(behind) & (!far).repeat(i.bits);
    let guard = shifted.bit(behind - 1) & !far;
    let rest = if behind > 1 { shifted.trunc(behind - 1).any() | sticky } else { sticky };
    let round_up = guard & (rest | whole.bit(0));
    let (known, whole, round_up) = s.cut(2, ((sign, nan, over), whole, round_up));

    let (sign, nan, over) = known;
    let y = if i.signed {
        let rounded = add_carry(whole ^ sign.repeat(i.bits), whole.zeros(i.bits), sign ^ round_up);
        // rounding may carry into the highest place and beyond
        let over = over | sign.mux(!rounded.msb() & whole.any(), rounded.msb() | whole.msb());
        over.mux(sign.cat((!sign).repeat(i.bits - 1)), rounded) & (!nan).repeat(i.bits)
    } else {
        let rounded = add_carry(whole.zext(i.bits + 1), whole.zeros(i.bits + 1), round_up);
        (rounded.trunc(i.bits) | (over | rounded.msb()).repeat(i.bits)) & (!(nan | sign)).repeat(i.bits)
    };
    io.y.set(s.leave(y));
    m.finish(io)
}

/// How far the significand is from the integer's highest place.
#[module]
fn scale(a: Signal, f: Format, subnormals: Subnormals, i: Integers) -> Scaled {
    let x = Parts::of(a, f);
    // the exponent with which the significand stands at the highest place
    let highest = (f.bias() + u64::from(i.bits)) as i32 - 1;
    let width = signed_bits(highest - f.top() as i32, highest);
    let by = constant(a, highest, width) - x.effective_exp().zext(width);
    let sig = x.significand(subnormals);
    let value = if f.sig() > i.bits { sig } else { sig.cat(sig.zeros(i.bits + 1 - f.sig())) };
    let levels = (32 - (i.bits + 1).leading_zeros()).min(width - 1);
    let far = if levels < width - 1 { by.bits(width - 2, levels).any() } else { by.zeros(1) };
    let nan = x.top & x.frac.any();
    Scaled { sign: x.sign, nan, over: x.top | by.msb(), value, by: by.trunc(levels), far }
}
