use super::*;
use crate::hardware::{H2M2, SideHardware};
use proptest::prelude::*;
use std::collections::BTreeSet;

const PAGE: u64 = 4096;
const BASES: (u64, u64) = (0x10_0000, 1 << 32);

/// A small decoder in small memories: 38 pages of weights, and 2 a request for each begun 64 tokens.
fn settings(fast_pages: u64, large_pages: u64) -> Settings {
    let shape =
        Shape { layers: 4, hidden: 64, head: 8, heads: 8, kv_heads: 2, feed_forward: 128, feed_forward_matrices: 3 };
    let side = |hardware: SideHardware, pages| SideHardware { capacity: pages * PAGE + 77, ..hardware };
    let hardware = Hardware { fast: side(H2M2.fast, fast_pages), large: side(H2M2.large, large_pages), ..H2M2 };
    Settings {
        shape,
        hardware,
        page: PageSize::new(PAGE).unwrap(),
        page_layers: 4,
        slots: 4,
        max_tokens: 500,
        bases: BASES,
    }
}

/// What must hold of a manager at any time.
fn check(manager: &Manager, settings: &Settings) {
    let mut places = BTreeSet::new();
    let layout = manager.layout();
    for page in 0..layout.pages() {
        let Some(entry) = manager.table().get(page).unwrap() else { continue };
        assert!(places.insert((entry.side, entry.address)), "two pages at {:#x}", entry.address);
        let (base, side) = match entry.side {
            Side::Fast => (BASES.0, settings.hardware.fast),
            _ => (BASES.1, settings.hardware.large),
        };
        assert!(entry.address >= base && entry.address + PAGE <= base + side.capacity, "over capacity");
    }
    let free = manager.free_pages();
    let capacity = |side: SideHardware| side.capacity / PAGE;
    assert_eq!(
        places.len() as u64 + free.0 + free.1,
        capacity(settings.hardware.fast) + capacity(settings.hardware.large)
    );
    let mut mapped = 0;
    for (sublayer, part) in Sublayer::ALL.iter().flat_map(|&s| (0..settings.shape.parts(s)).map(move |part| (s, part)))
    {
        let pages: Vec<u64> = match sublayer {
            Sublayer::Attention => {
                let requests = manager.tracker().requests();
                requests.flat_map(|(id, tokens)| layout.kv_pages(manager.slot(id).unwrap(), part, tokens)).collect()
            }
            _ => layout.weight_pages(sublayer, part).collect(),
        };
        mapped += pages.len();
        let side = if manager.is_fast(sublayer, part) { Side::Fast } else { Side::Large };
        for page in pages {
            let entry = manager.table().get(page).unwrap().expect("everything that has bytes is mapped");
            assert_eq!((entry.side, entry.read, entry.write), (side, true, sublayer == Sublayer::Attention));
        }
    }
    assert_eq!(places.len(), mapped, "nothing else is mapped");
}

fn change() -> impl Strategy<Value = Change> {
    let id = || 0_u32..6;
    prop_oneof![
        2 => (id(), 0_u64..600).prop_map(|(id, tokens)| Change::Start(id, tokens)),
        6 => id().prop_map(Change::Grow),
        1 => id().prop_map(Change::Finish)
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn all_that_has_bytes_is_mapped_once_where_the_mapping_says(
        memories in (0_u64..60, 10_u64..80),
        page_layers in 1_u64..=4,
        steps in prop::collection::vec(prop::collection::vec(change(), 1..4), 0..25),
    ) {
        let settings = Settings { page_layers, ..settings(memories.0, memories.1) };
        let Ok(mut manager) = Manager::new(&settings) else { return Ok(()) };
        check(&manager, &settings);
        for changes in steps {
            let before = manager.clone();
            match manager.step(&changes) {
                Ok(step) => {
                    for m in &step.plan.moves {
                        let old = before.table().get(m.page).unwrap().expect("only what was mapped moves");
                        prop_assert_eq!((old.side, old.address), (m.from, m.from_address));
                        let new = manager.table().get(m.page).unwrap().expect("what moves stays mapped");
                        prop_assert_eq!((new.side, new.address), (m.to, m.to_address));
                    }
                    prop_assert!(step.mapped.iter().all(|&page| manager.table().get(page).unwrap().is_some()));
                }
                Err(error) => {
                    prop_assert!(!matches!(error, ManagerError::Plan(_) | ManagerError::Table(_)), "{}", error);
                    prop_assert_eq!(before.table(), manager.table());
                    prop_assert_eq!(before.free_pages(), manager.free_pages());
                }
            }
            check(&manager, &settings);
        }
    }
}

#[test]
fn attention_pushes_fc_out_of_the_fast_side() {
    let settings = settings(24, 100);
    let mut manager = Manager::new(&settings).unwrap();
    let weights = manager.mapping();
    assert!(weights.0[2] > 0);
    manager.step(&[Change::Start(7, 64), Change::Start(9, 64)]).unwrap();
    assert_eq!(manager.step(&[Change::Grow(7)]).unwrap().mapped.len(), 2, "65 tokens begin a page for each head");
    let step = manager.step(&[Change::Start(1, 400)]).unwrap();
    assert!(!step.plan.moves.is_empty() && manager.mapping().0[2] < weights.0[2]);
    let unmapped = manager.step(&[Change::Finish(1)]).unwrap().unmapped;
    assert_eq!(unmapped.len(), 2 * 7);
    check(&manager, &settings);
}

#[test]
fn what_is_refused_says_why() {
    let mut manager = Manager::new(&settings(24, 100)).unwrap();
    let mut refused = |changes: &[Change]| manager.step(changes).unwrap_err().to_string();
    assert_eq!(refused(&[Change::Grow(3)]), "request 3 is not under way");
    assert_eq!(refused(&[Change::Start(3, 1000)]), "request 3 has 1000 tokens; its region has room for 512");
    let five: Vec<Change> = (0..5).map(|id| Change::Start(id, 1)).collect();
    assert_eq!(refused(&five), "request 4 finds no slot: all 4 are taken");
    let four: Vec<Change> = (0..4).map(|id| Change::Start(id, 512)).collect();
    manager.step(&four).unwrap();
    let error = Manager::new(&settings(3, 3)).unwrap_err();
    assert!(matches!(error, ManagerError::NoMapping(NoMapping::DoesNotFit { .. })), "{error}");
}

#[test]
fn a_prompt_longer_than_can_be_counted_is_too_long() {
    let mut manager = Manager::new(&settings(24, 100)).unwrap();
    manager.step(&[Change::Start(1, 5)]).unwrap();
    let error = manager.step(&[Change::Start(2, u64::MAX)]).unwrap_err().to_string();
    assert_eq!(error, "request 2 has 18446744073709551615 tokens; its region has room for 512");
    assert_eq!((manager.tracker().batch(), manager.slot(2)), (1, None));
}

/// Why there is no manager with a change of the settings.
fn refused(change: impl Fn(&mut Settings)) -> String {
    let mut settings = settings(24, 100);
    change(&mut settings);
    Manager::new(&settings).unwrap_err().to_string()
}

#[test]
fn impossible_hardware_is_refused() {
    let bandwidth = "hardware.large.bandwidth = 0 is out of range; legal is 1 to 1152921504606846976";
    assert_eq!(refused(|s| s.hardware.large.bandwidth = 0), bandwidth);
    let base =
        "a memory of 98381 bytes at address 0x1000000000000 ends beyond address 2^48; legal are addresses below 2^48";
    assert_eq!(refused(|s| s.bases.0 = 1 << 48), base);
    let slow = "the bytes and the times of all parts of a sublayer must be below 2^60";
    let large = |s: &mut Settings| {
        s.shape = Shape { layers: 1024, hidden: 1 << 14, head: 1 << 11, feed_forward: 1 << 14, ..s.shape };
        s.page = PageSize::HUGE;
        s.hardware.large.bandwidth = 1;
        s.bases = (0, 0);
    };
    assert_eq!(refused(large), slow, "a time of more than 64 bits is not cut");
}

#[test]
fn what_no_table_holds_is_refused() {
    let what = |slots, max_tokens, legal| {
        assert_eq!(
            refused(|s| (s.slots, s.max_tokens) = (slots, max_tokens)),
            format!(
                "slots = {slots} of max_tokens = {max_tokens} take more than the 2147483648 virtual pages of 4096 bytes that a \
                 table may have; legal are at most {legal}"
            )
        );
    };
    // 38 pages of weights; then a slot takes 2 pages for each begun 64 tokens
    let pages = (1_u64 << 31) - 38;
    let tokens = pages / 2 * 64;
    what(1 << 62, 100, format!("{} slots of so many tokens, or 0 tokens in so many slots", pages / 4));
    what(u64::MAX, 64, format!("{} slots of so many tokens, or 0 tokens in so many slots", pages / 2));
    what(1, u64::MAX, format!("0 slots of so many tokens, or {tokens} tokens in so many slots"));
    what(4, tokens, format!("1 slots of so many tokens, or {} tokens in so many slots", pages / 8 * 64));
}
