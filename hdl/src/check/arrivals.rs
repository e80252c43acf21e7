//! When what leaves a pipeline comes to the outputs.

use super::distance::Distances;
use crate::ir::*;
use rustc_hash::FxHashMap as HashMap;

/// Something that left a pipeline comes to a node.
#[derive(Clone, Copy)]
pub(super) struct Arrival {
    /// Where it left.
    pub left: Id,
    pub pipe: u32,
    /// The stage at which it left.
    pub at: i32,
    /// Cycles after stage 0 of the pipeline: those up to there, and the registers that follow.
    pub cycles: i32,
}

/// For each node from the ends of pipelines to the outputs: what arrives there, and when. Ways through state are left out: nobody says of
/// which item that is. Of one pipeline at most two arrivals are kept: two already show that the times differ.
pub(super) fn arrivals(b: &Draft, distances: &Distances) -> HashMap<Id, Vec<Arrival>> {
    let mut found: HashMap<Id, Vec<Arrival>> = HashMap::default();
    let outputs: Vec<Id> = b.def.ports.iter().filter(|p| !p.input).map(|p| p.node).collect();
    for id in distances.order(&outputs, |id| leaving(b, id).is_some()) {
        let mut arriving: Vec<Arrival> = leaving(b, id).into_iter().collect();
        for step in distances.steps(id).iter().filter(|step| step.most == Some(step.least)) {
            for arrival in found.get(&step.of).into_iter().flatten() {
                let arrival = Arrival { cycles: arrival.cycles + step.least as i32, ..*arrival };
                let of_the_pipe: Vec<i32> =
                    arriving.iter().filter(|a| a.pipe == arrival.pipe).map(|a| a.cycles).collect();
                if of_the_pipe.len() < 2 && !of_the_pipe.contains(&arrival.cycles) {
                    arriving.push(arrival);
                }
            }
        }
        found.insert(id, arriving);
    }
    found
}

/// A signal that leaves a pipeline.
fn leaving(b: &Draft, id: Id) -> Option<Arrival> {
    let (Some(Gate::Leave), Op::Alias(of)) = (b.staging.gates.get(&id), &b.node(id).op) else { return None };
    let Stage { pipe, at } = b.node(*of).stage?;
    at.map(|at| Arrival { left: id, pipe, at, cycles: at })
}
