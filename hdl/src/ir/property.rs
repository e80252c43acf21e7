//! Properties: what is stated about a design.

use super::diagnostic::Span;
use super::node::{Id, Loc};
use std::fmt;

/// What a property says about its condition.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PropertyKind {
    /// It always holds.
    Assert,
    /// It always holds because what surrounds the module keeps to it.
    Assume,
    /// It holds at some time.
    Cover,
}

/// A property of a design.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Property {
    /// What it says about its condition.
    pub kind: PropertyKind,
    /// The user's words.
    pub message: String,
    /// Where the user wrote it.
    pub span: Span,
}

/// An assert or assume that did not hold in simulation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// Which one.
    pub property: Property,
    /// Hierarchical name of the instance that it stands in; empty for the top.
    pub instance: String,
    /// Clock edges before the one at which it failed.
    pub cycle: u64,
}

impl fmt::Display for PropertyKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PropertyKind::Assert => "assert",
            PropertyKind::Assume => "assume",
            PropertyKind::Cover => "cover",
        })
    }
}

/// `assert "no word is lost" at src/fifo.rs:61:5`; [`Property::find`] reads it.
impl fmt::Display for Property {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} \"{}\" at {}", self.kind, self.message, self.span)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cycle {}: failed {}", self.cycle, self.property)?;
        if self.instance.is_empty() { Ok(()) } else { write!(f, " in {}", self.instance) }
    }
}

impl Property {
    /// The property that a line of printed Verilog belongs to: tools report a failure with the line.
    pub fn find(line: &str) -> Option<Property> {
        let (_, text) = line.split_once("// property: ")?;
        let (kind, rest) = text.split_once(" \"")?;
        let (message, place) = rest.rsplit_once("\" at ")?;
        let mut place = place.trim_end().rsplitn(3, ':');
        let (column, line) = (place.next()?.parse().ok()?, place.next()?.parse().ok()?);
        let kinds = [PropertyKind::Assert, PropertyKind::Assume, PropertyKind::Cover];
        let kind = kinds.into_iter().find(|k| k.to_string() == kind)?;
        Some(Property { kind, message: message.into(), span: Span { file: place.next()?.into(), line, column } })
    }
}

/// A property: `cond` is looked at at the clock edge, unless the domain is in reset.
#[derive(Clone, Debug)]
pub(crate) struct Prop {
    pub kind: PropertyKind,
    pub cond: Id,
    /// Index into `domains`.
    pub domain: u32,
    pub message: String,
    pub loc: Loc,
}

impl Prop {
    /// For the user.
    pub fn public(&self) -> Property {
        Property { kind: self.kind, message: self.message.clone(), span: self.loc.into() }
    }
}
