//! The FPGAs of the boards, and which pins of their packages can be used.

use hw::soc::pll::Pll;
use std::collections::BTreeMap;

/// FPGAs that the same tools place and route.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Family {
    /// Lattice ECP5.
    Ecp5,
    /// Lattice iCE40.
    Ice40,
    /// Gowin LittleBee and Arora.
    Gowin,
}

impl Family {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Family::Ecp5 => "ECP5",
            Family::Ice40 => "iCE40",
            Family::Gowin => "Gowin",
        }
    }
}

/// An FPGA in its package.
#[derive(Debug)]
pub struct Device {
    /// Its name without package and grade.
    pub name: &'static str,
    /// Its tools.
    pub family: Family,
    /// Its package.
    pub package: &'static str,
    /// Its speed grade, as in the name of the part.
    pub grade: &'static str,
    /// What it is ordered by.
    pub part: &'static str,
    /// What makes other clocks of the oscillator.
    pub pll: Pll,
    /// The pins of the package, one of the texts of `fpga/packages`.
    pins: &'static str,
}

macro_rules! devices {
    ($($(#[$doc:meta])* $name:ident = $device:literal $family:ident $pll:ident $package:literal $grade:literal $part:literal $pins:literal;)*) => {$(
        $(#[$doc])*
        pub static $name: Device = Device {
            name: $device,
            family: Family::$family,
            package: $package,
            grade: $grade,
            part: $part,
            pll: Pll::$pll,
            pins: include_str!(concat!("../packages/", $pins, ".txt")),
        };
    )*};
}

devices! {
    /// ECP5 of 84 thousand LUTs, with 381 balls.
    LFE5U_85F_CABGA381 = "LFE5U-85F" Ecp5 Ehxplll "CABGA381" "6" "LFE5U-85F-6BG381C" "lfe5u-85f_cabga381";
    /// ECP5 of 44 thousand LUTs, with 381 balls.
    LFE5U_45F_CABGA381 = "LFE5U-45F" Ecp5 Ehxplll "CABGA381" "6" "LFE5U-45F-6BG381C" "lfe5u-45f_cabga381";
    /// ECP5 of 24 thousand LUTs, with 381 balls.
    LFE5U_25F_CABGA381 = "LFE5U-25F" Ecp5 Ehxplll "CABGA381" "6" "LFE5U-25F-6BG381C" "lfe5u-25f_cabga381";
    /// ECP5 of 24 thousand LUTs, with 285 balls.
    LFE5U_25F_CSFBGA285 = "LFE5U-25F" Ecp5 Ehxplll "CSFBGA285" "8" "LFE5U-25F-8MG285C" "lfe5u-25f_csfbga285";
    /// iCE40 UltraPlus of 5280 logic cells. It comes in one grade.
    ICE40UP5K_SG48 = "iCE40UP5K" Ice40 SbPll40Pad "SG48" "" "iCE40UP5K-SG48I" "ice40up5k_sg48";
    /// Gowin LittleBee of 8640 LUTs, with PSRAM in the package.
    GW1NR_9C_QFN88P = "GW1NR-9C" Gowin RpllLittleBee "QFN88P" "C6/I5" "GW1NR-LV9QN88PC6/I5" "gw1nr-9c_qfn88p";
    /// Gowin Arora of 20736 LUTs, with SDRAM in the package.
    GW2AR_18C_QFN88 = "GW2AR-18C" Gowin RpllArora "QFN88" "C8/I7" "GW2AR-LV18QN88C8/I7" "gw2ar-18c_qfn88";
}

/// What a package has at a pin that a design can use.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PackagePin {
    /// The bank that it is supplied with.
    pub bank: String,
    /// What the device uses it for while it is configured.
    pub configuration: Option<String>,
}

impl Device {
    /// The pins that a design can use, by ball or number.
    pub fn pins(&self) -> BTreeMap<String, PackagePin> {
        let mut pins = BTreeMap::new();
        for line in joined_lines(self.pins) {
            let Some((head, tail)) = line.split_once(": ") else { continue };
            match head.split_once(' ') {
                Some(("bank", bank)) => pins.extend(
                    tail.split_whitespace()
                        .map(|ball| (ball.to_string(), PackagePin { bank: bank.to_string(), configuration: None })),
                ),
                Some(("configuration", ball)) => {
                    if let Some(pin) = pins.get_mut(ball) {
                        pin.configuration = Some(tail.to_string());
                    }
                }
                _ => {}
            }
        }
        pins
    }
}

/// The lines of a text without its comments; a line that begins with a space goes on with the one before.
fn joined_lines(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = vec![];
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        match lines.last_mut() {
            Some(last) if line.starts_with(' ') => {
                last.push(' ');
                last.push_str(line.trim_start());
            }
            _ => lines.push(line.to_string()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The packages with the number of their pins: of balls that carry signals, as the makers' data sheets count them, without
    /// those of the serial transceivers.
    #[test]
    fn the_texts_of_all_packages_are_read_whole() {
        let all = [
            (&LFE5U_85F_CABGA381, 205),
            (&LFE5U_45F_CABGA381, 203),
            (&LFE5U_25F_CABGA381, 197),
            (&LFE5U_25F_CSFBGA285, 118),
            (&ICE40UP5K_SG48, 39),
            (&GW1NR_9C_QFN88P, 71),
            (&GW2AR_18C_QFN88, 66),
        ];
        for (device, count) in all {
            let pins = device.pins();
            assert_eq!(pins.len(), count, "{}", device.part);
            assert!(pins.values().any(|pin| pin.configuration.is_some()), "{}", device.part);
        }
        let pins = LFE5U_85F_CABGA381.pins();
        assert_eq!(pins["E15"].bank, "1", "from a line that goes on");
        assert_eq!(pins["R1"].configuration.as_deref(), Some("D7/IO7"));
    }
}
