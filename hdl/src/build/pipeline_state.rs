//! What stays in a pipeline while items pass: state of a stage, and ways back from a later stage.

use super::bundle::Bundle;
use super::pipeline::Pipeline;
use super::store;
use crate::ir::*;
use rustc_hash::FxHashSet as HashSet;
use std::panic::Location;

impl Pipeline {
    /// Marks registers as state of the stage of `at`: they are read there, as the items before left them, and written from there.
    /// Without the mark a register is one stage behind what it is assigned, as [`Staged::next`](super::Staged::next) is.
    ///
    /// Of a register file, all elements are. In a pipeline that stands they hold; between streams, only items change them, each one once.
    ///
    /// ```
    /// # use hdl::{engine::Engine, sim::Simulator, *};
    /// # ports! { struct P() { input x: Signal = bits(8), input there: Signal = bits(1), output y: Signal = bits(8) } }
    /// # #[module]
    /// # fn example() -> Result<Design<P>, Errors> {
    /// # let m = Module::new("example");
    /// # let io = P::new(m);
    /// let p = m.pipeline("sum");
    /// let x = p.enter(io.x).next();
    /// let there = p.enter_valid(io.there).next();
    /// let sum = p.state(m.reg_reset(bits(8), 0), x);
    /// m.when(there, || sum.set(sum + x));
    /// io.y.set(p.leave(p.after(sum))); // with this item, one stage later
    /// # m.finish(io)
    /// # }
    /// # let mut sim = Simulator::new(&example()?);
    /// # sim.reset(2);
    /// # for (x, there) in [(1, 1), (2, 1), (4, 0), (8, 1), (0, 0)] {
    /// # sim.poke(0, x);
    /// # sim.poke(1, there);
    /// # sim.step();
    /// # }
    /// # assert_eq!(sim.peek(2), 1 + 2 + 8);
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn state<B: Bundle, A: Bundle>(self, state: B, at: A) -> B {
        self.mark(state, at, Mark::State, Location::caller())
    }
    /// Marks registers or wires as a way back: they are read at the stage of `at` and written at a later one. An item does not see
    /// what the few before it wrote; through a wire, it sees what is there in the same cycle. That this is meant is what the mark says.
    #[track_caller]
    pub fn feedback<B: Bundle, A: Bundle>(self, back: B, at: A) -> B {
        self.mark(back, at, Mark::Feedback, Location::caller())
    }
    fn mark<B: Bundle, A: Bundle>(self, state: B, at: A, mark: Mark, loc: Loc) -> B {
        let key = self.module.key;
        let stage = store::with(key, loc, |b| self.witness(b, &at.signals(), loc)).flatten();
        let Some(stage) = stage else { return state };
        let (mut files, mut refused) = (HashSet::default(), HashSet::default());
        state.each(&mut |_, _, s| {
            let marked = store::with(key, loc, |b| {
                if !b.check_same(&[s], loc) {
                    return true;
                }
                // all elements of a register file are one register
                match b.file_of(s.id) {
                    Some(file) if files.insert(file) => b.mark(file, stage, mark, loc),
                    Some(_) => true,
                    None => b.mark(s.id, stage, mark, loc),
                }
            });
            if marked == Some(false) {
                refused.insert(s.id);
            }
        });
        // of what cannot be marked, nothing else is said
        match refused.is_empty() {
            true => state,
            false => state.map(&mut |_, _, s| if refused.contains(&s.id) { s.poison(s.width) } else { s }),
        }
    }
    /// The stage that signals are at, in this pipeline.
    pub(super) fn witness(self, b: &mut Draft, of: &[Signal], loc: Loc) -> Option<Stage> {
        if !b.check_same(of, loc) {
            return None;
        }
        let ids: Vec<Id> = of.iter().map(|s| s.id).collect();
        let stage = b.merge_stages(&ids, loc).ok()?;
        let stage = stage.filter(|s| s.pipe == self.index && s.at.is_some());
        if stage.is_none() && ids.iter().all(|id| b.node(*id).op != Op::Poison) {
            let what = ids.first().map_or("a bundle without fields".into(), |id| b.describe(*id));
            let message = format!("{what} is at no stage of pipeline `{}`", b.staging.pipes[self.index as usize].name);
            b.error(loc, message, vec![], Some("give a signal that entered it, to say which stage is meant".into()));
        }
        stage
    }
    /// State as the item leaves it that is at its stage: one stage later.
    #[track_caller]
    pub fn after<B: Bundle>(self, state: B) -> B {
        let loc = Location::caller();
        state.map(&mut |_, _, s| {
            let id = store::with(self.module.key, loc, |b| match b.check_same(&[s], loc) {
                true => b.after(s.id, loc),
                false => b.poison(s.width, loc),
            });
            Signal { id: id.unwrap_or(0), key: self.module.key, ..s }
        })
    }
}
