//! The next lookups of a lane that shares banks with another one: every cycle it looks up the oldest one that it may.
//!
//! | port | |
//! | --- | --- |
//! | `s` | lookups in their order; `s_ready` depends on `turn` and `other` within the cycle |
//! | `turn` | the lane takes its oldest lookup; else the oldest one in another bank than `other` |
//! | `other` | the bank of the other lane's oldest lookup, if it has one |
//! | `oldest` | that of this lane; from registers |
//! | `request` | a lookup that is made now; registers |
//!
//! - Parameters: those of [`BankedParams`]. [`WINDOW`] lookups are seen. Latency: 2 cycles where nothing waits. Throughput: a lookup a cycle.
//! - Combinational paths: from `turn` and `other` to `s_ready`.

use super::banked_types::*;
use hdl::logic::{mux1h, only_first_one};
use hdl::*;

ports! {
    /// Ports of a window.
    pub struct LaneWindowPorts(p: BankedParams) {
        /// Lookups.
        input s: Stream<Wanted> = stream(wanted(p)),
        /// The lane goes first.
        input turn: Signal = bits(1),
        /// What the other lane would look up.
        input other: BankChoice = bank_choice(p),
        /// What this lane would.
        output oldest: BankChoice = bank_choice(p),
        /// What it does.
        output request: Request = Request { valid: bits(1), wanted: wanted(p) },
    }
}

/// A window.
#[module]
pub fn lane_window(p: BankedParams) -> Result<Design<LaneWindowPorts>, Errors> {
    let m = Module::new(format!("lane_window_{}x{}", p.cache.entries, p.banks));
    m.doc("The next lookups of a lane: of those in a bank that is free, the oldest one is made.");
    let io = LaneWindowPorts::new(m, p);

    m.section("the oldest one is the first");
    let there = m.reg_reset(bits(WINDOW), 0);
    let waiting = m.reg(vector(wanted(p), WINDOW as usize));
    let first = only_first_one(there);
    let banks: Vec<Signal> = waiting.into_iter().map(|w| w.bank).collect();
    io.oldest.set(BankChoice { valid: there.any(), bank: mux1h(first, &banks) });

    m.section("one of them is made");
    let blocked = !io.turn & io.other.valid;
    let free: Vec<Signal> = banks.iter().map(|bank| !(blocked & bank.eq(io.other.bank))).collect();
    let may = there & Vector::of(free).pack();
    let chosen = only_first_one(may);
    let valid = m.reg_reset(bits(1), 0);
    let made = m.reg(wanted(p));
    valid.set(may.any());
    let all: Vec<Wanted> = waiting.into_iter().collect();
    made.set(mux1h(chosen, &all));
    io.request.set(Request { valid, wanted: made });

    m.section("those behind a gap move up");
    let stays = there & !chosen;
    let moves: Vec<Signal> = (0..WINDOW).map(|place| !stays.trunc(place + 1).all()).collect();
    let next: Vec<Signal> = (0..WINDOW as usize)
        .map(|place| {
            let (comes, behind) = match waiting.into_iter().nth(place + 1) {
                Some(behind) => (stays.bit(place as u32 + 1), behind),
                None => (io.s.valid, io.s.payload),
            };
            m.when(moves[place], || waiting[place].set(behind));
            comes | !moves[place]
        })
        .collect();
    there.set(Vector::of(next).pack());
    io.s.ready.set(moves[WINDOW as usize - 1]);
    m.finish(io)
}
