//! The number units against their bit-exact models.

use super::{Driver, Effort};
use fastrand::Rng;
use hdl::engine::Engine;
use hdl::{BigUint, Design};
use hw::catalogue::{Values, block};
use sim::golden::float::Model;
use sim::golden::float::stimuli::{pair, triple};
use std::collections::VecDeque;

/// Operands: for each port its numbers, lane 0 first.
type Operands = Vec<Vec<u32>>;
/// The results that operands have, one for each output.
type Function = fn(Model, &Values, &Operands) -> Vec<u32>;

/// A block with the ports `in_valid`, operands, `out_valid` and results.
struct Kind {
    block: &'static str,
    inputs: &'static [&'static str],
    outputs: &'static [&'static str],
    results: Function,
}

/// A unit whose only result is `y`.
const fn unit(block: &'static str, inputs: &'static [&'static str], results: Function) -> Kind {
    Kind { block, inputs, outputs: &["y"], results }
}

const KINDS: [Kind; 14] = [
    unit("float_add", &["a", "b"], |m, _, x| vec![m.add(x[0][0], x[1][0])]),
    unit("float_multiply", &["a", "b"], |m, _, x| vec![m.multiply(x[0][0], x[1][0])]),
    unit("float_multiply_add", &["a", "b", "c"], |m, _, x| vec![m.multiply_add(x[0][0], x[1][0], x[2][0])]),
    Kind {
        block: "float_compare",
        inputs: &["a", "b"],
        outputs: &["lt", "le", "eq", "unordered", "min", "max"],
        results: |m, _, x| {
            let c = m.compare(x[0][0], x[1][0]);
            vec![c.lt.into(), c.le.into(), c.eq.into(), c.unordered.into(), c.min, c.max]
        },
    },
    unit("float_tree", &["x"], |m, _, x| vec![m.tree(&x[0])]),
    unit("float_dot", &["a", "b"], |m, _, x| vec![m.dot(&x[0], &x[1])]),
    unit("float_divide", &["a", "b"], |m, _, x| vec![m.divide(x[0][0], x[1][0])]),
    unit("float_recip", &["a"], |m, _, x| vec![m.recip(x[0][0])]),
    unit("float_sqrt", &["a"], |m, _, x| vec![m.sqrt(x[0][0])]),
    unit("float_rsqrt", &["a"], |m, v, x| vec![m.rsqrt(x[0][0], v.number("segments"))]),
    unit("float_exp", &["a"], |m, v, x| vec![m.exp(x[0][0], v.number("segments"))]),
    unit("float_from_integer", &["a"], |m, v, x| {
        let (bits, a) = (v.number("bits"), x[0][0]);
        let signed = i64::from((a as i32) << (32 - bits) >> (32 - bits));
        vec![m.from_integer(if v.flag("signed") { signed } else { a.into() })]
    }),
    unit("float_to_integer", &["a"], |m, v, x| {
        let bits = v.number("bits");
        vec![(m.to_integer(x[0][0], bits, v.flag("signed")) & ((1 << bits) - 1)) as u32]
    }),
    unit("float_convert", &["a"], |m, v, x| {
        vec![m.convert(x[0][0], Model { exp: v.number("to_exp"), frac: v.number("to_frac"), flush: m.flush })]
    }),
];

/// The driver of a number unit; `None` for other blocks.
pub fn driver(name: &str, block_name: &str, v: &Values) -> Option<Driver> {
    let kind = KINDS.iter().find(|kind| kind.block == block_name)?;
    let block = block(block_name)?;
    let design = (block.build)(name, v).unwrap_or_else(|errors| panic!("{errors}"));
    let has = |name: &str| block.parameters.iter().any(|parameter| parameter.name == name);
    let flush = has("subnormals") && v.choice("subnormals") == "flush";
    let model = Model { exp: v.number("exp"), frac: v.number("frac"), flush };
    let lanes = if has("lanes") { v.number("lanes") } else { 1 };
    let unit = Unit { design: design.clone(), kind, values: v.clone(), model, lanes };
    Some(Driver::new(name, design, move |engine, effort| {
        unit.reset_forgets(engine)?;
        unit.stream(engine, effort)
    }))
}

/// A dot product of two numbers: what of the units of vectors is quick to synthesize.
pub fn dot_of_two() -> Driver {
    of_two("dot_2", "float_dot", 8)
}

/// The adder tree of that dot product by itself.
pub fn tree_of_two() -> Driver {
    of_two("tree_2", "float_tree", 4)
}

fn of_two(name: &str, block_name: &str, latency: u32) -> Driver {
    use hw::catalogue::Value::Number;
    let given =
        [("exp", 5), ("frac", 10), ("lanes", 2), ("latency", latency.into())].map(|(name, n)| (name, Number(n)));
    let values = block(block_name).map(|block| block.resolve(given)).expect("a block").expect("legal parameters");
    driver(name, block_name, &values).expect("it has a driver")
}

struct Unit {
    design: Design<()>,
    kind: &'static Kind,
    values: Values,
    model: Model,
    /// Numbers of a vector; 1 for units of numbers.
    lanes: u32,
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

    /// How many operands a run takes: all that there are for one operand of up to 16 bits.
    fn count(&self, width: u32, effort: Effort) -> u64 {
        match (self.kind.inputs, self.lanes) {
            ([_], 1) if width <= 16 => 1 << width,
            (_, 1) if effort.long => 10_000_000,
            (_, 1) => 60_000,
            (_, lanes) if effort.long => 4_000_000 / u64::from(lanes),
            (_, lanes) => 60_000 / u64::from(lanes),
        }
    }

    /// Operands number `index`, for inputs of so many bits.
    fn operands(&self, index: u64, width: u32) -> Operands {
        let ports = self.kind.inputs.len();
        match (ports, self.lanes) {
            (1, 1) => vec![vec![(index & ((1 << width) - 1)) as u32]],
            (2, 1) => pair(self.model, index).map(|x| vec![x]).to_vec(),
            (_, 1) => triple(self.model, index).map(|x| vec![x]).to_vec(),
            (_, lanes) => {
                let mut rng = Rng::with_seed(index);
                (0..ports).map(|_| (0..lanes).map(|_| self.summand(&mut rng)).collect()).collect()
            }
        }
    }

    /// Magnitudes near one, so that sums neither overflow nor lose all but one summand; now and then anything.
    fn summand(&self, rng: &mut Rng) -> u32 {
        let m = self.model;
        let exponent = (1 << (m.exp - 1)) - 4 + rng.u32(0..5);
        match rng.u32(0..40) {
            0 => rng.u32(..) >> (32 - m.width()),
            _ => m.zero(rng.bool()) | exponent << m.frac | rng.u32(..) & ((1 << m.frac) - 1),
        }
    }

    /// Feeds operands, one tuple a cycle with gaps, and compares the results as they come with their valid bits.
    fn stream(&self, engine: &mut dyn Engine, effort: Effort) -> Result<(), String> {
        let port = |name: &&str| engine.port(name).ok_or_else(|| format!("no port `{name}`"));
        let (valid, out) = (port(&"in_valid")?, port(&"out_valid")?);
        let inputs: Vec<usize> = self.kind.inputs.iter().map(port).collect::<Result<_, _>>()?;
        let outputs: Vec<usize> = self.kind.outputs.iter().map(port).collect::<Result<_, _>>()?;
        let width = engine.ports()[inputs[0]].width / self.lanes;
        let mut rng = Rng::with_seed(effort.seed);
        let mut waiting = VecDeque::from(vec![None; self.latency()]);
        let count = self.count(width, effort);
        let start = effort.seed.wrapping_sub(1) * count;
        let mut index = start;
        while index < start + count || waiting.iter().any(Option::is_some) {
            // without valid, the operands are anything
            let given = index < start + count && rng.u8(0..16) != 0;
            let operands = self.operands(index, width);
            engine.poke(valid, given.into());
            for (input, lanes) in inputs.iter().zip(&operands) {
                let packed = lanes.iter().rev().fold(BigUint::ZERO, |bits, x| (bits << width) | BigUint::from(*x));
                engine.poke_big(*input, &packed);
            }
            index += u64::from(given);
            waiting.push_back(given.then_some(operands));
            let due = waiting.pop_front().flatten();
            if engine.peek(out) != u64::from(due.is_some()) {
                return Err(format!("out_valid is not {}", due.is_some()));
            }
            if let Some(x) = due {
                let want = (self.kind.results)(self.model, &self.values, &x);
                self.compare(engine, &outputs, &x, &want)?;
            }
            if self.latency() > 0 {
                engine.step();
            }
        }
        Ok(())
    }

    fn compare(&self, engine: &mut dyn Engine, ports: &[usize], x: &Operands, want: &[u32]) -> Result<(), String> {
        for ((port, want), name) in ports.iter().zip(want).zip(self.kind.outputs) {
            let got = engine.peek(*port);
            if got != u64::from(*want) {
                return Err(format!("{x:x?} gives {name} = {got:#x}, not {want:#x}"));
            }
        }
        Ok(())
    }
}
