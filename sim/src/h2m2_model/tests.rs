use super::choices::{Choices, alternatives};
use super::dynamic::migration_rate;
use super::events::Resource;
use super::figures::{MODELS, tracker};
use super::layer::{Asymmetric, Batch, Stage};
use super::numbers::results;
use super::report::Report;
use super::search::{Costs, flexgen};
use super::uniform;
use driver::hardware::Hardware;
use driver::shape::{Shape, Sublayer};
use driver::solver::{Mapping, exhaustive, solve};
use proptest::prelude::*;

/// A decoder small enough to try all mappings.
const SMALL: Shape =
    Shape { layers: 3, hidden: 1024, head: 64, heads: 16, kv_heads: 8, feed_forward: 4096, feed_forward_matrices: 3 };

fn any_mapping(shape: Shape) -> impl Strategy<Value = Mapping> {
    let [a, q, f] = Sublayer::ALL.map(|s| shape.parts(s));
    (0..=a, 0..=q, 0..=f).prop_map(|(a, q, f)| Mapping([a, q, f]))
}

fn any_batch() -> impl Strategy<Value = (Batch, Mapping)> {
    (0_usize..4, 1_u64..200, 1_u64..5000).prop_flat_map(|(model, requests, length)| {
        let shape = [SMALL, MODELS[0].shape, MODELS[1].shape, MODELS[2].shape][model];
        (Just(Batch { shape, requests, tokens: requests * length }), any_mapping(shape))
    })
}

fn any_choices() -> impl Strategy<Value = Choices> {
    prop::option::of(0..alternatives().len())
        .prop_map(|i| i.map_or(Choices::default(), |i| alternatives()[i].of(&Choices::default())))
}

proptest! {
    #[test]
    fn bytes_read_equal_the_footprint((batch, mapping) in any_batch()) {
        let choices = Choices::default();
        let read: u64 = Stage::ALL.iter().map(|&stage| {
            let (fast, large) = batch.split(stage, mapping);
            batch.work(stage, fast, &choices).read + batch.work(stage, large, &choices).read
        }).sum();
        prop_assert_eq!(read * batch.shape.layers, uniform::footprint(&batch));
        let tracker = tracker(batch.shape, &[batch.tokens]);
        prop_assert_eq!(read * batch.shape.layers, tracker.bytes());
    }

    #[test]
    fn events_and_sums_agree((batch, mapping) in any_batch(), choices in any_choices(), translation: bool) {
        let system = Asymmetric::new(&choices, translation);
        let sum: u64 = Stage::ALL.iter().map(|&stage| system.stage_time(&batch, stage, mapping)).sum();
        prop_assert_eq!(system.time(&batch, mapping), sum * batch.shape.layers);
        if !translation {
            prop_assert_eq!(Costs::new(&system, &batch).time(mapping), sum * batch.shape.layers);
        }
    }

    #[test]
    fn no_side_beats_its_bandwidth_or_its_arrays((batch, mapping) in any_batch(), choices in any_choices()) {
        let system = Asymmetric::new(&choices, false);
        let graph = system.graph(&batch, mapping);
        let times = graph.run();
        let Hardware { fast, large, core, .. } = choices.hardware;
        for (machine, resource) in [(fast, Resource::Fast), (large, Resource::Large)] {
            let busy: u64 = graph.tasks().iter().zip(&times).filter(|(task, _)| task.resource == resource)
                .map(|(_, (start, end))| end - start).sum();
            let (mut bytes, mut matrix, mut dot) = (0.0, 0.0, 0.0);
            for stage in Stage::ALL {
                let (on_fast, on_large) = batch.split(stage, mapping);
                let parts = if resource == Resource::Fast { on_fast } else { on_large };
                let work = batch.work(stage, parts, &choices);
                bytes += (work.read + work.written) as f64;
                matrix += work.read as f64 * work.batch as f64;
                dot += work.dot as f64;
            }
            let seconds = busy as f64 * 1e-12 * (1.0 + 1e-9);
            let cycles = seconds * core.frequency as f64 * machine.cores as f64;
            prop_assert!(bytes <= seconds * machine.bandwidth as f64);
            prop_assert!(matrix <= cycles * (core.arrays * core.rows * core.columns) as f64);
            prop_assert!(dot <= cycles * core.dot_lanes as f64);
        }
        // no resource does two things at once
        for (i, a) in times.iter().enumerate() {
            for (j, b) in times.iter().enumerate().skip(i + 1) {
                let same = graph.tasks()[i].resource == graph.tasks()[j].resource;
                prop_assert!(!same || a.1 <= b.0 || b.1 <= a.0 || a.0 == a.1 || b.0 == b.1);
            }
        }
    }

    #[test]
    fn no_mapping_beats_the_oracle(requests in 1_u64..64, length in 1_u64..5000, percent in 30_u64..130, share in 5_u64..95) {
        let mut choices = Choices::default();
        let batch = Batch { shape: SMALL, requests, tokens: requests * length };
        let all = uniform::footprint(&batch) * percent / 100;
        choices.hardware.fast.capacity = all * share / 100;
        choices.hardware.large.capacity = all - choices.hardware.fast.capacity;
        let problem = tracker(SMALL, &[batch.tokens]).problem(&choices.hardware);
        let system = Asymmetric::new(&choices, false);
        let costs = Costs::new(&system, &batch);
        let oracle = costs.oracle(&problem);
        let tried = exhaustive::best(&problem, |mapping| costs.time(mapping));
        prop_assert_eq!(oracle.map(|mapping| costs.time(mapping)), tried.map(|(_, time)| time));
        let Some(oracle) = oracle else { return Ok(()) };
        prop_assert!(problem.fits(oracle));
        let others = Sublayer::ALL.iter().filter_map(|&s| costs.major(&problem, s))
            .chain(solve(&problem).ok()).chain(flexgen(&batch, &choices, &problem));
        for mapping in others {
            prop_assert!(problem.fits(mapping));
            prop_assert!(system.time(&batch, mapping) >= system.time(&batch, oracle));
        }
        // with translation every mapping takes longer
        let paged = Asymmetric::new(&choices, true);
        prop_assert!(paged.time(&batch, oracle) >= system.time(&batch, oracle));
    }
}

#[test]
fn nothing_beats_the_oracle_in_any_figure_with_any_choice() {
    let changed = alternatives().iter().map(|alternative| alternative.of(&Choices::default()));
    for choices in changed.chain([Choices::default()]) {
        for point in MODELS.iter().flat_map(|model| model.points(&choices)) {
            let mut others = vec![point.h2m2, point.h2m2_untranslated, point.flexgen];
            others.extend(point.majors.iter().flatten());
            // a whole sublayer on one side is a mapping of heads, unless layers may differ
            others.extend((!choices.layers_differ).then_some(point.sublayer));
            assert!(others.iter().all(|&time| time >= point.oracle), "{point:?}");
        }
    }
}

#[test]
fn a_kernel_by_hand() {
    // GPT3, 32 requests: the weights of a layer's projection are 12288^2 bytes, those of 48 heads half of them
    let (choices, batch) = (Choices::default(), MODELS[0].batch(1024));
    let system = Asymmetric::new(&choices, false);
    let work = batch.work(Stage::Projection, 48, &choices);
    assert_eq!((work.read, work.batch), (12288 * 12288 / 2, 32));
    // 4 arrays take 16 KiB in 128 ns each: 512 GB/s, less than either memory's bandwidth
    let arrays = 12288 * 12288 / 2 * 1000 / 512;
    assert_eq!(system.fast.arithmetic_time(&work), arrays);
    let fill = 65536 * 1_000_000 / 3_000_000;
    let expected = 32_000 + arrays + fill + 256_000;
    assert!(system.fast.time(&work).abs_diff(expected) <= 2, "{} {expected}", system.fast.time(&work));
    // LPDDR reads them at 544 GB/s
    assert_eq!(system.large.memory_time(&work), (12288_u64 * 12288 / 2 * 1_000_000).div_ceil(544_000));
    // a key and a value of 1024 tokens, 32 requests, 96 heads of 128
    let work = batch.work(Stage::Attention, 96, &choices);
    assert_eq!((work.read, work.dot, work.vector), (805_306_368, 805_306_368, 4 * 96 * 32 * 1024));
    let copies = |stage| batch.copies(stage, Mapping([96, 40, 0]));
    assert_eq!(copies(Stage::Qkv), (0, 3 * 128 * 32 * 56), "56 heads' queries, keys and values to the fast side");
    assert_eq!((copies(Stage::Attention), copies(Stage::Up)), ((12288 * 32, 0), (0, 49152 * 32)));
}

#[test]
fn translation_costs_a_walk_a_page_and_core() {
    let (choices, batch) = (Choices::default(), MODELS[0].batch(1024));
    let work = batch.work(Stage::Attention, 96, &choices);
    let time = |translation| Asymmetric::new(&choices, translation).fast.time(&work);
    // 805306368 bytes are 384 pages, 96 a core; memory is the slower part, so all of it counts: a walk and 17 cycles a page, of which 5
    // are hidden behind the page before, as those of hits are, but for the first page
    let difference = time(true) - time(false);
    assert!(difference.abs_diff(96 * (300_000 + 12_000) + 5_000) <= 2, "{difference}");
}

#[test]
fn pages_move_no_faster_than_their_memories_are_reached() {
    let mut choices = Choices::default();
    assert_eq!(migration_rate(&choices), 544_000_000_000, "LPDDR is the slowest");
    choices.reached = (100, 75);
    assert_eq!(migration_rate(&choices), 408_000_000_000);
    choices.reached = (10, 100);
    assert_eq!(migration_rate(&choices), 300_000_000_000);
}

#[test]
fn a_major_mapping_that_does_not_exist_is_none() {
    // both memories are nearly full: as much of a sublayer as the fast side has room for leaves less than a part of the others free there
    let mut choices = Choices::default();
    let needed = uniform::footprint(&MODELS[0].batch(2048));
    let found = (0..8).any(|i| {
        choices.hardware.large.capacity = needed + (i << 28) - choices.hardware.fast.capacity;
        let points = MODELS[0].points(&choices);
        points.iter().any(|point| point.majors.contains(&None))
    });
    assert!(found, "no capacity leaves a major mapping without room");
}

#[test]
fn all_results_are_there_and_the_same_every_time() {
    let choices = Choices::default();
    let (first, second) = (results(&choices).unwrap(), results(&choices).unwrap());
    assert_eq!(serde_json::to_string(&first).unwrap(), serde_json::to_string(&second).unwrap());
    assert_eq!((first.models.len(), first.dynamic.len(), first.variants.len()), (3, 128, 9));
    assert!(first.numbers.iter().all(|number| number.model.is_finite()));
}

#[test]
fn every_figure_is_there() {
    let results = results(&Choices::default()).unwrap();
    let figures = super::plot::figures(&results);
    let names: Vec<&str> = figures.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, (12..=18).map(|i| format!("figure{i}.svg")).collect::<Vec<_>>());
    let shown: [&[&str]; 7] = [
        &["hierarchical", "H2M2", "oracle", "2048"],
        &["hierarchical", "H2M2", "oracle", "4096"],
        &["qkv-linear", "attention", "fc", "all", "capacity", "GiB in HBM", "2048"],
        &["hierarchical", "H2M2", "oracle", "8192"],
        &["FlexGen", "H2M2", "oracle"],
        &["(a) HBM", "(b) HBM", "(c) LPDDR", "(d) compute", "HBMcap-Less", "HBMbw-More", "LPDDRChip-More", "2048"],
        &["H2M2", "8-HBM", "2048"],
    ];
    for ((name, svg), texts) in figures.iter().zip(shown) {
        let lacks: Vec<_> = texts.iter().filter(|text| !svg.contains(**text)).collect();
        assert!(svg.starts_with("<svg") && lacks.is_empty(), "{name} lacks {lacks:?}");
    }
}

#[test]
fn the_page_has_the_results() {
    const MARK: &str = "<!-- results -->\n";
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/h2m2-model.md");
    let page = std::fs::read_to_string(path).unwrap();
    let (words, printed) = page.split_once(MARK).expect("the page has a place for the results");
    let results = format!("\n{}", Report::new(&[], &Choices::default()).unwrap().markdown());
    if std::env::var("SNAPSHOTS").is_ok_and(|value| value == "overwrite") {
        std::fs::write(path, format!("{words}{MARK}{results}")).unwrap();
    } else {
        assert_eq!(printed, results, "docs/h2m2-model.md is out of date");
    }
}
