//! What the demo runs on, and where its thresholds come from.

use crate::args::DemoOptions;
use crate::profile::{problem, recording, thresholds};
use crate::report::{Failure, Problem};
use sim::data::{KvTensor, Recording};
use sim::golden::oaken::Thresholds;
use sim::profile::{Fractions, Profile, Tails};
use std::path::Path;

/// The recordings of the repository: thresholds come from the one, results from the other.
const PROFILED: &str = "data/smollm2_profile.safetensors";
const RUN: &str = "data/smollm2_run.safetensors";

/// Recorded keys and values, and thresholds for them.
pub struct Input {
    pub run: Recording,
    pub profile: Profile,
    /// Where the thresholds come from, in words.
    pub thresholds_from: String,
}

impl Input {
    /// Reads what the user gave, or the recordings of the repository.
    pub fn read(options: &DemoOptions) -> Result<Input, Failure> {
        match (&options.kv, &options.thresholds) {
            (None, _) => Input::of_the_repository(),
            (Some(kv), None) => Input::halved(recording(kv)?),
            (Some(kv), Some(path)) => {
                let (run, profile) = (recording(kv)?, thresholds(path)?);
                profile.check_covers(&run).map_err(problem)?;
                Ok(Input { run, profile, thresholds_from: path.display().to_string() })
            }
        }
    }

    fn of_the_repository() -> Result<Input, Failure> {
        if !Path::new(RUN).exists() {
            let problem = Problem::new(format!("the demo's data is not here: no {RUN}"));
            let problem = problem.note("it is a part of the repository, so the demo runs in the repository's folder");
            return Err(problem.help("anywhere else, give a recording of your own: `kvforge demo --kv FILE`").into());
        }
        let (profiled, run) = (recording(Path::new(PROFILED))?, recording(Path::new(RUN))?);
        let profile = make_profile(&profiled)?;
        profile.check_covers(&run).map_err(problem)?;
        Ok(Input { run, profile, thresholds_from: format!("{PROFILED} (another text)") })
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
        let profile = make_profile(&half(false))?;
        let thresholds_from = "the first half of its tokens (results are of the second)".to_string();
        Ok(Input { run: half(true), profile, thresholds_from })
    }

    /// The thresholds of a tensor.
    pub fn thresholds(&self, tensor: &KvTensor) -> Result<Thresholds, Failure> {
        Ok(self.profile.layer(tensor.layer, tensor.kind).map_err(problem)?.thresholds)
    }
}

fn make_profile(recording: &Recording) -> Result<Profile, Failure> {
    let recordings = std::slice::from_ref(recording);
    Profile::from_recordings(recordings, Fractions::PAPER, Tails::default()).map_err(problem)
}

fn half_of(tensor: &KvTensor, second: bool) -> KvTensor {
    let first_rows = tensor.rows / 2;
    let (first, rest) = tensor.data.split_at(first_rows * tensor.cols);
    let (rows, data) = if second { (tensor.rows - first_rows, rest) } else { (first_rows, first) };
    KvTensor { rows, data: data.to_vec(), ..*tensor }
}
