//! Random expressions of every operator, up to 200 bits wide: the built-in simulator, Verilator, Verilator on the netlist that
//! Yosys emits, and a model on big numbers, which is evaluated while the expression is built.

use super::Others;
use super::random::{NoPorts, Random, mask, module_text, one};
use crate::yosys;
use ::sim::verilator::{Model, verilog_with_models};
use hdl::engine::Engine;
use hdl::sim::Simulator;
use hdl::*;

/// Stimuli per module.
const CASES: usize = 24;
/// Widest expression.
const WIDEST: u32 = 200;
/// Widths of the inputs that all modules share.
const INPUTS: [u32; 6] = [1, 5, 8, 33, 64, 150];

/// A signal with its value in every case.
type Pair = (Signal, Vec<BigUint>);

fn map(a: &[BigUint], f: impl Fn(&BigUint) -> BigUint) -> Vec<BigUint> {
    a.iter().map(f).collect()
}
fn zip(a: &[BigUint], b: &[BigUint], f: impl Fn(&BigUint, &BigUint) -> BigUint) -> Vec<BigUint> {
    a.iter().zip(b).map(|(a, b)| f(a, b)).collect()
}
/// Shift amounts beyond this shift everything out.
fn small(v: &BigUint) -> u32 {
    u32::try_from(v).unwrap_or(1000).min(1000)
}
/// Two's complement numbers in the order of unsigned ones.
fn order(v: &BigUint, w: u32) -> BigUint {
    v ^ (one() << (w - 1))
}
fn sext(v: &BigUint, w: u32, to: u32) -> BigUint {
    if v.bit(u64::from(w) - 1) { v | (mask(to) - mask(w)) } else { v.clone() }
}
fn sra(v: &BigUint, by: u32, w: u32) -> BigUint {
    (sext(v, w, w + by) >> by) & mask(w)
}
fn bits_of(v: &BigUint, lo: u32, w: u32) -> BigUint {
    (v >> lo) & mask(w)
}

/// Makes `p` exactly `w` bits wide.
fn fit((s, v): Pair, w: u32, r: &mut Random) -> Pair {
    match s.width() {
        n if n == w => (s, v),
        n if n > w => match r.below(3) {
            0 => (s.trunc(w), map(&v, |v| bits_of(v, 0, w))),
            1 => (s.drop_low(n - w), map(&v, |v| v >> (n - w))),
            _ => {
                let lo = r.below(n - w + 1);
                (s.bits(lo + w - 1, lo), map(&v, |v| bits_of(v, lo, w)))
            }
        },
        n if r.below(2) == 0 => (s.sext(w), map(&v, |v| sext(v, n, w))),
        _ => (s.zext(w), v),
    }
}

fn comparison(r: &mut Random, a: &Pair, b: &Pair) -> Pair {
    let w = a.0.width();
    let flag = |f: &dyn Fn(&BigUint, &BigUint) -> bool| zip(&a.1, &b.1, |x, y| BigUint::from(f(x, y)));
    let signed = |f: &dyn Fn(&BigUint, &BigUint) -> bool| flag(&|x, y| f(&order(x, w), &order(y, w)));
    match r.below(10) {
        0 => (a.0.eq(b.0), flag(&|x, y| x == y)),
        1 => (a.0.ne(b.0), flag(&|x, y| x != y)),
        2 => (a.0.lt(b.0), flag(&|x, y| x < y)),
        3 => (a.0.le(b.0), flag(&|x, y| x <= y)),
        4 => (a.0.gt(b.0), flag(&|x, y| x > y)),
        5 => (a.0.ge(b.0), flag(&|x, y| x >= y)),
        6 => (a.0.lt_signed(b.0), signed(&|x, y| x < y)),
        7 => (a.0.le_signed(b.0), signed(&|x, y| x <= y)),
        8 => (a.0.gt_signed(b.0), signed(&|x, y| x > y)),
        _ => (a.0.ge_signed(b.0), signed(&|x, y| x >= y)),
    }
}

fn arithmetic(r: &mut Random, a: &Pair, b: &Pair) -> Pair {
    let w = a.0.width();
    match r.below(8) {
        0 => (a.0 + b.0, zip(&a.1, &b.1, |x, y| (x + y) & mask(w))),
        1 => (a.0 - b.0, zip(&a.1, &b.1, |x, y| (x + (one() << w) - y) & mask(w))),
        2 => (a.0 & b.0, zip(&a.1, &b.1, |x, y| x & y)),
        3 => (a.0 | b.0, zip(&a.1, &b.1, |x, y| x | y)),
        4 => (a.0 ^ b.0, zip(&a.1, &b.1, |x, y| x ^ y)),
        5 => (!a.0, map(&a.1, |x| x ^ mask(w))),
        6 => (a.0 + 1, map(&a.1, |x| (x + 1u32) & mask(w))),
        _ => (a.0 - 1, map(&a.1, |x| (x + mask(w)) & mask(w))),
    }
}

/// Products take operands of any two widths.
fn product(r: &mut Random, a: &Pair, b: &Pair) -> Pair {
    let (wa, wb) = (a.0.width().min(70), b.0.width().min(30 + r.below(60)));
    let (a, b) = (fit(a.clone(), wa, r), fit(b.clone(), wb, r));
    let w = wa + wb;
    match r.below(2) {
        0 => (a.0 * b.0, zip(&a.1, &b.1, |x, y| x * y)),
        _ => (a.0.mul_signed(b.0), zip(&a.1, &b.1, |x, y| (sext(x, wa, w) * sext(y, wb, w)) & mask(w))),
    }
}

fn shift(r: &mut Random, a: &Pair, amount: Pair) -> Pair {
    let w = a.0.width();
    let n = r.below(w + 3);
    let by = amount.1;
    match r.below(5) {
        0 => (a.0 << amount.0, zip(&a.1, &by, |x, s| (x << small(s)) & mask(w))),
        1 => (a.0 >> amount.0, zip(&a.1, &by, |x, s| x >> small(s))),
        2 => (a.0.sra(amount.0), zip(&a.1, &by, |x, s| sra(x, small(s), w))),
        3 => (a.0 << n, map(&a.1, |x| (x << n) & mask(w))),
        _ => (a.0 >> n, map(&a.1, |x| x >> n)),
    }
}

/// Reductions, repetitions, lanes and dynamic parts.
fn wiring(r: &mut Random, a: &Pair, index: Pair) -> Pair {
    let w = a.0.width();
    match r.below(7) {
        0 => (a.0.any(), map(&a.1, |x| BigUint::from(x.bits() > 0))),
        1 => (a.0.all(), map(&a.1, |x| BigUint::from(*x == mask(w)))),
        2 => (a.0.parity(), map(&a.1, |x| BigUint::from(x.count_ones() % 2))),
        3 if w <= WIDEST / 3 => (a.0.repeat(3), map(&a.1, |x| (x << (2 * w)) | (x << w) | x)),
        4 if w.is_multiple_of(4) => {
            let n = r.below(w / 4);
            (a.0.lanes(4)[n as usize], map(&a.1, |x| bits_of(x, 4 * n, 4)))
        }
        5 if w >= 4 => {
            // an index that cannot reach past the end: the high half of the address is zero
            let wide = clog2(w as usize);
            let used = wide - 1;
            let (i, at) = fit(index, used.max(1), r);
            let i = if used == 0 { i.zeros(wide) } else { i.zeros(wide - used).cat(i) };
            let n = 1 + r.below(w - (1 << used) + 1);
            (a.0.part(i, n), zip(&a.1, &at, |x, at| bits_of(x, small(at), n)))
        }
        _ => (a.0.named("named"), a.1.clone()),
    }
}

fn step(r: &mut Random, pool: &[Pair]) -> Pair {
    let pick = |r: &mut Random| pool[r.below(pool.len() as u32) as usize].clone();
    let (a, b, c) = (pick(r), pick(r), pick(r));
    let w = a.0.width();
    let other = fit(b.clone(), w, r);
    match r.below(12) {
        0..=2 => arithmetic(r, &a, &other),
        3 | 4 => comparison(r, &a, &other),
        5 => product(r, &a, &b),
        6 | 7 => {
            let amount = 1 + r.below(9);
            let c = if r.below(8) == 0 { c } else { fit(c, amount, r) };
            shift(r, &a, c)
        }
        8 => {
            let c = fit(c, 1, r);
            let v = (0..CASES).map(|i| if c.1[i] == one() { &a.1[i] } else { &other.1[i] }).cloned().collect();
            (c.0.mux(a.0, other.0), v)
        }
        9 if w + b.0.width() <= WIDEST => {
            let low = b.0.width();
            (cat(&[a.0, b.0]), zip(&a.1, &b.1, |x, y| (x << low) | y))
        }
        10 => {
            let value = r.bits(w);
            (a.0.literal(value.clone()), vec![value; CASES])
        }
        _ => wiring(r, &a, c),
    }
}

ports! {
    struct UnitPorts(width: u32) {
        input i0: Signal = bits(INPUTS[0]),
        input i1: Signal = bits(INPUTS[1]),
        input i2: Signal = bits(INPUTS[2]),
        input i3: Signal = bits(INPUTS[3]),
        input i4: Signal = bits(INPUTS[4]),
        input i5: Signal = bits(INPUTS[5]),
        output y: Signal = bits(width),
    }
}

impl UnitPorts {
    fn inputs(&self) -> [Signal; 6] {
        [self.i0, self.i1, self.i2, self.i3, self.i4, self.i5]
    }
}

/// A module of random expressions; the last ones are its output, all in one.
fn unit(name: &str, seed: u64, stimuli: &[Vec<BigUint>]) -> (Design<UnitPorts>, Vec<BigUint>) {
    // the width of the output is known only after the expressions: they are made twice
    let build = |width: Option<u32>| {
        let r = &mut Random::new(seed);
        let m = Module::new(name);
        let io = UnitPorts::new(m, width.unwrap_or(1));
        io.inputs().into_iter().for_each(Signal::unused);
        let values = |i: usize| stimuli.iter().map(|s| s[i].clone()).collect();
        let mut pool: Vec<Pair> = io.inputs().into_iter().enumerate().map(|(i, s)| (s, values(i))).collect();
        for _ in 0..40 {
            let pair = step(r, &pool);
            // large ones would crowd out the rest
            let wide = pair.0.width() > WIDEST;
            pool.push(if wide { fit(pair, WIDEST, r) } else { pair });
        }
        let last: Vec<Pair> = pool.split_off(pool.len() - 14);
        let all = cat(&last.iter().map(|p| p.0).collect::<Vec<_>>());
        let join = |case: usize| last.iter().fold(BigUint::ZERO, |v, p| (v << p.0.width()) | &p.1[case]);
        if width.is_some() {
            io.y.set(all);
        } else {
            io.y.set(0);
        }
        (m.finish(io).unwrap_or_else(|e| panic!("seed {seed}\n{e}")), (0..CASES).map(join).collect(), all.width())
    };
    let (_, _, width) = build(None);
    let (design, values, _) = build(Some(width));
    (design, values)
}

/// Runs `count` modules, all in one model, on every engine; with `others` as far as they are there. An error says
/// which engine differs where, and shows the module.
pub fn batch(seed: u64, count: u64, others: Others) -> Result<(), String> {
    let mut r = Random::new(seed);
    let stimuli: Vec<Vec<BigUint>> = (0..CASES).map(|_| INPUTS.map(|w| r.bits(w)).to_vec()).collect();
    let top = Module::new("fuzz_expressions");
    let inputs: Vec<Signal> =
        INPUTS.iter().enumerate().map(|(i, w)| top.port(&format!("i{i}"), "", true, bits(*w))).collect();
    let mut expected = vec![];
    for k in 0..count {
        let (design, values) = unit(&format!("unit_{k}"), seed.wrapping_mul(1000) + k, &stimuli);
        let instance = top.instance(&design);
        instance.inputs().iter().zip(&inputs).for_each(|(pin, input)| pin.set(*input));
        let y = top.port(&format!("y{k}"), "", false, bits(instance.y.width()));
        y.set(instance.y);
        expected.push(values);
    }
    let design = top.finish(NoPorts).map_err(|e| format!("seed {seed}\n{e}"))?;
    let verilog = verilog_with_models(&design, Reset::default());
    let mut engines: Vec<(&str, Box<dyn Engine>)> =
        vec![("simulator", Box::new(Simulator::new(&design))), ("machine code", Box::new(jit::compiled(&design)))];
    if others.verilator() {
        let start = |text: &str| Model::quick(text, &design, Reset::default()).map_err(|e| format!("seed {seed}\n{e}"));
        engines.push(("verilator", Box::new(start(&verilog)?)));
        if let Some(netlist) = others.netlist() {
            let netlist = yosys::reemit(&verilog, design.name(), netlist)?;
            engines.push(("netlist", Box::new(start(&netlist)?)));
        }
    }
    for (name, engine) in &mut engines {
        for (case, stimulus) in stimuli.iter().enumerate() {
            stimulus.iter().enumerate().for_each(|(i, v)| engine.poke_big(i, v));
            for (k, values) in expected.iter().enumerate() {
                let differ = engine.peek_big(INPUTS.len() + k) ^ &values[case];
                if differ != BigUint::ZERO {
                    let text = module_text(&verilog, &format!("unit_{k}"));
                    return Err(format!(
                        "seed {seed}, {name}, case {case}, unit_{k}: bits {differ:x} of y differ\n{text}"
                    ));
                }
            }
        }
    }
    Ok(())
}
