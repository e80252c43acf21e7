//! Foreign modules and black boxes: how they are printed, and how their models run. `BLESS=1` renews tests/verilog/foreign.
#![allow(missing_docs)]

use crate::common;

use crate::common::numbers;

use common::golden;
use common::scaler::{SCALER, scaler};
use hdl::engine::Engine;
use hdl::sim::Simulator;
use hdl::*;

ports! {
    pub struct TwoPorts() {
        input a: Signal = bits(8),
        input b: Signal = bits(4),
        input enable: Signal = bits(1),
        output y: Signal = bits(16),
        output z: Signal = bits(8),
    }
}

/// Two instances with different parameters.
#[module]
fn two_scalers() -> Result<Design<TwoPorts>, Errors> {
    let m = Module::new("two_scalers");
    let io = TwoPorts::new(m);
    let wide = m.instance(&scaler(8, 200)?);
    wide.x.set(io.a + 1);
    wide.enable.set(io.enable);
    io.y.set(wide.y);
    let narrow = m.instance(&scaler(4, 3)?);
    narrow.x.set(io.b);
    narrow.enable.set(1);
    io.z.set(narrow.y);
    m.finish(io)
}

/// A pipeline that stands holds a foreign module by the input that it names.
#[test]
fn a_foreign_module_stands_with_its_pipeline() {
    let mut sim = Simulator::new(&held_scaler().unwrap_or_else(|e| panic!("{e}")));
    let mut random = numbers::Random::new(1);
    let mut items = vec![];
    for _ in 0..200 {
        let (a, advance) = (random.below(256), random.below(2));
        [a, 0, advance].into_iter().enumerate().for_each(|(port, value)| sim.poke(port, value));
        sim.step();
        items.extend((advance == 1).then_some(a));
        if let Some(last) = items.last() {
            assert_eq!([sim.peek(3), sim.peek(4)], [last * 200, *last]);
        }
    }
}

#[module]
fn held_scaler() -> Result<Design<TwoPorts>, Errors> {
    let m = Module::new("held_scaler");
    let io = TwoPorts::new(m);
    io.b.unused();
    let p = m.pipeline_enabled("scale", io.enable);
    let a = p.enter(io.a);
    let wide = m.instance(&scaler(8, 200)?);
    wide.x.set(a); // nobody connects `enable`
    io.y.set(p.leave(wide.y));
    io.z.set(p.leave(a.meet(wide.y)));
    m.finish(io)
}

/// The text stands in a file of its own, as it was given, before the modules that use it.
#[test]
fn the_text_is_printed_once_and_as_it_is() {
    let design = two_scalers().unwrap_or_else(|e| panic!("{e}"));
    let header = vec!["Printed by a test of kvforge-hdl.".to_string()];
    let source = verilog(&design, &Options { header, ..Options::default() });
    let files: Vec<(String, String)> = source.files().collect();
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!((names.as_slice(), source.top(), source.len()), (&["scaler.v", "two_scalers.v"][..], "two_scalers", 2));
    assert_eq!(files[0].1, SCALER);
    golden::compare("verilog", "foreign/two_scalers.v", &files[1].1);
    golden::compare("verilog", "foreign/files.txt", &(names.join("\n") + "\n"));
    let single = source.single();
    assert_eq!((single.matches("module scaler ").count(), single.matches("module two_scalers").count()), (1, 1));
}

/// Directives of a text reach no module that is printed or read behind it.
#[test]
#[module]
fn directives_end_with_their_text() {
    let foreign = |name: &str, directives: &str| {
        let text = format!("{directives}module {name} (input [3:0] d, output [3:0] q); assign q = ~d; endmodule");
        let f = Foreign::text(name, text);
        let io = CrossPorts::new(f);
        f.finish(io).unwrap_or_else(|e| panic!("{e}"))
    };
    let m = Module::new("around");
    let io = CrossPorts::new(m);
    let first = m.instance(&foreign("first", "`timescale 1ns / 10ps // of ours\n`default_nettype none\n`celldefine\n"));
    let second = m.instance(&foreign("second", ""));
    first.d.set(io.d);
    second.d.set(first.q);
    io.q.set(second.q);
    let source = verilog(&m.finish(io).unwrap_or_else(|e| panic!("{e}")), &Options::default());
    let printed = "`resetall\n`timescale 1ns / 10ps\n`default_nettype none\n\nmodule around (";
    let files: Vec<(String, String)> = source.files().collect();
    assert!(files[0].1.starts_with("`timescale") && files[1].1.starts_with("module second"), "they are as they were");
    assert!(files[2].1.starts_with(printed), "{}", files[2].1);
    let single = source.single();
    let beginnings = ["`resetall\n`timescale", "`resetall\nmodule second (", printed];
    let places = beginnings.map(|part| single.find(part).unwrap_or_else(|| panic!("{part} in {single}")));
    assert!(places.is_sorted() && places[0] == 0, "{single}");
}

/// The reset of the text has its polarity whatever the design has.
#[test]
fn the_reset_is_connected_with_its_polarity() {
    let design = two_scalers().unwrap();
    for (low, wanted) in [(false, ".reset_n(!rst)"), (true, ".reset_n(rst_n)")] {
        let reset = Reset { asynchronous: false, active_low: low };
        let text = verilog(&design, &Options { reset, ..Options::default() }).single();
        assert_eq!(text.matches(wanted).count(), 2, "{text}");
    }
}

#[test]
fn the_model_runs_in_the_simulator() {
    let design = two_scalers().unwrap();
    let mut sim = Simulator::new(&design);
    let port = |signal| design.port_index(signal).unwrap();
    sim.reset(1);
    for (signal, value) in [(design.ports.a, 6), (design.ports.b, 5), (design.ports.enable, 1)] {
        sim.poke(port(signal), value);
    }
    sim.step();
    assert_eq!((sim.peek(port(design.ports.y)), sim.peek(port(design.ports.z))), (1400, 15));
    assert!(sim.find("wide.product").is_some(), "the signals of the model can be seen");
    // the foreign module by itself, too
    let alone = scaler(8, 3).unwrap();
    let mut sim = Simulator::new(&alone);
    sim.poke(alone.port_index(alone.ports.x).unwrap(), 5);
    sim.poke(alone.port_index(alone.ports.enable).unwrap(), 1);
    sim.step();
    assert_eq!(sim.peek(alone.port_index(alone.ports.y).unwrap()), 15);
}

ports! {
    pub struct MultPorts() {
        input a: Signal = bits(18),
        input b: Signal = bits(18),
        output p: Signal = bits(36),
    }
}

/// A multiplier of the ECP5, whose bits are ports of their own.
fn mult(with_model: bool) -> Result<Design<MultPorts>, Errors> {
    let f = Foreign::black_box("MULT18X18D");
    f.parameter("REG_OUTPUT_CLK", "NONE");
    f.parameter("MULT_BYPASS", "DISABLED");
    f.parameter("LEVEL", -3);
    f.parameter("MASK", (0xfedu32, 12));
    let io = MultPorts::new(f);
    f.pin_per_bit(io.a, "A");
    f.pin_per_bit(io.b, "B");
    f.pin_per_bit(io.p, "P");
    if with_model {
        f.model(&mult_model()?);
    }
    f.finish(io)
}

#[module]
fn mult_model() -> Result<Design<MultPorts>, Errors> {
    let m = Module::new("mult18x18_model");
    let io = MultPorts::new(m);
    io.p.set(io.a * io.b);
    m.finish(io)
}

#[module]
fn square(with_model: bool) -> Result<Design<MultPorts>, Errors> {
    let m = Module::new("square");
    let io = MultPorts::new(m);
    let unit = m.instance(&mult(with_model)?);
    unit.a.set(io.a ^ io.b);
    unit.b.set(io.b);
    io.p.set(unit.p);
    m.finish(io)
}

#[test]
fn a_black_box_is_connected_bit_by_bit() {
    let design = square(true).unwrap_or_else(|e| panic!("{e}"));
    let source = verilog(&design, &Options::default());
    let text = source.single();
    for part in [
        "MULT18X18D #(\n        .REG_OUTPUT_CLK(\"NONE\"),\n        .MULT_BYPASS(\"DISABLED\"),\n        .LEVEL(-3),\n        .MASK(12'hfed)\n    ) unit (",
        ".A0(unit_a[0])",
        ".A17(unit_a[17])",
        ".B17(unit_b[17])",
        ".P35(unit_p[35])\n    );",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert_eq!(source.len(), 1, "a black box is not printed");
    assert_eq!(design.combinational_paths(), [("a", "p"), ("b", "p")], "without a clock, all inputs reach all outputs");
    // for a simulator, the model stands in its place
    let text = verilog(&design, &Options { models: true, ..Options::default() }).single();
    assert!(text.contains("mult18x18_model unit (") && text.contains("module mult18x18_model"), "{text}");
    let mut sim = Simulator::new(&design);
    sim.poke(0, 7 ^ 100_000);
    sim.poke(1, 100_000);
    assert_eq!(sim.peek(2), 700_000);
}

/// The message is tested with those of other mistakes; here, that it is a value and a panic.
#[test]
fn without_a_model_the_simulator_refuses() {
    let design = square(false).unwrap();
    let errors = Simulator::try_new(&design).unwrap_err().to_string();
    assert!(errors.contains("cannot run `unit`, an instance of the black box `MULT18X18D`"), "{errors}");
    let panic = std::panic::catch_unwind(|| Simulator::new(&design)).unwrap_err();
    assert_eq!(*panic.downcast::<String>().unwrap(), errors);
}

ports! {
    pub struct CrossPorts() {
        input d: Signal = bits(4),
        output q: Signal = bits(4),
    }
}

/// Two clocks; the second is connected by its name, or with `connect_clock`.
fn crossing() -> Result<Design<CrossPorts>, Errors> {
    let f = Foreign::text(
        "crossing",
        "module crossing (input wr_clk, rd_clk, input [3:0] d, output reg [3:0] q);
            reg [3:0] held;
            always @(posedge wr_clk) held <= d;
            always @(posedge rd_clk) q <= held;
        endmodule",
    );
    f.clock("wr_clk");
    let read = f.clock("rd_clk");
    let io = CrossPorts::new(f);
    f.port_domain(io.q, read);
    f.finish(io)
}

#[test]
#[module]
fn clocks_are_connected_and_checked() {
    let build = |right: bool| {
        let m = Module::new("reader");
        let other = m.clock_domain("fast_clk", "fast_rst");
        let io = CrossPorts::new(m);
        if right {
            m.port_domain(io.q, other);
        }
        let unit = m.instance(&crossing().unwrap()).named("unit").connect_clock("rd_clk", other);
        unit.d.set(io.d);
        let taken = if right { m.in_domain(other, || m.reg(bits(4))) } else { m.reg(bits(4)) };
        taken.set(unit.q);
        io.q.set(taken);
        m.finish(io)
    };
    let text = verilog(&build(true).unwrap_or_else(|e| panic!("{e}")), &Options::default()).single();
    assert!(text.contains(".wr_clk(clk),\n        .rd_clk(fast_clk)"), "{text}");
    let errors = build(false).unwrap_err().to_string();
    assert!(errors.contains("`unit_q` (4 bits) of clock `fast_clk` is used by"), "{errors}");
}

/// Ports with names that are none in Rust, paths through a module with a clock, a loop that they make.
#[test]
#[module]
fn names_and_paths() {
    let text = "module bus$unit (input clk, input [3:0] in$data, output [3:0] \\out , q); endmodule";
    let f = Foreign::text("bus$unit", text);
    f.clock("clk");
    let io = CrossPorts::new(f);
    f.pin(io.d, "in$data");
    assert!(f.finish(io).unwrap_err().to_string().contains("cannot be read"), "an escaped name");

    let build = |combinational: bool| {
        let f =
            Foreign::text("bus$unit", "module bus$unit (input clk, input [3:0] in$data, output [3:0] q); endmodule");
        f.clock("clk");
        let io = CrossPorts::new(f);
        f.pin(io.d, "in$data");
        if combinational {
            f.combinational(io.d, io.q);
        }
        let unit = f.finish(io).unwrap_or_else(|e| panic!("{e}"));
        let m = Module::new("around");
        let io = CrossPorts::new(m);
        let unit = m.instance(&unit).named("unit");
        unit.d.set(unit.q ^ io.d);
        io.q.set(unit.q);
        m.finish(io)
    };
    let text = verilog(&build(false).unwrap_or_else(|e| panic!("{e}")), &Options::default()).single();
    assert!(text.contains(".in$data(unit_q ^ d)"), "{text}");
    assert!(build(true).unwrap_err().to_string().contains("a combinational loop"));
}
