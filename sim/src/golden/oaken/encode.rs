//! The encoder (section 5): exactly the bits that the quantizer gives.

use std::ops::RangeInclusive;

use super::dense::{DenseBits, pack};
use super::error::StepName;
use super::header::{Header, Step, added_thresholds, least_exponent};
use super::number::{Side, magnitude, make_finite};
use super::thresholds::Thresholds;
use super::{CHUNK, Group, Record, is_legal_length};

/// Quantizes a vector of binary16 bit patterns, with codes of `dense_bits` in the dense part.
///
/// # Panics
/// If the length is not a multiple of 64 from 64 to 8192 (see [`is_legal_length`]).
pub fn encode(vector: &[u16], dense_bits: DenseBits, thresholds: &Thresholds) -> Record {
    assert!(is_legal_length(vector.len()), "{} elements: not a multiple of 64 from 64 to 8192", vector.len());
    let nonfinite = vector.iter().any(|&x| make_finite(x).1);
    let elements: Vec<Element> = vector.iter().map(|&x| Element::new(x, thresholds)).collect();
    let header = Header { nonfinite, ..make_header(&Maxima::of(&elements), dense_bits, thresholds) };

    let codes: Vec<u8> = elements.iter().map(|element| element.code(&header, thresholds)).collect();
    let mut sparse = header.to_bits().to_le_bytes().to_vec();
    for chunk in elements.chunks(CHUNK) {
        let entries: Vec<u8> = chunk.iter().enumerate().filter_map(|(i, element)| element.entry(i)).collect();
        sparse.push(entries.len() as u8);
        sparse.extend(entries);
    }
    Record { header: header.to_bits(), dense: pack(&codes, dense_bits), sparse }
}

/// A finite element with what the groups need of it (steps 1 and 2).
struct Element {
    x: u64,
    side: Side,
    group: Group,
}

impl Element {
    fn new(bits: u16, thresholds: &Thresholds) -> Self {
        let (finite, _) = make_finite(bits);
        Self { x: magnitude(finite), side: Side::of(finite), group: Group::of(finite, thresholds) }
    }

    /// The code in the dense part (steps 6, 7 and 9).
    fn code(&self, header: &Header, thresholds: &Thresholds) -> u8 {
        let (step, taken_off) = match self.group {
            Group::Outer => (header.outer(self.side), thresholds.s(self.side)),
            Group::Inner => (header.inner, 0),
            Group::Middle => (header.middle, thresholds.t(self.side)),
        };
        let u = in_32nds(self.x, step) - in_32nds(taken_off, step);
        let (split, max_code) = (u64::from(header.split), u64::from(header.dense_bits.max_code()));
        let code = match (self.group, self.side) {
            (Group::Outer | Group::Inner, _) => (u + 16) / 32,
            (Group::Middle, Side::Positive) => split + (u / 32).min(max_code - split),
            (Group::Middle, Side::Negative) => split - 1 - (u / 32).min(split - 1),
        };
        assert!(code <= max_code, "code {code}: the format says that it cannot be above {max_code}");
        code as u8
    }

    /// The byte in the sparse part, for an outlier at a position in its chunk.
    fn entry(&self, position: usize) -> Option<u8> {
        let outer = match self.group {
            Group::Middle => return None,
            Group::Outer => 1,
            Group::Inner => 0,
        };
        let negative = u8::from(self.side == Side::Negative);
        Some(position as u8 | outer << 6 | negative << 7)
    }
}

/// The largest magnitude of each group and side (step 2); `None` where there is no element.
#[derive(Default)]
struct Maxima {
    outer_positive: Option<u64>,
    outer_negative: Option<u64>,
    middle_positive: Option<u64>,
    middle_negative: Option<u64>,
    inner: Option<u64>,
}

impl Maxima {
    fn of(elements: &[Element]) -> Self {
        let mut maxima = Self::default();
        for element in elements {
            let maximum = match (element.group, element.side) {
                (Group::Outer, Side::Positive) => &mut maxima.outer_positive,
                (Group::Outer, Side::Negative) => &mut maxima.outer_negative,
                (Group::Middle, Side::Positive) => &mut maxima.middle_positive,
                (Group::Middle, Side::Negative) => &mut maxima.middle_negative,
                (Group::Inner, _) => &mut maxima.inner,
            };
            *maximum = (*maximum).max(Some(element.x));
        }
        maxima
    }
}

/// Steps and split of a vector (steps 3, 4 and 8).
fn make_header(maxima: &Maxima, dense_bits: DenseBits, thresholds: &Thresholds) -> Header {
    // An empty group has the range 0.
    let range = |maximum: Option<u64>, threshold: u64| maximum.map_or(0, |m| m - threshold);
    let outer_positive = range(maxima.outer_positive, thresholds.s(Side::Positive));
    let outer_negative = range(maxima.outer_negative, thresholds.s(Side::Negative));
    let middle_positive = range(maxima.middle_positive, thresholds.t(Side::Positive));
    let middle_negative = range(maxima.middle_negative, thresholds.t(Side::Negative));
    let inner = range(maxima.inner, 0);

    let (codes, max_code) = (dense_bits.codes(), dense_bits.max_code());
    let step = |name, range, cells: u32| {
        let least = least_exponent(&added_thresholds(name, thresholds));
        smallest_step(range, cells, least..=dense_bits.max_step_exponent())
    };
    let middle = step(StepName::Middle, middle_positive + middle_negative, codes);
    let split = match maxima.middle_negative {
        None => 0,
        Some(maximum) => {
            let u = in_32nds(maximum, middle) - in_32nds(thresholds.t(Side::Negative), middle);
            let most = if middle_positive > 0 { max_code } else { codes };
            ((u + 16) / 32).clamp(1, most.into()) as u32
        }
    };
    Header {
        middle,
        outer_positive: step(StepName::OuterPositive, outer_positive, max_code),
        outer_negative: step(StepName::OuterNegative, outer_negative, max_code),
        inner: step(StepName::Inner, inner, max_code),
        split,
        nonfinite: false,
        dense_bits,
    }
}

/// `up(D, n)` of step 4: the smallest legal step of which `cells` cover the range (a magnitude integer).
fn smallest_step(range: u64, cells: u32, mut exponents: RangeInclusive<u32>) -> Step {
    if range == 0 {
        return Step::ZERO;
    }
    // In units of 2^-32, a step is m * 2^E, and the range is range * 2^8. Steps with a higher E are coarser, so the
    // first E that has a large enough m gives the smallest step.
    let covers = |exponent| (u128::from(range) << 8).div_ceil(u128::from(cells) << exponent);
    exponents
        .find(|&exponent| covers(exponent) <= 255)
        .map(|exponent| Step { exponent, fraction: covers(exponent).max(128) as u32 - 128 })
        .expect("cells of the coarsest step cover the range of all binary16 numbers")
}

/// `A(X)` of step 5: a magnitude in 32nds of a step, by the step's 10-bit reciprocal.
fn in_32nds(x: u64, step: Step) -> u64 {
    if step == Step::ZERO {
        return 0;
    }
    let reciprocal = (1 << 16) / step.mantissa();
    (x * reciprocal) >> (step.exponent + 3)
}
