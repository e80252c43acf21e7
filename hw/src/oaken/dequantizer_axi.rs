//! Oaken dequantizer with AXI edges: AXI4-Stream in and out, registers behind AXI4-Lite.
//!
//! | port | |
//! | --- | --- |
//! | `s_axil` | AXI4-Lite, the registers of [`registers`] |
//! | `s_axis_dense` | dense part: codes, `tlast` at vector ends; `tkeep` all ones, but at vector ends where a beat has more bytes than are left |
//! | `s_axis_sparse` | sparse part: header, counts and entries; `tkeep` ones from bit 0 on, `tlast` at vector ends |
//! | `s_axis_sparse_tuser` | where the engine holds more settings than one: the number of the vector's, with its first word |
//! | `m_axis` | binary16 elements, `lanes` a beat, `tlast` at vector ends |
//!
//! All outputs are registers, but for the readys, which come from registers. Parameters, throughput and
//! behaviour are those of the [engine](super::dequantizer()). Vectors begin when `enable` is 1 and the settings are legal; new
//! settings take effect with the next vector, and a change waits for the vectors under way, but for those of a table: nothing waits
//! there. While vectors may not begin, no beat of one is taken. Errors are flagged and never stop the engine. If the two parts lost
//! each other, because a packet of one of them never came, `flush` empties the engine.

use super::dequantizer::dequantizer;
use super::dequantizer_ports::DequantizerPorts;
use super::packet_gate::begin_while;
use super::setting_table::{NumberedBeat, SetBeat, setting_table};
use super::settings::{EngineMap, Lengths, Settings, engine_map};
use super::types::{DenseBeat, EngineParams, SparseWord, sparse_word};
use crate::control::{AxiLite, RegisterMap, axi_lite, slave};
use crate::stream::Beat as AxiBeat;
use crate::stream::axi_stream::{AxiStream, axi_stream};
use hdl::*;

ports! {
    /// Ports of [`dequantizer_axi`].
    pub struct DequantizerAxiPorts(p: EngineParams, address_width: u32) {
        /// Registers.
        input s_axil: AxiLite = axi_lite(address_width),
        /// Dense part.
        input s_axis_dense: AxiStream = axi_stream(p.dense_bytes()),
        /// Sparse part.
        input s_axis_sparse: AxiStream = axi_stream(p.sparse_bytes()).with_user(p.number_bits()),
        /// Elements.
        output m_axis: AxiStream = axi_stream(2 * p.lanes),
    }
}

fn map(name: &str, p: EngineParams, lengths: Lengths) -> EngineMap {
    let errors = [
        ("header", "a header that the format does not allow with these thresholds; the vector has no meaning"),
        ("count", "a count byte above 64; it was taken as 64"),
        ("order", "positions of a chunk that do not ascend"),
        (
            "sparse_length",
            "a sparse part shorter than its vector (missing counts are 0) or longer (surplus was dropped)",
        ),
        (
            "dense_length",
            "a dense part shorter than its vector (filled with zeros) or longer (surplus was dropped; codes of 0 stand for vectors among it)",
        ),
        (
            "partial",
            "a dense beat, or a sparse one before the last, came with bytes that are not kept, or the last one with holes: the format's section 8 says what they count as",
        ),
    ];
    engine_map(name, *b"OAKD", p, lengths, &errors)
}

/// The registers of the dequantizer.
pub fn registers(name: &str, p: EngineParams) -> RegisterMap {
    registers_of(name, p, Lengths::Chosen)
}

/// The registers of the dequantizer for vectors of such lengths.
pub fn registers_of(name: &str, p: EngineParams, lengths: Lengths) -> RegisterMap {
    map(name, p, lengths).map
}

/// The dequantizer with AXI edges; `name` is that of the Verilog module.
#[module]
pub fn dequantizer_axi(name: &str, p: EngineParams) -> Result<Design<DequantizerAxiPorts>, Errors> {
    dequantizer_axi_of(name, p, Lengths::Chosen)
}

/// The dequantizer with AXI edges for vectors of such lengths.
#[module]
pub fn dequantizer_axi_of(
    name: &str,
    p: EngineParams,
    lengths: Lengths,
) -> Result<Design<DequantizerAxiPorts>, Errors> {
    let p = p.check(name)?;
    let core = dequantizer(p)?;
    let map = map(name, p, lengths);
    let m = Module::new(name);
    m.doc(&format!("Oaken dequantizer, {} elements a cycle, vectors of up to {} elements.", p.lanes, p.max_length));
    let io = DequantizerAxiPorts::new(m, p, map.map.address_width());

    m.section("registers");
    let regs = slave(m, &map.map, io.s_axil)?;
    let settings = map.settings(m, &regs, p);

    m.section("the engine");
    let dense = io.s_axis_dense.stream();
    let sparse = io.s_axis_sparse.stream();
    let core = m.instance(&core);
    let keep = p.dense_ends_within().then_some(dense.payload.keep);
    core.dense.set(dense.with(DenseBeat { data: dense.payload.data, keep, last: dense.payload.last }));
    let unset = send_sparse(m, io.s_axis_sparse, &core, &settings, p)?;
    unset.iter().for_each(|unset| map.report_unset(&regs, *unset));
    core.enable.set(settings.enable);
    core.flush.set(settings.flush);
    let from_below = ones_from_below(sparse.payload.keep);
    let partial_dense = dense.transfer()
        & match keep {
            None => !dense.payload.keep.all(),
            Some(keep) => dense.payload.last.mux(!ones_from_below(keep), !keep.all()),
        };
    let partial_sparse = sparse.transfer() & sparse.payload.last.mux(!from_below, !sparse.payload.keep.all());
    let partial = m.reg_reset(bits(1), 0);
    partial.set(partial_dense | partial_sparse);
    let errors = [
        core.header_error,
        core.count_error,
        core.order_error,
        core.sparse_length_error,
        core.dense_length_error,
        partial,
    ];
    map.report(m, &regs, core.busy, core.finished, &errors);

    m.section("the elements");
    let elements = AxiBeat::full(core.m.payload.data, 2 * p.lanes, core.m.payload.last);
    io.m_axis.set(AxiStream::from(core.m.with(elements)));
    m.finish(io)
}

/// Gives the engine the words of the sparse part and the setting of all vectors, or the one that the words' vector names. Gives what
/// tells of a vector whose setting was never stored.
#[module]
fn send_sparse(
    m: Module,
    sparse: AxiStream,
    core: &DequantizerPorts,
    settings: &Settings,
    p: EngineParams,
) -> Result<Option<Signal>, Errors> {
    let words = sparse.stream();
    let Some((number, store)) = sparse.tuser.zip(settings.store) else {
        core.sparse.set(words);
        core.length.iter().for_each(|length| length.set(settings.length));
        core.thresholds.set(settings.setting.thresholds);
        return Ok(None);
    };
    let shape = sparse_word(p.sparse_bytes());
    let keep_and_data = 9 * p.sparse_bytes();
    let table = m.instance(&setting_table(keep_and_data, number.width(), p.max_length)?);
    table.store.set(store);
    // the table holds a word: it takes none while vectors may not begin
    let words = begin_while(m, words, settings.enable, settings.flush);
    let SparseWord { data, keep, last } = words.payload;
    table.s.set(words.with(NumberedBeat { data: keep.cat(data), last, number }));
    let SetBeat { data, last, setting } = table.m.payload;
    let (keep, data) = (data.drop_low(shape.data.width()), data.trunc(shape.data.width()));
    core.sparse.set(table.m.with(SparseWord { data, keep, last }));
    core.chunks_minus_1.iter().for_each(|chunks_minus_1| chunks_minus_1.set(setting.chunks_minus_1));
    core.thresholds.set(setting.thresholds);
    Ok(Some(table.unset))
}

/// Are the ones of `keep` side by side, beginning with the lowest bit, or are there none?
fn ones_from_below(keep: Signal) -> Signal {
    let bits = keep.width();
    !(keep.drop_low(1) & !keep.trunc(bits - 1)).any()
}
