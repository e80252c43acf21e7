//! Page copier: copies whole pages between two memories, one after the other without a pause. Part of the [migration engine](super::migration).
//!
//! | port | |
//! | --- | --- |
//! | `job` | a page's old and new place; taken while fewer than two are under way; of another direction, when none is |
//! | `stop` | each page of which not all bursts are asked for ends with the next burst |
//! | `done` | how each job ended, in their order; from LUT RAM at registered addresses |
//! | `m_axi_read`, `m_axi_write` | AXI4, without IDs, of each memory. Data that were asked for are always taken, as are responses; data follow their request without a gap of this engine's: who shares the bus is never blocked |
//!
//! - Bursts are all of one length, 128 beats or 4 KiB. One is read when the buffer of 512 beats has room for it, and written when all of it is
//!   there. So the latency of a memory is hidden up to 256 cycles.
//! - An error ends nothing: the rest of the page is copied, too, to a place that nobody uses.
//! - Parameters: those of [`MigrationParams`]. Throughput: one beat a cycle, from job to job of one direction, too. Latency: a burst and that
//!   of both memories. Combinational paths: none.
//! - After reset nothing is under way; reset both memories with it.

use super::migration_params::{Location, MigrationOutcome, MigrationParams, location};
use crate::memory::axi::{AxiRead, AxiWrite, axi_read, axi_write};
use crate::stream::fifo::{Style, fifo_after};
use crate::stream::register_slice_forward::register_slice_forward_after;
use hdl::logic::UpDown;
use hdl::*;

/// A page to be copied.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Job {
    /// From here.
    pub from: Location,
    /// To there.
    pub to: Location,
}

/// The shape of a page to be copied.
pub fn job(p: MigrationParams) -> Job {
    Job { from: location(p), to: location(p) }
}

ports! {
    /// Ports of a page copier.
    pub struct PageCopierPorts(p: MigrationParams) {
        /// Pages to be copied.
        input job: Stream<Job> = stream(job(p)),
        /// Pages end early.
        input stop: Signal = bits(1),
        /// Pages that were copied or not.
        output done: Stream<StateSignal<MigrationOutcome>> = stream(state()),
        /// Reads of each side.
        output m_axi_read: Vector<AxiRead> = vector(axi_read(p.axi()), 2),
        /// Writes of each side.
        output m_axi_write: Vector<AxiWrite> = vector(axi_write(p.axi()), 2),
    }
}

/// Beats that are read and not written.
const BUFFER: u32 = 512;
/// Beats of a burst, at most.
const BURST: u32 = 128;
/// Writes that may wait for their responses.
const RESPONSES: u32 = 8;
/// Jobs under way.
const JOBS: u32 = 2;

/// Beats of a burst.
fn burst(p: MigrationParams) -> u32 {
    BURST.min(p.axi().longest_burst())
}

/// Bits of the number of a burst in its page.
fn number_bits(p: MigrationParams) -> u32 {
    p.page_bits - burst(p).ilog2() - p.axi().byte_bits()
}

/// What is known of a burst under way.
#[derive(Clone, Copy, Bundle)]
struct Flight {
    /// It is the last one of its page.
    last: Signal,
    /// With `last`: further ones were left out.
    cut: Signal,
}

fn flight() -> Flight {
    Flight { last: bits(1), cut: bits(1) }
}

/// Errors of the bus in a page so far.
#[derive(Clone, Copy, Bundle)]
struct BusErrors {
    any: Signal,
    /// The first one was DECERR.
    decode: Signal,
}

/// A page copier.
#[module]
pub fn page_copier(p: MigrationParams) -> Result<Design<PageCopierPorts>, Errors> {
    let m = Module::new(p.name("page_copier"));
    m.doc("Copies whole pages between two memories.");
    let io = PageCopierPorts::new(m, p);

    m.section("a job is taken");
    let jobs = UpDown::new(m, JOBS);
    let sides = (m.reg_reset(bits(1), 0), m.reg_reset(bits(1), 0));
    let active = m.reg_reset(bits(1), 0).comment("not all of the newest job is asked for");
    let Job { from, to } = io.job.payload;
    let same = from.side.eq(sides.0) & to.side.eq(sides.1);
    io.job.ready.set(!active & (jobs.is_empty() | (same & !jobs.is_full())));
    let taken = io.job.transfer();
    m.when(taken, || {
        sides.0.set(from.side);
        sides.1.set(to.side);
    });
    let targets = m.wire(stream(to.page.shape()));
    targets.valid.set(taken);
    targets.payload.set(to.page);
    m.assert(!taken | targets.ready, "no more jobs are under way than fit");
    let target = fifo_after(m, targets, JOBS as usize, Style::Distributed)?;

    m.section("its bursts are asked for");
    let held = UpDown::new(m, BUFFER / burst(p));
    held.level.comment("bursts that are asked for, and not all written");
    let asked = ask(m, io, (active, taken, from.page), !held.is_full(), sides.0, p);
    m.when(taken, || active.set(true)).elsewhen(asked.valid & asked.payload.last, || active.set(false));
    m.assert(!asked.valid | asked.ready, "no more bursts are under way than fit");
    let due = fifo_after(m, asked, (BUFFER / burst(p)) as usize, Style::Distributed)?;

    m.section("come");
    let words = m.wire(stream(bits(8 * p.data_bytes)));
    let complete = receive(m, io.m_axi_read, sides.0, due, words);
    m.assert(!words.valid | words.ready, "a word has room before it is asked for");
    m.assert(!complete.valid | complete.ready, "no more bursts are under way than fit");
    let complete = fifo_after(m, complete, (BUFFER / burst(p)) as usize, Style::Distributed)?;
    let words = register_slice_forward_after(m, fifo_after(m, words, BUFFER as usize, Style::Block)?)?;

    m.section("and are written");
    let (sent, written) = send(m, io.m_axi_write, (complete, target), words, sides.1, p)?;
    held.count(asked.valid, written);
    let (ends, outcome) = answer(m, io.m_axi_write, sides.1, sent);

    let ended = m.wire(stream(state::<MigrationOutcome>()));
    ended.valid.set(ends);
    ended.payload.set(outcome);
    m.assert(!ends | ended.ready, "no more jobs are under way than fit");
    io.done.set(fifo_after(m, ended, JOBS as usize, Style::Distributed)?);
    jobs.count(taken, io.done.transfer());
    m.finish(io)
}

/// Asks for the bursts of a page. Gives those that are asked for now.
#[module]
fn ask(
    m: Module,
    io: PageCopierPorts,
    (active, taken, page): (Signal, Signal, Signal),
    room: Signal,
    side: Signal,
    p: MigrationParams,
) -> Stream<Flight> {
    let from = m.reg(page.shape());
    let number = m.reg(bits(number_bits(p).max(1)));
    let valid = m.reg_reset(bits(1), 0);
    let address = m.reg((from.shape(), number.shape()));
    let arready = side.mux(io.m_axi_read[1].arready, io.m_axi_read[0].arready);
    let goes = active & room & (!valid | arready);
    let all = if number_bits(p) == 0 { m.lit(1u32, 1) } else { number.all() };
    m.when(arready, || valid.set(false));
    m.when(goes, || {
        valid.set(true);
        address.set((from, number));
        number.set(number + 1);
    });
    m.when(taken, || {
        from.set(page);
        number.set(0);
    });
    for (port, i) in io.m_axi_read.into_iter().zip(0u32..) {
        port.request().payload.ask(place_of(address, p), m.lit(burst(p) - 1, 8), p.axi().byte_bits());
        port.arvalid.set(valid & side.eq(i));
    }
    let asked = m.wire(stream(flight()));
    asked.valid.set(goes);
    asked.payload.set(Flight { last: all | io.stop, cut: !all });
    asked
}

/// Address of a burst: its page, and its number in it.
fn place_of((page, number): (Signal, Signal), p: MigrationParams) -> Signal {
    let low = p.page_bits - number_bits(p);
    let high = if number_bits(p) == 0 { page } else { page.cat(number) };
    high.cat(page.zeros(low))
}

/// Takes the data of bursts. Gives those that are there as a whole, with the errors of their page up to them.
#[module]
fn receive(
    m: Module,
    ports: Vector<AxiRead>,
    side: Signal,
    due: Stream<Flight>,
    words: Stream,
) -> Stream<(Flight, BusErrors)> {
    ports.into_iter().for_each(|port| port.rready.set(1));
    let of = |field: fn(&AxiRead) -> Signal| side.mux(field(&ports[1]), field(&ports[0]));
    let comes = of(|x| x.rvalid);
    words.valid.set(comes);
    words.payload.set(of(|x| x.rdata));
    let ends = comes & of(|x| x.rlast);
    due.ready.set(ends);
    let errors = errors_of_page(m, comes, of(|x| x.rresp), ends & due.payload.last);
    let complete = m.wire(stream((flight(), errors.shape())));
    complete.valid.set(ends);
    complete.payload.set((due.payload, errors));
    complete
}

/// The errors of a page up to this answer.
#[module]
fn errors_of_page(m: Module, comes: Signal, response: Signal, ends: Signal) -> BusErrors {
    let (any, decode) = (m.reg_reset(bits(1), 0), m.reg(bits(1)));
    let now = comes & response.bit(1);
    let all = BusErrors { any: any | now, decode: any.mux(decode, response.bit(0)) };
    any.set(all.any & !ends);
    decode.set(all.decode);
    all
}

/// Writes bursts that are there. Gives those that wait for their responses, and whether the last beat of one leaves the buffer.
#[module]
fn send(
    m: Module,
    ports: Vector<AxiWrite>,
    (complete, target): (Stream<(Flight, BusErrors)>, Stream),
    words: Stream,
    side: Signal,
    p: MigrationParams,
) -> Result<(Stream<(Flight, BusErrors)>, Signal), Errors> {
    let of = |field: fn(&AxiWrite) -> Signal| side.mux(field(&ports[1]), field(&ports[0]));
    let valid = m.reg_reset(bits(1), 0);
    let number = m.reg_reset(bits(number_bits(p).max(1)), 0);
    let address = m.reg((target.payload.shape(), number.shape()));
    let announced = UpDown::new(m, RESPONSES);
    announced.level.comment("bursts that were announced, and not all written");
    let waits = m.wire(stream(complete.payload.shape()));
    let goes = complete.valid & target.valid & waits.ready & !announced.is_full() & (!valid | of(|x| x.awready));
    complete.ready.set(goes);
    let last = complete.payload.0.last;
    target.ready.set(goes & last);
    waits.valid.set(goes);
    waits.payload.set(complete.payload);
    m.when(of(|x| x.awready), || valid.set(false));
    m.when(goes, || {
        valid.set(true);
        address.set((target.payload, number));
        number.set(number + 1);
    });
    m.when(goes & last, || number.set(0));

    let (out, written) = data(m, words, announced.level.any(), p)?;
    announced.count(goes, written);
    out.ready.set(of(|x| x.wready));
    for (port, i) in ports.into_iter().zip(0u32..) {
        let mine = side.eq(i);
        port.request().payload.ask(place_of(address, p), m.lit(burst(p) - 1, 8), p.axi().byte_bits());
        port.awvalid.set(valid & mine);
        port.wdata.set(out.payload.0);
        port.wstrb.set(!m.lit(0u32, p.data_bytes));
        port.wlast.set(out.payload.1);
        port.wvalid.set(out.valid & mine);
    }
    Ok((fifo_after(m, waits, RESPONSES as usize, Style::Distributed)?, written))
}

/// Lets the words of bursts out that were announced, with what tells the last one of a burst. Gives also whether that leaves the buffer.
#[module]
fn data(
    m: Module,
    words: Stream,
    announced: Signal,
    p: MigrationParams,
) -> Result<(Stream<(Signal, Signal)>, Signal), Errors> {
    let beat = m.reg_reset(bits(burst(p).ilog2()), 0).comment("beats of the burst that are out");
    let last = beat.all();
    let out = m.wire(stream((words.payload.shape(), bits(1))));
    out.valid.set(words.valid & announced);
    out.payload.set((words.payload, last));
    words.ready.set(out.ready & announced);
    let goes = out.transfer();
    m.when(goes, || beat.set(beat + 1));
    Ok((register_slice_forward_after(m, out)?, goes & last))
}

/// Takes the responses of bursts. Gives whether a job ends, and how.
#[module]
fn answer(
    m: Module,
    ports: Vector<AxiWrite>,
    side: Signal,
    sent: Stream<(Flight, BusErrors)>,
) -> (Signal, StateSignal<MigrationOutcome>) {
    ports.into_iter().for_each(|port| port.bready.set(1));
    let of = |field: fn(&AxiWrite) -> Signal| side.mux(field(&ports[1]), field(&ports[0]));
    let comes = of(|x| x.bvalid);
    sent.ready.set(comes);
    let (Flight { last, cut }, reads) = sent.payload;
    let writes = errors_of_page(m, comes, of(|x| x.bresp), comes & last);
    let decode = reads.any.mux(reads.decode, writes.decode);
    let of_bus = decode.mux(m.lit_state(MigrationOutcome::Decode), m.lit_state(MigrationOutcome::Slave));
    let of_stop = cut.mux(m.lit_state(MigrationOutcome::Stopped), m.lit_state(MigrationOutcome::Okay));
    (comes & last, (reads.any | writes.any).mux(of_bus, of_stop))
}
