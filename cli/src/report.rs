//! What goes wrong, and how it is told: as rustc does, with the place in the user's file.

use annotate_snippets::{AnnotationKind, Element, Group, Level, Renderer, Snippet};
use hdl::Diagnostic;
use std::fmt::Display;
use std::ops::Range;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

/// Why a command ends without its result.
#[derive(Debug)]
pub enum Failure {
    /// What the user gave is not usable.
    Input(Vec<Problem>),
    /// The description of a block is wrong, although its parameters are legal.
    Hardware(hdl::Errors),
    /// Anything else that should not happen.
    Internal(String),
    /// Nobody reads the output any more.
    OutputClosed,
}

/// A text that places point into.
#[derive(Clone, Debug)]
pub struct Text {
    /// The file as the user knows it; `None` for the command line.
    pub origin: Option<String>,
    /// All of it.
    pub text: Arc<str>,
}

/// A place in a text.
#[derive(Clone, Debug)]
pub struct Place {
    pub text: Text,
    pub span: Range<usize>,
}

/// One thing that is wrong with what the user gave.
#[derive(Clone, Debug, Default)]
pub struct Problem {
    title: String,
    /// The first is where it is wrong; the others matter for it. All are of one text.
    places: Vec<(Place, String)>,
    notes: Vec<String>,
    help: Vec<String>,
}

impl Problem {
    /// What is wrong, in one line.
    pub fn new(title: impl Display) -> Problem {
        Problem { title: title.to_string(), ..Problem::default() }
    }
    /// Where, and what stands there.
    pub fn at(mut self, place: &Place, label: impl Display) -> Problem {
        self.places.push((place.clone(), label.to_string()));
        self
    }
    /// What is legal, or why.
    pub fn note(mut self, note: impl Display) -> Problem {
        self.notes.push(note.to_string());
        self
    }
    /// What to do about it.
    pub fn help(mut self, help: impl Display) -> Problem {
        self.help.push(help.to_string());
        self
    }
    /// What is wrong, without the rest.
    pub fn title(&self) -> &str {
        &self.title
    }

    fn group(&self) -> Group<'_> {
        let mut elements: Vec<Element<'_>> = vec![];
        if let Some((first, _)) = self.places.first() {
            let mut snippet = Snippet::source(&*first.text.text).path(first.text.origin.as_deref());
            for (i, (place, label)) in self.places.iter().enumerate() {
                let kind = if i == 0 { AnnotationKind::Primary } else { AnnotationKind::Context };
                snippet = snippet.annotation(kind.span(place.span.clone()).label(label.as_str()));
            }
            elements.push(snippet.into());
        }
        elements.extend(self.notes.iter().map(|note| Level::NOTE.message(note).into()));
        elements.extend(self.help.iter().map(|help| Level::HELP.message(help).into()));
        Level::ERROR.primary_title(&*self.title).elements(elements)
    }
}

impl Failure {
    /// A single problem with what the user gave.
    pub fn input(problem: Problem) -> Failure {
        Failure::Input(vec![problem])
    }
    /// 2 for bad input, 1 for what should not happen.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            Failure::Input(_) => ExitCode::from(2),
            _ => ExitCode::from(1),
        }
    }
    /// Tells the user, on stderr.
    pub fn print(&self) {
        let texts: Vec<String> = match self {
            Failure::Input(problems) => problems.iter().map(|p| Renderer::styled().render(&[p.group()])).collect(),
            Failure::Hardware(errors) => errors.0.iter().map(hardware).collect(),
            Failure::Internal(text) => {
                vec![Renderer::styled().render(&[Group::with_title(Level::ERROR.primary_title(text))])]
            }
            Failure::OutputClosed => vec![],
        };
        anstream::eprintln!("{}", texts.join("\n\n"));
    }
}

/// A mistake in a description of hardware, with the lines of its source if they can be read here.
fn hardware(diagnostic: &Diagnostic) -> String {
    let place_of = |span: &hdl::Span| -> Option<Place> {
        let text = std::fs::read_to_string(&span.file).ok()?;
        let line_start: usize = text.split_inclusive('\n').take(span.line as usize - 1).map(str::len).sum();
        let start = line_start + span.column as usize - 1;
        let length = text.get(start..)?.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(1).max(1);
        let span = start..start + length;
        text.get(span.clone())?;
        Some(Place { text: Text { origin: Some("".into()), text: text.into() }, span })
    };
    let mut problem = Problem::new(&diagnostic.message);
    match place_of(&diagnostic.span) {
        Some(mut place) => {
            place.text.origin = Some(diagnostic.span.file.clone());
            problem = problem.at(&place, format!("in module `{}`", diagnostic.module));
        }
        None => problem = problem.note(format!("at {} in module `{}`", diagnostic.span, diagnostic.module)),
    }
    for (span, text) in &diagnostic.notes {
        problem = problem.note(format!("{text} ({span})"));
    }
    if let Some(help) = &diagnostic.help {
        problem = problem.help(help);
    }
    Renderer::styled().render(&[problem.group()])
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Failure {
        Failure::input(problem)
    }
}

/// Errors of writing to stdout; those of files become problems with the file's name.
impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Failure {
        match error.kind() {
            std::io::ErrorKind::BrokenPipe => Failure::OutputClosed,
            _ => Failure::Internal(format!("cannot write the output: {error}")),
        }
    }
}

/// A file or folder that the file system refuses.
pub fn file_problem(verb: &str, path: &Path, error: &std::io::Error) -> Problem {
    Problem::new(format!("cannot {verb} {}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::hardware;
    use hdl::{Diagnostic, Span};

    fn diagnostic(file: &str) -> Diagnostic {
        let span = |line, column| Span { file: file.to_string(), line, column };
        Diagnostic {
            module: "adder".into(),
            message: "`+` of 8 and 9 bits".into(),
            span: span(2, 15),
            notes: vec![(span(1, 5), "`a` comes from here".into())],
            help: Some("extend it with `zext`".into()),
        }
    }

    fn plain(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    #[test]
    fn mistakes_in_hardware_show_the_line_where_it_can_be_read() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "let a = m.reg(bits(8));\n    let sum = a + b;\n").unwrap();
        let path = file.path().display().to_string();
        let expected = "\
error: `+` of 8 and 9 bits
 --> FILE:2:15
  |
2 |     let sum = a + b;
  |               ^ in module `adder`
  |
  = note: `a` comes from here (FILE:1:5)
  = help: extend it with `zext`";
        assert_eq!(plain(&hardware(&diagnostic(&path))), expected.replace("FILE", &path));
    }

    #[test]
    fn mistakes_in_hardware_name_the_line_where_it_cannot_be_read() {
        let text = plain(&hardware(&diagnostic("no/such.rs")));
        assert!(text.contains("note: at no/such.rs:2:15 in module `adder`"), "{text}");
    }
}
