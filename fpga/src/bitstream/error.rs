//! Why a file is no bitstream for a device.

use crate::device::Family;
use std::fmt;
use thiserror::Error;

/// A place in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Behind so many bytes.
    Byte(usize),
    /// This line, the first one 1.
    Line(usize),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Byte(at) => write!(f, "byte {at}"),
            Place::Line(at) => write!(f, "line {at}"),
        }
    }
}

/// Why a file is no bitstream for a device.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum BitstreamError {
    /// There is no preamble, or that of another family.
    #[error("this is no bitstream of {}: it has no preamble {}{}", with_article(*family), preamble(*family), is.map_or(String::new(), |is| format!(", but that of {}", with_article(is))))]
    NoPreamble {
        /// The family of the device.
        family: Family,
        /// Whose preamble it has.
        is: Option<Family>,
    },
    /// It ends too early.
    #[error("the bitstream is cut: it ends at {at}, within {within}")]
    Cut {
        /// Its end.
        at: Place,
        /// What was being read.
        within: &'static str,
    },
    /// A check does not fit.
    #[error("the bitstream is damaged: the check of {of} at {at} does not fit")]
    Damaged {
        /// What it is of.
        of: String,
        /// Where the check stands.
        at: Place,
    },
    /// Something is not there without which nobody knows whether all is well.
    #[error("the bitstream is damaged: it has no {0}")]
    Missing(String),
    /// A text that no tool writes.
    #[error("the bitstream is damaged: line {0} is not of whole bytes of 0 and 1")]
    NoBits(usize),
    /// A command that no tool here writes.
    #[error("the bitstream is damaged: {command:02X} at {at} is no command")]
    NoCommand {
        /// The command.
        command: u8,
        /// Where it stands.
        at: Place,
    },
    /// Something stands behind its end.
    #[error("the bitstream ends at {at}, and something else stands behind it")]
    GoesOn {
        /// Where its last command ends.
        at: Place,
    },
    /// Without its part nobody knows which pins it is for.
    #[error("the bitstream does not name its part, so its package is not known")]
    NoPart,
    /// It is for a device that nobody knows here.
    #[error("the bitstream is for a device with {0}, which is none of the list")]
    UnknownDevice(String),
    /// It is for another device.
    #[error("the bitstream is for {is} ({known_by}), and the board has {device}")]
    OtherDevice {
        /// What it is for.
        is: &'static str,
        /// What says so.
        known_by: String,
        /// What the board has.
        device: &'static str,
    },
    /// It is for the same device in another package, whose pins are others.
    #[error("the bitstream is for {part}, and the board has {device} in {package}")]
    OtherPackage {
        /// What it is for.
        part: String,
        /// What the board has.
        device: &'static str,
        /// In this package.
        package: &'static str,
    },
}

fn with_article(family: Family) -> String {
    format!("{} {}", if family == Family::Gowin { "a" } else { "an" }, family.name())
}

/// The bytes with which the commands of a family's bitstreams begin.
fn preamble(family: Family) -> &'static str {
    match family {
        Family::Ecp5 => "FFFFBDB3",
        Family::Ice40 => "7EAA997E",
        Family::Gowin => "A5C3 as a text of 0 and 1",
    }
}
