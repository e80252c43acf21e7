//! What the tests of the machine code share.
#![allow(dead_code)] // not every test needs all of it

use fastrand::Rng;
use hdl::engine::{Engine, PortInfo};
use hdl::sim::Simulator;
use hdl::*;

/// A number of so many bits, often one with long runs of equal bits.
pub fn number(rng: &mut Rng, width: u32) -> BigUint {
    let ones = |n: u32| (BigUint::from(1u8) << n) - 1u8;
    match rng.u32(..6) {
        0 => BigUint::ZERO,
        1 => ones(width),
        2 => BigUint::from(1u8) << rng.u32(..width),
        3 => ones(width) ^ ones(rng.u32(..width)),
        _ => {
            let digits = (0..width.div_ceil(32)).map(|_| rng.u32(..)).collect();
            BigUint::new(digits) & ones(width)
        }
    }
}

/// Runs both with the same inputs, resets and clocks.
pub fn lockstep<P>(design: &Design<P>, code: &mut Simulator, cycles: u32, own: u64) {
    let seed = hdl::bus::run_seed(own);
    let mut rng = Rng::with_seed(seed);
    let mut interpreter = Simulator::new(design);
    let ports: Vec<PortInfo> = code.ports().to_vec();
    let domains = code.clocks().len();
    for cycle in 0..cycles {
        for domain in 0..domains {
            let active = rng.u32(..20) == 0;
            [&mut interpreter, &mut *code].into_iter().for_each(|s| s.set_reset(domain, active));
        }
        for (i, _) in ports.iter().enumerate().filter(|(_, p)| p.input) {
            if rng.u32(..4) > 0 {
                let value = number(&mut rng, ports[i].width);
                [&mut interpreter, &mut *code].into_iter().for_each(|s| s.poke_big(i, &value));
            }
        }
        // The edge must not depend on anybody having looked.
        if rng.u32(..3) > 0 {
            for (i, port) in ports.iter().enumerate() {
                let (want, got) = (interpreter.peek_big(i), code.peek_big(i));
                assert_eq!(got, want, "{} in cycle {cycle}, seed {seed}", port.name);
            }
        }
        if rng.u32(..10) == 0 {
            for signal in interpreter.signals().to_vec() {
                let probe = code.find(&signal.name).expect("the same signals");
                let (want, got) = (interpreter.value_big(probe), code.value_big(probe));
                assert_eq!(got, want, "{} in cycle {cycle}, seed {seed}", signal.name);
            }
        }
        let clocks = if rng.bool() { u64::MAX } else { rng.u64(..1 << domains) };
        [&mut interpreter, &mut *code].into_iter().for_each(|s| s.edge(clocks));
    }
    assert!(code.is_native());
}

pub fn check<P>(design: &Design<P>, cycles: u32, own: u64) {
    lockstep(design, &mut jit::compiled(design), cycles, own);
}

pub fn input(m: Module, name: &str, width: u32) -> Signal {
    m.port(name, "", true, bits(width))
}

pub fn output(m: Module, name: impl AsRef<str>, value: Signal) {
    m.port(name.as_ref(), "", false, bits(value.width())).set(value);
}

pub fn finish(m: Module) -> Design<()> {
    m.finish(()).unwrap_or_else(|e| panic!("{e}"))
}
