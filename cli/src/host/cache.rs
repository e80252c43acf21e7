//! `kvforge host cache`: the keys and values of requests in the memory of a board.

mod recorded;

use self::recorded::{Recorded, recorded, setting_of};
use super::files::recording_bytes;
use super::halves::{model_record, model_vector, wrong};
use crate::args::{CacheAppendOptions, CacheCommand, CacheReadOptions};
use crate::profile::recording;
use crate::report::{Failure, Problem};
use crate::write::{check_writable, write_file};
use fpga::constraints::megahertz;
use fpga::link::cache::{Cache, CacheError, CacheInfo, Group, Refused};
use fpga::link::line::Line;
use indicatif::ProgressBar;
use sim::data::Kind;
use std::io::Write;

pub fn run<L: Line>(
    command: &CacheCommand,
    cache: &mut Cache<L>,
    failed: impl Fn(&CacheError) -> Failure,
) -> Result<(), Failure> {
    check_request(command, cache.info())?;
    match command {
        CacheCommand::Info => info(cache, failed),
        CacheCommand::Append(options) => append(options, cache, failed),
        CacheCommand::Read(options) => read(options, cache, failed),
        CacheCommand::Release(options) => {
            cache.release(options.request).map_err(|error| failed(&error))?;
            told(cache, failed)
        }
        CacheCommand::Roundtrip(options) => roundtrip(options, cache, failed),
    }
}

/// Does the board have the request?
fn check_request(command: &CacheCommand, info: CacheInfo) -> Result<(), Problem> {
    let request = match command {
        CacheCommand::Info => return Ok(()),
        CacheCommand::Append(options) | CacheCommand::Roundtrip(options) => options.request.request,
        CacheCommand::Read(options) => options.request.request,
        CacheCommand::Release(options) => options.request,
    };
    if u32::from(request) < info.requests {
        return Ok(());
    }
    let problem = Problem::new(format!("--request {request} of a board that has {}", info.requests));
    Err(problem.help(format!("legal: 0 to {}", info.requests - 1)))
}

fn info<L: Line>(cache: &mut Cache<L>, failed: impl Fn(&CacheError) -> Failure) -> Result<(), Failure> {
    let info = cache.info();
    let [first, second, third] = info.version;
    let mut out = std::io::stdout().lock();
    writeln!(out, "Oaken cache {first}.{second}.{third}, configuration {:08x}", info.configuration)?;
    writeln!(
        out,
        "model    {} layers, {} heads of {} elements, {} requests of up to {} tokens",
        info.layers, info.heads, info.head_elements, info.requests, info.tokens
    )?;
    writeln!(
        out,
        "engines  {} elements a cycle, codes of {} bits, {} settings",
        info.lanes, info.dense_bits, info.settings
    )?;
    if 2 * info.layers > info.settings {
        writeln!(
            out,
            "         two settings a layer: this program uses layers 0 to {}",
            (info.settings / 2).max(1) - 1
        )?;
    }
    writeln!(out, "clock    {} MHz", megahertz(info.clock_hertz))?;
    let baud = f64::from(info.clock_hertz) / f64::from(info.clocks_per_bit);
    writeln!(out, "line     {} cycles a bit, {baud:.0} bits a second", info.clocks_per_bit)?;
    drop(out);
    told(cache, failed)
}

/// How much room there is.
fn told<L: Line>(cache: &mut Cache<L>, failed: impl Fn(&CacheError) -> Failure) -> Result<(), Failure> {
    let free = cache.register("free").map_err(|error| failed(&error))?;
    let CacheInfo { pages, page_bytes, .. } = cache.info();
    Ok(writeln!(std::io::stdout().lock(), "memory   {free} of {pages} pages of {page_bytes} bytes are free")?)
}

/// Appends tokens, one after the other with all of its layers, as a model makes them. An error comes with the tokens that were appended before.
fn append_all<L: Line>(cache: &mut Cache<L>, request: u8, recorded: &Recorded) -> Result<(), (CacheError, usize)> {
    let progress = ProgressBar::new(recorded.tokens as u64);
    for token in 0..recorded.tokens {
        for part in &recorded.parts {
            let at = token * part.tensor.cols;
            let vector = &part.tensor.data[at..at + part.tensor.cols];
            cache.append(part.group(request), part.number, vector).map_err(|error| (error, token))?;
        }
        progress.inc(1);
    }
    progress.finish_and_clear();
    Ok(())
}

/// What is there behind a failure in the midst of tokens, and how to be rid of it.
fn stopped(failure: Failure, tokens: usize, request: u8) -> Failure {
    let note = format!("{tokens} tokens of the recording are in request {request}, and perhaps part of the next");
    let more =
        |problem: Problem| problem.note(note.clone()).help("`cache release` ends the request, and frees its pages");
    match failure {
        Failure::Input(problems) => Failure::Input(problems.into_iter().map(more).collect()),
        other => other,
    }
}

fn append<L: Line>(
    options: &CacheAppendOptions,
    cache: &mut Cache<L>,
    failed: impl Fn(&CacheError) -> Failure,
) -> Result<(), Failure> {
    let recording = recording(&options.file)?;
    let recorded = recorded(options, &recording, cache.info())?;
    let request = options.request.request;
    cache.set(&recorded.settings).map_err(|error| failed(&error))?;
    match cache.open(request) {
        Err(CacheError::Refused { why: Refused::Open, .. }) => {}
        other => other.map_err(|error| failed(&error))?,
    }
    cache.forget_flags().map_err(|error| failed(&error))?;
    let start = cache.line().time();
    append_all(cache, request, &recorded).map_err(|(error, tokens)| stopped(failed(&error), tokens, request))?;
    let seconds = (cache.line().time() - start).as_secs_f64();
    cache.check_flags().map_err(|error| stopped(failed(&error), recorded.tokens, request))?;
    let vectors = recorded.tokens * recorded.parts.len();
    writeln!(
        std::io::stdout().lock(),
        "{} tokens, {vectors} vectors in {} of the line",
        recorded.tokens,
        told_time(seconds)
    )?;
    told(cache, failed)
}

/// The vectors of a group: its heads side by side.
fn group_of<L: Line>(
    cache: &mut Cache<L>,
    group: Group,
    setting: u8,
    tokens: u16,
) -> Result<Vec<Vec<u16>>, CacheError> {
    let mut vectors: Vec<Vec<u16>> = vec![];
    for head in 0..cache.info().heads as u8 {
        let history = cache.read(group, head, tokens, setting)?;
        vectors.resize(history.len().max(vectors.len()), vec![]);
        vectors.iter_mut().zip(history).for_each(|(vector, of_head)| vector.extend(of_head));
    }
    Ok(vectors)
}

fn read<L: Line>(
    options: &CacheReadOptions,
    cache: &mut Cache<L>,
    failed: impl Fn(&CacheError) -> Failure,
) -> Result<(), Failure> {
    check_writable(&options.out)?;
    let (info, request) = (cache.info(), options.request.request);
    cache.forget_flags().map_err(|error| failed(&error))?;
    // layers behind these have no settings, so that nothing was appended to them
    let layers = info.layers.min(info.settings / 2);
    let progress = ProgressBar::new(layers.into());
    let mut written = vec![];
    for layer in 0..layers {
        for kind in [Kind::Key, Kind::Value] {
            let group = Group { request, layer: layer as u8, value: kind == Kind::Value };
            let setting = setting_of(layer, kind) as u8;
            let vectors =
                group_of(cache, group, setting, options.tokens.unwrap_or(0)).map_err(|error| failed(&error))?;
            if !vectors.is_empty() {
                written.push((layer, kind, (info.heads * info.head_elements) as usize, vectors));
            }
        }
        progress.inc(1);
    }
    progress.finish_and_clear();
    cache.check_flags().map_err(|error| failed(&error))?;
    let tensors: Vec<_> = written.iter().map(|(layer, kind, _, vectors)| (*layer, *kind, vectors.len())).collect();
    if tensors.is_empty() {
        return Err(Problem::new(format!("request {request} has no tokens")).into());
    }
    let tokens = same_tokens(request, &tensors).map_err(|what| {
        let problem = Problem::new(what).note("a host that was stopped in the midst of a token leaves this");
        problem.help("`cache release` ends the request; append its tokens again")
    })?;
    write_file(&options.out, &recording_bytes(written)?)?;
    let (out, tensors) = (options.out.display(), tensors.len());
    Ok(writeln!(std::io::stdout().lock(), "written: {out}, {tensors} tensors of {tokens} tokens")?)
}

/// How many tokens all tensors have; or which have other ones. What has none is not in `tensors`: the recording may not have had it.
fn same_tokens(request: u8, tensors: &[(u32, Kind, usize)]) -> Result<usize, String> {
    let Some(&(first, first_kind, tokens)) = tensors.first() else { return Ok(0) };
    match tensors.iter().find(|(_, _, other)| *other != tokens) {
        None => Ok(tokens),
        Some((layer, kind, other)) => Err(format!(
            "request {request} has {tokens} tokens in the {first_kind}s of layer {first} and {other} in the {kind}s of layer {layer}"
        )),
    }
}

/// The request is there for it alone, and not any more behind it.
fn roundtrip<L: Line>(
    options: &CacheAppendOptions,
    cache: &mut Cache<L>,
    failed: impl Fn(&CacheError) -> Failure,
) -> Result<(), Failure> {
    let recording = recording(&options.file)?;
    let recorded = recorded(options, &recording, cache.info())?;
    let request = options.request.request;
    cache.set(&recorded.settings).map_err(|error| failed(&error))?;
    cache.open(request).map_err(|error| match error {
        CacheError::Refused { why: Refused::Open, .. } => {
            let help = "another `--request`, or `cache release`, which ends this one";
            Problem::new(format!("request {request} is open already, and would be changed")).help(help).into()
        }
        error => failed(&error),
    })?;
    let done = there_and_back(cache, request, &recorded, &failed);
    // whatever happened: if the board is gone, that was told already
    let released = cache.release(request).map_err(|error| failed(&error));
    let (compared, [there, back]) = done?;
    released?;
    let (tokens, vectors) = (recorded.tokens, recorded.tokens * recorded.parts.len());
    let times = format!("appended in {} of the line, read in {}", told_time(there), told_time(back));
    writeln!(std::io::stdout().lock(), "{tokens} tokens, {vectors} vectors: {times}")?;
    told(cache, failed)?;
    let Compared { elements, wrong } = compared;
    match wrong {
        0 => Ok(writeln!(std::io::stdout().lock(), "every one of {elements} elements is the golden model's")?),
        n => Err(Failure::Internal(format!("{n} of {elements} elements are not the golden model's"))),
    }
}

/// A line of bytes is quick.
fn told_time(seconds: f64) -> String {
    if seconds < 0.01 { format!("{:.0} us", 1e6 * seconds) } else { format!("{seconds:.3} s") }
}

/// Elements that came back, and how many of them are not the golden model's.
#[derive(Default)]
struct Compared {
    elements: usize,
    wrong: usize,
}

/// Appends and reads. Gives what came of it, and seconds of the line for each.
fn there_and_back<L: Line>(
    cache: &mut Cache<L>,
    request: u8,
    recorded: &Recorded,
    failed: &impl Fn(&CacheError) -> Failure,
) -> Result<(Compared, [f64; 2]), Failure> {
    cache.forget_flags().map_err(|error| failed(&error))?;
    let start = cache.line().time();
    append_all(cache, request, recorded).map_err(|(error, _)| failed(&error))?;
    let appended = cache.line().time();
    let mut compared = Compared::default();
    for part in &recorded.parts {
        let found = group_of(cache, part.group(request), part.number, 0).map_err(|error| failed(&error))?;
        if found.len() != recorded.tokens {
            return Err(Failure::Internal(format!("{} tokens came back of {}", found.len(), recorded.tokens)));
        }
        for (vector, back) in part.tensor.vectors().zip(&found) {
            let expected = model_vector(&model_record(vector, part.setting), part.setting);
            compared.wrong += wrong(back, &expected);
            compared.elements += vector.len();
        }
    }
    let read = cache.line().time();
    cache.check_flags().map_err(|error| failed(&error))?;
    Ok((compared, [appended - start, read - appended].map(|time| time.as_secs_f64())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tensors_of_unequal_length_are_told() {
        assert_eq!(same_tokens(1, &[(0, Kind::Key, 3), (0, Kind::Value, 3), (7, Kind::Key, 3)]), Ok(3));
        let uneven = "request 1 has 3 tokens in the keys of layer 0 and 2 in the values of layer 0";
        assert_eq!(same_tokens(1, &[(0, Kind::Key, 3), (0, Kind::Value, 2)]), Err(uneven.into()));
    }
}
