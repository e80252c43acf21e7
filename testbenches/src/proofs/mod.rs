//! The proofs: for each part a harness that holds it and states its contract.

mod beats;
mod broken;
mod bursts;
mod clocks;
mod codebooks;
mod controllers;
mod copies;
mod engines;
mod entries;
mod events;
mod gates;
mod guard;
mod h2m2_mmu;
mod h2m2_pipeline;
mod h2m2_requester;
mod h2m2_waits;
mod h2m2_write_wait;
mod handshakes;
mod memories;
mod oaken_answers;
mod oaken_tables;
mod packets;
mod page_list;
mod power_up;
mod proof;
mod records;
mod registers;
mod routing;
mod several_settings;
mod slices;
mod words;

pub use memories::STAGES;
pub use proof::{Engine, Proof};

use hdl::Errors;

/// All proofs that hold.
pub fn all() -> Result<Vec<Proof>, Errors> {
    let mut list = words::proofs()?;
    list.extend(beats::proofs()?);
    list.extend(handshakes::proofs()?);
    list.extend(routing::proofs()?);
    list.extend(packets::proofs()?);
    list.extend(guard::proofs()?);
    list.extend(gates::proofs()?);
    list.extend(controllers::proofs()?);
    list.extend(several_settings::proofs()?);
    list.extend(entries::proofs()?);
    list.extend(records::proofs()?);
    list.extend(memories::proofs()?);
    list.extend(events::proofs()?);
    list.extend(slices::proofs()?);
    list.extend(page_list::proofs()?);
    list.extend(oaken_tables::proofs()?);
    list.extend(oaken_answers::proofs()?);
    list.extend(h2m2_mmu::proofs()?);
    list.extend(h2m2_requester::proofs()?);
    list.extend(h2m2_write_wait::proofs()?);
    list.extend(h2m2_pipeline::proofs()?);
    list.extend(h2m2_waits::proofs()?);
    list.extend(bursts::proofs()?);
    list.extend(clocks::proofs()?);
    list.extend(codebooks::proofs()?);
    list.extend(registers::proofs()?);
    list.extend(power_up::proofs()?);
    list.extend(engines::proofs()?);
    Ok(list)
}

/// Proofs that must fail: they show that a broken property is found.
pub fn broken() -> Result<Vec<Proof>, Errors> {
    let mut list = broken::proofs()?;
    list.extend(records::broken()?);
    list.extend(controllers::broken()?);
    Ok(list)
}
