//! The systems whose two accelerator chips share one memory: LPDDR only (the baseline), the strict hierarchy, and eight HBM devices.

use super::choices::{Choices, Hierarchical};
use super::events::{Graph, Resource};
use super::kernel::{Machine, copy_time, reached};
use super::layer::{Batch, Stage};
use driver::hardware::{H2M2, SideHardware, duration};
use driver::shape::Sublayer;

/// Devices of the multi-HBM system (section 5.5).
const DEVICES: u64 = 8;

/// A memory with both chips at it.
fn both_chips(choices: &Choices, side: SideHardware, reached: u64) -> Machine {
    // the variants of Table 4 change H2M2's chips, not those of what it is compared with
    let cores = H2M2.fast.cores + H2M2.large.cores;
    Machine::of(choices, SideHardware { cores, ..side }, reached, false)
}

/// Time of a kernel with all of its parts on one machine.
fn kernel(machine: &Machine, batch: &Batch, stage: Stage, choices: &Choices) -> u64 {
    machine.time(&batch.work(stage, all_parts(batch, stage), choices))
}

/// The parts of a kernel.
pub fn all_parts(batch: &Batch, stage: Stage) -> u64 {
    stage.sublayer().map_or(1, |sublayer| batch.shape.parts(sublayer))
}

/// Bytes of weights and KV cache.
pub fn footprint(batch: &Batch) -> u64 {
    batch.shape.weight_bytes() + batch.tokens * batch.shape.token_bytes() * batch.shape.parts(Sublayer::Attention)
}

/// The baseline's memory: Table 1's, whatever variant H2M2 has.
pub fn baseline_machine(choices: &Choices) -> Machine {
    let large = SideHardware { capacity: choices.hardware.large.capacity, ..H2M2.large };
    both_chips(choices, large, choices.reached.1)
}

/// An iteration with LPDDR only.
pub fn baseline(batch: &Batch, choices: &Choices) -> u64 {
    let machine = baseline_machine(choices);
    Stage::ALL.iter().map(|&stage| kernel(&machine, batch, stage, choices)).sum::<u64>() * batch.shape.layers
}

/// An iteration of the hierarchy: both chips at the fast memory, what that has no room for is copied over the link.
pub fn hierarchical(batch: &Batch, choices: &Choices) -> u64 {
    hierarchical_graph(batch, choices).end() * batch.shape.layers
}

/// One layer of the hierarchy as events.
fn hierarchical_graph(batch: &Batch, choices: &Choices) -> Graph {
    let machine = both_chips(choices, choices.hardware.fast, choices.reached.0);
    let (bytes, capacity) = (footprint(batch), choices.hardware.fast.capacity);
    let kept = match choices.hierarchical {
        _ if bytes <= capacity => bytes,
        Hierarchical::LeastRecent => 0,
        Hierarchical::OnDemand | Hierarchical::Ahead => capacity,
    };
    let large = &choices.hardware.large;
    let rate = choices.hardware.link_bandwidth.min(reached(large.bandwidth, choices.reached.1));
    let mut graph = Graph::default();
    let mut before: Vec<usize> = vec![];
    for stage in Stage::ALL {
        let read = batch.work(stage, all_parts(batch, stage), choices).read;
        let missing = (u128::from(read) * u128::from(bytes - kept) / u128::from(bytes)) as u64;
        let on_demand: &[usize] = if choices.hierarchical == Hierarchical::Ahead { &[] } else { &before };
        let copy = graph.add(Resource::Link, copy_time(missing, large, rate), on_demand);
        let after: Vec<usize> = before.iter().copied().chain([copy]).collect();
        before = vec![graph.add(Resource::Fast, kernel(&machine, batch, stage, choices), &after)];
    }
    graph
}

/// An iteration of the multi-HBM system: eight times the fast memory, two chips, and two all-reduces a layer (tensor parallelism).
pub fn eight_hbm(batch: &Batch, choices: &Choices) -> u64 {
    let fast = choices.hardware.fast;
    let side = SideHardware { capacity: DEVICES * fast.capacity, bandwidth: DEVICES * fast.bandwidth, ..fast };
    let machine = both_chips(choices, side, choices.reached.0);
    let kernels: u64 = Stage::ALL.iter().map(|&stage| kernel(&machine, batch, stage, choices)).sum();
    (kernels + 2 * all_reduce(batch, choices)) * batch.shape.layers
}

/// A ring over the devices: 2 (n - 1) steps, in each an n-th of the data from one memory into the next.
fn all_reduce(batch: &Batch, choices: &Choices) -> u64 {
    let bytes = batch.requests * batch.shape.hidden;
    let step = duration(bytes.div_ceil(DEVICES).into(), choices.hardware.link_bandwidth.into());
    choices.all_reduce + 2 * (DEVICES - 1) * (step + 2 * choices.hardware.fast.latency)
}
