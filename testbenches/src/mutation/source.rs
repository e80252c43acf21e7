//! From a line of Yosys' list to what a person wants to know.

use super::place::{Mutation, Place};

/// One line of the list, `mutate -ctrl mutation 8 1 -mode inv -module m -cell c -port A -portbit 3 ... -src m.v:64.69-64.80`.
pub(super) fn mutation(number: usize, line: &str, files: &[(String, String)]) -> Mutation {
    let words: Vec<&str> = line.split_whitespace().collect();
    let option = |name: &str| words.windows(2).find(|pair| pair[0] == name).map_or("", |pair| pair[1]);
    let mode = match option("-mode") {
        "inv" => "inverted".to_string(),
        "const0" => "stuck at 0".into(),
        "const1" => "stuck at 1".into(),
        "cnot0" => format!("inverted while bit {} of the pin is 0", option("-ctrlbit")),
        "cnot1" => format!("inverted while bit {} of the pin is 1", option("-ctrlbit")),
        other => other.to_string(),
    };
    let cell = option("-cell").trim_start_matches('\\');
    let kind = cell.strip_prefix('$').map_or(cell, |name| name.split('$').next().unwrap_or(name));
    let pin = format!("{}[{}]", option("-port").trim_start_matches('\\'), option("-portbit"));
    let module = option("-module").trim_start_matches('\\').to_string();
    let wire = Some(option("-wire").trim_start_matches('\\')).filter(|wire| !wire.is_empty());
    let wire = wire.map(|wire| format!(" ({wire})")).unwrap_or_default();
    let what = format!("{module}: pin {pin} of {kind}{wire} {mode}");
    // the narrowest source comes last
    let sources = words.windows(2).filter(|pair| pair[0] == "-src").map(|pair| pair[1]);
    let place = sources.filter_map(|source| place(source, files)).next_back();
    Mutation { number, module, command: line.to_string(), what, place }
}

/// `m.v:64.69-64.80`.
fn place(source: &str, files: &[(String, String)]) -> Option<Place> {
    let (file, position) = source.split_once(':')?;
    let line: usize = position.split('.').next()?.parse().ok()?;
    let (_, text) = files.iter().find(|(name, _)| name == file)?;
    let full = text.lines().nth(line - 1)?;
    let code = full.split("//").next().unwrap_or_default().trim().to_string();
    Some(Place { verilog: format!("{file}:{line}"), rust: rust(full).or_else(|| declared(&code, text)), text: code })
}

/// The Rust line, `packer.rs:64`, that a line of Verilog (from 1) comes from: by its comment, or by the declaration of the signal
/// that it assigns.
pub fn rust_place(text: &str, line: usize) -> Option<String> {
    let full = text.lines().nth(line.checked_sub(1)?)?;
    rust(full).or_else(|| declared(full.split("//").next().unwrap_or_default().trim(), text))
}

/// `packer.rs:64` of a line's comment.
fn rust(line: &str) -> Option<String> {
    let comment = line.split_once("//")?.1;
    let word = comment.split_whitespace().next_back()?;
    word.contains(".rs:").then(|| word.to_string())
}

/// The Rust line of the signal that a line of code assigns.
fn declared(code: &str, text: &str) -> Option<String> {
    let target = target(code)?;
    let declares = |line: &&str| {
        let code = without_attributes(line.split("//").next().unwrap_or_default());
        let code = code.split('=').next().unwrap_or_default().trim().trim_end_matches(';');
        ["reg ", "wire "].iter().any(|kind| code.starts_with(kind))
            && code.split_whitespace().any(|word| word == target)
    };
    rust(text.lines().filter(|line| line.contains(target)).find(declares)?)
}

/// The signal or memory that a line of code assigns: the name before the first `=` or `<=` outside of all brackets.
pub fn target(code: &str) -> Option<&str> {
    let mut depth = 0;
    let assigns = |c: char| {
        depth += i32::from("([{".contains(c)) - i32::from(")]}".contains(c));
        depth == 0 && c == '='
    };
    let code = code.split("//").next()?;
    let mut left = code[..code.find(assigns)?].trim_end_matches('<').trim_end();
    // the bits or the word that are assigned; an address may have brackets of its own
    while left.ends_with(']') {
        let mut depth = 0;
        let opens = |c: char| {
            depth += i32::from(c == ']') - i32::from(c == '[');
            depth == 0
        };
        left = left[..left.rfind(opens)?].trim_end();
    }
    left.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().filter(|name| !name.is_empty())
}

/// A declaration without the `(* ... *)` before it.
fn without_attributes(code: &str) -> &str {
    let mut code = code.trim_start();
    while let Some((_, rest)) = code.strip_prefix("(*").and_then(|code| code.split_once("*)")) {
        code = rest.trim_start();
    }
    code
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mutation_is_described_with_its_places() {
        let text = "module m ();\n    reg [3:0] fill; // packer.rs:96\n    wire [3:0] rest = a - 4'h1; // packer.rs:109\n    \
            always @(posedge clk) begin\n        if (x) fill <= rest;\n    end\nendmodule\n";
        let files = [("m.v".to_string(), text.to_string())];
        let line = "mutate -ctrl mutation 8 7 -mode cnot1 -module m -cell $sub$m.v:3$9 -port A -portbit 2 -ctrlbit 0 -src m.v:3.23-3.31";
        let described = mutation(7, line, &files);
        assert_eq!(described.what, "m: pin A[2] of sub inverted while bit 0 of the pin is 1");
        let place = described.place.unwrap();
        assert_eq!((&place.verilog[..], &place.text[..]), ("m.v:3", "wire [3:0] rest = a - 4'h1;"));
        assert_eq!(place.rust.as_deref(), Some("packer.rs:109"));
        let line = "mutate -ctrl mutation 8 1 -mode inv -module m -cell $procdff$3 -port Q -portbit 0 -wire fill -wirebit 0 -src m.v:2.5-2.9 -src m.v:5.16-5.20";
        let described = mutation(1, line, &files);
        assert_eq!((&described.module[..], &described.what[..]), ("m", "m: pin Q[0] of procdff (fill) inverted"));
        let place = described.place.unwrap();
        assert_eq!((&place.verilog[..], place.rust.as_deref()), ("m.v:5", Some("packer.rs:96")));
    }

    #[test]
    fn what_a_line_assigns_is_found() {
        for (line, name) in [
            ("    always @(posedge clk) if (a <= b) ram[{x[1], x[0]}][7:0] <= c;", Some("ram")),
            ("        6'h8, 6'h10: response <= (a == b) ? 2'h0 : 2'h2; // slave.rs:1", Some("response")),
            ("    assign y = a <= b;", Some("y")),
            ("        if (rst) begin", None),
            ("    // a = b", None),
        ] {
            assert_eq!(target(line), name, "{line}");
        }
        let text = "(* keep = \"true\" *) (* ASYNC_REG = \"TRUE\" *) reg stage; // clocks.rs:4\nstage <= s;\n";
        assert_eq!(rust_place(text, 2).as_deref(), Some("clocks.rs:4"));
    }
}
