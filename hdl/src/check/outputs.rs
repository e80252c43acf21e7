//! When outputs come: those that leave a pipeline at unlike stages belong to different items in one cycle, which who uses the module does
//! not see, unless the module states when each comes.

use super::distance::{furthest, nearest};
use super::latency::{bases, leaves_before, left};
use crate::ir::walk::Drivers;
use crate::ir::*;
use std::collections::BTreeMap;

/// An output that leaves a pipeline.
struct Leaves {
    port: usize,
    pipe: u32,
    at: i32,
    loc: Loc,
}

pub(super) fn check(b: &mut Draft, drivers: &Drivers) {
    for (output, (cycles, loc)) in b.latencies.clone() {
        check_stated(b, drivers, output, cycles, loc);
    }
    if b.def.latency.is_none() {
        check_unlike(b, drivers); // else that is the one of all outputs, with which their stages are compared
    }
}

/// The cycles that are stated of an output, against the stage at which it leaves and the registers on the way.
fn check_stated(b: &mut Draft, drivers: &Drivers, output: Id, cycles: u32, loc: Loc) {
    let name = b.label(output);
    let wrong =
        |what: String| format!("output `{name}` is stated to come {cycles} cycles after the inputs, and {what}");
    let message = match b.def.latency {
        Some(all) if all != cycles => Some(wrong(format!("all outputs {all}"))),
        Some(_) => None,
        None => other_cycles(b, drivers, output, cycles).map(wrong),
    };
    if let Some(message) = message {
        let help = "state the cycles that it takes, or put other registers between";
        b.error(loc, message, vec![(b.node(output).loc, "the output")], Some(help.into()));
    }
}

/// When an output comes, if that cannot be so many cycles after the inputs.
fn other_cycles(b: &Draft, drivers: &Drivers, output: Id, cycles: u32) -> Option<String> {
    let bases = bases(b, drivers);
    let late = leaves_before(b, drivers, output).into_iter().filter_map(|id| left(b, &bases, id));
    if let Some(late) = late.into_iter().find(|late| *late != cycles as i32) {
        return Some(format!("leaves its pipeline {late} cycles after them"));
    }
    let (_, fewest) = nearest(b, drivers, output, true)?;
    if fewest > cycles {
        return Some(format!("at least {fewest} registers are between"));
    }
    let most = furthest(b, drivers, output).filter(|most| *most < cycles)?;
    Some(format!("at most {most} registers are between"))
}

fn check_unlike(b: &mut Draft, drivers: &Drivers) {
    let mut leaving = vec![];
    for (port, p) in b.def.ports.iter().enumerate().filter(|(_, p)| !p.input) {
        leaving.extend(leaves(b, drivers, port, p.node));
    }
    let stated = |l: &Leaves| b.latencies.contains_key(&b.def.ports[l.port].node);
    let unlike = leaving.iter().enumerate().find_map(|(i, second)| {
        let apart = |l: &&Leaves| l.pipe == second.pipe && l.at != second.at && !(stated(l) && stated(second));
        Some((leaving[..i].iter().find(apart)?, second))
    });
    let Some((first, second)) = unlike else { return };
    let name = |l: &Leaves| b.def.ports[l.port].name.clone();
    let message = format!(
        "output `{}` leaves pipeline `{}` at stage {}, and output `{}` at stage {}",
        name(first),
        b.staging.pipes[first.pipe as usize].name,
        first.at,
        name(second),
        second.at
    );
    let help = "what comes in one cycle is taken for one item: delay the earlier one with `meet`; or say of each when it comes, as with \
                `m.latency_of(io.early, 1)`";
    let notes = vec![(first.loc, "the first leaves here")];
    b.error(second.loc, message, notes, Some(help.into()));
}

/// The stages at which an output leaves pipelines: of each that it leaves at one stage alone. Between streams the time varies.
fn leaves(b: &Draft, drivers: &Drivers, port: usize, output: Id) -> Vec<Leaves> {
    let mut found: BTreeMap<u32, Vec<(i32, Loc)>> = BTreeMap::new();
    for id in leaves_before(b, drivers, output) {
        if let Op::Alias(of) = b.node(id).op
            && let Some(Stage { pipe, at: Some(at) }) = b.node(of).stage
            && !matches!(b.staging.pipes[pipe as usize].advance, Advance::Stream(_))
        {
            found.entry(pipe).or_default().push((at, b.node(id).loc));
        }
    }
    let one = found.into_iter().filter(|(_, list)| list.iter().all(|(at, _)| *at == list[0].0));
    one.map(|(pipe, list)| Leaves { port, pipe, at: list[0].0, loc: list[0].1 }).collect()
}
