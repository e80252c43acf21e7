//! `switch`: assignments for each value of a signal, a bundle or a state.

use super::bundle::{Bundle, Selector};
use super::control::BlockEnd;
use super::module::Module;
use super::number::Value;
use super::store;
use crate::ir::*;
use num_bigint::BigUint;
use rustc_hash::FxHashMap as HashMap;
use std::collections::hash_map::Entry;
use std::panic::Location;

/// The arms of a `switch` on a signal, a bundle or a state.
pub struct Switch<B> {
    module: Module,
    selector: B,
    /// All of the selector.
    packed: Signal,
    /// The enum of a state, an index into the module's.
    states: Option<u32>,
    arms: Vec<Arm>,
    /// The codes of all arms, and where they stand.
    listed: HashMap<BigUint, Loc>,
    default: Option<Vec<Stmt>>,
    /// The block of the closure.
    block: u32,
    loc: Loc,
}

impl Module {
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
    ///
    /// Of a [state](crate::State), every variant needs a case, or there is a default: a variant that is added later and forgotten
    /// here is an error. Where all have one, a code that no variant has (3 states in 2 bits) goes the way of the last case; with a
    /// default, its way.
    #[track_caller]
    pub fn switch<B: Bundle>(self, selector: B, f: impl FnOnce(&mut Switch<B>)) {
        let loc = Location::caller();
        let packed = selector.pack();
        if !store::with(self.key, loc, |b| b.check_same(&[packed], loc)).unwrap_or(false) {
            return;
        }
        let states = match selector.selector() {
            Selector::Bits => None,
            Selector::State(e) => Some(self.with(|b| b.enum_index(&e))),
            Selector::Tagged => {
                let help = "use `m.match_tag`, or switch over its `tag`";
                let message = "`switch` does not look into a tagged union".to_string();
                return self.with(|b| b.error(loc, message, vec![], Some(help.into())));
            }
        };
        let block = self.with(|b| {
            b.open_block(packed.id);
            b.block_number()
        });
        let mut s = Switch {
            module: self,
            selector,
            packed,
            states,
            arms: vec![],
            listed: HashMap::default(),
            default: None,
            block,
            loc,
        };
        f(&mut s);
        let Switch { arms, default, .. } = s;
        self.with(|b| {
            let outside = b.close_block();
            b.check_outside_of_cases(&outside, loc);
            b.add_switch(Cases { selector: packed.id, states, arms, default }, loc);
        });
    }
}

impl<B: Bundle> Switch<B> {
    /// The arm for one value.
    #[track_caller]
    pub fn case<R: BlockEnd>(&mut self, value: impl Value<B>, f: impl FnOnce() -> R) {
        self.case_any([value], f);
    }
    /// The arm for several values; for none, as a generator may come to, it never applies.
    #[track_caller]
    pub fn case_any<V: Value<B>, R: BlockEnd>(&mut self, values: impl IntoIterator<Item = V>, f: impl FnOnce() -> R) {
        let loc = Location::caller();
        self.in_own_block("case", loc);
        let mut ids = vec![];
        for value in values {
            let value = value.like(&self.selector).pack();
            ids.push(self.case_value(value, loc));
        }
        let block = self.module.block(self.packed.id, f);
        self.arms.push((ids, block));
    }
    /// An arm under a condition of its own would lose that.
    fn in_own_block(&self, word: &str, loc: Loc) {
        self.module.with(|b| {
            if b.block_number() != self.block {
                let notes = vec![(self.loc, "the `switch` is here")];
                let help = "put it into the closure of its `switch`, and the condition into the arm";
                b.error(loc, format!("`{word}` stands in another block than its `switch`"), notes, Some(help.into()));
            }
        });
    }
    /// Checks a value: it can be one of the selector's, and has no arm yet.
    fn case_value(&mut self, value: Signal, loc: Loc) -> Id {
        self.module.with(|b| {
            if !b.check_same(&[value], loc) {
                return b.poison(self.packed.width, loc);
            }
            let states = self.states.map(|e| &b.def.enums[e as usize]);
            match b.constant(value.id) {
                None if b.node(value.id).op == Op::Poison => {}
                None => {
                    let help = "compare with `when`: `m.when(x.eq(y), || ..)`";
                    b.error(
                        loc,
                        format!("the case {} is not a constant", b.describe(value.id)),
                        vec![],
                        Some(help.into()),
                    );
                }
                Some(_) if value.width != self.packed.width => b.width_error("case", self.packed.id, value.id, loc),
                Some(code) => match states.filter(|e| e.with_code(code).is_none()) {
                    Some(e) => {
                        let message = format!("the case {} is no variant of `{}`", b.label(value.id), e.name);
                        let names: Vec<String> = e.variants.iter().map(|v| format!("`{}`", v.name)).collect();
                        b.error(loc, message, vec![], Some(format!("its variants are {}", names.join(", "))));
                    }
                    None => match self.listed.entry(code.clone()) {
                        Entry::Vacant(first) => drop(first.insert(loc)),
                        Entry::Occupied(first) => {
                            let message = format!("the case {} stands twice", b.label(value.id));
                            let help = "each value has one case; `case_any` gives several values one";
                            b.error(loc, message, vec![(first.get(), "it stands here already")], Some(help.into()));
                        }
                    },
                },
            }
            value.id
        })
    }
    /// The arm for all other values; of a state also for the codes that no variant has.
    #[track_caller]
    pub fn default<R: BlockEnd>(&mut self, f: impl FnOnce() -> R) {
        self.in_own_block("default", Location::caller());
        if self.default.is_some() {
            let loc = Location::caller();
            self.module.with(|b| {
                let help = "put what they do into one";
                b.error(loc, "a `switch` has one default".into(), vec![], Some(help.into()))
            });
        }
        self.default = Some(self.module.block(self.packed.id, f));
    }
}
