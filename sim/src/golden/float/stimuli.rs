//! Operands that find mistakes in number units: all pairs of exponents, rounding boundaries, cancellations, the edges of the
//! range, special numbers, and anything.

use super::Model;
use fastrand::Rng;

/// How many numbers one round through the strata of [`pair`] and [`triple`] takes.
const STRATA: u64 = 8;

/// Two operands.
pub fn pair(m: Model, index: u64) -> [u32; 2] {
    let mut rng = Rng::with_seed(index);
    let rng = &mut rng;
    let turn = index / STRATA;
    let a = number(m, rng);
    match index % STRATA {
        // every pair of exponents, in an order in which a short run, too, has every exponent of both
        0 => {
            let exponents = turn_of_exponents(m, turn);
            exponents.map(|exponent| from_parts(m, rng.bool(), exponent, fraction(m, rng)))
        }
        // cancellation: the other sign, a few places away, or an exponent away
        1 => [a, near(m, a ^ m.zero(true), rng)],
        // where the last places of one meet the first of the other
        2 => {
            let distance = rng.u32(0..m.frac + 4);
            let exponent = exponent_of(m, a).saturating_sub(distance);
            [a, from_parts(m, rng.bool(), exponent, fraction(m, rng))]
        }
        // products around the smallest normal and the smallest subnormal number
        3 => [a, partner(m, a, -(rng.i32(0..m.frac as i32 + 4)), rng)],
        // products around the largest number
        4 => [a, partner(m, a, (1 << m.exp) - 4 + rng.i32(0..5), rng)],
        5 => [special(m, rng), if rng.bool() { special(m, rng) } else { a }],
        6 => half_way(m, rng).unwrap_or([a, number(m, rng)]),
        _ => [any(m, rng), any(m, rng)],
    }
}

/// Three operands, of `a * b + c`.
pub fn triple(m: Model, index: u64) -> [u32; 3] {
    let [a, b] = pair(m, index / 4);
    let mut rng = Rng::with_seed(!index);
    let rng = &mut rng;
    let product = m.multiply(a, b);
    let c = match index % 4 {
        // the product nearly cancels
        0 => near(m, product ^ m.zero(true), rng),
        // the product's last places meet the first ones of c, or the other way round
        1 => {
            let exponent = exponent_of(m, product) as i32 + rng.i32(-(2 * m.frac as i32 + 4)..m.frac as i32 + 4);
            let exponent = exponent.clamp(0, (1 << m.exp) - 2) as u32;
            from_parts(m, rng.bool(), exponent, fraction(m, rng))
        }
        2 => number(m, rng),
        _ => {
            if rng.u32(0..4) == 0 {
                special(m, rng)
            } else {
                any(m, rng)
            }
        }
    };
    [a, b, c]
}

/// Exponents of two operands: in as many turns as there are pairs of exponents each pair once. In two rows (as many turns as
/// there are exponents) each exponent of both is as frequent as any other, and so is each difference, modulo their number: the
/// second is 3 times the first, which moves both itself and the difference, and another summand, odd in every second row.
fn turn_of_exponents(m: Model, turn: u64) -> [u32; 2] {
    let exponents = 1 << m.exp;
    let (x, row) = (turn % exponents, turn / exponents % exponents);
    [x, (3 * x + 177 * row) % exponents].map(|exponent| exponent as u32)
}

/// Operands of a sum of many: magnitudes near one, so that it neither overflows nor loses all but one summand; now and then
/// anything.
pub fn vector(m: Model, length: u32, index: u64) -> Vec<u32> {
    let mut rng = Rng::with_seed(index);
    let rng = &mut rng;
    let mut summand = || match rng.u32(0..40) {
        0 => any(m, rng),
        _ => {
            let exponent = (1 << (m.exp - 1)) - 4 + rng.u32(0..5);
            from_parts(m, rng.bool(), exponent, rng.u32(..) & ((1 << m.frac) - 1))
        }
    };
    (0..length).map(|_| summand()).collect()
}

fn from_parts(m: Model, negative: bool, exponent: u32, fraction: u32) -> u32 {
    m.zero(negative) | exponent << m.frac | fraction
}

fn exponent_of(m: Model, x: u32) -> u32 {
    x >> m.frac & ((1 << m.exp) - 1)
}

/// Any bit pattern.
fn any(m: Model, rng: &mut Rng) -> u32 {
    rng.u32(..) >> (32 - m.width())
}

/// Any exponent, a fraction of interest.
fn number(m: Model, rng: &mut Rng) -> u32 {
    from_parts(m, rng.bool(), rng.u32(0..1 << m.exp), fraction(m, rng))
}

/// Fractions whose sums and products lie on rounding boundaries: none, all, a run of ones, few ones, and any.
fn fraction(m: Model, rng: &mut Rng) -> u32 {
    let mask = (1u32 << m.frac) - 1;
    let run = mask >> rng.u32(0..m.frac) & mask << rng.u32(0..m.frac);
    let (bit, other) = (1 << rng.u32(0..m.frac), 1 << rng.u32(0..m.frac));
    match rng.u32(0..8) {
        0 => 0,
        1 => mask,
        2 => run,
        3 => bit,
        4 => mask ^ bit,
        5 => bit | other,
        _ => rng.u32(..) & mask,
    }
}

/// A bit pattern at most 4 away, or a power of two away.
fn near(m: Model, x: u32, rng: &mut Rng) -> u32 {
    let mask = u32::MAX >> (32 - m.width());
    let moved = match rng.u32(0..4) {
        0 => x.wrapping_add(1 << m.frac),
        1 => x.wrapping_sub(1 << m.frac),
        _ => x,
    };
    moved.wrapping_add(rng.u32(0..9)).wrapping_sub(4) & mask
}

/// A number whose product with `a` has this stored exponent, or one more, as far as there is one.
fn partner(m: Model, a: u32, exponent: i32, rng: &mut Rng) -> u32 {
    let bias = (1 << (m.exp - 1)) - 1;
    let expected = (exponent + bias - exponent_of(m, a) as i32).clamp(0, (1 << m.exp) - 2);
    from_parts(m, rng.bool(), expected as u32, fraction(m, rng))
}

/// Two numbers whose product lies exactly half way between two others, so that what is added to it decides, however small: odd
/// significands, whose product has one bit more than a number has. `None` if some tries did not find any.
fn half_way(m: Model, rng: &mut Rng) -> Option<[u32; 2]> {
    let bits = m.frac + 2;
    let odd = |bits: u32, rng: &mut Rng| rng.u32(..) >> (32 - bits) | 1 << (bits - 1) | 1;
    let tries = (0..8).map(|_| {
        let of_one = rng.u32(1..bits);
        let of_other = (bits - of_one + rng.u32(0..2)).clamp(1, bits - 1);
        [odd(of_one, rng), odd(of_other, rng)]
    });
    let significands = tries.into_iter().find(|[x, y]| (u64::from(*x) * u64::from(*y)).ilog2() + 1 == bits)?;
    let [a, b] = significands.map(|x| x << (m.frac - x.ilog2()) & ((1 << m.frac) - 1));
    let one = from_parts(m, rng.bool(), rng.u32(1..(1 << m.exp) - 1), a);
    let other = partner(m, one, rng.i32(1..(1 << m.exp) - 2), rng);
    Some([one, other & !((1 << m.frac) - 1) | b])
}

/// Zero, the smallest and largest numbers of each kind, one, infinity, quiet and signalling NaN.
fn special(m: Model, rng: &mut Rng) -> u32 {
    let (one, least, infinity) = (((1 << (m.exp - 1)) - 1) << m.frac, 1 << m.frac, m.infinity(false));
    let all = [0, 1, least - 1, least, least + 1, one, one + 1, infinity - 1, infinity, m.nan(), infinity + 1];
    m.zero(rng.bool()) | all[rng.usize(0..all.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    const BINARY16: Model = Model::BINARY16;
    const BFLOAT16: Model = Model::BFLOAT16;

    /// How often the pairs that go round the exponents have each exponent of `a`, of `b`, and each difference of interest.
    fn counts(m: Model, pairs: impl Iterator<Item = [u32; 2]>) -> [Vec<u64>; 3] {
        let far = m.frac as i32 + 3;
        let (exponents, differences) = (1 << m.exp, 2 * far as usize + 1);
        let mut counts = [vec![0; exponents], vec![0; exponents], vec![0; differences]];
        for pair in pairs {
            let [x, y] = pair.map(|number| exponent_of(m, number));
            counts[0][x as usize] += 1;
            counts[1][y as usize] += 1;
            let difference = x as i32 - y as i32 + far;
            if let Ok(place) = usize::try_from(difference) {
                counts[2].get_mut(place).into_iter().for_each(|count| *count += 1);
            }
        }
        counts
    }

    /// Every exponent and difference comes up at least half as often as if all were equally frequent.
    fn even(m: Model, pairs: impl Iterator<Item = [u32; 2]>) {
        let [a, b, differences] = counts(m, pairs);
        let total: u64 = a.iter().sum();
        let share = total >> m.exp;
        assert!(share >= 8, "{m:?}: {total} pairs are no run");
        let least = |counts: &[u64]| counts.iter().copied().min();
        assert!(least(&a) >= Some(share / 2), "{m:?}: exponents of a {a:?}");
        assert!(least(&b) >= Some(share / 2), "{m:?}: exponents of b {b:?}");
        assert!(least(&differences) >= Some(share / 2), "{m:?}: differences {differences:?}");
    }

    /// The pairs of a run that go round the exponents; runs with other seeds begin elsewhere.
    fn rounds(m: Model, run: std::ops::Range<u64>) -> impl Iterator<Item = [u32; 2]> {
        run.filter(|index| index % STRATA == 0).map(move |index| pair(m, index))
    }

    #[test]
    fn short_runs_have_every_exponent_and_every_near_difference() {
        for m in [BINARY16, BFLOAT16] {
            for start in [0, 1, 2, 7].map(|run| run * 60_000) {
                even(m, rounds(m, start..start + 60_000));
            }
            // triples take each pair four times
            let product = |index| triple(m, 4 * index);
            let run = (0..100_000 / 4).filter(|index| index % STRATA == 0);
            even(m, run.map(product).map(|[a, b, _]| [a, b]));
        }
    }

    #[test]
    fn a_round_has_all_pairs_of_exponents() {
        for m in [BINARY16, BFLOAT16, Model { exp: 2, frac: 3, flush: true }] {
            let pairs: std::collections::HashSet<_> =
                rounds(m, 0..STRATA << (2 * m.exp)).map(|pair| pair.map(|x| exponent_of(m, x))).collect();
            assert_eq!(pairs.len(), 1 << (2 * m.exp), "{m:?}");
        }
    }

    #[test]
    fn products_lie_half_way_between_two_numbers() {
        for m in [BINARY16, BFLOAT16] {
            let exact = |x: u32| u64::from(x & ((1 << m.frac) - 1) | 1 << m.frac);
            let half_way = |[a, b]: [u32; 2]| {
                let product = exact(a) * exact(b);
                product.ilog2() - product.trailing_zeros() == m.frac + 1
            };
            let pairs = (0..8_000).filter(|index| index % STRATA == 6).map(|index| pair(m, index));
            let found = pairs.filter(|pair| half_way(*pair)).count();
            assert!(found > 900, "{m:?}: {found} of 1000");
        }
    }
}
