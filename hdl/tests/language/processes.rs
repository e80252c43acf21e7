//! Which registers and wires one process assigns, and how its statements are printed. `BLESS=1` renews the files.
#![allow(missing_docs)]

use crate::common;

use common::golden::prints;
use hdl::engine::Engine;
use hdl::sim::Simulator;
use hdl::*;

#[derive(Clone, Copy, State)]
enum Fetch {
    Idle,
    Request,
    Receive,
    Done,
}

ports! {
    struct FetchPorts() {
        input start: Signal = bits(1),
        input from: Signal = bits(12),
        input beats: Signal = bits(4),
        output request: Signal = bits(1),
        output address: Signal = bits(12),
        input grant: Signal = bits(1),
        input word_valid: Signal = bits(1),
        output word_ready: Signal = bits(1),
        input word: Signal = bits(16),
        output sum: Signal = bits(16),
        output finished: Signal = bits(1),
    }
}

/// A controller: its registers stand in one `case`, and so do its outputs.
#[module]
fn fetch() -> Result<Design<FetchPorts>, Errors> {
    let m = Module::new("fetch");
    let io = FetchPorts::new(m);

    m.section("state");
    let state = m.state(Fetch::Idle);
    let left = m.reg_reset(bits(4), 0);
    let address = m.reg(bits(12));
    let sum = m.reg(bits(16));
    io.address.set(address);
    io.sum.set(sum);

    m.section("control");
    io.request.set(0);
    io.word_ready.set(0);
    io.finished.set(0);
    m.switch(state, |s| {
        s.case(Fetch::Idle, || {
            m.when(io.start, || {
                address.set(io.from);
                left.set(io.beats);
                sum.set(0);
                state.set(Fetch::Request);
            });
        });
        s.case(Fetch::Request, || {
            io.request.set(1);
            m.when(io.grant, || state.set(Fetch::Receive)).elsewhen(!io.start, || state.set(Fetch::Idle));
        });
        s.case(Fetch::Receive, || {
            io.word_ready.set(1);
            m.when(io.word_valid, || {
                sum.set(sum + io.word);
                m.when(left.eq(0), || state.set(Fetch::Done)).otherwise(|| {
                    left.set(left - 1);
                    address.set(address + 2);
                });
            });
        });
        s.case(Fetch::Done, || {
            io.finished.set(1);
            state.set(Fetch::Idle);
        });
    });
    m.finish(io)
}

#[test]
fn a_controller_in_one_place() {
    let design = fetch().unwrap();
    prints("fsm", &design, hdl::Reset::default());
    let text = verilog(&design, &Options::default()).single();
    // registers with a reset, registers without, outputs
    assert_eq!((text.matches("case (state)").count(), text.matches("always").count()), (3, 3), "{text}");
}

ports! {
    struct StagePorts() {
        input advance: Signal = bits(1),
        input valid: Signal = bits(1),
        input a: Signal = bits(8),
        input b: Signal = bits(8),
        input at: Signal = bits(4),
        output y_valid: Signal = bits(1),
        output y: Signal = bits(16),
    }
}

/// The registers of a stage hold together.
#[test]
#[module]
fn one_enable_for_a_stage() {
    let m = Module::new("stages");
    let io = StagePorts::new(m);
    let table = m.memory(bits(16), 16).init((0u32..16).map(|i| i * i));
    let p = m.pipeline_enabled("stages", io.advance);
    let valid = p.enter_valid(io.valid);
    let (a, b) = p.enter((io.a, io.b));

    m.section("stage 1: sums, and the table");
    let looked_up = table.read_sync_enabled(io.at, io.advance);
    let sum = (a + b).next();
    let difference = (a - b).next();

    m.section("stage 2: choose");
    let y = p.enter_at(1, looked_up) ^ cat(&[sum, difference]);
    let y = y.next();
    io.y.set(p.leave(y));
    io.y_valid.set(p.leave(valid.meet(y)));
    prints("stages", &m.finish(io).unwrap(), hdl::Reset::default());
}

ports! {
    struct SelectPorts() {
        input write: Signal = bits(1),
        input way: Signal = bits(2),
        input set: Signal = bits(3),
        input tag: Signal = bits(8),
        input seen: Signal = bits(1),
        output hit: Signal = bits(1),
        output tags: Signal = bits(32),
        output found: Signal = bits(5),
        output mark: Signal = bits(8),
    }
}

/// Bits and parts at a place that a signal gives: read, and written to registers and wires.
#[module]
fn select() -> Result<Design<SelectPorts>, Errors> {
    let m = Module::new("select");
    let io = SelectPorts::new(m);
    let entry = io.set.cat(io.way);

    m.section("four single bits");
    let valid = m.reg_reset(bits(4), 0);
    m.when(io.write, || valid.part(io.way, 1).set(1));

    m.section("four parts of 8 bits");
    let tags = m.reg(bits(32));
    m.when(io.write, || {
        tags.part(io.way.cat(io.way.zeros(3)), 8).set(io.tag);
        m.when(io.seen, || tags.bits(3, 0).set(0));
    });
    io.tags.set(tags);

    m.section("eight parts of 5 bits, apart by 9: places that are a product");
    let fives = m.reg_reset(bits(132), 0);
    let place = (io.set * io.set.lit(9u32, 4)).zext(8);
    fives.part(place, 5).set(io.tag.bits(7, 3));
    io.found.set(fives.part(place, 5));

    m.section("32 single bits: in a loop");
    let used = m.reg_reset(bits(32), 0);
    m.when(io.write, || used.part(entry, 1).set(1)).elsewhen(io.seen, || used.part(entry, 1).set(0));

    m.section("32 parts of 4 bits: in a loop");
    let counts = m.reg(bits(128));
    m.when(io.write, || counts.part(entry.cat(entry.zeros(2)), 4).set(io.tag.bits(3, 0)));
    io.hit.set(valid.part(io.way, 1) & used.part(entry, 1) & counts.parity());

    m.section("a wire");
    io.mark.set(0);
    io.mark.part(io.set, 1).set(io.write);
    m.finish(io)
}

#[test]
fn bits_and_parts_at_a_place() {
    let design = select().unwrap();
    prints("select", &design, hdl::Reset::default());
    let mut sim = Simulator::new(&design);
    let [write, way, tag, tags] = ["write", "way", "tag", "tags"].map(|name| sim.port(name).unwrap());
    sim.poke(write, 1);
    sim.poke(way, 2);
    sim.poke(tag, 0xab);
    sim.step();
    assert_eq!(sim.peek(tags) >> 16 & 0xff, 0xab);
}

ports! {
    struct PathPorts() {
        input go: Signal = bits(1),
        input both: Signal = bits(1),
        input a: Signal = bits(4),
        input b: Signal = bits(4),
        output x: Signal = bits(4),
        output y: Signal = bits(4),
        output first: Signal = bits(4),
        output second: Signal = bits(4),
        output base: Signal = bits(4),
        output derived: Signal = bits(4),
    }
}

/// One process depends on all that it reads: wires share it only where that makes no path that is not there.
#[test]
#[module]
fn wires_that_share_a_process() {
    let m = Module::new("paths");
    let io = PathPorts::new(m);

    m.section("apart: `a` does not reach `y`, and `b` not `x`; around this module, `b` may be computed from `x`");
    io.x.set(0);
    io.y.set(0);
    m.when(io.go, || {
        io.x.set(io.a);
        io.y.set(io.b);
    });

    m.section("together: both depend on the same inputs");
    io.first.set(io.a);
    io.second.set(io.b);
    m.when(io.both, || {
        io.first.set(io.b);
        io.second.set(io.a);
    });

    m.section("apart: one is computed from the other");
    io.base.set(0);
    io.derived.set(1);
    m.when(io.go, || {
        io.base.set(io.a);
        io.derived.set(io.base + 1);
    });
    let design = m.finish(io).unwrap();
    prints("paths", &design, hdl::Reset::default());
    let text = verilog(&design, &Options::default()).single();
    assert_eq!(text.matches("always @*").count(), 5, "{text}");
}

ports! {
    struct EnablePorts() {
        input go: Signal = bits(1),
        input x: Signal = bits(4),
        input late: Signal = bits(4),
        output y: Signal = bits(4),
        output z: Signal = bits(4),
    }
}

/// Registers of one `when` with different enables, of which one is made in a later section: it is declared before the process.
#[test]
#[module]
fn enables_of_their_own() {
    let m = Module::new("enables");
    let io = EnablePorts::new(m);
    m.section("registers");
    let (y, z) = (m.reg(bits(4)), m.reg(bits(4)));
    m.when(io.go, || {
        y.set(io.x);
        z.set(io.x + 1);
    })
    .otherwise(|| {
        z.bits(1, 0).set(2);
        y.set(0);
    });
    io.y.set(y);
    io.z.set(z);

    m.section("an enable");
    let enable = io.late.gt(3);
    z.enable(enable);
    prints("enables", &m.finish(io).unwrap(), hdl::Reset::default());
}

ports! {
    struct DecidedPorts() {
        input a: Signal = bits(8),
        output y: Signal = bits(8),
        output z: Signal = bits(8),
        output w: Signal = bits(1),
    }
}

/// A constant decides under whatever name it goes: `always @*` with nothing to read would never run.
#[test]
#[module]
fn constants_behind_names() {
    let m = Module::new("decided");
    let io = DecidedPorts::new(m);
    let p = m.pipeline("p");
    let y = m.wire(bits(8));
    m.when(p.constant(m.lit(1u32, 1)), || y.set(7)).otherwise(|| y.set(3));
    let mode = m.cross(m.lit(2u32, 2), m.current_domain(), "a number");
    m.switch(p.constant(mode), |s| {
        s.case(2, || io.z.set(5));
        s.default(|| io.z.set(6));
    });
    let z = p.enter(io.a).any();
    io.y.set(p.leave(y));
    io.w.set(p.leave(z));
    let text = verilog(&m.finish(io).unwrap(), &Options::default()).single();
    assert!(text.contains("= 8'h7;") && text.contains("= 8'h5;") && !text.contains("always"), "{text}");
}

ports! {
    struct AlignedPorts() {
        input x: Signal = bits(8),
        output y: Signal = bits(8),
    }
}

/// A constant that has entered is an item with a stage: what is computed from it stays there.
#[test]
#[module]
fn constants_keep_their_stage() {
    let m = Module::new("aligned");
    let io = AlignedPorts::new(m);
    let p = m.pipeline("p");
    let x = p.enter(io.x);
    let three = p.enter_at(2, m.lit(2u32, 8)) + 1;
    io.y.set(p.leave(x.meet(three) + three));
    let design = m.finish(io).unwrap();
    let mut sim = Simulator::new(&design);
    let AlignedPorts { x, y } = design.ports;
    let seen: Vec<u64> = (1..6u64)
        .map(|i| {
            sim.poke(x, i);
            sim.step();
            sim.peek(y)
        })
        .collect();
    assert_eq!(seen[1..], [4, 5, 6, 7]);
}

/// A condition that numbers decide is none: `always @*` would have nothing to wait for.
#[test]
#[module]
fn conditions_that_numbers_decide() {
    let m = Module::new("decided");
    let io = common::mistakes::Io::new(m);
    [io.b, io.c].into_iter().for_each(Signal::unused);
    let (zero, w) = (m.lit(0u32, 1), m.wire(bits(8)));
    w.set(7);
    m.when(zero.mux(io.a.bit(0), zero), || w.set(8));
    m.when(zero & io.a.bit(1), || w.set(9));
    io.y.set(w ^ io.a);
    let text = verilog(&m.finish(io).unwrap(), &Options::default()).single();
    assert!(!text.contains("always") && text.contains("8'h7"), "{text}");
}
