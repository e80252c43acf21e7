//! What the walker sees from a place in the ring: the chunk whose count is there, and whether the packet goes on.

use super::packet_ends::{PacketEnd, PacketEnds, packet_end};
use super::sparse_ring::*;
use super::types::*;
use super::walker_maps::{Looked, Maps, looked};
use super::walker_place::Place;
use hdl::*;

/// What is seen from the place.
#[derive(Clone, Copy, Bundle)]
pub struct Seen {
    /// The end of the packet is known.
    pub known: Signal,
    pub end: PacketEnd,
    /// The place is there, and its last word is not empty.
    pub at_the_end: Signal,
    /// Or behind it.
    pub past_the_end: Signal,
    /// Only that.
    pub beyond: Signal,
    /// The word of the byte before the place is the packet's last one.
    pub in_last_word: Signal,
    /// The word of the place is there.
    pub arrived: Signal,
    /// So is the word that begins there or behind it.
    pub next_arrived: Signal,
    /// It is the word that comes next.
    pub next_is_head: Signal,
    /// The chunk whose count is at the place.
    pub count: Looked,
    /// The first chunk of a record that begins with that word.
    pub first_count: Looked,
    /// The count of that chunk is not there.
    pub short: Signal,
}

fn seen_shape(p: EngineParams) -> Seen {
    let flag = bits(1);
    Seen {
        known: flag,
        end: packet_end(p),
        at_the_end: flag,
        past_the_end: flag,
        beyond: flag,
        in_last_word: flag,
        arrived: flag,
        next_arrived: flag,
        next_is_head: flag,
        count: looked(p),
        first_count: looked(p),
        short: flag,
    }
}

/// What is seen from a place; `newest` is the word before `head`.
#[module]
pub fn see(place: &Place, [head, newest]: [Signal; 2], ends: &PacketEnds, maps: &Maps, p: EngineParams) -> Seen {
    let (known, end) = (ends.known, ends.end);
    let Place { at: place, addresses, .. } = place;
    let (word, byte) = (place.drop_low(byte_bits(p)), place.trunc(byte_bits(p)));
    let within = byte.any();
    let next_word = within.mux(word + 1, word);
    let behind = *place - end.at;
    let past_the_end = known & !behind.msb();
    // words behind the one of the place
    let more = newest - word;
    let arrived = !more.msb();
    Seen {
        known,
        end,
        at_the_end: known & place.eq(end.at) & !end.empty,
        past_the_end,
        beyond: past_the_end & behind.any(),
        in_last_word: within.mux(end.last_word, end.next_word).eq(word),
        arrived,
        next_arrived: arrived & (!within | more.any()),
        next_is_head: !within & word.eq(head),
        count: maps.look_up(*place, addresses, p),
        first_count: first_count(maps, (word, next_word), within, p),
        short: maps.short.read(address(next_word, NEWEST)),
    }
}

/// The first chunk of the record that begins with the word of the place, or if the place is within it, with the one behind it.
#[module]
fn first_count(maps: &Maps, (word, next_word): (Signal, Signal), within: Signal, p: EngineParams) -> Looked {
    if p.chunk_beats() > 1 {
        return maps.first(next_word, p);
    }
    // both are looked at before it is known which
    within.mux(maps.first(word + 1, p), maps.first(word, p))
}

/// What may be acted on, and when: what was seen stands in a register where there is time for it.
#[module]
pub fn steady(m: Module, now: Seen, p: EngineParams) -> (Seen, Signal) {
    if p.chunk_beats() == 1 {
        return (now, m.lit(1u32, 1));
    }
    // a chunk has two cycles at least: one to look, and one to go on
    let seen = m.reg(seen_shape(p));
    seen.set(now);
    let fresh = m.reg_reset(bits(1), 0).comment("the place stood still since what is seen was looked at");
    (seen, fresh)
}
