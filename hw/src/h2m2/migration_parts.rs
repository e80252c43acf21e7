//! Parts of the migration engine: the pieces of a page, what failed, and the ways of data and of both buses.

use super::migration::{MigrationParams, MigrationPorts, Outcome, PIECE_BITS, Step};
use crate::memory::axi::{AxiRead, AxiWrite};
use crate::memory::burst_reader::BurstReaderPorts;
use crate::memory::burst_writer::BurstWriterPorts;
use hdl::*;

/// What went wrong with the page under way.
pub(super) struct Failure {
    /// There was an error of a bus.
    pub any: Signal,
    /// The first one.
    pub outcome: StateSignal<Outcome>,
    /// The last write of an entry failed.
    pub again: Signal,
}

/// Keeps the first error of a bus, and takes all ends of commands.
#[module]
pub(super) fn find_failure(
    m: Module,
    reader: &BurstReaderPorts,
    writer: &BurstWriterPorts,
    step: StateSignal<Step>,
) -> Failure {
    reader.done.ready.set(1);
    writer.done.ready.set(1);
    [reader.done.payload.tag, writer.done.payload.tag].into_iter().for_each(|tag| tag.unused());
    [reader.done.payload.address, writer.done.payload.address].into_iter().for_each(|address| address.unused());
    let [read, write] = [reader.done.payload.outcome, writer.done.payload.outcome].map(|outcome| outcome.pack());
    // SLVERR and DECERR: a packet that is too short behind a read that failed is no error of its own
    let read_fails = reader.done.valid & read.bit(1);
    let write_fails = writer.done.valid & write.bit(1);
    let any = m.reg_reset(bits(1), 0).comment("a bus made an error");
    let decode = m.reg(bits(1)).comment("and it was DECERR");
    let again = m.reg(bits(1)).comment("the last write failed");
    m.when(!any, || decode.set(read_fails.mux(read.bit(0), write.bit(0))));
    m.when(read_fails | write_fails, || any.set(true));
    m.when(step.is(Step::Idle), || any.set(false));
    m.when(writer.done.valid, || again.set(write.bit(1)));
    let outcome = decode.mux(m.lit_state(Outcome::Decode), m.lit_state(Outcome::Slave));
    Failure { any, outcome, again }
}

/// The pieces of a page.
pub(super) struct Pieces {
    /// A piece is offered to the reader and to the writer.
    pub offers: Signal,
    /// Its number.
    pub number: Option<Signal>,
    /// All that were begun are over, and no more will be.
    pub over: Signal,
    /// Not all of them were begun, since it was to stop.
    pub stopped: Signal,
}

/// One piece after the other. `out`: the reader and the writer have the one that is offered; `idle`: none is under way.
#[module]
pub(super) fn pieces(m: Module, io: MigrationPorts, x: [Signal; 4], p: MigrationParams) -> Pieces {
    let [copies, out, failed, idle] = x;
    let width = p.page_bits - PIECE_BITS;
    let count = m.reg_reset(bits(width + 1), 0).comment("pieces that are out");
    let offers = m.reg_reset(bits(1), 0);
    let stopped = m.reg_reset(bits(1), 0);
    let all = count.msb();
    let ends = all | stopped | failed;
    m.when(copies & !offers & !ends, || {
        offers.set(!io.stop_now);
        stopped.set(io.stop_now);
    });
    m.when(out & offers, || {
        offers.set(false);
        count.set(count + 1);
    });
    m.when(!copies, || {
        count.set(0);
        stopped.set(false);
    });
    Pieces {
        offers,
        number: (width > 0).then(|| count.trunc(width.max(1))),
        over: copies & !offers & ends & idle,
        stopped,
    }
}

/// Data of the page go from the reader to the writer, and the entry goes to the writer.
#[module]
pub(super) fn pass_data(
    m: Module,
    reader: &BurstReaderPorts,
    writer: &BurstWriterPorts,
    [copies, fetches, gives_entry]: [Signal; 3],
    entry: Signal,
) {
    let from = reader.m_axis;
    let to = writer.s_axis;
    from.tuser.iter().for_each(|user| user.unused());
    from.tready.set(fetches | (copies & to.tready));
    to.tvalid.set((copies & from.tvalid) | gives_entry);
    let low = copies.mux(from.tdata.trunc(64), entry);
    let wide = from.tdata.width() > 64;
    to.tdata.set(if wide { from.tdata.drop_low(64).cat(low) } else { low });
    let eight = m.lit(0xffu32, from.tkeep.width());
    to.tkeep.set(copies.mux(from.tkeep, eight));
    to.tlast.set(from.tlast | !copies);
}

/// The byte address of a piece of a page.
pub(super) fn address(page: Signal, piece: Option<Signal>) -> Signal {
    let page = piece.map_or(page, |piece| page.cat(piece));
    page.cat(page.zeros(PIECE_BITS))
}

/// Reads of the engine go to one side. It changes when none is under way.
pub(super) fn route_reads(master: AxiRead, ports: Vector<AxiRead>, side: Signal) {
    let of = |field: fn(&AxiRead) -> Signal| side.mux(field(&ports[1]), field(&ports[0]));
    for (port, number) in ports.into_iter().zip(0u32..) {
        let mine = side.eq(number);
        port.araddr.set(master.araddr);
        port.arlen.set(master.arlen);
        port.arsize.set(master.arsize);
        port.arburst.set(master.arburst);
        port.arcache.set(master.arcache);
        port.arprot.set(master.arprot);
        port.arvalid.set(master.arvalid & mine);
        port.rready.set(master.rready & mine);
    }
    master.arready.set(of(|x| x.arready));
    master.rdata.set(of(|x| x.rdata));
    master.rresp.set(of(|x| x.rresp));
    master.rlast.set(of(|x| x.rlast));
    master.rvalid.set(of(|x| x.rvalid));
}

/// Writes of the engine go to one side. It changes when none is under way.
pub(super) fn route_writes(master: AxiWrite, ports: Vector<AxiWrite>, side: Signal) {
    let of = |field: fn(&AxiWrite) -> Signal| side.mux(field(&ports[1]), field(&ports[0]));
    for (port, number) in ports.into_iter().zip(0u32..) {
        let mine = side.eq(number);
        port.awaddr.set(master.awaddr);
        port.awlen.set(master.awlen);
        port.awsize.set(master.awsize);
        port.awburst.set(master.awburst);
        port.awcache.set(master.awcache);
        port.awprot.set(master.awprot);
        port.awvalid.set(master.awvalid & mine);
        port.wdata.set(master.wdata);
        port.wstrb.set(master.wstrb);
        port.wlast.set(master.wlast);
        port.wvalid.set(master.wvalid & mine);
        port.bready.set(master.bready & mine);
    }
    master.awready.set(of(|x| x.awready));
    master.wready.set(of(|x| x.wready));
    master.bresp.set(of(|x| x.bresp));
    master.bvalid.set(of(|x| x.bvalid));
}
