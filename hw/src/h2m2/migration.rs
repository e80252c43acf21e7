//! Migration engine: moves pages between a fast and a large memory while accelerators go on reading them.
//!
//! A driver lists pages: which virtual page, where it lies, and where it is to lie (sections 4.1 and 4.2.2 of the paper). The engine copies each, changes
//! its entry of the page table in one write, and has the MMU forget the old one; then nobody uses the old place, and it is handed back.
//!
//! | port | |
//! | --- | --- |
//! | `command` | a page, from where and to where; `command_ready` is made of registers |
//! | `done` | how each command ended, in their order, with the place that is free now: the old one, or, if it failed, the new one; registers |
//! | `ask` | what the MMU is to do with a page; `answered` is 1 for a cycle, behind that of the transfer, when it has done it; registers |
//! | `base` | byte address of the page table, a multiple of 8; it stands still while pages move |
//! | `stop` | no further command is taken |
//! | `stop_now` | the page under way goes back, too, unless all of its copying is asked for |
//! | `m_axi_read`, `m_axi_write` | AXI4 without IDs, one of each for each side |
//!
//! - Per page: the entry is read and compared; if the page may be written, write permission is withdrawn (one write), the MMU forgets the
//!   page and waits for writers. The page is copied. The entry is switched in one write of 8 bytes; the MMU forgets the page and waits for
//!   all who use it.
//! - An error of a bus, an entry that is not as the command says, or `stop_now`: the entry is written back as it was, the MMU forgets the page and waits for its users, and
//!   `done` has the cause. The next command is made as if nothing had been.
//! - Parameters: those of [`MigrationParams`]. Throughput: copies at the rate of the slower bus. Latency: four accesses to the table and four
//!   questions to the MMU a page; two and two if it may not be written.
//! - Combinational paths: none but what those of [`burst_reader`](crate::memory::burst_reader) say.
//! - After reset nothing is under way; reset both memories with it. A page under way stays as its entry says.

use super::migration_entry::{Entry, entry, unpacked};
use super::migration_parts::*;
use crate::memory::axi::{AxiParams, AxiRead, AxiWrite, axi_read, axi_write};
use crate::memory::burst_reader::burst_reader;
use crate::memory::burst_writer::burst_writer;
use crate::memory::mover::{Command, MoverParams};
use hdl::logic::UpDown;
use hdl::*;

/// The parameters of a migration engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MigrationParams {
    /// Bytes of a beat of both buses: 8, 16, 32 or 64. An entry must lie in one beat.
    pub data_bytes: u32,
    /// Bits of a virtual byte address, 32 to 48.
    pub virtual_bits: u32,
    /// Bits of a physical byte address of each memory, 32 to 48.
    pub physical_bits: u32,
    /// Bits of a byte address within a page: 12 (4 KiB) to 30 (1 GiB).
    pub page_bits: u32,
    /// The memory in which the page table lies: 0 fast, 1 large.
    pub table_side: u32,
    /// Bursts that may be under way, 1 to 16.
    pub outstanding: u32,
}

impl MigrationParams {
    fn mover(self) -> MoverParams {
        let axi = AxiParams { data_bytes: self.data_bytes, address_bits: self.physical_bits, id_bits: 0 };
        let buffer = 2 * axi.longest_burst();
        MoverParams {
            axi,
            length_bits: PIECE_BITS + 1,
            tag_bits: 1,
            outstanding: self.outstanding,
            buffer,
            scatter_bits: None,
            aligned: false,
        }
    }
    /// Bits of the number of a virtual page.
    pub fn virtual_page_bits(self) -> u32 {
        self.virtual_bits - self.page_bits
    }
    /// Bits of the number of a physical page.
    pub fn physical_page_bits(self) -> u32 {
        self.physical_bits - self.page_bits
    }
    #[track_caller]
    fn check(self, module: &str) -> Result<(), Errors> {
        let wrong = |what: String, help: &str| Err(Errors::parameter(module, what, help));
        if ![8, 16, 32, 64].contains(&self.data_bytes) {
            let help = "8, 16, 32 or 64: an entry of 8 bytes is written in one beat";
            return wrong(format!("data_bytes = {}", self.data_bytes), help);
        }
        let ranges = [
            ("virtual_bits", self.virtual_bits, 32, 48, "those of the MMU"),
            ("physical_bits", self.physical_bits, 32, 48, "an entry has 48"),
            ("page_bits", self.page_bits, PIECE_BITS, 30, "pages of 4 KiB to 1 GiB"),
            ("table_side", self.table_side, 0, 1, "the fast or the large memory"),
            ("outstanding", self.outstanding, 1, 16, "one burst at least, and a memory of 16 bursts' latency"),
        ];
        match ranges.iter().find(|(_, x, least, most, _)| x < least || x > most) {
            Some((name, x, least, most, why)) => {
                wrong(format!("{name} = {x} is out of range"), &format!("from {least} to {most}: {why}"))
            }
            None => Ok(()),
        }
    }
}

/// A page is copied in pieces of 4 KiB, so that it can be stopped between two of them.
pub(super) const PIECE_BITS: u32 = 12;

/// A place of a page.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Place {
    /// 0 the fast memory, 1 the large one.
    pub side: Signal,
    /// Number of the physical page.
    pub page: Signal,
}

/// The shape of a place.
pub fn place(p: MigrationParams) -> Place {
    Place { side: bits(1), page: bits(p.physical_page_bits()) }
}

/// A page to be moved.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Migration {
    /// Number of the virtual page.
    pub page: Signal,
    /// Where it lies.
    pub from: Place,
    /// Where it is to lie.
    pub to: Place,
}

/// How a command ended. The codes of the two bus errors are those of AXI4.
#[derive(Clone, Copy, Debug, PartialEq, Eq, State)]
#[state(width = 3)]
pub enum Outcome {
    /// The page was moved.
    Okay = 0,
    /// Its entry is not as the command says: another place, not valid, or reserved bits.
    Mapping = 1,
    /// A memory answered SLVERR.
    Slave = 2,
    /// Nobody answers at an address: DECERR.
    Decode = 3,
    /// It was stopped.
    Stopped = 4,
    /// The entry could not be written back: it may have lost its write permission, or lead to either place.
    Table = 5,
}

/// A command is done.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Migrated {
    /// Its virtual page.
    pub page: Signal,
    /// How it ended.
    pub outcome: StateSignal<Outcome>,
    /// The place that is free now; none is with [`Outcome::Table`].
    pub free: Place,
}

/// What the MMU is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, State)]
pub enum Question {
    /// Forget the page: answered when no translation is given from an old entry any more.
    Forget = 0,
    /// Wait until nobody writes the page by a translation that was given before.
    Writers = 1,
    /// Wait until nobody uses the page by a translation that was given before.
    Users = 2,
}

/// What the MMU is asked.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Ask {
    /// What it is to do.
    pub question: StateSignal<Question>,
    /// With this virtual page.
    pub page: Signal,
}

ports! {
    /// Ports of a migration engine.
    pub struct MigrationPorts(p: MigrationParams) {
        /// Pages to be moved.
        input command: Stream<Migration> =
            stream(Migration { page: bits(p.virtual_page_bits()), from: place(p), to: place(p) }),
        /// Pages that were moved or not.
        output done: Stream<Migrated> =
            stream(Migrated { page: bits(p.virtual_page_bits()), outcome: state(), free: place(p) }),
        /// What the MMU is to do.
        output ask: Stream<Ask> = stream(Ask { question: state(), page: bits(p.virtual_page_bits()) }),
        /// It has done what it was asked.
        input answered: Signal = bits(1),
        /// Byte address of the page table.
        input base: Signal = bits(p.physical_bits),
        /// No further command is taken.
        input stop: Signal = bits(1),
        /// The page under way goes back, too.
        input stop_now: Signal = bits(1),
        /// Reads of each side.
        output m_axi_read: Vector<AxiRead> = vector(axi_read(p.mover().axi), 2),
        /// Writes of each side.
        output m_axi_write: Vector<AxiWrite> = vector(axi_write(p.mover().axi), 2),
    }
}

#[derive(Clone, Copy, State)]
pub(super) enum Step {
    Idle,
    /// Where is its entry?
    Locate,
    /// The entry is read.
    Fetch,
    /// And written without write permission.
    Withdraw,
    ForgetWritable,
    Writers,
    Copy,
    /// The entry is written with the new place.
    Switch,
    /// The entry is written as it was.
    Restore,
    ForgetOld,
    Users,
    Done,
}

/// A migration engine.
#[module]
pub fn migration(name: &str, p: MigrationParams) -> Result<Design<MigrationPorts>, Errors> {
    p.check(name)?;
    let m = Module::new(name);
    m.doc("Moves pages between two memories and switches their entries in the page table.");
    let io = MigrationPorts::new(m, p);
    let step = m.state(Step::Idle);
    let job = m.reg(io.command.payload.shape());
    let may_begin = m.reg_reset(bits(1), 0);
    may_begin.set(!io.stop & !io.stop_now);
    io.command.ready.set(step.is(Step::Idle) & may_begin);
    m.when(step.is(Step::Idle), || job.set(io.command.payload));

    m.section("one reader and one writer, each on the side that the step needs");
    let reader = m.instance(&burst_reader("migration_reader", p.mover())?);
    let writer = m.instance(&burst_writer("migration_writer", p.mover())?);
    let copies = step.is(Step::Copy);
    let table = m.lit(p.table_side, 1);
    route_reads(reader.m_axi, io.m_axi_read, copies.mux(job.from.side, table));
    route_writes(writer.m_axi, io.m_axi_write, copies.mux(job.to.side, table));
    let reads = UpDown::new(m, UNDER_WAY);
    let writes = UpDown::new(m, UNDER_WAY);
    reads.count(reader.command.transfer(), reader.done.transfer());
    writes.count(writer.command.transfer(), writer.done.transfer());
    let idle = reads.is_empty() & writes.is_empty();
    let failure = find_failure(m, &reader, &writer, step);

    m.section("the entry");
    let entry_address = m.reg(bits(p.physical_bits));
    let offset = job.page.cat(job.page.zeros(3));
    entry_address.set(io.base + offset.zext(p.physical_bits.max(offset.width())).trunc(p.physical_bits));
    let old = m.reg(bits(2)).comment("write and read permission, as they were");
    let writable = old.bit(1);
    let is_as_told = m.reg(bits(1));
    let fetched = unpacked(reader.m_axis.tdata.trunc(64), p.page_bits, p.physical_bits);
    m.when(step.is(Step::Fetch) & reader.m_axis.tvalid, || {
        old.set(fetched.write.cat(fetched.read));
        is_as_told.set(fetched.is_legal & fetched.side.eq(job.from.side.zext(2)) & fetched.page.eq(job.from.page));
    });
    let now = step.is(Step::Switch).mux(job.to, job.from);
    let write = writable & !step.is(Step::Withdraw);
    let written = entry(Entry { read: old.bit(0), write, side: now.side, page: now.page }, p.page_bits);

    m.section("the page, piece by piece");
    let sent = m.reg_reset(bits(1), 0).comment("the command of this step, or its question, is out");
    let word = m.reg_reset(bits(1), 0).comment("and its entry, or the command for the writer");
    let Pieces { offers, number, over: copied, stopped } = pieces(m, io, [copies, sent & word, failure.any, idle], p);

    m.section("commands");
    let fetches = step.is(Step::Fetch);
    let writes_entry = step.is(Step::Withdraw) | step.is(Step::Switch) | step.is(Step::Restore);
    let asks = step.is(Step::ForgetWritable) | step.is(Step::Writers) | step.is(Step::ForgetOld) | step.is(Step::Users);
    let at = |place: Place| address(place.page, number);
    let (piece, bytes) = (m.lit(1u32 << PIECE_BITS, PIECE_BITS + 1), m.lit(8u32, PIECE_BITS + 1));
    let tag = m.lit(0u32, 1);
    let size = copies.mux(piece, bytes);
    reader.command.valid.set((fetches | offers) & !sent);
    reader.command.payload.set(Command {
        address: copies.mux(at(job.from), entry_address),
        bytes: size,
        next: None,
        tag,
    });
    writer.command.valid.set((writes_entry & !sent) | (offers & !word));
    writer.command.payload.set(Command {
        address: copies.mux(at(job.to), entry_address),
        bytes: size,
        next: None,
        tag,
    });
    pass_data(m, &reader, &writer, [copies, fetches, writes_entry & !word], written);
    let question = (step.is(Step::Writers)).mux(m.lit_state(Question::Writers), m.lit_state(Question::Forget));
    let question = step.is(Step::Users).mux(m.lit_state(Question::Users), question);
    io.ask.valid.set(asks & !sent);
    io.ask.payload.set(Ask { question, page: job.page });

    m.section("how far the step is");
    let sends = reader.command.transfer() | (writer.command.transfer() & !copies) | io.ask.transfer();
    let gives =
        (fetches & reader.m_axis.tvalid) | (writes_entry & writer.s_axis.tready) | (copies & writer.command.transfer());
    let over = copied | (idle & sent & word & (fetches | writes_entry)) | (asks & sent & io.answered);
    let piece_is_out = copies & sent & word;
    m.when(sends, || sent.set(true));
    m.when(gives, || word.set(true));
    m.when(over | piece_is_out | step.is(Step::Idle), || {
        sent.set(false);
        word.set(false);
    });

    m.section("from step to step");
    let outcome = m.reg(state::<Outcome>());
    let how = m.reg(bits(1)).comment("the page lies in its old place");
    let next = |to| step.set(m.lit_state(to));
    m.switch(step, |x| {
        x.case(Step::Idle, || {
            outcome.set(Outcome::Okay);
            how.set(false);
            m.when(io.command.transfer(), || next(Step::Locate));
        });
        x.case(Step::Locate, || next(Step::Fetch));
        x.case(Step::Fetch, || {
            m.when(over, || {
                step.set(writable.mux(m.lit_state(Step::Withdraw), m.lit_state(Step::Copy)));
                m.when(!is_as_told, || outcome.set(Outcome::Mapping));
                m.when(!is_as_told | failure.any, || {
                    how.set(true);
                    next(Step::Done);
                });
                m.when(failure.any, || outcome.set(failure.outcome));
            });
        });
        x.case(Step::Withdraw, || {
            m.when(over, || next(Step::ForgetWritable));
            m.when(over & failure.any, || {
                outcome.set(failure.outcome);
                next(Step::Restore);
            });
        });
        x.case(Step::ForgetWritable, || m.when(over, || next(Step::Writers)));
        x.case(Step::Writers, || m.when(over, || next(Step::Copy)));
        x.case(Step::Copy, || {
            m.when(over, || next(Step::Switch));
            m.when(over & (failure.any | stopped), || {
                outcome.set(failure.any.mux(failure.outcome, m.lit_state(Outcome::Stopped)));
                next(Step::Restore);
            });
        });
        x.case(Step::Switch, || {
            m.when(over, || next(Step::ForgetOld));
            m.when(over & failure.any, || {
                outcome.set(failure.outcome);
                next(Step::Restore);
            });
        });
        x.case(Step::Restore, || {
            how.set(true);
            m.when(over, || next(Step::ForgetOld));
            m.when(over & failure.again, || outcome.set(Outcome::Table));
        });
        x.case(Step::ForgetOld, || m.when(over, || next(Step::Users)));
        x.case(Step::Users, || m.when(over, || next(Step::Done)));
        x.case(Step::Done, || m.when(io.done.ready, || next(Step::Idle)));
    });
    io.done.valid.set(step.is(Step::Done));
    io.done.payload.set(Migrated { page: job.page, outcome, free: how.mux(job.to, job.from) });
    m.finish(io)
}

/// More commands than a reader or writer ever has.
const UNDER_WAY: u32 = 63;

#[cfg(test)]
mod tests;
