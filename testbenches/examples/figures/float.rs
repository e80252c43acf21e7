//! Floating point units for the bench: any format, subnormals read and written as zero, round to nearest even.

use hdl::*;

/// A binary floating point format: a sign bit, `exp` exponent bits, `frac` fraction bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    pub exp: u32,
    pub frac: u32,
}

/// IEEE 754 binary16.
pub const BINARY16: Format = Format { exp: 5, frac: 10 };

impl Format {
    pub fn width(self) -> u32 {
        1 + self.exp + self.frac
    }
    fn bias(self) -> u64 {
        (1 << (self.exp - 1)) - 1
    }
    /// The exponent of infinity and NaN.
    fn top(self) -> u64 {
        (1 << self.exp) - 1
    }
    fn name(self, unit: &str) -> String {
        format!("{unit}_e{}f{}", self.exp, self.frac)
    }
}

pub const MULTIPLY_STAGES: u32 = 2;
pub const ADD_STAGES: u32 = 3;

ports! {
    pub struct FloatPorts(f: Format) {
        input a: Signal = bits(f.width()),
        input b: Signal = bits(f.width()),
        output y: Signal = bits(f.width()),
    }
}

/// An operand taken apart; `sig` has the hidden one and is zero for zeros and subnormals.
#[derive(Clone, Copy, Bundle)]
struct Parts {
    sign: Signal,
    exp: Signal,
    sig: Signal,
    zero: Signal,
    inf: Signal,
    nan: Signal,
}

fn take_apart(x: Signal, f: Format) -> Parts {
    let (sign, exp, frac) = (x.msb(), x.bits(f.width() - 2, f.frac), x.trunc(f.frac));
    let (zero, top) = (exp.eq(0), exp.eq(exp.literal(f.top())));
    let hidden = x.lit(1u32, 1).cat(frac);
    Parts {
        sign,
        exp,
        sig: zero.mux(hidden.zeros(f.frac + 1), hidden),
        zero,
        inf: top & !frac.any(),
        nan: top & frac.any(),
    }
}

/// What decides special results.
#[derive(Clone, Copy, Bundle)]
struct Special {
    nan: Signal,
    inf: Signal,
    zero: Signal,
    sign: Signal,
}

/// Rounds to nearest even and packs. `sig` has its leading one at the top; `exp` is its biased exponent with two more bits.
#[module]
fn round(f: Format, exp: Signal, sig: Signal, special: Special) -> Signal {
    let top = sig.width() - 2;
    let frac = sig.bits(top, top + 1 - f.frac);
    let sticky = sig.trunc(top - f.frac).any();
    let round_up = sig.bit(top - f.frac) & (sticky | frac.bit(0));
    // a carry out of the fraction goes into the exponent
    let rounded = exp.cat(frac) + round_up.zext(f.exp + 2 + f.frac);
    let (exp, frac) = (rounded.drop_low(f.frac), rounded.trunc(f.frac));
    let underflow = exp.le_signed(0);
    let overflow = exp.ge_signed(exp.literal(f.top()));

    let ones = exp.lit(f.top(), f.exp);
    let nan = cat(&[exp.zeros(1), ones, exp.lit(1u32 << (f.frac - 1), f.frac)]);
    let inf = cat(&[special.sign, ones, exp.zeros(f.frac)]);
    let zero = special.sign.cat(exp.zeros(f.exp + f.frac));
    let normal = cat(&[special.sign, exp.trunc(f.exp), frac]);
    let finite = (special.zero | underflow).mux(zero, overflow.mux(inf, normal));
    special.nan.mux(nan, special.inf.mux(inf, finite))
}

/// `y = a * b`, two cycles later.
#[module]
pub fn multiply(f: Format) -> Result<Design<FloatPorts>, Errors> {
    let m = Module::new(f.name("multiply"));
    m.latency(MULTIPLY_STAGES);
    let io = FloatPorts::new(m, f);
    let p = m.pipeline("multiply");
    let a = take_apart(p.enter(io.a), f);
    let b = take_apart(p.enter(io.b), f);

    m.section("stage 1: product of the significands, sum of the exponents");
    let product = (a.sig * b.sig).next();
    let wide = |x: Signal| x.zext(f.exp + 2);
    let biased = (wide(a.exp) + wide(b.exp) - a.exp.lit(f.bias(), f.exp + 2)).next();
    let special = Special {
        nan: a.nan | b.nan | (a.inf & b.zero) | (a.zero & b.inf),
        inf: a.inf | b.inf,
        zero: a.zero | b.zero,
        sign: a.sign ^ b.sign,
    }
    .next();

    m.section("stage 2: the product is in [1, 4): normalise, round, pack");
    let big = product.msb();
    let sig = big.mux(product, product << 1);
    let exp = biased + wide(big);
    io.y.set(p.leave(round(f, exp, sig, special).next()));
    m.finish(io)
}

/// `x >> by`, with every bit that falls out ORed into the lowest one.
fn shift_right_sticky(x: Signal, by: Signal) -> Signal {
    (0..by.width()).fold(x, |x, i| {
        let n = 1 << i;
        let lost = x.trunc(n.min(x.width())).any();
        let shifted = x >> n;
        by.bit(i).mux(shifted.drop_low(1).cat(shifted.bit(0) | lost), x)
    })
}

/// Number of leading zeros; meaningless for x = 0.
fn leading_zeros(x: Signal) -> Signal {
    let width = x.width().next_power_of_two();
    let x = if width == x.width() { x } else { x.cat(x.zeros(width - x.width())) };
    if width == 2 {
        return !x.bit(1);
    }
    let (high, low) = (x.drop_low(width / 2), x.trunc(width / 2));
    let none = !high.any();
    none.cat(none.mux(leading_zeros(low), leading_zeros(high)))
}

/// `y = a + b`, three cycles later.
#[module]
pub fn add(f: Format) -> Result<Design<FloatPorts>, Errors> {
    let m = Module::new(f.name("add"));
    m.latency(ADD_STAGES);
    let io = FloatPorts::new(m, f);
    let p = m.pipeline("add");
    let (a, b) = p.enter((io.a, io.b));

    m.section("stage 1: larger magnitude first, align the smaller one");
    let swap = a.trunc(f.width() - 1).lt(b.trunc(f.width() - 1));
    let x = take_apart(swap.mux(b, a), f);
    let y = take_apart(swap.mux(a, b), f);
    let distance = x.exp - y.exp;
    let guard = a.zeros(3);
    let subtract = x.sign ^ y.sign;
    let special = Special {
        nan: x.nan | y.nan | (x.inf & y.inf & subtract),
        inf: x.inf,
        zero: x.zero,
        sign: x.zero.mux(x.sign & y.sign, x.sign),
    }
    .next();
    let large = x.sig.cat(guard).next();
    let small = shift_right_sticky(y.sig.cat(guard), distance).next();
    let subtract = subtract.next();

    m.section("stage 2: add or subtract, count leading zeros");
    let w = f.frac + 5;
    let total = subtract.mux(large.zext(w) - small.zext(w), large.zext(w) + small.zext(w));
    let cancelled = !total.any();
    let sign = special.sign & (special.zero | !cancelled);
    let special = Special { zero: special.zero | cancelled, sign, ..special }.next();
    let zeros = leading_zeros(total).next();
    let sum = total.next();

    m.section("stage 3: normalise, round, pack");
    let sig = sum << zeros;
    let exp = x.exp.meet(sum).zext(f.exp + 2) + 1 - zeros.zext(f.exp + 2);
    io.y.set(p.leave(round(f, exp, sig, special).next()));
    m.finish(io)
}

ports! {
    pub struct DotPorts(f: Format, lanes: u32) {
        input valid: Signal = bits(1),
        /// Lane 0 in the low bits.
        input a: Signal = bits(f.width() * lanes),
        input b: Signal = bits(f.width() * lanes),
        output sum_valid: Signal = bits(1),
        output sum: Signal = bits(f.width()),
    }
}

/// The dot product of two vectors, a pair of vectors a cycle; `lanes` is a power of two.
#[module]
pub fn dot(f: Format, lanes: u32) -> Result<Design<DotPorts>, Errors> {
    let m = Module::new(f.name(&format!("dot{lanes}")));
    m.latency(MULTIPLY_STAGES + ADD_STAGES * lanes.ilog2());
    let io = DotPorts::new(m, f, lanes);
    let p = m.pipeline("dot");
    let valid = p.enter_valid(io.valid);
    let (a, b) = p.enter((io.a, io.b));

    m.section("products");
    let unit = multiply(f)?;
    let combine = |unit: &Design<FloatPorts>, a: Signal, b: Signal| {
        let instance = m.instance(unit);
        instance.a.set(a);
        instance.b.set(b);
        instance.y
    };
    let mut level: Vec<Signal> =
        a.lanes(f.width()).into_iter().zip(b.lanes(f.width())).map(|(a, b)| combine(&unit, a, b)).collect();

    m.section("adder tree");
    let unit = add(f)?;
    while level.len() > 1 {
        level = level.chunks(2).map(|pair| combine(&unit, pair[0], pair[1])).collect();
    }
    io.sum.set(p.leave(level[0]));
    io.sum_valid.set(p.leave(valid.meet(level[0])));
    m.finish(io)
}
