use super::*;

const MEGA: u32 = 1_000_000;

/// Clocks of boards, with dividers that were worked out by hand.
#[test]
fn clocks_of_boards() {
    let cases = [
        (Pll::Ehxplll, 25, 75, [("CLKI_DIV", 1), ("CLKFB_DIV", 3), ("CLKOP_DIV", 8)]),
        (Pll::Ehxplll, 48, 72, [("CLKI_DIV", 2), ("CLKFB_DIV", 3), ("CLKOP_DIV", 8)]),
        (Pll::SbPll40Pad, 12, 24, [("DIVR", 0), ("DIVF", 63), ("DIVQ", 5)]),
        (Pll::RpllLittleBee, 27, 48, [("IDIV_SEL", 8), ("FBDIV_SEL", 15), ("ODIV_SEL", 16)]),
        (Pll::RpllArora, 27, 48, [("IDIV_SEL", 8), ("FBDIV_SEL", 15), ("ODIV_SEL", 16)]),
    ];
    for (pll, from, to, parameters) in cases {
        let setting = search(pll, from * MEGA, to * MEGA).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(setting.parameters(), parameters, "{pll:?} {from} to {to}");
        assert_eq!(setting.frequency(), Frequency::of(to * MEGA));
    }
}

#[test]
fn an_impossible_wish_names_the_nearest() {
    let message = |pll, from, to| search(pll, from, to).unwrap_err().to_string();
    let expected = "EHXPLLL cannot make 48 MHz of 25 MHz; the nearest is 46.875 MHz";
    assert_eq!(message(Pll::Ehxplll, 25 * MEGA, 48 * MEGA), expected);
    // 12 * 86 / 64: 533 MHz / 64 would be less than the 16 MHz that the output begins at
    let expected = "SB_PLL40_PAD cannot make 1 MHz of 12 MHz; the nearest is 16.125 MHz";
    assert_eq!(message(Pll::SbPll40Pad, 12 * MEGA, MEGA), expected);
    assert_eq!(
        message(Pll::SbPll40Pad, 4 * MEGA, 24 * MEGA),
        "SB_PLL40_PAD takes 10 to 133 MHz; 4 MHz is none of these"
    );
    // 27 * 11 / 9; the reference is divided by no more than 9, since it is compared at 3 MHz and more
    let expected = "rPLL cannot make 33.333333 MHz of 27 MHz; the nearest is 33 MHz";
    assert_eq!(message(Pll::RpllArora, 27 * MEGA, 33_333_333), expected);
}

/// Whatever is found is within the limits, worked out here in floating point, and makes what was wished; a search over all dividers
/// finds no nearer one.
#[test]
fn settings_are_legal_and_nothing_is_nearer() {
    let mut rng = fastrand::Rng::with_seed(::sim::bus::seed(1));
    let (mut exact, mut missed) = (0, 0);
    for pll in [Pll::Ehxplll, Pll::SbPll40Pad, Pll::RpllLittleBee, Pll::RpllArora] {
        for _ in 0..3 {
            let (from, to) = (rng.u32(10..60) * MEGA, rng.u32(16..200) * MEGA);
            let found = match search(pll, from, to) {
                Ok(setting) => setting,
                Err(Impossible::Output { nearest, .. }) => nearest.unwrap(),
                Err(other) => panic!("{other}"),
            };
            let miss = (value(found).0 - f64::from(to)).abs();
            if miss < 1e-3 {
                exact += 1
            } else {
                missed += 1
            }
            assert_eq!(miss < 1e-3, search(pll, from, to).is_ok());
            assert!(legal(found), "{found:?}");
            for reference in 1..=20u32
            // 60 MHz / 20 is the lowest that any compares at
            {
                for feedback in 1..=128 {
                    for output in 1..=128 {
                        let other = Setting { reference, feedback, output, ..found };
                        let nearer = (value(other).0 - f64::from(to)).abs() < miss - 1e-3;
                        assert!(!nearer || !legal(other), "{other:?} is nearer to {to} than {found:?}");
                    }
                }
            }
        }
    }
    assert!(exact > 0 && missed > 0, "{exact} {missed}");
}

/// What comes out, the oscillator, and where it is compared.
fn value(s: Setting) -> (f64, f64, f64) {
    let compared = f64::from(s.input_hertz) / f64::from(s.reference);
    let multiplied = compared * f64::from(s.feedback);
    match s.pll {
        Pll::SbPll40Pad => (multiplied / f64::from(s.output), multiplied, compared),
        _ => (multiplied, multiplied * f64::from(s.output), compared),
    }
}

/// The limits of `ecppll`, `icepll` and `gowin_pll`, in megahertz.
fn legal(s: Setting) -> bool {
    let (output, oscillator, compared) = value(s);
    let between = |x: f64, low: f64, high: f64| (low * 1e6..=high * 1e6).contains(&x);
    let gowin =
        s.reference <= 64 && s.feedback <= 64 && [2, 4, 8, 16, 32, 48, 64, 80, 96, 112, 128].contains(&s.output);
    match s.pll {
        Pll::Ehxplll => {
            let dividers = s.reference <= 128 && s.feedback <= 80 && s.output <= 128;
            let speeds = between(oscillator, 400.0, 800.0) && between(output, 10.0, 400.0);
            dividers && speeds && between(compared, 3.125, 400.0)
        }
        Pll::SbPll40Pad => {
            let dividers = s.reference <= 16 && s.feedback <= 128 && [2, 4, 8, 16, 32, 64].contains(&s.output);
            let speeds = between(oscillator, 533.0, 1066.0) && between(output, 16.0, 275.0);
            dividers && speeds && between(compared, 10.0, 133.0)
        }
        Pll::RpllLittleBee => {
            gowin
                && between(oscillator, 400.0, 1200.0)
                && between(output, 3.125, 600.0)
                && between(compared, 3.0, 400.0)
        }
        Pll::RpllArora => {
            gowin
                && between(oscillator, 500.0, 1250.0)
                && between(output, 3.90625, 625.0)
                && between(compared, 3.0, 500.0)
        }
    }
}
