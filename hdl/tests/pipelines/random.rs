//! Random pipelines between two streams against a queue: each item is computed whole when it enters, and is compared when it leaves.

use crate::numbers::Random;
use hdl::engine::Engine;
use hdl::sim::Simulator;
use hdl::*;
use std::collections::VecDeque;

/// What happens to the items on their way.
#[derive(Clone, Copy, Debug)]
enum Step {
    Delay(u32),
    /// A value of before beside it, delayed.
    Mix,
    Rom {
        sync: bool,
    },
    /// A register that the user declares.
    Register,
    /// All items so far: with this one, or without.
    Sum {
        after: bool,
    },
    /// The last odd one before.
    LastOdd,
    /// How often it came before.
    Times,
    /// An instance of so many cycles.
    Unit(u32),
}

fn step(random: &mut Random) -> Step {
    match random.below(8) {
        0 => Step::Delay(1 + random.below(2) as u32),
        1 => Step::Mix,
        2 => Step::Rom { sync: random.below(2) == 1 },
        3 => Step::Register,
        4 => Step::Sum { after: random.below(2) == 1 },
        5 => Step::LastOdd,
        6 => Step::Times,
        _ => Step::Unit(random.below(4) as u32),
    }
}

fn rom(x: u64) -> u64 {
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
    struct StreamPorts() {
        input s: Stream = stream(bits(8)),
        output m: Stream = stream(bits(8)),
    }
}

fn apply(m: Module, p: Pipeline, first: Signal, x: Signal, step: Step) -> Signal {
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
        Step::Sum { after } => {
            let sum = p.state(m.reg_reset(bits(8), 0), x);
            sum.set(sum + x);
            if after { p.after(sum) } else { sum }
        }
        Step::LastOdd => {
            let last = p.state(m.reg_reset(bits(8), 0), x);
            m.when(x.bit(0), || last.set(x));
            x ^ last
        }
        Step::Times => {
            let times = m.memory(bits(8), 256).init([0u32]);
            let before = times.read(x);
            times.write(x, before + 1, p.occupied(x));
            x + before
        }
        Step::Unit(cycles) => {
            let unit = m.instance(&unit(cycles));
            unit.x.set(x);
            if cycles == 0 {
                unit.go.set(1); // nothing to hold
            }
            unit.y
        }
    }
}

/// The hardware, and how many stages it has.
fn hardware(steps: &[Step], collapse: bool) -> (Design<StreamPorts>, u32) {
    let m = Module::new("random");
    let io = StreamPorts::new(m);
    let (p, first) = m.pipeline_stream("random", io.s, Elastic { collapse, flush: None });
    let x = steps.iter().fold(first, |x, step| apply(m, p, first, x, *step));
    p.leave_stream(x, io.m);
    let stages = p.stage_of(x).unwrap();
    (m.finish(io).unwrap_or_else(|e| panic!("{steps:?}\n{e}")), stages)
}

/// What each step remembers of the items before.
struct Model<'a> {
    steps: &'a [Step],
    memory: Vec<u64>,
    times: Vec<[u64; 256]>,
}

impl<'a> Model<'a> {
    fn new(steps: &'a [Step]) -> Self {
        Self { steps, memory: vec![0; steps.len()], times: vec![[0; 256]; steps.len()] }
    }
    fn item(&mut self, first: u64) -> u64 {
        let mut x = first;
        for (i, step) in self.steps.iter().enumerate() {
            let memory = &mut self.memory[i];
            x = match step {
                Step::Delay(_) => x,
                Step::Mix => x + first,
                Step::Rom { .. } => rom(x),
                Step::Register => x + 1,
                Step::Sum { after } => {
                    let before = std::mem::replace(memory, (*memory + x) % 256);
                    if *after { *memory } else { before }
                }
                Step::LastOdd => x ^ if x % 2 == 1 { std::mem::replace(memory, x) } else { *memory },
                Step::Times => {
                    self.times[i][x as usize] += 1;
                    x + self.times[i][x as usize] - 1
                }
                Step::Unit(_) => x + 7,
            } % 256;
        }
        x
    }
}

/// Runs so many cycles; how many items came out.
fn run(sim: &mut Simulator, model: &mut Model, random: &mut Random, cycles: u32, willing: (u64, u64), at: &str) -> u32 {
    let [s_valid, s_ready, s, m_valid, m_ready, m] =
        ["s_valid", "s_ready", "s_payload", "m_valid", "m_ready", "m_payload"].map(|name| sim.port(name).unwrap());
    sim.reset(2);
    let (mut queue, mut offered, mut given) = (VecDeque::new(), None, 0);
    for cycle in 0..cycles {
        offered = offered.or(random.percent(willing.0).then(|| random.below(256)));
        sim.poke(s_valid, u64::from(offered.is_some()));
        sim.poke(s, offered.unwrap_or_else(|| random.below(256)));
        let ready = random.percent(willing.1);
        sim.poke(m_ready, u64::from(ready));
        if let Some(item) = offered.filter(|_| sim.peek(s_ready) == 1) {
            queue.push_back(model.item(item));
            offered = None;
        }
        if ready && sim.peek(m_valid) == 1 {
            assert_eq!(Some(sim.peek(m)), queue.pop_front(), "{at}, cycle {cycle}");
            given += 1;
        }
        sim.step();
    }
    given
}

#[test]
fn equals_a_queue() {
    let mut random = Random::new(2026);
    for round in 0..300 {
        let steps: Vec<Step> = (0..1 + random.below(7)).map(|_| step(&mut random)).collect();
        let collapse = random.below(2) == 1;
        let (design, stages) = hardware(&steps, collapse);
        let at = format!("round {round}, collapse {collapse}, {steps:?}");
        for willing in [(100, 100), (50, 50), (90, 20), (20, 90)] {
            let given = run(&mut Simulator::new(&design), &mut Model::new(&steps), &mut random, 200, willing, &at);
            match willing {
                (100, 100) => assert_eq!(given, 200 - stages, "a bubble: {at}"),
                _ => assert!(given > 15, "{given} items: {at}"),
            }
        }
    }
}
