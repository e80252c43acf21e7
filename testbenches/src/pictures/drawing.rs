//! Diagrams of designs, and the engines that are drawn.

use crate::diagram::{Diagram, Kind, Rect};
use hdl::Design;
use hw::oaken::EngineParams;

/// The engines as they are drawn: those of the configurations `oaken_*_p16`.
pub(super) const ENGINE: EngineParams = EngineParams { lanes: 16, max_length: 4096, dense_bits: 4, settings: 1 };

/// A diagram of a design: every box names a part or a section that the design has.
pub(super) struct Drawing<'a> {
    pub(super) diagram: Diagram,
    pub(super) parts: Vec<String>,
    sections: Vec<(String, &'a str)>,
}

impl<'a> Drawing<'a> {
    pub(super) fn new<P>(design: &'a Design<P>, width: u32, height: u32) -> Drawing<'a> {
        Drawing { diagram: Diagram::new(width, height), parts: design.parts(), sections: design.sections() }
    }

    /// A box for an instance or a memory; its last name is the heading. Panics if the design has no such part.
    pub(super) fn part(&mut self, r: Rect, kind: Kind, name: &str, lines: &[&str]) -> Rect {
        assert!(self.parts.iter().any(|p| p == name), "the design has no part `{name}`; it has {:?}", self.parts);
        self.diagram.block(r, kind, name.rsplit('.').next().unwrap_or(name), lines)
    }

    /// A box for equal instances `name_0` to `name_15`. Panics if they are not exactly that many.
    pub(super) fn parts(&mut self, r: Rect, kind: Kind, name: &str, count: u32, lines: &[&str]) -> Rect {
        let found = (0..=count).take_while(|i| self.parts.contains(&format!("{name}_{i}"))).count();
        assert_eq!(found, count as usize, "instances `{name}_...` of the design");
        let heading = name.rsplit('.').next().unwrap_or(name);
        self.diagram.block(r, kind, &format!("{heading}_0 \u{2026} {}", count - 1), lines)
    }

    /// A box for a section of an instance. Panics if the module has no section with this heading.
    pub(super) fn section(&mut self, r: Rect, (path, section): (&str, &str), heading: &str, lines: &[&str]) -> Rect {
        let there = self.sections.iter().any(|(p, s)| p == path && *s == section);
        assert!(there, "no section `{section}` in `{path}`; there are {:?}", self.sections);
        self.diagram.block(r, Kind::Logic, heading, lines)
    }
}
