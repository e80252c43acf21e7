use super::*;

const SHAPE: SdramShape = SdramShape { word_bytes: 2, row_bits: 11, column_bits: 8, bank_bits: 2 };
const TIMES: SdramTimes = SdramTimes {
    cas_latency: 2,
    t_rcd: 3,
    t_rp: 4,
    t_ras: 6,
    t_rc: 11,
    t_rrd: 2,
    t_wr: 2,
    t_mrd: 2,
    refresh_interval: 100,
    init_pause: 20,
    init_refreshes: 2,
};
const ALL: u64 = 1 << 10;
const MODE: u64 = 0;
const REFRESH: u64 = 1;
const PRECHARGE: u64 = 2;
const ACTIVATE: u64 = 3;
const WRITE: u64 = 4;
const READ: u64 = 5;

/// Cycles, and what they give.
struct Rig(Sdram);

impl Rig {
    fn new() -> Rig {
        Rig(Sdram::new(SHAPE, TIMES, 1))
    }
    /// A chip with bursts of two words, in the first cycle in which a row may be activated.
    fn ready() -> Rig {
        let mut rig = Rig::new();
        rig.idle(20).unwrap();
        rig.at(PRECHARGE, 0, ALL).unwrap();
        rig.idle(3).unwrap();
        for _ in 0..2 {
            rig.at(REFRESH, 0, 0).unwrap();
            rig.idle(10).unwrap();
        }
        rig.at(MODE, 0, 0x21).unwrap();
        rig.idle(1).unwrap();
        assert!(rig.0.is_ready());
        rig
    }
    fn at(&mut self, command: u64, bank: u64, address: u64) -> Result<u64, Fault> {
        self.0.clock(SdramPins { command, bank, address, ..SdramPins::NOP })
    }
    fn idle(&mut self, cycles: u64) -> Result<(), Fault> {
        (0..cycles).try_for_each(|_| self.0.clock(SdramPins::NOP).map(|_| ()))
    }
    fn drive(&mut self, command: u64, bank: u64, address: u64, word: u64, mask: u64) -> Result<u64, Fault> {
        self.0.clock(SdramPins { command, bank, address, data: Some(word), mask })
    }
}

/// The rule that a command breaks, and the bank.
fn broken(result: Result<u64, Fault>) -> (Rule, Option<u64>) {
    let fault = result.expect_err("a rule is broken");
    println!("{fault}");
    (fault.rule, fault.bank)
}

fn soon(time: &'static str, cycles: u64, needed: u64) -> Rule {
    Rule::TooSoon { time, cycles, needed }
}

/// What is written is read, masked bytes stay, bursts wrap, each word CAS latency behind its command.
#[test]
fn keeps_what_is_written() {
    let mut rig = Rig::ready();
    rig.at(ACTIVATE, 1, 5).unwrap();
    rig.idle(2).unwrap();
    rig.drive(WRITE, 1, 8, 0x1234, 0).unwrap();
    rig.drive(7, 0, 0, 0x5678, 0).unwrap();
    rig.drive(WRITE, 1, 9, 0xabcd, 1).unwrap(); // word 9, then 8
    rig.drive(7, 0, 0, 0xffff, 3).unwrap();
    rig.at(READ, 1, 8).unwrap();
    rig.idle(1).unwrap();
    assert_eq!(rig.at(READ, 1, 9), Ok(0x1234));
    assert_eq!(rig.at(7, 0, 0), Ok(0xab78));
    assert_eq!(rig.at(7, 0, 0), Ok(0xab78));
    assert_eq!(rig.at(7, 0, 0), Ok(0x1234));
    assert_eq!((rig.0.word(1, 5, 8), rig.0.word(1, 4, 8)), ((0x1234, 3), (0, 0)));
}

/// A mask two cycles before hides a byte that is read; a new burst and a precharge cut an old one.
#[test]
fn reads_are_masked_and_cut() {
    let mut rig = Rig::ready();
    rig.at(ACTIVATE, 0, 0).unwrap();
    rig.idle(2).unwrap();
    for (column, word) in [(0, 0x1111), (2, 0x2222)] {
        rig.drive(WRITE, 0, column, word, 0).unwrap();
        rig.drive(7, 0, 0, word, 0).unwrap();
    }
    let mut hidden = 0;
    for _ in 0..8 {
        rig.0.clock(SdramPins { command: READ, mask: 1, ..SdramPins::NOP }).unwrap();
        rig.idle(1).unwrap();
        let word = rig.at(7, 0, 0).unwrap();
        assert_eq!(word >> 8, 0x11);
        hidden += u64::from(word & 0xff != 0x11);
        assert_eq!(rig.at(7, 0, 0), Ok(0x1111));
    }
    assert!(hidden > 4, "a masked byte is random");
    rig.at(READ, 0, 0).unwrap();
    rig.at(READ, 0, 2).unwrap();
    assert_eq!([(); 3].map(|_| rig.at(7, 0, 0).unwrap())[..], [0x1111, 0x2222, 0x2222]);
    rig.at(READ, 0, 0).unwrap();
    rig.at(PRECHARGE, 0, 0).unwrap();
    assert_eq!(rig.at(7, 0, 0), Ok(0x1111));
    assert!((0..4).any(|_| rig.at(7, 0, 0).unwrap() != 0x1111), "behind a precharge there is nothing");
}

/// Commands, banks and addresses, each with idle cycles behind it; a command that breaks a rule if it comes then; the rule and the bank.
type Case<'a> = (&'a [(u64, u64, u64, u64)], (u64, u64, u64), Rule, Option<u64>);

/// Each time, a cycle too short; and just long enough.
#[test]
fn times() {
    let cases: [Case; 8] = [
        (&[(ACTIVATE, 1, 0, 1)], (READ, 1, 0), soon("tRCD", 2, 3), Some(1)),
        (&[(ACTIVATE, 1, 0, 1)], (WRITE, 1, 0), soon("tRCD", 2, 3), Some(1)),
        (&[(ACTIVATE, 2, 0, 6), (PRECHARGE, 2, 0, 2)], (ACTIVATE, 2, 0), soon("tRP", 3, 4), Some(2)),
        (&[(ACTIVATE, 3, 0, 4)], (PRECHARGE, 3, 0), soon("tRAS", 5, 6), Some(3)),
        (&[(ACTIVATE, 3, 0, 5), (PRECHARGE, 3, 0, 3)], (ACTIVATE, 3, 0), soon("tRC", 10, 11), Some(3)),
        (&[(ACTIVATE, 0, 0, 0)], (ACTIVATE, 1, 0), soon("tRRD", 1, 2), Some(1)),
        (&[(REFRESH, 0, 0, 9)], (ACTIVATE, 1, 0), soon("tRC (refresh)", 10, 11), None),
        (&[(MODE, 0, 0x21, 0)], (ACTIVATE, 1, 0), soon("tMRD", 1, 2), None),
    ];
    for (before, (command, bank, address), rule, at) in cases {
        for more in [0, 1] {
            let mut rig = Rig::ready();
            for (i, (command, bank, address, wait)) in before.iter().enumerate() {
                rig.at(*command, *bank, *address).unwrap();
                rig.idle(wait + if i + 1 == before.len() { more } else { 0 }).unwrap();
            }
            let data = (command == WRITE).then_some(0);
            let result = rig.0.clock(SdramPins { command, bank, address, data, mask: 0 });
            match more {
                0 => assert_eq!(broken(result), (rule, at)),
                _ => assert!(result.is_ok(), "{rule:?}: {result:?}"),
            }
        }
    }
}

/// Behind the last word that is written; and in the middle of a burst.
#[test]
fn write_recovery() {
    for (wait, rule) in [(0, Some(Rule::TooSoon { time: "tWR", cycles: 1, needed: 2 })), (1, None)] {
        let mut rig = Rig::ready();
        rig.at(ACTIVATE, 1, 0).unwrap();
        rig.idle(5).unwrap();
        rig.drive(WRITE, 1, 0, 0, 0).unwrap();
        rig.drive(7, 0, 0, 0, 0).unwrap();
        rig.idle(wait).unwrap();
        let result = rig.at(PRECHARGE, 0, ALL);
        match rule {
            Some(rule) => assert_eq!(broken(result), (rule, Some(1))),
            None => assert!(result.is_ok()),
        }
    }
    let mut short = Rig(Sdram::new(SHAPE, SdramTimes { t_wr: 1, ..TIMES }, 1));
    short.0.mode = Some((0, 2));
    (short.0.cycle, short.0.all_precharged, short.0.refreshes) = (50, true, 2);
    short.at(ACTIVATE, 1, 0).unwrap();
    short.idle(5).unwrap();
    short.drive(WRITE, 1, 0, 0, 0).unwrap();
    assert_eq!(broken(short.at(PRECHARGE, 1, 0)), (Rule::WriteCut { words: 1 }, Some(1)));
}

/// Rows that are closed, open, or not there.
#[test]
fn rows() {
    let closed = |command| broken(Rig::ready().at(command, 2, 0));
    assert_eq!(closed(READ), (Rule::RowClosed, Some(2)));
    assert_eq!(closed(WRITE), (Rule::RowClosed, Some(2)));
    let mut rig = Rig::ready();
    rig.at(ACTIVATE, 1, 7).unwrap();
    rig.idle(12).unwrap();
    let open = rig.at(ACTIVATE, 1, 8);
    assert_eq!(broken(open), (Rule::BankOpen { row: 7 }, Some(1)));
    assert_eq!(broken(rig.at(REFRESH, 0, 0)), (Rule::StillOpen("refresh"), Some(1)));
    assert_eq!(broken(rig.at(MODE, 0, 0x21)), (Rule::StillOpen("mode"), Some(1)));
    assert_eq!(broken(rig.at(READ, 1, 1 << 8)), (Rule::Address(256), Some(1)));
    assert_eq!(broken(rig.at(READ, 1, ALL)), (Rule::NotModelled("automatic precharge"), Some(1)));
    assert_eq!(broken(rig.at(6, 0, 0)), (Rule::NotModelled("burst stop"), None));
    rig.at(PRECHARGE, 1, 0).unwrap();
    rig.idle(2).unwrap();
    assert_eq!(broken(rig.at(REFRESH, 0, 0)), (soon("tRP", 3, 4), Some(1)));
    assert_eq!(broken(Rig::ready().at(ACTIVATE, 0, 1 << 11)), (Rule::Address(2048), Some(0)));
}

/// A refresh that comes a cycle too late, and one that just does not.
#[test]
fn refreshes() {
    let mut rig = Rig::ready();
    let since = 12; // tRC and tMRD
    rig.idle(100 - since - 1).unwrap();
    rig.at(REFRESH, 0, 0).unwrap();
    rig.idle(99).unwrap();
    rig.at(REFRESH, 0, 0).unwrap();
    rig.idle(100).unwrap();
    assert_eq!(broken(rig.at(REFRESH, 0, 0)), (Rule::RefreshLate(100), None));
}

/// The pause, what must come before the first access, and modes.
#[test]
fn initialisation() {
    let mut rig = Rig::new();
    rig.idle(19).unwrap();
    assert_eq!(broken(rig.at(PRECHARGE, 0, ALL)), (Rule::Pause(20), None));
    rig.idle(1).unwrap();
    assert_eq!(broken(rig.at(REFRESH, 0, 0)), (Rule::NotInitialised, None));
    assert_eq!(broken(rig.at(ACTIVATE, 3, 0)), (Rule::NotInitialised, Some(3)));
    rig.at(PRECHARGE, 0, ALL).unwrap();
    rig.idle(4).unwrap();
    for value in [0x31, 0x29, 0x24, 0x221, 0x01] {
        assert_eq!(broken(rig.at(MODE, 0, value)), (Rule::Mode { value, cas_latency: 2 }, None));
    }
    rig.at(MODE, 0, 0x22).unwrap();
    rig.idle(1).unwrap();
    rig.at(REFRESH, 0, 0).unwrap();
    rig.idle(10).unwrap();
    assert_eq!(broken(rig.at(ACTIVATE, 3, 0)), (Rule::NotInitialised, Some(3)), "one refresh of two");
    let mut again = Rig::ready();
    again.0.initialise_again();
    assert_eq!(broken(again.at(ACTIVATE, 0, 0)), (Rule::Pause(20), None));
    again.idle(20).unwrap();
    assert_eq!(broken(again.at(ACTIVATE, 0, 0)), (Rule::NotInitialised, Some(0)));
}

/// Who drives the data pins.
#[test]
fn data_pins() {
    let mut rig = Rig::ready();
    rig.at(ACTIVATE, 0, 0).unwrap();
    rig.idle(2).unwrap();
    assert_eq!(broken(rig.at(WRITE, 0, 0)), (Rule::NoData, Some(0)));
    for (wait, meets) in [(0, false), (1, true), (2, true), (3, true), (4, false)] {
        let mut rig = Rig::ready();
        rig.at(ACTIVATE, 0, 0).unwrap();
        rig.idle(2).unwrap();
        rig.at(READ, 0, 0).unwrap(); // words in the second and third cycle from here
        rig.idle(wait).unwrap();
        let first = rig.drive(7, 0, 0, 0, 0);
        let later = first.and_then(|_| rig.at(7, 0, 0));
        match later {
            Err(fault) => assert!(fault.rule == Rule::BothDrive && (meets || wait == 0), "{wait}: {fault}"),
            Ok(_) => assert!(!meets && wait != 0, "{wait}"),
        }
    }
}
