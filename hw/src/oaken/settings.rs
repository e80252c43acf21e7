//! The registers of an engine, from one description: settings, status, errors and a counter.

use super::setting_table::Store;
use super::types::{CHUNK, EngineParams, LENGTH_BITS, PAPER_BITS, Setting, Thresholds};
use crate::control::{RegisterMap, Registers, Ro, Rw, Sticky};
use hdl::*;

/// The registers of an engine and the handles of their fields.
pub struct EngineMap {
    /// The description.
    pub map: RegisterMap,
    enable: Rw,
    chosen: Option<Chosen>,
    s_low: Rw,
    t_low: Rw,
    t_high: Rw,
    s_high: Rw,
    busy: Ro,
    legal: Ro,
    vectors: Ro,
    errors: Vec<Sticky>,
    several: Option<Several>,
}

/// Who says how long vectors are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lengths {
    /// Software, which also flushes.
    Chosen,
    /// All vectors are the longest there are, and nothing is flushed: for a system that counts on exactly one record for each packet.
    Longest,
}

/// What there is where software chooses the length.
struct Chosen {
    length: Rw,
    flush: Rw,
}

/// What there is where vectors name their settings.
struct Several {
    number: Rw,
    store: Rw,
    refused: Sticky,
    unset: Sticky,
}

/// What software set, as the engine needs it.
#[derive(Clone, Copy)]
pub struct Settings {
    /// Vectors may begin: enabled, and the settings are legal.
    pub enable: Signal,
    /// What comes is dropped, and the vectors under way are completed.
    pub flush: Signal,
    /// Elements of a vector.
    pub length: Signal,
    /// Length and thresholds.
    pub setting: Setting,
    /// Where vectors name their settings: what software puts into the table.
    pub store: Option<Store>,
}

/// Describes the registers of an engine with the given identification (four letters) and its kinds of errors.
pub fn engine_map(name: &str, id: [u8; 4], p: EngineParams, lengths: Lengths, errors: &[(&str, &str)]) -> EngineMap {
    let mut map = RegisterMap::new(name, "Settings and status of an Oaken engine.");
    map.constant("id", 32, u32::from_be_bytes(id), "identification: four letters");
    let mut parameters = map.register("parameters", "what the engine was generated with");
    parameters.constant("lanes", 7, p.lanes, "elements a cycle");
    parameters.reserved(1);
    let width = p.dense_bits ^ PAPER_BITS;
    parameters.constant(
        "dense_bits_xor_4",
        3,
        width,
        "bits of a code in the dense part, xor 4, as in the headers of records",
    );
    parameters.reserved(5);
    parameters.constant("max_length", LENGTH_BITS, p.max_length, "the longest vector, in elements");
    let enable = map.rw("enable", 1, 0, "1: vectors may begin, as long as the settings are legal");
    let mut status = map.register("status", "what the engine does now");
    let busy = status.ro("busy", 1, "vectors are under way: begun, and not taken to their end at the outputs");
    let legal = status.ro("legal", 1, "length and thresholds are legal; while they are not, no vector begins");
    let mut flags = map.register("errors", "what went wrong since it was cleared; write 1 to clear");
    let errors = errors.iter().map(|(name, doc)| flags.sticky(name, doc)).collect();
    let flags_of_several = p.setting_of_each().then(|| {
        let refused = flags.sticky("refused", "a setting was to be stored that is not legal; it was not");
        let unset = flags.sticky(
            "unset",
            "a vector named a setting that was never stored; it was taken with the values that length and thresholds have after reset",
        );
        (refused, unset)
    });
    let length = match lengths {
        Lengths::Chosen => {
            let length = map.rw("length", 32, p.max_length, "elements of a vector: a multiple of 64 up to max_length");
            map.units(length, "elements");
            Some(length)
        }
        Lengths::Longest => {
            map.constant("length", 32, p.max_length, "elements of a vector");
            None
        }
    };
    let mut threshold = |name: &str, reset: u32, doc: &str| map.rw(name, 16, reset, doc);
    let s_low = threshold("s_low", 0xfbff, "S_low, binary16, at most T_low: below it is the outer group");
    let t_low = threshold("t_low", 0x8000, "T_low, binary16, at most 0: from it to T_high is the inner group");
    let t_high = threshold("t_high", 0, "T_high, binary16, at least 0");
    let s_high = threshold("s_high", 0x7bff, "S_high, binary16, at least T_high: above it is the outer group");
    let vectors = map.ro("vectors", 32, "vectors whose last beats were taken at the outputs since reset, modulo 2^32");
    let chosen = match length {
        Some(length) => {
            let flush = map.rw(
                "flush",
                1,
                0,
                "1: what comes is dropped, and the vectors under way are completed with zeros; when `busy` is 0, write 0, and the next beats \
                 begin a vector",
            );
            Some(Chosen { length, flush })
        }
        None => {
            map.constant("flush", 1, 0, "nothing can be flushed here");
            None
        }
    };
    let several = flags_of_several.map(|(refused, unset)| {
        let mut setting = map.register(
            "setting",
            "puts length and thresholds into the table of settings, of which each vector names one",
        );
        let number = setting.rw("number", 8, 0, "where they go");
        let store = setting.rw("store", 1, 0, "when this becomes 1, they go there, if they are legal");
        setting.reserved(7);
        setting.constant("count", 7, p.settings, "settings in the table");
        Several { number, store, refused, unset }
    });
    EngineMap { map, enable, chosen, s_low, t_low, t_high, s_high, busy, legal, vectors, errors, several }
}

impl EngineMap {
    /// What software set. Also shows whether it is legal.
    #[module]
    pub fn settings(&self, m: Module, regs: &Registers, p: EngineParams) -> Settings {
        let chosen = self.chosen.as_ref();
        let length = chosen.map_or(m.lit(p.max_length, 32), |chosen| regs[chosen.length]);
        let flush = chosen.map_or(m.lit(0u32, 1), |chosen| regs[chosen.flush]);
        let whole_chunks = !length.trunc(6).any();
        // all bits of what was written: 0x4040 is no 64
        let length_legal = whole_chunks & length.any() & length.le(p.max_length);
        let (s_low, t_low) = (regs[self.s_low], regs[self.t_low]);
        let (t_high, s_high) = (regs[self.t_high], regs[self.s_high]);
        let magnitude = |x: Signal| x.trunc(15);
        let not_positive = |x: Signal| x.msb() | !magnitude(x).any();
        let not_negative = |x: Signal| !x.msb() | !magnitude(x).any();
        let finite = |x: Signal| !x.bits(14, 10).all();
        let low_legal =
            not_positive(s_low) & not_positive(t_low) & magnitude(t_low).le(magnitude(s_low)) & finite(s_low);
        let high_legal =
            not_negative(s_high) & not_negative(t_high) & magnitude(t_high).le(magnitude(s_high)) & finite(s_high);
        let legal = length_legal & low_legal & high_legal;
        regs[self.legal].set(legal);
        let thresholds = Thresholds {
            s_low: magnitude(s_low),
            t_low: magnitude(t_low),
            t_high: magnitude(t_high),
            s_high: magnitude(s_high),
        };
        let chunks_minus_1 = (length.drop_low(CHUNK.ilog2()) - 1).trunc(7);
        let setting = Setting { chunks_minus_1, thresholds };
        let store = self.several.as_ref().zip(p.number_bits());
        let store = store.map(|(several, number_bits)| self.store(m, regs, several, number_bits, setting, legal));
        // settings of each were legal when they were stored
        let enable = if p.setting_of_each() { regs[self.enable] } else { regs[self.enable] & legal };
        Settings { enable, flush, length: length.trunc(LENGTH_BITS), setting, store }
    }
    /// What goes into the table of settings, when software says so.
    #[module]
    fn store(
        &self,
        m: Module,
        regs: &Registers,
        several: &Several,
        number_bits: u32,
        setting: Setting,
        legal: Signal,
    ) -> Store {
        let store = regs[several.store];
        let before = m.reg_reset(bits(1), 0);
        before.set(store);
        let begins = store & !before;
        // numbers that the table does not have
        let number = regs[several.number];
        let exists = !number.drop_low(number_bits).any();
        regs[several.refused].set.set(begins & !(legal & exists));
        // before the write is answered: a vector that comes after the answer finds it
        Store { valid: begins & legal & exists, number: number.trunc(number_bits), setting }
    }
    /// Tells software that a vector named a setting that was never stored.
    pub fn report_unset(&self, regs: &Registers, unset: Signal) {
        self.several.iter().for_each(|several| regs[several.unset].set.set(unset));
    }
    /// Shows status and errors to software; `errors` in the order of the description.
    #[module]
    pub fn report(&self, m: Module, regs: &Registers, busy: Signal, finished: Signal, errors: &[Signal]) {
        regs[self.busy].set(busy);
        let vectors = m.reg_reset(bits(32), 0);
        m.when(finished, || vectors.set(vectors + 1));
        regs[self.vectors].set(vectors);
        for (flag, error) in self.errors.iter().zip(errors) {
            regs[*flag].set.set(*error);
        }
    }
}
