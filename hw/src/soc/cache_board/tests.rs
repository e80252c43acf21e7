use super::*;
use crate::catalogue::{Value, block, cache_board_params};

fn params() -> CacheBoardParams {
    let numbers = [
        ("requests", 2),
        ("layers", 2),
        ("heads", 2),
        ("head_elements", 64),
        ("tokens", 8),
        ("settings", 2),
        ("clock_hertz", 75_000_000),
        ("clocks_per_bit", 25),
        ("oscillator_hertz", 25_000_000),
        ("cas_latency", 2),
    ];
    let block = block("oaken_cache_board").expect("a block");
    let values = block.resolve(numbers.map(|(name, number)| (name, Value::Number(number)))).expect("legal");
    cache_board_params(&values)
}

#[test]
fn a_chip_that_does_not_fit_is_refused() {
    let refused = |change: fn(&mut CacheBoardParams)| {
        let mut p = params();
        change(&mut p);
        cache_board("top", p).unwrap_err().to_string()
    };
    assert!(cache_board("top", params()).is_ok());
    for (message, expected) in [
        (refused(|p| p.system.sdram.mask = false), "mask = false"),
        (
            refused(|p| p.system.sdram.clock_hertz = 50_000_000),
            "the cache has a clock of 75000000 Hz, and the chip's controller a clock of 50000000 Hz",
        ),
        (refused(|p| p.system.sdram.write_id_bits = 2), "the cache has a bus of "),
        (refused(|p| p.system.sdram.read_delay = 0), "read_delay = 0"),
        (refused(|p| p.leds = 17), "leds = 17 is out of range"),
    ] {
        assert!(message.contains(expected), "{message}");
    }
}
