//! The registers in which a system says what it is, what went wrong and what it has done, and is told which path it has.

use super::system_params::{Engines, SystemParams};
use crate::control::{RegisterMap, Ro, Rw, Sticky};
use crate::oaken::types::PAPER_BITS;

/// The registers, and the handles of what hardware sets.
pub(super) struct SystemMap {
    pub map: RegisterMap,
    /// Records go to the host, and records come from it: with both engines a choice.
    pub path: Option<[Rw; 2]>,
    /// The next packet of records that the dequantizer's side takes is a dense part.
    pub dense_next: Ro,
    /// In the order of [`ERRORS`].
    pub errors: Vec<Sticky>,
    /// In the order of [`COUNTERS`].
    pub counters: Vec<Ro>,
}

/// What goes wrong on a line.
pub(super) const ERRORS: [(&str, &str); 6] = [
    ("damaged", "a frame was dropped: blocks, check or length were wrong"),
    ("too_long", "a frame was dropped: it was longer than any may be"),
    ("no_room", "a frame was dropped: those before were not taken yet"),
    ("refused", "a request was refused: its number was not the next one, or the link was closed"),
    ("framing", "a byte of the line was dropped: its stop bit was 0"),
    ("overrun", "a byte of the line was dropped: the one before was not taken"),
];

/// What is counted, since reset and modulo 2^32.
pub(super) const COUNTERS: [(&str, &str, &str); 10] = [
    ("cycles", "cycles", "cycles"),
    ("frames", "frames that were taken", "frames"),
    ("dropped", "frames that were dropped", "frames"),
    ("repeated", "requests that came again", "requests"),
    ("taken", "beats of elements that the quantizer took", "beats"),
    ("busy", "cycles in which it took a beat, or was in the midst of a vector", "cycles"),
    ("starved", "cycles in the midst of a vector in which no beat was there", "cycles"),
    ("stalled", "cycles in which a beat was there, and it did not take it", "cycles"),
    ("given", "beats of elements that left the dequantizer", "beats"),
    ("waited", "cycles in which one could have left, and was not taken", "cycles"),
];

/// The way through a system, as the register `path` has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Path {
    /// Vectors through both engines.
    ThereAndBack = 0,
    /// Vectors in, records out.
    Quantize = 1,
    /// Records in, vectors out.
    Dequantize = 2,
}

impl Path {
    /// All of them.
    pub const ALL: [Path; 3] = [Path::ThereAndBack, Path::Quantize, Path::Dequantize];
    /// The bits of `path` that say which.
    pub const MASK: u32 = 3;
    /// The bit of `path` that is 1 where the next packet of records is the dense part of one that was begun.
    pub const DENSE_NEXT: u32 = 4;

    /// Does a system with these engines have it?
    pub fn is_in(self, engines: Engines) -> bool {
        match self {
            Path::ThereAndBack => engines == Engines::Both,
            Path::Quantize => engines.quantizes(),
            Path::Dequantize => engines.dequantizes(),
        }
    }
}

/// The registers of a system.
pub(super) fn system_map(p: SystemParams) -> SystemMap {
    let mut map = RegisterMap::new("oaken_system", "Identity, errors and counters of a system.");
    identity(&mut map, *b"KVFO", &told(p));
    let mut parameters = map.register("parameters", "what the engines were generated with");
    parameters.constant("lanes", 7, p.engine.lanes, "elements a cycle");
    parameters.reserved(1);
    let width = p.engine.dense_bits ^ PAPER_BITS;
    parameters.constant("dense_bits_xor_4", 3, width, "bits of a code in the dense part, xor 4");
    parameters.reserved(5);
    parameters.constant("max_length", 14, p.engine.max_length, "the longest vector, in elements");
    parameters.constant("quantizer", 1, u32::from(p.engines.quantizes()), "the quantizer is there");
    parameters.constant("dequantizer", 1, u32::from(p.engines.dequantizes()), "the dequantizer is there");
    map.constant("clock", 32, p.clock_hertz, "frequency of the clock");
    map.constant("clocks_per_bit", 32, p.clocks_per_bit, "cycles in a bit of the line");
    map.constant("record_bytes", 32, p.record_bytes(), "bytes of the record memory; 0 with one engine");
    map.rw("scratch", 32, 0, "holds what is written, and does nothing");
    let (path, dense_next) = path(&mut map, p.engines);
    let mut errors = map.register("errors", "what went wrong; write 1 to clear");
    let errors = ERRORS.map(|(name, doc)| errors.sticky(name, doc)).to_vec();
    let counters = COUNTERS.map(|(name, doc, units)| {
        let counter = map.ro(name, 32, doc);
        map.units(counter, units);
        counter
    });
    SystemMap { map, path, dense_next, errors, counters: counters.to_vec() }
}

/// Which way what is put goes. With one engine there is one way, and nothing that could be written.
fn path(map: &mut RegisterMap, engines: Engines) -> (Option<[Rw; 2]>, Ro) {
    let mut path =
        map.register("path", "which engines what is put goes through: 0 both, 1 the quantizer, 2 the dequantizer");
    let out = "records go to the host, and none to the dequantizer";
    let into = "what the host puts are records, for the dequantizer";
    let choice = match engines {
        Engines::Both => Some([path.rw("records_out", 1, 0, out), path.rw("records_in", 1, 0, into)]),
        one => {
            path.constant("records_out", 1, u32::from(one.quantizes()), out);
            path.constant("records_in", 1, u32::from(one.dequantizes()), into);
            None
        }
    };
    (
        choice,
        path.ro(
            "dense_next",
            1,
            "the next packet of records for the dequantizer is the dense part of one that was begun",
        ),
    )
}

/// The registers of a system with these parameters.
pub fn registers(p: SystemParams) -> RegisterMap {
    system_map(p).map
}

/// The version of this crate.
const VERSION: [u32; 3] = [
    number(env!("CARGO_PKG_VERSION_MAJOR")),
    number(env!("CARGO_PKG_VERSION_MINOR")),
    number(env!("CARGO_PKG_VERSION_PATCH")),
];

const fn number(text: &str) -> u32 {
    let (digits, mut value, mut i) = (text.as_bytes(), 0, 0);
    while i < digits.len() {
        value = 10 * value + (digits[i] - b'0') as u32;
        i += 1;
    }
    value
}

/// The registers that every system begins with: who it is, of which version, and a hash of its `parameters` as text.
pub(super) fn identity(map: &mut RegisterMap, id: [u8; 4], parameters: &str) {
    map.constant("id", 32, u32::from_be_bytes(id), "identification: four letters");
    let mut version = map.register("version", "version of kvforge that the system is of");
    let [major, minor, patch] = VERSION;
    version.constant("patch", 8, patch, "third number");
    version.constant("minor", 8, minor, "second number");
    version.constant("major", 8, major, "first number");
    map.constant("configuration", 32, crc_32(parameters), "equal where all parameters are");
}

/// The parameters as text, a line each.
fn told(p: SystemParams) -> String {
    let e = p.engine;
    format!(
        "lanes = {}\nmax_length = {}\ndense_bits = {}\nclock_hertz = {}\nclocks_per_bit = {}\nrecords = {}\nengines = {}\n",
        e.lanes,
        e.max_length,
        e.dense_bits,
        p.clock_hertz,
        p.clocks_per_bit,
        p.records,
        p.engines.name()
    )
}

fn crc_32(text: &str) -> u32 {
    let bit = |crc: u32, _| (crc >> 1) ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 };
    !text.bytes().fold(!0, |crc: u32, byte| (0..8).fold(crc ^ u32::from(byte), bit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oaken::EngineParams;

    #[test]
    fn the_bits_of_path_are_where_the_hardware_has_them() {
        let engine = EngineParams { lanes: 1, max_length: 64, dense_bits: 4, settings: 1 };
        for engines in [Engines::Both, Engines::Quantizer, Engines::Dequantizer] {
            let map =
                registers(SystemParams { engine, engines, clock_hertz: 1_000_000, clocks_per_bit: 16, records: 2 });
            let path = map.registers.iter().find(|register| register.name == "path").expect("there");
            let bit = |name: &str| 1 << path.fields.iter().find(|field| field.name == name).expect("there").lsb;
            let (out, into) = (bit("records_out"), bit("records_in"));
            assert_eq!((Path::Quantize as u32, Path::Dequantize as u32), (out, into));
            assert_eq!((Path::MASK, Path::DENSE_NEXT), (out | into, bit("dense_next")));
            let at_reset = Path::ALL[engines as usize];
            assert!(path.reset() == at_reset as u32 && at_reset.is_in(engines));
        }
    }
}
