//! The program at the other end of a board's line, with a board in simulation.

mod common;

use common::{Place, kvforge};

#[track_caller]
fn stdout(place: &Place, arguments: &str) -> String {
    let output = kvforge(place, arguments);
    assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_board_says_what_it_is() {
    let text = stdout(&Place::new(), "host --port sim info");
    let expected = "\
Oaken system 0.1.0, configuration 410d3e10
engines  4 elements a cycle, vectors of up to 1024, codes of 4 bits
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
