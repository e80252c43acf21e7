//! Copies of a signal in registers, and logic several times, that synthesis leaves apart, each for a part of the lanes.
//!
//! A signal that all of many lanes use has to go all over the device within a cycle, which takes longer than any logic. Copies
//! share the way among two cycles: one to the copies, one from each to its own lanes. Synthesis merges registers that hold the
//! same, and logic too, so each copy is a module of its own that keeps its boundary.

use hdl::*;

ports! {
    /// Ports of [`copy`].
    pub struct CopyPorts(width: u32) {
        /// What is copied.
        input x: Signal = bits(width),
        /// The same, a cycle later.
        output y: Signal = bits(width),
    }
}

/// One copy, without reset.
#[module]
fn copy(width: u32) -> Result<Design<CopyPorts>, Errors> {
    let m = Module::new(format!("oaken_copy_{width}"));
    m.doc("A register that synthesis does not merge with others that hold the same.");
    m.latency(1);
    m.keep_hierarchy();
    let io = CopyPorts::new(m, width);
    let p = m.pipeline("copy");
    io.y.set(p.leave(p.enter(io.x).next()));
    m.finish(io)
}

/// One copy of a bit that is 0 from reset on.
#[module]
fn copy_valid() -> Result<Design<CopyPorts>, Errors> {
    let m = Module::new("oaken_copy_valid");
    m.doc("A register, 0 from reset on, that synthesis does not merge with others that hold the same.");
    m.latency(1);
    m.keep_hierarchy();
    let io = CopyPorts::new(m, 1);
    let p = m.pipeline("copy");
    io.y.set(p.leave(p.enter_valid(io.x).next()));
    m.finish(io)
}

ports! {
    /// Ports of [`held_copy`].
    pub struct HeldCopyPorts(width: u32) {
        /// The next value.
        input x: Signal = bits(width),
        /// It is taken.
        input enable: Signal = bits(1),
        /// The value, 0 from reset on.
        output y: Signal = bits(width),
    }
}

/// One copy of a register that holds its value, 0 from reset on.
#[module]
fn held_copy(width: u32) -> Result<Design<HeldCopyPorts>, Errors> {
    let m = Module::new(format!("oaken_held_copy_{width}"));
    m.doc("A register with an enable, 0 from reset on, that synthesis does not merge with others that hold the same.");
    m.keep_hierarchy();
    let io = HeldCopyPorts::new(m, width);
    let y = m.reg_reset(bits(width), 0);
    m.when(io.enable, || y.set(io.x));
    io.y.set(y);
    m.finish(io)
}

/// So many copies of a register that is 0 from reset on: each is given what the register is, in the same cycle.
#[module]
pub fn held_copies(m: Module, width: u32, number: usize) -> Result<Vec<HeldCopyPorts>, Errors> {
    let design = held_copy(width)?;
    Ok((0..number).map(|_| *m.instance(&design)).collect())
}

/// So many copies of `x`, a cycle later.
#[module]
pub fn copies(m: Module, x: Signal, number: usize) -> Result<Vec<Signal>, Errors> {
    let design = copy(x.width())?;
    Ok((0..number).map(|_| of(m, &design, x)).collect())
}

/// So many copies of a bit, a cycle later; 0 from reset on.
#[module]
pub fn valid_copies(m: Module, x: Signal, number: usize) -> Result<Vec<Signal>, Errors> {
    let design = copy_valid()?;
    Ok((0..number).map(|_| of(m, &design, x)).collect())
}

ports! {
    /// Ports of [`apart`].
    pub struct ApartPorts(width: u32) {
        /// What is looked at.
        input x: Signal = bits(width),
        /// What is said of it.
        output y: Signal = bits(1),
    }
}

/// What `f` says of some bits, `number` times, in logic that synthesis does not merge with others of the same: instances of a module
/// `oaken_{name}` that holds `f`; `says` is its doc.
#[module]
pub fn apart(
    m: Module,
    (name, says): (&str, &str),
    x: Signal,
    number: usize,
    f: impl Fn(Signal) -> Signal,
) -> Result<Vec<Signal>, Errors> {
    let inside = Module::new(format!("oaken_{name}"));
    inside.doc(&format!("{says}, in logic that synthesis does not merge with others of the same."));
    inside.keep_hierarchy();
    let io = ApartPorts::new(inside, x.width());
    let y = f(io.x);
    io.y.set(y);
    let design = inside.finish(io)?;
    let one = || {
        let copy = m.instance(&design);
        copy.x.set(x);
        copy.y
    };
    Ok((0..number).map(|_| m.scope(name, one)).collect())
}

/// Whether the first of some registers in a row is free at the end of the cycle (`full`: they hold something), when what is behind them is
/// `ready`; so many times, each for a part of a word.
#[module]
pub fn frees(m: Module, ready: Signal, full: Signal, number: usize) -> Result<Vec<Signal>, Errors> {
    if number == 1 {
        return Ok(vec![ready | !full.all()]);
    }
    let first_free = |x: Signal| x.bit(0) | !x.drop_low(1).all();
    let name = format!("free_{}", full.width());
    apart(m, (&name, "Whether a register takes the next word"), full.cat(ready), number, first_free)
}

fn of(m: Module, design: &Design<CopyPorts>, x: Signal) -> Signal {
    let copy = m.instance(design);
    copy.x.set(x);
    copy.y
}
