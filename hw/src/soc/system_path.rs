//! The data path of an [Oaken system](mod@super::oaken_system): what the host puts, through the engines that are there, to what it takes.
//!
//! With both engines two bits choose the way, at once and whatever is under way; what that means is said at the system.

use super::system_params::{Engines, SystemParams};
use crate::control::AxiLite;
use crate::oaken::{dequantizer_axi, quantizer_axi, record_join, record_split};
use crate::stream::axi_stream::AxiStream;
use crate::stream::convert::convert_after;
use crate::stream::fifo::{Style, fifo_after};
use crate::stream::{Beat, beat};
use hdl::*;

/// Which way. Wires, which the registers drive.
#[derive(Clone, Copy)]
pub(super) struct Choice {
    /// Records go to the host, and none to the dequantizer.
    pub records_out: Signal,
    /// What the host puts are records.
    pub records_in: Signal,
}

impl Choice {
    /// Wires for it.
    #[module]
    pub fn wires(m: Module) -> Choice {
        let records_out = m.wire(bits(1));
        let records_in = m.wire(bits(1));
        Choice { records_out, records_in }
    }
}

/// A quantizer in a system.
pub(super) struct Quantizing {
    pub registers: AxiLite,
    /// The elements that come.
    pub elements: Stream<Beat>,
    /// What they become.
    records: Stream<Beat>,
}

/// A dequantizer in a system.
pub(super) struct Dequantizing {
    pub registers: AxiLite,
    /// The elements that leave.
    pub elements: Stream<Beat>,
    /// The next packet of records is the dense part of one that was begun.
    pub dense_next: Signal,
}

/// The engines that are there, and the bytes for the host.
pub(super) struct DataPath {
    pub quantizing: Option<Quantizing>,
    pub dequantizing: Option<Dequantizing>,
    pub to_host: Stream<Beat>,
}

/// Builds the path behind the bytes that the host puts.
#[module]
pub(super) fn path(
    m: Module,
    name: &str,
    p: SystemParams,
    put: Stream<Beat>,
    choice: Option<Choice>,
) -> Result<DataPath, Errors> {
    let Some(Choice { records_out, records_in }) = choice else { return one_engine(m, name, p, put) };
    let [elements, of_host] = two_ways(m, put, records_in);
    let quantizing = quantize(m, name, p, elements)?;
    m.section("records wait, and go on, or come from the host or go to it");
    let style = if p.records > 64 { Style::Block } else { Style::Distributed };
    let records = fifo_after(m, quantizing.records, p.records as usize, style)?;
    let [stay, to_host] = two_ways(m, records, records_out);
    let of_host = convert_after(m, of_host, p.engine.sparse_bytes())?;
    let dequantizing = dequantize(m, name, p, either(m, [stay, of_host], records_in))?;
    let bytes = [convert_after(m, dequantizing.elements, 1)?, convert_after(m, to_host, 1)?];
    let to_host = either(m, bytes, records_out);
    Ok(DataPath { quantizing: Some(quantizing), dequantizing: Some(dequantizing), to_host })
}

/// The path of a system with one engine: there is one way.
#[module]
fn one_engine(m: Module, name: &str, p: SystemParams, put: Stream<Beat>) -> Result<DataPath, Errors> {
    if p.engines == Engines::Quantizer {
        let quantizing = quantize(m, name, p, put)?;
        let to_host = convert_after(m, quantizing.records, 1)?;
        return Ok(DataPath { quantizing: Some(quantizing), dequantizing: None, to_host });
    }
    let records = convert_after(m, put, p.engine.sparse_bytes())?;
    let dequantizing = dequantize(m, name, p, records)?;
    let to_host = convert_after(m, dequantizing.elements, 1)?;
    Ok(DataPath { quantizing: None, dequantizing: Some(dequantizing), to_host })
}

/// The quantizer, and the join behind it.
#[module]
fn quantize(m: Module, name: &str, p: SystemParams, put: Stream<Beat>) -> Result<Quantizing, Errors> {
    m.section("elements in, records out");
    let quantizer = m.instance(&quantizer_axi(&format!("{name}_quantizer"), p.engine)?);
    let join = m.instance(&record_join(&format!("{name}_join"), p.engine)?);
    let elements = convert_after(m, put, 2 * p.engine.lanes)?;
    quantizer.s_axis.set(AxiStream::from(elements));
    join.s_axis_dense.set(quantizer.m_axis_dense);
    join.s_axis_sparse.set(quantizer.m_axis_sparse);
    Ok(Quantizing { registers: quantizer.s_axil, elements, records: join.m_axis.stream() })
}

/// The split, and the dequantizer behind it.
#[module]
fn dequantize(m: Module, name: &str, p: SystemParams, records: Stream<Beat>) -> Result<Dequantizing, Errors> {
    m.section("records in, elements out");
    let split = m.instance(&record_split(&format!("{name}_split"), p.engine)?);
    let dequantizer = m.instance(&dequantizer_axi(&format!("{name}_dequantizer"), p.engine)?);
    split.s_axis.set(AxiStream::from(records));
    dequantizer.s_axis_dense.set(split.m_axis_dense);
    dequantizer.s_axis_sparse.set(split.m_axis_sparse);
    // as the split takes turns
    let dense_next = m.reg_reset(bits(1), 0).comment("the next packet of records is a dense part");
    m.when(records.transfer() & records.payload.last, || dense_next.set(!dense_next));
    Ok(Dequantizing { elements: dequantizer.m_axis.stream(), registers: dequantizer.s_axil, dense_next })
}

/// A stream to the first or to the second of two.
#[module]
fn two_ways(m: Module, s: Stream<Beat>, second: Signal) -> [Stream<Beat>; 2] {
    let ways = [!second, second].map(|this| {
        let way = m.wire(stream(beat(8, s.payload.keep.width())));
        way.valid.set(s.valid & this);
        way.payload.set(s.payload);
        way
    });
    s.ready.set(second.mux(ways[1].ready, ways[0].ready));
    ways
}

/// The first or the second of two streams.
#[module]
fn either(m: Module, streams: [Stream<Beat>; 2], second: Signal) -> Stream<Beat> {
    let [a, b] = streams;
    let out = m.wire(stream(beat(8, a.payload.keep.width())));
    out.valid.set(second.mux(b.valid, a.valid));
    out.payload.set(second.mux(b.payload, a.payload));
    a.ready.set(!second & out.ready);
    b.ready.set(second & out.ready);
    out
}
