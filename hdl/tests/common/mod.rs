//! Small modules that several tests use.
#![allow(dead_code, missing_docs)]

pub mod golden;
pub mod latency;
pub mod mistakes;
pub mod numbers;
pub mod pll;
pub mod scaler;

use hdl::*;

ports! {
    pub struct FifoPorts(width: u32, depth: usize) {
        /// words to store
        input s: Stream = stream(bits(width)),
        /// oldest word first
        output m: Stream = stream(bits(width)),
        /// words held
        output level: Signal = bits(clog2(depth + 1)),
    }
}

/// A small FIFO of registers in a memory with asynchronous read.
#[module]
pub fn fifo(width: u32, depth: usize) -> Result<Design<FifoPorts>, Errors> {
    let m = Module::new(format!("fifo_{width}x{depth}"));
    m.doc("First-in first-out queue; the first word falls through.");
    let io = FifoPorts::new(m, width, depth);
    let a = clog2(depth);

    m.section("state");
    let ram = m.memory(bits(width), depth).style(RamStyle::Distributed);
    let head = m.reg_reset(bits(a), 0);
    let tail = m.reg_reset(bits(a), 0);
    let count = m.reg_reset(bits(clog2(depth + 1)), 0);

    m.section("handshake");
    let push = io.s.transfer();
    let pop = io.m.transfer();
    io.s.ready.set(count.ne(depth));
    io.m.valid.set(count.ne(0));
    io.m.payload.set(ram.read(head));
    io.level.set(count);

    m.section("update");
    ram.write(tail, io.s.payload, push);
    m.when(push, || tail.set(tail.eq(depth - 1).mux(tail.literal(0u32), tail + 1)));
    m.when(pop, || head.set(head.eq(depth - 1).mux(head.literal(0u32), head + 1)));
    m.when(push & !pop, || count.set(count + 1)).elsewhen(pop & !push, || count.set(count - 1));
    m.finish(io)
}

#[derive(Clone, Copy, State)]
pub enum Phase {
    Idle,
    Load,
    WaitDone,
}

#[derive(Clone, Copy, Bundle)]
pub struct Float {
    pub sign: Signal,
    pub exp: Signal,
    pub frac: Signal,
}

pub fn float() -> Float {
    Float { sign: bits(1), exp: bits(5), frac: bits(10) }
}

ports! {
    pub struct MixedPorts() {
        input go: Signal = bits(1),
        input x: Float = float(),
        input sel: Signal = bits(4),
        input data: Signal = bits(16),
        output y: Float = float(),
        output nibble: Signal = bits(4),
        output busy: Signal = bits(1),
        output product: Signal = bits(32),
        output shifted: Signal = bits(16),
        output parts: Signal = bits(12),
        output level: Signal = bits(3),
    }
}

/// Uses every feature once.
#[module]
pub fn mixed() -> Result<Design<MixedPorts>, Errors> {
    let m = Module::new("mixed");
    let io = MixedPorts::new(m);

    m.section("control");
    let phase = m.state(Phase::Idle);
    m.switch(phase, |s| {
        s.case(Phase::Idle, || m.when(io.go, || phase.set(Phase::Load)));
        s.case(Phase::Load, || phase.set(Phase::WaitDone));
        s.default(|| phase.set(Phase::Idle));
    });
    io.busy.set(!phase.is(Phase::Idle));

    m.section("bundles");
    let held = m.reg(float());
    m.when(io.go, || held.set(io.x));
    let swapped = Float { sign: !held.sign, ..held };
    io.y.set(io.data.bit(0).mux(swapped, held));

    m.section("arithmetic");
    let extended = io.data.sext(17);
    let half = extended.sra(io.sel);
    io.shifted.set(half.trunc(16));
    let p = m.pipeline("mac");
    let (data, x) = p.enter((io.data, io.x));
    let square = data.mul_signed(data).next();
    let bias = (x.frac.zext(32) + 7).meet(square);
    let sum = (square + bias).next();
    io.product.set(p.leave(sum));

    m.section("selection");
    io.nibble.set(io.data.part(io.sel.bits(1, 0).cat(io.sel.zeros(2)), 4));
    let gathered = m.wire(bits(12));
    gathered.bits(3, 0).set(io.data.bits(7, 4));
    gathered.bits(11, 4).set(0x5a);
    io.parts.set(gathered);

    m.section("a queue");
    let queue = m.instance(&fifo(16, 4).unwrap());
    queue.s.valid.set(io.go);
    queue.s.payload.set(io.data ^ 1);
    queue.m.ready.set(phase.is(Phase::Load));
    io.level.set(queue.level);
    m.finish(io)
}
