//! The event controller, with a driver and two accelerators around it.

use super::Driver;
use super::built::build;
use hdl::engine::Engine;
use hw::h2m2::event_controller::event_controller;
use sim::bus::Stalls;
use sim::h2m2_event_bench::{EventBench, EventStalls};

/// An event controller for so many kernels: each cycle compared with the model; every other round is cut off by a reset.
pub fn event_controller_driver(name: &str, kernels: u32) -> Driver {
    let design = build(event_controller(name, kernels));
    let held = design.clone();
    Driver::new(name, design, move |engine: &mut dyn Engine, effort| {
        for round in 0..if effort.long { 60 } else { 8 } {
            let io = &held.ports;
            let seed = effort.seed * 1000 + round;
            let some = |i: u64| [Stalls::Never, Stalls::Percent(50), Stalls::Runs(20)][i as usize % 3];
            let stalls = EventStalls([some(round), some(round / 3), some(round / 2), some(round / 4)]);
            let stray = [io.stray.any, io.stray.slot, io.stray.side];
            let settings = (kernels as usize, stalls, seed);
            let streams = ((&io.register, &io.answer), (&io.launch[..], &io.complete[..]));
            let bench = EventBench::new(&mut *engine, &held, streams.0, streams.1, stray, settings);
            let stop = (round % 2 == 1).then_some(500 + 300 * round);
            bench.run(40, stop).map_err(|error| format!("seed {seed}: {error}"))?;
        }
        Ok(())
    })
}
