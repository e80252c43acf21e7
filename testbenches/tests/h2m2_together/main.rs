//! The memory side of H2M2 together: two MMUs and memories of unlike speed, event controller, migration engine and driver run decode steps
//! of a small model. Every byte is compared.

mod cores;
mod decode;
mod host;
mod system;
mod trace;

use driver::hardware::{H2M2, Hardware, SideHardware};
use driver::manager::{Change, Settings};
use driver::page::PageSize;
use driver::shape::Shape;
use host::{Host, PAGES};
use sim::bus::axi4_memory::MemoryModel;
use sim::bus::{Stalls, seed};
use std::ops::Range;

const SMALL: Shape =
    Shape { layers: 2, hidden: 64, head: 32, heads: 4, kv_heads: 4, feed_forward: 128, feed_forward_matrices: 2 };
/// Pages of the fast memory: too few for everything.
const FAST_PAGES: u64 = 13;

/// A model in pages of 4 KiB that hold all its layers, with so many pages of the fast memory.
fn settings(shape: Shape, fast_pages: u64) -> Settings {
    let side = |pages: u64, side: SideHardware| SideHardware { capacity: pages * 4096, ..side };
    Settings {
        shape,
        hardware: Hardware { fast: side(fast_pages, H2M2.fast), large: side(400, H2M2.large), ..H2M2 },
        page: PageSize::new(4096).expect("legal"),
        page_layers: shape.layers,
        slots: 3,
        max_tokens: 96,
        bases: (PAGES, PAGES),
    }
}

/// Requests that begin, grow or end; and the tokens of each whose keys and values the step writes.
type Changes<'a> = (&'a [Change], &'a [(u32, Range<u64>)]);

/// Two requests begin, one grows and the other one ends, a long one begins, and is the only one left.
const STEPS: [Changes; 4] = [
    (&[Change::Start(1, 30), Change::Start(2, 20)], &[(1, 0..30), (2, 0..20)]),
    (&[Change::Grow(1), Change::Finish(2)], &[(1, 30..31)]),
    (&[Change::Grow(1), Change::Start(3, 90)], &[(1, 31..32), (3, 0..90)]),
    (&[Change::Grow(3), Change::Finish(1)], &[(3, 90..91)]),
];

fn run(writes_wait: bool, stalls: Stalls, seed: u64) -> Result<(), String> {
    let design = system::system(writes_wait).map_err(|e| e.to_string())?;
    let mut engine = jit::compiled(&design);
    let fast = MemoryModel { latency: 12, jitter: 8, ..MemoryModel::default() };
    let large = MemoryModel { latency: 40, jitter: 30, bandwidth: 64, ..MemoryModel::default() };
    let models = [fast, large].map(|model| MemoryModel { taking: stalls, giving: stalls, ..model });
    let mut host = Host::new(&mut engine, &design, &settings(SMALL, FAST_PAGES), (models, stalls, seed))?;
    let mut moved = [0, 0];
    for (number, (changes, new)) in STEPS.into_iter().enumerate() {
        let new = new.iter().cloned().collect();
        let step = host.step(changes, &new).map_err(|e| format!("step {number}: {e}"))?;
        let compared = host.compare().map_err(|e| format!("behind step {number}: {e}"))?;
        step.plan.moves.iter().for_each(|m| moved[m.to as usize] += 1);
        let (mapping, cycles) = (host.manager.mapping(), host.cycles());
        println!("step {number}: {mapping:?}, moved {moved:?}, {compared} bytes in memory are right, cycle {cycles}");
    }
    let scheduled = trace::scheduled(&settings(SMALL, FAST_PAGES))?;
    if host.asked() != [&*scheduled[0], &*scheduled[1]] {
        return Err("the cores asked for other pages than the schedule has".into());
    }
    let counts = host.counts();
    println!("{counts:?}");
    // the test shows nothing if nothing moves, or nobody looks while it does
    let [fast, large] = counts;
    let seen = moved.iter().all(|n| *n > 0) && fast.bursts[1] > 0 && large.bursts[1] > 0;
    let again = fast.again + large.again > 0;
    if seen && again != writes_wait { Ok(()) } else { Err(format!("too little happened: moved {moved:?}, {counts:?}")) }
}

#[test]
fn decode_steps_while_pages_move() {
    run(false, Stalls::Never, seed(1)).unwrap_or_else(|e| panic!("{e}"));
}

#[test]
fn with_stalls_everywhere() {
    run(false, Stalls::Percent(30), seed(2)).unwrap_or_else(|e| panic!("{e}"));
}

/// No core asks again.
#[test]
fn writes_wait() {
    run(true, Stalls::Never, seed(1)).unwrap_or_else(|e| panic!("{e}"));
    run(true, Stalls::Percent(30), seed(2)).unwrap_or_else(|e| panic!("{e}"));
}
