//! Timing constraints for the crossings between clocks, as SDC.

use crate::module::Design;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The constraints of a design in which signals go from clock to clock, as Synopsys Design Constraints; `None` if there are
/// none. `header` are comment lines at the top.
///
/// The clocks are those of the ports of the top module, under the names of those ports (which is what `create_clock`
/// without `-name` gives them). For each pair between which something crosses, the file says that they are unrelated, so
/// that no tool wants edges to meet that never do; the crossings stand beside it with their reasons.
pub fn constraints<P>(design: &Design<P>, header: &[String]) -> Option<String> {
    let mut pairs: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    for c in design.crossings() {
        let Some(from) = c.from.filter(|from| *from != c.to) else { continue };
        let pair = if from < c.to { (from.clone(), c.to.clone()) } else { (c.to.clone(), from.clone()) };
        let place = if c.instance.is_empty() { String::new() } else { format!("{}.", c.instance) };
        let line = format!("#   {from} to {}: {place}{} ({})", c.to, c.signal, c.reason);
        pairs.entry(pair).or_default().push(line);
    }
    if pairs.is_empty() {
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
    Some(text)
}
