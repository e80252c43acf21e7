//! Settings of the dequantizer: what each vector is dequantized with, at the places of the engine where that is asked.
//!
//! Where all vectors have the same setting, it stands in registers, and a change waits until no vector is under way. Where each has
//! its own ([`EngineParams::setting_of_each`]), it comes beside the words of the sparse part, and leaves the walker beside the header
//! of its record: the levels and the length of the dense part follow from it there, and nothing waits.

use super::dequantizer_front::IN_FLIGHT;
use super::promises::stays_while;
use super::record_walker::WalkerPorts;
use super::types::*;
use hdl::logic::UpDown;
use hdl::*;

/// The settings of the vectors under way.
pub struct Settings {
    /// Vectors may begin.
    pub may_begin: Signal,
    /// The vectors under way.
    pub in_flight: UpDown,
    /// A wire: words of another vector are there.
    pub words_wait: Signal,
    of: Of,
}

enum Of {
    /// One for all, in registers.
    All {
        setting: Setting,
        /// It is the one given.
        same: Signal,
        /// It becomes the one given in the next cycle.
        change: Signal,
    },
    /// A wire: of the vector whose header goes into the table.
    Each(Setting),
}

impl Settings {
    /// Follows the setting that is `given`.
    #[module]
    pub fn new(m: Module, given: Setting, p: EngineParams) -> Settings {
        if p.setting_of_each() {
            let in_flight = UpDown::new(m, IN_FLIGHT);
            let may_begin = m.reg_reset(bits(1), 0);
            let words_wait = m.wire(bits(1));
            let of_header = m.wire(setting());
            return Settings { may_begin, in_flight, words_wait, of: Of::Each(of_header) };
        }
        let settings = m.reg_reset(setting(), 0);
        let in_flight = UpDown::new(m, IN_FLIGHT);
        let may_begin = m.reg_reset(bits(1), 0).comment("enabled, and the settings are those given");
        let same = settings.pack().eq(given.pack());
        let words_wait = m.wire(bits(1));
        let change = in_flight.is_empty() & !words_wait & !may_begin & !same;
        m.when(change, || settings.set(given));
        Settings { may_begin, in_flight, words_wait, of: Of::All { setting: settings, same, change } }
    }

    /// One bit: vectors are under way.
    pub fn busy(&self) -> Signal {
        self.in_flight.level.any() | self.words_wait
    }

    /// That of the vector whose header goes into the table.
    pub fn of_header(&self) -> Setting {
        match &self.of {
            Of::All { setting, .. } | Of::Each(setting) => *setting,
        }
    }

    /// One bit: the setting of all vectors is another one in the next cycle.
    pub fn change(&self) -> Option<Signal> {
        match &self.of {
            Of::All { change, .. } => Some(*change),
            Of::Each(_) => None,
        }
    }

    /// Lets vectors begin, when the tables are `prepared` for the setting of all.
    pub fn enable(&self, enable: Signal, prepared: Signal) {
        self.may_begin.set(match &self.of {
            Of::All { same, .. } => *same & enable & prepared,
            Of::Each(_) => enable & prepared,
        });
    }

    /// Gives the walker what is `given` beside its words, or what it is to be told of all records.
    pub fn walk(&self, walker: &WalkerPorts, given: Setting) {
        match &self.of {
            Of::All { setting, .. } => walker.chunks_minus_1.iter().for_each(|port| port.set(setting.chunks_minus_1)),
            Of::Each(of_header) => {
                walker.setting.iter().for_each(|port| port.set(given));
                walker.header_setting.iter().for_each(|port| of_header.set(*port));
            }
        }
    }

    /// When a dense part can be read: its vector `begins`, or its setting is known with the header that goes `in`.
    pub fn dense_begins(&self, begins: Signal, goes_in: Signal) -> Signal {
        match &self.of {
            Of::All { .. } => begins,
            Of::Each(_) => goes_in,
        }
    }

    /// States that a setting of all vectors stays while one is under way, among them the one that `begins`.
    #[module]
    pub fn promise(&self, m: Module, begins: Signal) {
        if let Of::All { setting, .. } = &self.of {
            stays_while(m, setting.pack(), self.in_flight.level.any() | begins);
        }
    }
}
