//! The parts that move several streams or words that change their place, on both engines of simulation: the same beats in
//! the same cycles, and nothing lost under random stalls. Those with one stream in and one out of the same words are in
//! stream.rs.

use hdl::engine::Engine;
use hdl::sim::Simulator;
use hdl::{BigUint, Design, Errors, Module, Reset, Signal, Stream, bits, module, ports, stream};
use hw::catalogue::{Value, block};
use hw::memory::ram::{Collision, RamParams, ram};
use hw::stream::arbiter::arbitrate;
use hw::stream::demultiplexer::demultiplex;
use hw::stream::fifo::Style;
use hw::stream::gearbox::gearbox;
use hw::stream::pack::{Beats, pack};
use hw::stream::packet_arbiter::arbitrate_packets;
use hw::stream::several::MAX_STREAMS;
use hw::stream::{Beat as Words, beat};
use sim::bus::{Beat, Bench, Stalls, StreamPorts, packet, packet_bytes, seed};

/// Beats that arrived, and when.
type Seen = (Vec<Beat>, Vec<u64>);

const STALLS: [(Stalls, Stalls); 4] = [
    (Stalls::Never, Stalls::Never),
    (Stalls::Percent(30), Stalls::Percent(50)),
    (Stalls::Runs(7), Stalls::Never),
    (Stalls::Never, Stalls::Runs(12)),
];

/// Sends all `sent` beats of the streams in and returns what arrives at each of those out.
fn run(
    engine: &mut dyn Engine,
    sent: &[(StreamPorts, Vec<Beat>)],
    out: &[StreamPorts],
    stalls: (Stalls, Stalls),
) -> Vec<Seen> {
    let mut bench = Bench::new(engine, seed(23));
    let sources: Vec<_> = sent.iter().map(|(ports, _)| bench.source_at(ports.clone(), stalls.0)).collect();
    let sinks: Vec<_> = out.iter().map(|ports| bench.sink_at(ports.clone(), stalls.1)).collect();
    bench.reset().unwrap_or_else(|e| panic!("{e}"));
    for (source, (_, beats)) in sources.iter().zip(sent) {
        bench.send(*source, beats.iter().cloned());
    }
    let beats: u64 = sent.iter().map(|(_, beats)| beats.len() as u64).sum();
    bench.run(20 * beats + 200).unwrap_or_else(|e| panic!("{e}"));
    sources.iter().for_each(|source| assert_eq!(bench.unsent(*source), 0, "everything is taken"));
    sinks.iter().map(|sink| (bench.beats(*sink).to_vec(), bench.received_at(*sink).to_vec())).collect()
}

/// Runs on all engines that are there; `check` sees what arrived, and the cycles must be the same.
fn on_all_engines<P>(
    design: &Design<P>,
    sent: &[(StreamPorts, Vec<Beat>)],
    out: &[StreamPorts],
    check: impl Fn(&[Seen]),
) {
    let mut verilated = testbenches::have(&["verilator"])
        .then(|| sim::verilator::Model::of(design, Reset::default()).unwrap_or_else(|e| panic!("{e}")));
    for stalls in STALLS {
        let own = run(&mut Simulator::new(design), sent, out, stalls);
        check(&own);
        if let Some(model) = &mut verilated {
            let theirs = run(model, sent, out, stalls);
            check(&theirs);
            let cycles = |seen: &[Seen]| seen.iter().map(|s| s.1.clone()).collect::<Vec<_>>();
            assert_eq!(cycles(&own), cycles(&theirs), "{}: the engines differ with {stalls:?}", design.name());
        }
    }
}

fn built<P>(design: Result<Design<P>, Errors>) -> Design<P> {
    design.unwrap_or_else(|errors| panic!("{errors}"))
}

#[test]
fn converters_to_no_multiple() {
    let packets: Vec<Vec<u8>> = (1..60u8).map(|n| (0..n).map(|i| i.wrapping_mul(37) ^ n).collect()).collect();
    let beats = |width: u32| packets.iter().flat_map(|p| packet(p, width as usize)).collect::<Vec<Beat>>();
    let same = |seen: &[Seen]| assert_eq!(packet_bytes(&seen[0].0), packets);
    for (from, to) in [(3, 5), (4, 6)] {
        let design = built(pack(8, from, to, Beats::Full));
        let (s, m) = (StreamPorts::of(&design, &design.ports.s), StreamPorts::of(&design, &design.ports.m));
        on_all_engines(&design, &[(s, beats(from))], &[m], same);
    }
    for (from, to) in [(5, 3), (6, 4)] {
        let design = built(gearbox(8, from, to));
        let (s, m) = (StreamPorts::of(&design, &design.ports.s), StreamPorts::of(&design, &design.ports.m));
        on_all_engines(&design, &[(s, beats(from))], &[m], same);
    }
}

#[test]
fn beats_of_any_number_of_bytes_are_packed() {
    let mut rng = fastrand::Rng::with_seed(seed(8));
    let packets: Vec<Vec<u8>> = (1..60).map(|n| (0..n).map(|_| rng.u8(..)).collect()).collect();
    let mut sent = vec![];
    for bytes in &packets {
        let mut rest = bytes.as_slice();
        while !rest.is_empty() {
            let (now, later) = rest.split_at(rng.usize(0..=rest.len().min(8)));
            let keep = (1u32 << now.len()) - 1;
            sent.push(Beat(vec![BigUint::from_bytes_le(now), keep.into(), u32::from(later.is_empty()).into()]));
            rest = later;
        }
    }
    let design = built(pack(8, 8, 8, Beats::Any));
    let (s, m) = (StreamPorts::of(&design, &design.ports.s), StreamPorts::of(&design, &design.ports.m));
    on_all_engines(&design, &[(s, sent)], &[m], |seen| {
        assert_eq!(packet_bytes(&seen[0].0), packets);
        let beats: usize = packets.iter().map(|p| p.len().div_ceil(8)).sum();
        assert_eq!(seen[0].0.len(), beats, "all beats are full but the last ones");
    });
}

ports! {
    struct RoutePorts() {
        input s: Stream<(Signal, Signal)> = stream((bits(2), bits(16))),
        output m0: Stream = stream(bits(16)),
        output m1: Stream = stream(bits(16)),
        output m2: Stream = stream(bits(16)),
        output illegal: Signal = bits(1),
    }
}

#[module]
fn routes() -> Result<Design<RoutePorts>, Errors> {
    let m = Module::new("routes");
    let io = RoutePorts::new(m);
    let (select, word) = io.s.payload;
    let routed = demultiplex(m, io.s.with(word), select, 3)?;
    for (to, from) in [io.m0, io.m1, io.m2].into_iter().zip(routed.outputs) {
        hdl::Bundle::set(&to, from);
    }
    hdl::Bundle::set(&io.illegal, routed.illegal);
    m.finish(io)
}

#[test]
fn the_demultiplexer() {
    let design = built(routes());
    let words: Vec<[u64; 2]> = (0..300).map(|i| [i * i / 5 % 4, i]).collect();
    let RoutePorts { s, m0, m1, m2, .. } = design.ports;
    let sent = [(StreamPorts::of(&design, &s), words.iter().map(|w| Beat::from(*w)).collect())];
    let out = [m0, m1, m2].map(|m| StreamPorts::of(&design, &m));
    on_all_engines(&design, &sent, &out, |seen| {
        for (i, (beats, _)) in seen.iter().enumerate() {
            let expected: Vec<Beat> = words.iter().filter(|w| w[0] == i as u64).map(|w| w[1].into()).collect();
            assert_eq!(beats, &expected, "output {i}; words for the output that is not there are dropped");
        }
    });
}

ports! {
    struct MergePorts() {
        input s0: Stream<Words> = stream(beat(16, 1)),
        input s1: Stream<Words> = stream(beat(16, 1)),
        input s2: Stream<Words> = stream(beat(16, 1)),
        output m: Stream<(Words, Signal)> = stream((beat(16, 1), bits(2))),
    }
}

#[module]
fn merge(packets: bool) -> Result<Design<MergePorts>, Errors> {
    let m = Module::new(if packets { "merge_packets" } else { "merge_words" });
    let io = MergePorts::new(m);
    let inputs = [io.s0, io.s1, io.s2];
    let merged = if packets { arbitrate_packets(m, &inputs, |beat| beat.last)? } else { arbitrate(m, &inputs)? };
    hdl::Bundle::set(&io.m, merged);
    m.finish(io)
}

#[test]
fn the_arbiters() {
    for packets in [false, true] {
        let design = built(merge(packets));
        let MergePorts { s0, s1, s2, m } = design.ports;
        let words =
            |input: u64| (0..150u64).map(move |i| [input << 12 | i, 1, u64::from(i % (3 + input) == 2 || i == 149)]);
        let input = |(s, i)| (StreamPorts::of(&design, &s), words(i).map(Beat::from).collect());
        let sent = [(s0, 0), (s1, 1), (s2, 2)].map(input);
        on_all_engines(&design, &sent, &[StreamPorts::of(&design, &m)], |seen| {
            let beats: Vec<[u64; 4]> = seen[0].0.iter().map(|b| [0, 1, 2, 3].map(|i| b.field(i))).collect();
            for input in 0..3 {
                let from = beats.iter().filter(|b| b[3] == input).map(|b| [b[0], b[1], b[2]]);
                assert_eq!(from.collect::<Vec<_>>(), words(input).collect::<Vec<_>>(), "input {input}");
            }
            let whole = beats.windows(2).all(|pair| pair[0][2] == 1 || pair[0][3] == pair[1][3]);
            assert!(whole || !packets, "a packet is interrupted");
        });
    }
}

#[test]
fn the_ram() {
    for (style, lanes) in [(Style::Block, 4), (Style::Distributed, 1)] {
        let design = built(ram(RamParams { width: 32, depth: 24, lanes, style, collision: Collision::Old }));
        let port = |signal| design.port_index(signal).expect("a port");
        let (enable, address, data) = (design.ports.write_enable, design.ports.write_address, design.ports.write_data);
        let (s, m) = (StreamPorts::of(&design, &design.ports.s), StreamPorts::of(&design, &design.ports.m));
        let word = |i: u64| (i * 0x9e37_79b9) & 0xffff_ffff;
        let run = |engine: &mut dyn Engine| -> Seen {
            let mut bench = Bench::new(engine, seed(2));
            let source = bench.source_at(s.clone(), Stalls::Percent(20));
            let sink = bench.sink_at(m.clone(), Stalls::Percent(40));
            bench.reset().unwrap_or_else(|e| panic!("{e}"));
            for i in 0..24 * u64::from(lanes) {
                // each lane by itself, with garbage in the others
                let (at, lane) = (i % 24, i / 24);
                let lane_mask = (0xffff_ffff >> (32 - 32 / lanes)) << (lane * 32 / u64::from(lanes));
                bench.engine.poke(port(enable), 1 << lane);
                bench.engine.poke(port(address), at);
                bench.engine.poke(port(data), word(at) & lane_mask | 0x5a5a_5a5a & !lane_mask);
                bench.step().unwrap_or_else(|e| panic!("{e}"));
            }
            bench.engine.poke(port(enable), 0);
            bench.send(source, (0..200).map(|i| i * 7 % 24));
            bench.run_until_received(sink, 200, 2000).unwrap_or_else(|e| panic!("{e}"));
            (bench.beats(sink).to_vec(), bench.received_at(sink).to_vec())
        };
        let own = run(&mut Simulator::new(&design));
        assert_eq!(own.0, (0..200).map(|i| Beat::from(word(i * 7 % 24))).collect::<Vec<_>>());
        if testbenches::have(&["verilator"]) {
            let mut model = sim::verilator::Model::of(&design, Reset::default()).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(run(&mut model), own, "the engines differ");
        }
    }
}

/// The widest arbiters of the catalogue, of words and of packets of one word each: all inputs come out, in turn.
#[test]
fn many_inputs() {
    ["arbiter", "packet_arbiter"].into_iter().for_each(all_inputs_in_turn);
}

fn all_inputs_in_turn(name: &str) {
    let values = [("width", Value::Number(8)), ("inputs", Value::Number(MAX_STREAMS.into()))];
    let arbiter = block(name).expect("a block");
    let design = built((arbiter.build)("top", &arbiter.resolve(values).expect("legal")));
    let table: Vec<_> = design.port_table().map(|port| port.name.to_string()).collect();
    let port = |name: &str| table.iter().position(|n| n == name).unwrap_or_else(|| panic!("no port `{name}`"));
    let run = |engine: &mut dyn Engine| -> Vec<u64> {
        engine.reset(2);
        engine.poke(port("s_valid"), u64::MAX);
        if name == "packet_arbiter" {
            engine.poke(port("s_last"), u64::MAX);
        }
        engine.poke(port("m_ready"), 1);
        engine.step();
        let sources = (0..130).map(|_| {
            let source = engine.peek(port("m_source"));
            engine.step();
            source
        });
        sources.collect()
    };
    let in_turn: Vec<u64> = (0..130).map(|i| i % 64).collect();
    assert_eq!(run(&mut Simulator::new(&design)), in_turn, "{name}");
    if testbenches::have(&["verilator"]) {
        let mut model = sim::verilator::Model::of(&design, Reset::default()).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(run(&mut model), in_turn, "{name}");
    }
}
