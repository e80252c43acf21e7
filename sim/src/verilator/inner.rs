//! What a model has inside that a test asks for by name: counters of covers, values to be chosen, and memories.
//!
//! The printed Verilog makes these registers public. Verilator knows each by the hierarchical name of its instance, but not the
//! module: that, and the property of each counter, is read from the text, which is the printer's own.

use hdl::engine::{MemoryInfo, PortInfo};
use hdl::{Property, PropertyKind};
use std::collections::HashMap;

/// A signal that Verilator makes public.
pub(super) struct Public {
    /// Hierarchical, the top module first.
    pub scope: String,
    pub name: String,
    pub width: u32,
    /// May it be written?
    pub writable: bool,
    /// Words of a memory; 0 for a vector of bits.
    pub depth: u32,
}

/// Registers inside, each with its index in the binding.
#[derive(Default)]
pub(super) struct Inner {
    /// In the order of [`covers`](hdl::engine::Engine::covers).
    pub covers: Vec<Cover>,
    /// What a test may choose, with hierarchical names.
    pub free: Vec<PortInfo>,
    pub free_at: Vec<usize>,
    /// The memories that [`open_memories`] opened.
    pub memories: Vec<MemoryInfo>,
    pub memories_at: Vec<usize>,
}

/// Makes the memories of printed Verilog public, so that tests reach them with `memory`. Verilator optimises less then.
///
/// The text is the printer's own: a memory stands on a line of its own.
pub fn open_memories(verilog: &str) -> String {
    let mut text = String::with_capacity(verilog.len());
    for line in verilog.split_inclusive('\n') {
        match line.find("];").filter(|_| line.contains("reg ") && line.contains(" [0:")) {
            Some(end) => {
                let (declaration, rest) = line.split_at(end + 1);
                text.extend([declaration, " /*verilator public_flat_rw*/", rest]);
            }
            None => text.push_str(line),
        }
    }
    text
}

/// A cover of an instance.
pub(super) struct Cover {
    pub property: Property,
    pub instance: String,
    pub at: usize,
}

impl Inner {
    /// What there is of the public signals; `ports` stand before them in the binding.
    pub fn new(verilog: &str, top: &str, signals: &[Public], ports: usize) -> Inner {
        let (text, mut inner) = (Text::read(verilog), Inner::default());
        let mut covers = vec![];
        for (at, signal) in (ports..).zip(signals) {
            let instance = path(&signal.scope, top).to_string();
            let name = || if instance.is_empty() { String::new() } else { format!("{instance}.") } + &signal.name;
            if signal.depth > 0 {
                let (name, width, depth) = (name(), signal.width, signal.depth.into());
                inner.memories.push(MemoryInfo { name, width, depth });
                inner.memories_at.push(at);
            } else if signal.writable {
                inner.free.push(PortInfo::new(name(), signal.width, true));
                inner.free_at.push(at);
            } else if let Some((line, property)) = text.counter(top, &instance, &signal.name) {
                covers.push((line, Cover { property, instance, at }));
            }
        }
        covers.sort_by(|(a_line, a), (b_line, b)| (&a.instance, a_line).cmp(&(&b.instance, b_line)));
        inner.covers = covers.into_iter().map(|(_, cover)| cover).collect();
        inner
    }
}

/// The name of an instance below the top.
pub(super) fn path<'a>(scope: &'a str, top: &str) -> &'a str {
    let below = scope.strip_prefix(top).unwrap_or(scope);
    below.strip_prefix('.').unwrap_or(below)
}

/// The lines of the Verilog that matter here.
#[derive(Default)]
struct Text<'a> {
    /// Module and instance, and the module that the instance is of.
    instances: HashMap<(&'a str, &'a str), &'a str>,
    /// Module and counter, with the line of the counter.
    counters: HashMap<(&'a str, &'a str), (usize, Property)>,
}

impl<'a> Text<'a> {
    fn read(verilog: &'a str) -> Text<'a> {
        let (mut text, mut module) = (Text::default(), "");
        for (number, line) in verilog.lines().enumerate() {
            let words: Vec<&str> = line.split_whitespace().take(4).collect();
            match words[..] {
                ["module", name, "("] => module = name,
                [of, name, "("] => _ = text.instances.insert((module, name), of),
                ["reg", _, name, "/*verilator"] => {
                    let cover = Property::find(line).filter(|p| p.kind == PropertyKind::Cover);
                    text.counters.extend(cover.map(|cover| ((module, name), (number, cover))));
                }
                _ => {}
            }
        }
        text
    }

    fn counter(&self, top: &str, instance: &str, name: &str) -> Option<(usize, Property)> {
        let mut names = instance.split('.').filter(|name| !name.is_empty());
        let module = names.try_fold(top, |module, name| self.instances.get(&(module, name)).copied())?;
        self.counters.get(&(module, name)).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "
module part (
    input  wire clk
);
    reg [3:0] tag /*verilator public_flat_rw*/; // part.rs:2
    reg [63:0] _cover1 /*verilator public_flat_rd*/; // property: cover \"first\" at part.rs:3:7
    reg [63:0] _cover10 /*verilator public_flat_rd*/; // property: cover \"last\" at part.rs:4:7
        if (a) _cover1 <= _cover1 + 64'h1; // property: cover \"first\" at part.rs:3:7
endmodule
module top (
    input  wire clk
);
    reg [63:0] _cover1 /*verilator public_flat_rd*/; // property: cover \"of the top\" at top.rs:3:7
    part left (
        .clk(clk)
    );
    part right (
        .clk(clk)
    );
endmodule";

    #[test]
    fn counters_are_told_apart_by_instance_and_values_are_named_by_it() {
        let public = |scope: &str, name: &str, width, writable| Public {
            scope: scope.into(),
            name: name.into(),
            width,
            writable,
            depth: 0,
        };
        let mut signals = vec![public("top", "_cover1", 64, false)];
        for scope in ["top.right", "top.left"] {
            signals.extend(["_cover10", "_cover1", "other"].map(|name| public(scope, name, 64, false)));
            signals.push(public(scope, "tag", 4, true));
        }
        let inner = Inner::new(TEXT, "top", &signals, 0);
        let covers: Vec<_> = inner.covers.iter().map(|c| (&c.instance[..], &c.property.message[..], c.at)).collect();
        let expected = [
            ("", "of the top", 0),
            ("left", "first", 6),
            ("left", "last", 5),
            ("right", "first", 2),
            ("right", "last", 1),
        ];
        assert_eq!(covers, expected);
        let free: Vec<_> = inner.free.iter().zip(inner.free_at).map(|(f, at)| (&f.name[..], f.width, at)).collect();
        assert_eq!(free, [("right.tag", 4, 4), ("left.tag", 4, 8)]);
    }

    #[test]
    fn memories_are_opened_and_nothing_else() {
        let text =
            "    reg [7:0] ring [0:3]; // a.rs:1\n    (* ram_style = \"block\" *) reg flags [0:7];\n    reg [7:0] a;\n";
        let open = text.replace("[0:3]", "[0:3] /*verilator public_flat_rw*/");
        let open = open.replace("[0:7]", "[0:7] /*verilator public_flat_rw*/");
        assert_eq!(open_memories(text), open);
        let memory = Public { scope: "top.u".into(), name: "ring".into(), width: 8, writable: true, depth: 4 };
        let inner = Inner::new("", "top", &[memory], 3);
        assert_eq!(inner.memories, [MemoryInfo { name: "u.ring".into(), width: 8, depth: 4 }]);
        assert_eq!((inner.memories_at, inner.free.len()), (vec![3], 0));
    }
}
