//! Address translation of H2M2.

use super::block::Block;
use super::parameter::{Legal, Mistake, Parameter, Preset, Values, any};
use crate::h2m2::mmu_axi::mmu_axi;
use crate::h2m2::params::{MOST_NUMBER_BITS, MmuParams, Replacement};
use hdl::Design;
use std::any::type_name_of_val;

const MMU: [Parameter; 12] = [
    Parameter {
        name: "virtual_bits",
        doc: "bits of a virtual address",
        unit: "bits",
        default: Some(Preset::Number(40)),
        legal: any(32, 48),
        why: "4 GiB to 256 TiB",
    },
    Parameter {
        name: "physical_bits",
        doc: "bits of a physical address",
        unit: "bits",
        default: Some(Preset::Number(40)),
        legal: any(32, 48),
        why: "an entry of the table has 48 bits of an address",
    },
    Parameter {
        name: "page_bits",
        doc: "a page has 2 to the power of this bytes",
        unit: "bits",
        default: Some(Preset::Number(21)),
        legal: any(12, 30),
        why: "pages of 4 KiB to 1 GiB",
    },
    Parameter {
        name: "entries",
        doc: "entries of the TLB",
        unit: "entries",
        default: Some(Preset::Number(2048)),
        legal: Legal::OneOf(&[64, 128, 256, 512, 1024, 2048, 4096]),
        why: "these are tested",
    },
    Parameter {
        name: "ways",
        doc: "entries of a set",
        unit: "entries",
        default: Some(Preset::Number(4)),
        legal: Legal::OneOf(&[1, 2, 4, 8]),
        why: "each is a memory of its own",
    },
    Parameter {
        name: "replacement",
        doc: "which entry of a set a new one replaces",
        unit: "",
        default: Some(Preset::Name("fifo")),
        legal: Legal::Choice(&["fifo", "random", "plru"]),
        why: "these are there",
    },
    Parameter {
        name: "requesters",
        doc: "streams of requests",
        unit: "requesters",
        default: Some(Preset::Number(4)),
        legal: any(1, 8),
        why: "they share one translation a cycle",
    },
    Parameter {
        name: "walks",
        doc: "reads of the page table that may be under way",
        unit: "walks",
        default: Some(Preset::Number(8)),
        legal: any(1, 16),
        why: "one is needed; 16 hide the latency of every memory that was tried",
    },
    Parameter {
        name: "tag_bits",
        doc: "bits of a request's tag, which comes back with its answer",
        unit: "bits",
        default: Some(Preset::Number(8)),
        legal: any(1, 32),
        why: "a tag has a bit, and more nobody needs",
    },
    Parameter {
        name: "data_bits",
        doc: "width of the bus to the page table",
        unit: "bits",
        default: Some(Preset::Number(64)),
        legal: Legal::OneOf(&[64, 128, 256, 512]),
        why: "an entry is read in one beat",
    },
    Parameter {
        name: "prefetch",
        doc: "the page behind one that is walked is walked, too, if nothing else is to be done",
        unit: "",
        default: Some(Preset::Flag(false)),
        legal: Legal::Flag,
        why: "it is there or not",
    },
    Parameter {
        name: "writes_wait",
        doc: "a write to a page on the move waits until the move is over; without it, such a write is a fault",
        unit: "",
        default: Some(Preset::Flag(false)),
        legal: Legal::Flag,
        why: "it waits or not",
    },
];

/// The parameters of an MMU.
pub fn mmu_params(v: &Values) -> MmuParams {
    let replacement = match v.choice("replacement") {
        "random" => Replacement::Random,
        "plru" => Replacement::TreePlru,
        _ => Replacement::Fifo,
    };
    MmuParams {
        virtual_bits: v.number("virtual_bits"),
        physical_bits: v.number("physical_bits"),
        page_bits: v.number("page_bits"),
        entries: v.number("entries"),
        ways: v.number("ways"),
        requesters: v.number("requesters"),
        walks: v.number("walks"),
        tag_bits: v.number("tag_bits"),
        data_bytes: v.number("data_bits") / 8,
        replacement,
        prefetch: v.flag("prefetch"),
        writes_wait: v.flag("writes_wait"),
    }
}

fn sets_fit(v: &Values) -> Result<(), Box<Mistake>> {
    let p = mmu_params(v);
    if p.number_bits() > MOST_NUMBER_BITS {
        let legal = format!("at most {MOST_NUMBER_BITS} bits more of an address than of a page");
        let why = "the registers count pages in 32 bits, and the table of 2^31 pages has 16 GiB already";
        return Err(Mistake::together(&["virtual_bits", "page_bits"], p.pages_and_table(), legal, why));
    }
    if p.set_bits() < p.number_bits() {
        return Ok(());
    }
    let what = format!("{} sets for 2^{} pages", p.sets(), p.number_bits());
    let legal = "at most half as many sets as there are pages".to_string();
    let why = "a TLB that has room for every page needs no tags";
    Err(Mistake::together(&["entries", "ways", "virtual_bits", "page_bits"], what, legal, why))
}

pub(super) const H2M2_MMU: Block = Block {
    name: "h2m2_mmu",
    summary: "translates addresses of several requesters by a flat page table, with a TLB",
    parameters: &MMU,
    check: sets_fit,
    latency: |v| {
        let more = u32::from(v.flag("writes_wait"));
        let (hit, miss) = (5 + more, 17 + more);
        format!("{hit} cycles from a request to its answer, if it hits; a miss {miss} and that of the memory")
    },
    throughput: |_| "1 translation a cycle, all requesters together".into(),
    function: || type_name_of_val(&mmu_axi),
    build: |name, v| mmu_axi(name, mmu_params(v)).map(Design::erase),
};
