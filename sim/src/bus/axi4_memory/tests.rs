use super::*;
use crate::burst_bench::{BurstBench, Piece, random_bytes};
use hdl::sim::Simulator;
use hw::memory::axi::AxiParams;
use hw::memory::burst_reader::burst_reader;
use hw::memory::burst_writer::burst_writer;
use hw::memory::mover::MoverParams;

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
            let cycles = at[at.len() - 1] - at[0] + 1;
            let right = at.len() as u64 * 256 / beats;
            assert!(cycles.abs_diff(right) <= right / 100 + 4, "{beats} beats in 256 cycles: {cycles}, not {right}");
        }
        writer.memory.set_model(MemoryModel::default());
        writer.write(whole, &[7; 32768], 8);
        writer.finish().unwrap();
        assert_eq!(writer.memory.bytes.read(4096 + 32767, 1), [7]);
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
