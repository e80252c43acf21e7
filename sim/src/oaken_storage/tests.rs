use super::*;

/// The page has this table.
fn has(page: &str, table: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs").join(page);
    assert!(std::fs::read_to_string(path).unwrap().contains(table), "docs/{page} should have\n{table}");
}

#[test]
fn the_format_page_has_the_bits_of_slices() {
    has("oaken-format.md", &slices::table().unwrap());
}

#[test]
fn the_format_page_has_heads_beside_slices() {
    has("oaken-format.md", &heads::table().unwrap());
}

#[test]
fn the_page_of_the_mmu_has_its_tables() {
    has("blocks/oaken_mmu.md", &pages::tables());
}

#[test]
fn the_page_of_the_mmu_has_what_is_lost() {
    has("blocks/oaken_mmu.md", &pages::partly_filled());
}

#[test]
fn the_page_of_the_cache_has_what_fits() {
    has("blocks/oaken_cache.md", &pages::board());
}
