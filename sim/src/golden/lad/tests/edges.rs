//! Made-up keys and queries for what real ones seldom do.

use super::*;

#[test]
fn lengths_of_zero_equal_and_opposite_keys() {
    let lines = Lines::new(8, Fit::Joined);
    let mut group = group(&lines, 0.98);
    // 0: zero; 1: a centre; 2: equal; 3: opposite and half as long; 4: across; 5: zero; 6: nearer to 4 than to 1; 7: tiny
    let across = bits(&[&[0.0, 2.0][..], &[0.0; 14]].concat());
    let near = bits(&[&[0.125, 2.0][..], &[0.0; 14]].concat());
    let keys = [along(0.0), along(4.0), along(4.0), along(-2.0), across, along(0.0), near, along(1e-7)];
    for key in &keys {
        group.step(&[along(1.0)], key, &along(1.0)).unwrap();
    }
    let records: Vec<(u16, f64)> =
        group.keys().records().iter().map(|r| (r.centre, f16::from_bits(r.factor).to_f64())).collect();
    assert_eq!(records[..6], [(0, 0.0), (1, 0.25), (1, 1.0), (1, -0.5), (4, 0.5), (5, 0.0)]);
    assert_eq!(records[6].0, 4);
    assert_eq!(records[7], (7, 0.0), "its length is below what can be compared");
    assert_eq!(group.keys().centres(), [0, 1, 4, 5, 7]);
}

#[test]
fn of_centres_with_equal_cosines_the_older_one_is_taken() {
    let mut group = group(&Lines::new(8, Fit::Joined), 0.5);
    let vector = |x: f64, y: f64| bits(&[&[x, y][..], &[0.0; 14]].concat());
    for key in [vector(1.0, 0.0), vector(0.0, 1.0), vector(1.0, 1.0), vector(-2.0, 2.0)] {
        group.step(&[along(1.0)], &key, &along(1.0)).unwrap();
    }
    let centres: Vec<u16> = group.keys().records().iter().map(|record| record.centre).collect();
    assert_eq!(centres, [0, 1, 0, 0]);
    assert_eq!(group.keys().records()[3].factor >> 15, 1, "the other way round");
}

#[test]
fn a_threshold_of_one_makes_every_key_its_own_centre() {
    let mut group = group(&Lines::new(8, Fit::Joined), 1.0);
    (0..40).for_each(|_| {
        group.step(&[along(1.0)], &along(3.0), &along(1.0)).unwrap();
    });
    assert_eq!(group.keys().centres().len(), 40);
}

#[test]
fn scores_on_bounds_count_for_the_interval_below() {
    let lines = Lines::of_the_paper(Fit::Joined);
    let mut beside = Beside::new(group(&lines, 1.0), &lines);
    // scores are the keys: 0 is the maximum, the others are on bounds or beside them by the least step of a score
    let step = 1.0 / 1024.0;
    let scores = [0.0, -1.0, -1.0 + step, -3.0, -3.0 + 2.0 * step, -6.0, -6.0 + 4.0 * step, -10.0, -10.0 + 8.0 * step];
    for score in scores {
        let (_, error) = beside.step(&along(4.0), &along(score), &along(score + 11.0));
        assert!(error < 5e-4, "{score}: {error}");
    }
    for (position, interval) in [4, 3, 4, 2, 3, 1, 2, 0, 1].into_iter().enumerate() {
        let counters = &beside.group.heads()[0].counters[position];
        assert_eq!(usize::from(counters[interval]), 9 - position, "position {position}: {counters:?}");
    }
    // the same when they have left the latest 16
    for _ in 0..30 {
        let (step, error) = beside.step(&along(4.0), &along(0.0), &along(2.0));
        assert!(step.active.is_empty() && error < 5e-4, "{error}");
    }
    assert_eq!(beside.group.heads()[0].modes[..9], [4, 3, 4, 2, 3, 1, 2, 0, 1]);
}

#[test]
fn a_maximum_that_moves_in_each_step() {
    let lines = Lines::new(8, Fit::Joined);
    for direction in [0.75, -0.75] {
        let mut beside = Beside::new(group(&lines, 1.0), &lines);
        let (mut active, mut changes) = (0, 0);
        for position in 0..80 {
            let key = along(f64::from(position) * direction);
            let (step, error) = beside.step(&along(4.0), &key, &along(1.0 + f64::from(position % 7)));
            assert!(error < 1e-3, "position {position}: {error}");
            let expected = if direction > 0.0 { f64::from(position) * direction } else { 0.0 };
            assert_eq!(f64::from(step.maximum) / 65536.0, expected);
            active += step.active.len();
            changes += step.changes.len();
        }
        // falling keys never move the maximum
        assert_eq!((active > 50, changes > 20), (direction > 0.0, direction > 0.0), "{active} {changes}");
    }
}

#[test]
fn none_active_and_all_active() {
    let lines = Lines::new(8, Fit::Joined);
    let mut beside = Beside::new(group(&lines, 1.0), &lines);
    for position in 0..60 {
        let (step, error) = beside.step(&along(4.0), &along(1.0), &along(f64::from(1 + position % 7)));
        assert!(step.active.is_empty() && error < 1e-3, "{error}");
        assert_eq!(step.entries.first().copied(), (position >= 15).then(|| ((position - 15) as usize, 7)));
    }
    // one key far above all others: they go to interval 0, those that were too short in the caches change their mode later
    let (step, error) = beside.step(&along(4.0), &along(40.0), &along(5.0));
    assert_eq!(step.active.len(), 45);
    assert!(step.active.iter().all(|active| (active.mode, active.interval) == (7, 0)));
    assert!(step.changes.is_empty() && error < 1e-3);
    let mut changed = vec![];
    for _ in 0..70 {
        let (step, error) = beside.step(&along(4.0), &along(1.0), &along(1.0));
        assert!(error < 1e-3, "{error}");
        assert!(step.active.iter().all(|active| active.position < 60));
        changed.extend(step.changes);
    }
    // position i was 60 - i times in interval 7: the youngest change first. Positions 45 to 51 enter meanwhile, with more than 8 of
    // their 16 steps there; position 52 has 8 of each, and enters with the lower interval
    assert_eq!(changed, (0..52).rev().collect::<Vec<_>>());
}

#[test]
fn one_to_forty_positions() {
    for lines in [Lines::new(4, Fit::Joined), Lines::new(16, Fit::Free)] {
        let mut random = fastrand::Rng::with_seed(crate::bus::seed(5));
        let mut beside = Beside::new(group(&lines, 1.0), &lines);
        for count in 1..=40_usize {
            let vector = |random: &mut fastrand::Rng| bits(&[(); HEAD].map(|()| random.f64() * 4.0 - 2.0));
            let [query, key, value] = [(); 3].map(|()| vector(&mut random));
            let (step, error) = beside.step(&query, &key, &value);
            // outputs that nearly cancel have a larger relative error
            assert!(error < 2e-3, "{count} positions: {error}");
            let entered: Vec<usize> = step.entries.iter().map(|entry| entry.0).collect();
            assert_eq!(entered, (count.saturating_sub(LATEST)..(count + 1).saturating_sub(LATEST)).collect::<Vec<_>>());
        }
    }
}

/// Half of the keys take a centre at an angle of 53 degrees; a query that turns makes them far from what their centre says.
#[test]
fn a_denominator_that_is_not_positive_is_computed_from_all_positions() {
    let lines = Lines::new(8, Fit::Joined);
    let mut settings = settings(&lines, 0.5);
    settings.large_from = lines.count();
    let mut beside = Beside::new(Group::new(settings).unwrap(), &lines);
    let vector = |x: f64, y: f64| bits(&[&[x, y][..], &[0.0; 14]].concat());
    let key = |position: usize| if position.is_multiple_of(2) { vector(1.0, 0.0) } else { vector(0.6, 0.8) };
    for position in 0..40 {
        let (step, error) = beside.step(&vector(4.0, 2.0), &key(position), &along(1.0 + position as f64));
        assert!(!step.all_active && step.active.is_empty() && error < 1e-3, "{error}");
    }
    assert_eq!(beside.group.keys().centres(), [0]);
    let (step, error) = beside.step(&vector(4.0, -40.0), &key(40), &along(1.0));
    assert!(step.all_active && error < 1e-3, "{error}");
    assert_eq!(step.passes.len(), 2);
    assert!(step.passes[0].active.is_empty());
    assert_eq!(step.passes[1].active, (0..25).collect::<Vec<_>>());
    assert_eq!(step.passes[1].keys, (1..25).collect::<Vec<_>>(), "the centre has an accurate score");
    assert!(beside.group.wrong(&step, 0, &vector(4.0, -40.0)).is_empty());
    // what was computed is counted: keys at an angle were in another interval than their mode
    let moved = step.active.iter().filter(|active| active.mode != active.interval).count();
    assert_eq!(moved, 12);
}

/// Random vectors with wide angles between keys and their centres, queries that turn every 30 steps, and room for one change.
#[test]
fn wrong_estimates_repeats_and_postponed_changes() {
    let lines = Lines::new(8, Fit::Joined);
    let mut settings = settings(&lines, 0.5);
    settings.large_from = lines.count();
    settings.max_changes = 1;
    let mut beside = Beside::new(Group::new(settings).unwrap(), &lines);
    let mut random = fastrand::Rng::with_seed(crate::bus::seed(6));
    let (mut repeats, mut postponed, mut wrong, mut estimates) = (0, 0, 0, 0);
    let mut direction = [0.0; HEAD];
    for t in 0..300 {
        if t % 30 == 0 {
            direction = direction.map(|_| random.f64() * 8.0 - 4.0);
        }
        let noise = |random: &mut fastrand::Rng, size: f64| (random.f64() + random.f64() - 1.0) * size;
        let query = bits(&direction.map(|x| x + noise(&mut random, 3.0)));
        let [key, value] = [3.0, 1.0].map(|size| bits(&[(); HEAD].map(|()| noise(&mut random, size))));
        let (step, error) = beside.step(&query, &key, &value);
        let missed = beside.group.wrong(&step, 0, &query);
        assert!(!missed.is_empty() || error < 5e-3, "{error}");
        assert!(step.passes.windows(2).all(|pair| pair[1].keys.iter().all(|key| !pair[0].active.contains(key))));
        assert!(step.active.is_sorted_by_key(|active| active.position) && step.changes.len() <= 1);
        repeats += step.passes.len() - 1 - usize::from(step.all_active);
        postponed += step.postponed;
        wrong += missed.len();
        estimates += step.passes.iter().map(|pass| pass.keys.len()).sum::<usize>();
    }
    let seen = format!("{repeats} repeats, {postponed} postponed, {wrong} wrong, {estimates} keys");
    assert!(repeats > 0 && postponed > 0 && wrong > 0 && estimates > 0, "{seen}");
}

/// Changes and entries in every fourth step: the output stays right, and caches are written in those steps only.
#[test]
fn longer_periods() {
    let lines = Lines::new(8, Fit::Joined);
    for period in [4, 16] {
        let settings = Settings { period, ..settings(&lines, 1.0) };
        let mut beside = Beside::new(Group::new(settings).unwrap(), &lines);
        let mut random = fastrand::Rng::with_seed(crate::bus::seed(7));
        let (mut changes, mut postponed) = (0, 0);
        for count in 1..=120_usize {
            let vector = |random: &mut fastrand::Rng| bits(&[(); HEAD].map(|()| random.f64() * 4.0 - 2.0));
            let [query, key, value] = [(); 3].map(|()| vector(&mut random));
            let before = beside.group.heads()[0].clone();
            let (step, error) = beside.step(&query, &key, &value);
            assert!(error < 5e-3, "{count} positions: {error}");
            let after = &beside.group.heads()[0];
            if count % period == 0 {
                assert_eq!(after.modes.len(), (count + 1).saturating_sub(LATEST));
            } else {
                assert!(after.modes == before.modes && after.caches == before.caches);
                assert!(step.entries.is_empty() && step.changes.is_empty());
            }
            changes += step.changes.len();
            postponed += step.postponed;
        }
        assert!(changes > 0 && postponed > 0, "{changes} {postponed}");
    }
}
