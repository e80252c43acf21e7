//! LAD's APID with scores, bounds and records of positions, and a check of each list and report.

use crate::bus::{Beat, Bench, Sink, Source, Stalls, StreamPorts};
use crate::golden::lad::{Coefficient, Fit, Group, Lines, Settings, Table, number, to_f64};
use crate::lad::Recorded;
use fastrand::Rng;
use hdl::engine::Engine;

/// APID: its parameters and its streams.
#[derive(Clone, Debug)]
pub struct ApidBench {
    /// Positions in a cycle.
    pub lanes: usize,
    /// The most positions.
    pub max_positions: usize,
    /// `bound`, `score`, `command` and `s`.
    pub sources: [StreamPorts; 4],
    /// `m` and `report`.
    pub sinks: [StreamPorts; 2],
}

/// What is known of a position.
#[derive(Clone, Copy, Debug, Default)]
pub struct PositionRecord {
    /// The position of its centre.
    pub centre: usize,
    /// What makes an estimate of the centre's score.
    pub factor: u16,
    /// Its mode.
    pub mode: usize,
    /// Its score was made accurate before.
    pub accurate: bool,
}

/// A pass, and what is written before it.
#[derive(Clone, Debug, Default)]
pub struct ApidPass {
    /// Lower bounds from interval 1 on; none: they stay as they are.
    pub bounds: Vec<i32>,
    /// Scores that are written, with their positions.
    pub scores: Vec<(usize, i32)>,
    /// The maximum of the accurate scores.
    pub maximum: i32,
    /// Modes from it upward have accurate scores.
    pub large_from: usize,
    /// The positions.
    pub records: Vec<PositionRecord>,
}

/// When things happened.
#[derive(Clone, Debug)]
pub struct ApidTimes {
    /// The cycle in which each command was taken.
    pub commands: Vec<u64>,
    /// The cycle in which each beat of positions was.
    pub positions: Vec<u64>,
    /// The cycle in which each report came.
    pub reports: Vec<u64>,
}

/// How many positions of a random pass are active.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    /// None.
    None,
    /// Some.
    Some,
    /// All.
    All,
}

/// What the model is loaded with.
#[derive(Clone, Debug)]
struct Loaded {
    table: Table,
    scores: Vec<i32>,
}

/// A pass's list and report.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Outcome {
    /// Position, mode, and whether its score is accurate.
    list: Vec<[u64; 3]>,
    /// Count, none, all, saturated.
    report: [u64; 4],
}

fn table_of(bounds: &[i32]) -> Table {
    let zeros = vec![Coefficient::default(); bounds.len() + 1];
    Table { bounds: bounds.to_vec(), a: zeros.clone(), b: zeros }
}

impl Loaded {
    /// Takes what is written before a pass.
    fn load(&mut self, pass: &ApidPass) {
        if !pass.bounds.is_empty() {
            self.table = table_of(&pass.bounds);
        }
        pass.scores.iter().for_each(|(position, score)| self.scores[*position] = *score);
    }

    /// The score of a position or the estimate of it, whether it is accurate, and whether it was limited.
    fn score(&self, position: usize, record: &PositionRecord, large_from: usize) -> (i32, bool, bool) {
        if record.accurate || record.centre == position || record.mode >= large_from {
            return (self.scores[position], true, false);
        }
        let (score, limited) = number::estimate(self.scores[record.centre], record.factor);
        (score, false, limited)
    }

    fn outcome(&self, pass: &ApidPass) -> Outcome {
        let (mut list, mut saturated) = (vec![], false);
        for (position, record) in pass.records.iter().enumerate() {
            let (score, accurate, limited) = self.score(position, record, pass.large_from);
            saturated |= limited;
            if self.table.interval(score - pass.maximum) != record.mode {
                list.push([position as u64, record.mode as u64, accurate.into()]);
            }
        }
        let (none, all) = (list.is_empty(), list.len() == pass.records.len());
        let report = [list.len() as u64, none.into(), all.into(), saturated.into()];
        Outcome { list, report }
    }
}

/// The passes of a query head of a recording, of every so many steps and of all steps with a repeat: eight intervals, centres by this cosine.
///
/// # Panics
/// If the lists of these passes are not those of the model of steps.
pub fn recorded_passes(recorded: &Recorded, layer: usize, threshold: f64, every: usize) -> Vec<ApidPass> {
    let data = &recorded.layers[layer];
    let table = Table::new(&Lines::new(8, Fit::Joined)).expect("coefficients that can be stored");
    let settings = Settings::new(recorded.head, 1, table.clone(), threshold);
    let mut group = Group::new(settings.clone()).expect("legal settings");
    let mut loaded = Loaded { table: table.clone(), scores: vec![0; recorded.tokens] };
    let mut passes = vec![];
    for token in 0..recorded.tokens {
        let modes = group.heads()[0].modes.clone();
        let query = data.query(token, 0);
        let step = group.step(&[query], data.key(token, 0), data.value(token, 0)).expect("a step that is not refused");
        let head = &step.heads[0];
        let query = to_f64(&number::scaled_query(query));
        let score = |position: usize| number::score(group.keys().dot(position, &query)).0;
        let centre = |position: usize| usize::from(group.keys().records()[position].centre);
        let known =
            |position: &usize| centre(*position) == *position || usize::from(modes[*position]) >= settings.large_from;
        let mut written: Vec<usize> = (0..modes.len()).filter(known).collect();
        let mut maximum =
            written.iter().copied().chain(modes.len()..=token).map(score).max().expect("the new position");
        let mut before: Vec<usize> = vec![];
        let bounds = if passes.is_empty() { table.bounds.clone() } else { vec![] };
        for (number, found) in head.passes.iter().enumerate().filter(|_| !head.all_active) {
            let record = |position: usize| PositionRecord {
                centre: centre(position),
                factor: group.keys().records()[position].factor,
                mode: modes[position].into(),
                accurate: before.contains(&position),
            };
            let pass = ApidPass {
                bounds: if number == 0 { bounds.clone() } else { vec![] },
                scores: written.iter().map(|position| (*position, score(*position))).collect(),
                maximum,
                large_from: settings.large_from,
                records: (0..modes.len()).map(record).collect(),
            };
            loaded.load(&pass);
            let list: Vec<usize> = loaded.outcome(&pass).list.iter().map(|entry| entry[0] as usize).collect();
            assert_eq!(list, found.active, "token {token}, pass {number}");
            if token % every == 0 || head.passes.len() > 1 {
                passes.push(pass);
            }
            written = found.keys.clone();
            maximum = written.iter().copied().map(score).fold(maximum, i32::max);
            before.extend(&found.keys);
        }
    }
    passes
}

/// Rising bounds, down to a lowest one.
fn random_bounds(rng: &mut Rng) -> Vec<i32> {
    let lowest = if rng.u8(0..4) == 0 { 1 << 27 } else { 10 << 16 };
    let mut bounds: Vec<i32> = (0..rng.usize(3..16)).map(|_| -rng.i32(1..=lowest)).collect();
    if rng.bool() {
        bounds[0] = -1;
        bounds[1] = -lowest;
    }
    bounds.sort_unstable();
    bounds.dedup();
    bounds
}

impl ApidBench {
    /// Passes with so many positions each; the first one brings bounds and all scores, the others some. Scores lie at bounds more often than by chance.
    pub fn random(&self, rng: &mut Rng, passes: &[(usize, Share)]) -> Vec<ApidPass> {
        let mut loaded = Loaded { table: table_of(&[-1]), scores: vec![0; self.max_positions] };
        let mut out = vec![];
        for (i, (count, share)) in passes.iter().enumerate() {
            let bounds = if i == 0 || rng.u8(0..3) == 0 { random_bounds(rng) } else { vec![] };
            let table = if bounds.is_empty() { loaded.table.clone() } else { table_of(&bounds) };
            // below it is every accurate score: none is active if modes fit
            let maximum = if *share == Share::None {
                (1 << 27) - 1
            } else if rng.u8(0..4) == 0 {
                [-(1 << 27), (1 << 27) - 1][rng.usize(0..2)]
            } else {
                rng.i32(-(1 << 20)..1 << 20)
            };
            let score = |rng: &mut Rng| {
                let x = match rng.u8(0..3) {
                    0 => table.bounds[rng.usize(0..table.bounds.len())] + rng.i32(-1..=1),
                    1 => -rng.i32(0..12 << 16),
                    _ => [0, 1, -1, 1 << 16, -(1 << 27)][rng.usize(0..5)],
                };
                maximum.saturating_add(x).clamp(-(1 << 27), (1 << 27) - 1)
            };
            let written = if i == 0 { self.max_positions } else { rng.usize(0..20) };
            let position = |rng: &mut Rng, at: usize| if i == 0 { at } else { rng.usize(0..self.max_positions) };
            let scores: Vec<(usize, i32)> = (0..written).map(|at| (position(rng, at), score(rng))).collect();
            let large_from = if *share == Share::None { 16 } else { rng.usize(1..17) };
            let mut pass = ApidPass { bounds, scores, maximum, large_from, records: vec![] };
            loaded.load(&pass);
            pass.records = (0..*count).map(|at| self.random_record(rng, &loaded, &pass, at, *share)).collect();
            out.push(pass);
        }
        out
    }

    /// A record that makes its position active or not, where that can be.
    fn random_record(
        &self,
        rng: &mut Rng,
        loaded: &Loaded,
        pass: &ApidPass,
        at: usize,
        share: Share,
    ) -> PositionRecord {
        let intervals = loaded.table.count();
        let factor = rng.u16(0..2) << 15 | if rng.bool() { 0x3c00 } else { rng.u16(0x3000..0x4400) };
        let factor = if rng.u8(0..64) == 0 { rng.u16(1..0x7c00) } else { factor };
        let centre = if rng.u8(0..4) == 0 { at } else { rng.usize(0..self.max_positions) };
        let mut record = PositionRecord { centre, factor, mode: rng.usize(0..intervals), accurate: rng.u8(0..6) == 0 };
        let wanted = match share {
            Share::None => false,
            Share::All => true,
            Share::Some => rng.u8(0..10) < 3,
        };
        let outside = |record: &PositionRecord| {
            loaded.table.interval(loaded.score(at, record, pass.large_from).0 - pass.maximum) != record.mode
        };
        if outside(&record) != wanted {
            let fits = (0..intervals).find(|mode| outside(&PositionRecord { mode: *mode, ..record }) == wanted);
            record.mode = fits.unwrap_or(record.mode);
        }
        // an estimate above the maximum is active in any case
        if !wanted && outside(&record) && share == Share::None {
            record.factor = 0x3c00;
            record.centre = at;
            let x = loaded.scores[at] - pass.maximum;
            record.mode = loaded.table.interval(x.min(0));
        }
        record
    }

    /// Runs passes after a reset, each when what comes before it is written. Stalls in the order of `sources` and `sinks`.
    ///
    /// # Errors
    /// What came out wrong, or did not come.
    pub fn run(
        &self,
        engine: &mut dyn Engine,
        passes: &[ApidPass],
        stalls: [Stalls; 6],
        seed: u64,
    ) -> Result<ApidTimes, String> {
        let mut bench = Bench::new(engine, seed);
        let [bound, score, command, s] = [0, 1, 2, 3].map(|i| bench.source_at(self.sources[i].clone(), stalls[i]));
        let [m, report] = [0, 1].map(|i| bench.sink_at(self.sinks[i].clone(), stalls[4 + i]));
        bench.reset().map_err(|e| e.to_string())?;
        let mut loaded = Loaded { table: table_of(&[-1]), scores: vec![0; self.max_positions] };
        let mut beats = 0;
        for (i, pass) in passes.iter().enumerate() {
            let problem = |e: String| format!("pass {i} of {} positions: {e}", pass.records.len());
            loaded.load(pass);
            // behind the highest interval one begins at 0
            let end = pass.bounds.last().map(|_| 0);
            bench.send(bound, (1u64..).zip(pass.bounds.iter().copied().chain(end)).map(|(i, x)| [i, score_bits(x)]));
            bench.send(score, pass.scores.iter().map(|(position, x)| [*position as u64, score_bits(*x)]));
            bench.send(s, self.beats(&pass.records, seed));
            wait_until_taken(&mut bench, [bound, score]).map_err(problem)?;
            let large_from = pass.large_from as u64;
            bench.send(command, [[pass.records.len() as u64, score_bits(pass.maximum), large_from]]);
            let limit = 1000 + 40 * pass.records.len() as u64;
            bench.run_until_received(report, i + 1, limit).map_err(|e| problem(e.to_string()))?;
            let outcome = self.outcome(&bench, m, report, &mut beats).map_err(problem)?;
            let expected = loaded.outcome(pass);
            if outcome != expected {
                let at = outcome.list.iter().zip(&expected.list).position(|(a, b)| a != b);
                let (got, want) = (&outcome.list[at.unwrap_or(0)..], &expected.list[at.unwrap_or(0)..]);
                let [got, want] = [got, want].map(|list| &list[..list.len().min(4)]);
                let reports = [outcome.report, expected.report];
                return Err(problem(format!("from {at:?} on {got:?} came, not {want:?}; reports {reports:?}")));
            }
        }
        bench.run(40).map_err(|e| e.to_string())?;
        if bench.beats(report).len() != passes.len() || bench.beats(m).len() != beats || bench.unsent(s) > 0 {
            return Err("something came behind the last report, or positions were not taken".into());
        }
        Ok(ApidTimes {
            commands: bench.sent_at(command).to_vec(),
            positions: bench.sent_at(s).to_vec(),
            reports: bench.received_at(report).to_vec(),
        })
    }

    /// Records as beats: centres, factors, modes, and whether scores are accurate. Behind the last one stands anything.
    fn beats(&self, records: &[PositionRecord], seed: u64) -> Vec<Beat> {
        let mut rng = Rng::with_seed(seed);
        let beat = |records: &[PositionRecord]| {
            let mut lanes = records.to_vec();
            lanes.resize_with(self.lanes, || PositionRecord {
                centre: rng.usize(0..self.max_positions),
                factor: rng.u16(0..0x7c00),
                mode: rng.usize(0..16),
                accurate: rng.bool(),
            });
            let field = |f: fn(&PositionRecord) -> u64| lanes.iter().map(move |x| f(x).into()).collect::<Vec<_>>();
            let fields = [
                field(|x| x.centre as u64),
                field(|x| x.factor.into()),
                field(|x| x.mode as u64),
                field(|x| x.accurate.into()),
            ];
            Beat(fields.concat())
        };
        records.chunks(self.lanes).map(beat).collect()
    }

    /// The last pass's list and report, from beat `from` on, which is moved behind it.
    fn outcome(&self, bench: &Bench, m: Sink, report: Sink, from: &mut usize) -> Result<Outcome, String> {
        let beats = &bench.beats(m)[*from..];
        *from += beats.len();
        let mut list = vec![];
        for (i, beat) in beats.iter().enumerate() {
            let [keep, last] = [0, 1].map(|field| beat.field(3 * self.lanes + field));
            let is_last = i + 1 == beats.len();
            let count = keep.trailing_ones() as usize;
            if (last == 1) != is_last || keep >> count != 0 || (!is_last && count < self.lanes) {
                return Err(format!("beat {i} of {} of the list has keep {keep:b} and last {last}", beats.len()));
            }
            let entry = |lane: usize| [0, 1, 2].map(|field| beat.field(3 * lane + field));
            list.extend((0..count).map(entry));
        }
        if beats.is_empty() {
            return Err("the report came without a list".into());
        }
        let told = &bench.beats(report)[bench.beats(report).len() - 1];
        Ok(Outcome { list, report: [0, 1, 2, 3].map(|i| told.field(i)) })
    }
}

fn wait_until_taken(bench: &mut Bench, sources: [Source; 2]) -> Result<(), String> {
    for _ in 0..200_000 {
        if sources.iter().all(|source| bench.unsent(*source) == 0) {
            return Ok(());
        }
        bench.step().map_err(|e| e.to_string())?;
    }
    Err("bounds or scores were not taken".into())
}

/// A score as it stands in a beat.
fn score_bits(x: i32) -> u64 {
    u64::from(x as u32) & ((1 << 28) - 1)
}
