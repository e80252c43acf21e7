//! A memory behind AXI4 ports: sparse, with latency, jitter, bandwidth, stalls on every channel, reordering between IDs, and errors.
//!
//! What a burst writes is seen by reads, and in [`Axi4Memory::bytes`], from the cycle on in which its response is given, and not before:
//! AXI orders nothing between reads and writes until then.
//!
//! [`Axi4Memory::step`] is called before each step of the bench. Everything that crosses a port is also checked
//! ([`Axi4Checker`](super::axi4_checker)).

use super::axi4::*;
use super::axi4_checker::{Axi4Checker, Violation};
use fastrand::Rng;
use hdl::bus::{Bench, Sink, Source, Stalls};
use hdl::{BigUint, Bundle, Design};
use rustc_hash::FxHashMap as HashMap;
use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

/// How a memory behaves. The default is an ideal one: an answer in the next cycle, no stalls.
#[derive(Clone, Debug)]
pub struct MemoryModel {
    /// Cycles from a request that is taken to the first data or, of a write, from its last data to its response; at least 1.
    pub latency: u64,
    /// Up to so many cycles more, at random for each burst.
    pub jitter: u64,
    /// Beats in 256 cycles, of each direction; 256 is full bandwidth.
    pub bandwidth: u64,
    /// Stalls of requests and data that come (AR, AW, W).
    pub taking: Stalls,
    /// Stalls of data and responses that go (R, B).
    pub giving: Stalls,
    /// Bursts of different IDs overtake and mix.
    pub reorders: bool,
    /// Addresses that answer with an error; nothing is written there.
    pub errors: Vec<(Range<u64>, Response)>,
    /// Reads and writes, each, that the master may have under way.
    pub outstanding: usize,
}

impl Default for MemoryModel {
    fn default() -> MemoryModel {
        let (taking, giving, errors) = (Stalls::Never, Stalls::Never, vec![]);
        MemoryModel { latency: 1, jitter: 0, bandwidth: 256, taking, giving, reorders: false, errors, outstanding: 16 }
    }
}

impl MemoryModel {
    /// The error with which a beat answers, by its first address.
    pub fn error_at(&self, address: u64) -> Option<Response> {
        self.errors.iter().find(|(range, _)| range.contains(&address)).map(|(_, response)| *response)
    }
}

const PAGE: u64 = 4096;

/// Bytes that are 0 until they are written, in pages that are there once they are.
#[derive(Clone, Debug, Default)]
pub struct SparseBytes(HashMap<u64, Vec<u8>>);

impl SparseBytes {
    /// The bytes from an address on.
    pub fn read(&self, address: u64, bytes: usize) -> Vec<u8> {
        let mut all = vec![0; bytes];
        let mut done = 0;
        while done < bytes {
            let (page, start) = place(address.wrapping_add(done as u64));
            let count = (PAGE as usize - start).min(bytes - done);
            if let Some(page) = self.0.get(&page) {
                all[done..done + count].copy_from_slice(&page[start..start + count]);
            }
            done += count;
        }
        all
    }
    /// The pages of 4 KiB that are not all 0, by their numbers.
    pub fn pages(&self) -> BTreeMap<u64, &[u8]> {
        let filled = self.0.iter().filter(|(_, page)| page.iter().any(|byte| *byte != 0));
        filled.map(|(number, page)| (*number, &page[..])).collect()
    }
    /// Writes bytes from an address on.
    pub fn write(&mut self, address: u64, bytes: &[u8]) {
        for (i, byte) in (0u64..).zip(bytes) {
            let (page, at) = place(address.wrapping_add(i));
            self.0.entry(page).or_insert_with(|| vec![0; PAGE as usize])[at] = *byte;
        }
    }
}

/// The page of an address, and where in it.
fn place(address: u64) -> (u64, usize) {
    (address / PAGE, (address % PAGE) as usize)
}

/// The read half of a port.
#[derive(Debug)]
struct ReadPort {
    ar: (Channel, Sink),
    r: (Channel, Source),
    requests: usize,
    given: usize,
    /// Bursts with the beats that are given, and when they may be.
    bursts: VecDeque<(Request, u64, u64)>,
    /// What was handed to the bus, until it is taken.
    handed: VecDeque<ReadBeat>,
    credit: u64,
    checker: Axi4Checker,
}

/// A write burst whose data are there, until its response is given.
#[derive(Debug)]
struct Written {
    answer: WriteResponse,
    /// When the response may be given.
    due: u64,
    bytes: Vec<(u64, u8)>,
}

/// The write half of a port.
#[derive(Debug)]
struct WritePort {
    aw: (Channel, Sink),
    w: (Channel, Sink),
    b: (Channel, Source),
    requests: usize,
    beats: usize,
    given: usize,
    open: VecDeque<(Request, u64, Response)>,
    early: VecDeque<WriteBeat>,
    /// Addresses and bytes of the first burst in `open`, as far as they came.
    coming: Vec<(u64, u8)>,
    written: VecDeque<Written>,
    handed: VecDeque<WriteResponse>,
    credit: u64,
    /// How data are taken while there is credit.
    taking: Stalls,
    checker: Axi4Checker,
}

/// A memory with any number of ports.
pub struct Axi4Memory {
    /// What it holds.
    pub bytes: SparseBytes,
    model: MemoryModel,
    rng: Rng,
    reads: Vec<ReadPort>,
    writes: Vec<WritePort>,
    /// All requests in the order in which they were taken: writes (true) and reads.
    pub requests: Vec<(bool, Request)>,
}

impl Axi4Memory {
    /// A memory without ports. The seed decides jitter and order.
    pub fn new(model: MemoryModel, seed: u64) -> Axi4Memory {
        let (bytes, reads, writes, requests) = Default::default();
        Axi4Memory { bytes, model, rng: Rng::with_seed(seed), reads, writes, requests }
    }

    /// Another behaviour from now on, but for the stalls, which a port has from its beginning.
    pub fn set_model(&mut self, model: MemoryModel) {
        self.model = model;
    }

    /// Stands behind the read half of a master's port.
    pub fn read_port<P, B: Bundle>(&mut self, bench: &mut Bench, design: &Design<P>, bus: &B) {
        let [ar, r] = ["ar", "r"].map(|prefix| Channel::of(design, bus, prefix));
        let (taking, giving) = (self.model.taking, self.model.giving);
        let (sink, source) = (bench.sink_at(ar.ports.clone(), taking), bench.source_at(r.ports.clone(), giving));
        let checker = Axi4Checker::new(u64::from(r.width("data")) / 8, self.model.outstanding);
        let (bursts, handed) = Default::default();
        self.reads.push(ReadPort {
            ar: (ar, sink),
            r: (r, source),
            requests: 0,
            given: 0,
            bursts,
            handed,
            credit: 0,
            checker,
        });
    }

    /// Stands behind the write half of a master's port.
    pub fn write_port<P, B: Bundle>(&mut self, bench: &mut Bench, design: &Design<P>, bus: &B) {
        let [aw, w, b] = ["aw", "w", "b"].map(|prefix| Channel::of(design, bus, prefix));
        let (taking, giving) = (self.model.taking, self.model.giving);
        let [aw_sink, w_sink] = [&aw, &w].map(|channel| bench.sink_at(channel.ports.clone(), taking));
        let source = bench.source_at(b.ports.clone(), giving);
        let checker = Axi4Checker::new(u64::from(w.width("data")) / 8, self.model.outstanding);
        let (open, early, coming, written, handed) = Default::default();
        let (aw, w, b) = ((aw, aw_sink), (w, w_sink), (b, source));
        let (requests, beats, given, credit) = (0, 0, 0, 0);
        self.writes.push(WritePort {
            aw,
            w,
            b,
            requests,
            beats,
            given,
            open,
            early,
            coming,
            written,
            handed,
            credit,
            taking,
            checker,
        });
    }

    /// The cycles in which data of a read port (in the order of their making) were taken.
    pub fn read_at<'b>(&self, bench: &'b Bench, port: usize) -> &'b [u64] {
        bench.sent_at(self.reads[port].r.1)
    }

    /// The cycles in which data of a write port were taken.
    pub fn written_at<'b>(&self, bench: &'b Bench, port: usize) -> &'b [u64] {
        bench.received_at(self.writes[port].w.1)
    }

    /// The cycles in which requests of a read port were taken.
    pub fn reads_asked_at<'b>(&self, bench: &'b Bench, port: usize) -> &'b [u64] {
        bench.received_at(self.reads[port].ar.1)
    }

    /// The cycles in which requests of a write port were taken, and those in which its responses were.
    pub fn writes_asked_at<'b>(&self, bench: &'b Bench, port: usize) -> [&'b [u64]; 2] {
        let port = &self.writes[port];
        [bench.received_at(port.aw.1), bench.sent_at(port.b.1)]
    }

    /// Bytes of a beat of a read port.
    pub fn bus_bytes(&self, port: usize) -> u64 {
        u64::from(self.reads[port].r.0.width("data")) / 8
    }

    /// Did the master refuse data that a read port gave in the last step? (Where data stall, it may not have been given them yet.)
    pub fn was_refused(&self, bench: &Bench, port: usize) -> bool {
        let port = &self.reads[port];
        bench.sent_at(port.r.1).len() < port.given + port.handed.len()
    }

    /// Is nothing under way?
    pub fn is_idle(&self) -> bool {
        self.reads.iter().all(|p| p.checker.is_idle()) && self.writes.iter().all(|p| p.checker.is_idle())
    }

    /// Takes what came in the last step, and gives what is due: before each step of the bench.
    pub fn step(&mut self, bench: &mut Bench) -> Result<(), Violation> {
        (0..self.reads.len()).try_for_each(|i| self.step_read(bench, i))?;
        (0..self.writes.len()).try_for_each(|i| self.step_write(bench, i))
    }

    fn due(&mut self, cycle: u64) -> u64 {
        cycle + self.model.latency.max(1) - 1 + self.rng.u64(0..=self.model.jitter)
    }

    fn answer(&self, address: u64) -> Response {
        self.model.error_at(address).unwrap_or(Response::Okay)
    }

    /// Of what is due, the oldest; or any whose ID has nothing older.
    fn choose<T>(&mut self, list: &VecDeque<T>, id: impl Fn(&T) -> u64, due: impl Fn(&T) -> bool) -> Option<usize> {
        let first = |i: &usize| list.iter().take(*i).all(|older| id(older) != id(&list[*i]));
        let most = if self.model.reorders { list.len() } else { list.len().min(1) };
        let able: Vec<usize> = (0..most).filter(first).filter(|i| due(&list[*i])).collect();
        (!able.is_empty()).then(|| able[self.rng.usize(0..able.len())])
    }

    fn step_read(&mut self, bench: &mut Bench, i: usize) -> Result<(), Violation> {
        let cycle = bench.cycle();
        let port = &mut self.reads[i];
        let requests: Vec<Request> =
            bench.beats(port.ar.1)[port.requests..].iter().map(|beat| port.ar.0.request(beat)).collect();
        port.requests += requests.len();
        while port.given < bench.sent_at(port.r.1).len() {
            port.given += 1;
            let beat = port.handed.pop_front().expect("it was handed over");
            port.checker.r(&beat)?;
        }
        for request in requests {
            self.reads[i].checker.ar(request)?;
            self.requests.push((false, request));
            let due = self.due(cycle);
            self.reads[i].bursts.push_back((request, 0, due));
        }
        let port = &mut self.reads[i];
        port.credit = (port.credit + self.model.bandwidth).min(511);
        if !port.handed.is_empty() || port.credit < 256 {
            return Ok(());
        }
        let bursts = std::mem::take(&mut self.reads[i].bursts);
        let chosen = self.choose(&bursts, |burst| burst.0.id, |burst| burst.2 <= cycle);
        self.reads[i].bursts = bursts;
        let Some(at) = chosen else { return Ok(()) };
        let (request, done, _) = self.reads[i].bursts[at];
        let beat = self.read_beat(i, request, done);
        let port = &mut self.reads[i];
        port.credit -= 256;
        port.bursts[at].1 += 1;
        if beat.last {
            port.bursts.remove(at);
        }
        bench.send(port.r.1, [port.r.0.read_data(&beat)]);
        port.handed.push_back(beat);
        Ok(())
    }

    /// What stands on the bus; lanes outside of the beat are random.
    fn read_beat(&mut self, port: usize, request: Request, beat: u64) -> ReadBeat {
        let bus = u64::from(self.reads[port].r.0.width("data")) / 8;
        let (address, bytes) = request.bytes_of(beat);
        let response = self.answer(address);
        let mut lanes: Vec<u8> = (0..bus).map(|_| self.rng.u8(..)).collect();
        if response == Response::Okay {
            let low = (address % bus) as usize;
            lanes[low..low + bytes as usize].copy_from_slice(&self.bytes.read(address, bytes as usize));
        }
        ReadBeat { id: request.id, data: BigUint::from_bytes_le(&lanes), response, last: beat == request.len }
    }

    fn step_write(&mut self, bench: &mut Bench, i: usize) -> Result<(), Violation> {
        let cycle = bench.cycle();
        let port = &mut self.writes[i];
        let requests: Vec<Request> =
            bench.beats(port.aw.1)[port.requests..].iter().map(|beat| port.aw.0.request(beat)).collect();
        let beats: Vec<WriteBeat> =
            bench.beats(port.w.1)[port.beats..].iter().map(|beat| port.w.0.write_beat(beat)).collect();
        port.requests += requests.len();
        port.beats += beats.len();
        while port.given < bench.sent_at(port.b.1).len() {
            port.given += 1;
            let answer = port.handed.pop_front().expect("it was handed over");
            port.checker.b(answer)?;
        }
        for request in requests {
            self.writes[i].checker.aw(request)?;
            self.requests.push((true, request));
            self.writes[i].open.push_back((request, 0, Response::Okay));
        }
        for beat in beats {
            self.writes[i].checker.w(beat.clone())?;
            self.writes[i].early.push_back(beat);
        }
        self.take_bytes(i, cycle);
        self.respond(bench, i, cycle);
        Ok(())
    }

    /// Takes the beats whose address is known.
    fn take_bytes(&mut self, i: usize, cycle: u64) {
        while let (Some((request, beat, first_error)), false) =
            (self.writes[i].open.front().copied(), self.writes[i].early.is_empty())
        {
            let data = self.writes[i].early.pop_front().expect("there is one");
            let bus = u64::from(self.writes[i].w.0.width("data")) / 8;
            let (address, _) = request.bytes_of(beat);
            let response = self.answer(address);
            let mut bytes = data.data.to_bytes_le();
            bytes.resize(bus as usize, 0);
            let base = address - address % bus;
            for lane in (0..bus).filter(|lane| data.strobes >> lane & 1 == 1 && response == Response::Okay) {
                self.writes[i].coming.push((base + lane, bytes[lane as usize]));
            }
            let first_error = if first_error == Response::Okay { response } else { first_error };
            if data.last {
                self.writes[i].open.pop_front();
                let due = self.due(cycle);
                let answer = WriteResponse { id: request.id, response: first_error };
                let bytes = std::mem::take(&mut self.writes[i].coming);
                self.writes[i].written.push_back(Written { answer, due, bytes });
            } else {
                self.writes[i].open[0] = (request, beat + 1, first_error);
            }
        }
    }

    fn respond(&mut self, bench: &mut Bench, i: usize, cycle: u64) {
        let port = &mut self.writes[i];
        // what is written is as much as the bandwidth lets in
        port.credit = (port.credit + self.model.bandwidth).min(511);
        let goes = port.credit >= 256;
        port.credit -= if goes { 256 } else { 0 };
        bench.hold_sink(port.w.1, !goes);
        if port.taking != self.model.taking {
            port.taking = self.model.taking;
            bench.stall_sink(port.w.1, port.taking);
        }
        if !port.handed.is_empty() {
            return;
        }
        let written = std::mem::take(&mut self.writes[i].written);
        let chosen = self.choose(&written, |burst| burst.answer.id, |burst| burst.due <= cycle);
        self.writes[i].written = written;
        let Some(at) = chosen else { return };
        let port = &mut self.writes[i];
        let Some(Written { answer, bytes, .. }) = port.written.remove(at) else { return };
        bytes.into_iter().for_each(|(address, byte)| self.bytes.write(address, &[byte]));
        bench.send(port.b.1, [port.b.0.response_beat(&answer)]);
        port.handed.push_back(answer);
    }
}

#[cfg(test)]
mod tests;
