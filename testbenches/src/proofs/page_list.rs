//! The page list of Oaken's MMU, with two streams that grow page by page and give pages back: no page has two owners, none is lost,
//! and what follows a page is the one that was linked behind it.

use super::{Engine, Proof};
use crate::checkers::{Side, sends_by_the_rules, stalls_at_most};
use hdl::{Bundle, Design, Elements, Errors, Module, Signal, Vector, bits, module, vector};
use hw::memory::axi::AxiParams;
use hw::oaken::mmu::page_list::{Chain, PageListPorts, page_list};
use hw::oaken::mmu::params::MmuParams;

/// Pages that there are.
const PAGES: u32 = 4;

/// An MMU of so few pages; of the other parameters the page list uses none.
fn params() -> MmuParams {
    MmuParams {
        axi: AxiParams { data_bytes: 8, address_bits: 16, id_bits: 0 },
        page_bytes: 1024,
        pages: PAGES,
        requests: 1,
        layers: 1,
        heads: 1,
        head_elements: 64,
        key_bits: 4,
        value_bits: 4,
        tokens: 1,
        tag_bits: 1,
        outstanding: 1,
    }
}

/// The pages that a stream has, in their order.
#[derive(Clone, Copy, Bundle)]
struct Owned {
    pages: Vector<Signal>,
    count: Signal,
}

impl Owned {
    #[module]
    fn new(m: Module, p: MmuParams) -> Owned {
        let pages = m.reg(vector(bits(p.page_bits()), p.pages as usize));
        let count = m.reg_reset(bits(p.count_bits()), 0);
        Owned { pages, count }
    }
    /// Is this page among them?
    fn has(self, page: Signal) -> Signal {
        let there = self.pages.into_iter().zip(0u32..).map(|(own, i)| self.count.gt(i) & own.eq(page));
        there.reduce(|a, b| a | b).expect("there are pages")
    }
    /// The last one.
    fn last(self, p: MmuParams) -> Signal {
        self.pages.at(self.count.trunc(p.page_bits()) - 1)
    }
    /// Gets a page, or loses the last one, or all of them.
    fn change(self, m: Module, p: MmuParams, page: Signal, [gets, gives, all]: [Signal; 3]) {
        m.when(gets, || {
            self.pages.at(self.count.trunc(p.page_bits())).set(page);
            self.count.set(self.count + 1);
        });
        m.when(gives, || self.count.set((self.count - 1) & (!all).repeat(self.count.width())));
    }
}

/// What two streams do, as the prover likes: each takes pages, links them behind its last one, and gives its last page or all
/// of them back.
#[module]
fn streams(m: Module, io: PageListPorts, p: MmuParams) -> [Owned; 2] {
    let owned = [Owned::new(m, p), Owned::new(m, p)];
    let (takes, gives, all) = (m.anyseq(1), m.anyseq(1), m.anyseq(1));
    let (taker, giver) = (Vector::of(owned).at(takes), Vector::of(owned).at(gives));

    m.section("a page is taken");
    let taken = io.take.transfer();
    m.assume(io.link.valid.eq(taken & taker.count.any()), "it is linked, unless it is the first one of its stream");
    m.assume(!io.link.valid | io.link.from.eq(taker.last(p)), "it follows the last one");
    m.assume(!io.link.valid | io.link.to.eq(io.take.payload), "it follows, and no other");

    m.section("pages come back");
    let Chain { first, last, pages } = io.give.payload;
    let begin = all.mux(giver.pages[0], giver.last(p));
    let number = all.mux(giver.count, m.lit(1u32, p.count_bits()));
    m.assume(!io.give.valid | giver.count.any(), "a stream without pages gives none");
    m.assume(!io.give.valid | first.eq(begin), "a chain begins with the first page, or is the last one");
    m.assume(!io.give.valid | last.eq(giver.last(p)), "it ends with the last one");
    m.assume(!io.give.valid | pages.eq(number), "it has so many pages");
    m.assume(!(io.link.valid & io.give.valid), "`link` and `give` do not come in the same cycle");
    sends_by_the_rules(m, io.give, Side::Surroundings);
    for (own, number) in owned.into_iter().zip(0u32..) {
        let (gets, loses) = (taken & takes.eq(number), io.give.transfer() & gives.eq(number));
        own.change(m, p, io.take.payload, [gets, loses, all]);
    }
    owned
}

/// A reader asks for the page behind any one that a stream has; two cycles later it gets it.
#[module]
fn follows(m: Module, io: PageListPorts, number: usize, owned: [Owned; 2], p: MmuParams) {
    let (whose, place) = (m.anyseq(1), m.anyseq(p.page_bits()));
    let own = Vector::of(owned).at(whose);
    let (follow, next) = (io.follow[number], io.next[number]);
    let behind = place + 1;
    m.assume(!follow.valid | (behind.any() & own.count.gt(behind.zext(p.count_bits()))), "there is one behind");
    m.assume(!follow.valid | follow.payload.eq(own.pages.at(place)), "any page of a stream");
    let later = |x: Signal| {
        let [first, second] = [m.reg(x.shape()), m.reg(x.shape())];
        first.set(x);
        second.set(first);
        second
    };
    let comes = [m.reg_reset(bits(1), 0), m.reg_reset(bits(1), 0)];
    comes[0].set(follow.transfer());
    comes[1].set(comes[0]);
    let page = later(own.pages.at(behind));
    m.assert(next.valid.eq(comes[1]), "each page that is asked for is answered 2 cycles later");
    m.assert(!comes[1] | next.page.eq(page), "what follows a page is the one that was linked behind it");
    m.cover(comes[1] & page.ne(0), "a page is followed");
}

/// The page list between two streams and two readers.
#[module]
fn page_list_proof() -> Result<Design<()>, Errors> {
    let m = Module::new("prove_page_list");
    let p = params();
    let io = PageListPorts::new(m, p);
    let part = m.instance(&page_list(p)?);
    io.take.set(part.take);
    part.link.set(io.link);
    part.give.set(io.give);
    for i in 0..2 {
        part.follow[i].set(io.follow[i]);
        io.next[i].set(part.next[i]);
    }
    io.free.set(part.free);
    let owned = streams(m, io, p);
    let count = owned[0].count + owned[1].count;
    sends_by_the_rules(m, io.take, Side::Part);

    m.section("any one page");
    let page = m.anyconst(p.page_bits());
    let is_owned = owned[0].has(page) | owned[1].has(page);
    m.assert(!(io.take.valid & io.take.payload.eq(page) & is_owned), "no page is handed out while it is owned");
    m.assert(!(owned[0].has(page) & owned[1].has(page)), "no page has two owners");

    m.section("all of them");
    let was_taken = m.reg_reset(bits(1), 0);
    was_taken.set(io.take.transfer());
    let told = count - was_taken.zext(p.count_bits());
    m.assert(
        (io.free + told).eq(p.pages),
        "free and owned pages are all pages; a page that was taken is counted a cycle later",
    );
    m.cover(count.eq(p.pages), "all pages are taken");

    m.section("bounded waiting");
    let some = count.ne(p.pages);
    stalls_at_most(m, some & !io.take.valid, 5, "while a page is free, one is handed out");
    stalls_at_most(m, io.give.valid & !io.give.ready, 2, "a chain is taken");
    stalls_at_most(m, io.follow[0].valid & !io.follow[0].ready, 1, "the first reader is answered");
    let alone = !io.follow[0].valid;
    stalls_at_most(
        m,
        io.follow[1].valid & alone & !io.follow[1].ready,
        1,
        "the second reader is answered, if the first one does not ask",
    );

    m.section("what can happen");
    let again = m.reg_reset(bits(1), 0).comment("a chain of two pages or more came back");
    m.when(io.give.transfer() & io.give.payload.pages.gt(1), || again.set(true));
    m.cover(again & count.eq(p.pages), "pages that came back are taken again, all of them");
    for i in 0..2 {
        follows(m, io, i, owned, p);
    }
    Ok(m.finish(io)?.erase())
}

pub fn proofs() -> Result<Vec<Proof>, Errors> {
    Ok(vec![Proof {
        name: "page_list".into(),
        part: format!("Oaken's page list, {PAGES} pages"),
        design: page_list_proof()?,
        engine: Engine::Pdr,
        cover_depth: 24,
    }])
}
