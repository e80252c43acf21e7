//! Waveforms on the built-in simulator.

use super::drawing::ENGINE;
use hdl::Errors;
use hdl::engine::{Engine, PowerUp};
use hdl::sim::Simulator;
use hdl::wave::Wave;
use hw::oaken::{EngineParams, quantizer_axi};
use hw::stream::fifo::Style;

/// Vectors of 64 elements stream through the quantizer; while the first records come out, the dense part is not taken for a
/// while.
pub fn quantizer() -> Result<String, Errors> {
    let p = EngineParams { max_length: 64, ..ENGINE };
    let design = quantizer_axi("oaken_quantizer", p)?;
    let mut sim = Simulator::new(&design);
    set_up(&mut sim, p);
    let ports = &design.ports;
    let port = |signal| design.port_index(signal).expect("a port of the design");
    let (data, keep, last) = (port(ports.s_axis.tdata), port(ports.s_axis.tkeep), port(ports.s_axis.tlast));
    let (valid, ready) = (port(ports.s_axis.tvalid), port(ports.s_axis.tready));
    let (dense_ready, sparse_ready) = (port(ports.m_axis_dense.tready), port(ports.m_axis_sparse.tready));
    let mut wave = Wave::all(&sim);
    let mut sent = 0u32;
    sim.poke(valid, 1);
    sim.poke(sparse_ready, 1);
    sim.poke_wide(keep, &[u64::from(u32::MAX)]);
    for cycle in 0..64 {
        let elements: Vec<u64> = (0..p.lanes).map(|lane| element(p.lanes * sent + lane)).collect();
        let limbs: Vec<u64> = elements.chunks(4).map(|c| c.iter().rev().fold(0, |limb, e| limb << 16 | e)).collect();
        sim.poke_wide(data, &limbs);
        sim.poke(last, u64::from(sent % p.chunk_beats() == p.chunk_beats() - 1));
        sim.poke(dense_ready, u64::from(!(46..49).contains(&cycle)));
        sent += sim.peek(ready) as u32;
        wave.sample(&mut sim);
        sim.step();
    }
    let signals = [
        "s_axis_tvalid",
        "s_axis_tready",
        "s_axis_tlast",
        "core.in_flight",
        "core.queued",
        "core.advance",
        "core.beat_index",
        "m_axis_dense_tvalid",
        "m_axis_dense_tready",
        "m_axis_dense_tlast",
        "m_axis_sparse_tvalid",
        "m_axis_sparse_tready",
        "m_axis_sparse_tlast",
    ];
    Ok(wave.svg(&signals, 32..56).unwrap_or_else(|unknown| panic!("{unknown}")))
}

/// Resets the engine and writes its registers: outliers beyond 2, the inner group below 1/8.
fn set_up(sim: &mut Simulator, p: EngineParams) {
    sim.power_up(PowerUp::Zero); // the same picture every time
    sim.reset(2);
    let map = hw::oaken::quantizer_axi::registers("oaken_quantizer", p);
    let settings = [("s_low", 0xc000), ("t_low", 0xb000), ("t_high", 0x3000), ("s_high", 0x4000), ("enable", 1)];
    let offset = |name| map.offset(name);
    let writes = settings.map(|(name, value)| (offset(name), value));
    sim::oaken_run::write_registers(sim, &writes).unwrap_or_else(|error| panic!("{error}"));
}

/// An element, as the bits of a binary16: from below 1/8 to above 2, so that 5 of 64 are outliers; every other one negative.
fn element(index: u32) -> u64 {
    let magnitude = 0x2f00 + 70 * (index % 64);
    u64::from(magnitude | (index % 2) << 15)
}

/// A FIFO of four words fills until it is full, and empties.
pub fn fifo() -> Result<String, Errors> {
    let design = hw::stream::fifo::fifo(8, 4, Style::Block)?;
    let mut sim = Simulator::new(&design);
    let port = |signal| design.port_index(signal).expect("a port of the design");
    let (valid, ready, word) = (port(design.ports.s.valid), port(design.ports.s.ready), port(design.ports.s.payload));
    let take = port(design.ports.m.ready);
    sim.power_up(PowerUp::Zero);
    sim.reset(2);
    let mut wave = Wave::all(&sim);
    let mut next = 0xa0;
    for cycle in 0..18 {
        sim.poke(valid, u64::from(cycle >= 1 && next < 0xa8));
        sim.poke(word, next);
        sim.poke(take, u64::from(cycle >= 7));
        wave.sample(&mut sim);
        next += u64::from(sim.peek(valid) == 1 && sim.peek(ready) == 1);
        sim.step();
    }
    let signals = ["s_valid", "s_ready", "s_payload", "level", "m_valid", "m_ready", "m_payload"];
    Ok(wave.svg(&signals, 0..18).unwrap_or_else(|unknown| panic!("{unknown}")))
}
