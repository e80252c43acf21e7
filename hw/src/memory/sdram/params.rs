//! What an SDRAM chip is made of, its times, and what they are in cycles.

use crate::memory::axi::{AxiParams, ID_BITS};
use hdl::Errors;
use std::panic::Location;

/// Bytes of a beat of the bus.
pub const BEAT: u32 = 8;

/// The greatest clock at which chips have a CAS latency of 2.
pub const CAS_2_HERTZ: u32 = 134_000_000;

/// The times of a chip's data sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SdramTimes {
    /// tRCD in ns: from activating a row to reading or writing it.
    pub t_rcd: u32,
    /// tRP in ns: from precharging a bank to activating a row of it.
    pub t_rp: u32,
    /// tRAS in ns: from activating a row to precharging its bank.
    pub t_ras: u32,
    /// tRC in ns: from activating a row to activating another one of its bank, and from a refresh to the next command.
    pub t_rc: u32,
    /// tRRD in ns: from activating a row to activating one of another bank.
    pub t_rrd: u32,
    /// tWR (tDPL) in cycles: from the last word that is written to precharging its bank.
    pub t_wr: u32,
    /// tMRD (tRSC) in cycles: from setting the mode to the next command.
    pub t_mrd: u32,
    /// The most from one refresh to the next, in ns: the time of all of them by their number.
    pub t_refi: u32,
    /// Pause behind power-up, in us.
    pub pause: u32,
}

impl SdramTimes {
    /// Those of the slowest of common chips of 32 MB: a controller that waits longer than its chip needs is right.
    pub const SLOWEST: SdramTimes =
        SdramTimes { t_rcd: 21, t_rp: 21, t_ras: 45, t_rc: 66, t_rrd: 15, t_wr: 2, t_mrd: 2, t_refi: 7812, pause: 200 };
}

/// The parameters of an SDRAM controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SdramParams {
    /// The clock, of controller and chip, in Hz: 1 MHz to 200 MHz.
    pub clock_hertz: u32,
    /// Bits of the chip's words: 16 or 32.
    pub data_bits: u32,
    /// Bits of the number of a row, 11 to 13.
    pub row_bits: u32,
    /// Bits of the number of a word in its row, 8 to 10.
    pub column_bits: u32,
    /// Bits of the number of a bank, 1 or 2.
    pub bank_bits: u32,
    /// The chip has mask pins.
    pub mask: bool,
    /// CAS latency at this clock, 2 or 3.
    pub cas_latency: u32,
    /// Registers between the data pins and `sdram_dq_in`, 0 to 3.
    pub read_delay: u32,
    /// Bits of the IDs of reads, 0 to [`ID_BITS`]; 0 for a single master without IDs.
    pub read_id_bits: u32,
    /// Bits of the IDs of writes.
    pub write_id_bits: u32,
    /// Times.
    pub times: SdramTimes,
}

/// The times in cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cycles {
    /// tRCD.
    pub rcd: u32,
    /// tRP.
    pub rp: u32,
    /// tRAS; more where that and tRP would be less than tRC.
    pub ras: u32,
    /// tRC.
    pub rc: u32,
    /// tRRD.
    pub rrd: u32,
    /// From a column command that reads or writes to a precharge of its bank.
    pub column: [u32; 2],
    /// From a refresh until the next one is due: so early that it comes in time whatever was begun just before.
    pub period: u32,
    /// Pause behind power-up.
    pub pause: u32,
}

impl SdramParams {
    /// Words of a beat of the bus, which are the chip's bursts.
    pub fn burst(self) -> u32 {
        8 * BEAT / self.data_bits.max(1)
    }
    /// Bits of the number of a beat in its row.
    pub fn beat_bits(self) -> u32 {
        self.column_bits - self.burst().ilog2()
    }
    /// Bits of the address of a byte of the chip.
    pub fn address_bits(self) -> u32 {
        self.row_bits + self.bank_bits + self.column_bits + (self.data_bits / 8).max(1).ilog2()
    }
    /// Reading and writing on the bus: its addresses are those of the chip's bytes.
    pub fn axi(self) -> [AxiParams; 2] {
        [self.read_id_bits, self.write_id_bits].map(|id_bits| AxiParams {
            data_bytes: BEAT,
            address_bits: self.address_bits(),
            id_bits,
        })
    }
    /// The value of the mode register: bursts of a beat, in sequence, for reads and writes.
    pub fn mode(self) -> u32 {
        self.cas_latency << 4 | self.burst().ilog2()
    }
    fn up(self, ns: u32) -> u32 {
        (u64::from(ns) * u64::from(self.clock_hertz)).div_ceil(1_000_000_000).max(1) as u32
    }
    /// Does a chip have this CAS latency at this clock?
    pub fn has_cas_latency(self) -> bool {
        self.cas_latency != 2 || self.clock_hertz <= CAS_2_HERTZ
    }
    /// Cycles from a read that is taken to its first data, when its row is open and nothing else is done.
    pub fn latency(self) -> u32 {
        5 + self.cas_latency + self.burst() + self.read_delay
    }
    /// The same, when no row of its bank is open: it is opened while the request is on its way, a cycle early.
    pub fn latency_of_a_closed_row(self) -> u32 {
        self.latency() + self.cycles().rcd - 1
    }
    /// The same, when another row of its bank is open.
    pub fn latency_of_another_row(self) -> u32 {
        self.latency_of_a_closed_row() + self.cycles().rp
    }
    /// The most cycles from a refresh to the next one.
    pub fn interval(self) -> u32 {
        (u64::from(self.times.t_refi) * u64::from(self.clock_hertz) / 1_000_000_000) as u32
    }
    /// Cycles for which a bank may not be precharged behind what was begun last.
    fn longest_hold(self) -> u32 {
        let (ras, write) = (self.ras(), self.burst() - 1 + self.times.t_wr);
        ras.max(write).max(self.up(self.times.t_rp))
    }
    fn ras(self) -> u32 {
        let [ras, rc, rp] = [self.times.t_ras, self.times.t_rc, self.times.t_rp].map(|ns| self.up(ns));
        ras.max(rc.saturating_sub(rp))
    }
    /// The times in cycles of legal parameters.
    pub fn cycles(self) -> Cycles {
        let SdramTimes { t_rcd, t_rp, t_rc, t_rrd, t_wr, pause, .. } = self.times;
        let [rcd, rp, rc, rrd] = [t_rcd, t_rp, t_rc, t_rrd].map(|ns| self.up(ns));
        let column = [self.burst(), self.burst() - 1 + t_wr];
        let period = self.interval() - (self.longest_hold() - 1) - rp;
        let pause = (u64::from(pause) * u64::from(self.clock_hertz)).div_ceil(1_000_000) as u32;
        Cycles { rcd, rp, ras: self.ras(), rc, rrd, column, period, pause }
    }

    /// Are all parameters legal?
    ///
    /// # Errors
    /// The first one that is not, and what is.
    #[track_caller]
    pub fn check(self, module: &str) -> Result<(), Errors> {
        let place = Location::caller();
        let wrong = |what: String, help: &str| Err(Errors::parameter_at(place, module, what, help));
        if ![16, 32].contains(&self.data_bits) {
            return wrong(format!("data_bits = {}", self.data_bits), "16 or 32: a beat of the bus is 4 or 2 words");
        }
        let SdramTimes { t_rcd, t_rp, t_ras, t_rc, t_rrd, t_wr, t_mrd, t_refi, pause } = self.times;
        let ranges = [
            ("clock_hertz", self.clock_hertz, 1_000_000, 200_000_000, "no chip is quicker"),
            ("row_bits", self.row_bits, 11, 13, "A10 says how to precharge, and 13 address pins are the most"),
            ("column_bits", self.column_bits, 8, 10, "A10 is none of them"),
            ("bank_bits", self.bank_bits, 1, 2, "2 or 4 banks"),
            ("cas_latency", self.cas_latency, 2, 3, "those that chips have"),
            ("read_delay", self.read_delay, 0, 3, "a register in the pins and two on the way are enough"),
            ("read_id_bits", self.read_id_bits, 0, ID_BITS, "no master that is known has more"),
            ("write_id_bits", self.write_id_bits, 0, ID_BITS, "no master that is known has more"),
            ("t_rcd", t_rcd, 1, 100, NS),
            ("t_rp", t_rp, 1, 100, NS),
            ("t_ras", t_ras, 1, 200, NS),
            ("t_rc", t_rc, 1, 200, NS),
            ("t_rrd", t_rrd, 1, 100, NS),
            ("t_wr", t_wr, 1, 4, "cycles"),
            ("t_mrd", t_mrd, 1, 4, "cycles"),
            ("t_refi", t_refi, 1000, 1_000_000, "ns from one refresh to the next"),
            ("pause", pause, 1, 1000, "us behind power-up"),
        ];
        if let Some((name, value, least, most, why)) =
            ranges.iter().find(|(_, x, least, most, _)| x < least || x > most)
        {
            return wrong(format!("{name} = {value} is out of range"), &format!("from {least} to {most}: {why}"));
        }
        if !self.has_cas_latency() {
            let what = format!("cas_latency = 2 with clock_hertz = {}", self.clock_hertz);
            return wrong(what, &format!("3, or a clock of at most {CAS_2_HERTZ} Hz: no chip gives its words so soon"));
        }
        let least = self.least_interval();
        if self.interval() < least {
            let what =
                format!("t_refi = {t_refi} with clock_hertz = {} is {} cycles", self.clock_hertz, self.interval());
            return wrong(what, &format!("{least} cycles at least: refreshes would take more than a quarter of fewer"));
        }
        Ok(())
    }

    /// Cycles from a refresh to the next one, at least: four times those that it takes.
    pub fn least_interval(self) -> u32 {
        4 * (self.longest_hold() + self.up(self.times.t_rp) + self.up(self.times.t_rc))
    }
}

const NS: &str = "ns";

#[cfg(test)]
mod tests {
    use super::*;

    const P: SdramParams = crate::memory::sdram::tests::PARAMS[0];

    #[test]
    fn refuses_parameters_out_of_range() {
        assert!(P.check("sdram").is_ok());
        let message = |p: SdramParams| p.check("sdram").expect_err("out of range").0[0].message.clone();
        let times = |f: fn(&mut SdramTimes)| {
            let mut p = P;
            f(&mut p.times);
            message(p)
        };
        assert_eq!(message(SdramParams { data_bits: 8, ..P }), "data_bits = 8");
        for bits in [10, 14] {
            assert_eq!(message(SdramParams { row_bits: bits, ..P }), format!("row_bits = {bits} is out of range"));
        }
        for bits in [7, 11] {
            assert_eq!(
                message(SdramParams { column_bits: bits, ..P }),
                format!("column_bits = {bits} is out of range")
            );
        }
        for bits in [0, 3] {
            assert_eq!(message(SdramParams { bank_bits: bits, ..P }), format!("bank_bits = {bits} is out of range"));
        }
        assert_eq!(message(SdramParams { cas_latency: 1, ..P }), "cas_latency = 1 is out of range");
        assert_eq!(message(SdramParams { read_delay: 4, ..P }), "read_delay = 4 is out of range");
        assert_eq!(message(SdramParams { read_id_bits: 17, ..P }), "read_id_bits = 17 is out of range");
        assert_eq!(message(SdramParams { write_id_bits: 17, ..P }), "write_id_bits = 17 is out of range");
        assert_eq!(message(SdramParams { clock_hertz: 999_999, ..P }), "clock_hertz = 999999 is out of range");
        let fast = SdramParams { clock_hertz: CAS_2_HERTZ + 1, ..P };
        assert_eq!(message(fast), "cas_latency = 2 with clock_hertz = 134000001");
        assert!(SdramParams { cas_latency: 3, ..fast }.check("sdram").is_ok());
        assert_eq!(times(|t| t.t_rcd = 0), "t_rcd = 0 is out of range");
        assert_eq!(times(|t| t.t_wr = 5), "t_wr = 5 is out of range");
        let mut often = SdramParams { clock_hertz: 30_000_000, ..P };
        often.times.t_refi = 1000;
        assert_eq!(message(often), "t_refi = 1000 with clock_hertz = 30000000 is 30 cycles");
    }

    /// 75 MHz: 13.33 ns. By hand.
    #[test]
    fn times_are_rounded_up_and_the_interval_down() {
        let c = P.cycles();
        assert_eq!((c.rcd, c.rp, c.ras, c.rc, c.rrd, c.pause), (2, 2, 4, 5, 2, 150));
        // 7812 ns are 585.9 cycles; a write that was begun just before holds its bank for 5, of which the first is over, and tRP
        assert_eq!((c.column, c.period), ([4, 5], 585 - 4 - 2));
        let slow = SdramParams { clock_hertz: 20_000_000, ..P }.cycles();
        assert_eq!((slow.rcd, slow.rp, slow.ras, slow.rc, slow.rrd), (1, 1, 1, 2, 1));
        let rc = SdramParams { times: SdramTimes { t_rc: 90, ..P.times }, ..P }.cycles();
        assert_eq!((rc.rc, rc.ras), (7, 5), "tRAS and tRP are tRC at least");
        let rp = SdramParams { times: SdramTimes { t_rp: 90, ..P.times }, ..P }.cycles();
        assert_eq!((rp.rp, rp.period), (7, 585 - 6 - 7), "a bank that was just precharged");
    }
}
