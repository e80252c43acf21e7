//! Which of several ways was not used for long: a tree of bits (pseudo-LRU).
//!
//! The ways are the leaves of a binary tree. Each node holds a bit that points to the half that was not used last; the victim is
//! where the bits lead from the root. A use turns the bits on its path away from it.

use crate::build::{bits, cat, clog2};
use crate::ir::Signal;

/// The rule for so many ways: a power of two, also 1. It holds no state itself: the state is a signal, of a register or of a memory
/// with a word for each set.
///
/// ```
/// # use hdl::{logic::TreePlru, *};
/// # ports! { struct P() { input hit: Signal = bits(1), input way: Signal = bits(2), output victim: Signal = bits(2) } }
/// # #[module]
/// # fn example() -> Result<Design<P>, Errors> {
/// # let m = Module::new("example");
/// # let io = P::new(m);
/// let plru = TreePlru::new(4);
/// let ages = m.reg_reset(plru.state(), 0);
/// m.when(io.hit, || ages.set(plru.used(ages, io.way)));
/// io.victim.set(plru.victim(ages)); // never the way used last; every way within 4 uses of victims
/// # m.finish(io)
/// # }
/// # example().unwrap();
/// ```
///
/// Victim and state together: 5, 18, 36, 79 and 162 LUT4 for 4, 8, 16, 32 and 64 ways.
#[derive(Clone, Copy, Debug)]
pub struct TreePlru {
    ways: usize,
}

/// The most ways.
const MAX_WAYS: usize = 1 << 16;

impl TreePlru {
    /// A tree over `ways` ways. What is no power of two is reported by the functions below.
    pub fn new(ways: usize) -> TreePlru {
        TreePlru { ways }
    }
    /// The shape of the state: a bit for each node, `ways - 1` in all; for 1 way, 1 bit that means nothing. Any state is legal.
    pub fn state(self) -> Signal {
        bits(self.ways.clamp(2, MAX_WAYS) as u32 - 1)
    }
    /// Bits of the number of a way.
    fn levels(self) -> u32 {
        self.ways.max(1).ilog2()
    }
    /// Is all as it must be? If not, that is reported.
    #[track_caller]
    fn checked(self, state: Signal) -> bool {
        if !self.ways.is_power_of_two() || self.ways > MAX_WAYS {
            let ways = self.ways;
            state.fail(
                |_, _| format!("a tree cannot have {ways} ways"),
                Some(&format!("a power of two, from 1 to {MAX_WAYS}")),
            );
        } else if state.width() != self.state().width() {
            let (ways, wanted) = (self.ways, self.state().width());
            let what =
                |state: String| format!("the state of a tree over {ways} ways has {wanted} bits, this is {state}");
            state.fail(|b, id| what(b.describe(id)), Some("make it with the shape that `state()` gives"));
        } else {
            return true;
        }
        false
    }
    /// The way to replace, `clog2(ways)` bits.
    #[track_caller]
    pub fn victim(self, state: Signal) -> Signal {
        if !self.checked(state) {
            return state.poison(clog2(self.ways));
        }
        let mut way: Option<Signal> = None;
        for level in 0..self.levels() {
            let nodes = state.bits((2 << level) - 2, (1 << level) - 1);
            way = Some(match way {
                None => nodes,
                Some(way) if level == 1 => way.cat(way.mux(nodes.bit(1), nodes.bit(0))),
                Some(way) => way.cat(nodes.part(way, 1)),
            });
        }
        way.unwrap_or(state.zeros(1))
    }
    /// The state after a use of `way`, which is `clog2(ways)` bits.
    #[track_caller]
    pub fn used(self, state: Signal, way: Signal) -> Signal {
        let wanted = clog2(self.ways);
        if way.width() != wanted {
            let ways = self.ways;
            let what = |way: String| format!("the number of one of {ways} ways has {wanted} bits, this is {way}");
            way.fail(|b, id| what(b.describe(id)), Some("cut or widen it with `trunc` or `zext`"));
        }
        if !self.checked(state) || way.width() != wanted {
            return state.poison(state.width());
        }
        let mut nodes = vec![];
        for level in 0..self.levels() {
            let away = !way.bit(wanted - 1 - level);
            for node in 0..1u32 << level {
                let old = state.bit((1 << level) - 1 + node);
                nodes.push(match level {
                    0 => away,
                    1 => {
                        if node == 0 {
                            way.msb().mux(old, away)
                        } else {
                            way.msb().mux(away, old)
                        }
                    }
                    _ => way.drop_low(wanted - level).eq(node).mux(away, old),
                });
            }
        }
        nodes.reverse();
        if nodes.is_empty() { way & way.zeros(wanted) } else { cat(&nodes) }
    }
}
