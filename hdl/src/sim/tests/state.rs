//! Statements, registers, hierarchy, clocks.

use super::build::{Build, ByName, Random, domain, set};
use crate::bus::run_seed;
use crate::engine::{Engine, PowerUp};
use crate::ir::*;
use num_bigint::BigUint;
use std::panic::{AssertUnwindSafe, catch_unwind};

#[test]
fn later_statements_win_and_cases_take_the_first_arm() {
    let mut m = Build::new("statements");
    let (c, s) = (m.input("c", 1), m.input("s", 2));
    let k: Vec<Id> = (0..8u8).map(|v| m.lit(v, 8)).collect();
    let s_is: Vec<Id> = (0..4u8).map(|v| m.lit(v, 2)).collect();
    let w = m.wire("w", 8);
    m.set(w, k[0]);
    m.0.stmts.push(Stmt::If {
        cond: c,
        then: vec![set(w, Place::Whole, k[1])],
        otherwise: vec![Stmt::Case {
            selector: s,
            arms: vec![
                (vec![s_is[1]], vec![set(w, Place::Whole, k[2])]),
                (vec![s_is[1], s_is[2]], vec![set(w, Place::Whole, k[3])]),
                (vec![s_is[3]], vec![]),
            ],
            default: None,
            rest: vec![],
        }],
    });
    m.output("y", w);
    let v = m.wire("v", 8);
    m.0.stmts.push(Stmt::If { cond: c, then: vec![set(v, Place::Whole, k[4])], otherwise: vec![] });
    m.set(v, k[5]);
    m.output("z", v);
    let mut sim = m.simulate();
    for (c, s, y) in [(1, 1, 1), (0, 0, 0), (0, 1, 2), (0, 2, 3), (0, 3, 0)] {
        sim.put("c", c);
        sim.put("s", s);
        assert_eq!((sim.get("y"), sim.get("z")), (y, 5), "c {c}, s {s}");
    }
}

/// Random partial assignments under random conditions, against the same statements executed on numbers.
#[test]
fn partial_assignments() {
    for round in 1..60 {
        let seed = run_seed(round);
        let mut random = Random(seed);
        let width = [7, 64, 65, 150][round as usize % 4];
        let mut m = Build::new("partial");
        let (cond, at, value) = (m.input("cond", 16), m.input("at", 8), m.input("value", 200));
        let w = m.wire("w", width);
        let zero = m.lit(0u8, width);
        let mut stmts = vec![set(w, Place::Whole, zero)];
        // (condition bit, place, width); the lists are nested in pairs below.
        let mut steps = vec![];
        for i in 0..12 {
            let bits = 1 + random.below(width.into()) as u32;
            let place = match random.below(3) {
                0 => Place::AtSignal(at),
                _ => Place::At(random.below(u64::from(width - bits + 1)) as u32),
            };
            steps.push((i, place, bits));
            let part = m.node(Op::Slice(value, i), bits);
            let cond = m.node(Op::Slice(cond, i), 1);
            let inner = set(w, place, part);
            let inverse = m.node(Op::Un(UnOp::Not, part), bits);
            let otherwise = if i % 3 == 0 { vec![set(w, place, inverse)] } else { vec![] };
            stmts.push(Stmt::If { cond, then: vec![inner], otherwise });
        }
        m.0.stmts.extend(stmts);
        m.output("y", w);
        let mut sim = m.simulate();
        for _ in 0..30 {
            let (c, a, v) = (random.bits(16), random.below(170), random.bits(200));
            sim.poke_big(0, &c);
            sim.poke(1, a);
            sim.poke_big(2, &v);
            let ones = |n: u32| (BigUint::from(1u8) << n) - 1u8;
            let mut want = BigUint::ZERO;
            for &(i, place, bits) in &steps {
                let part = (&v >> i) & ones(bits);
                let part = match (c.bit(i.into()), i % 3) {
                    (true, _) => part,
                    (false, 0) => part ^ ones(bits),
                    _ => continue,
                };
                let lo = if let Place::At(lo) = place { lo } else { a as u32 };
                let mask = (ones(bits) << lo) & ones(width);
                want = (&want | &mask) ^ &mask | ((part << lo) & mask);
            }
            assert_eq!(sim.peek_big(3), want, "seed {seed}, {width} bits");
        }
    }
}

#[test]
fn reset_comes_before_enable_before_statements() {
    let mut m = Build::new("counter");
    let (en, go) = (m.input("en", 1), m.input("go", 1));
    let r = m.reg("r", 8, Some(7), Some(en), 0);
    let free = m.reg("free", 8, None, None, 0);
    let one = m.lit(1u8, 8);
    let (next, free_next) = (m.bin(BinOp::Add, r, one), m.bin(BinOp::Add, free, one));
    m.0.stmts.push(Stmt::If { cond: go, then: vec![set(r, Place::Whole, next)], otherwise: vec![] });
    m.set(free, free_next);
    m.output("y", r);
    m.output("f", free);
    let mut sim = m.simulate();
    sim.power_up(PowerUp::Zero);
    assert_eq!((sim.get("y"), sim.get("f")), (0, 0), "power-up");
    sim.set_reset(0, true);
    assert_eq!(sim.get("y"), 0, "the reset waits for the edge");
    sim.step();
    assert_eq!((sim.get("y"), sim.get("f")), (7, 1), "reset needs no enable, and only resets what has one");
    sim.set_reset(0, false);
    for (en, go, want) in [(1, 1, 8), (0, 1, 8), (1, 0, 8), (1, 1, 9)] {
        sim.put("en", en);
        sim.put("go", go);
        sim.step();
        assert_eq!(sim.get("y"), want);
    }
    sim.reset(2);
    assert_eq!((sim.get("y"), sim.cycles()), (7, 7));
    assert_eq!(sim.get("f"), 7);
}

/// Shift registers, and two registers that swap: all of them sample old values. Registers wider than a limb too.
#[test]
fn registers_sample_old_values() {
    for width in [8, 100] {
        let mut m = Build::new("swap");
        let d = m.input("d", width);
        let regs: Vec<Id> = (0..3).map(|_| m.reg("s", width, None, None, 0)).collect();
        m.set(regs[0], d);
        m.set(regs[2], regs[1]);
        m.set(regs[1], regs[0]);
        let (p, q) = (m.reg("p", width, Some(1), None, 0), m.reg("q", width, Some(2), None, 0));
        m.set(p, q);
        m.set(q, p);
        // In the top bits too, where the registers are wide.
        let (one, two) = [1u8, 2].map(|v| BigUint::from(v) << (width - 2) | BigUint::from(v)).into();
        m.0.regs[3].reset = Some(one.clone());
        m.0.regs[4].reset = Some(two.clone());
        for r in [regs[0], regs[1], regs[2], p, q] {
            m.output("o", r);
        }
        let mut sim = m.simulate();
        sim.power_up(PowerUp::Zero);
        sim.reset(1);
        let mut history = vec![0u64; 3];
        for i in 1..20u64 {
            sim.poke_wide(0, &[i * 3]);
            sim.step();
            history.insert(0, i * 3);
            for (k, want) in history[..3].iter().enumerate() {
                assert_eq!(sim.peek_big(1 + k), BigUint::from(*want), "stage {k}");
            }
            let (p, q) = if i % 2 == 0 { (&one, &two) } else { (&two, &one) };
            assert_eq!((&sim.peek_big(4), &sim.peek_big(5)), (p, q));
        }
    }
}

/// `y = a + b` one cycle later.
fn adder() -> std::sync::Arc<Def> {
    let mut m = Build::new("adder");
    let (a, b) = (m.input("a", 8), m.input("b", 8));
    let sum = m.bin(BinOp::Add, a, b);
    m.0.nodes[sum as usize].name = Some("sum".into());
    let unused = m.bin(BinOp::Sub, a, b);
    m.0.nodes[unused as usize].name = Some("difference".into());
    let r = m.reg("r", 8, None, None, 0);
    m.set(r, sum);
    m.output("y", r);
    m.finish()
}

fn instance(m: &mut Build, name: &str, def: &std::sync::Arc<Def>, inputs: &[Id]) -> Id {
    let i = m.0.insts.len() as u32;
    let mut pins = vec![];
    for (port, input) in def.ports.iter().zip(inputs) {
        let pin = m.net(&format!("{name}_{}", port.name), Net::PinIn(i), port.width);
        m.set(pin, *input);
        pins.push(pin);
    }
    let last = &def.ports[inputs.len()];
    let out = m.net(&format!("{name}_{}", last.name), Net::PinOut(i), last.width);
    pins.push(out);
    m.0.insts.push(Inst {
        name: name.into(),
        def: def.clone(),
        pins,
        domains: vec![0; def.domains.len()],
        arriving: vec![],
    });
    out
}

#[test]
fn nested_instances_and_their_names() {
    let inner = adder();
    let mut m = Build::new("middle");
    let (a, b, c) = (m.input("a", 8), m.input("b", 8), m.input("c", 8));
    let ab = instance(&mut m, "u_ab", &inner, &[a, b]);
    let abc = instance(&mut m, "u_abc", &inner, &[ab, c]);
    m.output("y", abc);
    let middle = m.finish();
    let mut m = Build::new("top");
    let (x, y) = (m.input("x", 8), m.input("y", 8));
    let out = instance(&mut m, "u_mid", &middle, &[x, y, x]);
    m.output("out", out);
    let mut sim = m.simulate();
    sim.put("x", 5);
    sim.put("y", 9);
    let sum = sim.find("u_mid.u_ab.sum").expect("a signal of the inner instance");
    let late = sim.find("u_mid.u_ab.difference").expect("named, though nobody uses it");
    assert_eq!(sim.value(sum), 14);
    assert_eq!(sim.value(late), 252);
    sim.put("y", 4);
    assert_eq!(sim.value(late), 1);
    sim.put("y", 9);
    sim.step();
    sim.step();
    assert_eq!(sim.get("out"), 19);
    assert_eq!(sim.find("u_mid.u_ab.nothing"), None);
    assert!(sim.signals().iter().any(|s| s.name == "u_mid.u_abc.r" && s.width == 8));
}

#[test]
fn two_clocks() {
    let mut m = Build::new("clocks");
    m.0.domains.push(domain("fast", "fast_rst"));
    m.0.clocks.push((domain("fast", "fast_rst"), true));
    let (one, d) = (m.lit(1u8, 8), m.input("d", 8));
    let slow = m.reg("slow", 8, Some(0), None, 0);
    let fast = m.reg("fast_count", 8, Some(100), None, 1);
    let across = m.reg("across", 8, None, None, 1);
    let (s, f) = (m.bin(BinOp::Add, slow, d), m.bin(BinOp::Add, fast, one));
    m.set(slow, s);
    m.set(fast, f);
    m.set(across, slow);
    let in_reset = m.net("in_reset", Net::Reset(1), 1);
    for r in [slow, fast, across, in_reset] {
        m.output("o", r);
    }
    let mut sim = m.simulate();
    sim.power_up(PowerUp::Zero);
    assert_eq!(sim.clocks(), ["clk", "fast"]);
    sim.poke(0, 1);
    sim.set_reset(1, true);
    assert_eq!(sim.peek(4), 1);
    let mut all = |clocks: u64, reset: bool| {
        sim.set_reset(1, reset);
        sim.edge(clocks);
        [1, 2, 3].map(|p| sim.peek(p))
    };
    assert_eq!(all(1, true), [1, 0, 0], "only the slow clock");
    assert_eq!(all(2, true), [1, 100, 1], "only the fast clock, in reset");
    assert_eq!(all(3, false), [2, 101, 1], "both: the crossing register sees the old value");
    assert_eq!(all(2, false), [2, 102, 2]);
}

#[test]
fn what_does_not_fit_panics_with_the_name() {
    let mut m = Build::new("ports");
    let (a, w) = (m.input("narrow", 5), m.input("wide", 70));
    m.output("result", a);
    m.output("big", w);
    let sim = m.simulate();
    let message = |f: &dyn Fn(&mut crate::sim::Simulator)| {
        let mut sim = sim.clone();
        let error = catch_unwind(AssertUnwindSafe(|| f(&mut sim))).expect_err("panics");
        error.downcast_ref::<String>().expect("a message").clone()
    };
    assert_eq!(message(&|s| s.poke_u64(0, 32)), "cannot poke `narrow` (5 bits) with 32: legal is 0 to 31");
    assert_eq!(message(&|s| s.poke_u64(2, 1)), "cannot poke `result`: it is an output");
    assert_eq!(message(&|s| s.poke_u64(1, 1)), "`wide` has 70 bits: use poke_wide");
    assert_eq!(
        message(&|s| s.poke_wide(1, &[0, 64])),
        "cannot poke `wide` (70 bits) with 1180591620717411303424: legal is 0 to 2^70 - 1"
    );
    assert_eq!(message(&|s| s.peek_wide(1, &mut [0])), "`wide` has 70 bits, 1 limbs are too few");
    assert_eq!(message(&|s| s.set_reset(1, true)), "no domain 1: the design has 1");
}

#[test]
fn a_loop_is_named() {
    let mut m = Build::new("looping");
    let (a, w) = (m.input("a", 1), m.wire("around", 1));
    let v = m.bin(BinOp::Xor, a, w);
    m.set(w, v);
    m.output("y", w);
    let error = catch_unwind(AssertUnwindSafe(|| m.simulate())).expect_err("panics");
    let text = error.downcast_ref::<String>().expect("a message");
    assert!(text.contains("combinational loop") && text.contains("around"), "{text}");
}

/// Long chains must not run out of stack, nor take quadratic time.
#[test]
fn deep_graphs() {
    let mut m = Build::new("deep");
    let a = m.input("a", 16);
    let (mut sum, mut word, mut nested) = (a, a, vec![]);
    for i in 0..100_000u32 {
        sum = m.bin(if i % 2 == 0 { BinOp::Add } else { BinOp::Xor }, sum, a);
        if i % 1000 == 0 {
            let bit = m.node(Op::Slice(sum, 3), 1);
            word = m.node(Op::Cat(vec![bit, word]), 17 + i / 1000);
        }
    }
    let k: Vec<Id> = (0..500u32).map(|i| m.lit(i, 16)).collect();
    let w = m.wire("w", 16);
    for i in (0..500).rev() {
        let cond = m.bin(BinOp::Eq, a, k[i]);
        let value = k[(i * 7) % 500];
        let then = vec![set(w, Place::Whole, value)];
        nested = vec![Stmt::If { cond, then, otherwise: nested }];
    }
    m.0.stmts.extend(nested);
    m.output("sum", sum);
    m.output("word", word);
    m.output("w", w);
    let mut sim = m.simulate();
    for x in [0u16, 1, 499, 500, 65535] {
        sim.put("a", x.into());
        let mut want = x;
        (0..100_000).for_each(|i| want = if i % 2 == 0 { want.wrapping_add(x) } else { want ^ x });
        assert_eq!(sim.get("sum"), u64::from(want));
        assert_eq!(sim.get("w"), if x < 500 { u64::from(x) * 7 % 500 } else { 0 });
    }
}
