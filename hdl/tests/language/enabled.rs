//! Parts that advance only while a signal is 1: how they run and how they are printed.
#![allow(missing_docs)]

use crate::common;

use common::golden::compare;
use hdl::engine::{Engine, PowerUp};
use hdl::sim::Simulator;
use hdl::*;

ports! {
    struct UnitPorts() {
        input go: Signal = bits(1),
        input half: Signal = bits(1),
        input at: Signal = bits(2),
        input data: Signal = bits(8),
        output count: Signal = bits(8),
        output own: Signal = bits(8),
        output word: Signal = bits(8),
        output delayed: Signal = bits(8),
        output inner: Signal = bits(8),
        output running: Signal = bits(8),
        output started: Signal = bits(1),
        input start: Signal = bits(1),
    }
}

/// Everything that an enable holds, and a counter outside of it.
#[module]
fn unit() -> Result<Design<UnitPorts>, Errors> {
    let m = Module::new("unit");
    let io = UnitPorts::new(m);
    let running = m.reg_reset(bits(8), 0);
    running.set(running + 1);
    io.running.set(running);

    m.section("held");
    m.in_enabled(io.go, || {
        let count = m.reg_reset(bits(8), 7);
        count.set(count + 1);
        let own = m.reg_reset(bits(8), 0).enable(io.half);
        own.set(own + 1);
        let inner = m.in_enabled(io.half, || m.reg_reset(bits(8), 0));
        inner.set(inner + 1);
        let table = m.memory(bits(8), 4);
        table.write_lanes(io.at, io.data, io.half.repeat(2));
        let word = table.read_sync(io.at);
        let p = m.pipeline("p");
        let delayed = p.leave(p.enter(io.data).later(2));
        let started = m.reg(bits(1)).asynchronous_reset(io.start, 1);
        started.set(0);
        io.count.set(count);
        io.own.set(own);
        io.inner.set(inner);
        io.word.set(word);
        io.delayed.set(delayed);
        io.started.set(started);
    });
    m.finish(io)
}

/// What the registers of the unit are after some edges, in the order of the ports.
fn run(edges: &[(u64, u64)]) -> Vec<u64> {
    let design = unit().unwrap_or_else(|e| panic!("{e}"));
    let mut sim = Simulator::new(&design);
    sim.power_up(PowerUp::Zero);
    sim.reset(1);
    for (i, (go, half)) in edges.iter().enumerate() {
        [*go, *half, 1, 10 + i as u64].into_iter().enumerate().for_each(|(port, value)| sim.poke(port, value));
        sim.poke(11, go & half);
        sim.step();
    }
    (4..11).map(|port| sim.peek(port)).collect()
}

#[test]
fn nothing_advances_without_the_enable() {
    assert_eq!(run(&[]), [7, 0, 0, 0, 0, 0, 0]);
    // count, own, word, delayed, inner, running, started
    assert_eq!(run(&[(0, 1), (0, 1), (0, 0)]), [7, 0, 0, 0, 0, 3, 0]);
    assert_eq!(run(&[(1, 0), (1, 0), (1, 0)]), [10, 0, 0, 11, 0, 3, 0]);
    assert_eq!(run(&[(1, 1), (1, 1), (0, 1)]), [9, 2, 10, 10, 2, 3, 1]);
    assert_eq!(run(&[(1, 1), (0, 1), (1, 1), (0, 0)]), [9, 2, 10, 10, 2, 4, 1]);
}

/// Resets act whatever the enable is: that of the domain at its edge, an asynchronous one at once.
#[test]
fn resets_act_while_nothing_advances() {
    let design = unit().unwrap_or_else(|e| panic!("{e}"));
    let mut sim = Simulator::new(&design);
    sim.power_up(PowerUp::Zero);
    let [go, start, count, started] = ["go", "start", "count", "started"].map(|name| sim.port(name).unwrap());
    sim.poke(go, 1);
    (0..5).for_each(|_| sim.step());
    assert_eq!(sim.peek(count), 5);
    sim.poke(go, 0);
    sim.reset(1);
    assert_eq!(sim.peek(count), 7);
    sim.poke(start, 1);
    assert_eq!(sim.peek(started), 1, "at once");
    sim.poke(start, 0);
    assert_eq!(sim.peek(started), 1, "it has been reset, and nothing has changed that");
    sim.poke(start, 1);
    sim.step();
    sim.poke(start, 0);
    sim.step();
    assert_eq!(sim.peek(started), 1, "held, as its enable is 0");
}

#[test]
fn printed() {
    let design = unit().unwrap_or_else(|e| panic!("{e}"));
    let source = verilog(&design, &Options::default());
    compare("verilog", "enabled/unit.v", &source.single());
}

ports! {
    struct StepPorts() {
        input go: Signal = bits(1),
        output count: Signal = bits(8),
    }
}

/// A counter that is held as a whole.
#[module]
fn step() -> Result<Design<StepPorts>, Errors> {
    let m = Module::new("step");
    let io = StepPorts::new(m);
    m.enabled_by(io.go);
    let count = m.reg_reset(bits(8), 0);
    count.set(count + 1);
    let deeper = m.in_enabled(count.bit(0), || m.reg_reset(bits(8), 0));
    deeper.set(deeper + 1);
    io.count.set(deeper);
    m.finish(io)
}

/// An instance takes the enable that it stands in.
#[test]
#[module]
fn instances_take_the_enable() {
    let m = Module::new("around");
    let io = StepPorts::new(m);
    let unit = m.in_enabled(io.go, || m.instance(&step().unwrap()));
    io.count.set(unit.count);
    let design = m.finish(io).unwrap_or_else(|e| panic!("{e}"));
    let text = verilog(&design, &Options::default()).single();
    assert!(text.contains(".go(go)"), "{text}");
    let mut sim = Simulator::new(&design);
    sim.reset(1);
    let mut after = |go: &[u64]| {
        go.iter().for_each(|go| (sim.poke(0, *go), sim.step()).1);
        sim.peek(1)
    };
    assert_eq!(after(&[1, 1, 1, 1]), 2);
    assert_eq!(after(&[0, 0, 0]), 2);
    assert_eq!(after(&[1, 0, 1]), 3);
}

/// The enable of a foreign module is connected in the same way.
#[test]
#[module]
fn foreign_modules_take_the_enable() {
    let f = Foreign::text("tick", "module tick (input clk, input ce, input [7:0] x, output reg [7:0] y); endmodule");
    f.clock("clk");
    ports! {
        struct TickPorts() {
            input ce: Signal = bits(1),
            input x: Signal = bits(8),
            output y: Signal = bits(8),
        }
    }
    let io = TickPorts::new(f);
    f.advance(io.ce);
    let tick = f.finish(io).unwrap_or_else(|e| panic!("{e}"));
    let m = Module::new("around");
    let io = TickPorts::new(m);
    let unit = m.in_enabled(io.ce, || m.instance(&tick)).named("unit");
    unit.x.set(io.x);
    io.y.set(unit.y);
    let text = verilog(&m.finish(io).unwrap_or_else(|e| panic!("{e}")), &Options::default()).single();
    assert!(text.contains(".ce(ce)"), "{text}");
}

/// Only edges at which something advances count for properties.
#[test]
#[module]
fn properties() {
    let m = Module::new("checked");
    let io = StepPorts::new(m);
    m.in_enabled(io.go, || {
        let count = m.reg_reset(bits(8), 0);
        count.set(count + 1);
        let (before, known) = (m.past(count), m.past_valid());
        m.when(known, || m.assert(count.eq(before + 1), "it counts"));
        m.assert(count.ne(3), "it is not 3");
        m.assume(io.count.ne(9), "it is not 9");
        m.cover(count.eq(2), "it can be 2");
        io.count.set(count);
    });
    let design = m.finish(io).unwrap_or_else(|e| panic!("{e}"));
    let mut sim = Simulator::new(&design);
    sim.keep_failures(true);
    sim.reset(1);
    // at 2 for four edges, of which one counts
    for go in [1, 1, 0, 0, 0, 1, 0, 0] {
        sim.poke(0, go);
        sim.step();
    }
    assert_eq!(sim.peek(1), 3);
    assert_eq!(sim.covers()[0].2, 1);
    assert!(sim.failures().is_empty(), "{:?}", sim.failures());
    sim.poke(0, 1);
    sim.step();
    assert_eq!(sim.failures()[0].property.message, "it is not 3");
    let options = Options { properties: true, ..Options::default() };
    compare("verilog", "enabled/checked.v", &verilog(&design, &options).single());
}

/// A clock from inside, with an enable of that clock.
#[test]
#[module]
fn a_clock_from_inside_with_an_enable() {
    ports! {
        struct ClockPorts() {
            output clkop: Signal = bits(1),
            output lock: Signal = bits(1),
        }
    }
    #[module]
    fn model() -> Design<ClockPorts> {
        let m = Module::new("model");
        let io = ClockPorts::new(m);
        let lock = m.reg(bits(1));
        lock.set(1);
        io.lock.set(lock);
        io.clkop.set(0);
        m.finish(io).unwrap()
    }
    let f = Foreign::black_box("PLL");
    f.clock("clki");
    let io = ClockPorts::new(f);
    f.model(&model());
    let pll = f.finish(io).unwrap();

    let m = Module::new("top");
    let io = StepPorts::new(m);
    let pll = m.instance(&pll);
    let fast = m.clock_from("fast_clk", pll.clkop);
    m.port_domain((io.go, io.count), fast);
    let count = m.in_domain(fast, || {
        let unlocked = m.cross(!pll.lock, fast, "it resets a register at once");
        let reset = m.reg(bits(1)).asynchronous_reset(unlocked, 1);
        reset.set(0);
        m.reset_from(fast, reset);
        m.in_enabled(io.go, || m.reg_reset(bits(8), 4))
    });
    count.set(count + 1);
    io.count.set(count);
    let design = m.finish(io).unwrap_or_else(|e| panic!("{e}"));
    let text = verilog(&design, &Options::default()).single();
    assert!(text.contains("always @(posedge fast_clk) begin\n        if (fast_clk_reset) begin"), "{text}");
    let mut sim = Simulator::new(&design);
    // a lock that comes up at 1 would end the reset before it began
    sim.power_up(PowerUp::Zero);
    assert_eq!(sim.clocks(), ["clk", "fast_clk"]);
    sim.edge(0b10);
    assert_eq!(sim.peek(1), 4, "in reset, with its enable at 0");
    sim.edge(0b01);
    (0..2).for_each(|_| sim.edge(0b10));
    assert_eq!(sim.peek(1), 4, "out of reset, with its enable at 0");
    sim.poke(0, 1);
    sim.edge(0b01);
    assert_eq!(sim.peek(1), 4, "only the other clock");
    sim.edge(0b10);
    assert_eq!(sim.peek(1), 5);
}

/// One cycle late, and held as a whole.
#[module]
fn late() -> Result<Design<LatePorts>, Errors> {
    let m = Module::new("late");
    let io = LatePorts::new(m);
    m.enabled_by(io.go);
    m.latency(1);
    let p = m.pipeline("late");
    io.y.set(p.leave(p.enter(io.x).next()));
    m.finish(io)
}

ports! {
struct LatePorts() {
    input go: Signal = bits(1),
    input x: Signal = bits(8),
    output y: Signal = bits(8),
}
}
ports! {
    struct PipePorts() {
        input go: Signal = bits(1),
        input move_on: Signal = bits(1),
        input on: Signal = bits(1),
        input x: Signal = bits(8),
        output y: Signal = bits(8),
    }
}

/// A pipeline in an enable, perhaps with an enable of its own: registers, a word and an instance.
#[module]
fn pipe(own: bool) -> Result<Design<PipePorts>, Errors> {
    let m = Module::new("pipe");
    let io = PipePorts::new(m);
    m.in_enabled(io.go, || {
        let p = if own { m.pipeline_enabled("pipe", io.move_on) } else { m.pipeline("pipe") };
        let x = p.enter(io.x);
        let unit = m.instance(&late().unwrap());
        unit.x.set(x);
        let table = m.memory(bits(8), 256).init((0..256u32).map(|i| i ^ 0xff));
        let word = table.read_sync(x);
        let declared = m.reg(bits(8)).enable(p.constant(io.on));
        declared.set(x);
        io.y.set(p.leave((unit.y ^ word ^ declared).next()));
    });
    io.move_on.unused();
    m.finish(io)
}

#[test]
fn a_pipeline_stands_as_one() {
    for own in [false, true] {
        let mut sim = Simulator::new(&pipe(own).unwrap_or_else(|e| panic!("{e}")));
        sim.reset(1);
        let mut moved: Vec<u64> = vec![];
        for i in 0..200u64 {
            let (go, move_on) = (u64::from(i * 7 % 5 > 1), u64::from(i * 11 % 3 > 0));
            [go, move_on, 1, i].into_iter().enumerate().for_each(|(port, value)| sim.poke(port, value));
            sim.step();
            if go == 1 && (!own || move_on == 1) {
                moved.push(i);
            }
            if let [.., before, _] = moved[..] {
                assert_eq!(sim.peek(4), before ^ 0xff, "the three stand together at {i}");
            }
        }
        assert!(moved.len() > 70);
    }
}

/// A register that the reset of its clock resets at once: an edge of that reset, whatever its polarity.
#[test]
#[module]
fn the_reset_of_the_clock_at_once() {
    let m = Module::new("at_once");
    let io = StepPorts::new(m);
    let waiting = m.reg(bits(4)).asynchronous_reset(m.in_reset(), 1);
    m.when(io.go, || waiting.set(0));
    io.count.set(waiting.zext(8));
    let design = m.finish(io).unwrap_or_else(|e| panic!("{e}"));
    let process = |active_low| {
        let reset = Reset { asynchronous: false, active_low };
        verilog(&design, &Options { reset, ..Options::default() }).single()
    };
    assert!(process(false).contains("@(posedge clk or posedge rst) begin\n        if (rst)"), "{}", process(false));
    assert!(process(true).contains("@(posedge clk or negedge rst_n) begin\n        if (!rst_n)"), "{}", process(true));
}

ports! {
    struct HeldPipelinePorts() {
        input go: Signal = bits(1),
        input advance: Signal = bits(1),
        input write: Signal = bits(1),
        input at: Signal = bits(2),
        output read: Signal = bits(2),
        output last: Signal = bits(2),
        output word: Signal = bits(2),
    }
}

/// Enables, write ports and properties of a pipeline that stands in an enable.
#[module]
fn held_pipeline() -> Result<Design<HeldPipelinePorts>, Errors> {
    let m = Module::new("held_pipeline");
    let io = HeldPipelinePorts::new(m);
    m.in_enabled(io.go, || {
        let p = m.pipeline_enabled("p", io.advance);
        let (write, at) = p.enter((io.write, io.at));
        let table = m.memory(bits(2), 4).init(0u32..4);
        let word = table.read_sync_enabled(at, write);
        table.write(at, !at, write);
        let last = m.reg_reset(bits(2), 0).enable(write);
        last.set(at);
        m.assert(write | !write, "it is something");
        io.read.set(p.leave(at.next()));
        io.last.set(p.leave(last));
        io.word.set(p.leave(word));
    });
    m.finish(io)
}

#[test]
fn a_pipeline_inside_of_an_enable() {
    let design = held_pipeline().unwrap_or_else(|e| panic!("{e}"));
    let io = design.ports;
    let mut sim = Simulator::new(&design);
    sim.power_up(PowerUp::Zero);
    sim.reset(1);
    let (mut table, mut expected) = ([0u64, 1, 2, 3], [0u64; 3]);
    let mut random = fastrand::Rng::with_seed(hdl::bus::seed(1));
    for cycle in 0..400 {
        let [go, advance, write] = [(); 3].map(|()| random.u64(0..2));
        let at = random.u64(0..4);
        [(io.go, go), (io.advance, advance), (io.write, write), (io.at, at)]
            .into_iter()
            .for_each(|(port, value)| sim.poke(port, value));
        sim.step();
        if go & advance == 1 {
            expected[0] = at;
            if write == 1 {
                (expected[1], expected[2]) = (at, table[at as usize]);
                table[at as usize] = !at & 3;
            }
        }
        assert_eq!([io.read, io.last, io.word].map(|port| sim.peek(port)), expected, "cycle {cycle}");
    }
}
