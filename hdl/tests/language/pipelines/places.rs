//! Wires and registers of a pipeline that are assigned bit by bit, or at an index, before anything is assigned to them as a whole.

use hdl::engine::{Engine, PowerUp};
use hdl::sim::Simulator;
use hdl::*;

#[derive(Clone, Copy, Debug)]
enum By {
    Slices,
    Bits,
    Parts,
    Elements,
    Named,
}

const ALL: [By; 5] = [By::Slices, By::Bits, By::Parts, By::Elements, By::Named];

ports! {
    struct HalvesPorts() {
        input x: Signal = bits(4),
        input high: Signal = bits(1),
        output y: Signal = bits(8),
    }
}

/// `x` in the upper or lower half of a wire or register of stage 1, and 5 in the other half where that is not chosen by a signal.
#[module]
fn halves(by: By, register: bool) -> Result<Design<HalvesPorts>, Errors> {
    let m = Module::new("halves");
    let io = HalvesPorts::new(m);
    let p = m.pipeline("halves");
    let (x, high) = p.enter((io.x, io.high));
    let (x, high) = (x.next(), high.next());
    if let By::Elements = by {
        let elements = if register { m.reg(vector(bits(4), 2)) } else { m.wire(vector(bits(4), 2)) };
        elements[0].bits(3, 0).set(5);
        elements[1].set(5);
        elements.at(high).bits(3, 0).set(x);
        io.y.set(p.leave(elements.pack()));
        return m.finish(io);
    }
    let both = if register { m.reg(bits(8)) } else { m.wire(bits(8)) };
    match by {
        By::Slices => {
            both.bits(3, 0).set(high.mux(m.lit(5u32, 4), x));
            both.bits(7, 4).set(high.mux(x, m.lit(5u32, 4)));
        }
        By::Bits => (0..8).for_each(|i| {
            let own = (i >= 4) as u32;
            both.bit(i).set(high.eq(own).mux(x.bit(i % 4), m.lit(5u32 >> (i % 4) & 1, 1)));
        }),
        By::Parts => {
            both.bits(7, 0).set(0x55);
            both.part(high.cat(m.lit(0u32, 2)), 4).set(x);
        }
        By::Elements | By::Named => {
            let (low, top) = (both.bits(3, 0), both.bits(7, 4)); // read below, after they are assigned
            low.set(high.mux(m.lit(5u32, 4), x));
            top.set(high.mux(x, m.lit(5u32, 4)));
            io.y.set(p.leave(top.cat(low)));
            return m.finish(io);
        }
    }
    io.y.set(p.leave(both));
    m.finish(io)
}

#[test]
fn are_assigned_in_any_order() {
    for (by, register) in ALL.into_iter().flat_map(|by| [(by, false), (by, true)]) {
        let design = halves(by, register).unwrap_or_else(|errors| panic!("{by:?}, {register}: {errors}"));
        let mut sim = Simulator::new(&design);
        sim.power_up(PowerUp::Zero);
        let given = [(3u64, 0u64), (9, 1), (12, 1), (7, 0), (1, 1)];
        let right = given.map(|(x, high)| if high == 1 { x << 4 | 5 } else { 5 << 4 | x });
        let mut seen = vec![];
        for (x, high) in given.into_iter().chain([(0, 0); 2]) {
            sim.poke(design.ports.x, x);
            sim.poke(design.ports.high, high);
            seen.push(sim.peek(design.ports.y));
            sim.step();
        }
        let late = 1 + usize::from(register);
        assert_eq!(seen[late..late + 5], right, "{by:?}, {register}");
    }
}

ports! {
    struct SumPorts() {
        input en: Signal = bits(1),
        input x: Signal = bits(8),
        output y: Signal = bits(8),
    }
}

/// Two registers in a row that one input holds: the module as a whole, or each under a `when`, of which the pipeline sees nothing.
#[module]
fn two_registers(as_a_whole: bool) -> Result<Design<SumPorts>, Errors> {
    let m = Module::new("two_registers");
    m.latency(2);
    let io = SumPorts::new(m);
    if as_a_whole {
        m.enabled_by(io.en);
    }
    let (first, second) = (m.reg(bits(8)), m.reg(bits(8)));
    let assign = || {
        first.set(io.x);
        second.set(first + 1);
    };
    if as_a_whole {
        assign()
    } else {
        _ = m.when(io.en, assign)
    }
    io.y.set(second);
    m.finish(io)
}

ports! {
    struct StreamPorts() {
        input s: Stream = stream(bits(8)),
        output m: Stream = stream(bits(8)),
    }
}

#[module]
fn between_streams(as_a_whole: bool) -> Result<Design<StreamPorts>, Errors> {
    let m = Module::new("between_streams");
    let io = StreamPorts::new(m);
    let (p, x) = m.pipeline_stream("between", io.s, Elastic { collapse: true, flush: None });
    let two = m.instance(&two_registers(as_a_whole)?);
    two.x.set(x);
    p.leave_stream(two.y, io.m);
    m.finish(io)
}

#[test]
fn an_instance_that_one_input_holds() {
    between_streams(true).unwrap_or_else(|errors| panic!("{errors}"));
    let errors = between_streams(false).expect_err("it may hold on terms of its own").to_string();
    assert!(errors.contains("`two_registers` remembers what goes through it over 2 cycles"), "{errors}");
    assert!(errors.contains("say so there with `m.enabled_by(io.advance)` in the place of `when`"), "{errors}");
}
