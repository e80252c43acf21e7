//! Errors of what goes over a module's edges and was taken in silence once: other clocks, foreign models, names, outputs. tests/errors/NAME.txt;
//! `BLESS=1` renews the files.
#![allow(missing_docs, non_snake_case)]

use crate::common;

use common::golden::{compare, stable};
use common::mistakes::{Io, reports};
use hdl::*;

#[track_caller]
fn crossing(name: &str, build: impl FnOnce(Module, Io, ClockDomain) -> Signal) {
    reports(name, |m, io| {
        let rx = m.clock_domain("rx_clk", "rx_rst");
        let seen = m.in_domain(rx, || m.reg(bits(8)));
        m.port_domain(io.y, rx);
        seen.set(build(m, io, rx));
        io.y.set(seen);
    });
}

ports! {
    struct TakerPorts() {
        input d: Signal = bits(8),
        output q: Signal = bits(8),
    }
}

/// A register that takes an input of any clock.
#[module]
fn taker() -> Design<TakerPorts> {
    let m = Module::new("taker");
    let io = TakerPorts::new(m);
    let taken = m.reg(bits(8));
    taken.set(m.cross(!io.d, m.current_domain(), "a test"));
    io.q.set(taken);
    m.finish(io).unwrap()
}

/// Logic in front of a crossing may be seen as what it never is.
#[test]
#[module]
fn logic_that_crosses() {
    crossing("crossing_of_logic", |m, io, rx| {
        let sum = io.a + 1;
        m.cross(sum, rx, "a test")
    });
    crossing("crossing_of_a_choice", |m, io, rx| {
        let chosen = m.wire(bits(8));
        chosen.set(io.a);
        m.when(io.c, || chosen.set(io.b.zext(8)));
        m.cross(chosen, rx, "a test")
    });
    crossing("crossing_of_logic_in_an_instance", |m, io, rx| {
        let unit = m.instance(&taker()).connect_clock("clk", rx);
        unit.d.set(io.a ^ io.b.zext(8));
        unit.q
    });
    crossing("crossing_out_of_an_instance", |m, io, rx| {
        let unit = m.instance(&common::mistakes::increment(false));
        unit.x.set(io.a);
        unit.hint.set(0);
        m.cross(unit.y, rx, "a test")
    });
}

/// Bits, complements and concatenations are wires, or one gate for each bit.
#[test]
#[module]
fn wires_that_cross() {
    let m = Module::new("example");
    let io = Io::new(m);
    let rx = m.clock_domain("rx_clk", "rx_rst");
    let (seen, through) = m.in_domain(rx, || (m.reg(bits(8)), m.reg(bits(8))));
    m.port_domain(io.y, rx);
    let count = m.reg_reset(bits(8), 0);
    count.set(count + 1);
    let mixed = m.wire(bits(8));
    mixed.bits(3, 0).set(io.b);
    mixed.bits(7, 4).set(!count.bits(6, 3));
    seen.set(m.cross(mixed, rx, "a test"));
    let unit = m.instance(&taker()).connect_clock("clk", rx);
    unit.d.set(io.a & 0x7f);
    let named = common::mistakes::increment(true);
    let sum = m.instance(&named);
    sum.x.set(count);
    sum.hint.set(0);
    through.set(m.cross(sum.y, rx, "a test"));
    let bit = m.in_domain(rx, || m.reg(bits(1)));
    bit.set(m.cross(io.c, rx, "a test"));
    io.y.set(seen + unit.q + through + bit.zext(8));
    m.finish(io).unwrap_or_else(|e| panic!("{e}"));
}

ports! {
    struct PathPorts() {
        input x: Signal = bits(8),
        output y: Signal = bits(8),
    }
}

#[module]
fn inverter() -> Design<PathPorts> {
    let m = Module::new("inverter_model");
    let io = PathPorts::new(m);
    io.y.set(!io.x);
    m.finish(io).unwrap()
}

fn box_with_a_path(stated: bool) -> Result<Design<PathPorts>, Errors> {
    let f = Foreign::black_box("INVERTER");
    f.clock("CLK");
    let io = PathPorts::new(f);
    if stated {
        f.combinational(io.x, io.y);
    }
    f.model(&inverter());
    f.finish(io)
}

/// With the way that the model has, a loop is seen where the module is used; without, the simulator would stop.
#[test]
#[module]
fn a_model_with_a_way_that_is_not_stated() {
    let errors = box_with_a_path(false).expect_err("it has a way through");
    compare("errors", "foreign_model_path.txt", &stable(&errors.to_string()));
    reports("foreign_model_loop", |m, io| {
        let unit = m.instance(&box_with_a_path(true).unwrap());
        unit.x.set(unit.y);
        io.y.set(unit.y);
    });
}

ports! {
    struct OwnPorts() {
        input a: Signal = bits(8),
        output same: Signal = bits(8),
    }
}

ports! {
    struct EvalPorts() {
        input eval: Signal = bits(8),
        output name: Signal = bits(8),
    }
}

/// Verilator stops at such names.
#[test]
#[module]
fn names_that_are_taken() {
    let m = Module::new("same");
    let io = OwnPorts::new(m);
    io.same.set(io.a);
    let errors = m.finish(io).expect_err("the port is called as the module");
    compare("errors", "port_called_as_its_module.txt", &stable(&errors.to_string()));

    let m = Module::new("example");
    let io = EvalPorts::new(m);
    io.name.set(io.eval);
    let errors = m.finish(io).expect_err("Verilator has such names");
    compare("errors", "port_called_as_in_a_model.txt", &stable(&errors.to_string()));

    let m = Module::new("clk");
    let io = PathPorts::new(m);
    m.clock_domain("other", "clk");
    io.y.set(io.x);
    let errors = m.finish(io).expect_err("the module is called as its clock");
    compare("errors", "module_called_as_its_clock.txt", &stable(&errors.to_string()));
}

/// Inside it is renamed.
#[test]
#[module]
fn a_signal_that_is_called_as_its_module() {
    let m = Module::new("inner");
    let io = PathPorts::new(m);
    let inner = !io.x;
    io.y.set(inner ^ (inner >> 1));
    let design = m.finish(io).unwrap();
    let text = verilog(&design, &Options::default()).single();
    assert!(text.contains("wire [7:0] inner_1 = ~x;"), "{text}");
}

ports! {
    struct UnlikePorts() {
        input a: Signal = bits(8),
        output early: Signal = bits(8),
        output late: Signal = bits(8),
    }
}

/// An output after a cycle and one after two; what is stated of them.
fn unlike(stated: &[(bool, u32)]) -> Result<Design<UnlikePorts>, Errors> {
    let m = Module::new("unlike");
    let io = UnlikePorts::new(m);
    let p = m.pipeline("sum");
    let a = p.enter(io.a).next();
    io.early.set(p.leave(a));
    io.late.set(p.leave((a + 1).next()));
    stated.iter().for_each(|(late, cycles)| m.latency_of(if *late { io.late } else { io.early }, *cycles));
    m.finish(io)
}

/// What comes in one cycle is taken for one item.
#[test]
fn outputs_of_unlike_stages() {
    let refused = |name: &str, stated: &[(bool, u32)]| {
        let errors = unlike(stated).expect_err("the outputs come at other times");
        compare("errors", &format!("{name}.txt"), &stable(&errors.to_string()));
    };
    refused("outputs_of_unlike_stages", &[]);
    refused("outputs_of_unlike_stages_stated_once", &[(false, 1)]);
    refused("outputs_of_unlike_stages_stated_wrong", &[(false, 1), (true, 3)]);
    assert!(unlike(&[(false, 1), (true, 2)]).is_ok());
    reports("latency_of_no_output", |m, io| {
        m.latency_of(io.a, 1);
        io.y.set(io.a);
    });
}

ports! {
    struct FlowPorts() {
        input s: Stream = stream(bits(8)),
        output m: Stream = stream(bits(8)),
    }
}

/// A stream has no latency to state.
#[test]
#[module]
fn a_latency_of_a_stream() {
    let m = Module::new("example");
    let io = FlowPorts::new(m);
    m.latency_of(io.m, 1);
    let (p, x) = m.pipeline_stream("add", io.s, Elastic::default());
    p.leave_stream(x.next(), io.m);
    let errors = m.finish(io).expect_err("a stream waits");
    compare("errors", "latency_of_a_stream.txt", &stable(&errors.to_string()));
}

/// A condition stays one, whatever its outcome.
#[test]
#[module]
fn an_assignment_under_what_is_always_true() {
    reports("latch_under_a_decided_condition", |m, io| {
        m.when(io.a.ge(0), || io.y.set(3));
    });
    reports("latch_under_another_decided_condition", |m, io| {
        m.when(io.a.gt(255), || io.y.set(3));
    });
}

/// Where a number decides a choice, or chooses among numbers, nothing can glitch.
#[test]
#[module]
fn crossing_of_a_choice_by_numbers() {
    let m = Module::new("example");
    let io = Io::new(m);
    [io.b, io.c].into_iter().for_each(Signal::unused);
    let fast = m.clock_domain("fast", "fast_rst");
    let (flag, word) = (m.reg_reset(bits(1), 0), m.reg_reset(bits(8), 0));
    flag.set(io.c);
    word.set(io.a);
    let chosen = m.cross(m.lit(1u32, 1).mux(word, !word), fast, "it stands while it is looked at");
    let code = m.cross(flag.mux(m.lit(3u32, 8), m.lit(5u32, 8)), fast, "any of both will do");
    let both = m.in_domain(fast, || {
        let (one, other) = (m.reg_reset(bits(8), 0), m.reg_reset(bits(8), 0));
        one.set(chosen);
        other.set(code);
        one ^ other
    });
    m.port_domain(io.y, fast);
    io.y.set(both);
    m.finish(io).unwrap_or_else(|e| panic!("{e}"));
}

ports! {
    #[allow(non_snake_case)]
    struct ModelPorts() {
        input CData: Signal = bits(8),
        input INT_MAX: Signal = bits(8),
        input uint8_t: Signal = bits(8),
        input Vexample: Signal = bits(8),
        output linux: Signal = bits(8),
    }
}

/// Verilator, or the C++ compiler behind it, stops at such names.
#[test]
#[module]
fn names_of_models_and_their_library() {
    let m = Module::new("example");
    let io = ModelPorts::new(m);
    io.linux.set(io.CData + io.INT_MAX + io.uint8_t + io.Vexample);
    let errors = m.finish(io).expect_err("its C++ has such names");
    compare("errors", "ports_called_as_in_the_library.txt", &stable(&errors.to_string()));

    for name in ["TOP", "std"] {
        let m = Module::new(name);
        let io = PathPorts::new(m);
        io.y.set(io.x);
        let errors = m.finish(io).expect_err("Verilator has such a module");
        compare("errors", &format!("module_called_{}.txt", name.to_lowercase()), &stable(&errors.to_string()));
    }
}

ports! {
    #[allow(non_snake_case)]
    struct PadPorts() {
        inout Vexample: Pad = pad(1),
        output y: Signal = bits(1),
    }
}

/// Verilator calls its C++ of a module `example` so.
#[test]
#[module]
fn pads_and_clocks_that_are_called_as_the_model() {
    let m = Module::new("example");
    let io = PadPorts::new(m);
    io.Vexample.out.set(0);
    io.Vexample.enable.set(0);
    io.y.set(io.Vexample.input);
    let errors = m.finish(io).expect_err("the class is called as a pad");
    compare("errors", "pad_called_as_the_model.txt", &stable(&errors.to_string()));

    for (name, clock, reset) in [("clock", "Vexample", "clear"), ("reset", "edge_2", "Vexample")] {
        let m = Module::new("example");
        let io = PathPorts::new(m);
        m.clock_domain(clock, reset);
        io.y.set(io.x);
        let errors = m.finish(io).expect_err("the class is called as a clock or reset");
        compare("errors", &format!("{name}_called_as_the_model.txt"), &stable(&errors.to_string()));
    }
}
