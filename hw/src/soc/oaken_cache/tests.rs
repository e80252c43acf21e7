//! Packets against the golden model, on a cache without its line.

use super::params::CacheParams;
use super::path::path;
use crate::control::{AxiLite, RegisterMap, axi_lite};
use crate::memory::axi::{Axi, AxiParams, axi};
use crate::oaken::mmu::params::MmuParams;
use crate::oaken::settings::Lengths;
use crate::oaken::{dequantizer_axi, quantizer_axi};
use crate::stream::axi_stream::{AxiStream, axi_stream};
use ::sim::bus::axi4::Response;
use ::sim::bus::axi4_memory::{Axi4Memory, MemoryModel};
use ::sim::bus::{AxiLiteMaster, Bench, Sink, Source, packet, packet_bytes};
use ::sim::golden::oaken::{DenseBits, Thresholds};
use ::sim::golden::oaken_cache::{OakenCache, Shape};
use fastrand::Rng;
use hdl::bus::{Stalls, run_seed};
use hdl::engine::Engine;
use hdl::*;
use std::ops::Range;

/// Bits of an address of the engines' registers.
const ADDRESS: u32 = 6;

ports! {
    struct CorePorts(p: CacheParams) {
        input s_axil_quantizer: AxiLite = axi_lite(ADDRESS),
        input s_axil_dequantizer: AxiLite = axi_lite(ADDRESS),
        input s_axis: AxiStream = axi_stream(1),
        output m_axis: AxiStream = axi_stream(1),
        output free: Signal = bits(p.mmu.count_bits()),
        output damaged: Signal = bits(1),
        output m_axi: Axi = axi(p.mmu.axi.of_masters(2), p.mmu.axi),
    }
}

#[module]
fn core(p: CacheParams) -> Result<Design<CorePorts>, Errors> {
    let p = p.check("core")?;
    let m = Module::new("core");
    let io = CorePorts::new(m, p);
    let x = path(m, "core", p, io.s_axis.stream(), io.m_axi)?;
    x.quantizer.set(io.s_axil_quantizer);
    x.dequantizer.set(io.s_axil_dequantizer);
    io.m_axis.set(AxiStream::from(x.to_host));
    io.free.set(x.free);
    let damaged = m.reg_reset(bits(1), 0);
    m.when(x.events.damaged, || damaged.set(true));
    io.damaged.set(damaged);
    [x.events.refused, x.events.appended, x.events.given].iter().for_each(|event| event.unused());
    m.finish(io)
}

fn params() -> CacheParams {
    let mmu = MmuParams {
        axi: AxiParams { data_bytes: 8, address_bits: 25, id_bits: 0 },
        page_bytes: 1024,
        pages: 150,
        requests: 3,
        layers: 2,
        heads: 2,
        head_elements: 64,
        key_bits: 4,
        value_bits: 4,
        tokens: 12,
        tag_bits: 2,
        outstanding: 4,
    };
    CacheParams { lanes: 4, mmu, clock_hertz: 48_000_000, clocks_per_bit: 16 }
}

fn settings() -> Vec<Thresholds> {
    let t = |outer: f32, inner: f32| Thresholds::from_f32(-outer, -inner, inner, 2.0 * outer).expect("legal");
    vec![t(1.0, 0.1), t(0.5, 0.02), t(2.0, 0.3), t(1.5, 0.05)]
}

fn shape(p: CacheParams) -> Shape {
    let MmuParams { requests, layers, heads, head_elements, tokens, .. } = p.mmu;
    let [requests, layers, heads] = [requests, layers, heads].map(|x| x as u8);
    let (head_elements, tokens) = (head_elements as usize, tokens as usize);
    Shape { requests, layers, heads, head_elements, tokens, bits: DenseBits::PAPER, settings: settings() }
}

/// A memory that stalls, is late and mixes bursts.
fn slow() -> MemoryModel {
    let stalls = Stalls::Percent(20);
    MemoryModel { latency: 9, jitter: 6, taking: stalls, giving: stalls, reorders: true, ..MemoryModel::default() }
}

/// A cache, its memory and its host.
struct Rig<'e> {
    bench: Bench<'e>,
    memory: Axi4Memory,
    put: Source,
    taken: Sink,
    model: OakenCache,
    expected: Vec<Vec<u8>>,
}

impl<'e> Rig<'e> {
    fn new(design: &Design<CorePorts>, engine: &'e mut dyn Engine, p: CacheParams, seed: u64) -> Rig<'e> {
        let io = &design.ports;
        let mut bench = Bench::new(engine, seed);
        let mut memory = Axi4Memory::new(slow(), seed);
        memory.read_port(&mut bench, design, &io.m_axi);
        memory.write_port(&mut bench, design, &io.m_axi);
        let put = bench.source(design, &io.s_axis, Stalls::Percent(10));
        let taken = bench.sink(design, &io.m_axis, Stalls::Percent(10));
        let (model, expected) = (OakenCache::new(shape(p)), vec![]);
        let mut rig = Rig { bench, memory, put, taken, model, expected };
        let registers = [
            (&io.s_axil_quantizer, quantizer_axi::registers_of("quantizer", p.quantizer(), Lengths::Longest)),
            (&io.s_axil_dequantizer, dequantizer_axi::registers_of("dequantizer", p.dequantizer(), Lengths::Longest)),
        ];
        let masters =
            registers.map(|(port, map)| (AxiLiteMaster::new(&mut rig.bench, design, port, Stalls::Never), map));
        rig.bench.reset().unwrap();
        masters.iter().for_each(|(master, map)| rig.set_up(master, map));
        rig
    }
    fn set_up(&mut self, master: &AxiLiteMaster, map: &RegisterMap) {
        let mut write = |register: &str, value: u64| {
            let found = map.registers.iter().find(|r| r.name == register).expect("a register");
            master.write(&mut self.bench, found.offset.into(), value).expect("it can be written");
        };
        for (number, t) in settings().iter().enumerate() {
            for (register, value) in ["s_low", "t_low", "t_high", "s_high"].into_iter().zip(t.bits()) {
                write(register, value.into());
            }
            [0, 1].iter().for_each(|store| write("setting", store << 8 | number as u64));
        }
        write("enable", 1);
    }
    fn send(&mut self, packet_: &[u8]) {
        self.bench.send(self.put, packet(packet_, 1));
        self.expected.extend(self.model.answers(packet_));
    }
    fn step(&mut self) {
        self.memory.step(&mut self.bench).unwrap_or_else(|e| panic!("{e}"));
        self.bench.step().unwrap_or_else(|e| panic!("{e}"));
    }
    /// The memory answers with errors at these addresses.
    fn errors(&mut self, errors: Vec<(Range<u64>, Response)>) {
        self.memory.set_model(MemoryModel { errors, ..slow() });
    }
    /// All answers, when so many have come; each says how many vectors came before it.
    fn answers(&mut self, count: usize) -> Vec<Vec<u8>> {
        let end = self.bench.cycle() + 2_000_000;
        loop {
            let found = packet_bytes(self.bench.beats(self.taken));
            let (mut answers, mut vectors) = (vec![], 0);
            for packet in found {
                if packet.len() == 5 {
                    assert_eq!(u16::from_le_bytes([packet[3], packet[4]]), vectors, "{packet:x?}");
                    vectors = 0;
                    answers.push(packet);
                } else {
                    vectors += 1;
                }
            }
            if answers.len() >= count {
                return answers;
            }
            (0..500).for_each(|_| self.step());
            assert!(self.bench.cycle() < end, "{} answers of {count} came", answers.len());
        }
    }
    /// Waits until everything that is expected came.
    fn check(&mut self) {
        let end = self.bench.cycle() + 2_000_000;
        loop {
            let found = packet_bytes(self.bench.beats(self.taken));
            let n = found.len().min(self.expected.len());
            if let Some(i) = (0..n).find(|i| found[*i] != self.expected[*i]) {
                panic!("packet {i}: {:x?}, expected {:x?}", found[i], self.expected[i]);
            }
            if found.len() >= self.expected.len() {
                assert_eq!(found.len(), self.expected.len(), "packets that nobody expects");
                return;
            }
            (0..500).for_each(|_| self.step());
            assert!(self.bench.cycle() < end, "{n} packets of {} came", self.expected.len());
        }
    }
}

fn command(operation: u8, tag: u8, rest: [u8; 7]) -> Vec<u8> {
    [&[operation, tag][..], &rest].concat()
}

fn vector(rng: &mut Rng, elements: usize) -> Vec<u8> {
    let outlier = |rng: &mut Rng| if rng.u8(0..12) == 0 { 8.0 } else { 0.6 };
    (0..elements).flat_map(|_| half::f16::from_f32((rng.f32() - 0.5) * outlier(rng)).to_le_bytes()).collect()
}

/// Mostly right commands of any kind, and what is wrong with some.
fn random_packet(rng: &mut Rng, p: CacheParams) -> Vec<u8> {
    let most = |n: u32, rng: &mut Rng| {
        let beyond = rng.u8(0..20) == 0;
        rng.u8(0..n as u8 + u8::from(beyond))
    };
    let MmuParams { requests, layers, heads, .. } = p.mmu;
    let place = |rng: &mut Rng| {
        let (request, layer, head) = (most(requests, rng), most(layers, rng), most(heads, rng));
        [request, layer, rng.u8(0..2), head]
    };
    let [request, layer, value, head] = place(rng);
    // each group of the model has its setting
    let setting = if rng.u8(0..30) == 0 { rng.u8(4..) } else { (2 * layer + value) & 3 };
    let operation = [0, 1, 1, 2, 3, 3, 3, 3, 3, 3, 3, 3, 4, 4, 4, 5][rng.usize(0..16)];
    let tokens = [0, 0, rng.u8(1..14), rng.u8(..)][rng.usize(0..4)];
    let high = if rng.u8(0..10) == 0 { rng.u8(..) } else { 0 };
    let mut packet = command(operation, rng.u8(..), [request, layer, value, head, tokens, high, setting]);
    let whole = p.vector_bytes() as usize / 2;
    if operation == 3 || rng.u8(0..20) == 0 {
        packet.extend(vector(rng, whole));
    }
    match rng.u8(0..20) {
        0 => packet.truncate(rng.usize(1..=packet.len())),
        1 => {
            let surplus = whole / 2 * rng.usize(1..5);
            packet.extend(vector(rng, surplus));
        }
        _ => {}
    }
    packet
}

#[test]
fn packets_are_answered_as_the_model_answers() {
    let p = params();
    let design = core(p).unwrap_or_else(|e| panic!("{e}"));
    let rounds = if ::sim::bus::long() { 40 } else { 2 };
    let mut engine = jit::simulator(&design);
    for round in 0..rounds {
        let seed = run_seed(round + 1);
        let mut rng = Rng::with_seed(seed);
        let mut rig = Rig::new(&design, &mut engine, p, seed);
        (0..3).for_each(|request| rig.send(&command(1, request, [request, 0, 0, 0, 0, 0, 0])));
        for _ in 0..150 {
            rig.send(&random_packet(&mut rng, p));
        }
        // all of it comes back
        (0..3).for_each(|request| rig.send(&command(2, request, [request, 0, 0, 0, 0, 0, 0])));
        rig.check();
        assert_eq!(rig.bench.engine.peek(design.ports.free), u64::from(p.mmu.pages), "free pages");
        assert_eq!(rig.bench.engine.peek(design.ports.damaged), 0, "histories are whole");
    }
}

/// Opens all requests, and sends so many packets at random.
fn send_some(rig: &mut Rig, rng: &mut Rng, p: CacheParams, packets: usize) {
    (0..p.mmu.requests as u8).for_each(|request| rig.send(&command(1, request, [request, 0, 0, 0, 0, 0, 0])));
    (0..packets).for_each(|_| rig.send(&random_packet(rng, p)));
}

/// Whatever is under way when it comes, everything is as after any reset.
#[test]
fn a_reset_may_come_at_any_time() {
    let p = params();
    let design = core(p).unwrap_or_else(|e| panic!("{e}"));
    let mut engine = jit::simulator(&design);
    for round in 0..if ::sim::bus::long() { 200 } else { 12 } {
        let seed = run_seed(1000 + round);
        let mut rng = Rng::with_seed(seed);
        let mut rig = Rig::new(&design, &mut engine, p, seed);
        send_some(&mut rig, &mut rng, p, 12);
        (0..rng.u32(1..20_000)).for_each(|_| rig.step());
        // the next one resets it
        let mut rig = Rig::new(&design, &mut engine, p, seed);
        send_some(&mut rig, &mut rng, p, 12);
        rig.check();
    }
}

/// A memory that answers with errors at some addresses: each command is answered, and all pages come back.
#[test]
fn errors_of_the_memory_are_told() {
    let p = params();
    let design = core(p).unwrap_or_else(|e| panic!("{e}"));
    let mut engine = jit::simulator(&design);
    let seed = run_seed(7);
    let mut rng = Rng::with_seed(seed);
    let mut rig = Rig::new(&design, &mut engine, p, seed);
    let pages = u64::from(p.mmu.page_bytes);
    rig.errors(vec![(3 * pages..9 * pages, Response::Slave)]);
    send_some(&mut rig, &mut rng, p, 150);
    // the model knows of no errors: of its packets the number of answers is right
    let commands = rig.expected.iter().filter(|packet| packet.len() == 5).count();
    let mut outcomes = [0; 10];
    for answer in rig.answers(commands) {
        outcomes[usize::from(answer[2])] += 1;
    }
    assert!(outcomes[0] > 0 && outcomes[6] > 0 && outcomes[7] == 0, "{outcomes:?}");
    rig.errors(vec![]);
    release_all(&mut rig, &design, p, commands);
}

/// Few pages: an append that might not find enough is refused, and all else goes on.
#[test]
fn too_few_pages_are_told() {
    let p = CacheParams { mmu: MmuParams { pages: 20, ..params().mmu }, ..params() };
    let design = core(p).unwrap_or_else(|e| panic!("{e}"));
    let mut engine = jit::simulator(&design);
    let seed = run_seed(8);
    let mut rng = Rng::with_seed(seed);
    let mut rig = Rig::new(&design, &mut engine, p, seed);
    send_some(&mut rig, &mut rng, p, 100);
    let commands = rig.expected.iter().filter(|packet| packet.len() == 5).count();
    let answers = rig.answers(commands);
    assert!(answers.iter().any(|answer| answer[2] == 5), "no append found too few pages");
    assert!(answers.iter().any(|answer| answer[0] == 3 && answer[2] == 0), "none was done");
    release_all(&mut rig, &design, p, commands);
}

/// Behind so many commands all requests end, and all pages come back.
fn release_all(rig: &mut Rig, design: &Design<CorePorts>, p: CacheParams, commands: usize) {
    for request in 0..p.mmu.requests as u8 {
        rig.bench.send(rig.put, packet(&command(2, 0, [request, 0, 0, 0, 0, 0, 0]), 1));
    }
    // done, or not open: random packets released some
    let released = rig.answers(commands + p.mmu.requests as usize).split_off(commands);
    assert!(released.iter().all(|answer| answer[0] == 2 && [0, 2].contains(&answer[2])), "{released:x?}");
    assert_eq!(rig.bench.engine.peek(design.ports.free), u64::from(p.mmu.pages), "free pages");
}
