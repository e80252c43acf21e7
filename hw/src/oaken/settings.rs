//! The registers of an engine, from one description: settings, status, errors and a counter.

use super::types::{EngineParams, LENGTH_BITS, PAPER_BITS, Thresholds};
use crate::control::{RegisterMap, Registers, Ro, Rw, Sticky};
use hdl::*;

/// The registers of an engine and the handles of their fields.
pub struct EngineMap {
    /// The description.
    pub map: RegisterMap,
    enable: Rw,
    flush: Rw,
    length: Rw,
    s_low: Rw,
    t_low: Rw,
    t_high: Rw,
    s_high: Rw,
    busy: Ro,
    legal: Ro,
    vectors: Ro,
    errors: Vec<Sticky>,
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
    /// Magnitudes of the thresholds.
    pub thresholds: Thresholds,
}

/// Describes the registers of an engine with the given identification (four letters) and its kinds of errors.
pub fn engine_map(name: &str, id: [u8; 4], p: EngineParams, errors: &[(&str, &str)]) -> EngineMap {
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
    let busy = status.ro("busy", 1, "vectors are under way");
    let legal = status.ro("legal", 1, "length and thresholds are legal; while they are not, no vector begins");
    let mut flags = map.register("errors", "what went wrong since it was cleared; write 1 to clear");
    let errors = errors.iter().map(|(name, doc)| flags.sticky(name, doc)).collect();
    let length = map.rw("length", 32, p.max_length, "elements of a vector: a multiple of 64 up to max_length");
    map.units(length, "elements");
    let mut threshold = |name: &str, reset: u32, doc: &str| map.rw(name, 16, reset, doc);
    let s_low = threshold("s_low", 0xfbff, "S_low, binary16, at most T_low: below it is the outer group");
    let t_low = threshold("t_low", 0x8000, "T_low, binary16, at most 0: from it to T_high is the inner group");
    let t_high = threshold("t_high", 0, "T_high, binary16, at least 0");
    let s_high = threshold("s_high", 0x7bff, "S_high, binary16, at least T_high: above it is the outer group");
    let vectors = map.ro("vectors", 32, "vectors that left the engine since reset, modulo 2^32");
    let flush = map.rw(
        "flush",
        1,
        0,
        "1: what comes is dropped, and the vectors under way are completed with zeros; when `busy` is 0, write 0, and the next beats \
         begin a vector",
    );
    EngineMap { map, enable, flush, length, s_low, t_low, t_high, s_high, busy, legal, vectors, errors }
}

impl EngineMap {
    /// What software set. Also shows whether it is legal.
    #[track_caller]
    pub fn settings(&self, regs: &Registers, p: EngineParams) -> Settings {
        let length = regs[self.length];
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
        let length = length.trunc(LENGTH_BITS);
        Settings { enable: regs[self.enable] & legal, flush: regs[self.flush], length, thresholds }
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
