//! Migration engine: moves pages between a fast and a large memory while accelerators go on using them (sections 4.1 and 4.2.2 of the paper).
//! What it promises stands in `docs/blocks/h2m2_migration.md`.
//!
//! | port | |
//! | --- | --- |
//! | `command` | a page, where it lies, where it is to lie, and which page tables lead to it; `command_ready` is made of registers |
//! | `done` | how each command ended, in their order, with the place that is free now: the old one, or, if it failed, the new one; registers |
//! | `invalidate`, `invalidated`, `drained` | the MMU of each side: its ports `invalidate`, `done` and `drained`; registers |
//! | `base` | where each page table begins, in units of 4 KiB; it stands still while pages move |
//! | `stop` | no further command is taken |
//! | `stop_now` | no further command is taken, and pages whose copying is not all asked for go back |
//! | `idle` | register: nothing is under way |
//! | `m_axi_read`, `m_axi_write` | AXI4 without IDs, one of each for the pages of each side |
//! | `m_axi_table_read`, `m_axi_table_write` | AXI4 without IDs, 64 bits, one of each for each page table |
//!
//! - Per page: its entries are read and compared; if it may be written, they are marked as on the move, and the MMUs forget it and wait for
//!   all who use it. It is copied. The entries lead to the new place, the MMUs forget the old one and wait; then writes go on, there.
//! - While a page is copied, the one before it is switched and the next one is marked: [`migration_control`](super::migration_control) does
//!   that, [`page_copier`](super::page_copier) copies.
//! - An error of a bus, or a stop: the entries are written back as they were, and `done` has the cause. The next command is made as if
//!   nothing had been.
//! - Parameters: those of [`MigrationParams`]. Throughput: that of the slower bus, if marking and switching a page takes no longer than
//!   copying one. Combinational paths: none.
//! - After reset nothing is under way; reset both memories and MMUs with it. A page under way stays as its entries say.

use super::migration_control::migration_control;
use super::migration_table::{bus, pages};
use super::page_copier::page_copier;
use super::params::{MOST_NUMBER_BITS, TABLE_BITS};
use super::types::Pages;
use crate::memory::axi::{AxiParams, AxiRead, AxiWrite, axi_read, axi_write};
use hdl::*;

/// The parameters of a migration engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MigrationParams {
    /// Bytes of a beat of the buses to the pages: 8, 16, 32 or 64.
    pub data_bytes: u32,
    /// Bits of a virtual byte address, 32 to 48.
    pub virtual_bits: u32,
    /// Bits of a physical byte address of each memory, 32 to 48.
    pub physical_bits: u32,
    /// Bits of a byte address within a page: 12 (4 KiB) to 30 (1 GiB).
    pub page_bits: u32,
}

impl MigrationParams {
    /// The buses to the pages.
    pub fn axi(self) -> AxiParams {
        AxiParams { data_bytes: self.data_bytes, address_bits: self.physical_bits, id_bits: 0 }
    }
    /// Bits of the number of a virtual page.
    pub fn virtual_page_bits(self) -> u32 {
        self.virtual_bits - self.page_bits
    }
    /// Bits of the number of a physical page.
    pub fn physical_page_bits(self) -> u32 {
        self.physical_bits - self.page_bits
    }
    /// A name that tells all parameters.
    pub fn name(self, what: &str) -> String {
        let MigrationParams { data_bytes, virtual_bits, physical_bits, page_bits } = self;
        format!("{what}_v{virtual_bits}_p{physical_bits}_g{page_bits}_{}", 8 * data_bytes)
    }
    #[track_caller]
    fn check(self, module: &str) -> Result<(), Errors> {
        let wrong = |what: String, help: &str| Err(Errors::parameter(module, what, help));
        if ![8, 16, 32, 64].contains(&self.data_bytes) {
            return wrong(format!("data_bytes = {}", self.data_bytes), "8, 16, 32 or 64: buses of 64 to 512 bits");
        }
        let ranges = [
            ("virtual_bits", self.virtual_bits, 32, 48, "those of the MMU"),
            ("physical_bits", self.physical_bits, 32, 48, "an entry has 48"),
            ("page_bits", self.page_bits, 12, 30, "pages of 4 KiB to 1 GiB"),
        ];
        if let Some((name, x, least, most, why)) = ranges.iter().find(|(_, x, least, most, _)| x < least || x > most) {
            return wrong(format!("{name} = {x} is out of range"), &format!("from {least} to {most}: {why}"));
        }
        if self.virtual_page_bits() > MOST_NUMBER_BITS {
            let help = "at most 2^31: the MMU counts no more";
            return wrong(format!("2^{} pages", self.virtual_page_bits()), help);
        }
        Ok(())
    }
}

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
    /// A bit for each page table: it leads to the page. With none, the page is only copied.
    pub tables: Signal,
}

/// The shape of a page to be moved.
pub fn migration_shape(p: MigrationParams) -> Migration {
    Migration { page: bits(p.virtual_page_bits()), from: place(p), to: place(p), tables: bits(2) }
}

/// How a command ended. The codes of the two bus errors are those of AXI4.
#[derive(Clone, Copy, Debug, PartialEq, Eq, State)]
#[state(width = 3)]
pub enum Outcome {
    /// The page was moved.
    Okay = 0,
    /// An entry is not as the command says: another place, not valid, on the move, or malformed; or both places are one.
    Mapping = 1,
    /// A memory answered SLVERR.
    Slave = 2,
    /// Nobody answers at an address: DECERR.
    Decode = 3,
    /// It was stopped.
    Stopped = 4,
    /// An entry could not be written as it had to be: it may be on the move for ever, or lead to either place.
    Table = 5,
}

/// A command is done.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Migrated {
    /// Its virtual page.
    pub page: Signal,
    /// How it ended.
    pub outcome: StateSignal<Outcome>,
    /// The place that is free now, if `freed`.
    pub free: Place,
    /// There is one: not with [`Outcome::Table`], nor where both places are one, nor behind a copy without page tables.
    pub freed: Signal,
}

/// The shape of what is done.
pub fn migrated(p: MigrationParams) -> Migrated {
    Migrated { page: bits(p.virtual_page_bits()), outcome: state(), free: place(p), freed: bits(1) }
}

ports! {
    /// Ports of a migration engine.
    pub struct MigrationPorts(p: MigrationParams) {
        /// Pages to be moved.
        input command: Stream<Migration> = stream(migration_shape(p)),
        /// Pages that were moved or not.
        output done: Stream<Migrated> = stream(migrated(p)),
        /// Each MMU forgets a page.
        output invalidate: Vector<Stream<Pages>> = vector(stream(pages(p)), 2),
        /// It has.
        input invalidated: Vector<Signal> = vector(bits(1), 2),
        /// Nobody uses what it was.
        input drained: Vector<Signal> = vector(bits(1), 2),
        /// Where each page table begins, in units of 4 KiB.
        input base: Vector<Signal> = vector(bits(p.physical_bits - TABLE_BITS), 2),
        /// No further command is taken.
        input stop: Signal = bits(1),
        /// And pages under way go back.
        input stop_now: Signal = bits(1),
        /// Nothing is under way.
        output idle: Signal = bits(1),
        /// Reads of the pages of each side.
        output m_axi_read: Vector<AxiRead> = vector(axi_read(p.axi()), 2),
        /// Writes of them.
        output m_axi_write: Vector<AxiWrite> = vector(axi_write(p.axi()), 2),
        /// Reads of each page table.
        output m_axi_table_read: Vector<AxiRead> = vector(axi_read(bus(p)), 2),
        /// Writes of it.
        output m_axi_table_write: Vector<AxiWrite> = vector(axi_write(bus(p)), 2),
    }
}

/// A migration engine.
#[module]
pub fn migration(name: &str, p: MigrationParams) -> Result<Design<MigrationPorts>, Errors> {
    p.check(name)?;
    let m = Module::new(name);
    m.doc("Moves pages between two memories and switches their entries in two page tables.");
    let io = MigrationPorts::new(m, p);
    let control = m.instance(&migration_control(p)?);
    let copier = m.instance(&page_copier(p)?);
    control.command.set(io.command);
    io.done.set(control.done);
    control.stop.set(io.stop);
    control.stop_now.set(io.stop_now);
    io.idle.set(control.idle);
    copier.job.set(control.job);
    copier.stop.set(control.stopping);
    control.copied.set(copier.done);
    for side in 0..2 {
        io.invalidate[side].set(control.invalidate[side]);
        control.invalidated[side].set(io.invalidated[side]);
        control.drained[side].set(io.drained[side]);
        control.base[side].set(io.base[side]);
        io.m_axi_read[side].set(copier.m_axi_read[side]);
        io.m_axi_write[side].set(copier.m_axi_write[side]);
        io.m_axi_table_read[side].set(control.m_axi_table_read[side]);
        io.m_axi_table_write[side].set(control.m_axi_table_write[side]);
    }
    m.finish(io)
}

#[cfg(test)]
mod tests;
