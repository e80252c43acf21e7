//! The hardware of H2M2 together: two MMUs, a migration engine and an event controller; and, for the accelerator core of each side, burst
//! readers and writers at both memories.
//!
//! The cores themselves are in the [bench](super::cores): they ask their MMU for every burst and give what it says to the engine of that
//! memory. Nothing else knows a physical address.

use hdl::*;
use hw::control::{AxiLite, axi_lite};
use hw::h2m2::event_controller::event_controller;
use hw::h2m2::event_types::{self, Registration, slot_bits};
use hw::h2m2::migration::migration;
use hw::h2m2::migration_params::{Migrated, Migration, MigrationParams, migrated, migration_shape};
use hw::h2m2::migration_table::bus as table_bus;
use hw::h2m2::mmu_axi::mmu_axi;
use hw::h2m2::params::{MmuParams, Replacement, TABLE_BITS};
use hw::h2m2::types::{self, Release, Request};
use hw::memory::axi::{AxiParams, AxiRead, AxiWrite, axi_read, axi_write};
use hw::memory::burst_reader::burst_reader;
use hw::memory::burst_writer::burst_writer;
use hw::memory::mover::{self, Command, Done, MoverParams};
use hw::stream::axi_stream::{AxiStream, axi_stream};

/// Kernels that may be registered.
pub const KERNELS: u32 = 64;
/// Bytes of a page: 2 to the power of this.
pub const PAGE_BITS: u32 = 12;
/// Bits of the address of an MMU's registers.
pub const REGISTER_BITS: u32 = 6;
/// Streams of requests of an MMU: its core's reads and writes.
pub const REQUESTERS: usize = 2;

/// An MMU.
pub fn mmu() -> MmuParams {
    MmuParams {
        virtual_bits: 32,
        physical_bits: 32,
        page_bits: PAGE_BITS,
        entries: 64,
        ways: 4,
        requesters: REQUESTERS as u32,
        walks: 4,
        tag_bits: 8,
        data_bytes: 8,
        replacement: Replacement::Fifo,
        prefetch: false,
        writes_wait: false,
    }
}

/// The migration engine.
pub fn engine() -> MigrationParams {
    MigrationParams { data_bytes: 8, virtual_bits: 32, physical_bits: 32, page_bits: PAGE_BITS }
}

fn core() -> MoverParams {
    let axi = AxiParams { data_bytes: 8, address_bits: 32, id_bits: 0 };
    MoverParams {
        axi,
        length_bits: 13,
        tag_bits: 8,
        outstanding: 4,
        buffer: 2 * axi.longest_burst(),
        scatter_bits: None,
        aligned: false,
    }
}

ports! {
    /// Ports of the system. What stands four times is of the fast side's core at both memories, then of the large side's.
    pub struct SystemPorts() {
        /// Kernels to be launched.
        input register: Stream<Registration> =
            stream(Registration { slot: bits(slot_bits(KERNELS)), side: bits(1), after: bits(KERNELS) }),
        /// How each registration ended.
        output answer: Stream<event_types::Answer> =
            stream(event_types::Answer { slot: bits(slot_bits(KERNELS)), outcome: state() }),
        /// Kernels that a side may begin.
        output launch: Vector<Stream> = vector(stream(bits(slot_bits(KERNELS))), 2),
        /// Kernels that a side has finished.
        input complete: Vector<Stream> = vector(stream(bits(slot_bits(KERNELS))), 2),
        /// A completion was dropped.
        output stray: Signal = bits(1),
        /// Registers of the MMUs.
        input s_axil: Vector<AxiLite> = vector(axi_lite(REGISTER_BITS), 2),
        /// Bursts that want an address: reads and writes of the fast side, then of the large side.
        input request: Vector<Stream<Request>> = vector(stream(types::request(mmu())), 2 * REQUESTERS),
        /// Their addresses.
        output response: Vector<Stream<types::Translation>> = vector(stream(types::translation(mmu())), 2 * REQUESTERS),
        /// Bursts that are over.
        input release: Vector<Release> = vector(types::release(), 2 * REQUESTERS),
        /// Bursts to be read.
        input read: Vector<Stream<Command>> = vector(stream(mover::command(core())), 4),
        /// What was read.
        output m_axis: Vector<AxiStream> = vector(axi_stream(8).with_user(Some(1)), 4),
        /// Bursts that were read.
        output read_done: Vector<Stream<Done>> = vector(stream(mover::done(core())), 4),
        /// Bursts to be written.
        input write: Vector<Stream<Command>> = vector(stream(mover::command(core())), 4),
        /// What is to be written.
        input s_axis: Vector<AxiStream> = vector(axi_stream(8), 4),
        /// Bursts that were written.
        output write_done: Vector<Stream<Done>> = vector(stream(mover::done(core())), 4),
        /// Pages to be moved.
        input migrate: Stream<Migration> = stream(migration_shape(engine())),
        /// Pages that were moved.
        output migrated: Stream<Migrated> = stream(migrated(engine())),
        /// Where each MMU's table begins, in units of 4 KiB, for the engine.
        input base: Vector = vector(bits(32 - TABLE_BITS), 2),
        /// Walks, in the memory of each side.
        output walks: Vector<AxiRead> = vector(axi_read(mmu().axi()), 2),
        /// Reads of cores.
        output reads: Vector<AxiRead> = vector(axi_read(core().axi), 4),
        /// Writes of cores.
        output writes: Vector<AxiWrite> = vector(axi_write(core().axi), 4),
        /// Pages that are moved, of each side.
        output page_reads: Vector<AxiRead> = vector(axi_read(engine().axi()), 2),
        /// Likewise.
        output page_writes: Vector<AxiWrite> = vector(axi_write(engine().axi()), 2),
        /// Entries of each table.
        output table_reads: Vector<AxiRead> = vector(axi_read(table_bus(engine())), 2),
        /// Likewise.
        output table_writes: Vector<AxiWrite> = vector(axi_write(table_bus(engine())), 2),
    }
}

/// The system; writes to pages on the move wait, or are a fault.
#[module]
pub fn system(writes_wait: bool) -> Result<Design<SystemPorts>, Errors> {
    let m = Module::new("h2m2_system");
    m.doc("Two MMUs, a migration engine, an event controller, and the burst engines of two cores.");
    let io = SystemPorts::new(m);
    let events = m.instance(&event_controller("h2m2_events", KERNELS)?);
    events.register.set(io.register);
    io.answer.set(events.answer);
    io.launch.set(events.launch);
    events.complete.set(io.complete);
    io.stray.set(events.stray.any);
    events.stray.slot.unused();
    events.stray.side.unused();

    m.section("MMUs, and the engine that changes their tables");
    let moves = m.instance(&migration("h2m2_migration", engine())?);
    moves.command.set(io.migrate);
    io.migrated.set(moves.done);
    moves.stop.set(false);
    moves.stop_now.set(false);
    moves.idle.unused();
    let mmu = mmu_axi("h2m2_mmu", MmuParams { writes_wait, ..mmu() })?;
    for side in 0..2 {
        let mmu = m.instance(&mmu).named(["fast_mmu", "large_mmu"][side]);
        mmu.s_axil.set(io.s_axil[side]);
        for i in 0..REQUESTERS {
            mmu.request[i].set(io.request[side * REQUESTERS + i]);
            io.response[side * REQUESTERS + i].set(mmu.response[i]);
            mmu.release[i].set(io.release[side * REQUESTERS + i]);
        }
        mmu.invalidate.set(moves.invalidate[side]);
        moves.invalidated[side].set(mmu.done);
        moves.drained[side].set(mmu.drained);
        moves.base[side].set(io.base[side]);
        io.walks[side].set(mmu.m_axi);
        io.page_reads[side].set(moves.m_axi_read[side]);
        io.page_writes[side].set(moves.m_axi_write[side]);
        io.table_reads[side].set(moves.m_axi_table_read[side]);
        io.table_writes[side].set(moves.m_axi_table_write[side]);
    }

    m.section("the cores' bursts");
    let (reader, writer) = (burst_reader("core_reader", core())?, burst_writer("core_writer", core())?);
    for i in 0..4 {
        let reader = m.instance(&reader);
        reader.command.set(io.read[i]);
        io.m_axis[i].set(reader.m_axis);
        io.read_done[i].set(reader.done);
        io.reads[i].set(reader.m_axi);
        let writer = m.instance(&writer);
        writer.command.set(io.write[i]);
        writer.s_axis.set(io.s_axis[i]);
        io.write_done[i].set(writer.done);
        io.writes[i].set(writer.m_axi);
    }
    m.finish(io)
}
