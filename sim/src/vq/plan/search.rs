//! The choice, from the slack: of all machines that fit, the fastest.

use super::cost::{Cost, cost};
use super::machine::{Machine, machines};
use super::task::{Attention, Free, PlanError, Task};

/// What is better: fewer cycles, then fewer LUT4, then fewer bytes.
fn rank(cost: &Cost) -> (u64, u32, usize) {
    (cost.cycles, cost.area.lut4, cost.bytes.memory() + cost.bytes.sums)
}

/// The fastest of all machines that fit.
///
/// # Errors
/// A number that is not legal, or a device without room.
pub fn plan(task: &Task, free: &Free) -> Result<Machine, PlanError> {
    task.check()?;
    free.check()?;
    let costed: Vec<(Machine, Cost)> = machines(task, free).into_iter().map(|m| (m, cost(task, &m))).collect();
    let fitting = costed.iter().filter(|(_, cost)| cost.area.fits(free.area));
    let smallest = || costed.iter().map(|(_, cost)| cost.area).min_by_key(|area| (area.lut4, area.dp16kd));
    let full = || PlanError::Full { free: free.area, smallest: smallest().unwrap_or_default() };
    fitting.min_by_key(|(_, cost)| rank(cost)).map(|(machine, _)| *machine).ok_or_else(full)
}

/// Bytes of the scores of a head.
pub fn output(a: &Attention, machine: &Machine) -> usize {
    2 * a.tokens * machine.queries
}
