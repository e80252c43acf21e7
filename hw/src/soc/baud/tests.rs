use super::*;
use crate::soc::pll::{Pll, search};

#[test]
fn rates_of_boards() {
    let mega = |frequency: f64| (1e6 * frequency) as u32;
    for (clock, baud, clocks) in [
        (75.0, 3_000_000, 25),
        (48.0, 3_000_000, 16),
        (24.0, 1_000_000, 24),
        (12.0, 115_200, 104),
        (72.0, 115_200, 625),
    ] {
        assert_eq!(clocks_per_bit(mega(clock), baud), Ok(clocks), "{clock} MHz, {baud}");
    }
    // and the clocks are those that the boards' PLLs make
    for (pll, from, to) in [(Pll::Ehxplll, 25.0, 75.0), (Pll::RpllArora, 27.0, 48.0), (Pll::SbPll40Pad, 12.0, 24.0)] {
        assert!(search(pll, mega(from), mega(to)).is_ok());
    }
    let message = |clock, baud| clocks_per_bit(clock, baud).unwrap_err().to_string();
    let expected = "a clock of 25 MHz makes no 3000000 bits/s: with at least 16 cycles a bit, and less than 1.5 % off, the nearest is 1562500";
    assert_eq!(message(25_000_000, 3_000_000), expected);
    assert!(message(12_000_000, 10).ends_with("the nearest is 12"), "{}", message(12_000_000, 10));
    assert!(clocks_per_bit(12_000_000, 0).is_err());
}

/// Whatever is given is within 1.5 %, in floating point; what is refused has no whole number of cycles that is.
#[test]
fn rates_are_right_wherever_they_are_given() {
    let mut rng = fastrand::Rng::with_seed(::sim::bus::seed(1));
    let mut refused = 0;
    for _ in 0..2000 {
        let (clock, baud) = (rng.u32(1_000_000..200_000_000), rng.u32(100_000..8_000_000));
        let off = |clocks: u32| (f64::from(clock) / f64::from(clocks) / f64::from(baud) - 1.0).abs();
        match clocks_per_bit(clock, baud) {
            Ok(clocks) => assert!(clocks >= 16 && off(clocks) < 0.015, "{clock} {baud} {clocks}"),
            Err(_) => {
                refused += 1;
                assert!((16..3000).all(|clocks| off(clocks) > 0.0149), "{clock} {baud}");
            }
        }
    }
    assert!(refused > 100, "{refused}");
}
