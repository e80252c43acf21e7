//! The boards, a file each: its device, clock, line to the host, LEDs and buttons, with the pins they stand at.
//!
//! Every file names where its pins come from, and what was decided where two sources differ.

mod colorlight_i5;
mod colorlight_i9;
mod icebreaker;
mod icesugar;
mod orangecrab_25f;
mod tang_nano_20k;
mod tang_nano_9k;
#[cfg(test)]
mod tests;
mod ulx3s_85f;

use crate::device::Device;
use hw::soc::baud::{NoSuchRate, clocks_per_bit};
use hw::soc::pll::{Impossible, Setting, search};

/// All boards, by name.
pub static BOARDS: &[&Board] = &[
    &colorlight_i5::BOARD,
    &colorlight_i9::BOARD,
    &icebreaker::BOARD,
    &icesugar::BOARD,
    &orangecrab_25f::BOARD,
    &tang_nano_20k::BOARD,
    &tang_nano_9k::BOARD,
    &ulx3s_85f::BOARD,
];

/// The board of this name.
pub fn find(name: &str) -> Option<&'static Board> {
    BOARDS.iter().copied().find(|board| board.name == name)
}

/// A board.
#[derive(Debug)]
pub struct Board {
    /// Its name on the command line.
    pub name: &'static str,
    /// The name of its file in `fpga/src/boards`, without ending.
    pub module: &'static str,
    /// Its name, and the revision that the pins are of.
    pub title: &'static str,
    /// Its FPGA.
    pub device: &'static Device,
    /// Its oscillator.
    pub clock: Clock,
    /// The serial line to the host.
    pub line: Line,
    /// Its LEDs.
    pub leds: Leds,
    /// Its buttons.
    pub buttons: &'static [Button],
    /// Outputs that have to stand at a level.
    pub ties: &'static [Tie],
    /// Its SDRAM, of single data rate, if it has such a chip.
    pub sdram: Option<Sdram>,
    /// Lines in front of the pins in its constraints.
    pub settings: &'static [&'static str],
    /// What loads a bitstream.
    pub flash: Flash,
    /// Pins that the device also configures itself with, and why a design may have them.
    pub configuration_pins: &'static [(&'static str, &'static str)],
    /// Where the facts come from.
    pub sources: &'static [&'static str],
    /// What was decided where sources differ, or say too little.
    pub decisions: &'static [&'static str],
}

/// The oscillator of a board.
#[derive(Debug)]
pub struct Clock {
    /// Where it comes in.
    pub pin: Pin,
    /// Its frequency.
    pub hertz: u32,
    /// The frequency that a system on the board runs with, made by the PLL.
    pub system_hertz: u32,
}

/// The serial line to the host.
#[derive(Debug)]
pub struct Line {
    /// What the host sends comes in here.
    pub receive: Pin,
    /// What the host receives goes out here.
    pub send: Pin,
    /// What stands between line and USB.
    pub chip: &'static str,
    /// Bits a second that this is known to do.
    pub baud: u32,
}

/// LEDs.
#[derive(Debug)]
pub struct Leds {
    /// Where they are, the first one first.
    pub pins: &'static [Pin],
    /// They shine at this level.
    pub shine_at: Level,
}

/// A button.
#[derive(Debug)]
pub struct Button {
    /// Where it is.
    pub pin: Pin,
    /// The level while it is pressed.
    pub pressed: Level,
    /// What is printed beside it.
    pub label: &'static str,
}

/// An output that has to stand at a level.
#[derive(Debug)]
pub struct Tie {
    /// Name of its port.
    pub port: &'static str,
    /// Where it is.
    pub pin: Pin,
    /// The level.
    pub level: Level,
    /// What happens otherwise.
    pub why: &'static str,
}

/// An SDRAM chip of single data rate. Its ports are called `sdram_clk`, `sdram_a[0]` and so on.
#[derive(Debug)]
pub struct Sdram {
    /// What it is.
    pub chip: &'static str,
    /// Clock.
    pub clk: Pin,
    /// The clock counts, where it is no wire.
    pub cke: Option<Pin>,
    /// It is selected, where that is no wire.
    pub cs_n: Option<Pin>,
    /// RAS#.
    pub ras_n: Pin,
    /// CAS#.
    pub cas_n: Pin,
    /// WE#.
    pub we_n: Pin,
    /// Number of the bank.
    pub ba: &'static [Pin],
    /// Address.
    pub a: &'static [Pin],
    /// Masks, where they are no wires.
    pub dqm: &'static [Pin],
    /// Data.
    pub dq: &'static [Pin],
}

impl Sdram {
    /// All pins with the names of their ports.
    fn ports(&self) -> Vec<(String, Pin)> {
        let single = [
            ("clk", Some(self.clk)),
            ("cke", self.cke),
            ("cs_n", self.cs_n),
            ("ras_n", Some(self.ras_n)),
            ("cas_n", Some(self.cas_n)),
            ("we_n", Some(self.we_n)),
        ];
        let mut ports: Vec<(String, Pin)> =
            single.into_iter().filter_map(|(name, pin)| Some((format!("sdram_{name}"), pin?))).collect();
        for (name, pins) in [("ba", self.ba), ("a", self.a), ("dqm", self.dqm), ("dq", self.dq)] {
            ports.extend(numbered(&format!("sdram_{name}"), pins.iter().copied()));
        }
        ports
    }
}

/// The level of a signal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// 0.
    Low,
    /// 1.
    High,
}

/// What loads a bitstream into a board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flash {
    /// `openFPGALoader` with this name of the board.
    OpenFpgaLoader {
        /// Its name there.
        board: &'static str,
        /// A bitstream can be loaded until power goes; else it goes into the flash.
        volatile: bool,
    },
    /// `openFPGALoader` with a CMSIS-DAP probe on the carrier.
    CmsisDap,
    /// The file is copied to the USB disk that the board shows, into the flash.
    UsbDisk,
}

/// A pin of the FPGA, and how a design drives it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pin {
    /// Ball or number.
    pub ball: &'static str,
    /// The bank that it is supplied with.
    pub bank: &'static str,
    /// Levels.
    pub standard: Standard,
    /// Resistor inside of the device.
    pub pull: Pull,
    /// Strength of the output, where it is not the default.
    pub drive: Option<u8>,
    /// Its edges are steep.
    pub fast: bool,
}

/// A resistor inside of the device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pull {
    /// None.
    None,
    /// To the supply.
    Up,
    /// To ground.
    Down,
}

/// The levels of a pin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Standard {
    /// 3.3 V.
    Lvcmos33,
    /// 1.8 V.
    Lvcmos18,
    /// Terminated logic of DDR3L, 1.35 V.
    Sstl135,
}

impl Standard {
    /// Its name, which the three formats of constraints share.
    pub fn name(self) -> &'static str {
        match self {
            Standard::Lvcmos33 => "LVCMOS33",
            Standard::Lvcmos18 => "LVCMOS18",
            Standard::Sstl135 => "SSTL135_I",
        }
    }
    /// Supply of its bank.
    pub fn millivolts(self) -> u32 {
        match self {
            Standard::Lvcmos33 => 3300,
            Standard::Lvcmos18 => 1800,
            Standard::Sstl135 => 1350,
        }
    }
}

/// A pin without a resistor, of the default strength.
pub const fn pin(ball: &'static str, bank: &'static str, standard: Standard) -> Pin {
    Pin { ball, bank, standard, pull: Pull::None, drive: None, fast: false }
}

impl Pin {
    /// With a resistor to the supply.
    pub const fn pull_up(self) -> Pin {
        Pin { pull: Pull::Up, ..self }
    }
    /// With a resistor to ground.
    pub const fn pull_down(self) -> Pin {
        Pin { pull: Pull::Down, ..self }
    }
    /// Of this strength, in milliampere.
    pub const fn drive(self, milliampere: u8) -> Pin {
        Pin { drive: Some(milliampere), ..self }
    }
    /// The same with steep edges.
    pub const fn fast(self) -> Pin {
        Pin { fast: true, ..self }
    }
}

impl Board {
    /// The setting of the PLL that makes the system's clock of the oscillator.
    pub fn pll(&self) -> Result<Setting, Impossible> {
        search(self.device.pll, self.clock.hertz, self.clock.system_hertz)
    }
    /// Cycles of the system's clock in a bit of the line.
    pub fn clocks_per_bit(&self) -> Result<u32, NoSuchRate> {
        clocks_per_bit(self.clock.system_hertz, self.line.baud)
    }
    /// All pins with the names of their ports.
    pub fn ports(&self) -> Vec<(String, Pin)> {
        let mut ports = vec![
            ("clk".to_string(), self.clock.pin),
            ("uart_rx".to_string(), self.line.receive),
            ("uart_tx".to_string(), self.line.send),
        ];
        ports.extend(numbered("led", self.leds.pins.iter().copied()));
        ports.extend(numbered("button", self.buttons.iter().map(|button| button.pin)));
        ports.extend(self.ties.iter().map(|tie| (tie.port.to_string(), tie.pin)));
        ports.extend(self.sdram.iter().flat_map(Sdram::ports));
        ports
    }
}

/// `name[0]`, `name[1]`, or `name` where there is one.
fn numbered(name: &str, pins: impl ExactSizeIterator<Item = Pin>) -> Vec<(String, Pin)> {
    let single = pins.len() == 1;
    let name_of = |i| if single { name.to_string() } else { format!("{name}[{i}]") };
    pins.enumerate().map(|(i, pin)| (name_of(i), pin)).collect()
}
