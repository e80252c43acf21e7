//! What the demo found out, as a table and for machines.

use super::engines::{Cycles, Engines, Mismatches, Simulated};
use super::input::{Input, PAPER_RUN_TOKENS};
use super::regenerate::Regenerated;
use crate::report::Failure;
use crate::table::table;
use serde::Serialize;
use sim::data::{Kind, KvTensor};
use sim::golden::oaken::DenseBits;
use sim::golden::quality::Quality;
use std::io::Write;

/// Everything.
#[derive(Serialize)]
pub struct Results {
    /// The recording.
    pub recording: String,
    pub model: Option<String>,
    pub thresholds_from: String,
    /// Elements a cycle.
    pub lanes: u32,
    pub max_length: u32,
    pub rows: Vec<Row>,
    /// The Verilog that was generated on the way.
    pub verilog: Option<Regenerated>,
    pub seconds: f64,
}

/// The keys or values of one layer.
#[derive(Serialize)]
pub struct Row {
    pub layer: u32,
    pub kind: Kind,
    pub vectors: usize,
    /// Elements of a vector.
    pub elements: usize,
    /// Width of the dense codes.
    pub dense_bits: DenseBits,
    /// Outer and inner elements, from 0 to 1.
    pub outlier_share: f64,
    /// Stored bits for each element, every bit counted.
    pub effective_bits: f64,
    pub sqnr_db: Sqnr,
    pub cycles_per_vector: Cycles,
    pub mismatches: Mismatches,
    /// The demo has made thresholds the paper's way.
    #[serde(skip)]
    paper_own_given: bool,
}

/// Signal to quantization noise in dB; `None`: nothing was lost.
#[derive(Serialize)]
pub struct Sqnr {
    /// What came out of the dequantizer.
    pub codec: Option<f64>,
    /// The paper's equations in float64, at the same thresholds.
    pub paper: Option<f64>,
    /// The same at thresholds that are made the paper's way; `None` also where thresholds were given.
    pub paper_own: Option<f64>,
    /// Uniform quantization to the width of the dense codes, with one scale for each vector.
    pub uniform: Option<f64>,
}

impl Results {
    /// What is known before the engines run.
    pub fn of(input: &Input, engines: &Engines) -> Results {
        Results {
            recording: input.run.path.display().to_string(),
            model: input.run.model.clone(),
            thresholds_from: input.thresholds_from.clone(),
            lanes: engines.lanes,
            max_length: engines.max_length,
            rows: vec![],
            verilog: None,
            seconds: 0.0,
        }
    }

    /// All of them.
    pub fn mismatches(&self) -> usize {
        self.rows.iter().map(|r| r.mismatches.records + r.mismatches.values).sum()
    }

    pub fn print(&self, out: &mut impl Write) -> Result<(), Failure> {
        match &self.verilog {
            None => writeln!(out, "Verilog: no configs/ and rtl_out/ here, so none was generated.")?,
            Some(verilog) => print_verilog(out, verilog)?,
        }
        let model = self.model.as_ref().map_or(String::new(), |model| format!(" ({model})"));
        writeln!(out, "Keys and values: {}{model}", self.recording)?;
        writeln!(out, "Thresholds: from {}", self.thresholds_from)?;
        let (lanes, max_length) = (self.lanes, self.max_length);
        writeln!(
            out,
            "Engines: quantizer and dequantizer, {lanes} elements a cycle, vectors of up to {max_length}, simulated."
        )?;

        let headings = [
            ">layer",
            "kind",
            ">code",
            ">outliers",
            ">bits",
            ">SQNR",
            ">paper",
            ">own",
            ">plain",
            ">quantizer",
            ">dequantizer",
            ">ideal",
            ">records",
            ">values",
        ];
        writeln!(out, "\n{}\n", table(&headings, self.rows.iter().map(Row::cells)))?;
        print_legend(out)?;
        self.print_comparison(out)?;
        let vectors: usize = self.rows.iter().map(|r| r.vectors).sum();
        let elements: usize = self.rows.iter().map(|r| r.vectors * r.elements).sum();
        write!(out, "{} mismatches in {vectors} records and {elements} values. ", self.mismatches())?;
        writeln!(out, "{:.1} s in all.", self.seconds)?;
        Ok(())
    }

    /// The least and the greatest distance to the paper's equations.
    fn print_comparison(&self, out: &mut impl Write) -> Result<(), Failure> {
        let range = |paper: fn(&Sqnr) -> Option<f64>| {
            let gains = self.rows.iter().filter_map(|r| Some(r.sqnr_db.codec? - paper(&r.sqnr_db)?));
            gains.fold(None, |range: Option<(f64, f64)>, gain| {
                Some(range.map_or((gain, gain), |(low, high)| (low.min(gain), high.max(gain))))
            })
        };
        if let Some((low, high)) = range(|sqnr| sqnr.paper) {
            write!(out, "SQNR beside the paper's equations: {low:+.2} to {high:+.2} dB at the same thresholds")?;
            if let Some((low, high)) = range(|sqnr| sqnr.paper_own) {
                write!(out, ", {low:+.2} to {high:+.2} dB at their own")?;
            }
            writeln!(out, ".")?;
        }
        Ok(())
    }
}

fn print_legend(out: &mut impl Write) -> Result<(), Failure> {
    let lines = [
        ("code", "width of the dense codes, in bits"),
        ("outliers", "share of elements in the outer and inner groups"),
        ("bits", "stored bits for each element, every bit counted (binary16 has 16)"),
        ("SQNR", "signal to quantization noise, in dB, of what the dequantizer gave"),
        ("paper", "the same of the paper's equations in float64, at the same thresholds"),
    ];
    let more = [
        ("plain", "the same of plain quantization to the width of the codes, with one scale for each vector"),
        ("quantizer, ...", "cycles for each vector, vector after vector; ideal: elements over lanes"),
        ("records, values", "mismatches of the engines against the bit-exact model"),
    ];
    let line = |(name, text): (&str, &str)| format!("  {name:<15} {text}");
    let own =
        format!("the same at thresholds made the paper's way: four of each run of {PAPER_RUN_TOKENS} tokens, averaged");
    for text in lines.map(line).into_iter().chain([line(("own", &own))]).chain(more.map(line)) {
        writeln!(out, "{text}")?;
    }
    writeln!(out)?;
    Ok(())
}

fn print_verilog(out: &mut impl Write, verilog: &Regenerated) -> Result<(), Failure> {
    let Regenerated { configurations, files, bytes, changed } = verilog;
    let size = *bytes as f64 / 1000.0;
    write!(out, "Verilog: {configurations} configurations, {files} files, {size:.0} kB in rtl_out/, ")?;
    match changed.len() {
        0 => writeln!(out, "byte-identical to what was there.")?,
        count => {
            writeln!(out, "{count} of them not as they were:")?;
            changed.iter().take(10).try_for_each(|path| writeln!(out, "  {path}"))?;
            if count > 10 {
                writeln!(out, "  and {} more", count - 10)?;
            }
        }
    }
    Ok(())
}

impl Row {
    /// All figures of one tensor.
    pub fn new(
        tensor: &KvTensor,
        dense_bits: DenseBits,
        quality: &Quality,
        paper_own_db: Option<f64>,
        simulated: Simulated,
    ) -> Row {
        let counts = quality.counts;
        let finite = |db: f64| Some(db).filter(|db| db.is_finite());
        Row {
            layer: tensor.layer,
            kind: tensor.kind,
            vectors: tensor.rows,
            elements: tensor.cols,
            dense_bits,
            outlier_share: (counts.outer + counts.inner) as f64 / counts.total() as f64,
            effective_bits: 8.0 * simulated.bytes as f64 / counts.total() as f64,
            sqnr_db: Sqnr {
                codec: finite(simulated.sqnr_db),
                paper: finite(quality.reference_db),
                paper_own: paper_own_db.and_then(finite),
                uniform: finite(quality.uniform_db),
            },
            paper_own_given: paper_own_db.is_some(),
            mismatches: simulated.mismatches,
            cycles_per_vector: simulated.cycles,
        }
    }

    fn cells(&self) -> [String; 14] {
        let db = |db: Option<f64>| db.map_or("lossless".to_string(), |db| format!("{db:.2}"));
        let cycles = |of: fn(&Cycles) -> f64| format!("{:.2}", of(&self.cycles_per_vector));
        [
            self.layer.to_string(),
            self.kind.to_string(),
            self.dense_bits.to_string(),
            format!("{:.2} %", 100.0 * self.outlier_share),
            format!("{:.3}", self.effective_bits),
            db(self.sqnr_db.codec),
            db(self.sqnr_db.paper),
            if self.paper_own_given { db(self.sqnr_db.paper_own) } else { "-".into() },
            db(self.sqnr_db.uniform),
            cycles(|c| c.quantizer),
            cycles(|c| c.dequantizer),
            cycles(|c| c.ideal),
            self.mismatches.records.to_string(),
            self.mismatches.values.to_string(),
        ]
    }
}
