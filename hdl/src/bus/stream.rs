//! Sources and sinks of streams.

use super::checker::StreamChecker;
use super::ports::{Field, StreamPorts};
use super::stalls::Pattern;
use crate::engine::{Engine, big_from_limbs};
use fastrand::Rng;
use num_bigint::BigUint;
use std::collections::VecDeque;

/// The payload of one transfer: the fields of the bundle in their order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Beat(pub Vec<BigUint>);

impl Beat {
    /// Field `index` as a number.
    ///
    /// # Panics
    /// If there is no such field, or it has a value of more than 64 bits.
    pub fn field(&self, index: usize) -> u64 {
        u64::try_from(&self.0[index]).unwrap_or_else(|_| panic!("field {index} does not fit in 64 bits"))
    }
}

impl From<u64> for Beat {
    fn from(value: u64) -> Beat {
        Beat(vec![value.into()])
    }
}

impl From<BigUint> for Beat {
    fn from(value: BigUint) -> Beat {
        Beat(vec![value])
    }
}

impl<const N: usize> From<[u64; N]> for Beat {
    fn from(fields: [u64; N]) -> Beat {
        Beat(fields.map(BigUint::from).to_vec())
    }
}

/// Handle of a source of a bench.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Source(pub(super) usize);

/// Handle of a sink of a bench.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sink(pub(super) usize);

/// Feeds a stream. While it has nothing to offer, the payload is random: a design that looks at it is found out.
pub(super) struct SourceModel {
    pub ports: StreamPorts,
    pub queue: VecDeque<Beat>,
    pub pattern: Pattern,
    /// The beat that is offered; it stays until it is taken.
    pub offered: Option<Beat>,
    /// The cycles of the transfers.
    pub cycles: Vec<u64>,
    /// The clocks at whose edges it moves, a bit for each.
    pub clocks: u64,
}

impl SourceModel {
    pub fn drive(&mut self, engine: &mut dyn Engine, rng: &mut Rng) {
        if self.offered.is_some() {
            return;
        }
        if !self.pattern.pauses(rng) {
            self.offered = self.queue.pop_front();
        }
        engine.poke(self.ports.valid, self.offered.is_some().into());
        for (i, field) in self.ports.payload.iter().enumerate() {
            match &self.offered {
                Some(beat) => engine.poke_wide(field.port, &beat.0[i].to_u64_digits()),
                None => engine.poke_wide(field.port, &random_limbs(field.width, rng)),
            }
        }
    }

    /// Whether the beat that is offered is taken in this cycle.
    pub fn observe(&mut self, engine: &mut dyn Engine, cycle: u64) {
        if self.offered.is_some() && engine.peek(self.ports.ready) == 1 {
            self.offered = None;
            self.cycles.push(cycle);
        }
    }
}

fn random_limbs(width: u32, rng: &mut Rng) -> Vec<u64> {
    let mut limbs: Vec<u64> = (0..width.div_ceil(64)).map(|_| rng.u64(..)).collect();
    if let (Some(last), used @ 1..) = (limbs.last_mut(), width % 64) {
        *last &= (1 << used) - 1;
    }
    limbs
}

/// Empties a stream, and checks it.
pub(super) struct SinkModel {
    pub ports: StreamPorts,
    pub pattern: Pattern,
    /// It takes nothing, wherever its pattern is.
    pub held: bool,
    pub ready: bool,
    pub beats: Vec<Beat>,
    /// The cycles of the transfers.
    pub cycles: Vec<u64>,
    /// The clocks at whose edges it moves, a bit for each.
    pub clocks: u64,
    pub checker: StreamChecker,
}

impl SinkModel {
    pub fn drive(&mut self, engine: &mut dyn Engine, rng: &mut Rng) {
        self.ready = !self.pattern.pauses(rng) && !self.held;
        engine.poke(self.ports.ready, self.ready.into());
    }

    /// Valid, and the limbs of all fields one after the other.
    pub fn look(&self, engine: &mut dyn Engine, limbs: &mut Vec<u64>) -> bool {
        limbs.clear();
        for field in &self.ports.payload {
            let start = limbs.len();
            limbs.resize(start + limbs_of(field), 0);
            engine.peek_wide(field.port, &mut limbs[start..]);
        }
        engine.peek(self.ports.valid) == 1
    }

    /// The beat that stands in the limbs of [`SinkModel::look`].
    pub fn beat(&self, limbs: &[u64]) -> Beat {
        let mut rest = limbs;
        let fields = self.ports.payload.iter().map(|field| {
            let (mine, others) = rest.split_at(limbs_of(field));
            rest = others;
            big_from_limbs(mine)
        });
        Beat(fields.collect())
    }
}

pub(super) fn limbs_of(field: &Field) -> usize {
    field.width.div_ceil(64) as usize
}
