//! The number units against their bit-exact models.

use super::{Driver, Effort};
use fastrand::Rng;
use hdl::Design;
use hdl::engine::Engine;
use hw::catalogue::{Values, block};
use sim::golden::float::Model;
use sim::golden::float::stimuli::pair;
use std::collections::VecDeque;

/// What a unit does with its operands.
type Function = fn(Model, &[u32]) -> u32;

/// Blocks with the ports `in_valid`, operands, `out_valid` and `y`: name, operands, function.
const UNITS: &[(&str, &[&str], Function)] = &[
    ("float_add", &["a", "b"], |m, x| m.add(x[0], x[1])),
    ("float_multiply", &["a", "b"], |m, x| m.multiply(x[0], x[1])),
];

/// The driver of a number unit; `None` for other blocks.
pub fn driver(name: &str, block_name: &str, v: &Values) -> Option<Driver> {
    let (_, operands, function) = *UNITS.iter().find(|(unit, ..)| *unit == block_name)?;
    let design = (block(block_name)?.build)(name, v).unwrap_or_else(|errors| panic!("{errors}"));
    let model = Model { exp: v.number("exp"), frac: v.number("frac"), flush: v.choice("subnormals") == "flush" };
    let unit = Unit { design: design.clone(), model, operands, function };
    Some(Driver::new(name, design, move |engine, effort| {
        unit.reset_forgets(engine)?;
        unit.stream(engine, effort)
    }))
}

struct Unit {
    design: Design<()>,
    model: Model,
    operands: &'static [&'static str],
    function: Function,
}

impl Unit {
    fn latency(&self) -> usize {
        self.design.latency().unwrap_or(0) as usize
    }

    /// Operands under way when a reset comes do not come out.
    fn reset_forgets(&self, engine: &mut dyn Engine) -> Result<(), String> {
        let port = |name: &str| engine.port(name).ok_or_else(|| format!("no port `{name}`"));
        let (valid, out) = (port("in_valid")?, port("out_valid")?);
        if self.latency() == 0 {
            return Ok(());
        }
        engine.poke(valid, 1);
        (0..self.latency() + 2).for_each(|_| engine.step());
        engine.reset(1);
        engine.poke(valid, 0);
        for cycle in 0..=self.latency() {
            if engine.peek(out) == 1 {
                return Err(format!("out_valid {cycle} cycles after a reset"));
            }
            engine.step();
        }
        Ok(())
    }

    /// Feeds operands, one tuple a cycle with gaps, and compares the results as they come with their valid bits.
    fn stream(&self, engine: &mut dyn Engine, effort: Effort) -> Result<(), String> {
        let port = |name: &str| engine.port(name).ok_or_else(|| format!("no port `{name}`"));
        let (valid, out, y) = (port("in_valid")?, port("out_valid")?, port("y")?);
        let inputs: Vec<usize> = self.operands.iter().map(|name| port(name)).collect::<Result<_, _>>()?;
        let mut rng = Rng::with_seed(effort.seed);
        let mut waiting = VecDeque::from(vec![None; self.latency()]);
        let count = if effort.long { 10_000_000 } else { 60_000 };
        let start = effort.seed.wrapping_sub(1) * count;
        for index in start..start + count {
            // without valid, the operands are anything
            let given = rng.u8(0..16) != 0;
            let operands = pair(self.model, index);
            engine.poke(valid, given.into());
            inputs.iter().zip(operands).for_each(|(input, x)| engine.poke(*input, x.into()));
            waiting.push_back(given.then_some(operands));
            let due = waiting.pop_front().flatten();
            if engine.peek(out) != u64::from(due.is_some()) {
                return Err(format!("out_valid is not {}", due.is_some()));
            }
            if let Some(x) = due {
                let (got, want) = (engine.peek(y), u64::from((self.function)(self.model, &x)));
                if got != want {
                    return Err(format!("{x:x?} gives {got:#x}, not {want:#x}"));
                }
            }
            if self.latency() > 0 {
                engine.step();
            }
        }
        Ok(())
    }
}
