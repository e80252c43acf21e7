//! Large `switch` statements: machine code against the interpreter on random modules, and what an observer sees of signals in
//! arms against the same signals as outputs.

mod common;

use common::{check, finish, input, number, output};
use fastrand::Rng;
use hdl::engine::Engine;
use hdl::sim::Simulator;
use hdl::*;

/// Bits of the registers and of the wires.
const WIDTHS: [u32; 6] = [1, 4, 16, 33, 64, 100];

/// A random module in the making.
struct Maker {
    m: Module,
    rng: Rng,
    /// What expressions may read: inputs, registers, and expressions made before, in whatever arm.
    pool: Vec<Signal>,
    /// What statements may assign.
    targets: Vec<Signal>,
    /// Expressions that have a name.
    named: Vec<Signal>,
    memory: Memory<Signal>,
    /// What can be switched on, and values that it may have.
    selectors: Vec<(Signal, Vec<BigUint>)>,
}

impl Maker {
    fn fit(&mut self, s: Signal, width: u32) -> Signal {
        match s.width() {
            w if w < width && self.rng.bool() => s.sext(width),
            w if w < width => s.zext(width),
            w => {
                let lo = self.rng.u32(..=w - width);
                s.bits(lo + width - 1, lo)
            }
        }
    }

    fn pick(&mut self, width: u32) -> Signal {
        let any = self.pool[self.rng.usize(..self.pool.len())];
        self.fit(any, width)
    }

    /// An expression, which others may use again.
    fn value(&mut self, width: u32) -> Signal {
        let (a, b) = (self.pick(width), self.pick(width));
        let value = match self.rng.u32(..9) {
            0 => a + b,
            1 => a - b,
            2 => a ^ !b,
            3 => a.lt(b).mux(a, b),
            4 => self.pick(1).mux(a, b),
            5 => {
                let address = self.pick(4);
                let word = self.memory.read(address);
                self.fit(word, width)
            }
            6 => (a * self.pick(8)).bits(width - 1, 0),
            _ => return a.literal(number(&mut self.rng, width)),
        };
        if self.rng.u32(..3) > 0 {
            return value;
        }
        let value = value.named(&format!("value_{}", self.named.len()));
        self.named.push(value);
        self.pool.push(value);
        value
    }

    fn assign(&mut self) {
        let target = self.targets[self.rng.usize(..self.targets.len())];
        let width = target.width();
        if width > 8 && self.rng.u32(..4) == 0 {
            let lo = self.rng.u32(..width);
            let part = self.rng.u32(1..=width - lo);
            target.bits(lo + part - 1, lo).set(self.value(part));
        } else if width == 64 && self.rng.u32(..8) == 0 {
            let at = self.pick(5).zext(6);
            target.part(at, 7).set(self.value(7));
        } else {
            target.set(self.value(width));
        }
    }

    fn block(&mut self, depth: u32) {
        for _ in 0..self.rng.u32(..4) {
            match self.rng.u32(..8) {
                0 if depth > 0 => self.switch(depth - 1),
                1 | 2 if depth > 0 => {
                    let (first, second) = (self.pick(1), self.pick(1));
                    let m = self.m;
                    m.when(first, || self.block(depth - 1)).elsewhen(second, || self.block(depth - 1));
                }
                _ => self.assign(),
            }
        }
    }

    /// A switch over some of the values, with or without a default.
    fn switch(&mut self, depth: u32) {
        let (selector, mut values) = self.selectors[self.rng.usize(..self.selectors.len())].clone();
        self.rng.shuffle(&mut values);
        values.truncate(self.rng.usize(..=values.len()));
        self.m.switch(selector, |s| {
            while !values.is_empty() {
                let some = if self.rng.u32(..4) == 0 { 3 } else { 1 };
                let labels: Vec<Signal> =
                    values.drain(..some.min(values.len())).map(|value| selector.literal(value)).collect();
                s.case_any(labels, || self.block(depth));
            }
            if self.rng.bool() {
                s.default(|| self.block(depth));
            }
        });
    }
}

/// Registers whose values are labels now and then, of all kinds: dense, one-hot, sparse, wider than a word.
fn selectors(m: Module, rng: &mut Rng, narrow: Signal) -> Vec<(Signal, Vec<BigUint>)> {
    let dense = |n: u32| (0..n).map(BigUint::from).collect::<Vec<_>>();
    let one_hot = (0..32).map(|i| BigUint::from(1u8) << i).collect::<Vec<_>>();
    let mut selectors = vec![
        (narrow, dense(32)),
        (narrow.bits(3, 0), dense(10)),
        (narrow.literal(1u8).zext(32) << narrow, one_hot),
        (narrow.zext(16) * narrow.zext(16), (0..32u32).map(|i| (i * i).into()).collect()),
    ];
    for (i, width) in [64, 70].into_iter().enumerate() {
        let values: Vec<BigUint> = (0..20).map(|_| number(rng, width)).collect();
        let unique: std::collections::BTreeSet<BigUint> = values.iter().cloned().collect();
        let state = m.reg_reset(bits(width), 0).named(&format!("state_{i}"));
        // over a table, so that the values come up
        let table = m.memory(bits(width), 32).init((0..32).map(|i| values[i % values.len()].clone()));
        state.set(table.read(narrow));
        selectors.push((state, unique.into_iter().collect()));
    }
    selectors
}

/// A random module. With `shown` everything that has a name is an output too.
fn random(own: u64, shown: bool) -> Design<()> {
    let mut rng = Rng::with_seed(hdl::bus::run_seed(own));
    let m = Module::new("switches");
    m.unchecked_effects();
    let narrow = input(m, "narrow", 5);
    let inputs = [("a", 16), ("b", 64), ("c", 90)].map(|(name, width)| input(m, name, width));
    let memory = m.memory(bits(70), 16).init((0..16).map(|_| number(&mut rng, 70)));
    memory.write(inputs[0].bits(3, 0), inputs[2].bits(69, 0), inputs[1].bit(0));
    let registers: Vec<Signal> =
        (0..12).map(|i| m.reg_reset(bits(WIDTHS[i % WIDTHS.len()]), (i % 2) as u32).named(&format!("r{i}"))).collect();
    let selectors = selectors(m, &mut rng, narrow);
    let pool = [&inputs[..], &registers].concat();
    let mut maker = Maker { m, rng, pool, targets: vec![], named: vec![], memory, selectors };
    for register in &registers {
        let (enable, value) = (maker.pick(1), maker.value(register.width()));
        m.when(enable, || register.set(value));
    }
    // wires of the first half are read by the second: choices that wait for choices
    for half in 0..2 {
        let wire = |i: usize| m.wire(bits(WIDTHS[i])).named(&format!("w{half}_{i}"));
        let wires: Vec<Signal> = (0..WIDTHS.len()).map(wire).collect();
        for wire in &wires {
            wire.set(maker.value(wire.width()));
        }
        maker.targets = [&wires[..], if half == 1 { &registers } else { &[] }].concat();
        (0..3).for_each(|_| maker.switch(2));
        maker.pool.extend(&wires);
        for (i, wire) in wires.into_iter().enumerate() {
            output(m, format!("o{half}_{i}"), wire);
        }
    }
    for (i, register) in registers.into_iter().enumerate() {
        output(m, format!("q{i}"), register);
    }
    for (i, value) in maker.named.into_iter().enumerate() {
        value.unused();
        if shown {
            output(m, format!("shown_{i}"), value);
        }
    }
    finish(m)
}

#[test]
fn machine_code_like_the_interpreter() {
    for own in 0..60 {
        check(&random(own, false), 150, own);
    }
}

/// In the second module all that has a name is computed in every cycle.
#[test]
fn signals_in_arms_are_right_when_asked_for() {
    let mut lazy = 0;
    for own in 100..120 {
        let (mut hidden, mut shown) = (Simulator::new(&random(own, false)), Simulator::new(&random(own, true)));
        let inputs = hidden.ports().iter().filter(|p| p.input).cloned().collect::<Vec<_>>();
        let mut rng = Rng::with_seed(hdl::bus::run_seed(own));
        let names: Vec<String> =
            shown.ports().iter().filter_map(|p| Some(p.name.strip_prefix("shown_")?.into())).collect();
        for _ in 0..50 {
            for (i, port) in inputs.iter().enumerate() {
                let value = number(&mut rng, port.width);
                hidden.poke_big(i, &value);
                shown.poke_big(i, &value);
            }
            lazy += usize::from(hidden.instructions() < shown.instructions());
            for name in &names {
                let probe = hidden.find(&format!("value_{name}")).expect("a signal");
                let port = shown.port(&format!("shown_{name}")).expect("a port");
                assert_eq!(hidden.value_big(probe), shown.peek_big(port), "value_{name}, switches {own}");
            }
            hidden.step();
            shown.step();
        }
    }
    assert!(lazy > 500, "only {lazy} of 1000 evaluations left something out");
}
