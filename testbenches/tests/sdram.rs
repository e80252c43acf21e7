//! The SDRAM controller: its named configurations under Verilator, chips of any kind, any power-up.
#![allow(missing_docs)]

use fastrand::Rng;
use hdl::Reset;
use hw::catalogue::{Legal, Value, block, sdram_params};
use hw::memory::sdram::SdramParams;
use rayon::prelude::*;
use testbenches::drivers::{Driver, Effort, configuration, sdram_driver};
use testbenches::twins::Twins;

const NAMED: [&str; 2] = ["sdram_16", "sdram_32"];

#[test]
fn the_controllers_pass_under_verilator() {
    if !testbenches::have(&["verilator"]) {
        return;
    }
    let run = |name: &&str| {
        let driver = configuration(name).unwrap_or_else(|error| panic!("{error}"));
        let model = sim::verilator::Model::of(&driver.design, Reset::default());
        let mut model = model.unwrap_or_else(|error| panic!("{name}: {error}"));
        driver.run(&mut model, Effort::from_environment()).err().map(|error| format!("{name}: {error}"))
    };
    let wrong: Vec<String> = NAMED.par_iter().with_max_len(1).filter_map(run).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Parameters of any chip that is legal, at any clock, most of them far from every data sheet; the pause is short.
fn any_chip(rng: &mut Rng) -> SdramParams {
    let block = block("sdram").expect("a block");
    loop {
        let value = |rng: &mut Rng, legal: Legal| match legal {
            Legal::OneOf(numbers) => Value::Number(numbers[rng.usize(0..numbers.len())]),
            Legal::Flag => Value::Flag(rng.bool()),
            Legal::Range { min, max, .. } => Value::Number(rng.i128(min..=max)),
            Legal::Choice(_) => panic!("no parameter of it is a name"),
        };
        let mut given: Vec<_> = block.parameters.iter().map(|p| (p.name, value(rng, p.legal))).collect();
        // every clock is as likely as its half; refreshes often enough that they meet everything
        let clock = 1_000_000 << rng.u32(0..8);
        given.push(("clock_hertz", Value::Number(rng.i128(clock..=(2 * clock).min(200_000_000)))));
        given.push(("t_refi", Value::Number(rng.i128(1000..20_000))));
        given.push(("pause", Value::Number(rng.i128(1..4))));
        if let Ok(values) = block.resolve(given) {
            return sdram_params(&values);
        }
    }
}

/// Whatever the chip is made of and however slow it is against the clock, none of its times is violated.
#[test]
fn chips_of_any_kind() {
    let effort = Effort::from_environment();
    let chips = if effort.long { 400 } else { 24 };
    let wrong: Vec<String> = (0..chips)
        .collect::<Vec<u64>>()
        .into_par_iter()
        .with_max_len(1)
        .filter_map(|i| {
            let p = any_chip(&mut Rng::with_seed(effort.seed * 1000 + i));
            let driver = sdram_driver("any_sdram", p);
            let outcome = driver.run(&mut jit::simulator(&driver.design), Effort { long: false, ..effort });
            outcome.err().map(|error| format!("chip {i}, {p:?}: {error}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {chips}:\n{}", wrong.len(), wrong.join("\n"));
}

/// Two of it that powered up with different contents, and a chip behind each.
#[test]
fn nothing_from_before_the_reset_is_seen() {
    for driver in NAMED.map(|name| configuration(name).unwrap_or_else(|error| panic!("{error}"))) {
        let Driver { name, design, .. } = &driver;
        let (mut one, mut other) = (jit::simulator(design), jit::simulator(design));
        let mut twins = Twins::new(&mut one, &mut other);
        driver.run(&mut twins, Effort::from_environment()).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(twins.compared > 100_000, "{name}: {}", twins.compared);
    }
}
