//! The results of several setups as tables.

use std::fmt::Write;

use serde::Serialize;

use super::figures::{AtLength, Figures, Setup, Shared};
use super::recorded::Recorded;

/// Lengths and shares of the break-even line.
const BREAK_EVEN_LENGTHS: [usize; 5] = [512, 1024, 2048, 4096, 8192];
const BREAK_EVEN_SCORED: [f64; 4] = [1.0, 0.75, 0.5, 0.25];

/// Results of several setups on a recording.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The recording's name.
    pub recording: String,
    /// The model, if the recording says so.
    pub model: Option<String>,
    /// Layers.
    pub layers: Vec<u32>,
    /// Elements of a head.
    pub head: usize,
    /// Query heads of a key head.
    pub group: usize,
    /// Tokens.
    pub tokens: usize,
    /// Of each setup.
    pub setups: Vec<Figures>,
    /// Where LAD moves as many bytes as a plain tile.
    pub break_even: Vec<BreakEven>,
}

/// Below which share of active positions LAD moves fewer bytes than a plain tile.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct BreakEven {
    /// Query heads of a key head.
    pub group: usize,
    /// Positions.
    pub length: usize,
    /// Share of the positions whose keys are read before the identification.
    pub scored: f64,
    /// The share of active positions, of all query heads together; none if LAD moves more whatever it is.
    pub active: Option<f64>,
}

/// A table; headings that begin with `>` are of columns of numbers.
#[derive(Clone, Debug)]
pub struct ReportTable {
    /// What it shows.
    pub title: &'static str,
    /// What its columns are.
    pub note: &'static str,
    /// Of the columns.
    pub headings: Vec<&'static str>,
    /// Cells.
    pub rows: Vec<Vec<String>>,
}

impl Report {
    /// Puts results together.
    pub fn new(recorded: &Recorded, setups: Vec<Figures>) -> Report {
        let layers = recorded.layers.iter().map(|layer| layer.layer).collect();
        let (head, group) = (recorded.head, recorded.group());
        let groups = if group == 1 { vec![1] } else { vec![1, group] };
        let first = setups.first();
        let lines = groups.iter().flat_map(|g| first.map(|first| break_even(head, *g, first)).into_iter().flatten());
        let break_even = lines.collect();
        let (recording, model, tokens) = (recorded.name.clone(), recorded.model.clone(), recorded.tokens);
        Report { recording, model, layers, head, group, tokens, setups, break_even }
    }

    /// All tables.
    pub fn tables(&self) -> Vec<ReportTable> {
        vec![self.shares(), self.kinds(), self.by_length(), self.line()]
    }

    /// What was measured, in one line.
    pub fn subject(&self) -> String {
        let layers = self.layers.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
        let model = self.model.as_deref().map(|model| format!(" ({model})")).unwrap_or_default();
        format!(
            "{}{model}: layers {layers}, {} tokens, heads of {} elements, {} query heads to a key head",
            self.recording, self.tokens, self.head, self.group
        )
    }

    fn shares(&self) -> ReportTable {
        let row = |figures: &Figures| {
            let at = figures.last();
            let of = |part: u64, whole: u64| percent(part as f64 / whole.max(1) as f64);
            let steps = at.steps.max(1) as f64;
            let cells = [
                of(at.centres, at.positions),
                of(at.large, at.cached),
                of(at.active, at.cached),
                format!("{:.2}", at.changes as f64 / steps),
                of(at.hits, at.active),
                of(at.wrong, at.cached),
                format!("{:.4}", at.repeats as f64 / steps),
                figures.all_active.to_string(),
                percent(figures.error_rms),
                percent(figures.error_max),
                format!("{:.2}", at.single.ratio()),
                format!("{:.2}", at.grouped.ratio()),
            ];
            [names(figures.setup), cells.to_vec()].concat()
        };
        ReportTable {
            title: "Shares, errors, bytes",
            note: "Period: modes change and positions come into the caches in every so many \
                   steps. Over the last eighth of the steps: centres of all positions; large modes, active and wrong \
                   positions of those in the caches; changes of modes a step; hits: active in the step before as \
                   well; repeats a step. Over all steps: those with all positions active (a denominator that was \
                   not positive), and the error of outputs against attention in float64, root mean square and \
                   largest. Bytes: over those of a plain tile, with one query head to a key head (g 1) and as \
                   recorded.",
            headings: vec![
                ">threshold",
                ">intervals",
                ">period",
                ">centres",
                ">large",
                ">active",
                ">changes",
                ">hits",
                ">wrong",
                ">repeats",
                ">all active",
                ">error",
                ">largest",
                ">bytes, g 1",
                ">as recorded",
            ],
            rows: self.setups.iter().map(row).collect(),
        }
    }

    fn kinds(&self) -> ReportTable {
        let row = |figures: &Figures, group: usize, shared: &Shared| {
            let traffic = &shared.traffic;
            let parts = [
                traffic.keys_scored,
                traffic.keys_active,
                traffic.keys_changed,
                traffic.values,
                traffic.caches_read,
                traffic.caches_written,
                traffic.records,
                traffic.modes,
                traffic.counters_read,
                traffic.counters_written,
                traffic.new,
                traffic.total(),
                shared.plain,
            ];
            let cells = parts.iter().map(|bytes| format!("{:.0}", *bytes as f64 / shared.steps.max(1) as f64));
            [names(figures.setup), vec![group.to_string()], cells.collect()].concat()
        };
        let rows = self.setups.iter().flat_map(|figures| {
            let at = figures.last();
            let single = row(figures, 1, &at.single);
            if self.group == 1 { vec![single] } else { vec![single, row(figures, self.group, &at.grouped)] }
        });
        ReportTable {
            title: "Bytes of a step",
            note: "Of one key head, over the last eighth of the steps (docs/lad.md, section 9). Keys: for accurate \
                   scores before the identification, of active positions with estimates, of positions that change \
                   their mode.",
            headings: vec![
                ">threshold",
                ">intervals",
                ">period",
                ">g",
                ">keys",
                ">active keys",
                ">changed keys",
                ">values",
                ">caches read",
                ">caches written",
                ">records",
                ">modes",
                ">counters read",
                ">counters written",
                ">new",
                ">all",
                ">plain",
            ],
            rows: rows.collect(),
        }
    }

    fn by_length(&self) -> ReportTable {
        let row = |figures: &Figures, at: &AtLength| {
            let share = |part: u64, whole: u64| percent(part as f64 / whole.max(1) as f64);
            let cells = [
                at.length.to_string(),
                share(at.centres, at.positions),
                share(at.active, at.cached),
                share(at.wrong, at.cached),
                format!("{:.2}", at.single.ratio()),
                format!("{:.2}", at.grouped.ratio()),
            ];
            [names(figures.setup), cells.to_vec()].concat()
        };
        ReportTable {
            title: "By length",
            note: "Over the last eighth of the steps before each length.",
            headings: vec![
                ">threshold",
                ">intervals",
                ">period",
                ">positions",
                ">centres",
                ">active",
                ">wrong",
                ">bytes, g 1",
                ">as recorded",
            ],
            rows: self.setups.iter().flat_map(|f| f.lengths.iter().map(move |at| row(f, at))).collect(),
        }
    }

    fn line(&self) -> ReportTable {
        let mut rows: Vec<Vec<String>> = vec![];
        for chunk in self.break_even.chunks(BREAK_EVEN_SCORED.len()) {
            let shares = chunk.iter().map(|point| point.active.map_or("never".into(), percent));
            rows.push([chunk[0].group.to_string(), chunk[0].length.to_string()].into_iter().chain(shares).collect());
        }
        ReportTable {
            title: "Break-even",
            note: "The share of active positions, all query heads together, below which LAD moves fewer bytes than \
                   a plain tile, by the share of keys that are read before the identification (centres and large \
                   modes). An active position's key is read unless it was before; each query head has as large a \
                   part of the active positions as with the first setup.",
            headings: vec![">g", ">positions", ">100 % scored", ">75 %", ">50 %", ">25 %"],
            rows,
        }
    }

    /// The page docs/lad-figures.md.
    pub fn markdown(&self) -> String {
        let mut text = format!("# Figures of LAD attention\n\nWritten by `kvforge lad --out`: {}.\n", self.subject());
        text += "What is computed and counted: [lad.md](lad.md).\n";
        for table in self.tables() {
            let cells = table.headings.iter().map(|heading| heading.trim_start_matches('>'));
            let rule = table.headings.iter().map(|h| if h.starts_with('>') { "---:" } else { "---" });
            let [heads, rule] = [cells.collect::<Vec<_>>(), rule.collect()].map(|row| row.join(" | "));
            write!(text, "\n## {}\n\n{}\n\n| {heads} |\n| {rule} |\n", table.title, table.note)
                .expect("a string takes everything");
            for row in table.rows {
                writeln!(text, "| {} |", row.join(" | ")).expect("a string takes everything");
            }
        }
        text
    }
}

fn names(setup: Setup) -> Vec<String> {
    vec![setup.threshold.to_string(), setup.intervals.to_string(), setup.period.to_string()]
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// The line of a group of so many query heads (docs/lad.md, section 9, solved for the active positions).
fn break_even(head: usize, group: usize, figures: &Figures) -> Vec<BreakEven> {
    let at = figures.last();
    let shared = if group == 1 { &at.single } else { &at.grouped };
    // a query head's part of the positions that are active in any of the group
    let each = at.active as f64 / at.steps.max(1) as f64 / (shared.active as f64 / shared.steps.max(1) as f64).max(1.0);
    let (d, g, row) = (head as f64, group as f64, 2.0 * figures.setup.intervals as f64);
    // caches both ways, rows of the latest 16, their values, the position that enters, what is new
    let fixed = g * (10.0 * (d * d + 3.0 * d) + 24.0 + 31.0 * row) + 2.0 * d * 16.0 + 4.0 * d + 4.0;
    let point = |length: usize, scored: f64| {
        let left = 4.0 * d - 2.0 * d * scored - 4.0 - g / 2.0 - fixed / length as f64;
        let share = left / (2.0 * d * (2.0 - scored) + 2.0 * row * g * each);
        BreakEven { group, length, scored, active: (share > 0.0).then_some(share.min(1.0)) }
    };
    let all = BREAK_EVEN_LENGTHS.iter().flat_map(|n| BREAK_EVEN_SCORED.iter().map(move |scored| point(*n, *scored)));
    all.collect()
}
