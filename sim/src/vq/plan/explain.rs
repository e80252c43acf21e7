//! Why a plan is as it is, and what other choices would have cost.

use super::cost::{Cost, cost, decoder};
use super::cycles::uses;
use super::machine::{Machine, Store, Way, divisors, machines, splits_positions};
use super::search::output;
use super::split::{Split, best_split};
use super::task::{Attention, Free, Task};
use crate::golden::vq::Algorithm;
use hw::vq::table_types::{LANES, MAX_QUERIES};
use serde::Serialize;

/// Why no entries are kept in registers.
const REGISTERS: &str = "the first 32 of 256 entries have a quarter of the lookups, and no lane waits for another one";

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
        choice("registers", &"none", REGISTERS.into()),
    ]
}

fn way_name(way: Way) -> &'static str {
    match way {
        Way::Table => "by table",
        Way::Multiply => "by multiplication",
    }
}

fn store_name(store: Store) -> String {
    match store {
        Store::Streamed => "streamed".into(),
        Store::Copies => "a copy a lane".into(),
        Store::Banks(banks) => format!("{banks} banks"),
        Store::Lattice => "in logic".into(),
    }
}

fn why_way(task: &Task, machine: &Machine) -> String {
    match task {
        Task::Attention(a) => {
            let products = a.entries() * a.positions();
            let uses = uses(a.algorithm, a.tokens);
            let more = if uses >= 1.0 { "" } else { ", and nothing else is built" };
            format!(
                "an entry is used {uses:.1} times a query: {} products, {products} by table{more}",
                a.tokens * a.positions()
            )
        }
        Task::Matrix(m) => {
            let uses = uses(m.algorithm, m.tile().0);
            let built = if machine.way == Way::Multiply { "; an estimate, until that unit is measured" } else { "" };
            match m.algorithm {
                Algorithm::QuipSharp4 => format!("a table would have 65536 products for each index position{built}"),
                _ => format!("an entry is used {uses:.1} times a vector and index position{built}"),
            }
        }
    }
}

fn why_store(task: &Task, machine: &Machine) -> String {
    match (task, machine.store) {
        (_, Store::Lattice) => "256 points and signs: nobody loads them".into(),
        (_, Store::Streamed) => "tables keep their products, not the entries; they pass once a command".into(),
        (Task::Matrix(m), store) => {
            let other = if store == Store::Copies { Store::Banks(4) } else { Store::Copies };
            let blocks = |store| decoder(*m, &Machine { store, ..*machine }).dp16kd;
            match m.algorithm {
                Algorithm::Gptvq2 => format!("{} DP16KD for all lanes; banks would save none", blocks(store)),
                _ => format!("{} DP16KD; {} would take {}", blocks(store), store_name(other), blocks(other)),
            }
        }
        (Task::Attention(_), _) => String::new(),
    }
}

fn why_lanes(task: &Task, machine: &Machine) -> String {
    let bits = match task {
        Task::Attention(_) => LANES,
        Task::Matrix(m) => m.algorithm.scheme().bits,
    } as usize;
    let taken = (machine.lanes * bits).min(64);
    format!("{} indices of {bits} bits: {taken} of the 64 bits that a unit has of the bus", machine.lanes)
}

fn why_queries(task: &Task, machine: &Machine) -> String {
    match task {
        Task::Attention(a) => format!(
            "queries of a key-value head: {}, passes over it: {}; a unit takes {MAX_QUERIES} at most",
            a.queries,
            a.queries.div_ceil(machine.queries)
        ),
        Task::Matrix(m) => {
            format!("vectors: {}, passes over the matrix: {}", m.batch, m.batch.div_ceil(machine.queries))
        }
    }
}

fn why_units(task: &Task, machine: &Machine, free: &Free) -> String {
    let Cost { area, .. } = cost(task, &Machine { units: 1, together: 1, split: 1, ..*machine });
    let room = area.times_in(free.area);
    let each = match task {
        Task::Attention(_) if machine.queries > 1 => format!("one of scores and {} of values", machine.queries),
        Task::Attention(_) => "one of scores and one of values".into(),
        Task::Matrix(_) => "a decoder and what multiplies".into(),
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
        Task::Attention(a) => ("by multiplication, not built".into(), Some(multiplying(a, machine))),
        Task::Matrix(_) if machine.way == Way::Table => {
            ("by multiplication".into(), best_of(&|m| m.way != machine.way))
        }
        Task::Matrix(_) => ("by table".into(), best_of(&|m| m.way != machine.way)),
    });
    for store in [Store::Copies, Store::Banks(4)].into_iter().filter(|store| *store != machine.store) {
        named.push((store_name(store), best_of(&|m| m.store == store && m.way == machine.way)));
    }
    let kind = |m: &Machine| (m.way, m.store, m.lanes, m.queries, m.units);
    let like = |m: &Machine, other: Machine| kind(m) == kind(&other);
    for lanes in (1..machine.lanes).rev() {
        named.push((format!("{lanes} lanes"), best_of(&|m| like(m, Machine { lanes, ..*machine }))));
    }
    for queries in [machine.queries.wrapping_sub(1), machine.queries + 1] {
        named.push((format!("{queries} side by side"), best_of(&|m| like(m, Machine { queries, ..*machine }))));
    }
    for units in [machine.units - 1, machine.units + 1] {
        named.push((format!("{units} units"), best_of(&|m| like(m, Machine { units, ..*machine }))));
    }
    let shared = |m: &&Machine| like(m, *machine) && (m.together, m.split) != (machine.together, machine.split);
    for other in all.iter().filter(shared) {
        named.push((format!("{} share, split factor {}", other.together, other.split), Some(*other)));
    }
    let known = named.into_iter().filter_map(|(what, machine)| Some((what, machine?)));
    let costed = known.map(|(what, machine)| {
        let cost = cost(task, &machine);
        Alternative { what, machine, cost, fits: cost.area.fits(free.area) }
    });
    costed.collect()
}

/// A unit that multiplies keys and values with the books of a head in block RAM.
fn multiplying(a: Attention, machine: &Machine) -> Machine {
    let queries = a.queries.min(machine.queries);
    Machine { way: Way::Multiply, store: Store::Copies, units: 1, queries, together: 1, split: 1, ..*machine }
}
