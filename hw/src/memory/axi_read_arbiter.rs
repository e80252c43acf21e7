//! Read arbiter: several AXI4 masters that read, on one bus, burst by burst in turn.
//!
//! | port | |
//! | --- | --- |
//! | `s_axi` | the masters, `s_axi_0_...` and so on |
//! | `m_axi` | the bus; its IDs are those of the masters with the number of the master above them |
//!
//! - Data go to the master whose number is in their ID. A master that takes its data whenever they come, as the [burst
//!   reader](super::burst_reader) does, never blocks another one.
//! - Fair: a request waits for at most one burst of each other master.
//! - Parameters: masters, 2 to 16; widths of their ports ([`AxiParams`]). Throughput: a request and a beat a cycle. Latency: requests 1
//!   cycle, data none.
//! - Combinational paths: `m_axi_r...` to `s_axi_r...`, all `s_axi_rready` and `m_axi_rid` to `m_axi_rready`, `m_axi_arready` and all
//!   `s_axi_arvalid` to `s_axi_arready`.

use super::axi::*;
use crate::stream::arbiter::arbitrate;
use hdl::*;

ports! {
    /// Ports of a read arbiter.
    pub struct AxiReadArbiterPorts(masters: u32, p: AxiParams) {
        /// The masters.
        input s_axi: Vector<AxiRead> = vector(axi_read(p), masters as usize),
        /// The bus.
        output m_axi: AxiRead = axi_read(p.of_masters(masters)),
    }
}

/// A read arbiter for so many masters.
#[module]
pub fn axi_read_arbiter(name: &str, masters: u32, p: AxiParams) -> Result<Design<AxiReadArbiterPorts>, Errors> {
    p.check_masters(name, masters)?;
    let m = Module::new(name);
    m.doc("Several AXI4 masters that read, on one bus, burst by burst in turn.");
    let io = AxiReadArbiterPorts::new(m, masters, p);
    let bus = io.m_axi;

    m.section("requests");
    let requests = io.s_axi.iter().map(|x| x.request());
    let granted = arbitrate(m, &requests.collect::<Vec<_>>())?;
    let (x, source) = granted.payload;
    bus.arvalid.set(granted.valid);
    granted.ready.set(bus.arready);
    bus.request().payload.forward(x, source);

    m.section("data");
    let masters = || io.s_axi.iter();
    let (owns, readies): (Vec<_>, Vec<_>) = masters().map(|x| (x.rid, x.rready)).unzip();
    let (ready, mine) = deliver(m, bus.rid, &owns, &readies, p);
    for (x, mine) in masters().zip(mine) {
        x.rvalid.set(bus.rvalid & mine);
        x.rdata.set(bus.rdata);
        x.rresp.set(bus.rresp);
        x.rlast.set(bus.rlast);
    }
    bus.rready.set(ready);
    m.finish(io)
}

#[cfg(test)]
mod tests;
