//! Errors of foreign modules and black boxes: tests/errors/NAME.txt. `BLESS=1` renews the files.
#![allow(missing_docs)]

use crate::common;

use common::golden::{compare, stable};
use hdl::sim::Simulator;
use hdl::*;

ports! {
    pub struct CrcPorts(width: u32) {
        input data: Signal = bits(width),
        input last: Signal = bits(1),
        output crc: Signal = bits(8),
    }
}

const CRC: &str = "module crc8 #(parameter WIDTH = 8, parameter [3:0] STEPS = 4'd2, localparam HALF = WIDTH / 2) (
    input  wire             clk,
    input  wire [WIDTH-1:0] data,
    input  wire             last,
    output reg  [7:0]       crc
);
endmodule

module helper;
endmodule
";

#[track_caller]
fn compare_errors<P>(name: &str, result: Result<Design<P>, Errors>) {
    let errors = result.expect_err("there is a mistake");
    compare("errors", &format!("{name}.txt"), &stable(&errors.to_string()));
}

/// Declares the ports of `crc8` for a text, after `build`.
#[track_caller]
fn reports(name: &str, text: &str, width: u32, build: impl FnOnce(Foreign)) {
    let f = Foreign::text("crc8", text);
    build(f);
    let io = CrcPorts::new(f, width);
    compare_errors(name, f.finish(io));
}

fn clocked(f: Foreign) {
    f.clock("clk");
}

#[test]
fn what_is_right_passes() {
    for (width, set) in [(8, false), (16, true)] {
        let f = Foreign::text("crc8", CRC);
        clocked(f);
        if set {
            f.parameter("WIDTH", width);
        }
        let io = CrcPorts::new(f, width);
        f.finish(io).unwrap_or_else(|e| panic!("{e}"));
    }
}

mod ports_and_text {
    use super::*;

    #[test]
    fn widths() {
        reports("foreign_width", CRC, 16, clocked);
        reports("foreign_width_of_parameter", CRC, 16, |f| {
            f.clock("clk");
            f.parameter("WIDTH", 12);
        });
        reports("foreign_width_unknown", &CRC.replace("WIDTH-1", "max(WIDTH)"), 8, clocked);
    }

    #[test]
    fn names_and_directions() {
        reports(
            "foreign_names",
            &CRC.replace("data,", "word,").replace(" crc\n", " crc,\n    input [1:0] mode\n"),
            8,
            clocked,
        );
        reports(
            "foreign_direction",
            &CRC.replace("input  wire             last", "output last").replace("output reg  [7:0]", "inout [7:0]"),
            8,
            clocked,
        );
        reports("foreign_no_clock", CRC, 8, |_| ());
    }

    #[test]
    fn modules() {
        reports("foreign_no_module", &CRC.replace("crc8", "crc9"), 8, clocked);
        reports("foreign_two_modules", &CRC.replace("helper", "crc8"), 8, clocked);
    }

    #[test]
    fn what_cannot_be_read() {
        reports("foreign_directive", &format!("`define A 1\n{CRC}"), 8, clocked);
        reports("foreign_system_verilog", &CRC.replace("wire [", "logic ["), 8, clocked);
    }
}

#[test]
fn parameters() {
    reports("foreign_parameters", CRC, 8, |f| {
        f.clock("clk");
        f.parameter("WIDHT", 16);
        f.parameter("HALF", 4);
        f.parameter("STEPS", 16);
    });
    reports("foreign_parameter_values", CRC, 8, |f| {
        f.clock("clk");
        f.parameter("WIDTH", 1i64 << 31);
        f.parameter("STEPS", (16u32, 4));
        f.parameter("NAME", "a \"quoted\" text");
    });
    reports("foreign_parameter_text", CRC, 8, |f| {
        f.clock("clk");
        f.parameter("WIDTH", "eight");
    });
}

#[test]
fn names() {
    let f = Foreign::black_box("8bit");
    f.clock("clk");
    f.clock("clk");
    f.parameter("a b", 1);
    let io = CrcPorts::new(f, 8);
    f.pin(io.data, "wire");
    compare_errors("foreign_illegal_names", f.finish(io));
}

#[test]
fn something_is_built() {
    let f = Foreign::black_box("crc8");
    let io = CrcPorts::new(f, 8);
    io.crc.set(io.data);
    compare_errors("foreign_built", f.finish(io));
}

fn crc8(text: &str) -> Design<CrcPorts> {
    let f = Foreign::text("crc8", text);
    f.clock("clk");
    let io = CrcPorts::new(f, 8);
    f.finish(io).unwrap_or_else(|e| panic!("{e}"))
}

/// A module of this name around foreign ones, one after the other.
#[module]
fn chain(name: &str, units: &[Design<CrcPorts>]) -> Result<Design<CrcPorts>, Errors> {
    let m = Module::new(name);
    let io = CrcPorts::new(m, 8);
    io.last.unused();
    let mut word = io.data;
    for unit in units {
        let unit = m.instance(unit);
        unit.data.set(word);
        unit.last.set(io.last);
        word = unit.crc;
    }
    io.crc.set(word);
    m.finish(io)
}

#[test]
fn names_of_the_hierarchy() {
    let f = Foreign::black_box("helper");
    let io = CrcPorts::new(f, 8);
    let helper = f.finish(io).unwrap();
    compare_errors("foreign_same_name", chain("top", &[crc8(CRC), crc8(&CRC.replace("HALF", "THIRD"))]));
    compare_errors("foreign_name_of_a_helper", chain("top", &[crc8(CRC), helper]));
    let inner = chain("helper", &[]).unwrap();
    compare_errors("foreign_name_of_a_module", chain("crc8", &[crc8(CRC), inner]));
    assert!(chain("top", &[crc8(CRC), crc8(CRC)]).is_ok(), "one text twice");
}

#[test]
#[module]
fn models() {
    let f = Foreign::text("crc8", CRC);
    f.clock("clk");
    let io = CrcPorts::new(f, 8);
    let m = Module::new("crc8_model");
    let model_io = CrcPorts::new(m, 9);
    [model_io.data, model_io.last].into_iter().for_each(Signal::unused);
    model_io.crc.set(0);
    f.model(&m.finish(model_io).unwrap());
    compare_errors("foreign_model_ports", f.finish(io));

    let f = Foreign::black_box("crc8");
    f.clock("CLK");
    let io = CrcPorts::new(f, 8);
    let m = Module::new("crc8_model");
    let model_io = CrcPorts::new(m, 8);
    let held = m.in_domain(m.clock_domain("other_clk", "other_rst"), || m.reg(bits(8)));
    held.set(m.cross(model_io.data, m.clock_domain("other_clk", "other_rst"), "a test"));
    model_io.crc.set(held);
    model_io.last.unused();
    f.model(&m.finish(model_io).unwrap());
    compare_errors("foreign_model_clock", f.finish(io));

    let f = Foreign::black_box("crc8");
    f.clock("CLK");
    let io = CrcPorts::new(f, 8);
    let m = Module::new("crc8_model");
    let model_io = CrcPorts::new(m, 8);
    let held = m.reg_reset(bits(8), 0);
    held.set(model_io.data);
    model_io.crc.set(held);
    model_io.last.unused();
    f.model(&m.finish(model_io).unwrap());
    compare_errors("foreign_model_reset", f.finish(io));
}

#[test]
fn the_simulator_has_no_model() {
    let f = Foreign::black_box("primitive8");
    let io = CrcPorts::new(f, 8);
    let primitive = f.finish(io).unwrap();
    let inner = chain("inner", &[crc8(CRC)]).unwrap();
    let top = chain("top", &[primitive, inner]).unwrap();
    let errors = Simulator::try_new(&top).expect_err("there is no model");
    compare("errors", "foreign_simulator.txt", &stable(&errors.to_string()));
}

/// The second name would replace the first.
#[test]
fn names_given_twice() {
    let f = Foreign::black_box("crc8");
    let clock = f.clock("clk");
    f.reset(clock, "rst");
    f.reset_low(clock, "rst_n");
    let io = CrcPorts::new(f, 8);
    f.pin(io.data, "D");
    f.pin_per_bit(io.data, "DATA");
    f.pin(io.last, "D");
    compare_errors("foreign_names_twice", f.finish(io));
}
