//! `kvforge lad` with good input.

mod common;

use common::{Place, kvforge};
use serde_json::Value;
use snapbox::Data;

#[track_caller]
fn stdout(place: &Place, arguments: &str) -> String {
    let output = kvforge(place, arguments);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments}: {stderr}");
    assert!(stderr.is_empty(), "{arguments}: {stderr}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn tables_of_all_setups() {
    let place = Place::new();
    let arguments =
        "lad queries.safetensors --head 16 --thresholds 1,0.9 --intervals 8,5 --periods 1,4 --out figures.md";
    let text = format!("$ kvforge {arguments}\n{}", stdout(&place, arguments));
    snapbox::assert_data_eq!(text, Data::read_from("tests/lad.txt".as_ref(), None).raw());
    let page = place.read("figures.md");
    assert!(page.starts_with("# Figures of LAD attention\n"), "{page}");
    // the rows of the terminal's tables
    assert_eq!(
        page.lines().filter(|line| line.starts_with("| 1 | 8 | ") || line.starts_with("| 0.9 | 8 | ")).count(),
        12
    );
}

#[test]
fn lad_as_json() {
    let place = Place::new();
    let arguments = "lad queries.safetensors --tokens 36 --thresholds 0.9 --intervals 8 --periods 1 --json";
    let json: Value = serde_json::from_str(&stdout(&place, arguments)).unwrap();
    assert_eq!((json["tokens"].as_u64(), json["group"].as_u64(), json["head"].as_u64()), (Some(36), Some(2), Some(64)));
    let setup = &json["setups"][0];
    assert_eq!((setup["setup"]["threshold"].as_f64(), setup["steps"].as_u64()), (Some(0.9), Some(72)));
    let at = &setup["lengths"][0];
    // four steps, of two query heads
    assert_eq!((at["length"].as_u64(), at["steps"].as_u64()), (Some(36), Some(8)));
    assert_eq!(at["grouped"]["plain"].as_u64(), Some(256 * (33 + 34 + 35 + 36)));
    assert_eq!(at["single"]["traffic"]["new"].as_u64(), Some(8 * 260));
    assert_eq!(json["break_even"].as_array().map(Vec::len), Some(40));
}
