use super::super::types::EngineParams;
use super::*;
use ::sim::bus::{Beat as SentBeat, Bench, Sink, Source, Stalls, packet, packet_bytes, seed};
use ::sim::golden::slices::{Parts, Shape, any_count, history, tenth};
use fastrand::Rng;
use hdl::engine::Engine;

fn params(lanes: u32, bits: u32, head: u32, bus_bytes: u32) -> SliceParams {
    let engine = EngineParams { lanes, max_length: 512, dense_bits: bits, settings: 1 };
    // a number goes with the histories in every other one
    SliceParams { engine, head_elements: head, bus_bytes, tag_bits: if lanes == 16 { 6 } else { 0 } }
}

/// Of a slice.
fn shape(p: SliceParams) -> Shape {
    Shape { heads: 1, chunks: p.chunks() as usize, bits: p.engine.dense_bits as usize }
}

fn build(p: SliceParams) -> Design<SliceFramerPorts> {
    slice_framer("framer", p).unwrap_or_else(|e| panic!("{e}"))
}

/// The packets of a history, and how many slices are wanted of it.
struct Sent {
    parts: Parts,
    tokens: usize,
    /// Reading failed.
    failed: [bool; 2],
}

fn with_user(bytes: &[u8], beat: u32, failed: bool) -> Vec<SentBeat> {
    let mut beats = if bytes.is_empty() { vec![SentBeat::from([0, 0, 1])] } else { packet(bytes, beat as usize) };
    if failed && !bytes.is_empty() && bytes.len().is_multiple_of(beat as usize) {
        // the packet ends without bytes, as that of the burst reader does
        beats.last_mut().expect("a beat").0[2] = 0u32.into();
        beats.push(SentBeat::from([0, 0, 1]));
    }
    let count = beats.len();
    beats.iter_mut().enumerate().for_each(|(i, x)| x.0.push(u32::from(failed && i + 1 == count).into()));
    beats
}

/// A framer with what is around it.
struct Around<'e> {
    bench: Bench<'e>,
    inputs: [Source; 2],
    histories: Source,
    outputs: [Sink; 2],
    flags: [usize; 4],
    seen: [u64; 4],
    /// What goes with each record.
    users: Vec<u64>,
    p: SliceParams,
}

impl<'e> Around<'e> {
    /// Stalls of dense and sparse input, dense and sparse output.
    fn new(
        engine: &'e mut dyn Engine,
        design: &Design<SliceFramerPorts>,
        p: SliceParams,
        stalls: [Stalls; 4],
        seed: u64,
    ) -> Around<'e> {
        let io = &design.ports;
        let mut bench = Bench::new(engine, seed);
        let inputs =
            [bench.source(design, &io.s_axis_dense, stalls[0]), bench.source(design, &io.s_axis_sparse, stalls[1])];
        let outputs =
            [bench.sink(design, &io.m_axis_dense, stalls[2]), bench.sink(design, &io.m_axis_sparse, stalls[3])];
        let histories = bench.source(design, &io.history, stalls[0]);
        let flags =
            [io.ended_early, io.count_error, io.enough_dense, io.enough_sparse].map(|x| design.port_index(x).unwrap());
        bench.reset().unwrap_or_else(|e| panic!("{e}"));
        Around { bench, inputs, histories, outputs, flags, seen: [0; 4], users: vec![], p }
    }
    fn send(&mut self, x: &Sent) {
        let user = (7 * self.users.len() as u64 + 1) % 64;
        self.users.extend(vec![user; x.tokens]);
        match self.p.tag_bits {
            0 => self.bench.send(self.histories, [[x.tokens as u64]]),
            _ => self.bench.send(self.histories, [[x.tokens as u64, user]]),
        }
        for (i, part) in [&x.parts.dense, &x.parts.sparse].into_iter().enumerate() {
            self.bench.send(self.inputs[i], with_user(part, self.p.bus_bytes, x.failed[i]));
        }
    }
    fn step(&mut self) {
        self.bench.step().unwrap_or_else(|e| panic!("{:?}: {e}", self.p));
        for (flag, seen) in self.flags.iter().zip(&mut self.seen) {
            *seen += self.bench.engine.peek(*flag);
        }
    }
    /// Until all is there; and nothing else comes.
    fn check(&mut self, expected: &[Parts]) {
        let bytes: [Vec<Vec<u8>>; 2] =
            [expected.iter().map(|x| x.dense.clone()).collect(), expected.iter().map(|x| x.sparse.clone()).collect()];
        let width = [self.p.engine.dense_bytes() as usize, self.p.engine.sparse_bytes() as usize];
        let beats = |i: usize| bytes[i].iter().map(|part| part.len().div_ceil(width[i])).sum::<usize>();
        let wanted = [beats(0), beats(1)];
        let limit = self.bench.cycle() + 2000 + 40 * wanted.iter().sum::<usize>() as u64;
        let unsent = |x: &Self| x.inputs.iter().map(|s| x.bench.unsent(*s)).sum::<usize>();
        while (0..2).any(|i| self.bench.beats(self.outputs[i]).len() < wanted[i]) || unsent(self) > 0 {
            assert!(self.bench.cycle() < limit, "{:?}: not all came", self.p);
            self.step();
        }
        (0..60).for_each(|_| self.step());
        for i in 0..2 {
            let (got, users) = without_user(self.bench.beats(self.outputs[i]));
            assert_eq!((got.len(), packet_bytes(&got)), (wanted[i], bytes[i].clone()), "{:?}, part {i}", self.p);
            assert!(users.is_empty() || users == self.users, "{:?}: {users:?} and {:?}", self.p, self.users);
        }
        assert_eq!(self.bench.unsent(self.histories), 0);
    }
}

/// Beats without what goes with their packets; and that, for each packet.
fn without_user(beats: &[SentBeat]) -> (Vec<SentBeat>, Vec<u64>) {
    let mut users: Vec<u64> = vec![];
    let mut begins = true;
    for beat in beats.iter().filter(|beat| beat.0.len() > 3) {
        match begins {
            true => users.push(beat.field(3)),
            false => assert_eq!(users.last(), Some(&beat.field(3)), "it changes within a record"),
        }
        begins = beat.field(2) == 1;
    }
    (beats.iter().map(|beat| SentBeat(beat.0[..3].to_vec())).collect(), users)
}

const STALLS: [[Stalls; 4]; 5] = [
    [Stalls::Never; 4],
    [Stalls::Percent(20), Stalls::Percent(60), Stalls::Percent(30), Stalls::Percent(50)],
    [Stalls::Runs(30), Stalls::Never, Stalls::Never, Stalls::Runs(20)],
    [Stalls::Never, Stalls::Runs(40), Stalls::Runs(30), Stalls::Never],
    [Stalls::Never, Stalls::Never, Stalls::Percent(80), Stalls::Percent(80)],
];

/// Lanes, bits of a code, elements of a head, bytes of the bus.
const SIZES: [[u32; 4]; 11] = [
    [16, 4, 128, 8],
    [16, 4, 64, 8],
    [16, 4, 128, 16],
    [16, 4, 64, 64],
    [1, 4, 64, 8],
    [4, 3, 128, 32],
    [16, 5, 64, 16],
    [8, 6, 192, 32],
    [64, 4, 128, 64],
    [64, 5, 64, 8],
    [2, 6, 512, 64],
];

#[test]
fn histories_become_records() {
    for (i, [lanes, bits, head, bus]) in SIZES.into_iter().enumerate() {
        let p = params(lanes, bits, head, bus);
        let design = build(p);
        for (round, stalls) in STALLS.into_iter().enumerate() {
            let seed = seed((10 * i + round) as u64);
            let mut rng = Rng::with_seed(seed);
            let mut engine = jit::simulator(&design);
            let mut around = Around::new(&mut engine, &design, p, stalls, seed);
            let mut expected = vec![];
            for _ in 0..5 {
                let slices: Vec<Parts> = (0..rng.usize(1..8)).map(|_| shape(p).record(&mut rng, any_count)).collect();
                around.send(&Sent { parts: history(&slices), tokens: slices.len(), failed: [false; 2] });
                expected.extend(slices);
            }
            around.check(&expected);
            assert_eq!(around.seen, [0; 4], "{p:?}");
        }
    }
}

/// Once the last word of a history is taken, `enough` is that of the next one: a reader that stops by it would cut the next one short.
#[test]
fn enough_is_not_said_of_the_next_history() {
    for [lanes, bits, head, bus] in SIZES {
        let p = params(lanes, bits, head, bus);
        let design = build(p);
        let mut engine = jit::simulator(&design);
        let mut rng = Rng::with_seed(seed(7));
        let mut around = Around::new(&mut engine, &design, p, [Stalls::Never; 4], 7);
        let slices: Vec<Parts> = (0..12).map(|_| shape(p).record(&mut rng, any_count)).collect();
        around.send(&Sent { parts: history(&slices), tokens: 1, failed: [false; 2] });
        let beats = around.inputs.map(|s| around.bench.unsent(s));
        around.send(&Sent { parts: history(&slices), tokens: slices.len(), failed: [false; 2] });
        let mut enough = [vec![], vec![]];
        while around.inputs.iter().any(|s| around.bench.unsent(*s) > 0) {
            around.step();
            for (i, cycles) in enough.iter_mut().enumerate() {
                if around.bench.engine.peek_u64(around.flags[2 + i]) == 1 {
                    cycles.push(around.bench.cycle());
                }
            }
        }
        for (i, cycles) in enough.into_iter().enumerate() {
            let last = around.bench.sent_at(around.inputs[i])[beats[i] - 1];
            let late: Vec<u64> = cycles.iter().copied().filter(|cycle| *cycle > last).collect();
            assert!(late.is_empty() && !cycles.is_empty(), "{p:?}, part {i}: in {late:?}, `tlast` is taken in {last}");
        }
    }
}

/// A history with more slices than are wanted, or fewer, or none, or with a wrong count.
fn wrong(rng: &mut Rng, shape: Shape) -> Sent {
    let slices: Vec<Parts> = (0..rng.usize(0..6)).map(|_| shape.record(rng, any_count)).collect();
    let mut x = Sent { parts: history(&slices), tokens: rng.usize(0..6), failed: [false; 2] };
    match rng.u8(0..5) {
        0 => {
            x.parts.dense.truncate(rng.usize(0..=x.parts.dense.len()));
            x.failed[0] = true;
        }
        1 => {
            x.parts.sparse.truncate(rng.usize(0..=x.parts.sparse.len()));
            x.failed[1] = true;
        }
        2 if !slices.is_empty() => x.parts.sparse[8] = rng.u8(65..),
        _ => (),
    }
    x
}

#[test]
fn a_history_that_is_wrong_gives_as_many_records_and_the_next_one_is_right() {
    for (i, [lanes, bits, head, bus]) in SIZES.into_iter().enumerate() {
        let p = params(lanes, bits, head, bus);
        let design = build(p);
        let mut seen = [0; 4];
        for (round, stalls) in STALLS.into_iter().enumerate() {
            let seed = seed((500 + 10 * i + round) as u64);
            let mut rng = Rng::with_seed(seed);
            let mut engine = jit::simulator(&design);
            let mut around = Around::new(&mut engine, &design, p, stalls, seed);
            let mut expected = vec![];
            for _ in 0..12 {
                let x = wrong(&mut rng, shape(p));
                let (slices, missing, count) = shape(p).frame(&x.parts, x.tokens);
                let before = around.seen;
                around.send(&x);
                expected.extend(slices);
                around.check(&expected);
                let early = around.seen[0] - before[0];
                let told = missing || (early > 0 && x.failed != [false; 2]);
                assert_eq!((early > 0, around.seen[1] - before[1]), (told, count.into()), "{p:?}");
            }
            seen.iter_mut().zip(around.seen).for_each(|(sum, seen)| *sum += seen);
        }
        assert!(seen.iter().all(|seen| *seen > 0), "{p:?}: {seen:?}");
    }
}

/// Cycles and beats of the bus for each slice, when the bus waits for nobody.
fn cycles_of_a_slice(head: u32, count: fn(&mut Rng) -> usize) -> (f64, f64) {
    let p = params(16, 4, head, 8);
    let design = build(p);
    let mut rng = Rng::with_seed(seed(5));
    let slices: Vec<Parts> = (0..200).map(|_| shape(p).record(&mut rng, count)).collect();
    let mut engine = jit::simulator(&design);
    let mut around = Around::new(&mut engine, &design, p, [Stalls::Never; 4], 1);
    let parts = history(&slices);
    let beats = (parts.dense.len() + parts.sparse.len()) as f64 / 8.0;
    around.send(&Sent { parts, tokens: slices.len(), failed: [false; 2] });
    around.check(&slices);
    let cycles = |i: usize| {
        let at = around.bench.sent_at(around.inputs[i]);
        at[at.len() - 1] - at[0]
    };
    (cycles(0).max(cycles(1)) as f64 / 200.0, beats / 200.0)
}

/// One bus of 64 bits brings both parts: the framer must not need more cycles than the bus has beats.
#[test]
fn the_framer_keeps_a_bus_of_64_bits_busy() {
    let none: fn(&mut Rng) -> usize = |_| 0;
    for (name, count) in
        [("none", none), ("a tenth", tenth), ("a fifth", |rng| tenth(rng) + tenth(rng)), ("all", |_| 64)]
    {
        for head in [64, 128] {
            let (cycles, beats) = cycles_of_a_slice(head, count);
            println!("outliers: {name}, heads of {head}: {cycles:.2} cycles and {beats:.2} beats for each slice");
            assert!(cycles <= beats / 0.98, "{name}, heads of {head}: {cycles} cycles, {beats} beats");
        }
    }
}

/// What the splitter makes of records, head by head, comes back as the slices of these records.
#[test]
fn slices_of_the_splitter_come_back() {
    let heads = 3;
    for (lanes, bits, head, bus) in [(16, 4, 128, 8), (16, 4, 64, 16), (8, 5, 64, 32)] {
        let mut p = params(lanes, bits, head, bus);
        p.engine.max_length = heads * head;
        let records = Shape { heads: heads as usize, ..shape(p) };
        let mut rng = Rng::with_seed(seed(6));
        let sent: Vec<Parts> = (0..5).map(|_| records.record(&mut rng, any_count)).collect();
        let packets = split(heads, p, &sent);
        let design = build(p);
        let mut engine = jit::simulator(&design);
        let mut around = Around::new(&mut engine, &design, p, [Stalls::Never; 4], 1);
        let mut expected = vec![];
        for of_head in 0..heads as usize {
            let at = |record: usize, part: usize| packets[2 * (heads as usize * record + of_head) + part].clone();
            let slices: Vec<Parts> = (0..5).map(|i| Parts { sparse: at(i, 0), dense: at(i, 1) }).collect();
            around.send(&Sent { parts: history(&slices), tokens: 5, failed: [false; 2] });
            expected.extend(sent.iter().map(|record| records.cut(record).0[of_head].clone()));
        }
        around.check(&expected);
    }
}

/// The packets that the splitter makes of records.
fn split(heads: u32, p: SliceParams, records: &[Parts]) -> Vec<Vec<u8>> {
    let design = super::super::slice_splitter("splitter", heads, p).unwrap_or_else(|e| panic!("{e}"));
    let mut engine = jit::simulator(&design);
    let mut bench = Bench::new(&mut engine, seed(1));
    let dense = bench.source(&design, &design.ports.s_axis_dense, Stalls::Never);
    let sparse = bench.source(&design, &design.ports.s_axis_sparse, Stalls::Never);
    let data = bench.sink(&design, &design.ports.m_axis, Stalls::Never);
    let items = bench.sink(&design, &design.ports.slice, Stalls::Never);
    bench.reset().unwrap_or_else(|e| panic!("{e}"));
    for record in records {
        bench.send(dense, packet(&record.dense, p.engine.dense_bytes() as usize));
        bench.send(sparse, packet(&record.sparse, p.engine.sparse_bytes() as usize));
    }
    bench.run(5000).unwrap_or_else(|e| panic!("{e}"));
    let packets = packet_bytes(bench.beats(data));
    assert_eq!(packets.len(), 2 * heads as usize * records.len());
    assert_eq!(packets.len(), bench.beats(items).len());
    packets
}
