//! Frames on a line (docs/link.md): their lengths, and the step that brings a byte to their check.

use crate::stream::crc32::crc32_step;
use hdl::{Errors, Module, Signal, bits};

/// Bytes of the shortest content.
pub const MIN_CONTENT: u32 = 3;
/// Bytes of the longest content.
pub const MAX_CONTENT: u32 = 243;
/// Bytes of the check behind the content.
pub(super) const CHECK_BYTES: u32 = 4;
/// Bytes that are held: two of the longest frames, with what COBS adds. A block RAM of an ECP5 has no less.
pub(super) const HELD: usize = 512;
/// What the register of the check is in front of the first byte.
pub(super) const CHECK_START: u32 = 0xffff_ffff;
/// What the register of the check is behind a body whose check is right.
pub(super) const CHECK_RIGHT: u32 = 0xdebb_20e3;

/// The register of the check, and what it is behind `byte`.
pub(super) fn check_register(m: Module, byte: Signal) -> Result<(Signal, Signal), Errors> {
    let register = m.reg(bits(32)).named("check").comment("register of the CRC-32");
    let step = m.instance(&crc32_step(8)?);
    step.crc.set(register);
    step.data.set(byte);
    Ok((register, step.next))
}
