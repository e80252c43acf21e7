//! The models of the ECP5 cells that Yosys leaves empty: memories and products of every shape that Yosys maps to them, against
//! the built-in simulator.

use hdl::engine::{Engine, PowerUp};
use hdl::sim::Simulator;
use hdl::{BigUint, Bundle, Design, Errors, Module, RamStyle, Reset, Signal, bits, clog2, module, ports};
use sim::verilator::Model;
use testbenches::drivers::Effort;
use testbenches::have;
use testbenches::netlist::{Family, synthesize};

ports! {
    struct MemoryPorts(width: u32, address: u32, lanes: u32) {
        input at: Signal = bits(address),
        input data: Signal = bits(width),
        input mask: Signal = bits(lanes),
        input from: Signal = bits(address),
        input read: Signal = bits(1),
        output word: Signal = bits(width),
    }
}

/// A memory in block RAM: one port to write with `lanes` enables, one to read.
#[module]
fn memory(width: u32, depth: usize, lanes: u32, filled: bool) -> Result<Design<MemoryPorts>, Errors> {
    let m = Module::new(format!("memory_{width}x{depth}_{lanes}"));
    let io = MemoryPorts::new(m, width, clog2(depth), lanes);
    let mut words = m.memory(bits(width), depth).style(RamStyle::Block);
    if filled {
        words = words.init((0..depth).map(|i| BigUint::from(i * 0x9e37 + 5) % (BigUint::from(1u32) << width)));
    }
    words.write_lanes(io.at, io.data, io.mask);
    io.word.set(words.read_sync_enabled(io.from, io.read));
    m.finish(io)
}

ports! {
    struct ProductPorts(a_width: u32, b_width: u32) {
        input a: Signal = bits(a_width),
        input b: Signal = bits(b_width),
        output product: Signal = bits(a_width + b_width),
        output product_signed: Signal = bits(a_width + b_width),
    }
}

#[module]
fn product(a_width: u32, b_width: u32) -> Result<Design<ProductPorts>, Errors> {
    let m = Module::new(format!("product_{a_width}x{b_width}"));
    let io = ProductPorts::new(m, a_width, b_width);
    io.product.set(io.a * io.b);
    io.product_signed.set(io.a.mul_signed(io.b));
    m.finish(io)
}

/// Random inputs, cycle by cycle: the netlist must do what the built-in simulator does. `cell` must be among its cells.
fn compare<P>(design: &Design<P>, cell: &str, cycles: usize) {
    if !have(&["verilator", "yosys"]) {
        return;
    }
    let verilog = sim::verilator::verilog_with_models(design, Reset::default());
    let netlist = synthesize(&verilog, design.name(), Family::Ecp5).unwrap_or_else(|e| panic!("{e}"));
    assert!(netlist.count(cell) > 0, "{}: Yosys uses no {cell}: {:?}", design.name(), netlist.cells);
    let mut theirs = Model::of_text(&netlist.verilog, design, Reset::default()).unwrap_or_else(|e| panic!("{e}"));
    let mut own = Simulator::new(design);
    [&mut own as &mut dyn Engine, &mut theirs].into_iter().for_each(|engine| engine.power_up(PowerUp::Zero));
    let ports = design.port_list();
    let mut r = fastrand::Rng::with_seed(::sim::bus::seed(3));
    for cycle in 0..cycles {
        for (i, port) in ports.iter().enumerate().filter(|(_, port)| port.input) {
            let width = port.width;
            // small addresses often, so that what was written is read again
            let any = (0..width.div_ceil(32)).fold(BigUint::ZERO, |v, _| (v << 32) | BigUint::from(r.u32(..)));
            let some = if r.u32(..3) == 0 { width.min(4) } else { width };
            let value = any % (BigUint::from(1u32) << some);
            own.poke_big(i, &value);
            theirs.poke_big(i, &value);
        }
        for (i, port) in ports.iter().enumerate().filter(|(_, port)| !port.input) {
            let (got, want) = (theirs.peek_big(i), own.peek_big(i));
            assert_eq!(got, want, "{}: {} in cycle {cycle}", design.name(), port.name);
        }
        if !own.clocks().is_empty() {
            own.step();
            theirs.step();
        }
    }
}

#[test]
fn block_ram_of_every_width() {
    // the short run takes the first three: the widest and the narrowest, with and without lanes and contents
    let shapes = [
        (72, 1024, 8, true),
        (36, 512, 4, false),
        (1, 16384, 1, false),
        (36, 512, 1, true),
        (18, 1024, 2, true),
        (9, 2048, 1, true),
        (4, 4096, 1, true),
        (2, 8192, 1, false),
    ];
    let count = if Effort::from_environment().long { shapes.len() } else { 3 };
    for (width, depth, lanes, filled) in shapes.into_iter().take(count) {
        let design = memory(width, depth, lanes, filled).unwrap_or_else(|e| panic!("{e}"));
        compare(&design, "DP16KD", 2000);
    }
}

#[test]
fn products_of_many_widths() {
    for (a, b) in [(18, 18), (17, 9), (11, 11), (8, 18), (24, 24), (33, 20)] {
        compare(&product(a, b).unwrap_or_else(|e| panic!("{e}")), "MULT18X18D", 4000);
    }
}
