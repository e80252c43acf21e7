//! Timing diagrams as SVG, for documentation: readable on light and on dark pages, the same bytes for the same run.

use super::{Row, UnknownSignal, Wave, hex};
use std::fmt::Write;
use std::ops::Range;

/// Pixels: height of a row and of the wave in it, width of a character, least and largest width of a cycle.
const ROW: u32 = 30;
const HIGH: u32 = 20;
const CHAR: u32 = 7;
const CYCLE: Range<u32> = 32..120;
/// Half the width of the slope where a bus changes.
const SLOPE: u32 = 3;
/// More cycles and longer values than these do not make a picture that anyone reads.
const MAX_CYCLES: u64 = 200;
const MAX_CHARS: usize = 14;

/// Greys of middle brightness stand out against white and against black; no background is painted.
const STYLE: &str = "text{font:12px monospace;fill:#7a828c}.n{text-anchor:end}.v{text-anchor:middle;font-size:11px}\
    .t{text-anchor:middle;font-size:9px}path{fill:none;stroke:#2f8fdd;stroke-width:1.4}.b{stroke:#3aa06a}\
    .c{stroke:#7a828c}.g{stroke:#7a828c;stroke-width:.5;stroke-dasharray:2 3}";

/// A stretch of cycles with one value.
struct Run {
    from: u64,
    to: u64,
    value: Vec<u64>,
}

impl Wave {
    /// A picture of these signals over these cycles (cut to what was recorded, and to 200 cycles): a row for each
    /// clock, then one for each signal. One bit is drawn as a level, more as a bus with hexadecimal values.
    pub fn svg(&self, signals: &[&str], cycles: Range<u64>) -> Result<String, UnknownSignal> {
        let rows = signals.iter().map(|name| self.row(name)).collect::<Result<Vec<&Row>, _>>()?;
        let end = cycles.end.min(self.cycles()).min(cycles.start.saturating_add(MAX_CYCLES));
        let cycles = cycles.start.min(end)..end;
        let runs: Vec<Vec<Run>> = rows.iter().map(|r| runs(r, &cycles)).collect();
        let names = self.clocks.iter().map(String::as_str).chain(signals.iter().copied());
        let left = names.clone().map(|n| n.chars().count() as u32).max().unwrap_or(0) * (CHAR + 1) + 16;
        let step = cycle_width(&rows, &runs);
        let (width, height) = (left + step * (end - cycles.start) as u32 + 8, ROW * names.count() as u32 + 22);
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\">\n<style>{STYLE}</style>\n"
        );
        let mut picture = Picture { out: &mut out, left, step, first: cycles.start };
        picture.grid(&cycles, height);
        for (i, clock) in self.clocks.iter().enumerate() {
            let edges = &self.edges[cycles.start as usize..cycles.end as usize];
            picture.clock(i as u32, clock, edges.iter().map(|e| e >> i & 1 == 1));
        }
        for (i, (row, runs)) in rows.iter().zip(&runs).enumerate() {
            let line = (self.clocks.len() + i) as u32;
            picture.name(line, &row.name);
            match row.width {
                1 => picture.level(line, runs),
                _ => picture.bus(line, runs),
            }
        }
        out.push_str("</svg>\n");
        Ok(out)
    }
}

fn runs(row: &Row, cycles: &Range<u64>) -> Vec<Run> {
    let mut out: Vec<Run> = vec![];
    for cycle in cycles.clone() {
        let value = row.at(cycle);
        match out.last_mut() {
            Some(run) if run.value == value => run.to = cycle + 1,
            _ => out.push(Run { from: cycle, to: cycle + 1, value: value.to_vec() }),
        }
    }
    out
}

/// Wide enough for every value in its place, within limits.
fn cycle_width(rows: &[&Row], runs: &[Vec<Run>]) -> u32 {
    let buses = rows.iter().zip(runs).filter(|(row, _)| row.width > 1).flat_map(|(_, runs)| runs);
    let need = buses.map(|r| (label(&r.value).chars().count() as u32 * CHAR + 12).div_ceil((r.to - r.from) as u32));
    need.max().unwrap_or(0).clamp(CYCLE.start, CYCLE.end)
}

/// A value as text; long ones lose their middle.
fn label(value: &[u64]) -> String {
    let text = hex(value);
    match text.len() {
        n if n > MAX_CHARS => format!("{}\u{2026}{}", &text[..MAX_CHARS / 2], &text[n - MAX_CHARS / 2 + 1..]),
        _ => text,
    }
}

/// Where the rows are drawn. Writing to a `String` cannot fail, hence the `let _`.
struct Picture<'a> {
    out: &'a mut String,
    left: u32,
    step: u32,
    first: u64,
}

impl Picture<'_> {
    fn x(&self, cycle: u64) -> u32 {
        self.left + (cycle - self.first) as u32 * self.step
    }

    /// Cycle numbers, and a thin line at the beginning of each cycle.
    fn grid(&mut self, cycles: &Range<u64>, height: u32) {
        for cycle in cycles.clone() {
            let x = self.x(cycle);
            let _ = writeln!(self.out, "<path class=\"g\" d=\"M{x},14V{height}\"/>");
            let _ = writeln!(self.out, "<text class=\"t\" x=\"{}\" y=\"10\">{cycle}</text>", x + self.step / 2);
        }
    }

    fn name(&mut self, line: u32, name: &str) {
        let name = name.replace('&', "&amp;").replace('<', "&lt;");
        let (x, y) = (self.left - 8, low(line) - HIGH / 2 + 4);
        let _ = writeln!(self.out, "<text class=\"n\" x=\"{x}\" y=\"{y}\">{name}</text>");
    }

    fn clock(&mut self, line: u32, name: &str, edges: impl Iterator<Item = bool>) {
        self.name(line, name);
        let (low, half) = (low(line), self.step / 2);
        let mut path = format!("M{},{low}", self.left);
        for edge in edges {
            let _ = match edge {
                true => write!(path, "v-{HIGH}h{half}v{HIGH}h{}", self.step - half),
                false => write!(path, "h{}", self.step),
            };
        }
        let _ = writeln!(self.out, "<path class=\"c\" d=\"{path}\"/>");
    }

    fn level(&mut self, line: u32, runs: &[Run]) {
        let y = |run: &Run| if run.value[0] == 1 { low(line) - HIGH } else { low(line) };
        let Some(first) = runs.first() else { return };
        let mut path = format!("M{},{}", self.x(first.from), y(first));
        for run in runs {
            let _ = write!(path, "V{}H{}", y(run), self.x(run.to));
        }
        let _ = writeln!(self.out, "<path d=\"{path}\"/>");
    }

    fn bus(&mut self, line: u32, runs: &[Run]) {
        let (low, s) = (low(line), SLOPE);
        let (high, middle) = (low - HIGH, low - HIGH / 2);
        for run in runs {
            let (from, to) = (self.x(run.from), self.x(run.to));
            let (a, b) = (from + s, to - s);
            let path = format!("M{from},{middle}L{a},{high}H{b}L{to},{middle}L{b},{low}H{a}Z");
            let _ = writeln!(self.out, "<path class=\"b\" d=\"{path}\"/>");
            let text = label(&run.value);
            if text.chars().count() as u32 * CHAR <= to - from {
                let (x, y) = ((from + to) / 2, middle + 4);
                let _ = writeln!(self.out, "<text class=\"v\" x=\"{x}\" y=\"{y}\">{text}</text>");
            }
        }
    }
}

/// The y coordinate of a row's low level.
fn low(line: u32) -> u32 {
    ROW * line + 18 + HIGH
}
