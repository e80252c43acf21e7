//! The slave under an AXI4-Lite master that stalls at random and checks the protocol.

use super::*;
use sim::bus::{AxiLiteMaster, Bench, Response, Stalls};

const STALLS: [Stalls; 3] = [Stalls::Never, Stalls::Percent(60), Stalls::Runs(7)];
const ID: u64 = 0x00;
const CONTROL: u64 = 0x04;
const LENGTH: u64 = 0x08;
const VECTORS: u64 = 0x0c;
const STATUS: u64 = 0x10;

fn design() -> Design<ExamplePorts> {
    example_module(8).unwrap_or_else(|errors| panic!("{errors}"))
}

/// Runs `test` on the example under all stalls.
fn under_stalls(test: impl Fn(&mut Bench, AxiLiteMaster, &Design<ExamplePorts>)) {
    let design = design();
    let ready = jit::simulator(&design);
    for (i, stalls) in STALLS.into_iter().enumerate() {
        let mut engine = ready.clone();
        let mut bench = Bench::new(&mut engine, sim::bus::seed(i as u64));
        let master = AxiLiteMaster::new(&mut bench, &design, &design.ports.s_axil, stalls);
        bench.reset().unwrap();
        test(&mut bench, master, &design);
    }
}

fn peek<P>(bench: &mut Bench, design: &Design<P>, port: Signal) -> u64 {
    bench.engine.peek(design.port_index(port).unwrap())
}

fn poke<P>(bench: &mut Bench, design: &Design<P>, port: Signal, value: u64) {
    bench.engine.poke(design.port_index(port).unwrap(), value);
}

#[test]
fn registers_have_their_reset_values() {
    under_stalls(|bench, master, design| {
        poke(bench, design, design.ports.vectors, 0xdead_beef);
        let expected =
            [(ID, 0x4b56_0001), (CONTROL, 0xabc0), (LENGTH, 4096), (VECTORS, 0xdead_beef), (STATUS, 16 << 9)];
        for (address, value) in expected {
            assert_eq!(master.read(bench, address), Ok((Response::Okay, value)), "address {address}");
        }
        assert_eq!(peek(bench, design, design.ports.length), 4096);
    });
}

#[test]
fn writes_reach_the_fields_and_nothing_else() {
    under_stalls(|bench, master, design| {
        assert_eq!(master.write(bench, CONTROL, 0xffff_ffff), Ok(Response::Okay));
        assert_eq!(master.read(bench, CONTROL), Ok((Response::Okay, 0xfff1)), "reserved bits stay 0");
        assert_eq!(peek(bench, design, design.ports.enable), 1);
        assert_eq!(peek(bench, design, design.ports.mode), 0xfff);
        assert_eq!(master.read(bench, LENGTH), Ok((Response::Okay, 4096)));
        assert_eq!(master.write(bench, LENGTH, 0x1234), Ok(Response::Okay));
        assert_eq!(peek(bench, design, design.ports.length), 0x1234);
    });
}

#[test]
fn strobes_select_bytes() {
    under_stalls(|bench, master, _| {
        master.write(bench, CONTROL, 0).unwrap();
        for (strobes, data, expected) in [(0b0000, 0xffff, 0), (0b0010, 0xffff, 0xff00), (0b0001, 0x0051, 0xff51)] {
            assert_eq!(master.write_strobed(bench, CONTROL, data, strobes), Ok(Response::Okay));
            assert_eq!(master.read(bench, CONTROL), Ok((Response::Okay, expected)));
        }
    });
}

#[test]
fn illegal_accesses_are_refused_without_effect() {
    under_stalls(|bench, master, design| {
        let before: Vec<_> = (0..5).map(|i| master.read(bench, 4 * i).unwrap()).collect();
        // beyond the map, in the middle of a word, far beyond, read-only
        for address in [0x14, 0x1c, CONTROL + 1, CONTROL + 2, LENGTH + 3, 0x84, 0xff, ID, VECTORS] {
            assert_eq!(master.write(bench, address, 0xffff_ffff), Ok(Response::SlaveError), "write to {address:#x}");
        }
        for address in [0x14, 0x1c, CONTROL + 1, CONTROL + 2, LENGTH + 3, 0x84, 0xff] {
            assert_eq!(master.read(bench, address), Ok((Response::SlaveError, 0)), "read of {address:#x}");
        }
        let after: Vec<_> = (0..5).map(|i| master.read(bench, 4 * i).unwrap()).collect();
        assert_eq!(before, after);
        assert_eq!(master.write(bench, LENGTH, 64), Ok(Response::Okay), "usable after errors");
        assert_eq!(peek(bench, design, design.ports.length), 64);
    });
}

#[test]
fn sticky_flags_stay_until_they_are_cleared() {
    under_stalls(|bench, master, design| {
        let (errors, flags) = (design.ports.errors, design.ports.flags);
        poke(bench, design, errors, 0b11);
        bench.step().unwrap();
        poke(bench, design, errors, 0);
        bench.run(5).unwrap();
        assert_eq!(peek(bench, design, flags), 0b11);
        assert_eq!(master.read(bench, STATUS), Ok((Response::Okay, 16 << 9 | 0b11 << 7)));
        assert_eq!(master.write(bench, STATUS, 0), Ok(Response::Okay));
        assert_eq!(peek(bench, design, flags), 0b11, "writing 0 clears nothing");
        assert_eq!(master.write_strobed(bench, STATUS, 0xffff_ffff, 0b1101), Ok(Response::Okay));
        assert_eq!(peek(bench, design, flags), 0b10, "bit 7 is in byte 0, bit 8 in byte 1, which has no strobe");
        // a flag that is set while it is cleared stays
        poke(bench, design, errors, 0b10);
        assert_eq!(master.write(bench, STATUS, 0xffff_ffff), Ok(Response::Okay));
        assert_eq!(peek(bench, design, flags), 0b10);
        poke(bench, design, errors, 0);
        assert_eq!(master.write(bench, STATUS, 0xffff_ffff), Ok(Response::Okay));
        assert_eq!(peek(bench, design, flags), 0);
    });
}

/// Reads and writes at once, address and data of writes far apart: every request gets its answer, in order.
#[test]
fn many_accesses_at_once_are_answered_in_order() {
    under_stalls(|bench, master, _| {
        let mut rng = fastrand::Rng::with_seed(sim::bus::seed(4));
        let addresses: Vec<u64> = (0..400).map(|_| rng.u64(0..10) * 4).collect();
        addresses.iter().for_each(|address| master.queue_write(bench, *address, rng.u32(..).into(), 15));
        addresses.iter().for_each(|address| master.queue_read(bench, *address));
        master.finish(bench).unwrap();
        bench.run(20).unwrap();
        let writes = master.write_responses(bench).unwrap();
        let reads = master.read_responses(bench).unwrap();
        assert_eq!((writes.len(), reads.len()), (400, 400));
        for ((address, write), (read, _)) in addresses.iter().zip(writes).zip(reads) {
            assert_eq!(write == Response::Okay, [CONTROL, LENGTH, STATUS].contains(address), "write to {address:#x}");
            assert_eq!(read == Response::Okay, *address <= STATUS, "read of {address:#x}");
        }
    });
}

#[test]
fn keeps_its_stated_pace_without_combinational_paths() {
    let design = design();
    let mut engine = jit::simulator(&design);
    let mut bench = Bench::new(&mut engine, sim::bus::seed(1));
    let master = AxiLiteMaster::new(&mut bench, &design, &design.ports.s_axil, Stalls::Never);
    bench.reset().unwrap();
    let start = bench.cycle();
    master.read(&mut bench, ID).unwrap();
    assert_eq!(bench.cycle() - start, 2, "the address in the first cycle, the data in the next");
    let start = bench.cycle();
    master.write(&mut bench, LENGTH, 64).unwrap();
    assert_eq!(bench.cycle() - start, 3, "address and data in the first cycle, the response two later");
    let start = bench.cycle();
    (0..100).for_each(|_| master.queue_read(&mut bench, ID));
    (0..100).for_each(|_| master.queue_write(&mut bench, LENGTH, 64, 15));
    master.finish(&mut bench).unwrap();
    assert_eq!(bench.cycle() - start, 201, "one of each every 2 cycles");
    assert_eq!(design.combinational_paths(), []);
}

#[test]
fn refuses_addresses_that_are_too_narrow() {
    let errors = example_module(4).err().unwrap();
    assert_eq!(errors.0[0].message, "awaddr, araddr and wdata have 4, 4 and 32 bits");
    assert_eq!(example().map.address_width(), 5);
}
