use super::*;
use crate::page::PageSize;
use proptest::prelude::*;
use std::collections::HashMap;

const PAGE: u64 = 4096;

fn spaces(fast: u64, large: u64) -> Spaces {
    let page = PageSize::new(PAGE).unwrap();
    let space = |side, base, pages| FreeSpace::new(side, page, base, pages * PAGE).unwrap();
    Spaces { fast: space(Side::Fast, 0, fast), large: space(Side::Large, 1 << 40, large) }
}

/// Regions whose pages are on these sides (true: fast), in memories with so many free pages besides.
fn placed(regions: &[(Vec<Vec<bool>>, usize)], free: (u64, u64)) -> (Vec<Region>, Spaces) {
    let count = |fast: bool| regions.iter().flat_map(|r| &r.0).flatten().filter(|&&f| f == fast).count() as u64;
    let mut spaces = spaces(count(true) + free.0, count(false) + free.1);
    let mut number = 0;
    let mut place = |fast: bool| {
        number += 1;
        let side = if fast { Side::Fast } else { Side::Large };
        Placed { page: number, side, address: spaces.of(side).unwrap().take().unwrap() }
    };
    let mut regions_of = |parts: &Vec<Vec<bool>>| -> Vec<Vec<Placed>> {
        parts.iter().map(|part| part.iter().map(|&fast| place(fast)).collect()).collect()
    };
    let regions = regions.iter().map(|(parts, fast)| Region { parts: regions_of(parts), fast: *fast }).collect();
    (regions, spaces)
}

fn region() -> impl Strategy<Value = (Vec<Vec<bool>>, usize)> {
    let part = prop_oneof![
        (any::<bool>(), 0_usize..5).prop_map(|(fast, pages)| vec![fast; pages]),
        prop::collection::vec(any::<bool>(), 0..5)
    ];
    prop::collection::vec(part, 0..7).prop_flat_map(|parts| {
        let most = parts.len();
        (Just(parts), 0..=most)
    })
}

/// Pages that move when these parts go to the fast side.
fn moved(parts: &[Vec<bool>], on_fast: impl Fn(usize) -> bool) -> usize {
    parts.iter().enumerate().map(|(i, part)| part.iter().filter(|&&fast| fast != on_fast(i)).count()).sum()
}

/// Carries a plan out, and checks at each step that the page is where the plan says and its destination is nobody's.
fn carry_out(regions: &[Region], plan: &Plan) -> HashMap<u64, (Side, u64)> {
    let mut places: HashMap<u64, (Side, u64)> =
        regions.iter().flat_map(|r| &r.parts).flatten().map(|p| (p.page, (p.side, p.address))).collect();
    for m in &plan.moves {
        assert_ne!(m.from, m.to);
        assert_eq!(places[&m.page], (m.from, m.from_address));
        assert!(places.values().all(|&place| place != (m.to, m.to_address)), "{m:?} onto another page");
        places.insert(m.page, (m.to, m.to_address));
    }
    places
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]
    #[test]
    fn the_fewest_bytes_move_and_all_arrive(regions in prop::collection::vec(region(), 1..4), free in (0_u64..40, 1_u64..3)) {
        let (placed, mut spaces) = placed(&regions, free);
        let all = spaces.fast.pages() + spaces.large.pages();
        let pages: u64 = placed.iter().flat_map(|r| &r.parts).map(|part| part.len() as u64).sum();
        let before = spaces.clone();
        // least over all choices of the parts
        let least: usize = regions.iter().map(|(parts, fast)| {
            let choices = (0_u32..1 << parts.len()).filter(|c| c.count_ones() as usize == *fast);
            choices.map(|c| moved(parts, |i| c >> i & 1 == 1)).min().unwrap()
        }).sum();
        match plan(&placed, &mut spaces) {
            Ok(plan) => {
                prop_assert_eq!(plan.moves.len(), least);
                let places = carry_out(&placed, &plan);
                for ((region, on_fast), (_, fast)) in placed.iter().zip(&plan.on_fast).zip(&regions) {
                    prop_assert_eq!(on_fast.iter().filter(|&&f| f).count(), *fast);
                    for (part, &fast) in region.parts.iter().zip(on_fast) {
                        let side = if fast { Side::Fast } else { Side::Large };
                        prop_assert!(part.iter().all(|p| places[&p.page].0 == side));
                    }
                }
                prop_assert_eq!(spaces.fast.free_pages() + spaces.large.free_pages() + pages, all);
                prop_assert_eq!(plan.batches().concat(), plan.moves.clone());
                for batch in plan.batches() {
                    let from: Vec<_> = batch.iter().map(|m| (m.from, m.from_address)).collect();
                    prop_assert!(batch.iter().all(|m| !from.contains(&(m.to, m.to_address))));
                }
            }
            Err(error) => {
                // one of the sides is too small for what would be there in the end
                let on_fast: Vec<Vec<bool>> = placed.iter().map(|r| choose(r).unwrap()).collect();
                let count = |fast: bool| placed.iter().zip(&on_fast).flat_map(|(r, on)| r.parts.iter().zip(on))
                    .filter(|(_, f)| **f == fast).map(|(part, _)| part.len() as u64).sum::<u64>();
                let short = count(true) > spaces.fast.pages() || count(false) > spaces.large.pages();
                prop_assert!(short && matches!(error, PlanError::NoRoom(_)), "{}", error);
                prop_assert_eq!(spaces.fast.free_pages(), before.fast.free_pages());
                prop_assert_eq!(spaces.large.free_pages(), before.large.free_pages());
            }
        }
    }
}

#[test]
fn full_memories_swap_through_one_free_page() {
    let (regions, mut spaces) = placed(&[(vec![vec![true; 4]], 0), (vec![vec![false; 4]], 1)], (0, 1));
    let plan = plan(&regions, &mut spaces).unwrap();
    assert_eq!(plan.moves.len(), 8);
    assert!(plan.batches().len() > 1, "with one free page no batch holds them all");
    carry_out(&regions, &plan);
    let (regions, mut spaces) = placed(&[(vec![vec![true]], 0), (vec![vec![false]], 1)], (0, 0));
    assert_eq!(super::plan(&regions, &mut spaces), Err(PlanError::NoRoom(Side::Large)));
}

#[test]
fn pages_that_are_not_where_they_should_be_are_told() {
    let (regions, mut spaces) = placed(&[(vec![vec![true]], 0)], (1, 1));
    let wrong =
        |side, address| vec![Region { parts: vec![vec![Placed { page: 7, side, address }]], ..regions[0].clone() }];
    assert_eq!(plan(&wrong(Side::Remote, 0), &mut spaces), Err(PlanError::Remote(7)));
    let error = SpaceError::Free(PAGE);
    assert_eq!(plan(&wrong(Side::Fast, PAGE), &mut spaces), Err(PlanError::Space { page: 7, error }));
    let many = [Region { fast: 2, ..regions[0].clone() }];
    assert_eq!(plan(&many, &mut spaces), Err(PlanError::Parts { fast: 2, parts: 1 }));
    assert_eq!(spaces.large.free_pages(), 1, "what fails takes nothing");
}
