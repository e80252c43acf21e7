//! What holds for every board.

use super::*;
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
