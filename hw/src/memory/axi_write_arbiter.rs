//! Write arbiter: several AXI4 masters that write, on one bus, burst by burst in turn.
//!
//! | port | |
//! | --- | --- |
//! | `s_axi` | the masters, `s_axi_0_...` and so on |
//! | `m_axi` | the bus; its IDs are those of the masters with the number of the master above them |
//!
//! - Data follow in the order of the requests, also before the bus has taken these. A master that gives the data of a burst without a gap, as the
//!   [burst writer](super::burst_writer) does, never blocks another one. A master's data wait for its request.
//! - Responses go to the master whose number is in their ID.
//! - Fair: a request waits for at most one burst of each other master; its data wait for those of all requests before it, 17 at most.
//! - Parameters: masters, 2 to 16; widths of their ports ([`AxiParams`]). Throughput: a request and a beat a cycle, from burst to burst too.
//!   Latency: requests 2 cycles; data none, but 2 cycles behind their request.
//! - Combinational paths: `s_axi_w...` to `m_axi_w...`, `m_axi_wready` to `s_axi_wready`, `m_axi_b...` to `s_axi_b...`, all
//!   `s_axi_bready` and `m_axi_bid` to `m_axi_bready`, `m_axi_awready` and all `s_axi_awvalid` to `s_axi_awready`.

use super::axi::*;
use crate::stream::arbiter::arbitrate;
use crate::stream::fifo::{Style, fifo_after};
use crate::stream::fork;
use crate::stream::register_slice_forward::register_slice_forward_after;
use hdl::logic::mux1h;
use hdl::*;

ports! {
    /// Ports of a write arbiter.
    pub struct AxiWriteArbiterPorts(masters: u32, p: AxiParams) {
        /// The masters.
        input s_axi: Vector<AxiWrite> = vector(axi_write(p), masters as usize),
        /// The bus.
        output m_axi: AxiWrite = axi_write(p.of_masters(masters)),
    }
}

/// Bursts whose data may wait for those of others.
const BURSTS: usize = 16;

/// A write arbiter for so many masters.
#[module]
pub fn axi_write_arbiter(name: &str, masters: u32, p: AxiParams) -> Result<Design<AxiWriteArbiterPorts>, Errors> {
    p.check_masters(name, masters)?;
    let m = Module::new(name);
    m.doc("Several AXI4 masters that write, on one bus, burst by burst in turn.");
    let io = AxiWriteArbiterPorts::new(m, masters, p);
    let bus = io.m_axi;

    m.section("requests");
    let requests = io.s_axi.iter().map(|x| x.request());
    let granted = arbitrate(m, &requests.collect::<Vec<_>>())?;
    // who takes requests may wait for their data, so these do not wait until they are taken
    let [request, turn] = fork(m, granted);
    let request = register_slice_forward_after(m, request)?;
    let (x, source) = request.payload;
    bus.awvalid.set(request.valid);
    request.ready.set(bus.awready);
    bus.request().payload.forward(x, source);

    m.section("data, in the order of the requests");
    data_in_order(m, &io.s_axi, bus, turn.with(turn.payload.1))?;

    m.section("responses");
    let masters = || io.s_axi.iter();
    let (owns, readies): (Vec<_>, Vec<_>) = masters().map(|x| (x.bid, x.bready)).unzip();
    let (ready, mine) = deliver(m, bus.bid, &owns, &readies, p);
    for (x, mine) in masters().zip(mine) {
        x.bvalid.set(bus.bvalid & mine);
        x.bresp.set(bus.bresp);
    }
    bus.bready.set(ready);
    m.finish(io)
}

/// Lets the data of the masters out, those of a burst for each of `turns`, which has their numbers.
#[module]
fn data_in_order(m: Module, masters: &Vector<AxiWrite>, bus: AxiWrite, turns: Stream) -> Result<(), Errors> {
    let turns = fifo_after(m, turns, BURSTS, Style::Distributed)?;
    let turn: Vec<Signal> = (0..masters.len()).map(|i| turns.payload.eq(i)).collect();
    let of_turn = cat(&turn.iter().rev().copied().collect::<Vec<_>>());
    let data = |x: &AxiWrite| (x.wdata, x.wstrb, x.wlast);
    let (wdata, wstrb, wlast) = mux1h(of_turn, &masters.iter().map(data).collect::<Vec<_>>());
    bus.wdata.set(wdata);
    bus.wstrb.set(wstrb);
    bus.wlast.set(wlast);
    let there = mux1h(of_turn, &masters.iter().map(|x| x.wvalid).collect::<Vec<_>>());
    bus.wvalid.set(turns.valid & there);
    masters.iter().zip(&turn).for_each(|(x, turn)| x.wready.set(turns.valid & *turn & bus.wready));
    turns.ready.set(there & bus.wready & wlast);
    Ok(())
}

#[cfg(test)]
mod tests;
