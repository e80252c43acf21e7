//! Quantizer and dequantizer on the built-in simulator, checked against the golden model.

use super::input::Input;
use super::results::{Cycles, Mismatches, Row, Sqnr};
use crate::report::Failure;
use hdl::Design;
use hdl::engine::Engine;
use hdl::sim::Simulator;
use hw::control::RegisterMap;
use hw::oaken::{EngineParams, dequantizer_axi, quantizer_axi};
use indicatif::ProgressBar;
use sim::data::KvTensor;
use sim::golden::oaken::{GroupCounts, Thresholds, decode, encode};
use sim::golden::reference::{self, Noise, to_f64};
use sim::oaken_run::{RecordBytes, Run, RunError, run_dequantizer, run_quantizer, write_registers};

/// Elements a cycle.
const LANES: u32 = 16;
/// The longest vector, unless the recording has longer ones.
const MAX_LENGTH: u32 = 4096;

/// Both engines, compiled.
pub struct Engines {
    pub params: EngineParams,
    quantizer: Compiled,
    dequantizer: Compiled,
}

/// An engine, ready to be cloned and run.
struct Compiled {
    simulator: Simulator,
    registers: RegisterMap,
}

impl Compiled {
    fn new<P>(design: &Design<P>, registers: RegisterMap) -> Compiled {
        Compiled { simulator: Simulator::new(design), registers }
    }

    /// A fresh copy with everything set for vectors of this length.
    fn start(&self, length: usize, thresholds: &Thresholds) -> Result<Simulator, Failure> {
        let mut engine = self.simulator.clone();
        engine.reset(2);
        let [s_low, t_low, t_high, s_high] = thresholds.bits().map(u64::from);
        let settings = [
            ("length", length as u64),
            ("s_low", s_low),
            ("t_low", t_low),
            ("t_high", t_high),
            ("s_high", s_high),
            ("enable", 1),
        ];
        let mut writes = vec![];
        for (name, value) in settings {
            let register = self.registers.registers.iter().find(|r| r.name == name);
            let register = register.ok_or_else(|| Failure::Internal(format!("the engine has no register `{name}`")))?;
            writes.push((u64::from(register.offset), value));
        }
        write_registers(&mut engine, &writes).map_err(stopped)?;
        Ok(engine)
    }
}

impl Engines {
    /// Elaborates and compiles both.
    pub fn new(input: &Input) -> Result<Engines, Failure> {
        let longest = input.run.tensors.iter().map(|t| t.cols as u32).max().unwrap_or(0);
        let params = EngineParams { lanes: LANES, max_length: longest.max(MAX_LENGTH) };
        let names = ["oaken_quantizer", "oaken_dequantizer"];
        let quantizer = quantizer_axi::quantizer_axi(names[0], params).map_err(Failure::Hardware)?;
        let dequantizer = dequantizer_axi::dequantizer_axi(names[1], params).map_err(Failure::Hardware)?;
        Ok(Engines {
            params,
            quantizer: Compiled::new(&quantizer, quantizer_axi::registers(names[0], params)),
            dequantizer: Compiled::new(&dequantizer, dequantizer_axi::registers(names[1], params)),
        })
    }

    /// Sends the vectors of a tensor through both.
    pub fn run(&self, tensor: &KvTensor, thresholds: &Thresholds, bar: &ProgressBar) -> Result<Row, Failure> {
        let mut progress = || bar.inc(1);
        let mut engine = self.quantizer.start(tensor.cols, thresholds)?;
        let records = run_quantizer(&mut engine, tensor.vectors(), &mut progress).map_err(stopped)?;
        let mut engine = self.dequantizer.start(tensor.cols, thresholds)?;
        let values = run_dequantizer(&mut engine, tensor.cols, &records.results, &mut progress).map_err(stopped)?;
        Ok(self.compare(tensor, thresholds, &records, &values))
    }

    /// All figures of one tensor.
    fn compare(&self, tensor: &KvTensor, t: &Thresholds, records: &Run<RecordBytes>, values: &Run<Vec<u16>>) -> Row {
        let mut mismatches = Mismatches::default();
        let (mut hardware, mut paper, mut uniform) = (Noise::default(), Noise::default(), Noise::default());
        let mut bytes = 0;
        for ((vector, record), back) in tensor.vectors().zip(&records.results).zip(&values.results) {
            let golden = encode(vector, t);
            mismatches.records += usize::from((&record.dense, &record.sparse) != (&golden.dense, &golden.sparse));
            // what the dequantizer should make of the record that it got, even if that is a wrong one
            mismatches.values += match decode(&record.dense, &record.sparse, vector.len(), t) {
                Ok(expected) => expected.iter().zip(back).filter(|(a, b)| a != b).count(),
                Err(_) => vector.len(),
            };
            bytes += record.dense.len() + record.sparse.len();
            let original = to_f64(vector);
            hardware.add(&original, &to_f64(back));
            paper.add(&original, &reference::oaken(&original, t));
            uniform.add(&original, &reference::uniform(&original, 4));
        }
        let counts = GroupCounts::of(&tensor.data, t);
        let db = |noise: Noise| Some(noise.sqnr_db()).filter(|db| db.is_finite());
        Row {
            layer: tensor.layer,
            kind: tensor.kind,
            vectors: tensor.rows,
            elements: tensor.cols,
            outlier_share: (counts.outer + counts.inner) as f64 / counts.total() as f64,
            effective_bits: 8.0 * bytes as f64 / counts.total() as f64,
            sqnr_db: Sqnr { hardware: db(hardware), paper: db(paper), uniform4: db(uniform) },
            cycles_per_vector: Cycles {
                quantizer: records.cycles_per_vector(),
                dequantizer: values.cycles_per_vector(),
                ideal: tensor.cols as f64 / f64::from(self.params.lanes),
            },
            mismatches,
        }
    }
}

fn stopped(error: RunError) -> Failure {
    Failure::Internal(format!("simulation: {error}"))
}
