//! The number units against their bit-exact models.

use super::float_stream::FloatStream;
use super::{Driver, Effort};
use hdl::engine::Engine;
use hw::catalogue::{Values, block};
use sim::golden::float::Model;
use sim::golden::float::stimuli::{pair, triple, vector};

/// The results that operands have, one for each output; vectors come one behind the other.
type Function = fn(Model, &Values, &[u32]) -> Vec<u32>;

/// The blocks with the ports `in_valid`, operands, `out_valid` and results.
const KINDS: [(&str, Function); 14] = [
    ("float_add", |m, _, x| vec![m.add(x[0], x[1])]),
    ("float_multiply", |m, _, x| vec![m.multiply(x[0], x[1])]),
    ("float_multiply_add", |m, _, x| vec![m.multiply_add(x[0], x[1], x[2])]),
    ("float_compare", |m, _, x| m.compare(x[0], x[1]).results().to_vec()),
    ("float_tree", |m, _, x| vec![m.tree(x)]),
    ("float_dot", |m, _, x| vec![m.dot(&x[..x.len() / 2], &x[x.len() / 2..])]),
    ("float_divide", |m, _, x| vec![m.divide(x[0], x[1])]),
    ("float_recip", |m, _, x| vec![m.recip(x[0])]),
    ("float_sqrt", |m, _, x| vec![m.sqrt(x[0])]),
    ("float_rsqrt", |m, v, x| vec![m.rsqrt(x[0], v.number("segments"))]),
    ("float_exp", |m, v, x| vec![m.exp(x[0], v.number("segments"))]),
    ("float_from_integer", |m, v, x| {
        let (bits, a) = (v.number("bits"), x[0]);
        let signed = i64::from((a as i32) << (32 - bits) >> (32 - bits));
        vec![m.from_integer(if v.flag("signed") { signed } else { a.into() })]
    }),
    ("float_to_integer", |m, v, x| {
        let bits = v.number("bits");
        vec![(m.to_integer(x[0], bits, v.flag("signed")) & ((1 << bits) - 1)) as u32]
    }),
    ("float_convert", |m, v, x| {
        vec![m.convert(x[0], Model { exp: v.number("to_exp"), frac: v.number("to_frac"), flush: m.flush })]
    }),
];

/// The driver of a number unit; `None` for other blocks.
pub fn driver(name: &str, block_name: &str, v: &Values) -> Option<Driver> {
    let (_, results) = KINDS.into_iter().find(|(name, _)| *name == block_name)?;
    let block = block(block_name)?;
    let design = (block.build)(name, v).unwrap_or_else(|errors| panic!("{errors}"));
    let has = |name: &str| block.parameters.iter().any(|parameter| parameter.name == name);
    let flush = has("subnormals") && v.choice("subnormals") == "flush";
    let model = Model { exp: v.number("exp"), frac: v.number("frac"), flush };
    let lanes = if has("lanes") { v.number("lanes") } else { 1 };
    let unit = Unit { stream: FloatStream::new(&design, lanes), results, values: v.clone(), model, lanes };
    Some(Driver::new(name, design, move |engine, effort| unit.test(engine, effort)))
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
    stream: FloatStream,
    results: Function,
    values: Values,
    model: Model,
    /// Numbers of a vector; 1 for units of numbers.
    lanes: u32,
}

impl Unit {
    fn test(&self, engine: &mut dyn Engine, effort: Effort) -> Result<(), String> {
        self.stream.reset_forgets(engine)?;
        let count = self.count(effort);
        let start = effort.seed.wrapping_sub(1) * count;
        let tuples = (start..start + count).map(|index| self.tuple(index));
        self.stream.run(engine, effort.seed, tuples, |x| (self.results)(self.model, &self.values, x))
    }

    /// How many tuples a run takes: all that there are for one operand of up to 16 bits, and the first again, 0 behind the others.
    fn count(&self, effort: Effort) -> u64 {
        let width = self.stream.width();
        match (self.stream.operands(), self.lanes) {
            (1, 1) if width <= 16 => (1 << width) + 1,
            (_, 1) if effort.long => 10_000_000,
            (_, 1) => 100_000,
            (_, lanes) if effort.long => 4_000_000 / u64::from(lanes),
            (_, lanes) => 60_000 / u64::from(lanes),
        }
    }

    /// Operands number `index`.
    fn tuple(&self, index: u64) -> Vec<u32> {
        let operands = self.stream.operands();
        match (operands, self.lanes) {
            (1, 1) => vec![(index & ((1 << self.stream.width()) - 1)) as u32],
            (2, 1) => pair(self.model, index).to_vec(),
            (_, 1) => triple(self.model, index).to_vec(),
            (_, lanes) => vector(self.model, operands as u32 * lanes, index),
        }
    }
}
