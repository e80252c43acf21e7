//! Errors as values: every mistake in a module is collected and returned by [`Module::finish`](crate::Module::finish).

use std::fmt;
use std::panic::Location;

/// A place in the user's source: file as the compiler names it, line and column from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// Path of the source file.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
}

impl From<&Location<'_>> for Span {
    fn from(at: &Location<'_>) -> Self {
        Span { file: at.file().to_string(), line: at.line(), column: at.column() }
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// One mistake. `{:?}` prints it as `{}` does, on lines of its own.
#[derive(Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// The module in which it was made; empty where that is not known.
    pub module: String,
    /// What is wrong, in one line.
    pub message: String,
    /// Where.
    pub span: Span,
    /// Other places that matter, each with what it is.
    pub notes: Vec<(Span, String)>,
    /// What to do about it.
    pub help: Option<String>,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "error: {}", self.message)?;
        match self.module.as_str() {
            "" => writeln!(f, "  --> {}", self.span)?,
            module => writeln!(f, "  --> {} (module `{module}`)", self.span)?,
        }
        for (span, text) in &self.notes {
            writeln!(f, "  note: {text}\n    --> {span}")?;
        }
        if let Some(help) = &self.help {
            writeln!(f, "  help: {help}")?;
        }
        Ok(())
    }
}

/// What `{}` prints, from a new line on: `unwrap` and `main` put it behind words of their own.
impl fmt::Debug for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n{self}")
    }
}

/// All mistakes of a module and of the modules that it uses, in the order in which they were made. `{:?}` prints them as `{}` does,
/// so that an `unwrap` in a test and a `main` that returns them show what the user is to read.
///
/// ```
/// # use hdl::*;
/// # ports! { struct P() { input a: Signal = bits(8), input b: Signal = bits(4), output y: Signal = bits(8) } }
/// #[module]
/// fn sum() -> Result<Design<P>, Errors> {
///     let m = Module::new("sum");
///     let io = P::new(m);
///     io.y.set(io.a + io.b); // 8 and 4 bits
///     m.finish(io)
/// }
///
/// let errors = sum().unwrap_err();
/// assert_eq!(errors.0[0].message, "the widths differ in `+`: `a` (8 bits) and `b` (4 bits)");
/// assert_eq!(errors.0[0].help.as_deref(), Some("widen with `zext` or `sext`, or cut with `trunc`"));
/// ```
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Errors(pub Vec<Diagnostic>);

impl fmt::Display for Errors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|d| write!(f, "{d}"))
    }
}

impl fmt::Debug for Errors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n{self}")
    }
}

impl std::error::Error for Errors {}

impl Errors {
    /// A single error at the caller's place: for parameters that are out of range.
    #[track_caller]
    pub fn parameter(module: &str, message: impl Into<String>, help: impl Into<String>) -> Errors {
        Errors::parameter_at(Location::caller(), module, message, help)
    }

    /// A single error at a place: for functions that check parameters, whose caller's place it is.
    pub fn parameter_at(
        place: &'static Location<'static>,
        module: &str,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Errors {
        Errors(vec![Diagnostic {
            module: module.to_string(),
            message: message.into(),
            span: place.into(),
            notes: vec![],
            help: Some(help.into()),
        }])
    }
}

impl From<Vec<Diagnostic>> for Errors {
    fn from(list: Vec<Diagnostic>) -> Self {
        Errors(list)
    }
}

/// So many of something, in words: `1 bit`, `8 bits`.
pub(crate) fn counted(count: impl std::fmt::Display, what: &str) -> String {
    let count = count.to_string();
    let plural = if count == "1" { "" } else { "s" };
    format!("{count} {what}{plural}")
}

/// These things in words, or `none`.
pub(crate) fn list(items: impl Iterator<Item = String>) -> String {
    let items: Vec<String> = items.collect();
    if items.is_empty() { "none".into() } else { items.join(", ") }
}
