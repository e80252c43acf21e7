//! Both halves of the way of vectors: by the board, or, where it has not the engine, by the golden model.

use fpga::link::line::Line;
use fpga::link::system::{Info, Path, RecordParts, System, SystemError};
use sim::golden::oaken::{DenseBits, Thresholds, decode, encode};

/// How vectors are quantized.
#[derive(Clone, Copy)]
pub struct Setting {
    /// Elements of a vector.
    pub length: usize,
    pub bits: DenseBits,
    pub thresholds: Thresholds,
}

/// Which half the model has to do for a board, in words.
pub fn of_the_model(info: Info) -> Option<&'static str> {
    match (info.has(Path::Quantize), info.has(Path::Dequantize)) {
        (true, true) => None,
        (true, false) => Some("the board has no dequantizer: the golden model dequantizes"),
        _ => Some("the board has no quantizer: the golden model quantizes"),
    }
}

/// The record as the golden model has it.
pub fn model_record(vector: &[u16], s: Setting) -> RecordParts {
    let record = encode(vector, s.bits, &s.thresholds);
    RecordParts { sparse: record.sparse, dense: record.dense }
}

/// The vector as the golden model has it. Of a record that is not legal it has none.
pub fn model_vector(record: &RecordParts, s: Setting) -> Vec<u16> {
    decode(&record.dense, &record.sparse, s.length, s.bits, &s.thresholds).unwrap_or_default()
}

/// The records of vectors.
pub fn quantize<L: Line>(
    system: &mut System<L>,
    vectors: &[&[u16]],
    s: Setting,
) -> Result<Vec<RecordParts>, SystemError> {
    if !system.info().has(Path::Quantize) {
        return Ok(vectors.iter().map(|vector| model_record(vector, s)).collect());
    }
    system.set_up(Path::Quantize, s.length, s.thresholds.bits())?;
    vectors.iter().map(|vector| system.quantize(vector)).collect()
}

/// The vectors of records.
pub fn dequantize<L: Line>(
    system: &mut System<L>,
    records: &[RecordParts],
    s: Setting,
) -> Result<Vec<Vec<u16>>, SystemError> {
    if !system.info().has(Path::Dequantize) {
        return Ok(records.iter().map(|record| model_vector(record, s)).collect());
    }
    system.set_up(Path::Dequantize, s.length, s.thresholds.bits())?;
    records.iter().map(|record| system.dequantize(record, s.length)).collect()
}

/// What vectors become there and back.
pub fn roundtrip<L: Line>(
    system: &mut System<L>,
    vectors: &[&[u16]],
    s: Setting,
) -> Result<Vec<Vec<u16>>, SystemError> {
    if !system.info().has(Path::ThereAndBack) {
        let records = quantize(system, vectors, s)?;
        return dequantize(system, &records, s);
    }
    system.set_up(Path::ThereAndBack, s.length, s.thresholds.bits())?;
    vectors.iter().map(|vector| system.roundtrip(vector)).collect()
}

/// Elements that came back and are not those of the model.
pub fn wrong(back: &[u16], expected: &[u16]) -> usize {
    (0..expected.len()).filter(|i| back.get(*i) != expected.get(*i)).count()
}
