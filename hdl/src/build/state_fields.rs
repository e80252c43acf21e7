//! Which bits of a shape hold states: numbers that are given for them (contents of memories, values of resets) are codes of such.

use super::bundle::{Bundle, lowest_bits};
use crate::ir::*;
use num_bigint::BigUint;
use std::cell::RefCell;

/// The fields of a shape that hold states, with their lowest bits in what [`Bundle::pack`] gives.
#[derive(Default)]
pub(super) struct StateFields {
    states: Vec<(u32, StateEnum)>,
    unions: Vec<Union>,
}

/// A tagged union: the lowest bits of its tag and payload, and for each variant the states in the payload.
struct Union {
    tag: u32,
    names: StateEnum,
    payload: u32,
    variants: Vec<StateFields>,
}

/// A field that holds the code of no state.
pub(super) struct NoState {
    pub code: BigUint,
    pub of: Enum,
    /// It is a field of a variant of a tagged union.
    pub in_union: bool,
}

/// What a shape tells of itself while its fields are made anew; fields are known by the numbers of their signals.
#[derive(Default)]
struct Told {
    states: Vec<(Id, StateEnum)>,
    unions: Vec<(Id, StateEnum, Id, Vec<StateFields>)>,
}

thread_local! {
    /// Innermost last.
    static LISTENING: RefCell<Vec<Told>> = const { RefCell::new(vec![]) };
}

/// A state signal was made by a closure of [`Bundle::map`].
pub(super) fn tell_state(code: Signal, of: impl FnOnce() -> StateEnum) {
    LISTENING.with_borrow_mut(|all| {
        if let Some(told) = all.last_mut() {
            told.states.push((code.id, of()));
        }
    });
}

/// A tagged union was.
pub(super) fn tell_union(tag: Signal, names: StateEnum, payload: Signal, variants: impl FnOnce() -> Vec<StateFields>) {
    if LISTENING.with_borrow(|all| !all.is_empty()) {
        let variants = variants();
        LISTENING.with_borrow_mut(|all| {
            if let Some(told) = all.last_mut() {
                told.unions.push((tag.id, names, payload.id, variants));
            }
        });
    }
}

impl StateFields {
    /// Those of a shape.
    pub fn of<B: Bundle>(shape: &B) -> StateFields {
        if shape.wide_width() > MAX_WIDTH {
            return StateFields::default(); // reported where it is declared
        }
        StateFields::among(&lowest_bits(shape), |f| {
            shape.map(&mut |_, _, s| f(s));
        })
    }
    /// Those of a list of fields that begin at these bits; `each` calls its argument with each field, which is made anew.
    pub fn among(lows: &[u32], each: impl FnOnce(&mut dyn FnMut(Signal) -> Signal)) -> StateFields {
        LISTENING.with_borrow_mut(|all| all.push(Told::default()));
        let mut count = 0;
        each(&mut |s| {
            count += 1;
            Signal { key: BLANK, id: count - 1, width: s.width }
        });
        let told = LISTENING.with_borrow_mut(Vec::pop).unwrap_or_default();
        let low = |id: Id| lows.get(id as usize).copied().unwrap_or(0);
        let union = |(tag, names, payload, variants)| Union { tag: low(tag), names, payload: low(payload), variants };
        StateFields {
            states: told.states.into_iter().map(|(id, of)| (low(id), of)).collect(),
            unions: told.unions.into_iter().map(union).collect(),
        }
    }
    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.states.is_empty() && self.unions.is_empty()
    }
    /// The first field of these bits that holds no state.
    pub fn wrong(&self, word: &BigUint) -> Option<NoState> {
        let state = |(low, of): &(u32, StateEnum)| {
            let of = Enum::new(of);
            let code = (word >> low) & fold::ones(of.width);
            of.with_code(&code).is_none().then_some(NoState { code, of, in_union: false })
        };
        let in_union = |union: &Union| {
            let names = Enum::new(&union.names);
            let variant = names.with_code(&((word >> union.tag) & fold::ones(names.width)))?;
            let wrong = union.variants.get(variant)?.wrong(&(word >> union.payload))?;
            Some(NoState { in_union: true, ..wrong })
        };
        self.states.iter().find_map(state).or_else(|| self.unions.iter().find_map(in_union))
    }
}
