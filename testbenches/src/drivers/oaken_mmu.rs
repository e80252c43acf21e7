//! The MMU of Oaken: software opens and releases requests over its registers, vectors come and histories are read, with a memory behind it
//! that stalls, comes late and fails, against a model of tokens and bytes.

use super::Driver;
use super::built::build;
use fastrand::Rng;
use hdl::engine::Engine;
use hdl::{Bundle, Design};
use hw::control::RegisterMap;
use hw::oaken::mmu::params::MmuParams;
use hw::oaken::mmu::unit_axi::{UnitAxiPorts, registers, unit_axi};
use sim::bus::axi4::Response;
use sim::bus::axi4_memory::MemoryModel;
use sim::bus::{AxiLiteMaster, Stalls, StreamPorts};
use sim::oaken_mmu_bench::{Group, MmuBench, MmuStreams, Shape};

fn shape(p: MmuParams) -> Shape {
    Shape {
        beat: p.axi.data_bytes as usize,
        page: p.page_bytes.into(),
        pages: p.pages.into(),
        heads: p.heads.into(),
        elements: p.head_elements.into(),
        dense: p.dense_bytes().map(u64::from),
    }
}

fn streams(design: &Design<UnitAxiPorts>) -> MmuStreams {
    let io = design.ports;
    fn of(design: &Design<UnitAxiPorts>, stream: &impl Bundle) -> StreamPorts {
        StreamPorts::of(design, stream)
    }
    MmuStreams {
        append: of(design, &io.append),
        read: of(design, &io.read),
        control: None,
        vectors: [of(design, &io.slice), of(design, &io.s_axis)],
        answers: [of(design, &io.appended), of(design, &io.done)],
        histories: [of(design, &io.history), of(design, &io.m_axis_sparse), of(design, &io.m_axis_dense)],
        free: None,
    }
}

/// What software does, between rounds in which nothing is under way.
struct Software {
    axil: AxiLiteMaster,
    map: RegisterMap,
}

impl Software {
    fn at(&self, register: &str) -> u64 {
        self.map.registers.iter().find(|r| r.name == register).map_or(0, |r| r.offset.into())
    }
    fn write(&self, x: &mut MmuBench, register: &str, value: u64) -> Result<(), String> {
        self.axil.write(&mut x.bench, self.at(register), value).map(|_| ()).map_err(|e| e.to_string())
    }
    fn read(&self, x: &mut MmuBench, register: &str) -> Result<u64, String> {
        self.axil.read(&mut x.bench, self.at(register)).map(|(_, value)| value).map_err(|e| e.to_string())
    }
    /// Opens or releases a request. Gives the code of its outcome.
    fn control(&self, x: &mut MmuBench, release: bool, request: u64) -> Result<u64, String> {
        for start in [0, 1] {
            self.write(x, "command", start << 9 | u64::from(release) << 8 | request)?;
        }
        for _ in 0..20_000 {
            let result = self.read(x, "result")?;
            if result >> 3 & 1 == 0 {
                if release && result == 0 {
                    x.forget(request);
                }
                return Ok(result);
            }
        }
        Err("a command does not end".into())
    }
    fn expect(&self, x: &mut MmuBench, register: &str, expected: u64) -> Result<(), String> {
        let found = self.read(x, register)?;
        if found == expected { Ok(()) } else { Err(format!("{register} is {found:#x}, not {expected:#x}")) }
    }
}

/// An MMU behind its registers.
pub fn driver(name: &str, p: MmuParams) -> Driver {
    let design = build(unit_axi(name, p));
    let held = design.clone();
    let map = registers(name, p);
    Driver::new(name, design, move |engine: &mut dyn Engine, effort| {
        engine.poke(held.ports.enough, 0);
        for round in 0..if effort.long { 20 } else { 2 } {
            let seed = effort.seed * 1000 + round;
            let stalls = [Stalls::Percent(30), Stalls::Never, Stalls::Runs(20)][round as usize % 3];
            let model = MemoryModel {
                latency: 5 + round,
                jitter: 9,
                taking: stalls,
                giving: stalls,
                reorders: true,
                ..MemoryModel::default()
            };
            let ports = (&held, streams(&held), &held.ports.m_axi);
            let mut x = MmuBench::new(&mut *engine, ports, shape(p), (model.clone(), [stalls; 4], seed));
            let axil = AxiLiteMaster::new(&mut x.bench, &held, &held.ports.s_axil, stalls);
            let software = Software { axil, map: map.clone() };
            run(&mut x, &software, (p, model), &mut Rng::with_seed(seed)).map_err(|e| format!("seed {seed}: {e}"))?;
        }
        Ok(())
    })
}

/// The pages lie from this one on.
const BASE: u64 = 0x1003;

fn run(
    x: &mut MmuBench,
    software: &Software,
    (p, model): (MmuParams, MemoryModel),
    rng: &mut Rng,
) -> Result<(), String> {
    x.bench.reset().map_err(|e| e.to_string())?;
    software.write(x, "base", BASE)?;
    software.expect(x, "free", p.pages.into())?;
    let requests = u64::from(p.requests.min(2));
    for (release, request, outcome) in [(true, 0, 2), (false, 0, 0), (false, 0, 3), (false, 255, 1)] {
        let found = software.control(x, release, request)?;
        if found != outcome {
            return Err(format!("release {release} of {request} gave {found}, not {outcome}"));
        }
    }
    (1..requests).try_for_each(|request| software.control(x, false, request).map(|_| ()))?;
    let group = |rng: &mut Rng| -> Group { [rng.u64(0..requests), rng.u64(0..2.min(p.layers.into())), rng.u64(0..2)] };
    let mut good = 0;
    for part in 0..6 {
        // a page that answers with an error, in every second part
        let bad = (BASE + rng.u64(0..40)) * u64::from(p.page_bytes);
        let errors = if part % 2 == 1 { vec![(bad..bad + 300, Response::Slave)] } else { vec![] };
        x.memory.set_model(MemoryModel { errors, ..model.clone() });
        for _ in 0..rng.u32(3..9) {
            let group = group(rng);
            let slices = x.shape.random_slices(rng, group, 7);
            x.append(group, slices, part == 4 && rng.bool());
        }
        let codes = x.finish_appends()?;
        if codes
            .iter()
            .any(|code| ![0, 6, 7].contains(code) || (*code == 6 && part % 2 == 0) || (*code == 7 && part != 4))
        {
            return Err(format!("in part {part} appends ended with {codes:?}"));
        }
        good += codes.iter().filter(|code| **code == 0).count() as u64;
        x.memory.set_model(model.clone());
        (0..4).for_each(|_| x.ask(group(rng), rng.u64(0..p.heads.into()), rng.u64(0..4)));
        if x.finish_reads()?.iter().any(|code| *code != 0) {
            return Err("a read failed".into());
        }
    }
    software.expect(x, "appended", good)?;
    software.expect(x, "read", 24)?;
    let used = x.used_pages();
    software.expect(x, "free", u64::from(p.pages) - used)?;
    (0..requests).try_for_each(|request| software.control(x, true, request).map(|_| ()))?;
    software.expect(x, "free", p.pages.into())
}
