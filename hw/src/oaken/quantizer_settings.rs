//! Settings of the quantizer: what each vector is quantized with, at the places of the engine where that is asked.
//!
//! Where all vectors have the same setting, it stands in registers, and a change waits until no vector is under way. Where each
//! has its own ([`EngineParams::setting_of_each`]), it comes with the first beat, and is kept in the order of the vectors for the
//! places where they are later: nothing waits.

use super::guard::GuardPorts;
use super::promises::stays_while;
use super::quantizer_front::vectors_in_flight;
use super::types::*;
use hdl::logic::UpDown;
use hdl::*;

/// The settings of the vectors under way.
pub struct Settings {
    /// Vectors may begin.
    pub may_begin: Signal,
    /// The vectors under way.
    pub in_flight: UpDown,
    of: Of,
    params: EngineParams,
}

enum Of {
    /// One for all, in registers.
    All(Setting),
    /// A wire: of the beat that comes; and those of the vectors under way, in their order.
    Each { arriving: Setting, kept: Memory<Setting> },
}

impl Settings {
    /// Follows the setting that is `given`.
    #[module]
    pub fn new(m: Module, given: Setting, enable: Signal, p: EngineParams) -> Settings {
        let in_flight = UpDown::new(m, vectors_in_flight(p));
        let may_begin = m.reg_reset(bits(1), 0);
        if p.setting_of_each() {
            may_begin.set(enable);
            let arriving = m.wire(setting());
            let kept = m.memory(setting(), vectors_in_flight(p) as usize).style(RamStyle::Distributed);
            return Settings { may_begin, in_flight, of: Of::Each { arriving, kept }, params: p };
        }
        let settings = m.reg_reset(setting(), 0);
        may_begin.comment("enabled, and the settings are those given");
        may_begin.set(settings.pack().eq(given.pack()) & enable);
        m.when(in_flight.is_empty() & !may_begin, || settings.set(given));
        Settings { may_begin, in_flight, of: Of::All(settings), params: p }
    }

    /// That of the beat which passes the guard.
    pub fn entering(&self) -> Setting {
        match &self.of {
            Of::All(setting) => *setting,
            Of::Each { arriving, .. } => *arriving,
        }
    }

    /// Where each vector has its own: takes it with the first beat that is `accepted`. A vector that stands in for one whose last
    /// got lost has that of the vector before.
    #[module]
    pub fn take(&self, m: Module, guard: &GuardPorts, given: Setting, accepted: Signal) {
        let first = guard.m.payload.first;
        let (arriving, kept) = match &self.of {
            Of::All(settings) => {
                let under_way = self.in_flight.level.any() | (accepted & first);
                return stays_while(m, settings.pack(), under_way);
            }
            Of::Each { arriving, kept } => (arriving, kept),
        };
        let current = m.reg(setting());
        arriving.set((first & guard.passing).mux(given, current));
        m.when(accepted & first, || current.set(*arriving));
        let at = self.place(m, accepted & first);
        kept.write(at, *arriving, accepted & first);
    }

    /// That of the vector whose maxima are `found`.
    #[module]
    pub fn measured(&self, m: Module, found: Signal) -> Thresholds {
        match &self.of {
            Of::All(setting) => setting.thresholds,
            Of::Each { kept, .. } => kept.read(self.place(m, found)).thresholds,
        }
    }

    /// Beats, less one, of the vector that goes out until it `leaves`.
    #[module]
    pub fn leaving(&self, m: Module, leaves: Signal) -> Signal {
        let p = self.params;
        match &self.of {
            Of::All(setting) => setting.beats_minus_1(p),
            Of::Each { kept, .. } => kept.read(self.place(m, leaves)).beats_minus_1(p),
        }
    }

    /// The place of a vector among those kept; the next one behind it when it goes `on`.
    #[module]
    fn place(&self, m: Module, on: Signal) -> Signal {
        let at = m.reg_reset(bits(clog2(vectors_in_flight(self.params) as usize)), 0);
        m.when(on, || at.set(at + 1));
        at
    }
}
