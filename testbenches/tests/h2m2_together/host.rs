//! Software on the host: page tables in both memories, kernels that are registered, pages that move, requests that end. It talks to the
//! hardware as software does, by registers and commands; only tables and new pages are written through the back door of the memories.

use super::cores::{Core, Counts, Ends, Kernel};
use super::decode::Decode;
use super::system::{PAGE_BITS, SystemPorts, mmu};
use driver::entry::{Entry, Side};
use driver::footprint::RequestId;
use driver::manager::{Change, Manager, Settings, Step};
use driver::migration::Move;
use hdl::Design;
use hdl::engine::Engine;
use hw::h2m2::mmu_axi::registers;
use sim::bus::axi4_memory::{Axi4Memory, MemoryModel};
use sim::bus::{AxiLiteMaster, Bench, Sink, Source, Stalls};
use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

/// Where the page table begins in the memory of each side.
pub const TABLE: u64 = 0x10_0000;
/// Where the pages begin.
pub const PAGES: u64 = 0x20_0000;
/// Cycles after which a run is given up.
const PATIENCE: u64 = 3_000_000;

/// The whole system with everything around it.
pub struct Host<'e> {
    bench: Bench<'e>,
    memories: [Axi4Memory; 2],
    registers: [AxiLiteMaster; 2],
    cores: [Core; 2],
    register: Source,
    answer: Sink,
    migrate: Source,
    migrated: Sink,
    /// The driver.
    pub manager: Manager,
    /// The model, and what must be in memory.
    pub decode: Decode,
    kernels: BTreeMap<usize, Kernel>,
    completed: usize,
    answered: usize,
}

impl<'e> Host<'e> {
    /// After a reset, with the weights in memory.
    pub fn new(
        engine: &'e mut dyn Engine,
        design: &Design<SystemPorts>,
        settings: &Settings,
        (models, stalls, seed): ([MemoryModel; 2], Stalls, u64),
    ) -> Result<Host<'e>, String> {
        let manager = Manager::new(settings).map_err(|e| e.to_string())?;
        let io = &design.ports;
        let mut bench = Bench::new(engine, seed);
        let mut memories = models.map(|model| Axi4Memory::new(model, seed));
        for (i, memory) in memories.iter_mut().enumerate() {
            memory.read_port(&mut bench, design, &io.walks[i]);
            memory.read_port(&mut bench, design, &io.page_reads[i]);
            memory.write_port(&mut bench, design, &io.page_writes[i]);
            memory.read_port(&mut bench, design, &io.table_reads[i]);
            memory.write_port(&mut bench, design, &io.table_writes[i]);
            for core in 0..2 {
                memory.read_port(&mut bench, design, &io.reads[2 * core + i]);
                memory.write_port(&mut bench, design, &io.writes[2 * core + i]);
            }
        }
        let registers = [0, 1].map(|i| AxiLiteMaster::new(&mut bench, design, &io.s_axil[i], Stalls::Never));
        let cores = [0, 1].map(|side| Core::new(&mut bench, design, side, stalls));
        let (register, migrate) =
            (bench.source(design, &io.register, stalls), bench.source(design, &io.migrate, stalls));
        let (answer, migrated) = (bench.sink(design, &io.answer, stalls), bench.sink(design, &io.migrated, stalls));
        for side in 0..2 {
            let base = bench.engine.port(&format!("base_{side}")).ok_or("no port base")?;
            bench.engine.poke(base, TABLE >> 12);
        }
        bench.reset().map_err(|e| e.to_string())?;
        let (kernels, decode) = (BTreeMap::new(), Decode::new());
        let (completed, answered) = (0, 0);
        let mut host = Host {
            bench,
            memories,
            registers,
            cores,
            register,
            answer,
            migrate,
            migrated,
            manager,
            decode,
            kernels,
            completed,
            answered,
        };
        host.start()?;
        Ok(host)
    }

    /// Tables and weights are written, and both MMUs enabled.
    fn start(&mut self) -> Ends {
        let mapped: Vec<u64> = (0..self.manager.table().pages()).collect();
        mapped.into_iter().try_for_each(|page| self.map(page))?;
        let pages = self.manager.table().pages();
        for (name, value) in [("base_low", TABLE), ("pages", pages), ("enable", 1)] {
            for side in 0..2 {
                self.write(side, name, value)?;
            }
        }
        Ok(())
    }

    /// A decode step: requests that begin, grow or end, then all kernels, while pages move.
    pub fn step(&mut self, changes: &[Change], new: &BTreeMap<RequestId, Range<u64>>) -> Result<Step, String> {
        let step = self.manager.step(changes).map_err(|e| e.to_string())?;
        self.forget(&step.unmapped)?;
        let batches: Vec<Vec<Move>> = step.plan.batches().into_iter().map(<[Move]>::to_vec).collect();
        let mut moves =
            Moves { batches: batches.into(), under_way: VecDeque::new(), seen: self.bench.beats(self.migrated).len() };
        // pages that lie where a page is now that is to be moved wait until that is gone
        let left: Vec<(Side, u64)> = step.plan.moves.iter().map(|m| (m.from, m.from_address)).collect();
        let (mut late, now): (Vec<u64>, Vec<u64>) = step
            .mapped
            .iter()
            .partition(|page| self.entry(**page).is_some_and(|e| left.contains(&(e.side, e.address))));
        now.into_iter().try_for_each(|page| self.map(page))?;
        let mut kernels: VecDeque<Kernel> = self.decode.step(&self.manager, new).into();
        let (total, limit) = (kernels.len() + self.completed, self.bench.cycle() + PATIENCE);
        while self.completed < total || !moves.over() || !self.cores.iter().all(Core::is_idle) {
            moves.go_on(self)?;
            if moves.over() {
                std::mem::take(&mut late).into_iter().try_for_each(|page| self.map(page))?;
            }
            // keys and values may lie in pages that are not there yet
            let may = |kernel: &Kernel| late.is_empty() || !kernel.phases.iter().flatten().any(|access| access.write);
            while kernels.front().is_some_and(may) {
                let kernel = kernels.pop_front().expect("there is one");
                self.launch(kernel);
            }
            self.cycle()?;
            if self.bench.cycle() > limit {
                return Err(format!("{} of {total} kernels are over, moves: {moves:?}", self.completed));
            }
        }
        self.cycle()?; // the last translations were handed back
        Ok(step)
    }

    /// What the cores counted.
    pub fn counts(&self) -> [Counts; 2] {
        [0, 1].map(|side: usize| self.cores[side].counts)
    }

    /// What each core asked its MMU for.
    pub fn asked(&self) -> [&[(u64, bool)]; 2] {
        [0, 1].map(|side: usize| &*self.cores[side].asked)
    }

    /// Cycles so far.
    pub fn cycles(&self) -> u64 {
        self.bench.cycle()
    }

    /// Every mapped page holds what it must, and both tables say what the driver says. Gives the bytes that were compared.
    pub fn compare(&self) -> Result<u64, String> {
        let bytes = self.manager.layout().page().bytes();
        let mut compared = 0;
        for page in 0..self.manager.table().pages() {
            let entry = self.entry(page);
            let word = entry.map_or(0, |e| e.encode(self.manager.layout().page()).expect("the driver's own"));
            for (side, memory) in self.memories.iter().enumerate() {
                let found = memory.bytes.read(TABLE + 8 * page, 8);
                if found != word.to_le_bytes() {
                    return Err(format!("table {side}: page {page} has {found:x?}, not {word:#x}"));
                }
            }
            let Some(entry) = entry else { continue };
            if self.memories[entry.side as usize].bytes.read(entry.address, bytes as usize)
                != self.decode.golden.page(page, bytes)
            {
                return Err(format!("page {page} at {entry:x?} has wrong bytes"));
            }
            compared += bytes;
        }
        Ok(compared)
    }

    fn entry(&self, page: u64) -> Option<Entry> {
        self.manager.table().get(page).ok().flatten()
    }

    /// A new page: what is in it, and its entries.
    fn map(&mut self, page: u64) -> Ends {
        let Some(entry) = self.entry(page) else { return Ok(()) };
        let size = self.manager.layout().page();
        let data = self.decode.golden.page(page, size.bytes());
        self.memories[entry.side as usize].bytes.write(entry.address, &data);
        let word = entry.encode(size).map_err(|e| e.to_string())?;
        self.memories.iter_mut().for_each(|memory| memory.bytes.write(TABLE + 8 * page, &word.to_le_bytes()));
        Ok(())
    }

    /// Pages of requests that ended are not mapped any more, and nobody uses them.
    fn forget(&mut self, pages: &[u64]) -> Ends {
        for &page in pages {
            self.decode.golden.forget(page);
            self.memories.iter_mut().for_each(|memory| memory.bytes.write(TABLE + 8 * page, &[0; 8]));
            for side in 0..2 {
                for (name, value) in [("first", page), ("last", page), ("invalidate", 1), ("invalidate", 0)] {
                    self.write(side, name, value)?;
                }
                // busy in bit 1, drained in bit 2
                while self.read(side, "invalidate")? & 6 != 4 {}
            }
        }
        Ok(())
    }

    fn launch(&mut self, kernel: Kernel) {
        let Kernel { slot, side, after, .. } = kernel;
        self.bench.send(self.register, [[slot as u64, side as u64, after]]);
        self.kernels.insert(slot, kernel);
    }

    /// One cycle of everything.
    fn cycle(&mut self) -> Ends {
        for memory in &mut self.memories {
            memory.step(&mut self.bench).map_err(|e| format!("{e:?}"))?;
        }
        self.cores.iter_mut().for_each(|core| core.hand_back(self.bench.engine));
        self.bench.step().map_err(|e| e.to_string())?;
        let kernels = &self.kernels;
        for core in &mut self.cores {
            self.completed += usize::from(core.step(&mut self.bench, |slot| kernels.get(&slot).cloned())?);
        }
        for beat in &self.bench.beats(self.answer)[self.answered..] {
            self.answered += 1;
            if beat.field(1) != 0 {
                return Err(format!("kernel {} was not registered: {}", beat.field(0), beat.field(1)));
            }
        }
        Ok(())
    }

    /// A register, while nothing else is under way.
    fn write(&mut self, side: usize, name: &str, value: u64) -> Ends {
        self.registers[side].write(&mut self.bench, address(name), value).map(drop).map_err(|e| e.to_string())
    }

    fn read(&mut self, side: usize, name: &str) -> Result<u64, String> {
        self.registers[side].read(&mut self.bench, address(name)).map(|x| x.1).map_err(|e| e.to_string())
    }
}

/// Pages that are to be moved: those of a batch go to places that were free before it.
#[derive(Debug)]
struct Moves {
    batches: VecDeque<Vec<Move>>,
    under_way: VecDeque<Move>,
    seen: usize,
}

impl Moves {
    fn over(&self) -> bool {
        self.batches.is_empty() && self.under_way.is_empty()
    }
    /// Looks at what was moved; behind a batch, the next one begins.
    fn go_on(&mut self, host: &mut Host) -> Ends {
        for beat in &host.bench.beats(host.migrated)[self.seen..] {
            self.seen += 1;
            let m = self.under_way.pop_front().ok_or("a page was moved that was not to be")?;
            let found = [0, 1, 2, 3].map(|field| beat.field(field));
            let right = [m.page, 0, m.from as u64, m.from_address >> PAGE_BITS];
            if found != right {
                return Err(format!("{m:x?} ended with {found:x?}"));
            }
        }
        if self.under_way.is_empty() {
            self.under_way = self.batches.pop_front().unwrap_or_default().into();
            for m in &self.under_way {
                let (from, to) = (m.from_address >> PAGE_BITS, m.to_address >> PAGE_BITS);
                host.bench.send(host.migrate, [[m.page, m.from as u64, from, m.to as u64, to, 3]]);
            }
        }
        Ok(())
    }
}

fn address(name: &str) -> u64 {
    registers("mmu", mmu()).offset(name)
}
