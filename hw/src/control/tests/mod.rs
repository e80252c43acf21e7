mod export;
mod slave;
mod values;

use super::*;
use hdl::{Bundle, Design, Errors, Module, Signal, bits, module, ports};

/// Every kind of field once, with gaps.
struct Example {
    map: RegisterMap,
    enable: Rw,
    mode: Rw,
    length: Rw,
    vectors: Ro,
    busy: Ro,
    overflow: Sticky,
    underflow: Sticky,
}

fn example() -> Example {
    let mut map = RegisterMap::new("example", "Registers that the tests use.");
    map.constant("id", 32, 0x4b56_0001, "identification");
    let mut control = map.register("control", "what the module does");
    let enable = control.rw("enable", 1, 0, "1: the module runs");
    control.reserved(3);
    let mode = control.rw("mode", 12, 0xabc, "how it runs");
    let length = map.rw("length", 14, 4096, "length of a vector, a multiple of 64");
    map.units(length, "elements");
    let vectors = map.ro("vectors", 32, "vectors so far");
    let mut status = map.register("status", "what goes on, and what went wrong: write 1 to clear");
    let busy = status.ro("busy", 1, "a vector is under way");
    status.reserved(6);
    let overflow = status.sticky("overflow", "a word was lost");
    let underflow = status.sticky("underflow", "a word was missing");
    status.constant("lanes", 7, 16, "elements a cycle");
    Example { map, enable, mode, length, vectors, busy, overflow, underflow }
}

ports! {
    struct ExamplePorts(address_width: u32) {
        input s_axil: AxiLite = axi_lite(address_width),
        output enable: Signal = bits(1),
        output mode: Signal = bits(12),
        output length: Signal = bits(14),
        input vectors: Signal = bits(32),
        input busy: Signal = bits(1),
        input errors: Signal = bits(2),
        output flags: Signal = bits(2),
    }
}

#[module]
fn example_module(address_width: u32) -> Result<Design<ExamplePorts>, Errors> {
    let e = example();
    let m = Module::new("example_registers");
    let io = ExamplePorts::new(m, address_width);
    let regs = slave(m, &e.map, io.s_axil)?;
    io.enable.set(regs[e.enable]);
    io.mode.set(regs[e.mode]);
    io.length.set(regs[e.length]);
    regs[e.vectors].set(io.vectors);
    regs[e.busy].set(io.busy);
    regs[e.overflow].set.set(io.errors.bit(0));
    regs[e.underflow].set.set(io.errors.bit(1));
    io.flags.set(regs[e.underflow].value.cat(regs[e.overflow].value));
    m.finish(io)
}
