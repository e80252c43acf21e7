//! The choice, from the slack: of all machines of a way that fit, the fastest.

use super::cost::{Cost, cost};
use super::machine::{Machine, Way, machines};
use super::task::{Attention, Free, PlanError, Task};

/// What is better: fewer cycles, then fewer LUT4, then fewer bytes.
fn rank(cost: &Cost) -> (u64, u32, usize) {
    (cost.cycles, cost.area.lut4, cost.bytes.memory() + cost.bytes.sums)
}

/// The fastest of all machines that fit: of those of the usual way, else of the others.
///
/// # Errors
/// A number that is not legal, or a device without room.
pub fn plan(task: &Task, free: &Free) -> Result<Machine, PlanError> {
    task.check()?;
    free.check()?;
    let costed: Vec<(Machine, Cost)> = machines(task, free).into_iter().map(|m| (m, cost(task, &m))).collect();
    let chosen = way(task);
    let fastest = |ours: bool| {
        let fitting = costed.iter().filter(|(m, cost)| (m.way == chosen) == ours && cost.area.fits(free.area));
        fitting.min_by_key(|(_, cost)| rank(cost)).map(|(machine, _)| *machine)
    };
    let smallest = || costed.iter().map(|(_, cost)| cost.area).min_by_key(|area| (area.lut4, area.dp16kd));
    let full = || PlanError::Full { free: free.area, smallest: smallest().unwrap_or_default() };
    fastest(true).or_else(|| fastest(false)).ok_or_else(full)
}

/// Attention by table, as nothing else has values; matrices by multiplication.
fn way(task: &Task) -> Way {
    match task {
        Task::Attention(_) => Way::Table,
        Task::Matrix(_) => Way::Multiply,
    }
}

/// Bytes of the scores of a head.
pub fn output(a: &Attention, machine: &Machine) -> usize {
    2 * a.tokens * machine.queries
}
