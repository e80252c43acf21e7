//! New keys: lists of random numbers of each kind, and those of keys, made up or recorded.

use super::{CentreDot, NewKey};
use crate::golden::lad::number::{dot, norm, projection};
use crate::golden::lad::{KeyHead, NO_CENTRES, to_f64};
use crate::lad::Recorded;
use crate::lad_score_bench::random_vector;
use fastrand::Rng;
use half::f16;

/// What is special about a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Any numbers.
    Any,
    /// The threshold is about that from which on the key is its own centre, and projections are equal.
    Near,
    /// The factor is about half way between two numbers, or subnormal, 0 or infinite.
    Factor,
    /// A position is not in order.
    Order,
    /// A dot product is none.
    Faulty,
    /// A factor or the square is none.
    Numbers,
}

const KINDS: [Kind; 9] = [
    Kind::Any,
    Kind::Near,
    Kind::Near,
    Kind::Near,
    Kind::Factor,
    Kind::Factor,
    Kind::Order,
    Kind::Faulty,
    Kind::Numbers,
];

impl Kind {
    /// Any.
    pub fn random(rng: &mut Rng) -> Kind {
        KINDS[rng.usize(0..KINDS.len())]
    }
}

/// Any dot product: of all sizes, powers of two and beside them, the ends, 0.
pub fn random_dot(rng: &mut Rng) -> i64 {
    let size = rng.u32(0..63);
    let magnitude = match rng.u8(0..8) {
        0 => 1 << size,
        1 => (1 << size) + rng.i64(-2..3),
        2 => ((1i64 << size) - 1) << rng.u32(0..63 - size),
        3 => return [0, 1, -1, i64::MAX, i64::MIN, i64::MIN + 1][rng.usize(0..6)],
        // about what a cut leaves of it
        4 => (rng.i64(0x8000..0x1_0000) << size.min(47)) + rng.i64(-1..2),
        _ => rng.i64(..) >> size,
    };
    if rng.bool() { magnitude } else { magnitude.wrapping_neg() }
}

/// A factor as a record of a centre has it: subnormal ones, 0 and the largest more often than by chance.
pub fn random_factor(rng: &mut Rng) -> u16 {
    let fraction = [0, 1, 0x3ff, rng.u16(0..0x400), rng.u16(0..0x400)][rng.usize(0..5)];
    let exponent = match rng.u8(0..4) {
        0 => [0, 0, 1, 30][rng.usize(0..4)],
        1 => rng.u16(8..20),
        _ => rng.u16(0..31),
    };
    exponent << 10 | fraction
}

/// The square of a length: ties of its rounding and beside them, about the ends of lengths and of normal reciprocals.
fn random_square(rng: &mut Rng) -> i64 {
    // a length has 12 places in it
    let root = |root: i64| root * root;
    let beside = rng.i64(-1..2);
    let square = match rng.u8(0..9) {
        0 => rng.i64(0..5),
        1 => root(rng.i64(0x800..0x1000)) << (2 * rng.u32(0..20)),
        2 => (root(rng.i64(0x800..0x1000)) << (2 * rng.u32(0..20))) + beside,
        3 => root(65_520 << 12) + beside,
        4 => root([1 << 14, 1 << 15, 3 << 14, 65_504, rng.i64(1 << 14..65_504)][rng.usize(0..5)] << 12) + beside,
        5 => 1 << (2 * rng.u32(0..31)),
        6 => [i64::MAX, 0, 1 << 62][rng.usize(0..3)],
        _ => rng.i64(0..) >> rng.u32(0..63),
    };
    square.max(0)
}

/// A list with at most so many centres.
pub fn random_key(rng: &mut Rng, max_positions: usize, most: usize, kind: Kind) -> NewKey {
    let position = if rng.u8(0..4) == 0 { max_positions - 1 } else { rng.usize(0..max_positions) };
    let mut positions = rng.choose_multiple(0..position, most.min(position));
    positions.sort_unstable();
    let centre = |rng: &mut Rng, position| CentreDot {
        position,
        factor: random_factor(rng),
        dot: random_dot(rng),
        faulty: false,
    };
    let centres = positions.into_iter().map(|position| centre(rng, position)).collect();
    let threshold =
        [0, 1, 58_982, 64_225, NO_CENTRES - 1, NO_CENTRES, 0x1_ffff, rng.u32(0..NO_CENTRES)][rng.usize(0..8)];
    let mut key = NewKey { position, threshold, square: random_square(rng), faulty: false, centres };
    match kind {
        Kind::Any => (),
        Kind::Near => bring_near(rng, &mut key),
        Kind::Factor => bring_half_way(rng, &mut key),
        Kind::Order => disorder(rng, &mut key),
        Kind::Faulty => match rng.usize(0..=key.centres.len()) {
            0 => key.faulty = true,
            at => key.centres[at - 1].faulty = true,
        },
        Kind::Numbers => match rng.usize(0..=key.centres.len()) {
            0 => key.square = [-1, i64::MIN, -rng.i64(1..)][rng.usize(0..3)],
            at => key.centres[at - 1].factor = [0x7c00, 0x7c01, 0x8000, 0xbc00, rng.u16(0x7c00..)][rng.usize(0..5)],
        },
    }
    key
}

/// Factors and dot products as keys have them, some twice, and a threshold that is just exceeded or just not.
fn bring_near(rng: &mut Rng, key: &mut NewKey) {
    let length = f16::from_bits(rng.u16(0x0c00..0x7800) & [0xfc00, 0xfff0, 0xffff][rng.usize(0..3)]).to_f64();
    let steps = length * 4096.0;
    key.square = (steps * steps) as i64;
    for centre in &mut key.centres {
        let of_centre = 2f64.powf(rng.f64() * 10.0 - 3.0);
        let cosine = rng.f64() * if rng.bool() { 1.0 } else { -1.0 };
        centre.factor = f16::from_f64(1.0 / of_centre).to_bits();
        centre.dot = (length * of_centre * cosine * 16_777_216.0) as i64;
    }
    let again = |rng: &mut Rng, key: &mut NewKey| {
        if key.centres.len() > 1 {
            let [from, to] = [(); 2].map(|()| rng.usize(0..key.centres.len()));
            let dot = key.centres[from].dot;
            (key.centres[to].factor, key.centres[to].dot) =
                (key.centres[from].factor, if rng.bool() { dot } else { dot.wrapping_neg() });
        }
    };
    (0..rng.usize(0..4)).for_each(|_| again(rng, key));
    let largest = key.centres.iter().map(|centre| projection(centre.dot, centre.factor)).max().unwrap_or(0);
    let length = f16::from_bits(norm(key.square)).to_f64();
    let exact = (f64::from(largest) / length) as i64 + rng.i64(-1..2);
    key.threshold = exact.clamp(0, 0xffff) as u32;
}

/// Significands of few bits, whose product is just half way, and sums of exponents at the lower and the upper end.
fn bring_half_way(rng: &mut Rng, key: &mut NewKey) {
    let few = |rng: &mut Rng| (rng.u16(0..0x400) >> rng.u32(0..10)) << rng.u32(0..10) & 0x3ff;
    let exponent = rng.u16(3..31);
    let length = f16::from_bits(exponent << 10 | few(rng)).to_f64() * 4096.0;
    key.square = (length * length) as i64;
    key.threshold = 0;
    for centre in &mut key.centres {
        let sum = [rng.u16(3..18), rng.u16(42..47), rng.u16(15..45)][rng.usize(0..3)];
        centre.factor = sum.saturating_sub(exponent).min(30) << 10 | few(rng);
        centre.dot = random_dot(rng);
    }
}

/// A position that is none, if there is a centre.
fn disorder(rng: &mut Rng, key: &mut NewKey) {
    let Some(at) = key.centres.len().checked_sub(1).map(|last| rng.usize(0..=last)) else { return };
    let before = if at > 0 { key.centres[at - 1].position } else { key.position };
    key.centres[at].position = if rng.bool() { before } else { key.position };
}

/// The lists of every so many of these keys, one after the other.
///
/// # Panics
/// If what the list says is not what the model of keys has.
fn keys_of<'a>(keys: impl Iterator<Item = &'a [u16]>, head: usize, threshold: u32, every: usize) -> Vec<NewKey> {
    let mut model = KeyHead::new(head, threshold);
    let mut out = vec![];
    for (position, key) in keys.enumerate() {
        let numbers = to_f64(key);
        let of_centre = |&centre: &usize| {
            let factor = model.records()[centre].factor;
            CentreDot { position: centre, factor, dot: model.dot(centre, &numbers), faulty: false }
        };
        let centres = model.centres().iter().map(of_centre).collect();
        let new = NewKey { position, threshold, square: dot(&numbers, &numbers), faulty: false, centres };
        model.push(key, key);
        assert_eq!(new.record(), model.records()[position], "position {position}");
        if position % every == 0 {
            out.push(new);
        }
    }
    out
}

/// Keys of 16 elements that are made up: of all sizes, 0 among them, and multiples of keys before them, some of the opposite direction.
pub fn made_keys(rng: &mut Rng, count: usize, threshold: u32) -> Vec<NewKey> {
    const HEAD: usize = 16;
    let mut keys: Vec<Vec<u16>> = vec![];
    for i in 0..count {
        let mut key = random_vector(rng, HEAD);
        if i > 0 && rng.u8(0..3) > 0 {
            let factor = [1.0, -1.0, 0.5, -2.0, rng.f64(), 4.0 * rng.f64()][rng.usize(0..6)];
            key = keys[rng.usize(0..i)].clone();
            key.iter_mut().for_each(|x| *x = f16::from_f64(f16::from_bits(*x).to_f64() * factor).to_bits());
            if rng.bool() {
                key[rng.usize(0..HEAD)] ^= rng.u16(0..16);
            }
        }
        if rng.u8(0..10) == 0 {
            key = [vec![0; HEAD], vec![rng.u16(1..4); HEAD], vec![0x7bff; HEAD], vec![0x6fff; HEAD]][rng.usize(0..4)]
                .clone();
        }
        key.iter_mut().filter(|x| **x & 0x7c00 == 0x7c00).for_each(|x| *x = 0x3c00);
        keys.push(key);
    }
    keys_of(keys.iter().map(|key| &key[..]), HEAD, threshold, 1)
}

/// Every so many of the keys of a recording's key head.
pub fn recorded_keys(recorded: &Recorded, layer: usize, (head, threshold): (usize, u32), every: usize) -> Vec<NewKey> {
    let data = &recorded.layers[layer];
    keys_of((0..recorded.tokens).map(|token| data.key(token, head)), recorded.head, threshold, every)
}
