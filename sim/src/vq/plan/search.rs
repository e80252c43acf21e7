//! The choice: as the paper makes it, from the slack, and by trying everything.

use super::cost::{Cost, cost};
use super::machine::{Machine, Way, divisors, machines, splits_positions};
use super::task::{Attention, Free, PlanError, Task, WORD_BITS};

/// What is better: fewer cycles, then fewer LUT4, then fewer bytes.
fn rank(cost: &Cost) -> (u64, u32, usize) {
    (cost.cycles, cost.area.lut4, cost.bytes.memory() + cost.bytes.sums)
}

fn fits(task: &Task, machine: &Machine, free: &Free) -> bool {
    cost(task, machine).area.fits(free.area)
}

/// The best of everything that fits.
pub fn best(task: &Task, free: &Free) -> Option<Machine> {
    machines(task, free).into_iter().filter(|m| fits(task, m, free)).min_by_key(|machine| rank(&cost(task, machine)))
}

/// What the slack gives. The way is chosen by how often entries are used. Then, for each unit that exists that way, as many of it as there is bus and
/// room for. The fastest of these is the plan.
///
/// # Errors
/// A number that is not legal, or a device without room.
pub fn plan(task: &Task, free: &Free) -> Result<Machine, PlanError> {
    task.check()?;
    free.check()?;
    let alone: Vec<Machine> = machines(task, &Free { bus_bits: WORD_BITS, ..*free });
    let chosen = way(task);
    let (first, others): (Vec<Machine>, Vec<Machine>) = alone.iter().partition(|machine| machine.way == chosen);
    let fastest = |units: &[Machine]| {
        let filled = units.iter().filter_map(|unit| fill(task, unit, free));
        filled.min_by_key(|machine| rank(&cost(task, machine)))
    };
    let smallest = || alone.iter().map(|machine| cost(task, machine).area).min_by_key(|area| (area.lut4, area.dp16kd));
    let full = || PlanError::Full { free: free.area, smallest: smallest().unwrap_or_default() };
    fastest(&first).or_else(|| fastest(&others)).ok_or_else(full)
}

/// So many of a unit as are the fastest, of what there is bus and room for: as many as possible, or fewer that deal out the task more evenly.
fn fill(task: &Task, unit: &Machine, free: &Free) -> Option<Machine> {
    let most = cost(task, unit).area.times_in(free.area).min(free.ports() as u32) as usize;
    // the adders behind units that work together may cost the last one
    let filled = (1..=most).flat_map(|units| share(task, unit, units)).filter(|machine| fits(task, machine, free));
    filled.min_by_key(|machine| rank(&cost(task, machine)))
}

/// How so many of a unit may share the task: groups of them, each with heads of its own, and in a group a legal split factor.
fn share(task: &Task, unit: &Machine, units: usize) -> Vec<Machine> {
    let shared = |together, split| Machine { units, together, split, ..*unit };
    match task {
        Task::Attention(a) => {
            let legal = |together| divisors(together).filter(|split| splits_positions(*a, *split));
            divisors(units).flat_map(|group| legal(group).map(move |split| shared(group, split))).collect()
        }
        Task::Matrix(m) if m.tile_count() >= units => vec![shared(units, units)],
        Task::Matrix(_) => vec![shared(units, 1)],
    }
}

/// By table where an entry is used more often than there are entries.
fn way(task: &Task) -> Way {
    match task {
        Task::Attention(_) => Way::Table,
        Task::Matrix(m) if m.tile().0 > m.algorithm.scheme().max_entries() => Way::Table,
        Task::Matrix(_) => Way::Multiply,
    }
}

/// Bytes of the scores of a head.
pub fn output(a: &Attention, machine: &Machine) -> usize {
    2 * a.tokens * machine.queries
}
