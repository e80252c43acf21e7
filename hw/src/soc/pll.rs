//! PLLs: the dividers that make a clock of another one, within the limits of the device.
//!
//! | primitive | clock that comes out | its oscillator | dividers |
//! | --- | --- | --- | --- |
//! | `EHXPLLL`, fed back from CLKOP | in * feedback / reference | out * output | `CLKI_DIV`, `CLKFB_DIV`, `CLKOP_DIV` |
//! | `SB_PLL40_PAD`, simple feedback | oscillator / 2^output | in * feedback / reference | `DIVR`, `DIVF`: less 1; `DIVQ` |
//! | `rPLL` | in * feedback / reference | out * output | `IDIV_SEL`, `FBDIV_SEL`: less 1; `ODIV_SEL` |
//!
//! A wish is met exactly or not at all: a line to the host counts on the clock. [`search`] names the nearest that can be had. Of several
//! ways to one clock it takes the one that compares at the highest frequency, which locks soonest and jitters least, and of these the one
//! whose oscillator is nearest to the middle of its range.
//!
//! The limits are those that Project Trellis (`ecppll`), Project IceStorm (`icepll`) and Apicula (`gowin_pll`) state.

use std::fmt;

/// A PLL of a device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pll {
    /// Of ECP5.
    Ehxplll,
    /// Of iCE40.
    SbPll40Pad,
    /// Of GW1NR-9C, grade C6/I5.
    RpllLittleBee,
    /// Of GW2AR-18C, grade C8/I7.
    RpllArora,
}

/// A frequency as a fraction: what dividers make is no whole number of hertz.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Frequency {
    hertz: u64,
    divided_by: u64,
}

/// From and to, both legal, in hertz.
type Range = (u64, u64);

/// What a PLL can do.
struct Limits {
    name: &'static str,
    input: Range,
    /// Where reference and feedback are compared.
    compared: Range,
    oscillator: Range,
    output: Range,
    reference: u32,
    feedback: u32,
    /// The divider of the output.
    dividers: &'static [u32],
}

/// Numbers from 1 to 128.
const UP_TO_128: [u32; 128] = {
    let mut all = [0; 128];
    let mut i = 0;
    while i < all.len() {
        all[i] = i as u32 + 1;
        i += 1;
    }
    all
};
const RPLL_DIVIDERS: &[u32] = &[2, 4, 8, 16, 32, 48, 64, 80, 96, 112, 128];

const EHXPLLL: Limits = Limits {
    name: "EHXPLLL",
    input: (8_000_000, 400_000_000),
    compared: (3_125_000, 400_000_000),
    oscillator: (400_000_000, 800_000_000),
    output: (10_000_000, 400_000_000),
    reference: 128,
    feedback: 80,
    dividers: &UP_TO_128,
};
/// The dividers of the output are the powers of two that `DIVQ` stands for.
const SB_PLL40_PAD: Limits = Limits {
    name: "SB_PLL40_PAD",
    input: (10_000_000, 133_000_000),
    compared: (10_000_000, 133_000_000),
    oscillator: (533_000_000, 1_066_000_000),
    output: (16_000_000, 275_000_000),
    reference: 16,
    feedback: 128,
    dividers: &[2, 4, 8, 16, 32, 64],
};
const RPLL_LITTLE_BEE: Limits = Limits {
    name: "rPLL",
    input: (3_000_000, 400_000_000),
    compared: (3_000_000, 400_000_000),
    oscillator: (400_000_000, 1_200_000_000),
    output: (3_125_000, 600_000_000),
    reference: 64,
    feedback: 64,
    dividers: RPLL_DIVIDERS,
};
const RPLL_ARORA: Limits = Limits {
    name: "rPLL",
    input: (3_000_000, 500_000_000),
    compared: (3_000_000, 500_000_000),
    oscillator: (500_000_000, 1_250_000_000),
    output: (3_906_250, 625_000_000),
    reference: 64,
    feedback: 64,
    dividers: RPLL_DIVIDERS,
};

/// A PLL that is set to something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Setting {
    /// The PLL.
    pub pll: Pll,
    /// What the input is divided by.
    pub reference: u32,
    /// What the feedback is divided by.
    pub feedback: u32,
    /// What the oscillator is divided by.
    pub output: u32,
    /// The clock that comes in.
    pub input_hertz: u32,
}

/// Why there is no setting.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Impossible {
    /// The input is out of range.
    Input {
        /// Name of the primitive.
        pll: &'static str,
        /// What comes in.
        hertz: u32,
        /// What may come in.
        legal: Range,
    },
    /// No dividers make this clock.
    Output {
        /// Name of the primitive.
        pll: &'static str,
        /// What comes in.
        input_hertz: u32,
        /// What was wished.
        hertz: u32,
        /// What comes nearest to it.
        nearest: Option<Setting>,
    },
}

/// The setting that makes exactly `hertz` of `input_hertz`.
pub fn search(pll: Pll, input_hertz: u32, hertz: u32) -> Result<Setting, Impossible> {
    let limits = pll.limits();
    if !within(limits.input, input_hertz.into(), 1) {
        return Err(Impossible::Input { pll: limits.name, hertz: input_hertz, legal: limits.input });
    }
    let nearest = settings(pll, input_hertz).min_by(|a, b| {
        let misses = a.misses(hertz).cmp_to(&b.misses(hertz));
        misses.then(a.reference.cmp(&b.reference)).then(a.distance_from_middle().cmp(&b.distance_from_middle()))
    });
    match nearest {
        Some(setting) if setting.frequency() == Frequency::of(hertz) => Ok(setting),
        nearest => Err(Impossible::Output { pll: limits.name, input_hertz, hertz, nearest }),
    }
}

/// All legal settings with an input that is legal.
fn settings(pll: Pll, input_hertz: u32) -> impl Iterator<Item = Setting> {
    let limits = pll.limits();
    (1..=limits.reference)
        .flat_map(move |reference| (1..=limits.feedback).map(move |feedback| (reference, feedback)))
        .flat_map(move |(reference, feedback)| {
            limits.dividers.iter().map(move |output| Setting { pll, reference, feedback, output: *output, input_hertz })
        })
        .filter(move |setting| {
            let (compared, oscillator, output) = (setting.compared(), setting.oscillator(), setting.frequency());
            compared.within(limits.compared) && oscillator.within(limits.oscillator) && output.within(limits.output)
        })
}

impl Pll {
    fn limits(self) -> &'static Limits {
        match self {
            Pll::Ehxplll => &EHXPLLL,
            Pll::SbPll40Pad => &SB_PLL40_PAD,
            Pll::RpllLittleBee => &RPLL_LITTLE_BEE,
            Pll::RpllArora => &RPLL_ARORA,
        }
    }
    /// Name of the primitive.
    pub fn name(self) -> &'static str {
        self.limits().name
    }
}

impl Setting {
    /// The clock that comes out.
    pub fn frequency(self) -> Frequency {
        let (hertz, divided_by) = (u64::from(self.input_hertz) * u64::from(self.feedback), u64::from(self.reference));
        match self.pll {
            Pll::SbPll40Pad => Frequency::fraction(hertz, divided_by * u64::from(self.output)),
            _ => Frequency::fraction(hertz, divided_by),
        }
    }
    /// The PLL's own oscillator.
    pub fn oscillator(self) -> Frequency {
        let Frequency { hertz, divided_by } = self.frequency();
        Frequency::fraction(hertz * u64::from(self.output), divided_by)
    }
    /// Where reference and feedback are compared.
    fn compared(self) -> Frequency {
        Frequency::fraction(self.input_hertz.into(), self.reference.into())
    }
    /// By how much this is not the wish.
    fn misses(self, hertz: u32) -> Frequency {
        let frequency = self.frequency();
        Frequency { hertz: frequency.hertz.abs_diff(u64::from(hertz) * frequency.divided_by), ..frequency }
    }
    /// How far the oscillator is from the middle of its range, in hertz and whole.
    fn distance_from_middle(self) -> u64 {
        let (low, high) = self.pll.limits().oscillator;
        let oscillator = self.oscillator();
        (oscillator.hertz / oscillator.divided_by).abs_diff(low.midpoint(high))
    }
    /// The parameters of the primitive that hold the dividers.
    pub fn parameters(self) -> [(&'static str, u32); 3] {
        let Setting { reference, feedback, output, .. } = self;
        match self.pll {
            Pll::Ehxplll => [("CLKI_DIV", reference), ("CLKFB_DIV", feedback), ("CLKOP_DIV", output)],
            Pll::SbPll40Pad => [("DIVR", reference - 1), ("DIVF", feedback - 1), ("DIVQ", output.trailing_zeros())],
            Pll::RpllLittleBee | Pll::RpllArora => {
                [("IDIV_SEL", reference - 1), ("FBDIV_SEL", feedback - 1), ("ODIV_SEL", output)]
            }
        }
    }
}

impl Frequency {
    /// A whole number of hertz.
    pub fn of(hertz: u32) -> Frequency {
        Frequency { hertz: hertz.into(), divided_by: 1 }
    }
    /// A fraction in its lowest terms.
    fn fraction(hertz: u64, divided_by: u64) -> Frequency {
        let (mut a, mut b) = (hertz, divided_by);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        let divisor = a.max(1);
        Frequency { hertz: hertz / divisor, divided_by: divided_by / divisor }
    }
    /// In megahertz.
    pub fn megahertz(self) -> f64 {
        self.hertz as f64 / self.divided_by as f64 / 1e6
    }
    fn within(self, range: Range) -> bool {
        within(range, self.hertz, self.divided_by)
    }
    fn cmp_to(&self, other: &Frequency) -> std::cmp::Ordering {
        let product = |a: u64, b: u64| u128::from(a) * u128::from(b);
        product(self.hertz, other.divided_by).cmp(&product(other.hertz, self.divided_by))
    }
}

fn within((low, high): Range, hertz: u64, divided_by: u64) -> bool {
    (low * divided_by..=high * divided_by).contains(&hertz)
}

/// In megahertz, to the hertz.
impl fmt::Display for Frequency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} MHz", (self.megahertz() * 1e6).round() / 1e6)
    }
}

impl fmt::Display for Impossible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let megahertz = |hertz: u64| hertz as f64 / 1e6;
        match self {
            Impossible::Input { pll, hertz, legal: (low, high) } => {
                let (hertz, low, high) = (megahertz((*hertz).into()), megahertz(*low), megahertz(*high));
                write!(f, "{pll} takes {low} to {high} MHz; {hertz} MHz is none of these")
            }
            Impossible::Output { pll, input_hertz, hertz, nearest } => {
                let (from, to) = (Frequency::of(*input_hertz), Frequency::of(*hertz));
                write!(f, "{pll} cannot make {to} of {from}")?;
                match nearest {
                    Some(setting) => write!(f, "; the nearest is {}", setting.frequency()),
                    None => write!(f, ", nor anything else"),
                }
            }
        }
    }
}

impl std::error::Error for Impossible {}

#[cfg(test)]
mod tests;
