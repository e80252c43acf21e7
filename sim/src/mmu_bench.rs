//! The MMU of H2M2 (`hw::h2m2`) with its requesters, a page table that changes, and a memory behind it. Every answer is compared with what
//! [`golden::mmu`](crate::golden::mmu) says is possible.

use crate::bus::axi4::Response;
use crate::bus::axi4_memory::{Axi4Memory, MemoryModel};
use crate::bus::{AxiLiteMaster, Bench, Sink, Source, Stalls};
use crate::golden::mmu::{Burst, Geometry, History, Stored, Translated, cause};
use fastrand::Rng;
use hdl::engine::Engine;
use hdl::{Bundle, Design};
use std::collections::VecDeque;

/// The ports of an MMU, and where its registers are.
pub struct MmuPorts<'p, R, A, I, L, X> {
    /// Requests.
    pub requests: &'p [R],
    /// Answers.
    pub responses: &'p [A],
    /// Invalidation.
    pub invalidate: &'p I,
    /// Registers.
    pub axil: &'p L,
    /// Reads of the table.
    pub axi: &'p X,
    /// Byte address of the register of a name.
    pub register: fn(&str) -> u64,
}

/// A request that was not answered yet.
#[derive(Clone, Copy, Debug)]
struct Asked {
    burst: Burst,
    tag: u64,
}

/// A translation in use.
#[derive(Clone, Copy, Debug)]
struct Used {
    burst: Burst,
    translated: Translated,
    epoch: u64,
    until: u64,
}

struct Requester {
    source: Source,
    sink: Sink,
    back: [usize; 2],
    asked: VecDeque<Asked>,
    answered: usize,
    in_use: Vec<Used>,
    tag: u64,
}

/// An invalidation under way: pages, and the cycle in which it was asked for.
#[derive(Clone, Copy, Debug)]
struct Invalidation {
    first: u64,
    last: u64,
    asked: u64,
}

/// An answer as it came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Given {
    /// Its requester.
    pub requester: usize,
    /// What it was asked.
    pub burst: Burst,
    /// What it is.
    pub translated: Translated,
    /// When it was asked, and when it was taken.
    pub cycles: (u64, u64),
}

/// An MMU with everything around it.
pub struct MmuBench<'e> {
    /// Everything that moves.
    pub bench: Bench<'e>,
    /// What is behind the bus.
    pub memory: Axi4Memory,
    /// All answers.
    pub given: Vec<Given>,
    /// Addresses.
    pub geometry: Geometry,
    /// What was in the table.
    pub history: History,
    /// Cycles until a translation is handed back, at most.
    pub use_for: u64,
    /// The cycles in which `drained` was seen first after an invalidation.
    pub drained_at: Vec<u64>,
    model: MemoryModel,
    axil: AxiLiteMaster,
    register: fn(&str) -> u64,
    requesters: Vec<Requester>,
    invalidate: Source,
    by_port: VecDeque<Invalidation>,
    by_software: Option<Invalidation>,
    /// Registers that were read and written.
    reads: usize,
    writes: usize,
    /// Software waits for its invalidation.
    polls: bool,
    status: [usize; 2],
    /// An invalidation is done and not drained.
    drains: bool,
    base: u64,
    pages: u64,
    rng: Rng,
}

type Ends = Result<(), String>;

impl<'e> MmuBench<'e> {
    /// An MMU after a reset, not enabled.
    pub fn new<P, R: Bundle, A: Bundle, I: Bundle, L: Bundle, X: Bundle>(
        engine: &'e mut dyn Engine,
        design: &Design<P>,
        ports: MmuPorts<R, A, I, L, X>,
        geometry: Geometry,
        (model, stalls, seed): (MemoryModel, [Stalls; 2], u64),
    ) -> Result<MmuBench<'e>, String> {
        let mut bench = Bench::new(engine, seed);
        let mut memory = Axi4Memory::new(model.clone(), seed);
        memory.read_port(&mut bench, design, ports.axi);
        let axil = AxiLiteMaster::new(&mut bench, design, ports.axil, Stalls::Never);
        let invalidate = bench.source(design, ports.invalidate, Stalls::Never);
        let port = |bench: &Bench, name: String| bench.engine.port(&name).ok_or(format!("no port {name}"));
        let mut requesters = vec![];
        for (i, (request, response)) in ports.requests.iter().zip(ports.responses).enumerate() {
            let source = bench.source(design, request, stalls[0]);
            let sink = bench.sink(design, response, stalls[1]);
            let back = [port(&bench, format!("back_{i}_valid"))?, port(&bench, format!("back_{i}_epoch"))?];
            bench.engine.poke(back[0], 0);
            let (asked, in_use) = Default::default();
            requesters.push(Requester { source, sink, back, asked, answered: 0, in_use, tag: 0 });
        }
        let status = [port(&bench, "done".into())?, port(&bench, "drained".into())?];
        bench.reset().map_err(|e| e.to_string())?;
        let (given, history, drained_at, by_port) = Default::default();
        Ok(MmuBench {
            bench,
            memory,
            given,
            geometry,
            history,
            use_for: 30,
            drained_at,
            model,
            axil,
            register: ports.register,
            requesters,
            invalidate,
            by_port,
            by_software: None,
            reads: 0,
            writes: 0,
            polls: false,
            status,
            drains: false,
            base: 0,
            pages: 0,
            rng: Rng::with_seed(seed),
        })
    }

    /// Sets the table and enables the MMU.
    pub fn start(&mut self, base: u64, pages: u64) -> Ends {
        (self.base, self.pages) = (base, pages);
        let high = (self.geometry.physical_bits > 32).then_some(("base_high", base >> 32));
        let low = [("base_low", base & 0xffff_ffff), ("pages", pages)];
        for (name, value) in high.into_iter().chain(low).chain([("enable", 1)]) {
            self.write(name, value)?;
        }
        Ok(())
    }

    /// Writes a register, while nothing else is under way.
    pub fn write(&mut self, name: &str, value: u64) -> Ends {
        let at = (self.register)(name);
        self.writes += 1;
        self.axil.write(&mut self.bench, at, value).map(drop).map_err(|e| e.to_string())
    }

    /// A register, read while nothing else is under way.
    pub fn read(&mut self, name: &str) -> Result<u64, String> {
        let at = (self.register)(name);
        self.reads += 1;
        self.axil.read(&mut self.bench, at).map(|(_, value)| value).map_err(|e| e.to_string())
    }

    /// A counter, likewise.
    pub fn counter(&mut self, number: u64) -> Result<u64, String> {
        self.write("select", number)?;
        self.read("counter")
    }

    /// Clears flags of the log of faults.
    pub fn clear(&mut self, flags: u64) -> Ends {
        self.write("fault", flags)
    }

    /// Writes an entry to the table in memory.
    pub fn store(&mut self, page: u64, word: u64) {
        self.memory.bytes.write(self.base + 8 * page, &word.to_le_bytes());
        if self.model.error_at(self.base + 8 * page).is_none() {
            self.history.store(page, self.bench.cycle(), Stored::Word(word));
        }
    }

    /// The table of this page, and of those in the same 64 bytes, cannot be read any more, or can again.
    pub fn set_error(&mut self, page: u64, error: Option<Response>) {
        if error.is_some() {
            self.clear_error();
        }
        let first = page / 8 * 8;
        let range = self.base + 8 * first..self.base + 8 * first + 64;
        self.model.errors = error.into_iter().map(|error| (range.clone(), error)).collect();
        let cycle = self.bench.cycle();
        for page in first..first + 8 {
            let bytes = self.memory.bytes.read(self.base + 8 * page, 8);
            let word = u64::from_le_bytes(bytes.try_into().unwrap_or_default());
            let stored = if error.is_some() { Stored::Unreadable } else { Stored::Word(word) };
            self.history.store(page, cycle, stored);
        }
        self.memory.set_model(self.model.clone());
    }

    /// Asks for a translation.
    pub fn ask(&mut self, requester: usize, burst: Burst) {
        let Requester { source, asked, tag, .. } = &mut self.requesters[requester];
        *tag = (*tag + 1) % 2;
        asked.push_back(Asked { burst, tag: *tag });
        self.bench.send(*source, [[burst.address, burst.bytes - 1, burst.write.into(), *tag]]);
    }

    /// Invalidates pages over the port.
    pub fn invalidate(&mut self, first: u64, last: u64) {
        self.by_port.push_back(Invalidation { first, last, asked: self.bench.cycle() });
        self.bench.send(self.invalidate, [[first, last]]);
    }

    /// Invalidates pages by registers. Not, while such an invalidation is under way.
    pub fn invalidate_by_software(&mut self, first: u64, last: u64) {
        if self.by_software.is_some() {
            return;
        }
        self.by_software = Some(Invalidation { first, last, asked: self.bench.cycle() });
        for (name, value) in [("first", first), ("last", last), ("invalidate", 1), ("invalidate", 0)] {
            self.writes += 1;
            self.axil.queue_write(&mut self.bench, (self.register)(name), value, 15);
        }
    }

    /// Invalidations under way.
    pub fn invalidating(&self) -> bool {
        !self.by_port.is_empty() || self.by_software.is_some()
    }

    /// Requests without an answer.
    pub fn unanswered(&self) -> usize {
        self.requesters.iter().map(|r| r.asked.len()).sum()
    }

    /// Stalls of one requester's answers from now on.
    pub fn stall(&mut self, requester: usize, stalls: Stalls) {
        self.bench.stall_sink(self.requesters[requester].sink, stalls);
    }

    /// One cycle.
    pub fn step(&mut self) -> Ends {
        self.memory.step(&mut self.bench).map_err(|e| format!("{e:?}"))?;
        let cycle = self.bench.cycle();
        let [done, drained] = self.status.map(|port| self.bench.engine.peek(port) == 1);
        if done {
            let x = self.by_port.pop_front().ok_or("done, and nothing was to be invalidated")?;
            self.history.invalidated(x.first, x.last, x.asked, cycle);
            self.drains = true;
        }
        if drained {
            self.nobody_uses_old_entries(cycle)?;
            self.drained_at.extend(std::mem::take(&mut self.drains).then_some(cycle));
        }
        for i in 0..self.requesters.len() {
            self.hand_back(i, cycle);
        }
        self.bench.step().map_err(|e| e.to_string())?;
        self.requesters.iter().for_each(|r| self.bench.engine.poke(r.back[0], 0));
        (0..self.requesters.len()).try_for_each(|i| self.compare(i))?;
        self.poll()
    }

    /// Every translation in use is one that an answer in this cycle could be.
    fn nobody_uses_old_entries(&self, cycle: u64) -> Ends {
        for used in self.requesters.iter().flat_map(|r| &r.in_use) {
            let page = self.geometry.page(used.burst.address);
            let possible = self.history.possible(page, cycle + 1);
            let right = |entry: &Stored| self.geometry.translate(used.burst, *entry, self.pages) == used.translated;
            if !possible.iter().any(right) {
                return Err(format!("cycle {cycle}: drained, and {used:x?} is in use; possible: {possible:x?}"));
            }
        }
        Ok(())
    }

    /// Hands one of those back that are due, in any order.
    fn hand_back(&mut self, i: usize, cycle: u64) {
        let r = &mut self.requesters[i];
        let due: Vec<usize> = (0..r.in_use.len()).filter(|at| r.in_use[*at].until <= cycle).collect();
        let chosen = (!due.is_empty()).then(|| due[self.rng.usize(0..due.len())]);
        let epoch = chosen.map_or(self.rng.u64(0..2), |at| r.in_use.swap_remove(at).epoch);
        self.bench.engine.poke(r.back[0], chosen.is_some().into());
        self.bench.engine.poke(r.back[1], epoch);
    }

    /// Compares new answers with what is possible.
    fn compare(&mut self, i: usize) -> Ends {
        let r = &mut self.requesters[i];
        while r.answered < self.bench.beats(r.sink).len() {
            let beat = &self.bench.beats(r.sink)[r.answered];
            let [address, side, cause, epoch, tag] = [0, 1, 2, 3, 4].map(|field| beat.field(field));
            let cycles = (self.bench.sent_at(r.source)[r.answered], self.bench.received_at(r.sink)[r.answered]);
            let asked = r.asked.pop_front().ok_or(format!("requester {i} has an answer and asked nothing"))?;
            let translated = Translated { address, side, cause };
            let page = self.geometry.page(asked.burst.address);
            let possible = self.history.possible(page, cycles.1);
            let right = |entry: &Stored| self.geometry.translate(asked.burst, *entry, self.pages) == translated;
            if tag != asked.tag || !possible.iter().any(right) {
                return Err(format!(
                    "requester {i}, cycles {cycles:?}: {asked:x?} of page {page:#x} gave {translated:x?} with tag {tag}; possible: {possible:x?}"
                ));
            }
            if cause == cause::NONE {
                let until = cycles.1 + 1 + self.rng.u64(0..=self.use_for);
                r.in_use.push(Used { burst: asked.burst, translated, epoch, until });
            }
            r.answered += 1;
            self.given.push(Given { requester: i, burst: asked.burst, translated, cycles });
        }
        Ok(())
    }

    /// Looks whether software's invalidation is done.
    fn poll(&mut self) -> Ends {
        let Some(x) = self.by_software else { return Ok(()) };
        let reads = self.axil.read_responses(&self.bench).map_err(|e| e.to_string())?;
        let written = self.axil.write_responses(&self.bench).map_err(|e| e.to_string())?.len();
        if reads.len() < self.reads || written < self.writes {
            return Ok(());
        }
        if self.polls && reads.last().is_some_and(|(_, value)| value & 2 == 0) {
            self.history.invalidated(x.first, x.last, x.asked, self.bench.cycle());
            (self.by_software, self.polls) = (None, false);
            return Ok(());
        }
        self.polls = true;
        self.reads += 1;
        self.axil.queue_read(&mut self.bench, (self.register)("invalidate"));
        Ok(())
    }

    /// Runs until everything is answered, invalidated and handed back.
    pub fn finish(&mut self, limit: u64) -> Ends {
        for _ in 0..limit {
            let in_use = self.requesters.iter().any(|r| !r.in_use.is_empty());
            let drained = self.bench.engine.peek(self.status[1]) == 1;
            if self.unanswered() == 0 && !self.invalidating() && !in_use && drained && self.memory.is_idle() {
                return Ok(());
            }
            self.step()?;
        }
        Err(format!(
            "{} requests have no answer; invalidations: {:?} {:?}",
            self.unanswered(),
            self.by_port,
            self.by_software
        ))
    }
}

/// Random traffic.
impl MmuBench<'_> {
    /// Requests, changes of the table, errors and invalidations at random for so many cycles; then until all is over.
    pub fn random(&mut self, cycles: u64, rng: &mut Rng) -> Ends {
        let pages = rng.u64(100..400).min(self.geometry.pages() - 1);
        let most = (1u64 << self.geometry.physical_bits) - 8 * pages - 4096;
        self.start(rng.u64(0..most) / 4096 * 4096, pages)?;
        (0..pages).for_each(|page| {
            let word = self.random_entry(rng);
            self.store(page, word);
        });
        self.invalidate(0, self.geometry.pages() - 1);
        for cycle in 0..cycles {
            // quiet at times, so that invalidations find nothing under way
            if cycle % 1000 < 900 && self.unanswered() < 40 * self.requesters.len() {
                for requester in 0..self.requesters.len() {
                    let burst = self.random_burst(rng);
                    self.ask(requester, burst);
                }
            }
            self.disturb(pages, rng);
            self.step()?;
        }
        self.finish(20_000)
    }

    fn disturb(&mut self, pages: u64, rng: &mut Rng) {
        if rng.u32(0..20) == 0 {
            let (page, word) = (rng.u64(0..pages), self.random_entry(rng));
            self.store(page, word);
            if rng.bool() {
                self.invalidate(page, page);
            }
        }
        match rng.u32(0..1000) {
            0..3 => self.set_error(rng.u64(0..pages), Some([Response::Slave, Response::Decode][rng.usize(0..2)])),
            3..10 => self.clear_error(),
            10..15 => {
                let first = rng.u64(0..pages);
                self.invalidate(first, first + rng.u64(0..50).min(self.geometry.pages() - 1 - first));
            }
            15..20 => {
                let first = rng.u64(0..pages);
                self.invalidate_by_software(first, rng.u64(first..pages));
            }
            20..22 => self.invalidate(0, self.geometry.pages() - 1),
            22..25 => {
                let stalls = [Stalls::Never, Stalls::Percent(90), Stalls::Runs(200)][rng.usize(0..3)];
                self.stall(rng.usize(0..self.requesters.len()), stalls);
            }
            25..27 => self.use_for = [0, 30, 300][rng.usize(0..3)],
            _ => {}
        }
    }

    /// Mostly near each other; some beyond the table, some that leave their page.
    pub fn random_burst(&self, rng: &mut Rng) -> Burst {
        let (size, pages) = (self.geometry.page_bytes(), self.geometry.pages());
        let page = match rng.u32(0..40) {
            0 => rng.u64(0..pages),
            1 => self.pages - 1,
            2 => self.pages.min(pages - 1),
            3..20 => rng.u64(0..self.pages.min(8)),
            _ => rng.u64(0..self.pages),
        };
        let bytes = if rng.bool() { rng.u64(1..=4096) } else { 64 };
        let offset = match rng.u32(0..8) {
            0 => size - rng.u64(1..=size.min(2 * bytes)),
            1 => size - bytes,
            _ => rng.u64(0..=size - bytes),
        };
        Burst { address: page * size + offset, bytes, write: rng.bool() }
    }

    /// Mostly good ones, all kinds of bad ones among them.
    pub fn random_entry(&self, rng: &mut Rng) -> u64 {
        let frames = 1 << (self.geometry.physical_bits - self.geometry.page_bits);
        let word = self.geometry.entry(rng.u64(0..frames), rng.u64(0..3), rng.u32(0..8) > 0, rng.u32(0..4) > 0);
        match rng.u32(0..12) {
            0 => word & !1,
            1 => rng.u64(..),
            2 => word | 1 << rng.u32(6..64),
            3 => word | 3 << 3,
            4..6 => word | 1 << 5,
            _ => word,
        }
    }

    /// Counters and log say what the answers said; nothing is under way.
    pub fn counters_agree(&mut self) -> Ends {
        let counters = (0..16).map(|i| self.counter(i)).collect::<Result<Vec<u64>, String>>()?;
        let is = |x: &Given, cause| match x.translated.cause {
            cause::MOVING => cause == cause::PERMISSION,
            other => cause == other,
        };
        for cause in 0..7 {
            let answers = self.given.iter().filter(|x| is(x, cause)).count() as u64;
            let numbers: &[usize] = match cause {
                cause::NONE => &[0, 8, 7],
                cause::PERMISSION => &[2, 10, 15],
                cause::BEYOND | cause::LEAVES => &[cause as usize],
                _ => &[cause as usize, cause as usize + 8],
            };
            let counted: u64 = numbers.iter().map(|i| counters[*i]).sum();
            if counted != answers {
                return Err(format!("cause {cause}: {answers} answers, but {counters:?} were counted"));
            }
        }
        let walks: u64 = [0, 1, 2, 4, 5].iter().map(|i| counters[*i]).sum();
        if walks != self.memory.requests.len() as u64 {
            return Err(format!("{walks} walks were counted, and {} reads came", self.memory.requests.len()));
        }
        self.log_agrees()
    }

    /// The faults of the log, at most 16 and one that is shown, are faults of answers; and that some were lost is told.
    fn log_agrees(&mut self) -> Ends {
        let faults: Vec<Given> = self.given.iter().filter(|x| x.translated.cause != 0).copied().collect();
        let mut logged = 0;
        loop {
            let (word, page) = (self.read("fault")?, self.read("fault_page")?);
            if (word >> 1 & 1 == 1) != (faults.len() > 17) {
                return Err(format!("{} faults, and the log says {word:#x}", faults.len()));
            }
            if word & 1 == 0 {
                break;
            }
            let (cause, write, requester) = (word >> 4 & 7, word >> 7 & 1 == 1, word >> 8);
            let is_it = |x: &Given| {
                (x.translated.cause, x.burst.write, x.requester as u64) == (cause, write, requester)
                    && self.geometry.page(x.burst.address) == page
            };
            if !faults.iter().any(is_it) {
                return Err(format!("the log has {word:#x} of page {page:#x}, and no answer was that"));
            }
            logged += 1;
            self.clear(1)?;
        }
        let right = logged == faults.len().min(17);
        if right { Ok(()) } else { Err(format!("{logged} of {} faults were logged", faults.len())) }
    }

    fn clear_error(&mut self) {
        if let Some((range, _)) = self.model.errors.first() {
            let page = (range.start - self.base) / 8;
            self.set_error(page, None);
        }
    }
}
