//! Settings of the dequantizer: what each vector is dequantized with, at the places of the engine where that is asked.
//!
//! Where all vectors have the same setting, it stands in registers, and a change waits until no vector is under way. Where each has
//! its own ([`EngineParams::setting_of_each`]), it comes beside the words of the sparse part, and leaves the walker beside the header
//! of its record: the levels and the length of the dense part follow from it there, and nothing waits.

use super::dequantizer_ports::{DequantizerPorts, IN_FLIGHT};
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
        thresholds: Thresholds,
        length: Signal,
        /// They are those given.
        same: Signal,
        /// They are those given in the next cycle.
        change: Signal,
    },
    /// A wire: of the vector whose header goes into the table.
    Each(Setting),
}

impl Settings {
    /// Follows those that are given. Says whether the engine is busy.
    #[module]
    pub fn new(m: Module, io: DequantizerPorts) -> Settings {
        let Some(given_length) = io.length else { return Settings::of_each(m, io) };
        let settings = m.reg_reset(thresholds(), 0);
        let length = m.reg_reset(bits(LENGTH_BITS), 0);
        let in_flight = UpDown::new(m, IN_FLIGHT);
        let may_begin = m.reg_reset(bits(1), 0).comment("enabled, and the settings are those given");
        let same = settings.pack().eq(io.thresholds.pack()) & length.eq(given_length);
        let words_wait = m.wire(bits(1));
        let idle = in_flight.is_empty() & !words_wait;
        let change = idle & !may_begin & !same;
        m.when(change, || {
            settings.set(io.thresholds);
            length.set(given_length);
        });
        io.busy.set(!idle);
        Settings { may_begin, in_flight, words_wait, of: Of::All { thresholds: settings, length, same, change } }
    }

    /// Each vector has its own.
    #[module]
    fn of_each(m: Module, io: DequantizerPorts) -> Settings {
        let in_flight = UpDown::new(m, IN_FLIGHT);
        let may_begin = m.reg_reset(bits(1), 0);
        let words_wait = m.wire(bits(1));
        let of_header = m.wire(setting());
        io.busy.set(in_flight.level.any() | words_wait);
        Settings { may_begin, in_flight, words_wait, of: Of::Each(of_header) }
    }

    /// The thresholds of the vector whose header goes into the table.
    pub fn thresholds(&self) -> Thresholds {
        match &self.of {
            Of::All { thresholds, .. } => *thresholds,
            Of::Each(setting) => setting.thresholds,
        }
    }

    /// Its length, in elements.
    #[module]
    pub fn length(&self) -> Signal {
        match &self.of {
            Of::All { length, .. } => *length,
            Of::Each(setting) => {
                let chunks = setting.chunks_minus_1.zext(LENGTH_BITS - CHUNK.ilog2()) + 1;
                chunks.cat(chunks.zeros(CHUNK.ilog2()))
            }
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

    /// Tells the walker the length of all records; or gives it the setting of each word, and takes that of each header.
    pub fn walk(&self, walker: &WalkerPorts, io: DequantizerPorts) {
        if let (Of::All { length, .. }, Some(chunks_minus_1)) = (&self.of, walker.chunks_minus_1) {
            chunks_minus_1.set((length.drop_low(6) - 1).trunc(7));
        }
        if let (Of::Each(of_header), Some(chunks_minus_1)) = (&self.of, io.chunks_minus_1) {
            let given = Setting { chunks_minus_1, thresholds: io.thresholds };
            walker.setting.iter().for_each(|of_word| of_word.set(given));
            walker.header_setting.iter().for_each(|sent| of_header.set(*sent));
        }
    }

    /// When a dense part can be read: its `vector` begins, or its setting is known with the `header` that goes into the table.
    pub fn dense_begins(&self, vector: Signal, header: Signal) -> Signal {
        match &self.of {
            Of::All { .. } => vector,
            Of::Each(_) => header,
        }
    }

    /// States that the setting of all vectors stays while one is under way, among them the one that `begins`.
    #[module]
    pub fn promise(&self, m: Module, begins: Signal) {
        if let Of::All { thresholds, length, .. } = &self.of {
            let used = thresholds.pack().cat(*length);
            stays_while(m, used, self.in_flight.level.any() | begins);
        }
    }
}
