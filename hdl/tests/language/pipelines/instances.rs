//! Instances in pipelines: what holds them is found, and what remembers sees items only.

use hdl::engine::Engine;
use hdl::sim::Simulator;
use hdl::*;

ports! {
    struct UnitPorts() {
        input x: Signal = bits(8),
        input go: Signal = bits(1),
        output y: Signal = bits(8),
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Unit {
    /// No register at all.
    Plain,
    /// A register that a property alone reads.
    Watched,
    /// A number for each item, whatever it is.
    Counter,
    /// The sum of all items, kept at the stage at which they enter.
    Sum,
    /// The same a stage later.
    LateSum,
}

#[module]
fn unit(kind: Unit) -> Result<Design<UnitPorts>, Errors> {
    let m = Module::new(format!("unit_{kind:?}").to_lowercase());
    let io = UnitPorts::new(m);
    m.latency(u32::from(!matches!(kind, Unit::Plain | Unit::Watched)));
    let p = m.pipeline_enabled("unit", io.go);
    let x = p.enter(io.x);
    match kind {
        Unit::Plain => {
            io.go.unused();
            io.y.set(p.leave(x + 1));
        }
        Unit::Watched => {
            let late = x.next();
            m.assert(p.leave(late).ne(255), "a test never sends 255");
            io.y.set(p.leave(x + 1));
        }
        Unit::Counter => {
            io.x.unused();
            let count = p.state(m.reg_reset(bits(8), 0), x);
            count.set(count + 1);
            io.y.set(p.leave(p.after(count)));
        }
        Unit::Sum => {
            let sum = p.state(m.reg_reset(bits(8), 0), x);
            sum.set(sum + x);
            io.y.set(p.leave(p.after(sum)));
        }
        Unit::LateSum => {
            let x = x.next();
            let sum = p.state(m.reg_reset(bits(8), 0), x);
            sum.set(sum + x);
            io.y.set(p.leave(sum + x));
        }
    }
    m.finish(io)
}

/// A module that only passes on to a unit.
#[module]
fn around(kind: Unit) -> Result<Design<UnitPorts>, Errors> {
    let m = Module::new(format!("around_{kind:?}").to_lowercase());
    let io = UnitPorts::new(m);
    m.latency(u32::from(!matches!(kind, Unit::Plain | Unit::Watched)));
    let p = m.pipeline_enabled("around", io.go);
    let unit = m.instance(&unit(kind)?);
    unit.x.set(p.enter(io.x));
    io.y.set(p.leave(unit.y));
    m.finish(io)
}

ports! {
    struct StreamPorts() {
        input s: Stream = stream(bits(8)),
        output m: Stream = stream(bits(8)),
    }
}

#[module]
fn between_streams(kind: Unit, nested: bool) -> Result<Design<StreamPorts>, Errors> {
    let m = Module::new("between_streams");
    let io = StreamPorts::new(m);
    let (p, x) = m.pipeline_stream("items", io.s, Elastic { collapse: true, flush: None });
    let unit = m.instance(&if nested { around(kind)? } else { unit(kind)? });
    unit.x.set(x);
    let y = unit.y;
    p.leave_stream(if matches!(kind, Unit::Plain | Unit::Watched) { y.next() } else { y }, io.m);
    m.finish(io)
}

/// What comes out for 1, 2, 3 .. with gaps between and an end that waits.
fn run(design: &Design<StreamPorts>) -> Vec<u64> {
    let (mut sim, io) = (Simulator::new(design), design.ports);
    sim.reset(2);
    let (mut sent, mut got) = (0, vec![]);
    for cycle in 0..60 {
        let (offers, ready) = (cycle % 3 != 1, cycle % 5 < 3);
        sim.poke(io.s.valid, offers.into());
        sim.poke(io.s.payload, if offers { sent + 1 } else { 200 });
        sim.poke(io.m.ready, ready.into());
        got.extend((sim.peek(io.m.valid) == 1 && ready).then(|| sim.peek(io.m.payload)));
        sent += u64::from(offers && sim.peek(io.s.ready) == 1);
        sim.step();
    }
    got.truncate(8);
    got
}

#[test]
fn see_items_only() {
    for (kind, nested) in [Unit::Plain, Unit::Watched, Unit::Counter, Unit::Sum]
        .into_iter()
        .flat_map(|kind| [(kind, false), (kind, true)])
    {
        let design = between_streams(kind, nested).unwrap_or_else(|errors| panic!("{kind:?}, {nested}: {errors}"));
        let right: Vec<u64> = match kind {
            Unit::Plain | Unit::Watched => (2..10).collect(),
            Unit::Counter => (1..9).collect(),
            Unit::Sum | Unit::LateSum => (1..9).map(|n| n * (n + 1) / 2).collect(),
        };
        assert_eq!(run(&design), right, "{kind:?}, {nested}");
    }
}

/// It would take what stands at its second stage before the first item is there, and what was flushed.
#[test]
fn have_no_state_behind_the_first_stage() {
    for nested in [false, true] {
        let errors = between_streams(Unit::LateSum, nested).expect_err("there may be no item").to_string();
        assert!(
            errors.contains("has state behind its first stage, where pipeline `items` may have no item"),
            "{errors}"
        );
        assert!(errors.contains("help: let its state be changed at the stage at which its items enter"), "{errors}");
    }
}
