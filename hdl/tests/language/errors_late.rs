//! What is done after `finish`, with signals of no module, or on another thread: it is reported where it is done, and never in another
//! module. tests/errors/NAME.txt; `BLESS=1` renews the files.
#![allow(missing_docs)]

use crate::common;

use common::golden::{compare, stable};
use common::mistakes::{Io, finished, increment, panics, reports};
use hdl::*;

#[test]
fn after_finish() {
    let (m, design) = finished();
    let io = design.ports;
    panics("late_expression", || io.a + 1);
    panics("late_set", || io.y.set(io.a));
    panics("late_register", || m.reg(bits(8)));
    panics("late_when", || m.when(io.c, || ()));
    panics("late_instance", || m.instance(&design));
    panics("late_port", || Io::new(m));
}

/// Nor is it a mistake of the module that is under construction meanwhile.
#[test]
fn the_module_around_is_not_to_blame() {
    let m = Module::new("parent");
    let io = Io::new(m);
    [io.a, io.b, io.c].into_iter().for_each(Signal::unused);
    panics("late_child", || increment(false).ports.y.set(0));
    io.y.set(io.a);
    m.finish(io).unwrap();
}

#[test]
fn without_a_module() {
    panics("late_shapes", || bits(8) + bits(8));
    panics("late_shape_and_number", || bits(8).eq(3));
    panics("late_nothing", || cat(&[]));
}

/// Where one of the signals is at home in a module under construction, the mistake is one of that module, on whichever side it stands.
#[test]
#[module]
fn beside_a_signal_of_the_module() {
    let done = increment(false).ports;
    reports("late_beside", |m, io| {
        done.x.set(io.a);
        io.y.set(done.y);
        let sum = done.y + io.a;
        let choice = io.c.mux(done.y, io.a) & (done.y ^ sum);
        let joined = cat(&[bits(1), done.y, choice]).trunc(8);
        let shifted = done.y << io.b;
        m.when(bits(2), || io.y.set(shifted));
        m.when(done.y, || io.y.set(joined));
    });
}

#[test]
fn on_another_thread() {
    let m = Module::new("example");
    let io = Io::new(m);
    std::thread::scope(|scope| {
        scope.spawn(|| panics("late_thread", || io.y.set(io.a)));
        scope.spawn(|| {
            let errors = m.finish(io).unwrap_err();
            compare("errors", "late_thread_finish.txt", &stable(&errors.to_string()));
        });
    });
    [io.a, io.b, io.c].into_iter().for_each(Signal::unused);
    io.y.set(0);
    let design = m.finish(io).unwrap();
    // a design can go to another thread, and what is done there with its signals is known to be late
    std::thread::scope(|scope| drop(scope.spawn(|| panics("late_thread_finished", || design.ports.a + 1))));
}

/// A name is no part of the hardware.
#[test]
#[module]
fn binding_is_no_mistake() {
    fn parts() -> (Signal, Memory, Instance<common::mistakes::IncrementPorts>) {
        let m = Module::new("parts");
        let io = Io::new(m);
        [io.a, io.b, io.c].into_iter().for_each(Signal::unused);
        let (memory, unit) = (m.memory(bits(8), 16).init([1u32]), m.instance(&increment(false)));
        unit.x.set(io.a);
        unit.hint.set(io.a);
        io.y.set(memory.read(io.b) ^ unit.y);
        m.finish(io).unwrap();
        (io.a, memory, unit)
    }
    let (_input, _words, _unit) = parts();
    finished();
}
