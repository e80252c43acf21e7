//! The test vectors in `docs/oaken-vectors.json` are those of the model.

#[path = "../examples/vectors.rs"]
mod generator;

use generator::{Case, Vectors, make_text, vectors_path};
use sim::golden::oaken::{DenseBits, Thresholds, decode, encode};

fn read() -> (String, Vectors) {
    let text = std::fs::read_to_string(vectors_path()).expect("docs/oaken-vectors.json");
    let vectors = serde_json::from_str(&text).expect("JSON of test vectors");
    (text, vectors)
}

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).expect("hexadecimal")).collect()
}

fn words(hex: &str) -> Vec<u16> {
    bytes(hex).chunks(2).map(|b| u16::from_le_bytes([b[0], b[1]])).collect()
}

fn thresholds(case: &Case) -> Thresholds {
    let [a, b, c, d] = case.thresholds.each_ref().map(|t| u16::from_str_radix(t, 16).expect("hexadecimal"));
    Thresholds::from_bits(a, b, c, d).expect("legal thresholds")
}

#[test]
fn the_file_is_what_the_example_makes() {
    let (text, _) = read();
    assert!(text.len() < 120_000, "{} bytes", text.len());
    let made = make_text().expect("test vectors");
    assert!(text == made, "docs/oaken-vectors.json is old: cargo run -p kvforge-sim --example vectors");
}

#[test]
fn every_case_encodes_and_decodes_to_what_it_says() {
    let (_, vectors) = read();
    for case in &vectors.cases {
        let input = words(case.input.as_ref().expect("an input"));
        let record = encode(&input, case.dense_bits, &thresholds(case));
        assert_eq!(input.len(), case.n, "{}", case.name);
        assert_eq!(format!("{:016x}", record.header), case.header, "{}", case.name);
        assert_eq!(record.dense, bytes(&case.dense), "{}", case.name);
        assert_eq!(record.sparse, bytes(&case.sparse), "{}", case.name);
    }
    for case in vectors.cases.iter().chain(&vectors.decode_only) {
        let decoded = decode(&bytes(&case.dense), &bytes(&case.sparse), case.n, case.dense_bits, &thresholds(case));
        let expected = words(case.decoded.as_ref().expect("a result"));
        assert_eq!(decoded.as_ref(), Ok(&expected), "{}", case.name);
    }
}

#[test]
fn every_width_has_cases_of_each_kind() {
    let (_, vectors) = read();
    for dense_bits in DenseBits::ALL {
        for (cases, least) in [(&vectors.cases, 12), (&vectors.decode_only, 5), (&vectors.illegal, 4)] {
            assert!(cases.iter().filter(|case| case.dense_bits == dense_bits).count() >= least, "{dense_bits} bits");
        }
    }
}

#[test]
fn every_illegal_record_is_refused() {
    let (_, vectors) = read();
    assert!(vectors.illegal.len() >= 27);
    for case in &vectors.illegal {
        let decoded = decode(&bytes(&case.dense), &bytes(&case.sparse), case.n, case.dense_bits, &thresholds(case));
        assert!(decoded.is_err(), "{}", case.name);
    }
}
