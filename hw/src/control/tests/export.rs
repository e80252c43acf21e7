//! What is made from a description, and what a description must not be.

use super::*;
use std::path::Path;

/// Compares with the file of that name in `golden/`; `KVFORGE_BLESS=1` writes it.
fn check_golden(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/control/tests/golden").join(name);
    if std::env::var_os("KVFORGE_BLESS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let golden = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    assert_eq!(text, golden, "{} differs: look at it, then run with KVFORGE_BLESS=1", path.display());
}

#[test]
fn the_c_header_is_as_recorded() {
    check_golden("example.h", &example().map.c_header());
}

#[test]
fn the_rust_module_is_as_recorded() {
    check_golden("example.rs", &example().map.rust_module());
}

#[test]
fn the_svd_file_is_as_recorded() {
    check_golden("example.svd", &example().map.svd(0x4000_0000));
}

#[test]
fn the_system_rdl_file_is_as_recorded() {
    check_golden("example.rdl", &example().map.system_rdl());
}

#[test]
fn the_table_is_as_recorded() {
    check_golden("example.md", &example().map.markdown());
}

#[test]
fn the_json_file_is_as_recorded() {
    check_golden("example.json", &example().map.json());
}

/// The recorded Rust module is compiled here.
#[allow(dead_code)]
#[path = "golden/example.rs"]
mod example_registers;

#[test]
fn the_rust_module_compiles_and_has_the_right_numbers() {
    let (control, status) = (0xffff_fff1u32, (0x10, 1 << 8));
    assert_eq!(control & example_registers::control::MODE_MASK, 0xfff0);
    assert_eq!(example_registers::control::RESET, 0xabc0);
    assert_eq!((example_registers::status::OFFSET, example_registers::status::UNDERFLOW_MASK), status);
    assert_eq!(example_registers::length::SHIFT, 0);
}

#[test]
fn mistakes_in_a_description_are_reported_together() {
    let mut map = RegisterMap::new("bad map", "");
    map.rw("length", 14, 1 << 14, "");
    map.ro("length", 33, "");
    map.register("empty", "");
    let mut flags = map.register("flags", "");
    flags.reserved(31);
    flags.sticky("a", "");
    flags.sticky("b", "");
    flags.ro("B", 0, "");
    let errors = map.check().unwrap_err();
    let messages: Vec<&str> = errors.0.iter().map(|e| e.message.as_str()).collect();
    let expected = [
        "`bad map` cannot be the name of a register map",
        "16384 does not fit in `length.length`",
        "`length` cannot be the name of a register",
        "`length.length` has 33 bits from bit 0 on",
        "register `empty` has no fields",
        "`flags.b` has 1 bits from bit 32 on",
        "`flags.B` cannot be the name of a field",
        "`flags.B` has 0 bits from bit 33 on",
    ];
    assert_eq!(messages, expected);
    assert!(errors.0.iter().all(|e| e.span.file.ends_with("export.rs")), "they name the place of the description");
    assert!(RegisterMap::new("none", "").check().is_err());
    let m = Module::new("m");
    let bus = m.port("s_axil", "", true, axi_lite(8));
    assert_eq!(crate::control::slave(m, &map, bus).err(), Some(errors));
}

#[test]
#[should_panic(expected = "`example` has no register `enabel`")]
fn a_misspelt_name_of_a_register_is_told() {
    let map = example().map;
    assert_eq!(map.offset(&map.registers[1].name), 4);
    map.offset("enabel");
}
