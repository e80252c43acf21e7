//! Random pipelines: plain ones, ones that stand still, and ones between two streams.

use super::unit::{Reset, Unit};
use hdl::*;

/// A signal of a pipeline, and its stage.
type Placed = (Signal, u32);

impl Unit {
    /// A pipeline; expressions may read what comes out of it.
    pub(super) fn pipeline(&mut self) {
        let m = self.m;
        let payload: Vec<Signal> = (0..2 + self.r.below(2)).map(|_| self.narrow()).collect();
        match self.r.below(3) {
            0 => {
                let p = m.pipeline("plain");
                self.between(p, payload);
            }
            1 => {
                let advance = self.condition();
                let p = m.pipeline_enabled("enabled", advance);
                self.between(p, payload);
            }
            _ => self.between_streams(cat(&payload)),
        }
    }

    /// A value of few bits.
    fn narrow(&mut self) -> Signal {
        let width = 1 + self.r.below(12);
        self.value(width)
    }

    fn between(&mut self, p: Pipeline, payload: Vec<Signal>) {
        let staged = payload.into_iter().map(|x| (p.enter(x), 0)).collect();
        let out = self.stages(p, staged);
        self.offer(p.leave(out));
    }

    fn between_streams(&mut self, payload: Signal) {
        let m = self.m;
        let from = m.wire(stream(bits(payload.width())));
        let (valid, ready) = (self.condition(), self.condition());
        from.valid.set(valid);
        from.payload.set(payload);
        let flush = if self.r.once_in(3) { Some(self.condition()) } else { None };
        let options = Elastic { collapse: self.r.once_in(2), flush };
        let (p, payload) = m.pipeline_stream("elastic", from, options);
        let out = self.stages(p, vec![(payload, 0)]);
        let to = m.wire(stream(bits(out.width())));
        to.ready.set(ready);
        p.leave_stream(out, to);
        [from.ready, to.valid, to.payload].into_iter().for_each(|signal| self.offer(signal));
    }

    /// Registers, expressions and state; what comes out is made of the last ones.
    fn stages(&mut self, p: Pipeline, mut staged: Vec<Placed>) -> Signal {
        for _ in 0..3 + self.r.below(5) {
            let (a, b) = (self.r.pick(&staged), self.r.pick(&staged));
            let made = match self.r.below(4) {
                0 => (a.0.next(), a.1 + 1),
                1 => self.sum(p, a),
                _ => self.combined(a, b),
            };
            staged.push(made);
        }
        // nothing stands behind the end
        let depth = staged.iter().map(|(_, stage)| *stage).max().unwrap_or_default();
        let deepest = staged.iter().rev().find(|(_, stage)| *stage == depth).copied().unwrap_or(staged[0]);
        let (end, other) = ((deepest.0.next(), depth + 1), self.r.pick(&staged));
        let (out, _) = self.together(end, other, |a, b| cat(&[a, b]));
        out
    }

    /// Two signals of any stages: the earlier one is delayed.
    fn together(&mut self, a: Placed, b: Placed, f: impl FnOnce(Signal, Signal) -> Signal) -> Placed {
        let stage = a.1.max(b.1);
        let (x, y) = (if a.1 < stage { a.0.meet(b.0) } else { a.0 }, if b.1 < stage { b.0.meet(a.0) } else { b.0 });
        (f(x, y), stage)
    }

    fn combined(&mut self, a: Placed, b: Placed) -> Placed {
        let width = 1 + self.r.below(12);
        let (a, b) = ((self.fit(a.0, width), a.1), (self.fit(b.0, width), b.1));
        let kind = self.r.below(4);
        self.together(a, b, |a, b| match kind {
            0 => a + b,
            1 => a ^ b,
            2 => a.lt(b).mux(a, b),
            _ => a & !b,
        })
    }

    /// The sum of the items so far, with this one or without it.
    fn sum(&mut self, p: Pipeline, (x, stage): Placed) -> Placed {
        let value = self.r.bits(x.width());
        let sum = p.state(self.m.reg_reset(bits(x.width()), &Reset(value)), x);
        let rarely = self.r.once_in(2);
        let condition = if rarely { x.parity() } else { x.any() };
        self.m.when(condition, || sum.set(sum + x));
        if self.r.once_in(2) { (sum, stage) } else { (p.after(sum), stage + 1) }
    }
}
