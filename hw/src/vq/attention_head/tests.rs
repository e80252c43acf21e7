use super::*;
use ::sim::bus::axi4_memory::MemoryModel;
use ::sim::golden::vq::attention_head::HeadUnit;
use ::sim::golden::vq::tables::TableUnit;
use ::sim::vq_head_bench::{HeadBench, HeadMemory, HeadPorts};
use fastrand::Rng;
use hdl::bus::{Stalls, run_seed};
use hdl::engine::Engine;

const SMALL: HeadParams = HeadParams { entries: 16, vector: 2, positions: 16, tokens: 32, address_bits: 32 };

fn register(name: &str) -> u64 {
    registers("head", SMALL).offset(name)
}

fn unit(p: HeadParams) -> HeadUnit {
    let [entries, vector, positions, max_tokens] =
        [p.entries, p.vector, p.positions, p.tokens].map(|x| x as usize);
    let table = TableUnit { entries, vector, positions, residuals: 1, queries: 1, max_tokens };
    HeadUnit { table, copies: p.values().copies() as usize }
}

fn bench<'e>(
    sim: &'e mut dyn Engine,
    design: &Design<AttentionHeadPorts>,
    p: HeadParams,
    memory: (MemoryModel, u64),
) -> HeadBench<'e> {
    let io = &design.ports;
    let ports = HeadPorts { axil: &io.s_axil, reads: &io.m_axi_read, writes: &io.m_axi_write, register };
    HeadBench::new(sim, design, ports, (unit(p), p.address_bits > 32), memory).unwrap()
}

#[test]
fn random_jobs() {
    let shapes = [
        SMALL,
        HeadParams { entries: 8, vector: 4, positions: 8, tokens: 8, address_bits: 40 },
        HeadParams { entries: 32, vector: 2, positions: 24, tokens: 16, address_bits: 64 },
    ];
    for (number, p) in shapes.into_iter().enumerate() {
        let design = attention_head("head", p).unwrap_or_else(|e| panic!("{e}"));
        let mut sim = jit::simulator(&design);
        for round in 0..3 {
            let seed = run_seed(10 * number as u64 + round);
            let mut rng = Rng::with_seed(seed);
            let stalls = [Stalls::Never, Stalls::Percent(40), Stalls::Runs(20)][round as usize];
            let latency = rng.u64(1..60);
            let model = MemoryModel { latency, taking: stalls, giving: stalls, ..MemoryModel::default() };
            let mut bench = bench(&mut sim, &design, p, (model, seed));
            random(&mut bench, &mut rng, (p.address_bits, 20)).unwrap_or_else(|e| panic!("{p:?}, seed {seed}: {e}"));
        }
    }
}

/// Random jobs on a few keys and values, half of them with something wrong.
fn random(bench: &mut HeadBench, rng: &mut Rng, (address_bits, jobs): (u32, usize)) -> Result<(), String> {
    let unit = bench.unit;
    let tokens = rng.usize(0..unit.table.max_tokens);
    let base = rng.u64(..) >> (64 - address_bits) & !0xff_ffff;
    let mut memory = HeadMemory::random(&unit, rng, &mut bench.memory.bytes, (base, tokens));
    for _ in 0..jobs {
        memory.new_vectors(&unit, rng, &mut bench.memory.bytes);
        let before = bench.memory.bytes.clone();
        let (mut job, errors) = match rng.bool() {
            true => memory.damage(&unit, rng, &mut bench.memory.bytes),
            false => (memory.job, vec![]),
        };
        (job.append, job.attend) = [(true, true), (false, true), (true, false), (false, false)][rng.usize(0..4)];
        bench.set_errors(errors);
        bench.run(&job)?;
        bench.set_errors(vec![]);
        let appended = job.append && job.tokens == memory.job.tokens && job.tokens < unit.table.max_tokens;
        memory.job.tokens += usize::from(appended && rng.bool());
        memory.mend(&unit, &mut bench.memory.bytes, &before);
    }
    Ok(())
}
