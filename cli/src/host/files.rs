//! `kvforge host quantize` and `dequantize`: recordings to files of records, and back.

use super::halves::{self, Setting, of_the_model};
use crate::args::{DequantizeOptions, QuantizeOptions};
use crate::profile::{problem, recording, thresholds};
use crate::report::{Failure, Problem, file_problem};
use crate::write::{check_writable, write_file};
use fpga::link::line::Line;
use fpga::link::system::{Info, Path as Way, RecordParts, System, SystemError};
use indicatif::ProgressBar;
use safetensors::tensor::{Dtype, TensorView, serialize};
use sim::data::{Kind, Recording};
use sim::golden::oaken::{DenseBits, Record, decode};
use sim::kvq::{KvqFile, KvqTensor};
use sim::profile::{Method, Profile, Widths};
use std::io::Write;
use std::path::Path;
use std::time::Instant;

/// Thresholds of a recording: those of a file, or the recording's own.
pub fn profile_of(recording: &Recording, file: Option<&Path>, bits: DenseBits) -> Result<Profile, Failure> {
    let Some(file) = file else {
        let widths = Widths { key: bits, value: bits };
        return Profile::from_recordings(std::slice::from_ref(recording), Method::default(), widths).map_err(problem);
    };
    let profile = thresholds(file)?;
    profile.check_covers(recording).map_err(problem)?;
    match profile.layers.iter().find(|layer| layer.dense_bits != bits) {
        None => Ok(profile),
        Some(layer) => {
            let (have, found) = (bits.get(), layer.dense_bits.get());
            let title = format!("{}: layer {} {} has codes of {found} bits", file.display(), layer.layer, layer.kind);
            let problem = Problem::new(title).note(format!("the board has codes of {have} bits"));
            let help = format!("`kvforge profile --key-bits {have} --value-bits {have}` makes thresholds for it");
            Err(problem.help(help).into())
        }
    }
}

pub fn quantize<L: Line>(
    options: &QuantizeOptions,
    system: &mut System<L>,
    failed: impl Fn(&SystemError) -> Failure,
) -> Result<(), Failure> {
    let recording = recording(&options.file)?;
    let bits = DenseBits::new(system.info().dense_bits).map_err(|error| Failure::Internal(error.to_string()))?;
    let profile = profile_of(&recording, options.thresholds.as_deref(), bits)?;
    fits(system.info(), Way::Quantize, recording.tensors.iter().map(|tensor| tensor.cols))
        .map_err(|error| failed(&error))?;
    check_writable(&options.out)?;
    system.drain().map_err(|error| failed(&error))?;
    let (start, progress) = (Instant::now(), ProgressBar::new(recording.tensors.len() as u64));
    let mut tensors = vec![];
    for tensor in &recording.tensors {
        let layer = profile.layer(tensor.layer, tensor.kind).map_err(problem)?;
        let setting = Setting { length: tensor.cols, bits, thresholds: layer.thresholds };
        let vectors: Vec<&[u16]> = tensor.vectors().collect();
        let records = halves::quantize(system, &vectors, setting).map_err(|error| failed(&error))?;
        let (layer, kind) = (tensor.layer, tensor.kind);
        let records = records.into_iter().enumerate().map(|(i, parts)| {
            legal(parts, setting).map_err(|why| {
                Problem::new(format!("the board's record of {kind} {i} of layer {layer} is not legal: {why}"))
            })
        });
        let records = records.collect::<Result<_, _>>()?;
        tensors.push(KvqTensor { layer, kind, length: tensor.cols, bits, thresholds: setting.thresholds, records });
        progress.inc(1);
    }
    progress.finish_and_clear();
    let file = KvqFile { tensors };
    let bytes = file.to_bytes();
    write_file(&options.out, &bytes)?;
    let elements: usize = recording.tensors.iter().map(|tensor| tensor.data.len()).sum();
    let bits = 8.0 * bytes.len() as f64 / elements as f64;
    told(system, &file.tensors, start, &format!("{} bytes, {bits:.3} bits for each element", bytes.len()), &options.out)
}

/// Are all vectors short enough for the board, where it is the board that takes this path?
fn fits(info: Info, path: Way, lengths: impl Iterator<Item = usize>) -> Result<(), SystemError> {
    let longest = info.max_length;
    match lengths.filter(|length| info.has(path) && *length > longest as usize).max() {
        Some(length) => Err(SystemError::Length { length, longest }),
        None => Ok(()),
    }
}

/// What a board gave, as a record that can be decoded.
fn legal(parts: RecordParts, s: Setting) -> Result<Record, String> {
    let decoded = decode(&parts.dense, &parts.sparse, s.length, s.bits, &s.thresholds);
    decoded.map_err(|error| error.to_string())?;
    Record::of_parts(parts.sparse, parts.dense).ok_or_else(|| "it has no header".into())
}

pub fn dequantize<L: Line>(
    options: &DequantizeOptions,
    system: &mut System<L>,
    failed: impl Fn(&SystemError) -> Failure,
) -> Result<(), Failure> {
    let bytes = std::fs::read(&options.file).map_err(|error| file_problem("read", &options.file, &error))?;
    let file = KvqFile::from_bytes(&bytes).map_err(|error| {
        let problem = Problem::new(format!("{}: {error}", options.file.display()));
        problem.help("`kvforge host quantize` writes such files; docs/kvq.md has their format")
    })?;
    let tensors = file.tensors;
    let bits = system.info().dense_bits;
    if let Some(other) = tensors.iter().find(|tensor| tensor.bits.get() != bits) {
        let title = format!("{}: codes of {} bits", options.file.display(), other.bits.get());
        return Err(Problem::new(title).note(format!("the board has codes of {bits} bits")).into());
    }
    fits(system.info(), Way::Dequantize, tensors.iter().map(|tensor| tensor.length)).map_err(|error| failed(&error))?;
    check_writable(&options.out)?;
    system.drain().map_err(|error| failed(&error))?;
    let (start, progress) = (Instant::now(), ProgressBar::new(tensors.len() as u64));
    let mut written: Vec<ReadTensor> = vec![];
    for tensor in &tensors {
        let setting = Setting { length: tensor.length, bits: tensor.bits, thresholds: tensor.thresholds };
        let parts = |record: &Record| RecordParts { sparse: record.sparse.clone(), dense: record.dense.clone() };
        let records: Vec<RecordParts> = tensor.records.iter().map(parts).collect();
        let vectors = halves::dequantize(system, &records, setting).map_err(|error| failed(&error))?;
        written.push((tensor.layer, tensor.kind, tensor.length, vectors));
        progress.inc(1);
    }
    progress.finish_and_clear();
    let bytes = recording_bytes(written)?;
    write_file(&options.out, &bytes)?;
    told(system, &tensors, start, &format!("{} bytes", bytes.len()), &options.out)
}

/// Layer, kind, elements of a vector, and the vectors.
pub type ReadTensor = (u32, Kind, usize, Vec<Vec<u16>>);

/// A recording (safetensors) of keys and values.
pub fn recording_bytes(tensors: Vec<ReadTensor>) -> Result<Vec<u8>, Failure> {
    let internal = |error: &dyn std::error::Error| Failure::Internal(error.to_string());
    let tensors: Vec<(String, Vec<usize>, Vec<u8>)> = tensors
        .into_iter()
        .map(|(layer, kind, length, vectors)| {
            let letter = if kind == Kind::Key { 'k' } else { 'v' };
            let data = vectors.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
            (format!("layer{layer}.{letter}"), vec![vectors.len(), length], data)
        })
        .collect();
    let views = tensors.iter().map(|(name, shape, data)| {
        Ok((name, TensorView::new(Dtype::F16, shape.clone(), data).map_err(|error| internal(&error))?))
    });
    let views = views.collect::<Result<Vec<_>, Failure>>()?;
    serialize(views, None).map_err(|error| internal(&error))
}

/// What became of it.
fn told<L: Line>(
    system: &System<L>,
    tensors: &[KvqTensor],
    start: Instant,
    what: &str,
    path: &Path,
) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    if let Some(model) = of_the_model(system.info()) {
        writeln!(out, "{model}")?;
    }
    let vectors: usize = tensors.iter().map(|tensor| tensor.records.len()).sum();
    let seconds = start.elapsed().as_secs_f64();
    writeln!(out, "{vectors} vectors of {} tensors in {seconds:.1} s", tensors.len())?;
    Ok(writeln!(out, "written: {}, {what}", path.display())?)
}
