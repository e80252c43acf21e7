//! What Yosys' own format says of modules: their ports, and which modules have instances of them.

use hdl::engine::PortInfo;

/// The text of one module of a design, and where it stands.
struct Module<'t> {
    name: &'t str,
    lines: Vec<&'t str>,
}

/// A design as Yosys writes it.
pub(super) struct Design<'t> {
    modules: Vec<Module<'t>>,
}

impl<'t> Design<'t> {
    /// Takes the text apart.
    pub fn new(text: &'t str) -> Design<'t> {
        let mut modules: Vec<Module> = vec![];
        for line in text.lines() {
            match (line.strip_prefix("module \\"), modules.last_mut()) {
                (Some(name), _) => modules.push(Module { name, lines: vec![] }),
                (None, Some(module)) => module.lines.push(line.trim_start()),
                (None, None) => {}
            }
        }
        Design { modules }
    }

    /// The ports of a module: lines `wire width 16 input 6 \s_keep`, in which the width may be missing.
    pub fn ports(&self, module: &str) -> Vec<PortInfo> {
        let lines = self.modules.iter().filter(|m| m.name == module).flat_map(|m| &m.lines);
        let port = |line: &&str| {
            let words: Vec<&str> = line.strip_prefix("wire ")?.split_whitespace().collect();
            let after = |word: &str| words.iter().position(|w| *w == word).and_then(|at| words.get(at + 1));
            let (input, output) = (after("input"), after("output"));
            let width = after("width").and_then(|width| width.parse().ok()).unwrap_or(1);
            let name = words.last()?.strip_prefix('\\')?.to_string();
            (input.or(output)).map(|_| PortInfo::new(name, width, input.is_some()))
        };
        lines.filter_map(port).collect()
    }

    /// The modules that have instances of a module.
    pub fn parents(&self, module: &str) -> Vec<&'t str> {
        let cell = format!("cell \\{module} ");
        self.modules.iter().filter(|m| m.lines.iter().any(|line| line.starts_with(&cell))).map(|m| m.name).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_and_parents_are_read() {
        let text = "# made by Yosys\nmodule \\child\n  attribute \\src \"child.v:3\"\n  wire width 8 input 1 \\data\n  wire output 2 \\valid\n  \
            wire width 8 \\held\n  cell $add $1\n  end\nend\nmodule \\top\n  wire input 1 \\clk\n  cell \\child \\first\n  end\nend\n";
        let design = Design::new(text);
        let port = |name: &str, width, input| PortInfo::new(name, width, input);
        assert_eq!(design.ports("child"), [port("data", 8, true), port("valid", 1, false)]);
        assert_eq!((design.parents("child"), design.parents("top")), (vec!["top"], vec![]));
    }
}
