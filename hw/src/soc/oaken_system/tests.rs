use super::*;
use crate::oaken::EngineParams;

/// The tests with a host at the pins are in testbenches, with the golden model.
#[test]
fn illegal_parameters_are_refused() {
    let engine = EngineParams { lanes: 1, max_length: 64, dense_bits: 4, settings: 1 };
    let legal = SystemParams { engine, clock_hertz: 48_000_000, clocks_per_bit: 16, records: 2 };
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
