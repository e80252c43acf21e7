//! What the tests of errors share: a module with mistakes, and what `finish` says of it.

use super::golden::{compare, stable};
use hdl::*;

ports! {
    pub struct Io() {
        input a: Signal = bits(8),
        input b: Signal = bits(4),
        input c: Signal = bits(1),
        output y: Signal = bits(8),
    }
}

/// Builds a module with mistakes and compares what `finish` says with the file.
#[track_caller]
pub fn reports(name: &str, build: impl FnOnce(Module, Io)) {
    let m = Module::new("example");
    let io = Io::new(m);
    [io.a, io.b, io.c].into_iter().for_each(Signal::unused);
    build(m, io);
    let errors = m.finish(io).expect_err("the module has a mistake");
    compare("errors", &format!("{name}.txt"), &stable(&errors.to_string()));
}

/// Adds 1 in the same cycle, or in the next.
#[module]
pub fn increment(registered: bool) -> Design<IncrementPorts> {
    let m = Module::new(if registered { "increment_r" } else { "increment" });
    let io = IncrementPorts::new(m);
    if registered {
        let p = m.pipeline("increment");
        let sum = p.enter(io.x + 1).next();
        m.latency(1);
        io.y.set(p.leave(sum));
    } else {
        io.y.set(io.x + 1);
    }
    io.hint.unused();
    m.finish(io).unwrap()
}

ports! {
    pub struct IncrementPorts() {
        input x: Signal = bits(8),
        input hint: Signal = bits(8),
        output y: Signal = bits(8),
    }
}

/// Compares what a mistake panics with with the file; the next module of the thread knows nothing of it.
#[track_caller]
pub fn panics<R>(name: &str, mistake: impl FnOnce() -> R) {
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(mistake)).err().expect("it panics");
    let text = panic.downcast_ref::<String>().expect("a panic has a text");
    compare("errors", &format!("{name}.txt"), &stable(text));
    finished();
}

/// A module without a mistake.
#[track_caller]
pub fn finished() -> (Module, Design<Io>) {
    let m = Module::new("example");
    let io = Io::new(m);
    [io.a, io.b, io.c].into_iter().for_each(Signal::unused);
    io.y.set(io.a);
    (m, m.finish(io).expect("it has no mistake"))
}
