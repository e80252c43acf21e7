//! An accelerator core, as far as its memory sees it: it reads and writes pieces of virtual memory, each burst at the address that its
//! MMU gives, and hands the translation back when the burst is over.

use super::system::{PAGE_BITS, REQUESTERS, SystemPorts};
use hdl::Design;
use hdl::engine::Engine;
use hw::h2m2::params::cause;
use sim::bus::{Beat, Bench, Sink, Source, Stalls, packet};
use std::collections::VecDeque;

/// Why a run ended.
pub type Ends = Result<(), String>;

/// What a core does with some bytes within a page, at most 4096.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// Virtual address of the first one.
    pub address: u64,
    /// The bytes that are written, or must be found.
    pub bytes: Vec<u8>,
    /// They are written.
    pub write: bool,
}

/// What runs on one side: phases, each of which begins when the one before is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// Its number.
    pub slot: usize,
    /// 0 fast, 1 large.
    pub side: usize,
    /// A bit for each kernel that must be over first.
    pub after: u64,
    /// What is read and written.
    pub phases: Vec<Vec<Access>>,
}

/// One stream of requests to the MMU.
struct Requester {
    request: Source,
    response: Sink,
    seen: usize,
    asked: VecDeque<usize>,
    release: [usize; 2],
    handed: VecDeque<u64>,
}

/// The burst engine of one memory.
struct Mover {
    command: Source,
    input: Option<Source>,
    output: Option<Sink>,
    done: Sink,
    /// Ends that were seen, and beats.
    seen: [usize; 2],
    /// The accesses that it has, each with the epoch of its translation; and those of them whose packets have not come.
    has: VecDeque<(usize, u64)>,
    reads: VecDeque<usize>,
    bytes: Vec<u8>,
}

/// What a core counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Bursts in the memory of its own side, and of the other one.
    pub bursts: [u64; 2],
    /// Bytes that were compared.
    pub compared: u64,
    /// Writes that were asked for again, since their page was on the move.
    pub again: u64,
}

/// A core.
pub struct Core {
    side: usize,
    launch: Sink,
    launched: usize,
    complete: Source,
    requesters: Vec<Requester>,
    readers: Vec<Mover>,
    writers: Vec<Mover>,
    /// The kernel that runs, its phase, and how many accesses of that are not over.
    running: Option<(Kernel, usize, usize)>,
    /// What happened.
    pub counts: Counts,
    /// Pages that were asked for and whether they were to be written, each burst once, in their order.
    pub asked: Vec<(u64, bool)>,
}

impl Core {
    /// The core of a side.
    pub fn new(bench: &mut Bench, design: &Design<SystemPorts>, side: usize, stalls: Stalls) -> Core {
        let io = &design.ports;
        let launch = bench.sink(design, &io.launch[side], stalls);
        let complete = bench.source(design, &io.complete[side], stalls);
        let requesters = (side * REQUESTERS..(side + 1) * REQUESTERS).map(|i| {
            let request = bench.source(design, &io.request[i], stalls);
            let response = bench.sink(design, &io.response[i], stalls);
            let port =
                |field: &str| bench.engine.port(&format!("release_{i}_{field}")).expect("a port of each requester");
            let release = [port("valid"), port("epoch")];
            bench.engine.poke(release[0], 0);
            let (asked, handed) = Default::default();
            Requester { request, response, seen: 0, asked, release, handed }
        });
        let requesters = requesters.collect();
        let mut mover = |i: usize, write: bool| {
            let (command, done) =
                if write { (&io.write[i], &io.write_done[i]) } else { (&io.read[i], &io.read_done[i]) };
            let input = write.then(|| bench.source(design, &io.s_axis[i], stalls));
            let output = (!write).then(|| bench.sink(design, &io.m_axis[i], stalls));
            let (has, reads, bytes) = Default::default();
            let (command, done) = (bench.source(design, command, stalls), bench.sink(design, done, stalls));
            Mover { command, input, output, done, seen: [0; 2], has, reads, bytes }
        };
        let readers = (2 * side..2 * side + 2).map(|i| mover(i, false)).collect();
        let writers = (2 * side..2 * side + 2).map(|i| mover(i, true)).collect();
        let counts = Counts::default();
        let (launched, running, asked) = Default::default();
        Core { side, launch, launched, complete, requesters, readers, writers, running, counts, asked }
    }

    /// Is there nothing to do?
    pub fn is_idle(&self) -> bool {
        self.running.is_none() && self.requesters.iter().all(|r| r.handed.is_empty())
    }

    /// Hands translations back: before each step of the bench.
    pub fn hand_back(&mut self, engine: &mut dyn Engine) {
        for r in &mut self.requesters {
            let epoch = r.handed.pop_front();
            engine.poke(r.release[0], epoch.is_some().into());
            engine.poke(r.release[1], epoch.unwrap_or(0));
        }
    }

    /// Goes on with what came in a step of the bench. `kernel` gives what was registered under a number. Gives whether one is over.
    pub fn step(&mut self, bench: &mut Bench, kernel: impl Fn(usize) -> Option<Kernel>) -> Result<bool, String> {
        if self.running.is_none() && self.launched < bench.beats(self.launch).len() {
            let slot = bench.beats(self.launch)[self.launched].field(0) as usize;
            self.launched += 1;
            let kernel = kernel(slot).filter(|kernel| kernel.side == self.side);
            let kernel = kernel.ok_or(format!("kernel {slot} was launched on side {}", self.side))?;
            self.running = Some((kernel, 0, 0));
            self.begin(bench, 0);
        }
        let Some((kernel, phase, mut left)) = self.running.take() else { return Ok(false) };
        let accesses = &kernel.phases[phase];
        for i in 0..REQUESTERS {
            self.responses(bench, i, accesses)?;
        }
        for memory in 0..2 {
            left -= self.read(bench, memory, accesses)? + self.written(bench, memory)?;
        }
        let over = left == 0;
        let last = phase + 1 == kernel.phases.len();
        match (over, last) {
            (true, true) => bench.send(self.complete, [kernel.slot as u64]),
            (true, false) => {
                self.running = Some((kernel, phase + 1, 0));
                self.begin(bench, phase + 1);
            }
            _ => self.running = Some((kernel, phase, left)),
        }
        Ok(over && last)
    }

    /// Asks for everything of a phase.
    fn begin(&mut self, bench: &mut Bench, phase: usize) {
        let Some((kernel, _, left)) = &mut self.running else { return };
        *left = kernel.phases[phase].len();
        let accesses = kernel.phases[phase].clone();
        for (i, access) in accesses.iter().enumerate() {
            self.ask(bench, i, access);
            self.asked.push((access.address >> PAGE_BITS, access.write));
        }
    }

    fn ask(&mut self, bench: &mut Bench, i: usize, access: &Access) {
        let requester = &mut self.requesters[usize::from(access.write)];
        let length = access.bytes.len() as u64;
        bench.send(requester.request, [[access.address, length - 1, access.write.into(), i as u64 & 255]]);
        requester.asked.push_back(i);
    }

    /// Addresses that the MMU gave.
    fn responses(&mut self, bench: &mut Bench, requester: usize, accesses: &[Access]) -> Ends {
        while self.requesters[requester].seen < bench.beats(self.requesters[requester].response).len() {
            let r = &mut self.requesters[requester];
            let beat = &bench.beats(r.response)[r.seen];
            let [address, memory, fault, epoch, tag] = [0, 1, 2, 3, 4].map(|field| beat.field(field));
            r.seen += 1;
            let i = r.asked.pop_front().ok_or("an answer that nobody asked for")?;
            let access = &accesses[i];
            if tag != i as u64 & 255 {
                return Err(format!("side {}: the answer to burst {i} has the tag {tag}", self.side));
            }
            match fault as u32 {
                cause::NONE if memory < 2 => self.go(bench, (i, epoch), access, (memory as usize, address)),
                cause::MOVING if access.write => {
                    self.counts.again += 1;
                    self.ask(bench, i, access);
                }
                _ => {
                    let at = access.address;
                    return Err(format!("side {}: {at:#x} gave cause {fault}, memory {memory}", self.side));
                }
            }
        }
        Ok(())
    }

    /// A burst goes to the engine of a memory.
    fn go(&mut self, bench: &mut Bench, (i, epoch): (usize, u64), access: &Access, (memory, address): (usize, u64)) {
        let mover = if access.write { &mut self.writers[memory] } else { &mut self.readers[memory] };
        bench.send(mover.command, [[address, access.bytes.len() as u64, i as u64 & 255]]);
        mover.has.push_back((i, epoch));
        match mover.input {
            Some(input) => bench.send(input, packet(&access.bytes, 8)),
            None => mover.reads.push_back(i),
        }
        self.counts.bursts[usize::from(memory != self.side)] += 1;
    }

    /// Bytes that were read, and bursts that are over. Gives how many are.
    fn read(&mut self, bench: &mut Bench, memory: usize, accesses: &[Access]) -> Result<usize, String> {
        let mover = &mut self.readers[memory];
        let output = mover.output.ok_or("a reader has an output")?;
        let mut over = 0;
        for beat in &bench.beats(output)[mover.seen[1]..] {
            let [keep, last, failed] = [1, 2, 3].map(|field| beat.field(field));
            let mut data = beat.field(0).to_le_bytes().to_vec();
            data.truncate(keep.count_ones() as usize);
            mover.bytes.extend(data);
            if last == 1 {
                let i = mover.reads.pop_front().ok_or("a packet that nobody asked for")?;
                let (found, access) = (std::mem::take(&mut mover.bytes), &accesses[i]);
                if failed == 1 || found != access.bytes {
                    return Err(format!("side {}: wrong bytes at {:#x}", self.side, access.address));
                }
                self.counts.compared += found.len() as u64;
                over += 1;
            }
        }
        mover.seen[1] = bench.beats(output).len();
        ended(bench, mover, &mut self.requesters[0])?;
        Ok(over)
    }

    /// Bursts that were written.
    fn written(&mut self, bench: &mut Bench, memory: usize) -> Result<usize, String> {
        ended(bench, &mut self.writers[memory], &mut self.requesters[1])
    }
}

/// Bursts that the bus is done with: their translations go back.
fn ended(bench: &Bench, mover: &mut Mover, requester: &mut Requester) -> Result<usize, String> {
    let new: &[Beat] = &bench.beats(mover.done)[mover.seen[0]..];
    for beat in new {
        let (tag, outcome) = (beat.field(0), beat.field(1));
        let (i, epoch) = mover.has.pop_front().ok_or("an end that nobody waits for")?;
        if outcome != 0 || tag != i as u64 & 255 {
            return Err(format!("burst {i} ended with {outcome} and the tag {tag}"));
        }
        requester.handed.push_back(epoch);
    }
    mover.seen[0] += new.len();
    Ok(new.len())
}
