//! Errors of memories, pipelines, signals of other modules and properties: tests/errors/NAME.txt. `BLESS=1` renews the files.
#![allow(missing_docs)]

use crate::common;

use common::golden::{compare, stable};
use common::mistakes::{Io, increment, reports};
use hdl::*;

mod memories {
    use super::*;

    #[test]
    #[module]
    fn addresses() {
        reports("memory_address", |m, io| {
            let table = m.memory(bits(8), 100).init(0u32..100);
            table.write(io.a, io.a, io.c);
            io.y.set(table.read(io.b));
        });
    }

    #[test]
    #[module]
    fn not_used() {
        reports("memory_not_used", |m, io| {
            let written = m.memory(bits(8), 16);
            written.write(io.b, io.a, io.c);
            let read = m.memory(bits(8), 16);
            io.y.set(read.read(io.b));
        });
    }

    #[test]
    #[module]
    fn contents() {
        reports("memory_depth", |m, io| {
            let none = m.memory(bits(8), 0);
            none.write(io.c, io.a, io.c);
            io.y.set(none.read(io.c));
        });
        reports("memory_init", |m, io| {
            let long = m.memory(bits(8), 16).init(0u32..17);
            let wide = m.memory(bits(8), 16).init([255u32, 256, 257]);
            io.y.set(long.read(io.b) ^ wide.read(io.b));
        });
    }

    #[test]
    #[module]
    fn writes() {
        reports("memory_mask", |m, io| {
            let lanes = m.memory(bits(8), 16);
            lanes.write_lanes(io.b, io.a, io.a.trunc(3));
            io.y.set(lanes.read(io.b));
        });
        reports("memory_data", |m, io| {
            let words = m.memory(bits(8), 16);
            words.write(io.b, io.b, io.c);
            io.y.set(words.read(io.b));
        });
        reports("memory_write_in_when", |m, io| {
            let words = m.memory(bits(8), 16);
            m.when(io.c, || words.write(io.b, io.a, io.c));
            io.y.set(words.read(io.b));
        });
        reports("memory_enable", |m, io| {
            let words = m.memory(bits(8), 16);
            words.write(io.b, io.a, io.c);
            io.y.set(words.read_sync_enabled(io.b, io.a));
        });
    }
}

mod pipelines {
    use super::*;

    #[test]
    #[module]
    fn stages_differ() {
        reports("stages_differ", |m, io| {
            let p = m.pipeline("mac");
            let (a, b) = p.enter((io.a, io.b));
            let square = (a.trunc(4) * b).next().next();
            let sum = square + a;
            io.y.set(p.leave(sum));
        });
        reports("stages_differ_in_mux", |m, io| {
            let p = m.pipeline("choose");
            let (a, c) = p.enter((io.a, io.c));
            io.y.set(p.leave(c.mux(a.next(), a.next() + 1)));
        });
        reports("stages_differ_in_when", |m, io| {
            let p = m.pipeline("gate");
            let (a, c) = p.enter((io.a, io.c));
            let gated = m.wire(bits(8));
            gated.set(a.next());
            m.when(c, || gated.set(a.next() + 1));
            io.y.set(p.leave(gated));
        });
        reports("stages_differ_on_leaving", |m, io| {
            let p = m.pipeline("both");
            let (a, b) = p.enter((io.a, io.b));
            let (a, b) = p.leave((a.next(), b));
            io.y.set(a ^ b.zext(8));
        });
        reports("stages_differ_in_memory", |m, io| {
            let p = m.pipeline("table");
            let (a, b, c) = p.enter((io.a, io.b, io.c));
            let table = m.memory(bits(8), 16);
            table.write(b, a.next(), c);
            io.y.set(p.leave(table.read(b)));
        });
    }

    #[test]
    #[module]
    fn two_pipelines() {
        reports("two_pipelines", |m, io| {
            let a = m.pipeline("first").enter(io.a);
            let b = m.pipeline("second").enter(io.b);
            io.y.set(a ^ b.zext(8));
        });
    }

    #[test]
    #[module]
    fn meeting_earlier() {
        reports("meet_earlier", |m, io| {
            let p = m.pipeline("mac");
            let (a, b) = p.enter((io.a, io.b));
            let late = a.later(3);
            let sum = late.meet(b) + b.zext(8);
            io.y.set(p.leave(sum));
        });
    }

    #[test]
    #[module]
    fn outside() {
        reports("not_in_a_pipeline", |_, io| {
            let sum = io.a + 1;
            io.y.set(sum.next());
        });
        reports("entered_twice", |m, io| {
            let p = m.pipeline("twice");
            let a = p.enter(io.a);
            io.y.set(p.leave(p.enter(a.next())));
        });
        reports("output_without_leave", |m, io| {
            let p = m.pipeline("short");
            let a = p.enter(io.a).next();
            io.y.set(a);
        });
    }

    #[test]
    #[module]
    fn instances() {
        reports("instance_without_latency", |m, io| {
            let p = m.pipeline("outer");
            let unit = m.instance(&increment(false));
            unit.x.set(p.enter(io.a));
            unit.hint.set(0);
            io.y.set(p.leave(unit.y));
        });
        reports("instance_inputs", |m, io| {
            let p = m.pipeline("outer");
            let a = p.enter(io.a);
            let unit = m.instance(&increment(true));
            unit.x.set(a.next());
            unit.hint.set(a);
            io.y.set(p.leave(unit.y));
        });
        reports("instance_output", |m, io| {
            let p = m.pipeline("outer");
            let a = p.enter(io.a);
            let unit = m.instance(&increment(true));
            unit.x.set(a);
            unit.hint.set(a);
            io.y.set(p.leave(unit.y ^ a));
        });
    }
}

mod strangers {
    use super::*;

    #[test]
    #[module]
    fn another_module() {
        let other = Module::new("other");
        let foreign = other.wire(bits(8));
        reports("another_module", |_, io| io.y.set(io.a + foreign));
        reports("another_module_first", |_, io| io.y.set(foreign + io.a));
    }

    #[test]
    #[module]
    fn a_finished_module() {
        let done = increment(false);
        reports("finished_module", |_, io| io.y.set(io.a ^ done.ports.y));
        reports("finished_module_first", |_, io| {
            let twice = done.ports.y + io.a;
            io.y.set((twice + 1) ^ io.a);
        });
    }

    #[test]
    #[module]
    fn a_shape() {
        reports("shape", |_, io| io.y.set(io.a + bits(8)));
        reports("shape_first", |_, io| {
            let sum = bits(8) + io.a;
            io.y.set((sum + 1) ^ io.a);
        });
    }

    #[test]
    fn finished_twice() {
        let m = Module::new("twice");
        let io = Io::new(m);
        [io.a, io.b, io.c].into_iter().for_each(Signal::unused);
        io.y.set(0);
        m.finish(io).unwrap();
        let errors = m.finish(io).unwrap_err();
        compare("errors", "finished_twice.txt", &stable(&errors.to_string()));
    }
}

mod properties {
    use super::*;

    #[test]
    fn a_wide_condition() {
        reports("assert_wide", |m, io| {
            io.y.set(io.a);
            m.assert(io.a, "never 0");
            m.when(io.c, || m.assume(io.b, "never 0"));
        });
    }

    #[test]
    fn no_words() {
        reports("assert_message", |m, io| {
            io.y.set(io.a);
            m.assert(io.c, " ");
            m.cover(io.c, "it is \"1\"");
        });
    }

    #[test]
    fn of_another_module() {
        let other = Module::new("other");
        let foreign = Io::new(other);
        reports("assert_foreign", |m, io| {
            io.y.set(io.a);
            m.assert(foreign.c, "of another module");
            m.past(foreign.a);
        });
    }

    #[test]
    #[module]
    fn stages() {
        reports("assert_stages", |m, io| {
            let p = m.pipeline("gate");
            let (a, c) = p.enter((io.a, io.c));
            let sum = (a + 1).next();
            m.when(c, || m.assert(sum.ne(0), "no wrap"));
            io.y.set(p.leave(sum));
        });
    }

    #[test]
    fn a_free_value_cannot_be_assigned() {
        reports("assign_anyconst", |m, io| {
            let tag = m.anyconst(8);
            tag.set(io.a);
            io.y.set(tag);
        });
    }
}

/// What is written has the shape of the words: not only as many bits.
#[test]
#[module]
fn shapes_of_words() {
    reports("memory_fields", |m, io| {
        let pixels = m.memory((bits(4), bits(8)), 16);
        pixels.write(io.b, (io.a, io.b), io.c);
        io.y.set(pixels.read(io.b).1);
    });
    reports("memory_lengths", |m, io| {
        let words = m.memory(vector(bits(4), 4), 16);
        words.write(io.b, Vector::of([io.a, io.a]), io.c);
        io.y.set(words.read(io.b)[0].zext(8));
    });
    reports("memory_unions", |m, io| {
        let words = m.memory(Split::shape(1, 4), 16);
        words.write(io.b, Split::shape(4, 1).unpack(io.a.trunc(6)), io.c);
        io.y.set(words.read(io.b).payload().zext(8));
    });
}

tagged! {
    enum Split(low: u32, high: u32) {
        Pair { high: Signal = bits(high), low: Signal = bits(low) },
    }
}

#[test]
fn parts_of_nothing() {
    reports("part_of_no_bits", |_, io| io.y.set(io.a.part(io.b.trunc(3), 0).zext(8)));
    reports("lanes_uneven", |_, io| io.y.set(io.a.lanes(3)[0].zext(8)));
    reports("part_of_an_element", |m, io| {
        let v = m.reg_reset(vector(bits(8), 4), 0);
        v.at(io.b.trunc(2)).part(io.a.trunc(3), 1).set(io.c);
        io.y.set(v[0]);
    });
}

/// A word would be read at every clock, whatever the condition. What is read at once is logic.
#[test]
#[module]
fn synchronous_reads_under_conditions() {
    reports("memory_read_in_when", |m, io| {
        let words = m.memory(bits(8), 16).init(0..16u32);
        let y = m.wire(bits(8));
        y.set(words.read(io.b));
        m.when(io.c, || y.set(words.read_sync(io.b)));
        m.switch(io.b, |s| {
            s.case(1, || y.set(words.read_sync_enabled(io.b, io.c)));
            s.default(|| y.set(words.read(io.b))); // at once: where it stands says nothing of when it reads
        });
        io.y.set(y);
    });
}

/// What has left a pipeline says nothing of when.
#[test]
#[module]
fn meeting_what_left() {
    reports("meet_what_left", |m, io| {
        let p = m.pipeline("late");
        let (a, b) = p.enter((io.a, io.b));
        let sum = p.leave((a + b.zext(8)).next().next());
        io.y.set(p.leave(a.meet(sum)));
    });
}

/// An enable is one bit, and an address that is a number is that of a word.
#[test]
#[module]
fn write_ports_and_words_that_are_not_there() {
    reports("memory_enable_of_two_bits", |m, io| {
        let words = m.memory(bits(8), 16);
        words.write(io.b, io.a, io.b.bits(1, 0));
        io.y.set(words.read(io.b) ^ io.c.zext(8));
    });
    reports("memory_word_beyond_the_last", |m, io| {
        let words = m.memory(bits(8), 5);
        words.write(m.lit(5u32, 3), io.a, io.c);
        io.y.set(words.read(m.lit(7u32, 3)) ^ io.b.zext(8));
    });
}
