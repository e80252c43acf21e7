//! The committed figures: `docs/qor.json`.

use crate::tools;
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

/// Numbers of cells by their kind.
pub type Counts = BTreeMap<String, u64>;

/// A count may grow by this many percent before somebody has to look at it.
pub const TOLERANCE_PERCENT: u64 = 2;

/// Figures of all configurations.
#[derive(Serialize, Deserialize, Default, Clone, PartialEq, Debug)]
pub struct Record {
    /// The versions that measured the figures.
    pub tools: Versions,
    /// By name of the configuration.
    pub configurations: BTreeMap<String, Figures>,
}

/// Versions of the tools.
#[derive(Serialize, Deserialize, Default, Clone, PartialEq, Debug)]
pub struct Versions {
    pub yosys: String,
    pub nextpnr: String,
}

impl std::fmt::Display for Versions {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{} and nextpnr {}", self.yosys, self.nextpnr)
    }
}

/// Figures of one configuration.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub struct Figures {
    /// Hash of the Verilog that was measured.
    pub verilog: String,
    pub ecp5: Counts,
    /// Where it fits on an iCE40UP5K.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ice40: Option<Counts>,
    /// Where it fits on a GW1NR-9.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gowin: Option<Counts>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fmax: Option<Fmax>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocks: Option<Blocks>,
}

/// The clock frequency after place and route on the ECP5.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub struct Fmax {
    pub mhz: f64,
    /// Hash of the Verilog that it was measured on: it may be older than the rest.
    pub verilog: String,
}

/// Where the cells sit on the ECP5.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub struct Blocks {
    /// Counts by source file of hw/src.
    pub files: BTreeMap<String, Counts>,
    /// Hash of the Verilog that was measured: it may be older than the rest.
    pub verilog: String,
}

/// The devices that are measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Family {
    Ecp5,
    Ice40,
    Gowin,
}

impl std::fmt::Display for Family {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(match self {
            Family::Ecp5 => "ECP5",
            Family::Ice40 => "iCE40",
            Family::Gowin => "Gowin",
        })
    }
}

impl Figures {
    /// The counts for a family, where there are any.
    pub fn of(&self, family: Family) -> Option<&Counts> {
        match family {
            Family::Ecp5 => Some(&self.ecp5),
            Family::Ice40 => self.ice40.as_ref(),
            Family::Gowin => self.gowin.as_ref(),
        }
    }

    /// The clock frequency in MHz as it is shown: in parentheses where the Verilog has changed since.
    pub fn clock(&self) -> String {
        match &self.fmax {
            None => "-".into(),
            Some(fmax) if self.fmax_is_stale() => format!("({:.1})", fmax.mhz),
            Some(fmax) => format!("{:.1}", fmax.mhz),
        }
    }

    /// A count on the ECP5.
    pub fn count(&self, cell: &str) -> u64 {
        self.ecp5.get(cell).copied().unwrap_or(0)
    }

    /// LUT4 sites on the ECP5: a carry cell takes two, a 16x4 LUT RAM four and two more for its write port.
    pub fn lut_sites(&self) -> u64 {
        lut_sites(&self.ecp5)
    }

    /// Was the frequency measured on other Verilog than the counts?
    pub fn fmax_is_stale(&self) -> bool {
        self.fmax.as_ref().is_some_and(|fmax| fmax.verilog != self.verilog)
    }
}

/// LUT4 sites of counts on the ECP5.
pub fn lut_sites(ecp5: &Counts) -> u64 {
    let count = |cell: &str| ecp5.get(cell).copied().unwrap_or(0);
    count("LUT4") + 2 * count("CCU2C") + 6 * count("TRELLIS_DPR16X4")
}

/// The file.
pub fn path() -> PathBuf {
    tools::root().join("docs/qor.json")
}

impl Record {
    /// The committed figures; none if there is no file.
    pub fn read() -> Result<Record> {
        let path = path();
        if !path.exists() {
            return Ok(Record::default());
        }
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        serde_json::from_str(&text).with_context(|| format!("{} is not what `cargo xtask qor` writes", path.display()))
    }

    /// The text of the file.
    pub fn text(&self) -> Result<String> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }

    /// Is this configuration to be compared on this family? On ECP5 always: one without figures is an error there.
    pub fn measures(&self, name: &str, family: Family) -> bool {
        family == Family::Ecp5 || self.configurations.get(name).is_some_and(|figures| figures.of(family).is_some())
    }

    /// What is wrong with a configuration's new counts: each that has grown by more than [`TOLERANCE_PERCENT`].
    pub fn growth(&self, name: &str, family: Family, new: &Counts) -> Vec<String> {
        let Some(old) = self.configurations.get(name).and_then(|figures| figures.of(family)) else {
            return vec![format!("{name} has no figures for {family}")];
        };
        let cells: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
        let count = |counts: &Counts, cell: &str| counts.get(cell).copied().unwrap_or(0);
        let grown = cells.into_iter().map(|cell| (cell, count(old, cell), count(new, cell)));
        let grown = grown.filter(|(_, old, new)| 100 * new > (100 + TOLERANCE_PERCENT) * old);
        grown.map(|(cell, old, new)| format!("{name}: {cell} has grown from {old} to {new} on {family}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(list: &[(&str, u64)]) -> Counts {
        list.iter().map(|(cell, count)| (cell.to_string(), *count)).collect()
    }

    #[test]
    fn growth_by_more_than_two_percent_names_configuration_cell_and_both_counts() {
        let ecp5 = counts(&[("LUT4", 1000), ("TRELLIS_FF", 10), ("DP16KD", 0)]);
        let figures = Figures { verilog: "0".into(), ecp5, ice40: None, gowin: None, fmax: None, blocks: None };
        let configurations = BTreeMap::from([("f16_add".to_string(), figures)]);
        let record = Record { tools: Versions::default(), configurations };
        let growth = |list: &[(&str, u64)]| record.growth("f16_add", Family::Ecp5, &counts(list));
        assert!(growth(&[("LUT4", 1020), ("TRELLIS_FF", 10)]).is_empty(), "2 % are allowed");
        assert!(growth(&[("LUT4", 3)]).is_empty(), "smaller is fine");
        assert_eq!(growth(&[("LUT4", 1021)]), ["f16_add: LUT4 has grown from 1000 to 1021 on ECP5"]);
        assert_eq!(
            growth(&[("DP16KD", 1), ("TRELLIS_FF", 11)]),
            ["f16_add: DP16KD has grown from 0 to 1 on ECP5", "f16_add: TRELLIS_FF has grown from 10 to 11 on ECP5"]
        );
        assert_eq!(record.growth("f16_mul", Family::Ecp5, &Counts::new()), ["f16_mul has no figures for ECP5"]);
    }
}
