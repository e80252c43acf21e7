use super::*;
use ::sim::lad::Recorded;
use ::sim::lad_sums_bench::{Kind, SumCause as Cause, SumJob, SumsBench, recorded_jobs};
use fastrand::Rng;
use hdl::bus::{Stalls, StreamPorts, run_seed, seed, span};

fn params(head: u32, lanes: u32, max_positions: u32) -> SumsParams {
    SumsParams { head, lanes, max_positions }
}

fn bench(design: &Design<SumsPorts>, p: SumsParams) -> SumsBench {
    let io = &design.ports;
    let sources = [
        StreamPorts::of(design, &io.command),
        StreamPorts::of(design, &io.start),
        StreamPorts::of(design, &io.s),
        StreamPorts::of(design, &io.value),
    ];
    let sinks = [StreamPorts::of(design, &io.m), StreamPorts::of(design, &io.report)];
    let [head, lanes, max_positions] = [p.head, p.lanes, p.max_positions].map(|n| n as usize);
    SumsBench { head, lanes, max_positions, sources, sinks }
}

const NEVER: [Stalls; 6] = [Stalls::Never; 6];

/// Each stream with stalls of its own, of which some are long.
fn random_stalls(rng: &mut Rng) -> [Stalls; 6] {
    let stalls = [Stalls::Never, Stalls::Percent(30), Stalls::Percent(80), Stalls::Runs(12)];
    NEVER.map(|_| stalls[rng.usize(0..4)])
}

#[test]
fn jobs_are_those_of_the_model() {
    let shapes = [(64, 8, 2048), (16, 16, 16), (32, 16, 100), (48, 16, 65_535), (20, 5, 33), (128, 4, 300)];
    let mut causes = [0; 5];
    for (number, (head, lanes, max)) in shapes.into_iter().enumerate() {
        let p = params(head, lanes, max);
        let design = sums(p).unwrap_or_else(|e| panic!("{e}"));
        let (mut sim, bench) = (jit::simulator(&design), bench(&design, p));
        for round in 0..8 {
            let seed = run_seed(10 * number as u64 + round);
            let mut rng = Rng::with_seed(seed);
            let stalls = if round == 0 { NEVER } else { random_stalls(&mut rng) };
            let jobs = bench.random_jobs(&mut rng, 80, 16);
            let times = bench.run(&mut sim, &jobs, stalls, seed);
            let times = times.unwrap_or_else(|e| panic!("{p:?}, seed {seed}: {e}"));
            times.causes.iter().for_each(|cause| causes[*cause as usize] += 1);
        }
    }
    // of each end but too many positions
    let all = [0, 2, 3, 4].iter().all(|cause| causes[*cause] > 100);
    assert!(all, "{causes:?}");
}

/// Whatever stands anywhere at a reset, the jobs behind it are right.
#[test]
fn a_reset_in_any_cycle_forgets_all() {
    for (head, lanes) in [(16, 4), (16, 16)] {
        let p = params(head, lanes, 64);
        let design = sums(p).unwrap();
        let (mut sim, bench) = (jit::simulator(&design), bench(&design, p));
        for round in 0..100 {
            let seed = run_seed(round);
            let mut rng = Rng::with_seed(seed);
            let stalls = random_stalls(&mut rng);
            let before = bench.random_jobs(&mut rng, 30, 12);
            bench.run_for(&mut sim, &before, stalls, (seed, rng.u64(1..700))).unwrap_or_else(|e| panic!("{e}"));
            let after = bench.random_jobs(&mut rng, 8, 12);
            bench.run(&mut sim, &after, stalls, seed).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        }
    }
}

/// As many positions as there may be, all of the largest terms, and more.
#[test]
fn sums_do_not_overflow_on_their_way_and_too_many_positions_are_told() {
    for max in [16, 33, 200] {
        let p = params(16, 8, max);
        let design = sums(p).unwrap();
        let (mut sim, bench) = (jit::simulator(&design), bench(&design, p));
        for round in 0..4 {
            let seed = run_seed(u64::from(10 * max) + round);
            let mut rng = Rng::with_seed(seed);
            let kinds = [Kind::Cancel, Kind::Many, Kind::Cancel, Kind::Plain, Kind::Many, Kind::Any, Kind::Plain];
            let mut jobs: Vec<_> = kinds.iter().map(|kind| bench.random(&mut rng, *kind, max as usize)).collect();
            for (coefficient, element) in [(i64::MIN >> 28, 0xfbff), (i64::MIN >> 28, 0x7bff)] {
                let start = (vec![if element == 0xfbff { (1 << 47) - 1 } else { -1 << 47 }; 16], -1 << 47);
                let all = vec![(coefficient, Some(vec![element; 16])); max as usize];
                jobs.push(SumJob { start: Some(start), positions: all });
            }
            let stalls = if round == 0 { NEVER } else { random_stalls(&mut rng) };
            let times = bench.run(&mut sim, &jobs, stalls, seed).unwrap_or_else(|e| panic!("{p:?}, seed {seed}: {e}"));
            let ends = [times.causes[1], times.causes[4], times.causes[7], times.causes[8]];
            assert_eq!(ends, [Cause::Positions, Cause::Positions, Cause::Sum, Cause::Sum]);
        }
    }
}

/// Sums that would be 0 with a bit less: they do not fit, and that is known. With 2048 positions a numerator has 64 bits and the denominator 49, by hand.
#[test]
fn sums_that_wrap_are_told() {
    let p = params(16, 8, 2048);
    let design = sums(p).unwrap();
    let (mut sim, bench) = (jit::simulator(&design), bench(&design, p));
    let (largest, target) = (65_504i64 << 37, 1i128 << 63);
    let count = (target / i128::from(largest)) as usize;
    let left = (target - count as i128 * i128::from(largest)) as i64;
    // a coefficient with a value of 2^15 has 17 places more in the sum
    let rest = (left >> 18, Some(vec![0x7800; 16]));
    let mut numerator = SumJob { start: Some((vec![0; 16], 1 << 30)), positions: vec![] };
    numerator.positions = vec![(-1 << 35, Some(vec![0xfbff; 16])); count];
    numerator.positions.extend([rest.clone(), rest]);
    let (elements, of_numerator) = numerator.sums(16);
    assert!(elements[0] == target && of_numerator >= -1 << 47, "{elements:?}, {of_numerator}");
    let denominator = SumJob { start: None, positions: vec![(-1 << 35, Some(vec![0; 16])); 2048] };
    assert_eq!(denominator.sums(16).1, -1 << 48);
    let times = bench.run(&mut sim, &[numerator, denominator], NEVER, 1).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(times.causes, [Cause::Sum, Cause::Sum]);
}

/// The most positions that parameters allow: a numerator that needs all of its bits, and cancels.
#[test]
fn as_many_positions_as_a_sequence_has() {
    let p = params(16, 16, 65_535);
    let design = sums(p).unwrap();
    let bench = bench(&design, p);
    let largest = |sign: i64| (sign * ((1 << 35) - 1), Some(vec![0x7bff; 16]));
    let all = |sign: i64| SumJob { start: None, positions: vec![largest(sign); 65_535] };
    let mut cancelled = all(1);
    cancelled.positions[32_767..].fill(largest(-1));
    cancelled.positions[65_534] = (1 << 22, Some(vec![0x4000; 16]));
    let rest = SumJob { start: None, positions: vec![(1 << 22, Some(vec![0x3c00; 16]))] };
    let jobs = [all(1), cancelled, all(-1), rest];
    let times = bench.run(&mut jit::simulator(&design), &jobs, NEVER, 1).unwrap();
    assert_eq!(times.causes, [Cause::Sum, Cause::Done, Cause::Sum, Cause::Done]);
}

/// Quotients of all sizes: starts alone.
#[test]
fn quotients_of_all_sizes() {
    let p = params(128, 128, 16);
    let design = sums(p).unwrap();
    let (mut sim, bench) = (jit::simulator(&design), bench(&design, p));
    let mut rng = Rng::with_seed(seed(1));
    let jobs: Vec<_> = (0..600).map(|_| bench.random(&mut rng, Kind::Quotient, 0)).collect();
    bench.run(&mut sim, &jobs, NEVER, 1).unwrap_or_else(|e| panic!("{e}"));
    let outputs = jobs.iter().flat_map(|job| job.outcome(128, 16).output);
    let mut counts = [0; 4];
    for bits in outputs {
        let kind = match bits & 0x7fff {
            0 => 0,
            1..0x400 => 1,
            0x7c00 => 3,
            _ => 2,
        };
        counts[kind] += 1;
    }
    assert!(counts.iter().all(|count| *count > 500), "zeros, subnormal, normal and infinite ones: {counts:?}");
}

/// Products of which one bit alone, the lowest, is behind a half: without it they would be ties, which go the other way.
#[test]
fn a_half_and_a_bit_is_no_tie() {
    let p = params(16, 16, 16);
    let design = sums(p).unwrap();
    let bench = bench(&design, p);
    let inverse = |x: u64| (0..5).fold(x, |y, _| y.wrapping_mul(2u64.wrapping_sub(x.wrapping_mul(y)))) % (1 << 24);
    let quotients = (1u64 << 17..1 << 18).filter_map(|divisor| {
        let reciprocal = ((1 << 35) - 1) / divisor;
        let leading = inverse(reciprocal);
        let product = leading * reciprocal;
        let is_one = product % (1 << 24) == 1 && (1 << 17..1 << 18).contains(&leading);
        (is_one && product >> 35 == 1 && product >> 24 & 3 == 1).then_some((leading as i64, divisor as i64))
    });
    let jobs: Vec<_> = quotients
        .map(|(leading, divisor)| SumJob { start: Some((vec![leading; 16], divisor)), positions: vec![(0, None)] })
        .collect();
    assert!(jobs.len() > 20, "{} jobs", jobs.len());
    bench.run(&mut jit::simulator(&design), &jobs, NEVER, 1).unwrap_or_else(|e| panic!("{e}"));
}

/// What the model of steps did with the queries, keys and values of a model.
#[test]
fn jobs_of_recorded_values() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../data/smollm2_long.safetensors");
    let recorded = Recorded::read(path.as_ref(), 64, &[], None).expect("a recording with queries");
    let p = params(64, 8, 2048);
    let design = sums(p).unwrap();
    let (mut sim, bench) = (jit::simulator(&design), bench(&design, p));
    for layer in 0..2 {
        let jobs = recorded_jobs(&recorded, layer, 0.98, 8);
        assert!(jobs.len() >= 30, "{} jobs", jobs.len());
        bench.run(&mut sim, &jobs, NEVER, 1).unwrap_or_else(|e| panic!("layer {layer}: {e}"));
    }
}

#[test]
fn a_beat_in_every_cycle_and_the_stated_overhead() {
    for (head, lanes) in [(64, 8), (16, 16), (32, 16), (128, 4)] {
        let p = params(head, lanes, 300);
        let design = sums(p).unwrap();
        let bench = bench(&design, p);
        let mut rng = Rng::with_seed(seed(1));
        let beats = u64::from(p.beats());
        // enough positions for an output to be made beside them
        let count = (u64::from(interval(p)) / beats + 2) as usize;
        let mut jobs: Vec<_> = [Kind::Plain, Kind::Plain, Kind::Start, Kind::Start, Kind::Plain]
            .iter()
            .map(|kind| {
                loop {
                    let job = bench.random(&mut rng, *kind, count);
                    let whole = job.positions.len() == count && job.positions.iter().all(|(_, value)| value.is_some());
                    if whole && job.outcome(head as usize, 300).cause == Cause::Done {
                        break job;
                    }
                }
            })
            .collect();
        let times = bench.run(&mut jit::simulator(&design), &jobs, NEVER, 1).unwrap();
        let of_job: Vec<_> = times.values.chunks(count * beats as usize).collect();
        of_job.iter().for_each(|values| assert_eq!(span(values), count as u64 * beats, "{p:?}"));
        let between = |i: usize| of_job[i][0] - of_job[i - 1][of_job[i - 1].len() - 1] - 1;
        assert_eq!(between(1), u64::from(OVERHEAD), "{p:?}");
        assert_eq!([between(2), between(3)], [u64::from(OVERHEAD + START) + beats; 2], "{p:?}");
        for (values, report) in of_job.iter().zip(&times.reports) {
            assert_eq!(report - values[values.len() - 1], u64::from(latency(p)), "{p:?}");
        }
        // jobs of one position, the report of each of which lets the next one's last terms in
        jobs.iter_mut().for_each(|job| {
            job.positions.truncate(1);
            job.positions[0].0 = 1 << 22;
            job.start = None;
        });
        let times = bench.run(&mut jit::simulator(&design), &jobs, NEVER, 1).unwrap();
        let apart: Vec<_> = times.reports.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert_eq!(apart, [u64::from(interval(p)); 4], "{p:?}");
    }
}

#[test]
fn illegal_parameters_are_refused() {
    for (p, text) in [
        (params(8, 8, 64), "head = 8 is out of range"),
        (params(144, 8, 64), "head = 144 is out of range"),
        (params(64, 2, 64), "lanes = 2 with heads of 64 elements"),
        (params(64, 12, 64), "lanes = 12 with"),
        (params(64, 8, 15), "max_positions = 15 is out of range"),
        (params(64, 8, 65_536), "max_positions = 65536 is out of range"),
    ] {
        let message = sums(p).unwrap_err().to_string();
        assert!(message.contains(text), "{message}");
    }
}
