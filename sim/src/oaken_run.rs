//! Drives the Oaken engines with AXI edges at full speed, on any [`Engine`]: vectors in, records out, and back.
//!
//! What is shared with the modules are the names of their ports only: registers behind `s_axil`; the quantizer has `s_axis`,
//! `m_axis_dense` and `m_axis_sparse`, the dequantizer `s_axis_dense`, `s_axis_sparse` and `m_axis`. Nothing stalls, and
//! nothing is checked but that everything comes out; for stalls and bus rules there is [`oaken_bench`](crate::oaken_bench).

use hdl::engine::Engine;
use std::collections::VecDeque;
use thiserror::Error;

/// Cycles without any transfer after which a run is given up: more than the longest vector takes with one lane.
const PATIENCE: u64 = 20_000;

/// Why a run ended without its result.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum RunError {
    /// The design has no such port.
    #[error("the design has no port `{0}`")]
    NoPort(String),
    /// Nothing moves any more.
    #[error("cycle {cycle}: no transfer for {PATIENCE} cycles, after {received} of {expected} packets at `{stream}`")]
    Stuck {
        /// Edges since the engine was made.
        cycle: u64,
        /// The stream whose packets are missing.
        stream: &'static str,
        /// Packets that came.
        received: usize,
        /// Packets that should come.
        expected: usize,
    },
    /// A register cannot be written.
    #[error("the write to register {address:#x} was answered with {response}")]
    Refused {
        /// The register.
        address: u64,
        /// AXI4-Lite response code, or `none`.
        response: String,
    },
    /// A packet that came out does not have as many bytes as a vector.
    #[error("vector {vector} came out with {found} bytes instead of {expected}")]
    Length {
        /// Number of the vector, from 0.
        vector: usize,
        /// Bytes that came.
        found: usize,
        /// Bytes of a vector.
        expected: usize,
    },
}

/// One record as two packets of bytes.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct RecordBytes {
    /// Dense part: N*B/8 bytes.
    pub dense: Vec<u8>,
    /// Sparse part: header, counts and entries.
    pub sparse: Vec<u8>,
}

/// What a run gave, and how long it took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run<T> {
    /// One result for each vector.
    pub results: Vec<T>,
    /// Cycles from the first to the last transfer, both counted, of the input or output of vectors that took longer.
    pub cycles: u64,
    /// Quantizer: cycles from the last beat of the first vector to the first beat of its record. Dequantizer: cycles from
    /// the first beat of the first record to the first beat of its vector.
    pub latency: u64,
}

impl<T> Run<T> {
    /// Cycles for each vector while one follows the other.
    pub fn cycles_per_vector(&self) -> f64 {
        self.cycles as f64 / self.results.len().max(1) as f64
    }
}

/// Writes registers: (byte address, value).
pub fn write_registers<E: Engine + ?Sized>(engine: &mut E, writes: &[(u64, u64)]) -> Result<(), RunError> {
    let port = |name: &str| find(engine, "s_axil", name);
    let (awaddr, awvalid, awready) = (port("awaddr")?, port("awvalid")?, port("awready")?);
    let (wdata, wstrb, wvalid, wready) = (port("wdata")?, port("wstrb")?, port("wvalid")?, port("wready")?);
    let (bvalid, bready, bresp) = (port("bvalid")?, port("bready")?, port("bresp")?);
    engine.poke_u64(wstrb, 0xf);
    engine.poke_u64(bready, 1);
    for &(address, value) in writes {
        engine.poke_u64(awaddr, address);
        engine.poke_u64(wdata, value);
        engine.poke_u64(awvalid, 1);
        engine.poke_u64(wvalid, 1);
        let mut response = None;
        for _ in 0..100 {
            let (address_taken, data_taken) = (engine.peek_u64(awready) == 1, engine.peek_u64(wready) == 1);
            response = (engine.peek_u64(bvalid) == 1).then(|| engine.peek_u64(bresp));
            engine.step();
            if address_taken {
                engine.poke_u64(awvalid, 0);
            }
            if data_taken {
                engine.poke_u64(wvalid, 0);
            }
            if response.is_some() {
                break;
            }
        }
        if response != Some(0) {
            let response = response.map_or("none".into(), |code| code.to_string());
            return Err(RunError::Refused { address, response });
        }
    }
    engine.poke_u64(bready, 0);
    Ok(())
}

/// Sends vectors of binary16 bit patterns through a quantizer whose registers are set. `progress` is called for each
/// record that is complete.
pub fn run_quantizer<'v, E: Engine + ?Sized>(
    engine: &mut E,
    vectors: impl IntoIterator<Item = &'v [u16]>,
    progress: &mut dyn FnMut(),
) -> Result<Run<RecordBytes>, RunError> {
    let packets = vectors.into_iter().map(|v| v.iter().flat_map(|x| x.to_le_bytes()).collect());
    let mut inputs = [Source::new(engine, "s_axis", packets)?];
    let mut outputs = [Sink::new(engine, "m_axis_dense")?, Sink::new(engine, "m_axis_sparse")?];
    run(engine, &mut inputs, &mut outputs, progress)?;
    let [elements] = inputs;
    let [dense, sparse] = outputs;
    let cycles = elements.timing.span().max(dense.timing.span());
    let latency = dense.timing.first.min(sparse.timing.first).saturating_sub(elements.timing.first_packet);
    let records = dense.packets.into_iter().zip(sparse.packets);
    Ok(Run { results: records.map(|(dense, sparse)| RecordBytes { dense, sparse }).collect(), cycles, latency })
}

/// Sends records through a dequantizer whose registers are set to vectors of `length` elements; binary16 bit patterns come
/// back. `progress` is called for each vector that is complete.
pub fn run_dequantizer(
    engine: &mut (impl Engine + ?Sized),
    length: usize,
    records: &[RecordBytes],
    progress: &mut dyn FnMut(),
) -> Result<Run<Vec<u16>>, RunError> {
    let (dense, sparse) = (records.iter().map(|r| r.dense.clone()), records.iter().map(|r| r.sparse.clone()));
    let mut inputs = [Source::new(engine, "s_axis_dense", dense)?, Source::new(engine, "s_axis_sparse", sparse)?];
    let mut outputs = [Sink::new(engine, "m_axis")?];
    run(engine, &mut inputs, &mut outputs, progress)?;
    let [dense, sparse] = inputs;
    let [elements] = outputs;
    let cycles = elements.timing.span().max(dense.timing.span());
    let latency = elements.timing.first.saturating_sub(dense.timing.first.min(sparse.timing.first));
    let vectors = elements.packets.iter().enumerate().map(|(vector, bytes)| match bytes.len() {
        found if found == 2 * length => Ok(bytes.chunks(2).map(|b| u16::from_le_bytes([b[0], b[1]])).collect()),
        found => Err(RunError::Length { vector, found, expected: 2 * length }),
    });
    Ok(Run { results: vectors.collect::<Result<_, _>>()?, cycles, latency })
}

fn find<E: Engine + ?Sized>(engine: &E, prefix: &str, name: &str) -> Result<usize, RunError> {
    let name = format!("{prefix}_{name}");
    engine.port(&name).ok_or(RunError::NoPort(name))
}

/// The ports of an AXI4-Stream.
struct Ports {
    name: &'static str,
    tdata: usize,
    tkeep: usize,
    tlast: usize,
    tvalid: usize,
    tready: usize,
    /// Bytes of a beat.
    bytes: usize,
}

impl Ports {
    fn new<E: Engine + ?Sized>(engine: &E, name: &'static str) -> Result<Ports, RunError> {
        let port = |signal| find(engine, name, signal);
        let (tdata, tkeep, tlast) = (port("tdata")?, port("tkeep")?, port("tlast")?);
        let (tvalid, tready) = (port("tvalid")?, port("tready")?);
        let bytes = engine.ports()[tdata].width as usize / 8;
        Ok(Ports { name, tdata, tkeep, tlast, tvalid, tready, bytes })
    }
}

/// When a stream moved: numbers of cycles.
#[derive(Default)]
struct Timing {
    moved: bool,
    first: u64,
    last: u64,
    /// The end of the first packet.
    first_packet: u64,
    packets: usize,
}

impl Timing {
    fn transfer(&mut self, cycle: u64, ends_packet: bool) {
        if !self.moved {
            (self.moved, self.first) = (true, cycle);
        }
        self.last = cycle;
        if ends_packet {
            self.packets += 1;
            if self.packets == 1 {
                self.first_packet = cycle;
            }
        }
    }

    fn span(&self) -> u64 {
        if self.moved { self.last - self.first + 1 } else { 0 }
    }
}

/// Feeds a stream with packets, a beat whenever it is taken.
struct Source {
    ports: Ports,
    packets: VecDeque<Vec<u8>>,
    /// Bytes of the first packet that were taken.
    taken: usize,
    offering: bool,
    timing: Timing,
}

impl Source {
    fn new<E: Engine + ?Sized>(
        engine: &E,
        name: &'static str,
        packets: impl Iterator<Item = Vec<u8>>,
    ) -> Result<Source, RunError> {
        let ports = Ports::new(engine, name)?;
        Ok(Source { ports, packets: packets.collect(), taken: 0, offering: false, timing: Timing::default() })
    }

    /// Offers the next beat unless one is waiting.
    fn drive<E: Engine + ?Sized>(&mut self, engine: &mut E) {
        if self.offering {
            return;
        }
        let Some(packet) = self.packets.front() else {
            return engine.poke_u64(self.ports.tvalid, 0);
        };
        let rest = &packet[self.taken..];
        let beat = &rest[..rest.len().min(self.ports.bytes)];
        engine.poke_wide(self.ports.tdata, &limbs(beat));
        engine.poke_wide(self.ports.tkeep, &ones(beat.len()));
        engine.poke_u64(self.ports.tlast, u64::from(beat.len() == rest.len()));
        engine.poke_u64(self.ports.tvalid, 1);
        self.offering = true;
    }

    /// Is the beat taken? To be asked before the edge.
    fn observe<E: Engine + ?Sized>(&mut self, engine: &mut E, cycle: u64) -> bool {
        if !self.offering || engine.peek_u64(self.ports.tready) == 0 {
            return false;
        }
        self.offering = false;
        self.taken += self.ports.bytes;
        let ends = self.packets.front().is_none_or(|packet| self.taken >= packet.len());
        if ends {
            self.packets.pop_front();
            self.taken = 0;
        }
        self.timing.transfer(cycle, ends);
        true
    }
}

/// Empties a stream, always ready.
struct Sink {
    ports: Ports,
    packets: Vec<Vec<u8>>,
    /// The packet that is not complete.
    open: Vec<u8>,
    timing: Timing,
}

impl Sink {
    fn new<E: Engine + ?Sized>(engine: &E, name: &'static str) -> Result<Sink, RunError> {
        Ok(Sink { ports: Ports::new(engine, name)?, packets: vec![], open: vec![], timing: Timing::default() })
    }

    /// Takes a beat if there is one. To be asked before the edge.
    fn observe<E: Engine + ?Sized>(&mut self, engine: &mut E, cycle: u64) -> bool {
        if engine.peek_u64(self.ports.tvalid) == 0 {
            return false;
        }
        let mut data = vec![0; self.ports.bytes.div_ceil(8)];
        let mut keep = vec![0; self.ports.bytes.div_ceil(64)];
        engine.peek_wide(self.ports.tdata, &mut data);
        engine.peek_wide(self.ports.tkeep, &mut keep);
        let bytes = data.iter().flat_map(|limb: &u64| limb.to_le_bytes()).take(self.ports.bytes).enumerate();
        self.open.extend(bytes.filter(|(i, _)| keep[i / 64] >> (i % 64) & 1 == 1).map(|(_, byte)| byte));
        let ends = engine.peek_u64(self.ports.tlast) == 1;
        if ends {
            self.packets.push(std::mem::take(&mut self.open));
        }
        self.timing.transfer(cycle, ends);
        true
    }
}

/// Bytes as little-endian limbs.
fn limbs(bytes: &[u8]) -> Vec<u64> {
    let limb = |bytes: &[u8]| bytes.iter().rev().fold(0, |limb, byte| limb << 8 | u64::from(*byte));
    bytes.chunks(8).map(limb).collect()
}

/// So many ones, from bit 0 on.
fn ones(count: usize) -> Vec<u64> {
    (0..count.div_ceil(64)).map(|i| u64::MAX >> (64 - (count - 64 * i).min(64))).collect()
}

/// Runs until every sink has as many packets as the first source; `progress` counts those of the first sink.
fn run<E: Engine + ?Sized>(
    engine: &mut E,
    sources: &mut [Source],
    sinks: &mut [Sink],
    progress: &mut dyn FnMut(),
) -> Result<(), RunError> {
    let expected = sources[0].packets.len();
    sinks.iter().for_each(|sink| engine.poke_u64(sink.ports.tready, 1));
    let mut idle = 0;
    while let Some(missing) = sinks.iter().find(|sink| sink.packets.len() < expected) {
        if idle == PATIENCE {
            let (stream, received) = (missing.ports.name, missing.packets.len());
            return Err(RunError::Stuck { cycle: engine.cycles(), stream, received, expected });
        }
        sources.iter_mut().for_each(|source| source.drive(engine));
        let (cycle, complete) = (engine.cycles(), sinks[0].packets.len());
        let mut moved = false;
        sinks.iter_mut().for_each(|sink| moved |= sink.observe(engine, cycle));
        sources.iter_mut().for_each(|source| moved |= source.observe(engine, cycle));
        idle = if moved { 0 } else { idle + 1 };
        if sinks[0].packets.len() > complete {
            progress();
        }
        engine.step();
    }
    sources.iter().for_each(|source| engine.poke_u64(source.ports.tvalid, 0));
    sinks.iter().for_each(|sink| engine.poke_u64(sink.ports.tready, 0));
    Ok(())
}

#[cfg(test)]
mod tests;
