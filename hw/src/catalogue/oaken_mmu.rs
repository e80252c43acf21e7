//! The MMU of Oaken.

use super::block::Block;
use super::memory::{ADDRESS_BITS, DATA_BITS};
use super::parameter::{Legal, Mistake, Parameter, Preset, Values, any};
use crate::memory::axi::AxiParams;
use crate::oaken::mmu::params::MmuParams;
use crate::oaken::mmu::unit_axi::unit_axi;
use hdl::Design;
use std::any::type_name_of_val;

const fn number(name: &'static str, doc: &'static str, unit: &'static str, default: Option<i128>) -> Parameter {
    let default = match default {
        Some(value) => Some(Preset::Number(value)),
        None => None,
    };
    Parameter { name, doc, unit, default, legal: any(1, 64), why: "more nobody needs" }
}

pub(super) const MMU: [Parameter; 13] = [
    DATA_BITS,
    ADDRESS_BITS,
    Parameter {
        legal: Legal::OneOf(&[1024, 2048, 4096, 8192, 16384, 32768, 65536]),
        why: "a page has longer bursts than a slice, and its last one is half empty on average",
        ..number("page_bytes", "bytes of a page", "bytes", Some(4096))
    },
    Parameter {
        legal: any(4, 65536),
        why: "their chain lies in block RAM",
        ..number("pages", "pages that there are", "pages", None)
    },
    Parameter {
        why: "each has a flip-flop that says that it is open, and a multiplexer over all",
        ..number("requests", "requests that may be open", "requests", None)
    },
    Parameter {
        legal: any(1, 128),
        why: "Llama-3.1-405B has 126",
        ..number("layers", "layers of the model", "layers", None)
    },
    Parameter {
        why: "a record of the slice splitter has no more",
        ..number("heads", "heads of a layer's keys, and of its values", "heads", None)
    },
    Parameter {
        legal: Legal::Range { min: 64, max: 8192, multiple_of: 64 },
        why: "a slice is some whole chunks of 64",
        ..number("head_elements", "elements of a head", "elements", None)
    },
    Parameter {
        legal: any(3, 6),
        why: "the widths of the record format",
        ..number("key_bits", "bits of a dense code of keys", "bits", Some(4))
    },
    Parameter {
        legal: any(3, 6),
        why: "the widths of the record format",
        ..number("value_bits", "bits of a dense code of values", "bits", Some(4))
    },
    Parameter {
        legal: any(1, 65535),
        why: "the slice framer counts the slices of a history in 16 bits",
        ..number("tokens", "the most tokens of a request", "tokens", None)
    },
    Parameter {
        legal: any(1, 16),
        why: "a tag has a bit, and the slice framer takes no more than 16",
        ..number("tag_bits", "bits of the tags of commands", "bits", Some(8))
    },
    Parameter {
        legal: any(1, 16),
        why: "one is needed; 16 hide the latency of every memory that was tried",
        ..number("outstanding", "bursts that each of three engines may have under way", "bursts", Some(4))
    },
];

/// The parameters of an MMU.
pub fn oaken_mmu_params(v: &Values) -> MmuParams {
    let axi = AxiParams { data_bytes: v.number("data_bits") / 8, address_bits: v.number("address_bits"), id_bits: 0 };
    MmuParams {
        axi,
        page_bytes: v.number("page_bytes"),
        pages: v.number("pages"),
        requests: v.number("requests"),
        layers: v.number("layers"),
        heads: v.number("heads"),
        head_elements: v.number("head_elements"),
        key_bits: v.number("key_bits"),
        value_bits: v.number("value_bits"),
        tokens: v.number("tokens"),
        tag_bits: v.number("tag_bits"),
        outstanding: v.number("outstanding"),
    }
}

fn slices_fit(v: &Values) -> Result<(), Box<Mistake>> {
    mmu_mistake(oaken_mmu_params(v))
}

/// What of an MMU does not go together.
pub(super) fn mmu_mistake(p: MmuParams) -> Result<(), Box<Mistake>> {
    if p.longest_slice() > p.page_bytes {
        let what = format!("a slice of {} bytes is longer than a page of {}", p.longest_slice(), p.page_bytes);
        let why = "a slice takes one new page at most";
        return Err(Mistake::together(
            &["head_elements", "page_bytes"],
            what,
            "longer pages or shorter heads".into(),
            why,
        ));
    }
    if p.heads * p.head_elements > 8192 {
        let what =
            format!("heads = {} of {} elements are {} elements", p.heads, p.head_elements, p.heads * p.head_elements);
        let legal = "heads * head_elements of at most 8192";
        return Err(Mistake::together(
            &["heads", "head_elements"],
            what,
            legal.into(),
            "the record format has no longer vectors",
        ));
    }
    if p.pages < p.streams() {
        let what = format!("{} pages for {} heads", p.pages, p.heads);
        let why = "the first vector of a request takes a page for each of its streams";
        return Err(Mistake::together(&["pages", "heads"], what, "pages of at least 2 * heads".into(), why));
    }
    if p.axi.address_bits < p.offset_bits() + p.page_bits() {
        let what = format!("{} pages of {} bytes and addresses of {} bits", p.pages, p.page_bytes, p.axi.address_bits);
        let why = "every page has an address";
        return Err(Mistake::together(
            &["pages", "page_bytes", "address_bits"],
            what,
            "fewer pages, or longer addresses".into(),
            why,
        ));
    }
    Ok(())
}

pub(super) const OAKEN_MMU: Block = Block {
    name: "oaken_mmu",
    summary: "keeps the slices of Oaken records in pages, by head, and reads histories back",
    parameters: &MMU,
    check: slices_fit,
    latency: |_| {
        "16 cycles and that of the memory from a read to its first word; the part that the arbiter takes second begins behind a burst of the other"
            .into()
    },
    throughput: |_| "1 beat of the bus a cycle; an append in 2 cycles for each slice at best".into(),
    function: || type_name_of_val(&unit_axi),
    build: |name, v| unit_axi(name, oaken_mmu_params(v)).map(Design::erase),
};
