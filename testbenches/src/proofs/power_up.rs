//! Any power-up: two copies of a part whose registers and memories begin with whatever they like, reset once, with the same inputs.
//! Handshakes and statuses are the same ever after, and payloads while they are valid: so nothing of what was there before the
//! reset is left, and nothing that it was can make the part hang.

use super::memories::STAGES;
use super::{Engine, Proof};
use crate::outputs::{Kind, kinds};
use hdl::engine::PortInfo;
use hdl::{Bundle, ClockDomain, Design, Errors, Module, Ports, Signal, bits, cat, module, ports};
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

/// The ports of an instance, in the order of the design's list.
pub(super) fn pins<P: Ports>(m: Module, part: &Design<P>) -> Vec<Signal> {
    let (mut inside, mut outside) = (vec![], vec![]);
    part.ports.map_ports(&mut |s| {
        inside.push(s);
        s
    });
    m.instance(part).ports.map_ports(&mut |s| {
        outside.push(s);
        s
    });
    let mut pins: Vec<(usize, Signal)> =
        inside.into_iter().zip(outside).filter_map(|(port, pin)| Some((part.port_index(port)?, pin))).collect();
    pins.sort_by_key(|(at, _)| *at);
    pins.into_iter().map(|(_, pin)| pin).collect()
}

/// The words of a payload that are kept, where there is a `keep` beside it; all of it elsewhere.
fn kept(ports: &[PortInfo], at: usize, pins: &[Signal]) -> Signal {
    let stem = ports[at].name.strip_suffix("data");
    let Some(keep) = stem.and_then(|stem| ports.iter().position(|port| port.name == format!("{stem}keep"))) else {
        return pins[at];
    };
    let words = pins[keep].lanes(1);
    let width = pins[at].width() / words.len() as u32;
    let mask: Vec<Signal> = words.into_iter().rev().map(|keep| keep.repeat(width)).collect();
    pins[at] & cat(&mask)
}

/// Two copies of a part of one clock; their payloads are compared, too, where `payloads`.
fn copies<P: Ports>(name: &str, part: &Design<P>, payloads: bool) -> Result<Design<()>, Errors> {
    let m = Module::new(format!("prove_power_up_{name}"));
    both(m, part, payloads, |_| None)?;
    m.finish(())
}

/// Two copies of a part whose ports `s` have one clock, and its ports `m` another.
fn copies_between<P: Ports>(name: &str, part: &Design<P>) -> Result<Design<()>, Errors> {
    let m = Module::new(format!("prove_power_up_{name}"));
    let (source, sink) = (m.clock_domain("s_clk", "s_rst"), m.clock_domain("m_clk", "m_rst"));
    both(m, part, true, |port| Some(if port.starts_with("s_") { source } else { sink }))?;
    m.finish(())
}

/// The copies, with the same inputs, and what is said of their outputs; `clock` is that of a port. The ports of one of them.
#[module]
pub(super) fn both<P: Ports>(
    m: Module,
    part: &Design<P>,
    payloads: bool,
    clock: impl Fn(&str) -> Option<ClockDomain>,
) -> Result<Vec<Signal>, Errors> {
    let (one, other) = (m.scope("one", || pins(m, part)), m.scope("other", || pins(m, part)));
    let ports = part.port_list();
    let kinds = kinds(&ports);
    for (at, port) in ports.iter().enumerate() {
        if port.input {
            let input = m.port(&port.name, "", true, bits(port.width));
            if let Some(clock) = clock(&port.name) {
                m.port_domain(input, clock);
            }
            one[at].set(input);
            other[at].set(input);
            continue;
        }
        let compare = || compare(m, [&one, &other], at, &ports, kinds[at], payloads);
        match clock(&port.name) {
            Some(clock) => m.in_domain(clock, compare),
            None => compare(),
        }
    }
    Ok(one)
}

/// An output of both copies.
fn compare(m: Module, [one, other]: [&[Signal]; 2], at: usize, ports: &[PortInfo], kind: Kind, payloads: bool) {
    match kind {
        Kind::Known => {
            let same = one[at].eq(other[at]);
            m.assert(same, "handshakes and statuses are the same whatever there was before the reset");
            m.cover(one[at].any(), "a handshake or status is not 0");
        }
        // what a memory was never given stays what it was
        Kind::While(_) if !payloads => other[at].unused(),
        Kind::While(valid) => {
            let same = kept(ports, at, one).eq(kept(ports, at, other));
            m.assert(!one[valid] | same, "valid payloads are the same whatever there was before the reset");
        }
    }
}

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

/// The proofs of this file: parts that behave the same after a reset, whatever they powered up with.
pub fn proofs() -> Result<Vec<Proof>, Errors> {
    let (engine, cover_depth) = (Engine::Pdr, 12);
    let mut list = vec![];
    let mut add = |name: &str, design: Result<Design<()>, Errors>| {
        let (name, part) = (format!("power_up_{name}"), format!("any power-up, {name}"));
        list.push(Proof { name, part, design: design?, engine, cover_depth });
        Ok::<(), Errors>(())
    };
    macro_rules! add {
        ($($name:literal: $part:expr),* $(,)?) => { $(add($name, copies($name, &$part?, true))?;)* };
    }
    let p = EngineParams { lanes: 1, max_length: 64, dense_bits: 4, settings: 1 };
    let shape = RamParams { width: 2, depth: 2, lanes: 1, style: Style::Distributed, collision: Collision::Old };
    add! {
        "register_slice": register_slice(1),
        "register_slice_forward": register_slice_forward(1),
        "register_slice_backward": register_slice_backward(1),
        "fifo_lut": fifo(1, 3, Style::Distributed),
        "fifo_block": fifo(1, 3, Style::Block),
        "widen": widen(1, 1, 2),
        "narrow": narrow(1, 1, 2),
        "gearbox": gearbox(1, 3, 2),
        "pack": pack(1, 2, 3, Beats::Full),
        "pack_any": pack(1, 2, 3, Beats::Any),
        "arbiter": arbiter(1, 5),
        "packet_arbiter": packet_arbiter(1, 5),
        "credit_counter": credit_counter(3),
        "registers": registers(),
        "guard": length_guard(1, 4),
        "vector_guard": vector_guard(1, 2),
        "level_writer": level_writer(4),
        "synchronizer": synchronizer(2, STAGES),
    }
    add("fifo_two_clocks", copies_between("fifo_two_clocks", &fifo_two_clocks(1, 4, Style::Distributed, STAGES)?))?;
    add("pulse_synchronizer", copies_between("pulse_synchronizer", &pulse_synchronizer(STAGES)?))?;
    add("sparse_writer", copies("sparse_writer", &sparse_writer(p, 2)?, false))?;
    add("ram_lut", copies("ram_lut", &ram(shape)?, false))?;
    add("ram_block", copies("ram_block", &ram(RamParams { style: Style::Block, ..shape })?, false))?;
    Ok(list)
}
