//! Ports of both directions: three ports to a test and to the module around, one in the Verilog of the top.
#![allow(missing_docs)]

use crate::common;

use common::golden::{compare, stable};
use hdl::engine::Engine;
use hdl::sim::Simulator;
use hdl::*;

ports! {
    pub struct NodePorts() {
        /// The bits to send, the highest first.
        input data: Signal = bits(8),
        input start: Signal = bits(1),
        /// What was on the wire while they were sent.
        output seen: Signal = bits(8),
        output busy: Signal = bits(1),
        /// One wire for all, with a resistor: open drain.
        inout sda: Pad = pad(1),
    }
}

/// Sends a byte on a wire that others may pull down too, and reads the wire back.
#[module]
fn node() -> Result<Design<NodePorts>, Errors> {
    let m = Module::new("node");
    let io = NodePorts::new(m);
    let left = m.reg_reset(bits(4), 0);
    let (byte, seen) = (m.reg(bits(8)), m.reg(bits(8)));
    let busy = left.ne(0);
    m.when(io.start, || {
        left.set(8);
        byte.set(io.data);
    });
    m.when(busy, || {
        left.set(left - 1);
        byte.set(byte << 1);
        seen.set(seen.trunc(7).cat(io.sda.input));
    });
    io.sda.open_drain(busy & !byte.msb());
    io.seen.set(seen);
    io.busy.set(busy);
    m.finish(io)
}

ports! {
    struct BusPorts() {
        input data_a: Signal = bits(8),
        input data_b: Signal = bits(8),
        input start: Signal = bits(1),
        output seen_a: Signal = bits(8),
        output seen_b: Signal = bits(8),
    }
}

/// Two nodes on one wire inside a module, which plays the resistor.
#[module]
fn bus() -> Result<Design<BusPorts>, Errors> {
    let m = Module::new("bus");
    let io = BusPorts::new(m);
    let node = node()?;
    let (a, b) = (m.instance(&node), m.instance(&node));
    let line = !(a.sda.enable | b.sda.enable);
    for (node, byte) in [(a, io.data_a), (b, io.data_b)] {
        node.data.set(byte);
        node.start.set(io.start);
        node.sda.input.set(line);
    }
    io.seen_a.set(a.seen);
    io.seen_b.set(b.seen);
    m.finish(io)
}

#[test]
fn two_modules_on_an_open_drain_wire() {
    let design = bus().unwrap_or_else(|e| panic!("{e}"));
    let mut sim = Simulator::new(&design);
    sim.reset(1);
    let mut send = |a: u64, b: u64| {
        [a, b, 1].into_iter().enumerate().for_each(|(port, value)| sim.poke(port, value));
        sim.step();
        sim.poke(2, 0);
        (0..8).for_each(|_| sim.step());
        [sim.peek(3), sim.peek(4)]
    };
    for (a, b) in [(0x5a, 0xff), (0xf0, 0x3c), (0, 0xaa)] {
        assert_eq!(send(a, b), [a & b; 2]);
    }
}

/// A test plays the wire.
#[test]
fn three_ports_in_simulation() {
    let design = node().unwrap_or_else(|e| panic!("{e}"));
    let mut sim = Simulator::new(&design);
    let names: Vec<String> = sim.ports().iter().map(|p| p.name.clone()).collect();
    assert_eq!(names, ["data", "start", "seen", "busy", "sda_out", "sda_enable", "sda_in"]);
    let rows: Vec<_> = design.port_table().map(|p| (p.name, p.input, p.pad, p.doc)).collect();
    assert_eq!(rows[4], ("sda_out", false, Some("sda"), "One wire for all, with a resistor: open drain."));
    assert_eq!(rows[6], ("sda_in", true, Some("sda"), ""));
    assert_eq!(rows[3].2, None);
    let [seen, out, enable, wire] = ["seen", "sda_out", "sda_enable", "sda_in"].map(|name| sim.port(name).unwrap());
    sim.reset(1);
    sim.poke(0, 0x6c);
    sim.poke(1, 1);
    sim.step();
    sim.poke(1, 0);
    for bit in (0..8).rev() {
        assert_eq!((sim.peek(out), sim.peek(enable)), (0, !0x6c >> bit & 1));
        // somebody else pulls down the last four bits
        let line = u64::from(sim.peek(enable) == 0 && bit > 3);
        sim.poke(wire, line);
        sim.step();
    }
    assert_eq!(sim.peek(seen), 0x60);
}

ports! {
    struct TopPorts() {
        input pull: Signal = bits(2),
        output seen: Signal = bits(4),
        inout sda: Pad = pad(1),
        inout gpio: Pad = pad(3),
    }
}

/// The pads of an instance go on to the top, with more beside them.
#[module]
fn top() -> Result<Design<TopPorts>, Errors> {
    let m = Module::new("top");
    let io = TopPorts::new(m);
    let node = m.instance(&node()?);
    node.data.set(0x55);
    node.start.set(io.pull.bit(0));
    io.sda.set(node.sda);
    m.port_domain(io.gpio.input, m.asynchronous());
    io.gpio.out.set(5);
    // an output that a process assigns
    m.when(io.pull.bit(1), || io.gpio.enable.set(3)).otherwise(|| io.gpio.enable.set(4));
    let seen = m.reg(bits(3));
    seen.set(m.cross(io.gpio.input, m.current_domain(), "a test"));
    io.seen.set(seen.cat(node.seen.bit(0)));
    m.finish(io)
}

#[test]
fn printed_for_each_family() {
    let design = top().unwrap_or_else(|e| panic!("{e}"));
    let families = [
        ("generic", Pads::Generic),
        ("signals", Pads::Signals),
        ("ice40", Pads::Ice40),
        ("ecp5", Pads::Ecp5),
        ("gowin", Pads::Gowin),
    ];
    for (name, pads) in families {
        let source = verilog(&design, &Options { pads, ..Options::default() });
        let (_, text) = source.files().last().expect("the top");
        compare("verilog", &format!("pads/{name}.v"), &text);
        let (_, inner) = source.files().next().expect("the node");
        assert!(!inner.contains("inout") && inner.contains("output wire sda_enable"), "{inner}");
    }
    let sdc = constraints(&design, &[]).expect("there is a crossing");
    assert!(sdc.contains("set_max_delay $crossing_delay -from [get_ports {gpio[*]}]"), "{sdc}");
}

#[track_caller]
fn reports(name: &str, errors: Errors) {
    compare("errors", &format!("pad_{name}.txt"), &stable(&errors.to_string()));
}

#[test]
#[module]
fn pads_of_instances_are_passed_on() {
    let m = Module::new("around");
    let io = BusPorts::new(m);
    io.data_b.unused();
    let (open, half) = (m.instance(&node().unwrap()), m.instance(&node().unwrap()));
    for node in [open, half] {
        node.data.set(io.data_a);
        node.start.set(io.start);
    }
    half.sda.input.set(1);
    io.seen_a.set(open.seen);
    io.seen_b.set(half.seen);
    reports("of_instance", m.finish(io).expect_err("the wires go nowhere"));
}

#[test]
fn foreign_modules_have_no_pads() {
    ports! {
        struct PhyPorts() {
            input go: Signal = bits(1),
            inout dp: Pad = pad(1),
        }
    }
    let f = Foreign::black_box("PHY");
    let io = PhyPorts::new(f);
    reports("foreign", f.finish(io).expect_err("a wire of both directions"));
    ports! {
        struct PlainPorts() {
            input go: Signal = bits(1),
        }
    }
    let f = Foreign::text("phy", "module phy (input go, inout dp); endmodule");
    let io = PlainPorts::new(f);
    reports("foreign_text", f.finish(io).expect_err("a wire of both directions"));
}

#[test]
fn names_of_pads() {
    ports! {
        struct ClashPorts() {
            input clk: Signal = bits(1),
            inout rst: Pad = pad(1),
            inout a: Pad = pad(1),
            inout a_in: Pad = pad(1),
        }
    }
    let m = Module::new("clash");
    let io = ClashPorts::new(m);
    io.clk.unused();
    for pad in [io.rst, io.a, io.a_in] {
        pad.open_drain(pad.input);
    }
    reports("names", m.finish(io).expect_err("names are taken"));
}

#[test]
fn names_of_cells_of_pads() {
    ports! {
        struct CellPorts() {
            input sda_pad: Signal = bits(1),
            inout sda: Pad = pad(1),
            inout scl: Pad = pad(1),
            inout scl_pad: Pad = pad(1),
        }
    }
    let m = Module::new("cells");
    let io = CellPorts::new(m);
    io.sda_pad.unused();
    for pad in [io.sda, io.scl, io.scl_pad] {
        pad.open_drain(pad.input);
    }
    reports("cells", m.finish(io).expect_err("names are taken"));
}
