//! `kvforge vq`: codebooks, and keys, values and weights packed with them.

pub mod info;
pub mod pack;
pub mod plan;
pub mod run;
pub mod train;

use crate::args::VqInput;
use crate::profile::{problem, recording};
use crate::report::{Failure, Problem, file_problem};
use crate::write::{check_writable, write_file};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use sim::data::DataError;
use sim::golden::vq::{Tensor, TensorKind, VqFile};
use sim::profile::ProfileError;
use sim::vq::{Source, VqError, kv_sources, weight_sources};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The tensors of recordings, of all layers if none is named, or of a file of weights.
fn sources(kv: &[PathBuf], layers: &[u32], weights: Option<&Path>, names: &[String]) -> Result<Vec<Source>, Failure> {
    if let Some(path) = weights {
        // one that is named twice is one
        let first = |(i, name): (usize, &String)| (!names[..i].contains(name)).then(|| name.clone());
        let names: Vec<String> = names.iter().enumerate().filter_map(first).collect();
        return weight_sources(path, &names).map_err(failure);
    }
    let recordings = kv.iter().map(|path| recording(path)).collect::<Result<Vec<_>, _>>()?;
    let missing = layers.iter().find(|layer| !recordings[0].tensors.iter().any(|tensor| tensor.layer == **layer));
    if let Some(layer) = missing {
        let mut present: Vec<String> = recordings[0].tensors.iter().map(|tensor| tensor.layer.to_string()).collect();
        present.dedup();
        let problem = Problem::new(format!("{} has no layer {layer}", kv[0].display()));
        return Err(problem.note(format!("its layers: {}", present.join(", "))).into());
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

/// The files of it.
fn inputs(input: &VqInput) -> Vec<&Path> {
    input.kv.iter().chain(&input.weights).map(PathBuf::as_path).collect()
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

/// The same with the files that it is about, where it does not name one, and the option that says what does not fit.
fn failure_of(
    error: VqError,
    books: Option<&Path>,
    input: &VqInput,
    option: impl Fn(&VqError) -> Option<&'static str>,
) -> Failure {
    if matches!(error, VqError::Data(_)) {
        return failure(error);
    }
    let files: Vec<String> = inputs(input).iter().map(|path| path.display().to_string()).collect();
    let books = books.map_or(String::new(), |path| format!("books: {}; ", path.display()));
    let problem = Problem::new(&error).note(format!("{books}tensors: {}", files.join(", ")));
    match option(&error) {
        Some(option) => problem.help(format!("{option} says it")).into(),
        None => problem.into(),
    }
}

fn read(path: &Path) -> Result<VqFile, Failure> {
    let bytes = std::fs::read(path).map_err(|error| file_problem("read", path, &error))?;
    VqFile::from_bytes(&bytes).map_err(|error| {
        let problem = Problem::new(format!("{}, {error}", path.display()));
        problem.help("`kvforge vq train` makes files of codebooks, `kvforge vq pack` packs with them").into()
    })
}

/// An error if a file cannot be written there, or what is read would be lost.
fn check_out(out: &Path, inputs: &[&Path]) -> Result<(), Failure> {
    for input in inputs {
        if is_same_file(out, input) || (input.is_dir() && is_npy_of(out, input)) {
            let problem = Problem::new(format!("--out {} would overwrite {}", out.display(), input.display()));
            return Err(problem.note("it is read").help("give --out another name").into());
        }
    }
    Ok(check_writable(out)?)
}

/// The same file, by whatever name or link.
fn is_same_file(a: &Path, b: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let number = |path: &Path| std::fs::metadata(path).ok().map(|file| (file.dev(), file.ino()));
        number(a).is_some_and(|number_of_a| number(b) == Some(number_of_a))
    }
    #[cfg(not(unix))]
    {
        a.canonicalize().is_ok_and(|a| b.canonicalize().is_ok_and(|b| a == b))
    }
}

/// A file of a recording that is a folder.
fn is_npy_of(out: &Path, folder: &Path) -> bool {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    files.into_iter().any(|file| file.path().extension().is_some_and(|e| e == "npy") && is_same_file(out, &file.path()))
}

fn write(path: &Path, file: &VqFile) -> Result<(), Failure> {
    Ok(write_file(path, file.to_bytes())?)
}

/// Shown on a terminal only. The clock in it runs while a part takes long.
fn progress_bar(parts: usize, what: &str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(parts as u64), ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("{msg} [{bar:30}] {pos} of {len}, {elapsed}");
    let bar = bar.with_style(style.expect("a legal template")).with_message(what.to_string());
    bar.enable_steady_tick(Duration::from_secs(1));
    bar
}
