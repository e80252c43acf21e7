//! Errors of what was to stand still, and moves: constants of pipelines, settings of instances: tests/errors/NAME.txt. `BLESS=1` renews
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

/// Gives what it took, in the same cycle, in the next one, or as `go` says.
#[module]
fn one(how: u32) -> Design<OnePorts> {
    let m = Module::new(["inverter", "waits", "holds", "moves_when_told"][how as usize]);
    let io = OnePorts::new(m);
    if how == 3 {
        m.enabled_by(io.go);
        m.latency(1);
    }
    let r = m.reg(bits(8));
    match how {
        2 => {
            m.when(io.go, || r.set(io.x));
        }
        _ => r.set(io.x),
    }
    io.y.set(if how == 0 { !io.x } else { r });
    io.go.unused();
    m.finish(io).unwrap()
}

/// Holds what it has, but in a reset of its clock.
#[module]
fn keeps() -> Design<OnePorts> {
    let m = Module::new("keeps");
    let io = OnePorts::new(m);
    let r = m.reg_reset(bits(8), 0);
    m.when(io.go, || r.set(io.x));
    io.y.set(r);
    m.finish(io).unwrap()
}

mod constants {
    use super::*;
    use common::mistakes::Io;

    /// A way from what left the pipeline at stage 1 to what it takes as a constant.
    fn way(how: &str, m: Module, io: &Io, left: Signal) -> Signal {
        let through = |how: u32| {
            let unit = m.instance(&one(how));
            unit.x.set(left);
            unit.go.set(if how == 3 { m.lit(1u32, 1) } else { io.c });
            unit.y
        };
        match how {
            "synchronous_reset" | "synchronous_reset_of_an_instance" => {
                m.reset_from(m.current_domain(), left.bit(0));
                if how == "synchronous_reset_of_an_instance" {
                    let unit = m.instance(&keeps());
                    unit.x.set(io.a);
                    unit.go.set(io.c);
                    return unit.y;
                }
                let r = m.reg_reset(bits(8), 0);
                m.when(io.c, || r.set(io.a));
                return r;
            }
            "instance" => return through(0),
            "register_of_an_instance" => return through(1),
            "latency_of_an_instance" => return through(3),
            "read_sync" => return m.memory(bits(8), 256).init(0..256u32).read_sync(left),
            "memory_of_one_word" => {
                let at = m.lit(0u32, 2);
                let word = m.memory(bits(8), 4);
                word.write(at, left, m.lit(1u32, 1));
                return word.read(at);
            }
            _ => {}
        }
        let r = m.reg_reset(bits(8), 0);
        match how {
            "branches" => {
                m.when(io.c, || r.set(left)).otherwise(|| r.set(!left));
            }
            "cleared" => {
                r.set(left);
                m.when(io.c, || r.set(0));
            }
            "always" => {
                m.when(io.a.ge(0), || r.set(left));
            }
            "part" => {
                r.bits(3, 0).set(left.bits(3, 0));
                m.when(io.c, || r.bits(7, 4).set(io.b));
            }
            // through a wire that never holds it
            "wire" => {
                let next = m.wire(bits(8));
                next.set(r);
                m.when(io.c, || next.set(left)).otherwise(|| next.set(!left));
                r.set(next);
            }
            "wire_that_is_cleared" => {
                let next = m.wire(bits(8));
                next.set(io.c.mux(left, left ^ 1));
                m.when(io.b.bit(0), || next.set(0));
                r.set(next);
            }
            // it holds before, and takes something after all
            "hold_that_ends" => {
                m.when(io.c, || r.set(r));
                m.when(io.c, || r.set(left)).otherwise(|| r.set(!left));
            }
            "condition" => {
                r.set(0);
                m.when(left.bit(0), || r.set(io.a));
            }
            _ => panic!("{how}"),
        }
        r
    }

    #[test]
    #[module]
    fn that_come_from_items_on_any_way() {
        let hows = [
            "instance",
            "register_of_an_instance",
            "latency_of_an_instance",
            "read_sync",
            "memory_of_one_word",
            "branches",
            "cleared",
            "always",
            "part",
            "wire",
            "wire_that_is_cleared",
            "hold_that_ends",
            "synchronous_reset",
            "synchronous_reset_of_an_instance",
            "condition",
        ];
        for how in hows {
            reports(&format!("constant_that_left_by_{how}"), |m, io| {
                let p = m.pipeline("sum");
                let left = p.leave(p.enter(io.a).next());
                let back = way(how, m, &io, left);
                io.y.set(p.leave(p.enter(io.a) + p.constant(back)));
            });
        }
    }

    /// What moves as the scope does moves with its items.
    #[test]
    #[module]
    fn that_advance_as_the_scope_does() {
        for how in 0..3 {
            reports(&format!("constant_that_advances_{how}"), |m, io| {
                let p = m.pipeline_enabled("sum", io.c);
                let left = p.leave(p.enter(io.a).next());
                let back = match how {
                    0 => m.reg(bits(8)).enable(io.c),
                    1 => m.in_enabled(io.c, || m.reg(bits(8))),
                    _ => m.reg(bits(8)),
                };
                match how {
                    2 => {
                        m.when(io.c & io.a.ge(0), || back.set(left));
                    }
                    _ => back.set(left),
                }
                io.y.set(p.leave((p.enter(io.a) + p.constant(back)).next()));
            });
        }
    }

    #[test]
    #[module]
    fn of_streams() {
        streams("constant_of_valid", |m, io| {
            let (p, x) = m.pipeline_stream("sum", io.s, Elastic::default());
            p.leave_stream(x.next() + p.constant(io.m.valid.zext(8)), io.m);
        });
        streams("constant_of_ready", |m, io| {
            let (p, x) = m.pipeline_stream("sum", io.s, Elastic::default());
            p.leave_stream((x + p.constant(io.s.ready.zext(8))).next(), io.m);
        });
        // a gap at the beginning, while items are at later stages
        streams("constant_of_a_gap", |m, io| {
            let w = m.wire(bits(8));
            let (p, x) = m.pipeline_stream("sum", io.s, Elastic::default());
            w.set(io.live);
            m.when(!io.s.valid, || w.set(io.s.payload));
            p.leave_stream((x + p.constant(w)).next(), io.m);
        });
        for end in [false, true] {
            let name = if end { "constant_taken_at_the_end" } else { "constant_taken_at_the_beginning" };
            streams(name, |m, io| {
                let (p, x) = m.pipeline_stream("sum", io.s, Elastic::default());
                let last = m.reg(bits(8));
                let (transfer, payload) =
                    if end { (io.m.transfer(), io.m.payload) } else { (io.s.transfer(), io.s.payload) };
                m.when(transfer, || last.set(payload));
                p.leave_stream((x + p.constant(last)).next(), io.m);
            });
        }
    }

    /// A register that holds is the user's word, also in an instance; and what is beside data in a wire is none.
    #[test]
    #[module]
    fn that_are_the_users_word() {
        for how in 0..11 {
            let m = Module::new("example");
            let io = Io::new(m);
            [io.a, io.b, io.c].into_iter().for_each(Signal::unused);
            let p = m.pipeline("sum");
            let left = p.leave(p.enter(io.a).next());
            let r = m.reg_reset(bits(8), 0);
            r.set(r);
            let back = match how {
                0 => {
                    m.when(io.c, || r.set(left));
                    r
                }
                1 => {
                    m.when(io.c, || r.set(left)).otherwise(|| r.set(r));
                    r
                }
                2 => {
                    let unit = m.instance(&one(2));
                    unit.x.set(left);
                    unit.go.set(io.c);
                    unit.y
                }
                3 => {
                    let words = m.memory(bits(8), 16);
                    words.write(io.b, left, io.c);
                    words.read(io.b)
                }
                4 => m.memory(bits(8), 256).init(0..256u32).read_sync_enabled(left, io.c),
                // through a wire with the next value
                5..10 => {
                    let (r, next) = (m.reg_reset(bits(8), 0), m.wire(bits(8)));
                    match how {
                        5 => next.set(io.c.mux(left, r)),
                        6 => {
                            next.set(r);
                            m.when(io.c, || next.set(left));
                        }
                        7 => {
                            next.set(left);
                            m.when(io.c, || next.set(r));
                        }
                        8 => m.switch(io.b.bits(1, 0), |s| {
                            s.case(0, || next.set(left));
                            s.case(1, || next.set(!left));
                            s.default(|| next.set(r));
                        }),
                        _ => {
                            let inner = m.wire(bits(8));
                            inner.set(r);
                            m.when(io.c, || inner.set(left));
                            next.set(io.b.any().mux(inner, 0));
                        }
                    }
                    r.set(next);
                    r
                }
                _ => {
                    let w = m.wire(bits(8));
                    w.bits(3, 0).set(left.bits(3, 0));
                    w.bits(7, 4).set(io.b);
                    w.bits(7, 4).zext(8)
                }
            };
            io.y.set(p.leave(p.enter(io.a).next() + p.constant(back)));
            m.finish(io).unwrap_or_else(|e| panic!("{how}: {e}"));
        }
    }
}

mod settings {
    use super::*;

    ports! {
        struct LimitPorts() {
            input x: Signal = bits(8),
            input limit: Signal = bits(8),
            output y: Signal = bits(8),
        }
    }

    #[module]
    fn limited(within: bool) -> Design<LimitPorts> {
        let m = Module::new(if within { "around" } else { "limited" });
        let io = LimitPorts::new(m);
        if within {
            let unit = m.instance(&limited(false));
            let limit = m.reg(bits(8));
            limit.set(io.limit);
            unit.x.set(io.x);
            unit.limit.set(limit);
            io.y.set(unit.y);
        } else {
            m.latency(1);
            let p = m.pipeline("limit");
            let (x, limit) = (p.enter(io.x), p.constant(io.limit));
            io.y.set(p.leave(x.gt(limit).mux(limit, x).next()));
        }
        m.finish(io).unwrap()
    }

    /// Of the module itself, and of one inside of it.
    #[test]
    #[module]
    fn that_left_a_pipeline() {
        for within in [false, true] {
            for late in [false, true] {
                reports(&format!("setting_that_left_{}", 2 * u32::from(within) + u32::from(late)), |m, io| {
                    let p = m.pipeline("sum");
                    let left = p.leave(p.enter(io.a).next());
                    let register = m.reg(bits(8));
                    register.set(left);
                    let unit = m.instance(&limited(within));
                    unit.x.set(left);
                    unit.limit.set(if late { register } else { left });
                    register.unused();
                    io.y.set(unit.y);
                });
            }
        }
    }

    #[test]
    #[module]
    fn of_a_stream() {
        streams("setting_of_a_stream", |m, io| {
            let unit = m.instance(&limited(false));
            unit.x.set(io.live);
            unit.limit.set(io.s.payload);
            let (p, x) = m.pipeline_stream("sum", io.s, Elastic::default());
            p.leave_stream(x.next(), io.m);
            unit.y.unused();
        });
    }

    /// A register that holds is the user's word, as before `constant`.
    #[test]
    #[module]
    fn that_are_held() {
        legal(|m, io| {
            let (p, x) = m.pipeline_stream("sum", io.s, Elastic::default());
            let limit = m.reg_reset(bits(8), 0);
            m.when(io.c, || limit.set(io.s.payload));
            let unit = m.instance(&limited(false));
            unit.x.set(io.live);
            unit.limit.set(limit);
            p.leave_stream(x.next() + p.enter(unit.y).next(), io.m);
        });
        // taken at each item, and no data of it
        legal(|m, io| {
            let (p, x) = m.pipeline_stream("sum", io.s, Elastic::default());
            let limit = m.reg_reset(bits(8), 0);
            m.when(io.s.transfer(), || limit.set(io.live));
            p.leave_stream((x + p.constant(limit)).next(), io.m);
        });
    }
}
