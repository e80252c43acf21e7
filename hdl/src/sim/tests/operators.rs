//! Every operator against arithmetic on big numbers, with signals and with constants as operands.

use super::build::{Build, Random};
use crate::bus::run_seed;
use crate::ir::{BinOp, Id, Op, UnOp};
use num_bigint::BigUint;

const WIDTHS: [u32; 8] = [1, 7, 32, 63, 64, 65, 128, 200];

fn pow2(n: u32) -> BigUint {
    BigUint::from(1u8) << n
}
fn ones(n: u32) -> BigUint {
    pow2(n) - 1u8
}
fn negative(a: &BigUint, width: u32) -> bool {
    a.bit(u64::from(width) - 1)
}
/// Sign-extended to `to` bits.
fn extend(a: &BigUint, from: u32, to: u32) -> BigUint {
    if negative(a, from) { a + (pow2(to) - pow2(from)) } else { a.clone() }
}

/// An independent definition of each operator: signed ones by extension, comparison by moving the sign bit.
fn expected(op: BinOp, a: &BigUint, b: &BigUint, w: u32) -> BigUint {
    use BinOp::*;
    let flip = |x: &BigUint| x ^ pow2(w - 1);
    let small = u32::try_from(b).unwrap_or(u32::MAX).min(w);
    match op {
        Add => (a + b) % pow2(w),
        Sub => (a + pow2(w) - b) % pow2(w),
        And => a & b,
        Or => a | b,
        Xor => a ^ b,
        Mul => a * b,
        MulSigned => (extend(a, w, 2 * w) * extend(b, w, 2 * w)) % pow2(2 * w),
        Eq => (a == b).into(),
        Ne => (a != b).into(),
        Lt => (a < b).into(),
        Le => (a <= b).into(),
        Gt => (a > b).into(),
        Ge => (a >= b).into(),
        LtSigned => (flip(a) < flip(b)).into(),
        LeSigned => (flip(a) <= flip(b)).into(),
        GtSigned => (flip(a) > flip(b)).into(),
        GeSigned => (flip(a) >= flip(b)).into(),
        Shl => (a << small) % pow2(w),
        Shr => a >> small,
        Sra => (extend(a, w, 2 * w) >> small) % pow2(w),
    }
}

const BINARY: [BinOp; 20] = {
    use BinOp::*;
    [
        Add, Sub, And, Or, Xor, Mul, MulSigned, Eq, Ne, Lt, Le, Gt, Ge, LtSigned, LeSigned, GtSigned, GeSigned, Shl,
        Shr, Sra,
    ]
};

#[test]
fn binary_operators() {
    for width in WIDTHS {
        let mut m = Build::new("binary");
        let (a, b) = (m.input("a", width), m.input("b", width));
        for op in BINARY {
            let y = m.bin(op, a, b);
            m.output("y", y);
        }
        let (mut sim, mut random) = (m.simulate(), Random(run_seed(1 + u64::from(width))));
        for round in 0..300 {
            let x = random.bits(width);
            let y = if round % 5 == 0 { x.clone() } else { random.bits(width) };
            // Small shift amounts are rare among random numbers.
            let y = if round % 3 == 0 { y % (2 * width) } else { y } % pow2(width);
            sim.poke_big(0, &x);
            sim.poke_big(1, &y);
            for (i, op) in BINARY.into_iter().enumerate() {
                assert_eq!(sim.peek_big(2 + i), expected(op, &x, &y, width), "{x:#x} {op:?} {y:#x}, {width} bits");
            }
        }
    }
}

/// Folding and identities: each operand in turn is a constant, or both are, or both are the same signal.
#[test]
fn binary_operators_of_constants() {
    let mut random = Random(run_seed(77));
    for width in WIDTHS {
        for _ in 0..12 {
            let (x, y) = (random.bits(width), random.bits(width));
            let mut m = Build::new("constants");
            let (a, b) = (m.input("a", width), m.input("b", width));
            let (ka, kb) = (m.lit(x.clone(), width), m.lit(y.clone(), width));
            let pairs = [(a, kb, &x, &y), (ka, b, &x, &y), (ka, kb, &x, &y), (a, a, &x, &x)];
            for op in BINARY {
                for (p, q, _, _) in pairs {
                    let v = m.bin(op, p, q);
                    m.output("y", v);
                }
            }
            let mut sim = m.simulate();
            sim.poke_big(0, &x);
            sim.poke_big(1, &y);
            let mut port = 2;
            for op in BINARY {
                for (i, (_, _, p, q)) in pairs.into_iter().enumerate() {
                    let want = expected(op, p, q, width);
                    assert_eq!(sim.peek_big(port), want, "{p:#x} {op:?} {q:#x}, {width} bits, pair {i}");
                    port += 1;
                }
            }
        }
    }
}

#[test]
fn products_of_unequal_widths() {
    let mut random = Random(run_seed(5));
    for wa in WIDTHS {
        for wb in WIDTHS {
            let mut m = Build::new("products");
            let (a, b) = (m.input("a", wa), m.input("b", wb));
            let (p, q) = (m.bin(BinOp::Mul, a, b), m.bin(BinOp::MulSigned, a, b));
            m.output("p", p);
            m.output("q", q);
            let mut sim = m.simulate();
            for _ in 0..50 {
                let (x, y) = (random.bits(wa), random.bits(wb));
                sim.poke_big(0, &x);
                sim.poke_big(1, &y);
                let signed = extend(&x, wa, wa + wb) * extend(&y, wb, wa + wb) % pow2(wa + wb);
                assert_eq!(sim.peek_big(2), &x * &y, "{x:#x} * {y:#x}");
                assert_eq!(sim.peek_big(3), signed, "{x:#x} * {y:#x} signed, {wa} and {wb} bits");
            }
        }
    }
}

#[test]
fn shifts_by_narrow_and_wide_amounts() {
    let mut random = Random(run_seed(6));
    for width in WIDTHS {
        for amount in [3, 8, 33, 70] {
            let mut m = Build::new("shifts");
            let (a, b) = (m.input("a", width), m.input("b", amount));
            for op in [BinOp::Shl, BinOp::Shr, BinOp::Sra] {
                let y = m.bin(op, a, b);
                m.output("y", y);
            }
            let mut sim = m.simulate();
            for _ in 0..100 {
                let (x, y) = (random.bits(width), random.bits(amount));
                let y = if random.below(2) == 0 { y % (width + 2) } else { y } % pow2(amount);
                sim.poke_big(0, &x);
                sim.poke_big(1, &y);
                for (i, op) in [BinOp::Shl, BinOp::Shr, BinOp::Sra].into_iter().enumerate() {
                    assert_eq!(sim.peek_big(2 + i), expected(op, &x, &y, width), "{x:#x} {op:?} {y}, {width} bits");
                }
            }
        }
    }
}

#[test]
fn unary_operators_and_multiplexers() {
    for width in WIDTHS {
        let mut m = Build::new("unary");
        let (a, b, c) = (m.input("a", width), m.input("b", width), m.input("c", 1));
        for (op, w) in [(UnOp::Not, width), (UnOp::Any, 1), (UnOp::All, 1), (UnOp::Parity, 1)] {
            let y = m.node(Op::Un(op, a), w);
            m.output("y", y);
        }
        let nc = m.node(Op::Un(UnOp::Not, c), 1);
        let y = m.node(Op::Mux(c, a, b), width);
        let z = m.node(Op::Mux(nc, a, b), width);
        m.output("y", y);
        m.output("z", z);
        let (mut sim, mut random) = (m.simulate(), Random(run_seed(9)));
        for i in 0..200u64 {
            let (x, y) = (random.bits(width), random.bits(width));
            sim.poke_big(0, &x);
            sim.poke_big(1, &y);
            sim.poke(2, i % 2);
            assert_eq!(sim.peek_big(3), ones(width) - &x);
            assert_eq!(sim.peek(4) == 1, x != BigUint::ZERO);
            assert_eq!(sim.peek(5) == 1, x == ones(width));
            assert_eq!(sim.peek(6), x.count_ones() % 2);
            let (yes, no) = if i % 2 == 1 { (x, y) } else { (y, x) };
            assert_eq!(sim.peek_big(7), yes);
            assert_eq!(sim.peek_big(8), no);
        }
    }
}

#[test]
fn slices_parts_and_repetitions() {
    let mut random = Random(run_seed(10));
    for width in WIDTHS {
        let mut m = Build::new("slices");
        let (a, at) = (m.input("a", width), m.input("at", 9));
        let mut want: Vec<(u32, u32)> = vec![];
        for _ in 0..20 {
            let lo = random.below(u64::from(width)) as u32;
            let w = 1 + random.below(u64::from(width - lo)) as u32;
            want.push((lo, w));
            let (s, p) = (m.node(Op::Slice(a, lo), w), m.node(Op::Part(a, at), w));
            m.output("s", s);
            m.output("p", p);
        }
        let r = m.node(Op::Repeat(a, 3), 3 * width);
        m.output("r", r);
        let mut sim = m.simulate();
        for _ in 0..50 {
            let (x, from) = (random.bits(width), random.below(300) as u32);
            sim.poke_big(0, &x);
            sim.poke(1, from.into());
            for (i, (lo, w)) in want.iter().enumerate() {
                assert_eq!(sim.peek_big(2 + 2 * i), (&x >> lo) & ones(*w), "{x:#x}, {w} bits from {lo}");
                assert_eq!(sim.peek_big(3 + 2 * i), (&x >> from) & ones(*w), "{x:#x}, {w} bits from signal {from}");
            }
            assert_eq!(sim.peek_big(42), (&x << (2 * width)) | (&x << width) | &x);
        }
    }
}

/// All pairs of slices of one value: only neighbours in the right order may be joined.
#[test]
fn concatenations_of_slices() {
    let width = 6;
    let mut m = Build::new("pairs");
    let a = m.input("a", width);
    let slices: Vec<(u32, u32)> = (0..width).flat_map(|lo| (1..=width - lo).map(move |w| (lo, w))).collect();
    for &(h, wh) in &slices {
        for &(l, wl) in &slices {
            let (high, low) = (m.node(Op::Slice(a, h), wh), m.node(Op::Slice(a, l), wl));
            let both = m.node(Op::Cat(vec![high, low]), wh + wl);
            m.output("o", both);
        }
    }
    let mut sim = m.simulate();
    for x in 0..1 << width {
        sim.poke(0, x);
        let bits = |lo: u32, w: u32| x >> lo & ((1 << w) - 1);
        let pairs = slices.iter().flat_map(|high| slices.iter().map(move |low| (high, low)));
        for (i, (&(h, wh), &(l, wl))) in pairs.enumerate() {
            assert_eq!(sim.peek(1 + i), bits(h, wh) << wl | bits(l, wl), "{wh} bits from {h}, {wl} from {l} of {x:#b}");
        }
    }
}

/// Random trees of concatenations, slices and sign extensions: here the rewriting is densest.
#[test]
fn random_wiring() {
    for round in 1..150 {
        let seed = run_seed(round);
        let mut random = Random(seed);
        let mut m = Build::new("wiring");
        let mut nodes: Vec<(Id, u32)> = [5, 40, 64, 90].map(|w| (m.input("i", w), w)).to_vec();
        let k = random.bits(9);
        nodes.push((m.lit(k.clone(), 9), 9));
        let mut recipe: Vec<(Op, u32)> = vec![];
        for _ in 0..40 {
            let mut pick = || nodes[random.below(nodes.len() as u64) as usize];
            let (a, b, c) = (pick(), pick(), pick());
            let lo = random.below(u64::from(a.1)) as u32;
            let (op, width) = match random.below(4) {
                0 => (Op::Slice(a.0, lo), 1 + random.below(u64::from(a.1 - lo)) as u32),
                1 => (Op::Cat(vec![a.0, b.0]), a.1 + b.1),
                2 => (Op::Cat(vec![a.0, b.0, c.0]), a.1 + b.1 + c.1),
                _ => (Op::Slice(a.0, a.1 - 1), 1),
            };
            if width > 300 {
                continue;
            }
            recipe.push((op.clone(), width));
            let mut id = m.node(op, width);
            nodes.push((id, width));
            if width == 1 {
                // A sign extension of the node that the bit came from, as the language writes it.
                let copies = m.node(Op::Repeat(id, 30), 30);
                id = m.node(Op::Cat(vec![copies, a.0]), 30 + a.1);
                recipe.push((Op::Repeat(nodes[nodes.len() - 1].0, 30), 30));
                recipe.push((Op::Cat(vec![copies, a.0]), 30 + a.1));
                nodes.push((copies, 30));
                nodes.push((id, 30 + a.1));
            }
        }
        let first = 5;
        let outputs: Vec<Id> = (first..nodes.len()).map(|i| m.output("o", nodes[i].0)).collect();
        let mut sim = m.simulate();
        let mut values: Vec<BigUint> = [5, 40, 64, 90].map(|w| random.bits(w)).to_vec();
        (0..4).for_each(|i| sim.poke_big(i, &values[i]));
        values.push(k);
        for (i, (op, width)) in recipe.iter().enumerate() {
            let get = |id: &Id| &values[nodes.iter().position(|(n, _)| n == id).expect("a node")];
            let bits = |id: &Id| nodes.iter().find(|(n, _)| n == id).expect("a node").1;
            let value = match op {
                Op::Slice(a, lo) => (get(a) >> lo) & ones(*width),
                Op::Repeat(a, n) => (0..*n).fold(BigUint::ZERO, |v, _| (v << bits(a)) | get(a)),
                Op::Cat(parts) => parts.iter().fold(BigUint::ZERO, |v, p| (v << bits(p)) | get(p)),
                _ => unreachable!(),
            };
            assert_eq!(sim.peek_big(4 + i), value, "seed {seed}, {op:?}");
            values.push(value);
        }
        assert_eq!(outputs.len(), recipe.len());
    }
}
