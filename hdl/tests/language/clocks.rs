//! Modules of several clocks: what is legal, how it is printed and how it runs.
#![allow(missing_docs)]

use hdl::engine::Engine;
use hdl::sim::Simulator;
use hdl::*;

ports! {
    struct IncrementPorts() {
        input x: Signal = bits(8),
        output y: Signal = bits(8),
    }
}

/// Adds 1 in the same cycle, or in the next.
#[module]
fn increment(registered: bool) -> Design<IncrementPorts> {
    let m = Module::new(if registered { "increment_r" } else { "increment" });
    let io = IncrementPorts::new(m);
    if registered {
        let sum = m.reg_reset(bits(8), 0);
        sum.set(io.x + 1);
        io.y.set(sum);
    } else {
        io.y.set(io.x + 1);
    }
    m.finish(io).unwrap()
}

ports! {
    struct TwoPorts() {
        input a: Signal = bits(8),
        input b: Signal = bits(8),
        output from_a: Signal = bits(8),
        output from_b: Signal = bits(8),
        output mixed: Signal = bits(8),
    }
}

/// Two copies of one module, each with its own clock, and a crossing between them.
#[module]
fn two() -> Result<Design<TwoPorts>, Errors> {
    let m = Module::new("two");
    let io = TwoPorts::new(m);
    let fast = m.clock_domain("fast_clk", "fast_rst");
    m.port_domain((io.b, io.from_b), fast);
    let unit = increment(true);
    let slow_unit = m.instance(&unit);
    let fast_unit = m.in_domain(fast, || m.instance(&unit));
    slow_unit.x.set(io.a);
    // a module without registers belongs to whatever comes in
    let plain = m.instance(&increment(false));
    plain.x.set(io.b);
    fast_unit.x.set(plain.y);
    io.from_a.set(slow_unit.y);
    io.from_b.set(fast_unit.y);
    let taken = m.reg(bits(8));
    taken.set(m.cross(fast_unit.y, m.current_domain(), "a test") ^ slow_unit.y);
    io.mixed.set(taken);
    m.finish(io)
}

/// The module in which both clocks are others.
#[module]
fn around() -> Result<Design<TwoPorts>, Errors> {
    let m = Module::new("around");
    let (left, right) = (m.clock_domain("left_clk", "left_rst"), m.clock_domain("right_clk", "right_rst"));
    let io = m.in_domain(left, || TwoPorts::new(m));
    m.port_domain((io.b, io.from_b), right);
    let two = m.instance(&two()?).connect_clock("clk", left).connect_clock("fast_clk", right);
    two.a.set(io.a);
    two.b.set(io.b);
    io.from_a.set(two.from_a);
    io.from_b.set(two.from_b);
    io.mixed.set(two.mixed);
    m.finish(io)
}

#[test]
fn clocks_of_instances_are_connected() {
    let design = around().unwrap_or_else(|e| panic!("{e}"));
    let clocks: Vec<_> = design.clocks().collect();
    assert_eq!(clocks, [("left_clk", Some("left_rst")), ("right_clk", Some("right_rst"))]);
    let text = verilog(&design, &Options::default()).single();
    for part in [".clk(left_clk)", ".rst(left_rst)", ".fast_clk(right_clk)", ".clk(fast_clk)", ".rst(fast_rst)"] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let low = Options { reset: Reset { asynchronous: false, active_low: true }, ..Options::default() };
    assert!(verilog(&design, &low).single().contains(".fast_rst_n(right_rst_n)"));
}

#[test]
fn each_clock_moves_its_own_registers() {
    let design = around().unwrap_or_else(|e| panic!("{e}"));
    let mut sim = Simulator::new(&design);
    let port = |signal| design.port_index(signal).unwrap();
    let (a, b) = (port(design.ports.a), port(design.ports.b));
    let out = [design.ports.from_a, design.ports.from_b, design.ports.mixed].map(port);
    assert_eq!(sim.clocks(), ["left_clk", "right_clk"]);
    sim.reset(1);
    sim.poke(a, 10);
    sim.poke(b, 20);
    let mut after = |clocks| {
        sim.edge(clocks);
        out.map(|p| sim.peek(p))
    };
    assert_eq!(after(0b10)[..2], [0, 22], "only the fast clock");
    assert_eq!(after(0b01), [11, 22, 22], "only the slow clock");
    assert_eq!(after(0b01), [11, 22, 22 ^ 11]);
}

#[test]
fn crossings_are_listed_with_the_clocks_of_the_top() {
    let design = around().unwrap_or_else(|e| panic!("{e}"));
    let crossing = Crossing {
        instance: "two".into(),
        signal: "fast_unit_y".into(),
        width: 8,
        from: Some("right_clk".into()),
        port: None,
        to: "left_clk".into(),
        reason: "a test".into(),
    };
    assert_eq!(design.crossings(), [crossing]);
}

/// An input that crosses at once belongs to no clock: that is what the input of a synchronizer is.
#[test]
#[module]
fn an_input_that_only_crosses_takes_any_clock() {
    let m = Module::new("taker");
    let io = IncrementPorts::new(m);
    let taken = m.reg(bits(8));
    taken.set(m.cross(io.x, m.current_domain(), "a test"));
    io.y.set(taken);
    let taker = m.finish(io).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!((taker.crossings()[0].from.clone(), taker.crossings()[0].port.as_deref()), (None, Some("x")));
    let expected = "\
# Crossings between clocks of taker. The clocks have the names of their ports.
# Bits that cross together may differ by less than a period of the clock that they come from: no path between the clocks takes
# longer than this, in nanoseconds. 5.0 is right for up to 200 MHz.
set crossing_delay 5.0

#   x to clk: x, 8 bits (a test)
set_max_delay $crossing_delay -from [get_ports {x[*]}]
set_false_path -hold -from [get_ports {x[*]}]
";
    assert_eq!(constraints(&taker, &[]).as_deref(), Some(expected));

    let m = Module::new("top");
    let io = IncrementPorts::new(m);
    let other = m.clock_domain("other_clk", "other_rst");
    let count = m.in_domain(other, || m.reg_reset(bits(8), 0));
    count.set(count + io.x.zeros(8));
    io.x.unused();
    let taker = m.instance(&taker);
    taker.x.set(count);
    io.y.set(taker.y);
    let top = m.finish(io).unwrap_or_else(|e| panic!("{e}"));
    let text = constraints(&top, &[]).unwrap();
    assert!(
        text.contains("-from [get_clocks other_clk] -to [get_clocks clk]") && !text.contains("get_ports"),
        "{text}"
    );
}

#[test]
fn constraints_name_the_clocks_and_the_reasons() {
    let design = around().unwrap_or_else(|e| panic!("{e}"));
    let expected = "\
# made by a test
# Crossings between clocks of around. The clocks have the names of their ports.
# Bits that cross together may differ by less than a period of the clock that they come from: no path between the clocks takes
# longer than this, in nanoseconds. 5.0 is right for up to 200 MHz.
set crossing_delay 5.0

#   right_clk to left_clk: two.fast_unit_y, 8 bits (a test)
set_max_delay $crossing_delay -from [get_clocks left_clk] -to [get_clocks right_clk]
set_false_path -hold -from [get_clocks left_clk] -to [get_clocks right_clk]
set_max_delay $crossing_delay -from [get_clocks right_clk] -to [get_clocks left_clk]
set_false_path -hold -from [get_clocks right_clk] -to [get_clocks left_clk]
";
    assert_eq!(constraints(&design, &["made by a test".into()]).as_deref(), Some(expected));
    assert_eq!(constraints(&increment(true), &[]), None);

    let (above, _) = expected.split_once("set_max_delay").expect("it has one");
    let bound = |from, to| {
        format!("set_max_delay -datapath_only -from [get_clocks {from}] -to [get_clocks {to}] $crossing_delay\n")
    };
    let expected = format!("{above}{}{}", bound("left_clk", "right_clk"), bound("right_clk", "left_clk"));
    assert_eq!(vivado_constraints(&design, &["made by a test".into()]), Some(expected));
}

/// Single bits need no bound: their clocks are unrelated.
#[test]
#[module]
fn single_bits_cross_between_unrelated_clocks() {
    ports! {
        struct BitPorts() {
            input x: Signal = bits(1),
            output y: Signal = bits(1),
        }
    }
    let m = Module::new("bits");
    let io = BitPorts::new(m);
    let other = m.clock_domain("other_clk", "other_rst");
    let (sent, seen) = (m.in_domain(other, || m.reg(bits(1))), m.reg(bits(1)));
    sent.set(m.cross(io.x, other, "a test"));
    seen.set(m.cross(sent, m.current_domain(), "a test"));
    io.y.set(seen);
    let design = m.finish(io).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(vivado_constraints(&design, &[]), None, "Vivado takes the same");
    let text = constraints(&design, &[]).unwrap();
    let expected = "\
# Crossings between clocks of bits. The clocks have the names of their ports.

#   other_clk to clk: sent (a test)
set_clock_groups -asynchronous -group [get_clocks clk] -group [get_clocks other_clk]

#   x to other_clk: x (a test)
set_false_path -from [get_ports x]
";
    assert_eq!(text, expected);
}

#[test]
#[module]
fn attributes_stand_before_registers() {
    let m = Module::new("attributes");
    let io = IncrementPorts::new(m);
    let kept = m.reg(bits(8)).attribute("keep", "true").attribute("bare", "");
    kept.set(io.x);
    io.y.set(kept);
    let text = verilog(&m.finish(io).unwrap_or_else(|e| panic!("{e}")), &Options::default()).single();
    assert!(text.contains("(* keep = \"true\" *) (* bare *) reg [7:0] kept;"), "{text}");

    let m = Module::new("attributes");
    let io = IncrementPorts::new(m);
    io.y.set((io.x + 1).attribute("keep", "true"));
    assert!(m.finish(io).unwrap_err().to_string().contains("`x + 1` (8 bits) is not a register"));
}

ports! {
    struct ButtonPorts() {
        input button: Signal = bits(1),
        input code: Signal = bits(4),
        output pressed: Signal = bits(1),
        output through: Signal = bits(1),
    }
}

/// Takes a button and a gray code over; the button also goes straight through.
#[module]
fn button() -> Result<Design<ButtonPorts>, Errors> {
    let m = Module::new("button_reader");
    let io = ButtonPorts::new(m);
    m.port_domain((io.button, io.code), m.asynchronous());
    let here = m.current_domain();
    let (first, second, code) = (m.reg(bits(1)), m.reg(bits(1)), m.reg(bits(4)));
    first.set(m.cross(io.button, here, "the next register waits until it has settled"));
    second.set(first);
    code.set(m.cross(io.code, here, "a gray code"));
    io.pressed.set(second & code.any());
    io.through.set(io.button);
    m.finish(io)
}

/// The module around it, in which the code comes from a register and the button from outside.
#[module]
fn panel() -> Result<Design<ButtonPorts>, Errors> {
    let m = Module::new("panel");
    let io = ButtonPorts::new(m);
    m.port_domain(io.button, m.asynchronous());
    let tx = m.clock_domain("tx_clk", "tx_rst");
    m.port_domain(io.code, tx);
    let code = m.in_domain(tx, || m.reg(bits(4)));
    code.set(io.code);
    let unit = m.instance(&button()?);
    unit.button.set(io.button);
    unit.code.set(code);
    io.pressed.set(unit.pressed);
    let seen = m.reg(bits(1));
    seen.set(m.cross(unit.through, m.current_domain(), "a test"));
    io.through.set(seen);
    m.finish(io)
}

#[test]
fn asynchronous_inputs_belong_to_no_clock() {
    let expected = "\
# Crossings between clocks of panel. The clocks have the names of their ports.
# Bits that cross together may differ by less than a period of the clock that they come from: no path between the clocks takes
# longer than this, in nanoseconds. 5.0 is right for up to 200 MHz.
set crossing_delay 5.0

#   tx_clk to clk: unit.code, 4 bits (a gray code)
set_max_delay $crossing_delay -from [get_clocks clk] -to [get_clocks tx_clk]
set_false_path -hold -from [get_clocks clk] -to [get_clocks tx_clk]
set_max_delay $crossing_delay -from [get_clocks tx_clk] -to [get_clocks clk]
set_false_path -hold -from [get_clocks tx_clk] -to [get_clocks clk]

#   button to clk: unit_through (a test)
#   button to clk: unit.button (the next register waits until it has settled)
set_false_path -from [get_ports button]
";
    let design = panel().unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(constraints(&design, &[]).as_deref(), Some(expected));

    let mut sim = Simulator::new(&button().unwrap_or_else(|e| panic!("{e}")));
    let [pressed, through] = ["pressed", "through"].map(|name| sim.port(name).unwrap());
    sim.poke(0, 1);
    sim.poke(1, 1);
    assert_eq!(sim.peek(through), 1);
    let seen: Vec<u64> = (0..3).map(|_| (sim.step(), sim.peek(pressed)).1).collect();
    assert_eq!(seen[1..], [1, 1]);
}

/// A foreign module says that an output of it belongs to no clock.
#[test]
#[module]
fn asynchronous_outputs_of_foreign_modules() {
    let f = Foreign::black_box("SENSE");
    let io = IncrementPorts::new(f);
    f.port_domain(io.y, f.asynchronous());
    let sense = f.finish(io).unwrap_or_else(|e| panic!("{e}"));
    let build = |careful: bool| {
        let m = Module::new("around");
        let io = IncrementPorts::new(m);
        let held = m.reg(bits(8));
        let unit = m.instance(&sense).named("unit");
        unit.x.set(io.x);
        held.set(if careful { m.cross(unit.y, m.current_domain(), "a test") } else { unit.y });
        io.y.set(held);
        m.finish(io)
    };
    assert!(build(true).is_ok());
    let errors = build(false).unwrap_err().to_string();
    assert!(errors.contains("`unit_y` (8 bits), which belongs to no clock, is used by `held` (8 bits) of clock `clk`"));
}

/// An input that crosses together with a signal of a clock belongs to that clock.
#[test]
#[module]
fn inputs_that_cross_with_a_register_belong_to_its_clock() {
    let m = Module::new("masked");
    let io = IncrementPorts::new(m);
    let mask = m.reg(bits(8));
    mask.set(!mask);
    let rx = m.clock_domain("rx_clk", "rx_rst");
    let taken = m.in_domain(rx, || m.reg(bits(8)));
    taken.set(m.cross(io.x.cat(mask).bits(11, 4), rx, "a test"));
    m.port_domain(io.y, rx);
    io.y.set(taken);
    let masked = m.finish(io).unwrap_or_else(|e| panic!("{e}"));

    let m = Module::new("around");
    let io = IncrementPorts::new(m);
    let rx = m.clock_domain("rx_clk", "rx_rst");
    let there = m.in_domain(rx, || m.reg(bits(8)));
    there.set(!there);
    let unit = m.instance(&masked).named("unit");
    unit.x.set(there);
    io.x.unused();
    m.port_domain(io.y, rx);
    io.y.set(unit.y);
    let errors = m.finish(io).unwrap_err().to_string();
    assert!(errors.contains("`there` (8 bits) of clock `rx_clk` is used by input `unit_x` (8 bits) of clock `clk`"));
}
