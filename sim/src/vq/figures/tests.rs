use super::*;
use crate::golden::vq::Algorithm;
use crate::vq::access;
use crate::vq::plan::{Attention, Matrix};
use crate::vq_benches::table::real_head;

fn head(algorithm: Algorithm, tokens: usize, batch: usize) -> Attention {
    Attention { algorithm, tokens, head: 64, heads: 1, queries: 1, batch }
}

#[test]
fn bytes_beside_table_2() {
    for (algorithm, ratio) in [(Algorithm::Cq4, 0.25), (Algorithm::Cq2, 0.125)] {
        assert_eq!(head_bytes(head(algorithm, 1024, 1)).without_books(), ratio);
    }
    let matrix = |algorithm| matrix_bytes(Matrix { algorithm, rows: 4096, cols: 4096, batch: 1 });
    let ratios = [(Algorithm::Gptvq2, 0.125), (Algorithm::Aqlm3, 0.1875), (Algorithm::QuipSharp4, 0.25)];
    for (algorithm, ratio) in ratios {
        assert_eq!(matrix(algorithm).without_books(), ratio, "{algorithm}");
    }
    // 66,048 bytes of books: as much as the indices of 1,032 tokens
    let cq4 = head_bytes(head(Algorithm::Cq4, 1024, 1));
    assert_eq!((cq4.indices, cq4.books, cq4.float16), (65_536, 66_048, 262_144));
    assert_eq!(matrix(Algorithm::Gptvq2).books, 256 * 2056);
}

#[test]
fn crossovers() {
    // 33,024 bytes of books, 128 bytes a token of binary16, 32 of indices
    assert_eq!(crossover(Algorithm::Cq4, 64, 1, 1.0), Some(33_024 / 96 + 1));
    assert_eq!(crossover(Algorithm::Cq2, 64, 1, 1.0), Some(32_896 / 112 + 1));
    assert_eq!(crossover(Algorithm::Cq4, 64, 16, 1.0), Some(22));
    // indices alone are a quarter
    assert_eq!(crossover(Algorithm::Cq4, 64, 1, 0.25), None);
}

/// The best split factor is a divisor next to the paper's square root.
#[test]
fn split_factors_of_the_ladder() {
    for algorithm in [Algorithm::Cq4, Algorithm::Cq2] {
        let found = [(1024, 1), (1024, 8), (4096, 1), (4096, 8)]
            .map(|(tokens, batch)| score_split(head(algorithm, tokens, batch)).1);
        assert_eq!(found.map(|split| split.factor), [8, 16, 16, 16], "{algorithm}");
        assert!(found.iter().all(|split| (11.3..11.4).contains(&split.paper)), "{found:?}");
    }
}

/// Two beats of two lanes, worked by hand: a conflict in bank 1, then none.
#[test]
fn a_ladder_by_hand() {
    let tile = Tile { beats: vec![vec![(0, 1), (1, 9)], vec![(0, 40), (1, 3)]], words: 1, books: 2 };
    assert_eq!((tile.bank_cycles(0, 256), tile.bank_cycles(8, 256), tile.bank_cycles(0, 8)), (3, 2, 2));
    assert_eq!((tile.lookups(), tile.misses(8)), (4, 2));
    let shape = Shape {
        book_words: 129,
        copy_cycles: 261,
        entry_bytes: 4,
        entries: 256,
        output: 16,
        buffered: true,
        sequences: 1,
    };
    let found = ladder(&[tile.clone(), tile], shape);
    // from memory: a word of indices, four bursts, and the buffer twice a beat
    assert_eq!(found.gc, 2 * (1 + 4 * 2 + 4));
    assert_eq!(found.sc, 2 * (2 * 129 + 3 + 4));
    // eight entries of each book are 5 words; two lookups come from memory
    assert_eq!(found.o1, 2 * (2 * 5 + 2 * 2 + 2 + 4));
    assert_eq!(found.o2, found.o1);
    // factor 2: partial sums of 16 bytes twice, the books once
    assert_eq!(found.o4, (2 * 16 + 2 * 8 * 129) / 8 + 2 * 2);
    assert_eq!(found.o3, found.o4 + 2 * 4);
    assert_eq!(found.copies, 2 * 261 + 2 * 2);
}

/// In short what the example prints: the order of the rungs on recorded keys and values.
#[test]
fn the_ladder_of_a_real_head() {
    for algorithm in [Algorithm::Cq4, Algorithm::Cq2] {
        let file = real_head(algorithm, 512);
        let a = head(algorithm, 512, 1);
        for tensor in &file.tensors {
            let part = tensor.parts(&file.scheme).next().unwrap();
            let all = tiles(&file, tensor, 0, &part);
            assert_eq!((all.len(), all[0].lookups()), (4, 128 * a.positions()));
            let entry_bytes = 2 * a.vector();
            let book_words = 1 + entry_bytes * 32;
            let shape = Shape {
                book_words,
                copy_cycles: book_words,
                entry_bytes,
                entries: 256,
                output: 1024,
                buffered: false,
                sequences: 1,
            };
            let rungs = ladder(&all, shape);
            println!("{algorithm} {}: {rungs:?}", tensor.name);
            // a book of CQ-2 is not worth loading for 128 lookups
            assert_eq!(rungs.sc < rungs.gc, algorithm == Algorithm::Cq4);
            assert!(rungs.o1 < rungs.sc && rungs.o2 < rungs.o1 && rungs.o4 < rungs.o2);
            assert!(rungs.copies < rungs.o4);
            // lanes in lockstep on eight banks get about 0.38 lookups a cycle (docs/vq.md)
            let rate = all[0].beats.len() as f64 / all[0].bank_cycles(0, 256) as f64;
            assert!((0.34..0.42).contains(&rate), "{rate}");
            let (least, mean, most) = hot_entries(&access(&file.scheme, tensor));
            assert!(least as f64 <= mean && mean <= most as f64 && most < 16, "{least} {mean} {most}");
        }
    }
}
