//! How a test names a port.

use super::PortInfo;
use crate::ir::{BLANK, Signal};

/// A port: the [`Signal`] of [`Design::ports`](crate::Design::ports), its name, or its index in [`Engine::ports`].
///
/// By name, what is looked at may also lie inside: a hierarchical name such as `u_mul.product`, on the built-in simulator.
///
/// [`Engine::ports`]: super::Engine::ports
#[derive(Clone, Copy, Debug)]
pub enum PortRef<'a> {
    /// Index in [`Engine::ports`](super::Engine::ports).
    Index(usize),
    /// A port of the design that runs.
    Signal(Signal),
    /// Its name in the Verilog.
    Name(&'a str),
}

impl From<usize> for PortRef<'_> {
    fn from(index: usize) -> Self {
        PortRef::Index(index)
    }
}

impl From<Signal> for PortRef<'_> {
    fn from(signal: Signal) -> Self {
        PortRef::Signal(signal)
    }
}

impl<'a> From<&'a str> for PortRef<'a> {
    fn from(name: &'a str) -> Self {
        PortRef::Name(name)
    }
}

impl<'a> From<&'a String> for PortRef<'a> {
    fn from(name: &'a String) -> Self {
        PortRef::Name(name)
    }
}

impl PortRef<'_> {
    /// Its index, or what is wrong, in words.
    pub(super) fn find(self, ports: &[PortInfo]) -> Result<usize, String> {
        let found = match self {
            PortRef::Index(index) => Some(index).filter(|index| *index < ports.len()),
            PortRef::Signal(s) => ports.iter().position(|p| p.signal.is_some_and(|p| (p.key, p.id) == (s.key, s.id))),
            PortRef::Name(name) => ports.iter().position(|p| p.name == name),
        };
        found.ok_or_else(|| format!("{}; {}", self.problem(ports), there_are(ports)))
    }

    /// Why there is no such port.
    fn problem(self, ports: &[PortInfo]) -> String {
        let own = ports.iter().find_map(|p| p.signal).map(|p| p.key);
        match self {
            PortRef::Index(index) => format!("there is no port {index}"),
            PortRef::Name(name) => format!("there is no port `{name}`"),
            PortRef::Signal(s) if s.key == BLANK => {
                format!("`bits({})` is a shape, not a port: take the port from `design.ports`", s.width)
            }
            PortRef::Signal(_) if own.is_none() => {
                "this engine was not made from a design of `hdl`: name the port, or give its index".into()
            }
            PortRef::Signal(s) if Some(s.key) == own => {
                format!("a signal of {} bits inside the module is no port: look at it by its name", s.width)
            }
            PortRef::Signal(s) => format!(
                "a signal of {} bits belongs to another module, or to another call of the function that made this one: \
                 take the port from `ports` of the very design that runs",
                s.width
            ),
        }
    }
}

/// The ports there are, at most 20 of them.
fn there_are(ports: &[PortInfo]) -> String {
    let names: Vec<String> = ports.iter().take(20).map(|p| format!("`{}`", p.name)).collect();
    match (names.len(), ports.len()) {
        (0, _) => "the design has no ports".into(),
        (shown, all) if shown < all => format!("the first of {all} ports are {}", names.join(", ")),
        _ => format!("the ports are {}", names.join(", ")),
    }
}
