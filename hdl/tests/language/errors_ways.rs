//! Errors of constants of pipelines that move, by ways back over other names, logic and what may hold: tests/errors/NAME.txt. `BLESS=1` renews
//! the files.
#![allow(missing_docs)]

use crate::common;

use common::golden::{compare, stable};
use common::mistakes::reports;
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

ports! {
    struct OnePorts() {
        input x: Signal = bits(8),
        input go: Signal = bits(1),
        output y: Signal = bits(8),
    }
}

/// Gives what it took when `go` said so.
#[module]
fn told() -> Design<OnePorts> {
    let m = Module::new("moves_when_told");
    let io = OnePorts::new(m);
    m.enabled_by(io.go);
    m.latency(1);
    let r = m.reg(bits(8));
    r.set(io.x);
    io.y.set(r);
    m.finish(io).unwrap()
}

/// Back over names and logic to the streams themselves.
mod streams_by_another_name {
    use super::*;

    /// A stream at the beginning that is made of `io.s`.
    fn begins(how: u32, m: Module, io: &StreamPorts) -> Stream {
        match how {
            0 => io.s.with(io.s.payload + 1),
            1 => {
                let w = m.wire(stream(bits(8)));
                w.set(io.s);
                w
            }
            _ => io.s.with(io.s.payload + io.live),
        }
    }

    #[test]
    #[module]
    fn at_the_beginning() {
        for how in 0..3 {
            for valid in [false, true] {
                streams(&format!("constant_of_a_stream_behind_{}", 2 * how + u32::from(valid)), |m, io| {
                    let (p, x) = m.pipeline_stream("sum", begins(how, m, &io), Elastic::default());
                    let constant = if valid { io.s.valid.zext(8) } else { io.s.payload };
                    p.leave_stream((x + p.constant(constant)).next(), io.m);
                });
            }
        }
    }

    #[test]
    #[module]
    fn at_the_end() {
        for wire in [false, true] {
            streams(&format!("constant_of_ready_at_the_end_{}", u32::from(wire)), |m, io| {
                let (p, x) = m.pipeline_stream("sum", io.s, Elastic::default());
                let to = if wire { m.wire(stream(bits(8))) } else { io.m };
                if wire {
                    io.m.set(to);
                }
                p.leave_stream((x + p.constant(io.m.ready.zext(8))).next(), to);
            });
        }
    }

    /// What is beside the stream in its logic may be a setting.
    #[test]
    #[module]
    fn beside() {
        for how in 0..3 {
            legal(|m, io| {
                let from = match how {
                    0 => io.s.with(io.s.payload + io.live),
                    _ => {
                        let w = m.wire(stream(bits(8)));
                        w.payload.set(io.s.payload);
                        w.valid.set(io.s.valid & io.c);
                        io.s.ready.set(w.ready & io.c);
                        w
                    }
                };
                let (p, x) = m.pipeline_stream("sum", from, Elastic::default());
                let constant = if how == 1 { io.c.zext(8) } else { io.live };
                p.leave_stream((x + p.constant(constant)).next(), io.m);
            });
        }
    }
}

mod ways_back {
    use super::*;
    use common::mistakes::Io;

    /// The same, from elsewhere.
    #[module]
    fn foreign(cycles: u32, held: bool) -> Design<OnePorts> {
        let f = Foreign::black_box("DELAY");
        f.clock("C");
        let io = OnePorts::new(f);
        if held {
            f.advance(io.go);
        }
        if cycles > 0 {
            f.latency(cycles);
        }
        f.finish(io).unwrap()
    }

    /// A way from what left the pipeline at stage 1 to what it takes as a constant.
    fn way(how: &str, m: Module, io: &Io, left: Signal) -> Signal {
        let through = |unit: Instance<OnePorts>, go: Signal| {
            unit.x.set(left);
            unit.go.set(go);
            unit.y
        };
        let r = m.reg_reset(bits(8), 0);
        if !how.contains("whens") && !how.contains("mux") && !how.contains("part") {
            r.set(r);
        }
        match how {
            "asynchronous_reset" => {
                let (r, clear) = (m.reg(bits(8)), m.reg(bits(1)));
                clear.set(left.bit(0));
                let r = r.asynchronous_reset(clear, 0);
                r.set(io.a);
                return r;
            }
            "foreign" => return through(m.instance(&foreign(2, false)), io.c),
            "foreign_held_by_1" => return through(m.instance(&foreign(2, true)), m.lit(1u32, 1)),
            "foreign_that_says_nothing" => return through(m.instance(&foreign(0, false)), io.c),
            "foreign_held" => return through(m.instance(&foreign(2, true)), io.c),
            "instance_held" => return through(m.instance(&told()), io.c),
            "instance_in_enabled" => {
                return m.in_enabled(io.c, || {
                    let unit = m.instance(&told());
                    unit.x.set(left);
                    unit.y
                });
            }
            "another_pipeline" => {
                let q = m.pipeline("other");
                return q.leave(q.enter(left).next());
            }
            "another_pipeline_held" => {
                let q = m.pipeline_enabled("other", io.c);
                return q.leave(q.enter(left).next());
            }
            "two_whens" => {
                m.when(io.c, || r.set(left));
                m.when(!io.c, || r.set(io.a));
            }
            "two_other_whens" => {
                m.when(io.c, || r.set(left));
                m.when(!io.b.bit(0), || r.set(io.a));
            }
            "two_whens_of_halves" => {
                m.when(io.c, || r.bits(3, 0).set(left.bits(3, 0)));
                m.when(!io.c, || r.bits(7, 4).set(io.b));
            }
            "mux" => r.set(io.c.mux(left, io.a)),
            "mux_that_holds" => r.set(io.c.mux(left, r)),
            "mux_that_holds_twice" => r.set(io.c.mux(r, io.b.bit(0).mux(r, left))),
            "mux_that_holds_a_part" => r.bits(3, 0).set(io.c.mux(left.bits(3, 0), r.bits(3, 0))),
            "branch_that_holds_a_part" => {
                m.when(io.c, || r.bits(3, 0).set(left.bits(3, 0))).otherwise(|| r.bits(3, 0).set(r.bits(3, 0)));
            }
            "mux_of_a_part" => r.bits(3, 0).set(io.c.mux(left.bits(3, 0), r.bits(7, 4))),
            "mux_that_holds_until_reset" => r.set(io.b.any().mux(io.a, io.c.mux(left, r))),
            _ => panic!("{how}"),
        }
        r
    }

    fn comes_back(how: &str, m: Module, io: &Io) {
        let p = m.pipeline("sum");
        let left = p.leave(p.enter(io.a).next());
        let back = way(how, m, io, left);
        io.y.set(p.leave(p.enter(io.a).next() + p.constant(back)));
    }

    #[test]
    #[module]
    fn that_move() {
        let hows = [
            "asynchronous_reset",
            "foreign",
            "foreign_held_by_1",
            "another_pipeline",
            "two_whens",
            "mux",
            "mux_of_a_part",
        ];
        for how in hows {
            reports(&format!("constant_that_came_back_by_{how}"), |m, io| comes_back(how, m, &io));
        }
    }

    /// Where what holds an instance does not always go, it is as a register that holds.
    #[test]
    #[module]
    fn that_hold() {
        let hows = [
            "foreign_that_says_nothing",
            "foreign_held",
            "instance_held",
            "instance_in_enabled",
            "another_pipeline_held",
            "two_other_whens",
            "two_whens_of_halves",
            "mux_that_holds",
            "mux_that_holds_twice",
            "mux_that_holds_until_reset",
            "mux_that_holds_a_part",
            "branch_that_holds_a_part",
        ];
        for how in hows {
            let m = Module::new("example");
            let io = Io::new(m);
            [io.a, io.b, io.c].into_iter().for_each(Signal::unused);
            comes_back(how, m, &io);
            if let Err(e) = m.finish(io) {
                panic!("{how}: {e}");
            }
        }
    }

    /// A register that takes `left` where items of `sum` go on, which stands while `c` is 0.
    fn advances(how: u32, m: Module, io: &Io) {
        let c = io.c;
        let enable = match how {
            6 | 7 => !c,
            8 | 9 | 12 | 16 | 17 => io.b.ne(0),
            18 => io.b.lt(5),
            10 | 11 => io.b.eq(3),
            13 => !(c | io.b.lt(4)),
            _ => c,
        };
        let p = m.pipeline_enabled("sum", enable);
        let left = p.leave(p.enter(io.a).next());
        let r = m.reg(bits(8));
        let set = || r.set(left);
        match how {
            0 => {
                m.when(!!c, set);
            }
            1 => {
                m.when(c.eq(1), set);
            }
            2 => {
                m.when(c | io.b.bit(0), set);
            }
            3 => {
                m.when(c.ne(0), set);
            }
            4 => m.when(!c, || ()).otherwise(set),
            5 => r.set((!c).mux(r, left)),
            6 => {
                m.when(!c, set);
            }
            7 => {
                m.when(c.eq(0), set);
            }
            8 => {
                m.when(io.b.any(), set);
            }
            9 => m.when(io.b.eq(0), || ()).otherwise(set),
            10 => m.switch(io.b, |s| {
                s.case(3, set);
                s.default(|| ());
            }),
            11 => {
                m.when(io.b.bit(0) & io.b.bit(1), set);
            }
            12 => m.switch(io.b, |s| {
                s.case(0, || ());
                s.default(set);
            }),
            16 => {
                m.when(io.b.gt(0), set);
            }
            17 => {
                m.when(io.b.lt(1), || ()).otherwise(set);
            }
            18 => {
                m.when(io.b.le(4), set);
            }
            13 => {
                m.when(!c & io.b.ge(4), set);
            }
            14 => m.switch(c, |s| {
                s.case(0, || ());
                s.case(1, set);
            }),
            _ => {
                let go = m.wire(bits(1));
                go.set(0);
                m.when(c, || go.set(1));
                m.when(go, set);
            }
        }
        io.y.set(p.leave((p.enter(io.a) + p.constant(r)).next()));
    }

    /// Conditions that are 1 where the items go on, in any form.
    #[test]
    #[module]
    fn that_advance() {
        for how in 0..19 {
            reports(&format!("constant_that_advances_also_{how}"), |m, io| advances(how, m, &io));
        }
    }

    /// What says the same in a way that only numbers show.
    #[test]
    #[module]
    fn that_advance_by_other_terms() {
        for how in 0..12 {
            reports(&format!("constant_that_advances_otherwise_{how}"), |m, io| {
                let (b, c, d, n) = (io.b, io.c, io.b.bit(3), io.b.bits(2, 0));
                let enable = match how {
                    0 | 1 => c | d,
                    2 | 3 => !(c & !d),
                    4 | 5 => c ^ d,
                    6 => c.mux(d, b.bit(0)),
                    7 => c & n.eq(2),
                    8 | 9 => n.ne(0),
                    _ => n.lt(5),
                };
                let p = m.pipeline_enabled("sum", enable);
                let left = p.leave(p.enter(io.a).next());
                let r = m.reg(bits(8));
                let set = || r.set(left);
                match how {
                    0 => m.when(c, set).elsewhen(d, set).otherwise(|| ()),
                    1 => m.when(!c & !d, || ()).otherwise(set),
                    2 => m.when(!c | d, set).otherwise(|| ()),
                    3 => m.when(c, || m.when(d, set).otherwise(|| ())).otherwise(set),
                    4 => m.when(c.ne(d), set).otherwise(|| ()),
                    5 => m.switch(c.cat(d), |s| {
                        s.case(1, set);
                        s.case(2, set);
                        s.default(|| ());
                    }),
                    6 => m.when(c, || m.when(d, set).otherwise(|| ())).elsewhen(b.bit(0), set).otherwise(|| ()),
                    7 => m.switch(c.cat(n), |s| {
                        s.case(0b1010, set);
                        s.default(|| ());
                    }),
                    8 => m.when(n.bit(0) | n.bit(1) | n.bit(2), set).otherwise(|| ()),
                    9 => r.set(n.zext(5).eq(0).mux(r, left)),
                    10 => m.when(n.lt(6), set).otherwise(|| ()),
                    _ => {
                        let next = m.wire(bits(8));
                        next.set(r);
                        m.when(n.le(4), || next.set(left));
                        r.set(next);
                    }
                }
                io.y.set(p.leave((p.enter(io.a) + p.constant(r)).next()));
            });
        }
    }

    /// Conditions of the same form, of other signals or numbers, are the user's word.
    #[test]
    #[module]
    fn that_are_not_the_enable() {
        for how in 0..6 {
            let m = Module::new("example");
            let io = Io::new(m);
            [io.a, io.b, io.c].into_iter().for_each(Signal::unused);
            let enable = if how < 2 { io.c } else { io.b.ne(0) };
            let p = m.pipeline_enabled("sum", enable);
            let left = p.leave(p.enter(io.a).next());
            let r = m.reg(bits(8));
            let when = match how {
                0 => !io.b.bit(0),
                1 => io.c & io.b.bit(0),
                2 => io.a.ne(0),
                3 => io.b.ne(1),
                4 => io.b.eq(0),
                _ => io.b.bit(3),
            };
            m.when(when, || r.set(left));
            io.y.set(p.leave((p.enter(io.a) + p.constant(r)).next()));
            m.finish(io).unwrap_or_else(|e| panic!("{how}: {e}"));
        }
    }

    /// Each of 4,000 constants stands behind all registers before it: one walk finds that nothing comes back.
    #[test]
    #[module]
    fn of_many_constants() {
        let begin = std::time::Instant::now();
        let m = Module::new("example");
        let io = Io::new(m);
        [io.b, io.c].into_iter().for_each(Signal::unused);
        let p = m.pipeline("sum");
        let (mut x, mut sum) = (io.a, p.enter(io.a));
        for _ in 0..4000 {
            let r = m.reg(bits(8));
            r.set(x ^ io.a);
            x = r;
            sum = sum ^ p.constant(x);
        }
        io.y.set(p.leave(sum.next()));
        m.finish(io).unwrap_or_else(|e| panic!("{e}"));
        assert!(begin.elapsed().as_secs() < 5, "{:?}", begin.elapsed());
    }

    #[module]
    fn limited() -> Design<LimitPorts> {
        let m = Module::new("limited");
        let io = LimitPorts::new(m);
        let p = m.pipeline("limit");
        io.y.set(p.leave((p.enter(io.x) ^ p.constant(io.limit)).next()));
        m.finish(io).unwrap()
    }

    ports! {
        struct LimitPorts() {
            input x: Signal = bits(8),
            input limit: Signal = bits(8),
            output y: Signal = bits(8),
        }
    }

    /// The same of the settings of instances.
    #[test]
    #[module]
    fn of_many_settings() {
        let begin = std::time::Instant::now();
        let m = Module::new("example");
        let io = Io::new(m);
        [io.b, io.c].into_iter().for_each(Signal::unused);
        let p = m.pipeline("sum");
        let (mut x, mut sum) = (io.a, p.leave(p.enter(io.a).next()));
        for _ in 0..2000 {
            let r = m.reg(bits(8));
            r.set(x ^ io.a);
            x = r;
            let unit = m.instance(&limited());
            unit.x.set(sum);
            unit.limit.set(x);
            sum = unit.y;
        }
        io.y.set(sum);
        m.finish(io).unwrap_or_else(|e| panic!("{e}"));
        println!("{:?}", begin.elapsed());
        assert!(begin.elapsed().as_secs() < 8, "{:?}", begin.elapsed());
    }
}
