//! The program at the other end of a board's line, with a board in simulation.

mod common;

use common::{Place, kvforge, stdout};
use sim::kvq::KvqFile;

#[test]
fn a_board_says_what_it_is() {
    let text = stdout(&Place::new(), "host --port sim info");
    let expected = "\
Oaken system 0.1.0, configuration ba00988e
engines  quantizer and dequantizer of 4 elements a cycle, vectors of up to 1024, codes of 4 bits
clock    72 MHz
line     16 cycles a bit, 4500000 bits a second
records  8192 bytes wait
";
    assert_eq!(text, expected);
}

#[test]
fn recorded_vectors_come_back_as_the_golden_model_has_them() {
    let text = stdout(&Place::new(), "host --port sim roundtrip good.safetensors --vectors 1");
    assert!(
        text.ends_with("0 frames dropped by the board, 0 requests sent again\nevery element is the golden model's\n"),
        "{text}"
    );
}

/// Quantized by one board and dequantized by another, it is what both engines make of it; by the model, too.
#[test]
fn records_go_from_one_board_to_another() {
    let place = Place::new();
    let both = "host --port sim";
    let quantizer = "host --port sim:oaken_system_quantizer_p1";
    let dequantizer = "host --port sim:oaken_system_dequantizer_p1";
    let text = stdout(&place, &format!("{both} quantize good.safetensors -o a.kvq"));
    assert!(text.starts_with("16 vectors of 2 tensors in "), "{text}");
    let text = stdout(&place, &format!("{quantizer} quantize good.safetensors -o b.kvq"));
    assert!(text.starts_with("the board has no dequantizer: the golden model dequantizes\n"), "{text}");
    let text = stdout(&place, &format!("{dequantizer} quantize good.safetensors -o c.kvq"));
    assert!(text.starts_with("the board has no quantizer: the golden model quantizes\n"), "{text}");
    let read = |name: &str| std::fs::read(place.path().join(name)).unwrap();
    assert!(read("a.kvq") == read("b.kvq") && read("a.kvq") == read("c.kvq"));
    for (board, out) in [(both, "a"), (dequantizer, "b"), (quantizer, "c")] {
        stdout(&place, &format!("{board} dequantize a.kvq -o {out}.safetensors"));
    }
    assert!(read("a.safetensors") == read("b.safetensors") && read("a.safetensors") == read("c.safetensors"));
    // and again: what comes out can be read as a recording, and a record of a record's vector is legal
    stdout(&place, &format!("{both} quantize a.safetensors -o d.kvq"));
}

#[test]
fn boards_pass_their_test_and_tell_their_rates() {
    let place = Place::new();
    let expected = [
        (
            "sim",
            "there and back  4 of 4 vectors right\nquantize        4 of 4 vectors right\ndequantize      4 of 4 vectors right\n",
        ),
        (
            "sim:oaken_system_quantizer_p1",
            "there and back  not there\nquantize        4 of 4 vectors right\ndequantize      not there\n",
        ),
        (
            "sim:oaken_system_dequantizer_p1",
            "there and back  not there\nquantize        not there\ndequantize      4 of 4 vectors right\n",
        ),
    ];
    for (port, paths) in expected {
        let text = stdout(&place, &format!("host --port {port} selftest"));
        assert_eq!(
            text,
            format!("{paths}line            0 frames dropped, 0 requests sent again\nerror flags     none\npassed\n")
        );
    }
    let text = stdout(&place, "host --port sim bench --vectors 1 --length 64");
    assert!(text.contains("there and back") && text.contains("bytes/s"), "{text}");
}

/// Through quantizer, pages and dequantizer, at the pins of the line and with a line of bytes.
#[test]
fn a_cache_gives_back_what_the_golden_model_has() {
    let place = Place::new();
    let info = "\
Oaken cache 0.1.0, configuration 5f5ba9cc
model    30 layers, 3 heads of 64 elements, 4 requests of up to 4096 tokens
engines  4 elements a cycle, codes of 4 bits, 64 settings
clock    75 MHz
line     16 cycles a bit, 4687500 bits a second
memory   8192 of 8192 pages of 4096 bytes are free
";
    assert_eq!(stdout(&place, "host --port sim:oaken_cache_p4 cache info"), info);
    for (line, tokens, elements) in [("", 1, 768), (",line=bytes", 4, 3072)] {
        let text = stdout(
            &place,
            &format!("host --port sim:oaken_cache_p4{line} cache roundtrip heads.safetensors --tokens {tokens}"),
        );
        let vectors = 4 * tokens;
        assert!(text.starts_with(&format!("{tokens} tokens, {vectors} vectors: appended in ")), "{text}");
        let end = format!(
            "memory   8192 of 8192 pages of 4096 bytes are free\nevery one of {elements} elements is the golden model's\n"
        );
        assert!(text.ends_with(&end), "{text}");
    }
}

/// A cut, a damaged and another file leave what was there, and are named.
#[test]
fn damaged_records_are_refused_and_nothing_is_written() {
    let place = Place::new();
    stdout(&place, "host --port sim quantize good.safetensors -o good.kvq");
    let good = std::fs::read(place.path().join("good.kvq")).unwrap();
    let mut flipped = good.clone();
    flipped[100] ^= 1;
    let mut twice = KvqFile::from_bytes(&good).unwrap();
    twice.tensors.push(twice.tensors[0].clone());
    std::fs::write(place.path().join("twice.kvq"), twice.to_bytes()).unwrap();
    std::fs::write(place.path().join("cut.kvq"), &good[..good.len() / 2]).unwrap();
    std::fs::write(place.path().join("flipped.kvq"), flipped).unwrap();
    std::fs::write(place.path().join("out.safetensors"), "old").unwrap();
    for (file, expected) in [
        ("cut.kvq", ": damaged or cut: the CRC-32 is "),
        ("flipped.kvq", ": damaged or cut: the CRC-32 is "),
        ("twice.kvq", ": layer 0 key is there twice: legal is once"),
        ("good.safetensors", "good.safetensors: byte 0: no .kvq file"),
        ("nowhere.kvq", "nowhere.kvq"),
    ] {
        let output = kvforge(&place, &format!("host --port sim dequantize {file} -o out.safetensors"));
        let error = String::from_utf8_lossy(&output.stderr).to_string();
        assert!(output.status.code() == Some(2) && error.contains(expected), "{error}");
    }
    assert_eq!(std::fs::read(place.path().join("out.safetensors")).unwrap(), b"old");
}
