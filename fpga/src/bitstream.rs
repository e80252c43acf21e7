//! What a bitstream says of itself, and whether it is whole and for a device: a file for each family's format.

mod ecp5;
mod error;
mod gowin;
mod ice40;
mod reader;

pub use error::{BitstreamError, Place};

use crate::device::{Device, Family};

/// Is this a whole bitstream for this device? Gives what it says of itself, for people.
///
/// # Errors
/// Whatever is not as it has to be, with its place, and that it is for another device or another package.
pub fn check(bytes: &[u8], device: &Device) -> Result<String, BitstreamError> {
    let checked = match device.family {
        Family::Ecp5 => ecp5::check(bytes, device),
        Family::Ice40 => ice40::check(bytes, device),
        Family::Gowin => gowin::check(bytes, device),
    };
    checked.map_err(|error| match error {
        BitstreamError::NoPreamble { family, .. } => BitstreamError::NoPreamble { family, is: whose(bytes, family) },
        other => other,
    })
}

/// The other family whose preamble there is.
fn whose(bytes: &[u8], family: Family) -> Option<Family> {
    let others = [Family::Ecp5, Family::Ice40, Family::Gowin].into_iter().filter(|other| *other != family);
    others.into_iter().find(|other| match other {
        Family::Ecp5 => ecp5::begin(bytes).is_some(),
        Family::Ice40 => ice40::begin(bytes).is_some(),
        Family::Gowin => gowin::is_one(bytes),
    })
}

#[cfg(test)]
pub(crate) mod tests {
    pub use super::ecp5::tests::{OF_25F, bitstream as of_ecp5};
    pub use super::gowin::tests::{OF_9C, bitstream as of_gowin};
    pub use super::ice40::tests::bitstream as of_ice40;
}
