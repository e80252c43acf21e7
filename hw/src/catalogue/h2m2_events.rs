//! What brings order into H2M2's two accelerators.

use super::block::Block;
use super::parameter::{Parameter, Preset, any, nothing};
use crate::h2m2::event_controller::{MAX_KERNELS, event_controller};
use hdl::Design;
use std::any::type_name_of_val;

const EVENTS: [Parameter; 1] = [Parameter {
    name: "kernels",
    doc: "kernels that may be registered and not finished",
    unit: "kernels",
    default: Some(Preset::Number(64)),
    legal: any(2, MAX_KERNELS as i128),
    why: "one kernel waits for nobody, and the mask of more would be too wide",
}];

pub(super) const EVENT_CONTROLLER: Block = Block {
    name: "h2m2_events",
    summary: "launches kernels on two accelerators, each as soon as those that it waits for have finished",
    parameters: &EVENTS,
    check: nothing,
    latency: |_| {
        "4 cycles from the last completion that is taken to the launch that waits for it, and 1 for each kernel before it".into()
    },
    throughput: |v| {
        let numbers = v.number("kernels").next_power_of_two();
        format!(
            "1 completion and 1 launch a cycle; a registration every {} cycles, and 2 more for each kernel waited for",
            2 * numbers + 4
        )
    },
    function: || type_name_of_val(&event_controller),
    build: |name, v| event_controller(name, v.number("kernels")).map(Design::erase),
};
