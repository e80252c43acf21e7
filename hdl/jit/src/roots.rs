//! What must be computed: the ports, and at an edge the next values of states and memories, each under its condition.

use crate::limbs::{Limbs, count};
use crate::scalar::{Word, ones};
use hdl::sim::native::{Expr, LowNext, PlanState, PlanWrite};

/// A slot takes a value.
#[derive(Clone, Copy, Debug)]
pub struct Store {
    pub slot: u32,
    /// The bits that the slot has.
    pub mask: u64,
    pub value: Word,
}

/// Stores of a whole value.
fn stores(limbs: Vec<Word>, slot: u32, width: u32) -> Vec<Store> {
    let store = |(i, value): (u32, Word)| Store { slot: slot + i, mask: ones((width - 64 * i).min(64)), value };
    (0..).zip(limbs).map(store).collect()
}

/// A state: its limbs take their values where the condition holds.
#[derive(Clone, Debug)]
pub struct Root {
    pub gate: Option<Word>,
    pub stores: Vec<Store>,
}

/// A word of a memory is written where the condition holds and the address is in range.
#[derive(Clone, Debug)]
pub struct MemWrite {
    pub gate: Word,
    pub mem: u32,
    pub addr: Word,
    /// For each limb what it takes, and which bits of it.
    pub limbs: Vec<(Word, Word)>,
}

/// Everything that a design computes.
#[derive(Debug, Default)]
pub struct Roots {
    pub ports: Vec<Store>,
    pub states: Vec<Root>,
    pub writes: Vec<MemWrite>,
}

pub fn roots(l: &mut Limbs) -> Roots {
    let plan = l.plan;
    let mut roots = Roots::default();
    for &(e, slot) in &plan.outputs {
        if !matches!(plan.nodes[e as usize].0, Expr::Source(_) | Expr::Const(_)) {
            roots.ports.extend(stores(l.all(e), slot, l.width(e)));
        }
    }
    roots.states = plan.states.iter().map(|s| state(l, s)).collect();
    roots.writes = plan.writes.iter().map(|w| write(l, w)).collect();
    roots
}

/// The clock of a domain as a condition: none where there is only one clock.
fn clock(l: &mut Limbs, domain: u32) -> Option<Word> {
    (l.plan.domains > 1).then(|| l.words.clock(domain))
}

fn state(l: &mut Limbs, state: &PlanState) -> Root {
    let plan = l.plan;
    let clock = clock(l, state.domain);
    let own = |e: u32| matches!(plan.nodes[e as usize].0, Expr::Source(s) if s == state.source);
    let (enable, limbs) = match state.next {
        LowNext::Read { mem, addr, enable } => {
            let limbs = l.read(mem, addr, state.width);
            (enable.map(|e| l.condition(e)), limbs)
        }
        LowNext::Value(e) => match plan.nodes[e as usize].0 {
            // A register with an enable.
            Expr::Mux(c, yes, no) if own(no) => (Some(l.condition(c)), l.all(yes)),
            Expr::Mux(c, yes, no) if own(yes) => {
                let c = l.condition(c);
                (Some(l.words.not(c)), l.all(no))
            }
            _ => (None, l.all(e)),
        },
    };
    let gate = match (clock, enable) {
        (Some(clock), Some(enable)) => Some(l.words.and(clock, enable)),
        (gate, None) | (None, gate) => gate,
    };
    let slot = plan.sources[state.source as usize];
    Root { gate, stores: stores(limbs, slot, state.width) }
}

fn write(l: &mut Limbs, write: &PlanWrite) -> MemWrite {
    let (addr, data) = (l.exact(write.addr, 0), l.all(write.data));
    let (width, lanes) = (l.width(write.data), l.width(write.mask));
    let enables = l.all(write.mask);
    let clock = clock(l, write.domain);
    let w = &mut l.words;
    let depth = w.constant(l.plan.memories[write.mem as usize].depth);
    let (zero, all) = (w.constant(0), w.constant(u64::MAX));
    let any = enables.iter().fold(zero, |any, limb| w.or(any, *limb));
    let (any, inside) = (w.ne(any, zero), w.lt(addr, depth));
    let mut gate = w.and(any, inside);
    if let Some(clock) = clock {
        gate = w.and(clock, gate);
    }
    let mut masks = vec![if lanes == 1 { all } else { zero }; count(width) as usize];
    for lane in 0..if lanes == 1 { 0 } else { lanes } {
        let bit = w.shr(enables[(lane / 64) as usize], lane % 64);
        let bit = w.signed(bit, 1);
        let (mut at, end) = (lane * (width / lanes), (lane + 1) * (width / lanes));
        while at < end {
            let (limb, low) = ((at / 64) as usize, at % 64);
            let bits = (64 - low).min(end - at);
            let lane = w.constant(ones(bits) << low);
            let lane = w.and(bit, lane);
            masks[limb] = w.or(masks[limb], lane);
            at += bits;
        }
    }
    MemWrite { gate, mem: write.mem, addr, limbs: data.into_iter().zip(masks).collect() }
}
