//! Page list of the MMU: which pages are free, and which page of a stream follows which.
//!
//! One memory, a word for each page, holds the chains of the streams and the chain of free pages. A chain of any length comes back in one
//! step: its last page gets the first free one behind it. Pages that were never taken are only counted, so nothing is written after reset.
//!
//! | port | |
//! | --- | --- |
//! | `take` | a free page; `take_valid` and the page are registers |
//! | `link` | in the cycle of `valid`: page `to` follows `from` |
//! | `give` | a chain comes back: its first and last page, and how many there are; `give_ready` is 1 but for two cycles behind a `take` |
//! | `follow` | of each reader: a page, of which the next one is asked; ready for one of them each cycle |
//! | `next` | 2 cycles later: the page behind it |
//! | `free` | how many are free, as of 1 cycle ago |
//!
//! - `link` and `give` do not come in the same cycle. A page is followed only where it was linked, before.
//! - Parameters: those of [`MmuParams`]. Throughput: one `take` in 3 cycles, in 2 of pages that were never taken; one `give` or `link` a cycle.
//! - Combinational paths: `give_valid` to both `follow_ready`; `follow_0_valid` to `follow_1_ready`.
//! - After reset all pages are free.

use super::params::MmuParams;
use hdl::*;

/// Page `to` follows page `from`.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Link {
    /// It does from now on.
    pub valid: Signal,
    /// The last page so far.
    pub from: Signal,
    /// The new one.
    pub to: Signal,
}

/// The shape of a link.
pub fn link(p: MmuParams) -> Link {
    Link { valid: bits(1), from: bits(p.page_bits()), to: bits(p.page_bits()) }
}

/// Pages that follow each other.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Chain {
    /// The first one.
    pub first: Signal,
    /// The last one.
    pub last: Signal,
    /// How many there are, 1 at least.
    pub pages: Signal,
}

/// The shape of a chain.
pub fn chain(p: MmuParams) -> Chain {
    Chain { first: bits(p.page_bits()), last: bits(p.page_bits()), pages: bits(p.count_bits()) }
}

/// What follows a page.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Next {
    /// It is there.
    pub valid: Signal,
    /// The page.
    pub page: Signal,
}

/// The shape of what follows a page.
pub fn next(p: MmuParams) -> Next {
    Next { valid: bits(1), page: bits(p.page_bits()) }
}

ports! {
    /// Ports of a page list.
    pub struct PageListPorts(p: MmuParams) {
        /// A free page.
        output take: Stream = stream(bits(p.page_bits())),
        /// A page gets a follower.
        input link: Link = link(p),
        /// A chain comes back.
        input give: Stream<Chain> = stream(chain(p)),
        /// Pages of which the next ones are asked.
        input follow: [Stream; 2] = [stream(bits(p.page_bits())), stream(bits(p.page_bits()))],
        /// The answers.
        output next: [Next; 2] = [next(p), next(p)],
        /// Free pages.
        output free: Signal = bits(p.count_bits()),
    }
}

/// A page list.
#[module]
pub fn page_list(p: MmuParams) -> Result<Design<PageListPorts>, Errors> {
    let m = Module::new(format!("oaken_mmu_page_list_{}", p.pages));
    m.doc("Free pages, and the chains of pages of streams.");
    let io = PageListPorts::new(m, p);
    let links = m.memory(bits(p.page_bits()), p.pages as usize).style(RamStyle::Block);
    links.attribute("no_rw_check", ""); // what is followed was linked before

    m.section("the next free page: of the chain, or one that was never taken");
    let chain = FreeChain::new(m, p);
    let spare = m.reg_reset(bits(1), 0).comment("a free page is held");
    let page = m.reg(bits(p.page_bits()));
    io.take.valid.set(spare);
    io.take.payload.set(page);
    let fresh = m.reg_reset(bits(p.count_bits()), 0).comment("pages that were taken at least once");
    let fetching = m.reg_reset(bits(2), 0).comment("the follower of the page that was held last is on its way");
    let idle = !fetching.any() & !io.give.valid;
    let refills = !spare & idle; // not yet while one is taken: that is known late, and the RAM is far
    let from_chain = refills & chain.any;
    let from_fresh = refills & !chain.any & fresh.ne(p.pages);
    m.when(io.take.ready, || spare.set(false));
    m.when(from_chain | from_fresh, || {
        spare.set(true);
        page.set(chain.any.mux(chain.first, fresh.trunc(p.page_bits())));
    });
    m.when(from_fresh, || fresh.set(fresh + 1));

    m.section("reads: the free chain first, then who follows a chain");
    let asks = [from_chain, io.follow[0].valid, io.follow[1].valid];
    let address = asks[0].mux(chain.first, asks[1].mux(io.follow[0].payload, io.follow[1].payload));
    let granted = [from_chain, asks[1] & !asks[0], asks[2] & !asks[1] & !asks[0]];
    io.follow[0].ready.set(!asks[0]);
    io.follow[1].ready.set(!asks[0] & !asks[1]);
    let word = links.read_sync(address);
    let follower = m.reg(bits(p.page_bits())).comment("a block RAM is slow");
    follower.set(word);
    fetching.set(fetching.bit(0).cat(granted[0]));
    for (i, next) in io.next.into_iter().enumerate() {
        let comes = m.reg_reset(bits(2), 0).named(["first_comes", "second_comes"][i]);
        comes.set(comes.bit(0).cat(granted[i + 1]));
        next.set(Next { valid: comes.bit(1), page: follower });
    }

    m.section("writes: a stream grows, or a chain comes back");
    io.give.ready.set(!fetching.any());
    let gives = io.give.transfer();
    m.assert(!(io.link.valid & gives), "one word is written in a cycle");
    let from = gives.mux(io.give.payload.last, io.link.from);
    links.write(from, gives.mux(chain.first, io.link.to), gives | io.link.valid);
    let collides = Vector::of(asks).pack().any() & (gives | io.link.valid) & address.eq(from);
    m.assert(!collides, "no word is read in the cycle in which it is written");
    chain.change(m, gives, io.give.payload, [from_chain, fetching.bit(1)], follower);

    let free = m.reg_reset(bits(p.count_bits()), p.pages);
    let back = io.give.payload.pages & gives.repeat(p.count_bits());
    let taken = m.reg_reset(bits(1), 0).comment("a page was taken: told a cycle later, because that is late");
    taken.set(io.take.transfer());
    free.set(free + back - taken.zext(p.count_bits()));
    io.free.set(free);
    m.finish(io)
}

/// The chain of free pages.
struct FreeChain {
    any: Signal,
    pages: Signal,
    first: Signal,
}

impl FreeChain {
    #[module]
    fn new(m: Module, p: MmuParams) -> FreeChain {
        let pages = m.reg_reset(bits(p.count_bits()), 0).comment("pages of the free chain");
        let first = m.reg(bits(p.page_bits())).comment("its first one");
        let any =
            m.reg_reset(bits(1), 0).comment("there are some: a register, since the address of the RAM is made of it");
        m.assert(any.eq(pages.any()), "the flag says what the counter says");
        FreeChain { any, pages, first }
    }
    /// A chain comes in front, or the first page leaves, and its follower becomes the first one when it is there.
    fn change(&self, m: Module, gives: Signal, x: Chain, [leaves, arrives]: [Signal; 2], follower: Signal) {
        m.when(gives, || {
            self.first.set(x.first);
            self.pages.set(self.pages + x.pages);
            self.any.set(true);
        });
        m.when(arrives, || self.first.set(follower));
        m.when(leaves, || {
            self.pages.set(self.pages - 1);
            self.any.set(self.pages.ne(1));
        });
    }
}
