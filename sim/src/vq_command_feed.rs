//! Commands one after the other: few of them are queued, as one may have a million words.

use crate::bus::{Bench, Sink};

/// Commands that are queued, the one under way counted: the next ones are there before anything waits for them.
const QUEUED: usize = 3;

/// Steps until every command has its report, each of which is told, and some cycles more. `send` queues a command, and says how much work it is: 60 cycles
/// for each are enough.
///
/// # Errors
/// What the bus did wrong; or it hangs.
pub fn play<C>(
    bench: &mut Bench,
    report: Sink,
    commands: impl IntoIterator<Item = C>,
    mut send: impl FnMut(&mut Bench, C) -> usize,
    progress: &mut dyn FnMut(),
) -> Result<(), String> {
    let mut commands = commands.into_iter();
    let (mut sent, mut there, mut limit) = (0, 0, bench.cycle() + 60_000);
    loop {
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
}
