//! Assignments that never have an effect, and what is given twice: tests/errors/NAME.txt. `BLESS=1` renews the files.
#![allow(missing_docs)]

use crate::common;
use crate::errors_held::{between, passing};

use common::Phase;
use common::mistakes::{Io, increment, reports};
use hdl::{engine::Engine, *};

#[test]
#[module]
fn assigned_twice() {
    reports("twice_output", |_, io| {
        io.y.set(io.a);
        io.y.set(io.b.zext(8));
    });
    reports("twice_register", |m, io| {
        let held = m.reg(bits(8));
        held.set(io.a);
        held.set(held + 1);
        io.y.set(held);
    });
    reports("twice_instance", |m, io| {
        let unit = m.instance(&increment(false));
        unit.x.set(io.a);
        unit.hint.set(0);
        unit.x.set(io.a + 1);
        io.y.set(unit.y);
    });
    reports("twice_in_a_block", |m, io| {
        io.y.set(0);
        m.when(io.c, || {
            io.y.set(1);
            io.y.set(2);
        })
        .otherwise(|| {
            io.y.set(3);
            io.y.set(4);
        });
    });
    reports("twice_in_a_loop", |_, io| {
        for i in 0..3 {
            io.y.set(io.a + i);
        }
    });
    reports("twice_bundle", |m, io| {
        let pair = m.wire((bits(8), bits(4)));
        pair.set((io.a, io.b));
        pair.set((io.a + 1, io.b));
        io.y.set(pair.0 ^ pair.1.zext(8));
    });
}

/// Under a `when`, both consumers would take what is meant for one.
#[test]
#[module]
fn a_stream_with_two_consumers() {
    between("twice_consumed", |m, io| {
        io.y.set(0);
        let [first, second] = [(); 2].map(|()| m.instance(&passing()));
        first.s.set(io.s);
        second.s.set(io.s);
        io.m.set(first.m);
        second.m.ready.set(0);
        second.m.valid.unused();
    });
    between("twice_consumed_of_an_instance", |m, io| {
        io.y.set(0);
        let [source, first, second] = [(); 3].map(|()| m.instance(&passing()));
        source.s.set(io.s);
        first.s.set(source.m);
        second.s.set(source.m);
        io.m.set(first.m);
        second.m.ready.set(0);
        second.m.valid.unused();
    });
}

#[test]
#[module]
fn parts_assigned_twice() {
    reports("twice_part", |m, io| {
        let word = m.wire(bits(8));
        word.bits(5, 2).set(io.b);
        word.bits(3, 0).set(0);
        word.bits(7, 4).set(io.b);
        io.y.set(word);
    });
    reports("twice_part_by_whole", |_, io| {
        io.y.bit(3).set(io.c);
        io.y.part(io.a.trunc(3), 1).set(io.c);
        io.y.set(io.a);
    });
}

#[test]
#[module]
fn conditions_without_effect() {
    reports("overridden_when", |m, io| {
        m.when(io.c, || io.y.set(1));
        io.y.set(io.a);
    });
    reports("overridden_switch", |m, io| {
        let phase = m.state(Phase::Idle);
        m.switch(phase, |s| {
            s.case(Phase::Idle, || m.when(io.c, || phase.set(Phase::Load)));
            s.default(|| phase.set(Phase::Idle));
        });
        phase.set(Phase::WaitDone);
        io.y.set(phase.code().zext(8));
    });
    reports("overridden_inside", |m, io| {
        io.y.set(0);
        m.when(io.c, || {
            m.when(io.a.any(), || io.y.set(1)).elsewhen(io.b.any(), || io.y.set(2));
            io.y.set(3);
        });
    });
}

/// Defaults, and parts over a whole.
#[test]
#[module]
fn what_has_an_effect() {
    let m = Module::new("example");
    let io = Io::new(m);
    let word = m.wire(bits(8));
    word.set(0);
    word.bits(3, 0).set(io.b); // the high part of the default stays
    m.when(io.c, || word.set(1)).otherwise(|| word.set(2)); // a default that every path overrides
    m.when(io.a.any(), || {
        word.set(3);
        m.when(io.c, || word.set(4));
    });
    m.when(io.a.any(), || word.set(5)); // the same condition is not looked at
    word.part(io.a.trunc(3), 1).set(io.c);
    word.part(io.a.bits(3, 1), 1).set(io.c);
    let held = m.reg(bits(8));
    m.switch(io.b, |s| {
        s.case(0, || held.set(0));
        s.case(1, || held.set(1));
        s.default(|| held.set(word));
    });
    io.y.set(held);
    m.finish(io).unwrap();
}

#[test]
#[module]
fn given_twice() {
    reports("twice_enable", |m, io| {
        let held = m.reg(bits(8)).enable(io.c).enable(io.a.any());
        held.set(io.a);
        io.y.set(held);
    });
    reports("twice_asynchronous_reset", |m, io| {
        let held = m.reg(bits(8)).asynchronous_reset(io.c, 0);
        let held = held.asynchronous_reset(io.a.any(), 1);
        held.set(io.a);
        io.y.set(held);
    });
    reports("twice_latency", |m, io| {
        m.latency(1);
        m.latency(1);
        m.latency(2);
        io.y.set(io.a);
    });
    reports("twice_contents", |m, io| {
        let words = m.memory(bits(8), 16).init([1u32]).init([2u32]);
        io.y.set(words.read(io.b));
    });
    reports("twice_style", |m, io| {
        let words = m.memory(bits(8), 16).init([1u32]).style(RamStyle::Distributed).style(RamStyle::Registers);
        io.y.set(words.read(io.b));
    });
    reports("twice_attribute", |m, io| {
        let held = m.reg(bits(8)).attribute("keep", "").attribute("keep", "true");
        held.set(io.a);
        io.y.set(held);
    });
    reports("twice_default", |m, io| {
        m.switch(io.b, |s| {
            s.default(|| io.y.set(1));
            s.default(|| io.y.set(2));
        });
    });
}

#[test]
#[module]
fn memories_that_no_device_has() {
    reports("style_block", |m, io| {
        let words = m.memory(bits(8), 16).init([1u32]).style(RamStyle::Block);
        let now = words.read(io.b);
        io.y.set(now ^ words.read_sync(io.b));
    });
    reports("style_write_ports", |m, io| {
        let block = m.memory(bits(8), 16).style(RamStyle::Block);
        let lut = m.memory(bits(8), 16).style(RamStyle::Distributed);
        (0..3).for_each(|i| block.write(io.b + i, io.a, io.c));
        (0..2).for_each(|i| lut.write(io.b + i, io.a, io.c));
        io.y.set(block.read_sync(io.b) ^ lut.read(io.b));
    });
}

/// Attributes stand in the text as they are.
#[test]
#[module]
fn attributes_that_break_the_text() {
    reports("attribute_text", |m, io| {
        let held = m.reg(bits(8)).attribute("keep *) wire", "").attribute("ram_style", "a\"b").attribute("reg", "yes");
        let words = m.memory(bits(8), 16).attribute("note", "two\nlines").attribute("path", "C:\\").attribute("é", "é");
        words.write(io.b, io.a, io.c);
        held.set(words.read(io.b));
        io.y.set(held);
    });
}

#[test]
#[module]
fn an_element_that_a_signal_chooses() {
    // the other elements take it
    let m = Module::new("overridden");
    let io = Io::new(m);
    let list = m.reg_reset(vector(bits(8), 5), 0);
    let file = m.reg_file(bits(8), 5);
    m.when(io.c, || {
        list.at(io.a.trunc(3)).set(io.a);
        list[3].set(1);
        file.at(io.a.trunc(3)).set(io.a);
        file[3].set(1);
    });
    let sum = |all: &[Signal]| all.iter().copied().reduce(|x, y| x + y).unwrap();
    io.y.set(sum(&list) + sum(&file) + io.b.zext(8));
    let design = m.finish(io).unwrap();
    let mut sim = hdl::sim::Simulator::new(&design);
    sim.reset(1);
    sim.poke(design.ports.c, 1);
    sim.poke(design.ports.b, 0);
    for at in 0..5 {
        sim.poke(design.ports.a, 8 + at);
        sim.step();
    }
    // 8, 9, 10, 1, 12 in both
    assert_eq!(sim.peek(design.ports.y), 2 * 40);

    reports("twice_chosen", |m, io| {
        let list = m.reg_reset(vector(bits(8), 3), 0);
        list.at(io.a.trunc(2)).set(io.a);
        list.iter().for_each(|element| element.set(0));
        io.y.set(list[0] + list[1] + list[2] + io.b.zext(8) + io.c.zext(8));
    });
}

/// Without a reset, bits that nothing assigns would be unknown for ever.
#[test]
fn registers_with_bits_that_nothing_assigns() {
    reports("register_bits", |m, io| {
        let half = m.reg(bits(8));
        half.bits(3, 0).set(io.b);
        let some = m.reg(bits(8));
        m.when(io.c, || some.bits(7, 1).set(io.a.bits(7, 1)));
        let all = m.reg(bits(8));
        all.part(io.b.bits(2, 0), 1).set(io.c);
        let reset = m.reg_reset(bits(8), 3);
        reset.bits(7, 4).set(io.b);
        io.y.set(half ^ some ^ all ^ reset);
    });
}
