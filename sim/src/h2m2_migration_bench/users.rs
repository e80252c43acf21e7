//! Accelerators that use pages while they move, and the MMUs that give them addresses: models of what `docs/blocks/h2m2_mmu.md` promises, or those
//! of the design.

use super::world::{At, World};
use crate::bus::axi4_memory::Axi4Memory;
use crate::bus::{Bench, Sink, Source, Stalls, StreamPorts};
use fastrand::Rng;
use hdl::{Bundle, Design};
use rustc_hash::FxHashMap as HashMap;
use std::collections::VecDeque;

/// Bytes that are read or written at once.
const PIECE: u64 = 64;

/// A request that takes longer than any walk has waited for its page.
const LONG: u64 = 300;

/// A requester of an MMU of the design.
#[derive(Clone, Debug)]
pub struct RequesterPorts {
    /// Its requests.
    pub request: StreamPorts,
    /// Their answers.
    pub response: StreamPorts,
    /// The prefix of what it hands back.
    pub release: String,
}

/// The MMUs.
pub enum Mmus {
    /// Models at the engine's ports `invalidate`.
    Models(Vec<StreamPorts>),
    /// Those of the design: two requesters each.
    Design(Vec<RequesterPorts>),
}

impl Mmus {
    /// Models at these ports.
    pub fn models<P, I: Bundle>(design: &Design<P>, invalidate: &[I]) -> Mmus {
        Mmus::Models(invalidate.iter().map(|port| StreamPorts::of(design, port)).collect())
    }
}

/// Who uses a page, by the translation with which it began.
#[derive(Clone, Copy, Debug)]
struct User {
    page: u64,
    at: At,
    writes: bool,
    next: u64,
    end: u64,
    mmu: usize,
    /// Invalidations that were done before it began; of the design's MMUs, the epoch and the requester.
    epoch: u64,
    requester: usize,
}

/// A model of an MMU.
struct Model {
    invalidate: Sink,
    ports: [usize; 2],
    seen: usize,
    /// The page that is to be forgotten, and the cycles until it is.
    forgets: Option<(u64, u64)>,
    /// Pages that were forgotten.
    epoch: u64,
    known: HashMap<u64, u64>,
}

/// A requester of the design.
struct Requester {
    request: Source,
    response: Sink,
    release: [usize; 2],
    /// Requests without an answer, each with the cycle in which it was asked.
    asked: VecDeque<(User, u64)>,
    seen: usize,
}

pub(super) struct Users {
    /// Pages in use at a time.
    pub most: usize,
    pub pieces: usize,
    /// Requests for pages on the move.
    pub waited: usize,
    /// Requests that a requester of the design has at a time.
    pub queue: usize,
    /// Writes to pages on the move wait in the MMUs of the design.
    pub writes_wait: bool,
    users: Vec<User>,
    models: Vec<Model>,
    requesters: Vec<Requester>,
    rng: Rng,
}

impl Users {
    pub fn new(bench: &mut Bench, mmus: Mmus, world: &World, seed: u64) -> Result<Users, String> {
        let (mut models, mut requesters) = (vec![], vec![]);
        for table in 0..2 {
            let base = bench.engine.port(&format!("base_{table}")).ok_or("no port base")?;
            bench.engine.poke(base, world.base(table) >> 12);
        }
        match mmus {
            Mmus::Models(ports) => {
                for (i, port) in ports.into_iter().enumerate() {
                    let invalidate = bench.sink_at(port, Stalls::Percent(30));
                    let find = |name: &str| bench.engine.port(&format!("{name}_{i}")).ok_or(format!("no port {name}"));
                    let ports = [find("invalidated")?, find("drained")?];
                    ports.iter().for_each(|port| bench.engine.poke(*port, 0));
                    let (forgets, known) = Default::default();
                    models.push(Model { invalidate, ports, seen: 0, forgets, epoch: 0, known });
                }
            }
            Mmus::Design(all) => {
                for RequesterPorts { request, response, release } in all {
                    let find = |name: &str| {
                        let port = format!("{release}_{name}");
                        bench.engine.port(&port).ok_or_else(|| format!("no port {port}"))
                    };
                    let release = [find("valid")?, find("epoch")?];
                    release.iter().for_each(|port| bench.engine.poke(*port, 0));
                    let request = bench.source_at(request, Stalls::Never);
                    let response = bench.sink_at(response, Stalls::Percent(30));
                    requesters.push(Requester { request, response, release, asked: VecDeque::new(), seen: 0 });
                }
            }
        }
        let rng = Rng::with_seed(seed);
        Ok(Users {
            most: 4,
            pieces: 0,
            waited: 0,
            queue: 1,
            writes_wait: false,
            users: vec![],
            models,
            requesters,
            rng,
        })
    }

    /// Before a cycle: users go on, new ones begin, and the models say what they have done.
    pub fn step(&mut self, bench: &mut Bench, memories: &mut [Axi4Memory; 2], world: &mut World) -> Result<(), String> {
        self.requesters.iter().for_each(|r| bench.engine.poke(r.release[0], 0));
        for i in (0..self.users.len()).rev() {
            self.go_on(i, bench, memories, world)?;
        }
        if self.users.len() < self.most && self.rng.u32(0..20) == 0 {
            let page = self.rng.u64(0..world.shape.pages);
            let size = 1 << world.shape.page_bits;
            let first = self.rng.u64(0..size / PIECE) * PIECE;
            let end = size.min(first + PIECE * self.rng.u64(1..=32));
            let mut mmu = self.rng.usize(0..2);
            if world.tables[page as usize] >> mmu & 1 == 0 {
                mmu = 1 - mmu;
            }
            let writes = world.writable[page as usize] >> mmu & 1 == 1 && self.rng.bool();
            let user = User { page, at: (0, 0), writes, next: first, end, mmu, epoch: 0, requester: 0 };
            if self.models.is_empty() { self.ask(user, bench, world) } else { self.begin(user, memories, world)? }
        }
        for i in 0..self.models.len() {
            self.forget_one(i, bench);
        }
        Ok(())
    }

    /// A user reads or writes a piece.
    fn go_on(
        &mut self,
        i: usize,
        bench: &mut Bench,
        memories: &mut [Axi4Memory; 2],
        world: &mut World,
    ) -> Result<(), String> {
        let User { page, at: (side, place), writes, next, end, .. } = self.users[i];
        if self.rng.u32(0..4) == 0 {
            return Ok(());
        }
        let content = &mut world.content[page as usize][next as usize..(next + PIECE) as usize];
        let address = (place << world.shape.page_bits) + next;
        if writes {
            self.rng.fill(content);
            memories[side].bytes.write(address, content);
        } else if memories[side].bytes.read(address, PIECE as usize) != content {
            return Err(format!("cycle {}: {:x?} read something else", bench.cycle(), self.users[i]));
        }
        self.pieces += 1;
        self.users[i].next += PIECE;
        if next + PIECE < end {
            return Ok(());
        }
        let user = self.users[i];
        if let Some(requester) = self.requesters.get(user.requester) {
            if bench.engine.peek(requester.release[0]) == 1 {
                // another one of this requester is handed back in this cycle: this one reads or writes its last piece again
                self.users[i].next -= PIECE;
                return Ok(());
            }
            bench.engine.poke(requester.release[0], 1);
            bench.engine.poke(requester.release[1], user.epoch);
        }
        self.users.swap_remove(i);
        Ok(())
    }

    /// A user begins by the translation that its MMU knows, or that stands in the table.
    fn begin(&mut self, user: User, memories: &[Axi4Memory; 2], world: &World) -> Result<(), String> {
        let model = &mut self.models[user.mmu];
        if self.rng.u32(0..4) == 0 {
            model.known.remove(&user.page);
        }
        let bytes = memories[user.mmu].bytes.read(world.entry_at(user.mmu, user.page), 8);
        let word = u64::from_le_bytes(bytes.try_into().unwrap_or_default());
        let entry = *model.known.entry(user.page).or_insert(word);
        if entry & 3 != 3 || (user.writes && entry & 4 == 0) {
            return Err(format!("page {:x} has the entry {entry:#x}, and {user:x?} wants it", user.page));
        }
        if user.writes && entry >> 5 & 1 == 1 {
            self.waited += 1;
            return Ok(());
        }
        let epoch = model.epoch;
        self.users.push(User { at: world.place_of(entry), epoch, requester: usize::MAX, ..user });
        Ok(())
    }

    /// A user asks an MMU of the design.
    fn ask(&mut self, user: User, bench: &mut Bench, world: &World) {
        let number = 2 * user.mmu + self.rng.usize(0..2);
        let requester = &mut self.requesters[number];
        if requester.asked.len() >= self.queue {
            return;
        }
        requester.asked.push_back((User { requester: number, ..user }, bench.cycle()));
        let address = (user.page << world.shape.page_bits) + user.next;
        bench.send(requester.request, [[address, user.end - user.next - 1, user.writes.into(), 0]]);
    }

    /// A model has forgotten a page, and is drained.
    fn forget_one(&mut self, i: usize, bench: &mut Bench) {
        let model = &mut self.models[i];
        let (mut done, mut quiet) = (false, model.forgets.is_none());
        if let Some((page, cycles)) = model.forgets {
            model.forgets = Some((page, cycles.saturating_sub(1)));
            if cycles == 0 {
                model.known.remove(&page);
                model.epoch += 1;
                model.forgets = None;
                (done, quiet) = (true, false);
            }
        }
        let drained = quiet && self.users.iter().all(|user| user.mmu != i || user.epoch == model.epoch);
        bench.engine.poke(model.ports[0], done.into());
        bench.engine.poke(model.ports[1], drained.into());
    }

    /// Behind a cycle: what came out.
    pub fn look(&mut self, bench: &mut Bench, world: &World) -> Result<(), String> {
        for model in &mut self.models {
            if bench.beats(model.invalidate).len() > model.seen {
                let beat = &bench.beats(model.invalidate)[model.seen];
                if beat.field(0) != beat.field(1) || model.forgets.is_some() {
                    return Err(format!("an invalidation that nobody expects: {beat:?}"));
                }
                model.forgets = Some((beat.field(0), self.rng.u64(3..20)));
                model.seen += 1;
            }
        }
        for i in 0..self.requesters.len() {
            let requester = &mut self.requesters[i];
            if bench.beats(requester.response).len() == requester.seen {
                continue;
            }
            let beat = &bench.beats(requester.response)[requester.seen];
            let [address, side, cause, epoch] = [0, 1, 2, 3].map(|field| beat.field(field));
            requester.seen += 1;
            let (user, since) = requester.asked.pop_front().ok_or("an answer, and nothing was asked")?;
            let waited = self.writes_wait && user.writes && bench.cycle() - since > LONG;
            self.waited += usize::from(waited);
            let offset = address % (1 << world.shape.page_bits);
            match cause {
                0 if offset == user.next => {
                    let at = (side as usize, address >> world.shape.page_bits);
                    self.users.push(User { at, epoch, ..user });
                }
                7 if user.writes && !self.writes_wait => {
                    self.waited += 1;
                    self.ask(user, bench, world);
                }
                _ => return Err(format!("{user:x?} was answered {address:x}, cause {cause}")),
            }
        }
        Ok(())
    }

    /// Nobody uses this place.
    pub fn nobody_is_at(&self, at: At) -> Result<(), String> {
        match self.users.iter().find(|user| user.at == at) {
            Some(user) => Err(format!("{at:x?} was handed back, and {user:x?} uses it")),
            None => Ok(()),
        }
    }

    /// A driver has invalidated a page.
    pub fn forget(&mut self, page: u64) {
        for model in &mut self.models {
            model.known.remove(&page);
        }
    }
}
