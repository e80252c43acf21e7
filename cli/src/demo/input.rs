//! What the demo runs on, and where its thresholds come from.

use crate::args::DemoOptions;
use crate::profile::{problem, recording, thresholds};
use crate::report::{Failure, Problem};
use sim::data::{Kind, KvTensor, Recording};
use sim::golden::oaken::{DenseBits, Thresholds};
use sim::profile::{Method, Profile, Widths};
use std::num::NonZeroUsize;

/// The recordings of the repository, which are built in, so that the demo runs in any folder: thresholds come from the one, results
/// from the other.
const PROFILED: BuiltIn =
    ("data/smollm2_profile.safetensors", include_bytes!("../../../data/smollm2_profile.safetensors"));
pub const RUN: BuiltIn = ("data/smollm2_run.safetensors", include_bytes!("../../../data/smollm2_run.safetensors"));

/// A file: where the repository has it, and what is in it.
pub type BuiltIn = (&'static str, &'static [u8]);

/// Tokens of a run, where thresholds are made the paper's way: a recording of a few hundred tokens has several runs.
pub const PAPER_RUN_TOKENS: usize = 32;

/// Recorded keys and values, and thresholds for them.
pub struct Input {
    pub run: Recording,
    /// What the thresholds were made from, unless they came as a file.
    profiled: Option<Recording>,
    profile: Profile,
    /// Widths that were given on the command line.
    key_bits: Option<DenseBits>,
    value_bits: Option<DenseBits>,
    /// Where the thresholds come from, in words.
    pub thresholds_from: String,
}

impl Input {
    /// Reads what the user gave, or the recordings of the repository.
    pub fn read(options: &DemoOptions) -> Result<Input, Failure> {
        let input = match (&options.kv, &options.thresholds) {
            (None, _) => Input::of_the_repository()?,
            (Some(kv), None) => Input::halved(recording(kv)?)?,
            (Some(kv), Some(path)) => Input::new(recording(kv)?, None, thresholds(path)?, path.display().to_string())?,
        };
        Ok(Input { key_bits: options.key_bits, value_bits: options.value_bits, ..input })
    }

    fn new(
        run: Recording,
        profiled: Option<Recording>,
        profile: Profile,
        thresholds_from: String,
    ) -> Result<Input, Failure> {
        profile.check_covers(&run).map_err(problem)?;
        Ok(Input { run, profiled, profile, key_bits: None, value_bits: None, thresholds_from })
    }

    fn of_the_repository() -> Result<Input, Failure> {
        let recording = |(path, bytes)| {
            Recording::from_bytes(path, bytes).map_err(|error| Failure::Internal(format!("{path}, built in: {error}")))
        };
        let (profiled, run) = (recording(PROFILED)?, recording(RUN)?);
        let profile = make_profile(&profiled)?;
        Input::new(run, Some(profiled), profile, format!("{} (another text)", PROFILED.0))
    }

    /// Thresholds from the first half of the tokens, results from the second.
    fn halved(whole: Recording) -> Result<Input, Failure> {
        if let Some(short) = whole.tensors.iter().find(|t| t.rows < 2) {
            let title = format!("layer {} {} has only one token", short.layer, short.kind);
            let problem = Problem::new(title).note("half of the tokens gives the thresholds, the other the results");
            return Err(problem.help("give thresholds with --thresholds JSON, or a longer recording").into());
        }
        let half = |second: bool| {
            let tensors = whole.tensors.iter().map(|t| half_of(t, second)).collect();
            Recording { tensors, ..whole.clone() }
        };
        let (profiled, run) = (half(false), half(true));
        let profile = make_profile(&profiled)?;
        Input::new(run, Some(profiled), profile, "the first half of its tokens (results are of the second)".into())
    }

    /// The thresholds of a tensor.
    pub fn thresholds(&self, tensor: &KvTensor) -> Result<Thresholds, Failure> {
        Ok(self.profile.layer(tensor.layer, tensor.kind).map_err(problem)?.thresholds)
    }

    /// The width of a tensor's dense codes.
    pub fn dense_bits(&self, tensor: &KvTensor) -> Result<DenseBits, Failure> {
        let given = match tensor.kind {
            Kind::Key => self.key_bits,
            Kind::Value => self.value_bits,
        };
        let profiled = self.profile.layer(tensor.layer, tensor.kind).map_err(problem)?.dense_bits;
        Ok(given.unwrap_or(profiled))
    }

    /// The thresholds of a tensor as the paper makes them, if the demo has made its own.
    pub fn thresholds_of_the_paper(&self, tensor: &KvTensor) -> Option<Thresholds> {
        let profiled = self.profiled.as_ref()?.tensor(tensor.layer, tensor.kind)?;
        Some(Method::of_the_paper(NonZeroUsize::new(PAPER_RUN_TOKENS)).thresholds(&[profiled]))
    }
}

fn make_profile(recording: &Recording) -> Result<Profile, Failure> {
    let recordings = std::slice::from_ref(recording);
    Profile::from_recordings(recordings, Method::default(), Widths::default()).map_err(problem)
}

fn half_of(tensor: &KvTensor, second: bool) -> KvTensor {
    let first_rows = tensor.rows / 2;
    let (first, rest) = tensor.data.split_at(first_rows * tensor.cols);
    let (rows, data) = if second { (tensor.rows - first_rows, rest) } else { (first_rows, first) };
    KvTensor { rows, data: data.to_vec(), ..*tensor }
}
