//! Why a plan is as it is, and what other choices would have cost.

use super::caches::other_caches;
use super::cost::{Cost, cost};
use super::cycles::uses;
use super::head::with_heads;
use super::machine::{Machine, Store, Way, divisors, machines, splits_positions};
use super::search::output;
use super::split::{Split, best_split};
use super::task::{Free, Matrix, Task, WORD_BITS};
use crate::golden::vq::Algorithm;
use hw::vq::matrix_vector::MAX_VECTORS;
use hw::vq::table_types::MAX_QUERIES;
use serde::Serialize;

/// One choice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Choice {
    /// What was to be chosen.
    pub what: &'static str,
    /// What was.
    pub chosen: String,
    /// Why.
    pub why: String,
}

/// A machine that is like the plan but for one choice.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Alternative {
    /// What is different.
    pub what: String,
    /// The machine.
    pub machine: Machine,
    /// In the place of its cache of books, this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache: Option<String>,
    /// What it costs.
    pub cost: Cost,
    /// Whether it fits.
    pub fits: bool,
}

/// Why each thing was chosen.
pub fn choices(task: &Task, machine: &Machine, free: &Free) -> Vec<Choice> {
    let choice = |what, chosen: &dyn ToString, why: String| Choice { what, chosen: chosen.to_string(), why };
    vec![
        choice("way", &way_name(machine.way), why_way(task, machine)),
        choice("books", &store_name(machine.store), why_store(task, machine)),
        choice("lanes", &machine.lanes, why_lanes(task, machine)),
        choice("side by side", &machine.queries, why_queries(task, machine)),
        choice("units", &machine.units, why_units(task, machine, free)),
        choice("split factor", &machine.split, why_split(task, machine)),
        choice("registers", &"none", why_no_registers(task).into()),
    ]
}

/// Why no entries are kept in registers.
fn why_no_registers(task: &Task) -> &'static str {
    match task {
        Task::Matrix(m) if m.algorithm == Algorithm::QuipSharp4 => "nobody waits for the points of the lattice",
        Task::Matrix(m) if m.algorithm == Algorithm::Aqlm3 => "the first 32 of 4096 entries have 2 % of the lookups",
        _ => "the first 32 of 256 entries have a quarter of the lookups, and no lane waits for another one",
    }
}

fn way_name(way: Way) -> &'static str {
    match way {
        Way::Table => "by table",
        Way::Multiply => "by multiplication",
    }
}

fn store_name(store: Store) -> &'static str {
    match store {
        Store::Streamed => "streamed",
        Store::Copies => "a copy a lane",
        Store::Pairs => "a copy for two lanes",
        Store::Lattice => "in block RAM",
    }
}

fn why_way(task: &Task, machine: &Machine) -> String {
    match task {
        Task::Attention(a) => {
            let products = a.entries() * a.positions();
            let uses = uses(a.algorithm, a.tokens);
            let more = if uses >= 1.0 { "" } else { ", but values are not built otherwise" };
            format!(
                "an entry is used {uses:.1} times a query: {} products, {products} by table{more}",
                a.tokens * a.positions()
            )
        }
        Task::Matrix(m) => match m.algorithm {
            Algorithm::QuipSharp4 => "a table would have 65536 products for each index position; no table unit".into(),
            Algorithm::Aqlm3 => format!("{}; no table unit", used(*m)),
            _ if machine.way == Way::Table => format!("{}; there is no room to multiply", used(*m)),
            _ => used(*m),
        },
    }
}

/// How often an entry of a matrix is used.
fn used(m: Matrix) -> String {
    format!("an entry is used {:.1} times a vector and index position", uses(m.algorithm, m.tile().0))
}

fn why_store(task: &Task, machine: &Machine) -> String {
    match machine.store {
        Store::Lattice => "256 points, the same for all matrices: nobody loads them".into(),
        Store::Streamed => "tables keep their products, not the entries; they pass once a command".into(),
        Store::Copies => "a book takes whole block RAMs anyway: banks would save none".into(),
        Store::Pairs => {
            let blocks = cost(task, &Machine { units: 1, together: 1, split: 1, ..*machine }).area.dp16kd;
            format!(
                "both ports of a block RAM look up: {blocks} DP16KD in a unit, and books come before the first word"
            )
        }
    }
}

fn why_lanes(task: &Task, machine: &Machine) -> String {
    let bits = match task {
        Task::Attention(a) => a.algorithm.scheme().bits,
        Task::Matrix(m) => m.algorithm.scheme().bits,
    } as usize;
    let (lanes, taken) = (machine.lanes, machine.lanes * bits);
    let indices = count(lanes, "index", "indices");
    match taken <= WORD_BITS {
        true => format!("{indices} of {bits} bits: {taken} of the {WORD_BITS} bits that a unit has of the bus"),
        false => format!("{indices} of {bits} bits: {taken} bits, of which the bus gives a unit {WORD_BITS} a cycle"),
    }
}

fn why_queries(task: &Task, machine: &Machine) -> String {
    match task {
        Task::Attention(a) => format!(
            "queries of a key-value head: {}, passes over it: {}; a unit takes {MAX_QUERIES} at most",
            a.queries,
            a.queries.div_ceil(machine.queries)
        ),
        Task::Matrix(m) => {
            let passes = m.batch.div_ceil(machine.queries);
            format!("vectors: {}, passes over the matrix: {passes}; a unit takes {MAX_VECTORS} at most", m.batch)
        }
    }
}

fn why_units(task: &Task, machine: &Machine, free: &Free) -> String {
    let Cost { area, .. } = cost(task, &Machine { units: 1, together: 1, split: 1, ..*machine });
    // with sums that are added behind units, or tiles of their own, more may have room than of one alone
    let room = area.times_in(free.area).max(machine.units as u32);
    let each = match task {
        Task::Attention(_) if machine.queries > 1 => format!("one of scores and {} of values", machine.queries),
        Task::Attention(_) => "one of scores and one of values".into(),
        Task::Matrix(_) => "a matrix-vector unit".into(),
    };
    let together = if machine.together > 1 { format!("; {} share a task", machine.together) } else { String::new() };
    format!("each is {each}; the bus feeds {}, there is room for {room}{together}", free.ports())
}

fn why_split(task: &Task, machine: &Machine) -> String {
    let Some(Split { factor, bytes, paper }) = split(task, machine) else {
        return "there are no books to be split".into();
    };
    let least = format!(
        "least bytes of sums and books: {factor} ({bytes}); the paper's sqrt(units x books / output) = {paper:.2}"
    );
    let parts = machine.together / machine.split;
    match task {
        _ if machine.together == 1 => "one unit does all of a task".into(),
        Task::Matrix(_) if machine.split == 1 => format!("{least}; each unit has rows of all tiles"),
        Task::Matrix(_) => format!("{least}; each unit has whole tiles, whose sums are not added from left to right"),
        Task::Attention(_) if parts > 1 => {
            format!("{least}; {parts} parts of the tokens: values in another order of sums")
        }
        _ if machine.split > factor => {
            format!("{least}; partial sums take nothing of the bus, so the largest is faster")
        }
        _ => least,
    }
}

/// The best split factor for the units that work together, by bytes.
pub fn split(task: &Task, machine: &Machine) -> Option<Split> {
    let together = machine.together;
    match *task {
        Task::Attention(a) => {
            let legal = divisors(together).filter(|factor| splits_positions(a, *factor));
            Some(best_split(together, output(&a, machine), a.book_bytes(), legal))
        }
        Task::Matrix(m) if m.book_bytes() > 0 => {
            let legal = divisors(together).filter(|factor| *factor <= m.tile_count());
            Some(best_split(together, 2 * m.rows * machine.queries, m.tile_count() * m.book_bytes(), legal))
        }
        Task::Matrix(_) => None,
    }
}

/// What other choices would have cost: each is the best machine that differs from the plan in what it names.
pub fn alternatives(task: &Task, machine: &Machine, free: &Free) -> Vec<Alternative> {
    let all = machines(task, free);
    let rank = |other: &Machine| {
        let Cost { area, cycles, .. } = cost(task, other);
        (!area.fits(free.area), cycles, area.lut4)
    };
    let best_of = |differs: &dyn Fn(&Machine) -> bool| all.iter().copied().filter(|m| differs(m)).min_by_key(rank);
    let mut named: Vec<(String, Option<Machine>)> = vec![];
    named.push(match *task {
        Task::Attention(_) => ("by multiplication, partly built".into(), Some(multiplying(machine))),
        Task::Matrix(_) if machine.way == Way::Table => {
            ("by multiplication".into(), best_of(&|m| m.way != machine.way))
        }
        Task::Matrix(_) => ("by table".into(), best_of(&|m| m.way != machine.way)),
    });
    let kind = |m: &Machine| (m.way, m.store, m.lanes, m.queries, m.units);
    let like = |m: &Machine, other: Machine| kind(m) == kind(&other);
    for lanes in (1..machine.lanes).rev() {
        named.push((count(lanes, "lane", "lanes"), best_of(&|m| like(m, Machine { lanes, ..*machine }))));
    }
    let neighbours = |number: usize| [number - 1, number + 1].into_iter().filter(|number| *number > 0);
    for queries in neighbours(machine.queries) {
        named.push((format!("{queries} side by side"), best_of(&|m| like(m, Machine { queries, ..*machine }))));
    }
    for units in neighbours(machine.units) {
        named.push((count(units, "unit", "units"), best_of(&|m| like(m, Machine { units, ..*machine }))));
    }
    let shared = |m: &&Machine| like(m, *machine) && (m.together, m.split) != (machine.together, machine.split);
    for other in all.iter().filter(shared) {
        let shared = if other.together == 1 { "none shares".into() } else { format!("{} share", other.together) };
        named.push((format!("{shared}, split factor {}", other.split), Some(*other)));
    }
    let (fits, same) = (|cost: &Cost| cost.area.fits(free.area), *machine);
    let known = named.into_iter().filter_map(|(what, machine)| Some((what, machine?)));
    let costed = known.map(|(what, machine)| {
        let cost = cost(task, &machine);
        Alternative { what, machine, cache: None, cost, fits: fits(&cost) }
    });
    let mut all: Vec<_> = costed.collect();
    let multiplied = if matches!(task, Task::Attention(_)) { multiplying(machine) } else { *machine };
    for (cache, cost) in other_caches(task, &multiplied) {
        let of_plan = matches!(task, Task::Matrix(_));
        let what = if of_plan { cache.name() } else { format!("by multiplication, {}", cache.name()) };
        all.push(Alternative { what, machine: multiplied, cache: Some(cache.name()), cost, fits: fits(&cost) });
    }
    if let Task::Attention(a) = task {
        let (heads, cost) = with_heads(*a, free);
        let what = format!("{} with all around", count(heads, "attention head", "attention heads"));
        let machine = Machine { units: heads, queries: 1, together: 1, split: 1, ..same };
        all.push(Alternative { what, machine, cache: None, cost, fits: fits(&cost) });
    }
    all
}

/// A unit that multiplies keys and values with the books of a head in block RAM.
fn multiplying(machine: &Machine) -> Machine {
    Machine { way: Way::Multiply, store: Store::Copies, units: 1, together: 1, split: 1, ..*machine }
}

/// So many of something.
pub fn count(number: usize, one: &str, more: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { more })
}
