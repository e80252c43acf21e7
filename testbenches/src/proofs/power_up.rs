//! Any power-up: two copies of a part whose registers and memories begin with whatever they like, reset once, with the same inputs.
//! Handshakes and statuses are the same ever after, and payloads while they are valid: so nothing of what was there before the
//! reset is left, and nothing that it was can make the part hang.

mod books;
mod engine_parts;
mod h2m2;
mod memory;
mod pages;
mod parts;
mod slices;
mod soc;
mod streams;

use super::Proof;
use hdl::Errors;

/// The proofs: parts that behave the same after a reset, whatever they powered up with.
pub fn proofs() -> Result<Vec<Proof>, Errors> {
    let mut list = parts::proofs()?;
    list.extend(streams::proofs()?);
    list.extend(engine_parts::proofs()?);
    list.extend(slices::proofs()?);
    list.extend(pages::proofs()?);
    list.extend(memory::proofs()?);
    list.extend(soc::proofs()?);
    list.extend(h2m2::proofs()?);
    list.extend(books::proofs()?);
    Ok(list)
}
