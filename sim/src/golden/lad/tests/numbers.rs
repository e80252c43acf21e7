//! The numbers of the model against float64 and wider integers.

use super::*;
use crate::golden::lad::number::*;

fn finite(random: &mut fastrand::Rng) -> u16 {
    std::iter::repeat_with(|| random.u16(..)).find(|bits| is_finite(*bits)).expect("a finite number")
}

#[test]
fn dot_products_are_sums_of_exact_products_that_were_cut() {
    let mut random = fastrand::Rng::with_seed(crate::bus::seed(1));
    for length in [16, 64, 128].repeat(300) {
        let [x, y] = [(); 2].map(|()| (0..length).map(|_| finite(&mut random)).collect::<Vec<_>>());
        let cut = |(x, y): (&u16, &u16)| {
            let (x, y) = (Half::new(*x), Half::new(*y));
            let (product, shift) = (x.significand * y.significand, x.exponent + y.exponent + 24);
            // a quotient of integers is cut towards zero
            if shift >= 0 { product << shift } else { product / (1 << -shift) }
        };
        let sum: i64 = x.iter().zip(&y).map(cut).sum();
        assert_eq!(dot(&to_f64(&x), &to_f64(&y)), sum);
    }
}

#[test]
fn scores_are_rounded_and_limited() {
    assert_eq!([127, 128, 383, 384, -128, -129].map(|dot| score(dot).0), [0, 1, 1, 2, 0, -1]);
    let largest = (1 << 27) - 1;
    assert_eq!(score(i64::from(largest) << 8), (largest, false));
    assert_eq!(score(1 << 35), (largest, true));
    assert_eq!(score(-(1 << 35)), (-largest - 1, false));
    assert_eq!(score(-(1 << 36)), (-largest - 1, true));
    // 1.5 times, -2 times, and a factor that lets it overflow
    assert_eq!(estimate(3, 0x3e00), (5, false));
    assert_eq!(estimate(-3, 0x3e00), (-4, false));
    assert_eq!(estimate(100, 0xc000), (-200, false));
    assert_eq!(estimate(1 << 26, 0x4400), (largest, true));
}

#[test]
fn lengths_and_reciprocals_are_the_nearest_numbers() {
    let mut random = fastrand::Rng::with_seed(crate::bus::seed(2));
    for _ in 0..20_000 {
        let length = random.u32(1..62);
        let square = random.i64(0..1 << length);
        let exact = (square as f64).sqrt() / 4096.0;
        assert_eq!(norm(square), crate::binary16::from_f64(exact).to_bits(), "{square}");
    }
    for x in 1..0x7c00 {
        let exact = 1.0 / f16::from_bits(x).to_f64();
        assert_eq!(reciprocal(x), crate::binary16::from_f64(exact).to_bits(), "{x:04x}");
        let y = random.u16(0..0x7c00);
        let exact = f16::from_bits(x).to_f64() * f16::from_bits(y).to_f64();
        assert_eq!(product(x, y), crate::binary16::from_f64(exact).to_bits(), "{x:04x} {y:04x}");
    }
    assert_eq!((norm(0), norm(1 << 24), norm(i64::MAX)), (0, 0x3c00, 0x7c00));
}

#[test]
fn projections_are_cut_and_compared_exactly() {
    // a dot product of 1.5 with a centre of length 2
    assert_eq!(projection(3 << 23, 0x3800), 3 << 14);
    assert_eq!(projection(-(3 << 23), 0x3800), 3 << 14);
    assert_eq!((projection(0, 0x3800), projection(1 << 50, 0), projection(1 << 60, 0x7bff)), (0, 0, u32::MAX));
    let mut random = fastrand::Rng::with_seed(crate::bus::seed(3));
    for _ in 0..20_000 {
        let length = random.u32(1..58);
        let (dot, factor) = (random.i64(0..1 << length), random.u16(1..0x7c00));
        let exact = dot as f64 / 2f64.powi(24) * f16::from_bits(factor).to_f64() * 65536.0;
        let (found, slack) = (f64::from(projection(dot, factor)), exact * 2f64.powi(-15) + 1.0);
        assert!(found <= exact && (found >= exact - slack || exact > f64::from(u32::MAX)), "{dot} {factor:04x}");
    }
    // 0.5 of a length of 3 is exceeded by what is longer only
    let half = 1 << 15;
    assert!(!exceeds(3 << 15, half, 0x4200) && exceeds((3 << 15) + 1, half, 0x4200));
    // of a length with a positive exponent: 4096
    assert!(!exceeds(2048 << 16, half, 0x6c00) && exceeds((2048 << 16) + 1, half, 0x6c00));
}

#[test]
fn queries_are_scaled_once() {
    assert_eq!(scaled_query(&bits(&[1.0; 64])), bits(&[0.125; 64]));
    assert_eq!(scaled_query(&bits(&[-3.0; 16])), bits(&[-0.75; 16]));
    // 1/sqrt(32) in binary16 is 1448/8192; three times that is rounded once more
    assert_eq!(scaled_query(&bits(&[3.0; 32])), bits(&[4344.0 / 8192.0; 32]));
    assert_eq!(scaled_query(&[0x8000; 16]), [0x8000; 16]);
}

#[test]
fn outputs_are_within_rounding_of_the_quotient() {
    let mut random = fastrand::Rng::with_seed(crate::bus::seed(4));
    for _ in 0..50_000 {
        let length = random.u32(1..47);
        let denominator = random.i64(1..1 << length);
        let numerator = random.i64(-denominator..=denominator) << random.u32(0..8).min(denominator.leading_zeros());
        let exact = numerator as f64 / denominator as f64;
        let found = f16::from_bits(quotient(numerator, denominator)).to_f64();
        let bound = exact.abs() * (2f64.powi(-11) + 3.0 * 2f64.powi(-17)) + 2f64.powi(-25);
        assert!((found - exact).abs() <= bound, "{numerator} / {denominator}: {found}, exactly {exact}");
    }
    assert_eq!([quotient(0, 5), quotient(5, 5), quotient(-10, 5)], [0, 0x3c00, 0xc000]);
}

#[test]
fn coefficients_and_weights_are_the_nearest() {
    assert_eq!(Coefficient::new(0.5), Some(Coefficient { mantissa: 0x8000, exponent: 1 }));
    assert_eq!(Coefficient::new(1.0), Some(Coefficient { mantissa: 0x8000, exponent: 0 }));
    // rounds up to the next power of two
    assert_eq!(Coefficient::new(1.0 - 2f64.powi(-18)), Some(Coefficient { mantissa: 0x8000, exponent: 0 }));
    assert_eq!(Coefficient::new(3.0 * 2f64.powi(-30)), Some(Coefficient { mantissa: 3, exponent: 15 }));
    assert_eq!((Coefficient::new(2.0), Coefficient::new(-0.1)), (None, None));
    let lines = Lines::new(8, Fit::Joined);
    let table = table(&lines);
    for (interval, (a, b)) in lines.a.iter().zip(&lines.b).enumerate() {
        for x in [0, -1, -65536, -654_321, -(1 << 28) + 1] {
            let exact = a * f64::from(x) / 65536.0 + b;
            let found = table.weight(interval, x) as f64 / f64::from(1 << 22);
            // coefficients have 16 bits
            let slack = 2f64.powi(-23) + 2f64.powi(-16) * (a * f64::from(x.abs()) / 65536.0 + b);
            assert!((found - exact).abs() <= slack, "interval {interval}, {x}: {found}, exactly {exact}");
        }
    }
}

/// The squared error of lines against the exponential, over all intervals but the lowest.
fn squared_error(lines: &Lines) -> f64 {
    let knots: Vec<f64> = lines.bounds.iter().copied().chain([0.0]).collect();
    let mut sum = 0.0;
    for (i, knot) in knots.windows(2).enumerate() {
        let step = (knot[1] - knot[0]) / 2000.0;
        let at = |n: usize| knot[0] + (n as f64 + 0.5) * step;
        sum += (0..2000).map(|n| (lines.value(i + 1, at(n)) - at(n).exp()).powi(2) * step).sum::<f64>();
    }
    sum
}

#[test]
fn no_other_line_has_a_lower_error() {
    for lines in [Lines::new(4, Fit::Free), Lines::new(16, Fit::Free), Lines::of_the_paper(Fit::Free)] {
        let best = squared_error(&lines);
        for (interval, nudge) in (1..lines.count()).flat_map(|interval| [(interval, 1e-3), (interval, -1e-3)]) {
            let (mut steeper, mut higher) = (lines.clone(), lines.clone());
            steeper.a[interval] *= 1.0 + nudge;
            higher.b[interval] *= 1.0 + nudge;
            assert!(squared_error(&steeper) > best && squared_error(&higher) > best, "interval {interval}");
        }
    }
}

#[test]
fn joined_lines_meet_and_no_others_that_meet_have_a_lower_error() {
    for lines in [Lines::new(4, Fit::Joined), Lines::new(8, Fit::Joined), Lines::of_the_paper(Fit::Joined)] {
        for (i, bound) in lines.bounds.iter().enumerate().skip(1) {
            assert!((lines.value(i, *bound) - lines.value(i + 1, *bound)).abs() < 1e-12);
        }
        let knots: Vec<f64> = lines.bounds.iter().copied().chain([0.0]).collect();
        let best = squared_error(&lines);
        for (knot, nudge) in (0..knots.len()).flat_map(|knot| [(knot, 1e-4), (knot, -1e-4)]) {
            // one knot higher or lower turns the lines on both sides of it
            let mut turned = lines.clone();
            for interval in [knot, knot + 1].into_iter().filter(|i| (1..lines.count()).contains(i)) {
                let (low, high) = (knots[interval - 1], knots[interval]);
                let at = |x: f64| lines.value(interval, x) + if x == knots[knot] { nudge } else { 0.0 };
                turned.a[interval] = (at(high) - at(low)) / (high - low);
                turned.b[interval] = at(low) - turned.a[interval] * low;
            }
            assert!(squared_error(&turned) > best, "knot {knot}");
        }
    }
}

#[test]
fn bounds_are_equal_steps_and_belong_to_the_interval_below() {
    let lines = Lines::new(8, Fit::Joined);
    let steps: Vec<f64> = lines.bounds.iter().map(|x| (x / 4.0).exp()).chain([1.0]).collect();
    let step = steps[1] - steps[0];
    assert!(steps.windows(2).all(|pair| (pair[1] - pair[0] - step).abs() < 1e-4), "{steps:?}");
    assert_eq!(lines.bounds[0], -10.0);
    let table = table(&Lines::of_the_paper(Fit::Joined));
    let one = 1 << 16;
    let cases = [(-20 * one, 0), (-10 * one, 0), (1 - 10 * one, 1), (-6 * one, 1), (1 - 6 * one, 2), (-3 * one, 2)];
    for (x, interval) in cases.into_iter().chain([(1 - 3 * one, 3), (-one, 3), (1 - one, 4), (0, 4), (1, 5)]) {
        assert_eq!(table.interval(x), interval, "{x}");
        assert_eq!(Lines::of_the_paper(Fit::Free).interval(f64::from(x) / 65536.0), interval, "{x}");
    }
}
