//! The registers in which an Oaken cache says what it is, what went wrong and what it has done.

use super::params::CacheParams;
use crate::control::{RegisterMap, Ro, Sticky};
use crate::oaken::settings::Lengths;
use crate::oaken::{dequantizer_axi, quantizer_axi};
use crate::soc::oaken_system::{DEQUANTIZER, QUANTIZER};
use crate::soc::system_registers::{ERRORS, identity};

/// The registers, and the handles of what hardware sets.
pub(super) struct CacheMap {
    pub map: RegisterMap,
    /// In the order of [`ERRORS`] and [`OWN_ERRORS`].
    pub errors: Vec<Sticky>,
    pub free: Ro,
    /// In the order of [`COUNTERS`].
    pub counters: Vec<Ro>,
}

/// What goes wrong behind the line.
pub(super) const OWN_ERRORS: [(&str, &str); 2] = [
    ("command", "a command was not understood, or named what is not there, or its vector was missing"),
    ("history", "a history that was read ended early, or held a count that no chunk has"),
];

/// What is counted, since reset and modulo 2^32.
pub(super) const COUNTERS: [(&str, &str, &str); 6] = [
    ("cycles", "cycles", "cycles"),
    ("frames", "frames that were taken", "frames"),
    ("dropped", "frames that were dropped", "frames"),
    ("repeated", "requests that came again", "requests"),
    ("appended", "vectors that were appended", "vectors"),
    ("given", "vectors that were read", "vectors"),
];

/// The registers of an Oaken cache.
pub(super) fn cache_map(p: CacheParams) -> CacheMap {
    let mut map = RegisterMap::new("oaken_cache", "Identity, errors and counters of an Oaken cache.");
    identity(&mut map, *b"KVFC", &told(p));
    let mmu = p.mmu;
    let constants = [
        ("lanes", p.lanes, "elements of the engines in a cycle"),
        ("requests", mmu.requests, "requests that may be open"),
        ("layers", mmu.layers, "layers of the model"),
        ("heads", mmu.heads, "heads of a layer's keys, and of its values"),
        ("head_elements", mmu.head_elements, "elements of a head"),
        ("tokens", mmu.tokens, "the most tokens of a request"),
        ("settings", 1 << mmu.tag_bits, "settings that each engine holds"),
        ("dense_bits", mmu.key_bits, "bits of a code in the dense part"),
        ("pages", mmu.pages, "pages that there are"),
        ("page_bytes", mmu.page_bytes, "bytes of a page"),
        ("clock", p.clock_hertz, "frequency of the clock"),
        ("clocks_per_bit", p.clocks_per_bit, "cycles in a bit of the line"),
    ];
    for (name, value, doc) in constants {
        map.constant(name, 32, value, doc);
    }
    map.rw("scratch", 32, 0, "holds what is written, and does nothing");
    let mut errors = map.register("errors", "what went wrong; write 1 to clear");
    let errors = ERRORS.iter().chain(&OWN_ERRORS).map(|(name, doc)| errors.sticky(name, doc)).collect();
    let free = map.ro("free", 32, "free pages");
    let counters = COUNTERS.map(|(name, doc, units)| {
        let counter = map.ro(name, 32, doc);
        map.units(counter, units);
        counter
    });
    CacheMap { map, errors, free, counters: counters.to_vec() }
}

/// The registers of an Oaken cache with these parameters: its own, the quantizer's and the dequantizer's, each with where it begins on
/// the link. Their names begin with `name`.
pub fn windows(name: &str, p: CacheParams) -> [(u32, RegisterMap); 3] {
    let mut own = cache_map(p).map;
    own.name = name.into();
    let quantizer = quantizer_axi::registers_of(&format!("{name}_quantizer"), p.quantizer(), Lengths::Longest);
    let dequantizer = dequantizer_axi::registers_of(&format!("{name}_dequantizer"), p.dequantizer(), Lengths::Longest);
    [(0, own), (QUANTIZER, quantizer), (DEQUANTIZER, dequantizer)]
}

/// The parameters as text.
fn told(p: CacheParams) -> String {
    format!(
        "{} lanes = {} clock_hertz = {} clocks_per_bit = {}",
        p.mmu.name("cache"),
        p.lanes,
        p.clock_hertz,
        p.clocks_per_bit
    )
}
