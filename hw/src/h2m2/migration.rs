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
use super::migration_params::{Migrated, Migration, MigrationParams, migrated, migration_shape};
use super::migration_table::{bus, pages};
use super::page_copier::page_copier;
use super::params::TABLE_BITS;
use super::types::Pages;
use crate::memory::axi::{AxiRead, AxiWrite, axi_read, axi_write};
use hdl::*;

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
