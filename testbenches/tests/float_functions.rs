//! Quotients, reciprocals, roots and conversions against the golden models: all numbers of the real formats, every pair of small
//! ones, stratified pairs of the real ones, every latency.

use hdl::Design;
use hw::float::convert::{self, convert};
use hw::float::divide::{self, divide};
use hw::float::exponential::{self, exponential};
use hw::float::format::{BFLOAT16, BINARY16, Format, Subnormals};
use hw::float::integer::{self, Integers, from_integer, to_integer};
use hw::float::operand::UnaryPorts;
use hw::float::recip::{self, recip};
use hw::float::rsqrt::{self, rsqrt};
use hw::float::sqrt::{self, sqrt};
use sim::golden::float::stimuli::pair;
use testbenches::drivers::float_stream::{check, many, model};

const BOTH: [Subnormals; 2] = [Subnormals::Keep, Subnormals::Flush];
const REAL: [Format; 2] = [BINARY16, BFLOAT16];
const SMALL: [Format; 4] =
    [Format { exp: 4, frac: 3 }, Format { exp: 3, frac: 2 }, Format { exp: 2, frac: 3 }, Format { exp: 2, frac: 5 }];

/// All numbers of so many bits.
fn all(bits: u32) -> impl Iterator<Item = [u32; 1]> {
    (0..1u32 << bits).map(|a| [a])
}

/// Pairs through a divider.
fn quotients(f: Format, s: Subnormals, latency: u32, pairs: impl Iterator<Item = [u32; 2]>) {
    check(divide(f, s, latency), pairs, |x| [model(f, s).divide(x[0], x[1])]);
}

/// Two's complement to so many bits.
fn wrap(x: i64, bits: u32) -> u32 {
    (x & ((1 << bits) - 1)) as u32
}

/// Refuses a latency beyond the natural one.
fn refused<P: hdl::Ports>(design: Result<Design<P>, hdl::Errors>, natural: u32) {
    let Err(error) = design else { panic!("too many cycles") };
    assert!(error.to_string().contains(&format!("0 to {natural} cycles are legal")), "{error}");
}

#[test]
fn quotients_of_every_pair_of_small_formats() {
    for f in SMALL {
        for s in BOTH {
            let latency = if f == SMALL[0] { divide::natural(f) } else { 0 };
            let numbers = 0..1u32 << f.width();
            quotients(f, s, latency, numbers.clone().flat_map(|a| numbers.clone().map(move |b| [a, b])));
        }
    }
}

#[test]
fn quotients_of_stratified_pairs() {
    // the last one has more subnormal binades than exponents
    for f in [BINARY16, BFLOAT16, Format { exp: 2, frac: 12 }] {
        for s in BOTH {
            quotients(f, s, divide::natural(f), (0..many()).map(|index| pair(model(f, s), index)));
        }
    }
}

#[test]
fn reciprocals_and_roots_of_all_numbers() {
    for f in REAL.into_iter().chain(SMALL) {
        for s in BOTH {
            check(recip(f, s, recip::natural(f)), all(f.width()), |x| [model(f, s).recip(x[0])]);
            if u64::from(f.frac) < f.bias() {
                check(sqrt(f, s, sqrt::natural(f)), all(f.width()), |x| [model(f, s).sqrt(x[0])]);
            } else {
                let Err(error) = sqrt(f, s, 0) else { panic!("{f:?} has subnormal roots") };
                assert!(error.to_string().contains("roots of subnormal numbers would be subnormal"), "{error}");
            }
        }
    }
}

#[test]
fn conversions_between_all_formats() {
    let wide = [Format { exp: 8, frac: 10 }, Format { exp: 6, frac: 4 }, Format { exp: 5, frac: 12 }];
    let formats = [&REAL[..], &SMALL, &wide].concat();
    for &from in &formats {
        for &to in &formats {
            for s in BOTH {
                // all numbers of the named pairs, some of each binade of the others
                let named = REAL.contains(&from) && REAL.contains(&to);
                let step = if named || from.width() < 10 { 1 } else { 37 };
                let numbers = all(from.width()).step_by(step);
                let want = |x: &[u32]| [model(from, s).convert(x[0], model(to, s))];
                check(convert(from, to, s, convert::NATURAL), numbers, want);
            }
        }
    }
}

#[test]
fn integers_of_all_widths() {
    for f in REAL.into_iter().chain(SMALL) {
        for i in (2..=32).flat_map(|bits| [true, false].map(|signed| Integers { bits, signed })) {
            to_integers(f, i);
            from_integers(f, i);
        }
    }
}

/// All numbers of a format, or some of each binade, as integers.
fn to_integers(f: Format, i: Integers) {
    let thorough = i.bits == 8 || i.bits == 16;
    let step = if thorough || f.width() < 10 { 1 } else { 37 };
    let latency = if thorough { integer::NATURAL } else { 0 };
    for s in BOTH {
        let want = |x: &[u32]| [wrap(model(f, s).to_integer(x[0], i.bits, i.signed), i.bits)];
        check(to_integer(f, s, i, latency), all(f.width()).step_by(step), want);
    }
}

/// All integers, or of long ones many of every length, as numbers.
fn from_integers(f: Format, i: Integers) {
    let Integers { bits, signed } = i;
    let mut r = fastrand::Rng::with_seed(::sim::bus::seed(3));
    let mask = u32::MAX >> (32 - bits);
    let mut some: Vec<[u32; 1]> = (0..2000).map(|_| [(r.u32(..) >> r.u32(..32)) & mask]).collect();
    some.extend([[0], [mask], [mask >> 1], [(mask >> 1) + 1]]);
    let numbers = if bits <= 16 { all(bits).collect() } else { some };
    let value = |a: u32| if signed { ((a as i32) << (32 - bits) >> (32 - bits)).into() } else { i64::from(a) };
    let want = |x: &[u32]| [model(f, Subnormals::Keep).from_integer(value(x[0]))];
    check(from_integer(f, i, integer::NATURAL), numbers.into_iter(), want);
}

#[test]
fn exponentials_of_all_numbers() {
    for (f, segments) in [(BINARY16, 32), (BFLOAT16, 16), (BINARY16, 4), (SMALL[0], 8), (SMALL[2], 4), (SMALL[3], 128)]
    {
        for s in BOTH {
            let design = exponential(f, s, segments, exponential::NATURAL);
            check(design, all(f.width()), |x| [model(f, s).exp(x[0], segments)]);
        }
    }
}

#[test]
fn reciprocal_roots_of_all_numbers() {
    for (f, segments) in [(BINARY16, 64), (BFLOAT16, 16), (BINARY16, 4), (SMALL[0], 8), (SMALL[1], 4)] {
        for s in BOTH {
            check(rsqrt(f, s, segments, rsqrt::NATURAL), all(f.width()), |x| [model(f, s).rsqrt(x[0], segments)]);
        }
    }
}

/// What `describe` prints, measured on the hardware, is what the models' test says of the model.
#[test]
fn the_errors_that_are_stated() {
    let keep = Subnormals::Keep;
    let near = |got: Result<f64, hdl::Errors>, want: f64| {
        let got = got.unwrap_or_else(|errors| panic!("{errors}"));
        assert!((got - want).abs() < 0.0005, "{got}");
    };
    near(exponential::largest_error(BINARY16, keep, 32), 0.742);
    near(exponential::largest_error(BFLOAT16, keep, 16), 0.647);
    near(rsqrt::largest_error(BINARY16, keep, 64), 0.612);
    near(rsqrt::largest_error(BFLOAT16, keep, 16), 0.663);
}

#[test]
fn every_latency_gives_the_same() {
    for f in REAL {
        for s in BOTH {
            every_latency_of_digits(f, s);
            every_latency_of_lines_and_shifts(f, s);
        }
    }
}

/// Some numbers of each binade.
fn some() -> impl Iterator<Item = [u32; 1]> {
    all(16).step_by(23)
}

fn every_latency_of_digits(f: Format, s: Subnormals) {
    let m = model(f, s);
    for latency in 0..=divide::natural(f) {
        let stated = divide(f, s, latency).map(|design| design.latency());
        assert_eq!(stated.ok().flatten(), Some(latency));
        quotients(f, s, latency, (0..3000).map(|index| pair(m, index)));
    }
    for latency in 0..=recip::natural(f) {
        check(recip(f, s, latency), some(), |x| [m.recip(x[0])]);
    }
    for latency in 0..=sqrt::natural(f) {
        check(sqrt(f, s, latency), some(), |x| [m.sqrt(x[0])]);
    }
}

fn every_latency_of_lines_and_shifts(f: Format, s: Subnormals) {
    let (m, i8) = (model(f, s), Integers { bits: 8, signed: true });
    for latency in 0..=exponential::NATURAL {
        check(exponential(f, s, 16, latency), some(), |x| [m.exp(x[0], 16)]);
    }
    for latency in 0..=rsqrt::NATURAL {
        check(rsqrt(f, s, 16, latency), some(), |x| [m.rsqrt(x[0], 16)]);
    }
    let other = if f == BINARY16 { BFLOAT16 } else { BINARY16 };
    for latency in 0..=convert::NATURAL {
        check(convert(f, other, s, latency), some(), |x| [m.convert(x[0], model(other, s))]);
    }
    for latency in 0..=integer::NATURAL {
        check(from_integer(f, i8, latency), all(8), |x| [m.from_integer(i64::from(x[0] as i8))]);
        check(to_integer(f, s, i8, latency), some(), |x| [wrap(m.to_integer(x[0], 8, true), 8)]);
    }
}

#[test]
fn latencies_beyond_the_natural_one_are_errors() {
    let (f, s, i8) = (BINARY16, Subnormals::Keep, Integers { bits: 8, signed: true });
    refused(divide(f, s, 17), 16);
    refused(recip(f, s, 15), 14);
    refused(sqrt(f, s, 14), 13);
    refused(exponential(f, s, 16, 8), 7);
    refused(rsqrt(f, s, 16, 6), 5);
    refused(convert(f, f, s, 4), 3);
    refused(from_integer(f, i8, 4), 3);
    refused(to_integer(f, s, i8, 4), 3);
}

#[test]
fn segments_and_fractions_must_be_legal() {
    let keep = Subnormals::Keep;
    let wrong = |design: Result<Design<UnaryPorts>, hdl::Errors>, legal: &str| {
        let Err(error) = design else { panic!("not refused: {legal}") };
        assert!(error.to_string().contains(legal), "{error}");
    };
    wrong(exponential(BINARY16, keep, 12, 0), "powers of two from 4 to 256 are legal");
    wrong(rsqrt(BFLOAT16, keep, 256, 0), "powers of two from 4 to 128 are legal");
    let long = Format { exp: 8, frac: 13 };
    wrong(exponential(long, keep, 16, 0), "2 to 12 are legal");
    wrong(rsqrt(long, keep, 16, 0), "2 to 12 are legal");
}

#[test]
fn integers_must_have_a_legal_width() {
    for bits in [1, 33] {
        let Err(error) = from_integer(BINARY16, Integers { bits, signed: true }, 0) else { panic!("{bits} bits") };
        assert!(error.to_string().contains("2 to 32 bits are legal"), "{error}");
    }
}
