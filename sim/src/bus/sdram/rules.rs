//! What a chip says of its controller.

use std::fmt;

/// A rule that was broken, when and where.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fault {
    /// Cycles since power-up.
    pub cycle: u64,
    /// The bank, where it is one.
    pub bank: Option<u64>,
    /// What was broken.
    pub rule: Rule,
}

/// A rule of an SDRAM chip.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rule {
    /// A command too few cycles behind another one.
    TooSoon {
        /// The time, as data sheets call it.
        time: &'static str,
        /// What lies between.
        cycles: u64,
        /// What must.
        needed: u64,
    },
    /// A row is read or written, and the bank has none open.
    RowClosed,
    /// A row is activated, and another one is open.
    BankOpen {
        /// That one.
        row: u64,
    },
    /// A refresh, or a mode, while a row is open.
    StillOpen(&'static str),
    /// A bank is precharged in the middle of a burst that is written.
    WriteCut {
        /// Words that were written.
        words: u64,
    },
    /// There is no row or column of this number.
    Address(u64),
    /// A refresh is due since this many cycles behind the last one.
    RefreshLate(u64),
    /// A command in the pause behind power-up.
    Pause(u64),
    /// An access before all banks were precharged, refreshes made and the mode set.
    NotInitialised,
    /// A mode that the chip does not have at this clock.
    Mode {
        /// What was set.
        value: u64,
        /// The legal one.
        cas_latency: u64,
    },
    /// A word is to be written, and nobody drives the pins.
    NoData,
    /// Chip and controller drive the pins in one cycle or in cycles that meet.
    BothDrive,
    /// This chip has it, the model does not.
    NotModelled(&'static str),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SDRAM, cycle {}", self.cycle)?;
        if let Some(bank) = self.bank {
            write!(f, ", bank {bank}")?;
        }
        match self.rule {
            Rule::TooSoon { time, cycles, needed } => write!(f, ": {time}: {cycles} cycles, of at least {needed}"),
            Rule::RowClosed => write!(f, ": read or write, and no row is open"),
            Rule::BankOpen { row } => write!(f, ": a row is activated while row {row} is open"),
            Rule::StillOpen(what) => write!(f, ": {what} while a row is open"),
            Rule::WriteCut { words } => write!(f, ": precharged when {words} words of a burst were written"),
            Rule::Address(value) => write!(f, ": the chip has no row or column {value}"),
            Rule::RefreshLate(interval) => write!(f, ": no refresh for more than {interval} cycles"),
            Rule::Pause(cycles) => write!(f, ": a command in the first {cycles} cycles behind power-up"),
            Rule::NotInitialised => write!(f, ": the chip is not initialised (precharge all, refreshes, mode)"),
            Rule::Mode { value, cas_latency } => {
                write!(f, ": mode {value:#x}: legal are bursts of 1, 2, 4 or 8 in sequence, CAS latency {cas_latency}")
            }
            Rule::NoData => write!(f, ": a word is to be written, and nobody drives the pins"),
            Rule::BothDrive => write!(f, ": chip and controller drive the data pins without a cycle between"),
            Rule::NotModelled(what) => write!(f, ": {what} is not modelled"),
        }
    }
}

impl std::error::Error for Fault {}
