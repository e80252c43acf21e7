//! How quickly histories are read and vectors appended.

use super::*;
use hdl::bus::span;

/// A head of 1024 tokens keeps the bus busy, with a memory of 40 cycles, also where a page has 16 beats: beats over cycles, and over useful bytes.
#[test]
fn reading_fills_the_bus() {
    for (width, page_bytes) in [8, 16, 32, 64].into_iter().flat_map(|width| [(width, 4096), (width, 1024)]) {
        let outstanding = crate::memory::testing::fewest_outstanding(width) + 2;
        let p = MmuParams { page_bytes, tokens: 1024, layers: 1, heads: 1, outstanding, ..params(width) };
        let model = MemoryModel { latency: 40, outstanding: 32, ..MemoryModel::default() };
        run(p, model, [Stalls::Never; 4], 8, |x, rng| {
            assert_eq!(x.finish_control(false, 0), Ok(0));
            for _ in 0..1024 {
                let slices = x.shape.random_slices(rng, [0, 0, 0], 7);
                x.append([0, 0, 0], slices, false);
            }
            x.finish_appends().unwrap();
            let before = x.memory.requests.len();
            x.ask([0, 0, 0], 0, 0);
            x.finish_reads().unwrap();
            let beats: u64 = x.memory.requests[before..].iter().map(|(_, request)| request.beats()).sum();
            let useful: usize = x.model[&[0, 0, 0]].iter().flatten().flatten().map(Vec::len).sum();
            let words = x.memory.read_at(&x.bench, 0);
            let cycles = span(words);
            let over = (beats * u64::from(width)) as f64 / useful as f64;
            println!("{} bits: {beats} beats in {cycles} cycles, {over:.4} of the useful bytes", 8 * width);
            assert_eq!((words.len() as u64, cycles), (beats, beats), "{} bits: every cycle has data", 8 * width);
            assert!(over <= 1.001, "{} bits: {over:.4}", 8 * width);
        });
    }
}

/// From a read that is taken to its first word.
#[test]
fn a_read_begins_soon() {
    for latency in [1, 20, 40, 100] {
        let model = MemoryModel { latency, ..MemoryModel::default() };
        run(params(8), model, [Stalls::Never; 4], 3, |x, rng| {
            assert_eq!(x.finish_control(false, 0), Ok(0));
            for _ in 0..8 {
                let slices = x.shape.random_slices(rng, [0, 0, 0], 7);
                x.append([0, 0, 0], slices, false);
            }
            x.finish_appends().unwrap();
            let asked = x.bench.cycle();
            let before = x.memory.requests.len();
            x.ask([0, 0, 0], 0, 0);
            x.finish_reads().unwrap();
            let [sparse, dense] = x.words_given().map(|cycles| cycles[0] - asked - latency);
            println!("latency {latency}: the first words after {sparse} and {dense} cycles more");
            // the dense part comes behind the first burst of the sparse part
            let burst = x.memory.requests[before].1.beats();
            assert_eq!([sparse, dense], [16, 16 + burst], "latency {latency}");
        });
    }
}

/// Vectors of 32 heads of 128, at the rate of a quantizer with 16 lanes, which is 256 cycles for each: keys and values in turn are appended
/// faster. Of keys alone, each waits for the responses of the one before: beside 207 beats that is the latency of the memory and 20 cycles.
#[test]
fn appending_keeps_up() {
    let p = MmuParams {
        page_bytes: 4096,
        pages: 2048,
        tokens: 512,
        heads: 32,
        value_bits: 4,
        outstanding: 16,
        ..params(16)
    };
    for (alternate, latency, outliers, right, bytes_for_each) in
        [(true, 40, 6, 207, 1.17), (false, 40, 6, 266, 1.17), (false, 28, 6, 251, 1.17), (true, 40, 1 << 20, 432, 1.07)]
    {
        let model = MemoryModel { latency, outstanding: 32, ..MemoryModel::default() };
        run(p, model, [Stalls::Never; 4], 9, |x, rng| {
            assert_eq!(x.finish_control(false, 0), Ok(0));
            let mut useful = 0;
            for i in 0..40 {
                let group = [0, 0, u64::from(alternate) * (i % 2)];
                let slices = x.shape.random_slices(rng, group, outliers);
                useful += slices.iter().flatten().map(Vec::len).sum::<usize>();
                x.append(group, slices, false);
            }
            assert!(x.finish_appends().unwrap().iter().all(|code| *code == 0));
            let taken = x.words_taken();
            let cycles = (taken[taken.len() - 1] - taken[0]) as f64 / 40.0;
            let beats: u64 = x.memory.requests.iter().map(|(_, request)| request.beats()).sum();
            let over = (16 * beats) as f64 / useful as f64;
            println!(
                "latency {latency}, keys and values in turn: {alternate}: {cycles:.2} cycles a vector, {over:.3} of the useful bytes"
            );
            assert!((cycles - f64::from(right)).abs() < 1.0, "{cycles:.2} cycles a vector");
            assert!((over - bytes_for_each).abs() < 0.005, "{over:.3} of the useful bytes, not {bytes_for_each}");
        });
    }
}
