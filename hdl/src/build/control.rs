//! `when` and `switch`: assignments under conditions.

use super::bundle::Bundle;
use super::module::Module;
use super::number::Value;
use super::store;
use crate::ir::*;
use std::collections::HashSet;
use std::panic::Location;

/// What `when` returns, for `elsewhen` and `otherwise`.
pub struct When {
    module: Module,
    /// Where the `if` stands in its block.
    at: usize,
    cond: Id,
}

/// The arms of a `switch` on a signal or a state.
pub struct Switch<B> {
    module: Module,
    selector: B,
    arms: Vec<(Vec<Id>, Vec<Stmt>)>,
    /// The values of all arms.
    listed: HashSet<Id>,
    default: Option<Vec<Stmt>>,
}

impl Module {
    fn block<R>(self, cond: Id, f: impl FnOnce() -> R) -> Vec<Stmt> {
        self.with(|b| {
            b.blocks.push(vec![]);
            b.conds.push(cond);
        });
        f();
        self.with(|b| {
            b.conds.pop();
            b.blocks.pop().unwrap_or_default()
        })
    }
    #[track_caller]
    fn condition(self, cond: Signal) {
        cond.one_bit("a condition");
        let loc = Location::caller();
        store::with(self.key, loc, |b| b.check_same(&[cond], loc));
    }
    /// Assignments made inside `f` apply only when `cond` is 1.
    ///
    /// ```
    /// # use hdl::{engine::Engine, sim::Simulator, *};
    /// # ports! { struct P() { input up: Signal = bits(1), input down: Signal = bits(1), output level: Signal = bits(4) } }
    /// # #[module]
    /// # fn level() -> Result<Design<P>, Errors> {
    /// # let m = Module::new("level");
    /// # let io = P::new(m);
    /// let level = m.reg_reset(bits(4), 0); // without an assignment it keeps its value
    /// m.when(io.up, || level.set(level + 1)).elsewhen(io.down, || level.set(level - 1));
    /// # io.level.set(level);
    /// # m.finish(io)
    /// # }
    /// # let design = level()?;
    /// # let mut sim = Simulator::new(&design);
    /// # let [up, down, level] = ["up", "down", "level"].map(|name| sim.port(name).unwrap());
    /// # sim.reset(1);
    /// # for (wanted_up, wanted_down, value) in [(1, 0, 1), (1, 1, 2), (0, 0, 2), (0, 1, 1)] {
    /// # sim.poke(up, wanted_up);
    /// # sim.poke(down, wanted_down);
    /// # sim.step();
    /// # assert_eq!(sim.peek(level), value);
    /// # }
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn when<R>(self, cond: Signal, f: impl FnOnce() -> R) -> When {
        self.condition(cond);
        let then = self.block(cond.id, f);
        let at = self.with(|b| {
            b.block().push(Stmt::If { cond: cond.id, then, otherwise: vec![] });
            b.block().len() - 1
        });
        When { module: self, at, cond: cond.id }
    }
    /// Assignments made inside an arm apply only when the selector has one of its values.
    ///
    /// ```
    /// # use hdl::{engine::Engine, sim::Simulator, *};
    /// # ports! { struct P() { input op: Signal = bits(2), input a: Signal = bits(8), output y: Signal = bits(8) } }
    /// # #[module]
    /// # fn unit() -> Result<Design<P>, Errors> {
    /// # let m = Module::new("unit");
    /// # let io = P::new(m);
    /// let y = m.wire(bits(8));
    /// m.switch(io.op, |s| {
    ///     s.case(0u32, || y.set(io.a + 1));
    ///     s.case_any([1u32, 2], || y.set(!io.a));
    ///     s.default(|| y.set(io.a)); // left out, `y` would be a latch: an error
    /// });
    /// # io.y.set(y);
    /// # m.finish(io)
    /// # }
    /// # let design = unit()?;
    /// # let mut sim = Simulator::new(&design);
    /// # let [op, a, y] = ["op", "a", "y"].map(|name| sim.port(name).unwrap());
    /// # sim.poke(a, 5);
    /// # for (op_is, value) in [(0, 6), (1, 250), (2, 250), (3, 5)] {
    /// # sim.poke(op, op_is);
    /// # assert_eq!(sim.peek(y), value);
    /// # }
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn switch<B: Bundle>(self, selector: B, f: impl FnOnce(&mut Switch<B>)) {
        let mut s = Switch { module: self, selector, arms: vec![], listed: HashSet::new(), default: None };
        f(&mut s);
        let (arms, default) = (s.arms, s.default);
        let id = selector.pack().id;
        self.with(|b| b.block().push(Stmt::Case { selector: id, arms, default }));
    }
}

impl When {
    /// Puts `block` into the innermost open `else` of the `if`.
    fn attach(self, block: Vec<Stmt>) -> When {
        fn innermost(stmt: &mut Stmt, block: Vec<Stmt>) {
            if let Stmt::If { otherwise, .. } = stmt {
                match otherwise.first_mut() {
                    Some(next) => innermost(next, block),
                    None => *otherwise = block,
                }
            }
        }
        self.module.with(|b| b.block().get_mut(self.at).map(|stmt| innermost(stmt, block)));
        self
    }
    /// Applies where the conditions before are 0 and this one is 1.
    #[track_caller]
    pub fn elsewhen<R>(self, cond: Signal, f: impl FnOnce() -> R) -> When {
        self.module.condition(cond);
        let then = self.module.block(cond.id, f);
        self.attach(vec![Stmt::If { cond: cond.id, then, otherwise: vec![] }])
    }
    /// Applies where all conditions before are 0.
    #[track_caller]
    pub fn otherwise<R>(self, f: impl FnOnce() -> R) {
        // it stands under the first condition too: for the stages of a pipeline
        let block = self.module.block(self.cond, f);
        self.attach(block);
    }
}

impl<B: Bundle> Switch<B> {
    /// The arm for one value.
    #[track_caller]
    pub fn case<R>(&mut self, value: impl Value<B>, f: impl FnOnce() -> R) {
        self.case_any([value], f);
    }
    /// The arm for several values.
    #[track_caller]
    pub fn case_any<V: Value<B>, R>(&mut self, values: impl IntoIterator<Item = V>, f: impl FnOnce() -> R) {
        let loc = Location::caller();
        let mut ids = vec![];
        for value in values {
            let s = value.like(&self.selector).pack();
            self.module.with(|b| {
                if !matches!(b.node(s.id).op, Op::Const(_) | Op::Variant(..) | Op::Poison) {
                    b.error(loc, format!("the case {} is not a constant", b.describe(s.id)), vec![], None);
                }
            });
            ids.push(s.id);
        }
        let selector = self.selector.pack().id;
        let block = self.module.block(selector, f);
        self.module.with(|b| {
            for id in ids.iter().filter(|id| self.listed.contains(id)) {
                b.error(loc, format!("the case {} stands twice", b.label(*id)), vec![], None);
            }
        });
        self.listed.extend(&ids);
        self.arms.push((ids, block));
    }
    /// The arm for all other values.
    pub fn default<R>(&mut self, f: impl FnOnce() -> R) {
        let selector = self.selector.pack().id;
        self.default = Some(self.module.block(selector, f));
    }
}
