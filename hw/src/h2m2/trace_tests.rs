//! Replacement policies and prefetch on traces of pages, one request after the other: the tables of docs/blocks/h2m2_mmu.md.

use super::mmu_axi::mmu_axi;
use super::params::{MmuParams, Replacement, counter};
use super::tests::{SMALL, ready};
use fastrand::Rng;
use sim::golden::h2m2_mmu::Burst;

const POLICIES: [(&str, Replacement); 3] =
    [("fifo", Replacement::Fifo), ("random", Replacement::Random), ("plru", Replacement::TreePlru)];

/// What it is, and its requests: page, and whether it is to be written.
struct Trace {
    name: &'static str,
    requests: Vec<(u64, bool)>,
}

/// 3000 requests each.
fn made_up() -> [Trace; 4] {
    let mut rng = Rng::with_seed(1);
    let streams = (0..3000).map(|i| if i % 3 == 0 { 100 + i / 3 } else { (i - i / 3) % 40 }).collect();
    let round = (0..3000).map(|i| i % 80).collect();
    let skewed = (0..3000).map(|_| rng.u64(0..512).min(rng.u64(0..512)).min(rng.u64(0..512))).collect();
    let stream = (0..3000).collect();
    let trace = |name, pages: Vec<u64>| Trace { name, requests: pages.into_iter().map(|page| (page, false)).collect() };
    [
        trace("weights, and pages that stream by", streams),
        trace("80 pages in a round", round),
        trace("512 pages, the first of them more often", skewed),
        trace("each page once, in their order", stream),
    ]
}

/// What the cores of either side ask for in four decode steps.
fn recorded() -> [Trace; 2] {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../data/h2m2_trace.txt");
    let text = std::fs::read_to_string(path).unwrap();
    let [fast, large] = ["fast", "large"].map(|side| {
        let line = text.lines().find_map(|line| line.strip_prefix(side)).unwrap();
        line.split_whitespace().flat_map(run).collect()
    });
    [Trace { name: "fast side", requests: fast }, Trace { name: "large side", requests: large }]
}

/// A page, `w` if it is written, `*` and how many times if more than once.
fn run(word: &str) -> Vec<(u64, bool)> {
    let (what, times) = word.split_once('*').unwrap_or((word, "1"));
    let page = what.trim_end_matches('w').parse().unwrap();
    vec![(page, what.ends_with('w')); times.parse().unwrap()]
}

/// What a trace comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Figures {
    hits: u64,
    cycles: u64,
    /// Of the table.
    reads: u64,
}

/// One request after the other, each asked when the one before is answered, with a memory of 40 cycles.
fn figures(trace: &Trace, replacement: Replacement, prefetch: bool) -> Figures {
    let p = MmuParams { replacement, prefetch, ..SMALL };
    let design = mmu_axi("mmu", p).unwrap();
    let mut sim = jit::simulator(&design);
    let mut rig = ready(&mut sim, &design, p, 40);
    let (from, before) = (rig.bench.cycle(), rig.memory.requests.len());
    for (page, write) in &trace.requests {
        rig.ask(0, Burst { write: *write, ..rig.read_of(*page) });
        while rig.unanswered() > 0 {
            rig.step().unwrap();
        }
    }
    let cycles = rig.bench.cycle() - from;
    rig.finish(1000).unwrap();
    let reads = (rig.memory.requests.len() - before) as u64;
    Figures { hits: rig.counter(counter::HITS.into()).unwrap(), cycles, reads }
}

/// The page has these rows, one below the other.
fn shows(rows: Vec<String>) {
    let rows = rows.join("\n");
    println!("{rows}");
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/blocks/h2m2_mmu.md")).unwrap();
    assert!(page.contains(&format!("\n{rows}\n")), "docs/blocks/h2m2_mmu.md should have\n{rows}");
}

/// Hits of each policy on the first three traces, 64 entries in 4 ways.
#[test]
fn replacement_on_traces() {
    let row = |trace: &Trace| {
        let hits = POLICIES.map(|(_, policy)| figures(trace, policy, false).hits.to_string());
        format!("| {} | {} |", trace.name, hits.join(" | "))
    };
    shows(made_up()[..3].iter().map(row).collect());
}

/// Without and with prefetch.
#[test]
fn prefetch_on_traces() {
    let row = |trace: &Trace| format!("| {} | {} |", trace.name, without_and_with(trace, Replacement::Fifo));
    shows(made_up().iter().map(row).collect());
}

/// Each policy without and with prefetch.
#[test]
fn decode_steps_on_policies() {
    let rows = recorded().into_iter().flat_map(|trace| {
        POLICIES.map(|(name, policy)| {
            let requests = trace.requests.len();
            format!("| {}, {requests} | `{name}` | {} |", trace.name, without_and_with(&trace, policy))
        })
    });
    shows(rows.collect());
}

fn without_and_with(trace: &Trace, policy: Replacement) -> String {
    let [off, on] = [false, true].map(|prefetch| figures(trace, policy, prefetch));
    format!("{} | {} | {} | {} | {} | {}", off.hits, on.hits, off.cycles, on.cycles, off.reads, on.reads)
}
