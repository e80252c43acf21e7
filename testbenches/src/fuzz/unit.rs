//! Random modules with registers, vectors of registers that signals index, memories, state enums, trees of `when` and `switch`,
//! assignments of parts, instances, pipelines and two clocks, whose edges come together or not.

use super::random::Random;
use hdl::*;

/// Statements of a module at most.
const STATEMENTS: u32 = 100;
/// Widths of the inputs that all modules share.
pub(super) const INPUTS: [u32; 4] = [1, 4, 9, 40];

#[derive(Clone, Copy, State)]
enum Phase {
    Idle,
    Load,
    WaitDone,
    Flush,
    Stop,
}
const PHASES: [Phase; 5] = [Phase::Idle, Phase::Load, Phase::WaitDone, Phase::Flush, Phase::Stop];

#[derive(Clone, Copy, State)]
#[state(encoding = "one_hot")]
enum Side {
    Left,
    Right,
    Middle,
}
const SIDES: [Side; 3] = [Side::Left, Side::Right, Side::Middle];

#[derive(Clone, Copy, State)]
enum Opcode {
    Halt = 6,
    Jump = 1,
    Load = 3,
}
const OPCODES: [Opcode; 3] = [Opcode::Halt, Opcode::Jump, Opcode::Load];

ports! {
    pub(super) struct UnitPorts(width: u32) {
        input i0: Signal = bits(INPUTS[0]),
        input i1: Signal = bits(INPUTS[1]),
        input i2: Signal = bits(INPUTS[2]),
        input i3: Signal = bits(INPUTS[3]),
        output y: Signal = bits(width),
    }
}

impl UnitPorts {
    pub(super) fn inputs(&self) -> Vec<Signal> {
        vec![self.i0, self.i1, self.i2, self.i3]
    }
}

/// A module in the making.
pub(super) struct Unit {
    pub m: Module,
    pub r: Random,
    /// What expressions may read, as many from the first as `visible` says.
    readable: Vec<Signal>,
    visible: usize,
    /// What statements may assign, and how much of what is readable each may be computed from: a wire not from those behind it.
    targets: Vec<(Signal, usize)>,
    /// Elements of vectors, chosen by signals: statements may assign them, whole or a slice.
    elements: Vec<Signal>,
    /// How many statements may still come: blocks in blocks in blocks would be megabytes of C++ and minutes of its compiler.
    left: u32,
    phase: StateSignal<Phase>,
    side: StateSignal<Side>,
    opcode: StateSignal<Opcode>,
}

impl Unit {
    /// A module with its inputs and state registers.
    fn new(m: Module, seed: u64, io: UnitPorts) -> Unit {
        io.inputs().into_iter().for_each(Signal::unused);
        let phase = m.state(Phase::WaitDone);
        phase.set(Phase::Load);
        let (side, opcode) = (m.state(Side::Right), m.state(Opcode::Load));
        side.set(Side::Middle);
        opcode.set(Opcode::Halt);
        let states = vec![phase.code(), side.code(), opcode.code(), side.is(Side::Left), opcode.is(Opcode::Jump)];
        let readable = [io.inputs(), states].concat();
        let (r, visible) = (Random::new(seed), readable.len());
        let (targets, elements) = (vec![], vec![]);
        Unit { m, r, readable, visible, targets, elements, left: STATEMENTS, phase, side, opcode }
    }
    /// Registers, and perhaps a memory, a vector and an instance. The registers come back.
    fn parts(&mut self, children: &[Design<UnitPorts>], all_reset: bool) -> Vec<Signal> {
        let m = self.m;
        let mut registers = vec![];
        for k in 0..3 + self.r.below(3) {
            let clocked = k == 1 && self.r.once_in(2);
            let make = |u: &mut Unit| u.register(all_reset);
            let register = if clocked { m.domain("clk_b", "rst_b", || make(self)) } else { make(self) };
            self.offer(register);
            registers.push(register);
        }
        if self.r.once_in(2) {
            self.memory(all_reset);
        }
        if self.r.once_in(2) {
            self.vector(all_reset);
        }
        // what a pipeline holds has no reset
        if !all_reset && self.r.once_in(4) {
            self.pipeline();
        }
        if !children.is_empty() && self.r.once_in(2) {
            let child = self.r.below(children.len() as u32) as usize;
            let instance = m.instance(&children[child]);
            for pin in instance.inputs() {
                pin.set(self.value(pin.width()));
            }
            self.offer(instance.y);
        }
        registers
    }
    /// Wires, and what is assigned under conditions.
    fn statements(&mut self, registers: &[Signal]) {
        // wires read what came before them; conditions nothing that is assigned under them
        let before = self.visible;
        let elements = std::mem::take(&mut self.elements);
        let wires: Vec<Signal> = (0..3).map(|_| self.m.wire(bits(1 + self.r.below(20)))).collect();
        for wire in &wires {
            wire.set(self.value(wire.width()));
        }
        self.readable.extend(&wires);
        self.targets = wires.iter().enumerate().map(|(k, wire)| (*wire, before + k)).collect();
        (0..2).for_each(|_| self.statement(3));
        let everything = self.readable.len();
        self.targets.extend(registers.iter().map(|register| (*register, everything)));
        self.elements = elements;
        (0..4).for_each(|_| self.statement(3));
        self.visible = everything;
        self.targets = registers.iter().map(|register| (*register, everything)).collect();
        (0..4).for_each(|_| self.statement(3));
    }
    /// Adds what expressions may read.
    pub fn offer(&mut self, s: Signal) {
        self.readable.push(s);
        self.visible = self.readable.len();
    }
    /// A small expression of the given width.
    pub fn value(&mut self, width: u32) -> Signal {
        let (a, b) = (self.r.pick(&self.readable[..self.visible]), self.r.pick(&self.readable[..self.visible]));
        let (a, b) = (self.fit(a, width), self.fit(b, width));
        match self.r.below(9) {
            0 => a + b,
            1 => a ^ b,
            2 => a & !b,
            3 => a - 1,
            4 => a.lt_signed(b).mux(a, b),
            5 => a.sra(b.trunc(width.min(3))),
            6 => a.literal(self.r.bits(width)),
            7 => a << 1,
            _ => a,
        }
    }
    pub fn fit(&mut self, s: Signal, width: u32) -> Signal {
        match s.width() {
            w if w >= width => {
                let lo = self.r.below(w - width + 1);
                s.bits(lo + width - 1, lo)
            }
            _ if self.r.once_in(2) => s.sext(width),
            _ => s.zext(width),
        }
    }
    pub fn condition(&mut self) -> Signal {
        let a = self.r.pick(&self.readable[..self.visible]);
        let w = a.width();
        match self.r.below(4) {
            0 => a.any(),
            1 => a.parity(),
            2 => a.gt(a.literal(self.r.bits(w))),
            _ => self.fit(a, 1),
        }
    }
    /// Assigns a target: all of it, some bits, or bits at a place that a signal gives.
    fn assign(&mut self) {
        if !self.elements.is_empty() && self.r.once_in(3) {
            return self.assign_element();
        }
        let (target, sources) = self.r.pick(&self.targets);
        let conditions = std::mem::replace(&mut self.visible, sources);
        self.assign_to(target);
        self.visible = conditions;
    }
    fn assign_to(&mut self, target: Signal) {
        let w = target.width();
        match self.r.below(6) {
            0 | 1 => target.set(self.value(w)),
            2 | 3 => {
                let lo = self.r.below(w);
                let n = 1 + self.r.below(w - lo);
                target.bits(lo + n - 1, lo).set(self.value(n));
            }
            4 if w > 8 => {
                // one of several lanes side by side
                let (lane, wide) = (1 + self.r.below(2), clog2(w as usize));
                let n = 1 + self.r.below(1 << lane);
                let at = self.value(wide - 1 - lane).cat(target.zeros(lane));
                target.part(at.zext(wide), n).set(self.value(n));
            }
            _ if w >= 4 => {
                // the highest bit of the index is 0: it cannot reach past the end
                let wide = clog2(w as usize);
                let n = 1 + self.r.below(w + 1 - (1 << (wide - 1)));
                let at = self.value(wide - 1);
                target.part(at.zext(wide), n).set(self.value(n));
            }
            _ => target.set(self.value(w)),
        }
    }
    /// Assigns an element that a signal chooses, or some bits of it.
    fn assign_element(&mut self) {
        let element = self.r.pick(&self.elements);
        let w = element.width();
        let lo = if self.r.once_in(3) { self.r.below(w) } else { 0 };
        let hi = if lo > 0 { lo + self.r.below(w - lo) } else { w - 1 };
        element.bits(hi, lo).set(self.value(hi - lo + 1));
    }
    pub fn block(&mut self, depth: u32) {
        for _ in 0..self.r.below(4) {
            self.statement(depth);
        }
    }
    fn statement(&mut self, depth: u32) {
        if self.left == 0 {
            return;
        }
        self.left -= 1;
        let m = self.m;
        match if depth == 0 { 0 } else { self.r.below(7) } {
            0 | 1 => self.assign(),
            2 | 3 => {
                let (first, second) = (self.condition(), self.condition());
                let mut when = m.when(first, || self.block(depth - 1));
                if self.r.once_in(3) {
                    when = when.elsewhen(second, || self.block(depth - 1));
                }
                if self.r.once_in(2) {
                    when.otherwise(|| self.block(depth - 1));
                }
            }
            4 => {
                let selector = self.value(3);
                let first = self.r.below(4);
                m.switch(selector, |s| {
                    s.case(first, || self.block(depth - 1));
                    s.case_any([first + 1, first + 3], || self.block(depth - 1));
                    if self.r.once_in(2) {
                        s.default(|| self.block(depth - 1));
                    }
                });
            }
            5 => self.large_switch(depth - 1),
            _ => match self.r.below(3) {
                0 => self.states(self.phase, &PHASES, depth),
                1 => self.states(self.side, &SIDES, depth),
                _ => self.states(self.opcode, &OPCODES, depth),
            },
        }
    }
    /// A switch over all states of a register, or over some with a default. It may get a code that is none of a state.
    fn states<E: State>(&mut self, register: StateSignal<E>, all: &[E], depth: u32) {
        let listed = 1 + self.r.below(all.len() as u32) as usize;
        self.m.switch(register, |s| {
            for state in &all[..listed] {
                s.case(*state, || {
                    register.set(self.r.pick(all));
                    self.block(depth - 1);
                });
            }
            if listed < all.len() || self.r.once_in(4) {
                s.default(|| register.set(self.r.pick(all)));
            }
        });
        if self.r.once_in(3) {
            let (rare, any) = (self.condition() & self.condition(), self.value(register.code().width()));
            self.m.when(rare, || register.code().set(any));
        }
    }
    /// A register; without reset only where a reset may come at any time.
    fn register(&mut self, all_reset: bool) -> Signal {
        let width = 1 + if self.r.once_in(4) { self.r.below(90) } else { self.r.below(12) };
        let reset = bits(width);
        let register = match all_reset || self.r.once_in(2) {
            true => {
                let value = self.r.bits(width);
                self.m.reg_reset(reset, &Reset(value))
            }
            false if self.r.once_in(3) => self.reset_at_once(width),
            false => self.m.reg(reset),
        };
        register.set(self.value(width));
        if self.r.once_in(3) {
            let enable = self.condition();
            return register.enable(enable);
        }
        register
    }
    /// A register that another one resets at once, whatever the kind of the other resets is.
    fn reset_at_once(&mut self, width: u32) -> Signal {
        let trigger = self.m.reg_reset(bits(1), 0);
        let (a, b) = (self.condition(), self.condition());
        trigger.set(a & b);
        let value = self.r.bits(width);
        self.m.reg(bits(width)).asynchronous_reset(trigger, &Reset(value))
    }
    /// An index of so many elements, mostly one that can reach beyond the last where that is possible.
    fn index(&mut self, length: usize) -> Signal {
        let a = self.r.pick(&self.readable[..self.visible]);
        self.fit(a, clog2(length))
    }
    /// A vector of registers; signals choose its elements.
    fn vector(&mut self, all_reset: bool) {
        let (length, width) = (1 + self.r.below(6) as usize, 1 + self.r.below(12));
        let value = self.r.bits(width);
        let elements = match (all_reset || self.r.once_in(2), self.r.once_in(2)) {
            (true, true) => self.m.reg_file_reset(bits(width), length, &Reset(value)),
            (true, false) => self.m.reg_reset(vector(bits(width), length), &Reset(value)),
            (false, true) => self.m.reg_file(bits(width), length),
            (false, false) => self.m.reg(vector(bits(width), length)),
        };
        for element in elements {
            let (when, value) = (self.condition(), self.value(width));
            self.m.when(when, || element.set(value));
        }
        let (to, from) = (self.index(length), self.index(length));
        self.elements.push(elements.at(to));
        self.offer(elements.at(from));
    }
    /// An address of a memory of so many words: what is read beyond the last one is not specified.
    fn address(&mut self, depth: usize) -> Signal {
        let at = self.value(clog2(depth));
        if depth.is_power_of_two() && depth > 1 { at } else { at.ge(depth).mux(at - depth, at) }
    }
    /// A memory with its ports.
    fn memory(&mut self, all_reset: bool) {
        let m = self.m;
        let (lanes, lane) = (self.r.pick(&[1, 1, 2, 4]), 1 + self.r.below(9));
        let width = lanes * lane;
        let depth = if self.r.once_in(2) { 1usize << self.r.below(5) } else { 3 + self.r.below(14) as usize };
        let mut memory = m.memory(bits(width), depth);
        if self.r.once_in(2) {
            let words: Vec<BigUint> = (0..depth).map(|_| self.r.bits(width)).collect();
            memory = memory.init(words);
        }
        let (at, data, mask) = (self.address(depth), self.value(width), self.value(lanes));
        // while a reset acts at once, only what is reset may be compared
        let quiet = if all_reset { (!m.in_reset()).repeat(lanes) } else { !mask.zeros(lanes) };
        memory.write_lanes(at, data, mask & quiet);
        if self.r.once_in(3) {
            let (at, data, enable) = (self.address(depth), self.value(width), self.condition());
            memory.write(at, data, enable & quiet.bit(0));
        }
        for _ in 0..1 + self.r.below(2) {
            let at = self.address(depth);
            let word = match self.r.below(3) {
                1 if !all_reset => memory.read_sync(at),
                2 if !all_reset => {
                    let enable = self.condition();
                    memory.read_sync_enabled(at, enable)
                }
                _ => memory.read(at),
            };
            self.offer(word);
        }
    }
}

/// A reset value.
pub(super) struct Reset(pub BigUint);

impl Value<Signal> for &Reset {
    fn like(self, like: &Signal) -> Signal {
        like.literal(self.0.clone())
    }
}

/// One random module; `children` may be instantiated.
pub(super) fn unit(name: &str, seed: u64, children: &[Design<UnitPorts>], all_reset: bool) -> Design<UnitPorts> {
    // the width of the output is known only at the end: the module is made twice
    let build = |width: Option<u32>| {
        let m = Module::new(name);
        let io = UnitPorts::new(m, width.unwrap_or(1));
        m.unchecked_effects();
        m.unchecked_clocks("random: both engines move all data at the same edges");
        let mut u = Unit::new(m, seed, io);
        let registers = u.parts(children, all_reset);
        u.statements(&registers);
        let all = cat(&u.readable[INPUTS.len()..]);
        if width.is_some() {
            io.y.set(all);
        } else {
            io.y.set(0);
        }
        (m.finish(io).unwrap_or_else(|e| panic!("seed {seed}\n{e}")), all.width())
    };
    let (_, width) = build(None);
    build(Some(width)).0
}
