//! Frames on a line (docs/link.md): their lengths, the bytes of their contents, and the step that brings a byte to their check.

use crate::stream::crc32::crc32_step;
use hdl::*;

/// Bytes of the shortest content.
pub const MIN_CONTENT: u32 = 3;
/// Bytes of the longest content.
pub const MAX_CONTENT: u32 = 243;
/// Bytes of the check behind the content.
pub(super) const CHECK_BYTES: u32 = 4;
/// What the register of the check is in front of the first byte.
const CHECK_START: u32 = 0xffff_ffff;

/// A byte of a content, or of a packet.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct ContentByte {
    /// The byte.
    pub byte: Signal,
    /// It is the last one.
    pub last: Signal,
}

/// The shape of a byte of a content.
pub fn content_byte() -> ContentByte {
    ContentByte { byte: bits(8), last: bits(1) }
}

/// The register of the check: `takes` brings a byte to it, `starts` makes it ready for the next frame.
#[module]
pub(super) fn check_register(m: Module, byte: Signal, takes: Signal, starts: Signal) -> Result<Signal, Errors> {
    let check = m.reg_reset(bits(32), CHECK_START).comment("register of the CRC-32");
    let step = m.instance(&crc32_step(8)?);
    step.crc.set(check);
    step.data.set(byte);
    m.when(takes, || check.set(step.next));
    m.when(starts, || check.set(CHECK_START));
    Ok(check)
}
