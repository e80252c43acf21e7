//! History port of the MMU: reads one part of the history of heads, page after page, as one packet for each head.
//!
//! | port | |
//! | --- | --- |
//! | `job` | first page and bytes (1 at least) of a stream; `job_ready` is made of registers |
//! | `follow`, `next` | the [page list](super::page_list), which knows what page comes behind one |
//! | `stop` | whoever takes the packet that comes needs no more of it: it ends soon |
//! | `m_axis` | a packet for each job: words are full but the last one. `tuser` beside `tlast`: it could not be read, and ends here |
//! | `over` | for each job: the bus is done with it; the word says that it failed. Its words may still be on their way |
//! | `m_axi` | AXI4, reading, without IDs |
//!
//! - A packet that was stopped ends with a word without bytes, where all its words were there already.
//! - Parameters: those of [`MmuParams`]. Throughput: a beat a cycle, from page to page and job to job, if a page has 16 beats and more.
//! - Combinational paths: none.

use super::page_list::{Next, next};
use super::params::{LENGTH_BITS, MmuParams};
use crate::memory::axi::{AxiRead, axi_read};
use crate::memory::burst_reader::burst_reader;
use crate::memory::mover::{Command, Done, Outcome};
use crate::stream::axi_stream::{AxiStream, axi_stream};
use crate::stream::fifo::{Style, fifo_after};
use hdl::logic::UpDown;
use hdl::*;

/// A stream that is to be read.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Job {
    /// Its first page.
    pub first: Signal,
    /// Its bytes, 1 at least.
    pub bytes: Signal,
}

/// The shape of a job.
pub fn job(p: MmuParams) -> Job {
    Job { first: bits(p.page_bits()), bytes: bits(p.bytes_bits()) }
}

ports! {
    /// Ports of a history port.
    pub struct HistoryPortPorts(p: MmuParams) {
        /// Number of the first page in memory.
        input base: Signal = bits(p.base_bits()),
        /// Streams to read.
        input job: Stream<Job> = stream(job(p)),
        /// A page, of which the next one is asked.
        output follow: Stream = stream(bits(p.page_bits())),
        /// The page behind it.
        input next: Next = next(p),
        /// No more of the packet that comes is needed.
        input stop: Signal = bits(1),
        /// A packet for each job.
        output m_axis: AxiStream = axi_stream(p.axi.data_bytes).with_user(Some(1)),
        /// The bus is done with a job; 1: it failed.
        output over: Stream = stream(bits(1)),
        /// The bus.
        output m_axi: AxiRead = axi_read(p.axi),
    }
}

/// Jobs that may be under way.
const JOBS: u32 = 4;
/// Commands of which words may be under way.
const COMMANDS: usize = 32;

/// A history port.
#[module]
pub fn history_port(p: MmuParams) -> Result<Design<HistoryPortPorts>, Errors> {
    let m = Module::new(p.name("oaken_mmu_history_port"));
    m.doc("Reads one part of the history of heads, page after page.");
    let io = HistoryPortPorts::new(m, p);
    let mover = p.mover(false);
    let reader = m.instance(&burst_reader(&mover.name("burst_reader"), mover)?);
    io.m_axi.set(reader.m_axi);

    m.section("pages of jobs");
    let jobs = UpDown::new(m, JOBS);
    jobs.level.comment("jobs of which not all words are out");
    let stop = io.stop & jobs.level.eq(1);
    let page = walk(m, io, !jobs.is_full(), stop, p);
    let lasts = m.wire(stream(bits(1)));
    lasts.valid.set(page.transfer());
    lasts.payload.set(page.payload.tag);
    reader.command.valid.set(page.valid & lasts.ready);
    reader.command.payload.set(page.payload);
    page.ready.set(reader.command.ready & lasts.ready);
    let lasts = fifo_after(m, lasts, COMMANDS, Style::Distributed)?;

    m.section("their words");
    let ended = gate(m, reader.m_axis, lasts, io.m_axis);
    jobs.count(io.job.transfer(), ended);

    m.section("how jobs end");
    let Done { tag: last, outcome, address } = reader.done.payload;
    address.unused();
    let failed = m.reg_reset(bits(1), 0).comment("a page of this job");
    let fails = failed | !outcome.is(Outcome::Okay);
    io.over.valid.set(reader.done.valid & last);
    io.over.payload.set(fails);
    reader.done.ready.set(!last | io.over.ready);
    m.when(reader.done.transfer(), || failed.set(fails & !last));
    m.finish(io)
}

#[derive(Clone, Copy, State)]
enum Phase {
    Idle,   // no job is under way
    Send,   // a command for the page
    Follow, // the page list is asked for the next page
    Wait,   // its answer comes
}

/// Commands for the pages of jobs; the tag says that it is the last one.
#[module]
fn walk(m: Module, io: HistoryPortPorts, room: Signal, stop: Signal, p: MmuParams) -> Stream<Command> {
    let phase = m.state(Phase::Idle);
    let page = m.reg(bits(p.page_bits()));
    let left = m.reg(bits(p.bytes_bits() - p.offset_bits())).comment("pages behind this one");
    let rest = m.reg(bits(p.offset_bits())).comment("bytes of the last page, less one");
    let stopped = m.reg(bits(1));
    let last = !left.any();
    let command = m.wire(stream(crate::memory::mover::command(p.mover(false))));
    command.valid.set(phase.is(Phase::Send));
    let bytes =
        last.mux(rest.zext(LENGTH_BITS) + 1, page.lit(p.page_bytes, LENGTH_BITS)) & (!stopped).repeat(LENGTH_BITS);
    let address = (io.base + page.zext(p.base_bits())).cat(rest.zeros(p.offset_bits()));
    command.payload.set(Command { address, bytes, next: None, tag: last | stopped });
    io.job.ready.set(phase.is(Phase::Idle) & room);
    io.follow.valid.set(phase.is(Phase::Follow));
    io.follow.payload.set(page);
    m.switch(phase, |s| {
        s.case(Phase::Idle, || {
            let less_one = io.job.payload.bytes - 1;
            page.set(io.job.payload.first);
            left.set(less_one.drop_low(p.offset_bits()));
            rest.set(less_one.trunc(p.offset_bits()));
            stopped.set(false);
            m.when(io.job.transfer(), || phase.set(Phase::Send));
        });
        s.case(Phase::Send, || {
            m.when(command.ready, || {
                phase.set((last | stopped).mux(m.lit_state(Phase::Idle), m.lit_state(Phase::Follow)))
            });
        });
        s.case(Phase::Follow, || m.when(io.follow.ready, || phase.set(Phase::Wait)));
        s.case(Phase::Wait, || {
            page.set(io.next.page);
            stopped.set(stop);
            m.when(io.next.valid, || {
                left.set(left - 1);
                phase.set(Phase::Send);
            });
        });
    });
    command
}

/// Lets the packets of pages out as one for each job; behind one that failed, drops the rest of its job. Gives whether a job's last
/// word passes.
#[module]
fn gate(m: Module, pages: AxiStream, lasts: Stream, out: AxiStream) -> Signal {
    let broken = m.reg_reset(bits(1), 0).comment("a page of this job failed: the others are dropped");
    let failed = pages.tuser.expect("a burst reader says what failed");
    let last = lasts.payload;
    out.tdata.set(pages.tdata);
    out.tkeep.set(pages.tkeep);
    out.tlast.set(pages.tlast & (last | failed));
    if let Some(user) = out.tuser {
        user.set(pages.tlast & failed);
    }
    out.tvalid.set(pages.tvalid & lasts.valid & !broken);
    let moves = lasts.valid & (broken | out.tready);
    pages.tready.set(moves);
    let ends = pages.tvalid & moves & pages.tlast;
    lasts.ready.set(ends);
    m.when(ends, || broken.set((broken | failed) & !last));
    ends & last
}
