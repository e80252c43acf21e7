//! Side table: where the lanes of the dequantizer look up the threshold and the step of an element, by its group and side.
//!
//! Up to 16 lanes have LUT RAMs of their own, which a [`level_writer`] fills in four cycles a vector. More lanes may have a
//! vector in every other cycle, or in every one: there all levels of a vector are computed at once, stand in registers, and each
//! lane has a multiplexer. So it is, too, where each vector has thresholds of its own: the thresholds themselves are then levels of
//! the vector, and four cycles are not enough to write them.

use super::decode::Kind;
use super::half_steps::*;
use super::header::steps;
use super::level_writer::{EXACT, LevelWrite, WORDS, level_write, level_writer};
use super::types::{EngineParams, Thresholds};
use crate::float::half::unpack;
use hdl::*;

/// All that a vector's header says of its groups.
#[derive(Clone, Copy, Bundle)]
pub struct Levels {
    /// Middle group, positive side.
    pub middle_pos: HalfStep,
    /// Middle group, negative side.
    pub middle_neg: HalfStep,
    /// Outer group, positive side.
    pub outer_pos: HalfStep,
    /// Outer group, negative side.
    pub outer_neg: HalfStep,
    /// Inner group, whose threshold is 0.
    pub inner: Half,
    /// The positive outer threshold itself, where each vector has its own.
    pub itself_pos: Option<Exact>,
    /// The negative one.
    pub itself_neg: Option<Exact>,
}

fn levels(p: EngineParams) -> Levels {
    let side = half_step_shape();
    let exact = p.setting_of_each().then(|| Exact { mantissa: bits(11), scale: bits(6) });
    Levels {
        middle_pos: side,
        middle_neg: side,
        outer_pos: side,
        outer_neg: side,
        inner: half(),
        itself_pos: exact,
        itself_neg: exact,
    }
}

/// A threshold on its own scale: what [`half_step`] makes of it without a step.
#[derive(Clone, Copy, Bundle)]
pub struct Exact {
    /// The highest bits of the base; below them are zeros.
    pub mantissa: Signal,
    /// That of its half step.
    pub scale: Signal,
}

impl Exact {
    #[module]
    fn new(threshold: Signal) -> Exact {
        let field = threshold.drop_low(10);
        Exact { mantissa: unpack(threshold).mantissa, scale: field.any().mux(field, 1).zext(6) + 2 }
    }
    fn half_step(self) -> HalfStep {
        let value = self.mantissa.cat(self.mantissa.zeros(BASE_BITS - 11));
        let sticky = self.mantissa.zeros(1);
        HalfStep { base: Base { value, sticky }, half: Half { m: self.mantissa.zeros(8), scale: self.scale } }
    }
}

/// The table, and what it tells of the headers.
pub struct SideTable {
    /// Vectors that find room.
    pub slots: u32,
    /// The table can take vectors with the current thresholds.
    pub prepared: Signal,
    /// The levels of a header are there for lanes that start two cycles later.
    pub done: Signal,
    /// A header is none that the format allows.
    pub faulty: Signal,
    place: Place,
}

enum Place {
    Lanes(LevelWrite),
    /// The thresholds themselves are levels, or these.
    Shared {
        vectors: Box<Memory<Levels>>,
        exact: Option<[HalfStep; 2]>,
    },
}

/// The levels of the vector that the lanes decode, at the stage of the beats.
pub enum Current {
    /// The slot in the lanes' tables.
    Slot(Signal),
    /// The levels.
    Levels(Box<Levels>),
}

impl Current {
    /// Taken into a pipeline.
    pub fn enter(&self, p: Pipeline) -> Self {
        match self {
            Current::Slot(slot) => Current::Slot(p.enter(*slot)),
            Current::Levels(levels) => Current::Levels(Box::new(p.enter(**levels))),
        }
    }
}

/// Do the lanes have tables of their own?
fn of_each_lane(p: EngineParams) -> bool {
    p.lanes <= 16 && !p.setting_of_each()
}

/// Bits of a slot number.
pub fn slot_bits(p: EngineParams) -> u32 {
    if of_each_lane(p) { 2 } else { 4 }
}

impl SideTable {
    /// The table for these parameters. Takes `headers` to the slots that `slot` gives; `thresholds` are theirs, or those of all vectors,
    /// where `prepare` says that they change.
    #[module]
    pub fn new(
        m: Module,
        p: EngineParams,
        headers: Stream,
        slot: Signal,
        thresholds: Thresholds,
        prepare: Option<Signal>,
    ) -> Result<Self, Errors> {
        if let Some(prepare) = prepare.filter(|_| of_each_lane(p)) {
            let writer = m.instance(&level_writer(p.dense_bits)?);
            writer.header.set(headers);
            writer.slot.set(slot);
            writer.thresholds.set(thresholds);
            writer.prepare.set(prepare);
            let write = m.wire(level_write());
            write.set(writer.write);
            let (prepared, done, faulty) = (writer.prepared, writer.done, writer.faulty);
            return Ok(Self { slots: EXACT, prepared, done, faulty, place: Place::Lanes(write) });
        }
        // the levels of the thresholds themselves are registers behind them
        prepare.iter().for_each(|prepare| prepare.unused());
        Ok(Self::shared(m, headers, slot, thresholds, p))
    }

    /// The table with all levels of a vector in a word.
    #[module]
    fn shared(m: Module, headers: Stream, slot: Signal, thresholds: Thresholds, params: EngineParams) -> Self {
        let dense_bits = params.dense_bits;
        headers.ready.set(true);
        let p = m.pipeline("level");
        // a register behind the queues that both come from
        let done = p.enter_valid(headers.valid).later(3);
        let header = p.enter(headers.payload).next();
        // those of all vectors stand still when there is a header
        let t = p.enter(thresholds).next();
        let [middle, outer_pos, outer_neg, inner] = steps(header);
        let legal = step_is_legal(middle, t.t_high, dense_bits)
            & step_is_legal(middle, t.t_low, dense_bits)
            & step_is_legal(outer_pos, t.s_high, dense_bits)
            & step_is_legal(outer_neg, t.s_low, dense_bits)
            & rest_is_legal(header, dense_bits);
        let new = Levels {
            middle_pos: half_step(middle, t.t_high),
            middle_neg: half_step(middle, t.t_low),
            outer_pos: half_step(outer_pos, t.s_high),
            outer_neg: half_step(outer_neg, t.s_low),
            inner: half_of(inner).later(2),
            itself_pos: params.setting_of_each().then(|| Exact::new(t.s_high).later(2)),
            itself_neg: params.setting_of_each().then(|| Exact::new(t.s_low).later(2)),
        };
        let of_all = !params.setting_of_each();
        let exact = of_all.then(|| [t.s_high, t.s_low].map(|s| p.leave(Exact::new(s).later(2)).half_step()));
        let vectors = m.memory(levels(params), WORDS).style(RamStyle::Distributed);
        vectors.write(p.enter(slot).later(3), new, done);
        let faulty = p.leave(done & !legal.later(2));
        let prepared = m.lit(1u32, 1);
        let place = Place::Shared { vectors: Box::new(vectors), exact };
        Self { slots: 8, prepared, done: p.leave(done), faulty, place }
    }

    /// What the lanes need of the vector in `slot`, from the cycle after `load` on.
    #[module]
    pub fn current(&self, m: Module, slot: Signal, load: Signal, p: EngineParams) -> Current {
        match &self.place {
            Place::Lanes(_) => {
                let current = m.reg(bits(slot.width()));
                m.when(load, || current.set(slot));
                Current::Slot(current)
            }
            Place::Shared { vectors, .. } => {
                let current = m.reg(levels(p));
                let next = vectors.read(slot);
                m.when(load, || current.set(next));
                Current::Levels(Box::new(current))
            }
        }
    }

    /// The entry for an element. `kind` is at stage 0 of the lanes' pipeline `p`, the entry at stage 2.
    #[module]
    pub fn look_up(&self, m: Module, p: Pipeline, current: &Current, kind: Kind) -> HalfStep {
        let inner = (kind.outlier & !kind.outer).next();
        let side = match (&self.place, current) {
            (Place::Lanes(write), Current::Slot(slot)) => {
                let slot = *slot | kind.exact.repeat(2);
                let base_at = cat(&[slot, kind.outlier, kind.negative]).next();
                // middle, inner, outer positive, outer negative; in the slot of the thresholds, outlier and side as above
                let outer = kind.outlier & kind.outer;
                let second = kind.outlier.mux(kind.negative | !kind.outer, kind.negative & kind.exact);
                let half_at = cat(&[slot, outer, second]).next();
                let bases = m.memory(base(), WORDS).style(RamStyle::Distributed);
                let halves = m.memory(half(), WORDS).style(RamStyle::Distributed);
                bases.write(write.address, write.base, write.valid);
                halves.write(write.address, write.half, write.valid);
                HalfStep { base: bases.read(base_at), half: halves.read(half_at) }
            }
            (Place::Shared { exact, .. }, Current::Levels(levels)) => {
                let levels = levels.next();
                let (outlier, outer, negative) = (kind.outlier.next(), kind.outer.next(), kind.negative.next());
                let middle = negative.mux(levels.middle_neg, levels.middle_pos);
                // the thresholds of all change only when no vector is under way
                let itself = match (exact, levels.itself_pos.zip(levels.itself_neg)) {
                    (Some(exact), _) => negative.mux(p.constant(exact[1]), p.constant(exact[0])),
                    (_, Some((above, below))) => negative.mux(below.half_step(), above.half_step()),
                    _ => unreachable!("the thresholds are levels, or those of all vectors"),
                };
                let outer_side = kind.exact.next().mux(itself, negative.mux(levels.outer_neg, levels.outer_pos));
                let half = outer.mux(outer_side.half, levels.inner);
                outlier.mux(HalfStep { base: outer_side.base, half }, middle)
            }
            _ => unreachable!("the current levels are those of another table"),
        };
        let nothing = side.base.map(&mut |_, _, s| s.zeros(s.width()));
        HalfStep { base: inner.mux(nothing, side.base).next(), half: side.half.next() }
    }
}
