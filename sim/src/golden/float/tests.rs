//! The models against `rustc_apfloat`, with subnormals kept and flushed.

use super::Model;
use super::stimuli::{pair, triple};
use rustc_apfloat::ieee::{Double, IeeeFloat, Semantics};
use rustc_apfloat::{Float, FloatConvert, Round};

/// The interchange format of so many bits, for the other library.
struct Layout<const EXP: usize, const FRAC: usize>;

impl<const EXP: usize, const FRAC: usize> Semantics for Layout<EXP, FRAC> {
    const BITS: usize = 1 + EXP + FRAC;
    const EXP_BITS: usize = EXP;
}

/// A format in the other library.
type Kept<const EXP: usize, const FRAC: usize> = IeeeFloat<Layout<EXP, FRAC>>;
/// Numbers rounded to the same fraction, with exponents beyond all results: nothing is subnormal or infinite for its size.
type Wide<const FRAC: usize> = IeeeFloat<Layout<15, FRAC>>;

const BOTH: [bool; 2] = [false, true];

/// How many tuples each test takes: pairs of bfloat16 numbers have all pairs of exponents by then. `KVFORGE_LONG=1` takes a
/// hundred million, which is eleven minutes.
fn count() -> u64 {
    if crate::bus::long() { 100_000_000 } else { 8 << 16 }
}

/// The number that the bits of an operand mean: with flushing, subnormal ones are zeros of their sign.
fn operand<const EXP: usize, const FRAC: usize>(m: Model, bits: u32) -> Kept<EXP, FRAC> {
    let subnormal = bits & m.infinity(false) == 0;
    let bits = if m.flush && subnormal { bits & m.zero(true) } else { bits };
    Kept::from_bits(bits.into())
}

/// The same number with another exponent or fraction; rounded, if it has to be.
fn converted<A: FloatConvert<B>, B: Float>(x: A) -> B {
    x.convert(&mut false).value
}

/// The bits of a result; all NaNs as the model's.
fn bits<F: Float>(m: Model, y: F) -> u32 {
    if y.is_nan() { m.nan() } else { y.to_bits() as u32 }
}

/// The bits of a result that is rounded to the fraction alone: what is below the smallest normal number is a zero of its sign.
fn flushed<const EXP: usize, const FRAC: usize>(m: Model, y: Wide<FRAC>) -> u32 {
    let tiny = y.is_finite() && y.ilogb() < Layout::<EXP, FRAC>::MIN_EXP;
    if tiny { m.zero(y.is_negative()) } else { bits(m, converted::<_, Kept<EXP, FRAC>>(y)) }
}

#[derive(Clone, Copy, Debug)]
enum Operation {
    Add,
    Subtract,
    Multiply,
    Divide,
    MultiplyAdd,
    Reciprocal,
    Root,
}
use Operation::*;

const ALL: [Operation; 7] = [Add, Subtract, Multiply, Divide, MultiplyAdd, Reciprocal, Root];

/// What the other library says, rounded once to the format `F`.
fn apply<F>(operation: Operation, [a, b, c]: [F; 3]) -> F
where
    F: FloatConvert<Double>,
    Double: FloatConvert<F>,
{
    let even = Round::NearestTiesToEven;
    match operation {
        Add => a.add_r(b, even).value,
        Subtract => a.sub_r(b, even).value,
        Multiply => a.mul_r(b, even).value,
        Divide => a.div_r(b, even).value,
        MultiplyAdd => a.mul_add_r(b, c, even).value,
        Reciprocal => F::from_u128(1).value.div_r(a, even).value,
        // it has no roots, the processor has: rounded to 53 bits, which is more than twice as many as the result has
        Root => {
            let a: Double = converted(a);
            converted(Double::from_bits(f64::from_bits(a.to_bits() as u64).sqrt().to_bits().into()))
        }
    }
}

fn model(m: Model, operation: Operation, [a, b, c]: [u32; 3]) -> u32 {
    match operation {
        Add => m.add(a, b),
        Subtract => m.sub(a, b),
        Multiply => m.multiply(a, b),
        Divide => m.divide(a, b),
        MultiplyAdd => m.multiply_add(a, b, c),
        Reciprocal => m.recip(a),
        Root => m.sqrt(a),
    }
}

/// These operations on these operands, rounded by the other library as the model's format says.
fn check<const EXP: usize, const FRAC: usize>(m: Model, operations: &[Operation], x: [u32; 3]) {
    let operands = x.map(|bits| operand::<EXP, FRAC>(m, bits));
    for &operation in operations {
        let want = match m.flush {
            true => flushed::<EXP, FRAC>(m, apply(operation, operands.map(converted))),
            false => bits(m, apply(operation, operands)),
        };
        let got = model(m, operation, x);
        assert_eq!(got, want, "{operation:?} of {x:#x?} is {got:#x}, not {want:#x}, in {m:?}");
    }
}

fn formats<const EXP: usize, const FRAC: usize>() -> [Model; 2] {
    BOTH.map(|flush| Model { exp: EXP as u32, frac: FRAC as u32, flush })
}

/// Triples of a format that has too many of them, and pairs, for triples have each pair four times.
fn stratified<const EXP: usize, const FRAC: usize>() {
    for m in formats::<EXP, FRAC>() {
        (0..count()).for_each(|index| check::<EXP, FRAC>(m, &[MultiplyAdd], triple(m, index)));
        for [a, b] in (0..count()).map(|index| pair(m, index)) {
            check::<EXP, FRAC>(m, &[Add, Subtract, Multiply, Divide], [a, b, 0]);
            check::<EXP, FRAC>(m, &[Reciprocal, Root], [b, 0, 0]);
            comparison::<EXP, FRAC>(m, [a, b]);
        }
    }
}

#[test]
fn binary16_is_as_in_another_library() {
    stratified::<5, 10>();
}

#[test]
fn bfloat16_is_as_in_another_library() {
    stratified::<8, 7>();
}

#[test]
fn binary32_is_as_in_another_library() {
    stratified::<8, 23>();
}

/// All triples of a tiny format: nothing is left to the choice of operands.
fn exhaustive<const EXP: usize, const FRAC: usize>() {
    for m in formats::<EXP, FRAC>() {
        let numbers = 1u32 << m.width();
        for (a, b) in (0..numbers).flat_map(|a| (0..numbers).map(move |b| (a, b))) {
            check::<EXP, FRAC>(m, &ALL, [a, b, 0]);
            (1..numbers).for_each(|c| check::<EXP, FRAC>(m, &[MultiplyAdd], [a, b, c]));
            comparison::<EXP, FRAC>(m, [a, b]);
        }
    }
}

#[test]
fn tiny_formats_are_as_in_another_library() {
    exhaustive::<2, 1>();
    exhaustive::<2, 3>();
    exhaustive::<3, 2>();
    exhaustive::<4, 2>();
}

/// Comparison, minimumNumber and maximumNumber; the other library leaves open which zero is less.
fn comparison<const EXP: usize, const FRAC: usize>(m: Model, x: [u32; 2]) {
    let [a, b] = x.map(|bits| operand::<EXP, FRAC>(m, bits));
    let got = m.compare(x[0], x[1]);
    assert_eq!((got.lt, got.le, got.eq), (a < b, a <= b, a == b), "{x:#x?} in {m:?}");
    assert_eq!(got.unordered, a.is_nan() || b.is_nan(), "{x:#x?} in {m:?}");
    let zeros = a.is_zero() && b.is_zero();
    let negative = [a, b].map(|zero| zero.is_negative());
    let (min, max) = match zeros {
        true => (m.zero(negative.contains(&true)), m.zero(!negative.contains(&false))),
        false => (bits(m, a.min(b)), bits(m, a.max(b))),
    };
    assert_eq!((got.min, got.max), (min, max), "{x:#x?} in {m:?}");
}

/// All numbers of one format in another; with flushing, subnormal ones of neither.
fn conversions<const EXP: usize, const FRAC: usize, const TO_EXP: usize, const TO_FRAC: usize>() {
    for flush in BOTH {
        let [from, to] = [(EXP, FRAC), (TO_EXP, TO_FRAC)];
        let [from, to] = [from, to].map(|(exp, frac)| Model { exp: exp as u32, frac: frac as u32, flush });
        for x in 0..1u32 << from.width() {
            let a = operand::<EXP, FRAC>(from, x);
            let want = match flush {
                true => flushed::<TO_EXP, TO_FRAC>(to, converted(a)),
                false => bits(to, converted::<_, Kept<TO_EXP, TO_FRAC>>(a)),
            };
            assert_eq!(from.convert(x, to), want, "{x:#x} of {from:?} in {to:?}");
        }
    }
}

#[test]
fn conversions_are_as_in_another_library() {
    conversions::<5, 10, 8, 7>();
    conversions::<8, 7, 5, 10>();
    conversions::<5, 10, 2, 3>();
    conversions::<8, 7, 4, 3>();
    conversions::<2, 3, 4, 1>();
    conversions::<3, 2, 2, 4>();
}

/// Reciprocals and roots of all numbers of a format, and the integers that they are; the other library, too, has 0 for NaN and the
/// last integer for what is beyond.
fn every_number<const EXP: usize, const FRAC: usize>() {
    let even = Round::NearestTiesToEven;
    for m in formats::<EXP, FRAC>() {
        for x in 0..1u32 << m.width() {
            check::<EXP, FRAC>(m, &[Reciprocal, Root], [x, 0, 0]);
            let a = operand::<EXP, FRAC>(m, x);
            for bits in [2, 3, 8, 15, 16, 31, 32] {
                let signed = a.to_i128_r(bits, even, &mut false).value as i64;
                let unsigned = a.to_u128_r(bits, even, &mut false).value as i64;
                let got = [true, false].map(|signed| m.to_integer(x, bits as u32, signed));
                assert_eq!(got, [signed, unsigned], "{x:#x} of {m:?} in {bits} bits");
            }
        }
    }
}

#[test]
fn functions_of_every_number_are_as_in_another_library() {
    every_number::<5, 10>();
    every_number::<8, 7>();
    every_number::<2, 3>();
    every_number::<2, 1>();
    every_number::<3, 2>();
}
