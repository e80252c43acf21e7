use super::exhaustive::{all, best};
use super::*;
use crate::footprint::Tracker;
use crate::hardware::H2M2;
use crate::shape::{CHINCHILLA_70B, GPT3_175B, LLAMA2_70B};
use proptest::prelude::*;

fn load() -> impl Strategy<Value = Load> {
    let times = || prop_oneof![0_u64..4, 0_u64..1000];
    (0_u64..9, prop_oneof![0_u64..6, 0_u64..200], times(), times()).prop_map(|(parts, bytes, fast, large)| Load {
        parts,
        bytes,
        fast,
        large,
    })
}

/// Memories from far too small to larger than needed, most of them nearly full.
fn problem() -> impl Strategy<Value = Problem> {
    (prop::array::uniform3(load()), 0_u64..110, 0_u64..=100, 0_u64..40).prop_map(|(loads, percent, share, more)| {
        let needed: u64 = loads.iter().map(|load| load.parts * load.bytes).sum();
        let all = needed * percent / 100 + more;
        let fast_capacity = all * share / 100;
        Problem { fast_capacity, large_capacity: all - fast_capacity, loads }
    })
}

/// Algorithm 1 word by word, by trying all: the answers whose first number is best, of these the ones whose second is best, and so on.
fn by_trying_all(problem: &Problem) -> Option<Mapping> {
    let mut left: Vec<Mapping> = all(problem).filter(|&mapping| problem.fits(mapping)).collect();
    for (i, load) in problem.loads.iter().enumerate() {
        let n = left.iter().map(|mapping| mapping.0[i]).min_by_key(|&n| (load.peak(n), n))?;
        left.retain(|mapping| mapping.0[i] == n);
    }
    left.first().copied()
}

/// More parts of few bytes, in memories that are full but for a part or two: what [`looking_ahead`] is for.
fn full_problem() -> impl Strategy<Value = Problem> {
    let load = (0_u64..30, 1_u64..60, 0_u64..9, 0_u64..9).prop_map(|(parts, bytes, fast, large)| Load {
        parts,
        bytes,
        fast,
        large,
    });
    (prop::array::uniform3(load), 0_u64..=100, 0_u64..90).prop_map(|(loads, share, more)| {
        let all = loads.iter().map(|load| load.parts * load.bytes).sum::<u64>() + more;
        Problem { fast_capacity: all * share / 100, large_capacity: all - all * share / 100, loads }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]
    #[test]
    fn looking_ahead_equals_trying_all_in_full_memories(problem in full_problem()) {
        let tried = by_trying_all(&problem);
        prop_assert_eq!(looking_ahead(&problem), tried);
        prop_assert_eq!(solve(&problem).ok(), tried);
    }

    #[test]
    fn the_first_multiple_between_is_the_first(a in 0_u64..300, m in 1_u64..200, ends in (0_u64..200, 0_u64..200)) {
        let (least, most) = ((ends.0 % m).min(ends.1 % m), (ends.0 % m).max(ends.1 % m));
        let tried = (0..m).find(|n| (least..=most).contains(&(n * a % m)));
        prop_assert_eq!(first_between(a, m, least, most), tried);
    }

    #[test]
    fn each_step_equals_trying_all_and_what_does_not_fit_does_not_fit(problem in problem()) {
        let answer = solve(&problem);
        prop_assert_eq!(answer.ok(), by_trying_all(&problem));
        match answer {
            Ok(mapping) => {
                let (fast, large) = problem.bytes(mapping);
                prop_assert!(fast <= problem.fast_capacity && large <= problem.large_capacity);
                let needed: u64 = problem.loads.iter().map(|load| load.parts * load.bytes).sum();
                prop_assert_eq!(fast + large, needed);
            }
            Err(_) => prop_assert!(all(&problem).all(|mapping| !problem.fits(mapping))),
        }
    }

    #[test]
    fn nothing_beats_the_exhaustive_search(problem in problem()) {
        if let (Ok(mapping), Some((_, least))) = (solve(&problem), best(&problem, |m| problem.time(m))) {
            prop_assert!(problem.time(mapping) >= least);
            prop_assert!(all(&problem).filter(|&m| problem.fits(m)).all(|m| problem.time(m) >= least));
        }
    }

    #[test]
    fn real_models_are_never_mapped_over_capacity(model in 0_usize..3, lengths in prop::collection::vec(1_u64..9000, 1..64)) {
        let mut tracker = Tracker::new([GPT3_175B, CHINCHILLA_70B, LLAMA2_70B][model]).unwrap();
        for (id, tokens) in (0..).zip(lengths) {
            tracker.start(id, tokens).unwrap();
        }
        let problem = tracker.problem(&H2M2);
        match solve(&problem) {
            Ok(mapping) => prop_assert!(problem.fits(mapping)),
            Err(NoMapping::DoesNotFit { needed, fast, large }) => {
                prop_assert!(needed + problem.loads[2].bytes > fast + large);
            }
            Err(error) => return Err(TestCaseError::fail(error.to_string())),
        }
    }
}

#[test]
fn a_step_leaves_room_for_the_next() {
    // alone, attention would take both parts of 3 to the fast side; then a part of 4 finds 2 free on one side and 3 on the other
    let load = |parts, bytes, fast, large| Load { parts, bytes, fast, large };
    let loads = [load(2, 3, 1, 9), load(1, 4, 1, 1), load(0, 1, 1, 1)];
    let problem = Problem { fast_capacity: 8, large_capacity: 3, loads };
    assert_eq!(plain(&problem), None);
    assert_eq!(solve(&problem), Ok(Mapping([1, 1, 0])));
    let smaller = Problem { fast_capacity: 6, ..problem };
    assert_eq!(solve(&smaller), Err(NoMapping::DoesNotFit { needed: 10, fast: 6, large: 3 }));
}

#[test]
fn more_than_can_be_counted_is_told() {
    let load = Load { parts: MAX_PARTS, bytes: 1, fast: 1, large: 1 };
    let problem = |load| Problem { fast_capacity: u64::MAX, large_capacity: u64::MAX, loads: [load; 3] };
    assert_eq!(solve(&problem(load)), Ok(Mapping([MAX_PARTS / 2; 3])));
    let parts = solve(&problem(Load { parts: MAX_PARTS + 1, ..load })).unwrap_err();
    assert_eq!(parts.to_string(), "a sublayer has 1048577 parts; legal are at most 1048576");
    for large in [Load { bytes: 1 << 40, ..load }, Load { fast: u64::MAX, ..load }, Load { large: 1 << 62, ..load }] {
        assert_eq!(solve(&problem(large)), Err(NoMapping::TooLarge));
    }
}

#[test]
fn a_load_without_parts_counts_for_nothing() {
    let load = |parts, bytes, fast, large| Load { parts, bytes, fast, large };
    let none = load(0, u64::MAX, u64::MAX, u64::MAX);
    for (loads, mapping) in [
        ([none; 3], [0; 3]),
        // full but for a byte, so that it looks ahead
        ([load(2, 3, 1, 9), none, load(1, 4, 1, 1)], [1, 0, 1]),
        ([load(2, 3, 1, 9), load(1, 4, 1, 1), none], [1, 1, 0]),
        ([none, load(2, 3, 1, 9), load(1, 4, 1, 1)], [0, 1, 1]),
    ] {
        let problem = Problem { fast_capacity: 8, large_capacity: 3, loads };
        assert_eq!(solve(&problem), Ok(Mapping(mapping)));
        assert_eq!(by_trying_all(&problem), Some(Mapping(mapping)));
    }
}

#[test]
#[should_panic(expected = "fast = 5 parts is out of range; legal is 0 to 4")]
fn a_peak_of_more_parts_than_there_are_is_told() {
    Load { parts: 4, bytes: 1, fast: 1, large: 1 }.peak(5);
}

#[test]
fn a_peak_beyond_64_bits_is_the_longest() {
    let load = Load { parts: 4, bytes: 1, fast: 1 << 62, large: 1 << 63 };
    assert_eq!([0, 1, 2, 4].map(|fast| load.peak(fast)), [u64::MAX; 4]);
    assert_eq!(load.peak(3), (1 << 63) + (1 << 62));
}

#[test]
fn as_a_batch_grows_fc_leaves_the_fast_side_before_attention_does() {
    let mapping = |tokens| {
        let mut tracker = Tracker::new(GPT3_175B).unwrap();
        (0..32).for_each(|id| tracker.start(id, tokens).unwrap());
        solve(&tracker.problem(&H2M2)).unwrap().0
    };
    let mappings: Vec<[u64; 3]> = (256..=2048).step_by(256).map(mapping).collect();
    for pair in mappings.windows(2) {
        assert!(pair[1][2] <= pair[0][2], "fc comes back (section 4.3.2): {mappings:?}");
    }
    assert!(mappings[0][2] > 0 && mappings[7][2] == 0, "{mappings:?}");
}

#[test]
fn the_page_has_the_gap_to_the_best_mapping() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/h2m2-model.md");
    let page = std::fs::read_to_string(path).unwrap();
    let table = gap::table();
    assert!(page.contains(&table), "docs/h2m2-model.md should have\n{table}");
}

/// A mapping with more parts than there are has no room, and neither bytes nor a time.
#[test]
fn a_mapping_beyond_the_parts_is_told() {
    let load = Load { parts: 4, bytes: 10, fast: 1, large: 2 };
    let problem = Problem { fast_capacity: 1000, large_capacity: 1000, loads: [load; 3] };
    assert_eq!(problem.bytes(Mapping([4, 0, 1])), (50, 70));
    assert_eq!(problem.time(Mapping([4, 0, 1])), 4 + 8 + 6);
    for mapping in [Mapping([5, 0, 0]), Mapping([0, 0, u64::MAX])] {
        assert!(!problem.fits(mapping));
        for ask in [|p: &Problem, m: Mapping| p.bytes(m).1, |p: &Problem, m: Mapping| p.time(m)] {
            let panic = std::panic::catch_unwind(|| ask(&problem, mapping)).expect_err("a mapping that is impossible");
            let message = panic.downcast_ref::<String>().expect("a text");
            assert!(message.ends_with("parts is out of range; legal is 0 to 4"), "{message}");
        }
    }
}
