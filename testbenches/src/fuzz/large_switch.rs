//! Switches with many arms: the simulators make a jump of them, of which Verilator and Yosys know nothing.

use super::random::Random;
use super::unit::Unit;
use hdl::{BigUint, Signal, cat};
use std::collections::BTreeSet;

impl Unit {
    /// A switch of up to 32 arms over values that lie close together or far apart; many of them come up.
    pub(super) fn large_switch(&mut self, depth: u32) {
        let (selector, label) = self.selector();
        let most = if depth == 0 { 8 } else { 32 };
        let count = 5 + self.r.below(most - 4);
        let values: BTreeSet<u32> = (0..count).map(|_| self.r.below(32)).collect();
        let mut labels: Vec<BigUint> = values.into_iter().map(label).collect();
        shuffle(&mut self.r, &mut labels);
        self.m.switch(selector, |s| {
            while let Some(first) = labels.pop() {
                let second = if self.r.once_in(4) { labels.pop() } else { None };
                let all: Vec<Signal> =
                    [Some(first), second].into_iter().flatten().map(|v| selector.literal(v)).collect();
                s.case_any(all, || self.block(depth));
            }
            if self.r.once_in(2) {
                s.default(|| self.block(depth));
            }
        });
    }

    /// What is switched on, and its value for each number below 32.
    fn selector(&mut self) -> (Signal, fn(u32) -> BigUint) {
        let at = self.value(5);
        match self.r.below(6) {
            0 => (at.literal(1u32).zext(32) << at, |i| BigUint::from(1u32) << i),
            1 => (cat(&[at, at.literal(21u32), at]), |i| BigUint::from(i << 10 | 21 << 5 | i)),
            2 => (cat(&[at, at.literal(0u32).zext(60), at]), |i| BigUint::from(i) << 65 | BigUint::from(i)),
            3 => {
                let constant = self.r.below(32);
                (at.literal(constant), BigUint::from)
            }
            _ => (at, BigUint::from),
        }
    }
}

fn shuffle<T>(r: &mut Random, items: &mut [T]) {
    for i in 1..items.len() {
        items.swap(i, r.below(i as u32 + 1) as usize);
    }
}
