//! Pipelines between two streams: the valid bits, what moves when, and the way of `ready` back.

use super::bundle::Bundle;
use super::module::Module;
use super::pipeline::Pipeline;
use super::store;
use super::stream::Stream;
use crate::ir::*;
use std::panic::Location;

/// How a pipeline between two streams moves.
#[derive(Clone, Copy, Debug, Default)]
pub struct Elastic {
    /// `true`: a stage moves as soon as the next one is empty, so that gaps between items close while the end waits; each stage has an
    /// enable of its own. `false`: all stages move together whenever the last one is empty or is taken; one enable.
    pub collapse: bool,
    /// Throws away all items in the pipeline at the edge where this is 1, but for one that leaves in that cycle. Nothing enters then.
    /// The valid at the end may fall without a transfer, so who takes from there must know of it. State is not changed by what is
    /// thrown away, and otherwise stays as it is.
    pub flush: Option<Signal>,
}

impl Module {
    /// A pipeline between two streams. Gives the payload at stage 0; [`Pipeline::leave_stream`] ends it.
    ///
    /// Everything in it moves with its stage: delays, registers that the user declares (which only items change, each one once), words read
    /// from memories, writes to memories, instances. At each end, valid does not wait for ready; ready at the beginning depends on
    /// ready at the end within the cycle, through one gate for each stage if the pipeline collapses. With both ends willing, it takes and
    /// gives an item in every cycle.
    ///
    /// ```
    /// # use hdl::*;
    /// ports! {
    ///     struct P() {
    ///         input s: Stream<(Signal, Signal)> = stream((bits(8), bits(8))),
    ///         output m: Stream = stream(bits(16)),
    ///     }
    /// }
    /// # #[module]
    /// # fn example() -> Result<Design<P>, Errors> {
    /// # let m = Module::new("example");
    /// # let io = P::new(m);
    /// let (p, (a, b)) = m.pipeline_stream("multiply", io.s, Elastic { collapse: true, ..Elastic::default() });
    /// let product = (a * b).next();
    /// let total = p.state(m.reg_reset(bits(16), 0), product);
    /// total.set(total + product);         // once for each item
    /// p.leave_stream(p.after(total), io.m); // two stages
    /// # m.finish(io)
    /// # }
    /// # example().unwrap();
    /// ```
    #[track_caller]
    pub fn pipeline_stream<P: Bundle>(self, name: &str, from: Stream<P>, options: Elastic) -> (Pipeline, P) {
        let loc = Location::caller();
        let Elastic { collapse, flush } = options;
        if let Some(flush) = flush {
            flush.one_bit("what flushes a pipeline");
        }
        let ours = [from.valid, from.ready].into_iter().chain(flush);
        let signals: Vec<Signal> = ours.collect();
        let payload = from.payload.signals();
        let advance = store::with(self.key, loc, |b| {
            under_no_condition(b, name, "begins", loc);
            (b.check_same(&signals, loc) && b.can_be_ready(from.ready.id, loc)).then(|| {
                b.check_outside(from.valid.id, &format!("`valid` of the stream into pipeline `{name}`"), loc);
                if let Some(flush) = flush {
                    b.check_outside(flush.id, &format!("what flushes pipeline `{name}`"), loc);
                }
                let (valid, ready) = (from.valid.id, from.ready.id);
                let flush = flush.map(|f| f.id);
                let enters = payload.iter().filter(|s| s.key == b.def.key).map(|s| s.id).collect();
                ElasticData { collapse, flush, domain: b.domain, valid, ready, enters, ..ElasticData::default() }
            })
        });
        let advance = advance.flatten().map_or(Advance::Always, |elastic| Advance::Stream(Box::new(elastic)));
        let refused = !matches!(advance, Advance::Stream(_));
        let pipeline = self.pipe(name, advance);
        self.with(|b| b.staging.pipes[pipeline.index as usize].refused = refused);
        (pipeline, pipeline.enter(from.payload))
    }
}

/// A handshake at an end of a pipeline takes no condition: items would go lost where it does not apply.
fn under_no_condition(b: &mut Draft, name: &str, what: &str, loc: Loc) {
    if b.blocks.len() > 1 {
        let message = format!("pipeline `{name}` {what} under a condition, which its handshake would ignore");
        let help =
            "put it outside of `when` and `switch`, and the condition into `valid` and `ready` of the stream there";
        b.error(loc, message, vec![], Some(help.into()));
    }
}

impl Pipeline {
    /// Ends a pipeline that began with [`Module::pipeline_stream`]: `x` is the payload of `to` (an output port, the input of an instance,
    /// or a wire), with a transfer for each item.
    #[track_caller]
    pub fn leave_stream<P: Bundle>(self, x: P, to: Stream<P>) {
        let loc = Location::caller();
        let valid = store::with(self.module.key, loc, |b| {
            under_no_condition(b, &b.staging.pipes[self.index as usize].name.clone(), "leaves", loc);
            let stage = self.witness(b, &x.signals(), loc)?;
            (b.check_same(&[to.ready], loc) && self.may_leave(b, loc)).then(|| {
                let name = &b.staging.pipes[self.index as usize].name;
                b.check_outside(to.ready.id, &format!("`ready` of the stream out of pipeline `{name}`"), loc);
                let valid = b.elastic_leave(stage, x.signals().iter().map(|s| s.id).collect(), to.ready.id, loc);
                // another name, by which the assignment is known
                b.push(Op::Alias(valid), 1, loc)
            })
        });
        if let Some(id) = valid.flatten() {
            let valid = Signal { key: self.module.key, id, width: 1 };
            let payload = self.leave(x);
            to.valid.set(valid);
            to.payload.set(payload);
            let signals = [valid].into_iter().chain(payload.signals()).map(|s| s.id).collect();
            self.module.with(|b| b.elastic_leaves_with(self.index, signals));
        }
    }
    fn may_leave(self, b: &mut Draft, loc: Loc) -> bool {
        let (name, begins) =
            (b.staging.pipes[self.index as usize].name.clone(), b.staging.pipes[self.index as usize].loc);
        match b.elastic(self.index).map(|e| e.leaves) {
            Some(None) => return true,
            Some(Some(before)) => {
                let help =
                    "two ends cannot wait for each other: take one out with `leave`, or fork the stream behind the end";
                let notes = vec![(before.loc, "it left here")];
                b.error(loc, format!("pipeline `{name}` left already"), notes, Some(help.into()));
            }
            None if b.staging.pipes[self.index as usize].refused => {}
            None => {
                let help = "begin it with `pipeline_stream`, or take the values out with `leave`";
                let notes = vec![(begins, "it begins here")];
                b.error(loc, format!("pipeline `{name}` did not begin with a stream"), notes, Some(help.into()));
            }
        }
        false
    }
    /// One bit at the stage of `x`: an item is there. For a pipeline between streams.
    #[track_caller]
    pub fn occupied<B: Bundle>(self, x: B) -> Signal {
        self.tell(x, |b, stage| b.elastic_valid(stage), Location::caller())
    }
    /// One bit at the stage of `x`: the item there goes on at the next edge (or leaves), and is not thrown away. For a pipeline between
    /// streams.
    #[track_caller]
    pub fn moves<B: Bundle>(self, x: B) -> Signal {
        self.tell(x, |b, stage| b.elastic_moves(stage), Location::caller())
    }
    fn tell<B: Bundle>(self, x: B, what: impl FnOnce(&mut Draft, Stage) -> Id, loc: Loc) -> Signal {
        let id = store::with(self.module.key, loc, |b| {
            let Some(stage) = self.witness(b, &x.signals(), loc) else { return b.poison(1, loc) };
            if b.pipe(stage).refused {
                return b.poison(1, loc);
            }
            if b.elastic(self.index).is_none() {
                let message = format!("pipeline `{}` does not know where an item is", b.pipe(stage).name);
                let help =
                    "only one that begins with `pipeline_stream` does; in others the valid bit enters: `enter_valid`";
                b.error(loc, message, vec![], Some(help.into()));
                return b.poison(1, loc);
            }
            let told = what(b, stage);
            let id = b.push(Op::Alias(told), 1, loc);
            b.def.nodes[id as usize].stage = Some(stage);
            b.staging.gates.insert(id, Gate::Told);
            id
        });
        Signal { key: self.module.key, id: id.unwrap_or(0), width: 1 }
    }
}
