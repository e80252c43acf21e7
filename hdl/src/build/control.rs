//! `when`: assignments under a condition.

use super::module::Module;
use super::store;
use crate::ir::*;
use std::panic::Location;

/// What `when` returns, for `elsewhen` and `otherwise`, which belong to the same block as the `when`.
///
/// They apply where they stand: an assignment between them and the `when` is overridden by them, as by everything that comes later.
pub struct When {
    module: Module,
    /// The block in which the `if` stands, and where in it.
    block: u32,
    at: usize,
    /// The conditions so far.
    conds: Vec<Id>,
    loc: Loc,
}

/// What the closures of `when` and `switch` may give: nothing, or another `when`. What else they give would be lost, such as an
/// error of a function that is called in them.
#[diagnostic::on_unimplemented(
    message = "the block of a `when` or `switch` gives `{Self}`, which would be lost",
    note = "a `Result` is taken care of before the block; what may be lost ends with `;`"
)]
pub trait BlockEnd {}
impl BlockEnd for () {}
impl BlockEnd for When {}

impl Module {
    pub(crate) fn block<R: BlockEnd>(self, cond: Id, f: impl FnOnce() -> R) -> Vec<Stmt> {
        self.with(|b| b.open_block(cond));
        store::enter_condition(self.key);
        f();
        store::leave_condition();
        self.with(|b| b.close_block())
    }
    /// The condition, if it is a signal of this module; if not, that is reported, and something stands in its place.
    #[track_caller]
    fn condition(self, cond: Signal) -> Id {
        let loc = Location::caller();
        if store::with(self.key, loc, |b| b.check_same(&[cond], loc)) == Some(true) {
            cond.one_bit("a condition");
            return cond.id;
        }
        store::with(self.key, loc, |b| b.poison(1, loc)).unwrap_or(0)
    }
    /// Assignments made inside `f` apply only when `cond` is 1.
    ///
    /// ```
    /// # use hdl::{engine::Engine, sim::Simulator, *};
    /// # ports! { struct P() { input up: Signal = bits(1), input down: Signal = bits(1), output level: Signal = bits(4) } }
    /// # #[module]
    /// # fn level() -> Result<Design<P>, Errors> {
    /// # let m = Module::new("up_and_down");
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
    pub fn when<R: BlockEnd>(self, cond: Signal, f: impl FnOnce() -> R) -> When {
        let cond = self.condition(cond);
        let then = self.block(cond, f);
        let (block, at) = self.with(|b| {
            b.block().push(Stmt::If { cond, then, otherwise: vec![] });
            (b.block_number(), b.block().len() - 1)
        });
        When { module: self, block, at, conds: vec![cond], loc: Location::caller() }
    }
}

/// What is built in a module under a `when` or `switch` of another one would ignore it.
pub(super) fn check_conditions(b: &mut Draft, what: &str, loc: Loc) {
    if store::foreign_condition(b.def.key) {
        let message = format!("{what} stands under a condition of another module, which it would ignore");
        b.error(loc, message, vec![], Some("each module has its own `when` and `switch`".into()));
    }
}

impl When {
    /// Puts `block` into the innermost open `else` of the `if`; into an `if` of its own, with the same conditions, if what was written
    /// in between assigns the same.
    fn attach(mut self, word: &str, block: Vec<Stmt>, loc: Loc) -> When {
        fn innermost(stmt: &mut Stmt, block: Vec<Stmt>) {
            if let Stmt::If { otherwise, .. } = stmt {
                match otherwise.first_mut() {
                    Some(next) => innermost(next, block),
                    None => *otherwise = block,
                }
            }
        }
        store::with(self.module.key, loc, |b| {
            if b.block_number() != self.block {
                let notes = vec![(self.loc, "the `when` is here")];
                let help = format!("put it behind the `when`: `m.when(..).{word}(..)`");
                return b.error(loc, format!("`{word}` stands in another block than its `when`"), notes, Some(help));
            }
            let targets = Stmt::targets(&block);
            let between = &b.block()[self.at + 1..];
            if between.iter().any(|stmt| targets.iter().any(|target| stmt.touches(*target))) {
                let nest = |block, cond: &Id| vec![Stmt::If { cond: *cond, then: vec![], otherwise: block }];
                let again = self.conds.iter().rev().fold(block, nest);
                self.at = b.block().len();
                b.block().extend(again);
            } else if let Some(stmt) = b.block().get_mut(self.at) {
                innermost(stmt, block);
            }
        });
        self
    }
    /// Applies where the conditions before are 0 and this one is 1.
    #[track_caller]
    pub fn elsewhen<R: BlockEnd>(self, cond: Signal, f: impl FnOnce() -> R) -> When {
        let cond = self.module.condition(cond);
        let then = self.module.block(cond, f);
        let stmt = Stmt::If { cond, then, otherwise: vec![] };
        let mut when = self.attach("elsewhen", vec![stmt], Location::caller());
        when.conds.push(cond);
        when
    }
    /// Applies where all conditions before are 0.
    #[track_caller]
    pub fn otherwise<R: BlockEnd>(self, f: impl FnOnce() -> R) {
        // it stands under the first condition too: for the stages of a pipeline
        let block = self.module.block(self.conds[0], f);
        self.attach("otherwise", block, Location::caller());
    }
}
