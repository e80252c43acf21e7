//! The engines from two power-ups at once: whatever registers and memories held before the reset, nothing of it is seen.
#![allow(missing_docs)]

use hdl::*;
use rayon::prelude::*;
use testbenches::drivers::{Driver, Effort, configuration, names, widths};
use testbenches::twins::Twins;

fn run(driver: &Driver) -> Result<u64, String> {
    let (mut one, mut other) = (jit::simulator(&driver.design), jit::simulator(&driver.design));
    let mut twins = Twins::new(&mut one, &mut other);
    let ran = driver.run(&mut twins, Effort::from_environment());
    ran.map_err(|error| format!("{}: {error}", driver.name)).map(|()| twins.compared)
}

/// All that their drivers do, with mistakes, flushes and resets in the midst of it.
#[test]
fn nothing_from_before_the_reset_leaves_an_engine() {
    let engine = |name: &String| ["oaken_quantizer", "oaken_dequantizer"].iter().any(|start| name.starts_with(start));
    let named = names().into_iter().filter(engine).map(|name| configuration(&name).unwrap());
    let drivers: Vec<Driver> = named.chain(widths()).collect();
    assert!(drivers.len() >= 12);
    let outcomes: Vec<_> = drivers.par_iter().with_max_len(1).map(run).collect();
    let wrong: Vec<&String> = outcomes.iter().filter_map(|outcome| outcome.as_ref().err()).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(outcomes.iter().all(|compared| compared.as_ref().is_ok_and(|compared| *compared > 10_000)), "{outcomes:?}");
}

ports! {
    struct LeakPorts() {
        input s_valid: Signal = bits(1),
        output m_valid: Signal = bits(1),
        output m_data: Signal = bits(4),
    }
}

/// A payload that no reset and no write ever gave: seen, as soon as it is valid.
#[test]
#[module]
fn a_payload_from_before_the_reset_is_found() {
    let m = Module::new("leaks");
    let io = LeakPorts::new(m);
    let words = m.memory(bits(4), 4);
    let at = m.reg_reset(bits(2), 0);
    m.when(io.s_valid, || at.set(at + 1));
    // a word behind the one that is read
    words.write(at + 1, m.lit(9u32, 4), io.s_valid);
    io.m_valid.set(io.s_valid);
    io.m_data.set(words.read(at));
    let design = m.finish(io).unwrap();
    let valid = design.port_index(design.ports.s_valid).unwrap();
    let driver = Driver::new("leaks", design, move |engine, _| {
        engine.reset(2);
        (0..8).for_each(|cycle| {
            engine.poke_u64(valid, u64::from(cycle > 2));
            engine.step();
        });
        Ok(())
    });
    let error = run(&driver).unwrap_err();
    assert!(error.contains("edge 5: `m_data` depends on what there was before the reset"), "{error}");
}
