//! What reads vector-quantized data.

use super::block::Block;
use super::memory::ADDRESS_BITS;
use super::parameter::{Legal, Mistake, Parameter, Preset, Values, any, nothing};
use crate::vq::banked_cache::{self, banked_cache};
use crate::vq::banked_types::BankedParams;
use crate::vq::cache_types::{CacheParams, MAX_CACHE_LANES, MAX_ENTRIES, MAX_VECTOR};
use crate::vq::codebook_cache::{self, codebook_cache};
use crate::vq::e8p::{LATENCY, MAX_LANES, e8p_decoder};
use crate::vq::index_unpacker::{UnpackerParams, index_unpacker};
use crate::vq::tiered_cache::{self, MAX_LOOKUPS, MAX_READS, MAX_REGISTERS, TieredParams, tiered_cache};
use hdl::Design;
use std::any::type_name_of_val;

pub(super) const E8P_DECODER: Block = Block {
    name: "vq_e8p_decoder",
    summary: "makes vectors of 8 numbers out of codes of QuiP#'s lattice",
    parameters: &[Parameter {
        name: "lanes",
        doc: "codes in a beat",
        unit: "codes",
        default: Some(Preset::Number(4)),
        legal: any(1, MAX_LANES as i128),
        why: "a beat has a code, and 32 fill a bus of 512 bits",
    }],
    check: nothing,
    latency: |_| format!("{LATENCY} cycles"),
    throughput: |v| format!("{} codes, {} numbers a cycle", v.number("lanes"), 8 * v.number("lanes")),
    function: || type_name_of_val(&e8p_decoder),
    build: |_, v| e8p_decoder(v.number("lanes") as usize).map(Design::erase),
};

/// The parameters of an index unpacker.
pub fn unpacker_params(v: &Values) -> UnpackerParams {
    UnpackerParams { bus_bytes: v.number("bus_bits") / 8, lanes: v.number("lanes"), index_bits: v.number("index_bits") }
}

/// The indices of a beat must fit in a word.
fn indices_fit(v: &Values) -> Result<(), Box<Mistake>> {
    let (lanes, index_bits, bus_bits) = (v.number("lanes"), v.number("index_bits"), v.number("bus_bits"));
    if lanes * index_bits <= bus_bits {
        return Ok(());
    }
    let names = ["bus_bits", "lanes", "index_bits"];
    let what = format!("a beat of {} bits is wider than a word", lanes * index_bits);
    Err(Mistake::together(
        &names,
        what,
        format!("lanes * index_bits up to {bus_bits}"),
        "the bus brings no more in a cycle",
    ))
}

pub(super) const INDEX_UNPACKER: Block = Block {
    name: "vq_index_unpacker",
    summary: "makes beats of indices, one for each lane, out of the words of a bus",
    parameters: &[
        Parameter {
            name: "bus_bits",
            doc: "bits of a word",
            unit: "bits",
            default: Some(Preset::Number(64)),
            legal: Legal::OneOf(&[32, 64, 128, 256, 512]),
            why: "those of the burst engines",
        },
        Parameter {
            name: "lanes",
            doc: "indices of a beat",
            unit: "indices",
            default: Some(Preset::Number(8)),
            legal: any(1, 512),
            why: "a beat has an index, and a word of 512 bits no more than 512",
        },
        Parameter {
            name: "index_bits",
            doc: "bits of an index",
            unit: "bits",
            default: Some(Preset::Number(8)),
            legal: any(1, 16),
            why: "a code of QuiP#'s lattice has 16",
        },
    ],
    check: indices_fit,
    latency: |v| format!("{} cycles from the word that completes a beat, or 1 more", unpacker_params(v).latency()),
    throughput: |v| format!("{} indices a cycle, row after row", v.number("lanes")),
    function: || type_name_of_val(&index_unpacker),
    build: |_, v| index_unpacker(unpacker_params(v)).map(Design::erase),
};

/// The parameters of a codebook cache.
pub fn cache_params(v: &Values) -> CacheParams {
    CacheParams { entries: v.number("entries"), lanes: v.number("lanes"), vector: v.number("vector") }
}

/// The parameters of a banked codebook cache.
pub fn banked_params(v: &Values) -> BankedParams {
    BankedParams { cache: cache_params(v), banks: v.number("banks") }
}

const ENTRIES: Parameter = Parameter {
    name: "entries",
    doc: "the most entries of a book",
    unit: "entries",
    default: Some(Preset::Number(256)),
    legal: any(2, MAX_ENTRIES as i128),
    why: "an index has 12 bits at most",
};

const VECTOR: Parameter = Parameter {
    name: "vector",
    doc: "numbers of an entry, in binary16",
    unit: "numbers",
    default: Some(Preset::Number(4)),
    legal: any(1, MAX_VECTOR as i128),
    why: "the format has no longer vectors",
};

const LANES: Parameter = Parameter {
    name: "lanes",
    doc: "indices of a beat",
    unit: "indices",
    default: Some(Preset::Number(8)),
    legal: any(1, MAX_CACHE_LANES as i128),
    why: "more are several caches",
};

pub(super) const CODEBOOK_CACHE: Block = Block {
    name: "vq_codebook_cache",
    summary: "looks up indices in a codebook while the next one is loaded; a copy of both for each lane",
    parameters: &[ENTRIES, VECTOR, LANES],
    check: nothing,
    latency: |_| format!("{} cycles", codebook_cache::LATENCY),
    throughput: |v| {
        let (lanes, numbers) = (v.number("lanes"), cache_params(v).piece_numbers());
        format!("{lanes} indices a cycle, from book to book; a load of {numbers} numbers a cycle")
    },
    function: || type_name_of_val(&codebook_cache),
    build: |_, v| codebook_cache(cache_params(v)).map(Design::erase),
};

/// A bank has two entries.
fn banks_have_entries(v: &Values) -> Result<(), Box<Mistake>> {
    let (entries, banks) = (v.number("entries"), v.number("banks"));
    if 2 * banks <= entries {
        return Ok(());
    }
    let what = format!("{banks} banks have {entries} entries together");
    let legal = format!("banks up to {}", entries / 2);
    Err(Mistake::together(&["entries", "banks"], what, legal, "a bank of one entry would be a register"))
}

pub(super) const BANKED_CACHE: Block = Block {
    name: "vq_banked_cache",
    summary: "looks up indices in the banks of one deep codebook; lanes that wait for a bank look up later ones first",
    parameters: &[
        Parameter { default: Some(Preset::Number(4096)), legal: any(4, MAX_ENTRIES as i128), ..ENTRIES },
        Parameter { default: Some(Preset::Number(8)), ..VECTOR },
        Parameter {
            default: Some(Preset::Number(4)),
            legal: Legal::OneOf(&[2, 4]),
            why: "a port of a bank serves a pair of lanes, and a bank has two",
            ..LANES
        },
        Parameter {
            name: "banks",
            doc: "banks that the entries are dealt out to",
            unit: "banks",
            default: Some(Preset::Number(4)),
            legal: Legal::OneOf(&[2, 4, 8, 16]),
            why: "the low bits of an index name its bank",
        },
    ],
    check: banks_have_entries,
    latency: |_| format!("{} cycles where no lane waits", banked_cache::LATENCY),
    throughput: |v| {
        let (lanes, numbers) = (v.number("lanes"), cache_params(v).piece_numbers());
        format!("up to {lanes} indices a cycle; a load of {numbers} numbers a cycle")
    },
    function: || type_name_of_val(&banked_cache),
    build: |_, v| banked_cache(banked_params(v)).map(Design::erase),
};

/// The parameters of a codebook cache with a memory tier.
pub fn tiered_params(v: &Values) -> TieredParams {
    let [registers, shared, outstanding, address_bits] =
        ["registers", "shared", "outstanding", "address_bits"].map(|name| v.number(name));
    TieredParams { cache: cache_params(v), registers, shared, outstanding, address_bits }
}

/// Each tier has entries that the one before does not have, and what memory gives has room.
fn tiers_fit(v: &Values) -> Result<(), Box<Mistake>> {
    let p = tiered_params(v);
    let (entries, most) = (p.cache.entries, MAX_READS / p.entry_words());
    let (names, what, legal, why) = match () {
        _ if p.shared >= entries => (
            ["entries", "shared"],
            format!("shared = {} of {entries} entries leaves none in memory", p.shared),
            format!("shared up to {}", entries - 1),
            "with all entries on the chip it is a codebook cache",
        ),
        _ if p.registers > p.shared => (
            ["registers", "shared"],
            format!("registers = {} of shared = {} entries", p.registers, p.shared),
            format!("registers up to {}", p.shared),
            "those in LUT RAM are the first of those on the chip",
        ),
        _ if p.outstanding > most => (
            ["vector", "outstanding"],
            format!("{} lookups of {} words each", p.outstanding, p.entry_words()),
            format!("outstanding up to {most}"),
            "each word has one of 64 places before it is asked for",
        ),
        _ if !p.book_has_addresses() => {
            let what = format!("address_bits = {} for {entries} entries of {} numbers", p.address_bits, p.cache.vector);
            let legal = format!("address_bits from {}", p.least_address_bits());
            let names = ["entries", "vector", "address_bits"];
            return Err(Mistake::together(&names, what, legal, "a whole book lies in memory"));
        }
        _ => return Ok(()),
    };
    Err(Mistake::together(&names, what, legal, why))
}

pub(super) const TIERED_CACHE: Block = Block {
    name: "vq_tiered_cache",
    summary: "looks up indices in a codebook of which the first entries are on the chip and the others are read from memory",
    parameters: &[
        ENTRIES,
        Parameter {
            legal: Legal::OneOf(&[1, 2, 4, 8, 16]),
            why: "a word of memory has whole entries, or an entry whole words",
            ..VECTOR
        },
        LANES,
        Parameter {
            name: "registers",
            doc: "how many of the first entries are in LUT RAM",
            unit: "entries",
            default: Some(Preset::Number(0)),
            legal: any(0, MAX_REGISTERS as i128),
            why: "more are cheaper in block RAM",
        },
        Parameter {
            name: "shared",
            doc: "how many of the first entries are on the chip, those in LUT RAM among them; the others are read from memory",
            unit: "entries",
            default: Some(Preset::Number(128)),
            legal: any(0, MAX_ENTRIES as i128 - 1),
            why: "some are in memory, or it is a codebook cache",
        },
        Parameter {
            name: "outstanding",
            doc: "lookups that may be in memory at once",
            unit: "lookups",
            default: Some(Preset::Number(16)),
            legal: any(1, MAX_LOOKUPS as i128),
            why: "each word has one of 64 places before it is asked for",
        },
        ADDRESS_BITS,
    ],
    check: tiers_fit,
    latency: |_| format!("{} cycles, if no entry of the beat is in memory", tiered_cache::LATENCY),
    throughput: |v| {
        let p = tiered_params(v);
        format!(
            "up to {} indices a cycle, from book to book; {} a lookup in memory; a load of {} numbers a cycle",
            p.cache.lanes,
            if p.entry_words() == 1 { "a cycle".to_string() } else { format!("{} cycles", p.entry_words()) },
            p.cache.piece_numbers()
        )
    },
    function: || type_name_of_val(&tiered_cache),
    build: |_, v| tiered_cache(tiered_params(v)).map(Design::erase),
};
