//! Properties of both engines: what they are told while they work does not reach the vectors under way. (That no more of them are under
//! way than there is room for, and none leaves that did not begin, the counters state themselves: [`hdl::logic::UpDown::count`].)

use hdl::{Module, Signal, module};

/// States that `used`, the settings in use, is the same at an edge as at the one before at which vectors were `under_way`, among them the
/// one that begins there.
#[module]
pub fn stays_while(m: Module, used: Signal, under_way: Signal) {
    let (before, held) = (m.past(used), m.past(under_way) & m.past_valid());
    m.assert(!held | used.eq(before), "the settings in use stay while a vector is under way");
    m.cover(m.past_valid() & used.ne(before), "the settings in use change");
}
