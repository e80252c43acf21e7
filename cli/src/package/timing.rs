//! Timing constraints: the clocks, and what goes from clock to clock.

use super::sources::commented;
use hdl::{Design, constraints, vivado_constraints};
use std::fmt::Write;

/// What stands above the clocks.
const CLOCKS: &str = "\
# The clocks, in nanoseconds, of this module as the top. In a larger design leave these lines out: the clocks come from there.
";
const NO_CLOCK: &str = "# No clock: the outputs follow the inputs.\n";

/// `NAME.sdc`, which most tools read; and, where Vivado needs other lines, `NAME.xdc`.
pub fn files(name: &str, design: &Design<()>, periods: &[(String, f64)], header: &[String]) -> Vec<(String, String)> {
    let mut clocks = commented("# ", header) + if periods.is_empty() { NO_CLOCK } else { CLOCKS };
    for (clock, period) in periods {
        let _ = writeln!(clocks, "create_clock -name {clock} -period {period:.3} [get_ports {clock}]");
    }
    let sdc = constraints(design, &[]).map_or(clocks.clone(), |crossings| format!("{clocks}{crossings}"));
    let xdc = vivado_constraints(design, &[]).map(|crossings| format!("{clocks}{crossings}"));
    let file = |extension, text| (format!("{name}.{extension}"), text);
    [Some(file("sdc", sdc)), xdc.map(|xdc| file("xdc", xdc))].into_iter().flatten().collect()
}
