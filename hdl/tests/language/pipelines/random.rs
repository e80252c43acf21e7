//! Random pipelines against a queue: what an item does at a stage is done in the model when it leaves that stage, and it is compared when
//! it leaves the pipeline. Between streams, with and without a flush, and with an enable.

use super::model::{Item, Model};
use crate::common::numbers::Random;
use hdl::engine::{Engine, PowerUp};
use hdl::sim::Simulator;
use hdl::*;
use std::collections::VecDeque;

/// What happens to the items on their way.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    Delay(u32),
    /// A value of before beside it, delayed.
    Mix,
    Rom {
        sync: bool,
    },
    /// A register that the user declares.
    Register,
    /// The same with an enable: the last odd one, this one among them.
    Enabled,
    /// All items so far: with this one, or without.
    Sum {
        after: bool,
    },
    /// The last odd one before.
    LastOdd,
    /// How often it came before.
    Times,
    /// What an item that was the same here was at the beginning; read a cycle later than the address comes.
    Table,
    /// What came back from so many stages later.
    Feedback(u32),
    /// Goes back to the step with this number.
    Back(usize),
    /// An instance of so many cycles.
    Unit(u32),
    /// An instance with an output of so many cycles, and one of one cycle more.
    TwoOutputs(u32),
}

fn step(random: &mut Random) -> Step {
    match random.below(12) {
        0 => Step::Delay(1 + random.below(2) as u32),
        1 => Step::Mix,
        2 => Step::Rom { sync: random.below(2) == 1 },
        3 => Step::Register,
        4 => Step::Sum { after: random.below(2) == 1 },
        5 => Step::LastOdd,
        6 => Step::Times,
        7 => Step::Enabled,
        8 => Step::Table,
        9 => Step::Feedback(random.below(4) as u32),
        10 => Step::TwoOutputs(random.below(3) as u32),
        _ => Step::Unit(random.below(4) as u32),
    }
}

pub fn rom(x: u64) -> u64 {
    (x * 5 + 3) % 256
}

ports! {
    struct UnitPorts() {
        input x: Signal = bits(8),
        input go: Signal = bits(1),
        output y: Signal = bits(8),
    }
}

fn unit(cycles: u32) -> Design<UnitPorts> {
    let m = Module::new(format!("unit{cycles}"));
    let io = UnitPorts::new(m);
    m.latency(cycles);
    io.go.unused();
    let p = m.pipeline_enabled("unit", io.go);
    let y = p.enter(io.x + 7).later(cycles);
    io.y.set(p.leave(y));
    m.finish(io).unwrap()
}

ports! {
    struct TwoOutputsPorts() {
        input x: Signal = bits(8),
        input go: Signal = bits(1),
        output early: Signal = bits(8),
        output late: Signal = bits(8),
    }
}

fn two_outputs(cycles: u32) -> Design<TwoOutputsPorts> {
    let m = Module::new(format!("two_outputs{cycles}"));
    let io = TwoOutputsPorts::new(m);
    let p = m.pipeline_enabled("two_outputs", io.go);
    let x = p.enter(io.x).later(cycles);
    io.early.set(p.leave(x));
    io.late.set(p.leave((x * 3u32).trunc(8).next()));
    m.latency_of(io.early, cycles);
    m.latency_of(io.late, cycles + 1);
    m.finish(io).unwrap()
}

ports! {
    struct StreamPorts() {
        input s: Stream = stream(bits(8)),
        input flush: Signal = bits(1),
        output m: Stream = stream(bits(8)),
    }
}

ports! {
    struct EnabledPorts() {
        input advance: Signal = bits(1),
        input valid: Signal = bits(1),
        input x: Signal = bits(8),
        output y_valid: Signal = bits(1),
        output y: Signal = bits(8),
    }
}

/// A pipeline under construction.
#[derive(Clone, Copy)]
struct Building {
    m: Module,
    p: Pipeline,
    first: Signal,
    /// The valid bit, if the pipeline does not know of items itself.
    valid: Option<Signal>,
}

impl Building {
    /// Is an item there? One bit at the stage of `x`.
    fn there(self, x: Signal) -> Signal {
        self.valid.map_or_else(|| self.p.occupied(x), |valid| valid.meet(x))
    }
    /// What only items do: a pipeline between streams knows that.
    fn by_items(self, x: Signal, f: impl FnOnce()) {
        match self.valid {
            Some(valid) => drop(self.m.when(valid.meet(x), f)),
            None => f(),
        }
    }
    fn apply(self, x: Signal, step: Step) -> Signal {
        let Building { m, p, first, .. } = self;
        match step {
            Step::Delay(n) => x.later(n),
            Step::Mix => x + first.meet(x),
            Step::Rom { sync } => {
                let table = m.memory(bits(8), 256).init((0..256).map(rom));
                if sync { table.read_sync(x) } else { table.read(x) }
            }
            Step::Register => {
                let r = m.reg(bits(8));
                r.set(x + 1);
                r
            }
            Step::Enabled => {
                let enable = self.valid.map_or(x.bit(0), |valid| valid.meet(x) & x.bit(0));
                let r = m.reg_reset(bits(8), 0).enable(enable);
                r.set(x + 1);
                r
            }
            Step::Sum { after } => {
                let sum = p.state(m.reg_reset(bits(8), 0), x);
                self.by_items(x, || sum.set(sum + x));
                if after { p.after(sum) } else { sum }
            }
            Step::LastOdd => {
                let last = p.state(m.reg_reset(bits(8), 0), x);
                self.by_items(x, || drop(m.when(x.bit(0), || last.set(x))));
                x ^ last
            }
            Step::Times | Step::Table | Step::Feedback(_) | Step::Back(_) => self.apply_part(x, step),
            Step::Unit(_) | Step::TwoOutputs(_) => self.apply_instance(x, step),
        }
    }
    fn apply_part(self, x: Signal, step: Step) -> Signal {
        let Building { m, p, first, .. } = self;
        match step {
            Step::Times => {
                let times = m.memory(bits(8), 256).init([0u32]);
                let before = times.read(x);
                times.write(x, before + 1, self.there(x));
                x + before
            }
            Step::Table => {
                let table = m.memory(bits(8), 256).init([0u32]);
                let before = table.read_sync(x);
                // between streams only items write, whatever the enable is
                table.write(x, first.meet(x), self.valid.map_or(m.lit(1u32, 1), |valid| valid.meet(x)));
                before + x.next()
            }
            Step::Feedback(stages) => {
                let back = p.feedback(m.reg_reset(bits(8), 0), x);
                let mixed = (x ^ back).later(stages);
                self.by_items(mixed, || back.set(mixed + 1));
                mixed
            }
            _ => x,
        }
    }
    fn apply_instance(self, x: Signal, step: Step) -> Signal {
        let m = self.m;
        match step {
            Step::Unit(cycles) => {
                let unit = m.instance(&unit(cycles));
                unit.x.set(x);
                if cycles == 0 {
                    unit.go.set(1); // nothing to hold
                }
                unit.y
            }
            Step::TwoOutputs(cycles) => {
                let unit = m.instance(&two_outputs(cycles));
                unit.x.set(x);
                unit.late ^ unit.early.meet(unit.late)
            }
            _ => x,
        }
    }
    /// All steps, each with the stage at which it is done; the last signal, and its stage.
    fn all(self, steps: &[Step]) -> (Vec<(u32, Step)>, Signal, u32) {
        let at = |x| self.p.stage_of(x).unwrap();
        let (mut x, mut done) = (self.first, vec![]);
        for step in steps {
            done.push((at(x), *step));
            x = self.apply(x, *step);
            if let Step::Feedback(_) = step {
                done.push((at(x), Step::Back(done.len() - 1)));
            }
        }
        (done, x, at(x))
    }
}

/// The hardware, its steps with their stages, and how many stages it has.
type Hardware<P> = (Design<P>, Vec<(u32, Step)>, u32);

fn between_streams(steps: &[Step], collapse: bool, flush: bool) -> Hardware<StreamPorts> {
    let m = Module::new("random");
    let io = StreamPorts::new(m);
    io.flush.unused();
    let (p, first) = m.pipeline_stream("random", io.s, Elastic { collapse, flush: flush.then_some(io.flush) });
    let (done, x, stages) = Building { m, p, first, valid: None }.all(steps);
    p.leave_stream(x, io.m);
    (m.finish(io).unwrap_or_else(|e| panic!("{steps:?}\n{e}")), done, stages)
}

fn with_an_enable(steps: &[Step]) -> Hardware<EnabledPorts> {
    let m = Module::new("random");
    let io = EnabledPorts::new(m);
    io.advance.unused();
    let p = m.pipeline_enabled("random", io.advance);
    let (first, valid) = (p.enter(io.x), p.enter_valid(io.valid));
    let (done, x, stages) = Building { m, p, first, valid: Some(valid) }.all(steps);
    io.y.set(p.leave(x));
    io.y_valid.set(p.leave(valid.meet(x)));
    (m.finish(io).unwrap_or_else(|e| panic!("{steps:?}\n{e}")), done, stages)
}

/// How often a run offers and takes items, and throws all of them away, in percent.
type Willing = (u64, u64, u64);

/// Runs so many cycles; how many items came out.
fn run(hardware: &Hardware<StreamPorts>, random: &mut Random, cycles: u32, willing: Willing, at: &str) -> u32 {
    let (design, steps, stages) = hardware;
    let (mut sim, mut model) = (Simulator::new(design), Model::new(steps));
    let [s_valid, s_ready, s, flush, m_valid, m_ready, m] =
        ["s_valid", "s_ready", "s_payload", "flush", "m_valid", "m_ready", "m_payload"]
            .map(|name| sim.port(name).unwrap());
    // memories have no reset, and what a stage holds before the reset might write to them
    sim.power_up(PowerUp::Zero);
    sim.reset(2);
    let (mut queue, mut offered, mut given) = (VecDeque::new(), None, 0);
    for cycle in 0..cycles {
        offered = offered.or(random.percent(willing.0).then(|| random.below(256)));
        sim.poke(s_valid, u64::from(offered.is_some()));
        sim.poke(s, offered.unwrap_or_else(|| random.below(256)));
        let (ready, flushes) = (random.percent(willing.1), random.percent(willing.2));
        sim.poke(m_ready, u64::from(ready));
        sim.poke(flush, u64::from(flushes));
        if let Some(item) = offered.filter(|_| sim.peek(s_ready) == 1) {
            queue.push_back(Item::new(item));
            offered = None;
        }
        if ready && sim.peek(m_valid) == 1 {
            let mut item = queue.pop_front().unwrap_or_else(|| panic!("nothing is there: {at}, cycle {cycle}"));
            model.leaves(&mut item, stages + 1);
            assert_eq!(sim.peek(m), item.x, "{at}, cycle {cycle}");
            given += 1;
        }
        sim.step();
        if flushes {
            queue.clear();
        }
        let occupied: Vec<u32> =
            (1..=*stages).rev().filter(|n| sim.peek(format!("random_valid_s{n}").as_str()) == 1).collect();
        assert_eq!(occupied.len(), queue.len(), "{at}, cycle {cycle}");
        queue.iter_mut().zip(occupied).for_each(|(item, stage)| model.leaves(item, stage));
        model.edge();
    }
    given
}

#[test]
fn equals_a_queue() {
    let mut random = Random::new(2026);
    for round in 0..300 {
        let steps: Vec<Step> = (0..1 + random.below(7)).map(|_| step(&mut random)).collect();
        let (collapse, flush) = (random.below(2) == 1, random.below(3) == 0);
        let hardware = between_streams(&steps, collapse, flush);
        let at = format!("round {round}, collapse {collapse}, flush {flush}, {steps:?}");
        for willing in [(100, 100), (50, 50), (90, 20), (20, 90)] {
            let given = run(&hardware, &mut random, 200, (willing.0, willing.1, if flush { 4 } else { 0 }), &at);
            match willing {
                _ if flush => {}
                (100, 100) => assert_eq!(given, 200 - hardware.2, "a bubble: {at}"),
                _ => assert!(given > 15, "{given} items: {at}"),
            }
        }
    }
}

/// Runs a pipeline with an enable; how many items came out.
fn run_enabled(hardware: &Hardware<EnabledPorts>, random: &mut Random, advances: u64, at: &str) -> u32 {
    let (design, steps, stages) = hardware;
    let (mut sim, mut model) = (Simulator::new(design), Model::new(steps));
    sim.reset(2);
    let (mut queue, mut given) = (VecDeque::new(), 0);
    for cycle in 0..200 {
        let (advance, valid, x) = (random.percent(advances), random.percent(70), random.below(256));
        [u64::from(advance), u64::from(valid), x].into_iter().enumerate().for_each(|(port, v)| sim.poke(port, v));
        if !advance {
            sim.step();
            continue;
        }
        if valid {
            queue.push_back(Item::new(x));
        }
        let leaves = queue.front().is_some_and(|item: &Item| item.stage == *stages);
        assert_eq!(sim.peek(3), u64::from(leaves), "{at}, cycle {cycle}");
        if leaves && let Some(mut item) = queue.pop_front() {
            model.leaves(&mut item, stages + 1);
            assert_eq!(sim.peek(4), item.x, "{at}, cycle {cycle}");
            given += 1;
        }
        sim.step();
        for item in &mut queue {
            item.stage += 1;
            let stage = item.stage;
            model.leaves(item, stage);
        }
        model.edge();
    }
    given
}

#[test]
fn with_an_enable_equals_a_queue() {
    let mut random = Random::new(7);
    for round in 0..200 {
        let steps: Vec<Step> = (0..1 + random.below(7)).map(|_| step(&mut random)).collect();
        let hardware = with_an_enable(&steps);
        let at = format!("round {round}, {steps:?}");
        for advances in [100, 60, 30] {
            let given = run_enabled(&hardware, &mut random, advances, &at);
            assert!(given > 15, "{given} items: {at}");
        }
    }
}
