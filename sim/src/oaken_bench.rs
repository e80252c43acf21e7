//! Runs the Oaken engines on any [`Engine`]: vectors through the quantizer, records through the dequantizer.
//!
//! The engines are those with AXI edges, set up through their registers as software would.

use crate::bus::{AxiLiteMaster, Beat, Bench, BusError, Sink, Stalls, packet, packet_bytes, span};
use crate::golden::oaken::{DenseBits, Record, Thresholds};
use hdl::Design;
use hdl::engine::Engine;
use hw::control::RegisterMap;
use hw::oaken::{DequantizerAxiPorts, EngineParams, QuantizerAxiPorts, dequantizer_axi, quantizer_axi};

/// The two parts of a record as they leave the quantizer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parts {
    /// Dense part.
    pub dense: Vec<u8>,
    /// Sparse part: header, counts and entries.
    pub sparse: Vec<u8>,
}

impl From<Record> for Parts {
    fn from(record: Record) -> Parts {
        Parts { dense: record.dense, sparse: record.sparse }
    }
}

/// How the three streams of an engine pause.
#[derive(Clone, Copy, Debug)]
pub struct Pauses {
    /// The stream of elements.
    pub elements: Stalls,
    /// The dense part.
    pub dense: Stalls,
    /// The sparse part.
    pub sparse: Stalls,
}

impl Pauses {
    /// Nothing pauses.
    pub const NEVER: Pauses = Pauses { elements: Stalls::Never, dense: Stalls::Never, sparse: Stalls::Never };
    /// Everything pauses nearly always.
    pub const MOSTLY: Pauses =
        Pauses { elements: Stalls::Percent(90), dense: Stalls::Percent(90), sparse: Stalls::Percent(90) };
    /// Everything pauses often, each in its own way.
    pub const OFTEN: Pauses =
        Pauses { elements: Stalls::Percent(30), dense: Stalls::Percent(40), sparse: Stalls::Runs(9) };
}

/// What a run gave.
#[derive(Clone, Debug)]
pub struct Run<T> {
    /// What came out, in order.
    pub results: Vec<T>,
    /// Cycles from the first to the last beat of elements, both included.
    pub cycles: u64,
    /// The error register afterwards.
    pub errors: u64,
    /// The counter of vectors afterwards.
    pub vectors: u64,
    /// The status register afterwards; 2, idle and legal, if nothing is stuck.
    pub status: u64,
}

/// An engine to run: its design, its registers, its parameters.
pub struct Device<P> {
    /// The design.
    pub design: Design<P>,
    /// Its registers.
    pub map: RegisterMap,
    /// Its parameters.
    pub params: EngineParams,
}

/// A quantizer.
pub fn quantizer(name: &str, params: EngineParams) -> Result<Device<QuantizerAxiPorts>, hdl::Errors> {
    let map = hw::oaken::quantizer_axi::registers(name, params);
    Ok(Device { design: quantizer_axi(name, params)?, map, params })
}

/// A dequantizer.
pub fn dequantizer(name: &str, params: EngineParams) -> Result<Device<DequantizerAxiPorts>, hdl::Errors> {
    let map = hw::oaken::dequantizer_axi::registers(name, params);
    Ok(Device { design: dequantizer_axi(name, params)?, map, params })
}

impl<P> Device<P> {
    /// The width of its dense codes.
    ///
    /// # Panics
    /// Never: there are no engines of another width.
    pub fn dense_bits(&self) -> DenseBits {
        DenseBits::new(self.params.dense_bits).unwrap_or_else(|e| panic!("{e}"))
    }
    /// Byte address of a register.
    ///
    /// # Panics
    /// If there is none of this name.
    pub fn address(&self, register: &str) -> u64 {
        let found = self.map.registers.iter().find(|r| r.name == register);
        u64::from(found.unwrap_or_else(|| panic!("no register `{register}`")).offset)
    }
    /// Sets length and thresholds and lets vectors begin.
    ///
    /// # Errors
    /// If the registers do not answer.
    ///
    /// # Panics
    /// If the engine takes no vectors of this length: it would wait for ever.
    pub fn set_up(&self, bench: &mut Bench, axil: &AxiLiteMaster, n: usize, t: &Thresholds) -> Result<(), BusError> {
        let most = self.params.max_length as usize;
        let legal = n.is_multiple_of(64) && (64..=most).contains(&n);
        assert!(legal, "vectors of {n} elements: `{}` takes multiples of 64 up to {most}", self.design.name());
        let [s_low, t_low, t_high, s_high] = t.bits().map(u64::from);
        let settings =
            [("length", n as u64), ("s_low", s_low), ("t_low", t_low), ("t_high", t_high), ("s_high", s_high)];
        for (register, value) in settings.into_iter().chain([("enable", 1)]) {
            axil.write(bench, self.address(register), value)?;
        }
        Ok(())
    }
    /// Stores settings, each under its place in the list, and lets vectors begin; for engines whose vectors name their settings.
    ///
    /// # Errors
    /// If the registers do not answer.
    pub fn store(
        &self,
        bench: &mut Bench,
        axil: &AxiLiteMaster,
        settings: &[(usize, Thresholds)],
    ) -> Result<(), BusError> {
        for (number, (n, t)) in settings.iter().enumerate() {
            self.set_up(bench, axil, *n, t)?;
            for store in [0, 1] {
                axil.write(bench, self.address("setting"), store << 8 | number as u64)?;
            }
        }
        Ok(())
    }
    /// Errors, count of vectors, and status.
    fn finish(&self, bench: &mut Bench, axil: &AxiLiteMaster) -> Result<(u64, u64, u64), BusError> {
        let mut read = |register| axil.read(bench, self.address(register)).map(|(_, value)| value);
        Ok((read("errors")?, read("vectors")?, read("status")?))
    }
}

/// Streams vectors of one length through the quantizer. `progress` hears of every vector whose dense part is out.
pub fn quantize(
    device: &Device<QuantizerAxiPorts>,
    engine: &mut dyn Engine,
    thresholds: &Thresholds,
    vectors: &[&[u16]],
    pauses: Pauses,
    seed: u64,
    progress: &mut dyn FnMut(usize),
) -> Result<Run<Parts>, BusError> {
    let n = vectors.first().map_or(64, |v| v.len());
    let packets = vectors.iter().map(|v| Packet { elements: v, number: None }).collect::<Vec<_>>();
    let set_up = |bench: &mut Bench, axil: &AxiLiteMaster| device.set_up(bench, axil, n, thresholds);
    run_quantizer(device, engine, &set_up, &packets, pauses, seed, progress)
}

/// Streams vectors through a quantizer that holds several settings; each comes with the number of its own.
pub fn quantize_each(
    device: &Device<QuantizerAxiPorts>,
    engine: &mut dyn Engine,
    settings: &[(usize, Thresholds)],
    vectors: &[(usize, &[u16])],
    pauses: Pauses,
    seed: u64,
) -> Result<Run<Parts>, BusError> {
    let packets = vectors.iter().map(|(number, v)| Packet { elements: v, number: Some(*number) }).collect::<Vec<_>>();
    let set_up = |bench: &mut Bench, axil: &AxiLiteMaster| device.store(bench, axil, settings);
    run_quantizer(device, engine, &set_up, &packets, pauses, seed, &mut |_| ())
}

/// A vector on its way in.
struct Packet<'a> {
    elements: &'a [u16],
    /// Of its setting, where it names one.
    number: Option<usize>,
}

/// What sets an engine up.
type SetUp<'a> = dyn Fn(&mut Bench, &AxiLiteMaster) -> Result<(), BusError> + 'a;

fn run_quantizer(
    device: &Device<QuantizerAxiPorts>,
    engine: &mut dyn Engine,
    set_up: &SetUp,
    vectors: &[Packet],
    pauses: Pauses,
    seed: u64,
    progress: &mut dyn FnMut(usize),
) -> Result<Run<Parts>, BusError> {
    let (design, p) = (&device.design, device.params);
    let mut bench = Bench::new(engine, seed);
    let axil = AxiLiteMaster::new(&mut bench, design, &design.ports.s_axil, Stalls::Never);
    let elements = bench.source(design, &design.ports.s_axis, pauses.elements);
    let dense = bench.sink(design, &design.ports.m_axis_dense, pauses.dense);
    let sparse = bench.sink(design, &design.ports.m_axis_sparse, pauses.sparse);
    bench.reset()?;
    set_up(&mut bench, &axil)?;
    for v in vectors {
        bench.send(elements, numbered(packet(&to_bytes(v.elements), 2 * p.lanes as usize), v.number));
    }
    let longest = vectors.iter().map(|v| v.elements.len()).max().unwrap_or(0);
    let limit = 2000 + 40 * (longest / p.lanes as usize) as u64;
    let beats = vectors.iter().map(|v| p.dense_beats(v.elements.len() as u32) as usize);
    wait(&mut bench, dense, beats, limit, progress)?;
    drain(&mut bench, sparse, vectors.len(), limit)?;
    let taken = bench.sent_at(elements);
    let cycles = span(taken);
    let (errors, count, status) = device.finish(&mut bench, &axil)?;
    let parts = packet_bytes(bench.beats(dense)).into_iter().zip(packet_bytes(bench.beats(sparse)));
    let results = parts.map(|(dense, sparse)| Parts { dense, sparse }).collect();
    Ok(Run { results, cycles, errors, vectors: count, status })
}

/// Beats of a packet with the number of a setting, where there is one. Only that of the first beat counts: the others have another.
pub fn numbered(mut beats: Vec<Beat>, number: Option<usize>) -> Vec<Beat> {
    if let Some(number) = number {
        beats
            .iter_mut()
            .enumerate()
            .for_each(|(i, beat)| beat.0.push((if i == 0 { number } else { number ^ 1 }).into()));
    }
    beats
}

/// Streams records of vectors of `n` elements through the dequantizer.
pub fn dequantize(
    device: &Device<DequantizerAxiPorts>,
    engine: &mut dyn Engine,
    thresholds: &Thresholds,
    (records, n): (&[Parts], usize),
    pauses: Pauses,
    seed: u64,
    progress: &mut dyn FnMut(usize),
) -> Result<Run<Vec<u16>>, BusError> {
    let records = records.iter().map(|parts| Stored { parts, length: n, number: None }).collect::<Vec<_>>();
    let set_up = |bench: &mut Bench, axil: &AxiLiteMaster| device.set_up(bench, axil, n, thresholds);
    run_dequantizer(device, engine, &set_up, &records, pauses, seed, progress)
}

/// Streams records through a dequantizer that holds several settings; each comes with the number of its own.
pub fn dequantize_each(
    device: &Device<DequantizerAxiPorts>,
    engine: &mut dyn Engine,
    settings: &[(usize, Thresholds)],
    records: &[(usize, Parts)],
    pauses: Pauses,
    seed: u64,
) -> Result<Run<Vec<u16>>, BusError> {
    let records = records
        .iter()
        .map(|(number, parts)| Stored { parts, length: settings[*number].0, number: Some(*number) })
        .collect::<Vec<_>>();
    let set_up = |bench: &mut Bench, axil: &AxiLiteMaster| device.store(bench, axil, settings);
    run_dequantizer(device, engine, &set_up, &records, pauses, seed, &mut |_| ())
}

/// A record on its way back.
struct Stored<'a> {
    parts: &'a Parts,
    /// Elements of its vector.
    length: usize,
    /// Of its setting, where it names one.
    number: Option<usize>,
}

fn run_dequantizer(
    device: &Device<DequantizerAxiPorts>,
    engine: &mut dyn Engine,
    set_up: &SetUp,
    records: &[Stored],
    pauses: Pauses,
    seed: u64,
    progress: &mut dyn FnMut(usize),
) -> Result<Run<Vec<u16>>, BusError> {
    let (design, p) = (&device.design, device.params);
    let mut bench = Bench::new(engine, seed);
    let axil = AxiLiteMaster::new(&mut bench, design, &design.ports.s_axil, Stalls::Never);
    let dense = bench.source(design, &design.ports.s_axis_dense, pauses.dense);
    let sparse = bench.source(design, &design.ports.s_axis_sparse, pauses.sparse);
    let elements = bench.sink(design, &design.ports.m_axis, pauses.elements);
    bench.reset()?;
    set_up(&mut bench, &axil)?;
    for r in records {
        bench.send(dense, packet(&r.parts.dense, p.dense_bytes() as usize));
        bench.send(sparse, numbered(packet(&r.parts.sparse, p.sparse_bytes() as usize), r.number));
    }
    let longest = records.iter().map(|r| r.length).max().unwrap_or(0);
    let beats = records.iter().map(|r| r.length / p.lanes as usize);
    wait(&mut bench, elements, beats, 2000 + 40 * (longest / p.lanes as usize) as u64, progress)?;
    let got = bench.received_at(elements);
    let cycles = span(got);
    let (errors, count, status) = device.finish(&mut bench, &axil)?;
    let results = packet_bytes(bench.beats(elements)).iter().map(|bytes| to_elements(bytes)).collect();
    Ok(Run { results, cycles, errors, vectors: count, status })
}

/// Waits for packets of so many beats, at most `limit` cycles for each.
fn wait(
    bench: &mut Bench,
    sink: Sink,
    beats: impl Iterator<Item = usize>,
    limit: u64,
    progress: &mut dyn FnMut(usize),
) -> Result<(), BusError> {
    let mut all = 0;
    for (i, beats) in beats.enumerate() {
        all += beats;
        bench.run_until_received(sink, all, limit)?;
        progress(i + 1);
    }
    Ok(())
}

/// Waits for the last of `count` packets of any length.
fn drain(bench: &mut Bench, sink: Sink, count: usize, limit: u64) -> Result<(), BusError> {
    let packets = |beats: &[Beat]| beats.iter().filter(|b| b.0[2].bit(0)).count();
    let mut left = limit;
    while packets(bench.beats(sink)) < count && left > 0 {
        bench.run(16)?;
        left = left.saturating_sub(16);
    }
    // one more beat than there is: the timeout names the port
    let missing = packets(bench.beats(sink)) < count;
    let beats = bench.beats(sink).len();
    if missing { bench.run_until_received(sink, beats + 1, 1) } else { Ok(()) }
}

/// Elements as streams carry them: binary16, the low byte first.
pub fn to_bytes(elements: &[u16]) -> Vec<u8> {
    elements.iter().flat_map(|x| x.to_le_bytes()).collect()
}

fn to_elements(bytes: &[u8]) -> Vec<u16> {
    bytes.chunks_exact(2).map(|b| u16::from_le_bytes([b[0], b[1]])).collect()
}

/// A packet of elements whose end is not where the length says: for tests of what the engines do then.
pub fn misfit(elements: &[u16], lanes: u32) -> Vec<Beat> {
    packet(&to_bytes(elements), 2 * lanes as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "vectors of 192 elements: `unit` takes multiples of 64 up to 128")]
    fn vectors_longer_than_the_engine_takes_are_refused_at_once() {
        let p = EngineParams { lanes: 4, max_length: 128, dense_bits: 4, settings: 1 };
        let unit = quantizer("unit", p).unwrap_or_else(|e| panic!("{e}"));
        let mut engine = hdl::sim::Simulator::new(&unit.design);
        let t = Thresholds::from_f32(-1.0, -0.1, 0.1, 1.0).expect("legal");
        let _ = quantize(&unit, &mut engine, &t, &[&[0; 192]], Pauses::NEVER, 1, &mut |_| ());
    }
}
