//! For each rule who breaks it, and what is legal and looks like it.

use super::*;

const GOOD: Request = Request { id: 1, address: 0x1000, len: 3, size: 3, burst: BurstKind::Incrementing, cache: 3 };

fn checker() -> Axi4Checker {
    Axi4Checker::new(8, 4)
}

fn beat(strobes: u64, last: bool) -> WriteBeat {
    WriteBeat { data: 0u32.into(), strobes, last }
}

fn data(id: u64, last: bool) -> ReadBeat {
    ReadBeat { id, data: 0u32.into(), response: Response::Okay, last }
}

#[test]
fn requests() {
    let refused = |x: Request| {
        assert_eq!(checker().ar(x).unwrap_err(), checker().aw(x).unwrap_err());
        checker().ar(x).unwrap_err()
    };
    let crossing = Request { address: 0x1ff8, len: 1, ..GOOD };
    assert_eq!(refused(crossing), Violation::Crosses4K(crossing));
    let unaligned = Request { address: 0x1fe1, len: 4, ..GOOD };
    assert_eq!(refused(unaligned), Violation::Crosses4K(unaligned));
    let beyond = Request { address: u64::MAX - 7, len: 1, ..GOOD };
    assert_eq!(refused(beyond), Violation::Crosses4K(beyond));
    let reserved = Request { burst: BurstKind::Reserved, ..GOOD };
    assert_eq!(refused(reserved), Violation::ReservedBurst(reserved));
    let fixed = Request { burst: BurstKind::Fixed, len: 16, ..GOOD };
    assert_eq!(refused(fixed), Violation::LongFixed(fixed));
    for wrapping in [Request { len: 2, ..GOOD }, Request { address: 0x1004, ..GOOD }, Request { len: 31, ..GOOD }] {
        let wrapping = Request { burst: BurstKind::Wrapping, ..wrapping };
        assert_eq!(refused(wrapping), Violation::Wrap(wrapping));
    }
    let wide = Request { size: 4, ..GOOD };
    assert_eq!(refused(wide), Violation::Size(wide));
    // table A4-5: who allocates may change it
    for code in 0..16 {
        let cache = Request { cache: code, ..GOOD };
        match code {
            4 | 5 | 8 | 9 | 12 | 13 => assert_eq!(refused(cache), Violation::Cache(cache)),
            _ => assert_eq!(checker().ar(cache), Ok(()), "{code}"),
        }
    }
    for legal in [
        GOOD,
        Request { address: 0x1fe1, len: 3, ..GOOD },
        Request { address: 0x1800, len: 255, ..GOOD },
        Request { address: u64::MAX - 7, len: 0, ..GOOD },
        Request { burst: BurstKind::Fixed, address: 0x1fff, len: 15, ..GOOD },
        Request { burst: BurstKind::Wrapping, address: 0x1ff8, ..GOOD },
        Request { size: 0, address: 0x1fff, len: 0, cache: 0, ..GOOD },
    ] {
        assert_eq!(checker().ar(legal), Ok(()));
    }
}

/// A message names the rule and its chapter.
#[test]
fn messages() {
    let message = Violation::Cache(Request { cache: 9, ..GOOD }).to_string();
    assert!(message.starts_with("AXI4: AxCACHE has none of its reserved codes (IHI 0022H, A4.4): Cache("), "{message}");
    let message = Violation::TooMany(GOOD).to_string();
    assert!(message.starts_with("AXI4: no more requests are under way than were agreed on: TooMany("), "{message}");
    let page = include_str!("../../../../docs/axi4-checker.md");
    let beats = (GOOD, 1, 2);
    let all = [
        Violation::Crosses4K(GOOD),
        Violation::ReservedBurst(GOOD),
        Violation::LongFixed(GOOD),
        Violation::Wrap(GOOD),
        Violation::Size(GOOD),
        Violation::Cache(GOOD),
        Violation::TooMany(GOOD),
        Violation::Last { request: beats.0, beat: beats.1 },
        Violation::Strobe { request: beats.0, beat: beats.1, strobes: beats.2 },
        Violation::NotRequested(1),
        Violation::BeforeItsData(1),
        Violation::Exclusive(1),
    ];
    for violation in all {
        let Rule { chapter, rule } = violation.rule();
        let found = page.lines().find(|line| line.starts_with("| ") && line.contains(rule));
        assert!(
            found.is_some_and(|line| line.contains(chapter)),
            "docs/axi4-checker.md does not say {rule:?}, {chapter}"
        );
    }
}

#[test]
fn too_many_under_way() {
    let (mut reads, mut writes) = (checker(), checker());
    for _ in 0..4 {
        assert_eq!((reads.ar(GOOD), writes.aw(GOOD)), (Ok(()), Ok(())));
    }
    assert_eq!(reads.ar(GOOD), Err(Violation::TooMany(GOOD)));
    assert_eq!(writes.aw(GOOD), Err(Violation::TooMany(GOOD)));
}

#[test]
fn data_that_were_read() {
    let two = Request { len: 1, ..GOOD };
    let begun = || {
        let mut checker = checker();
        [two, Request { id: 2, ..two }].into_iter().for_each(|x| checker.ar(x).unwrap());
        checker
    };
    assert_eq!(begun().r(&data(1, true)), Err(Violation::Last { request: two, beat: 0 }));
    assert_eq!(begun().r(&data(3, false)), Err(Violation::NotRequested(3)));
    let mut late = begun();
    late.r(&data(1, false)).unwrap();
    assert_eq!(late.r(&data(1, false)), Err(Violation::Last { request: two, beat: 1 }));
    let exclusive = ReadBeat { response: Response::ExclusiveOkay, ..data(1, false) };
    assert_eq!(begun().r(&exclusive), Err(Violation::Exclusive(1)));
    // mixed between IDs
    let mut mixed = begun();
    for (id, last) in [(2, false), (1, false), (2, true), (1, true)] {
        assert_eq!(mixed.r(&data(id, last)), Ok(()));
    }
    assert!(mixed.is_idle());
    assert_eq!(mixed.r(&data(1, true)), Err(Violation::NotRequested(1)));
}

#[test]
fn data_that_are_written() {
    let begun = |request: Request| {
        let mut checker = checker();
        checker.aw(request).unwrap();
        checker
    };
    let two = Request { len: 1, ..GOOD };
    assert_eq!(begun(two).w(beat(0xff, true)), Err(Violation::Last { request: two, beat: 0 }));
    let mut late = begun(two);
    late.w(beat(0xff, false)).unwrap();
    assert_eq!(late.w(beat(0xff, false)), Err(Violation::Last { request: two, beat: 1 }));
    // before the first byte, and outside of a narrow beat
    let unaligned = Request { address: 0x1003, ..two };
    assert_eq!(
        begun(unaligned).w(beat(0xfc, false)),
        Err(Violation::Strobe { request: unaligned, beat: 0, strobes: 0xfc })
    );
    assert_eq!(begun(unaligned).w(beat(0xf8, false)), Ok(()));
    let narrow = Request { address: 0x1002, size: 1, ..two };
    assert_eq!(begun(narrow).w(beat(0x0c, false)), Ok(()));
    assert_eq!(begun(narrow).w(beat(0x10, false)), Err(Violation::Strobe { request: narrow, beat: 0, strobes: 0x10 }));
    // data before their address are looked at with it
    let mut early = checker();
    early.w(beat(0xff, true)).unwrap();
    assert_eq!(early.aw(two), Err(Violation::Last { request: two, beat: 0 }));
}

#[test]
fn answers_of_writes() {
    let two = Request { len: 1, ..GOOD };
    let mut checker = checker();
    let answer = WriteResponse { id: 1, response: Response::Okay };
    assert_eq!(checker.b(answer), Err(Violation::NotRequested(1)));
    checker.aw(two).unwrap();
    checker.w(beat(0xff, false)).unwrap();
    assert_eq!(checker.b(answer), Err(Violation::BeforeItsData(1)));
    checker.w(beat(0x00, true)).unwrap();
    assert_eq!(checker.b(WriteResponse { id: 2, ..answer }), Err(Violation::NotRequested(2)));
    let exclusive = WriteResponse { response: Response::ExclusiveOkay, ..answer };
    assert_eq!(checker.clone().b(exclusive), Err(Violation::Exclusive(1)));
    assert_eq!(checker.b(answer), Ok(()));
    assert!(checker.is_idle());
}
