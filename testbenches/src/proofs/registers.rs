//! The registers behind AXI4-Lite: what software and hardware see of them, against masks that are written down here.

use super::{Engine, Proof};
use hdl::{Bundle, Design, Errors, Module, Signal, bits, cat, module, ports};
use hw::control::{AxiLite, RegisterMap, axi_lite, slave};

/// Address bits of the port: more than the three registers need.
const ADDRESS: u32 = 5;

ports! {
    struct RegisterPorts() {
        input s_axil: AxiLite = axi_lite(ADDRESS),
        output mode: Signal = bits(3),
        output span: Signal = bits(6),
        output limit: Signal = bits(2),
        input count: Signal = bits(5),
        input events: Signal = bits(2),
        output flags: Signal = bits(2),
    }
}

/// A register as the contract says it is: bits by the way they behave.
struct Word {
    address: u32,
    writable: u32,
    sticky: u32,
    reset: u32,
}

const CONTROL: Word = Word { address: 0x0, writable: 0x0000_0fc7, sticky: 0x0080_1000, reset: 0x0900_0845 };
const COUNT: Word = Word { address: 0x4, writable: 0, sticky: 0, reset: 0 };
const LIMIT: Word = Word { address: 0x8, writable: 0x3, sticky: 0, reset: 0x2 };

/// The part: fields of each kind, one over the border of two bytes, with gaps; flags beside settings.
#[module]
fn part() -> Result<Design<RegisterPorts>, Errors> {
    let mut map = RegisterMap::new("unit", "A field of each kind.");
    let mut control = map.register("control", "How it works, and what went wrong.");
    let mode = control.rw("mode", 3, 5, "A setting.");
    control.reserved(3);
    let span = control.rw("span", 6, 0x21, "A setting in two bytes.");
    let late = control.sticky("late", "It came late.");
    control.reserved(10);
    let lost = control.sticky("lost", "It was lost.");
    control.constant("version", 4, 9, "The version.");
    let count = map.ro("count", 5, "How many there are.");
    let limit = map.rw("limit", 2, 2, "Another setting.");
    let m = Module::new("unit");
    let io = RegisterPorts::new(m);
    let registers = slave(m, &map, io.s_axil)?;
    io.mode.set(registers[mode]);
    io.span.set(registers[span]);
    io.limit.set(registers[limit]);
    registers[count].set(io.count);
    registers[late].set.set(io.events.bit(0));
    registers[lost].set.set(io.events.bit(1));
    io.flags.set(registers[lost].value.cat(registers[late].value));
    m.finish(io)
}

/// The write that acts in this cycle.
struct Write {
    acts: Signal,
    address: Signal,
    data: Signal,
    /// Ones in the bytes that are written.
    bytes: Signal,
}

/// Writes from their requests to their answers.
#[module]
fn writes(m: Module, bus: AxiLite) -> Write {
    let [have_address, have_data, answering] = [0, 1, 2].map(|_| m.reg_reset(bits(1), 0));
    let (address, data, strobes) = (m.reg(bits(ADDRESS)), m.reg(bits(32)), m.reg(bits(4)));
    let illegal = m.reg(bits(1));
    m.assert(bus.awready.eq(!have_address), "the address of a write is taken unless one waits");
    m.assert(bus.wready.eq(!have_data), "the data of a write are taken unless some wait");
    m.assert(bus.bvalid.eq(answering), "each write is answered once, 2 cycles after the later of address and data");
    let response = illegal.cat(m.lit(0u32, 1));
    m.assert(!bus.bvalid | bus.bresp.eq(response), "a write is OKAY where software can change something, else SLVERR");

    let acts = have_address & have_data & !answering;
    m.when(bus.awvalid & bus.awready, || {
        have_address.set(true);
        address.set(bus.awaddr);
    });
    m.when(bus.wvalid & bus.wready, || {
        have_data.set(true);
        data.set(bus.wdata);
        strobes.set(bus.wstrb);
    });
    m.when(bus.bvalid & bus.bready, || answering.set(false));
    m.when(acts, || {
        [have_address, have_data].into_iter().for_each(|have| have.set(false));
        answering.set(true);
        illegal.set(address.ne(CONTROL.address) & address.ne(LIMIT.address));
    });
    m.cover(bus.bvalid & bus.bready & illegal & have_address, "a write is refused, and the next one waits");
    let bytes: Vec<Signal> = strobes.lanes(1).into_iter().rev().map(|strobe| strobe.repeat(8)).collect();
    Write { acts, address, data, bytes: cat(&bytes) }
}

/// A register as it should be. `events`: flags that are set in this cycle, at their places.
#[module]
fn expected(m: Module, write: &Write, word: Word, events: Signal) -> Signal {
    let value = m.reg_reset(bits(32), word.reset);
    let bits = write.bytes & (write.acts & write.address.eq(word.address)).repeat(32);
    let written = bits & word.writable;
    let cleared = bits & write.data & word.sticky;
    value.set((((value & !written) | (write.data & written)) & !cleared) | events);
    value
}

/// Reads from their requests to their answers. `registers` with their addresses.
#[module]
fn reads(m: Module, bus: AxiLite, registers: &[(u32, Signal)]) {
    let answering = m.reg_reset(bits(1), 0);
    let (data, illegal) = (m.reg(bits(32)), m.reg(bits(1)));
    m.assert(bus.arready.eq(!answering), "an address to read is taken unless an answer waits");
    m.assert(bus.rvalid.eq(answering), "each read is answered once, a cycle after its address");
    m.assert(!bus.rvalid | bus.rdata.eq(data), "what is read is the register as it stood when the address was taken");
    let response = illegal.cat(m.lit(0u32, 1));
    m.assert(!bus.rvalid | bus.rresp.eq(response), "a read is OKAY where there is a register, else SLVERR and 0");
    m.when(bus.rvalid & bus.rready, || answering.set(false));
    m.when(bus.arvalid & bus.arready, || {
        answering.set(true);
        data.set(0);
        illegal.set(true);
        for (address, value) in registers {
            m.when(bus.araddr.eq(*address), || {
                data.set(*value);
                illegal.set(false);
            });
        }
    });
    m.cover(bus.rvalid & bus.rready & illegal, "a read is refused");
    m.cover(bus.rvalid & bus.rready & data.eq(0x0980_1fc7u32), "all bits of a register are read");
}

/// `clear_wins`: the part is one in which a flag that is set while software clears it is lost.
#[module]
pub fn registers_proof(name: &str, clear_wins: bool) -> Result<Design<()>, Errors> {
    let m = Module::new(format!("prove_{name}"));
    let io = RegisterPorts::new(m);
    let part = m.instance(&part()?);
    part.s_axil.set(io.s_axil);
    part.count.set(io.count);
    io.mode.set(part.mode);
    io.span.set(part.span);
    io.limit.set(part.limit);
    io.flags.set(part.flags);

    let write = writes(m, io.s_axil);
    let (zeros, event) = (|n| m.lit(0u32, n), |i| io.events.bit(i));
    let events = cat(&[zeros(8), event(1), zeros(10), event(0), zeros(12)]);
    let control = expected(m, &write, CONTROL, events);
    let limit = expected(m, &write, LIMIT, zeros(32));
    let count = io.count.zext(32);
    m.assert(part.mode.eq(control.bits(2, 0)), "a write changes what its address and strobes name, and nothing else");
    m.assert(part.span.eq(control.bits(11, 6)), "a field in two bytes is written as its strobes say");
    m.assert(part.limit.eq(limit.bits(1, 0)), "the register behind is written at its address alone");
    let flags = control.bit(23).cat(control.bit(12));
    m.assert(part.flags.eq(flags), "a flag is set whatever is written in that cycle, and cleared by a 1 alone");
    reads(m, io.s_axil, &[(CONTROL.address, control), (COUNT.address, count), (LIMIT.address, limit)]);

    let here = write.acts & write.address.eq(CONTROL.address);
    let cleared =
        (write.bytes & write.data & here.repeat(32)).bit(23).cat((write.bytes & write.data & here.repeat(32)).bit(12));
    part.events.set(if clear_wins { io.events & !cleared } else { io.events });
    m.cover((flags & cleared & io.events).all(), "both flags are set while they are cleared");
    m.cover(
        (flags & cleared & !io.events).any() & control.bits(11, 6).eq(0),
        "a flag is cleared, a setting was written",
    );
    Ok(m.finish(io)?.erase())
}

/// The proofs of this file: the registers behind AXI4-Lite.
pub fn proofs() -> Result<Vec<Proof>, Errors> {
    let design = registers_proof("registers", false)?;
    let part = "registers behind AXI4-Lite, 3 of them".into();
    Ok(vec![Proof { name: "registers".into(), part, design, engine: Engine::Pdr, cover_depth: 12 }])
}
