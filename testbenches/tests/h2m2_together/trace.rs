//! The pages that the cores ask their MMUs for, as the schedule of the decode steps has them; of a larger model in `data/h2m2_trace.txt`, for
//! the comparison of replacement policies and of prefetch in `hw/src/h2m2`.

use super::decode::Decode;
use super::system::PAGE_BITS;
use super::{SMALL, STEPS, settings};
use driver::manager::{Manager, Settings};
use driver::shape::Shape;
use std::fmt::Write;

/// Layers enough that what a side visits in each does not fit into a TLB of 64 entries.
const DEEPER: Shape = Shape { layers: 10, ..SMALL };
/// Pages of the fast memory for it: too few for everything.
const FAST_PAGES: u64 = 80;

/// A burst: its page, and whether it is to be written.
pub type Asked = (u64, bool);

/// What each side asks for in all steps, fast and large.
pub fn scheduled(settings: &Settings) -> Result<[Vec<Asked>; 2], String> {
    let (mut manager, mut decode) = (Manager::new(settings).map_err(|e| e.to_string())?, Decode::new());
    let mut sides = [vec![], vec![]];
    for (changes, new) in STEPS {
        let step = manager.step(changes).map_err(|e| e.to_string())?;
        step.unmapped.iter().for_each(|page| decode.golden.forget(*page));
        for kernel in decode.step(&manager, &new.iter().cloned().collect()) {
            let accesses = kernel.phases.iter().flatten();
            sides[kernel.side].extend(accesses.map(|access| (access.address >> PAGE_BITS, access.write)));
        }
    }
    Ok(sides)
}

/// As the file has it: a line for each side, for each run of equal bursts the page, `w` where it is written, and `*` how many if more than one.
fn text(sides: &[Vec<Asked>; 2]) -> String {
    let mut text = String::new();
    for (name, side) in ["fast", "large"].into_iter().zip(sides) {
        text += name;
        for run in side.chunk_by(|a, b| a == b) {
            let (page, write) = run[0];
            write!(text, " {page}{}", if write { "w" } else { "" }).expect("a string takes everything");
            if run.len() > 1 {
                write!(text, "*{}", run.len()).expect("a string takes everything");
            }
        }
        text.push('\n');
    }
    text
}

#[test]
fn the_trace_is_that_of_the_schedule() {
    let sides = scheduled(&settings(DEEPER, FAST_PAGES)).unwrap_or_else(|e| panic!("{e}"));
    for side in &sides {
        let mut pages: Vec<u64> = side.iter().map(|(page, _)| *page).collect();
        pages.sort_unstable();
        pages.dedup();
        println!(
            "{} bursts, {} of them writes, {} pages",
            side.len(),
            side.iter().filter(|x| x.1).count(),
            pages.len()
        );
        assert!(pages.len() > 64, "more pages than a TLB of 64 entries holds");
    }
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../data/h2m2_trace.txt");
    if std::env::var("SNAPSHOTS").is_ok_and(|value| value == "overwrite") {
        std::fs::write(file, text(&sides)).unwrap();
    }
    assert!(
        std::fs::read_to_string(file).unwrap() == text(&sides),
        "data/h2m2_trace.txt is out of date: SNAPSHOTS=overwrite"
    );
}
