use super::axi_write_arbiter;
use crate::memory::axi::{AxiParams, AxiWrite, axi_write};
use crate::memory::burst_writer::burst_writer;
use crate::memory::mover::*;
use crate::memory::testing::*;
use crate::stream::axi_stream::{AxiStream, axi_stream};
use ::sim::burst_bench::{Piece, random_bytes};
use ::sim::bus::axi4_memory::{Axi4Memory, MemoryModel, SparseBytes};
use fastrand::Rng;
use hdl::bus::{Bench, Stalls, packet, seed};
use hdl::*;

ports! {
    struct SharedPorts(masters: u32, p: MoverParams) {
        input command: Vector<Stream<Command>> = vector(stream(command(p)), masters as usize),
        input s_axis: Vector<AxiStream> = vector(axi_stream(p.axi.data_bytes), masters as usize),
        output done: Vector<Stream<Done>> = vector(stream(done(p)), masters as usize),
        output m_axi: AxiWrite = axi_write(AxiParams { id_bits: clog2(masters as usize), ..p.axi }),
    }
}

/// Burst writers on one bus.
#[module]
fn shared(masters: u32, p: MoverParams) -> Result<Design<SharedPorts>, Errors> {
    let m = Module::new("shared");
    let io = SharedPorts::new(m, masters, p);
    let arbiter = m.instance(&axi_write_arbiter("arbiter", masters, p.axi)?);
    let writer = burst_writer("writer", p)?;
    for i in 0..masters as usize {
        let writer = m.instance(&writer);
        writer.command.set(io.command[i]);
        writer.s_axis.set(io.s_axis[i]);
        io.done[i].set(writer.done);
        arbiter.s_axi[i].set(writer.m_axi);
    }
    io.m_axi.set(arbiter.m_axi);
    m.finish(io)
}

/// Each writer's bytes are there, whatever the order of the responses; one whose packets stop coming blocks no other.
#[test]
fn writers_on_one_bus() {
    for (masters, width, blocked) in [(2, 8, None), (3, 4, Some(1)), (5, 16, Some(0)), (16, 8, None)] {
        let p = params(width, 3);
        let design = shared(masters, p).unwrap();
        let seed = seed(u64::from(masters));
        let mut rng = Rng::with_seed(seed);
        let mut engine = jit::simulator(&design);
        let mut bench = Bench::new(&mut engine, seed);
        let model = MemoryModel {
            latency: 9,
            jitter: 20,
            reorders: true,
            outstanding: 64,
            taking: Stalls::Percent(20),
            ..MemoryModel::default()
        };
        let mut memory = Axi4Memory::new(model, seed);
        memory.write_port(&mut bench, &design, &design.ports.m_axi);
        let (io, masters) = (design.ports, masters as usize);
        let commands: Vec<_> = (0..masters).map(|i| bench.source(&design, &io.command[i], Stalls::Never)).collect();
        let data: Vec<_> = (0..masters).map(|i| bench.source(&design, &io.s_axis[i], Stalls::Percent(10))).collect();
        let done: Vec<_> = (0..masters).map(|i| bench.sink(&design, &io.done[i], Stalls::Never)).collect();
        bench.reset().unwrap();
        let mut right = SparseBytes::default();
        for i in 0..masters {
            for tag in 0..20 {
                // each has a region of its own
                let piece = Piece { address: (i as u64) << 16 | rng.u64(0..60_000), bytes: rng.u64(1..900) };
                let bytes = random_bytes(&mut rng, piece.bytes);
                bench.send(commands[i], [[piece.address, piece.bytes, tag]]);
                let mut beats = packet(&bytes, width as usize);
                if Some(i) == blocked {
                    beats.truncate(beats.len() / 2 + usize::from(tag < 3));
                    beats.truncate(if tag > 3 { 0 } else { beats.len() });
                    beats.iter_mut().for_each(|beat| beat.0[2] = 0u32.into());
                } else {
                    right.write(piece.address, &bytes);
                }
                bench.send(data[i], beats);
            }
        }
        let others = || (0..masters).filter(|i| Some(*i) != blocked);
        while others().any(|i| bench.beats(done[i]).len() < 20) {
            memory.step(&mut bench).unwrap();
            bench.step().unwrap();
            assert!(bench.cycle() < 200_000);
        }
        memory.step(&mut bench).unwrap();
        for i in others() {
            let (from, bytes) = ((i as u64) << 16, 1 << 16);
            assert_eq!(memory.bytes.read(from, bytes), right.read(from, bytes), "writer {i} of {masters}");
            assert!(bench.beats(done[i]).iter().all(|beat| beat.field(1) == 0));
        }
    }
}
