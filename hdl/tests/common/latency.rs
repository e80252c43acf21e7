//! Modules that state a wrong latency.

use super::golden::{compare, stable};
use hdl::*;

ports! {
    pub struct LatencyPorts() {
        input x: Signal = bits(8),
        input go: Signal = bits(1),
        output y: Signal = bits(8),
    }
}

/// The errors of a module that states this latency are those of a file.
#[track_caller]
pub fn states(name: &str, latency: u32, build: impl FnOnce(Module, LatencyPorts)) {
    let m = Module::new("example");
    let io = LatencyPorts::new(m);
    io.go.unused();
    m.latency(latency);
    build(m, io);
    let errors = m.finish(io).expect_err("the latency is wrong");
    compare("errors", &format!("{name}.txt"), &stable(&errors.to_string()));
}
