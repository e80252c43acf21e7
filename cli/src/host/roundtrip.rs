//! `kvforge host roundtrip`: recorded keys and values through the engines of a board, compared with the golden model.

use super::check::{per_second, rates};
use super::files::profile_of;
use super::halves::{self, Setting, model_record, model_vector, of_the_model};
use crate::args::RoundtripOptions;
use crate::profile::{problem, recording};
use crate::report::Failure;
use crate::table::table;
use fpga::link::line::Line;
use fpga::link::system::{System, SystemError};
use indicatif::ProgressBar;
use sim::data::KvTensor;
use sim::golden::oaken::DenseBits;
use sim::golden::reference::{Noise, to_f64};
use std::io::Write;

/// What became of a layer's keys or values.
struct Row {
    name: [String; 2],
    vectors: usize,
    /// Elements that are not those of the golden model.
    wrong: usize,
    sqnr_db: f64,
    /// Stored for each element.
    bits: f64,
}

pub fn run<L: Line>(
    options: &RoundtripOptions,
    system: &mut System<L>,
    failed: impl Fn(&SystemError) -> Failure,
) -> Result<(), Failure> {
    let recording = recording(&options.file)?;
    let bits = DenseBits::new(system.info().dense_bits).map_err(|error| Failure::Internal(error.to_string()))?;
    let profile = profile_of(&recording, None, bits)?;
    system.drain().map_err(|error| failed(&error))?;
    let before = system.counters().map_err(|error| failed(&error))?;
    let (start, mut rows, mut bytes) = (system.line().time(), vec![], 0);
    let progress = ProgressBar::new(recording.tensors.len() as u64);
    for tensor in &recording.tensors {
        let thresholds = profile.layer(tensor.layer, tensor.kind).map_err(problem)?.thresholds;
        let setting = Setting { length: tensor.cols, bits, thresholds };
        let row = send(options, system, tensor, setting).map_err(|error| failed(&error))?;
        bytes += 2 * 2 * row.vectors * tensor.cols;
        rows.push(row);
        progress.inc(1);
    }
    progress.finish_and_clear();
    let time = system.line().time() - start;
    let counters = system.counters().map_err(|error| failed(&error))?.since(before);
    let mut out = std::io::stdout().lock();
    let wrong: usize = rows.iter().map(|row| row.wrong).sum();
    print(&mut out, rows)?;
    let seconds = time.as_secs_f64();
    writeln!(out, "\n{bytes} bytes of vectors in {seconds:.3} s of the line, {} bytes/s", per_second(bytes, time))?;
    let [quantizer, dequantizer] = rates(counters, system.info().lanes);
    writeln!(out, "elements a cycle, when some were there: quantizer {quantizer}, dequantizer {dequantizer}")?;
    writeln!(out, "{} frames dropped by the board, {} requests sent again", counters.dropped, counters.repeated)?;
    if let Some(model) = of_the_model(system.info()) {
        writeln!(out, "{model}")?;
    }
    match wrong {
        0 => Ok(writeln!(out, "every element is the golden model's")?),
        n => Err(Failure::Internal(format!("{n} elements are not the golden model's"))),
    }
}

/// The first vectors of a tensor, there and back.
fn send<L: Line>(
    options: &RoundtripOptions,
    system: &mut System<L>,
    tensor: &KvTensor,
    setting: Setting,
) -> Result<Row, SystemError> {
    let vectors: Vec<&[u16]> = tensor.vectors().take(options.vectors as usize).collect();
    let all_back = halves::roundtrip(system, &vectors, setting)?;
    let (mut wrong, mut bytes, mut noise) = (0, 0, Noise::default());
    for (vector, back) in vectors.iter().zip(&all_back) {
        let record = model_record(vector, setting);
        let expected = model_vector(&record, setting);
        bytes += record.sparse.len() + record.dense.len();
        wrong += halves::wrong(back, &expected);
        noise.add(&to_f64(vector), &to_f64(back));
    }
    let name = [tensor.layer.to_string(), tensor.kind.to_string()];
    let bits = 8.0 * bytes as f64 / (vectors.len() * tensor.cols) as f64;
    Ok(Row { name, vectors: vectors.len(), wrong, sqnr_db: noise.sqnr_db(), bits })
}

fn print(out: &mut impl Write, rows: Vec<Row>) -> Result<(), Failure> {
    let cells = rows.into_iter().map(|row| {
        let [layer, kind] = row.name;
        let [bits, sqnr] = [format!("{:.3}", row.bits), format!("{:.2}", row.sqnr_db)];
        [layer, kind, row.vectors.to_string(), bits, sqnr, row.wrong.to_string()]
    });
    Ok(writeln!(out, "{}", table(&[">layer", "kind", ">vectors", ">bits", ">SQNR", ">wrong"], cells))?)
}
