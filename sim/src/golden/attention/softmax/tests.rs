use super::*;
use crate::golden::reference::decibels;
use crate::softmax_bench::random_scores;
use fastrand::Rng;
use half::f16;
use hdl::bus::seed;

const PAGE: &str = include_str!("../../../../../docs/vq-format.md");

/// The lines of the page's table.
fn lines() -> Vec<(i64, i64)> {
    let rows = PAGE.lines().skip_while(|line| !line.starts_with("| lines |")).skip(2).take(4);
    let pairs = rows.flat_map(|row| row.split('|').nth(2).expect("a row of the table").split(';'));
    let number = |text: &str| text.trim().parse().expect("a number");
    pairs.map(|pair| pair.split_once(',').expect("two numbers")).map(|(a, b)| (number(a), number(b))).collect()
}

/// The exponential as the page has it.
fn page_exp(lines: &[(i64, i64)], x: f64, negative: bool) -> u16 {
    if !negative {
        return 0x3c00;
    }
    if x <= -32.0 {
        return 0;
    }
    let k = (-x * 189_097.0 / 16.0).floor() as i64;
    let p = -1 - k;
    let (w, f) = (p.div_euclid(1 << 13), p.rem_euclid(1 << 13));
    let (intercept, slope) = lines[f as usize / 256];
    let sum = 8192 + intercept + slope * (f % 256) / 256;
    f16::from_f64(sum as f64 * 2f64.powi(w as i32 - 13)).to_bits()
}

#[test]
fn the_exponential_is_that_of_the_page() {
    let lines = lines();
    assert_eq!(lines.len(), SEGMENTS as usize);
    assert_eq!(exp(0), page_exp(&lines, 0.0, false));
    for x in 0x8000..=0xfc00u16 {
        assert_eq!(exp(x), page_exp(&lines, f16::from_bits(x).to_f64(), true), "{x:#x}");
        assert!(exp(x) <= 0x3c00, "{x:#x}");
    }
}

/// Nothing is said of them apart: the other rules give NaN as well.
#[test]
fn scores_without_a_softmax_give_nan_by_the_rules_for_numbers() {
    for scores in [vec![0, 0x7e00, 0x3c00], vec![0, 0x7c00, 0xfc00], vec![0xfc00; 3], vec![0xfe01, 0]] {
        assert_eq!(softmax(&scores), (vec![0x7e00; scores.len()], true));
        let value = |x: &u16| f16::from_bits(*x).to_f64();
        let largest = scores.iter().map(value).fold(f64::NEG_INFINITY, |a, b| if b > a || b.is_nan() { b } else { a });
        let sum: f64 = scores.iter().map(|x| (value(x) - largest).exp()).sum();
        assert!(sum.is_nan(), "{scores:x?}");
    }
}

#[test]
fn zeros_are_equal_and_masked_tokens_weigh_nothing() {
    assert_eq!(softmax(&[0, 0x8000]).0, [0x3800, 0x3800]);
    assert_eq!(softmax(&[0x8000, 0]).0, [0x3800, 0x3800]);
    assert_eq!(softmax(&[0xfc00, 0xbc00, 0xfc00]), (vec![0, 0x3c00, 0], false));
    // a difference that overflows
    assert_eq!(softmax(&[0x7bff, 0xfbff]).0, [0x3c00, 0]);
    // the largest sum
    assert_eq!(softmax(&[0x3555; MAX_SCORES]).0, [f16::from_f64(1.0 / 8192.0).to_bits(); MAX_SCORES]);
}

/// Rounded once. `f16::from_f64` forgets the low half of the number, where what is a little more than a tie may be.
fn rounded(x: f64) -> f16 {
    let (high, low) = (x.to_bits() >> 32, x.to_bits() & 0xffff_ffff);
    f16::from_f64(f64::from_bits((high | u64::from(low != 0)) << 32))
}

#[test]
fn sums_are_exact_and_rounded_once() {
    // 2 and a bit, 2049, which is in the middle of two numbers, and 2049 and a bit
    for scores in [vec![0, 0, 0xcc29], vec![0; 2049], [vec![0; 2049], vec![0xc980]].concat()] {
        let (weights, _) = softmax(&scores);
        let sum: f64 = scores.iter().map(|x| f16::from_bits(exp(*x)).to_f64()).sum();
        assert_eq!(weights[0], rounded(1.0 / rounded(sum).to_f64()).to_bits());
    }
    let mut rng = Rng::with_seed(seed(1));
    for _ in 0..200 {
        let length = rng.usize(1..300);
        let scores = random_scores(&mut rng, length);
        let (weights, nonfinite) = softmax(&scores);
        if nonfinite {
            continue;
        }
        let value = |x: u16| f16::from_bits(x).to_f64();
        let largest = scores.iter().map(|x| value(*x)).fold(f64::NEG_INFINITY, f64::max);
        let exponential = |x: &u16| value(exp(f16::from_f64(value(*x) - largest).to_bits()));
        let factor = rounded(1.0 / rounded(scores.iter().map(exponential).sum()).to_f64()).to_f64();
        for (x, weight) in scores.iter().zip(&weights) {
            assert_eq!(rounded(exponential(x) * factor).to_bits(), *weight);
        }
    }
}

/// Beside float64, from the same scores: the page of the block has these figures.
#[test]
fn accuracy() {
    let mut rng = Rng::with_seed(seed(1));
    for (width, tokens) in [(0.5, 512), (2.0, 512), (4.0, 512), (2.0, 8192)] {
        let (mut worst, mut best, mut sums) = (f64::INFINITY, 0.0f64, vec![]);
        for _ in 0..20 {
            let normal = |rng: &mut Rng| (0..12).map(|_| rng.f64()).sum::<f64>() - 6.0;
            let scores: Vec<u16> = (0..tokens).map(|_| f16::from_f64(width * normal(&mut rng)).to_bits()).collect();
            let (weights, _) = softmax(&scores);
            let exact = softmax64(&scores.iter().map(|x| f16::from_bits(*x).to_f64()).collect::<Vec<_>>());
            let noise = decibels(&exact, &weights);
            (worst, best) = (worst.min(noise), best.max(noise));
            sums.push(weights.iter().map(|w| f16::from_bits(*w).to_f64()).sum::<f64>());
        }
        let (least, most) =
            (sums.iter().copied().fold(f64::INFINITY, f64::min), sums.iter().copied().fold(0.0, f64::max));
        println!("width {width}, {tokens} scores: {worst:.1} to {best:.1} dB, sums {least:.5} to {most:.5}");
        // the page has 61.9 dB, and sums from 0.9993 to 1.0006
        assert!(worst > 61.0 && least > 0.999 && most < 1.001);
    }
}
