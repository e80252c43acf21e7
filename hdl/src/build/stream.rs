//! The standard bundle: valid, ready and a payload.

use super::bundle::Bundle;
use super::naming::{Layout, Nameable, name_fields};
use super::signal::bits;
use crate::ir::{Signal, names};
use std::borrow::Cow;

/// A stream with a ready/valid handshake. A transfer is `valid && ready` at a clock edge; `valid` never waits for `ready`, and
/// `valid` and `payload` hold until the transfer. As an input port `valid` and `payload` come in and `ready` goes out; as an
/// output port it is the other way round; `a.set(b)` connects the two.
///
/// ```
/// # use hdl::*;
/// ports! {
///     struct P() {
///         input s: Stream = stream(bits(8)),  // `s_valid`, `s_payload` in, `s_ready` out
///         output m: Stream = stream(bits(8)),
///     }
/// }
/// # #[module]
/// # fn example() -> Result<Design<P>, Errors> {
/// # let m = Module::new("example");
/// # let io = P::new(m);
/// let doubled = io.s.with(io.s.payload << 1); // the same handshake, another payload
/// io.m.set(doubled); // all three signals, each in its direction
/// # m.finish(io)
/// # }
/// # example().unwrap();
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Stream<P: Bundle = Signal> {
    /// The payload is there.
    pub valid: Signal,
    /// The receiver takes it (runs against the stream).
    pub ready: Signal,
    /// What is transferred.
    pub payload: P,
}

/// The shape of a stream of the given payload.
pub fn stream<P: Bundle>(payload: P) -> Stream<P> {
    Stream { valid: bits(1), ready: bits(1), payload: payload.shape() }
}

impl<P: Bundle> Stream<P> {
    /// One bit: a transfer happens in this cycle.
    #[track_caller]
    pub fn transfer(&self) -> Signal {
        self.valid & self.ready
    }
    /// The same handshake with another payload.
    pub fn with<Q: Bundle>(&self, payload: Q) -> Stream<Q> {
        Stream { valid: self.valid, ready: self.ready, payload }
    }
}

impl<P: Bundle> Bundle for Stream<P> {
    fn layouts(&self, f: &mut dyn FnMut(&str, Layout)) {
        self.payload.layouts(f);
    }
    fn each(&self, f: &mut dyn FnMut(&str, bool, Signal)) {
        f("valid", false, self.valid);
        f("ready", true, self.ready);
        self.payload.each(&mut |path, flip, s| f(&payload_path(path), flip, s));
    }
    fn map(&self, f: &mut dyn FnMut(&str, bool, Signal) -> Signal) -> Self {
        let valid = f("valid", false, self.valid);
        let ready = f("ready", true, self.ready);
        let payload = self.payload.map(&mut |path, flip, s| f(&payload_path(path), flip, s));
        Stream { valid, ready, payload }
    }
    fn high_first(&self, f: &mut dyn FnMut(Signal)) {
        f(self.valid);
        f(self.ready);
        self.payload.high_first(f);
    }
}

impl<P: Bundle> Nameable for Stream<P> {
    fn take_name(&self, name: &str) {
        name_fields(self, name);
    }
}

/// A payload of one signal is `payload`, the elements of a vector are `payload_0`, the fields of a bundle keep their own names.
fn payload_path(path: &str) -> Cow<'_, str> {
    match path.chars().next() {
        None => "payload".into(),
        Some('0'..='9') => names::join("payload", path).into(),
        Some(_) => path.into(),
    }
}
