//! Small pieces of Verilog text.

/// `[7:0] `, or nothing for one bit.
pub fn range(width: u32) -> String {
    if width == 1 { String::new() } else { format!("[{}:0] ", width - 1) }
}

/// `[11:8]`, or `[8]` for one bit.
pub fn bits(low: u32, width: u32) -> String {
    if width == 1 { format!("[{low}]") } else { format!("[{}:{low}]", low + width - 1) }
}

/// Does the text bind tighter than any operator: a name, a constant, a select, one `{...}`?
fn is_atom(s: &str) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '\'';
    match s.starts_with('{') {
        true => is_group(s),
        false => s.find(|c| !word(c)).is_none_or(|at| s[at..].starts_with('[') && is_group(&s[at..])),
    }
}

/// Does the bracket at the beginning close at the end?
fn is_group(s: &str) -> bool {
    let mut depth = 0;
    let closes = s.char_indices().find(|(_, c)| {
        depth += i32::from("{[".contains(*c)) - i32::from("}]".contains(*c));
        depth == 0
    });
    closes.is_some_and(|(i, _)| i + 1 == s.len())
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

/// The head before its statements: on the same line if that is all one line.
pub fn lead_all(head: &str, statements: Vec<Statement>) -> Statement {
    lead(head, statements.concat())
}

/// As [`lead_all`], where no `else` can follow: a block needs no other one around it.
pub fn label(head: &str, statements: Vec<Statement>) -> Statement {
    match &statements[..] {
        [one] if is_block(one) => [vec![format!("{head} {}", one[0])], one[1..].to_vec()].concat(),
        _ => lead_all(head, statements),
    }
}

/// The lines of one statement.
pub type Statement = Vec<String>;

/// `if (...) begin ... end` with nothing behind it?
pub fn is_block(statement: &[String]) -> bool {
    let inner = statement.len().saturating_sub(1);
    statement.first().is_some_and(|line| line.starts_with("if (") && line.ends_with(" begin"))
        && statement[1..inner.max(1)].iter().all(|line| line.starts_with(' '))
}
