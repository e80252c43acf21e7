use super::super::types::EngineParams;
use super::*;
use ::sim::bus::{Beat as SentBeat, Bench, Sink, Source, Stalls, packet, packet_bytes, seed};
use ::sim::golden::slices::{Parts, Shape, any_count, damage, tenth};
use fastrand::Rng;
use hdl::engine::Engine;

fn params(lanes: u32, bits: u32, heads: u32, head: u32, bus_bytes: u32) -> SliceParams {
    let engine = EngineParams { lanes, max_length: heads * head, dense_bits: bits, settings: 1 };
    SliceParams { engine, head_elements: head, bus_bytes, tag_bits: 0 }
}

fn shape(p: SliceParams, heads: u32) -> Shape {
    Shape { heads: heads as usize, chunks: p.chunks() as usize, bits: p.engine.dense_bits as usize }
}

fn build(heads: u32, p: SliceParams) -> Design<SliceSplitterPorts> {
    slice_splitter("splitter", heads, p).unwrap_or_else(|e| panic!("{e}"))
}

/// A splitter with what is around it.
struct Around<'e> {
    bench: Bench<'e>,
    dense: Source,
    sparse: Source,
    data: Sink,
    items: Sink,
    p: SliceParams,
}

impl<'e> Around<'e> {
    fn new(
        engine: &'e mut dyn Engine,
        design: &Design<SliceSplitterPorts>,
        p: SliceParams,
        stalls: [Stalls; 4],
        seed: u64,
    ) -> Around<'e> {
        let io = &design.ports;
        let mut bench = Bench::new(engine, seed);
        let dense = bench.source(design, &io.s_axis_dense, stalls[0]);
        let sparse = bench.source(design, &io.s_axis_sparse, stalls[1]);
        let data = bench.sink(design, &io.m_axis, stalls[2]);
        let items = bench.sink(design, &io.slice, stalls[3]);
        bench.reset().unwrap_or_else(|e| panic!("{e}"));
        Around { bench, dense, sparse, data, items, p }
    }
    fn send(&mut self, records: &[Parts]) {
        let engine = self.p.engine;
        for record in records {
            self.bench.send(self.dense, packet(&record.dense, engine.dense_bytes() as usize));
            self.bench.send(self.sparse, packet(&record.sparse, engine.sparse_bytes() as usize));
        }
    }
    /// What must come is there, and nothing else.
    fn check(&mut self, records: &[Parts], heads: u32) {
        let (beats, items) = self.expected(records, heads);
        let limit = 500 + 20 * beats.len() as u64 + 200 * records.len() as u64;
        let (p, result) = (self.p, self.bench.run_until_received(self.data, beats.len(), limit));
        result.unwrap_or_else(|e| panic!("{p:?}: {e}"));
        self.bench.run(60).unwrap_or_else(|e| panic!("{p:?}: {e}"));
        assert_eq!(self.bench.beats(self.items), items, "{p:?}");
        assert_eq!(self.bench.beats(self.data), beats, "{p:?}");
        assert_eq!(self.bench.unsent(self.dense) + self.bench.unsent(self.sparse), 0, "{p:?}");
    }
    /// Beats of the bus, in which bytes that are not kept are 0, and items.
    fn expected(&self, records: &[Parts], heads: u32) -> (Vec<SentBeat>, Vec<SentBeat>) {
        let (mut beats, mut items) = (vec![], vec![]);
        for record in records {
            let (slices, wrong) = shape(self.p, heads).cut(record);
            for (i, slice) in slices.iter().enumerate() {
                let last = i + 1 == slices.len();
                for (part, last) in [(&slice.sparse, false), (&slice.dense, last)] {
                    beats.extend(packet(part, self.p.bus_bytes as usize));
                    items.push(SentBeat::from([part.len() as u64, last.into(), (last && wrong).into()]));
                }
            }
        }
        (beats, items)
    }
}

const STALLS: [[Stalls; 4]; 5] = [
    [Stalls::Never; 4],
    [Stalls::Percent(20), Stalls::Percent(60), Stalls::Percent(30), Stalls::Percent(50)],
    [Stalls::Runs(30), Stalls::Never, Stalls::Never, Stalls::Runs(20)],
    [Stalls::Never, Stalls::Runs(40), Stalls::Runs(30), Stalls::Never],
    [Stalls::Never, Stalls::Never, Stalls::Percent(80), Stalls::Never],
];

/// Lanes, bits of a code, heads, elements of a head, bytes of the bus.
const SIZES: [[u32; 5]; 14] = [
    [16, 4, 4, 128, 16],
    [16, 4, 4, 128, 8],
    [16, 4, 3, 64, 64],
    [16, 4, 2, 64, 32],
    [1, 4, 2, 64, 8],
    [4, 3, 3, 64, 16],
    [16, 5, 3, 64, 16],
    [16, 5, 2, 128, 64],
    [8, 6, 2, 192, 32],
    [64, 4, 2, 128, 64],
    [64, 5, 3, 64, 8],
    [32, 3, 1, 64, 16],
    [2, 6, 1, 128, 64],
    [16, 4, 64, 64, 16],
];

#[test]
fn records_become_slices() {
    for (i, [lanes, bits, heads, head, bus]) in SIZES.into_iter().enumerate() {
        let p = params(lanes, bits, heads, head, bus);
        let design = build(heads, p);
        for (round, stalls) in STALLS.into_iter().enumerate() {
            let seed = seed((10 * i + round) as u64);
            let mut rng = Rng::with_seed(seed);
            let records: Vec<Parts> = (0..6).map(|_| shape(p, heads).record(&mut rng, any_count)).collect();
            let mut engine = jit::simulator(&design);
            let mut around = Around::new(&mut engine, &design, p, stalls, seed);
            around.send(&records);
            around.check(&records, heads);
        }
    }
}

#[test]
fn records_that_are_wrong_give_as_many_packets_and_the_next_ones_are_right() {
    for (i, [lanes, bits, heads, head, bus]) in SIZES[..13].iter().copied().enumerate() {
        let p = params(lanes, bits, heads, head, bus);
        let design = build(heads, p);
        let mut wrong = 0;
        for (round, stalls) in STALLS.into_iter().enumerate() {
            let seed = seed((1000 + 10 * i + round) as u64);
            let mut rng = Rng::with_seed(seed);
            let mut records: Vec<Parts> = (0..16).map(|_| shape(p, heads).record(&mut rng, any_count)).collect();
            for record in &mut records {
                match rng.u8(0..4) {
                    0 => damage(&mut rng, &mut record.sparse),
                    1 => damage(&mut rng, &mut record.dense),
                    _ => (),
                }
            }
            wrong += records.iter().filter(|record| shape(p, heads).cut(record).1).count();
            let mut engine = jit::simulator(&design);
            let mut around = Around::new(&mut engine, &design, p, stalls, seed);
            around.send(&records);
            around.check(&records, heads);
        }
        assert!(wrong > 10, "{wrong} records were wrong");
    }
}

/// All of a record is announced while nothing leaves; either part of it is taken while the other one does not come.
#[test]
fn a_record_waits_as_a_whole() {
    for [lanes, bits, heads, head, bus] in SIZES {
        let p = params(lanes, bits, heads, head, bus);
        let design = build(heads, p);
        let mut rng = Rng::with_seed(seed(3));
        let records = [shape(p, heads).record(&mut rng, |_| 64), shape(p, heads).record(&mut rng, any_count)];
        for part in 0..3 {
            let mut engine = jit::simulator(&design);
            let mut stalls = [Stalls::Never, Stalls::Never, Stalls::Always, Stalls::Never];
            if part < 2 {
                stalls[part] = Stalls::Always;
            }
            let mut around = Around::new(&mut engine, &design, p, stalls, seed(part as u64));
            around.send(&records[..1]);
            around.bench.run(8 * u64::from(heads * head) + 200).unwrap_or_else(|e| panic!("{e}"));
            let waits = [around.bench.unsent(around.dense), around.bench.unsent(around.sparse)];
            if part < 2 {
                assert!(waits[part] > 0 && waits[1 - part] == 0, "{p:?}: {waits:?} beats wait");
            } else {
                assert_eq!((waits, around.bench.beats(around.items).len()), ([0, 0], 2 * heads as usize), "{p:?}");
            }
            for source in [around.dense, around.sparse] {
                around.bench.stall_source(source, Stalls::Never);
            }
            around.bench.stall_sink(around.data, Stalls::Never);
            around.send(&records[1..]);
            around.check(&records, heads);
        }
    }
}

/// Who takes an item only when the packet before has left gets everything, too; and no packet is before its item.
#[test]
fn items_and_packets_may_be_taken_in_turns() {
    let (heads, p) = (3, params(16, 4, 3, 128, 16));
    let design = build(heads, p);
    let mut rng = Rng::with_seed(seed(4));
    let records: Vec<Parts> = (0..5).map(|_| shape(p, heads).record(&mut rng, any_count)).collect();
    let mut engine = jit::simulator(&design);
    let mut around =
        Around::new(&mut engine, &design, p, [Stalls::Never, Stalls::Never, Stalls::Always, Stalls::Always], 1);
    around.send(&records);
    for packets in 0..2 * heads as usize * records.len() {
        around.bench.stall_sink(around.items, Stalls::Never);
        around.bench.run_until_received(around.items, packets + 1, 1000).unwrap_or_else(|e| panic!("{e}"));
        around.bench.stall_sink(around.items, Stalls::Always);
        around.bench.stall_sink(around.data, Stalls::Never);
        while packet_bytes(around.bench.beats(around.data)).len() <= packets {
            around.bench.step().unwrap_or_else(|e| panic!("{e}"));
            assert!(around.bench.cycle() < 20_000, "packet {packets} does not come");
        }
        around.bench.stall_sink(around.data, Stalls::Always);
    }
    let items = around.bench.beats(around.items).len();
    assert!(items <= 2 * heads as usize * records.len());
}

/// Cycles from record to record when both parts are always there, by 16 lanes at 128 bits, 32 heads of 128.
fn cycles_of_a_record(count: fn(&mut Rng) -> usize) -> u64 {
    let (heads, p) = (32, params(16, 4, 32, 128, 16));
    let design = build(heads, p);
    let mut rng = Rng::with_seed(seed(5));
    let records: Vec<Parts> = (0..6).map(|_| shape(p, heads).record(&mut rng, count)).collect();
    let mut engine = jit::simulator(&design);
    let mut around = Around::new(&mut engine, &design, p, [Stalls::Never; 4], 1);
    around.send(&records);
    around.check(&records, heads);
    let ends = around.bench.beats(around.items).iter().zip(around.bench.received_at(around.items));
    let ends: Vec<u64> = ends.filter(|(item, _)| item.field(1) == 1).map(|(_, cycle)| *cycle).collect();
    for (packet, item) in packet_begins(&around).iter().zip(around.bench.received_at(around.items)) {
        assert!(item <= packet, "the packet of cycle {packet} is told in cycle {item}");
    }
    (ends[5] - ends[1]) / 4
}

/// Cycles in which the packets begin.
fn packet_begins(around: &Around) -> Vec<u64> {
    let (beats, cycles) = (around.bench.beats(around.data), around.bench.received_at(around.data));
    let begins = |(i, cycle): (usize, &u64)| (i == 0 || beats[i - 1].field(2) == 1).then_some(*cycle);
    cycles.iter().enumerate().filter_map(begins).collect()
}

#[test]
fn a_record_of_the_papers_shares_takes_no_longer_than_the_quantizer_needs_for_it() {
    let [paper, none, all] = [tenth, |_: &mut Rng| 0, |_: &mut Rng| 64].map(cycles_of_a_record);
    println!("cycles of 4096 elements: {paper} at the paper's shares, {none} without outliers, {all} of outliers only");
    // the dense part comes in 256 beats
    assert_eq!((paper, none), (256, 256));
    assert!(all <= 450, "{all} cycles");
}

#[test]
fn parameters_out_of_range_are_named() {
    let message = |heads, p| crate::stream::testing::message(slice_splitter("splitter", heads, p));
    let legal = params(16, 4, 4, 128, 16);
    assert_eq!(message(0, legal), "heads = 0 is not legal");
    assert_eq!(message(5, legal), "heads = 5 is not legal");
    assert_eq!(message(65, params(16, 4, 65, 64, 16)), "heads = 65 is not legal");
    assert_eq!(message(1, SliceParams { head_elements: 96, ..legal }), "head_elements = 96 is not legal");
    assert_eq!(message(1, SliceParams { head_elements: 576, ..legal }), "head_elements = 576 is not legal");
    assert_eq!(message(1, SliceParams { bus_bytes: 4, ..legal }), "bus_bytes = 4 is not legal");
    let engine = EngineParams { lanes: 3, ..legal.engine };
    assert_eq!(message(1, SliceParams { engine, ..legal }), "lanes = 3 is not legal");
}
