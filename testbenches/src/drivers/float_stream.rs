//! Operands through a number unit: what comes out, and in which cycle.

use super::Effort;
use fastrand::Rng;
use hdl::engine::{Engine, PortInfo};
use hdl::{BigUint, Design, Errors};
use hw::float::format::{Format, Subnormals};
use sim::golden::float::Model;
use std::collections::VecDeque;

/// The ports of a unit: `in_valid` and operands go in, `out_valid` and results come out some cycles later.
pub struct FloatStream {
    in_valid: usize,
    operands: Vec<usize>,
    out_valid: usize,
    results: Vec<usize>,
    ports: Vec<PortInfo>,
    /// Numbers of an operand; 1 unless it is a vector.
    lanes: u32,
    latency: usize,
}

impl FloatStream {
    /// The ports of this design, whose operands are vectors of so many numbers.
    ///
    /// # Panics
    /// If it has no valid bits.
    pub fn new<P>(design: &Design<P>, lanes: u32) -> FloatStream {
        let ports = design.port_list();
        let place = |name: &str| ports.iter().position(|port| port.name == name);
        let [in_valid, out_valid] = ["in_valid", "out_valid"].map(|name| place(name).expect("a valid bit"));
        let others = |input| {
            let expected = |i: &usize| ports[*i].input == input && ![in_valid, out_valid].contains(i);
            (0..ports.len()).filter(expected).collect()
        };
        let latency = design.latency().unwrap_or(0) as usize;
        FloatStream { in_valid, operands: others(true), out_valid, results: others(false), ports, lanes, latency }
    }

    /// How many operands there are.
    pub fn operands(&self) -> usize {
        self.operands.len()
    }

    /// Bits of a number that goes in.
    pub fn width(&self) -> u32 {
        self.ports[self.operands[0]].width / self.lanes
    }

    /// Operands under way when a reset comes do not come out.
    ///
    /// # Errors
    /// If some do.
    pub fn reset_forgets(&self, engine: &mut dyn Engine) -> Result<(), String> {
        if self.latency == 0 {
            return Ok(());
        }
        engine.poke(self.in_valid, 1);
        (0..self.latency + 2).for_each(|_| engine.step());
        engine.reset(1);
        engine.poke(self.in_valid, 0);
        for cycle in 0..=self.latency {
            if engine.peek(self.out_valid) == 1 {
                return Err(format!("out_valid {cycle} cycles after a reset"));
            }
            engine.step();
        }
        Ok(())
    }

    /// Feeds tuples (the numbers of every operand, one operand after the other), one a cycle with gaps, and compares the results
    /// with what `want` says of them as they come with their valid bits.
    ///
    /// # Errors
    /// If anything else comes, or at another time.
    pub fn run<T: AsRef<[u32]>, W: AsRef<[u32]>>(
        &self,
        engine: &mut dyn Engine,
        seed: u64,
        tuples: impl Iterator<Item = T>,
        want: impl Fn(&[u32]) -> W,
    ) -> Result<(), String> {
        let mut rng = Rng::with_seed(seed);
        let mut tuples = tuples.peekable();
        let mut waiting: VecDeque<Option<T>> = (0..self.latency).map(|_| None).collect();
        while tuples.peek().is_some() || waiting.iter().any(Option::is_some) {
            let given = tuples.next_if(|_| rng.u32(0..16) > 0);
            match &given {
                Some(numbers) => self.poke(engine, numbers.as_ref()),
                None => self.poke(engine, &self.anything(&mut rng)),
            }
            engine.poke(self.in_valid, given.is_some().into());
            waiting.push_back(given);
            let due = waiting.pop_front().flatten();
            if engine.peek(self.out_valid) != u64::from(due.is_some()) {
                return Err(format!("out_valid is not {}", due.is_some()));
            }
            if let Some(numbers) = due {
                self.compare(engine, numbers.as_ref(), want(numbers.as_ref()).as_ref())?;
            }
            if self.latency > 0 {
                engine.step();
            }
        }
        Ok(())
    }

    /// What the operands are where they do not count.
    fn anything(&self, rng: &mut Rng) -> Vec<u32> {
        (0..self.operands() * self.lanes as usize).map(|_| rng.u32(..) >> (32 - self.width())).collect()
    }

    fn poke(&self, engine: &mut dyn Engine, numbers: &[u32]) {
        let width = self.width();
        for (port, lanes) in self.operands.iter().zip(numbers.chunks_exact(self.lanes as usize)) {
            match lanes {
                [number] => engine.poke(*port, u64::from(*number)),
                _ => {
                    let packed = lanes.iter().rev().fold(BigUint::ZERO, |bits, x| (bits << width) | BigUint::from(*x));
                    engine.poke_big(*port, &packed);
                }
            }
        }
    }

    fn compare(&self, engine: &mut dyn Engine, numbers: &[u32], want: &[u32]) -> Result<(), String> {
        assert_eq!(want.len(), self.results.len(), "the model has another number of results");
        for (port, want) in self.results.iter().zip(want) {
            let got = engine.peek(*port);
            if got != u64::from(*want) {
                let name = &self.ports[*port].name;
                return Err(format!("{numbers:#x?} gives {name} = {got:#x}, not {want:#x}"));
            }
        }
        Ok(())
    }
}

/// Streams tuples through a unit in the built-in simulator.
///
/// # Panics
/// If a result is wrong, or the parameters of the unit are.
pub fn check<P, T: AsRef<[u32]>, W: AsRef<[u32]>>(
    unit: Result<Design<P>, Errors>,
    tuples: impl Iterator<Item = T>,
    want: impl Fn(&[u32]) -> W,
) {
    check_vectors(unit, 1, tuples, want);
}

/// The same for operands that are vectors of so many numbers.
///
/// # Panics
/// As [`check`] does.
pub fn check_vectors<P, T: AsRef<[u32]>, W: AsRef<[u32]>>(
    unit: Result<Design<P>, Errors>,
    lanes: u32,
    tuples: impl Iterator<Item = T>,
    want: impl Fn(&[u32]) -> W,
) {
    let design = unit.unwrap_or_else(|errors| panic!("{errors}"));
    let mut engine = jit::simulator(&design);
    if design.latency().unwrap_or(0) > 0 {
        engine.reset(1);
    }
    let outcome = FloatStream::new(&design, lanes).run(&mut engine, 7, tuples, want);
    outcome.unwrap_or_else(|error| panic!("{} with latency {:?}: {error}", design.name(), design.latency()));
}

/// The model of a format.
pub fn model(f: Format, s: Subnormals) -> Model {
    Model { exp: f.exp, frac: f.frac, flush: s == Subnormals::Flush }
}

/// How many tuples a thorough test takes: stratified pairs of bfloat16 numbers have all pairs of exponents by then. In the long
/// run, ten millions.
pub fn many() -> u64 {
    if Effort::from_environment().long { 10_000_000 } else { 8 << 16 }
}
