//! What a system on a board has besides its engines.

use super::Block;
use super::blocks::nothing;
use super::parameter::Parameter;
use super::streams::any;
use crate::soc::baud::{MAX_CLOCKS_PER_BIT, MIN_CLOCKS_PER_BIT};
use crate::soc::uart::uart;
use hdl::Design;
use std::any::type_name_of_val;

pub(super) const UART: Block = Block {
    name: "uart",
    summary: "receiver and transmitter of a serial line: 8 data bits, no parity, 1 stop bit",
    parameters: &[Parameter {
        name: "clocks_per_bit",
        doc: "cycles of a bit of the line",
        unit: "cycles",
        default: None,
        legal: any(MIN_CLOCKS_PER_BIT as i128, MAX_CLOCKS_PER_BIT as i128),
        why: "with fewer the middle of a bit is found too badly, and slower lines nobody has",
    }],
    check: nothing,
    latency: |v| {
        let half = v.number("clocks_per_bit") / 2;
        format!(
            "a byte out {half} to {} cycles after its stop bit has begun; the start bit of a byte in 1 cycle",
            half + 4
        )
    },
    throughput: |v| {
        let clocks = v.number("clocks_per_bit");
        format!("1 byte in {} cycles in, 1 byte in {} cycles out", 10 * clocks, 10 * clocks + 1)
    },
    function: || type_name_of_val(&uart),
    build: |_, v| uart(v.number("clocks_per_bit")).map(Design::erase),
};
