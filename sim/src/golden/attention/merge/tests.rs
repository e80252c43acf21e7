use super::super::softmax::{MAX_SCORES, largest_and_sum, softmax, softmax64};
use super::*;
use crate::golden::reference::decibels;
use fastrand::Rng;
use hdl::bus::seed;

fn float(x: u16) -> f64 {
    f16::from_bits(x).to_f64()
}

fn normal(rng: &mut Rng) -> f64 {
    (0..12).map(|_| rng.f64()).sum::<f64>() - 6.0
}

#[test]
fn one_part_and_equal_parts() {
    let part = |largest, sum| Partial { largest, sum, vector: vec![0x3c00, 0xc000] };
    assert_eq!(merge(&[part(0x4200, 0x3c00)]), (vec![0x3c00, 0xc000], None));
    // of 8,192 tokens each, all of the same score: the sum of all has no binary16, an eighth of it has
    assert_eq!(weights(&[part(0x3555, 0x7000), part(0x3555, 0x7000)]), [0x3800; 2]);
    let all = std::array::from_fn::<_, 8, _>(|_| part(0x3555, 0x7000));
    assert_eq!(weights(&all), [0x3000; 8]);
    // far below the largest one
    assert_eq!(weights(&[part(0xd000, 0x7000), part(0x5000, 0x3c00)]), [0, 0x3c00]);
    assert_eq!(weights(&[part(0, 0x4000), part(0x8000, 0x4000)]), [0x3800; 2]);
}

#[test]
fn parts_that_are_none() {
    let good = [0x3c00, 0x3c00];
    for bad in [[0x7c00, 0x3c00], [0xfc00, 0x3c00], [0x7e00, 0x3c00], [0, 0], [0, 0x3bff], [0, 0x7400], [0, 0xbc00]] {
        let parts = [good, bad, bad].map(|[largest, sum]| Partial { largest, sum, vector: vec![0; 4] });
        assert_eq!(merge(&parts), (vec![0x7e00; 4], Some(1)), "{bad:x?}");
    }
}

/// Attention to parts of the tokens, each with exact products, then merged; beside attention to all of them.
#[test]
fn parts_beside_the_whole() {
    let mut rng = Rng::with_seed(seed(1));
    let numbers = 64;
    for (count, tokens, width) in [(2, 512, 2.0), (4, 512, 2.0), (8, 512, 2.0), (8, MAX_SCORES, 0.5), (4, 512, 4.0)] {
        let mut noise = [vec![], vec![]];
        for _ in 0..10 {
            let scores: Vec<u16> = (0..tokens).map(|_| f16::from_f64(width * normal(&mut rng)).to_bits()).collect();
            let values: Vec<Vec<f64>> = (0..tokens).map(|_| (0..numbers).map(|_| normal(&mut rng)).collect()).collect();
            let sum = |weights: &[f64], values: &[Vec<f64>]| -> Vec<f64> {
                let number = |k: usize| values.iter().zip(weights).map(|(value, w)| value[k] * w).sum();
                (0..numbers).map(number).collect()
            };
            let exact: Vec<f64> = scores.iter().map(|x| float(*x)).collect();
            let exact = sum(&softmax64(&exact), &values);
            let rounded =
                |vector: Vec<f64>| -> Vec<u16> { vector.iter().map(|x| f16::from_f64(*x).to_bits()).collect() };
            let attend = |scores: &[u16], values: &[Vec<f64>]| {
                let weights: Vec<f64> = softmax(scores).0.iter().map(|w| float(*w)).collect();
                rounded(sum(&weights, values))
            };
            let size = tokens / count;
            let part = |(scores, values): (&[u16], &[Vec<f64>])| {
                let [largest, sum] = largest_and_sum(scores).expect("a softmax");
                Partial { largest, sum, vector: attend(scores, values) }
            };
            let parts: Vec<Partial> = scores.chunks(size).zip(values.chunks(size)).map(part).collect();
            let (merged, wrong) = merge(&parts);
            assert_eq!(wrong, None);
            noise[0].push(decibels(&exact, &attend(&scores, &values)));
            noise[1].push(decibels(&exact, &merged));
        }
        let [whole, merged] = noise.map(|all| all.into_iter().fold(f64::INFINITY, f64::min));
        println!("{count} parts of {tokens} tokens, scores of {width}: {merged:.1} dB, {whole:.1} dB as one");
        assert!(merged > 59.0, "{count} parts: {merged:.1} dB");
    }
}
