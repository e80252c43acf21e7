//! Verilog text as tokens: comments, attributes and harmless compiler directives are gone.

/// What cannot be read, and where: line and column from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    pub line: u32,
    pub column: u32,
    /// A sentence without its full stop.
    pub why: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A name or keyword.
    Word,
    /// A name that begins with a backslash.
    Escaped,
    /// `$name`.
    System,
    Number,
    Text,
    Symbol,
    /// Behind the last token.
    End,
}

/// A token: a part of the text, without spaces in it (but those of a string).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    pub kind: Kind,
    pub text: &'a str,
    pub line: u32,
    pub column: u32,
}

impl Token<'_> {
    pub fn is(&self, text: &str) -> bool {
        self.text == text && matches!(self.kind, Kind::Word | Kind::Symbol)
    }
    pub fn unreadable(&self, why: impl Into<String>) -> Unreadable {
        Unreadable { line: self.line, column: self.column, why: why.into() }
    }
    /// For messages.
    pub fn shown(&self) -> String {
        if self.kind == Kind::End { "the end of the text".into() } else { format!("`{}`", self.text) }
    }
}

/// Symbols of several characters, the longest first.
const LONG_SYMBOLS: [&str; 20] = [
    "<<<", ">>>", "===", "!==", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "**", "~&", "~|", "~^", "^~", "+:",
    "-:", "->",
];

/// Directives that change neither which text counts nor what a port is; they end with their line.
const HARMLESS: [&str; 6] = ["timescale", "default_nettype", "celldefine", "endcelldefine", "resetall", "line"];

struct Scanner<'a> {
    text: &'a str,
    /// In bytes.
    at: usize,
    line: u32,
    /// Where the line begins.
    start: usize,
    /// The last directive `timescale`, with its line.
    timescale: Option<&'a str>,
}

/// All tokens of a text; the last one is [`Kind::End`].
pub fn tokens(text: &str) -> Result<Vec<Token<'_>>, Unreadable> {
    Scanner::new(text).all()
}

/// The directive `timescale` of a text, the last one; `None` if it has none or cannot be read.
pub fn timescale(text: &str) -> Option<&str> {
    let mut scanner = Scanner::new(text);
    scanner.all().ok()?;
    scanner.timescale
}

impl<'a> Scanner<'a> {
    fn new(text: &'a str) -> Scanner<'a> {
        Scanner { text, at: 0, line: 1, start: 0, timescale: None }
    }
    fn all(&mut self) -> Result<Vec<Token<'a>>, Unreadable> {
        let mut tokens = vec![];
        loop {
            self.skip()?;
            let token = self.token()?;
            tokens.push(token);
            if token.kind == Kind::End {
                return Ok(tokens);
            }
        }
    }
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }
    fn here(&self, kind: Kind, text: &'a str) -> Token<'a> {
        Token { kind, text, line: self.line, column: (self.text[self.start..self.at].chars().count() + 1) as u32 }
    }
    /// Goes `bytes` on and counts lines.
    fn advance(&mut self, bytes: usize) {
        let passed = &self.rest()[..bytes];
        if let Some(last) = passed.rfind('\n') {
            self.line += passed.matches('\n').count() as u32;
            self.start = self.at + last + 1;
        }
        self.at += bytes;
    }
    /// To behind the next `end`.
    fn skip_to(&mut self, end: &str, what: &str) -> Result<(), Unreadable> {
        match self.rest().find(end) {
            Some(found) => {
                self.advance(found + end.len());
                Ok(())
            }
            None => Err(self.here(Kind::Symbol, "").unreadable(format!("{what} does not end"))),
        }
    }
    /// Goes over everything that is no token.
    fn skip(&mut self) -> Result<(), Unreadable> {
        loop {
            let rest = self.rest();
            if rest.starts_with(char::is_whitespace) {
                self.advance(rest.len() - rest.trim_start().len());
            } else if rest.starts_with("//") {
                self.advance(rest.find('\n').unwrap_or(rest.len()));
            } else if rest.starts_with("/*") {
                self.skip_to("*/", "a comment")?;
            } else if rest.starts_with("(*") && !rest[2..].trim_start().starts_with(')') {
                // `(*)` is a list of events, all other `(*` begin an attribute
                self.skip_to("*)", "an attribute")?;
            } else if let Some(directive) = rest.strip_prefix('`') {
                self.directive(word(directive))?;
            } else {
                return Ok(());
            }
        }
    }
    fn directive(&mut self, name: &'a str) -> Result<(), Unreadable> {
        if HARMLESS.contains(&name) {
            let line = &self.rest()[..self.rest().find('\n').unwrap_or(self.rest().len())];
            if name == "timescale" {
                self.timescale = Some(line.split("//").next().unwrap_or(line).trim());
            }
            self.advance(line.len());
            return Ok(());
        }
        Err(self.here(Kind::Symbol, "").unreadable(format!("the directive `` `{name} `` is for a preprocessor")))
    }
    fn token(&mut self) -> Result<Token<'a>, Unreadable> {
        let rest = self.rest();
        let Some(first) = rest.chars().next() else { return Ok(self.here(Kind::End, "")) };
        let (kind, length) = match first {
            'a'..='z' | 'A'..='Z' | '_' => (Kind::Word, word(rest).len()),
            '\\' => (Kind::Escaped, rest.find(char::is_whitespace).unwrap_or(rest.len())),
            '$' => (Kind::System, 1 + word(&rest[1..]).len()),
            '0'..='9' | '\'' => (Kind::Number, number(rest)),
            '"' => match string(rest) {
                Some(length) => (Kind::Text, length),
                None => return Err(self.here(Kind::Text, "").unreadable("a string does not end in its line")),
            },
            _ => match LONG_SYMBOLS.iter().find(|s| rest.starts_with(**s)) {
                Some(symbol) => (Kind::Symbol, symbol.len()),
                None => (Kind::Symbol, first.len_utf8()),
            },
        };
        let token = self.here(kind, &rest[..length]);
        self.advance(length);
        Ok(token)
    }
}

/// The name that the text begins with; empty if it begins otherwise.
fn word(text: &str) -> &str {
    let part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    &text[..text.find(|c| !part(c)).unwrap_or(text.len())]
}

/// Length of a number, such as `12`, `1.5e3`, `8'hff` and `8 'h ff`; of anything else that begins with an apostrophe, 1.
fn number(text: &str) -> usize {
    let digits = |from: usize, more: fn(char) -> bool| {
        text[from..].find(|c: char| !(c.is_ascii_digit() || c == '_' || more(c))).map_or(text.len(), |n| from + n)
    };
    let spaces = |from: usize| text.len() - text[from..].trim_start().len();
    let end = digits(0, |c| c == '.');
    if text[end..].starts_with(['e', 'E']) && end > 0 {
        let sign = usize::from(text[end + 1..].starts_with(['+', '-']));
        return digits(end + 1 + sign, |_| false);
    }
    let Some(base) = text[spaces(end)..].strip_prefix('\'') else { return end };
    let at = spaces(end) + 1;
    let signed = usize::from(base.starts_with(['s', 'S']));
    if !base[signed..].starts_with(['b', 'B', 'o', 'O', 'd', 'D', 'h', 'H']) {
        return end.max(1);
    }
    digits(spaces(at + signed + 1), |c| c.is_ascii_hexdigit() || matches!(c, 'x' | 'X' | 'z' | 'Z' | '?'))
}

/// Length of a string with its quotes.
fn string(text: &str) -> Option<usize> {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '\n' => return None,
            '"' if !escaped => return Some(at + 1),
            _ => escaped = c == '\\' && !escaped,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn texts(text: &str) -> Vec<&str> {
        let tokens = tokens(text).unwrap();
        tokens[..tokens.len() - 1].iter().map(|t| t.text).collect()
    }

    #[test]
    fn what_is_no_token_is_skipped() {
        assert_eq!(texts("a /* b\n c */ d // e\n(* f = \"(*\" *) g `timescale 1ns/1ps\nh"), ["a", "d", "g", "h"]);
        assert_eq!(
            texts("always @(*) x; @( * ) @(* )"),
            "always @ ( * ) x ; @ ( * ) @ ( * )".split(' ').collect::<Vec<_>>()
        );
    }

    #[test]
    fn words_numbers_and_symbols() {
        assert_eq!(texts("a$b \\x+y z"), ["a$b", "\\x+y", "z"]);
        assert_eq!(
            texts("1_2 8'hfF 8 'd 12 'b1x 4'sb01 1.5e-3 7:0"),
            ["1_2", "8'hfF", "8 'd 12", "'b1x", "4'sb01", "1.5e-3", "7", ":", "0"]
        );
        assert_eq!(texts("a<<<b<=c**$clog2(d)"), ["a", "<<<", "b", "<=", "c", "**", "$clog2", "(", "d", ")"]);
        assert_eq!(texts(r#""a\"b" "c""#), [r#""a\"b""#, "\"c\""]);
    }

    #[test]
    fn places_are_counted() {
        let all = tokens("a\n  /* \n */ bc\n").unwrap();
        assert_eq!((all[1].text, all[1].line, all[1].column), ("bc", 3, 5));
        assert_eq!(all[2].kind, Kind::End);
    }

    #[test]
    fn what_does_not_end() {
        let why = |text| tokens(text).unwrap_err().why;
        assert_eq!(why("/* a"), "a comment does not end");
        assert_eq!(why("(* a"), "an attribute does not end");
        assert_eq!(why("\"a\n\""), "a string does not end in its line");
        assert_eq!(why("`ifdef X"), "the directive `` `ifdef `` is for a preprocessor");
        assert_eq!(why("`WIDTH"), "the directive `` `WIDTH `` is for a preprocessor");
    }
}
