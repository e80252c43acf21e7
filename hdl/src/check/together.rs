//! Inputs that come in together reach an output together: an item is what comes in in one cycle.

use super::distance::{Distances, ways};
use super::stated::{Stated, registers};
use crate::ir::*;

/// An input of which all ways to an output have equally many registers comes there when these say, and that is what is stated. Of others,
/// with ways of several lengths or by way of state, the user's word is all there is.
pub(super) fn check(b: &mut Draft, distances: &Distances, stated: &[Stated]) {
    for s in stated {
        let port = b.def.ports[s.output].clone();
        let exact = distances.exact(port.node);
        let inputs = b.def.ports.iter().filter(|p| p.input).map(|p| p.node);
        let wrong = inputs.filter_map(|input| Some((input, exact[input as usize]?))).find(|(_, n)| *n != s.cycles);
        let Some((input, count)) = wrong else { continue };
        let (latency, name) = (s.cycles, b.label(input));
        let message = format!(
            "a latency of {latency} is stated, but {} between input `{name}` and output `{}`, on each way",
            registers(count),
            port.name
        );
        let help = match count < latency {
            true => format!(
                "what comes in together reaches an output together: delay `{name}`, as the other inputs are; one that stands still while data is \
                 in flight is a setting: `{}.constant(io.{name})` is used for it",
                b.staging.pipes.first().map_or("m.pipeline(\"settings\")", |pipe| &pipe.variable)
            ),
            false => s.other(b, count as i32, "with the other inputs delayed as much: "),
        };
        return b.error(s.loc, message, vec![(b.node(input).loc, "the input")], Some(help));
    }
    check_each(b, distances, stated);
}

/// Where the ways of an input have several lengths, what is stated is one of them: the other inputs' ways say nothing of this one.
fn check_each(b: &mut Draft, distances: &Distances, stated: &[Stated]) {
    let ways = ways(b, distances);
    let of_output =
        |s: &Stated| ways.iter().find(|(output, _)| *output as usize == s.output).map(|(_, ways)| &ways[..]);
    let misses = |s: &Stated, way: &&Way| way.least > s.cycles || way.most.is_some_and(|most| most < s.cycles);
    let wrong = stated.iter().find_map(|s| Some((*s, *of_output(s)?.iter().find(|way| misses(s, way))?)));
    let Some((s, Way { input, least, most })) = wrong else { return };
    let (input, output) = (b.def.ports[input as usize].node, &b.def.ports[s.output].name);
    let between = match most {
        Some(most) if most == least => registers(most),
        Some(most) => format!("{least} to {}", registers(most)),
        None => format!("{least} or more registers are"),
    };
    let (latency, name) = (s.cycles, b.label(input));
    let message =
        format!("a latency of {latency} is stated, but {between} between input `{name}` and output `{output}`");
    let help = "what comes in together reaches an output together: delay the other inputs, or the output, as much";
    b.error(s.loc, message, vec![(b.node(input).loc, "the input")], Some(help.into()));
}
