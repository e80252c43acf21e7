//! Values that do not fit are told, not cut.

use super::*;
use sim::bus::{AxiLiteMaster, Bench, Stalls};

fn refused(register: &str, value: u64) -> String {
    example().map.encode(register, value).expect_err("it does not fit").to_string()
}

#[test]
fn what_fits_is_written_as_it_is() {
    let map = example().map;
    assert_eq!(map.encode("length", 16383), Ok((8, 16383)));
    assert_eq!(map.encode("control", 0xfff1), Ok((4, 0xfff1)));
    assert_eq!(map.encode("status", 0x180), Ok((16, 0x180)), "flags that are cleared");
    assert_eq!(map.encode_fields("control", &[("mode", 0xabc), ("enable", 1)]), Ok((4, 0xabc1)));
    assert_eq!(map.encode_fields("control", &[("enable", 1)]), Ok((4, 1)), "the others are 0");
}

#[test]
fn what_does_not_fit_is_told_with_register_value_and_range() {
    let length = "16384 (0x4000) cannot be written to `example.length`: legal is 0 to 16383 (14 bits)";
    assert_eq!(refused("length", 16384), length);
    let control =
        "2 (0x2) cannot be written to `example.control`: legal are the bits of 0x0000fff1: `0` enable, `15:4` mode";
    assert_eq!(refused("control", 2), control);
    assert!(refused("control", 1 << 32).starts_with("4294967296 (0x100000000) cannot be written to `example.control`"));
    assert_eq!(refused("vectors", 1), "1 (0x1) cannot be written to `example.vectors`: software can only read it");
    let none = "nothing can be written to `example.lenght`: there is no such register; there are `id`, `control`, `length`, \
                `vectors`, `status`";
    assert_eq!(refused("lenght", 1), none);
    assert_eq!(example().map.encode_fields("lenght", &[]).unwrap_err().to_string(), none);
}

#[test]
fn a_value_beyond_its_field_does_not_reach_the_next_one() {
    let refused = |field, value| example().map.encode_fields("control", &[(field, value)]).unwrap_err().to_string();
    let mode = "4096 (0x1000) cannot be written to `example.control.mode`: legal is 0 to 4095 (12 bits)";
    assert_eq!(refused("mode", 4096), mode);
    let none = "nothing can be written to `example.control.speed`: fields that software writes are `enable`, `mode`";
    assert_eq!(refused("speed", 0), none);
    let only_read = example().map.encode_fields("vectors", &[("vectors", 1)]).unwrap_err().to_string();
    assert!(only_read.ends_with("software can only read it"), "{only_read}");
}

/// A write without the map, as far as the bus goes; what `length` is then.
fn write_to_the_bus(address: u64, data: u64) -> u64 {
    let design = example_module(5).unwrap();
    let mut engine = jit::simulator(&design);
    let mut bench = Bench::new(&mut engine, sim::bus::seed(1));
    let master = AxiLiteMaster::new(&mut bench, &design, &design.ports.s_axil, Stalls::Never);
    bench.reset().unwrap();
    master.write(&mut bench, address, data).unwrap();
    master.read(&mut bench, 8).unwrap().1
}

/// That is why `encode` looks at the field: hardware has nobody to tell.
#[test]
fn hardware_keeps_the_bits_of_the_field() {
    assert_eq!(write_to_the_bus(8, 16384 + 5), 5);
}

#[test]
#[should_panic(expected = "cannot send 4294967297 in `wdata` (32 bits): legal is 0 to 4294967295")]
fn data_wider_than_the_bus_is_told() {
    write_to_the_bus(8, (1 << 32) + 1);
}

#[test]
#[should_panic(expected = "cannot send 40 in `awaddr` (5 bits): legal is 0 to 31")]
fn an_address_beyond_the_bus_is_told() {
    write_to_the_bus(40, 1);
}
