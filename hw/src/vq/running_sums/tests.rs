use super::*;
use ::sim::golden::vq::decode::tree;
use fastrand::Rng;
use hdl::engine::Engine;
use rayon::prelude::*;

/// Running sums, and what must come of them.
struct Runner<'d> {
    design: &'d Design<RunningSumsPorts>,
    sim: &'d mut dyn Engine,
    cycle: u32,
    /// Each sum, and the cycle of its last term.
    expected: Vec<(Vec<u16>, u32)>,
    got: usize,
    /// From the last term that was to the sum that came last.
    latency: u32,
}

impl Runner<'_> {
    /// A cycle with these terms, or with none.
    fn step(&mut self, terms: Option<&[u16]>) {
        let io = &self.design.ports;
        self.sim.poke(io.comes, u64::from(terms.is_some()));
        for (x, value) in io.x.into_iter().zip(terms.unwrap_or_default()) {
            self.sim.poke(x, u64::from(*value));
        }
        if self.sim.peek(io.done) == 1 {
            let y: Vec<u16> = io.y.into_iter().map(|y| self.sim.peek(y) as u16).collect();
            let (expected, from) = &self.expected[self.got];
            assert_eq!(&y, expected, "sum {}", self.got);
            self.latency = self.cycle - from;
            self.got += 1;
        }
        self.sim.step();
        self.cycle += 1;
    }
}

/// Sums of random terms with pauses of so many percent, and with so many cycles between two sums; the latency of the last one.
fn run(p: SumsParams, pauses: u8, between: u32, seed: u64) -> u32 {
    let design = running_sums(p).unwrap_or_else(|e| panic!("{e}"));
    let mut sim = jit::simulator(&design);
    let mut rng = Rng::with_seed(seed);
    sim.poke(design.ports.comes, 0);
    sim.poke(design.ports.clear, 0);
    sim.reset(2);
    let mut runner = Runner { design: &design, sim: &mut sim, cycle: 0, expected: vec![], got: 0, latency: 0 };
    let count = 12.max(64 >> p.levels);
    for _ in 0..count {
        let term = |rng: &mut Rng| (0..p.sums).map(|_| rng.u16(..) & 0x83ff | rng.u16(10..20) << 10).collect();
        let terms: Vec<Vec<u16>> = (0..1 << p.levels).map(|_| term(&mut rng)).collect();
        let sum = |i: usize| tree(&terms.iter().map(|term| term[i]).collect::<Vec<_>>());
        let sums = (0..p.sums as usize).map(sum).collect();
        runner.expected.push((sums, 0));
        for term in &terms {
            while rng.u8(0..100) < pauses {
                runner.step(None);
            }
            runner.expected.last_mut().expect("a sum").1 = runner.cycle;
            runner.step(Some(term));
        }
        (0..between).for_each(|_| runner.step(None));
    }
    (0..=latency(p.levels)).for_each(|_| runner.step(None));
    assert_eq!(runner.got, count, "{p:?}, seed {seed}");
    runner.latency
}

/// Terms in every cycle, and with pauses: the sums are right, an assert of the unit holds that its queue has room, and the last sum comes in time.
#[test]
fn sums_are_those_of_the_tree() {
    let rounds = [(0, 0), (0, 2), (2, 0), (10, 0), (50, 3), (80, 0)];
    (1..=12).into_par_iter().for_each(|levels| {
        let p = SumsParams { levels, sums: 1 + levels % 3 };
        for (round, (pauses, between)) in rounds.into_iter().enumerate() {
            let cycles = run(p, pauses, between, ::sim::bus::run_seed(round as u64));
            assert!(cycles <= latency(levels), "{p:?}: {cycles} cycles behind the last term");
        }
    });
}

#[test]
fn illegal_parameters_are_refused() {
    for (levels, sums) in [(0, 1), (13, 1), (4, 0), (4, 17)] {
        let message = running_sums(SumsParams { levels, sums }).unwrap_err().to_string();
        assert!(message.contains(&format!("{levels} levels and {sums} sums")), "{message}");
    }
}
