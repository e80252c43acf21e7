use super::*;
use crate::burst_bench::{BurstBench, Piece, random_bytes};
use crate::bus::{packet, seed, span};
use hdl::sim::Simulator;
use hdl::{Errors, Module, Stream, module, ports, stream};
use hw::memory::axi::{Axi, AxiParams, axi};
use hw::memory::burst_reader::burst_reader;
use hw::memory::burst_writer::burst_writer;
use hw::memory::mover::{Command, Done, MoverParams, command, done};
use hw::stream::axi_stream::{AxiStream, axi_stream};

fn params(address_bits: u32) -> MoverParams {
    let axi = AxiParams { data_bytes: 8, address_bits, id_bits: 0 };
    MoverParams { axi, length_bits: 20, tag_bits: 8, outstanding: 4, buffer: 512, scatter_bits: None, aligned: false }
}

/// As many beats in 256 cycles as the model says, in both directions; and all of them again with another model.
#[test]
fn bandwidth() {
    let whole = Piece { address: 4096, bytes: 32768 };
    for beats in [256, 255, 200, 129, 100, 86, 3] {
        let model = MemoryModel { bandwidth: beats, ..MemoryModel::default() };
        let settings = || (model.clone(), [Stalls::Never; 3], 1);
        let design = burst_reader("reader", params(32)).unwrap();
        let (io, mut engine) = (design.ports, Simulator::new(&design));
        let ports = (&io.command, &io.m_axis, &io.done, &io.m_axi);
        let mut reader = BurstBench::reader(&mut engine, &design, ports, settings());
        reader.bench.reset().unwrap();
        reader.read(whole);
        reader.finish().unwrap();
        let read = reader.memory.read_at(&reader.bench, 0).to_vec();

        let design = burst_writer("writer", params(32)).unwrap();
        let (io, mut engine) = (design.ports, Simulator::new(&design));
        let ports = (&io.command, &io.s_axis, &io.done, &io.m_axi);
        let mut writer = BurstBench::writer(&mut engine, &design, ports, settings());
        writer.bench.reset().unwrap();
        writer.write(whole, &random_bytes(&mut Rng::with_seed(crate::bus::seed(1)), whole.bytes), 8);
        writer.finish().unwrap();
        let written = writer.memory.written_at(&writer.bench, 0).to_vec();
        for at in [read, written] {
            // gaps between bursts cost nothing here
            let cycles = span(&at);
            let right = at.len() as u64 * 256 / beats;
            assert!(cycles.abs_diff(right) <= right / 100 + 4, "{beats} beats in 256 cycles: {cycles}, not {right}");
        }
        writer.memory.set_model(MemoryModel::default());
        writer.write(whole, &[7; 32768], 8);
        writer.finish().unwrap();
        assert_eq!(writer.memory.bytes.read(4096 + 32767, 1), [7]);
    }
}

/// A bandwidth beside pauses in runs: both count, and neither begins the other anew.
#[test]
fn bandwidth_and_runs() {
    for (bandwidth, longest) in [(120, 1), (120, 2), (128, 30), (140, 2)] {
        let model = MemoryModel { bandwidth, taking: Stalls::Runs(longest), ..MemoryModel::default() };
        let design = burst_writer("writer", params(32)).unwrap();
        let (io, mut engine) = (design.ports, Simulator::new(&design));
        let ports = (&io.command, &io.s_axis, &io.done, &io.m_axi);
        let mut writer = BurstBench::writer(&mut engine, &design, ports, (model, [Stalls::Never; 3], 1));
        writer.bench.reset().unwrap();
        writer.write(Piece { address: 4096, bytes: 8192 }, &[7; 8192], 8);
        writer.finish().unwrap();
        let at = writer.memory.written_at(&writer.bench, 0);
        // half of the cycles are pauses
        let (cycles, right) = (span(at), 2 * at.len() as u64 * 256 / bandwidth);
        assert!((right / 2..2 * right).contains(&cycles), "{bandwidth} beats in 256 cycles, {longest}: {cycles}");
    }
}

/// The last bytes of 64 bits of addresses are bytes like others.
#[test]
fn the_last_address() {
    let last = Piece { address: u64::MAX - 7, bytes: 8 };
    let design = burst_writer("writer", params(64)).unwrap();
    let (io, mut engine) = (design.ports, Simulator::new(&design));
    let ports = (&io.command, &io.s_axis, &io.done, &io.m_axi);
    let mut writer = BurstBench::writer(&mut engine, &design, ports, (MemoryModel::default(), [Stalls::Never; 3], 1));
    writer.bench.reset().unwrap();
    writer.write(last, &[1, 2, 3, 4, 5, 6, 7, 8], 8);
    writer.finish().unwrap();
    assert_eq!(writer.memory.bytes.read(last.address, 8), [1, 2, 3, 4, 5, 6, 7, 8]);
    assert_eq!(writer.outcomes().unwrap()[0].code, 0);
}

ports! {
    struct BothPorts(p: MoverParams) {
        input read: Stream<Command> = stream(command(p)),
        input write: Stream<Command> = stream(command(p)),
        input s_axis: AxiStream = axi_stream(p.axi.data_bytes),
        output m_axis: AxiStream = axi_stream(p.axi.data_bytes).with_user(Some(1)),
        output read_done: Stream<Done> = stream(done(p)),
        output write_done: Stream<Done> = stream(done(p)),
        output m_axi: Axi = axi(p.axi, p.axi),
    }
}

/// A reader and a writer on one bus.
#[module]
fn both(p: MoverParams) -> Result<Design<BothPorts>, Errors> {
    let m = Module::new("both");
    let io = BothPorts::new(m, p);
    let reader = m.instance(&burst_reader("reader", p)?);
    let writer = m.instance(&burst_writer("writer", p)?);
    reader.command.set(io.read);
    writer.command.set(io.write);
    writer.s_axis.set(io.s_axis);
    io.m_axis.set(reader.m_axis);
    io.read_done.set(reader.done);
    io.write_done.set(writer.done);
    io.m_axi.read.set(reader.m_axi);
    io.m_axi.write.set(writer.m_axi);
    m.finish(io)
}

/// Until a write's response is given, reads see the bytes from before, though its data were taken long ago.
#[test]
fn what_is_written_is_seen_with_its_response() {
    let design = both(params(32)).unwrap_or_else(|e| panic!("{e}"));
    let (io, mut engine) = (&design.ports, Simulator::new(&design));
    let mut bench = Bench::new(&mut engine, seed(1));
    let mut memory = Axi4Memory::new(MemoryModel { latency: 60, ..MemoryModel::default() }, seed(2));
    memory.read_port(&mut bench, &design, &io.m_axi);
    memory.write_port(&mut bench, &design, &io.m_axi);
    let commands = [bench.source(&design, &io.read, Stalls::Never), bench.source(&design, &io.write, Stalls::Never)];
    let (words, read) =
        (bench.source(&design, &io.s_axis, Stalls::Never), bench.sink(&design, &io.m_axis, Stalls::Never));
    bench.sink(&design, &io.read_done, Stalls::Never);
    bench.sink(&design, &io.write_done, Stalls::Never);
    bench.reset().unwrap();
    bench.send(commands[1], [[4096, 8, 0]]);
    bench.send(words, packet(&[7; 8], 8));
    for cycle in 0..250 {
        if cycle % 8 == 0 {
            bench.send(commands[0], [[4096, 8, 0]]);
        }
        memory.step(&mut bench).unwrap();
        bench.step().unwrap();
    }
    let (taken, answered) = (memory.written_at(&bench, 0)[0], bench.sent_at(memory.writes[0].b.1)[0]);
    let reads: Vec<(u64, bool)> =
        memory.read_at(&bench, 0).iter().copied().zip(bench.beats(read).iter().map(new)).collect();
    assert!(reads.iter().all(|(cycle, new)| *new == (*cycle > answered)), "{taken}, {answered}: {reads:?}");
    let between = reads.iter().filter(|(cycle, _)| (taken..answered).contains(cycle)).count();
    assert!(between > 0 && reads[reads.len() - 1].1, "{taken}, {answered}: {reads:?}");
}

/// Does this beat have what was written?
fn new(beat: &crate::bus::Beat) -> bool {
    beat.0[0] == BigUint::from_bytes_le(&[7; 8])
}
