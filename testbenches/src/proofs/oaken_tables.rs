//! The tables of Oaken's MMU, between a writer and two history ports that take and answer as the prover likes: no page belongs to two
//! streams, what is written and read lies in pages of its stream, and a page that came back is touched for its old stream no more.

use super::{Engine, Proof};
use crate::checkers::{Side, sends_by_the_rules};
use hdl::{Bundle, Design, Elements, Errors, Module, Signal, State, StateSignal, Vector, bits, cat, module, vector};
use hw::memory::axi::AxiParams;
use hw::oaken::mmu::page_list::Chain;
use hw::oaken::mmu::params::MmuParams;
use hw::oaken::mmu::steps::Pass;
use hw::oaken::mmu::tables::{Parts, TablesPorts, connect};

/// Two requests of one head, and four pages. Heads of 8 elements, which no engine makes: slices of up to 16 bytes, which is a page.
pub(super) fn params() -> MmuParams {
    MmuParams {
        axi: AxiParams { data_bytes: 4, address_bits: 6, id_bits: 0 },
        page_bytes: 16,
        pages: 4,
        requests: 2,
        layers: 1,
        heads: 1,
        head_elements: 8,
        key_bits: 6,
        value_bits: 6,
        tokens: 3,
        tag_bits: 1,
        outstanding: 1,
    }
}

/// Bits of the name of a stream: its group, its head, its part.
fn name_bits(p: MmuParams) -> u32 {
    p.group_bits() + p.step_bits()
}

/// Whom a page belongs to.
#[derive(Clone, Copy, Bundle)]
struct Owner {
    /// To anybody.
    any: Signal,
    /// The name of the stream.
    stream: Signal,
}

impl Owner {
    fn is(self, stream: Signal) -> Signal {
        self.any & self.stream.eq(stream)
    }
}

/// What is known of one page, whichever it is, from what moves at the ports.
#[derive(Clone, Copy)]
struct Followed {
    page: Signal,
    owner: Owner,
}

/// Commands and packets keep to the rules; there is one layer. What is not said here is as the prover likes.
#[module]
fn commands(m: Module, io: TablesPorts, p: MmuParams) {
    sends_by_the_rules(m, io.append, Side::Surroundings);
    sends_by_the_rules(m, io.control, Side::Surroundings);
    sends_by_the_rules(m, io.read, Side::Surroundings);
    sends_by_the_rules(m, io.slice, Side::Surroundings);
    m.assume(!io.append.payload.group.layer.any() & !io.read.payload.group.layer.any(), "there is one layer");
    m.assume(!io.base.any(), "the first page lies at 0");
    let dense = m.reg_reset(bits(1), 0).comment("a dense slice comes next");
    m.when(io.slice.transfer(), || dense.set(!dense));
    let slice = io.slice.payload;
    m.assume(slice.last.eq(dense), "a vector has a sparse and a dense slice");
    let dense_bytes = p.dense_bytes()[0];
    let legal = dense.mux(slice.bytes.eq(dense_bytes), slice.bytes.any() & slice.bytes.le(p.longest_sparse()));
    m.assume(legal, "a sparse slice has any length, a dense one its own");
}

/// The name of the stream that the next slice goes to, and that of the command at the port.
#[module]
fn slices(m: Module, io: TablesPorts, parts: Parts, p: MmuParams) -> [Signal; 2] {
    let group = m.reg(bits(p.group_bits())).comment("of the last append that was taken");
    m.when(io.append.transfer(), || group.set(io.append.payload.group.pack()));
    let dense = m.reg_reset(bits(1), 0).comment("of the next command");
    let made = parts.steps.command.transfer();
    m.when(made, || dense.set(!dense));
    let stream = cat(&[group, dense.zext(p.step_bits())]);
    let sent = m.reg(stream.shape()).comment("the stream of the command at the port");
    m.when(made, || sent.set(stream));
    let write = parts.steps.write;
    m.assert(!write.valid | write.payload.address.drop_low(1).eq(stream), "the entry of the slice's stream is written");
    [stream, sent]
}

/// The owners of all pages, as pages are taken and come back. The rules of what comes back are asserted.
#[module]
fn owners(m: Module, io: TablesPorts, parts: Parts, stream: Signal, p: MmuParams) -> (Vector<Owner>, Signal) {
    let any = m.reg_reset(vector(bits(1), p.pages as usize), 0);
    let streams = m.reg(vector(bits(name_bits(p)), p.pages as usize));
    let owners: Vec<Owner> = any.into_iter().zip(streams).map(|(any, stream)| Owner { any, stream }).collect();
    let all = Vector::of(owners.clone());
    let (take, give) = (parts.pages.take, parts.pages.give);
    let Chain { first, last, pages } = give.payload;
    let undoes = parts.steps.work.pass.is(Pass::Undo);
    let whose = all.at(first);
    let mut comes_back = vec![];
    for (owner, number) in owners.iter().zip(0u32..) {
        let back = owner.is(whose.stream) & (!undoes | first.eq(number));
        comes_back.push(back);
        m.when(give.transfer() & back, || owner.any.set(false));
        m.when(take.transfer() & take.payload.eq(number), || {
            owner.any.set(true);
            owner.stream.set(stream);
        });
    }
    let count =
        |list: &[Signal]| list.iter().map(|x| x.zext(p.count_bits())).reduce(|a, b| a + b).expect("there are pages");
    let number = count(&comes_back);
    m.assert(!give.valid | (whose.any & all.at(last).is(whose.stream)), "what comes back belongs to one stream");
    m.assert(!give.valid | number.eq(pages), "all pages of the stream come back, or the one that was taken in vain");
    let was_taken = m.reg_reset(bits(1), 0);
    was_taken.set(take.transfer());
    let used = count(&any.into_iter().collect::<Vec<_>>());
    let known = io.free + used - was_taken.zext(p.count_bits());
    m.assert(known.eq(p.pages), "free and used pages are all pages");
    (all, Vector::of(comes_back).pack())
}

/// Cycles that are always the same, so that the prover gets further: both requests are opened, and a vector is appended.
const SAME: u32 = 27;

/// The first cycles. Returns whether this is one.
#[module]
fn begin(m: Module, io: TablesPorts, p: MmuParams) -> Signal {
    let cycle = m.reg_reset(bits(5), 0);
    let early = cycle.ne(SAME);
    cycle.set(cycle + early.zext(5));
    let (asked, opened) = (m.reg_reset(bits(2), 0), m.reg_reset(bits(2), 0));
    asked.set(asked + io.control.transfer().zext(2));
    opened.set(opened + io.controlled.transfer().zext(2));
    let sent = m.reg_reset(bits(1), 0).comment("a vector was announced");
    m.when(io.append.transfer(), || sent.set(true));
    let control = io.control.payload;
    let opens = !control.release & control.request.eq(asked.trunc(1));
    m.assume(!early | (io.control.valid.eq(asked.ne(2) & opened.eq(asked)) & opens), "both requests are opened");
    let keys = !io.append.payload.group.pack().any();
    m.assume(!early | (io.append.valid.eq(opened.eq(2) & !sent) & keys), "keys of the first one are appended");
    let slice = io.slice.payload;
    let longest = slice.last | slice.bytes.eq(p.longest_sparse());
    m.assume(!early | (io.slice.valid & longest & !slice.failed & io.verdict.ready), "with the longest slices");
    m.assume(!early | (io.appended.ready & io.controlled.ready), "answers are taken");
    m.assume(!early | !io.read.valid, "nothing is read");
    early
}

/// Commands that the writer may have at a time.
const WRITES: usize = 4;

/// The writer takes commands, and is done with them in their order. Returns whether it may touch the followed page.
#[module]
fn writer(m: Module, io: TablesPorts, page: Signal, early: Signal, p: MmuParams) -> Signal {
    let (tags, touched) = (m.reg(vector(bits(2), WRITES)), m.reg(vector(bits(1), WRITES)));
    let level = m.reg_reset(bits(3), 0).comment("commands that it has");
    let command = io.command.payload;
    let ends = command.address.trunc(p.offset_bits()).zext(6) + command.bytes.trunc(6);
    let crosses = ends.gt(p.page_bytes);
    let next = command.next.expect("a command of the writer may go on in another page").eq(page);
    let touches = command.address.drop_low(p.offset_bits()).eq(page) | (crosses & next);
    m.assume(!io.written.valid | level.any(), "it is done with what it has");
    m.assume(!io.written.valid | io.written.payload.tag.eq(tags[0]), "in order");
    m.assume(io.written.payload.outcome.is_legal(), "in some way");
    m.assume(!(io.command.ready & level.eq(WRITES as u32)), "it has no more than it can hold");
    let (push, pop) = (io.command.transfer(), io.written.transfer());
    let place = level - pop.zext(3);
    for i in 0..WRITES {
        if let (Some(tag), Some(touch)) = (tags.into_iter().nth(i + 1), touched.into_iter().nth(i + 1)) {
            m.when(pop, || {
                tags[i].set(tag);
                touched[i].set(touch);
            });
        }
        m.when(push & place.eq(i as u32), || {
            tags[i].set(command.tag);
            touched[i].set(touches);
        });
    }
    level.set(place + push.zext(3));
    m.assume(!early | io.command.ready.eq(level.ne(WRITES as u32)), "at first it takes commands at once");
    let okay = io.written.valid.eq(level.any()) & !io.written.payload.outcome.code().any();
    m.assume(!early | okay, "and is done with them at once");
    let has = touched.into_iter().zip(0u32..).map(|(touch, i)| touch & level.gt(i));
    has.fold(io.command.valid & touches, |a, b| a | b)
}

#[derive(Clone, Copy, State)]
enum Walk {
    Idle,
    Send,
    Follow,
    Wait,
}

/// The history port of the sparse part (0) or of the dense one (1): walks over the pages of jobs, and is done with them some time behind. Returns whether it may touch the followed page.
#[module]
fn history(m: Module, io: TablesPorts, part: u32, followed: Followed, p: MmuParams) -> Signal {
    let (job, over, follow, next) =
        (io.job[part as usize], io.over[part as usize], io.follow[part as usize], io.next[part as usize]);
    let phase: StateSignal<Walk> = m.state(Walk::Idle);
    let page = m.reg(bits(p.page_bits()));
    let left = m.reg(bits(p.bytes_bits() - p.offset_bits())).comment("pages behind this one");
    let [stream, asked] = [0, 1].map(|_| m.reg(bits(name_bits(p))));
    let (open, walked) = (m.reg_reset(bits(2), 0), m.reg_reset(bits(2), 0));
    let [goes, stops] = [0, 1].map(|_| m.anyseq(1));
    let read = io.read.payload;
    m.when(io.read.transfer(), || asked.set(cat(&[read.group.pack(), read.head, m.lit(part, 1)])));
    m.assume(job.ready.eq(phase.is(Walk::Idle) & !open.bit(1) & goes), "it takes a job behind the one before");
    m.assume(follow.valid.eq(phase.is(Walk::Follow) & goes) & follow.payload.eq(page), "it asks what follows a page");
    let done = m.wire(bits(1));
    done.set(false);
    m.switch(phase, |s| {
        s.case(Walk::Idle, || {
            let less_one = job.payload.bytes - 1;
            page.set(job.payload.first);
            left.set(less_one.drop_low(p.offset_bits()));
            stream.set(asked);
            m.when(job.transfer(), || phase.set(Walk::Send));
        });
        s.case(Walk::Send, || {
            m.when(goes, || {
                done.set(!left.any() | stops);
                phase.set(done.mux(m.lit_state(Walk::Idle), m.lit_state(Walk::Follow)));
            });
        });
        s.case(Walk::Follow, || m.when(follow.transfer(), || phase.set(Walk::Wait)));
        s.case(Walk::Wait, || {
            page.set(next.page);
            m.when(next.valid, || {
                left.set(left - 1);
                phase.set(Walk::Send);
            });
        });
    });
    m.assert(!job.valid | job.payload.bytes.any(), "a job has bytes");
    let touches = phase.is(Walk::Send) & page.eq(followed.page);
    m.assert(!touches | followed.owner.is(stream), "a history is read in pages of its stream");
    if part == 0 {
        m.cover(touches & left.ne(0), "a page of a history of several is read");
    }

    m.section("how it ends");
    open.set(open + job.transfer().zext(2) - over.transfer().zext(2));
    walked.set(walked + done.zext(2) - over.transfer().zext(2));
    m.assume(!over.valid | walked.any(), "it is done with what it walked over");
    sends_by_the_rules(m, over, Side::Surroundings);
    let touched = m.reg_reset(bits(1), 0).comment("by a job that is not over");
    touched.set((touched | touches) & open.any());
    touched | touches
}

/// The tables and all that surrounds them.
#[module]
fn tables_proof(name: &str) -> Result<Design<()>, Errors> {
    let m = Module::new(name);
    let p = params();
    let io = TablesPorts::new(m, p);
    let parts = connect(m, io, p)?;
    commands(m, io, p);
    let [stream, sent] = slices(m, io, parts, p);
    let (owners, comes_back) = owners(m, io, parts, stream, p);

    m.section("any one page");
    let page = m.anyconst(p.page_bits());
    let owner = owners.at(page);
    let (take, give) = (parts.pages.take, parts.pages.give);
    m.assert(!(take.transfer() & take.payload.eq(page) & owner.any), "no page belongs to two streams");
    let command = io.command.payload;
    let early = begin(m, io, p);
    let writes = writer(m, io, page, early, p);
    let touches = io.command.valid & command.address.drop_low(p.offset_bits()).eq(page);
    m.assert(!touches | owner.is(sent), "a slice is written to pages of its stream");
    let ends = command.address.trunc(p.offset_bits()).zext(6) + command.bytes.trunc(6);
    let goes_on = io.command.valid & ends.gt(p.page_bytes) & command.next.map(|next| next.eq(page)).expect("pages");
    m.assert(!goes_on | owner.is(sent), "it goes on in a page of its stream");
    let followed = Followed { page, owner };
    let reads = [0, 1].map(|part| history(m, io, part, followed, p));
    let back = give.valid & owner.any & Vector::of(comes_back.lanes(1)).at(page);
    m.assert(!(back & writes), "a page does not come back before what is written to it is there");
    m.assert(!(back & (reads[0] | reads[1])), "a page does not come back while it is read");

    m.section("what can happen");
    let request = owner.stream.bit(name_bits(p) - 1);
    let (came_back, whose) = (m.reg_reset(bits(1), 0), m.reg(bits(1)));
    let released = give.transfer() & back & parts.steps.work.pass.is(Pass::Release);
    m.when(released, || {
        came_back.set(true);
        whose.set(request);
    });
    m.cover(released, "a page comes back, as its request ends");
    m.cover(came_back & touches & request.ne(whose), "it is written for another request");
    let undone = give.transfer() & back & parts.steps.work.pass.is(Pass::Undo);
    m.cover(undone, "a page comes back that was taken in vain");
    Ok(m.finish(io)?.erase())
}

pub fn proofs() -> Result<Vec<Proof>, Errors> {
    Ok(vec![Proof {
        name: "oaken_tables".into(),
        part: format!("tables of Oaken's MMU, 2 requests, 4 pages, from cycle {SAME} on"),
        design: tables_proof("prove_oaken_tables")?,
        engine: Engine::Bounded(52),
        cover_depth: 52,
    }])
}
