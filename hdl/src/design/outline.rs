//! What a design is made of, by name: for documents about it.

use super::Design;
use crate::ir::Def;

impl<P> Design<P> {
    /// Hierarchical names of all instances and memories below this module, such as `core.exit.packer`.
    pub fn parts(&self) -> Vec<String> {
        let mut parts = vec![];
        visit(&self.def, "", &mut |path, def| {
            let names = def.insts.iter().map(|i| &i.name).chain(def.mems.iter().map(|m| &m.name));
            parts.extend(names.map(|name| format!("{path}{name}")));
        });
        parts
    }
    /// All headings given with [`Module::section`](crate::Module::section), each with the hierarchical name of the instance that
    /// it stands in, which is empty for this module itself.
    pub fn sections(&self) -> Vec<(String, &str)> {
        let mut sections = vec![];
        visit(&self.def, "", &mut |path, def| {
            let path = path.trim_end_matches('.');
            sections.extend(def.sections.iter().map(|(_, heading)| (path.to_string(), heading.as_str())));
        });
        sections
    }
}

/// Calls `f` for a module and all instances below it, with the prefix of the names in it.
fn visit<'a>(def: &'a Def, path: &str, f: &mut impl FnMut(&str, &'a Def)) {
    f(path, def);
    for inst in &def.insts {
        visit(&inst.def, &format!("{path}{}.", inst.name), f);
    }
}

#[cfg(test)]
mod tests {
    use crate::*;

    ports! {
        struct Ports8() {
            input a: Signal = bits(8),
            output y: Signal = bits(8),
        }
    }

    fn leaf() -> Result<Design<Ports8>, Errors> {
        let m = Module::new("leaf");
        let io = Ports8::new(m);
        m.section("the table");
        let table = m.memory(bits(8), 256);
        table.write(io.a, io.a, m.lit(1u32, 1));
        io.y.set(table.read(io.a));
        m.finish(io)
    }

    #[test]
    fn parts_and_sections_of_the_whole_hierarchy() {
        let m = Module::new("top");
        let io = Ports8::new(m);
        m.section("both leaves");
        let (left, right) = (m.instance(&leaf().unwrap()).named("left"), m.instance(&leaf().unwrap()).named("right"));
        left.a.set(io.a);
        right.a.set(left.y);
        io.y.set(right.y);
        let top = m.finish(io).unwrap();
        let parts = top.parts();
        // without `#[module]`, a memory is named after its line
        let memory = parts[2].strip_prefix("left.").unwrap();
        assert!(memory.starts_with("memory_l"), "{memory}");
        assert_eq!(parts, ["left", "right", &format!("left.{memory}"), &format!("right.{memory}")]);
        let sections = top.sections();
        let sections: Vec<(&str, &str)> = sections.iter().map(|(path, heading)| (path.as_str(), *heading)).collect();
        assert_eq!(sections, [("", "both leaves"), ("left", "the table"), ("right", "the table")]);
    }
}
