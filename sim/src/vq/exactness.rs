//! How exact scores by table are, and what longer numbers in other places would give: the figures of docs/vq-format.md, section 7.

use crate::golden::reference::sqnr_db;
use crate::golden::vq::{Algorithm, VqFile};
use crate::vq_benches::table::real_head;
use fastrand::Rng;

/// Bits of a fraction that stand for exact sums in float64.
const EXACT: i32 = 52;
/// Those of binary16.
const HALF: i32 = 10;

/// Bits of the fractions of an entry's products, of the tables, of a row's sums.
#[derive(Clone, Copy)]
struct Fractions {
    products: i32,
    table: i32,
    sums: i32,
}

/// What was tried, as the page has it.
const TRIED: [(&str, Fractions); 7] = [
    ("the format", Fractions { products: HALF, table: HALF, sums: HALF }),
    ("entries' products exact", Fractions { products: EXACT, table: HALF, sums: HALF }),
    ("a bit more in tables", Fractions { products: HALF + 1, table: HALF + 1, sums: HALF }),
    ("a bit more in sums", Fractions { products: HALF, table: HALF, sums: HALF + 1 }),
    ("a bit more in both", Fractions { products: HALF + 1, table: HALF + 1, sums: HALF + 1 }),
    ("sums exact", Fractions { products: HALF, table: HALF, sums: EXACT }),
    ("all exact, a score rounded once", Fractions { products: EXACT, table: EXACT, sums: EXACT }),
];

/// To nearest, ties to even, with binary16's smallest exponent.
fn rounded(x: f64, fraction: i32) -> f64 {
    if x == 0.0 || fraction == EXACT {
        return x;
    }
    let exponent = (x.abs().log2().floor() as i32).max(-14);
    let step = 2f64.powi(exponent - fraction);
    (x / step).round_ties_even() * step
}

fn tree(terms: Vec<f64>, fraction: i32) -> f64 {
    let mut terms = terms;
    while terms.len() > 1 {
        let pair = |pair: &[f64]| if pair.len() == 2 { rounded(pair[0] + pair[1], fraction) } else { pair[0] };
        terms = terms.chunks(2).map(pair).collect();
    }
    terms[0]
}

/// The scores of the first key head of a file; rounded to binary16 if `fractions` says something.
fn scores(file: &VqFile, query: &[f64], fractions: Option<Fractions>) -> Vec<f64> {
    let (tensor, vector) = (&file.tensors[0], file.scheme.vector);
    let Fractions { products, table, sums } =
        fractions.unwrap_or(Fractions { products: EXACT, table: EXACT, sums: EXACT });
    let term = |(position, index): (usize, &u8)| {
        let from = usize::from(*index) * vector;
        let entry = tensor.books[position].values[from..from + vector].iter();
        let part = &query[position * vector..][..vector];
        let products = entry.zip(part).map(|(e, q)| rounded(half::f16::from_bits(*e).to_f64() * q, products)).collect();
        rounded(tree(products, table), table)
    };
    let row = |row: &[u8]| tree(row.iter().enumerate().map(term).collect(), sums);
    let scores = tensor.indices[0].chunks(query.len() / vector).map(row);
    scores.map(|score| if fractions.is_some() { rounded(score, HALF) } else { score }).collect()
}

#[test]
fn a_bit_more_in_the_sums_of_scores_gives_65_db() {
    for algorithm in [Algorithm::Cq4, Algorithm::Cq2] {
        let file = real_head(algorithm, 512);
        let query = |round| {
            let mut rng = Rng::with_seed(crate::bus::run_seed(round));
            (0..64).map(|_| half::f16::from_f32((rng.f32() - 0.5) / 8.0).to_f64()).collect::<Vec<f64>>()
        };
        let queries: Vec<Vec<f64>> = (3..7).map(query).collect();
        let range = |fractions| {
            let found = queries
                .iter()
                .map(|query| sqnr_db(&scores(&file, query, None), &scores(&file, query, Some(fractions))));
            found.fold((f64::MAX, f64::MIN), |(worst, best), x| (worst.min(x), best.max(x)))
        };
        let ranges = TRIED.map(|(name, fractions)| {
            let (worst, best) = range(fractions);
            println!("{algorithm}: {name}: {worst:.1} .. {best:.1} dB");
            worst
        });
        assert!(ranges[0] > 62.0 && ranges[0] < 65.0, "{algorithm}: the format's sums have {:.1} dB", ranges[0]);
        assert!(ranges[3] > 65.0, "{algorithm}: sums with a bit more have {:.1} dB", ranges[3]);
        // nothing of these is above what binary16 itself leaves
        let most = ranges[..6].iter().fold(f64::MIN, |most, x| most.max(*x));
        assert!(ranges[6] > most, "{algorithm}: a score rounded once has {:.1} dB", ranges[6]);
    }
}
