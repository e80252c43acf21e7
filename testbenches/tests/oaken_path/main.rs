//! The whole way of keys and values: quantizer, slice splitter, MMU, memory, MMU, slice framer, dequantizer. Requests begin and end,
//! their tokens come mixed, pages are taken again, everything stalls; each head's history comes back bit for bit.
#![allow(missing_docs)]

mod appends;

use fastrand::Rng;
use hdl::engine::Engine;
use hdl::{Bundle, Design, Errors, Module, Signal, Stream, bits, module, ports, stream};
use hw::control::{AxiLite, axi_lite};
use hw::memory::axi::{Axi, AxiParams, axi};
use hw::oaken::mmu::commands::*;
use hw::oaken::mmu::params::*;
use hw::oaken::mmu::unit::unit;
use hw::oaken::slice_framer::slice_framer;
use hw::oaken::slice_splitter::slice_splitter;
use hw::oaken::slices::SliceParams;
use hw::oaken::{EngineParams, dequantizer_axi, quantizer_axi};
use hw::stream::axi_stream::{AxiStream, axi_stream};
use sim::bus::axi4_memory::{Axi4Memory, MemoryModel};
use sim::bus::{AxiLiteMaster, Bench, Sink, Source, Stalls, packet, packet_bytes, seed, span};
use sim::data::{Kind, Recording};
use sim::golden::oaken::{DenseBits, Thresholds};
use sim::oaken_bench::{dequantizer, quantizer, to_bytes};
use std::collections::HashMap;
use std::path::Path;
use testbenches::drivers::there_and_back;

/// Bits of an address of the engines' registers.
const ADDRESS: u32 = 6;

ports! {
    /// From vectors to memory and back.
    struct PathPorts(e: EngineParams, p: MmuParams) {
        input s_axil_quantizer: AxiLite = axi_lite(ADDRESS),
        input s_axil_dequantizer: AxiLite = axi_lite(ADDRESS),
        input s_axis: AxiStream = axi_stream(2 * e.lanes),
        input append: Stream<Append> = stream(append(p)),
        input control: Stream<Control> = stream(control(p)),
        input read: Stream<Read> = stream(read(p)),
        output appended: Stream<Answer> = stream(answer(p)),
        output controlled: Stream<Answer> = stream(answer(p)),
        output done: Stream<ReadAnswer> = stream(read_answer(p)),
        output m_axis: AxiStream = axi_stream(2 * e.lanes),
        output free: Signal = bits(p.count_bits()),
        output m_axi: Axi = axi(p.axi.of_masters(2), p.axi),
    }
}

#[module]
fn path(e: EngineParams, p: MmuParams) -> Result<Design<PathPorts>, Errors> {
    let m = Module::new("path");
    let io = PathPorts::new(m, e, p);
    let slices = SliceParams { tag_bits: 0, ..p.slice_params("path", e)? };
    let quantizer = m.instance(&quantizer_axi("quantizer", e)?);
    let splitter = m.instance(&slice_splitter("splitter", p.heads, slices)?);
    let mmu = m.instance(&unit("mmu", p)?);
    let framer = m.instance(&slice_framer("framer", slices)?);
    let dequantizer = m.instance(&dequantizer_axi("dequantizer", e)?);
    quantizer.s_axil.set(io.s_axil_quantizer);
    dequantizer.s_axil.set(io.s_axil_dequantizer);
    quantizer.s_axis.set(io.s_axis);
    splitter.s_axis_dense.set(quantizer.m_axis_dense);
    splitter.s_axis_sparse.set(quantizer.m_axis_sparse);
    mmu.slice.set(splitter.slice);
    mmu.s_axis.set(splitter.m_axis);
    mmu.base.set(0x100);
    mmu.append.set(io.append);
    mmu.control.set(io.control);
    mmu.read.set(io.read);
    io.appended.set(mmu.appended);
    io.controlled.set(mmu.controlled);
    io.done.set(mmu.done);
    io.free.set(mmu.free);
    io.m_axi.set(mmu.m_axi);
    mmu.enough.set(framer.enough_sparse);
    framer.history.set(mmu.history.with(History { tokens: mmu.history.payload.tokens.zext(16), tag: None }));
    framer.s_axis_dense.set(mmu.m_axis_dense);
    framer.s_axis_sparse.set(mmu.m_axis_sparse);
    framer.enough_dense.unused();
    dequantizer.s_axis_dense.set(framer.m_axis_dense);
    dequantizer.s_axis_sparse.set(framer.m_axis_sparse);
    m.assert(!framer.ended_early & !framer.count_error, "histories are whole");
    io.m_axis.set(dequantizer.m_axis);
    m.finish(io)
}

/// Request, layer, 1 for values.
type Group = [u64; 3];

/// What runs, and what it holds.
struct Rig<'e> {
    bench: Bench<'e>,
    memory: Axi4Memory,
    elements: Source,
    commands: [Source; 3],
    answers: [Sink; 3],
    back: Sink,
    /// For each group the vectors as they come back, token by token.
    model: HashMap<Group, Vec<Vec<u16>>>,
    expected: Vec<Vec<u8>>,
    sent: [usize; 3],
}

impl Rig<'_> {
    fn step(&mut self) {
        self.memory.step(&mut self.bench).unwrap_or_else(|e| panic!("{e}"));
        self.bench.step().unwrap_or_else(|e| panic!("{e}"));
    }
    /// Waits until so many commands of a kind were answered; all must be okay.
    fn answered(&mut self, kind: usize) {
        let end = self.bench.cycle() + 3_000_000;
        while self.bench.beats(self.answers[kind]).len() < self.sent[kind] {
            self.step();
            assert!(self.bench.cycle() < end, "commands of kind {kind} are not answered");
        }
        assert!(self.bench.beats(self.answers[kind]).iter().all(|beat| beat.field(1) == 0));
    }
    fn control(&mut self, release: bool, request: u64) {
        self.bench.send(self.commands[1], [[release.into(), request, 0]]);
        self.sent[1] += 1;
        self.answered(1);
        if release {
            self.model.retain(|group, _| group[0] != request);
        }
    }
    /// Appends a vector; an empty one comes with the one before.
    fn append(&mut self, group: Group, vector: &[u16], decoded: Vec<u16>, lanes: u32) {
        self.bench.send(self.commands[0], [[group[0], group[1], group[2], 0]]);
        if !vector.is_empty() {
            self.bench.send(self.elements, packet(&to_bytes(vector), 2 * lanes as usize));
        }
        self.model.entry(group).or_default().push(decoded);
        self.sent[0] += 1;
    }
    /// Asks for the first tokens (0: all) of a head.
    fn read(&mut self, group: Group, head: u64, tokens: u64, elements: usize) {
        self.bench.send(self.commands[2], [[group[0], group[1], group[2], head, tokens, 0]]);
        self.sent[2] += 1;
        let history = &self.model[&group];
        let n = if tokens == 0 { history.len() } else { history.len().min(tokens as usize) };
        let at = head as usize * elements;
        self.expected.extend(history[..n].iter().map(|vector| to_bytes(&vector[at..at + elements])));
    }
    /// All histories that were asked for came, and are right.
    fn check(&mut self, elements: usize, lanes: u32) {
        self.answered(2);
        let beats = self.expected.len() * elements / lanes as usize;
        let end = self.bench.cycle() + 3_000_000;
        while self.bench.beats(self.back).len() < beats {
            self.step();
            assert!(self.bench.cycle() < end, "{} of {beats} beats came back", self.bench.beats(self.back).len());
        }
        assert_eq!(packet_bytes(self.bench.beats(self.back)), self.expected);
    }
}

fn recording(name: &str) -> Recording {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../data/{name}.safetensors"));
    Recording::read(file).unwrap_or_else(|e| panic!("{e}"))
}

const ENGINE: EngineParams = EngineParams { lanes: 16, max_length: 384, dense_bits: 4, settings: 1 };

fn params(heads: u32, head_elements: u32) -> MmuParams {
    MmuParams {
        axi: AxiParams { data_bytes: 8, address_bits: 32, id_bits: 0 },
        page_bytes: 1024,
        pages: 300,
        requests: 3,
        layers: 2,
        heads,
        head_elements,
        key_bits: 4,
        value_bits: 4,
        tokens: 64,
        tag_bits: 1,
        outstanding: 4,
    }
}

/// Thresholds that make about a tenth of such elements outliers.
fn thresholds(vectors: &[&[u16]]) -> Thresholds {
    let mut elements: Vec<f32> =
        vectors.iter().flat_map(|v| v.iter().map(|x| half::f16::from_bits(*x).to_f32())).collect();
    elements.sort_by(f32::total_cmp);
    let at = |share: f32| elements[(share * (elements.len() - 1) as f32) as usize];
    let mut near: Vec<f32> = elements.iter().map(|x| x.abs()).collect();
    near.sort_by(f32::total_cmp);
    let inner = near[near.len() * 6 / 100];
    Thresholds::from_f32(at(0.02).min(-inner), -inner, inner, at(0.98).max(inner)).unwrap_or_else(|e| panic!("{e}"))
}

/// Resets everything and tells both engines lengths and thresholds. Gives what reads the quantizer's and the dequantizer's errors.
fn set_up(
    rig: &mut Rig,
    (design, engine): (&Design<PathPorts>, EngineParams),
    lengths: [usize; 2],
    t: &Thresholds,
) -> [(AxiLiteMaster, u64); 2] {
    let engines = "legal parameters";
    let (q, d) = (quantizer("quantizer", engine).expect(engines), dequantizer("dequantizer", engine).expect(engines));
    let (of_q, of_d) = (axil(&mut rig.bench, design, true), axil(&mut rig.bench, design, false));
    rig.bench.reset().unwrap_or_else(|e| panic!("{e}"));
    q.set_up(&mut rig.bench, &of_q, lengths[0], t).expect("answers");
    d.set_up(&mut rig.bench, &of_d, lengths[1], t).expect("answers");
    [(of_q, q.address("errors")), (of_d, d.address("errors"))]
}

/// With `KVFORGE_LONG=1`, ten million elements.
#[test]
fn real_keys_and_values_come_back_by_head() {
    let (parts, rounds) = if sim::bus::long() { (32, 30) } else { (1, 3) };
    let recording = recording("smollm2_run");
    let design = path(ENGINE, params(3, 64)).unwrap_or_else(|e| panic!("{e}"));
    let of = |layer: u32| {
        [Kind::Key, Kind::Value].map(|kind| recording.tensor(layer, kind).expect("recorded").vectors().collect())
    };
    let vectors: Vec<Vec<&[u16]>> = [0, 15].into_iter().flat_map(of).collect();
    let t = thresholds(&vectors.concat());
    let mut engine = jit::simulator(&design);
    let (mut there, mut back) = (0, 0);
    for part in 0..parts {
        let seed = seed(part + 1);
        let mut rng = Rng::with_seed(seed);
        let mut rig = rig(&design, &mut engine, slow(Stalls::Percent(25)), seed);
        set_up(&mut rig, (&design, ENGINE), [192, 64], &t);
        (0..3).for_each(|request| rig.control(false, request));
        for round in 0..rounds {
            fill(&mut rig, &mut rng, &vectors, &t);
            let mut groups: Vec<Group> = rig.model.keys().copied().collect();
            groups.sort_unstable();
            for group in groups {
                (0..3).for_each(|head| rig.read(group, head, if rng.bool() { 0 } else { rng.u64(1..20) }, 64));
            }
            rig.check(64, ENGINE.lanes);
            rig.control(true, round % 3);
            rig.control(false, round % 3);
        }
        (0..3).for_each(|request| rig.control(true, request));
        assert_eq!(rig.bench.engine.peek(design.ports.free), 300);
        there += 192 * rig.sent[0];
        back += 64 * rig.expected.len();
    }
    println!("{there} elements there, {back} back");
}

/// Appends tokens to groups at random.
fn fill(rig: &mut Rig, rng: &mut Rng, vectors: &[Vec<&[u16]>], t: &Thresholds) {
    for _ in 0..60 {
        let group = [rng.u64(0..3), rng.u64(0..2), rng.u64(0..2)];
        if rig.model.get(&group).is_none_or(|history| history.len() < 64) {
            let list = &vectors[(2 * group[1] + group[2]) as usize];
            let vector = list[rng.usize(0..list.len())];
            rig.append(group, vector, there_and_back(vector, DenseBits::PAPER, t), ENGINE.lanes);
        }
    }
    rig.answered(0);
}

/// A vector that ends early is filled with zeros, the surplus of one that ends late is dropped, and zeros stand for a vector whose
/// predecessor lost its `tlast`: each is flagged, and all others come back bit for bit.
#[test]
fn a_vector_with_a_wrong_end_harms_no_other() {
    let recording = recording("smollm2_run");
    let vectors: Vec<&[u16]> = recording.tensor(0, Kind::Key).expect("recorded").vectors().collect();
    let t = thresholds(&vectors);
    let design = path(ENGINE, params(3, 64)).unwrap_or_else(|e| panic!("{e}"));
    let mut engine = jit::simulator(&design);
    let zeros = there_and_back(&[0; 192], DenseBits::PAPER, &t);
    let early = [&vectors[5][..96], &[0; 96]].concat();
    for (what, sent, flag) in [("early", 96, 1), ("late", 192 + 32, 2), ("lost tlast", 2 * 192, 2)] {
        let mut rig = rig(&design, &mut engine, slow(Stalls::Percent(25)), seed(1));
        let registers = set_up(&mut rig, (&design, ENGINE), [192, 64], &t);
        rig.control(false, 0);
        let packet = [vectors[5], vectors[6]].concat();
        for (i, vector) in vectors[..20].iter().enumerate() {
            let group = [0, i as u64 % 2, 0];
            match i {
                5 if sent < 192 => {
                    rig.append(group, &packet[..sent], there_and_back(&early, DenseBits::PAPER, &t), ENGINE.lanes)
                }
                5 => rig.append(group, &packet[..sent], there_and_back(vector, DenseBits::PAPER, &t), ENGINE.lanes),
                6 if sent == 2 * 192 => rig.append(group, &[], zeros.clone(), ENGINE.lanes),
                _ => rig.append(group, vector, there_and_back(vector, DenseBits::PAPER, &t), ENGINE.lanes),
            }
        }
        rig.answered(0);
        (0..6).for_each(|i| rig.read([0, i / 3, 0], i % 3, 0, 64));
        rig.check(64, ENGINE.lanes);
        let errors = registers.map(|(axil, errors)| axil.read(&mut rig.bench, errors).expect("answers").1);
        assert_eq!(errors, [flag, 0], "{what}: flags of quantizer and dequantizer");
    }
}

/// 1024 tokens of a head through a dequantizer with 16 lanes keep a bus of 64 bits busy, with a memory of 40 cycles.
#[test]
fn a_history_fills_the_bus() {
    let recording = recording("minilm");
    let vectors: Vec<&[u16]> = recording.tensors[0].vectors().collect();
    let t = thresholds(&vectors);
    for (heads, head_elements) in [(3, 128), (6, 64)] {
        let p = MmuParams { tokens: 1024, page_bytes: 4096, ..params(heads, head_elements) };
        let design = path(ENGINE, p).unwrap_or_else(|e| panic!("{e}"));
        let mut engine = jit::simulator(&design);
        let model = MemoryModel { latency: 40, outstanding: 32, ..MemoryModel::default() };
        let mut rig = rig(&design, &mut engine, (Stalls::Never, model), 1);
        set_up(&mut rig, (&design, ENGINE), [384, head_elements as usize], &t);
        rig.control(false, 0);
        for i in 0..1024 {
            let vector = vectors[i % vectors.len()];
            rig.append([0, 0, 0], vector, there_and_back(vector, DenseBits::PAPER, &t), ENGINE.lanes);
        }
        rig.answered(0);
        let before = rig.memory.requests.len();
        rig.read([0, 0, 0], 1, 0, head_elements as usize);
        rig.check(head_elements as usize, ENGINE.lanes);
        let beats = rig.memory.read_at(&rig.bench, 0);
        let asked: u64 = rig.memory.requests[before..].iter().map(|(_, request)| request.beats()).sum();
        assert_eq!(beats.len() as u64, asked);
        let cycles = span(beats);
        let each = cycles as f64 / 1024.0;
        println!("heads of {head_elements}: {asked} beats in {cycles} cycles, {each:.2} cycles a token");
        assert_eq!(cycles, asked, "heads of {head_elements}: every cycle has data");
    }
}

/// A memory that stalls, is late and mixes bursts.
fn slow(stalls: Stalls) -> (Stalls, MemoryModel) {
    let model = MemoryModel {
        latency: 12,
        jitter: 10,
        taking: stalls,
        giving: stalls,
        reorders: true,
        ..MemoryModel::default()
    };
    (stalls, model)
}

fn rig<'e>(
    design: &Design<PathPorts>,
    engine: &'e mut dyn Engine,
    (stalls, model): (Stalls, MemoryModel),
    seed: u64,
) -> Rig<'e> {
    let io = &design.ports;
    let mut bench = Bench::new(engine, seed);
    let mut memory = Axi4Memory::new(model, seed);
    memory.read_port(&mut bench, design, &io.m_axi);
    memory.write_port(&mut bench, design, &io.m_axi);
    let elements = bench.source(design, &io.s_axis, stalls);
    let commands = [
        bench.source(design, &io.append, stalls),
        bench.source(design, &io.control, stalls),
        bench.source(design, &io.read, stalls),
    ];
    let answers = [
        bench.sink(design, &io.appended, stalls),
        bench.sink(design, &io.controlled, stalls),
        bench.sink(design, &io.done, stalls),
    ];
    let back = bench.sink(design, &io.m_axis, stalls);
    let (model, expected, sent) = Default::default();
    Rig { bench, memory, elements, commands, answers, back, model, expected, sent }
}

fn axil(bench: &mut Bench, design: &Design<PathPorts>, quantizer: bool) -> AxiLiteMaster {
    let port = if quantizer { &design.ports.s_axil_quantizer } else { &design.ports.s_axil_dequantizer };
    AxiLiteMaster::new(bench, design, port, Stalls::Never)
}
