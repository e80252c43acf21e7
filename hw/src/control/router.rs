//! AXI4-Lite router: one master before several slaves, each with a window of the addresses.
//!
//! | port | |
//! | --- | --- |
//! | `s_axil` | the master's accesses |
//! | `m_axil` | those of each slave; the address counts from the beginning of its window |
//!
//! - Parameters: bits of the addresses, and the windows: where each begins, and bits of the addresses within it. They do not overlap, and
//!   begin at a multiple of their size.
//! - Address and data of a write come in any order. One write and one read are under way at a time; an access takes 3 cycles more than
//!   without the router.
//! - An address in no window: DECERR, and no slave sees anything of it.
//! - All outputs are registers, or come from registers: no combinational path from port to port. After reset nothing is under way.

use super::axi_lite::{AxiLite, axi_lite};
use hdl::*;

const DECERR: u32 = 3;

/// Addresses of a slave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Its first byte address.
    pub base: u32,
    /// Bits of the addresses within it.
    pub bits: u32,
}

impl Window {
    fn end(self) -> u64 {
        u64::from(self.base) + (1 << self.bits)
    }
    /// Is the address in it?
    #[module]
    fn has(self, address: Signal) -> Signal {
        address.drop_low(self.bits).eq(self.base >> self.bits)
    }
}

ports! {
    /// Ports of a router.
    pub struct AxilRouterPorts(address_bits: u32, slaves: usize, slave_bits: u32) {
        /// of the master
        input s_axil: AxiLite = axi_lite(address_bits),
        /// of the slaves
        output m_axil: Vector<AxiLite> = vector(axi_lite(slave_bits), slaves),
    }
}

/// A router before slaves with these windows; the addresses of all slaves have as many bits as those of the largest window.
#[module]
pub fn axil_router(address_bits: u32, windows: &[Window]) -> Result<Design<AxilRouterPorts>, Errors> {
    let places: String = windows.iter().map(|w| format!("_{:x}_{}", w.base, w.bits)).collect();
    let name = format!("axil_router_{address_bits}{places}");
    check(&name, address_bits, windows)?;
    let m = Module::new(name);
    m.doc("AXI4-Lite router: one master before several slaves.");
    let slave_bits = windows.iter().map(|w| w.bits).max().unwrap_or(1);
    let io = AxilRouterPorts::new(m, address_bits, windows.len(), slave_bits);
    m.scope("write", || write_side(m, &io, windows));
    m.scope("read", || read_side(m, &io, windows));
    m.finish(io)
}

/// Address and data wait for each other, go to their slave, and its response comes back.
#[module]
fn write_side(m: Module, io: &AxilRouterPorts, windows: &[Window]) {
    m.section("writes");
    let s = io.s_axil;
    let (has_address, has_data) = (m.reg_reset(bits(1), 0), m.reg_reset(bits(1), 0));
    let (address, protection) = (m.reg(bits(s.awaddr.width())), m.reg(bits(3)));
    let (data, strobes) = (m.reg(bits(32)), m.reg(bits(4)));
    s.awready.set(!has_address);
    s.wready.set(!has_data);
    m.when(!has_address, || {
        has_address.set(s.awvalid);
        address.set(s.awaddr);
        protection.set(s.awprot);
    });
    m.when(!has_data, || {
        has_data.set(s.wvalid);
        data.set(s.wdata);
        strobes.set(s.wstrb);
    });

    let under_way = m.reg_reset(bits(1), 0).comment("a slave has it");
    let (offers_address, offers_data) = (m.reg_reset(bits(1), 0), m.reg_reset(bits(1), 0));
    let answered = m.reg_reset(bits(1), 0).comment("the response waits");
    let response = m.reg(bits(2));
    s.bvalid.set(answered);
    s.bresp.set(response);
    m.when(has_address & has_data & !under_way & !answered, || {
        under_way.set(1);
        offers_address.set(1);
        offers_data.set(1);
    });
    let hits: Vec<Signal> = windows.iter().map(|w| w.has(address)).collect();
    let none = !cat(&hits).any();
    let ends = m.wire(bits(1));
    ends.set(under_way & none);
    m.when(under_way & none, || response.set(DECERR));
    for (slave, hit) in io.m_axil.into_iter().zip(hits) {
        slave.awvalid.set(offers_address & hit);
        slave.awaddr.set(address.trunc(slave.awaddr.width()));
        slave.awprot.set(protection);
        slave.wvalid.set(offers_data & hit);
        slave.wdata.set(data);
        slave.wstrb.set(strobes);
        slave.bready.set(under_way & hit);
        m.when(offers_address & hit & slave.awready, || offers_address.set(0));
        m.when(offers_data & hit & slave.wready, || offers_data.set(0));
        m.when(under_way & hit & slave.bvalid, || {
            ends.set(1);
            response.set(slave.bresp);
        });
    }
    m.when(answered & s.bready, || answered.set(0));
    m.when(ends, || {
        under_way.set(0);
        offers_address.set(0);
        offers_data.set(0);
        has_address.set(0);
        has_data.set(0);
        answered.set(1);
    });
}

/// The address goes to its slave, and the word comes back.
#[module]
fn read_side(m: Module, io: &AxilRouterPorts, windows: &[Window]) {
    m.section("reads");
    let s = io.s_axil;
    let under_way = m.reg_reset(bits(1), 0).comment("a slave has it");
    let offers = m.reg_reset(bits(1), 0);
    let answered = m.reg_reset(bits(1), 0).comment("the word waits");
    let (address, protection) = (m.reg(bits(s.araddr.width())), m.reg(bits(3)));
    let (data, response) = (m.reg(bits(32)), m.reg(bits(2)));
    s.arready.set(!under_way & !answered);
    s.rvalid.set(answered);
    s.rdata.set(data);
    s.rresp.set(response);
    m.when(!under_way & !answered, || {
        under_way.set(s.arvalid);
        offers.set(s.arvalid);
        address.set(s.araddr);
        protection.set(s.arprot);
    });
    let hits: Vec<Signal> = windows.iter().map(|w| w.has(address)).collect();
    let none = !cat(&hits).any();
    let ends = m.wire(bits(1));
    ends.set(under_way & none);
    m.when(under_way & none, || {
        response.set(DECERR);
        data.set(0);
    });
    for (slave, hit) in io.m_axil.into_iter().zip(hits) {
        slave.arvalid.set(offers & hit);
        slave.araddr.set(address.trunc(slave.araddr.width()));
        slave.arprot.set(protection);
        slave.rready.set(under_way & hit);
        m.when(offers & hit & slave.arready, || offers.set(0));
        m.when(under_way & hit & slave.rvalid, || {
            ends.set(1);
            response.set(slave.rresp);
            data.set(slave.rdata);
        });
    }
    m.when(answered & s.rready, || answered.set(0));
    m.when(ends, || {
        under_way.set(0);
        offers.set(0);
        answered.set(1);
    });
}

fn check(name: &str, address_bits: u32, windows: &[Window]) -> Result<(), Errors> {
    let wrong = |message: String, help: &str| Err(Errors::parameter(name, message, help));
    if !(3..=32).contains(&address_bits) || windows.is_empty() {
        let message = format!("address_bits = {address_bits}, {} windows", windows.len());
        return wrong(message, "addresses have 3 to 32 bits, and there is a slave");
    }
    for (i, window) in windows.iter().enumerate() {
        let Window { base, bits } = *window;
        if !(2..address_bits).contains(&bits) || base % (1 << bits) != 0 || window.end() > 1 << address_bits {
            let message = format!("a window of {bits} bits at {base:#x}, of addresses of {address_bits} bits");
            return wrong(
                message,
                "a window has a register and not all addresses, and begins at a multiple of its size",
            );
        }
        if let Some(other) = windows[..i].iter().find(|w| u64::from(base) < w.end() && u64::from(w.base) < window.end())
        {
            let message = format!("the windows at {:#x} and {base:#x} overlap", other.base);
            return wrong(message, "an address has one slave");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
