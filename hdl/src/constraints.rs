//! Timing constraints for the crossings between clocks, as SDC.

use crate::module::Design;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The constraints of a design in which signals go from clock to clock, as Synopsys Design Constraints; `None` if there are
/// none. `header` are comment lines at the top.
///
/// The clocks are those of the ports of the top module, under the names of those ports (which is what `create_clock`
/// without `-name` gives them). For each pair between which something crosses, the file says that they are unrelated, so
/// that no tool wants edges to meet that never do; the crossings stand beside it with their reasons. An input that only
/// goes to other registers through declared crossings belongs to no clock: no path from it is timed.
pub fn constraints<P>(design: &Design<P>, header: &[String]) -> Option<String> {
    let mut pairs: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    let mut inputs: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for c in design.crossings() {
        let place = if c.instance.is_empty() { String::new() } else { format!("{}.", c.instance) };
        let line = |from: &str| format!("#   {from} to {}: {place}{} ({})", c.to, c.signal, c.reason);
        if let Some(port) = &c.port {
            inputs.entry(port.clone()).or_default().push(line(port));
        }
        let Some(from) = c.from.as_ref().filter(|from| **from != c.to) else { continue };
        let pair = if *from < c.to { (from.clone(), c.to.clone()) } else { (c.to.clone(), from.clone()) };
        pairs.entry(pair).or_default().push(line(from));
    }
    if pairs.is_empty() && inputs.is_empty() {
        return None;
    }
    let mut text: String = header.iter().map(|line| format!("# {line}\n")).collect();
    let _ =
        writeln!(text, "# Crossings between clocks of {}. The clocks have the names of their ports.", design.name());
    for ((one, other), lines) in pairs {
        text.push('\n');
        lines.iter().for_each(|line| text += &format!("{line}\n"));
        let _ = writeln!(text, "set_clock_groups -asynchronous -group [get_clocks {one}] -group [get_clocks {other}]");
    }
    let is_bus = |name: &str| design.port_table().any(|p| p.name == name && p.width > 1);
    for (port, lines) in inputs {
        text.push('\n');
        lines.iter().for_each(|line| text += &format!("{line}\n"));
        let ports = if is_bus(&port) { format!("{{{port}[*]}}") } else { port };
        let _ = writeln!(text, "set_false_path -from [get_ports {ports}]");
    }
    Some(text)
}
