//! What stands between the parts of H2M2's MMU, with two requesters and parts that do what the prover likes: nobody gets what another one asked for.
//!
//! A result goes to the requester and to the slot that asked, four cycles behind: the first one is what the TLB says of that page, the second one what
//! the walk of that miss found. The TLB is asked for that page, and walks are for who missed it. Of the TLB is taken for granted what its own proof says.

use super::h2m2_mmu::{SMALL, ago};
use super::{Engine, Proof};
use crate::checkers::stalls_at_most;
use hdl::{Bundle, Design, Errors, Module, Signal, Stream, bits, module, stream};
use hw::h2m2::entry::refusal;
use hw::h2m2::invalidation::InvalidationPorts;
use hw::h2m2::mmu::{MmuPorts, Parts, connect};
use hw::h2m2::params::{MmuParams, SLOTS, cause};
use hw::h2m2::requester::{RequesterPorts, SlotResult};
use hw::h2m2::tlb::{Look, TlbPorts};
use hw::h2m2::types::*;
use hw::h2m2::walks::WalksPorts;
use hw::memory::axi::{AxiRead, axi_read};

/// What a part gives, as the prover likes; what it gets can be assigned.
fn gives<B: Bundle>(m: Module, shape: B) -> B {
    shape.map(&mut |_, flipped, s| if flipped { m.wire(bits(s.width())) } else { m.anyseq(s.width()) })
}

/// What a part gets.
fn gets<B: Bundle>(m: Module, shape: B) -> B {
    shape.map(&mut |_, flipped, s| if flipped { m.anyseq(s.width()) } else { m.wire(bits(s.width())) })
}

fn any_requester(m: Module, p: MmuParams) -> RequesterPorts {
    let flag = bits(1);
    RequesterPorts {
        s: gets(m, stream(request(p))),
        asks: gives(m, flag),
        asker: gives(m, Asker { requester: flag, ..asker(p) }),
        leaves: gives(m, flag),
        granted: gets(m, flag),
        result: gets(m, SlotResult { valid: flag, first: flag, slot: bits(SLOTS.ilog2()), outcome: lookup_outcome(p) }),
        m: Stream { valid: m.anyseq(1) & !m.in_reset(), ..gives(m, stream(translation(p))) },
        release: gets(m, release()),
        epoch: gets(m, flag),
        epoch_flips: gets(m, flag),
        answered: gives(m, flag),
        unused: gives(m, bits(2)),
        idle: gives(m, flag),
    }
}

fn any_tlb(m: Module, p: MmuParams) -> TlbPorts {
    let flag = bits(1);
    TlbPorts {
        look: gets(m, Look { valid: flag, page: bits(p.number_bits()), write: flag }),
        look_void: gets(m, flag),
        found: gives(m, flag),
        allowed: gives(m, flag),
        moving: gives(m, flag),
        frame: gives(m, bits(p.frame_bits())),
        side: gives(m, bits(2)),
        place: gives(m, set_place(p)),
        fill: gets(m, stream(fill(p))),
        flush_set: gets(m, stream(bits(p.set_bits()))),
        hold: gives(m, flag),
    }
}

fn any_walks(m: Module, p: MmuParams) -> WalksPorts {
    let flag = bits(1);
    WalksPorts {
        miss_valid: gets(m, flag),
        miss: gets(m, miss(p)),
        replay: gives(m, stream(replay(p))),
        fill: gives(m, stream(fill(p))),
        wanted: None,
        ahead: None,
        cancel: gets(m, flag),
        base: gets(m, bits(p.physical_bits - hw::h2m2::params::TABLE_BITS)),
        m_axi: AxiRead { arvalid: m.anyseq(1) & !m.in_reset(), ..gives(m, axi_read(p.axi())) },
    }
}

fn any_invalidation(m: Module, p: MmuParams) -> InvalidationPorts {
    let flag = bits(1);
    InvalidationPorts {
        pages: gets(m, stream(pages(p))),
        cancel: gives(m, flag),
        flush_set: gives(m, stream(bits(p.set_bits()))),
        epoch_flips: gives(m, flag),
        epoch: gives(m, flag),
        answered: gets(m, flag),
        unused: gets(m, bits(2)),
        done: gives(m, flag),
        drained: gives(m, flag),
        starts: gives(m, flag),
    }
}

/// Cycles from a request that is granted, or a miss that comes again, to its result.
const RESULT: u32 = 4;

/// What its own proof says of the TLB.
fn tlb_keeps_its_word(m: Module, tlb: TlbPorts) {
    let void = ago(m, 2, tlb.look_void, 0);
    m.assume(!void | !(tlb.found | tlb.allowed | tlb.moving), "a lookup that does not count finds nothing");
    m.assume(!tlb.allowed | tlb.found, "what is allowed is found");
    m.assume(tlb.allowed | (!tlb.frame.any() & !tlb.side.any()), "what is not allowed has no address");
}

/// The first result of a request.
#[module]
fn first_result(m: Module, io: MmuPorts, parts: Parts, mine: RequesterPorts) -> Signal {
    let tlb = parts.tlb;
    let Asker { slot, page, write, .. } = mine.asker;
    let [looks, comes] = [1, RESULT].map(|cycles| ago(m, cycles, mine.granted, 0));
    let asked = ago(m, 1, page, 0);
    m.assert(!mine.granted | mine.asks, "who does not ask is not granted");
    let same = tlb.look.page.eq(asked) & tlb.look.write.eq(ago(m, 1, write, 0));
    m.assert(!looks | (tlb.look.valid & same), "the page of who is granted is looked up");
    let leaves = ago(m, 1, mine.leaves, 0);
    let beyond = asked.zext(io.pages.width()).ge(io.pages);
    m.assert(
        !ago(m, 1, looks, 0) | tlb.look_void.eq(ago(m, 1, leaves | beyond, 0)),
        "or is void, where it does not count",
    );

    let SlotResult { valid, first, slot: to, outcome } = mine.result;
    m.assert((valid & first).eq(comes), "a request has one first result, in the fourth cycle, and nobody else has it");
    m.assert(!comes | to.eq(ago(m, RESULT, slot, 0)), "its slot has it");
    let [leaves, beyond] = [leaves, beyond].map(|x| ago(m, RESULT - 1, x, 0));
    let number = |cause: u32| m.lit(cause, 3);
    let of_entry = tlb.allowed.mux(number(cause::NONE), refusal(tlb.moving));
    let cause = tlb.found.mux(of_entry, number(cause::NONE));
    let cause = leaves.mux(number(cause::LEAVES), beyond.mux(number(cause::BEYOND), cause));
    m.assert(
        !comes | outcome.cause.eq(cause),
        "a first result says what the TLB says of its page, or why it was not asked",
    );
    let address = outcome.frame.eq(tlb.frame) & outcome.side.eq(tlb.side);
    m.assert(!comes | address, "with the address that the TLB found for it, if it did");
    m.assert(!comes | outcome.waits.eq(!(leaves | beyond | tlb.found)), "it waits if the TLB has no entry of its page");
    comes & outcome.waits
}

/// The second result of a request that waited.
#[module]
fn second_result(m: Module, parts: Parts, mine: RequesterPorts, number: u32) {
    let replay = parts.walks.replay;
    let SlotResult { valid, first, slot, outcome } = mine.result;
    let comes = ago(m, RESULT, replay.transfer() & replay.payload.asker.requester.eq(number), 0);
    let Replay { asker, walked, .. } = replay.payload.unpack(ago(m, RESULT, replay.payload.pack(), 0));
    m.assert((valid & !first).eq(comes), "a miss has its result when it comes again, and nobody else has it");
    m.assert(!comes | slot.eq(asker.slot), "the slot that missed has it");
    let allowed = !walked.cause.any() & walked.permitted.allows(asker.write);
    let refused = refusal(walked.permitted.waits(asker.write));
    let cause = walked.cause.any().mux(walked.cause, allowed.mux(m.lit(cause::NONE, 3), refused));
    m.assert(!comes | (outcome.cause.eq(cause) & !outcome.waits), "it says what its walk found");
    let LookupOutcome { side, frame, .. } = outcome;
    let address = frame.eq(walked.permitted.frame) & side.eq(walked.permitted.side);
    m.assert(
        !comes | allowed.mux(address, !frame.any() & !side.any()),
        "with the address of its walk, if that permits it",
    );
}

/// What is between the parts.
#[module]
fn pipeline_proof(p: MmuParams) -> Result<Design<()>, Errors> {
    let m = Module::new("prove_h2m2_pipeline");
    let io = MmuPorts::new(m, p);
    let requesters: Vec<RequesterPorts> = (0..p.requesters).map(|_| any_requester(m, p)).collect();
    let (tlb, walks, invalidation) = (any_tlb(m, p), any_walks(m, p), any_invalidation(m, p));
    let parts = Parts { requesters: &requesters, tlb, walks, invalidation, prefetch: None };
    connect(m, io, parts, p);
    tlb_keeps_its_word(m, tlb);

    let open = io.enable & !invalidation.starts & !tlb.hold & !walks.replay.valid;
    let mut missed = vec![];
    for (number, mine) in (0..).zip(requesters.iter().copied()) {
        m.section(&format!("requester {number}"));
        missed.push(first_result(m, io, parts, mine));
        second_result(m, parts, mine, number);
        let Miss { asker, place } = walks.miss;
        let missing = missed.last().copied().expect("it was pushed");
        let asked = Asker { requester: m.lit(number, p.requester_bits()), ..mine.asker }.pack();
        let same = asker.pack().eq(ago(m, RESULT, asked, 0)) & place.pack().eq(tlb.place.pack());
        m.assert(!missing | (walks.miss_valid & same), "who waits has a walk for its page, its slot and what it wants");
        let waits = mine.asks & open & !mine.granted;
        stalls_at_most(
            m,
            waits,
            p.requesters - 1,
            "while requests are taken, each other requester goes first once at most",
        );
    }
    m.section("all together");
    let any = |list: &[Signal]| list.iter().copied().reduce(|a, b| a | b).expect("there are requesters");
    m.assert(walks.miss_valid.eq(any(&missed)), "there is no walk that nobody waits for");
    let results: Vec<Signal> = requesters.iter().map(|r| r.result.valid).collect();
    m.assert(!(results[0] & results[1]), "a result has one requester");
    for (name, result) in ["first", "second"].into_iter().zip(&requesters) {
        m.cover(result.result.valid & !result.result.first, &format!("the {name} requester has the result of a walk"));
    }
    m.cover(missed[1] & ago(m, 1, missed[0], 0), "both requesters miss one after the other");
    Ok(m.finish(io)?.erase())
}

pub fn proofs() -> Result<Vec<Proof>, Errors> {
    Ok(vec![Proof {
        name: "h2m2_pipeline".into(),
        part: "pipeline of H2M2's MMU, 2 requesters".into(),
        design: pipeline_proof(SMALL)?,
        engine: Engine::Pdr,
        cover_depth: 12,
    }])
}
