//! The registers of both engines as software knows them, written down here a second time: drivers and boards in the field depend on
//! every number.

use super::super::{dequantizer_axi, quantizer_axi};
use super::EngineParams;
use crate::control::{Access, AxiLite, RegisterMap};
use hdl::Design;
use sim::bus::{AxiLiteMaster, Bench, Response, Stalls, seed};

/// What software may do: read, write, clear by writing 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum May {
    Read,
    Write,
    Clear,
}
use May::{Clear, Read, Write};

/// Register, field, byte address, lowest bit, bits, what software may do, value after reset.
type Row = (&'static str, &'static str, u32, u32, u32, May, u32);

/// What both engines have; at 16 elements a cycle, of vectors of up to 4096.
const COMMON: [Row; 14] = [
    ("parameters", "lanes", 0x04, 0, 7, Read, 16),
    ("parameters", "dense_bits_xor_4", 0x04, 8, 3, Read, 0),
    ("parameters", "max_length", 0x04, 16, 14, Read, 4096),
    ("enable", "enable", 0x08, 0, 1, Write, 0),
    ("status", "busy", 0x0c, 0, 1, Read, 0),
    ("status", "legal", 0x0c, 1, 1, Read, 0),
    ("length", "length", 0x14, 0, 32, Write, 4096),
    ("s_low", "s_low", 0x18, 0, 16, Write, 0xfbff),
    ("t_low", "t_low", 0x1c, 0, 16, Write, 0x8000),
    ("t_high", "t_high", 0x20, 0, 16, Write, 0),
    ("s_high", "s_high", 0x24, 0, 16, Write, 0x7bff),
    ("vectors", "vectors", 0x28, 0, 32, Read, 0),
    ("flush", "flush", 0x2c, 0, 1, Write, 0),
    ("id", "id", 0x00, 0, 32, Read, 0x4f41_4b00), // OAK, and a letter for the engine
];

const QUANTIZER: [Row; 4] = [
    ("errors", "early", 0x10, 0, 1, Clear, 0),
    ("errors", "late", 0x10, 1, 1, Clear, 0),
    ("errors", "nonfinite", 0x10, 2, 1, Clear, 0),
    ("errors", "partial", 0x10, 3, 1, Clear, 0),
];

const DEQUANTIZER: [Row; 6] = [
    ("errors", "header", 0x10, 0, 1, Clear, 0),
    ("errors", "count", 0x10, 1, 1, Clear, 0),
    ("errors", "order", 0x10, 2, 1, Clear, 0),
    ("errors", "sparse_length", 0x10, 3, 1, Clear, 0),
    ("errors", "dense_length", 0x10, 4, 1, Clear, 0),
    ("errors", "partial", 0x10, 5, 1, Clear, 0),
];

const PARAMS: EngineParams = EngineParams { lanes: 16, max_length: 4096, dense_bits: 4, settings: 1 };

/// What there is more where vectors name their settings, of which there are eight; the first `flag` is that behind the engine's own.
fn several(flag: u32) -> [Row; 5] {
    [
        ("errors", "refused", 0x10, flag, 1, Clear, 0),
        ("errors", "unset", 0x10, flag + 1, 1, Clear, 0),
        ("setting", "number", 0x30, 0, 8, Write, 0),
        ("setting", "store", 0x30, 8, 1, Write, 0),
        ("setting", "count", 0x30, 16, 7, Read, 8),
    ]
}

const OF_EACH: EngineParams = EngineParams { settings: 8, ..PARAMS };

/// All rows of an engine, in the order of their places.
fn rows(letter: u8, errors: &[Row]) -> Vec<Row> {
    let mut rows = [&COMMON[..], errors].concat();
    rows.iter_mut().filter(|row| row.0 == "id").for_each(|row| row.6 |= u32::from(letter));
    rows.sort_by_key(|row| (row.2, row.3));
    rows
}

/// The same of a description.
fn described(map: &RegisterMap) -> Vec<(&str, &str, u32, u32, u32, May, u32)> {
    let fields = map.registers.iter().flat_map(|register| register.fields.iter().map(move |field| (register, field)));
    fields
        .map(|(register, field)| {
            let (may, reset) = match field.access {
                Access::ReadWrite { reset } => (Write, reset),
                Access::Constant { value } => (Read, value),
                Access::ReadOnly => (Read, 0),
                Access::Sticky => (Clear, 0),
            };
            (&register.name[..], &field.name[..], register.offset, field.lsb, field.width, may, reset)
        })
        .collect()
}

#[test]
fn the_maps_are_as_they_were_published() {
    assert_eq!(described(&quantizer_axi::registers("q", PARAMS)), rows(b'Q', &QUANTIZER));
    assert_eq!(described(&dequantizer_axi::registers("d", PARAMS)), rows(b'D', &DEQUANTIZER));
    let several = [[&QUANTIZER[..], &several(4)].concat(), [&DEQUANTIZER[..], &several(6)].concat()];
    assert_eq!(described(&quantizer_axi::registers("q", OF_EACH)), rows(b'Q', &several[0]));
    assert_eq!(described(&dequantizer_axi::registers("d", OF_EACH)), rows(b'D', &several[1]));
}

/// What the bus says of the same numbers. `legal` is 1 from reset on, and 0 when all settings are ones; storing those is `refused`.
fn on_the_bus<P>(design: &Design<P>, bus: &AxiLite, rows: &[Row]) {
    let ones = |row: &Row| (u64::from(u32::MAX) >> (32 - row.4)) << row.3;
    let end = rows.iter().map(|row| row.2 + 4).max().unwrap();
    let refused = rows.iter().filter(|row| row.1 == "refused").fold(0, |_, row| ones(row));
    let mut engine = jit::simulator(design);
    let mut bench = Bench::new(&mut engine, seed(1));
    let master = AxiLiteMaster::new(&mut bench, design, bus, Stalls::Never);
    bench.reset().unwrap();
    for address in (0..end).step_by(4) {
        let of = || rows.iter().filter(|row| row.2 == address);
        let reset = of().fold(0, |value, row| value | u64::from(row.6) << row.3);
        let legal = if address == 0x0c { 2 } else { 0 };
        assert_eq!(master.read(&mut bench, address.into()), Ok((Response::Okay, reset | legal)), "{address:#x}");
    }
    for address in (0..end).step_by(4) {
        let writable = rows.iter().any(|row| row.2 == address && row.5 != Read);
        let response = if writable { Response::Okay } else { Response::SlaveError };
        assert_eq!(master.write(&mut bench, address.into(), 0xffff_ffff), Ok(response), "{address:#x}");
    }
    for address in (0..end).step_by(4) {
        let of = |may| rows.iter().filter(move |row| row.2 == address && row.5 == may);
        let kept = of(Read).fold(0, |value, row| value | u64::from(row.6) << row.3);
        let value = of(Write).fold(kept, |value, row| value | ones(row));
        let value = if address == 0x10 { value | refused } else { value };
        let (response, read) = master.read(&mut bench, address.into()).unwrap();
        // what it does while it is flushed is not said here
        assert_eq!((response, read & !u64::from(address == 0x0c)), (Response::Okay, value), "{address:#x}");
    }
    for address in [0x01, 0x16, 0x2f].into_iter().chain((u64::from(end)..0x40).step_by(4)) {
        assert_eq!(master.read(&mut bench, address), Ok((Response::SlaveError, 0)), "{address:#x}");
        assert_eq!(master.write(&mut bench, address, 1), Ok(Response::SlaveError), "{address:#x}");
    }
}

#[test]
fn the_bus_of_the_quantizer_shows_them() {
    let design = quantizer_axi::quantizer_axi("q", PARAMS).unwrap();
    on_the_bus(&design, &design.ports.s_axil, &rows(b'Q', &QUANTIZER));
}

#[test]
fn the_bus_of_the_dequantizer_shows_them() {
    let design = dequantizer_axi::dequantizer_axi("d", PARAMS).unwrap();
    on_the_bus(&design, &design.ports.s_axil, &rows(b'D', &DEQUANTIZER));
}

#[test]
fn the_bus_shows_the_table_of_settings() {
    let q = quantizer_axi::quantizer_axi("q", OF_EACH).unwrap();
    on_the_bus(&q, &q.ports.s_axil, &rows(b'Q', &[&QUANTIZER[..], &several(4)].concat()));
    let d = dequantizer_axi::dequantizer_axi("d", OF_EACH).unwrap();
    on_the_bus(&d, &d.ports.s_axil, &rows(b'D', &[&DEQUANTIZER[..], &several(6)].concat()));
}
