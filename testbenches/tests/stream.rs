//! The stream parts on both engines of simulation: the same beats in the same cycles, and nothing lost under random stalls.

use hdl::engine::Engine;
use hdl::sim::Simulator;
use hdl::{BigUint, Bundle, Design, Reset};
use hw::stream::fifo::{Style, fifo};
use hw::stream::narrow::narrow;
use hw::stream::register_slice::register_slice;
use hw::stream::register_slice_backward::register_slice_backward;
use hw::stream::register_slice_forward::register_slice_forward;
use hw::stream::widen::widen;
use sim::bus::{Beat, Bench, Stalls, packet, packet_bytes, seed};

/// The beats that come out, and the cycles of their transfers.
type Seen = (Vec<Beat>, Vec<u64>);

fn run<P, S: Bundle, M: Bundle>(
    engine: &mut dyn Engine,
    design: &Design<P>,
    (s, m): (&S, &M),
    beats: &[Beat],
    stalls: (Stalls, Stalls),
) -> Seen {
    let mut bench = Bench::new(engine, seed(17));
    let source = bench.source(design, s, stalls.0);
    let sink = bench.sink(design, m, stalls.1);
    bench.reset().unwrap_or_else(|e| panic!("{e}"));
    bench.send(source, beats.iter().cloned());
    bench.run(20 * beats.len() as u64 + 200).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(bench.unsent(source), 0, "everything is taken");
    (bench.beats(sink).to_vec(), bench.received_at(sink).to_vec())
}

/// Runs the beats with several stalls on all engines that are there; `check` sees what came out.
fn on_all_engines<P, S: Bundle, M: Bundle>(
    design: &Design<P>,
    ports: (&S, &M),
    beats: &[Beat],
    check: impl Fn(&[Beat]),
) {
    let mut verilated = testbenches::have(&["verilator"])
        .then(|| sim::verilator::Model::of(design, Reset::default()).unwrap_or_else(|e| panic!("{e}")));
    for stalls in [
        (Stalls::Never, Stalls::Never),
        (Stalls::Percent(30), Stalls::Percent(50)),
        (Stalls::Runs(7), Stalls::Never),
        (Stalls::Never, Stalls::Runs(12)),
    ] {
        let own = run(&mut Simulator::new(design), design, ports, beats, stalls);
        check(&own.0);
        if let Some(model) = &mut verilated {
            let theirs = run(model, design, ports, beats, stalls);
            // what stands in bytes that are not kept may differ, so the beats are checked and the cycles compared
            check(&theirs.0);
            assert_eq!(own.1, theirs.1, "{}: the engines differ with {stalls:?}", design.name());
        }
    }
}

fn words(count: u64) -> Vec<Beat> {
    (0..count).map(|i| Beat(vec![BigUint::from(i * 0x9e37 % 65536)])).collect()
}

#[test]
fn fifos_and_register_slices() {
    let sent = words(400);
    let same = |got: &[Beat]| assert_eq!(got, &sent[..]);
    for (depth, style) in [
        (2, Style::Distributed),
        (3, Style::Distributed),
        (16, Style::Distributed),
        (2, Style::Block),
        (5, Style::Block),
        (64, Style::Block),
    ] {
        let design = fifo(16, depth, style).unwrap_or_else(|e| panic!("{e}"));
        on_all_engines(&design, (&design.ports.s, &design.ports.m), &sent, same);
    }
    for design in [register_slice(16), register_slice_forward(16), register_slice_backward(16)] {
        let design = design.unwrap_or_else(|e| panic!("{e}"));
        on_all_engines(&design, (&design.ports.s, &design.ports.m), &sent, same);
    }
}

#[test]
fn width_converters() {
    let packets: Vec<Vec<u8>> = (1..40u8).map(|n| (0..n).map(|i| i.wrapping_mul(37) ^ n).collect()).collect();
    let beats = |width: usize| packets.iter().flat_map(|p| packet(p, width)).collect::<Vec<Beat>>();
    let same = |got: &[Beat]| assert_eq!(packet_bytes(got), packets);
    let wider = widen(8, 1, 4).unwrap_or_else(|e| panic!("{e}"));
    on_all_engines(&wider, (&wider.ports.s, &wider.ports.m), &beats(1), same);
    let narrower = narrow(8, 1, 4).unwrap_or_else(|e| panic!("{e}"));
    on_all_engines(&narrower, (&narrower.ports.s, &narrower.ports.m), &beats(4), same);
}
