//! Fields and ports that are there by a parameter: on ports, in registers, memories, streams and on instances; and what is wrong
//! where one side has them and the other has not.
#![allow(missing_docs)]

use crate::common;

use common::mistakes::{panics, reports};
use hdl::engine::Engine;
use hdl::sim::Simulator;
use hdl::*;

#[derive(Clone, Copy, Bundle)]
struct Word {
    data: Signal,
    /// Bytes that are there.
    keep: Option<Signal>,
}

fn word(keep: bool) -> Word {
    Word { data: bits(16), keep: keep.then(|| bits(2)) }
}

ports! {
    struct QueuePorts(keep: bool, tagged: bool) {
        input s: Stream<Word> = stream(word(keep)),
        input tag: Option<Signal> = tagged.then(|| bits(3)),
        output m: Stream<Word> = stream(word(keep)),
        output last_tag: Option<Signal> = tagged.then(|| bits(3)),
    }
}

/// Holds one word, and the tag of the last.
#[module]
fn queue(keep: bool, tagged: bool) -> Result<Design<QueuePorts>, Errors> {
    let m = Module::new("queue");
    let io = QueuePorts::new(m, keep, tagged);
    let full = m.reg_reset(bits(1), 0);
    let words = m.memory(word(keep), 2);
    let tag = m.reg_reset(io.tag.shape(), 0);
    words.write(m.lit(0u32, 1), io.s.payload, io.s.transfer());
    m.when(io.s.transfer(), || tag.set(io.tag));
    full.set(io.s.transfer() | (full & !io.m.ready));
    io.s.ready.set(!full | io.m.ready);
    io.m.valid.set(full);
    io.m.payload.set(words.read(m.lit(0u32, 1)));
    io.last_tag.set(tag);
    m.finish(io)
}

/// The queue inside of another module.
#[module]
fn around(keep: bool, tagged: bool) -> Result<Design<QueuePorts>, Errors> {
    let m = Module::new("around");
    let io = QueuePorts::new(m, keep, tagged);
    let inner = m.instance(&queue(keep, tagged)?);
    inner.s.set(io.s);
    inner.tag.set(io.tag);
    io.m.set(inner.m);
    io.last_tag.set(inner.last_tag);
    m.finish(io)
}

#[test]
fn are_there_or_not() {
    for (keep, tagged) in [(false, false), (false, true), (true, false), (true, true)] {
        let design = around(keep, tagged).unwrap_or_else(|e| panic!("{e}"));
        let mut sim = Simulator::new(&design);
        let ports = &design.ports;
        assert_eq!([ports.s.payload.keep, ports.m.payload.keep].map(|x| x.is_some()), [keep; 2]);
        assert_eq!([ports.tag, ports.last_tag].map(|x| x.is_some()), [tagged; 2]);
        assert_eq!(verilog(&design, &Options::default()).single().contains("tag"), tagged);
        let port = |signal: Signal| design.port_index(signal).expect("a port");
        sim.reset(2);
        sim.poke(port(ports.s.valid), 1);
        sim.poke(port(ports.m.ready), 0);
        sim.poke(port(ports.s.payload.data), 0x1234);
        ports.s.payload.keep.into_iter().for_each(|x| sim.poke(port(x), 2));
        ports.tag.into_iter().for_each(|x| sim.poke(port(x), 5));
        sim.step();
        assert_eq!(sim.peek(port(ports.m.payload.data)), 0x1234);
        ports.m.payload.keep.into_iter().for_each(|x| assert_eq!(sim.peek(port(x)), 2));
        ports.last_tag.into_iter().for_each(|x| assert_eq!(sim.peek(port(x)), 5));
    }
}

#[test]
#[module]
fn on_one_side_alone() {
    reports("optional_field", |m, io| {
        let (with, without) = (m.reg(word(true)), m.reg(word(false)));
        without.data.set(io.a.zext(16));
        with.set(without);
        io.y.set(with.data.trunc(8));
    });
    reports("optional_field_mux", |m, io| {
        let (with, without) = (m.reg(word(true)), m.reg(word(false)));
        with.keep.into_iter().for_each(|keep| keep.set(io.b.trunc(2)));
        [with.data, without.data].iter().for_each(|x| x.set(io.a.zext(16)));
        io.y.set(io.c.mux(without, with).data.trunc(8));
    });
    reports("optional_signal", |m, io| {
        let with = m.wire(Some(bits(8)));
        with.set(None);
        io.y.set(io.a);
    });
    panics("optional_shape", || word(true).set(word(false)));
}

tagged! {
    enum Message(tagged: bool, length: usize) {
        Nothing,
        Word { data: Signal = bits(4), tag: Option<Signal> = tagged.then(|| bits(3)) },
        Words { list: Vector<Signal> = vector(bits(2), length), last: Signal = bits(2) },
    }
}

/// Fields of a variant: else the bits of one would stand where another is read.
#[test]
#[module]
fn in_a_variant() {
    reports("optional_field_of_a_variant", |m, io| {
        let message = m.reg_reset_to(Message::shape(true, 2), Message::Nothing);
        message.set(Message::Word { data: io.b, tag: None });
        io.y.set(Message::as_word(message).0.zext(8));
    });
    reports("optional_field_too_many", |m, io| {
        let message = m.reg_reset_to(Message::shape(false, 2), Message::Nothing);
        message.set(Message::Word { data: io.b, tag: Some(io.a.trunc(3)) });
        io.y.set(Message::as_word(message).0.zext(8));
    });
    reports("vector_lengths_in_a_variant", |m, io| {
        let message = m.reg_reset_to(Message::shape(false, 2), Message::Nothing);
        let list = Vector::of(io.a.trunc(6).lanes(2));
        message.set(Message::Words { list, last: io.b.trunc(2) });
        io.y.set(Message::as_words(message).1.zext(8));
    });
    // a pipeline's stage is that of no field
    reports("optional_field_of_no_stage", |m, io| {
        let p = m.pipeline("sum");
        let x = p.enter(io.a);
        let sum = p.state(m.reg_reset(bits(8), 0), None::<Signal>);
        sum.set(x);
        io.y.set(p.leave(sum));
    });
}

#[derive(Clone, Copy, Bundle)]
struct Inner {
    b: Signal,
}

/// Fields whose names are those of others: `a_b`, and `b` of `a`.
#[derive(Clone, Copy, Bundle)]
struct Clash {
    a_b: Option<Signal>,
    a: Option<Inner>,
}

/// Bundles that differ where their fields have the same names are not taken for each other.
#[test]
#[module]
fn fields_of_the_same_name() {
    reports("optional_fields_of_one_name", |m, io| {
        let one = m.reg(Clash { a_b: Some(bits(8)), a: None });
        one.set(Clash { a_b: None, a: Some(Inner { b: io.a }) });
        io.y.set(one.a_b.unwrap());
    });
    // beside a union, and in a variant of one
    reports("optional_fields_of_one_name_in_a_union", |m, io| {
        let [one, other] = [clash(Some(bits(8)), None), clash(None, Some(Inner { b: bits(8) }))];
        let held = m.reg((one, Message::shape(false, 2)));
        held.set((clash(None, Some(Inner { b: io.a })), held.1));
        let union = m.reg(Holding::shape(one));
        union.set(Holding::Clash { it: clash(None, Some(Inner { b: io.a })) });
        let unlike = m.reg(Holding::shape(other));
        union.set(unlike);
        io.y.set(held.0.a_b.unwrap());
    });
}

fn clash(a_b: Option<Signal>, a: Option<Inner>) -> Clash {
    Clash { a_b, a }
}

tagged! {
    enum Holding(it: Clash) {
        Clash { it: Clash = it },
        Nothing,
    }
}
