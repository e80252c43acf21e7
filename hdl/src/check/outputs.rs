//! Outputs that leave one pipeline at different times would be read by the parent as one item: the module aligns them, or states when each
//! comes.

use super::arrivals::{Arrival, arrivals};
use super::distance::Distances;
use crate::ir::*;

/// Where nothing is stated of all outputs, with which the stages are compared.
pub(super) fn check(b: &mut Draft, distances: &Distances) {
    if b.def.latency.is_some() {
        return;
    }
    let arrivals = arrivals(b, distances);
    let outputs = b.def.ports.iter().enumerate().filter(|(_, p)| !p.input);
    let arriving: Vec<(usize, Arrival)> = outputs
        .flat_map(|(port, p)| at_one_time(b, &arrivals[&p.node]).into_iter().map(move |arrival| (port, arrival)))
        .collect();
    let stated = |port: usize| b.def.latency_of(port as u32).is_some();
    let unlike = arriving.iter().enumerate().find_map(|(i, (second, of_second))| {
        let apart = |(first, of_first): &&(usize, Arrival)| {
            let unlike = of_first.pipe == of_second.pipe && of_first.cycles != of_second.cycles;
            // cycles of two clocks are not compared; what no register gives has none
            let [one, other] = [first, second].map(|port| b.def.ports[*port].domain);
            let two_clocks = one.zip(other).is_some_and(|(one, other)| one != other);
            unlike && !two_clocks && !(stated(*first) && stated(*second))
        };
        Some((*arriving[..i].iter().find(apart)?, (*second, *of_second)))
    });
    if let Some((first, second)) = unlike {
        refuse(b, first, second);
    }
}

/// Of what arrives at an output: that of pipelines which come at one time alone. Between streams the time varies.
fn at_one_time(b: &Draft, arrivals: &[Arrival]) -> Vec<Arrival> {
    let alone = |arrival: &&Arrival| {
        let stream = matches!(b.staging.pipes[arrival.pipe as usize].advance, Advance::Stream(_));
        !stream && arrivals.iter().filter(|other| other.pipe == arrival.pipe).count() == 1
    };
    arrivals.iter().filter(alone).copied().collect()
}

fn refuse(b: &mut Draft, (first, of_first): (usize, Arrival), (second, of_second): (usize, Arrival)) {
    let name = |port: usize| b.def.ports[port].name.clone();
    let message = format!(
        "outputs `{}` and `{}` come {} and {} cycles after stage 0 of pipeline `{}`, and the module does not state when each comes",
        name(first),
        name(second),
        of_first.cycles,
        of_second.cycles,
        b.staging.pipes[of_first.pipe as usize].name
    );
    let help = format!(
        "what comes in one cycle is taken for one item: delay the earlier one with `meet`; or state of each when it comes: `m.latency_of(x, n)` \
         of output `{}`, and of `{}`",
        name(first),
        name(second)
    );
    let notes = vec![(b.node(of_first.left).loc, "the first leaves the pipeline here")];
    b.error(b.node(of_second.left).loc, message, notes, Some(help));
}
