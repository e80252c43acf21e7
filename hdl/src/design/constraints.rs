//! Timing constraints for the crossings between clocks, as SDC.

use super::Design;
use super::crossings::Crossing;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The constraints of a design in which signals go from clock to clock, as Synopsys Design Constraints; `None` if there are
/// none. `header` are comment lines at the top.
///
/// The clocks are those of the ports of the top module, under the names of those ports (which is what `create_clock`
/// without `-name` gives them); those that come from inside must be given theirs. The crossings stand beside their constraints, with
/// their reasons. [`Module::clock_domain`](crate::Module::clock_domain) has an example.
///
/// - Between two clocks between which only single bits cross, nothing is timed (`set_clock_groups`), so that no tool wants edges
///   to meet that never do.
/// - Where several bits cross together, as a number in gray code does, two of its changes must not mix on the way: every path
///   between these clocks is bounded (`set_max_delay`, which a `set_clock_groups` would switch off), and not looked at for hold.
///   The bound is a variable of the file, 5 ns, right for clocks of up to 200 MHz.
/// - The same holds for an input that is [`asynchronous`](crate::Module::asynchronous), or that only crossings take up: it belongs to
///   no clock (`set_false_path` for a single bit).
pub fn constraints<P>(design: &Design<P>, header: &[String]) -> Option<String> {
    of_crossings(design, header, bounded)
}

/// The same for Vivado (XDC), where it is not the same: where several bits cross together. Vivado's `set_max_delay` takes the skew
/// between the clocks into account and checks for hold, unless it is `-datapath_only`, which other tools do not have. `None` where
/// Vivado can take [`constraints`].
pub fn vivado_constraints<P>(design: &Design<P>, header: &[String]) -> Option<String> {
    of_crossings(design, header, bounded_in_vivado).filter(|text| text.contains(BOUND))
}

fn of_crossings<P>(design: &Design<P>, header: &[String], bounded: fn(&str) -> String) -> Option<String> {
    let mut pairs: BTreeMap<(String, String), Group> = BTreeMap::new();
    let mut inputs: BTreeMap<String, Group> = BTreeMap::new();
    for c in design.crossings() {
        if let Some(port) = &c.port {
            inputs.entry(port.clone()).or_default().add(port, &c);
        }
        let Some(from) = c.from.as_ref().filter(|from| **from != c.to) else {
            continue;
        };
        let pair = if *from < c.to { (from.clone(), c.to.clone()) } else { (c.to.clone(), from.clone()) };
        pairs.entry(pair).or_default().add(from, &c);
    }
    if pairs.is_empty() && inputs.is_empty() {
        return None;
    }
    let mut text: String = header.iter().flat_map(|text| text.lines()).map(|line| format!("# {line}\n")).collect();
    let _ =
        writeln!(text, "# Crossings between clocks of {}. The clocks have the names of their ports.", design.name());
    let ports: Vec<&str> = design.clocks().map(|(clock, _)| clock).collect();
    let clocks: BTreeSet<&String> = pairs.keys().flat_map(|(one, other)| [one, other]).collect();
    for clock in clocks.into_iter().filter(|clock| !ports.contains(&clock.as_str())) {
        let _ = writeln!(text, "# {clock} comes from inside: it gets this name with `create_generated_clock -name`.");
    }
    if pairs.values().chain(inputs.values()).any(|group| group.together) {
        text += BOUND;
    }
    for ((one, other), group) in pairs {
        let (one, other) = (format!("[get_clocks {one}]"), format!("[get_clocks {other}]"));
        text += &group.lines;
        text += &match group.together {
            false => format!("set_clock_groups -asynchronous -group {one} -group {other}\n"),
            true => bounded(&format!("-from {one} -to {other}")) + &bounded(&format!("-from {other} -to {one}")),
        };
    }
    for (port, group) in inputs {
        let row = design.port_table().find(|p| p.name == port);
        let name = row.and_then(|p| p.pad).unwrap_or(&port);
        let ports = if row.is_some_and(|p| p.width > 1) { format!("{{{name}[*]}}") } else { name.to_string() };
        let path = format!("-from [get_ports {ports}]");
        text += &group.lines;
        text += &if group.together { bounded(&path) } else { format!("set_false_path {path}\n") };
    }
    Some(text)
}

/// What bounds the bits that cross together.
const BOUND: &str = "\
# Bits that cross together may differ by less than a period of the clock that they come from: no path between the clocks takes
# longer than this, in nanoseconds. 5.0 is right for up to 200 MHz.
set crossing_delay 5.0
";

/// A path whose delay is bounded.
fn bounded(path: &str) -> String {
    format!("set_max_delay $crossing_delay {path}\nset_false_path -hold {path}\n")
}

/// The same in Vivado, of which hold is a part.
fn bounded_in_vivado(path: &str) -> String {
    format!("set_max_delay -datapath_only {path} $crossing_delay\n")
}

/// Crossings that have one constraint.
#[derive(Default)]
struct Group {
    /// Comments.
    lines: String,
    /// Several bits of one of them belong together.
    together: bool,
}

impl Group {
    fn add(&mut self, from: &str, c: &Crossing) {
        let place = if c.instance.is_empty() { String::new() } else { format!("{}.", c.instance) };
        let bits = if c.width > 1 { format!(", {} bits", c.width) } else { String::new() };
        if self.lines.is_empty() {
            self.lines.push('\n');
        }
        let _ = writeln!(self.lines, "#   {from} to {}: {place}{}{bits} ({})", c.to, c.signal, c.reason);
        self.together |= c.width > 1;
    }
}
