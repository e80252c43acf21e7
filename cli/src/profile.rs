//! `kvforge profile`: thresholds from recordings.

use crate::args::{ProfileOptions, QuantilesArgument};
use crate::report::{Failure, Place, Problem, Text};
use crate::table::table;
use crate::write::write_file;
use sim::data::{DataError, Recording};
use sim::profile::{LayerProfile, Method, Profile, ProfileError, Quantiles, Widths, plot_svg};
use std::io::Write;
use std::path::{Path, PathBuf};

pub fn run(options: &ProfileOptions) -> Result<(), Failure> {
    let method = method(options)?;
    let widths = Widths { key: options.key_bits, value: options.value_bits };
    let recordings = options.kv.iter().map(|path| recording(path)).collect::<Result<Vec<_>, _>>()?;
    check_differ(&options.kv)?;
    let profile = Profile::from_recordings(&recordings, method, widths).map_err(problem)?;
    // the picture first: if it cannot be made, there are no thresholds either
    if let Some(path) = &options.plot {
        let svg = plot_svg(&profile, &recordings).map_err(problem)?;
        write_file(path, svg)?;
    }
    profile.write(&options.out).map_err(problem)?;

    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", thresholds_table(&profile))?;
    writeln!(
        out,
        "  code: width of the dense codes; outer, inner: the shares that these groups really have; bits: stored for each\n  \
         element, every bit counted"
    )?;
    writeln!(out, "  thresholds: quantiles {}", quantiles_in_words(method.quantiles))?;
    writeln!(out, "  written: {}", options.out.display())?;
    if let Some(path) = &options.plot {
        writeln!(out, "  written: {}", path.display())?;
    }
    Ok(())
}

/// A recording that is given twice would count twice.
fn check_differ(paths: &[PathBuf]) -> Result<(), Problem> {
    let real: Vec<Option<PathBuf>> = paths.iter().map(|path| path.canonicalize().ok()).collect();
    for (i, path) in paths.iter().enumerate() {
        if let Some(before) = real[..i].iter().position(|other| other.is_some() && *other == real[i]) {
            let names = format!("{} and {}", paths[before].display(), path.display());
            let problem = Problem::new(format!("the same recording is given twice: {names}"));
            return Err(problem.note("it would count twice").help("leave one of them out"));
        }
    }
    Ok(())
}

fn method(options: &ProfileOptions) -> Result<Method, Failure> {
    let fractions = options
        .fractions
        .parse()
        .map_err(|error| Problem::new(error).at(&on_command_line("--fractions ", &options.fractions), "these"))?;
    let quantiles = match (options.quantiles, options.run_tokens) {
        (QuantilesArgument::Averaged, run_tokens) => Quantiles::Averaged { run_tokens },
        (QuantilesArgument::Pooled, None) => Quantiles::Pooled,
        (QuantilesArgument::Pooled, Some(tokens)) => {
            let place = on_command_line("--quantiles pooled --run-tokens ", &tokens.to_string());
            let problem = Problem::new("--run-tokens has no meaning with --quantiles pooled").at(&place, "no runs");
            return Err(problem.note("pooled: quantiles of all elements of all recordings together").into());
        }
    };
    Ok(Method { fractions, tails: options.tails.into(), quantiles })
}

fn quantiles_in_words(quantiles: Quantiles) -> String {
    match quantiles {
        Quantiles::Averaged { run_tokens: None } => "of each recording, averaged".into(),
        Quantiles::Averaged { run_tokens: Some(tokens) } => format!("of each run of {tokens} tokens, averaged"),
        Quantiles::Pooled => "of all elements together".into(),
    }
}

fn thresholds_table(profile: &Profile) -> String {
    let row = |l: &LayerProfile| {
        let [s_low, t_low, t_high, s_high] = l.thresholds.values().map(|x| format!("{x:.4}"));
        let share = |x: f64| format!("{:.2} %", 100.0 * x);
        let sqnr = l.sqnr_db.map_or("lossless".to_string(), |db| format!("{db:.2} dB"));
        let (layer, kind) = (l.layer.to_string(), l.kind.to_string());
        let (outer, inner, bits) =
            (share(l.shares.outer()), share(l.shares.inner()), format!("{:.3}", l.effective_bits));
        let code = l.dense_bits.to_string();
        [layer, kind, code, s_low, t_low, t_high, s_high, outer, inner, bits, sqnr]
    };
    let headings =
        [">layer", "kind", ">code", ">S_low", ">T_low", ">T_high", ">S_high", ">outer", ">inner", ">bits", ">SQNR"];
    table(&headings, profile.layers.iter().map(row))
}

/// Reads a recording.
pub fn recording(path: &Path) -> Result<Recording, Failure> {
    Recording::read(path).map_err(|error| problem(ProfileError::from(error)))
}

/// Reads thresholds.
pub fn thresholds(path: &Path) -> Result<Profile, Failure> {
    Profile::read(path).map_err(problem)
}

/// Everything that can be wrong with recordings and thresholds is something that the user gave.
pub fn problem(error: ProfileError) -> Failure {
    let problem = Problem::new(&error);
    let problem = match &error {
        ProfileError::Data(data) => match &**data {
            DataError::Read { .. } => problem.note("legal: safetensors files, npy files, folders of npy files"),
            _ => problem,
        },
        ProfileError::Content { .. } | ProfileError::MissingLayer { .. } | ProfileError::Columns { .. } => {
            problem.help("`kvforge profile` makes threshold files from recordings")
        }
        _ => problem,
    };
    problem.into()
}

/// The place of an argument on the command line.
fn on_command_line(option: &str, argument: &str) -> Place {
    let text = Text { origin: None, text: format!("{option}{argument}").into() };
    Place { span: option.len()..text.text.len(), text }
}
