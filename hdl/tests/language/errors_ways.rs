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
        assert!(begin.elapsed().as_secs() < 8, "{:?}", begin.elapsed());
    }
}
