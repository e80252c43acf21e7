//! Parts that need no harness, and a register block.

use super::super::Proof;
use super::super::copies::of;
use super::super::memories::STAGES;
use hdl::{Bundle, Design, Errors, Module, Signal, bits, module, ports};
use hw::control::{AxiLite, RegisterMap, axi_lite, slave};
use hw::memory::ram::{Collision, RamParams, ram};
use hw::oaken::EngineParams;
use hw::oaken::guard::length_guard;
use hw::oaken::level_writer::level_writer;
use hw::oaken::sparse_writer::sparse_writer;
use hw::oaken::vector_guard::vector_guard;
use hw::stream::arbiter::arbiter;
use hw::stream::credit_counter::credit_counter;
use hw::stream::fifo::{Style, fifo};
use hw::stream::fifo_two_clocks::fifo_two_clocks;
use hw::stream::gearbox::gearbox;
use hw::stream::narrow::narrow;
use hw::stream::pack::{Beats, pack};
use hw::stream::packet_arbiter::packet_arbiter;
use hw::stream::pulse_synchronizer::pulse_synchronizer;
use hw::stream::register_slice::register_slice;
use hw::stream::register_slice_backward::register_slice_backward;
use hw::stream::register_slice_forward::register_slice_forward;
use hw::stream::synchronizer::synchronizer;
use hw::stream::widen::widen;

ports! {
    struct SlavePorts(address_width: u32) {
        input s_axil: AxiLite = axi_lite(address_width),
        input error: Signal = bits(1),
        output setting: Signal = bits(3),
    }
}

/// A register block with a field of each kind.
#[module]
fn registers() -> Result<Design<SlavePorts>, Errors> {
    let mut map = RegisterMap::new("unit", "A field of each kind.");
    let setting = map.rw("setting", 3, 5, "A setting.");
    let error = map.register("errors", "What went wrong.").sticky("late", "It came late.");
    let busy = map.ro("busy", 1, "It works.");
    map.constant("version", 4, 9, "The version.");
    let m = Module::new("unit");
    let io = SlavePorts::new(m, map.address_width());
    let registers = slave(m, &map, io.s_axil)?;
    io.setting.set(registers[setting]);
    registers[error].set.set(io.error);
    registers[busy].set(io.error);
    m.finish(io)
}

pub(super) fn proofs() -> Result<Vec<Proof>, Errors> {
    let p = EngineParams { lanes: 1, max_length: 64, dense_bits: 4, settings: 1 };
    let shape = RamParams { width: 2, depth: 2, lanes: 1, style: Style::Distributed, collision: Collision::Old };
    let block = RamParams { style: Style::Block, ..shape };
    Ok(vec![
        of("register_slice", register_slice(1)).proof()?,
        of("register_slice_forward", register_slice_forward(1)).proof()?,
        of("register_slice_backward", register_slice_backward(1)).proof()?,
        of("fifo_lut", fifo(1, 3, Style::Distributed)).proof()?,
        of("fifo_block", fifo(1, 3, Style::Block)).proof()?,
        of("widen", widen(1, 1, 2)).proof()?,
        of("narrow", narrow(1, 1, 2)).proof()?,
        of("gearbox", gearbox(1, 3, 2)).proof()?,
        of("pack", pack(1, 2, 3, Beats::Full)).proof()?,
        of("pack_any", pack(1, 2, 3, Beats::Any)).proof()?,
        of("arbiter", arbiter(1, 5)).proof()?,
        of("packet_arbiter", packet_arbiter(1, 5)).proof()?,
        of("credit_counter", credit_counter(3)).proof()?,
        of("registers", registers()).proof()?,
        of("guard", length_guard(1, 4)).proof()?,
        of("vector_guard", vector_guard(1, 2)).proof()?,
        of("level_writer", level_writer(4)).proof()?,
        of("synchronizer", synchronizer(2, STAGES)).proof()?,
        of("fifo_two_clocks", fifo_two_clocks(1, 4, Style::Distributed, STAGES)).between_clocks().proof()?,
        of("pulse_synchronizer", pulse_synchronizer(STAGES)).between_clocks().proof()?,
        of("sparse_writer", sparse_writer(p, 2)).without_payloads().proof()?,
        of("ram_lut", ram(shape)).without_payloads().proof()?,
        of("ram_block", ram(block)).without_payloads().proof()?,
    ])
}
