//! Waveforms: what chosen signals held in each cycle, as VCD (for GTKWave and its kin) or as an SVG picture.
//!
//! ```text
//! let mut wave = Wave::all(&sim);
//! for ... {
//!     // poke the inputs of this cycle
//!     wave.sample(&mut sim);
//!     sim.step();
//! }
//! std::fs::write("wave.vcd", wave.vcd())?;
//! let picture = wave.svg(&["valid", "ready", "u_fifo.count"], 0..20)?;
//! ```
//! A sample is what settled after a clock edge and the pokes that follow it, so cycle 0 is before the first edge.

mod svg;
mod vcd;

#[cfg(test)]
mod tests;

use crate::engine::{Engine, PortInfo};
use crate::sim::{Probe, SignalInfo, Simulator};
use rustc_hash::FxHashMap as HashMap;
use std::fmt;

/// A name that a [`Wave`] or a design does not have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownSignal {
    /// The name asked for.
    pub name: String,
    /// Names that end in the same last part or else begin alike, at most five.
    pub similar: Vec<String>,
}

impl fmt::Display for UnknownSignal {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "no signal is named `{}`", self.name)?;
        match self.similar.is_empty() {
            true => Ok(()),
            false => write!(f, "; there is `{}`", self.similar.join("`, `")),
        }
    }
}

impl std::error::Error for UnknownSignal {}

impl UnknownSignal {
    fn new<'a>(name: &str, all: impl Iterator<Item = &'a str> + Clone) -> UnknownSignal {
        let last = |n: &'a str| n.rsplit('.').next().unwrap_or(n);
        let wanted = name.rsplit('.').next().unwrap_or(name);
        let start: String = wanted.chars().take(3).collect();
        let same = all.clone().filter(|n| last(n) == wanted);
        let alike = all.filter(|n| last(n) != wanted && last(n).starts_with(&start));
        UnknownSignal { name: name.into(), similar: same.chain(alike).take(5).map(String::from).collect() }
    }
}

/// The history of one signal: only changes are kept.
#[derive(Clone, Debug)]
struct Row {
    name: String,
    width: u32,
    /// Where the values come from; `None`: a port of any engine, the one with this index.
    probe: Option<Probe>,
    /// Cycles at which the value changed, ascending. Begins with the first sample.
    cycles: Vec<u64>,
    /// The values, `limbs` for each of `cycles`.
    values: Vec<u64>,
}

impl Row {
    fn new(name: &str, width: u32, probe: Option<Probe>) -> Row {
        Row { name: name.into(), width, probe, cycles: vec![], values: vec![] }
    }
    fn limbs(&self) -> usize {
        self.width.div_ceil(64) as usize
    }
    fn record(&mut self, cycle: u64, value: &[u64]) {
        let last = self.values.len().saturating_sub(value.len());
        if self.cycles.is_empty() || self.values[last..] != *value {
            self.cycles.push(cycle);
            self.values.extend_from_slice(value);
        }
    }
    /// The `i`-th change.
    fn value(&self, i: usize) -> &[u64] {
        &self.values[i * self.limbs()..(i + 1) * self.limbs()]
    }
    /// The value in a cycle that was sampled.
    fn at(&self, cycle: u64) -> &[u64] {
        self.value(self.cycles.partition_point(|c| *c <= cycle) - 1)
    }
}

/// A recording of some signals over some cycles.
#[derive(Clone, Debug)]
pub struct Wave {
    clocks: Vec<String>,
    rows: Vec<Row>,
    index: HashMap<String, usize>,
    /// For each sample, the clocks whose edge stands at its beginning.
    edges: Vec<u64>,
}

impl Wave {
    fn new(clocks: &[String], rows: Vec<Row>) -> Wave {
        let index = rows.iter().enumerate().map(|(i, r)| (r.name.clone(), i)).collect();
        Wave { clocks: clocks.to_vec(), rows, index, edges: vec![] }
    }

    /// Will record all named signals of the hierarchy.
    pub fn all(sim: &Simulator) -> Wave {
        let row = |s: &SignalInfo| Row::new(&s.name, s.width, sim.find(&s.name));
        Wave::new(sim.clocks(), sim.signals().iter().map(row).collect())
    }

    /// Will record the signals with these hierarchical names.
    pub fn of(sim: &Simulator, names: &[&str]) -> Result<Wave, UnknownSignal> {
        let row = |name: &&str| match sim.find(name) {
            Some(probe) => Ok(Row::new(name, sim.info(probe).width, Some(probe))),
            None => Err(UnknownSignal::new(name, sim.signals().iter().map(|s| s.name.as_str()))),
        };
        Ok(Wave::new(sim.clocks(), names.iter().map(row).collect::<Result<_, _>>()?))
    }

    /// Will record the ports, on any engine: sample with [`Wave::sample_ports`].
    pub fn ports(engine: &dyn Engine) -> Wave {
        let row = |p: &PortInfo| Row::new(&p.name, p.width, None);
        Wave::new(engine.clocks(), engine.ports().iter().map(row).collect())
    }

    /// Records the current values as those of the next cycle.
    pub fn sample(&mut self, sim: &mut Simulator) {
        let cycle = self.edges.len() as u64;
        for (port, row) in self.rows.iter_mut().enumerate() {
            match row.probe {
                Some(probe) => row.record(cycle, sim.limbs(probe)),
                None => sample_port(row, cycle, sim, port),
            }
        }
        self.edges.push(if cycle == 0 { u64::MAX } else { sim.last_edge() });
    }

    /// As [`Wave::sample`], for a recording made by [`Wave::ports`].
    ///
    /// An engine does not tell which clocks had an edge: the picture shows all of them rising in each cycle.
    pub fn sample_ports(&mut self, engine: &mut dyn Engine) {
        let cycle = self.edges.len() as u64;
        self.rows.iter_mut().enumerate().for_each(|(port, row)| sample_port(row, cycle, engine, port));
        self.edges.push(u64::MAX);
    }

    /// Cycles recorded.
    pub fn cycles(&self) -> u64 {
        self.edges.len() as u64
    }

    fn row(&self, name: &str) -> Result<&Row, UnknownSignal> {
        match self.index.get(name) {
            Some(i) => Ok(&self.rows[*i]),
            None => Err(UnknownSignal::new(name, self.rows.iter().map(|r| r.name.as_str()))),
        }
    }
}

fn sample_port(row: &mut Row, cycle: u64, engine: &mut dyn Engine, port: usize) {
    let mut limbs = vec![0; row.limbs()];
    engine.peek_wide(port, &mut limbs);
    row.record(cycle, &limbs);
}

/// Hexadecimal, without leading zeros.
fn hex(value: &[u64]) -> String {
    let mut limbs = value.iter().rev().skip_while(|l| **l == 0);
    let first = limbs.next().map_or("0".into(), |l| format!("{l:x}"));
    limbs.fold(first, |text, l| format!("{text}{l:016x}"))
}
