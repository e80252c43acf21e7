//! `kvforge host roundtrip`: recorded keys and values through the engines of a board, compared with the golden model.

use crate::args::RoundtripOptions;
use crate::profile::recording;
use crate::report::{Failure, Problem};
use crate::table::table;
use fpga::link::line::Line;
use fpga::link::system::{System, SystemError};
use indicatif::ProgressBar;
use sim::data::KvTensor;
use sim::golden::oaken::{DenseBits, Thresholds, decode, encode};
use sim::golden::reference::{Noise, to_f64};
use sim::profile::{Method, Profile, Widths};
use std::io::Write;
use std::time::Instant;

/// What became of a layer's keys or values.
struct Row {
    name: [String; 2],
    vectors: usize,
    /// Elements that are not those of the golden model.
    wrong: usize,
    sqnr_db: f64,
}

pub fn run<L: Line>(
    options: &RoundtripOptions,
    system: &mut System<L>,
    failed: impl Fn(&SystemError) -> Failure,
) -> Result<(), Failure> {
    let recording = recording(&options.file)?;
    let bits = DenseBits::new(system.info().dense_bits).map_err(|error| Failure::Internal(error.to_string()))?;
    let widths = Widths { key: bits, value: bits };
    let profile = Profile::from_recordings(std::slice::from_ref(&recording), Method::default(), widths);
    let profile = profile.map_err(|error| Problem::new(format!("{}: {error}", options.file.display())))?;
    system.drain().map_err(|error| failed(&error))?;
    let before = system.counters().map_err(|error| failed(&error))?;
    let (start, mut rows, mut bytes) = (Instant::now(), vec![], 0);
    let progress = ProgressBar::new(recording.tensors.len() as u64);
    for tensor in &recording.tensors {
        let layer = profile.layer(tensor.layer, tensor.kind).map_err(|error| Failure::Internal(error.to_string()))?;
        let t = layer.thresholds;
        let row = send(options, system, tensor, (bits, &t)).map_err(|error| failed(&error))?;
        bytes += 2 * 2 * row.vectors * tensor.cols;
        rows.push(row);
        progress.inc(1);
    }
    progress.finish_and_clear();
    let seconds = start.elapsed().as_secs_f64();
    let after = system.counters().map_err(|error| failed(&error))?;
    let mut out = std::io::stdout().lock();
    let wrong: usize = rows.iter().map(|row| row.wrong).sum();
    print(&mut out, rows)?;
    let (taken, busy) = (after.taken.wrapping_sub(before.taken), after.busy.wrapping_sub(before.busy));
    let elements = u64::from(taken) * u64::from(system.info().lanes);
    writeln!(
        out,
        "\n{bytes} bytes in {seconds:.1} s; {elements} elements in {busy} cycles of the quantizer in which it was busy"
    )?;
    writeln!(out, "{} frames dropped by the board, {} requests sent again", after.dropped, after.repeated)?;
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
    (bits, t): (DenseBits, &Thresholds),
) -> Result<Row, SystemError> {
    system.set_up(tensor.cols, t.bits())?;
    let (mut wrong, mut vectors, mut noise) = (0, 0, Noise::default());
    for vector in tensor.vectors().take(options.vectors as usize) {
        let back = system.roundtrip(vector)?;
        let record = encode(vector, bits, t);
        // what the model itself has written it can read
        let expected = decode(&record.dense, &record.sparse, vector.len(), bits, t).unwrap_or_default();
        wrong += back.iter().zip(&expected).filter(|(found, expected)| found != expected).count();
        noise.add(&to_f64(vector), &to_f64(&back));
        vectors += 1;
    }
    let name = [tensor.layer.to_string(), tensor.kind.to_string()];
    Ok(Row { name, vectors, wrong, sqnr_db: noise.sqnr_db() })
}

fn print(out: &mut impl Write, rows: Vec<Row>) -> Result<(), Failure> {
    let cells = rows.into_iter().map(|row| {
        let [layer, kind] = row.name;
        [layer, kind, row.vectors.to_string(), format!("{:.2}", row.sqnr_db), row.wrong.to_string()]
    });
    Ok(writeln!(out, "{}", table(&[">layer", "kind", ">vectors", ">SQNR", ">wrong"], cells))?)
}
