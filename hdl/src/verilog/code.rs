//! What a Verilog text says of the hardware, without what only tells where the lines of the source stand.

use rustc_hash::FxHashMap as HashMap;

/// The code of a Verilog text: its words, without comments; and what has no name in the source, and so is called after its line (`reg_l57`,
/// `l57_s2`), is numbered in the order in which it first appears.
///
/// A line that moves in a Rust file changes the text, and not this: figures that were measured of the text still hold while this is the
/// same.
pub fn verilog_code(text: &str) -> String {
    let mut numbers: HashMap<&str, usize> = HashMap::default();
    let mut code = String::new();
    for word in text.lines().flat_map(|line| without_comment(line).split_whitespace()) {
        for piece in pieces(word) {
            if is_called_after_a_line(piece) {
                let next = numbers.len();
                code += &format!("line#{}", numbers.entry(piece).or_insert(next));
            } else {
                code += piece;
            }
        }
        code.push(' ');
    }
    code
}

/// A line up to the comment at its end; two strokes in a string begin none.
fn without_comment(line: &str) -> &str {
    let mut quoted = false;
    let comment = line.char_indices().find(|(at, c)| {
        quoted ^= *c == '"';
        !quoted && line[*at..].starts_with("//")
    });
    comment.map_or(line, |(at, _)| &line[..at])
}

/// Names and numbers of a word, and what stands between them.
fn pieces(word: &str) -> impl Iterator<Item = &str> {
    let in_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut rest = word;
    std::iter::from_fn(move || {
        let name = rest.starts_with(in_name);
        let (piece, after) = rest.split_at(rest.find(|c| in_name(c) != name).unwrap_or(rest.len()));
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

/// Is it the name of something without a name in the source, or made of it: `l57_s2`, `reg_l57_1`, `memory_l57_q0`?
fn is_called_after_a_line(name: &str) -> bool {
    const KINDS: [&str; 7] = ["reg", "wire", "any", "memory", "assert", "assume", "cover"];
    let (first, after) = name.split_once('_').unwrap_or((name, ""));
    let line = if KINDS.contains(&first) { after.split('_').next().unwrap_or_default() } else { first };
    line.strip_prefix('l').is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|c| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::*;

    ports! {
        struct Words() {
            input a: Signal = bits(8),
            input b: Signal = bits(8),
            output y: Signal = bits(8),
        }
    }

    /// What has no name of its own: delays, a wire, a memory. All of it stands on the line that calls the macro.
    macro_rules! without_names {
        ($operator:tt) => {{
            let m = Module::new("without_names");
            let io = Words::new(m);
            let p = m.pipeline("words");
            let wire = m.wire(bits(8));
            wire.set(p.leave(p.enter(io.a $operator io.b).later(2)));
            let memory = m.memory(bits(8), 4);
            memory.write(io.a.trunc(2), io.b, m.lit(1u32, 1));
            let read: Signal = memory.read_sync(io.b.trunc(2));
            io.y.set(wire ^ read);
            verilog(&m.finish(io).unwrap_or_else(|e| panic!("{e}")), &Options::default()).single()
        }};
    }

    #[test]
    fn a_line_that_moves_changes_no_code_and_an_operator_does() {
        let here = without_names!(&);
        let there = without_names!(&);
        let other = without_names!(|);
        assert_ne!(here, there);
        assert!(["memory_l", "wire_l", "] l"].iter().all(|name| here.contains(name)), "{here}");
        assert_eq!(verilog_code(&here), verilog_code(&there));
        assert_ne!(verilog_code(&here), verilog_code(&other));
    }

    #[test]
    fn comments_and_names_of_lines_are_told_from_code() {
        let code = |text: &str| verilog_code(text);
        assert_eq!(code("  assign y = ~a; // neg.rs:4\n"), code("assign y  = ~a;  // neg.rs:90"));
        assert_eq!(code("reg [3:0] l57_s2; // neg.rs:57"), "reg [3:0] line#0; ");
        assert_eq!(code("y <= l57_s2 + reg_l9_1 + l57_s2;"), code("y <= l58_s2 + reg_l11_1 + l58_s2;"));
        // two registers instead of one twice
        assert_ne!(code("y <= l57_s2 + l57_s2;"), code("y <= l57_s2 + l58_s2;"));
        assert_ne!(code("y <= l57_s2 + a;"), code("y <= l57_s2 - a;"));
        // what is no comment, and names with another `l`
        assert_ne!(code("$display(\"a // b\", x);"), code("$display(\"a // b\", y);"));
        assert_eq!(code("tree_e5f10_x16_l16 l u_l5 level3;"), "tree_e5f10_x16_l16 l u_l5 level3; ");
    }
}
