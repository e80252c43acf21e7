//! Commands one after the other: few of them are queued, as one may have a million words. And the resets before them, in the middle of others.

use crate::bus::{Beat, Bench, Sink, StreamPorts};
use fastrand::Rng;

/// Commands that are queued, the one under way counted: the next ones are there before anything waits for them.
const QUEUED: usize = 3;

/// How far commands are played.
pub enum Until<'p> {
    /// To the last report; each is told.
    Reports(&'p mut dyn FnMut()),
    /// So many cycles, whatever is under way then: the reset of the next run comes in the middle of it.
    Cycles(u64),
}

/// Steps until every command has its report and some cycles more, or until it is stopped. `send` queues a command, and says how much work it is: 60 cycles
/// for each are enough.
///
/// # Errors
/// What the bus did wrong; or it hangs.
pub fn play<C>(
    bench: &mut Bench,
    report: Sink,
    commands: impl IntoIterator<Item = C>,
    mut send: impl FnMut(&mut Bench, C) -> usize,
    until: Until,
) -> Result<(), String> {
    let mut nobody = || ();
    let (progress, stop): (&mut dyn FnMut(), _) = match until {
        Until::Reports(progress) => (progress, u64::MAX),
        Until::Cycles(cycles) => (&mut nobody, bench.cycle() + cycles),
    };
    let mut commands = commands.into_iter();
    let (mut sent, mut there, mut limit) = (0, 0, bench.cycle() + 60_000);
    while bench.cycle() < stop {
        while sent < there + QUEUED
            && let Some(command) = commands.next()
        {
            limit += 60 * send(bench, command) as u64;
            sent += 1;
        }
        if there >= sent {
            return (0..80).try_for_each(|_| bench.step().map_err(|e| e.to_string()));
        }
        if bench.cycle() > limit {
            return Err(format!("it hangs: {there} reports of {sent} commands"));
        }
        bench.step().map_err(|e| e.to_string())?;
        let now = bench.beats(report).len();
        (there..now).for_each(|_| progress());
        there = now;
    }
    Ok(())
}

/// After how many cycles runs are stopped, where all commands took so many: in the first quarter, as a few commands see every state. Numbers of each size are
/// as frequent: what a command begins with is short, as its query is beside its books. None where nothing has run yet.
pub fn stops(rng: &mut Rng, cycles: u64) -> Vec<u64> {
    let most = cycles.div_ceil(4);
    let mut stop = |_| {
        let size = rng.u32(0..=most.ilog2());
        rng.u64(1..=most >> size)
    };
    (0..if cycles > 0 { 4 } else { 0 }).map(&mut stop).collect()
}

/// Each command was answered by one report, which says how it ended: outcome, and where that was, as `fields` calls it.
///
/// # Errors
/// The first one that says something else, or how many there are.
pub fn compare_reports<const N: usize>(
    got: &[Beat],
    expected: impl ExactSizeIterator<Item = [u64; N]>,
    fields: &str,
) -> Result<(), String> {
    if got.len() != expected.len() {
        return Err(format!("{} reports of {} commands", got.len(), expected.len()));
    }
    for (i, (got, expected)) in got.iter().zip(expected).enumerate() {
        let got: [u64; N] = std::array::from_fn(|field| got.field(field));
        // of a command that is well, the rest means nothing
        if got[0] != expected[0] || (expected[0] != 0 && got != expected) {
            return Err(format!("command {i} ended with {got:?} ({fields}), not {expected:?}"));
        }
    }
    Ok(())
}

/// A reset of one cycle, the shortest, up to three, in which nothing is offered; whatever was under way before. The seed says how long it is.
///
/// # Errors
/// Something is offered by the unit while it is reset.
pub fn reset<'p>(
    bench: &mut Bench,
    sources: impl IntoIterator<Item = &'p StreamPorts>,
    sinks: impl IntoIterator<Item = &'p StreamPorts> + Clone,
    seed: u64,
) -> Result<(), String> {
    sources.into_iter().for_each(|source| bench.engine.poke_u64(source.valid, 0));
    bench.engine.set_reset(0, true);
    for _ in 0..=seed % 3 {
        bench.engine.step();
        if let Some(sink) = sinks.clone().into_iter().find(|sink| bench.engine.peek_u64(sink.valid) == 1) {
            return Err(format!("`{}` is valid in reset", sink.name));
        }
    }
    bench.engine.set_reset(0, false);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_without_a_report_and_one_with_two_are_told() {
        let reports = |reports: &[[u64; 3]]| reports.iter().map(|report| Beat::from(*report)).collect::<Vec<_>>();
        let compare = |got: &[[u64; 3]]| {
            compare_reports(&reports(got), [[0; 3], [5, 1, 2]].into_iter(), "outcome, in rows, position")
        };
        // what a command that is well reports besides means nothing
        assert_eq!(compare(&[[0, 1, 7], [5, 1, 2]]), Ok(()));
        assert_eq!(compare(&[[0, 0, 0]]), Err("1 reports of 2 commands".into()));
        assert_eq!(compare(&[[0, 0, 0], [5, 1, 2], [5, 1, 2]]), Err("3 reports of 2 commands".into()));
        let expected = "command 1 ended with [5, 1, 3] (outcome, in rows, position), not [5, 1, 2]";
        assert_eq!(compare(&[[0, 0, 0], [5, 1, 3]]), Err(expected.into()));
    }
}
