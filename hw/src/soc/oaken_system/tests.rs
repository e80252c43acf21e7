use super::*;
use crate::oaken::EngineParams;

/// The tests with a host at the pins are in testbenches, with the golden model.
#[test]
fn illegal_parameters_are_refused() {
    let engine = EngineParams { lanes: 1, max_length: 64, dense_bits: 4, settings: 1 };
    let legal =
        SystemParams { engine, engines: Engines::Both, clock_hertz: 48_000_000, clocks_per_bit: 16, records: 2 };
    assert!(oaken_system("system", legal).is_ok());
    for (p, expected) in [
        (SystemParams { engine: EngineParams { settings: 4, ..engine }, ..legal }, "settings = 4 is not legal"),
        (SystemParams { engine: EngineParams { lanes: 3, ..engine }, ..legal }, "lanes = 3 is not legal"),
        (SystemParams { records: 1, ..legal }, "records = 1 is out of range"),
        (SystemParams { clock_hertz: 1000, ..legal }, "clock_hertz = 1000 is out of range"),
        (SystemParams { clocks_per_bit: 15, ..legal }, "clocks_per_bit = 15 is out of range"),
    ] {
        let message = oaken_system("system", p).unwrap_err().to_string();
        assert!(message.contains(expected), "{message}");
    }
}

/// What is not there costs nothing: one engine has the other's counters as zeros, and no record memory.
#[test]
fn a_system_with_one_engine_has_nothing_of_the_other() {
    let engine = EngineParams { lanes: 1, max_length: 64, dense_bits: 4, settings: 1 };
    let both = SystemParams { engine, engines: Engines::Both, clock_hertz: 48_000_000, clocks_per_bit: 16, records: 2 };
    for (engines, absent) in [(Engines::Quantizer, "dequantizer"), (Engines::Dequantizer, "quantizer")] {
        let p = SystemParams { engines, ..both };
        let design = oaken_system("system", p).unwrap();
        let text = verilog(&design, &Options::default()).single();
        assert!(text.contains(&format!("system_{}", engines.name())) && !text.contains(&format!("system_{absent}")));
        assert_eq!(p.record_bytes(), 0);
        assert_eq!(Engines::named(engines.name()), Some(engines));
    }
    assert_eq!(both.record_bytes(), 32);
}
