//! Switches with many arms: what they give, and how little of them is computed.

use super::build::{Build, ByName, set};
use crate::engine::Engine;
use crate::ir::*;
use crate::sim::Simulator;
use num_bigint::BigUint;

/// A controller of so many states. In each the counter moves by an amount that takes three additions; from each it goes to the
/// next where `go` is 1.
fn controller(states: u32) -> Simulator {
    let mut m = Build::new("controller");
    let (go, x) = (m.input("go", 1), m.input("x", 16));
    let (state, count) = (m.reg("state", 16, Some(0), None, 0), m.reg("count", 16, Some(0), None, 0));
    let (busy, command) = (m.wire("busy", 1), m.wire("command", 16));
    let (zero, no) = (m.lit(0u8, 16), m.lit(0u8, 1));
    m.set(busy, no);
    m.set(command, zero);
    let mut arms = vec![];
    for i in 0..states {
        let [label, next, number, step] = [i, (i + 1) % states, i + 1, 3 * i + 1].map(|v| m.lit(v, 16));
        let first = m.bin(BinOp::Add, x, step);
        let second = m.bin(BinOp::Xor, first, count);
        let value = m.bin(BinOp::Add, second, number);
        m.0.nodes[value as usize].name = Some(format!("value_{i}"));
        let go_on = Stmt::If { cond: go, then: vec![set(state, Place::Whole, next)], otherwise: vec![] };
        let block = [(count, value), (busy, go), (command, number)].map(|(target, v)| set(target, Place::Whole, v));
        arms.push((vec![label], [vec![go_on], block.into()].concat()));
    }
    m.0.stmts.push(Stmt::Case { selector: state, arms, default: None, rest: vec![] });
    m.output("busy_now", busy);
    m.output("command_now", command);
    m.output("count_now", count);
    m.simulate()
}

/// Instructions of a cycle, however many states there are: the jump, three operations of the arm, its multiplexer, and four
/// results.
const EACH_CYCLE: usize = 9;
/// Instructions that an arm takes: what a cycle runs of it, and its three operations again for those who look at `value_0` and the
/// like while another arm is taken.
const EACH_ARM: usize = 11;

#[test]
fn only_the_arm_that_is_taken_is_evaluated() {
    for states in [8, 64, 512, 2048] {
        let mut sim = controller(states);
        sim.reset(1);
        sim.put("go", 1);
        for cycle in 0..20 {
            assert_eq!(sim.get("command_now"), cycle % u64::from(states) + 1);
            assert_eq!(sim.instructions(), EACH_CYCLE, "{states} states, cycle {cycle}");
            sim.step();
        }
    }
}

/// What is emitted grows with the arms, not with their square.
#[test]
fn an_arm_takes_so_many_instructions() {
    let size = |states| controller(states).design.program.code.len();
    assert_eq!((size(2048) - size(1024)) / 1024, EACH_ARM);
}

#[test]
fn a_signal_in_an_arm_has_its_value_though_the_arm_is_not_taken() {
    let mut sim = controller(64);
    sim.reset(1);
    sim.put("x", 1000);
    let count = sim.get("count_now");
    for i in 0..64 {
        let probe = sim.find(&format!("value_{i}")).expect("a signal");
        assert_eq!(sim.value(probe), (((1000 + 3 * i + 1) ^ count) + i + 1) & 0xffff, "value_{i}");
    }
}

/// A switch over these values, each with two neighbours in one arm; `y` is the number of the arm, `past` the one that the default
/// gives.
fn numbered(width: u32, values: &[BigUint], past: Option<u32>) -> Simulator {
    let mut m = Build::new("numbered");
    let s = m.input("s", width);
    let (y, before) = (m.wire("w", 8), m.lit(99u8, 8));
    m.set(y, before);
    let mut arms = vec![];
    for (i, pair) in (0u32..).zip(values.chunks(2)) {
        let number = m.lit(i, 8);
        let mut labels: Vec<Id> = pair.iter().map(|v| m.lit(v.clone(), width)).collect();
        // all arms list this one too, after the first it has no effect
        labels.push(m.lit(values[0].clone(), width));
        arms.push((labels, vec![set(y, Place::Whole, number)]));
    }
    let default = past.map(|past| vec![set(y, Place::Whole, m.lit(past, 8))]);
    m.0.stmts.push(Stmt::Case { selector: s, arms, default, rest: vec![] });
    m.output("y", y);
    m.simulate()
}

#[test]
fn dense_sparse_and_wide_selectors() {
    let dense: Vec<BigUint> = (3..19u8).map(BigUint::from).collect();
    let one_hot: Vec<BigUint> = (0..32).map(|i| BigUint::from(1u8) << i).collect();
    let wide: Vec<BigUint> = (0..20u32).map(|i| BigUint::from(i * i) << (3 * i)).collect();
    for (width, values) in [(5, dense), (32, one_hot.clone()), (64, one_hot), (80, wide)] {
        for past in [None, Some(77)] {
            let mut sim = numbered(width, &values, past);
            let other = past.map_or(99, u64::from);
            for (i, value) in values.iter().enumerate() {
                sim.poke_big(0, value);
                assert_eq!(sim.get("y"), i as u64 / 2, "{value} of {width} bits");
                // a neighbour that is not listed
                let near = value ^ &BigUint::from(7u8);
                if !values.contains(&near) && near.bits() <= width.into() {
                    sim.poke_big(0, &near);
                    assert_eq!(sim.get("y"), other, "{near} of {width} bits");
                }
            }
            sim.poke_big(0, &((BigUint::from(1u8) << width) - 1u8));
            assert_eq!(sim.get("y"), other);
        }
    }
}

/// An arm that assigns some bits keeps the others as they were, also where the default assigns.
#[test]
fn arms_that_assign_some_bits() {
    let mut m = Build::new("bits");
    let (s, x) = (m.input("s", 4), m.input("x", 100));
    let w = m.wire("w", 100);
    m.set(w, x);
    let [ones, five] = [m.lit(0xffu8, 8), m.lit(5u8, 3)];
    let all = m.lit(1u8, 100);
    let label: Vec<Id> = (0..6u8).map(|v| m.lit(v, 4)).collect();
    let bits = |lo, value| vec![set(w, Place::At(lo), value)];
    let blocks = vec![bits(0, ones), bits(60, ones), vec![], bits(64, five), bits(97, five), bits(2, ones)];
    let arms = label.into_iter().map(|l| vec![l]).zip(blocks).collect();
    m.0.stmts.push(Stmt::Case { selector: s, arms, default: Some(vec![set(w, Place::Whole, all)]), rest: vec![] });
    m.output("y", w);
    let mut sim = m.simulate();
    let x: BigUint = BigUint::from(0x5a5a_5a5a_5a5a_5a5au64) * BigUint::from(0x1_2345_6789u64);
    sim.poke_big(1, &x);
    let with = |lo: u32, width: u32, value: u32| {
        let mask = ((BigUint::from(1u8) << width) - 1u8) << lo;
        (&x | &mask) ^ mask ^ (BigUint::from(value) << lo)
    };
    let want = [with(0, 8, 255), with(60, 8, 255), x.clone(), with(64, 3, 5), with(97, 3, 5), with(2, 8, 255)];
    for (i, want) in want.into_iter().enumerate() {
        sim.put("s", i as u64);
        assert_eq!(sim.peek_big(2), want, "arm {i}");
    }
    sim.put("s", 9);
    assert_eq!(sim.peek_big(2), BigUint::from(1u8));
}

/// Where the condition of a large body is 0, nothing of it is computed.
#[test]
fn a_large_body_under_a_condition_is_a_branch() {
    let mut m = Build::new("body");
    let (c, x) = (m.input("c", 1), m.input("x", 16));
    let sum = m.reg("sum", 16, Some(0), None, 0);
    let mut value = x;
    for _ in 0..100 {
        let square = m.bin(BinOp::Xor, value, sum);
        value = m.bin(BinOp::Add, square, x);
    }
    m.0.stmts.push(Stmt::If { cond: c, then: vec![set(sum, Place::Whole, value)], otherwise: vec![] });
    m.output("y", sum);
    let mut sim = m.simulate();
    sim.put("x", 3);
    let idle = sim.instructions();
    sim.put("c", 1);
    assert_eq!((idle, sim.instructions()), (2, 202));
}
