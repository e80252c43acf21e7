//! The MMU with registers behind AXI4-Lite: software says where the pages lie, opens and releases requests, and reads counters.
//!
//! | port | |
//! | --- | --- |
//! | `s_axil` | AXI4-Lite, the registers of [`registers`] |
//! | `append`, `slice`, `s_axis`, `read`, `history`, `m_axis_*`, `enough`, `appended`, `done`, `m_axi` | those of the [unit](mod@super::unit) |
//!
//! Parameters, rates and behaviour are those of the unit.

use super::commands::*;
use super::params::*;
use super::unit::unit;
use crate::control::{AxiLite, RegisterMap, Registers, Ro, Rw, Sticky, axi_lite, becomes_one, slave};
use crate::memory::axi::{Axi, axi};
use crate::stream::axi_stream::{AxiStream, axi_stream};
use hdl::*;

ports! {
    /// Ports of [`unit_axi`].
    pub struct UnitAxiPorts(p: MmuParams, address_width: u32) {
        /// Registers.
        input s_axil: AxiLite = axi_lite(address_width),
        /// Vectors that come.
        input append: Stream<Append> = stream(append(p)),
        /// Their packets.
        input slice: Stream<Slice> = stream(slice_shape(p)),
        /// The words of the packets.
        input s_axis: AxiStream = axi_stream(p.axi.data_bytes),
        /// Histories that are to be read.
        input read: Stream<Read> = stream(read(p)),
        /// The history that comes.
        output history: Stream<History> = stream(history(p)),
        /// Sparse part of histories.
        output m_axis_sparse: AxiStream = axi_stream(p.axi.data_bytes).with_user(Some(1)),
        /// Dense part of histories.
        output m_axis_dense: AxiStream = axi_stream(p.axi.data_bytes).with_user(Some(1)),
        /// No more of the sparse part that comes is needed.
        input enough: Signal = bits(1),
        /// How appends ended.
        output appended: Stream<Answer> = stream(answer(p)),
        /// How reads ended.
        output done: Stream<ReadAnswer> = stream(read_answer(p)),
        /// The bus; IDs of reads have one bit.
        output m_axi: Axi = axi(p.axi.of_masters(2), p.axi),
    }
}

/// The registers and the handles of their fields.
struct MmuMap {
    map: RegisterMap,
    base: Rw,
    base_high: Option<Rw>,
    request: Rw,
    release: Rw,
    start: Rw,
    busy: Ro,
    outcome: Ro,
    free: Ro,
    appended: Ro,
    read: Ro,
    errors: Vec<(Outcome, Sticky)>,
}

fn describe(name: &str, p: MmuParams) -> MmuMap {
    let mut map = RegisterMap::new(name, "Where the pages of an Oaken MMU lie, and who has them.");
    map.constant("id", 32, u32::from_be_bytes(*b"OAKM"), "identification: `OAKM` in ASCII");
    map.constant("page_bytes", 32, p.page_bytes, "bytes of a page");
    map.constant("pages", 32, p.pages, "pages that there are");
    let base = map.rw(
        "base",
        p.base_bits().min(32),
        0,
        "number of the first page in memory; to be left alone while a request is open",
    );
    let high = p.base_bits().saturating_sub(32);
    let high_doc = "bits 32 and up of the first page's number";
    let base_high = (high > 0).then(|| map.rw("base_high", high, 0, high_doc));
    if base_high.is_none() {
        map.constant("base_high", 32, 0, high_doc); // so that all MMUs have the same registers
    }
    let mut command = map.register("command", "begins or ends a request");
    let request = command.rw("request", 8, 0, "number of the request");
    let release = command.rw("release", 1, 0, "1: releases the request and frees its pages; 0: opens it, empty");
    let start = command.rw("start", 1, 0, "a change from 0 to 1 issues the command, unless one is under way");
    let mut result = map.register("result", "of the last command");
    let outcome = result.ro(
        "outcome",
        3,
        "once it is over: 0 okay, 1 there is no such request, 2 it is not open, 3 it is open already",
    );
    let busy = result.ro("busy", 1, "the command is under way");
    let free = map.ro("free", 32, "free pages");
    let appended = map.ro("appended", 32, "vectors that were appended since reset, modulo 2^32");
    let read = map.ro("read", 32, "histories that were read since reset, modulo 2^32");
    let mut flags =
        map.register("errors", "what went wrong with an append or a read since it was cleared; write 1 to clear");
    let errors = [
        (Outcome::Address, "address", "there is no such request, layer or head"),
        (Outcome::Closed, "closed", "the request was not open"),
        (Outcome::Tokens, "tokens", "the request has as many tokens as it may"),
        (Outcome::Pages, "pages", "there were not enough pages"),
        (Outcome::Bus, "bus", "the bus answered with an error"),
        (Outcome::Record, "record", "a record was malformed"),
    ];
    let errors = errors.map(|(outcome, name, doc)| (outcome, flags.sticky(name, doc))).to_vec();
    MmuMap { map, base, base_high, request, release, start, busy, outcome, free, appended, read, errors }
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
    describe(name, p).map
}

/// The MMU with registers; `name` is that of the Verilog module.
#[module]
pub fn unit_axi(name: &str, p: MmuParams) -> Result<Design<UnitAxiPorts>, Errors> {
    let p = p.check(name)?;
    let map = describe(name, p);
    let m = Module::new(name);
    m.doc("Keeps the slices of Oaken records in pages, by head, and reads histories back.");
    let io = UnitAxiPorts::new(m, p, map.map.address_width());
    let regs = slave(m, &map.map, io.s_axil)?;
    let core = m.instance(&unit(&p.name("oaken_mmu_core"), p)?);

    m.section("data");
    core.append.set(io.append);
    core.slice.set(io.slice);
    core.s_axis.set(io.s_axis);
    core.read.set(io.read);
    core.enough.set(io.enough);
    io.history.set(core.history);
    io.m_axis_sparse.set(core.m_axis_sparse);
    io.m_axis_dense.set(core.m_axis_dense);
    io.appended.set(core.appended);
    io.done.set(core.done);
    io.m_axi.set(core.m_axi);

    m.section("software");
    let base = map.base_high.map_or(regs[map.base], |high| regs[high].cat(regs[map.base]));
    core.base.set(base);
    regs[map.free].set(core.free.zext(32));
    map.command(m, &regs, core.control, core.controlled);
    let appended = (io.appended.transfer(), io.appended.payload.outcome);
    let read = (io.done.transfer(), io.done.payload.outcome);
    map.count(m, &regs, [appended, read]);
    m.finish(io)
}

impl MmuMap {
    /// Sends the command that software begins. A request whose number has more bits than there are is sent as the last number there is
    /// not: the MMU refuses it.
    #[module]
    fn command(&self, m: Module, regs: &Registers, control: Stream<Control>, controlled: Stream<Answer>) {
        let begins = becomes_one(m, regs[self.start]);
        let asked = m.reg_reset(bits(1), 0).comment("the command waits");
        let busy = m.reg_reset(bits(1), 0).comment("the command is not over");
        let outcome = m.state(Outcome::Okay);
        let number = regs[self.request];
        let width = control.payload.request.width();
        let exists = !number.drop_low(width).any();
        m.when(control.ready, || asked.set(false));
        m.when(controlled.valid, || {
            busy.set(false);
            outcome.set(controlled.payload.outcome);
        });
        m.when(begins & !busy, || {
            asked.set(exists);
            busy.set(exists);
            outcome.set(Outcome::Address);
        });
        let tag = control.payload.tag.zeros(control.payload.tag.width());
        control.valid.set(asked);
        control.payload.set(Control { release: regs[self.release], request: number.trunc(width), tag });
        controlled.ready.set(true);
        controlled.payload.tag.unused();
        regs[self.busy].set(busy);
        regs[self.outcome].set(outcome.code());
    }
    /// Counts what went well, and flags what did not.
    #[module]
    fn count(&self, m: Module, regs: &Registers, ends: [(Signal, StateSignal<Outcome>); 2]) {
        for ((over, outcome), field) in ends.into_iter().zip([self.appended, self.read]) {
            let count = m.reg_reset(bits(32), 0);
            let counts = m.reg_reset(bits(1), 0).comment("a cycle later: the counter is long");
            counts.set(over & outcome.is(Outcome::Okay));
            m.when(counts, || count.set(count + 1));
            regs[field].set(count);
        }
        for (why, flag) in &self.errors {
            let [appended, read] = ends.map(|(over, outcome)| over & outcome.is(*why));
            regs[*flag].set.set(appended | read);
        }
    }
}
