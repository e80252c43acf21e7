//! What must not compile. A signal is a value of the hardware: Rust cannot compare it, branch on it or count with it while the
//! module is built. Each block differs from one that compiles in one line; the number is that of the compiler's error.

/// The frame of the blocks below compiles.
///
/// ```
/// use hdl::*;
/// ports! { struct P() { input a: Signal = bits(8), input b: Signal = bits(8), input c: Signal = bits(1), output y: Signal = bits(8) } }
/// #[derive(Clone, Copy, State)]
/// enum Phase { Idle, Run }
/// let m = Module::new("example");
/// let io = P::new(m);
/// let phase = m.state(Phase::Idle);
/// let either = io.a.eq(io.b) | phase.is(Phase::Run);
/// ```
///
/// Two signals, as with `==` in Verilog:
/// ```compile_fail,E0369
/// # use hdl::*;
/// # ports! { struct P() { input a: Signal = bits(8), input b: Signal = bits(8), output y: Signal = bits(8) } }
/// # let m = Module::new("example");
/// # let io = P::new(m);
/// if io.a == io.b { io.y.set(0) } else { io.y.set(1) }
/// ```
/// A signal and a number:
/// ```compile_fail,E0369
/// # use hdl::*;
/// # ports! { struct P() { input a: Signal = bits(8), input b: Signal = bits(8), output y: Signal = bits(8) } }
/// # let m = Module::new("example");
/// # let io = P::new(m);
/// if io.a == 3 { io.y.set(0) }
/// ```
/// Their order:
/// ```compile_fail,E0369
/// # use hdl::*;
/// # ports! { struct P() { input a: Signal = bits(8), input b: Signal = bits(8), output y: Signal = bits(8) } }
/// # let m = Module::new("example");
/// # let io = P::new(m);
/// if io.a < io.b { io.y.set(0) }
/// ```
/// Bundles of them:
/// ```compile_fail,E0369
/// # use hdl::*;
/// # ports! { struct P() { input a: Signal = bits(8), input b: Signal = bits(8), output y: Signal = bits(8) } }
/// # let m = Module::new("example");
/// # let io = P::new(m);
/// if (io.a, io.b) == (io.b, io.a) { io.y.set(0) }
/// ```
/// A struct that derives equality:
/// ```compile_fail,E0369
/// # use hdl::*;
/// #[derive(Clone, Copy, PartialEq, Bundle)]
/// struct Pixel { red: Signal, green: Signal }
/// ```
/// States:
/// ```compile_fail,E0369
/// # use hdl::*;
/// # #[derive(Clone, Copy, State)]
/// # enum Phase { Idle, Run }
/// # let m = Module::new("example");
/// # let phase = m.state(Phase::Idle);
/// if phase == Phase::Run { phase.set(Phase::Idle) }
/// ```
/// Memories:
/// ```compile_fail,E0369
/// # use hdl::*;
/// # let m = Module::new("example");
/// let same = m.memory(bits(8), 16) == m.memory(bits(8), 16);
/// ```
/// Streams:
/// ```compile_fail,E0369
/// # use hdl::*;
/// let same = stream(bits(8)) == stream(bits(8));
/// ```
/// A test in Rust looks at an engine, not at a signal:
/// ```compile_fail,E0369
/// # use hdl::*;
/// # ports! { struct P() { input a: Signal = bits(8), input b: Signal = bits(8), output y: Signal = bits(8) } }
/// # let m = Module::new("example");
/// # let io = P::new(m);
/// assert_eq!(io.a, io.b);
/// ```
/// A condition of Rust:
/// ```compile_fail,E0308
/// # use hdl::*;
/// # ports! { struct P() { input a: Signal = bits(8), input c: Signal = bits(1), output y: Signal = bits(8) } }
/// # let m = Module::new("example");
/// # let io = P::new(m);
/// if io.c { io.y.set(0) }
/// ```
/// Rust's `&&`, which would not look at the right side:
/// ```compile_fail,E0308
/// # use hdl::*;
/// # ports! { struct P() { input a: Signal = bits(8), input c: Signal = bits(1), output y: Signal = bits(8) } }
/// # let m = Module::new("example");
/// # let io = P::new(m);
/// let both = io.c && io.a.any();
/// ```
/// A choice by `match`:
/// ```compile_fail,E0308
/// # use hdl::*;
/// # ports! { struct P() { input a: Signal = bits(8), input c: Signal = bits(1), output y: Signal = bits(8) } }
/// # let m = Module::new("example");
/// # let io = P::new(m);
/// match io.a { 0 => io.y.set(0), _ => io.y.set(1) }
/// ```
/// A conversion:
/// ```compile_fail,E0308
/// # use hdl::*;
/// # ports! { struct P() { input a: Signal = bits(8), input c: Signal = bits(1), output y: Signal = bits(8) } }
/// # let m = Module::new("example");
/// # let io = P::new(m);
/// let set = bool::from(io.c);
/// ```
///
/// A mistake in a block, which nobody would hear of:
/// ```compile_fail,E0277
/// # use hdl::*;
/// # ports! { struct P() { input c: Signal = bits(1), output y: Signal = bits(8) } }
/// # let m = Module::new("example");
/// # let io = P::new(m);
/// # fn part() -> Result<(), Errors> { Err(Errors::parameter("part", "out of range", "1 to 8")) }
/// m.when(io.c, || part());
/// ```
/// In an arm:
/// ```compile_fail,E0277
/// # use hdl::*;
/// # ports! { struct P() { input c: Signal = bits(1), output y: Signal = bits(8) } }
/// # let m = Module::new("example");
/// # let io = P::new(m);
/// # fn part() -> Result<(), Errors> { Err(Errors::parameter("part", "out of range", "1 to 8")) }
/// m.switch(io.c, |s| s.case(1u32, || part()));
/// ```
pub struct Values;
