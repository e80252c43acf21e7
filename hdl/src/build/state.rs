//! State enums: `#[derive(Clone, Copy, State)] enum Phase { Idle, Run }`, printed with a localparam for each state.

use super::bundle::{Bundle, Selector};
use super::module::Module;
use super::naming::{Nameable, name_fields};
use super::number::Value;
use super::signal::bits;
use super::state_fields::tell_state;
use super::store;
use crate::ir::*;
use std::any::TypeId;
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
    /// The Rust module in which it is declared: what tells enums of one name apart in the Verilog.
    const MODULE: &'static str;
    /// Names of the variants, in their order.
    const VARIANTS: &'static [&'static str];
    /// Their codes.
    const ENCODING: Encoding;
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
    StateSignal { code: bits(E::ENCODING.width(E::VARIANTS.len())), kind: PhantomData }
}

fn description<E: State>() -> StateEnum {
    let type_id = TypeId::of::<E>();
    StateEnum { type_id, name: E::NAME, module: E::MODULE, variants: E::VARIANTS, encoding: E::ENCODING }
}

impl<E: State> Bundle for StateSignal<E> {
    fn selector(&self) -> Selector {
        Selector::State(description::<E>())
    }
    fn each(&self, f: &mut dyn FnMut(&str, bool, Signal)) {
        f("", false, self.code)
    }
    fn map(&self, f: &mut dyn FnMut(&str, bool, Signal) -> Signal) -> Self {
        let code = f("", false, self.code);
        store::of_number(code, description::<E>);
        tell_state(code, description::<E>);
        StateSignal { code, kind: PhantomData }
    }
}

impl<E: State> Nameable for StateSignal<E> {
    fn take_name(&self, name: &str) {
        name_fields(self, name);
    }
}

impl<E: State> StateSignal<E> {
    /// One bit: is it in this state? Of a one-hot encoding, this looks at a single bit.
    #[track_caller]
    pub fn is(&self, variant: E) -> Signal {
        match E::ENCODING {
            Encoding::OneHot => self.code.bit(variant.index() as u32),
            _ => self.code.eq(variant.like(self).code),
        }
    }
    /// One bit: is the code that of a variant? Of an input, or of a register that nothing reset, it may be another one.
    #[track_caller]
    pub fn is_legal(&self) -> Signal {
        let loc = Location::caller();
        self.code.build(1, loc, |b| {
            let e = b.enum_index(&description::<E>());
            if b.def.enums[e as usize].every_code() {
                return b.share(SharedKey::Const(1u32.into(), 1), Op::Const(1u32.into()), 1, loc);
            }
            let hits: Vec<Id> = (0..E::VARIANTS.len() as u32)
                .map(|v| {
                    let variant = b.variant(e, v, loc);
                    b.make(Op::Bin(BinOp::Eq, self.code.id, variant), 1, loc)
                })
                .collect();
            let any = hits.into_iter().reduce(|x, y| b.make(Op::Bin(BinOp::Or, x, y), 1, loc));
            any.unwrap_or_else(|| b.poison(1, loc))
        })
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
        let code = like.code.build(like.code.width, loc, |b| {
            let e = b.enum_index(&description::<E>());
            b.variant(e, self.index() as u32, loc)
        });
        StateSignal { code, kind: PhantomData }
    }
}

impl Module {
    /// A state as a constant signal: as a field of a bundle, or where another state is chosen by `mux`.
    #[track_caller]
    pub fn lit_state<E: State>(self, state: E) -> StateSignal<E> {
        let loc = Location::caller();
        let code = store::with(self.key, loc, |b| {
            let e = b.enum_index(&description::<E>());
            Signal { key: self.key, id: b.variant(e, state.index() as u32, loc), width: b.def.enums[e as usize].width }
        });
        StateSignal {
            code: code.unwrap_or_else(|| self.lit(0u32, E::ENCODING.width(E::VARIANTS.len()))),
            kind: PhantomData,
        }
    }
    /// A state register that starts in `reset`.
    #[track_caller]
    pub fn state<E: State>(self, reset: E) -> StateSignal<E> {
        self.reg_reset_to(state(), reset)
    }
}

/// The bits of the codes that a state enum gives, at least `least` if that is not 0. For derived states, at compile time.
///
/// # Panics
/// If a code is negative, has more than 64 bits, or more than `least`; or if that is more than 64.
#[doc(hidden)]
pub const fn code_width(codes: &[i128], least: u32) -> u32 {
    assert!(least <= 64, "the number of a state has at most 64 bits");
    let (mut largest, mut i) = (1, 0);
    while i < codes.len() {
        assert!(codes[i] >= 0, "the number of a state is negative");
        assert!(codes[i] <= u64::MAX as i128, "the number of a state has more than 64 bits");
        if codes[i] > largest {
            largest = codes[i];
        }
        i += 1;
    }
    let width = largest.ilog2() + 1;
    assert!(
        least == 0 || width <= least,
        "the number of a state does not fit in the `width` of `#[state(width = ..)]`"
    );
    if least > width { least } else { width }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_of_codes() {
        assert_eq!([code_width(&[0], 0), code_width(&[4, 11, 5], 0), code_width(&[1], 7)], [1, 4, 7]);
        assert_eq!(code_width(&[u64::MAX as i128], 64), 64);
    }

    #[test]
    fn codes_without_room() {
        let refuses = |codes: &'static [i128], least: u32, message: &str| {
            let panic = std::panic::catch_unwind(|| code_width(codes, least)).expect_err("it does not fit");
            let text = panic.downcast_ref::<&str>().expect("a text");
            assert!(text.contains(message), "{text}");
        };
        refuses(&[3, -1], 0, "is negative");
        refuses(&[1 << 64], 0, "has more than 64 bits");
        refuses(&[4], 2, "does not fit in the `width`");
        refuses(&[4], 65, "has at most 64 bits");
    }
}
