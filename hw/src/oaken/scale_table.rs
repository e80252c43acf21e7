//! Scale table: where the lanes of the quantizer look up the step and the threshold of an element, by its group and side.
//!
//! Up to 16 lanes have LUT RAMs of their own: half the size of a multiplexer, and 16 words are four vectors. They are filled from
//! the queue of scales in four cycles a vector, as long as the shortest vector at 16 lanes. The addresses are
//! `{slot, cycle}`:
//!
//! | cycle | step | threshold |
//! | --- | --- | --- |
//! | 0 | middle | middle, positive |
//! | 1 | inner | middle, negative |
//! | 2 | outer, positive | outer, positive |
//! | 3 | outer, negative | outer, negative |
//!
//! The inner group has no threshold. More lanes may have a vector in every other cycle, or in every one: there each lane has a
//! multiplexer of what the queue shows.

use super::classify::Classified;
use super::scale::{GroupScale, HALF_STEP, Scales};
use hdl::logic::UpDown;
use hdl::*;

/// Vectors that the lanes' RAMs hold.
const SLOTS: u32 = 4;

/// The queue of scales, as the table sees it.
pub struct Queue {
    /// One is there.
    pub any: Signal,
    /// All that are there; a vector's stay until its record has left.
    pub scales: Memory<Scales>,
    /// Which is the oldest.
    pub at: Signal,
}

/// The table.
pub struct ScaleTable {
    /// A vector can go out.
    pub ready: Signal,
    /// The oldest leaves the queue.
    pub takes: Signal,
    place: Place,
}

enum Place {
    Lanes { write: Write, used: UpDown, slot: Signal, split: Signal },
    Shared { queue: Queue },
}

/// What is written into all tables.
#[derive(Clone, Copy, Bundle)]
struct Write {
    valid: Signal,
    address: Signal,
    r: Signal,
    e: Signal,
    c: Signal,
}

/// The scales of the vector of a beat, at the stage of the beats.
#[derive(Clone, Copy)]
pub enum Current {
    /// The slot in the lanes' tables.
    Slot(Signal),
    /// The scales.
    Scales(Scales),
}

impl Current {
    /// The same with all its signals passed through `f`.
    pub fn map(self, f: impl Fn(Signal) -> Signal) -> Self {
        match self {
            Current::Slot(slot) => Current::Slot(f(slot)),
            Current::Scales(scales) => Current::Scales(scales.map(&mut |_, _, x| f(x))),
        }
    }
}

impl ScaleTable {
    /// The table for so many lanes; `leaves` when the last beat of a vector goes out.
    #[module]
    pub fn new(m: Module, lanes: u32, queue: Queue, leaves: Signal) -> Self {
        if lanes > 16 {
            return Self { ready: queue.any, takes: leaves, place: Place::Shared { queue } };
        }
        let d = queue.scales.read(queue.at);
        let loaded = UpDown::new(m, SLOTS);
        loaded.level.comment("vectors that can go out");
        let used = UpDown::new(m, SLOTS);
        used.level.comment("vectors that hold a slot");
        let turn = m.reg_reset(bits(2), 0);
        let slot = m.reg_reset(bits(2), 0);
        let slot_out = m.reg_reset(bits(2), 0);
        let works = turn.any() | (queue.any & used.level.ne(SLOTS));
        let takes = turn.all();
        m.when(works, || turn.set(turn + 1));
        m.when(takes, || slot.set(slot + 1));
        m.when(leaves, || slot_out.set(slot_out + 1));
        loaded.count(takes, leaves);

        let choose = |x: [Signal; 4]| turn.bit(1).mux(turn.bit(0).mux(x[3], x[2]), turn.bit(0).mux(x[1], x[0]));
        let write = m.reg(Write { valid: bits(1), address: bits(4), r: bits(10), e: bits(6), c: d.middle.c.shape() });
        write.set(Write {
            valid: works,
            address: slot.cat(turn),
            r: choose([d.middle.r, d.inner_r, d.outer_pos.r, d.outer_neg.r]),
            e: choose([d.middle.e, d.inner_e, d.outer_pos.e, d.outer_neg.e]),
            c: choose([d.middle.c, d.middle_c_neg, d.outer_pos.c, d.outer_neg.c]),
        });
        let splits = m.memory(d.split.shape(), SLOTS as usize).style(RamStyle::Distributed);
        splits.write(slot, d.split, takes);
        let split = splits.read(slot_out);
        let ready = loaded.level.any();
        Self { ready, takes, place: Place::Lanes { write, used, slot: slot_out, split } }
    }

    /// The scales and the `split` of the vector that goes out, in the pipeline of the beats. The queue of many lanes is deep and far
    /// from what counts its vectors: there is a register before it and one behind.
    #[module]
    pub fn enter(&self, back: Pipeline) -> (Current, Signal) {
        match &self.place {
            Place::Lanes { slot, split, .. } => (Current::Slot(back.enter(*slot)), back.enter(*split)),
            Place::Shared { queue } => {
                let oldest = queue.scales.read(back.enter(queue.at).next()).next();
                (Current::Scales(oldest), oldest.split)
            }
        }
    }

    /// Frees slots: `gone` when the lanes have looked up all of a vector.
    pub fn free(&self, gone: impl FnOnce() -> Signal) {
        match &self.place {
            Place::Lanes { used, .. } => {
                used.count(self.takes, gone());
            }
            Place::Shared { .. } => {}
        }
    }

    /// The scale for an element, two stages later. `current` is at the stage of `x`.
    #[module]
    pub fn look_up(&self, m: Module, current: Current, x: Classified) -> GroupScale {
        let inner = x.inner.next();
        let side = match (&self.place, current) {
            (Place::Lanes { write, .. }, Current::Slot(slot)) => {
                let step_at = cat(&[slot, x.outer, x.inner | (x.outer & x.sign)]).next();
                let threshold_at = cat(&[slot, x.outer, x.sign]).next();
                let steps = m.memory((bits(10), bits(6)), 1 << 4).style(RamStyle::Distributed);
                let thresholds = m.memory(write.c.shape(), 1 << 4).style(RamStyle::Distributed);
                steps.write(write.address, (write.r, write.e), write.valid);
                thresholds.write(write.address, write.c, write.valid);
                let (r, e) = steps.read(step_at);
                GroupScale { r, e, c: thresholds.read(threshold_at) }
            }
            (Place::Shared { .. }, Current::Scales(d)) => {
                let (d, x) = (d.next(), x.next());
                let inner = GroupScale { r: d.inner_r, e: d.inner_e, c: d.middle.c };
                let middle = GroupScale { c: x.sign.mux(d.middle_c_neg, d.middle.c), ..d.middle };
                x.outer.mux(x.sign.mux(d.outer_neg, d.outer_pos), x.inner.mux(inner, middle))
            }
            _ => unreachable!("the current scales are those of another table"),
        };
        let no_threshold = side.c.lit((1u32 << side.c.width()) - HALF_STEP, side.c.width());
        GroupScale { c: inner.mux(no_threshold, side.c).next(), r: side.r.next(), e: side.e.next() }
    }
}
