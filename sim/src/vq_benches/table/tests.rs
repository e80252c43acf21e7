use super::*;
use crate::golden::vq::cache::book_words;
use hdl::sim::Simulator;
use hw::vq::encoder::encoder;
use hw::vq::table_types::TableParams;

const INFINITY: u16 = 0x7c00;
const NAN: u16 = 0x7e00;
const ONE: u16 = 0x3c00;
const MINUS_ONE: u16 = 0xbc00;

/// What docs/blocks/vq_encoder.md says of a vector with an infinite number or a NaN.
#[test]
fn what_is_not_finite_gets_an_index_and_no_fault() {
    let p = TableParams { entries: 8, vector: 2, positions: 8, residuals: 1, queries: 1 };
    let design = encoder(p).unwrap();
    let bench = EncoderBench::of(&design, p);
    // the first numbers of entries: zeros, then what has a sign
    let (mixed, negative, zeros) = ([0, MINUS_ONE, 0, ONE, ONE], [0, 0, MINUS_ONE, MINUS_ONE, 0], [0x8000, 0, 0, 0, 0]);
    let groups = [
        (NAN, mixed, 0),
        (NAN | 0x8000, negative, 0),
        (INFINITY, mixed, 3),
        (INFINITY | 0x8000, mixed, 1),
        (INFINITY, negative, 2),
        (INFINITY, zeros, 0),
        (INFINITY | 0x8000, zeros, 0),
        // a group without one is encoded as ever
        (ONE, mixed, 3),
    ];
    let words = (0..).zip(&groups).flat_map(|(id, (_, first, _))| {
        let values: Vec<u16> = first.iter().flat_map(|number| [*number, ONE]).collect();
        book_words(id, &values, 2)
    });
    let query = groups.iter().flat_map(|(number, ..)| [*number, ONE]).collect();
    let command = TableCommand { first: 0, tokens: 0, query, words: words.collect() };
    let mut nobody = || ();
    let until = Until::Reports(&mut nobody);
    let played = bench.play(&mut Simulator::new(&design), [&command], [Stalls::Never; 5], 1, until).unwrap();
    let found = played.out[0].field(0).to_le_bytes();
    assert_eq!((found, played.reports[0].field(0)), (groups.map(|(_, _, index)| index), 0));
}
