//! The models of decoding, products and encoding.

use super::super::attention::Head;
use super::super::product::{Way, matrix_vector, matrix_vector64};
use super::super::*;
use super::fill;
use fastrand::Rng;
use half::f16;

fn bits(x: f64) -> u16 {
    crate::binary16::from_f64(x).to_bits()
}

fn number(bits: u16) -> f64 {
    f16::from_bits(bits).to_f64()
}

/// A packed tensor with entries that `value` gives.
fn tensor(rng: &mut Rng, scheme: &Scheme, kind: TensorKind, value: impl Fn(&mut Rng) -> f64) -> Tensor {
    let (rows, cols) = (20, scheme.vector * 6);
    let mut tensor = Tensor {
        kind,
        layer: 0,
        name: "test".into(),
        rows,
        cols,
        tile_rows: if kind == TensorKind::Weight { 8 } else { 0 },
        tile_cols: scheme.vector * 4,
        books: vec![],
        scales: vec![],
        rotation: None,
        indices: vec![],
    };
    fill(rng, scheme, &mut tensor, true);
    tensor.books.iter_mut().flat_map(|book| &mut book.values).for_each(|x| *x = bits(value(rng)));
    tensor.scales = (0..tensor.scale_count(scheme)).map(|_| bits(f64::from(1 << rng.u32(0..3)))).collect();
    tensor
}

fn scheme(vector: usize, bits: u32, residuals: usize, books: Books, scales: Scales) -> Scheme {
    let inverse_ratio = if books == Books::Lattice && residuals == 2 { 0x3400 } else { 0 };
    Scheme { vector, bits, residuals, books, scales, inverse_ratio }
}

#[test]
fn the_order_of_sums_is_that_of_the_page() {
    let terms = [2048.0, 1.0, 1.0, 1.0, 1.0].map(bits);
    // (2048 + 1) is a tie and stays 2048; (1 + 1) = 2; 2048 + 2 = 2050; the last one waits: 2050 + 1 is a tie, to 2052
    assert_eq!(number(decode::tree(&terms)), 2052.0);
    assert_eq!(decode::tree(&[]), 0);
    assert_eq!(decode::tree(&[0x8000]), 0x8000);
}

#[test]
fn with_small_integers_all_ways_agree_to_the_bit() {
    let rng = &mut Rng::with_seed(crate::bus::seed(1));
    let integer = |rng: &mut Rng| f64::from(rng.i32(-3..=3));
    for books in [Books::Tile, Books::Group] {
        for (vector, index_bits, residuals) in [(2, 8, 1), (4, 8, 1), (8, 12, 2), (3, 5, 4), (1, 1, 3)] {
            for scales in [Scales::None, Scales::Tensor, Scales::Row] {
                let scheme = scheme(vector, index_bits, residuals, books, scales);
                let weights = tensor(rng, &scheme, TensorKind::Weight, integer);
                let x: Vec<f64> = (0..weights.cols).map(|_| integer(rng)).collect();
                let x16: Vec<u16> = x.iter().map(|&x| bits(x)).collect();
                let exact: Vec<u16> = matrix_vector64(&scheme, &weights, &x).into_iter().map(bits).collect();
                let is_exact = |y: Vec<u16>| assert!(y.iter().zip(&exact).all(|(a, b)| number(*a) == number(*b)));
                is_exact(matrix_vector(&scheme, &weights, &x16, Way::Multiply));
                is_exact(matrix_vector(&scheme, &weights, &x16, Way::Table));
                attention_agrees(&scheme, &tensor(rng, &scheme, TensorKind::Key, integer), rng);
            }
        }
    }
}

fn attention_agrees(scheme: &Scheme, tensor: &Tensor, rng: &mut Rng) {
    for number in 0..2 {
        let head = Head { scheme, tensor, number };
        let part = tensor.parts(scheme).nth(number).unwrap();
        let mut integers = |count: usize| (0..count).map(|_| f64::from(rng.i32(0..=2))).collect::<Vec<_>>();
        let (query, weights) = (integers(part.cols.len()), integers(tensor.rows));
        let to_bits = |x: &[f64]| x.iter().map(|&x| bits(x)).collect::<Vec<_>>();
        let same = |y: Vec<u16>, exact: &[f64]| {
            assert!(y.iter().zip(exact).all(|(a, b)| self::number(*a) == *b), "{scheme} {y:?} {exact:?}");
        };
        let exact = head.scores64(&query);
        same(head.scores(&to_bits(&query), Way::Table), &exact);
        same(head.scores(&to_bits(&query), Way::Multiply), &exact);
        let exact = head.values64(&weights);
        same(head.values_by_multiplication(&to_bits(&weights)), &exact);
        for copies in [1, 2, 4] {
            same(head.values_by_table(&to_bits(&weights), copies), &exact);
        }
    }
}

#[test]
fn weights_are_added_in_the_order_of_tokens_and_copies() {
    // one entry, 1.0; weights that make the order visible
    let scheme = scheme(1, 1, 1, Books::Group, Scales::None);
    let book = Book { values: vec![bits(1.0)], vector: 1 };
    let (name, kind) = ("v".to_string(), TensorKind::Value);
    let tensor = Tensor {
        kind,
        layer: 0,
        name,
        rows: 4,
        cols: 1,
        tile_rows: 0,
        tile_cols: 1,
        books: vec![book],
        scales: vec![],
        rotation: None,
        indices: vec![vec![0; 4]],
    };
    let head = Head { scheme: &scheme, tensor: &tensor, number: 0 };
    let weights = [2048.0, 1.0, 1.0, 1.0].map(bits);
    // one after the other each 1 is a tie that goes to 2048
    assert_eq!(number(head.values_by_table(&weights, 1)[0]), 2048.0);
    // tokens 0 and 2: 2048; tokens 1 and 3: 2
    assert_eq!(number(head.values_by_table(&weights, 2)[0]), 2050.0);
    assert_eq!(number(head.values_by_multiplication(&weights)[0]), 2050.0);
}

#[test]
fn the_lattices_two_sums_are_joined_at_the_end() {
    let rng = &mut Rng::with_seed(crate::bus::seed(2));
    let scheme = scheme(8, 16, 2, Books::Lattice, Scales::Tensor);
    let tensor = tensor(rng, &scheme, TensorKind::Weight, |_| 0.0);
    let x: Vec<f64> = (0..tensor.cols).map(|_| f64::from(rng.i32(-2..=2))).collect();
    let x16: Vec<u16> = x.iter().map(|&x| bits(x)).collect();
    // quarters, a ratio of 1/4 and small integers: sums need less than 11 bits, so that nothing is rounded
    let exact = matrix_vector64(&scheme, &tensor, &x);
    let found = matrix_vector(&scheme, &tensor, &x16, Way::Multiply);
    assert!(found.iter().zip(&exact).all(|(a, b)| (number(*a) - b).abs() <= b.abs() / 1024.0));
    let values = decode::tensor16(&scheme, &tensor);
    assert_eq!(values.iter().map(|&v| number(v)).collect::<Vec<_>>(), decode::tensor64(&scheme, &tensor));
}

#[test]
fn the_encoder_finds_the_nearest_entry_and_of_several_the_first() {
    let rng = &mut Rng::with_seed(crate::bus::seed(3));
    let book = |values: &[f64], vector| Book { values: values.iter().map(|&x| bits(x)).collect(), vector };
    for _ in 0..200 {
        let (vector, count) = (rng.usize(1..=4), rng.usize(1..=40));
        let mut integers = |n: usize| (0..n).map(|_| f64::from(rng.i32(-3..=3))).collect::<Vec<_>>();
        let (entries, x) = (integers(vector * count), integers(vector));
        let book = book(&entries, vector);
        let distance = |e: &[f64]| e.iter().zip(&x).map(|(c, x)| (c - x) * (c - x)).sum::<f64>();
        let distances: Vec<f64> = entries.chunks(vector).map(distance).collect();
        let least = distances.iter().copied().fold(f64::INFINITY, f64::min);
        let first = distances.iter().position(|&d| d == least).unwrap();
        let x16: Vec<u16> = x.iter().map(|&x| bits(x)).collect();
        assert_eq!(usize::from(encode::nearest(&book, &encode::half_norms(&book), &x16)), first);
    }
    // an entry whose norm overflows is never chosen, be it the first
    let large = book(&[60000.0, 1.0], 1);
    assert_eq!(encode::nearest(&large, &encode::half_norms(&large), &[bits(60000.0)]), 1);
}

#[test]
fn a_row_is_encoded_group_by_group_and_residual_by_residual() {
    let rng = &mut Rng::with_seed(crate::bus::seed(4));
    let scheme = scheme(2, 4, 2, Books::Group, Scales::None);
    let tensor = tensor(rng, &scheme, TensorKind::Key, |rng| f64::from(rng.i32(-8..=8)));
    let part = tensor.parts(&scheme).next().unwrap();
    let x: Vec<u16> = (0..part.cols.len()).map(|_| bits(f64::from(rng.i32(-9..=9)))).collect();
    let indices = encode::row(&scheme, &tensor, &part, &x, encode::Rule::Product);
    assert_eq!(indices, encode::row(&scheme, &tensor, &part, &x, encode::Rule::Distance), "small integers are exact");
    assert_eq!(indices.len(), part.indices_per_row(&scheme));
    for (group, pair) in indices.chunks(2).enumerate() {
        let books = [0, 1].map(|r| &tensor.books[part.first_book + 2 * group + r]);
        let mut left: Vec<f64> = x[2 * group..2 * group + 2].iter().map(|&x| number(x)).collect();
        for (book, &index) in books.into_iter().zip(pair) {
            let distance =
                |e: usize| book.entry(e).iter().zip(&left).map(|(&c, x)| (number(c) - x).powi(2)).sum::<f64>();
            assert!((0..book.count()).all(|e| distance(e) >= distance(index.into())));
            left.iter_mut().zip(book.entry(index.into())).for_each(|(x, &c)| *x -= number(c));
        }
    }
}
