//! The MMU of H2M2 with its registers behind AXI4-Lite, counters and a log of faults. What it promises stands in `docs/blocks/h2m2_mmu.md`.
//!
//! | port | |
//! | --- | --- |
//! | `s_axil` | registers |
//! | `request_0` ..., `response_0` ..., `release_0` ... | as those of [`mmu()`](super::mmu::mmu()) |
//! | `invalidate`, `done`, `drained` | for hardware that changes the table, such as a migration engine; software has registers for it |
//! | `m_axi` | reads of the table |
//!
//! - Parameters: those of [`MmuParams`]. A translation a cycle. Latency 5 from a request to its answer, if it hits; 6 where writes wait.
//! - Combinational paths: `request_valid` of all requesters to `request_ready`, where writes do not wait; `invalidate_valid` to nothing.

use super::mmu::{Counted, MmuPorts, mmu};
use super::params::*;
use super::types::*;
use super::write_wait::{Requesting, through_write_waits};
use crate::control::{AxiLite, RegisterMap, Registers, Ro, Rw, Sticky, axi_lite, becomes_one, slave};
use crate::memory::axi::{AxiRead, axi_read};
use crate::stream::fifo::{Style, fifo_after};
use hdl::*;

/// Faults that are kept for software.
const LOGGED: usize = 16;

ports! {
    /// Ports of [`mmu_axi`].
    pub struct MmuAxiPorts(p: MmuParams, address_width: u32) {
        /// Registers.
        input s_axil: AxiLite = axi_lite(address_width),
        /// Requests of each requester.
        input request: Vector<Stream<Request>> = vector(stream(request(p)), p.requesters as usize),
        /// Answers to each requester.
        output response: Vector<Stream<Translation>> = vector(stream(translation(p)), p.requesters as usize),
        /// Translations that each requester has finished with.
        input release: Vector<Release> = vector(release(), p.requesters as usize),
        /// Pages to be invalidated.
        input invalidate: Stream<Pages> = stream(pages(p)),
        /// One cycle: no later answer comes from an entry as it was before the invalidation.
        output done: Signal = bits(1),
        /// Every translation from before the last invalidation that is done was handed back.
        output drained: Signal = bits(1),
        /// Reads of the table.
        output m_axi: AxiRead = axi_read(p.axi()),
    }
}

/// The registers and the handles of their fields.
struct Map {
    map: RegisterMap,
    enable: Rw,
    idle: Ro,
    base_low: Rw,
    base_high: Option<Rw>,
    pages: Rw,
    first: Rw,
    last: Rw,
    start: Rw,
    busy: Ro,
    drained: Ro,
    logged: Sticky,
    lost: Sticky,
    cause: Ro,
    write: Ro,
    requester: Ro,
    fault_page: Ro,
    select: Rw,
    counter: Ro,
}

fn map(name: &str, p: MmuParams) -> Map {
    let mut map = RegisterMap::new(name, "Page table, invalidation, faults and counters of an MMU.");
    map.constant("id", 32, u32::from_be_bytes(*b"H2MM"), "identification: `H2MM` in ASCII");
    let mut parameters = map.register("parameters", "what the MMU was generated with");
    parameters.constant("page_bits", 5, p.page_bits, "a page has 2^page_bits bytes");
    parameters.constant("virtual_bits", 6, p.virtual_bits, "bits of a virtual address");
    parameters.constant("physical_bits", 6, p.physical_bits, "bits of a physical address");
    parameters.constant("requesters", 4, p.requesters, "streams of requests");
    let mut taking = map.register("enable", "whether requests are taken");
    let enable = taking.rw("enable", 1, 0, "1: requests are taken");
    let idle = taking.ro("idle", 1, "all requests that were taken are answered");
    let low = p.physical_bits.min(32) - TABLE_BITS;
    let mut base = map.register("base_low", "where the page table begins: low bits; a multiple of 4 KiB");
    base.reserved(TABLE_BITS);
    let base_low = base.rw("address", low, 0, "bits 31:12 of its physical address");
    let doc = "where the page table begins: bits from 32 on";
    let base_high = (p.physical_bits > 32).then(|| map.rw("base_high", p.physical_bits - 32, 0, doc));
    if base_high.is_none() {
        map.constant("base_high", 32, 0, doc); // so that all MMUs have the same registers
    }
    let pages = map.rw("pages", p.number_bits() + 1, 0, "entries of the page table");
    map.units(pages, "entries");
    let first = map.rw("first", p.number_bits(), 0, "the first page to be invalidated");
    let last = map.rw("last", p.number_bits(), 0, "the last page to be invalidated");
    let mut invalidate = map.register("invalidate", "invalidation of the pages from first to last");
    let start = invalidate.rw("start", 1, 0, "a change from 0 to 1 starts the invalidation");
    let busy = invalidate.ro("busy", 1, "an invalidation started here is under way");
    let drained =
        invalidate.ro("drained", 1, "no translation from before the last invalidation that was started here is in use");
    let mut fault = map.register("fault", "the oldest fault that was not cleared");
    let logged = fault.sticky("logged", "a fault is shown; write 1 for the next one");
    let lost = fault.sticky("lost", "there were more faults than are kept; write 1 to clear");
    fault.reserved(2);
    let cause = fault.ro("cause", 3, "cause of the fault, as in the answer");
    let write = fault.ro("write", 1, "1: the request was a write");
    let requester = fault.ro("requester", p.requester_bits(), "whose request it was");
    let fault_page = map.ro("fault_page", p.number_bits(), "virtual page of the fault");
    let select = map.rw("select", 4, 0, "which counter is shown");
    let counter = map.ro("counter", 32, "requests that were answered in the way that `select` says, modulo 2^32");
    Map {
        map,
        enable,
        idle,
        base_low,
        base_high,
        pages,
        first,
        last,
        start,
        busy,
        drained,
        logged,
        lost,
        cause,
        write,
        requester,
        fault_page,
        select,
        counter,
    }
}

/// The registers of the MMU.
///
/// # Panics
/// If the parameters are not legal: a module of yours says so with `p.check(name)?` before it asks for this.
#[track_caller]
pub fn registers(name: &str, p: MmuParams) -> RegisterMap {
    if let Err(errors) = p.check(name) {
        panic!("{errors}");
    }
    map(name, p).map
}

/// The MMU with AXI edges; `name` is that of the Verilog module.
#[module]
pub fn mmu_axi(name: &str, p: MmuParams) -> Result<Design<MmuAxiPorts>, Errors> {
    p.check(name)?;
    let map = map(name, p);
    let m = Module::new(name);
    m.doc("MMU of H2M2: addresses of a fast and a large memory through one page table.");
    let io = MmuAxiPorts::new(m, p, map.map.address_width());
    let regs = slave(m, &map.map, io.s_axil)?;
    let core = m.instance(&mmu(p)?);

    // requesters ask the core or, where writes wait, what asks again for them: it stands in front of the core, which answers all that it
    // is asked, so that no invalidation waits for a write
    let requesters = (0..p.requesters as usize).map(|i| (io.request[i], io.response[i], io.release[i]));
    let requesters: Vec<Requesting> = requesters.collect();
    regs[map.idle].set(connect(m, &requesters, *core, regs[map.enable], p)?);
    let low = regs[map.base_low];
    core.base.set(map.base_high.map_or(low, |high| regs[high].cat(low)));
    core.pages.set(regs[map.pages]);
    io.m_axi.set(core.m_axi);

    m.section("invalidation, by software or by the port");
    let starts = becomes_one(m, regs[map.start]);
    let (asks, under_way) = (m.reg_reset(bits(1), 0), m.reg_reset(bits(1), 0));
    let begins = asks & core.invalidate.ready;
    m.when(begins, || {
        asks.set(false);
        under_way.set(true);
    });
    m.when(core.done, || under_way.set(false));
    let ours = m.reg(pages(p)); // as they were when it was started
    m.when(starts, || {
        asks.set(true);
        ours.set(Pages { first: regs[map.first], last: regs[map.last] });
    });
    core.invalidate.valid.set(asks | io.invalidate.valid);
    core.invalidate.payload.set(asks.mux(ours, io.invalidate.payload));
    io.invalidate.ready.set(core.invalidate.ready & !asks);
    io.done.set(core.done & !under_way);
    io.drained.set(core.drained);
    let busy = asks | under_way | starts;
    let drained = m.reg_reset(bits(1), 0).comment("it was, since the last one that was started here");
    drained.set(!busy & (drained | core.drained));
    regs[map.busy].set(busy);
    regs[map.drained].set(drained);

    log(m, &map, &regs, core.counted)?;
    count(m, &map, &regs, core.counted);
    m.finish(io)
}

/// Keeps faults, and shows the oldest one until software clears its flag.
#[module]
fn log(m: Module, map: &Map, regs: &Registers, counted: Counted) -> Result<(), Errors> {
    m.section("faults");
    let Counted { valid, fault, cause, asker, .. } = counted;
    asker.slot.unused();
    let faults = m.wire(stream((cause, asker.write, asker.requester, asker.page)));
    faults.valid.set(valid & fault);
    faults.payload.set((cause, asker.write, asker.requester, asker.page));
    regs[map.lost].set.set(faults.valid & !faults.ready);
    let oldest = fifo_after(m, faults, LOGGED, Style::Distributed)?;
    let takes = oldest.valid & !regs[map.logged].value;
    oldest.ready.set(!regs[map.logged].value);
    regs[map.logged].set.set(takes);
    let shown = m.reg_reset(oldest.payload, 0);
    m.when(takes, || shown.set(oldest.payload));
    regs[map.cause].set(shown.0);
    regs[map.write].set(shown.1);
    regs[map.requester].set(shown.2);
    regs[map.fault_page].set(shown.3);
    Ok(())
}

/// Counts requests by how they were answered. All counters are cleared after a reset, in 16 cycles in which no request is taken yet.
#[module]
fn count(m: Module, map: &Map, regs: &Registers, counted: Counted) {
    m.section("counters");
    let counters = m.memory(bits(32), 16).style(RamStyle::Distributed);
    let cleared = m.reg_reset(bits(5), 0).comment("counters that were cleared");
    let clears = !cleared.msb();
    m.when(clears, || cleared.set(cleared + 1));
    m.assert(!(clears & counted.valid), "nothing is counted before all counters are cleared");
    let known = (!clears).repeat(32);
    let more = (counters.read(counted.counter) + 1) & known;
    counters.write(clears.mux(cleared.trunc(4), counted.counter), more, clears | counted.valid);
    regs[map.counter].set(counters.read(regs[map.select]) & known);
}

/// Connects requesters, and enables the core. Gives whether all requests that were taken are answered.
fn connect(m: Module, all: &[Requesting], core: MmuPorts, enable: Signal, p: MmuParams) -> Result<Signal, Errors> {
    if p.writes_wait {
        return Ok(core.idle & through_write_waits(m, all, core, enable, p)?);
    }
    for (i, (request, response, release)) in all.iter().enumerate() {
        core.request[i].set(*request);
        response.set(core.response[i]);
        core.release[i].set(*release);
    }
    core.enable.set(enable);
    Ok(core.idle)
}
