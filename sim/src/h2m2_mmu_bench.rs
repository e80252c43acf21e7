//! The MMU of H2M2 (`hw::h2m2`) with its requesters, a page table that changes, and a memory behind it. Every answer is compared with what
//! [`golden::h2m2_mmu`](crate::golden::h2m2_mmu) says is possible.

mod agreement;
mod in_use;
mod moves;
mod random;
mod requests;

use crate::bus::axi4::Response;
use crate::bus::axi4_memory::{Axi4Memory, MemoryModel};
use crate::bus::{AxiLiteMaster, Bench, Sink, Source, Stalls};
use crate::golden::h2m2_mmu::{Burst, Geometry, History, Stored, Translated, cause};
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
    release: [usize; 2],
    asked: VecDeque<Asked>,
    answered: usize,
    in_use: Vec<Used>,
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
    /// Nothing is handed back now.
    pub keeps: bool,
    /// Requesters hand back what they never had, where they hand back nothing else and have nothing of that epoch in use.
    pub surplus: bool,
    /// It has a prefetch: that may read the table, too.
    pub prefetch: bool,
    /// Writes to pages on the move wait: nothing has that cause.
    pub writes_wait: bool,
    /// Then pages move in random traffic, and what is thrown away meanwhile is counted and logged, too.
    pub pages_move: bool,
    /// The cycles in which `drained` was seen first after an invalidation.
    pub drained_at: Vec<u64>,
    /// Pages on the move, and the cycles in which they have arrived, where writes wait.
    moving: Vec<(u64, u64)>,
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
    /// The first page that random traffic uses, and those of the table.
    first: u64,
    pages: u64,
    rng: Rng,
    /// Of their own, so that what is asked does not depend on them.
    tags: Rng,
}

/// What a step or a check gives: an error says what was wrong.
pub type Checked = Result<(), String>;

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
            let release = [port(&bench, format!("release_{i}_valid"))?, port(&bench, format!("release_{i}_epoch"))?];
            bench.engine.poke(release[0], 0);
            let (asked, in_use) = Default::default();
            requesters.push(Requester { source, sink, release, asked, answered: 0, in_use });
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
            keeps: false,
            surplus: false,
            prefetch: false,
            writes_wait: false,
            pages_move: true,
            moving: vec![],
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
            first: 0,
            pages: 0,
            rng: Rng::with_seed(seed),
            tags: Rng::with_seed(!seed),
        })
    }

    /// Sets the table and enables the MMU.
    pub fn start(&mut self, base: u64, pages: u64) -> Checked {
        (self.base, self.pages) = (base, pages);
        let high = (self.geometry.physical_bits > 32).then_some(("base_high", base >> 32));
        let low = [("base_low", base & 0xffff_ffff), ("pages", pages)];
        for (name, value) in high.into_iter().chain(low).chain([("enable", 1)]) {
            self.write(name, value)?;
        }
        Ok(())
    }

    /// Writes a register, while nothing else is under way.
    pub fn write(&mut self, name: &str, value: u64) -> Checked {
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
    pub fn clear(&mut self, flags: u64) -> Checked {
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
        let Requester { source, asked, .. } = &mut self.requesters[requester];
        let tag = self.tags.u64(0..=u64::MAX >> (64 - self.geometry.tag_bits));
        asked.push_back(Asked { burst, tag });
        self.bench.send(*source, [[burst.address, burst.bytes - 1, burst.write.into(), tag]]);
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

    /// Invalidations of the port that are not done.
    pub fn not_done(&self) -> usize {
        self.by_port.len()
    }

    /// Is everything of before the last invalidation handed back, as the MMU says?
    pub fn drained(&mut self) -> bool {
        self.bench.engine.peek(self.status[1]) == 1
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
    pub fn step(&mut self) -> Checked {
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
        self.requesters.iter().for_each(|r| self.bench.engine.poke(r.release[0], 0));
        (0..self.requesters.len()).try_for_each(|i| self.compare(i))?;
        self.poll()
    }

    /// Compares new answers with what is possible.
    fn compare(&mut self, i: usize) -> Checked {
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
            let refused = self.writes_wait && cause == cause::MOVING;
            if tag != asked.tag || refused || !possible.iter().any(right) {
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
    fn poll(&mut self) -> Checked {
        let Some(x) = self.by_software else { return Ok(()) };
        let (written, reads) = self.axil.answered(&self.bench);
        if reads < self.reads || written < self.writes {
            return Ok(());
        }
        let read = self.axil.last_read(&self.bench).map_err(|e| e.to_string())?;
        if self.polls && read.is_some_and(|(_, value)| value & 2 == 0) {
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
    pub fn finish(&mut self, limit: u64) -> Checked {
        for _ in 0..limit {
            let in_use = self.requesters.iter().any(|r| !r.in_use.is_empty());
            if self.unanswered() == 0 && !self.invalidating() && !in_use && self.drained() && self.memory.is_idle() {
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
