//! A key-value cache of Oaken behind a serial line.

use super::block::Block;
use super::oaken_engines::ENGINE;
use super::oaken_mmu::{MMU, mmu_mistake};
use super::parameter::{Legal, Mistake, Parameter, Preset, Values};
use super::sdram::{SHAPE as CHIP, chip_keeps_up};
use super::soc::{CLOCK_HERTZ, CLOCKS_PER_BIT, LEDS, LEDS_LOW, OSCILLATOR_HERTZ, WIFI_GPIO0, clock_is_made};
use crate::memory::axi::AxiParams;
use crate::memory::sdram::{SdramParams, SdramTimes};
use crate::oaken::mmu::params::MmuParams;
use crate::soc::cache_board::{CacheBoardParams, READ_DELAY, cache_board};
use crate::soc::cache_with_sdram::CacheWithSdramParams;
use crate::soc::oaken_cache::oaken_cache;
use crate::soc::oaken_cache::params::CacheParams;
use crate::soc::pll::Pll;
use hdl::Design;
use std::any::type_name_of_val;

const SETTINGS: Parameter = Parameter {
    doc: "thresholds that each engine holds; a command names those of its vectors",
    default: Some(Preset::Number(64)),
    legal: Legal::OneOf(&[2, 4, 8, 16, 32, 64]),
    why: "keys and values have thresholds of their own, and the keys and values of 32 layers have room",
    ..ENGINE[3]
};

const LANES: Parameter = Parameter { default: Some(Preset::Number(4)), ..ENGINE[0] };

const CACHE: [Parameter; 15] = [
    LANES,
    ENGINE[2],
    SETTINGS,
    Parameter { legal: Legal::OneOf(&[64, 128, 256, 512]), why: "the header of a slice fits in a beat", ..MMU[0] },
    MMU[1],
    MMU[2],
    MMU[3],
    MMU[4],
    MMU[5],
    MMU[6],
    MMU[7],
    MMU[10],
    MMU[12],
    CLOCK_HERTZ,
    CLOCKS_PER_BIT,
];

/// The parameters of an Oaken cache.
pub fn oaken_cache_params(v: &Values) -> CacheParams {
    let axi = AxiParams { data_bytes: v.number("data_bits") / 8, address_bits: v.number("address_bits"), id_bits: 0 };
    on(v, axi, v.number("pages"))
}

/// The parameters of a cache with this bus and so many pages.
fn on(v: &Values, axi: AxiParams, pages: u32) -> CacheParams {
    let dense_bits = v.number("dense_bits");
    let mmu = MmuParams {
        axi,
        page_bytes: v.number("page_bytes"),
        pages,
        requests: v.number("requests"),
        layers: v.number("layers"),
        heads: v.number("heads"),
        head_elements: v.number("head_elements"),
        key_bits: dense_bits,
        value_bits: dense_bits,
        tokens: v.number("tokens"),
        tag_bits: v.number("settings").ilog2(),
        outstanding: v.number("outstanding"),
    };
    CacheParams {
        lanes: v.number("lanes"),
        mmu,
        clock_hertz: v.number("clock_hertz"),
        clocks_per_bit: v.number("clocks_per_bit"),
    }
}

fn fits(v: &Values) -> Result<(), Box<Mistake>> {
    mmu_mistake(oaken_cache_params(v).mmu)
}

pub(super) const OAKEN_CACHE: Block = Block {
    name: "oaken_cache",
    summary: "a key-value cache behind a serial line: quantizes what the host appends, keeps it in pages, and reads it back",
    parameters: &CACHE,
    check: fits,
    latency: |_| "that of the line and of the memory".into(),
    throughput: |v| format!("that of the line; the engines take {} elements a cycle", v.number("lanes")),
    function: || type_name_of_val(&oaken_cache),
    build: |name, v| oaken_cache(name, oaken_cache_params(v)).map(Design::erase),
};

const BOARD: [Parameter; 22] = [
    LANES,
    ENGINE[2],
    SETTINGS,
    MMU[2],
    MMU[4],
    MMU[5],
    MMU[6],
    MMU[7],
    MMU[10],
    MMU[12],
    Parameter { legal: CHIP[0].legal, why: CHIP[0].why, ..CLOCK_HERTZ },
    CLOCKS_PER_BIT,
    OSCILLATOR_HERTZ,
    LEDS,
    LEDS_LOW,
    WIFI_GPIO0,
    CHIP[1],
    CHIP[2],
    CHIP[3],
    CHIP[4],
    CHIP[6],
    Parameter {
        name: "selects",
        doc: "whether the chip's pins CKE and CS# are connected",
        unit: "",
        default: Some(Preset::Flag(true)),
        legal: Legal::Flag,
        why: "they are, or on the board they are tied",
    },
];

/// The parameters of a board top with a cache. The pages are all of the chip, as far as there can be so many.
pub fn cache_board_params(v: &Values) -> CacheBoardParams {
    let times = SdramTimes::SLOWEST;
    let sdram = SdramParams {
        clock_hertz: v.number("clock_hertz"),
        data_bits: v.number("data_bits"),
        row_bits: v.number("row_bits"),
        column_bits: v.number("column_bits"),
        bank_bits: v.number("bank_bits"),
        // slices begin and end at any byte
        mask: true,
        cas_latency: v.number("cas_latency"),
        read_delay: READ_DELAY,
        read_id_bits: 1,
        write_id_bits: 0,
        times,
    };
    let pages = (1u64 << sdram.address_bits()) / u64::from(v.number("page_bytes"));
    let axi = AxiParams { id_bits: 0, ..sdram.axi()[0] };
    CacheBoardParams {
        system: CacheWithSdramParams { cache: on(v, axi, pages.min(1 << 16) as u32), sdram },
        selects: v.flag("selects"),
        oscillator_hertz: v.number("oscillator_hertz"),
        leds: v.number("leds"),
        leds_low: v.flag("leds_low"),
        wifi_gpio0: v.flag("wifi_gpio0"),
    }
}

fn board_fits(v: &Values) -> Result<(), Box<Mistake>> {
    let p = cache_board_params(v);
    let CacheWithSdramParams { cache, sdram } = p.system;
    clock_is_made(Pll::Ehxplll, p.oscillator_hertz, cache.clock_hertz, &["oscillator_hertz", "clock_hertz"])?;
    chip_keeps_up(sdram)?;
    let (pages, least) = (cache.mmu.pages, 2 * cache.mmu.heads);
    if pages < least {
        let what = format!("a chip of {pages} pages for {} heads", cache.mmu.heads);
        let legal = format!("a chip of at least {least} pages, shorter pages, or fewer heads");
        let together = ["row_bits", "column_bits", "bank_bits", "page_bytes", "heads"];
        return Err(Mistake::together(&together, what, legal, "the keys and values of a head have pages of their own"));
    }
    mmu_mistake(cache.mmu)
}

pub(super) const OAKEN_CACHE_BOARD: Block = Block {
    name: "oaken_cache_board",
    summary: "the top of a board with an ECP5: an Oaken cache whose pages lie in the board's SDRAM",
    parameters: &BOARD,
    check: board_fits,
    latency: |_| "that of the line".into(),
    throughput: |v| format!("that of the line; the engines take {} elements a cycle", v.number("lanes")),
    function: || type_name_of_val(&cache_board),
    build: |name, v| cache_board(name, cache_board_params(v)).map(Design::erase),
};
