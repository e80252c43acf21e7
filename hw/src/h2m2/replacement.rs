//! Which way of a set a new entry takes. It is chosen when its page is missed, from what the set held then.

use super::params::{MmuParams, Replacement};
use super::types::SetPlace;
use hdl::logic::{TreePlru, first_one, index_of_one_hot};
use hdl::{Bundle, Module, RamStyle, Signal, bits, clog2, module};

/// What a policy looks at.
pub struct Policy {
    /// The set.
    pub set: Signal,
    /// The way that has the page, one bit for each; or none.
    pub used: Signal,
    /// There is a lookup.
    pub look: Signal,
}

impl Policy {
    /// Where a new entry goes. `rounds` are the marks of the entries of the set, one bit for each.
    #[module]
    pub fn place(&self, m: Module, rounds: Signal, p: MmuParams) -> SetPlace {
        match p.replacement {
            _ if p.ways == 1 => SetPlace { way: m.lit(0u32, 1), round: m.lit(0u32, 1) },
            Replacement::Fifo => next_in_turn(m, rounds),
            Replacement::Random => SetPlace { way: any_way(m, clog2(p.ways as usize)), round: m.lit(0u32, 1) },
            Replacement::TreePlru => SetPlace { way: self.least_used(m, p), round: m.lit(0u32, 1) },
        }
    }

    /// The least recently used way by a tree of bits for each set, which hits write.
    #[module]
    fn least_used(&self, m: Module, p: MmuParams) -> Signal {
        let plru = TreePlru::new(p.ways as usize);
        let trees = m.memory(plru.state(), p.sets() as usize).style(RamStyle::Distributed);
        let tree = trees.read(self.set);
        let victim = plru.victim(tree);
        let hit = self.used.any();
        let way = hit.mux(index_of_one_hot(self.used), victim);
        // a miss counts as a use of the way that it will fill
        trees.write(self.set, plru.used(tree, way), self.look);
        victim
    }
}

/// Ways are filled in turn, each with the mark of the round: the next one is the first with another mark than way 0, or way 0 with another mark.
/// An emptied set has equal marks.
#[module]
fn next_in_turn(m: Module, rounds: Signal) -> SetPlace {
    let mark = rounds.bit(0);
    let other = first_one(rounds ^ mark.repeat(rounds.width()));
    let way = other.any.mux(other.index, m.lit(0u32, other.index.width()));
    SetPlace { way, round: other.any.mux(mark, !mark) }
}

/// The low bits of a counter by a polynomial of full length.
#[module]
fn any_way(m: Module, width: u32) -> Signal {
    let state = m.reg_reset(bits(16), 1);
    state.set(state.trunc(15).cat(state.bit(15) ^ state.bit(14) ^ state.bit(12) ^ state.bit(3)));
    state.trunc(width)
}
