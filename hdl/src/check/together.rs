//! Inputs that come in together reach an output together: an item is what comes in in one cycle.

use super::distance::Distances;
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
}
