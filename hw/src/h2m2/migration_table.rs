//! One page table and its MMU, as the migration engine uses them: one entry is read or written, or one page is invalidated, at a time.
//!
//! | port | |
//! | --- | --- |
//! | `start` | one cycle, while nothing is under way: this is to be done, with `page`; it stands still from the cycle before until it is done |
//! | `word` | what an entry is written with |
//! | `busy` | register: it is not done, from the cycle behind `start` on |
//! | `failed`, `decode` | registers: the last read or write failed, and by DECERR |
//! | `found` | register: what was read last |
//! | `base` | where the table begins, in units of 4 KiB |
//! | `invalidate`, `done`, `drained` | those of an MMU. It is done when nobody uses a translation of before any more |
//! | `m_axi_read`, `m_axi_write` | AXI4, 64 bits, one beat |
//!
//! Parameters: those of [`MigrationParams`]. Latency: that of the bus, or of the MMU, and 3 cycles. Combinational paths: none.

use super::entry::{ENTRY_BITS, entry_address};
use super::migration_params::MigrationParams;
use super::params::{ENTRY_SIZE, TABLE_BITS};
use super::types::Pages;
use crate::memory::axi::{AxiParams, AxiRead, AxiWrite, axi_read, axi_write};
use hdl::*;

/// What is done with a page's entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, State)]
pub enum Action {
    /// It is read.
    Read,
    /// It is written.
    Write,
    /// It is forgotten.
    Invalidate,
}

ports! {
    /// Ports of [`migration_table`].
    pub struct TablePorts(p: MigrationParams) {
        /// Something is to be done.
        input start: Signal = bits(1),
        /// This.
        input action: StateSignal<Action> = state(),
        /// With this page.
        input page: Signal = bits(p.virtual_page_bits()),
        /// What is written.
        input word: Signal = bits(ENTRY_BITS),
        /// It is not done.
        output busy: Signal = bits(1),
        /// The bus made an error.
        output failed: Signal = bits(1),
        /// That was DECERR.
        output decode: Signal = bits(1),
        /// What was read.
        output found: Signal = bits(ENTRY_BITS),
        /// Where the table begins.
        input base: Signal = bits(p.physical_bits - TABLE_BITS),
        /// The MMU forgets this page.
        output invalidate: Stream<Pages> = stream(pages(p)),
        /// It has.
        input done: Signal = bits(1),
        /// Nobody uses what it was.
        input drained: Signal = bits(1),
        /// Reads.
        output m_axi_read: AxiRead = axi_read(bus(p)),
        /// Writes.
        output m_axi_write: AxiWrite = axi_write(bus(p)),
    }
}

/// The bus to a page table.
pub fn bus(p: MigrationParams) -> AxiParams {
    AxiParams { data_bytes: 1 << ENTRY_SIZE, address_bits: p.physical_bits, id_bits: 0 }
}

/// The shape of what is invalidated.
pub fn pages(p: MigrationParams) -> Pages {
    Pages { first: bits(p.virtual_page_bits()), last: bits(p.virtual_page_bits()) }
}

#[derive(Clone, Copy, State)]
enum Doing {
    Nothing,
    Reading,
    Writing,
    /// The MMU forgets the page.
    Forgetting,
    /// Translations of before are in use.
    Draining,
}

/// A page table and its MMU.
#[module]
pub fn migration_table(p: MigrationParams) -> Result<Design<TablePorts>, Errors> {
    let m = Module::new(p.name("migration_table"));
    m.doc("Reads and writes entries of a page table, and invalidates them in its MMU.");
    let io = TablePorts::new(m, p);
    let doing = m.state(Doing::Nothing);
    let address = m.reg(bits(p.physical_bits - ENTRY_SIZE)).comment("of the entry, in units of entries");
    address.set(entry_address(io.base, io.page));

    m.section("what is asked for, until it is taken");
    let (asks, sends) = (m.reg_reset(bits(1), 0), m.reg_reset(bits(1), 0));
    let (read, write) = (io.m_axi_read, io.m_axi_write);
    read.arvalid.set(asks & doing.is(Doing::Reading));
    write.awvalid.set(asks & doing.is(Doing::Writing));
    write.wvalid.set(sends & doing.is(Doing::Writing));
    io.invalidate.valid.set(asks & doing.is(Doing::Forgetting));
    io.invalidate.payload.set(Pages { first: io.page, last: io.page });
    m.when(read.arvalid & read.arready, || asks.set(false));
    m.when(write.awvalid & write.awready, || asks.set(false));
    m.when(write.wvalid & write.wready, || sends.set(false));
    m.when(io.invalidate.transfer(), || asks.set(false));
    one_beat(m, read, write, address, io.word, p);

    m.switch(doing, |s| {
        s.case(Doing::Nothing, || {
            asks.set(io.start);
            sends.set(io.start);
            m.when(io.start, || {
                m.switch(io.action, |s| {
                    s.case(Action::Read, || doing.set(Doing::Reading));
                    s.case(Action::Write, || doing.set(Doing::Writing));
                    s.case(Action::Invalidate, || doing.set(Doing::Forgetting));
                });
            });
        });
        s.case(Doing::Reading, || m.when(read.rvalid, || doing.set(Doing::Nothing)));
        s.case(Doing::Writing, || m.when(write.bvalid, || doing.set(Doing::Nothing)));
        s.case(Doing::Forgetting, || m.when(io.done & !asks, || doing.set(Doing::Draining)));
        s.case(Doing::Draining, || m.when(io.drained, || doing.set(Doing::Nothing)));
    });
    io.busy.set(!doing.is(Doing::Nothing));
    take(m, io, doing);
    m.finish(io)
}

/// Keeps what comes back.
#[module]
fn take(m: Module, io: TablePorts, doing: StateSignal<Doing>) {
    m.section("what comes back");
    let (read, write) = (io.m_axi_read, io.m_axi_write);
    let (reads, writes) = (doing.is(Doing::Reading), doing.is(Doing::Writing));
    let (failed, decode) = (m.reg_reset(bits(1), 0), m.reg(bits(1)));
    let found = m.reg(bits(ENTRY_BITS));
    read.rready.set(reads);
    write.bready.set(writes);
    m.when(reads, || found.set(read.rdata));
    m.when(reads | writes, || {
        let response = reads.mux(read.rresp, write.bresp);
        failed.set(response.bit(1));
        decode.set(response.bit(0));
    });
    io.failed.set(failed);
    io.decode.set(decode);
    io.found.set(found);
}

/// Requests for one beat of 8 bytes.
fn one_beat(m: Module, read: AxiRead, write: AxiWrite, address: Signal, word: Signal, p: MigrationParams) {
    read.rlast.unused();
    let address = address.cat(address.zeros(ENTRY_SIZE));
    for request in [read.request(), write.request()] {
        request.payload.ask(address, m.lit(0u32, 8), bus(p).byte_bits());
    }
    write.wdata.set(word);
    write.wstrb.set(m.lit(0xffu32, 8));
    write.wlast.set(1);
}
