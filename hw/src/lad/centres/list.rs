//! The list of a new key: what comes with its beats, and whether it is one.

use super::super::centre_types::*;
use hdl::*;

/// A beat of a list on its way to a projection.
#[derive(Clone, Copy, Bundle)]
pub(super) struct Listed {
    pub(super) position: Signal,
    pub(super) factor: Signal,
    pub(super) dot: Signal,
    /// It is the new key itself.
    pub(super) first: Signal,
    pub(super) last: Signal,
}

/// A new key.
pub(super) struct List {
    /// Its list is taken.
    taking: Signal,
    pub(super) position: Signal,
    pub(super) threshold: Signal,
    disorder: Signal,
    faulty: Signal,
    inconsistent: Signal,
}

impl List {
    /// Takes a list. Gives its beats with their valid bit: nothing holds them.
    #[module]
    pub(super) fn take(m: Module, s: Stream<KeyDot>, p: CentresParams) -> (List, Signal, Listed) {
        m.section("the list of a new key");
        let taking = m.reg_reset(bits(1), 1).comment("a list is taken");
        let first = m.reg_reset(bits(1), 1).comment("it begins with the new key");
        let position = m.reg(bits(p.position_bits()));
        let threshold = m.reg(bits(THRESHOLD_BITS));
        let previous = m.reg(bits(p.position_bits())).comment("the centre before");
        let has_previous = m.reg(bits(1)).comment("there is one");
        let disorder = m.reg(bits(1)).comment("centres did not rise");
        let faulty = m.reg(bits(1)).comment("a dot product was none");
        let inconsistent = m.reg(bits(1)).comment("a factor or the square is none of a centre or a key");
        let beat = s.payload;
        s.ready.set(taking);
        let in_order = beat.position.lt(position) & (!has_previous | beat.position.gt(previous));
        let no_factor = beat.factor.msb() | beat.factor.bits(14, 10).all();
        m.when(s.transfer(), || {
            first.set(beat.last);
            has_previous.set(!first);
            previous.set(beat.position);
            m.when(first, || {
                position.set(beat.position);
                threshold.set(beat.threshold);
                disorder.set(0);
                faulty.set(beat.faulty);
                inconsistent.set(beat.dot.msb());
            })
            .otherwise(|| {
                m.when(!in_order, || disorder.set(1));
                m.when(beat.faulty, || faulty.set(1));
                m.when(no_factor, || inconsistent.set(1));
            });
            m.when(beat.last, || taking.set(0));
        });
        let KeyDot { position: of_beat, factor, dot, last, .. } = beat;
        let listed = Listed { position: of_beat, factor, dot, first, last };
        (List { taking, position, threshold, disorder, faulty, inconsistent }, s.transfer(), listed)
    }

    /// Its record is given: the next list may come.
    #[module]
    pub(super) fn end(&self, m: Module, given: Signal) {
        m.when(given, || self.taking.set(1));
    }

    /// Whether it was a list.
    pub(super) fn cause(&self, m: Module) -> StateSignal<CentreCause> {
        let cause = |cause| m.lit_state(cause);
        let of_numbers = self.inconsistent.mux(cause(CentreCause::Inconsistent), cause(CentreCause::Done));
        let of_dots = self.faulty.mux(cause(CentreCause::NotFinite), of_numbers);
        self.disorder.mux(cause(CentreCause::Order), of_dots)
    }
}
