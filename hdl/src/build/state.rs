//! State enums: `#[derive(Clone, Copy, State)] enum Phase { Idle, Run }`, printed with a localparam for each state.

use super::bundle::Bundle;
use super::module::Module;
use super::naming::{Nameable, name_fields};
use super::number::Value;
use super::signal::{bits, clog2};
use super::store;
use crate::ir::*;
use std::marker::PhantomData;
use std::panic::Location;

/// An enum without fields whose variants are states; derive it.
///
/// ```
/// # use hdl::*;
/// # ports! { struct P() { input go: Signal = bits(1), output busy: Signal = bits(1) } }
/// #[derive(Clone, Copy, State)] // printed as localparams
/// enum Phase { Idle, Run, Flush }
/// # #[module]
/// # fn example() -> Result<Design<P>, Errors> {
/// # let m = Module::new("example");
/// # let io = P::new(m);
/// let phase = m.state(Phase::Idle); // a register, with its state after reset
/// m.switch(phase, |s| {
///     s.case(Phase::Idle, || m.when(io.go, || phase.set(Phase::Run)));
///     s.case(Phase::Run, || phase.set(Phase::Flush));
///     s.default(|| phase.set(Phase::Idle));
/// });
/// io.busy.set(!phase.is(Phase::Idle));
/// # m.finish(io)
/// # }
/// # example().unwrap();
/// ```
pub trait State: Copy + 'static {
    /// Name of the enum.
    const NAME: &'static str;
    /// Names of the variants, in their order; a variant's code is its index.
    const VARIANTS: &'static [&'static str];
    /// Index of this variant.
    fn index(self) -> usize;
}

/// A signal that holds a state.
#[derive(Debug)]
pub struct StateSignal<E> {
    code: Signal,
    kind: PhantomData<fn() -> E>,
}

impl<E> Clone for StateSignal<E> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<E> Copy for StateSignal<E> {}

/// The shape of a state signal.
pub fn state<E: State>() -> StateSignal<E> {
    StateSignal { code: bits(clog2(E::VARIANTS.len())), kind: PhantomData }
}

impl<E: State> Bundle for StateSignal<E> {
    fn each(&self, f: &mut dyn FnMut(&str, bool, Signal)) {
        f("", false, self.code)
    }
    fn map(&self, f: &mut dyn FnMut(&str, bool, Signal) -> Signal) -> Self {
        StateSignal { code: f("", false, self.code), kind: PhantomData }
    }
}

impl<E: State> Nameable for StateSignal<E> {
    fn take_name(&self, name: &str) {
        name_fields(self, name);
    }
}

impl<E: State> StateSignal<E> {
    /// One bit: is it in this state?
    #[track_caller]
    pub fn is(&self, variant: E) -> Signal {
        self.code.eq(variant.like(self).code)
    }
    /// The code of the state.
    pub fn code(&self) -> Signal {
        self.code
    }
}

impl<E: State> Value<StateSignal<E>> for E {
    #[track_caller]
    fn like(self, like: &StateSignal<E>) -> StateSignal<E> {
        let loc = Location::caller();
        let width = like.code.width;
        let id = store::with(like.code.key, loc, |b| {
            let index = b.def.enums.iter().position(|e| e.name == E::NAME).unwrap_or_else(|| {
                let variants = E::VARIANTS.iter().enumerate().map(|(i, v)| (v.to_string(), i as u64)).collect();
                b.def.enums.push(Enum { name: E::NAME.into(), width, variants });
                b.def.enums.len() - 1
            });
            let (e, v) = (index as u32, self.index() as u32);
            b.share(SharedKey::Variant(e, v), Op::Variant(e, v), width, loc)
        });
        StateSignal { code: Signal { id: id.unwrap_or(0), ..like.code }, kind: PhantomData }
    }
}

impl Module {
    /// A state register that starts in `reset`.
    #[track_caller]
    pub fn state<E: State>(self, reset: E) -> StateSignal<E> {
        let loc = Location::caller();
        let reg: StateSignal<E> = self.reg(state::<E>());
        let value = reset.like(&reg);
        self.with(|b| b.set_reset(reg.code.id, value.code.id, loc));
        reg
    }
}
