//! `kvforge vq run` with good input, and the commands of docs/vq.md.

mod common;

use common::{Place, kvforge};
use serde_json::Value;
use snapbox::Data;
use std::path::Path;

#[track_caller]
fn stdout(place: &Place, arguments: &str) -> String {
    let output = kvforge(place, arguments);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments}: {stderr}");
    assert!(stderr.is_empty(), "{arguments}: {stderr}");
    String::from_utf8(output.stdout).unwrap()
}

/// Without how long it took.
fn timeless(text: &str) -> String {
    let line = |line: &str| match line.split_once(" numbers; ") {
        Some((before, _)) => format!("{before} numbers; 1.0 s in all\n"),
        None => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

#[test]
fn every_unit_says_what_it_did() {
    let place = Place::with_codebooks();
    let mut text = String::new();
    for arguments in [
        "vq run packed.vq --kv good.safetensors --queries queries.safetensors",
        "vq run packed.vq --unit scores --count 2",
        "vq run packed.vq --unit values --tokens 5 --kv good.safetensors",
        "vq run packed.vq --unit encoder --kv good.safetensors",
        "vq run weights.vq --queries vectors.safetensors --weights weights.safetensors",
        "vq run aqlm.vq --count 1 --weights weights.safetensors",
    ] {
        text += &format!("$ kvforge {arguments}\n{}\n", timeless(&stdout(&place, arguments)));
    }
    snapbox::assert_data_eq!(text, Data::read_from("tests/vq_run.txt".as_ref(), None).raw());
}

#[test]
fn a_run_as_json() {
    let place = Place::with_codebooks();
    let run: Value = serde_json::from_str(&stdout(&place, "vq run packed.vq --count 2 --seed 7 --json")).unwrap();
    assert_eq!((run["unit"].as_str(), run["seed"].as_u64(), run["rows"].as_u64()), (Some("head"), Some(7), Some(8)));
    assert_eq!(run["hardware"]["configuration"], "vq_attention_head_cq2");
    let row = &run["results"][0];
    assert_eq!((row["mismatches"].as_u64(), row["numbers"].as_u64()), (Some(0), Some(2 * 64)));
    // 16 books of eight entries, a word before each, for keys and for values; eight rows of two words, and a query of 16
    let words = ["books", "indices", "queries"].map(|kind| row["words"][kind].as_u64().unwrap());
    assert_eq!(words, [2 * 2 * 16 * 9, 2 * 2 * 16, 2 * 16]);
    assert!(row["original_db"].is_null() && row["float64_db"].as_f64().unwrap() > 40.0, "{row}");
}

/// The lines of docs/vq.md that a fresh clone can be given, in short forms.
#[test]
fn the_way_of_the_page_can_be_gone() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let page = std::fs::read_to_string(root.join("docs/vq.md")).unwrap();
    let blocks = page.split("## The whole way").nth(1).and_then(|rest| rest.split("\n## ").next()).unwrap();
    let lines: Vec<&str> =
        blocks.split("```").skip(1).step_by(2).flat_map(str::lines).filter(|l| !l.is_empty()).collect();
    assert!(lines.len() > 10, "{lines:?}");
    let place = Place::new();
    let data = place.path().join("data");
    std::fs::create_dir(&data).unwrap();
    for name in ["smollm2_profile", "smollm2_run", "smollm2_long", "smollm2_vq"].map(|n| format!("{n}.safetensors")) {
        std::fs::copy(root.join("data").join(&name), data.join(&name)).unwrap();
    }
    for line in lines {
        let (program, arguments) = line.split_once(' ').unwrap();
        match (program, arguments.split(' ').next(), arguments.split(' ').nth(1)) {
            ("kvforge", Some("vq"), Some("train")) => stdout(&place, &format!("{arguments} --iterations 2")),
            ("kvforge", Some("vq"), Some("run")) => {
                let text = stdout(&place, &format!("{arguments} --count 1"));
                assert!(text.contains("  0 mismatches in "), "{line}: {text}");
                text
            }
            ("kvforge", ..) => stdout(&place, arguments),
            // what synthesizes takes minutes: that the configurations are there
            ("cargo", Some("xtask"), Some("qor")) => {
                let names = arguments.split(' ').skip(2).filter(|word| !word.starts_with("--"));
                names.map(|name| stdout(&place, &format!("describe {name}"))).collect()
            }
            _ => panic!("{line}: neither kvforge nor cargo xtask qor"),
        };
    }
}
