//! Oaken quantizer with AXI edges: AXI4-Stream in and out, registers behind AXI4-Lite.
//!
//! | port | |
//! | --- | --- |
//! | `s_axil` | AXI4-Lite, the registers of [`registers`] |
//! | `s_axis` | binary16 elements, `lanes` a beat, `tlast` at vector ends, `tkeep` all ones |
//! | `s_axis_tuser` | where the engine holds more settings than one: the number of the vector's, with its first beat |
//! | `m_axis_dense` | dense part: codes, `tlast` at vector ends; `tkeep` all ones, but at vector ends where a beat has more bytes than are left; bytes that are not kept are 0 |
//! | `m_axis_sparse` | sparse part: header, counts and entries; `tkeep` and `tlast` at vector ends; bytes that are not kept are 0 |
//!
//! `s_axis_tready` comes from registers, at 4 bits `m_axis_dense` from LUT RAM behind a registered address; all other outputs are
//! registers.
//! Parameters, throughput and behaviour are those of the [engine](super::quantizer()). Vectors begin when `enable` is 1 and the
//! settings are legal; new settings take effect with the next vector, and a change waits for the vectors under way. While vectors
//! may not begin, no beat of one is taken. Errors are
//! flagged and never stop the engine: a vector that ends early is filled with zeros, the surplus of a late one is dropped (where
//! that is as long as a vector, zeros stand for it), NaN and infinities are replaced.

use super::packet_gate::begin_while;
use super::quantizer::quantizer;
use super::setting_table::{NumberedBeat, SetBeat, setting_table};
use super::settings::{EngineMap, Lengths, engine_map};
use super::types::{Beat, EngineParams};
use crate::control::{AxiLite, RegisterMap, axi_lite, slave};
use crate::stream::Beat as AxiBeat;
use crate::stream::axi_stream::{AxiStream, axi_stream};
use hdl::*;

ports! {
    /// Ports of [`quantizer_axi`].
    pub struct QuantizerAxiPorts(p: EngineParams, address_width: u32) {
        /// Registers.
        input s_axil: AxiLite = axi_lite(address_width),
        /// Elements.
        input s_axis: AxiStream = axi_stream(2 * p.lanes).with_user(p.number_bits()),
        /// Dense part.
        output m_axis_dense: AxiStream = axi_stream(p.dense_bytes()),
        /// Sparse part.
        output m_axis_sparse: AxiStream = axi_stream(p.sparse_bytes()),
    }
}

fn map(name: &str, p: EngineParams, lengths: Lengths) -> EngineMap {
    let errors = [
        ("early", "a vector ended before `length` elements and was filled with zeros"),
        (
            "late",
            "a vector did not end after `length` elements; the surplus was dropped, zeros stand for vectors among it",
        ),
        ("nonfinite", "a vector held a NaN (taken as 0) or an infinity (taken as 65504)"),
        ("partial", "a beat came with bytes that are not kept; they were taken as they are"),
    ];
    engine_map(name, *b"OAKQ", p, lengths, &errors)
}

/// The registers of the quantizer.
pub fn registers(name: &str, p: EngineParams) -> RegisterMap {
    registers_of(name, p, Lengths::Chosen)
}

/// The registers of the quantizer for vectors of such lengths.
pub fn registers_of(name: &str, p: EngineParams, lengths: Lengths) -> RegisterMap {
    map(name, p, lengths).map
}

/// The quantizer with AXI edges; `name` is that of the Verilog module.
#[module]
pub fn quantizer_axi(name: &str, p: EngineParams) -> Result<Design<QuantizerAxiPorts>, Errors> {
    quantizer_axi_of(name, p, Lengths::Chosen)
}

/// The quantizer with AXI edges for vectors of such lengths.
#[module]
pub fn quantizer_axi_of(name: &str, p: EngineParams, lengths: Lengths) -> Result<Design<QuantizerAxiPorts>, Errors> {
    let p = p.check(name)?;
    let core = quantizer(p)?;
    let map = map(name, p, lengths);
    let m = Module::new(name);
    m.doc(&format!("Oaken quantizer, {} elements a cycle, vectors of up to {} elements.", p.lanes, p.max_length));
    let io = QuantizerAxiPorts::new(m, p, map.map.address_width());

    m.section("registers");
    let regs = slave(m, &map.map, io.s_axil)?;
    let settings = map.settings(m, &regs, p);

    m.section("the engine");
    let arriving = io.s_axis.stream();
    let core = m.instance(&core);
    match (io.s_axis.tuser, settings.store) {
        (Some(number), Some(store)) => {
            m.section("each vector's setting");
            let table = m.instance(&setting_table(p.element_bits(), number.width(), p.max_length)?);
            table.store.set(store);
            // the table holds beats: it takes none while vectors may not begin
            let beats = begin_while(m, arriving, settings.enable, settings.flush);
            let AxiBeat { data, last, .. } = beats.payload;
            table.s.set(beats.with(NumberedBeat { data, last, number }));
            let SetBeat { data, last, setting } = table.m.payload;
            core.s.set(table.m.with(Beat { data, last }));
            core.setting.set(setting);
            map.report_unset(&regs, table.unset);
        }
        _ => {
            core.s.set(arriving.with(Beat { data: arriving.payload.data, last: arriving.payload.last }));
            core.setting.set(settings.setting);
        }
    }
    core.enable.set(settings.enable);
    core.flush.set(settings.flush);
    let partial = m.reg_reset(bits(1), 0);
    partial.set(arriving.transfer() & !arriving.payload.keep.all());
    map.report(m, &regs, core.busy, core.finished, &[core.early, core.late, core.nonfinite, partial]);

    m.section("the two parts of the records");
    io.m_axis_dense.set(AxiStream::from(core.dense.with(core.dense.payload.axi())));
    io.m_axis_sparse.set(AxiStream::from(core.sparse));
    m.finish(io)
}
