//! The proofs: for each part a harness that holds it and states its contract.

mod beats;
mod broken;
mod clocks;
mod codebooks;
mod engines;
mod events;
mod guard;
mod handshakes;
mod memories;
mod oaken_tables;
mod packets;
mod page_list;
mod power_up;
mod records;
mod registers;
mod routing;
mod slices;
mod tables;
mod words;

use hdl::{Design, Errors};

/// How a proof is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// ABC's property-directed reachability: for all cycles.
    Pdr,
    /// k-induction over so many cycles with yices: for all cycles.
    Induction(u32),
    /// ABC's bounded model checking: for so many cycles from a reset on, and not a word about later ones.
    Bounded(u32),
}

/// A part, in one size, with what is claimed about it.
pub struct Proof {
    /// What it is called on the command line.
    pub name: String,
    /// The part and its parameters.
    pub part: String,
    /// The harness.
    pub design: Design<()>,
    /// What proves it.
    pub engine: Engine,
    /// Cycles within which each cover is shown.
    pub cover_depth: u32,
}

/// Proofs that take more than half a minute of a core, and for how many cycles from a reset on the short run of all looks at each.
const SLOW: &[(&str, u32)] = &[
    ("codebook_cache", 14),
    ("events_2", 16),
    ("fifo_two_clocks_block_8", 20),
    ("fifo_two_clocks_lut_8", 20),
    ("vector_guard", 16),
];

impl Proof {
    /// The form of the short run: what takes long is not proved but looked at for some cycles from a reset on.
    #[must_use]
    pub fn short(self) -> Proof {
        let slow = SLOW.iter().find(|(name, _)| *name == self.name);
        let engine = slow.map_or(self.engine, |(_, cycles)| Engine::Bounded(*cycles));
        Proof { engine, ..self }
    }
}

/// All proofs that hold.
pub fn all() -> Result<Vec<Proof>, Errors> {
    let mut list = words::proofs()?;
    list.extend(beats::proofs()?);
    list.extend(handshakes::proofs()?);
    list.extend(routing::proofs()?);
    list.extend(packets::proofs()?);
    list.extend(guard::proofs()?);
    list.extend(records::proofs()?);
    list.extend(memories::proofs()?);
    list.extend(events::proofs()?);
    list.extend(slices::proofs()?);
    list.extend(tables::proofs()?);
    list.extend(page_list::proofs()?);
    list.extend(oaken_tables::proofs()?);
    list.extend(clocks::proofs()?);
    list.extend(codebooks::proofs()?);
    list.extend(registers::proofs()?);
    list.extend(power_up::proofs()?);
    list.extend(engines::proofs()?);
    Ok(list)
}

pub use memories::STAGES;

/// Proofs that must fail: they show that a broken property is found.
pub fn broken() -> Result<Vec<Proof>, Errors> {
    let mut list = broken::proofs()?;
    list.extend(records::broken()?);
    Ok(list)
}
