//! Quantizer and dequantizer on the built-in simulator, checked against the golden model.

use super::input::Input;
use crate::report::Failure;
use hdl::Design;
use hdl::engine::Engine;
use hdl::sim::Simulator;
use hw::control::RegisterMap;
use hw::oaken::{EngineParams, dequantizer_axi, quantizer_axi};
use indicatif::ProgressBar;
use rayon::prelude::*;
use serde::Serialize;
use sim::data::KvTensor;
use sim::golden::oaken::{DenseBits, Thresholds, decode, encode};
use sim::golden::reference::{Noise, to_f64};
use sim::oaken_run::{RecordBytes, Run, RunError, run_dequantizer, run_quantizer, write_registers};
use std::collections::{BTreeMap, BTreeSet};

/// Elements a cycle.
const LANES: u32 = 16;
/// The longest vector, unless the recording has longer ones.
const MAX_LENGTH: u32 = 4096;

/// Both engines, compiled, for each width of dense codes that the input has.
pub struct Engines {
    /// Elements a cycle.
    pub lanes: u32,
    /// The longest vector.
    pub max_length: u32,
    pairs: BTreeMap<DenseBits, Pair>,
}

/// Both engines of one width.
struct Pair {
    quantizer: Compiled,
    dequantizer: Compiled,
}

/// What the engines made of a tensor.
pub struct Simulated {
    /// Of all records.
    pub bytes: usize,
    /// Signal to quantization noise, in dB.
    pub sqnr_db: f64,
    pub cycles: Cycles,
    pub mismatches: Mismatches,
}

#[derive(Serialize)]
pub struct Cycles {
    pub quantizer: f64,
    pub dequantizer: f64,
    /// Elements over lanes.
    pub ideal: f64,
}

/// Differences from the bit-exact model.
#[derive(Clone, Copy, Serialize, Default)]
pub struct Mismatches {
    /// Records of the quantizer.
    pub records: usize,
    /// Values of the dequantizer.
    pub values: usize,
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

impl Pair {
    /// Elaborates and compiles both.
    fn new(params: EngineParams) -> Result<Pair, Failure> {
        let names = ["oaken_quantizer", "oaken_dequantizer"];
        let quantizer = quantizer_axi::quantizer_axi(names[0], params).map_err(Failure::Hardware)?;
        let dequantizer = dequantizer_axi::dequantizer_axi(names[1], params).map_err(Failure::Hardware)?;
        Ok(Pair {
            quantizer: Compiled::new(&quantizer, quantizer_axi::registers(names[0], params)),
            dequantizer: Compiled::new(&dequantizer, dequantizer_axi::registers(names[1], params)),
        })
    }
}

impl Engines {
    /// The engines of all widths of the input, several at a time.
    pub fn new(input: &Input) -> Result<Engines, Failure> {
        let longest = input.run.tensors.iter().map(|t| t.cols as u32).max().unwrap_or(0);
        let (lanes, max_length) = (LANES, longest.max(MAX_LENGTH));
        let widths = input.run.tensors.iter().map(|t| input.dense_bits(t)).collect::<Result<BTreeSet<_>, _>>()?;
        let pair = |width: DenseBits| {
            let params = EngineParams { lanes, max_length, dense_bits: width.get(), settings: 1 };
            Pair::new(params).map(|pair| (width, pair))
        };
        let pairs = widths.into_par_iter().map(pair).collect::<Result<BTreeMap<_, _>, _>>()?;
        Ok(Engines { lanes, max_length, pairs })
    }

    /// Sends the vectors of a tensor through both engines of a width of the input.
    pub fn run(
        &self,
        tensor: &KvTensor,
        width: DenseBits,
        thresholds: &Thresholds,
        bar: &ProgressBar,
    ) -> Result<Simulated, Failure> {
        let pair = self.pairs.get(&width);
        let pair = pair.ok_or_else(|| Failure::Internal(format!("no engines for codes of {width} bits")))?;
        let mut progress = || bar.inc(1);
        let mut engine = pair.quantizer.start(tensor.cols, thresholds)?;
        let records = run_quantizer(&mut engine, tensor.vectors(), &mut progress).map_err(stopped)?;
        let mut engine = pair.dequantizer.start(tensor.cols, thresholds)?;
        let values = run_dequantizer(&mut engine, tensor.cols, &records.results, &mut progress).map_err(stopped)?;
        Ok(self.compare(tensor, width, thresholds, &records, &values))
    }

    /// What came out, beside what should have.
    fn compare(
        &self,
        tensor: &KvTensor,
        width: DenseBits,
        t: &Thresholds,
        records: &Run<RecordBytes>,
        values: &Run<Vec<u16>>,
    ) -> Simulated {
        let (mut mismatches, mut noise, mut bytes) = (Mismatches::default(), Noise::default(), 0);
        for ((vector, record), back) in tensor.vectors().zip(&records.results).zip(&values.results) {
            let golden = encode(vector, width, t);
            mismatches.records += usize::from((&record.dense, &record.sparse) != (&golden.dense, &golden.sparse));
            // what the dequantizer should make of the record that it got, even if that is a wrong one
            mismatches.values += match decode(&record.dense, &record.sparse, vector.len(), width, t) {
                Ok(expected) => expected.iter().zip(back).filter(|(a, b)| a != b).count(),
                Err(_) => vector.len(),
            };
            bytes += record.dense.len() + record.sparse.len();
            noise.add(&to_f64(vector), &to_f64(back));
        }
        let cycles = Cycles {
            quantizer: records.cycles_per_vector(),
            dequantizer: values.cycles_per_vector(),
            ideal: tensor.cols as f64 / f64::from(self.lanes),
        };
        Simulated { bytes, sqnr_db: noise.sqnr_db(), cycles, mismatches }
    }
}

fn stopped(error: RunError) -> Failure {
    Failure::Internal(format!("simulation: {error}"))
}
