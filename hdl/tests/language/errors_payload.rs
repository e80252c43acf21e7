//! Errors of payloads that would change while they wait: tests/errors/NAME.txt. `BLESS=1` renews the files.
#![allow(missing_docs)]

use crate::common;

use common::golden::{compare, stable};
use hdl::*;

ports! {
    struct StreamPorts() {
        input s: Stream = stream(bits(8)),
        output m: Stream = stream(bits(8)),
        input live: Signal = bits(8),
        input c: Signal = bits(1),
    }
}

fn between(build: impl FnOnce(Module, StreamPorts)) -> Result<Design<StreamPorts>, Errors> {
    let m = Module::new("example");
    let io = StreamPorts::new(m);
    io.live.unused();
    io.c.unused();
    build(m, io);
    m.finish(io)
}

#[track_caller]
fn streams(name: &str, build: impl FnOnce(Module, StreamPorts)) {
    let errors = between(build).expect_err("the module has a mistake");
    compare("errors", &format!("{name}.txt"), &stable(&errors.to_string()));
}

#[track_caller]
fn legal(build: impl FnOnce(Module, StreamPorts)) {
    between(build).unwrap_or_else(|e| panic!("{e}"));
}

const COLLAPSE: Elastic = Elastic { collapse: true, flush: None };

/// At a later stage, what the stream brings is the next item.
#[test]
#[module]
fn of_the_stream_enters_late() {
    streams("payload_enters_where_it_leaves", |m, io| {
        let (p, x) = m.pipeline_stream("sum", io.s, Elastic::default());
        p.leave_stream(x.next() + p.enter_at(1, io.s.payload), io.m);
    });
    legal(|m, io| {
        let (p, x) = m.pipeline_stream("sum", io.s, Elastic::default());
        p.leave_stream(x + p.enter(io.s.payload), io.m);
    });
}

/// A word is read while the item waits, and may be written meanwhile.
#[test]
#[module]
fn of_a_memory_that_others_write() {
    streams("payload_of_a_memory_written_from_outside", |m, io| {
        let (p, x) = m.pipeline_stream("look", io.s, COLLAPSE);
        let table = m.memory(bits(8), 256);
        table.write(io.live, io.live, io.c);
        p.leave_stream(table.read(x.next()), io.m);
    });
    streams("payload_of_a_memory_written_far_before", |m, io| {
        let (p, x) = m.pipeline_stream("look", io.s, COLLAPSE);
        let table = m.memory(bits(8), 256).feedback();
        table.write(x, x, m.lit(1u32, 1));
        p.leave_stream(table.read(x.later(2)), io.m);
    });
}

/// In a register the word stands; and what items write stands while they wait.
#[test]
#[module]
fn of_a_memory_that_stands() {
    let one = |m: Module| m.lit(1u32, 1);
    for sync in [false, true] {
        legal(|m, io| {
            let (p, x) = m.pipeline_stream("look", io.s, COLLAPSE);
            let table = m.memory(bits(8), 256);
            table.write(io.live, io.live, io.c);
            p.leave_stream(if sync { table.read_sync(x) } else { table.read(x).next() }, io.m);
        });
    }
    legal(|m, io| {
        let (p, x) = m.pipeline_stream("look", io.s, COLLAPSE);
        let (table, x) = (m.memory(bits(8), 256), x.next());
        table.write(x, x, one(m));
        p.leave_stream(table.read(x), io.m);
    });
    for options in [COLLAPSE, Elastic::default()] {
        legal(|m, io| {
            let (p, x) = m.pipeline_stream("look", io.s, options);
            let table = m.memory(bits(8), 256).feedback();
            let x = if options.collapse { x } else { x.later(3) };
            table.write(x, x, one(m));
            p.leave_stream(table.read(x.next()), io.m);
        });
    }
    legal(|m, io| {
        let (p, x) = m.pipeline_stream("look", io.s, COLLAPSE);
        let table = m.memory(bits(8), 256).init((0..256u32).rev());
        p.leave_stream(table.read(x.next()), io.m);
    });
}

/// What stands still may enter anywhere.
#[test]
#[module]
fn with_what_stands_still() {
    legal(|m, io| {
        let (p, x) = m.pipeline_stream("sum", io.s, Elastic::default());
        let k = p.constant(io.live);
        p.leave_stream(x.next() + p.enter_at(1, k), io.m);
    });
    legal(|m, io| {
        let (p, x) = m.pipeline_stream("sum", io.s, Elastic::default());
        let three = m.wire(bits(8));
        three.set(3);
        p.leave_stream(x.next() + p.enter_at(1, three), io.m);
    });
}
