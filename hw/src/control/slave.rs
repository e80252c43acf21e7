//! The registers behind AXI4-Lite.
//!
//! The slave is built into the module that calls [`slave`]; fields are reached through the handles that the description
//! gave: `regs[length]` is the value that software wrote, `regs[count].set(x)` shows a value to software,
//! `regs[overflow].set.set(x)` sets a flag.
//!
//! - All outputs to the bus are registers (`awready`, `wready` and `arready` an inverted one): no combinational path from
//!   port to port.
//! - Address and data of a write come in any order. One write and one read are under way at a time: a write is answered 2
//!   cycles after the later of address and data, a read 1 cycle after its address; each can follow every 2 cycles.
//! - A write acts in one cycle, so the fields of one register change together. Bytes without strobe keep their value.
//! - SLVERR and no effect: an address that is not a multiple of 4 or beyond the last register, a write to a register
//!   that software cannot change. The registers stay usable.
//! - Parameters: the addresses of the port need [`RegisterMap::address_width`] bits or more; higher bits must be 0 in
//!   every access.

use super::axi_lite::AxiLite;
use super::registers::{Access, Field, RegisterMap, Ro, Rw, Sticky};
use hdl::{Bundle, Errors, Module, Signal, bits, cat, module};
use std::ops::Index;

const OKAY: u32 = 0;
const SLVERR: u32 = 2;

/// A flag that hardware sets and software clears.
#[derive(Clone, Copy, Debug)]
pub struct Flag {
    /// It was set and not cleared yet.
    pub value: Signal,
    /// A wire to assign: sets it in this cycle.
    pub set: Signal,
}

/// The fields of a slave.
#[derive(Clone, Debug)]
pub struct Registers {
    /// One for each field of the map. `value` is what software reads, `set` what hardware gives.
    fields: Vec<Flag>,
}

/// Is 1 for a cycle when a bit that software writes has become 1: what it starts.
#[module]
pub fn becomes_one(m: Module, bit: Signal) -> Signal {
    let before = m.reg_reset(bits(1), 0);
    before.set(bit);
    bit & !before
}

/// The value that software wrote. Panics if the handle is of another map that has more fields.
impl Index<Rw> for Registers {
    type Output = Signal;
    fn index(&self, field: Rw) -> &Signal {
        &self.fields[field.0].value
    }
}

/// A wire to assign: what software reads. Panics if the handle is of another map that has more fields.
impl Index<Ro> for Registers {
    type Output = Signal;
    fn index(&self, field: Ro) -> &Signal {
        &self.fields[field.0].set
    }
}

/// The flag. Panics if the handle is of another map that has more fields.
impl Index<Sticky> for Registers {
    type Output = Flag;
    fn index(&self, field: Sticky) -> &Flag {
        &self.fields[field.0]
    }
}

/// Builds the registers of `map` into module `m`, behind its port `bus`.
///
/// # Errors
/// What [`RegisterMap::check`] finds, and addresses of the port that are too narrow for the map.
pub fn slave(m: Module, map: &RegisterMap, bus: AxiLite) -> Result<Registers, Errors> {
    map.check()?;
    let needed = map.address_width();
    if bus.awaddr.width() < needed || bus.araddr.width() < needed || bus.wdata.width() != 32 {
        let found = (bus.awaddr.width(), bus.araddr.width(), bus.wdata.width());
        let message = format!("awaddr, araddr and wdata have {}, {} and {} bits", found.0, found.1, found.2);
        let help = format!("`{}` needs addresses of {needed} bits or more and 32 bits of data", map.name);
        return Err(Errors::parameter(&map.name, message, help));
    }
    let registers = Registers { fields: field_signals(m, map) };
    m.scope("axil", || {
        write_side(m, map, bus, &registers);
        read_side(m, map, bus, &registers);
    });
    Ok(registers)
}

/// Declares what holds the fields, in the order of their numbers.
fn field_signals(m: Module, map: &RegisterMap) -> Vec<Flag> {
    let mut all = Vec::with_capacity(map.field_count());
    for (register, field) in map.registers.iter().flat_map(|r| r.fields.iter().map(move |f| (r, f))) {
        let (name, shape) = (register.full_name(field), bits(field.width));
        let flag = match field.access {
            Access::ReadWrite { reset } => {
                let value = m.reg_reset(shape, reset).named(&name).comment(&field.doc);
                Flag { value, set: value }
            }
            Access::ReadOnly => {
                let wire = m.wire(shape).named(&format!("{name}_value")).comment(&field.doc);
                Flag { value: wire, set: wire }
            }
            Access::Constant { value } => {
                let value = m.lit(value, field.width);
                Flag { value, set: value }
            }
            Access::Sticky => {
                let set = m.wire(shape).named(&format!("{name}_set"));
                Flag { value: m.reg_reset(shape, 0).named(&name).comment(&field.doc), set }
            }
        };
        all.push(flag);
    }
    all
}

/// Address and data wait for each other; then the write acts, and the response goes out.
#[module]
fn write_side(m: Module, map: &RegisterMap, bus: AxiLite, registers: &Registers) {
    m.section("AXI4-Lite: write");
    bus.awprot.unused();
    let aw_held = m.reg_reset(bits(1), 0);
    let aw_address = m.reg(bits(bus.awaddr.width()));
    let w_held = m.reg_reset(bits(1), 0);
    let w_data = m.reg(bits(32));
    let w_strobes = m.reg(bits(4));
    let b_valid = m.reg_reset(bits(1), 0);
    let b_response = m.reg(bits(2));
    bus.awready.set(!aw_held);
    bus.wready.set(!w_held);
    bus.bvalid.set(b_valid);
    bus.bresp.set(b_response);

    let write = aw_held & w_held & !b_valid;
    m.when(write, || aw_held.set(false)).elsewhen(bus.awvalid, || aw_held.set(true));
    m.when(write, || w_held.set(false)).elsewhen(bus.wvalid, || w_held.set(true));
    m.when(!aw_held, || aw_address.set(bus.awaddr));
    m.when(!w_held, || {
        w_data.set(bus.wdata);
        w_strobes.set(bus.wstrb);
    });
    m.when(write, || b_valid.set(true)).elsewhen(bus.bready, || b_valid.set(false));

    let writable: Vec<_> = map.registers.iter().filter(|r| r.is_writable()).collect();
    for register in &writable {
        let hit = (write & aw_address.eq(register.offset)).named(&format!("{}_write", register.name));
        for field in &register.fields {
            let Flag { value, set } = registers.fields[field.index];
            match field.access {
                Access::ReadWrite { .. } => drop(m.when(hit, || write_field(m, field, value, w_data, w_strobes))),
                Access::Sticky => {
                    value.set((value & !(hit & w_strobes.bit(field.lsb / 8) & w_data.bit(field.lsb))) | set);
                }
                Access::ReadOnly | Access::Constant { .. } => {}
            }
        }
    }
    m.when(write, || answer(m, aw_address, writable.iter().map(|r| r.offset), b_response));
}

/// Writes the bytes of a field that have their strobe.
fn write_field(m: Module, field: &Field, value: Signal, data: Signal, strobes: Signal) {
    for byte in field.lsb / 8..=field.msb() / 8 {
        let (low, high) = (field.lsb.max(8 * byte), field.msb().min(8 * byte + 7));
        m.when(strobes.bit(byte), || {
            value.bits(high - field.lsb, low - field.lsb).set(data.bits(high, low));
        });
    }
}

/// OKAY to the legal addresses, SLVERR to all others.
fn answer(m: Module, address: Signal, legal: impl Iterator<Item = u32>, response: Signal) {
    let legal: Vec<u32> = legal.collect();
    if legal.is_empty() {
        return response.set(SLVERR);
    }
    m.switch(address, |case| {
        case.case_any(legal, || response.set(OKAY));
        case.default(|| response.set(SLVERR));
    });
}

/// The word is read in the cycle of the address and waits in a register.
#[module]
fn read_side(m: Module, map: &RegisterMap, bus: AxiLite, registers: &Registers) {
    m.section("AXI4-Lite: read");
    bus.arprot.unused();
    let r_valid = m.reg_reset(bits(1), 0);
    let r_data = m.reg(bits(32));
    let r_response = m.reg(bits(2));
    bus.arready.set(!r_valid);
    bus.rvalid.set(r_valid);
    bus.rdata.set(r_data);
    bus.rresp.set(r_response);

    m.when(!r_valid, || {
        r_valid.set(bus.arvalid);
        m.switch(bus.araddr, |case| {
            for register in &map.registers {
                case.case(register.offset, || r_data.set(word(m, &register.fields, registers)));
            }
            case.default(|| r_data.set(0));
        });
        answer(m, bus.araddr, map.registers.iter().map(|r| r.offset), r_response);
    })
    .elsewhen(bus.rready, || r_valid.set(false));
}

/// A register as software reads it: bits of no field are 0.
fn word(m: Module, fields: &[Field], registers: &Registers) -> Signal {
    let (mut parts, mut next) = (vec![], 0);
    for field in fields {
        if field.lsb > next {
            parts.push(m.lit(0u32, field.lsb - next));
        }
        parts.push(registers.fields[field.index].value);
        next = field.msb() + 1;
    }
    if next < 32 {
        parts.push(m.lit(0u32, 32 - next));
    }
    parts.reverse();
    cat(&parts)
}
