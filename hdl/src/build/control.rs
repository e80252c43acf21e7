//! `when`: assignments under a condition.

use super::module::Module;
use super::store;
use crate::ir::*;
use std::panic::Location;

/// What `when` returns, for `elsewhen` and `otherwise`.
pub struct When {
    module: Module,
    /// Where the `if` stands in its block.
    at: usize,
    cond: Id,
}

impl Module {
    pub(crate) fn block<R>(self, cond: Id, f: impl FnOnce() -> R) -> Vec<Stmt> {
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
