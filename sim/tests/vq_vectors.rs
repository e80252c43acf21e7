//! The test vectors in `docs/vq-vectors.json` are those of the models.

#[path = "../examples/vq_vectors.rs"]
mod generator;

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
