//! What moves pages between H2M2's two memories.

use super::block::Block;
use super::parameter::{Legal, Mistake, Parameter, Preset, Values, any};
use crate::h2m2::migration::migration;
use crate::h2m2::migration_params::MigrationParams;
use crate::h2m2::params::MOST_NUMBER_BITS;
use hdl::Design;
use std::any::type_name_of_val;

const MIGRATION: [Parameter; 4] = [
    Parameter {
        name: "virtual_bits",
        doc: "bits of a virtual address",
        unit: "bits",
        default: Some(Preset::Number(40)),
        legal: any(32, 48),
        why: "those of the MMU",
    },
    Parameter {
        name: "physical_bits",
        doc: "bits of a physical address of each memory",
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
        name: "data_bits",
        doc: "width of the buses to the pages",
        unit: "bits",
        default: Some(Preset::Number(64)),
        legal: Legal::OneOf(&[64, 128, 256, 512]),
        why: "those of the burst engines",
    },
];

/// The parameters of a migration engine.
pub fn migration_params(v: &Values) -> MigrationParams {
    MigrationParams {
        data_bytes: v.number("data_bits") / 8,
        virtual_bits: v.number("virtual_bits"),
        physical_bits: v.number("physical_bits"),
        page_bits: v.number("page_bits"),
    }
}

fn pages_are_counted(v: &Values) -> Result<(), Box<Mistake>> {
    let bits = migration_params(v).virtual_page_bits();
    if bits <= MOST_NUMBER_BITS {
        return Ok(());
    }
    let legal = format!("at most {MOST_NUMBER_BITS} bits more of an address than of a page");
    Err(Mistake::together(&["virtual_bits", "page_bits"], format!("2^{bits} pages"), legal, "the MMU counts no more"))
}

pub(super) const H2M2_MIGRATION: Block = Block {
    name: "h2m2_migration",
    summary: "moves pages between a fast and a large memory, and switches their entries in two page tables",
    parameters: &MIGRATION,
    check: pages_are_counted,
    latency: |_| {
        "a page takes as long as its bytes on the slower bus; four accesses to the page tables and three invalidations more".into()
    },
    throughput: |_| "1 beat a cycle, if a page is copied no sooner than its entries are marked and switched".into(),
    function: || type_name_of_val(&migration),
    build: |name, v| migration(name, migration_params(v)).map(Design::erase),
};
