use super::axi_read_arbiter;
use crate::memory::axi::{AxiParams, AxiRead, axi_read};
use crate::memory::burst_reader::{BurstReaderPorts, burst_reader};
use crate::memory::mover::*;
use crate::memory::testing::*;
use crate::stream::axi_stream::{AxiStream, axi_stream};
use ::sim::burst_bench::{Piece, random_bytes};
use ::sim::bus::axi4_memory::{Axi4Memory, MemoryModel};
use fastrand::Rng;
use hdl::bus::{Bench, Stalls, seed};
use hdl::*;

ports! {
    struct SharedPorts(masters: u32, p: MoverParams) {
        input command: Vector<Stream<Command>> = vector(stream(command(p)), masters as usize),
        output m_axis: Vector<AxiStream> = vector(axi_stream(p.axi.data_bytes).with_user(Some(1)), masters as usize),
        output done: Vector<Stream<Done>> = vector(stream(done(p)), masters as usize),
        output m_axi: AxiRead = axi_read(AxiParams { id_bits: clog2(masters as usize), ..p.axi }),
    }
}

/// Burst readers on one bus.
#[module]
fn shared(masters: u32, p: MoverParams) -> Result<Design<SharedPorts>, Errors> {
    let m = Module::new("shared");
    let io = SharedPorts::new(m, masters, p);
    let arbiter = m.instance(&axi_read_arbiter("arbiter", masters, p.axi)?);
    let reader: Design<BurstReaderPorts> = burst_reader("reader", p)?;
    for i in 0..masters as usize {
        let reader = m.instance(&reader);
        reader.command.set(io.command[i]);
        io.m_axis[i].set(reader.m_axis);
        io.done[i].set(reader.done);
        arbiter.s_axi[i].set(reader.m_axi);
    }
    io.m_axi.set(arbiter.m_axi);
    m.finish(io)
}

/// Each reader gets its own bytes in order, while the memory mixes the bursts of all; one whose packets nobody takes blocks no other.
#[test]
fn readers_on_one_bus() {
    for (masters, width, blocked) in [(2, 8, None), (3, 4, Some(1)), (5, 16, Some(0)), (16, 8, None)] {
        let p = params(width, 3);
        let design = shared(masters, p).unwrap();
        let seed = seed(u64::from(masters));
        let mut rng = Rng::with_seed(seed);
        let mut engine = jit::simulator(&design);
        let mut bench = Bench::new(&mut engine, seed);
        let model = MemoryModel { latency: 9, jitter: 20, reorders: true, outstanding: 64, ..MemoryModel::default() };
        let mut memory = Axi4Memory::new(model, seed);
        memory.read_port(&mut bench, &design, &design.ports.m_axi);
        let io = design.ports;
        let masters = masters as usize;
        let stalls = |i: usize| if Some(i) == blocked { Stalls::Always } else { Stalls::Percent(20) };
        let commands: Vec<_> = (0..masters).map(|i| bench.source(&design, &io.command[i], Stalls::Never)).collect();
        let data: Vec<_> = (0..masters).map(|i| bench.sink(&design, &io.m_axis[i], stalls(i))).collect();
        let done: Vec<_> = (0..masters).map(|i| bench.sink(&design, &io.done[i], Stalls::Never)).collect();
        bench.reset().unwrap();
        let pieces: Vec<Vec<Piece>> =
            (0..masters).map(|_| (0..20).map(|_| bus(p).random_piece(&mut rng, 900)).collect()).collect();
        for (pieces, command) in pieces.iter().zip(&commands) {
            for (tag, piece) in pieces.iter().enumerate() {
                memory.bytes.write(piece.address, &random_bytes(&mut rng, piece.bytes));
                bench.send(*command, [[piece.address, piece.bytes, tag as u64]]);
            }
        }
        let others = || (0..masters).filter(|i| Some(*i) != blocked);
        let ended = |bench: &Bench, i: usize| bench.beats(data[i]).iter().filter(|beat| beat.field(2) == 1).count();
        while others().any(|i| bench.beats(done[i]).len() < 20 || ended(&bench, i) < 20) {
            memory.step(&mut bench).unwrap();
            bench.step().unwrap();
            assert!(bench.cycle() < 200_000);
        }
        for i in others() {
            let got: Vec<u8> = bench
                .beats(data[i])
                .iter()
                .flat_map(|beat| {
                    let mut bytes = beat.0[0].to_bytes_le();
                    bytes.resize(width as usize, 0);
                    bytes.truncate(beat.field(1).count_ones() as usize);
                    bytes
                })
                .collect();
            let right: Vec<u8> =
                pieces[i].iter().flat_map(|piece| memory.bytes.read(piece.address, piece.bytes as usize)).collect();
            assert_eq!(got, right, "reader {i} of {masters}");
        }
    }
}
