//! What holds for every board.

use super::*;
use hw::soc::pll::Pll;
use std::collections::{BTreeMap, BTreeSet};

#[test]
fn names_are_in_order_and_are_those_of_the_files() {
    let names: Vec<&str> = BOARDS.iter().map(|board| board.name).collect();
    assert!(names.is_sorted_by(|a, b| a < b), "{names:?}");
    for board in BOARDS {
        assert_eq!(board.name.replace('-', "_"), board.module);
        assert!(!board.sources.is_empty(), "{}", board.name);
    }
}

#[test]
fn no_pin_and_no_port_is_there_twice() {
    for board in BOARDS {
        let (mut balls, mut names) = (BTreeSet::new(), BTreeSet::new());
        for (port, pin) in board.ports() {
            assert!(balls.insert(pin.ball), "{}: {} is taken twice", board.name, pin.ball);
            assert!(names.insert(port.clone()), "{}: {port} is there twice", board.name);
        }
    }
}

#[test]
fn each_pin_is_in_the_package_and_in_its_bank() {
    for board in BOARDS {
        let package = board.device.pins();
        for (port, pin) in board.ports() {
            let place = format!("{}: {port} at {}", board.name, pin.ball);
            let found = package.get(pin.ball).unwrap_or_else(|| panic!("{place}: no such pin"));
            assert_eq!(pin.bank, found.bank, "{place}");
        }
    }
}

#[test]
fn a_bank_has_one_voltage() {
    for board in BOARDS {
        let mut banks = BTreeMap::new();
        for (port, pin) in board.ports() {
            let supply = *banks.entry(pin.bank).or_insert(pin.standard.millivolts());
            assert_eq!(supply, pin.standard.millivolts(), "{}: {port} in bank {}", board.name, pin.bank);
        }
    }
}

#[test]
fn configuration_pins_are_taken_where_a_reason_is_given_and_nowhere_else() {
    for board in BOARDS {
        let package = board.device.pins();
        let taken: BTreeSet<&str> = board
            .ports()
            .into_iter()
            .map(|(_, pin)| pin.ball)
            .filter(|ball| package.get(*ball).is_some_and(|pin| pin.configuration.is_some()))
            .collect();
        let allowed: BTreeSet<&str> = board.configuration_pins.iter().map(|(ball, _)| *ball).collect();
        assert_eq!(taken, allowed, "{}", board.name);
    }
}

/// A device that cannot pull down, or that has no strength of drive, is not asked to.
#[test]
fn what_an_ice40_cannot_do_is_not_wished() {
    for board in BOARDS.iter().filter(|board| board.device.family == crate::device::Family::Ice40) {
        for (port, pin) in board.ports() {
            assert!(pin.pull != Pull::Down && pin.drive.is_none(), "{}: {port}", board.name);
        }
    }
}

/// Of each board: the system's clock in MHz, the dividers of its PLL by hand, and cycles of a bit.
#[test]
fn the_plls_make_the_systems_clocks_and_the_lines_rates_fit_them() {
    let ecp5 = |reference, feedback, output| [("CLKI_DIV", reference), ("CLKFB_DIV", feedback), ("CLKOP_DIV", output)];
    let ice40 = [("DIVR", 0), ("DIVF", 63), ("DIVQ", 5)]; // 12 * 64 / 32
    let gowin = [("IDIV_SEL", 8), ("FBDIV_SEL", 15), ("ODIV_SEL", 16)]; // 27 * 16 / 9
    let expected = [
        ("colorlight-i5", 75.0, ecp5(1, 3, 8), 651),
        ("colorlight-i9", 75.0, ecp5(1, 3, 8), 651),
        ("icebreaker", 24.0, ice40, 24),
        ("icesugar", 24.0, ice40, 208),
        ("orangecrab-25f", 72.0, ecp5(2, 3, 8), 625),
        ("tang-nano-20k", 48.0, gowin, 16),
        ("tang-nano-9k", 48.0, gowin, 16),
        ("ulx3s-85f", 75.0, ecp5(1, 3, 8), 25),
    ];
    for (board, (name, megahertz, parameters, clocks)) in BOARDS.iter().zip(expected) {
        let setting = board.pll().unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!((board.name, setting.frequency().megahertz()), (name, megahertz));
        assert_eq!(setting.parameters(), parameters, "{name}");
        assert_eq!(board.clocks_per_bit(), Ok(clocks), "{name}");
    }
}

/// The named configurations are made for their boards: the same clocks, rate and LEDs. (Their ports are those of every board's top.)
#[test]
fn named_systems_are_those_of_their_boards() {
    let mut found = vec![];
    for board in BOARDS {
        let file = format!("{}/../configs/{}.toml", env!("CARGO_MANIFEST_DIR"), board.module);
        let Ok(text) = std::fs::read_to_string(file) else { continue };
        found.push(board.name);
        let text = text.replace("_000_000", "000000");
        let clocks = board.clocks_per_bit().unwrap_or_else(|e| panic!("{e}"));
        let shines_at_0 = board.leds.shine_at == Level::Low;
        let pll = match board.device.pll {
            Pll::Ehxplll => "ehxplll",
            Pll::SbPll40Pad => "sb_pll40_pad",
            Pll::RpllLittleBee => "rpll_little_bee",
            Pll::RpllArora => "rpll_arora",
        };
        let mut lines = vec![
            format!("clock_hertz = {}", board.clock.system_hertz),
            format!("oscillator_hertz = {}", board.clock.hertz),
            format!("clocks_per_bit = {clocks}"),
            format!("leds = {}", board.leds.pins.len()),
            format!("leds_low = {shines_at_0}"),
            format!("pll = \"{pll}\""),
        ];
        lines.extend(board.ties.iter().map(|tie| format!("{} = true", tie.port)));
        for line in lines {
            assert!(text.lines().any(|found| found == line), "{}: no `{line}` in {text}", board.name);
        }
    }
    assert_eq!(found, ["colorlight-i5", "colorlight-i9", "orangecrab-25f", "tang-nano-9k", "ulx3s-85f"]);
}

/// The cache of a board is made for its chip, clock, rate and LEDs.
#[test]
fn named_caches_are_those_of_their_boards() {
    let mut found = vec![];
    for board in BOARDS {
        let file = format!("{}/../configs/{}_cache.toml", env!("CARGO_MANIFEST_DIR"), board.module);
        let Ok(text) = std::fs::read_to_string(file) else { continue };
        found.push(board.name);
        let text = text.replace("_000_000", "000000");
        let chip = board.sdram.as_ref().expect("a chip");
        assert_eq!(8 * chip.dqm.len(), chip.dq.len(), "{}: a mask for each byte", board.name);
        let clocks = board.clocks_per_bit().unwrap_or_else(|e| panic!("{e}"));
        let mut lines = vec![
            format!("clock_hertz = {}", board.clock.system_hertz),
            format!("oscillator_hertz = {}", board.clock.hertz),
            format!("clocks_per_bit = {clocks}"),
            format!("leds = {}", board.leds.pins.len()),
            format!("leds_low = {}", board.leds.shine_at == Level::Low),
            format!("data_bits = {}", chip.dq.len()),
            format!("row_bits = {}", chip.a.len()),
            format!("bank_bits = {}", chip.ba.len()),
            format!("selects = {}", chip.cke.is_some() && chip.cs_n.is_some()),
        ];
        lines.extend(board.ties.iter().map(|tie| format!("{} = true", tie.port)));
        for line in lines {
            assert!(text.lines().any(|found| found == line), "{}: no `{line}` in {text}", board.name);
        }
    }
    assert_eq!(found, ["ulx3s-85f"]);
}
