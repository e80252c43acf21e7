//! The cycles that a module states of its outputs.

use crate::ir::*;

/// What the user states of an output.
#[derive(Clone, Copy)]
pub(super) struct Stated {
    /// Index into `ports`.
    pub output: usize,
    pub cycles: u32,
    pub loc: Loc,
    /// It is stated of all outputs together.
    pub of_all: bool,
}

impl Stated {
    /// What could be stated instead.
    pub fn other(&self, b: &Draft, cycles: i32, condition: &str) -> String {
        let after = counted(cycles, "cycle");
        if self.of_all {
            format!("`m.latency({cycles})`, {condition}all outputs come {after} after the inputs")
        } else {
            let name = &b.def.ports[self.output].name;
            format!("`m.latency_of(x, {cycles})` of output `{name}`, {condition}it comes {after} after the inputs")
        }
    }
}

/// What is stated of each output: by `m.latency` of all, else by `m.latency_of`.
pub(super) fn stated(b: &Draft) -> Vec<Stated> {
    let of_all = b.def.latency.zip(b.latency_at);
    let outputs = b.def.ports.iter().enumerate().filter(|(_, p)| !p.input);
    let of_one = |(output, p): (usize, &Port)| {
        let (cycles, loc) = of_all.or_else(|| b.latencies.get(&p.node).copied())?;
        Some(Stated { output, cycles, loc, of_all: of_all.is_some() })
    };
    outputs.filter_map(of_one).collect()
}

/// `latency_of` does not contradict `latency`.
pub(super) fn check_twice(b: &mut Draft) {
    let Some(all) = b.def.latency else { return };
    let other = b.latencies.iter().find(|(_, (cycles, _))| *cycles != all);
    let Some((&output, &(cycles, loc))) = other else { return };
    let message = format!("of all outputs a latency of {all} is stated, and one of {cycles} of {}", b.describe(output));
    let help = "`m.latency` is of all outputs: where they come at unlike times, state each with `m.latency_of`";
    b.error(loc, message, vec![(b.node(output).loc, "the output")], Some(help.into()));
}

/// So many registers, with the verb.
pub(super) fn registers(count: u32) -> String {
    format!("{} {}", counted(count, "register"), if count == 1 { "is" } else { "are" })
}
