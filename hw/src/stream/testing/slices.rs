//! The tests that all register slices pass, each with its own figures.

use super::{build, check_stream, counting, held, message, timing};
use crate::stream::register_slice::RegisterSlicePorts;
use hdl::{Bundle, Design, Errors, Module, Stream, module};

/// A kind of register slice, and what its contract says.
pub struct Slice {
    /// By its width.
    pub build: fn(u32) -> Result<Design<RegisterSlicePorts>, Errors>,
    /// Put behind a stream.
    pub after: fn(Module, Stream) -> Result<Stream, Errors>,
    /// Cycles from input to output.
    pub latency: u64,
    /// Words that it takes while its output is stuck.
    pub held: usize,
    /// Its combinational paths.
    pub paths: &'static [(&'static str, &'static str)],
}

impl Slice {
    /// All of it.
    #[track_caller]
    pub fn check(&self) {
        for width in [1, 8, 64, 65, 200] {
            let (design, words) = (build((self.build)(width)), counting(300, width));
            check_stream(&design, &design.ports.s, &design.ports.m, &words, &words);
        }
        let design = build((self.build)(16));
        let t = timing(&design, &design.ports.s, &design.ports.m, &counting(100, 16), 100);
        assert_eq!(t.sent, (0..100).collect::<Vec<_>>(), "a word in every cycle");
        assert_eq!(t.received, (self.latency..100 + self.latency).collect::<Vec<_>>());
        assert_eq!(held(&design, &design.ports.s, &design.ports.m), self.held);
        assert_eq!(design.combinational_paths(), self.paths);
        assert_eq!(message((self.build)(0)), "width = 0 is out of range");
        assert_eq!(message((self.build)(65537)), "width = 65537 is out of range");
        let design = build(between_streams(self));
        check_stream(&design, &design.ports.s, &design.ports.m, &counting(50, 8), &counting(50, 8));
    }
}

#[module]
fn between_streams(slice: &Slice) -> Result<Design<RegisterSlicePorts>, Errors> {
    let m = Module::new("between_streams");
    let io = RegisterSlicePorts::new(m, 8);
    let held = (slice.after)(m, io.s)?;
    io.m.set(held);
    m.finish(io)
}
