//! What the controller does on its own: the chip's initialisation, and refreshes.
//!
//! Behind reset: a pause, all banks are precharged, [`REFRESHES`] refreshes, the mode. Then rows may be used, until a refresh is due: nothing is begun any
//! more, all banks are precharged as soon as they may be, and the refresh follows.

use super::params::SdramParams;
use hdl::{Bundle, Module, Signal, State, bits, clog2, module};

/// Refreshes of the initialisation: chips want 2 or 8.
pub const REFRESHES: u32 = 8;

#[derive(Clone, Copy, State)]
enum Phase {
    /// Behind power-up.
    Pause,
    /// All banks are being precharged.
    Close,
    /// Refreshes of the initialisation.
    Refresh,
    /// Rows may be used.
    Run,
}

/// What is to be done in this cycle.
#[derive(Clone, Copy)]
pub struct Sequence {
    /// All banks are precharged.
    pub close_all: Signal,
    /// A refresh.
    pub refresh: Signal,
    /// The mode is set.
    pub set_mode: Signal,
    /// Rows may be used.
    pub runs: Signal,
    /// Register: the chip is not initialised.
    pub starting: Signal,
}

/// The sequence; `free`: all banks may be precharged.
#[module]
pub fn sequence(m: Module, free: Signal, p: SdramParams) -> Sequence {
    let c = p.cycles();
    let most = [c.pause, c.rp, c.rc, p.times.t_mrd].into_iter().max().unwrap_or(1);
    let phase = m.state(Phase::Pause);
    let timer = m.reg_reset(bits(clog2(most as usize + 1)), c.pause).comment("cycles until the phase goes on");
    let starting = m.reg_reset(bits(1), 1).comment("the chip is not initialised");
    let further = m.reg_reset(bits(clog2(REFRESHES as usize)), REFRESHES - 1).comment("refreshes to come");
    let until_due = m.reg_reset(bits(clog2(c.period as usize)), 0).comment("cycles until a refresh is due");
    let due = !until_due.any();
    let over = !timer.any();
    let [close_all, refresh, set_mode] = ["close_all", "refresh", "set_mode"].map(|name| m.wire(bits(1)).named(name));
    [close_all, refresh, set_mode].into_iter().for_each(|x| x.set(0));
    m.when(timer.any(), || timer.set(timer - 1));
    m.when(until_due.any(), || until_due.set(until_due - 1));
    m.switch(phase, |s| {
        s.case(Phase::Pause, || {
            m.when(over, || {
                close_all.set(1);
                phase.set(Phase::Close);
            });
        });
        s.case(Phase::Close, || {
            m.when(over, || {
                refresh.set(1);
                phase.set(starting.mux(m.lit_state(Phase::Refresh), Phase::Run));
            });
        });
        s.case(Phase::Refresh, || {
            m.when(over, || {
                further.set(further - 1);
                refresh.set(further.any());
                set_mode.set(!further.any());
            });
            m.when(set_mode, || {
                starting.set(0);
                phase.set(Phase::Run);
            });
        });
        s.case(Phase::Run, || {
            m.when(over & due & free, || {
                close_all.set(1);
                phase.set(Phase::Close);
            });
        });
    });
    m.when(close_all, || timer.set(c.rp - 1));
    m.when(refresh, || {
        timer.set(c.rc - 1);
        until_due.set(c.period - 1);
    });
    m.when(set_mode, || timer.set(p.times.t_mrd - 1));
    let runs = phase.is(Phase::Run) & over & !due;
    Sequence { close_all, refresh, set_mode, runs, starting }
}
