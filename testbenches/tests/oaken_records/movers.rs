//! Movers that serve the two parts of a record one after the other, in any order: with join and split wired together nothing stops as long as
//! a vector has no more than `max_length` elements, and with more it stops.

use fastrand::Rng;
use hdl::engine::Engine;
use hdl::{Bundle, Design, Errors, Module, module, ports};
use hw::oaken::{EngineParams, record_join, record_split};
use hw::stream::axi_stream::{AxiStream, axi_stream};
use sim::bus::{Beat, Bench, Sink, Source, Stalls, packet, packet_bytes, seed};

ports! {
    /// Both parts on both sides.
    struct WiredPorts(p: EngineParams) {
        input s_axis_dense: AxiStream = axi_stream(p.dense_bytes()),
        input s_axis_sparse: AxiStream = axi_stream(p.sparse_bytes()),
        output m_axis_dense: AxiStream = axi_stream(p.dense_bytes()),
        output m_axis_sparse: AxiStream = axi_stream(p.sparse_bytes()),
    }
}

#[module]
fn join_and_split(p: EngineParams) -> Result<Design<WiredPorts>, Errors> {
    let m = Module::new("join_and_split");
    let io = WiredPorts::new(m, p);
    let join = m.instance(&record_join("record_join", p)?);
    let split = m.instance(&record_split("record_split", p)?);
    join.s_axis_dense.set(io.s_axis_dense);
    join.s_axis_sparse.set(io.s_axis_sparse);
    split.s_axis.set(join.m_axis);
    io.m_axis_dense.set(split.m_axis_dense);
    io.m_axis_sparse.set(split.m_axis_sparse);
    m.finish(io)
}

/// In which order a mover serves the parts of a record. It waits for the part that it serves, whatever the other does.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Order {
    DenseFirst,
    SparseFirst,
    /// Some beats of the one, some of the other.
    Mixed,
}

const ORDERS: [Order; 3] = [Order::DenseFirst, Order::SparseFirst, Order::Mixed];

/// The parts that a mover serves, one after the other: 0 for the dense part or 1, with a number of beats. `sizes`: the beats of the parts
/// of all records.
fn services(order: Order, sizes: &[[usize; 2]], rng: &mut Rng) -> Vec<(usize, usize)> {
    let mut all = vec![];
    for [dense, sparse] in sizes {
        match order {
            Order::DenseFirst => all.extend([(0, *dense), (1, *sparse)]),
            Order::SparseFirst => all.extend([(1, *sparse), (0, *dense)]),
            Order::Mixed => {
                let mut left = [*dense, *sparse];
                while left != [0, 0] {
                    let part = if left[0] == 0 || left[1] > 0 && rng.bool() { 1 } else { 0 };
                    let beats = rng.usize(1..=left[part]);
                    left[part] -= beats;
                    all.push((part, beats));
                }
            }
        }
    }
    all
}

/// A mover that sends.
struct Sender {
    sources: [Source; 2],
    /// Beats of each part that it did not begin to send.
    left: [std::vec::IntoIter<Beat>; 2],
    services: std::vec::IntoIter<(usize, usize)>,
}

impl Sender {
    fn new(sources: [Source; 2], parts: [Vec<Beat>; 2], services: Vec<(usize, usize)>) -> Sender {
        Sender { sources, left: parts.map(Vec::into_iter), services: services.into_iter() }
    }
    /// Goes on with the next service when the one before is over.
    fn step(&mut self, bench: &mut Bench) {
        if self.sources.iter().all(|source| bench.unsent(*source) == 0)
            && let Some((part, beats)) = self.services.next()
        {
            let beats: Vec<Beat> = self.left[part].by_ref().take(beats).collect();
            bench.send(self.sources[part], beats);
        }
    }
}

/// A mover that takes.
struct Taker {
    sinks: [Sink; 2],
    services: std::vec::IntoIter<(usize, usize)>,
    /// The part that it serves, and how many beats of it there are when that is over.
    now: (usize, usize),
}

impl Taker {
    fn new(sinks: [Sink; 2], services: Vec<(usize, usize)>) -> Taker {
        Taker { sinks, services: services.into_iter(), now: (0, 0) }
    }
    /// Goes on with the next service when the one before is over.
    fn step(&mut self, bench: &mut Bench) {
        let got = |bench: &Bench, part: usize| bench.beats(self.sinks[part]).len();
        if got(bench, self.now.0) == self.now.1 {
            self.sinks.iter().for_each(|sink| bench.stall_sink(*sink, Stalls::Always));
            if let Some((part, beats)) = self.services.next() {
                self.now = (part, got(bench, part) + beats);
                bench.stall_sink(self.sinks[part], Stalls::Never);
            }
        }
    }
}

/// The parts of a record of so many elements; with an entry for each of so many of them. What stands in them is of no account here.
fn parts(p: EngineParams, elements: usize, entries: usize, rng: &mut Rng) -> [Vec<u8>; 2] {
    let lengths = [elements * p.dense_bits as usize / 8, 8 + elements / 64 + entries];
    lengths.map(|length| (0..length).map(|_| rng.u8(..)).collect())
}

/// Do records of so many elements come through, with these movers on both sides? If they stop, the beats of both parts that came.
fn come_through(
    (design, engine): (&Design<WiredPorts>, &mut dyn Engine),
    p: EngineParams,
    records: &[[Vec<u8>; 2]],
    [order_in, order_out]: [Order; 2],
    rng: &mut Rng,
) -> Result<(), [usize; 2]> {
    let io = &design.ports;
    let mut bench = Bench::new(engine, seed(1));
    let sources = [&io.s_axis_dense, &io.s_axis_sparse].map(|part| bench.source(design, part, Stalls::Never));
    let sinks = [&io.m_axis_dense, &io.m_axis_sparse].map(|part| bench.sink(design, part, Stalls::Always));
    bench.reset().unwrap_or_else(|e| panic!("{e}"));
    let widths = [p.dense_bytes() as usize, p.sparse_bytes() as usize];
    let beats = |part: usize| records.iter().flat_map(|r| packet(&r[part], widths[part])).collect::<Vec<Beat>>();
    let sizes: Vec<[usize; 2]> = records.iter().map(|r| [0, 1].map(|i| r[i].len().div_ceil(widths[i]))).collect();
    let mut sender = Sender::new(sources, [0, 1].map(beats), services(order_in, &sizes, rng));
    let mut taker = Taker::new(sinks, services(order_out, &sizes, rng));
    let got = |bench: &Bench| sinks.map(|sink| bench.beats(sink).len());
    let all = [0, 1].map(|part| sizes.iter().map(|size| size[part]).sum::<usize>());
    let (mut before, mut still) = ([0, 0], 0);
    while got(&bench) != all {
        sender.step(&mut bench);
        taker.step(&mut bench);
        bench.step().unwrap_or_else(|e| panic!("{e}"));
        still = if got(&bench) == before { still + 1 } else { 0 };
        before = got(&bench);
        // nothing takes as long as a record goes in
        if still > 400 + sizes.iter().flatten().max().unwrap_or(&0) * 4 {
            return Err(before);
        }
    }
    for (part, sink) in sinks.iter().enumerate() {
        let expected: Vec<Vec<u8>> = records.iter().map(|r| r[part].clone()).collect();
        assert_eq!(packet_bytes(bench.beats(*sink)), expected, "part {part}, {p:?}");
    }
    Ok(())
}

/// With and without outliers.
fn records(p: EngineParams, elements: usize, rng: &mut Rng) -> Vec<[Vec<u8>; 2]> {
    let some = |rng: &mut Rng| rng.usize(0..=elements);
    let entries = [elements, elements, 0, 0, elements, some(rng), some(rng), some(rng)];
    entries.map(|entries| parts(p, elements, entries, rng)).to_vec()
}

#[test]
fn join_and_split_let_movers_serve_in_any_order() {
    for (lanes, dense_bits) in [(1, 4), (4, 4), (16, 4), (16, 6)] {
        let p = EngineParams { lanes, max_length: 256, dense_bits, settings: 1 };
        let design = join_and_split(p).unwrap_or_else(|e| panic!("{e}"));
        let mut engine = jit::simulator(&design);
        let rng = &mut Rng::with_seed(seed(u64::from(lanes)));
        for orders in ORDERS.iter().flat_map(|a| ORDERS.map(|b| [*a, b])) {
            for elements in [256, 64, 256] {
                let records = records(p, elements, rng);
                let through = come_through((&design, &mut engine), p, &records, orders, rng);
                assert_eq!(through, Ok(()), "{p:?}, {elements} elements, {orders:?}");
            }
        }
    }
}

/// A chunk more than `max_length`: the dense part does not fit into the join before its sparse part, nor the sparse part into the split.
#[test]
fn a_chunk_too_many_stops_join_or_split() {
    for lanes in [1, 4, 16] {
        let p = EngineParams { lanes, max_length: 256, dense_bits: 4, settings: 1 };
        let design = join_and_split(p).unwrap_or_else(|e| panic!("{e}"));
        let mut engine = jit::simulator(&design);
        let rng = &mut Rng::with_seed(seed(u64::from(lanes)));
        let longer = vec![parts(p, 320, 320, rng)];
        let mut through = |orders| come_through((&design, &mut engine), p, &longer, orders, rng);
        let (dense, sparse) = (Order::DenseFirst, Order::SparseFirst);
        assert_eq!(through([sparse, sparse]), Ok(()), "{p:?}");
        assert!(through([dense, sparse]).is_err(), "{p:?}: the join holds more than it says");
        assert!(through([sparse, dense]).is_err(), "{p:?}: the split holds more than it says");
    }
}
