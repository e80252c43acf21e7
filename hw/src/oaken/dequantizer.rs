//! Oaken dequantizer, the engine itself: dense and sparse part of records in, vectors of binary16 out (docs/oaken-format.md; the
//! paper's section 5.2 and figure 9b). AXI4-Stream and the registers are around it, in `dequantizer_axi`.
//!
//! It streams: no vector is buffered. The sparse part runs some chunks ahead. Its words wait in a ring; a walker finds the chunks in it,
//! a counter says how many of their entries belong to each beat, and a reader takes the entries of one beat after the other and puts them
//! where their elements are, while the header becomes levels. Then the beats of the dense part are decoded with these maps.
//!
//! | port | |
//! | --- | --- |
//! | `dense`, `sparse` | the two parts of the records, each with `last` at vector ends |
//! | `m` | elements, `lanes` a beat; valid and payload are registers |
//! | `length`, `thresholds` | settings of vectors whose first word comes a cycle later; a change waits for the vectors under way |
//! | `chunks_minus_1`, `thresholds` | where each vector names its setting: that of the word at `sparse` |
//! | `enable` | vectors may begin |
//! | `flush` | both parts are dropped as they come; the vectors under way lack them, and leave |
//! | errors | registers; one cycle for each faulty header, count, group of entries, sparse part and dense part |
//! | `finished` | one cycle, behind the one in which the last beat of a vector is taken |
//! | `busy` | vectors are under way: from the cycle behind the first word until `finished` |
//!
//! A beat of `dense` has the codes of a beat of elements at 4 bits (of two with one lane); at other widths a gearbox takes them
//! from beats of the next power of two of bytes (`dense_reader`).
//!
//! Parameters: [`EngineParams`]. Throughput: `lanes` elements a cycle, vector after vector without a bubble, wherever the outliers are,
//! for inputs that come as fast; at the beginning, a few cycles more where a chunk has many more outliers than the one before it. Latency
//! [`latency`] cycles from the first word to the first element, and more where the first chunk has more outliers than a beat has
//! elements. At least 16 words of the sparse part are taken before the first beat of the dense part is needed. Errors
//! never stop it: every vector has `length` elements, and the one after a faulty record is right. Combinational: `flush` to both readys.

use super::dense_reader::read_dense;
use super::dequantizer_back::{Spare, decode_beat, dense_codes, send, use_maps};
use super::dequantizer_front::{header_table, keep_infos, read_beats, walk_records};
use super::dequantizer_ports::DequantizerPorts;
use super::dequantizer_settings::Settings;
use super::packet_gate::begin_while;
use super::types::*;
use hdl::*;

/// Cycles from the first word of a record to its first element, when the first chunk has no outliers.
pub fn latency(lanes: u32) -> u64 {
    match lanes {
        1..=4 => 34,
        8..=16 => 35,
        32 => 38,
        _ => 27,
    }
}

/// The dequantizer engine.
#[module]
pub fn dequantizer(p: EngineParams) -> Result<Design<DequantizerPorts>, Errors> {
    let p = p.check("oaken_dequantizer")?;
    let each = p.each();
    let m = Module::new(format!("oaken_dequantizer_core_p{}_n{}{}{each}", p.lanes, p.max_length, p.suffix()));
    m.doc("Oaken dequantizer: dense and sparse part of records in, vectors of binary16 out.");
    let io = DequantizerPorts::new(m, p);

    m.section("settings: a change waits for the vectors under way, or each vector has its own");
    let settings = Settings::new(m, io);
    // what was found before a flush is flagged no more
    let flushed = flag(m, io.flush);
    m.section("the header to what the lanes look up");
    let headers = header_table(m, settings.thresholds(), settings.change(), p)?;
    settings.enable(io.enable, headers.table.prepared);
    io.header_error.set(headers.table.faulty & !flushed);
    let infos = keep_infos(m, &headers, p.dense_bits);
    m.section("the sparse part: words to chunks");
    let sparse = begin_while(m, io.sparse, settings.may_begin, io.flush);
    let walker = walk_records(m, sparse, io, &settings, p)?;
    settings.words_wait.set(walker.holds);
    let begins = flag(m, walker.begins);
    io.count_error.set(walker.count_error);
    io.sparse_length_error.set(walker.length_error);
    m.section("chunks to the maps of their beats");
    let reader = read_beats(m, &walker, &headers, p)?;
    io.order_error.set(reader.order_error & !flushed);
    m.section("the dense part");
    let dense = read_dense(
        m,
        io.dense,
        settings.length(),
        settings.dense_begins(begins, headers.header.transfer()),
        io.flush,
        p,
    )?;
    io.dense_length_error.set(flag(m, dense.wrong_length));
    m.section("the map in use");
    let spare = Spare::new(m, p)?;
    let go = spare.free(0);
    let in_use = use_maps(m, reader.m, dense.codes.valid, go, &headers, infos, p)?;
    m.section("the lanes");
    let coded = dense_codes(m, dense.codes, &in_use, go, p);
    let elements = decode_beat(m, &spare, coded, in_use, &headers, p);
    m.section("a register slice");
    send(m, io.m, elements, &spare);
    m.section("a vector has left when its last beat is taken");
    let left = flag(m, io.m.transfer() & io.m.payload.last);
    settings.in_flight.count(begins, left);
    settings.promise(m, begins);
    io.finished.set(left);
    m.finish(io)
}

/// A cycle later, in a register: it does not depend on what an input does in the same cycle.
#[module]
fn flag(m: Module, event: Signal) -> Signal {
    let flag = m.reg_reset(bits(1), 0);
    flag.set(event);
    flag
}

#[cfg(test)]
mod tests;
