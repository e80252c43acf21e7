//! The bus models on modules that keep the rules, and the checkers on modules that break them.

use super::*;
use hdl::sim::Simulator;
use hdl::{Bundle, Design, Module, Signal, Stream, bits, ports, stream};

ports! {
    struct PassPorts() {
        input s: Stream = stream(bits(16)),
        output m: Stream = stream(bits(16)),
    }
}

/// A module between two streams: `f` gets its ports.
fn between(f: impl FnOnce(Module, PassPorts)) -> Design<PassPorts> {
    let m = Module::new("dut");
    let io = PassPorts::new(m);
    f(m, io);
    m.finish(io).unwrap_or_else(|errors| panic!("{errors}"))
}

/// Sends 200 words through under stalls: what the checkers say.
fn run(design: &Design<PassPorts>) -> Result<Vec<Beat>, BusError> {
    let mut engine = Simulator::new(design);
    let mut bench = Bench::new(&mut engine, seed(3));
    let s = bench.source(design, &design.ports.s, Stalls::Percent(30));
    let m = bench.sink(design, &design.ports.m, Stalls::Percent(50));
    bench.reset()?;
    bench.send(s, 0..200u64);
    bench.run_until_received(m, 200, 2000)?;
    Ok(bench.beats(m).to_vec())
}

fn broken(design: &Design<PassPorts>) -> Rule {
    run(design).expect_err("the module breaks a rule").rule
}

#[test]
fn a_wire_keeps_the_rules() {
    let words = run(&between(|_, io| io.m.set(io.s))).unwrap();
    assert_eq!(words, (0..200u64).map(Beat::from).collect::<Vec<_>>());
}

#[test]
fn finds_a_valid_that_falls() {
    let design = between(|m, io| {
        let odd = m.reg_reset(bits(1), 0);
        odd.set(!odd);
        io.m.valid.set(io.s.valid & odd);
        io.s.ready.set(io.m.ready & odd);
        io.m.payload.set(io.s.payload);
    });
    assert_eq!(broken(&design), Rule::ValidFell);
}

#[test]
fn finds_a_payload_that_changes() {
    let design = between(|m, io| {
        let count = m.reg_reset(bits(16), 0);
        count.set(count + 1);
        io.m.set(io.s.with(count));
        io.s.payload.unused();
    });
    let Rule::PayloadChanged { field, from, to } = broken(&design) else { panic!("another rule") };
    assert_eq!((field.as_str(), from + 1u32), ("payload", to));
}

#[test]
fn finds_a_valid_that_waits_for_ready() {
    let design = between(|_, io| {
        io.m.valid.set(io.s.valid & io.m.ready);
        io.s.ready.set(io.m.ready);
        io.m.payload.set(io.s.payload);
    });
    assert!(matches!(broken(&design), Rule::ValidWaits(..)));
}

#[test]
fn finds_a_payload_that_depends_on_ready() {
    let design = between(|_, io| io.m.set(io.s.with(io.m.ready.mux(io.s.payload, !io.s.payload))));
    assert_eq!(broken(&design), Rule::PayloadDependsOnReady);
}

#[test]
fn finds_a_valid_in_reset() {
    let design = between(|m, io| {
        io.s.ready.set(true);
        io.m.valid.set(io.s.valid | m.in_reset());
        io.m.payload.set(io.s.payload);
        io.m.ready.unused();
    });
    assert_eq!(broken(&design), Rule::ValidInReset);
}

#[test]
fn finds_words_that_do_not_arrive() {
    let design = between(|m, io| {
        // the first word is lost
        let first = m.reg_reset(bits(1), 1);
        m.when(io.s.valid, || first.set(false));
        io.m.valid.set(io.s.valid & !first);
        io.s.ready.set(io.m.ready | first);
        io.m.payload.set(io.s.payload);
    });
    assert_eq!(broken(&design), Rule::Timeout { received: 199, wanted: 200, cycles: 2000 });
}

/// A module that looks at the payload without valid is found out, because it is random then.
#[test]
fn sources_show_nothing_while_they_have_nothing() {
    let design = between(|m, io| {
        let held = m.reg(bits(16));
        m.when(io.m.ready | !io.s.valid, || held.set(io.s.payload));
        io.m.set(io.s.with(held));
    });
    let result = run(&design);
    assert!(result.is_err() || result.is_ok_and(|words| words != (0..200u64).map(Beat::from).collect::<Vec<_>>()));
}

#[test]
fn the_same_seed_gives_the_same_cycles() {
    let design = between(|_, io| io.m.set(io.s));
    let cycles = |seed| {
        let mut engine = Simulator::new(&design);
        let mut bench = Bench::new(&mut engine, seed);
        let s = bench.source(&design, &design.ports.s, Stalls::Percent(40));
        let m = bench.sink(&design, &design.ports.m, Stalls::Runs(5));
        bench.send(s, 0..100u64);
        bench.run_until_received(m, 100, 1000).unwrap();
        assert_eq!(bench.sent_at(s), bench.received_at(m));
        bench.received_at(m).to_vec()
    };
    assert_eq!(cycles(1), cycles(1));
    assert_ne!(cycles(1), cycles(2));
}

#[test]
fn packets_come_back_from_their_beats() {
    let bytes: Vec<u8> = (0..=255).collect();
    for length in [1, 3, 4, 5, 8, 256] {
        let beats = packet(&bytes[..length], 4);
        assert_eq!(beats.len(), length.div_ceil(4));
        assert_eq!(packet_bytes(&beats), [&bytes[..length]]);
    }
    let holes = [[0x4433_2211, 0b0101, 0].into(), [0xff, 0b0010, 1].into(), [0x77, 1, 0].into()];
    assert_eq!(packet_bytes(&holes), [[0x11, 0x33, 0x00]]);
}

/// The signals of AXI4-Lite, as far as the master needs them.
#[derive(Clone, Copy, Bundle)]
struct Lite {
    awaddr: Signal,
    awprot: Signal,
    awvalid: Signal,
    #[flip]
    awready: Signal,
    wdata: Signal,
    wstrb: Signal,
    wvalid: Signal,
    #[flip]
    wready: Signal,
    #[flip]
    bresp: Signal,
    #[flip]
    bvalid: Signal,
    bready: Signal,
    araddr: Signal,
    arprot: Signal,
    arvalid: Signal,
    #[flip]
    arready: Signal,
    #[flip]
    rdata: Signal,
    #[flip]
    rresp: Signal,
    #[flip]
    rvalid: Signal,
    rready: Signal,
}

fn lite() -> Lite {
    let (bit, data) = (bits(1), bits(32));
    Lite {
        awaddr: bits(8),
        awprot: bits(3),
        awvalid: bit,
        awready: bit,
        wdata: data,
        wstrb: bits(4),
        wvalid: bit,
        wready: bit,
        bresp: bits(2),
        bvalid: bit,
        bready: bit,
        araddr: bits(8),
        arprot: bits(3),
        arvalid: bit,
        arready: bit,
        rdata: data,
        rresp: bits(2),
        rvalid: bit,
        rready: bit,
    }
}

ports! {
    struct SlavePorts() {
        input s_axil: Lite = lite(),
    }
}

/// A slave that answers a write when `answers(aw, w)` says so, with a response code; reads get address and code.
fn slave(answers: fn(Signal, Signal) -> Signal, response: u32) -> Design<SlavePorts> {
    let m = Module::new("slave");
    let io = SlavePorts::new(m);
    let bus = io.s_axil;
    let [aw, w, r] = [(); 3].map(|_| m.reg_reset(bits(1), 0));
    let address = m.reg(bits(8));
    bus.awready.set(!aw);
    bus.wready.set(!w);
    bus.bvalid.set(answers(aw, w));
    bus.bresp.set(response);
    let done = bus.bready & answers(aw, w);
    m.when(done, || aw.set(false)).elsewhen(bus.awvalid, || aw.set(true));
    m.when(done, || w.set(false)).elsewhen(bus.wvalid, || w.set(true));
    bus.arready.set(!r);
    bus.rvalid.set(r);
    bus.rdata.set(address.zext(32));
    bus.rresp.set(response);
    m.when(!r, || {
        r.set(bus.arvalid);
        address.set(bus.araddr);
    })
    .elsewhen(bus.rready, || r.set(false));
    bus.each(&mut |_, flip, signal| {
        if !flip {
            signal.unused();
        }
    });
    m.finish(io).unwrap_or_else(|errors| panic!("{errors}"))
}

fn access(design: &Design<SlavePorts>, stalls: Stalls) -> Result<(Response, (Response, u64)), BusError> {
    let mut engine = Simulator::new(design);
    let mut bench = Bench::new(&mut engine, seed(5));
    let master = AxiLiteMaster::new(&mut bench, design, &design.ports.s_axil, stalls);
    bench.reset()?;
    let mut last = Err(bench.error_at(Sink(0), Rule::ValidFell));
    for address in 0..20 {
        let write = master.write(&mut bench, address, 1)?;
        last = Ok((write, master.read(&mut bench, address)?));
    }
    last
}

#[test]
fn a_master_writes_and_reads() {
    for stalls in [Stalls::Never, Stalls::Percent(50)] {
        assert_eq!(access(&slave(|aw, w| aw & w, 0), stalls), Ok((Response::Okay, (Response::Okay, 19))));
        assert_eq!(access(&slave(|aw, w| aw & w, 2), stalls), Ok((Response::SlaveError, (Response::SlaveError, 19))));
    }
    let error = access(&slave(|aw, w| aw & w, 1), Stalls::Never).unwrap_err();
    assert_eq!(error.rule, Rule::ResponseCode(1));
    assert!(error.to_string().starts_with("cycle"), "{error}");
}

#[test]
fn finds_a_response_without_a_request() {
    for too_early in [(|aw, _| aw) as fn(Signal, Signal) -> Signal, |_, w| w, |aw, w| aw | w] {
        let error = access(&slave(too_early, 0), Stalls::Percent(50)).unwrap_err();
        assert!(matches!(error.rule, Rule::NoRequest { .. }), "{error}");
    }
}

#[test]
#[should_panic(expected = "cannot send 4294967296 in `wdata` (32 bits): legal is 0 to 4294967295")]
fn what_does_not_fit_is_refused_where_it_is_sent() {
    let design = slave(|aw, w| aw & w, 0);
    let mut engine = Simulator::new(&design);
    let mut bench = Bench::new(&mut engine, seed(5));
    let master = AxiLiteMaster::new(&mut bench, &design, &design.ports.s_axil, Stalls::Never);
    master.queue_write(&mut bench, 0, 1 << 32, 0xf);
}

/// A register of each of two clocks.
fn two_clocks(m: Module) {
    let tick = || {
        let tick = m.reg_reset(bits(1), 0);
        tick.set(!tick);
        tick.unused();
    };
    tick();
    m.in_domain(m.clock_domain("slow_clk", "slow_rst"), tick);
}

/// A wire beside two clocks.
fn beside_clocks() -> Design<PassPorts> {
    between(|m, io| {
        io.m.set(io.s);
        two_clocks(m);
    })
}

/// At the edges of another clock a master would take the same answer again.
#[test]
fn a_master_moves_at_the_edges_of_its_clock() {
    let m = Module::new("beside");
    let io = SlavePorts::new(m);
    m.instance(&slave(|aw, w| aw & w, 0)).s_axil.set(io.s_axil);
    two_clocks(m);
    let design = m.finish(io).unwrap_or_else(|errors| panic!("{errors}"));
    let mut engine = Simulator::new(&design);
    let mut bench = Bench::new(&mut engine, seed(5));
    let master = AxiLiteMaster::new(&mut bench, &design, &design.ports.s_axil, Stalls::Never);
    master.clock(&mut bench, 0);
    bench.reset().unwrap();
    (0..8).for_each(|address| master.queue_read(&mut bench, address));
    Ticks::new(&[16, 7], 1, seed(1)).take(200).for_each(|clocks| bench.edge(clocks).unwrap());
    let expected: Vec<_> = (0..8).map(|address| (Response::Okay, address)).collect();
    assert_eq!(master.read_responses(&bench).unwrap(), expected);
}

#[test]
#[should_panic(
    expected = "`s_valid` belongs to no clock, and not all have an edge (0: `clk`, 1: `slow_clk`): say it with"
)]
fn a_stream_of_no_clock_does_not_move_at_the_edges_of_one() {
    let design = beside_clocks();
    let mut engine = Simulator::new(&design);
    let mut bench = Bench::new(&mut engine, seed(3));
    bench.source(&design, &design.ports.s, Stalls::Never);
    bench.reset().unwrap();
    let _ = bench.edge(1);
}

#[test]
fn a_stream_moves_at_the_edges_of_its_clock() {
    let design = beside_clocks();
    let mut engine = Simulator::new(&design);
    let mut bench = Bench::new(&mut engine, seed(3));
    let s = bench.source(&design, &design.ports.s, Stalls::Never);
    let m = bench.sink(&design, &design.ports.m, Stalls::Never);
    bench.source_clock(s, 0);
    bench.sink_clock(m, 0);
    bench.reset().unwrap();
    bench.send(s, 0..20u64);
    [0b10, 0b01, 0b10, 0b11].into_iter().cycle().take(20).for_each(|clocks| bench.edge(clocks).unwrap());
    assert_eq!(bench.beats(m), (0..10).map(Beat::from).collect::<Vec<Beat>>());
}

#[test]
#[should_panic(expected = "no clock 2: the design has 0: `clk`, 1: `slow_clk`")]
fn a_clock_that_is_not_there_is_refused() {
    let design = beside_clocks();
    let mut engine = Simulator::new(&design);
    let mut bench = Bench::new(&mut engine, seed(3));
    let s = bench.source(&design, &design.ports.s, Stalls::Never);
    bench.source_clock(s, 2);
}

/// A bench on a wire, with models that do not fit.
fn misplaced(place: impl FnOnce(&mut Bench, &Design<PassPorts>)) {
    let design = between(|_, io| io.m.set(io.s));
    place(&mut Bench::new(&mut Simulator::new(&design), seed(3)), &design);
}

#[test]
#[should_panic(expected = "`m_valid` is an output: it takes a sink")]
fn a_source_on_an_output_is_refused() {
    misplaced(|bench, design| {
        bench.source(design, &design.ports.m, Stalls::Never);
    });
}

#[test]
#[should_panic(expected = "`s_valid` is an input: it takes a source")]
fn a_sink_on_an_input_is_refused() {
    misplaced(|bench, design| {
        bench.sink(design, &design.ports.s, Stalls::Never);
    });
}

#[test]
#[should_panic(expected = "`s_valid` has a source already")]
fn two_sources_on_a_stream_are_refused() {
    misplaced(|bench, design| {
        bench.source(design, &design.ports.s, Stalls::Never);
        bench.source(design, &design.ports.s, Stalls::Never);
    });
}
