//! `kvforge vq`: codebooks, and keys, values and weights packed with them.

pub mod info;
pub mod pack;
pub mod plan;
pub mod run;
pub mod train;

use crate::profile::{problem, recording};
use crate::report::{Failure, Problem, file_problem};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use sim::data::DataError;
use sim::golden::vq::{Tensor, TensorKind, VqFile};
use sim::profile::ProfileError;
use sim::vq::{Source, VqError, kv_sources, weight_sources};
use std::path::{Path, PathBuf};

/// The tensors of recordings, of all layers if none is named, or of a file of weights.
fn sources(kv: &[PathBuf], layers: &[u32], weights: Option<&Path>, names: &[String]) -> Result<Vec<Source>, Failure> {
    if let Some(path) = weights {
        return weight_sources(path, names).map_err(failure);
    }
    let recordings = kv.iter().map(|path| recording(path)).collect::<Result<Vec<_>, _>>()?;
    let missing = layers.iter().find(|layer| !recordings[0].tensors.iter().any(|tensor| tensor.layer == **layer));
    if let Some(layer) = missing {
        let mut present: Vec<String> = recordings[0].tensors.iter().map(|tensor| tensor.layer.to_string()).collect();
        present.dedup();
        let problem = Problem::new(format!("{} has no layer {layer}", kv[0].display()));
        return Err(problem.note(format!("it has layers {}", present.join(", "))).into());
    }
    kv_sources(&recordings, layers).map_err(failure)
}

/// The tensors that a file is about.
fn sources_of(file: &VqFile, kv: &[PathBuf], weights: Option<&Path>) -> Result<Vec<Source>, Failure> {
    let names = |tensors: &[Tensor]| {
        let weights = tensors.iter().filter(|tensor| tensor.kind == TensorKind::Weight);
        weights.map(|tensor| tensor.name.clone()).collect::<Vec<_>>()
    };
    sources(kv, &[], weights, &names(&file.tensors))
}

/// Everything that can be wrong with what is trained or packed is something that the user gave.
fn failure(error: VqError) -> Failure {
    match error {
        VqError::Data(data) => match *data {
            DataError::Read { .. } => {
                Problem::new(&data).note("legal: safetensors files, and of keys and values npy files too").into()
            }
            data => problem(ProfileError::from(data)),
        },
        error => Problem::new(error).into(),
    }
}

fn read(path: &Path) -> Result<VqFile, Failure> {
    let bytes = std::fs::read(path).map_err(|error| file_problem("read", path, &error))?;
    VqFile::from_bytes(&bytes).map_err(|error| {
        let problem = Problem::new(format!("{}, {error}", path.display()));
        problem.help("`kvforge vq train` makes files of codebooks, `kvforge vq pack` packs with them").into()
    })
}

fn write(path: &Path, file: &VqFile) -> Result<(), Failure> {
    Ok(std::fs::write(path, file.to_bytes()).map_err(|error| file_problem("write", path, &error))?)
}

/// Shown on a terminal only.
fn progress_bar(parts: usize, what: &str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(parts as u64), ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("{msg} [{bar:30}] {pos} of {len}, {elapsed}");
    bar.with_style(style.expect("a legal template")).with_message(what.to_string())
}
