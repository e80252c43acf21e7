//! The migration engine of H2M2 (`hw::h2m2`) between two memories, with accelerators that go on using the pages while they move. Every
//! byte that is read is compared, every entry is looked at in every cycle, and a place that is handed back is overwritten at once.

mod random;
mod users;
mod world;

pub use random::Planned;
pub use users::{Mmus, RequesterPorts};
pub use world::{At, Move, Shape, World};

use crate::bus::axi4::Response;
use crate::bus::axi4_memory::{Axi4Memory, MemoryModel};
use crate::bus::{Bench, Sink, Source, Stalls};
use fastrand::Rng;
use hdl::engine::Engine;
use hdl::{Bundle, Design};
use std::collections::VecDeque;
use users::Users;

/// The ports of an engine. Each of the lists has one for each side.
pub struct EnginePorts<'p, C, D, R, W, S, X> {
    /// Pages to be moved.
    pub command: &'p C,
    /// Pages that were.
    pub done: &'p D,
    /// Reads of pages.
    pub reads: &'p [R],
    /// Writes of pages.
    pub writes: &'p [W],
    /// Reads of page tables.
    pub table_reads: &'p [S],
    /// Writes of page tables.
    pub table_writes: &'p [X],
    /// Reads of page tables by MMUs of the design.
    pub walks: &'p [S],
}

/// How a command may end: the codes of the engine.
pub mod outcome {
    /// It was moved.
    pub const OKAY: u64 = 0;
    /// An entry was not as the command said.
    pub const MAPPING: u64 = 1;
    /// It was stopped.
    pub const STOPPED: u64 = 4;
    /// An entry could not be written.
    pub const TABLE: u64 = 5;
}

/// A command under way.
#[derive(Clone, Copy, Debug)]
struct Pending {
    command: Move,
    /// The bus made errors, or a stop was asked for, since it was given.
    errors: bool,
    stopped: bool,
}

/// What came of a command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ended {
    /// The command.
    pub command: Move,
    /// Its outcome.
    pub outcome: u64,
    /// When it was done.
    pub cycle: u64,
}

/// An engine with everything around it.
pub struct MigrationBench<'e> {
    /// Everything that moves.
    pub bench: Bench<'e>,
    /// The fast and the large memory.
    pub memories: [Axi4Memory; 2],
    /// What is where.
    pub world: World,
    /// What came of each command.
    pub ended: Vec<Ended>,
    /// Writes of each table's entries that fail, counted from now on: see [`MigrationBench::fail_writes`].
    failing: [Vec<usize>; 2],
    failing_from: [usize; 2],
    models: [MemoryModel; 2],
    extra: [Vec<(std::ops::Range<u64>, Response)>; 2],
    users: Users,
    command: Source,
    done: Sink,
    pending: VecDeque<Pending>,
    rng: Rng,
    stop: [usize; 2],
    idle: usize,
    stopping: bool,
}

type Ends = Result<(), String>;

impl<'e> MigrationBench<'e> {
    /// An engine after a reset. `mmus` are models, or those of the design.
    pub fn new<P, C: Bundle, D: Bundle, R: Bundle, W: Bundle, S: Bundle, X: Bundle>(
        engine: &'e mut dyn Engine,
        design: &Design<P>,
        ports: EnginePorts<C, D, R, W, S, X>,
        mmus: Mmus,
        world: World,
        (models, seed): ([MemoryModel; 2], u64),
    ) -> Result<MigrationBench<'e>, String> {
        let mut bench = Bench::new(engine, seed);
        let mut memories = models.clone().map(|model| Axi4Memory::new(model, seed));
        for (side, memory) in memories.iter_mut().enumerate() {
            memory.read_port(&mut bench, design, &ports.reads[side]);
            memory.write_port(&mut bench, design, &ports.writes[side]);
            memory.read_port(&mut bench, design, &ports.table_reads[side]);
            memory.write_port(&mut bench, design, &ports.table_writes[side]);
            if let Some(walk) = ports.walks.get(side) {
                memory.read_port(&mut bench, design, walk);
            }
            memory.bytes = world.bytes[side].clone();
        }
        let command = bench.source(design, ports.command, Stalls::Never);
        let done = bench.sink(design, ports.done, models[0].giving);
        let port = |name: &str| bench.engine.port(name).ok_or(format!("no port {name}"));
        let (stop, idle) = ([port("stop")?, port("stop_now")?], port("idle")?);
        stop.iter().for_each(|port| bench.engine.poke(*port, 0));
        let users = Users::new(&mut bench, mmus, &world, seed)?;
        bench.reset().map_err(|e| e.to_string())?;
        let (ended, pending, failing, extra) = Default::default();
        Ok(MigrationBench {
            bench,
            memories,
            world,
            ended,
            failing,
            failing_from: [0; 2],
            models,
            extra,
            users,
            command,
            done,
            pending,
            rng: Rng::with_seed(seed),
            stop,
            idle,
            stopping: false,
        })
    }

    /// How busy accelerators are: pages that are in use at a time, 0 to none.
    pub fn use_pages(&mut self, most: usize) {
        self.users.most = most;
    }

    /// Pieces of 64 bytes that accelerators read and wrote, and requests that had to be made again since a page was on the move.
    pub fn used(&self) -> (usize, usize) {
        (self.users.pieces, self.users.waited)
    }

    /// Writes to pages on the move wait in the MMUs of the design; requesters have so many requests at a time. What waited long is counted.
    pub fn with_waiting_writes(&mut self, queue: usize) {
        (self.users.writes_wait, self.users.queue) = (true, queue);
    }

    /// Commands without an end.
    pub fn under_way(&self) -> usize {
        self.pending.len()
    }

    /// Gives a command.
    pub fn give(&mut self, command: Move) {
        let Move { page, from, to, tables } = command;
        self.bench.send(self.command, [[page, from.0 as u64, from.1, to.0 as u64, to.1, tables]]);
        self.pending.push_back(Pending { command, errors: self.has_errors(), stopped: self.stopping });
    }

    /// `stop` and `stop_now`, from now on.
    pub fn stop(&mut self, [stop, now]: [bool; 2]) {
        for (port, value) in self.stop.into_iter().zip([stop, now]) {
            self.bench.engine.poke(port, value.into());
        }
        self.stopping = now;
        self.pending.iter_mut().for_each(|x| x.stopped |= now);
    }

    /// Is the engine's `idle` 1?
    pub fn is_idle(&mut self) -> bool {
        self.bench.engine.peek(self.idle) == 1
    }

    /// Bytes of a side that answer with an error; none for no error.
    pub fn set_errors(&mut self, side: usize, errors: Vec<(std::ops::Range<u64>, Response)>) {
        self.extra[side] = errors;
        let some = self.has_errors();
        self.pending.iter_mut().for_each(|x| x.errors |= some);
        let errors = self.extra[side].clone();
        self.memories[side].set_model(MemoryModel { errors, ..self.models[side].clone() });
    }

    /// Of the writes of a table's entries that come from now on, those of these numbers fail.
    pub fn fail_writes(&mut self, table: usize, numbers: Vec<usize>) {
        self.failing[table] = numbers;
        self.failing_from[table] = self.memories[table].written_at(&self.bench, 1).len();
        let some = self.has_errors();
        self.pending.iter_mut().for_each(|x| x.errors |= some);
    }

    fn has_errors(&self) -> bool {
        (0..2).any(|side| !self.extra[side].is_empty() || !self.failing[side].is_empty())
    }

    /// The entry of a page in a table.
    pub fn entry(&self, table: usize, page: u64) -> u64 {
        let bytes = self.memories[table].bytes.read(self.world.entry_at(table, page), 8);
        u64::from_le_bytes(bytes.try_into().unwrap_or_default())
    }

    /// One cycle of everything.
    pub fn step(&mut self) -> Ends {
        for table in (0..2).filter(|table| !self.failing[*table].is_empty()) {
            // the write whose data were taken last
            let number = self.memories[table].written_at(&self.bench, 1).len() - self.failing_from[table];
            let fails = number > 0 && self.failing[table].contains(&(number - 1));
            let all = self.world.table_range(table);
            let errors = if fails { vec![(all, Response::Slave)] } else { vec![] };
            self.memories[table].set_model(MemoryModel { errors, ..self.models[table].clone() });
        }
        self.users.step(&mut self.bench, &mut self.memories, &mut self.world)?;
        for memory in &mut self.memories {
            memory.step(&mut self.bench).map_err(|e| format!("{e:?}"))?;
        }
        self.bench.step().map_err(|e| e.to_string())?;
        self.users.look(&mut self.bench, &self.world)?;
        self.entries_are_legal()?;
        while self.ended.len() < self.bench.beats(self.done).len() {
            self.end()?;
        }
        Ok(())
    }

    /// Runs until all commands are done.
    pub fn finish(&mut self, limit: u64) -> Ends {
        let end = self.bench.cycle() + limit;
        while !self.pending.is_empty() {
            self.step()?;
            if self.bench.cycle() > end {
                return Err(format!("not done: {:?}", self.pending));
            }
        }
        Ok(())
    }

    /// Every entry is as it was before the oldest command of its page, or on its way from there.
    fn entries_are_legal(&self) -> Ends {
        for page in 0..self.world.places.len() as u64 {
            let command = self.pending.iter().map(|x| x.command).find(|command| command.page == page);
            for table in 0..2 {
                let entry = self.entry(table, page);
                let legal = self.world.legal(table, page, command);
                if !legal.contains(&entry) {
                    return Err(format!("entry {entry:#x} of page {page} in table {table}; legal: {legal:#x?}"));
                }
            }
        }
        Ok(())
    }

    /// A command is done.
    fn end(&mut self) -> Ends {
        let beat = &self.bench.beats(self.done)[self.ended.len()];
        let [page, outcome, side, place, freed] = [0, 1, 2, 3, 4].map(|i| beat.field(i));
        let cycle = self.bench.cycle();
        let Pending { command, errors, stopped } = self.pending.pop_front().ok_or("done, and nothing was asked")?;
        self.ended.push(Ended { command, outcome, cycle });
        let is = format!("{command:x?} ended with {outcome} and {:x?}", (side, place));
        let as_told = self.world.is_as_told(command);
        let right = match outcome {
            outcome::OKAY => as_told,
            outcome::MAPPING => !as_told,
            2 | 3 | outcome::TABLE => errors,
            outcome::STOPPED => stopped && as_told,
            _ => false,
        };
        let free = if outcome == outcome::OKAY { command.from } else { command.to };
        let frees = match outcome {
            outcome::OKAY => command.tables != 0,
            outcome::TABLE => false,
            _ => command.from != command.to,
        };
        let is_free = !frees || (side as usize, place) == free;
        if page != command.page || !right || (freed == 1) != frees || !is_free {
            return Err(format!("{is}, freed {freed}; as told: {as_told}, errors: {errors}, stopped: {stopped}"));
        }
        match outcome {
            outcome::OKAY => self.world.places[page as usize] = command.to,
            outcome::TABLE => return self.repair(command),
            _ => (),
        }
        self.settled(page).map_err(|error| format!("{is}, but {error}"))?;
        // what nobody uses may be written by anybody
        if as_told && frees {
            self.users.nobody_is_at(free)?;
            self.world.overwrite(&mut self.memories, free, &mut self.rng);
        }
        Ok(())
    }

    /// The entries of a page are as they should be, and so are all its bytes.
    fn settled(&self, page: u64) -> Ends {
        for table in 0..2 {
            let (entry, right) = (self.entry(table, page), self.world.entry(table, page));
            if entry != right {
                return Err(format!("its entry in table {table} is {entry:#x}, not {right:#x}"));
            }
        }
        let is_right = self.world.holds(&self.memories, page, self.world.places[page as usize]);
        if is_right { Ok(()) } else { Err("its bytes are not there".into()) }
    }

    /// What a driver does when entries could not be written: they lead to one place again, and nobody remembers them.
    fn repair(&mut self, command: Move) -> Ends {
        (0..2).for_each(|table| self.fail_writes(table, vec![]));
        (0..2).for_each(|side| self.set_errors(side, vec![]));
        let page = command.page;
        let table = usize::from(command.tables == 2);
        let at = self.world.place_of(self.entry(table, page));
        if !self.world.holds(&self.memories, page, at) {
            return Err(format!("page {page:x} is not where its entry leads to"));
        }
        self.world.places[page as usize] = at;
        self.write_entries(page);
        Ok(())
    }

    /// Writes the entries of a page as they should be.
    fn write_entries(&mut self, page: u64) {
        for table in 0..2 {
            let (at, entry) = (self.world.entry_at(table, page), self.world.entry(table, page));
            self.memories[table].bytes.write(at, &entry.to_le_bytes());
        }
        self.users.forget(page);
    }

    /// Everything is reset: what is in the memories stays. Every page is whole where its entries lead to; a driver then writes them anew.
    pub fn reset(mut self) -> Result<World, String> {
        self.entries_are_legal()?;
        for page in 0..self.world.places.len() as u64 {
            let mut at = vec![];
            for table in (0..2).filter(|table| self.world.tables[page as usize] >> table & 1 == 1) {
                at.push(self.world.place_of(self.entry(table, page)));
            }
            if let Some(wrong) = at.iter().find(|at| !self.world.holds(&self.memories, page, **at)) {
                return Err(format!("reset: page {page:x} is not at {wrong:x?}, where its entry leads to"));
            }
            self.world.places[page as usize] = at[0];
            self.write_entries(page);
        }
        let [fast, large] = self.memories;
        self.world.bytes = [fast.bytes, large.bytes];
        Ok(self.world)
    }
}
