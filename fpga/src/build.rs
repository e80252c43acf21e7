//! From Verilog to a bitstream: synthesis with Yosys, place and route with nextpnr, packing. Each family of devices has a
//! flow: what its programs are called and told.
//!
//! Everything lies in one folder: `design.v`, the board's constraints, netlist, a log of each tool and a report for each seed, at the end
//! the bitstream. The same input gives the same bytes.

mod flow;
mod program;
mod report;

pub use program::{BuildError, Run};
pub use report::{Clock, CriticalPath, Hop, Report, Used};

use crate::bitstream;
use crate::boards::Board;
use crate::constraints;
use flow::Placement;
use program::{Tool, write};
use std::path::{Path, PathBuf};

/// What is built.
#[derive(Debug)]
pub struct Request<'a> {
    /// For this board.
    pub board: &'a Board,
    /// The top module: its ports have names of the board's ports.
    pub top: &'a str,
    /// All modules.
    pub verilog: &'a str,
    /// The folder of the [`programs`].
    pub tools: &'a Path,
    /// The folder to build in.
    pub folder: &'a Path,
    /// Placements that are tried at most, until one is fast enough.
    pub seeds: u32,
    /// A clock of this frequency, in MHz, has to be among those that place and route look at.
    pub clock: f64,
}

/// A bitstream, and how it came to be.
#[derive(Debug)]
pub struct Built {
    /// The file.
    pub bitstream: PathBuf,
    /// Its bytes.
    pub bytes: u64,
    /// The seed of the placement.
    pub seed: u32,
    /// What place and route say of it.
    pub report: Report,
    /// The programs that ran, in order.
    pub runs: Vec<Run>,
}

/// The synthesis of all boards.
const SYNTHESIS: &str = "yosys";

/// The programs that a build for this board needs.
pub fn programs(board: &Board) -> [&'static str; 3] {
    let flow = flow::of(board);
    [SYNTHESIS, flow.place, flow.pack]
}

/// Builds; `told` hears what is done next.
///
/// # Errors
/// A file that cannot be written, a program that is missing or fails, and a clock that no seed
/// reaches. What was made until then is left in the folder.
pub fn build(request: &Request, mut told: impl FnMut(&str)) -> Result<Built, BuildError> {
    let Request { board, folder, .. } = request;
    std::fs::create_dir_all(folder).map_err(|error| BuildError::file("make the folder", folder, error))?;
    // where this build fails, no bitstream of a former one is left to be taken for its own
    let former = folder.join(bitstream_of(board));
    if former.exists() {
        std::fs::remove_file(&former).map_err(|error| BuildError::file("remove", &former, error))?;
    }
    let constraints = constraints::file_name(board);
    write(&folder.join("design.v"), request.verilog)?;
    write(&folder.join(&constraints), &constraints::text(board))?;
    let mut runs = vec![];

    told("synthesis");
    runs.push(synthesize(request)?);
    let mut reports: Vec<(u32, Report)> = vec![];
    for seed in 1..=request.seeds.max(1) {
        told(&format!("place and route, seed {seed}"));
        runs.push(place(request, &constraints, seed)?);
        let report = Report::read(&folder.join(report_of(seed)))?;
        // what is not looked at is not fast enough
        if !report.clocks.iter().any(|clock| (clock.demanded / request.clock - 1.0).abs() < 0.01) {
            let what = format!("no clock of {} MHz is looked at", request.clock);
            return Err(BuildError::report(&folder.join(report_of(seed)), what));
        }
        let fast_enough = report.missed().is_none();
        reports.push((seed, report));
        if fast_enough {
            break;
        }
    }
    let (seed, report) = best(reports).ok_or_else(|| BuildError::report(folder, "there is none"))?;
    if let Some(clock) = report.missed() {
        return Err(BuildError::TooSlow {
            clock: clock.name.clone(),
            reached: clock.reached,
            demanded: clock.demanded,
            seeds: request.seeds.max(1),
            report: folder.join(report_of(seed)),
        });
    }
    told("packing");
    runs.push(pack(request, seed)?);
    let bitstream = folder.join(bitstream_of(board));
    let bytes = std::fs::read(&bitstream).map_err(|error| BuildError::file("read", &bitstream, error))?;
    bitstream::check(&bytes, board.device).map_err(|cause| BuildError::Bitstream { file: bitstream.clone(), cause })?;
    Ok(Built { bitstream, bytes: bytes.len() as u64, seed, report, runs })
}

/// The report of the placement that is nearest to its demands, or furthest above.
fn best(reports: Vec<(u32, Report)>) -> Option<(u32, Report)> {
    reports.into_iter().max_by(|(_, a), (_, b)| a.margin().total_cmp(&b.margin()))
}

fn report_of(seed: u32) -> String {
    format!("report-{seed}.json")
}

fn placed_of(board: &Board, seed: u32) -> String {
    format!("placed-{seed}.{}", flow::of(board).placed)
}

/// The name of the file with a board's bitstream.
pub fn bitstream_of(board: &Board) -> String {
    format!("{}.{}", board.name, flow::of(board).bitstream)
}

fn synthesize(request: &Request) -> Result<Run, BuildError> {
    let script = format!("read_verilog design.v; {}", (flow::of(request.board).synthesis)(request.top));
    run(request, SYNTHESIS, "yosys.log", &["-p".into(), script])
}

fn place(request: &Request, constraints: &str, seed: u32) -> Result<Run, BuildError> {
    let (placed, report) = (placed_of(request.board, seed), report_of(seed));
    let flow = flow::of(request.board);
    let arguments = (flow.place_arguments)(&Placement {
        device: request.board.device,
        constraints,
        seed: &seed.to_string(),
        placed: &placed,
        report: &report,
        clock: request.clock,
    });
    run(request, flow.place, &format!("nextpnr-{seed}.log"), &arguments)
}

fn pack(request: &Request, seed: u32) -> Result<Run, BuildError> {
    let (board, flow) = (request.board, flow::of(request.board));
    let arguments = (flow.pack_arguments)(board.device, &placed_of(board, seed), &bitstream_of(board));
    run(request, flow.pack, &format!("{}.log", flow.pack), &arguments)
}

fn run(request: &Request, name: &'static str, log: &str, arguments: &[String]) -> Result<Run, BuildError> {
    Tool { name, folder: request.tools }.run(request.folder, log, arguments)
}

#[cfg(test)]
mod tests;
