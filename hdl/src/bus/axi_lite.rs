//! An AXI4-Lite master.

use super::bench::Bench;
use super::checker::{BusError, Rule};
use super::ports::StreamPorts;
use super::stalls::Stalls;
use super::stream::{Beat, Sink, Source};
use crate::build::Bundle;
use crate::design::Design;

/// A response code of AXI4-Lite.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Response {
    /// Done.
    Okay,
    /// The slave refuses.
    SlaveError,
    /// No slave at this address.
    DecodeError,
}

/// Cycles after which a transfer that was not answered is an error.
const LIMIT: u64 = 10_000;

/// A master on an AXI4-Lite port: its five channels are streams of a [`Bench`], which also checks that every response
/// comes after its request.
#[derive(Clone, Copy, Debug)]
pub struct AxiLiteMaster {
    aw: Source,
    w: Source,
    b: Sink,
    ar: Source,
    r: Sink,
    strobes: usize,
}

impl AxiLiteMaster {
    /// A master on a bundle with the signals of AXI4-Lite (`awaddr`, `awvalid`, ...). All channels stall alike.
    ///
    /// # Panics
    /// If signals of the bus are missing, or are not ports of the design.
    #[track_caller]
    pub fn new<P, B: Bundle>(bench: &mut Bench, design: &Design<P>, bus: &B, stalls: Stalls) -> AxiLiteMaster {
        let channel = |prefix| StreamPorts::channel(design, bus, prefix);
        let w_ports = channel("w");
        let strobe = w_ports.payload.iter().find(|field| field.name == "wstrb");
        let strobes = strobe.expect("AXI4-Lite has write strobes").width as usize;
        let (aw, w) = (bench.source_at(channel("aw"), stalls), bench.source_at(w_ports, stalls));
        let (ar, b) = (bench.source_at(channel("ar"), stalls), bench.sink_at(channel("b"), stalls));
        let r = bench.sink_at(channel("r"), stalls);
        bench.answers(&[aw, w], b);
        bench.answers(&[ar], r);
        AxiLiteMaster { aw, w, b, ar, r, strobes }
    }

    /// All channels belong to this clock, as in [`Bench::source_clock`].
    ///
    /// # Panics
    /// As there.
    #[track_caller]
    pub fn clock(&self, bench: &mut Bench, clock: usize) {
        [self.aw, self.w, self.ar].into_iter().for_each(|source| bench.source_clock(source, clock));
        [self.b, self.r].into_iter().for_each(|sink| bench.sink_clock(sink, clock));
    }

    /// Queues a write, without waiting. Bit `i` of `strobes` enables byte `i`.
    #[track_caller]
    pub fn queue_write(&self, bench: &mut Bench, address: u64, data: u64, strobes: u64) {
        bench.send(self.aw, [[address, 0]]);
        bench.send(self.w, [[data, strobes]]);
    }

    /// Queues a read, without waiting.
    #[track_caller]
    pub fn queue_read(&self, bench: &mut Bench, address: u64) {
        bench.send(self.ar, [[address, 0]]);
    }

    /// The responses to all writes so far.
    pub fn write_responses(&self, bench: &Bench) -> Result<Vec<Response>, BusError> {
        bench.beats(self.b).iter().map(|beat| response(bench, self.b, beat.field(0))).collect()
    }

    /// The responses to all reads so far, with their data.
    pub fn read_responses(&self, bench: &Bench) -> Result<Vec<(Response, u64)>, BusError> {
        let answer = |beat: &Beat| Ok((response(bench, self.r, beat.field(1))?, beat.field(0)));
        bench.beats(self.r).iter().map(answer).collect()
    }

    /// How many writes and how many reads are answered so far.
    pub fn answered(&self, bench: &Bench) -> (usize, usize) {
        (bench.beats(self.b).len(), bench.beats(self.r).len())
    }

    /// The response to the last read that is answered, with its data.
    pub fn last_read(&self, bench: &Bench) -> Result<Option<(Response, u64)>, BusError> {
        let answer = |beat: &Beat| Ok((response(bench, self.r, beat.field(1))?, beat.field(0)));
        bench.beats(self.r).last().map(answer).transpose()
    }

    /// Writes a whole word and waits for the response.
    #[track_caller]
    pub fn write(&self, bench: &mut Bench, address: u64, data: u64) -> Result<Response, BusError> {
        self.write_strobed(bench, address, data, (1 << self.strobes) - 1)
    }

    /// Writes some bytes of a word and waits for the response.
    #[track_caller]
    pub fn write_strobed(&self, bench: &mut Bench, at: u64, data: u64, strobes: u64) -> Result<Response, BusError> {
        self.queue_write(bench, at, data, strobes);
        let number = bench.sent_at(self.aw).len() + bench.unsent(self.aw);
        bench.run_until_received(self.b, number, LIMIT)?;
        response(bench, self.b, bench.beats(self.b)[number - 1].field(0))
    }

    /// Reads a word and waits for it.
    #[track_caller]
    pub fn read(&self, bench: &mut Bench, address: u64) -> Result<(Response, u64), BusError> {
        self.queue_read(bench, address);
        let number = bench.sent_at(self.ar).len() + bench.unsent(self.ar);
        bench.run_until_received(self.r, number, LIMIT)?;
        let beat: &Beat = &bench.beats(self.r)[number - 1];
        Ok((response(bench, self.r, beat.field(1))?, beat.field(0)))
    }

    /// Runs until everything that was queued is answered.
    pub fn finish(&self, bench: &mut Bench) -> Result<(), BusError> {
        let writes = bench.sent_at(self.aw).len() + bench.unsent(self.aw);
        let reads = bench.sent_at(self.ar).len() + bench.unsent(self.ar);
        bench.run_until_received(self.b, writes, LIMIT + 100 * writes as u64)?;
        bench.run_until_received(self.r, reads, LIMIT + 100 * reads as u64)
    }
}

fn response(bench: &Bench, sink: Sink, code: u64) -> Result<Response, BusError> {
    match code {
        0 => Ok(Response::Okay),
        2 => Ok(Response::SlaveError),
        3 => Ok(Response::DecodeError),
        _ => Err(bench.error_at(sink, Rule::ResponseCode(code))),
    }
}
