use std::path::{Path, PathBuf};

use super::report::Report;
use super::*;

fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/smollm2_long.safetensors")
}

#[test]
fn sums_over_heads_and_steps() {
    let recorded = Recorded::read(&path(), 64, &[10], Some(64)).unwrap();
    let setup = Setup { threshold: 0.9, intervals: 8, period: 1 };
    let figures = measure(&recorded, setup, &|| ()).unwrap();
    // 9 query heads, 64 steps; the last eighth are 8
    assert_eq!((figures.steps, figures.lengths.len()), (576, 1));
    let at = figures.last();
    assert_eq!((at.length, at.steps), (64, 72));
    let positions: u64 = (57..=64).sum();
    assert_eq!((at.positions, at.cached), (9 * (positions - 8), 9 * (positions - 8 * 16)));
    assert_eq!((at.single.steps, at.grouped.steps), (72, 24));
    assert_eq!((at.single.plain, at.grouped.plain), (9 * 256 * positions, 3 * 256 * positions));
    assert!(at.centres <= at.positions && at.active <= at.cached && at.hits <= at.active && at.wrong <= at.cached);
    assert!(at.single.active == at.active && at.grouped.active >= at.active / 3 && at.grouped.active <= at.active);
    assert!(figures.error_rms > 1e-4 && figures.error_rms < figures.error_max && figures.error_max < 0.2);
}

#[test]
fn the_break_even_line_is_where_measured_bytes_are_equal() {
    let recorded = Recorded::read(&path(), 64, &[10], None).unwrap();
    let figures = measure(&recorded, Setup { threshold: 1.0, intervals: 8, period: 1 }, &|| ()).unwrap();
    let report = Report::new(&recorded, vec![figures]);
    assert_eq!(report.break_even.len(), 2 * 5 * 4);
    // solved for the measured share, the bytes are those that were counted
    let at = report.setups[0].last();
    for (group, shared) in [(1.0, at.single), (3.0, at.grouped)] {
        let steps = shared.steps as f64;
        let (active, scored) = (shared.active as f64 / steps, shared.scored as f64 / steps);
        let each = at.active as f64 / at.steps as f64;
        let fixed = group * ((10.0 * 4288.0 + 24.0) + 31.0 * 16.0) + 128.0 * 16.0 + 260.0;
        let positions = at.positions as f64 / at.steps as f64;
        let bytes = 128.0 * scored + 128.0 * active + (4.0 + group / 2.0) * positions + 32.0 * group * each + fixed;
        let counted = shared.traffic.total() as f64 / steps;
        // less those of changed positions, and of modes of the latest
        assert!((counted / bytes - 1.0).abs() < 0.02, "{counted} {bytes}");
    }
    let text = report.markdown();
    assert!(text.contains("\n## Break-even\n") && text.matches("\n| 1 | 8 | 1 |").count() == 4, "{text}");
}

#[test]
fn what_cannot_be_measured() {
    let message = |head, layers: &[u32], tokens| Recorded::read(&path(), head, layers, tokens).unwrap_err().to_string();
    assert_eq!(message(8, &[], None), "heads of 8 elements: legal is 16 to 128");
    assert_eq!(message(64, &[3], None), "there are no queries of layer 3: there are those of layers 0, 10");
    assert_eq!(message(80, &[], None), "layer 0: 576 elements of the queries are not whole heads of 80");
    assert!(message(64, &[], Some(31)).starts_with("31 tokens: legal are at least 32"));
}
