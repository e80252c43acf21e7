//! The test vectors in `docs/vq-vectors.json` are those of the models, and those of a reader written from the page alone.

#[path = "vq_vectors/by_the_page.rs"]
mod by_the_page;

#[path = "../examples/vq_vectors.rs"]
mod generator;

use by_the_page::{Page, numbers};
use generator::{Vectors, bytes, computed, make_text, vectors_path};
use sim::golden::vq::VqFile;

fn read() -> (String, Vectors) {
    let text = std::fs::read_to_string(vectors_path()).expect("docs/vq-vectors.json");
    let vectors = serde_json::from_str(&text).expect("JSON of test vectors");
    (text, vectors)
}

#[test]
fn the_file_is_what_the_example_makes() {
    let (text, _) = read();
    assert!(text.len() < 200_000, "{} bytes", text.len());
    let made = make_text().expect("test vectors");
    assert!(text == made, "docs/vq-vectors.json is old: cargo run -p kvforge-sim --example vq_vectors");
}

#[test]
fn every_case_gives_what_it_says() {
    let (_, vectors) = read();
    assert!(vectors.cases.len() >= 11);
    for case in &vectors.cases {
        let file = VqFile::from_bytes(&bytes(&case.file)).expect("a legal file");
        let again = computed(&case.name, &file);
        assert_eq!(serde_json::to_value(&again).unwrap(), serde_json::to_value(case).unwrap(), "{}", case.name);
    }
}

#[test]
fn every_illegal_file_is_refused_where_it_says() {
    let (_, vectors) = read();
    assert!(vectors.illegal.len() >= 8);
    for case in &vectors.illegal {
        let error = VqFile::from_bytes(&bytes(&case.file)).expect_err("an illegal file");
        assert_eq!((error.offset, error.fault.to_string()), (case.offset, case.message.clone()));
    }
}

/// The committed values against what the page's words give.
#[test]
fn a_reader_of_the_page_finds_the_same() {
    let (_, vectors) = read();
    for case in &vectors.cases {
        let page = Page::read(&bytes(&case.file));
        let same = |what: &str, found: Vec<f64>, hex: &str| {
            let bits = |x: &f64| half::f16::from_f64(*x).to_bits();
            let stored = numbers(&bytes(hex));
            assert_eq!(
                found.iter().map(bits).collect::<Vec<_>>(),
                stored.iter().map(bits).collect::<Vec<_>>(),
                "{}: {what}",
                case.name
            );
        };
        let given = |hex: &str| numbers(&bytes(hex));
        same("decoded", page.decoded(), &case.decoded);
        if let (Some(query), Some(table)) = (&case.query, &case.by_table) {
            same("scores", page.scores(&given(query)), &case.by_multiplication);
            same("scores by table", page.scores_by_table(&given(query)), table);
        }
        if let (Some(weights), Some(table), Some(four)) = (&case.weights, &case.by_table, &case.by_table_of_four) {
            same("values", page.sums(&given(weights)), &case.by_multiplication);
            same("values by table", page.sums_by_table(&given(weights), 1), table);
            same("values by table, four copies", page.sums_by_table(&given(weights), 4), four);
        }
        if let Some(vector) = &case.vector {
            same("product", page.product(&given(vector), false), &case.by_multiplication);
            if let Some(table) = &case.by_table {
                same("product by table", page.product(&given(vector), true), table);
            }
        }
    }
}
