use super::*;
use crate::control::{RegisterMap, slave};
use ::sim::bus::{AxiLiteMaster, Bench, Response, Stalls, run_seed};

ports! {
    struct TwoPorts() {
        input s_axil: AxiLite = axi_lite(12),
    }
}

const WINDOWS: [Window; 2] = [Window { base: 0x40, bits: 6 }, Window { base: 0x800, bits: 4 }];

/// Two slaves behind a router: 16 registers at 0x40, and 2 of 4 at 0x800.
#[module]
fn two() -> Design<TwoPorts> {
    let m = Module::new("two");
    let io = TwoPorts::new(m);
    let router = m.instance(&axil_router(12, &WINDOWS).unwrap_or_else(|e| panic!("{e}")));
    router.s_axil.set(io.s_axil);
    for (i, registers) in [16u32, 2].into_iter().enumerate() {
        let mut map = RegisterMap::new(&format!("slave_{i}"), "");
        for r in 0..registers {
            map.rw(&format!("r{r}"), 32, 256 * i as u32 + r, "");
        }
        let regs = m.scope(format!("slave_{i}"), || slave(m, &map, router.m_axil[i]));
        regs.unwrap_or_else(|e| panic!("{e}"));
    }
    m.finish(io).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn each_access_reaches_its_slave_and_no_other() {
    let design = two();
    for (round, stalls) in [(1, Stalls::Never), (2, Stalls::Percent(60)), (3, Stalls::Runs(7))] {
        let seed = run_seed(round);
        let mut engine = jit::simulator(&design);
        let mut bench = Bench::new(&mut engine, seed);
        let master = AxiLiteMaster::new(&mut bench, &design, &design.ports.s_axil, stalls);
        bench.reset().unwrap();
        let places = (0..16).map(|r| (0x40 + 4 * r, r)).chain((0..2).map(|r| (0x800 + 4 * r, 256 + r)));
        let mut expected: Vec<(u64, u64)> = places.collect();
        for (address, value) in &expected {
            assert_eq!(master.read(&mut bench, *address), Ok((Response::Okay, *value)), "{address:#x}");
        }
        let mut rng = fastrand::Rng::with_seed(seed);
        for _ in 0..100 {
            let (address, value) = &mut expected[rng.usize(0..18)];
            *value = rng.u64(0..1 << 32);
            assert_eq!(master.write(&mut bench, *address, *value), Ok(Response::Okay));
            for address in [0, 0x3c, 0x80, 0x440, 0x7fc, 0x810, 0xc00] {
                assert_eq!(master.write(&mut bench, address, 1), Ok(Response::DecodeError), "{address:#x}");
                assert_eq!(master.read(&mut bench, address), Ok((Response::DecodeError, 0)), "{address:#x}");
            }
            assert_eq!(master.read(&mut bench, 0x808), Ok((Response::SlaveError, 0)), "a slave refuses by itself");
            let (address, value) = expected[rng.usize(0..18)];
            assert_eq!(master.read(&mut bench, address), Ok((Response::Okay, value)), "{address:#x}");
        }
        master.finish(&mut bench).unwrap();
    }
}

/// A write and a read at once, to the same slave or to two.
#[test]
fn reads_and_writes_do_not_wait_for_each_other() {
    let design = two();
    let mut engine = jit::simulator(&design);
    let mut bench = Bench::new(&mut engine, ::sim::bus::seed(4));
    let master = AxiLiteMaster::new(&mut bench, &design, &design.ports.s_axil, Stalls::Percent(30));
    bench.reset().unwrap();
    for i in 0..40 {
        master.queue_write(&mut bench, 0x40 + 4 * (i % 8), i, 15);
        master.queue_read(&mut bench, if i % 2 == 0 { 0x804 } else { 0x60 });
    }
    bench.run(4000).unwrap();
    assert_eq!(master.write_responses(&bench).unwrap(), [Response::Okay; 40]);
    let reads = master.read_responses(&bench).unwrap();
    assert_eq!(reads, [[(Response::Okay, 257), (Response::Okay, 8)]; 20].concat());
    master.finish(&mut bench).unwrap();
}

#[test]
fn illegal_windows_are_refused() {
    for (bits, windows, expected) in [
        (12, &[][..], "0 windows"),
        (12, &[Window { base: 0x20, bits: 6 }], "a window of 6 bits at 0x20"),
        (12, &[Window { base: 0x1000, bits: 6 }], "a window of 6 bits at 0x1000"),
        (12, &[Window { base: 0, bits: 12 }], "a window of 12 bits at 0x0"),
        (12, &[Window { base: 0, bits: 8 }, Window { base: 0x80, bits: 4 }], "the windows at 0x0 and 0x80 overlap"),
    ] {
        let message = axil_router(bits, windows).unwrap_err().to_string();
        assert!(message.contains(expected), "{message}");
    }
}
