//! `kvforge host selftest` and `bench`: known vectors along each path that a board has; what they cost.

use super::halves::{Setting, model_record, model_vector, of_the_model};
use crate::args::BenchOptions;
use crate::report::{Failure, Problem};
use crate::table::table;
use fastrand::Rng;
use fpga::link::line::Line;
use fpga::link::system::{Counters, Info, Path, System, SystemError};
use sim::golden::oaken::{DenseBits, Thresholds};
use std::io::Write;
use std::time::Duration;

/// What is printed of a path.
fn title(path: Path) -> &'static str {
    match path {
        Path::ThereAndBack => "there and back",
        Path::Quantize => "quantize",
        Path::Dequantize => "dequantize",
    }
}

/// Thresholds that put some elements of every group into the known vectors.
fn setting(info: Info, length: usize) -> Result<Setting, Failure> {
    let internal = |error: &dyn std::error::Error| Failure::Internal(error.to_string());
    let bits = DenseBits::new(info.dense_bits).map_err(|error| internal(&error))?;
    let thresholds = Thresholds::from_f32(-1.5, -0.0625, 0.0625, 1.5).map_err(|error| internal(&error))?;
    Ok(Setting { length: length.min(info.max_length as usize), bits, thresholds })
}

/// A known vector: numbers between -2 and 2 of all sizes; vector 0 begins with zeros, the largest and the smallest numbers, 1 and -1.
fn known(number: usize, length: usize) -> Vec<u16> {
    let special = [0, 0x8000, 0x7bff, 0xfbff, 1, 0x8001, 0x3c00, 0xbc00];
    let mut rng = Rng::with_seed(number as u64);
    let element = |i: usize| {
        let any = rng.u16(..0x4000) | rng.u16(..2) << 15;
        if number == 0 { special.get(i).copied().unwrap_or(any) } else { any }
    };
    (0..length).map(element).collect()
}

/// Known vectors along a path; how many come out wrong, and bytes both ways.
fn along<L: Line>(
    system: &mut System<L>,
    path: Path,
    s: Setting,
    vectors: usize,
) -> Result<(usize, usize), SystemError> {
    system.set_up(path, s.length, s.thresholds.bits())?;
    let (mut wrong, mut bytes) = (0, 0);
    for number in 0..vectors {
        let vector = known(number, s.length);
        let record = model_record(&vector, s);
        let record_bytes = record.sparse.len() + record.dense.len();
        let right = match path {
            Path::ThereAndBack => system.roundtrip(&vector)? == model_vector(&record, s),
            Path::Quantize => system.quantize(&vector)? == record,
            Path::Dequantize => system.dequantize(&record, s.length)? == model_vector(&record, s),
        };
        wrong += usize::from(!right);
        let of_vector = 2 * s.length;
        bytes += if path == Path::ThereAndBack { 2 * of_vector } else { of_vector + record_bytes };
    }
    Ok((wrong, bytes))
}

pub fn selftest<L: Line>(system: &mut System<L>, failed: impl Fn(&SystemError) -> Failure) -> Result<(), Failure> {
    let info = system.info();
    system.drain().map_err(|error| failed(&error))?;
    let before = system.counters().map_err(|error| failed(&error))?;
    let (mut out, mut bad) = (std::io::stdout().lock(), vec![]);
    for path in Path::ALL {
        let name = title(path);
        if !info.has(path) {
            writeln!(out, "{name:<16}not there")?;
            continue;
        }
        let mut wrong = 0;
        for length in [64, 192] {
            wrong += along(system, path, setting(info, length)?, 2).map_err(|error| failed(&error))?.0;
        }
        writeln!(out, "{name:<16}{} of 4 vectors right", 4 - wrong)?;
        bad.extend((wrong > 0).then(|| format!("{name}: {wrong} of 4 vectors are not the golden model's")));
    }
    let counters = system.counters().map_err(|error| failed(&error))?.since(before);
    writeln!(out, "{:<16}{} frames dropped, {} requests sent again", "line", counters.dropped, counters.repeated)?;
    let flags = system.flags().map_err(|error| failed(&error))?;
    let none = if flags.is_empty() { "none".to_string() } else { flags.join(", ") };
    writeln!(out, "{:<16}{none}", "error flags")?;
    // what a line loses comes again, and is no fault of the board
    let of_engines = flags.iter().filter(|flag| !flag.starts_with("system"));
    bad.extend(of_engines.map(|flag| format!("{flag} is flagged")));
    if bad.is_empty() {
        return Ok(writeln!(out, "passed")?);
    }
    let problem = bad.iter().fold(Problem::new("the board does not pass"), |problem, what| problem.note(what));
    Err(problem.help("load a bitstream of this version, and try again").into())
}

pub fn bench<L: Line>(
    options: &BenchOptions,
    system: &mut System<L>,
    failed: impl Fn(&SystemError) -> Failure,
) -> Result<(), Failure> {
    let info = system.info();
    let s = setting(info, options.length as usize)?;
    system.drain().map_err(|error| failed(&error))?;
    let mut rows = vec![];
    for path in Path::ALL.into_iter().filter(|path| info.has(*path)) {
        let before = system.counters().map_err(|error| failed(&error))?;
        let start = system.line().time();
        let (wrong, bytes) = along(system, path, s, options.vectors as usize).map_err(|error| failed(&error))?;
        let seconds = system.line().time() - start;
        let counters = system.counters().map_err(|error| failed(&error))?.since(before);
        if wrong > 0 {
            let name = title(path);
            return Err(Failure::Internal(format!("{name}: {wrong} vectors are not the golden model's")));
        }
        let [quantizer, dequantizer] = rates(counters, info.lanes);
        rows.push([title(path).to_string(), bytes.to_string(), per_second(bytes, seconds), quantizer, dequantizer]);
    }
    let mut out = std::io::stdout().lock();
    writeln!(out, "{} vectors of {} elements along each path", options.vectors, s.length)?;
    let head = ["path", ">bytes", ">bytes/s", ">quantizer takes", ">dequantizer gives"];
    writeln!(out, "{}\n", table(&head, rows))?;
    writeln!(
        out,
        "  bytes: of vectors and records, both ways; seconds are the line's. Elements a cycle: of the cycles in which"
    )?;
    writeln!(out, "  some were there, not of those in which the line brought none")?;
    of_the_model(info).map_or(Ok(()), |model| Ok(writeln!(out, "{model}")?))
}

/// Bytes in a second.
pub fn per_second(bytes: usize, time: Duration) -> String {
    format!("{:.0}", bytes as f64 / time.as_secs_f64().max(1e-9))
}

/// Elements a cycle that the quantizer takes, and that the dequantizer gives, in cycles in which some are there.
pub fn rates(counters: Counters, lanes: u32) -> [String; 2] {
    let rate = |beats: u32, cycles: u32| match cycles {
        0 => "-".to_string(),
        cycles => format!("{:.2}", f64::from(beats) * f64::from(lanes) / f64::from(cycles)),
    };
    let fed = counters.busy.saturating_sub(counters.starved);
    [rate(counters.taken, fed), rate(counters.given, counters.given.saturating_add(counters.waited))]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_of_the_cycles_in_which_something_was_there() {
        let counters = Counters { taken: 100, busy: 350, starved: 250, given: 100, waited: 300, ..Counters::default() };
        assert_eq!(rates(counters, 4), ["4.00", "1.00"]);
        assert_eq!(rates(Counters::default(), 4), ["-", "-"]);
    }

    #[test]
    fn the_first_known_vector_has_the_ends_of_the_range() {
        let vector = known(0, 64);
        assert!([0, 0x8000, 0x7bff, 0xfbff, 1].iter().all(|x| vector.contains(x)));
        assert!(known(1, 64).iter().all(|x| x & 0x7fff < 0x4000));
        assert_ne!(known(1, 64), known(2, 64));
    }
}
