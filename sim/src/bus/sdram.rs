//! A single-data-rate SDRAM chip behind its pins: it keeps what is written, and says which time or order of its data sheet is violated.
//!
//! [`Sdram::clock`] is called once a cycle with what stands at the pins, and gives what stands on the data pins in this cycle. The data of a
//! read stand there CAS latency cycles behind its command. Where the chip drives nothing, and for bytes that are masked or were never written,
//! that is a random number: who takes it for data is found out.
//!
//! Checked: tRCD, tRP, tRAS, tRC (between activations of a bank, and behind a refresh), tRRD, tWR, tMRD, the pause and the refreshes of the
//! initialisation, the interval of refreshes (strictly: none comes later behind the one before), the mode register, rows that are open or closed, and
//! that controller and chip never drive together nor in cycles that meet. Not modelled, and refused: automatic precharge, burst stop, power-down,
//! self refresh.

pub use self::rules::{Fault, Rule};
use fastrand::Rng;
use rustc_hash::FxHashMap as HashMap;
use std::collections::VecDeque;

mod rules;

/// What a chip is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SdramShape {
    /// Bytes of a word: 1, 2 or 4.
    pub word_bytes: u32,
    /// Bits of the number of a row.
    pub row_bits: u32,
    /// Bits of the number of a word in its row, at most 10.
    pub column_bits: u32,
    /// Bits of the number of a bank.
    pub bank_bits: u32,
}

/// The times of a data sheet, in cycles of the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SdramTimes {
    /// The one that is legal at this clock.
    pub cas_latency: u64,
    /// From activating a row to reading or writing it.
    pub t_rcd: u64,
    /// From precharging a bank to activating a row of it.
    pub t_rp: u64,
    /// From activating a row to precharging its bank.
    pub t_ras: u64,
    /// From activating a row of a bank to activating another one, and from a refresh to anything else.
    pub t_rc: u64,
    /// From activating a row of a bank to activating one of another bank.
    pub t_rrd: u64,
    /// From the last word that is written to precharging its bank.
    pub t_wr: u64,
    /// From setting the mode to the next command.
    pub t_mrd: u64,
    /// The most from one refresh to the next.
    pub refresh_interval: u64,
    /// From power-up to the first command.
    pub init_pause: u64,
    /// Refreshes before the first access.
    pub init_refreshes: u64,
}

/// What a controller puts on the pins in a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SdramPins {
    /// RAS#, CAS# and WE# as one number: 7 is no operation.
    pub command: u64,
    /// Number of the bank.
    pub bank: u64,
    /// Row, or column with A10.
    pub address: u64,
    /// The word on the data pins, if the controller drives them.
    pub data: Option<u64>,
    /// DQM: a bit for each byte that is not written or not given.
    pub mask: u64,
}

impl SdramPins {
    /// No operation.
    pub const NOP: SdramPins = SdramPins { command: 7, bank: 0, address: 0, data: None, mask: 0 };
}

#[derive(Clone, Copy, Debug, Default)]
struct Bank {
    row: Option<u64>,
    activated: Option<u64>,
    precharged: Option<u64>,
    /// When the last word was written.
    written: Option<u64>,
}

/// A burst that is being written.
#[derive(Clone, Copy, Debug)]
struct Write {
    bank: u64,
    row: u64,
    column: u64,
    start: u64,
    length: u64,
}

/// A chip.
pub struct Sdram {
    shape: SdramShape,
    times: SdramTimes,
    rng: Rng,
    cycle: u64,
    /// Since when it is powered up.
    power_up: u64,
    banks: Vec<Bank>,
    /// Words by bank and row, each with a bit for each byte that was written.
    rows: HashMap<(u64, u64), Vec<(u64, u64)>>,
    activated: Option<u64>,
    refreshed: Option<u64>,
    refreshes: u64,
    all_precharged: bool,
    /// When the mode was set, and the length of bursts.
    mode: Option<(u64, u64)>,
    writing: Option<Write>,
    /// Words that will stand on the pins: when, of which bank, and the word with the bytes that are known.
    reading: VecDeque<(u64, u64, (u64, u64))>,
    /// The masks of the last two cycles; the older one first.
    masks: [u64; 2],
    /// When the chip and when the controller drove the pins last.
    drove: [Option<u64>; 2],
    /// Commands that came, by their code.
    pub counts: [u64; 8],
}

impl Sdram {
    /// A chip that was just powered up. The seed decides what it gives where nothing is known.
    pub fn new(shape: SdramShape, times: SdramTimes, seed: u64) -> Sdram {
        let banks = vec![Bank::default(); 1 << shape.bank_bits];
        let (rows, reading) = Default::default();
        Sdram {
            shape,
            times,
            rng: Rng::with_seed(seed),
            cycle: 0,
            power_up: 0,
            banks,
            rows,
            activated: None,
            refreshed: None,
            refreshes: 0,
            all_precharged: false,
            mode: None,
            writing: None,
            reading,
            masks: [0; 2],
            drove: [None; 2],
            counts: [0; 8],
        }
    }

    /// From now on it wants to be initialised as after power-up: its controller is reset. Bursts are cut, rows stay open, and words stay.
    pub fn initialise_again(&mut self) {
        self.power_up = self.cycle;
        (self.refreshes, self.all_precharged, self.mode, self.refreshed) = (0, false, None, None);
        self.writing = None;
        self.reading.clear();
    }

    /// Was it initialised?
    pub fn is_ready(&self) -> bool {
        self.mode.is_some() && self.all_precharged && self.refreshes >= self.times.init_refreshes
    }

    /// A word, with a bit for each byte of it that was written.
    pub fn word(&self, bank: u64, row: u64, column: u64) -> (u64, u64) {
        self.rows.get(&(bank, row)).map_or((0, 0), |words| words[column as usize])
    }

    /// A cycle: what the controller drives. Gives the word on the data pins.
    pub fn clock(&mut self, pins: SdramPins) -> Result<u64, Fault> {
        let late = |at| self.cycle - at > self.times.refresh_interval;
        if self.is_ready() && self.refreshed.is_some_and(late) {
            return Err(self.fault(None, Rule::RefreshLate(self.times.refresh_interval)));
        }
        let word = self.give(pins)?;
        self.command(pins)?;
        self.take(pins)?;
        self.masks = [self.masks[1], pins.mask];
        self.cycle += 1;
        Ok(word)
    }

    /// The word on the data pins, and whether only one drives them.
    fn give(&mut self, pins: SdramPins) -> Result<u64, Fault> {
        let now = self.cycle;
        let mut word = self.rng.u64(..);
        let gives = self.reading.front().is_some_and(|(at, ..)| *at == now);
        if let Some((_, _, (value, known))) = gives.then(|| self.reading.pop_front()).flatten() {
            let shown = spread(known & !self.masks[0]);
            word = (word & !shown) | (value & shown);
            self.drove[0] = Some(now);
        }
        if pins.data.is_some() {
            self.drove[1] = Some(now);
        }
        let near = |at: Option<u64>| at.is_some_and(|at| now - at <= 1);
        if (gives || pins.data.is_some()) && near(self.drove[0]) && near(self.drove[1]) {
            return Err(self.fault(None, Rule::BothDrive));
        }
        Ok(pins.data.unwrap_or(word) & spread((1 << self.shape.word_bytes) - 1))
    }

    fn command(&mut self, pins: SdramPins) -> Result<(), Fault> {
        let SdramPins { command, bank, address, .. } = pins;
        self.counts[command as usize & 7] += 1;
        if command == 7 {
            return Ok(());
        }
        if self.cycle - self.power_up < self.times.init_pause {
            return Err(self.fault(None, Rule::Pause(self.times.init_pause)));
        }
        self.apart(None, "tMRD", self.mode.map(|mode| mode.0), self.times.t_mrd)?;
        self.apart(None, "tRC (refresh)", self.refreshed, self.times.t_rc)?;
        match command {
            0 => self.set_mode(address),
            1 => self.refresh(),
            2 => self.precharge((address >> 10 & 1 == 0).then_some(bank)),
            3 => self.activate(bank, address),
            4 | 5 => self.access(command == 4, bank, address),
            _ => Err(self.fault(None, Rule::NotModelled("burst stop"))),
        }
    }

    fn activate(&mut self, bank: u64, row: u64) -> Result<(), Fault> {
        self.initialised(bank)?;
        let state = self.banks[bank as usize];
        if let Some(open) = state.row {
            return Err(self.fault(Some(bank), Rule::BankOpen { row: open }));
        }
        self.apart(Some(bank), "tRP", state.precharged, self.times.t_rp)?;
        self.apart(Some(bank), "tRC", state.activated, self.times.t_rc)?;
        self.apart(Some(bank), "tRRD", self.activated, self.times.t_rrd)?;
        if row >> self.shape.row_bits != 0 {
            return Err(self.fault(Some(bank), Rule::Address(row)));
        }
        let now = Some(self.cycle);
        self.banks[bank as usize] = Bank { row: Some(row), activated: now, precharged: None, written: None };
        self.activated = now;
        Ok(())
    }

    fn access(&mut self, write: bool, bank: u64, address: u64) -> Result<(), Fault> {
        self.initialised(bank)?;
        let state = self.banks[bank as usize];
        let Some(row) = state.row else { return Err(self.fault(Some(bank), Rule::RowClosed)) };
        self.apart(Some(bank), "tRCD", state.activated, self.times.t_rcd)?;
        if address >> 10 & 1 == 1 {
            return Err(self.fault(Some(bank), Rule::NotModelled("automatic precharge")));
        }
        if address >> self.shape.column_bits != 0 {
            return Err(self.fault(Some(bank), Rule::Address(address)));
        }
        let length = self.mode.map_or(1, |mode| mode.1);
        let (start, column) = (self.cycle, address);
        self.writing = write.then_some(Write { bank, row, column, start, length });
        // a later burst cuts an earlier one
        let first = if write { start } else { start + self.times.cas_latency };
        self.reading.retain(|(at, ..)| *at < first);
        if !write {
            let words = (0..length).map(|i| (first + i, bank, self.word(bank, row, in_burst(column, i, length))));
            let words: Vec<_> = words.collect();
            self.reading.extend(words);
        }
        Ok(())
    }

    /// Takes the word of a burst that is being written.
    fn take(&mut self, pins: SdramPins) -> Result<(), Fault> {
        let Some(Write { bank, row, column, start, length }) = self.writing else { return Ok(()) };
        let i = self.cycle - start;
        if i >= length {
            self.writing = None;
            return Ok(());
        }
        let Some(word) = pins.data else { return Err(self.fault(Some(bank), Rule::NoData)) };
        let words = self.rows.entry((bank, row)).or_insert_with(|| vec![(0, 0); 1 << self.shape.column_bits]);
        let (value, known) = &mut words[in_burst(column, i, length) as usize];
        let bytes = !pins.mask & ((1 << self.shape.word_bytes) - 1);
        (*value, *known) = ((*value & !spread(bytes)) | (word & spread(bytes)), *known | bytes);
        self.banks[bank as usize].written = Some(self.cycle);
        Ok(())
    }

    /// Of one bank, or of all.
    fn precharge(&mut self, bank: Option<u64>) -> Result<(), Fault> {
        let now = self.cycle;
        for i in bank.map_or(0..self.banks.len() as u64, |bank| bank..bank + 1) {
            let state = self.banks[i as usize];
            if state.row.is_none() {
                continue;
            }
            self.apart(Some(i), "tRAS", state.activated, self.times.t_ras)?;
            self.apart(Some(i), "tWR", state.written, self.times.t_wr)?;
            if let Some(write) = self.writing.filter(|write| write.bank == i && now - write.start < write.length) {
                return Err(self.fault(Some(i), Rule::WriteCut { words: now - write.start }));
            }
            let gone = now + self.times.cas_latency;
            self.reading.retain(|(at, bank, _)| *bank != i || *at < gone);
            self.banks[i as usize] = Bank { row: None, precharged: Some(now), ..state };
        }
        self.all_precharged |= bank.is_none();
        Ok(())
    }

    fn refresh(&mut self) -> Result<(), Fault> {
        self.closed("refresh")?;
        self.refreshed = Some(self.cycle);
        self.refreshes += 1;
        Ok(())
    }

    fn set_mode(&mut self, value: u64) -> Result<(), Fault> {
        self.closed("mode")?;
        let legal = value >> 7 == 0 && value & 8 == 0 && value & 7 < 4 && value >> 4 & 7 == self.times.cas_latency;
        if !legal {
            return Err(self.fault(None, Rule::Mode { value, cas_latency: self.times.cas_latency }));
        }
        self.mode = Some((self.cycle, 1 << (value & 7)));
        Ok(())
    }

    /// No bank has an open row, or had one just now; all were precharged since power-up.
    fn closed(&self, what: &'static str) -> Result<(), Fault> {
        if let Some(bank) = self.banks.iter().position(|bank| bank.row.is_some()) {
            return Err(self.fault(Some(bank as u64), Rule::StillOpen(what)));
        }
        if !self.all_precharged {
            return Err(self.fault(None, Rule::NotInitialised));
        }
        (0u64..).zip(&self.banks).try_for_each(|(i, bank)| self.apart(Some(i), "tRP", bank.precharged, self.times.t_rp))
    }

    fn initialised(&self, bank: u64) -> Result<(), Fault> {
        if self.is_ready() { Ok(()) } else { Err(self.fault(Some(bank), Rule::NotInitialised)) }
    }

    /// At least so many cycles lie between an event and now.
    fn apart(&self, bank: Option<u64>, time: &'static str, since: Option<u64>, needed: u64) -> Result<(), Fault> {
        match since.map(|at| self.cycle - at) {
            Some(cycles) if cycles < needed => Err(self.fault(bank, Rule::TooSoon { time, cycles, needed })),
            _ => Ok(()),
        }
    }

    fn fault(&self, bank: Option<u64>, rule: Rule) -> Fault {
        Fault { cycle: self.cycle, bank, rule }
    }
}

/// The column of a burst's word: it wraps in a block of the burst's length.
fn in_burst(column: u64, i: u64, length: u64) -> u64 {
    column / length * length + (column + i) % length
}

/// A byte of ones for each bit.
fn spread(bytes: u64) -> u64 {
    (0..8).filter(|i| bytes >> i & 1 == 1).fold(0, |all, i| all | 0xff << (8 * i))
}

#[cfg(test)]
mod tests;
