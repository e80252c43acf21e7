//! The latency of a module around instances that state none, or of each output: tests/errors/NAME.txt. `BLESS=1` renews the files.
#![allow(missing_docs)]

use crate::common;

use common::golden::{compare, stable};
use common::mistakes::reports;
use hdl::engine::Engine;
use hdl::sim::Simulator;
use hdl::*;

ports! {
    struct EndsPorts() {
        input a: Signal = bits(8),
        input b: Signal = bits(8),
        output y: Signal = bits(8),
        output z: Signal = bits(8),
    }
}

fn delayed(m: Module, x: Signal) -> Signal {
    let r = m.reg_reset(bits(8), 0);
    r.set(x);
    r
}

/// An output after one register and one after two; of each is stated when it comes, or of the second, or of none.
#[module]
fn ends(stated: usize) -> Design<EndsPorts> {
    let m = Module::new("ends");
    let io = EndsPorts::new(m);
    [io.z, io.y].into_iter().zip([2, 1]).take(stated).for_each(|(output, cycles)| m.latency_of(output, cycles));
    let first = delayed(m, io.a);
    io.y.set(first);
    io.z.set(delayed(m, first) ^ delayed(m, delayed(m, io.b)));
    m.finish(io).unwrap()
}

/// What stands between the inputs and the output of a module that states its latency.
type Between = fn(Module, EndsPorts) -> Signal;

#[module]
fn stating(latency: u32, between: Between) -> Result<Design<EndsPorts>, Errors> {
    let m = Module::new("example");
    let io = EndsPorts::new(m);
    m.latency(latency);
    io.b.unused();
    io.y.set(between(m, io));
    io.z.set(between(m, io));
    m.finish(io)
}

fn instance(m: Module, io: EndsPorts, stated: usize) -> EndsPorts {
    let unit = m.instance(&ends(stated));
    unit.a.set(io.a);
    unit.b.set(io.b);
    [unit.y, unit.z].into_iter().for_each(Signal::unused);
    *unit
}

/// Whatever the module inside says, its registers count.
#[test]
fn only_the_latency_that_it_has() {
    let right: [(u32, Between); 6] = [
        (1, |m, io| instance(m, io, 0).y),
        (2, |m, io| instance(m, io, 0).z),
        (2, |m, io| delayed(m, instance(m, io, 1).y)),
        (2, |m, io| instance(m, io, 2).z),
        (3, |m, io| delayed(m, instance(m, io, 2).z)),
        (2, |m, io| delayed(m, instance(m, io, 0).y) ^ instance(m, io, 1).z),
    ];
    for (i, (latency, between)) in right.into_iter().enumerate() {
        for stated in 0..5 {
            let result = stating(stated, between).map(|_| ());
            assert_eq!(result.is_ok(), stated == latency, "module {i}, a latency of {stated}: {result:?}");
        }
    }
    let refused = |name: &str, latency: u32, between: Between| {
        let errors = stating(latency, between).expect_err("it comes at another time");
        compare("errors", &format!("{name}.txt"), &stable(&errors.to_string()));
    };
    refused("latency_around_an_instance_too_short", 1, |m, io| instance(m, io, 0).z);
    refused("latency_around_an_instance_too_long", 3, |m, io| instance(m, io, 2).z);
}

/// State has no bound, inside of an instance as beside it; and what follows it counts.
#[test]
fn state_inside_of_an_instance() {
    #[module]
    fn sum() -> Design<EndsPorts> {
        let m = Module::new("sum");
        let io = EndsPorts::new(m);
        io.b.unused();
        let sum = m.reg_reset(bits(8), 0);
        sum.set(sum + delayed(m, io.a));
        io.y.set(sum);
        io.z.set(delayed(m, sum));
        m.finish(io).unwrap()
    }
    fn inside(m: Module, io: EndsPorts) -> Signal {
        let unit = m.instance(&sum());
        unit.a.set(io.a);
        unit.b.set(io.b);
        unit.y.unused();
        unit.z
    }
    fn beside(m: Module, io: EndsPorts) -> Signal {
        let sum = m.reg_reset(bits(8), 0);
        sum.set(sum + delayed(m, io.a));
        delayed(m, sum)
    }
    for latency in 0..6 {
        let results = [inside, beside].map(|between: Between| stating(latency, between).is_ok());
        assert_eq!(results, [latency >= 2; 2], "a latency of {latency}");
    }
}

/// The outputs of an instance stand where each comes; all are stated, or it stands in no pipeline.
#[test]
#[module]
fn in_a_pipeline() {
    let m = Module::new("difference");
    let io = EndsPorts::new(m);
    let p = m.pipeline("difference");
    let (a, b) = p.enter((io.a, io.b));
    let unit = m.instance(&ends(2));
    unit.a.set(a);
    unit.b.set(b);
    assert_eq!([unit.y, unit.z].map(|x| p.stage_of(x)), [Some(1), Some(2)]);
    io.y.set(p.leave(unit.z - unit.y.meet(unit.z)));
    io.z.set(p.leave(b.meet(unit.z)));
    m.latency(2);
    let mut sim = Simulator::new(&m.finish(io).unwrap());
    sim.reset(1);
    for t in 0..20 {
        [t * t, t * 7].into_iter().enumerate().for_each(|(port, x)| sim.poke(port, x % 256));
        let [a, b] = if t < 2 { [0, 0] } else { [(t - 2) * (t - 2) % 256, (t - 2) * 7 % 256] };
        if t >= 2 {
            assert_eq!([sim.peek(2), sim.peek(3)], [((a ^ b) + 256 - a) % 256, b]);
        }
        sim.step();
    }
    for (name, stated) in [("instance_with_one_latency", 1), ("instance_without_latencies", 0)] {
        reports(name, |m, io| {
            let p = m.pipeline("outer");
            let unit = m.instance(&ends(stated));
            unit.a.set(p.enter(io.a));
            unit.b.set(p.enter(io.a));
            io.y.set(p.leave(unit.y ^ unit.z));
        });
    }
}

/// What left a pipeline is as late as the registers behind it say, and those of instances.
#[test]
#[module]
fn outputs_behind_registers() {
    let unlike = |late: fn(Module, Pipeline, Signal) -> Signal| {
        let m = Module::new("unlike");
        let io = EndsPorts::new(m);
        io.b.unused();
        let p = m.pipeline("sum");
        let a = p.enter(io.a).next();
        io.y.set(p.leave(a));
        io.z.set(late(m, p, a));
        m.finish(io).map(|_| ())
    };
    unlike(|m, p, a| delayed(m, p.leave(a + 1))).expect_err("a register behind the pipeline");
    let errors = unlike(|m, p, a| delayed(m, delayed(m, p.leave(a + 1)))).expect_err("two registers");
    compare("errors", "outputs_of_unlike_registers.txt", &stable(&errors.to_string()));
    let of_an_instance = |stated: usize| {
        [0, 1].map(|z| {
            let m = Module::new("unlike");
            let io = EndsPorts::new(m);
            io.b.unused();
            let p = m.pipeline("sum");
            let a = p.enter(io.a);
            let unit = m.instance(&ends(stated));
            unit.a.set(p.leave(a.next()));
            unit.b.set(p.leave(a.next()));
            [unit.y, unit.z].into_iter().for_each(Signal::unused);
            io.y.set(p.leave(a.later(2)));
            io.z.set([unit.y, unit.z][z]);
            m.finish(io).is_ok()
        })
    };
    assert_eq!([0, 1, 2].map(of_an_instance), [[true, false]; 3]);
    unlike(|m, p, a| delayed(m, p.leave(a)) ^ p.leave(a)).expect("at two times: nobody says whose it is");
    unlike(|m, p, a| {
        let sum = m.reg_reset(bits(8), 0);
        sum.set(sum + p.leave(a));
        sum
    })
    .expect("state is of all items before");
}

/// Whatever is stated of other outputs: one that comes later is held by one input, or its latency cannot be counted.
#[test]
#[module]
fn behind_an_output_within_the_cycle() {
    let m = Module::new("example");
    let io = EndsPorts::new(m);
    let p = m.pipeline_enabled("kept", io.a.any() & io.b.any());
    io.y.set(io.a);
    io.z.set(p.leave(p.enter(io.b).next()));
    m.latency_of(io.y, 0);
    m.latency_of(io.z, 1);
    let errors = m.finish(io).expect_err("no input holds the module");
    compare("errors", "latency_of_one_that_nothing_holds.txt", &stable(&errors.to_string()));
}

/// Each output is one register behind an input of its own; or one of both, and one that combines an input with what it was before.
#[module]
fn apart(both: bool) -> Design<EndsPorts> {
    let m = Module::new(if both { "both" } else { "apart" });
    let io = EndsPorts::new(m);
    [io.y, io.z].into_iter().for_each(|output| m.latency_of(output, 1));
    io.y.set(delayed(m, if both { io.a ^ io.b } else { io.a }));
    io.z.set(if both { delayed(m, io.a ^ io.b) ^ delayed(m, delayed(m, io.b)) } else { delayed(m, io.b) });
    m.finish(io).unwrap()
}

/// What an output does not depend on does not count for it, and what another output remembers neither.
#[test]
fn only_what_reaches_an_output() {
    let right: [(u32, Between); 2] = [
        (3, |m, io| {
            let unit = m.instance(&apart(false));
            unit.a.set(delayed(m, delayed(m, io.a)));
            unit.b.set(io.b);
            unit.z.unused();
            unit.y
        }),
        (2, |m, io| {
            let unit = m.instance(&apart(true));
            unit.a.set(io.a);
            unit.b.set(io.b);
            unit.z.unused();
            delayed(m, unit.y)
        }),
    ];
    for (i, (latency, between)) in right.into_iter().enumerate() {
        for stated in 0..5 {
            let result = stating(stated, between).map(|_| ());
            assert_eq!(result.is_ok(), stated == latency, "module {i}, a latency of {stated}: {result:?}");
        }
    }
}

/// An output within the cycle takes none, also if others of the instance do.
#[test]
#[module]
fn within_the_cycle_beside_registers() {
    #[module]
    fn bypass() -> Design<EndsPorts> {
        let m = Module::new("bypass");
        let io = EndsPorts::new(m);
        io.y.set(!io.a);
        io.z.set(delayed(m, io.a ^ io.b));
        m.latency_of(io.y, 0);
        m.latency_of(io.z, 1);
        m.finish(io).unwrap()
    }
    let m = Module::new("around");
    let io = EndsPorts::new(m);
    let p = m.pipeline("around");
    let (a, b) = p.enter((io.a, io.b));
    let unit = m.instance(&bypass());
    unit.a.set(p.leave(a.next()));
    unit.b.set(p.leave(b.next()));
    io.y.set(unit.y);
    io.z.set(delayed(m, unit.z));
    m.latency_of(io.y, 1);
    m.latency_of(io.z, 3);
    m.finish(io).unwrap();
}

ports! {
    struct EnabledPorts() {
        input a: Signal = bits(8),
        input go: Signal = bits(1),
        output y: Signal = bits(8),
    }
}

/// The enable that all registers have is known also where no latency is stated, so that a module around can be held by it.
#[test]
#[module]
fn an_enable_below_a_module_that_states_nothing() {
    #[module]
    fn enabled(depth: u32) -> Design<EnabledPorts> {
        let m = Module::new(format!("enabled_{depth}"));
        let io = EnabledPorts::new(m);
        if depth == 0 {
            let r = m.reg_reset(bits(8), 0).enable(io.go);
            r.set(io.a);
            io.y.set(r);
        } else {
            let unit = m.instance(&enabled(depth - 1));
            unit.a.set(io.a);
            unit.go.set(io.go);
            io.y.set(unit.y);
        }
        if depth == 2 {
            m.latency(1);
        }
        m.finish(io).unwrap()
    }
    let m = Module::new("held");
    let io = EnabledPorts::new(m);
    let p = m.pipeline_enabled("held", io.go);
    let a = p.enter(io.a);
    let unit = m.instance(&enabled(2));
    unit.a.set(a);
    io.y.set(p.leave(unit.y ^ a.meet(unit.y)));
    let mut sim = Simulator::new(&m.finish(io).unwrap());
    sim.reset(1);
    for t in 0..20 {
        sim.poke(0, t * 7);
        sim.poke(1, u64::from(t % 3 != 1));
        assert!(t == 0 || sim.peek(2) == 0, "the same item on both ways");
        sim.step();
    }
}
