//! What the demo found out, as a table and for machines.

use super::engines::Engines;
use super::input::Input;
use super::regenerate::Regenerated;
use crate::report::Failure;
use crate::table::table;
use serde::Serialize;
use sim::data::Kind;
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
    /// Outer and inner elements, from 0 to 1.
    pub outlier_share: f64,
    /// Stored bits for each element, every bit counted.
    pub effective_bits: f64,
    pub sqnr_db: Sqnr,
    pub cycles_per_vector: Cycles,
    pub mismatches: Mismatches,
}

/// Signal to quantization noise in dB; `None`: nothing was lost.
#[derive(Serialize)]
pub struct Sqnr {
    /// What came out of the dequantizer.
    pub hardware: Option<f64>,
    /// The paper's equations in float64.
    pub paper: Option<f64>,
    /// Uniform quantization to 4 bits, with one scale for each vector.
    pub uniform4: Option<f64>,
}

#[derive(Serialize)]
pub struct Cycles {
    pub quantizer: f64,
    pub dequantizer: f64,
    /// Elements over lanes.
    pub ideal: f64,
}

/// Differences from the bit-exact model.
#[derive(Serialize, Default)]
pub struct Mismatches {
    /// Records of the quantizer.
    pub records: usize,
    /// Values of the dequantizer.
    pub values: usize,
}

impl Results {
    /// What is known before the engines run.
    pub fn of(input: &Input, engines: &Engines) -> Results {
        Results {
            recording: input.run.path.display().to_string(),
            model: input.run.model.clone(),
            thresholds_from: input.thresholds_from.clone(),
            lanes: engines.params.lanes,
            max_length: engines.params.max_length,
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
            "Engines: quantizer and dequantizer, {lanes} elements a cycle, vectors of up to {max_length}, simulated.\n"
        )?;

        let headings = [
            ">layer",
            "kind",
            ">outliers",
            ">bits",
            ">SQNR",
            ">paper",
            ">4-bit",
            ">quantizer",
            ">dequantizer",
            ">ideal",
            ">records",
            ">values",
        ];
        writeln!(out, "{}\n", table(&headings, self.rows.iter().map(Row::cells)))?;
        writeln!(out, "  outliers        share of elements in the outer and inner groups")?;
        writeln!(out, "  bits            stored bits for each element, every bit counted (binary16 has 16)")?;
        writeln!(
            out,
            "  SQNR            signal to quantization noise of what the dequantizer gave, in dB; beside it the paper's"
        )?;
        writeln!(
            out,
            "                  equations in float64, and plain 4-bit quantization with one scale for each vector"
        )?;
        writeln!(out, "  quantizer, ...  cycles for each vector, vector after vector; ideal: elements over lanes")?;
        writeln!(out, "  records, values mismatches of the engines against the bit-exact model\n")?;
        let vectors: usize = self.rows.iter().map(|r| r.vectors).sum();
        let elements: usize = self.rows.iter().map(|r| r.vectors * r.elements).sum();
        let (mismatches, seconds) = (self.mismatches(), self.seconds);
        writeln!(out, "{mismatches} mismatches in {vectors} records and {elements} values. {seconds:.1} s in all.")?;
        Ok(())
    }
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
    fn cells(&self) -> [String; 12] {
        let db = |db: Option<f64>| db.map_or("lossless".to_string(), |db| format!("{db:.2}"));
        let cycles = |cycles: f64| format!("{cycles:.2}");
        [
            self.layer.to_string(),
            self.kind.to_string(),
            format!("{:.2} %", 100.0 * self.outlier_share),
            format!("{:.3}", self.effective_bits),
            db(self.sqnr_db.hardware),
            db(self.sqnr_db.paper),
            db(self.sqnr_db.uniform4),
            cycles(self.cycles_per_vector.quantizer),
            cycles(self.cycles_per_vector.dequantizer),
            cycles(self.cycles_per_vector.ideal),
            self.mismatches.records.to_string(),
            self.mismatches.values.to_string(),
        ]
    }
}
