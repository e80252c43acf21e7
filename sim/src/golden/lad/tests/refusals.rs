//! Steps that are refused, and that nothing of them stays.

use super::*;

/// A refusal that leaves the state as it was; the step after it is as if it had not been.
#[track_caller]
fn refused(group: &mut Group, query: &[u16], key: &[u16], value: &[u16]) -> Refusal {
    let before = group.clone();
    let refusal = group.step(&[query], key, value).expect_err("a refusal");
    assert!(*group == before, "the state changed");
    refusal
}

#[test]
fn numbers_that_are_not_finite() {
    let mut group = group(&Lines::new(8, Fit::Joined), 0.98);
    let good = along(1.0);
    for position in 0..20 {
        for wrong in [0x7c00, 0xfc00, 0x7e00, 0xffff] {
            let mut bad = good.clone();
            bad[position % HEAD] = wrong;
            let not_finite = |operand| Refusal::NotFinite { operand, element: position % HEAD };
            assert_eq!(refused(&mut group, &bad, &good, &good), not_finite(Operand::Query(0)));
            assert_eq!(refused(&mut group, &good, &bad, &good), not_finite(Operand::Key));
            assert_eq!(refused(&mut group, &good, &good, &bad), not_finite(Operand::Value));
        }
        group.step(&[&good], &good, &good).unwrap();
        check_state(&group);
    }
    let text = Refusal::NotFinite { operand: Operand::Query(2), element: 3 }.to_string();
    assert_eq!(text, "element 3 of the query 2 is not finite");
}

#[test]
fn no_room_for_another_position() {
    let lines = Lines::new(8, Fit::Joined);
    for limit in [1, 16, 17, 40] {
        let settings = Settings { max_positions: limit, ..settings(&lines, 0.98) };
        let mut group = Group::new(settings).unwrap();
        for _ in 0..limit {
            group.step(&[along(1.0)], &along(1.0), &along(1.0)).unwrap();
        }
        // that there is no room comes before everything else
        let nan = [0x7e00; HEAD];
        assert_eq!(refused(&mut group, &nan, &along(1.0), &along(1.0)), Refusal::Full(limit));
    }
}

#[test]
fn caches_that_overflow() {
    let lines = Lines::new(8, Fit::Joined);
    let narrow = Settings { cache_bits: 32, cache_fraction: 22, ..settings(&lines, 0.98) };
    let mut group = Group::new(narrow.clone()).unwrap();
    // each value fits; the sum of their terms is too large with the third position that enters
    for _ in 0..17 {
        group.step(&[along(1.0)], &along(0.25), &along(200.0)).unwrap();
    }
    assert_eq!(refused(&mut group, &along(1.0), &along(0.25), &along(200.0)), Refusal::Overflow(Overflow::Cache('C')));
    // with wider caches it goes on
    let settings = Settings { cache_bits: 40, ..narrow };
    let mut beside = Beside::new(Group::new(settings).unwrap(), &lines);
    for _ in 0..50 {
        let (_, error) = beside.step(&along(1.0), &along(0.25), &along(200.0));
        assert!(error < 1e-3, "{error}");
    }
}

#[test]
fn sums_that_overflow() {
    let lines = Lines::new(8, Fit::Joined);
    let settings = Settings { cache_bits: 40, cache_fraction: 8, ..settings(&lines, 0.98) };
    let mut group = Group::new(settings).unwrap();
    let mut step = || group.step(&[along(1.0)], &along(0.0), &along(65504.0));
    let count = (0..200).take_while(|_| step().is_ok()).count();
    // 48 bits with 24 behind the point; each position has the weight of the maximum
    assert_eq!(count, (2f64.powi(23) / (65504.0 * lines.b[7])) as usize);
    assert_eq!(refused(&mut group, &along(1.0), &along(0.0), &along(65504.0)), Refusal::Overflow(Overflow::Sum));
    group.step(&[along(1.0)], &along(0.0), &along(-65504.0)).unwrap();
    check_state(&group);
}

#[test]
fn scores_that_are_too_large_are_limited_and_told() {
    let mut group = group(&Lines::new(8, Fit::Joined), 1.0);
    let quiet = group.step(&[along(1.0)], &along(1.0), &along(1.0)).unwrap();
    assert!(!quiet.heads[0].saturated);
    let step = group.step(&[along(1000.0)], &along(1000.0), &along(2.0)).unwrap();
    assert!(step.heads[0].saturated);
    assert_eq!(step.heads[0].maximum, (1 << 27) - 1);
    assert_eq!(to_f64(&step.heads[0].output)[0].round(), 2.0);
}

#[test]
fn a_denominator_that_is_not_positive_with_all_positions() {
    // a long interval, whose free line is below zero at its lower end
    let lines = Lines::with_bounds(vec![-10.0, -2.0, -1.0], Fit::Free);
    assert!(lines.value(1, -9.99) < -0.01);
    let mut group = group(&lines, 1.0);
    group.step(&[along(4.0)], &along(0.0), &along(1.0)).unwrap();
    let (query, low) = (along(4.0), along(-9.984375));
    let limit = (0..200).take_while(|_| group.step(&[&query], &low, &along(1.0)).is_ok()).count();
    assert!((10..190).contains(&limit), "{limit}");
    assert_eq!(refused(&mut group, &query, &low, &along(1.0)), Refusal::Denominator);
    group.step(&[&query], &along(0.0), &along(1.0)).unwrap();
    check_state(&group);
}

#[test]
fn settings_that_are_not_legal() {
    let good = settings(&Lines::new(8, Fit::Joined), 0.98);
    assert_eq!(good.check(), Ok(()));
    let range = |name, found, legal| SettingsError::Range { name, found, legal };
    let with = |change: &dyn Fn(&mut Settings)| {
        let mut settings = good.clone();
        change(&mut settings);
        settings.check().unwrap_err()
    };
    assert_eq!(with(&|s| s.head = 15), range("head", 15, "16 to 128"));
    assert_eq!(with(&|s| s.head = 129), range("head", 129, "16 to 128"));
    assert_eq!(with(&|s| s.group = 9), range("group", 9, "1 to 8"));
    assert_eq!(with(&|s| s.max_changes = 65), range("max_changes", 65, "1 to 64"));
    assert_eq!(with(&|s| s.period = 3), range("period", 3, "1, 2, 4, 8 or 16"));
    assert_eq!(with(&|s| s.max_positions = 65_536), range("max_positions", 65_536, "1 to 65535"));
    assert_eq!(with(&|s| s.cache_bits = 33), range("cache_bits", 33, "32 or 40"));
    assert_eq!(with(&|s| s.cache_fraction = 31), range("cache_fraction", 31, "8 to 30"));
    assert_eq!(with(&|s| s.table.bounds[3] = s.table.bounds[2]), SettingsError::Bounds(4));
    assert_eq!(with(&|s| s.table.bounds[6] = 0), SettingsError::Bounds(7));
    assert_eq!(with(&|s| s.table.bounds.truncate(6)), SettingsError::Coefficients { bounds: 6, a: 8, b: 8 });
    assert_eq!(with(&|s| s.table.a[0] = s.table.a[1]), SettingsError::IntervalZero);
    let one = Coefficient { mantissa: 0x8000, exponent: 0 };
    assert_eq!(with(&|s| s.table.a[7] = one), SettingsError::Slope(7));
    let three = Settings { table: table(&Lines::with_bounds(vec![-4.0, -1.0], Fit::Free)), ..good.clone() };
    assert_eq!(three.check(), Err(range("intervals", 3, "4 to 16")));
}
