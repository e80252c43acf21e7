use super::*;
use crate::stream::testing::{build, message};
use ::sim::bus::axi4::Response;
use ::sim::bus::axi4_memory::{Axi4Memory, MemoryModel};
use fastrand::Rng;
use hdl::bus::{Bench, Sink, Source, Stalls, run_seed};
use hdl::sim::Simulator;
use std::collections::HashMap;

/// Behind all pages, and not at the beginning of a beat.
const BASE: u64 = 0x100_0008;
const VIRTUAL: u64 = 6;
const PHYSICAL: u64 = 10;

fn params(data_bytes: u32, page_bits: u32, table_side: u32) -> MigrationParams {
    MigrationParams { data_bytes, virtual_bits: 40, physical_bits: 40, page_bits, table_side, outstanding: 8 }
}

/// A place: side and physical page.
type At = (usize, u64);

/// Who uses a page: by the translation with which it began.
struct User {
    page: u64,
    at: At,
    writes: bool,
    next: u64,
}

/// An engine between two memories, with an MMU and accelerators that use the pages all the time.
struct Rig<'e> {
    p: MigrationParams,
    bench: Bench<'e>,
    memories: [Axi4Memory; 2],
    command: Source,
    done: Sink,
    ask: Sink,
    answered: usize,
    stop_now: usize,
    asked: usize,
    /// A question, and how many of the users were there before it.
    question: Option<(u64, u64, Vec<usize>)>,
    translations: HashMap<u64, u64>,
    users: Vec<Option<User>>,
    /// What each virtual page holds.
    content: Vec<Vec<u8>>,
    places: Vec<At>,
    rng: Rng,
    chunks: usize,
}

impl<'e> Rig<'e> {
    fn new(
        engine: &'e mut Simulator,
        design: &Design<MigrationPorts>,
        p: MigrationParams,
        models: [MemoryModel; 2],
        seed: u64,
    ) -> Rig<'e> {
        let io = &design.ports;
        let mut bench = Bench::new(engine, seed);
        let mut memories = models.map(|model| Axi4Memory::new(model, seed));
        for (side, memory) in memories.iter_mut().enumerate() {
            memory.read_port(&mut bench, design, &io.m_axi_read[side]);
            memory.write_port(&mut bench, design, &io.m_axi_write[side]);
        }
        let command = bench.source(design, &io.command, Stalls::Never);
        let (done, ask) =
            (bench.sink(design, &io.done, Stalls::Percent(30)), bench.sink(design, &io.ask, Stalls::Percent(30)));
        let [base, stop, stop_now, answered] =
            [io.base, io.stop, io.stop_now, io.answered].map(|port| design.port_index(port).unwrap());
        for (port, value) in [(base, BASE), (stop, 0), (stop_now, 0), (answered, 0)] {
            bench.engine.poke(port, value);
        }
        bench.reset().unwrap();
        let rng = Rng::with_seed(seed);
        let (asked, question, chunks, users) = (0, None, 0, vec![]);
        let (content, places, translations) = Default::default();
        let mut rig = Rig {
            p,
            bench,
            memories,
            command,
            done,
            ask,
            answered,
            stop_now,
            asked,
            question,
            translations,
            users,
            content,
            places,
            rng,
            chunks,
        };
        for page in 0..VIRTUAL {
            let at = (page as usize % 2, page);
            rig.places.push(at);
            let bytes = rig.garbage(at);
            rig.content.push(bytes);
            let write = rig.rng.u64(0..4) > 0;
            rig.set_entry(page, entry_bits(at, write, p.page_bits));
        }
        rig
    }
    fn table(&self) -> usize {
        self.p.table_side as usize
    }
    fn entry(&self, page: u64) -> u64 {
        u64::from_le_bytes(self.memories[self.table()].bytes.read(BASE + 8 * page, 8).try_into().unwrap())
    }
    fn set_entry(&mut self, page: u64, entry: u64) {
        let table = self.table();
        self.memories[table].bytes.write(BASE + 8 * page, &entry.to_le_bytes());
    }
    /// Fills a place with anything.
    fn garbage(&mut self, (side, page): At) -> Vec<u8> {
        let bytes: Vec<u8> = (0..1 << self.p.page_bits).map(|_| self.rng.u8(..)).collect();
        self.memories[side].bytes.write(page << self.p.page_bits, &bytes);
        bytes
    }
    fn free(&mut self) -> At {
        loop {
            let at = (self.rng.usize(0..2), self.rng.u64(0..PHYSICAL));
            if !self.places.contains(&at) {
                return at;
            }
        }
    }
    /// One cycle of everything.
    fn step(&mut self) {
        self.use_pages();
        let answers = self.answer();
        self.bench.engine.poke(self.answered, answers.into());
        for memory in &mut self.memories {
            memory.step(&mut self.bench).unwrap();
        }
        self.bench.step().unwrap();
        if self.bench.beats(self.ask).len() > self.asked {
            let beat = &self.bench.beats(self.ask)[self.asked];
            let (kind, page) = (beat.field(0), beat.field(1));
            self.asked += 1;
            let before = |(_, user): &(usize, &Option<User>)| {
                user.as_ref().is_some_and(|user| user.page == page && (kind == 2 || user.writes))
            };
            let waits = self.users.iter().enumerate().filter(before).map(|(i, _)| i).collect();
            self.question = Some((kind, page, if kind == 0 { vec![] } else { waits }));
        }
    }
    fn answer(&mut self) -> bool {
        let users = &self.users;
        let over = self.question.as_ref().is_some_and(|(_, _, waits)| waits.iter().all(|i| users[*i].is_none()));
        if !over || self.rng.u32(0..4) > 0 {
            return false;
        }
        if let Some((0, page, _)) = self.question.take() {
            self.translations.remove(&page);
        }
        true
    }
    /// Users go on by 64 bytes, which must be those of the page; and new ones begin.
    fn use_pages(&mut self) {
        for i in 0..self.users.len() {
            let Some(User { page, at: (side, place), writes, next }) = self.users[i] else { continue };
            let (from, physical) = (next as usize, (place << self.p.page_bits) + next);
            if writes {
                let bytes: Vec<u8> = (0..64).map(|_| self.rng.u8(..)).collect();
                self.content[page as usize][from..from + 64].copy_from_slice(&bytes);
                self.memories[side].bytes.write(physical, &bytes);
            } else {
                let got = self.memories[side].bytes.read(physical, 64);
                assert_eq!(got, self.content[page as usize][from..from + 64], "page {page} at {next:x}");
            }
            self.chunks += 1;
            self.users[i] = (next + 64 < 1 << self.p.page_bits).then_some(User {
                page,
                at: (side, place),
                writes,
                next: next + 64,
            });
        }
        let active = self.users.iter().flatten().count();
        if active < 4 && self.rng.u32(0..20) == 0 {
            let page = self.rng.u64(0..VIRTUAL);
            let loaded = self.entry(page);
            let entry = *self.translations.entry(page).or_insert(loaded);
            assert_eq!(entry & 3, 3, "a page can always be read");
            let writes = entry & 4 != 0 && self.rng.bool();
            let at = ((entry >> 3 & 3) as usize, entry >> self.p.page_bits);
            self.users.push(Some(User { page, at, writes, next: 0 }));
        }
    }
    /// Moves a page; gives how it ended. Does `each` before each cycle.
    fn migrate(&mut self, page: u64, from: At, to: At, mut each: impl FnMut(&mut Rig)) -> (u64, At) {
        let seen = self.bench.beats(self.done).len();
        self.bench.send(self.command, [[page, from.0 as u64, from.1, to.0 as u64, to.1]]);
        let limit = self.bench.cycle() + 200_000;
        while self.bench.beats(self.done).len() == seen {
            each(self);
            self.step();
            assert!(self.bench.cycle() < limit, "a command is not done");
        }
        let beat = &self.bench.beats(self.done)[seen];
        assert_eq!(beat.field(0), page);
        (beat.field(1), (beat.field(2) as usize, beat.field(3)))
    }
}

fn entry_bits((side, page): At, write: bool, page_bits: u32) -> u64 {
    3 | u64::from(write) << 2 | (side as u64) << 3 | page << page_bits
}

/// What is to go wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Trouble {
    None,
    Source,
    Target,
    /// The entry cannot be read.
    Fetch,
    /// It can be written once only: not with the new place, nor back.
    Switch,
    /// It cannot be written with the new place, but back.
    SwitchOnce,
    Mapping,
    Stop,
}

const TROUBLES: [Trouble; 8] = [
    Trouble::None,
    Trouble::Source,
    Trouble::Target,
    Trouble::Fetch,
    Trouble::Switch,
    Trouble::SwitchOnce,
    Trouble::Mapping,
    Trouble::Stop,
];

/// Moves a page with some trouble, and looks at what is left.
fn one(rig: &mut Rig, trouble: Trouble, plain: &[MemoryModel; 2]) -> u64 {
    let page = rig.rng.u64(0..VIRTUAL);
    let (from, to) = (rig.places[page as usize], rig.free());
    let (old, size, table) = (rig.entry(page), 1u64 << rig.p.page_bits, rig.table());
    let writable = old & 4 != 0;
    let (entry_at, response) = (BASE + 8 * page, [Response::Slave, Response::Decode][rig.rng.usize(0..2)]);
    let within = |(side, place): At, rng: &mut Rng| {
        let beat = (place * size) + rng.u64(0..size) / 64 * 64;
        (side, beat..beat + 64)
    };
    let wrong = match trouble {
        Trouble::Source => Some(within(from, &mut rig.rng)),
        Trouble::Target => Some(within(to, &mut rig.rng)),
        Trouble::Fetch => Some((table, entry_at / 64 * 64..entry_at / 64 * 64 + 64)),
        _ => None,
    };
    if let Some((side, range)) = wrong {
        let errors = vec![(range, response)];
        rig.memories[side].set_model(MemoryModel { errors, ..plain[side].clone() });
    }
    let told = if trouble == Trouble::Mapping { (from.0, from.1 ^ 16) } else { from };
    let (requests_before, seen_from) = (rig.memories[table].requests.len(), rig.memories[from.0].requests.len());
    let (asked, written) = (rig.asked, rig.memories[table].written_at(&rig.bench, 0).len());
    let copied = if to.0 == table { size as usize / rig.p.data_bytes as usize } else { 0 };
    let before_switch = copied + usize::from(writable);
    let is_entry = |request: &&(bool, ::sim::bus::axi4::Request)| request.0 && request.1.address / 64 == entry_at / 64;
    let mut was_there = false;
    let wait = rig.rng.u64(0..3000);
    let mut age = 0;
    let plain_table = plain[table].clone();
    // writes of the entry: to withdraw, if it may be written, and then to switch
    let switch = 1 + usize::from(writable);
    let (outcome, free) = rig.migrate(page, told, to, |rig| {
        age += 1;
        if trouble == Trouble::Stop {
            rig.bench.engine.poke(rig.stop_now, (age > wait).into());
        }
        if matches!(trouble, Trouble::Switch | Trouble::SwitchOnce) {
            let requests = &rig.memories[from.0].requests[seen_from..];
            let copies = requests.iter().any(|(write, x)| !write && x.address / size == from.1);
            let begun = if writable { rig.asked > asked } else { copies };
            // the entry came with the new place, and was refused
            let data = rig.memories[table].written_at(&rig.bench, 0).len() - written;
            let refused = was_there && trouble == Trouble::SwitchOnce;
            let entries = rig.memories[table].requests[requests_before..].iter().filter(is_entry).count();
            was_there = entries >= switch && data > before_switch;
            let range = entry_at / 64 * 64..entry_at / 64 * 64 + 64;
            let errors = if begun && !refused { vec![(range, response)] } else { vec![] };
            rig.memories[table].set_model(MemoryModel { errors, ..plain_table.clone() });
        }
    });
    rig.bench.engine.poke(rig.stop_now, 0);
    (0..2).for_each(|side| rig.memories[side].set_model(plain[side].clone()));
    let code = response.code();
    let right = match trouble {
        Trouble::None => 0,
        Trouble::Source | Trouble::Target | Trouble::Fetch | Trouble::SwitchOnce => code,
        Trouble::Switch => 5,
        Trouble::Mapping => 1,
        Trouble::Stop if outcome == 0 => 0,
        Trouble::Stop => 4,
    };
    assert_eq!(outcome, right, "{trouble:?}, page {page} from {from:?} to {to:?}");
    let moved = outcome == 0;
    assert_eq!(free, if moved { from } else { to }, "{trouble:?}");
    if outcome == 5 {
        // the driver repairs what could not be written
        rig.set_entry(page, old);
        rig.translations.remove(&page);
    }
    let entry = if moved { entry_bits(to, writable, rig.p.page_bits) } else { old };
    assert_eq!(rig.entry(page), entry, "{trouble:?}");
    if moved {
        rig.places[page as usize] = to;
    }
    rig.garbage(free);
    outcome
}

#[test]
fn pages_move_while_they_are_used() {
    for (width, page_bits, table, stalls) in [
        (8, 12, 1, Stalls::Never),
        (8, 13, 0, Stalls::Percent(30)),
        (16, 14, 1, Stalls::Runs(20)),
        (64, 12, 0, Stalls::Percent(20)),
    ] {
        let p = params(width, page_bits, table);
        let design = build(migration("migration", p));
        let mut engine = Simulator::new(&design);
        let seed = run_seed(u64::from(width + page_bits));
        let model = |latency| MemoryModel { latency, jitter: 10, taking: stalls, giving: stalls, ..Default::default() };
        let models = [model(5), model(30)];
        let mut rig = Rig::new(&mut engine, &design, p, models.clone(), seed);
        let mut ends = [0; 6];
        for i in 0..48 {
            let outcome = one(&mut rig, TROUBLES[i % 8], &models);
            ends[outcome as usize] += 1;
            (0..rig.rng.usize(0..100)).for_each(|_| rig.step());
        }
        println!("{width} bytes, pages of 2^{page_bits}: {ends:?}, {} pieces used", rig.chunks);
        assert!(ends[0] >= 6 && ends[1] == 6 && ends[2] + ends[3] == 24 && ends[5] == 6 && rig.chunks > 1000);
    }
}

/// From the first beat of data to the last, and with all that is around it.
#[test]
fn as_quick_as_the_slower_bus() {
    for (width, page_bits) in [(8, 16), (8, 17), (16, 17), (64, 18)] {
        for (bandwidth, to) in [([256, 256], 0), ([256, 128], 0), ([256, 128], 1)] {
            let p = params(width, page_bits, 1);
            let design = build(migration("migration", p));
            let mut engine = Simulator::new(&design);
            let models = bandwidth.map(|bandwidth| MemoryModel { latency: 40, bandwidth, ..Default::default() });
            let mut rig = Rig::new(&mut engine, &design, p, models, 1);
            rig.set_entry(0, entry_bits((1 - to, 7), true, page_bits));
            rig.places[0] = (1 - to, 7);
            rig.content[0] = rig.garbage((1 - to, 7));
            let begin = rig.bench.cycle();
            assert_eq!(rig.migrate(0, (1 - to, 7), (to, 9), |_| ()).0, 0);
            let all = rig.bench.cycle() - begin;
            // the fast memory has no table: what crosses there is the page
            let memory = &rig.memories[0];
            let times = if to == 0 { memory.written_at(&rig.bench, 0) } else { memory.read_at(&rig.bench, 0) };
            let beats = (1u64 << page_bits) / u64::from(width);
            assert_eq!(times.len() as u64, beats);
            let slower = bandwidth[1] as f64 / 256.0;
            let data = beats as f64 / slower / (times[times.len() - 1] - times[0] + 1) as f64;
            let whole = beats as f64 / slower / all as f64;
            println!(
                "{width} bytes, 2^{page_bits}, {bandwidth:?}, to {to}: {data:.4} of the slower bus, {whole:.4} with all"
            );
            assert!(data >= 0.95, "{data}");
        }
    }
}

#[test]
fn refuses_parameters_out_of_range() {
    let p = params(8, 21, 1);
    assert_eq!(message(migration("m", MigrationParams { data_bytes: 4, ..p })), "data_bytes = 4");
    assert_eq!(message(migration("m", MigrationParams { page_bits: 11, ..p })), "page_bits = 11 is out of range");
    assert_eq!(message(migration("m", MigrationParams { page_bits: 31, ..p })), "page_bits = 31 is out of range");
    assert_eq!(message(migration("m", MigrationParams { table_side: 2, ..p })), "table_side = 2 is out of range");
    for (virtual_bits, physical_bits, page_bits, outstanding) in [(32, 48, 30, 1), (48, 32, 12, 16), (48, 48, 12, 1)] {
        let p = MigrationParams { data_bytes: 64, virtual_bits, physical_bits, page_bits, table_side: 0, outstanding };
        build(migration("m", p));
    }
}
