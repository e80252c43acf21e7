//! What nextpnr's report says: cells, clocks, critical paths.

use super::program::BuildError;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// What a placed and routed design has.
#[derive(Debug)]
pub struct Report {
    /// Cells of the device by kind; those that are used.
    pub used: Vec<Used>,
    /// The clocks, each with its critical path.
    pub clocks: Vec<Clock>,
}

/// Cells of a kind.
#[derive(Debug, PartialEq, Eq)]
pub struct Used {
    /// As nextpnr calls it.
    pub kind: String,
    /// Of the design.
    pub used: u64,
    /// Of the device.
    pub available: u64,
}

/// A clock.
#[derive(Debug)]
pub struct Clock {
    /// The net, as the Verilog has it.
    pub name: String,
    /// What it reaches, in MHz.
    pub reached: f64,
    /// What it has to, in MHz.
    pub demanded: f64,
    /// Its longest way from register to register.
    pub critical: Option<CriticalPath>,
}

/// The way that limits a clock.
#[derive(Debug)]
pub struct CriticalPath {
    /// All of it, in ns.
    pub delay: f64,
    /// Of that, what goes into wires.
    pub wires: f64,
    /// Its wires in order.
    pub hops: Vec<Hop>,
}

/// A wire of a path.
#[derive(Debug)]
pub struct Hop {
    /// The net, as the Verilog has it.
    pub net: String,
    /// From the beginning of the path to the end of this wire, in ns.
    pub at: f64,
}

#[derive(Deserialize)]
struct Raw {
    utilization: BTreeMap<String, RawUsed>,
    fmax: BTreeMap<String, RawClock>,
    #[serde(default)]
    critical_paths: Vec<RawPath>,
}

#[derive(Deserialize)]
struct RawUsed {
    used: u64,
    available: u64,
}

#[derive(Deserialize)]
struct RawClock {
    achieved: f64,
    constraint: f64,
}

#[derive(Deserialize)]
struct RawPath {
    from: String,
    to: String,
    path: Vec<RawStep>,
}

#[derive(Deserialize)]
struct RawStep {
    delay: f64,
    #[serde(rename = "type")]
    kind: String,
    net: Option<String>,
}

impl Report {
    /// Reads a report.
    pub(super) fn read(file: &Path) -> Result<Report, BuildError> {
        let text = std::fs::read_to_string(file).map_err(|error| BuildError::file("read", file, error))?;
        Report::parse(&text).map_err(|error| BuildError::report(file, error))
    }
    fn parse(text: &str) -> Result<Report, serde_json::Error> {
        // what else the report has may be large
        let value: Value = serde_json::from_str(text)?;
        let raw = Raw::deserialize(value)?;
        let used = raw.utilization.into_iter().filter(|(_, cells)| cells.used > 0);
        let used = used.map(|(kind, cells)| Used { kind, used: cells.used, available: cells.available }).collect();
        let paths = raw.critical_paths;
        let clock = |(net, clock): (String, RawClock)| Clock {
            critical: paths.iter().find(|path| is_within(path, &net)).map(CriticalPath::of),
            name: plain(&net),
            reached: clock.achieved,
            demanded: clock.constraint,
        };
        Ok(Report { used, clocks: raw.fmax.into_iter().map(clock).collect() })
    }
    /// A clock that does not reach what it has to: the one that lacks most.
    pub fn missed(&self) -> Option<&Clock> {
        self.worst().filter(|clock| clock.reached < clock.demanded)
    }
    /// By what factor the clocks are above their demands, the worst of them.
    pub(super) fn margin(&self) -> f64 {
        self.worst().map_or(f64::INFINITY, Clock::margin)
    }
    fn worst(&self) -> Option<&Clock> {
        self.clocks.iter().min_by(|a, b| a.margin().total_cmp(&b.margin()))
    }
}

impl Clock {
    fn margin(&self) -> f64 {
        self.reached / self.demanded
    }
}

/// Does a path begin and end at this clock?
fn is_within(path: &RawPath, clock: &str) -> bool {
    // "posedge NET", or "negedge NET"
    [&path.from, &path.to].iter().all(|end| end.split_once(' ').is_some_and(|(_, net)| net == clock))
}

impl CriticalPath {
    fn of(path: &RawPath) -> CriticalPath {
        let (mut delay, mut wires, mut hops) = (0.0, 0.0, vec![]);
        for step in &path.path {
            delay += step.delay;
            if step.kind == "routing" {
                wires += step.delay;
                hops.push(Hop { net: plain(step.net.as_deref().unwrap_or("?")), at: delay });
            }
        }
        CriticalPath { delay, wires, hops }
    }
}

/// The name of a net without what nextpnr puts in front of it or behind it where it goes through a global buffer or a pin.
fn plain(net: &str) -> String {
    let net = net.strip_prefix("$glbnet$").unwrap_or(net);
    let net = net.strip_suffix("_$glb_clk").unwrap_or(net);
    ["$SB_IO_IN", "_IBUF_O"].iter().find_map(|behind| net.strip_suffix(behind)).unwrap_or(net).to_string()
}
