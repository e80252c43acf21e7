//! What the engines are measured with: vectors or records that come without a pause, and outputs that are always taken.

use fastrand::Rng;
use hdl::engine::Engine;
use hw::control::RegisterMap;
use hw::oaken::EngineParams;
use sim::golden::oaken::{DenseBits, Record, Thresholds, encode};
use std::time::Instant;

/// Idle cycles between the writes to the registers and the first vector: all that they change has settled.
pub const IDLE: u32 = 16;
/// Vectors that are streamed over and over.
const VECTORS: u32 = 8;

/// A beat of an AXI4-Stream.
pub struct Beat {
    pub data: Vec<u64>,
    pub keep: Vec<u64>,
    pub last: bool,
}

/// An AXI4-Stream into the engine: the prefix of its ports, and beats that come over and over.
pub struct Source {
    pub name: &'static str,
    pub beats: Vec<Beat>,
}

/// All that is done with an engine.
pub struct Load {
    /// Byte addresses and values of registers.
    pub writes: Vec<(u64, u64)>,
    pub sources: Vec<Source>,
    /// AXI4-Streams out of the engine: the prefixes of their ports.
    pub sinks: &'static [&'static str],
}

/// What a run took and gave.
#[derive(Clone, Copy)]
pub struct Outcome {
    /// Seconds of processor time.
    pub seconds: f64,
    /// Over all beats that came out.
    pub checksum: u64,
}

fn thresholds() -> Thresholds {
    Thresholds::from_f32(-2.0, -0.06, 0.06, 2.0).expect("legal thresholds")
}

/// Vectors with about one outlier in ten.
fn vectors(p: EngineParams) -> Vec<Vec<u16>> {
    let mut rng = Rng::with_seed(1);
    let mut element = || {
        let x: f32 = (0..12).map(|_| rng.f32()).sum::<f32>() - 6.0;
        half::f16::from_f32(x).to_bits()
    };
    (0..VECTORS).map(|_| (0..p.max_length).map(|_| element()).collect()).collect()
}

fn writes(map: &RegisterMap, p: EngineParams) -> Vec<(u64, u64)> {
    let offset = |name| map.offset(name);
    let [s_low, t_low, t_high, s_high] = thresholds().bits().map(u64::from);
    let settings = [("s_low", s_low), ("t_low", t_low), ("t_high", t_high), ("s_high", s_high)];
    let all = settings.into_iter().chain([("length", p.max_length.into()), ("enable", 1)]);
    all.map(|(name, value)| (offset(name), value)).collect()
}

/// Packets as beats of `bytes` bytes.
fn beats<'a>(packets: impl Iterator<Item = &'a [u8]>, bytes: usize) -> Vec<Beat> {
    let limb = |bytes: &[u8]| bytes.iter().rev().fold(0, |limb, byte| limb << 8 | u64::from(*byte));
    let beat = |chunk: &[u8], last| {
        let mut padded = chunk.to_vec();
        padded.resize(bytes, 0);
        let keep: Vec<u8> = (0..bytes.div_ceil(8))
            .map(|i| (0..8).fold(0, |byte, bit| byte | u8::from(8 * i + bit < chunk.len()) << bit))
            .collect();
        Beat { data: padded.chunks(8).map(limb).collect(), keep: keep.chunks(8).map(limb).collect(), last }
    };
    let packet = |packet: &[u8]| {
        let count = packet.len().div_ceil(bytes);
        packet.chunks(bytes).enumerate().map(|(i, chunk)| beat(chunk, i + 1 == count)).collect::<Vec<_>>()
    };
    packets.flat_map(packet).collect()
}

/// Vectors through the quantizer.
pub fn quantizer(map: &RegisterMap, p: EngineParams) -> Load {
    let bytes: Vec<Vec<u8>> = vectors(p).iter().map(|v| v.iter().flat_map(|x| x.to_le_bytes()).collect()).collect();
    let elements = beats(bytes.iter().map(Vec::as_slice), 2 * p.lanes as usize);
    let sources = vec![Source { name: "s_axis", beats: elements }];
    Load { writes: writes(map, p), sources, sinks: &["m_axis_dense", "m_axis_sparse"] }
}

/// Records through the dequantizer.
pub fn dequantizer(map: &RegisterMap, p: EngineParams) -> Load {
    let records: Vec<Record> = vectors(p).iter().map(|v| encode(v, DenseBits::PAPER, &thresholds())).collect();
    let dense = beats(records.iter().map(|r| &r.dense[..]), p.dense_bytes() as usize);
    let sparse = beats(records.iter().map(|r| &r.sparse[..]), p.sparse_bytes() as usize);
    let sources = vec![Source { name: "s_axis_dense", beats: dense }, Source { name: "s_axis_sparse", beats: sparse }];
    Load { writes: writes(map, p), sources, sinks: &["m_axis"] }
}

/// Resets the engine, sets it up and drives it for so many cycles, which are timed.
pub fn run<E: Engine + ?Sized>(engine: &mut E, load: &Load, cycles: u64) -> Outcome {
    let port = |name: &str, field: &str| engine.port(&format!("{name}_{field}")).expect("a port of the engine");
    let sources: Vec<[usize; 5]> =
        load.sources.iter().map(|s| ["tdata", "tkeep", "tlast", "tvalid", "tready"].map(|f| port(s.name, f))).collect();
    let sinks: Vec<[usize; 4]> =
        load.sinks.iter().map(|name| ["tdata", "tlast", "tvalid", "tready"].map(|f| port(name, f))).collect();
    let mut words: Vec<Vec<u64>> = sinks.iter().map(|s| vec![0; engine.ports()[s[0]].limbs()]).collect();
    let mut at = vec![0; sources.len()];
    // an engine may have run before
    sources.iter().for_each(|s| engine.poke_u64(s[3], 0));
    engine.reset(4);
    sim::oaken_run::write_registers(engine, &load.writes).unwrap_or_else(|error| panic!("{error}"));
    (0..IDLE).for_each(|_| engine.step());
    sources.iter().for_each(|s| engine.poke_u64(s[3], 1));
    sinks.iter().for_each(|s| engine.poke_u64(s[3], 1));
    let mut checksum = 0u64;
    let mut mix = |value: u64| checksum = checksum.wrapping_mul(31).wrapping_add(value);
    let mut taken = vec![0u64; sources.len()];
    let start = Stopwatch::start();
    for _ in 0..cycles {
        for ((source, ports), at) in load.sources.iter().zip(&sources).zip(&at) {
            let beat = &source.beats[*at];
            engine.poke_wide(ports[0], &beat.data);
            engine.poke_wide(ports[1], &beat.keep);
            engine.poke_u64(ports[2], beat.last.into());
        }
        for (((source, ports), at), taken) in load.sources.iter().zip(&sources).zip(&mut at).zip(&mut taken) {
            if engine.peek_u64(ports[4]) == 1 {
                *taken += 1;
                *at = if *at + 1 == source.beats.len() { 0 } else { *at + 1 };
            }
        }
        for (ports, words) in sinks.iter().zip(&mut words) {
            if engine.peek_u64(ports[2]) == 1 {
                engine.peek_wide(ports[0], words);
                words.iter().for_each(|word| mix(*word));
                mix(engine.peek_u64(ports[1]));
            }
        }
        engine.step();
    }
    let seconds = start.seconds();
    assert!(taken[0] * 10 > cycles * 8, "{taken:?} beats in {cycles} cycles: the engine waits too often");
    Outcome { seconds, checksum }
}

/// Processor time of this thread where the system tells it, else time: other programs on the machine do not count then.
pub struct Stopwatch(Option<f64>, Instant);

impl Stopwatch {
    pub fn start() -> Stopwatch {
        Stopwatch(Self::processor(), Instant::now())
    }
    pub fn seconds(&self) -> f64 {
        match (self.0, Self::processor()) {
            (Some(start), Some(now)) => now - start,
            _ => self.1.elapsed().as_secs_f64(),
        }
    }
    fn processor() -> Option<f64> {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        text.split_whitespace().next()?.parse::<f64>().ok().map(|nanoseconds| nanoseconds / 1e9)
    }
}
