//! Who asked for a module that is not right: where a module of a library is refused, its user looks for a line of their own.

use crate::ir::{Errors, Loc};
use std::path::{Path, PathBuf};

/// What stands at the place from which a module of another package was asked for.
const ASKED: &str = "it was asked for here";

/// The module of a function in `file`. Where it is not right, and was asked for by another package, its mistakes name that place, too.
#[doc(hidden)]
pub fn asked_for<T>(file: &str, by: Loc, module: impl FnOnce() -> Result<T, Errors>) -> Result<T, Errors> {
    module().map_err(|errors| if package(file) == package(by.file()) { errors } else { noted(errors, by) })
}

fn noted(mut errors: Errors, by: Loc) -> Errors {
    for mistake in &mut errors.0 {
        // the user of a user needs the line that is nearest to the mistake, and then their own
        let asked = mistake.notes.iter().rfind(|(_, text)| text == ASKED);
        let last = asked.map_or(&mistake.span, |(place, _)| place);
        if package(&last.file) != package(by.file()) {
            mistake.notes.push((by.into(), ASKED.to_string()));
        }
    }
    errors
}

/// The folder of the package that a source file is of, as the compiler names files: what lies before `src`, or before `tests`,
/// `examples` or `benches`.
fn package(file: &str) -> PathBuf {
    let parts: Vec<_> = Path::new(file).components().collect();
    let last = |names: &[&str]| parts.iter().rposition(|part| names.iter().any(|name| part.as_os_str() == *name));
    let end = last(&["src"]).or_else(|| last(&["tests", "examples", "benches"]));
    parts[..end.unwrap_or(0)].iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Span;
    use std::panic::Location;

    #[test]
    fn a_package_is_what_lies_before_its_sources() {
        let [hw, sim] = ["hw/src/oaken/mmu/tests/rates.rs", "sim/tests/own_design.rs"].map(package);
        assert_eq!(hw, Path::new("hw"));
        assert_eq!(sim, Path::new("sim"));
        assert_eq!(package("/home/a/src/kvforge/hw/src/lib.rs"), Path::new("/home/a/src/kvforge/hw"));
        assert_eq!(package("src/main.rs"), package("tests/whole.rs"));
    }

    /// Of a chain of packages the note nearest to the mistake stays, and each crossing adds one.
    #[test]
    fn each_package_on_the_way_is_named_once() {
        let by = Location::caller();
        let span = |file: &str| Span { file: file.into(), line: 1, column: 1 };
        let mut mistake = Errors::parameter("part", "n = 0", "1").0.remove(0);
        mistake.span = span("/lib/src/a.rs");
        mistake.notes = vec![(span("/mid/src/b.rs"), ASKED.to_string())];
        let once = noted(Errors(vec![mistake]), by);
        let twice = noted(once.clone(), by);
        let files: Vec<&str> = twice.0[0].notes.iter().map(|(place, _)| place.file.as_str()).collect();
        assert_eq!(files, ["/mid/src/b.rs", by.file()], "asked for twice in one package, and told once");
    }
}
