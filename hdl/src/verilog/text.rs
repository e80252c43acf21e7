//! Small pieces of Verilog text.

/// `[7:0] `, or nothing for one bit.
pub fn range(width: u32) -> String {
    if width == 1 { String::new() } else { format!("[{}:0] ", width - 1) }
}

/// Does the text bind tighter than any operator: a name, a constant, a select, one `{...}`?
fn is_atom(s: &str) -> bool {
    let mut depth = 0;
    let closes = s.char_indices().find(|(_, c)| {
        depth += i32::from(*c == '{') - i32::from(*c == '}');
        depth == 0
    });
    match s.starts_with('{') {
        true => closes.is_some_and(|(i, _)| i + 1 == s.len()),
        false => s.chars().all(|c| c.is_ascii_alphanumeric() || "_'[]:".contains(c)),
    }
}

pub fn paren(s: &str) -> String {
    if is_atom(s) { s.to_string() } else { format!("({s})") }
}

pub fn indent(lines: impl IntoIterator<Item = String>) -> impl Iterator<Item = String> {
    lines.into_iter().map(|l| format!("    {l}"))
}

/// `head begin ... end`.
pub fn begin(head: &str, lines: Vec<String>) -> Vec<String> {
    [format!("{head} begin")].into_iter().chain(indent(lines)).chain(["end".to_string()]).collect()
}

/// The head before its lines: on the same line if there is just one.
pub fn lead(head: &str, lines: Vec<String>) -> Vec<String> {
    match &lines[..] {
        [one] => vec![format!("{head} {one}")],
        _ => begin(head, lines),
    }
}

/// Words at the start of a comment by which tools take it for an order, such as to leave out what follows.
const ORDERS: [&str; 7] = ["verilator", "synopsys", "synthesis", "pragma", "cadence", "ambit", "exemplar"];

/// A text as comments, one for each of its lines.
pub fn comment_lines(text: &str) -> Vec<String> {
    let broken = text.replace("\r\n", "\n").replace(['\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}'], "\n");
    broken.lines().map(|line| format!("// {}", comment(line)).trim_end().to_string()).collect()
}

/// A text as what stands behind `//` on one line.
pub fn comment(text: &str) -> String {
    let line: String =
        text.chars().map(|c| if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') { ' ' } else { c }).collect();
    let word: String = line.trim_start().chars().take_while(char::is_ascii_alphabetic).collect();
    let order = ORDERS.contains(&word.to_ascii_lowercase().as_str());
    // some take a backslash at the end of the line for a line that goes on
    let end = if line.trim_end().ends_with('\\') { "." } else { "" };
    format!("{}{}{end}", if order { "- " } else { "" }, if end.is_empty() { &line } else { line.trim_end() })
}

/// `(* name = "value" *) `, as it stands before a declaration.
pub fn attribute(name: &str, value: &str) -> String {
    if value.is_empty() { format!("(* {name} *) ") } else { format!("(* {name} = \"{value}\" *) ") }
}
