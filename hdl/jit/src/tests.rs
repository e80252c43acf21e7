//! How much of a design the machine code runs in each cycle.

use crate::schedule::{Item, Schedule, schedule};
use crate::{limbs, roots};
use hdl::sim::Simulator;
use hdl::sim::native::{Arm, Native, Plan};
use hdl::*;
use std::cell::Cell;

/// Work that is done whatever the choices are, and the most that an arm does.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
struct Work {
    always: usize,
    arm: usize,
}

thread_local! {
    static SEEN: Cell<Work> = Cell::default();
}

/// Plans the work for a design, and makes no code.
fn measure(plan: &Plan) -> Option<Box<dyn Native>> {
    let mut lowered = limbs::lower(plan);
    let mut roots = roots::roots(&mut lowered);
    let Schedule { functions, groups, .. } = schedule(&mut lowered.words, &mut roots);
    let results = |item: &Item| match item {
        Item::Switch(group) => 1 + groups[*group as usize].before.len(),
        _ => 1,
    };
    let always = functions.iter().flatten().flat_map(|block| &block.items).map(results).sum();
    let arms = groups.iter().flat_map(|g| g.arms.iter().map(|(_, arm)| arm).chain([&g.default]));
    let arm = arms.map(|Arm { items, results }| items.len() + results.len()).max().unwrap_or(0);
    SEEN.set(Work { always, arm });
    None
}

/// In each state one of two counters takes a product with a number of its own, under a condition.
fn controller(states: u32) -> Work {
    let m = Module::new("controller");
    let x = m.port("x", "", true, bits(16));
    let state = m.reg_reset(bits(16), 0).named("state");
    let counters = [0, 1].map(|i| m.reg_reset(bits(16), 0).named(&format!("counter_{i}")));
    let command = m.wire(bits(16)).named("command");
    command.set(0);
    m.switch(state, |s| {
        for i in 0..states {
            s.case(i, || {
                m.when(x.bit(i % 16), || state.set((i + 1) % states + states));
                let counter = counters[i as usize % 2];
                m.when(x.bit(0), || counter.set(counter + (x * (3 * i + 5)).trunc(16)));
                command.set(x + (i + 1));
            });
        }
    });
    m.port("command_now", "", false, bits(16)).set(command);
    let design = m.finish(()).unwrap_or_else(|errors| panic!("{errors}"));
    let mut sim = Simulator::with_native(&design, measure, 0);
    sim.peek(1);
    SEEN.get()
}

/// The product, the sum and what cuts them stand in the arms.
#[test]
fn only_the_arm_that_is_taken_is_evaluated() {
    for states in [8, 64, 512, 2048] {
        let work = controller(states);
        assert!(work.always < 20 && work.arm < 20, "{states} states: {work:?}");
    }
}
