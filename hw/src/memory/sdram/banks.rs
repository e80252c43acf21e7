//! The banks of the chip: which row is open, and since when they may be activated, precharged, read and written.
//!
//! All counters are cycles that are left, and stand at 0. A bank has one counter for its row commands: while a row is open, until it may be precharged; while
//! none is, until one may be activated.

use super::params::{Cycles, SdramParams};
use hdl::{Bundle, Memory, Module, RamStyle, Signal, bits, cat, clog2, module};

/// The state of all banks.
pub struct Banks {
    m: Module,
    /// A row is open.
    open: Vec<Signal>,
    /// Until the next row command.
    hold: Vec<Signal>,
    /// Until the row that was activated may be read or written.
    opening: Vec<Signal>,
    /// Until a row of any bank may be activated: tRRD.
    apart: Signal,
    /// The rows that are open.
    rows: Memory<Signal>,
    cycles: Cycles,
}

/// What a segment finds in its bank.
#[derive(Clone, Copy)]
pub struct Look {
    /// Its row is open, and may be read and written.
    pub hit: Signal,
    /// Another row is open, and may be closed.
    pub close: Signal,
    /// None is open, and its row may be.
    pub open: Signal,
}

/// A register that counts down to 0, from `most` or less.
fn countdown(m: Module, name: &str, most: u32) -> Signal {
    let left = m.reg_reset(bits(clog2(most as usize + 1).max(1)), 0).named(name);
    m.when(left.any(), || left.set(left - 1));
    left
}

impl Banks {
    /// Banks that are closed.
    #[module]
    pub fn new(m: Module, p: SdramParams) -> Banks {
        let cycles = p.cycles();
        let banks = 1usize << p.bank_bits;
        let most = [cycles.ras, cycles.rp, cycles.column[0], cycles.column[1]].into_iter().max().unwrap_or(1);
        let open: Vec<Signal> = (0..banks).map(|i| m.reg_reset(bits(1), 0).named(&format!("open_{i}"))).collect();
        let hold: Vec<Signal> = (0..banks).map(|i| countdown(m, &format!("hold_{i}"), most - 1)).collect();
        let opening: Vec<Signal> = (0..banks).map(|i| countdown(m, &format!("opening_{i}"), cycles.rcd - 1)).collect();
        let apart = countdown(m, "apart", cycles.rrd - 1);
        let rows = m.memory(bits(p.row_bits), banks).style(RamStyle::Distributed);
        Banks { m, open, hold, opening, apart, rows, cycles }
    }

    /// What stands in the way of a row of this bank.
    #[module]
    pub fn look(&self, bank: Signal, row: Signal) -> Look {
        let of_bank = |bits: &[Signal]| cat(&bits.iter().rev().copied().collect::<Vec<_>>()).part(bank, 1);
        let none = |left: &[Signal]| left.iter().map(|x| !x.any()).collect::<Vec<_>>();
        let is_open = of_bank(&self.open);
        let free = of_bank(&none(&self.hold));
        let opened = of_bank(&none(&self.opening));
        let same = self.rows.read(bank).eq(row);
        Look { hit: is_open & same & opened, close: is_open & !same & free, open: !is_open & free & !self.apart.any() }
    }

    /// All banks may be precharged.
    pub fn free(&self) -> Signal {
        self.hold.iter().map(|left| !left.any()).reduce(|a, b| a & b).expect("there are banks")
    }

    /// A row is activated, if `now`.
    pub fn activate(&self, now: Signal, bank: Signal, row: Signal) {
        let Cycles { ras, rcd, rrd, .. } = self.cycles;
        self.rows.write(bank, row, now);
        self.each(now, bank, |i| {
            self.open[i].set(1);
            self.hold[i].set(ras - 1);
            self.opening[i].set(rcd - 1);
        });
        self.m.when(now, || self.apart.set(rrd - 1));
    }

    /// A bank is precharged, if `now`.
    pub fn precharge(&self, now: Signal, bank: Signal) {
        self.each(now, bank, |i| {
            self.open[i].set(0);
            self.hold[i].set(self.cycles.rp - 1);
        });
    }

    /// All are precharged, if `now`; nobody activates before that is over.
    pub fn precharge_all(&self, now: Signal) {
        self.m.when(now, || self.open.iter().for_each(|open| open.set(0)));
    }

    /// A beat is read or written, if `now`: its bank is not precharged before its end.
    #[module]
    pub fn column(&self, now: Signal, bank: Signal, write: Signal) {
        let [read_hold, write_hold] = self.cycles.column.map(|cycles| cycles - 1);
        for (i, hold) in self.hold.iter().enumerate() {
            let least = write.mux(self.m.lit(write_hold, hold.width()), read_hold);
            let longer = hold.le(least); // it is one less in the next cycle
            self.m.when(now & bank.eq(i) & longer, || hold.set(least));
        }
    }

    fn each(&self, now: Signal, bank: Signal, f: impl Fn(usize)) {
        (0..self.open.len()).for_each(|i| {
            self.m.when(now & bank.eq(i), || f(i));
        });
    }
}
