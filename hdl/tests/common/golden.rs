//! Files with expected text, beside the tests. `BLESS=1` in the environment renews them.

use hdl::*;
use std::path::Path;

/// Compares with tests/FOLDER/NAME.
#[track_caller]
pub fn compare(folder: &str, name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder).join(name);
    if std::env::var_os("BLESS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
    }
    let want = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(want == text, "tests/{folder}/{name} has\n{want}\nbut this is\n{text}\nBLESS=1 renews the file");
}

/// Compares every printed module with its file, and the list of files.
#[track_caller]
pub fn prints<P: Ports>(folder: &str, design: &Design<P>, reset: Reset) {
    let header = vec!["Printed by a test of kvforge-hdl.".to_string()];
    let source = verilog(design, &Options { reset, header, ..Options::default() });
    assert_eq!(source.top(), design.name());
    let names: Vec<String> = source.files().map(|(name, _)| name).collect();
    compare("verilog", &format!("{folder}/files.txt"), &(names.join("\n") + "\n"));
    for (name, text) in source.files() {
        compare("verilog", &format!("{folder}/{name}"), &text);
    }
}

/// A message with the paths of source files cut to their last part, so that it does not depend on the machine.
pub fn stable(message: &str) -> String {
    let line = |line: &str| match line.split_once("--> ") {
        Some((start, path)) => {
            let at = path.find(".rs:").map_or(0, |end| path[..end].rfind(['/', '\\']).map_or(0, |slash| slash + 1));
            format!("{start}--> {}\n", &path[at..])
        }
        None => format!("{line}\n"),
    };
    message.lines().map(line).collect()
}

/// Printed Verilog without the places in the Rust source, which move.
#[allow(dead_code)]
pub fn without_places(text: &str) -> String {
    let line = |line: &str| match line.split_once("; // ") {
        Some((code, note)) if note.contains(".rs:") => format!("{code};\n"),
        _ => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}
