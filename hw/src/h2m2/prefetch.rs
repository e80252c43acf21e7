//! Next-page prefetch: when a miss begins the walk of a page, the page behind it is looked up in a cycle that nobody else needs; if the TLB
//! does not have it, it is to be walked, too.
//!
//! | port | |
//! | --- | --- |
//! | `walked_valid`, `walked` | a miss begins the walk of this page |
//! | `asks`, `page` | registers: a page is to be looked up, and which one |
//! | `granted` | it is looked up from this cycle on |
//! | `looked_valid`, `missed`, `place` | what came of that lookup: it is not in the TLB, and where its entry goes |
//! | `wanted` | a page to be walked, and its place; taken in a cycle where `wanted_ready` is 1 |
//! | `idle` | register: no lookup is on its way, and no page is to be walked |
//!
//! - One page at a time. A page that is not looked up yet gives way to that of a later walk: a requester that runs ahead needs the last one.
//! - The last page of the address space has none behind it.
//! - Parameters: those of [`MmuParams`]. Latency: a lookup may begin in the cycle after `walked`, and `wanted` follows `missed` by a cycle.
//!   Combinational paths: none.

use super::params::*;
use super::types::*;
use hdl::*;

ports! {
    /// Ports of [`prefetch`].
    pub struct PrefetchPorts(p: MmuParams) {
        /// A walk begins for a miss.
        input walked_valid: Signal = bits(1),
        /// Its page.
        input walked: Signal = bits(p.number_bits()),
        /// A page is to be looked up.
        output asks: Signal = bits(1),
        /// That page.
        output page: Signal = bits(p.number_bits()),
        /// It is looked up.
        input granted: Signal = bits(1),
        /// Its lookup is over.
        input looked_valid: Signal = bits(1),
        /// It is in the table, and not in the TLB.
        input missed: Signal = bits(1),
        /// For its entry.
        input place: SetPlace = set_place(p),
        /// To be walked.
        output wanted: Stream<Wanted> = stream(wanted(p)),
        /// Nothing is under way.
        output idle: Signal = bits(1),
    }
}

#[derive(Clone, Copy, State)]
enum Phase {
    /// Nothing is under way; a page may be pending.
    Idle,
    /// It is looked up.
    Look,
    /// It is to be walked.
    Want,
}

/// The prefetch of the next page.
#[module]
pub fn prefetch(p: MmuParams) -> Result<Design<PrefetchPorts>, Errors> {
    let m = Module::new(p.name("h2m2_prefetch"));
    m.doc("Chooses pages to be walked before they are asked for.");
    let io = PrefetchPorts::new(m, p);
    let phase = m.state(Phase::Idle);
    let pending = m.reg_reset(bits(1), 0).comment("a page is to be looked up");
    let next = m.reg(bits(p.number_bits()));
    let (page, place) = (m.reg(bits(p.number_bits())), m.reg(io.place));
    m.switch(phase, |s| {
        s.case(Phase::Idle, || {
            page.set(next);
            m.when(io.granted, || {
                phase.set(Phase::Look);
                pending.set(false);
            });
        });
        s.case(Phase::Look, || {
            place.set(io.place);
            m.when(io.looked_valid, || phase.set(Phase::Idle));
            m.when(io.looked_valid & io.missed, || phase.set(Phase::Want));
        });
        s.case(Phase::Want, || m.when(io.wanted.ready, || phase.set(Phase::Idle)));
    });
    m.when(io.walked_valid, || {
        pending.set(!io.walked.all());
        next.set(io.walked + 1);
    });
    io.asks.set(pending & phase.is(Phase::Idle));
    io.page.set(next);
    io.wanted.valid.set(phase.is(Phase::Want));
    io.wanted.payload.set(Wanted { page, place });
    io.idle.set(phase.is(Phase::Idle));
    m.assert(!io.granted | io.asks, "only what asks is granted");
    m.finish(io)
}
